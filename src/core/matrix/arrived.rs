//! Whether a point arrived as it was sent.

use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::json::write_text;
use super::point::{Lane, hex};
use crate::core::diag::{Code, Diagnostic, Diagnostics};

/// What stands in a point beside its row.
const ADDED_FIELDS: [&str; 5] = ["key", "fingerprint", "lane", "runs-on", "source"];
/// Texts that every row has.
const ROW_TEXTS: [&str; 7] = ["image", "model", "model-prefix", "precision", "framework", "runner", "exp-name"];

/// Checks a point that travelled through a workflow: its shape, and its content against its fingerprint.
pub fn check_point(point: &Json, found: &mut Diagnostics) {
    let Json::Object(fields) = point else {
        found.push(wrong("", format!("the point is {}, expected an object", kind(point))));
        return;
    };
    let mut expect = |name: &str, fits: bool, expected: &str| {
        if !fits {
            let actual = fields.get(name).map_or("missing", kind);
            found.push(wrong(name, format!("`{name}` is {actual}, expected {expected}")));
        }
    };
    let text = |name: &str| fields.get(name).and_then(Json::as_str);
    let is_hex = |name: &str, digits: usize| {
        text(name)
            .is_some_and(|text| text.len() == digits && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
    };
    ROW_TEXTS.iter().for_each(|name| expect(name, text(name).is_some(), "a text"));
    expect("key", is_hex("key", 16), "16 hex digits");
    expect("fingerprint", is_hex("fingerprint", 64), "64 hex digits");
    expect("lane", text("lane").is_some_and(|lane| Lane::ALL.iter().any(|known| known.name() == lane)), "a lane");
    let labels = fields.get("runs-on").and_then(Json::as_array);
    expect(
        "runs-on",
        labels.is_some_and(|labels| !labels.is_empty() && labels.iter().all(Json::is_string)),
        "a list of labels",
    );
    let conc = fields.get("conc");
    expect(
        "conc",
        conc.is_some_and(|conc| conc.is_array() || conc.is_number() || conc.is_boolean()),
        "a number or a list",
    );
    if found.has_errors() {
        return;
    }
    if text("fingerprint") != Some(&fingerprint(point)) {
        found.push(
            wrong("fingerprint", "the content of the point is not what its fingerprint was made from".to_owned())
                .help("pass the point whole, with toJson(matrix.point), and change nothing on the way"),
        );
    }
}

fn wrong(path: &str, message: String) -> Diagnostic {
    Diagnostic::error(Code::BadInput, message)
        .path(if path.is_empty() { "point".to_owned() } else { format!("point.{path}") })
        .help("pass the point whole: `point: ${{ toJson(matrix.point) }}`")
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

fn fingerprint(point: &Json) -> String {
    let mut out = Vec::with_capacity(1024);
    write_canonical(&mut out, point, &ADDED_FIELDS);
    hex(&Sha256::digest(&out))
}

/// The canonical JSON of the row in a point: keys sorted, compact, ASCII, integral numbers as integers.
fn write_canonical(out: &mut Vec<u8>, value: &Json, left_out: &[&str]) {
    match value {
        Json::String(text) => write_text(out, text),
        Json::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_canonical(out, item, &[]);
            }
            out.push(b']');
        }
        Json::Object(fields) => {
            let mut keys: Vec<&String> = fields.keys().filter(|key| !left_out.contains(&key.as_str())).collect();
            keys.sort();
            out.push(b'{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_text(out, key);
                out.push(b':');
                write_canonical(out, &fields[key], &[]);
            }
            out.push(b'}');
        }
        Json::Number(number) => out.extend_from_slice(number_text(number).as_bytes()),
        Json::Null | Json::Bool(_) => out.extend_from_slice(value.to_string().as_bytes()),
    }
}

fn number_text(number: &serde_json::Number) -> String {
    match number.as_f64() {
        _ if number.is_i64() || number.is_u64() => number.to_string(),
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
        Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => (value as i64).to_string(),
        Some(value) => crate::core::num::python_float(value),
        None => number.to_string(),
    }
}
