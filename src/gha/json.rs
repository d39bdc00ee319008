//! JSON as it travels in outputs: strict, on one line, ASCII. In: a text or a value. Out: that form of it.
//!
//! Pretty JSON breaks a runner file that is written line by line, and the readers of JSON on GitHub's side differ in what
//! they forgive, so nothing is left to forgive.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

/// A value as compact ASCII JSON.
///
/// # Errors
///
/// When the value cannot be JSON, for example a map whose keys are no texts.
pub fn to_compact_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(value).map(|text| ascii_json(&text))
}

/// A JSON text without its white space and in ASCII. Numbers keep their spelling, so that none loses digits.
///
/// # Errors
///
/// A few words on why it is no strict JSON: malformed, empty, or a key that stands twice in one object. The words do not
/// repeat the text.
pub fn compact_json(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let (compact, members) = without_white_space(text);
    if members != members_of(&value) {
        return Err("a key stands twice in one object".to_owned());
    }
    Ok(ascii_json(&compact))
}

/// A valid JSON text without white space between its tokens, and how many members its objects have together.
fn without_white_space(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut members = 0;
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if matches!(c, ' ' | '\t' | '\r' | '\n') {
            continue;
        } else {
            in_string = c == '"';
            members += usize::from(c == ':');
        }
        out.push(c);
    }
    (out, members)
}

/// The members of all objects, a repeated key counted once.
fn members_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(members_of).sum(),
        Value::Object(members) => members.len() + members.values().map(members_of).sum::<usize>(),
        _ => 0,
    }
}

/// Escapes what is outside ASCII. In valid JSON such characters stand in texts only.
pub(super) fn ascii_json(json: &str) -> String {
    use std::fmt::Write as _;

    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // DEL is ASCII but no printable character, and some readers strip it.
        if c.is_ascii() && c != '\u{7f}' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

/// A JSON text that may be printed to the log: the older form of a command, `##[name]`, is written with an escape, so that
/// the runner does not see it and every reader gets the same value. Outside of texts JSON has no `#`.
pub fn inert_json(json: &str) -> Cow<'_, str> {
    if json.contains("##[") { Cow::Owned(json.replace("##[", "#\\u0023[")) } else { Cow::Borrowed(json) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn b06_l03_pretty_json_becomes_one_line() {
        let pretty = "{\n  \"MY_KEY\": [\n    1,\n    \"a  b\\\" : c\"\n  ]\n}\n";
        assert_eq!(compact_json(pretty).unwrap(), r#"{"MY_KEY":[1,"a  b\" : c"]}"#);
        assert_eq!(to_compact_json(&json!({"include": []})).unwrap(), r#"{"include":[]}"#);
    }

    #[test]
    fn l05_the_result_is_ascii() {
        assert_eq!(compact_json("[\"é😀\u{7f}\\\\\"]").unwrap(), r#"["\u00e9\ud83d\ude00\u007f\\"]"#);
        assert_eq!(to_compact_json(&"é\n").unwrap(), r#""\u00e9\n""#);
    }

    #[test]
    fn l06_numbers_keep_their_spelling() {
        let text = "[12345678901234567890123, 1.10, -0, 1E5, 9007199254740993]";
        assert_eq!(compact_json(text).unwrap(), "[12345678901234567890123,1.10,-0,1E5,9007199254740993]");
    }

    #[test]
    fn b02_l04_l05_what_is_no_strict_json_is_refused() {
        for (text, part) in [
            ("", "empty"),
            (" \n", "empty"),
            ("{\"a\":1,\"a\":2}", "twice"),
            ("[{\"a\":{\"b\":1,\"b\":1}}]", "twice"),
            ("[1] x", "trailing"),
            ("{'a':1}", "line 1"),
            ("[NaN]", "line 1"),
            ("[1,]", "line 1"),
            ("[1] // c", "line 1"),
            ("[\"\\ud800\"]", "line 1"),
            ("Array", "line 1"),
        ] {
            let error = compact_json(text).unwrap_err();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        assert!(compact_json(r#"[{"a":":"},{"a":"\":"}]"#).is_ok());
    }

    #[test]
    fn l28_printed_json_holds_no_command_and_the_same_value() {
        for text in ["##[error]x", "###[add-mask]x", "\\##[", "a##[b##[c", "::error::x", "#", ""] {
            let json = json!([text, {text: 1}]).to_string();
            let inert = inert_json(&json);
            assert!(!inert.contains("##["), "{inert}");
            assert_eq!(serde_json::from_str::<Value>(&inert).unwrap(), json!([text, {text: 1}]));
        }
    }

    proptest! {
        #[test]
        fn l05_compacting_keeps_the_value(texts in proptest::collection::vec("[\\PC\\x00-\\x20\"\\\\:]{0,6}", 0..5)) {
            let mut object = serde_json::Map::new();
            for (at, text) in texts.iter().enumerate() {
                object.insert(format!("{text}{at}"), json!([text, {text.as_str(): at}]));
            }
            let value = Value::Object(object);
            let compact = compact_json(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
            prop_assert!(compact.bytes().all(|b| (b' '..=b'~').contains(&b)), "{}", compact);
            prop_assert_eq!(&compact, &to_compact_json(&value).unwrap());
            prop_assert_eq!(serde_json::from_str::<Value>(&compact).unwrap(), value);
        }
    }
}
