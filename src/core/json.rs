//! JSON texts as texts.

/// JSON by lines. Numbers stay as they are written, since no Rust number holds them all; texts lose the escapes that
/// only ASCII needs.
pub fn indented(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut at = 0;
    let new_line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', depth * 2));
    };
    while let Some(&byte) = json.get(at) {
        let mut len = 1;
        match byte {
            b'"' => {
                len = text_len(&json[at..]);
                let text = &json[at..at + len];
                let plain = serde_json::from_slice::<String>(text).and_then(|text| serde_json::to_string(&text));
                out.extend_from_slice(plain.as_deref().map_or(text, str::as_bytes));
            }
            b'[' | b'{' if matches!(json.get(at + 1), Some(b']' | b'}')) => {
                len = 2;
                out.extend_from_slice(&json[at..at + 2]);
            }
            b'[' | b'{' => {
                out.push(byte);
                depth += 1;
                new_line(&mut out, depth);
            }
            b']' | b'}' => {
                depth -= 1;
                new_line(&mut out, depth);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            b' ' => {}
            other => out.push(other),
        }
        at += len;
    }
    out
}

/// The bytes of a JSON text up to its closing quote.
fn text_len(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn json_is_indented_without_touching_numbers() {
        let json = br#"[{"a": 18446744073709551617, "\u00e9\"": [], "c": [1.0, {}]}, null]"#;
        let text = String::from_utf8(indented(json)).unwrap();
        let expected = indoc::indoc! {r#"
            [
              {
                "a": 18446744073709551617,
                "é\"": [],
                "c": [
                  1.0,
                  {}
                ]
              },
              null
            ]"#};
        assert_eq!(text, expected);
    }
}
