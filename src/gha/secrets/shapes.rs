//! Shapes of well-known tokens. In: a text. Out: where something stands that looks like one, and of which kind it is.

use std::ops::Range;

use memchr::memmem;

/// A place that looks secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// What it looks like, with its article.
    pub(super) kind: &'static str,
    /// The bytes of the secret.
    pub(super) secret: Range<usize>,
}

/// A token that starts with a fixed text and goes on in one piece.
struct Shape {
    kind: &'static str,
    prefix: &'static str,
    /// What may stand behind the prefix.
    tail: fn(u8) -> bool,
    /// How many of these there are at least.
    min_tail: usize,
}

const fn shape(kind: &'static str, prefix: &'static str, tail: fn(u8) -> bool, min_tail: usize) -> Shape {
    Shape { kind, prefix, tail, min_tail }
}

/// Prefixes as their issuers document them, lengths a little below what they issue.
const SHAPES: &[Shape] = &[
    shape("a GitHub token", "ghp_", word, 30),
    shape("a GitHub token", "gho_", word, 30),
    shape("a GitHub token", "ghu_", word, 30),
    shape("a GitHub token", "ghs_", word, 30),
    shape("a GitHub token", "ghr_", word, 30),
    shape("a GitHub token", "github_pat_", word, 40),
    shape("a Hugging Face token", "hf_", alphanumeric, 30),
    shape("an AWS access key", "AKIA", upper_or_digit, 16),
    shape("an AWS access key", "ASIA", upper_or_digit, 16),
    shape("an NVIDIA API key", "nvapi-", dashed_word, 40),
    shape("a GitLab token", "glpat-", dashed_word, 20),
    shape("a Slack token", "xoxb-", dashed_word, 20),
    shape("a Slack token", "xoxp-", dashed_word, 20),
    shape("a Google API key", "AIza", dashed_word, 35),
    shape("an OpenAI key", "sk-proj-", dashed_word, 32),
    shape("an Anthropic key", "sk-ant-", dashed_word, 32),
];

/// A tail with fewer different characters is a placeholder such as `ghp_xxxx…`.
const MIN_DIFFERENT: usize = 6;

