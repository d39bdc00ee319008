//! Equality of values as Python has it, as a text that can be hashed.

use std::borrow::Cow;

use super::row::Row;
use crate::core::num::{Num, python_float};
use crate::core::yaml::Value;

/// Appends a text that is the same for two values exactly when Python calls them equal: `1`, `1.0` and `True` are one
/// value, the text `"1"` is another, and the order of keys does not matter.
pub(super) fn write_key(out: &mut String, value: &Value<'_>) {
    match value {
        Value::Null => out.push('n'),
        Value::Int(value) => write_integer(out, *value),
        Value::Bool(value) => write_integer(out, i64::from(*value)),
        Value::Big(_) | Value::Float(_) => write_number(out, value),
        Value::Str(text) => write_sized(out, 's', text),
        Value::Date(text) => write_sized(out, 'd', text),
        Value::List(items) => {
            out.push('[');
            items.iter().for_each(|item| write_key(out, item));
            out.push(']');
        }
        Value::Map(entries) => {
            let mut keyed: Vec<(Cow<'_, str>, &Value<'_>)> =
                entries.iter().map(|(key, value)| (key_text(key), value)).collect();
            keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (name, value) in keyed {
                write_sized(out, 'k', &name);
                write_key(out, value);
            }
            out.push('}');
        }
    }
}

/// Texts as they are; other keys by their own key, which no text in a config looks like.
fn key_text<'v>(key: &'v Value<'_>) -> Cow<'v, str> {
    match key {
        Value::Str(text) => Cow::Borrowed(text),
        other => {
            let mut text = String::from("\u{0}");
            write_key(&mut text, other);
            Cow::Owned(text)
        }
    }
}

fn write_integer(out: &mut String, value: i64) {
    out.push('i');
    out.push_str(itoa::Buffer::new().format(value));
    out.push(';');
}

fn write_number(out: &mut String, value: &Value<'_>) {
    match Num::of(value) {
        Some(Num::Float(float)) if float.fract() != 0.0 || !float.is_finite() => {
            out.push('f');
            out.push_str(&python_float(float));
            out.push(';');
        }
        Some(Num::Float(float)) => out.push_str(&format!("i{float:.0};")),
        Some(integer) => out.push_str(&format!("i{integer};")),
        None => {}
    }
}

fn write_sized(out: &mut String, kind: char, text: &str) {
    out.push(kind);
    out.push_str(itoa::Buffer::new().format(text.len()));
    out.push(':');
    out.push_str(text);
}

/// The key of a row over some of its fields; a field that is not there is its own value.
pub(super) fn key_of(row: &Row<'_>, fields: &[&str]) -> String {
    let mut out = String::with_capacity(96);
    for field in fields {
        match row.get(field) {
            Some(value) => write_key(&mut out, value),
            None => out.push('-'),
        }
    }
    out
}

/// The key of a row over all of its fields but some.
pub(super) fn key_without(row: &Row<'_>, left_out: &[&str]) -> String {
    let mut fields: Vec<&(&'static str, Value<'_>)> =
        row.fields().iter().filter(|(name, _)| !left_out.contains(name)).collect();
    fields.sort_by_key(|(name, _)| *name);
    let mut out = String::with_capacity(384);
    for (name, value) in fields {
        out.push_str(name);
        out.push('=');
        write_key(&mut out, value);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(value: Value<'_>) -> String {
        let mut out = String::new();
        write_key(&mut out, &value);
        out
    }

    #[test]
    fn numbers_that_python_calls_equal_are_one() {
        assert_eq!(key(Value::Int(1)), key(Value::Bool(true)));
        assert_eq!(key(Value::Int(1)), key(Value::Float(1.0)));
        assert_ne!(key(Value::Int(1)), key(Value::text("1")));
        assert_ne!(key(Value::Float(1.5)), key(Value::Int(1)));
    }

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let pair = |a: &'static str, b: &'static str| {
            Value::Map(vec![(Value::text(a), Value::Int(1)), (Value::text(b), Value::Int(1))])
        };
        assert_eq!(key(pair("x", "y")), key(pair("y", "x")));
    }
}
