//! Writes YAML that a YAML 1.1 reader and a YAML 1.2 reader both read back as the same values.

use std::fmt::Write as _;

use super::scalar::{Scalar, resolve};
use super::{Schema, Value};
use crate::core::num::python_float;

/// The YAML text of a value in block style, with a line break at the end. NaN and infinities are `.nan` and `.inf`.
pub fn write_yaml(value: &Value<'_>) -> String {
    let mut out = String::new();
    match value {
        Value::List(items) if !items.is_empty() => write_items(&mut out, items, 0),
        Value::Map(entries) if !entries.is_empty() => write_entries(&mut out, entries, 0),
        _ => {
            write_inline(&mut out, value, 0);
            out.push('\n');
        }
    }
    out
}

fn write_entries(out: &mut String, entries: &[(Value<'_>, Value<'_>)], indent: usize) {
    for (index, (key, value)) in entries.iter().enumerate() {
        if index > 0 {
            pad(out, indent);
        }
        write_key_and_colon(out, key, indent);
        match value {
            Value::Map(inner) if !inner.is_empty() => {
                out.push('\n');
                pad(out, indent + 2);
                write_entries(out, inner, indent + 2);
            }
            Value::List(items) if !items.is_empty() => {
                out.push('\n');
                pad(out, indent);
                write_items(out, items, indent);
            }
            _ => {
                out.push(' ');
                write_inline(out, value, indent);
                out.push('\n');
            }
        }
    }
}

fn write_items(out: &mut String, items: &[Value<'_>], indent: usize) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            pad(out, indent);
        }
        out.push_str("- ");
        match item {
            Value::Map(inner) if !inner.is_empty() => write_entries(out, inner, indent + 2),
            Value::List(inner) if !inner.is_empty() => write_items(out, inner, indent + 2),
            _ => {
                write_inline(out, item, indent);
                out.push('\n');
            }
        }
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// `key:`, or the explicit form `? key` and `:` below it, since YAML readers give up on an implicit key that is long.
fn write_key_and_colon(out: &mut String, key: &Value<'_>, indent: usize) {
    const LONGEST_IMPLICIT_KEY: usize = 1000;
    let start = out.len();
    write_key(out, key);
    if out.len() - start > LONGEST_IMPLICIT_KEY {
        out.insert_str(start, "? ");
        out.push('\n');
        pad(out, indent);
    }
    out.push(':');
}

fn write_key(out: &mut String, key: &Value<'_>) {
    match key {
        Value::Str(text) => write_text(out, text, None),
        other => write_inline(out, other, 0),
    }
}

/// Scalars and empty collections.
fn write_inline(out: &mut String, value: &Value<'_>, indent: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Big(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Float(value) => out.push_str(&yaml_float(*value)),
        Value::Str(text) => write_text(out, text, Some(indent + 2)),
        Value::Date(text) => out.push_str(text),
        Value::List(items) if items.is_empty() => out.push_str("[]"),
        Value::Map(entries) if entries.is_empty() => out.push_str("{}"),
        // Collections as keys do not come from YAML files; flow style keeps even them valid.
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_inline(out, item, 0);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_key(out, key);
                out.push_str(": ");
                write_inline(out, value, 0);
            }
            out.push('}');
        }
    }
}

/// YAML 1.1 needs a dot in the mantissa and a sign in the exponent, else it reads a text.
fn yaml_float(value: f64) -> String {
    if value.is_nan() {
        return ".nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf".into() } else { "-.inf".into() };
    }
    let text = python_float(value);
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text,
    }
}

/// A text: plain where no reader can take it for anything else, as a block where it has lines, else in quotes.
fn write_text(out: &mut String, text: &str, block_indent: Option<usize>) {
    if is_safe_plain(text) {
        out.push_str(text);
    } else if let Some(indent) = block_indent
        && is_safe_block(text)
    {
        write_block(out, text, indent);
    } else {
        write_double_quoted(out, text);
    }
}

fn is_safe_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return false };
    let inner = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(
                b,
                b'_' | b'-' | b'.' | b'/' | b'+' | b'@' | b'(' | b')' | b'=' | b' ' | b':' | b'$' | b'<' | b'>'
            )
    };
    let start = first.is_ascii_alphanumeric() || matches!(first, b'_' | b'/' | b'.' | b'+' | b'$' | b'(');
    start
        && last != b' '
        && last != b':'
        && bytes.iter().all(|&b| inner(b))
        && !text.contains(": ")
        && !text.starts_with("...")
        && !matches!(text, "y" | "Y" | "n" | "N")
        && resolve(Schema::V11, text, true, None) == Ok(Scalar::Str)
        && resolve(Schema::Core12, text, true, None) == Ok(Scalar::Str)
}

/// Lines of printable text without trailing blanks, the first not indented, with at most one line break at the end.
fn is_safe_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.starts_with([' ', '\n', '\t'])
        && !body.ends_with('\n')
        && body.lines().all(|line| !line.ends_with([' ', '\t', '\r']))
        && body.chars().all(|c| c == '\n' || c == '\t' || is_printable(c))
}

fn write_block(out: &mut String, text: &str, indent: usize) {
    let (body, header) = match text.strip_suffix('\n') {
        Some(body) => (body, "|"),
        None => (text, "|-"),
    };
    out.push_str(header);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(out, indent);
            out.push_str(line);
        }
    }
}

fn write_double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) <= 0xff => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c if u32::from(c) <= 0xffff => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\U{:08x}", u32::from(c));
            }
        }
    }
    out.push('"');
}

/// What YAML takes in a text as it is. Line separators and the byte order mark are written as escapes.
fn is_printable(c: char) -> bool {
    match c {
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{85}' | '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    }
}