/// No token is longer, and a bound keeps the search linear in a text made of nothing but prefixes.
const MAX_TAIL: usize = 256;

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dashed_word(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

/// Every place that looks secret: tokens by kind, then private keys, then passwords in URLs.
pub(super) fn find_all(text: &str) -> impl Iterator<Item = Found> {
    SHAPES.iter().flat_map(move |shape| shape.find_all(text)).chain(private_keys(text)).chain(url_passwords(text))
}

impl Shape {
    fn find_all<'t>(&'static self, text: &'t str) -> impl Iterator<Item = Found> + use<'t> {
        let bytes = text.as_bytes();
        memmem::find_iter(bytes, self.prefix).filter_map(move |start| {
            // In the middle of a word it is no prefix.
            if start.checked_sub(1).is_some_and(|before| word(bytes[before])) {
                return None;
            }
            let tail = &bytes[start + self.prefix.len()..];
            let tail = &tail[..tail.iter().take(MAX_TAIL).take_while(|&&byte| (self.tail)(byte)).count()];
            (tail.len() >= self.min_tail && different(tail) >= MIN_DIFFERENT)
                .then(|| Found { kind: self.kind, secret: start..start + self.prefix.len() + tail.len() })
        })
    }
}

fn different(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for &byte in bytes {
        seen[usize::from(byte)] = true;
    }
    seen.iter().filter(|&&seen| seen).count()
}

/// The first line of a private key, and the text behind it up to its last line. Certificates and public keys are no secrets.
fn private_keys(text: &str) -> impl Iterator<Item = Found> {
    const BEGIN: &str = "-----BEGIN ";
    const KIND: &str = "PRIVATE KEY";
    const LONGEST_TITLE: usize = 40;
    memmem::find_iter(text.as_bytes(), BEGIN).filter_map(move |start| {
        let title_start = start + BEGIN.len();
        let title = text[title_start..].split("-----").next().filter(|title| title.len() <= LONGEST_TITLE)?;
        let end = text[title_start..].find("-----END ").map_or(text.len(), |at| title_start + at);
        title.contains(KIND).then_some(Found { kind: "a private key", secret: start..end })
    })
}

/// Passwords of `scheme://user:password@host`. Placeholders such as `${TOKEN}` or `***` are none.
fn url_passwords(text: &str) -> impl Iterator<Item = Found> {
    const SCHEME_END: &str = "://";
    let ends_authority =
        |b: u8| matches!(b, b'/' | b'?' | b'#' | b'"' | b'\'' | b'\\' | b'<' | b'>' | b'`') || b <= b' ';
    memmem::find_iter(text.as_bytes(), SCHEME_END).filter_map(move |at| {
        let start = at + SCHEME_END.len();
        let rest = &text[start..];
        let authority = &rest[..rest.bytes().position(ends_authority).unwrap_or(rest.len())];
        let user_info = &authority[..authority.rfind('@')?];
        let password = user_info.find(':')? + 1;
        let secret = &user_info[password..];
        (!secret.is_empty() && !secret.starts_with(['$', '*', '{', '%']))
            .then_some(Found { kind: "a password in a URL", secret: start + password..start + user_info.len() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tail of `length` characters that looks random. Whole tokens do not stand in this file: scanners would find them.
    fn tail(length: usize) -> String {
        "q8Zk2Lw93nVbTx71RrPd".chars().cycle().take(length).collect()
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        find_all(text).map(|found| found.kind).collect()
    }

    #[test]
    fn l18_each_shape_is_found_whole_and_not_below_its_length() {
        for shape in SHAPES {
            let of = |length: usize| {
                let tail = tail(length);
                let tail =
                    if shape.prefix.starts_with('A') && shape.min_tail == 16 { tail.to_uppercase() } else { tail };
                format!("{}{tail}", shape.prefix)
            };
            let token = of(shape.min_tail);
            for text in [token.clone(), format!("x {token}"), format!("{{\"a\":\"{token}\"}}"), format!("é={token}\n")]
            {
                let found: Vec<Found> = find_all(&text).collect();
                assert_eq!(found.len(), 1, "{}", shape.prefix);
                assert_eq!(found[0].kind, shape.kind);
                assert_eq!(&text[found[0].secret.clone()], token, "{}", shape.prefix);
            }
            assert!(kinds(&of(shape.min_tail - 1)).is_empty(), "{}", shape.prefix);
            assert!(kinds(&format!("x{token}")).is_empty(), "{}", shape.prefix);
        }
    }

    #[test]
    fn l18_placeholders_and_names_are_no_tokens() {
        let placeholder = format!("ghp_{}", "x".repeat(36));
        for text in
            ["hf_home", "hf_transformers_backend_with_a_long_name", "AKIA", &placeholder, "ghp_", "sk-proj-x", "eyJ"]
        {
            assert!(kinds(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn l18_a_text_of_prefixes_is_searched_in_linear_time() {
        let text = "xoxb-".repeat(50_000);
        let start = std::time::Instant::now();
        assert!(kinds(&text).is_empty());
        // Quadratic work would be 10^10 steps; the bound is generous for a slow machine.
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }

    #[test]
    fn b12_l18_a_password_in_a_url_is_found() {
        for (text, password) in [
            ("postgres://u:pw@db/x", "pw"),
            ("see https://x:a:b@h.", "a:b"),
            ("{\"dsn\":\"mysql://:only@h:3306\"}", "only"),
            ("https://u:p@ss@h", "p@ss"),
        ] {
            let found: Vec<Found> = find_all(text).collect();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(&text[found[0].secret.clone()], password, "{text}");
        }
        for text in [
            "https://github.com/o/r",
            "http://[::1]:8000/v1@x",
            "https://user@host/a:b@c",
            "https://u:@h",
            "https://u:${TOKEN}@h",
            "https://u:***@h",
            "docker://nvcr.io#nvidia/x:1.0",
            "a://b \"c:d@e\"",
        ] {
            assert!(kinds(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn l18_a_private_key_is_found_and_a_certificate_is_not() {
        for title in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY"] {
            assert_eq!(kinds(&format!("x\n-----BEGIN {title}-----\\nMIIE")), ["a private key"], "{title}");
        }
        for title in ["CERTIFICATE", "PUBLIC KEY"] {
            assert!(kinds(&format!("-----BEGIN {title}-----\nMIIE")).is_empty(), "{title}");
        }
    }
}
