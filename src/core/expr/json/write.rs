//! Values as JSON.

use std::convert::Infallible;
use std::fmt::Write as _;

use super::super::text::number_to_text;
use super::super::value::Value;

/// How values are laid out and spelled.
struct Style {
    /// Line breaks and two blanks for each level, unless empty.
    pretty: bool,
    number: fn(f64) -> String,
    /// Whether a few line separators are escaped although JSON does not ask for it.
    escape_separators: bool,
}

type Sink<'s, E> = &'s mut dyn FnMut(&str) -> Result<(), E>;

/// JSON as `toJSON` gives it: indented by two, empty arrays and objects compact, numbers as in texts. Unknown values are
/// `null`; ask [`Value::unknowns`] first.
pub(in super::super) fn write_for_runner<E>(value: &Value, sink: Sink<'_, E>) -> Result<(), E> {
    write(value, 0, &Style { pretty: true, number: number_to_text, escape_separators: true }, sink)
}

/// JSON for programs, on one line or indented by two. What JSON cannot hold, NaN, infinity and unknown values, is `null`.
pub fn to_json(value: &Value, pretty: bool) -> String {
    let mut text = String::new();
    let style = Style { pretty, number: json_number, escape_separators: false };
    let push = &mut |part: &str| -> Result<(), Infallible> {
        text.push_str(part);
        Ok(())
    };
    match write(value, 0, &style, push) {
        Ok(()) => text,
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
fn write<E>(value: &Value, depth: usize, style: &Style, sink: Sink<'_, E>) -> Result<(), E> {
    match value {
        Value::Null | Value::Unknown(_) => sink("null"),
        Value::Bool(value) => sink(if *value { "true" } else { "false" }),
        Value::Number(value) => sink(&(style.number)(*value)),
        Value::Str(text) => sink(&quoted(text, style.escape_separators)),
        Value::Array(array) if array.items().is_empty() => sink("[]"),
        Value::Array(array) => {
            sink("[")?;
            for (index, item) in array.items().iter().enumerate() {
                separate(index, depth + 1, style, sink)?;
                write(item, depth + 1, style, sink)?;
            }
            line(depth, style, sink)?;
            sink("]")
        }
        Value::Object(object) if object.is_empty() => sink("{}"),
        Value::Object(object) => {
            sink("{")?;
            for (index, (name, member)) in object.iter().enumerate() {
                separate(index, depth + 1, style, sink)?;
                sink(&quoted(name, style.escape_separators))?;
                sink(if style.pretty { ": " } else { ":" })?;
                write(member, depth + 1, style, sink)?;
            }
            line(depth, style, sink)?;
            sink("}")
        }
    }
}

fn separate<E>(index: usize, depth: usize, style: &Style, sink: Sink<'_, E>) -> Result<(), E> {
    if index > 0 {
        sink(",")?;
    }
    line(depth, style, sink)
}

fn line<E>(depth: usize, style: &Style, sink: Sink<'_, E>) -> Result<(), E> {
    if !style.pretty {
        return Ok(());
    }
    sink("\n")?;
    (0..depth).try_for_each(|_| sink("  "))
}

fn quoted(text: &str, escape_separators: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' => escape(&mut out, c),
            '\u{85}' | '\u{2028}' | '\u{2029}' if escape_separators => escape(&mut out, c),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

fn escape(out: &mut String, c: char) {
    // Writing into a String cannot fail.
    let _ = write!(out, "\\u{:04x}", c as u32);
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
        let mut push = |part: &str| -> Result<(), ()> {
            text.push_str(part);
            Ok(())
        };
        write_for_runner(value, &mut push).unwrap();
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
