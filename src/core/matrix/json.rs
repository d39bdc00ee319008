//! Rows as the incumbent prints them: Python's `json.dumps` with its default separators.

use std::io::{self, Write};

use super::row::Row;
use crate::core::num::python_float;
use crate::core::yaml::Value;

/// How much is gathered before it is handed on.
const CHUNK_BYTES: usize = 1 << 16;

/// Writes the rows as one JSON array and a line break: `", "` and `": "` between parts, ASCII only.
///
/// # Errors
/// Only those of the writer.
pub fn write_rows<W: Write + ?Sized>(out: &mut W, rows: &[Row<'_>]) -> io::Result<()> {
    let mut chunk = Vec::with_capacity(CHUNK_BYTES + 4096);
    chunk.push(b'[');
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            chunk.extend_from_slice(SPACED.item);
        }
        write_fields(&mut chunk, row, SPACED);
        if chunk.len() >= CHUNK_BYTES {
            out.write_all(&chunk)?;
            chunk.clear();
        }
    }
    chunk.extend_from_slice(b"]\n");
    out.write_all(&chunk)
}

/// What stands between items and after keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Separators {
    item: &'static [u8],
    key: &'static [u8],
}

pub(super) const SPACED: Separators = Separators { item: b", ", key: b": " };
pub(super) const COMPACT: Separators = Separators { item: b",", key: b":" };

/// Appends the fields of a row as an object.
pub(super) fn write_fields(out: &mut Vec<u8>, row: &Row<'_>, separators: Separators) {
    out.push(b'{');
    for (index, (name, value)) in row.fields().iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(separators.item);
        }
        // Field names are ours and need no escapes.
        out.push(b'"');
        out.extend_from_slice(name.as_bytes());
        out.push(b'"');
        out.extend_from_slice(separators.key);
        write_value(out, value, separators);
    }
    out.push(b'}');
}

/// Appends a value.
pub(super) fn write_value(out: &mut Vec<u8>, value: &Value<'_>, separators: Separators) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Int(value) => out.extend_from_slice(itoa::Buffer::new().format(*value).as_bytes()),
        Value::Big(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Value::Float(value) => out.extend_from_slice(python_float(*value).as_bytes()),
        Value::Str(text) | Value::Date(text) => write_text(out, text),
        Value::List(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(separators.item);
                }
                write_value(out, item, separators);
            }
            out.push(b']');
        }
        Value::Map(entries) => {
            out.push(b'{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(separators.item);
                }
                match key {
                    Value::Str(text) => write_text(out, text),
                    other => write_text(out, &super::names::python_str(other)),
                }
                out.extend_from_slice(separators.key);
                write_value(out, value, separators);
            }
            out.push(b'}');
        }
    }
}

/// Appends a JSON text with every character outside printable ASCII escaped, in lower case, as surrogate pairs where
/// needed.
pub(super) fn write_text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let bytes = text.as_bytes();
    // Without an early exit, so that the compiler can look at many bytes at once.
    let special = |b: u8| !matches!(b, 0x20..=0x7e) | (b == b'"') | (b == b'\\');
    if !bytes.iter().fold(false, |any, &b| any | special(b)) {
        out.extend_from_slice(bytes);
    } else {
        text.chars().for_each(|character| write_escaped(out, character));
    }
    out.push(b'"');
}

/// A value as Python's `json.dumps` prints it.
pub fn spaced_json(value: &Value<'_>) -> String {
    let mut out = Vec::new();
    write_value(&mut out, value, SPACED);
    String::from_utf8(out).unwrap_or_default()
}

/// A text as JSON, ASCII only, as Python prints it.
pub fn ascii_json_text(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_text(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}

fn write_escaped(out: &mut Vec<u8>, character: char) {
    match character {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\u{8}' => out.extend_from_slice(b"\\b"),
        '\u{c}' => out.extend_from_slice(b"\\f"),
        ' '..='~' => out.push(character as u8),
        _ => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: &Value<'_>) -> String {
        let mut out = Vec::new();
        write_value(&mut out, value, SPACED);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn texts_are_escaped_to_printable_ascii() {
        assert_eq!(json(&Value::text("a\"\\/<é\u{7f}\n😀")), r#""a\"\\/<\u00e9\u007f\n\ud83d\ude00""#);
    }

    #[test]
    fn numbers_print_as_python_prints_them() {
        let list =
            Value::List(vec![Value::Float(8.0), Value::Int(8), Value::Null, Value::Bool(true), Value::Float(1e22)]);
        assert_eq!(json(&list), "[8.0, 8, null, true, 1e+22]");
    }
}
