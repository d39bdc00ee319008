//! How a secret may look inside a payload. In: a secret. Out: itself, and its encoded forms where they differ.
//!
//! The runner masks these forms too, so an output that holds one is dropped as well.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::super::json::ascii_json;

/// Base64 text that depends on the secret alone is shorter than the secret's whole encoding; below this it says too little.
const MIN_BASE64_CHARS: usize = 8;

/// The secret first, then each other form once.
pub(super) fn of(secret: &str) -> Vec<String> {
    let json = json_text(secret);
    let mut forms = vec![
        secret.to_owned(),
        ascii_json(&json),
        // JSON inside a JSON text.
        json_text(&json),
        json,
        percent(secret),
    ];
    forms.extend((0..3).map(|shift| base64(secret.as_bytes(), shift)).filter(|form| form.len() >= MIN_BASE64_CHARS));
    let mut seen = HashSet::new();
    forms.retain(|form| seen.insert(form.clone()));
    forms
}

/// The text as it stands between the quotes of a JSON string.
fn json_text(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The text as a part of a URL.
fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The characters that Base64 makes of the bytes alone when `shift` (0 to 2) unknown bytes stand before them, and unknown
/// ones after.
fn base64(bytes: &[u8], shift: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |at: usize| bytes.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
    // The first character whose six bits all lie in the bytes starts here.
    let first = (6 - shift * 8 % 6) % 6;
    (first..bytes.len() * 8)
        .step_by(6)
        .filter(|start| start + 6 <= bytes.len() * 8)
        .map(|start| {
            let index = (start..start + 6).fold(0, |index, at| index * 2 + usize::from(bit(at)));
            char::from(ALPHABET[index])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l18_a_secret_is_known_in_every_form() {
        let forms = of("p\"a\\s\né@ 1");
        for form in ["p\"a\\s\né@ 1", r#"p\"a\\s\né@ 1"#, r#"p\"a\\s\n\u00e9@ 1"#, "p%22a%5Cs%0A%C3%A9%40%201"] {
            assert!(forms.iter().any(|known| known == form), "{form} {forms:?}");
        }
        assert!(forms.contains(&r#"p\\\"a\\\\s\\né@ 1"#.to_owned()), "{forms:?}");
    }

    #[test]
    fn l18_base64_is_found_wherever_the_secret_starts() {
        // From `printf 'u:hunter2hunter2' | base64` and the like, with 0, 1 and 2 bytes in front of the secret.
        for (encoded, shift, form) in [
            ("aHVudGVyMmh1bnRlcjI=", 0, "aHVudGVyMmh1bnRlcj"),
            ("Omh1bnRlcjJodW50ZXIy", 1, "h1bnRlcjJodW50ZXIy"),
            ("dTpodW50ZXIyaHVudGVyMkA=", 2, "odW50ZXIyaHVudGVyM"),
        ] {
            assert_eq!(base64(b"hunter2hunter2", shift), form);
            assert!(encoded.contains(form), "{encoded}");
            assert!(of("hunter2hunter2").iter().any(|known| known == form), "{form}");
        }
    }

    #[test]
    fn short_secrets_have_no_base64_form_and_plain_ones_no_doubles() {
        assert_eq!(of("abcd"), ["abcd"]);
        assert_eq!(of("abcdefgh").len(), 4);
    }
}
