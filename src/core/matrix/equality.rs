//! Equality of values as Python has it, as a text that can be hashed.

use std::fmt::Write as _;

use super::row::Row;
use crate::core::num::{Num, python_float};
use crate::core::yaml::Value;

/// Appends a text that is the same for two values exactly when Python calls them equal: `1`, `1.0` and `True` are one
/// value, the text `"1"` is another, and the order of keys does not matter.
pub(super) fn write_key(out: &mut String, value: &Value<'_>) {
    match value {
        Value::Null => out.push('n'),
        Value::Bool(_) | Value::Int(_) | Value::Big(_) | Value::Float(_) => {
            let number = Num::of(value).unwrap_or(Num::Int(0));
            let _ = match number {
                Num::Float(float) if float.fract() != 0.0 || !float.is_finite() => {
                    write!(out, "f{};", python_float(float))
                }
                Num::Float(float) => write!(out, "i{float:.0};"),
                integer => write!(out, "i{integer};"),
            };
        }
        Value::Str(text) => {
            let _ = write!(out, "s{}:{text}", text.len());
        }
        Value::Date(text) => {
            let _ = write!(out, "d{}:{text}", text.len());
        }
        Value::List(items) => {
            out.push('[');
            items.iter().for_each(|item| write_key(out, item));
            out.push(']');
        }
        Value::Map(entries) => {
            let mut keyed: Vec<(String, &Value<'_>)> = entries
                .iter()
                .map(|(key, value)| {
                    let mut name = String::new();
                    write_key(&mut name, key);
                    (name, value)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.cmp(&b.0));
            out.push('{');
            for (name, value) in keyed {
                out.push_str(&name);
                write_key(out, value);
            }
            out.push('}');
        }
    }
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
