//! Rows as the incumbent prints them: Python's `json.dumps` with its default separators.

use std::io::{self, Write};

use super::row::Row;
use crate::core::num::python_float;
use crate::core::yaml::Value;

/// Writes the rows as one JSON array and a line break: `", "` and `": "` between parts, ASCII only.
pub fn write_rows<W: Write>(out: &mut W, rows: &[Row<'_>]) -> io::Result<()> {
    out.write_all(b"[")?;
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            out.write_all(b", ")?;
        }
        write_fields(out, row, SPACED)?;
    }
    out.write_all(b"]\n")
}

/// What stands between items and after keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Separators {
    item: &'static [u8],
    key: &'static [u8],
}

pub(super) const SPACED: Separators = Separators { item: b", ", key: b": " };
pub(super) const COMPACT: Separators = Separators { item: b",", key: b":" };

/// Writes the fields of a row as an object.
pub(super) fn write_fields<W: Write>(out: &mut W, row: &Row<'_>, separators: Separators) -> io::Result<()> {
    out.write_all(b"{")?;
    for (index, (name, value)) in row.fields().iter().enumerate() {
        if index > 0 {
            out.write_all(separators.item)?;
        }
        write_text(out, name)?;
        out.write_all(separators.key)?;
        write_value(out, value, separators)?;
    }
    out.write_all(b"}")
}

pub(super) fn write_value<W: Write>(out: &mut W, value: &Value<'_>, separators: Separators) -> io::Result<()> {
    match value {
        Value::Null => out.write_all(b"null"),
        Value::Bool(true) => out.write_all(b"true"),
        Value::Bool(false) => out.write_all(b"false"),
        Value::Int(value) => write!(out, "{value}"),
        Value::Big(value) => write!(out, "{value}"),
        Value::Float(value) => out.write_all(python_float(*value).as_bytes()),
        Value::Str(text) | Value::Date(text) => write_text(out, text),
        Value::List(items) => {
            out.write_all(b"[")?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.write_all(separators.item)?;
                }
                write_value(out, item, separators)?;
            }
            out.write_all(b"]")
        }
        Value::Map(entries) => {
            out.write_all(b"{")?;
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.write_all(separators.item)?;
                }
                write_text(out, &super::names::python_str(key))?;
                out.write_all(separators.key)?;
                write_value(out, value, separators)?;
            }
            out.write_all(b"}")
        }
    }
}

/// A JSON text with every character outside printable ASCII escaped, in lower case, as surrogate pairs where needed.
pub(super) fn write_text<W: Write>(out: &mut W, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    let bytes = text.as_bytes();
    let plain = |b: u8| matches!(b, 0x20..=0x7e) && b != b'"' && b != b'\\';
    if bytes.iter().all(|&b| plain(b)) {
        out.write_all(bytes)?;
        return out.write_all(b"\"");
    }
    for character in text.chars() {
        match character {
            '"' => out.write_all(b"\\\"")?,
            '\\' => out.write_all(b"\\\\")?,
            '\n' => out.write_all(b"\\n")?,
            '\r' => out.write_all(b"\\r")?,
            '\t' => out.write_all(b"\\t")?,
            '\u{8}' => out.write_all(b"\\b")?,
            '\u{c}' => out.write_all(b"\\f")?,
            ' '..='~' => out.write_all(&[character as u8])?,
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
        }
    }
    out.write_all(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: &Value<'_>) -> String {
        let mut out = Vec::new();
        write_value(&mut out, value, SPACED).unwrap();
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
