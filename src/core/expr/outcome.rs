//! How an evaluation is reported to programs.

use super::error::Error;
use super::json::push_json;
use super::object::Object;
use super::value::Value;

/// Appends `{"kind","value"}`, or `{"error":{"kind","message"}}` of a refusal. `text` is what was parsed.
pub fn push_outcome(result: &Result<Value, Error>, text: &str, pretty: bool, out: &mut String) {
    let value = match result {
        Ok(value) => value,
        Err(error) => return push_json(&refusal(error, text), pretty, out),
    };
    let kind = value.kind().map_or("Unknown", |kind| kind.name());
    let named;
    let printed = match value {
        // JSON has no such number, and the kind tells it from a text.
        Value::Number(number) if !number.is_finite() => {
            named = value.to_text().unwrap_or_default().as_ref().into();
            &named
        }
        other => other,
    };
    if pretty {
        return push_json(&object([("kind", kind.into()), ("value", printed.clone())]), pretty, out);
    }
    // A file may hold a million cases, so no object is made for each.
    out.push_str("{\"kind\":\"");
    out.push_str(kind);
    out.push_str("\",\"value\":");
    push_json(printed, pretty, out);
    out.push('}');
}

fn refusal(error: &Error, text: &str) -> Value {
    let character = text.get(..error.span().start).map_or(0, |before| before.chars().count()) + 1;
    let message = format!("{} (at character {character})", error.message());
    object([("error", object([("kind", error.kind().word().into()), ("message", Value::text(message))]))])
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Object::new(members.map(|(name, value)| (name.into(), value))).into()
}

/// The paths of numbers inside a value that JSON cannot hold, where `null` is printed instead: `value[2].x`.
pub fn not_in_json(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    match value {
        // Printed as a text.
        Value::Number(_) => {}
        _ => collect(value, "value", &mut found),
    }
    found
}

fn collect(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(number) if !number.is_finite() => found.push(path.to_owned()),
        Value::Array(array) => {
            for (index, item) in array.items().iter().enumerate() {
                collect(item, &format!("{path}[{index}]"), found);
            }
        }
        Value::Object(object) => {
            object.iter().for_each(|(name, member)| collect(member, &format!("{path}.{name}"), found))
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Array, Contexts, parse};
    use super::*;

    #[test]
    fn values_and_refusals_are_one_object() {
        let contexts = Contexts::new(Object::new([]));
        for (text, expected) in [
            ("-0", r#"{"kind":"Number","value":0}"#),
            ("NaN", r#"{"kind":"Number","value":"NaN"}"#),
            ("-Infinity", r#"{"kind":"Number","value":"-Infinity"}"#),
            ("fromJSON('[NaN,\"a\"]')", r#"{"kind":"Array","value":[null,"a"]}"#),
            ("é", r#"{"error":{"kind":"lexing","message":"unexpected `é` (at character 1)"}}"#),
        ] {
            let result = parse(text, &contexts.allowed()).and_then(|expr| super::super::evaluate(&expr, &contexts));
            let (mut line, mut pretty) = (String::new(), String::new());
            push_outcome(&result, text, false, &mut line);
            assert_eq!(line, expected);
            push_outcome(&result, text, true, &mut pretty);
            let parse = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
            assert_eq!(parse(&pretty), parse(&line));
        }
    }

    #[test]
    fn numbers_that_json_cannot_hold_are_named() {
        let inner = Object::new([("x".into(), f64::NAN.into()), ("y".into(), 1.0.into())]);
        let value = Array::new([1.0.into(), inner.into()]).into();
        assert_eq!(not_in_json(&value), ["value[1].x"]);
        assert!(not_in_json(&f64::NAN.into()).is_empty());
    }
}
