//! Values as JSON.

use std::convert::Infallible;
use std::fmt::Write as _;

use super::super::text::{number_to_text, small_integer};
use super::super::value::Value;
use super::special::special;

/// How values are laid out and spelled.
struct Style {
    /// Line breaks and two blanks for each level, unless empty.
    pretty: bool,
    number: fn(f64) -> String,
    /// Whether a few line separators are escaped although JSON does not ask for it.
    escape_separators: bool,
}

/// Appends JSON as `toJSON` gives it: indented by two, empty arrays and objects compact, numbers as in texts. Unknown
/// values are `null`; ask [`Value::unknowns`] first. `check` sees the text behind each primitive value, and may stop it.
pub(in super::super) fn write_for_runner<E>(
    value: &Value,
    text: &mut String,
    check: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    write(value, 0, &Style { pretty: true, number: number_to_text, escape_separators: true }, text, check)
}

/// JSON for programs, on one line or indented by two. What JSON cannot hold, NaN, infinity and unknown values, is `null`.
pub fn to_json(value: &Value, pretty: bool) -> String {
    let mut text = String::new();
    push_json(value, pretty, &mut text);
    text
}

/// Appends the same to a text.
pub(in super::super) fn push_json(value: &Value, pretty: bool, text: &mut String) {
    let style = Style { pretty, number: json_number, escape_separators: false };
    match write(value, 0, &style, text, &mut |_: &str| Ok::<(), Infallible>(())) {
        Ok(()) => {}
    }
}

/// A number as JSON: integers as integers, others in the shortest form that reads back the same, `null` if it is none.
pub fn json_number(value: f64) -> String {
    /// From here on, and below its inverse, digits would only be zeros.
    const LARGE: f64 = 1e21;
    const SMALL: f64 = 1e-6;
    if !value.is_finite() {
        return "null".to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if (SMALL..LARGE).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Values come from JSON, whose depth is bounded when it is read.
fn write<E>(
    value: &Value,
    depth: usize,
    style: &Style,
    out: &mut String,
    check: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    match value {
        Value::Null | Value::Unknown(_) => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(value) => match small_integer(*value) {
            Some(integer) => out.push_str(itoa::Buffer::new().format(integer)),
            None => out.push_str(&(style.number)(*value)),
        },
        Value::Str(text) => quoted(text, style, out),
        Value::Array(array) if array.items().is_empty() => out.push_str("[]"),
        Value::Array(array) => {
            out.push('[');
            for (index, item) in array.items().iter().enumerate() {
                separate(index, depth + 1, style, out);
                write(item, depth + 1, style, out, check)?;
            }
            line(depth, style, out);
            out.push(']');
        }
        Value::Object(object) if object.is_empty() => out.push_str("{}"),
        Value::Object(object) => {
            out.push('{');
            for (index, (name, member)) in object.iter().enumerate() {
                separate(index, depth + 1, style, out);
                quoted(name, style, out);
                out.push_str(if style.pretty { ": " } else { ":" });
                write(member, depth + 1, style, out, check)?;
            }
            line(depth, style, out);
            out.push('}');
        }
    }
    check(out)
}

fn separate(index: usize, depth: usize, style: &Style, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
    line(depth, style, out);
}

fn line(depth: usize, style: &Style, out: &mut String) {
    /// Deeper levels take several of them.
    const BLANKS: &str = "                                ";
    if !style.pretty {
        return;
    }
    out.push('\n');
    let mut left = 2 * depth;
    while left > 0 {
        let now = left.min(BLANKS.len());
        out.push_str(&BLANKS[..now]);
        left -= now;
    }
}

fn quoted(text: &str, style: &Style, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = special(rest.as_bytes(), b'"', style.escape_separators) {
        let (plain, behind) = rest.split_at(at);
        out.push_str(plain);
        let length = escape(behind, out);
        rest = &behind[length..];
    }
    out.push_str(rest);
    out.push('"');
}

/// Appends the first character of a text, escaped if it has to be; says how many bytes it has.
fn escape(text: &str, out: &mut String) -> usize {
    let c = text.chars().next().unwrap_or_default();
    let short = match c {
        '"' | '\\' => c,
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        '\0'..' ' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
            let _ = write!(out, "\\u{:04x}", c as u32);
            return c.len_utf8();
        }
        other => {
            out.push(other);
            return other.len_utf8();
        }
    };
    out.push('\\');
    out.push(short);
    1
}

#[cfg(test)]
mod tests {
    use super::super::read_json;
    use super::*;

    fn text(value: &Value, for_runner: bool) -> String {
        if !for_runner {
            return to_json(value, false);
        }
        let mut text = String::new();
        write_for_runner(value, &mut text, &mut |_: &str| Ok::<(), ()>(())).unwrap();
        text
    }

    #[test]
    fn pretty_is_indented_by_two_and_compact_is_one_line() {
        let value = Value::from(read_json(r#"{"b": [1.50, {"c": null}, [], {}], "é": true}"#).unwrap());
        let pretty =
            "{\n  \"b\": [\n    1.5,\n    {\n      \"c\": null\n    },\n    [],\n    {}\n  ],\n  \"é\": true\n}";
        assert_eq!(text(&value, true), pretty);
        assert_eq!(text(&value, false), r#"{"b":[1.5,{"c":null},[],{}],"é":true}"#);
    }

    #[test]
    fn texts_are_escaped_as_the_runner_escapes_them() {
        let value = Value::from("a\"\\/\n\r\t\u{8}\u{c}\u{1}\u{1f}\u{7f}\u{85}\u{2028}é😀");
        assert_eq!(text(&value, true), "\"a\\\"\\\\/\\n\\r\\t\\b\\f\\u0001\\u001f\u{7f}\\u0085\\u2028é😀\"");
        assert!(text(&value, false).contains('\u{2028}'));
    }

    #[test]
    fn numbers_of_json_are_exact_and_those_of_the_runner_have_fifteen_digits() {
        for (value, compact, runner) in [
            (-0.0, "0", "0"),
            (1e21, "1e21", "1E+21"),
            (1e20, "100000000000000000000", "1E+20"),
            (1e-7, "1e-7", "1E-07"),
            (0.1 + 0.2, "0.30000000000000004", "0.3"),
            (1_234_567_890_123_456.0, "1234567890123456", "1.23456789012346E+15"),
            (f64::NAN, "null", "NaN"),
        ] {
            assert_eq!(text(&Value::Number(value), false), compact);
            assert_eq!(text(&Value::Number(value), true), runner);
        }
    }
}
