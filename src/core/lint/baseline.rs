//! Findings that were there before: a file of fingerprints that survive when lines move.

use hashbrown::{HashMap, HashSet};
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::Finding;
use crate::core::diag::Place;

/// The version of the file's form.
const VERSION: u64 = 1;

/// Fingerprints of findings that are known.
#[derive(Debug, Default)]
pub struct Baseline {
    known: HashSet<String>,
}

impl Baseline {
    /// Reads `{"version":1,"findings":[{"fingerprint","code","file","message"}]}`, or says what is wrong with it.
    ///
    /// # Errors
    /// Where the text is no such JSON: the message, and the line if it is known.
    pub fn read(text: &str) -> Result<Self, (String, Option<usize>)> {
        let json: Json = serde_json::from_str(text)
            .map_err(|error| (format!("the baseline is no JSON: {error}"), Some(error.line())))?;
        let version = json.get("version").and_then(Json::as_u64);
        if version != Some(VERSION) {
            return Err((format!("the baseline has no `\"version\": {VERSION}`"), None));
        }
        let Some(findings) = json.get("findings").and_then(Json::as_array) else {
            return Err(("the baseline has no list `findings`".to_owned(), None));
        };
        let mut known = HashSet::new();
        for (index, finding) in findings.iter().enumerate() {
            let Some(fingerprint) = finding.get("fingerprint").and_then(Json::as_str) else {
                return Err((format!("findings[{index}] of the baseline has no `fingerprint`"), None));
            };
            known.insert(fingerprint.to_owned());
        }
        Ok(Self { known })
    }

    /// The findings that are new.
    pub fn new_ones(&self, found: Vec<Finding>) -> Vec<Finding> {
        let fingerprints = fingerprints(&found);
        let pairs = found.into_iter().zip(fingerprints);
        pairs.filter(|(_, fingerprint)| !self.known.contains(fingerprint)).map(|(finding, _)| finding).collect()
    }
}

/// The baseline of these findings, as an indented JSON text.
pub fn baseline_json(found: &[Finding]) -> String {
    let findings = found.iter().zip(fingerprints(found)).map(|(finding, fingerprint)| {
        json!({
            "fingerprint": fingerprint,
            "code": finding.diagnostic.code.name(),
            "file": finding.diagnostic.file(),
            "message": finding.diagnostic.message,
        })
    });
    let json = json!({ "version": VERSION, "findings": findings.collect::<Vec<_>>() });
    format!("{json:#}\n")
}

/// For each finding what stays the same when lines move: the code, the file, the text of the line without its indentation,
/// and the how-manieth it is of those that are equal in all that.
pub(super) fn fingerprints(found: &[Finding]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::with_capacity(found.len());
    for finding in found {
        let diagnostic = &finding.diagnostic;
        let what = match &diagnostic.place {
            Place::Span(label) => line_at(label.source.text(), label.span.start),
            _ => &diagnostic.message,
        };
        let file = diagnostic.file().unwrap_or_default();
        let key = format!("{}\n{file}\n{what}", diagnostic.code.name());
        let count = seen.entry(key.clone()).or_default();
        *count += 1;
        let hash = Sha256::digest(format!("{key}\n{count}"));
        all.push(hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect());
    }
    all
}

fn line_at(text: &str, at: usize) -> &str {
    let at = crate::core::diag::floor_char_boundary(text, at);
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    text[start..].lines().next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::diag::{Code, Diagnostic, Source};

    fn findings(text: &str) -> Vec<Finding> {
        let source = Source::new("f", text);
        let bad = text.match_indices("bad").map(|(at, _)| Finding {
            rule: "list-in-text",
            diagnostic: Diagnostic::error(Code::ListInText, "x").at(&source, at..at + 3),
        });
        bad.collect()
    }

    #[test]
    fn what_moves_is_known_and_what_is_added_is_new() {
        let before = Baseline::read(&baseline_json(&findings("a: bad\nb: bad\n"))).unwrap();
        assert!(before.new_ones(findings("# more\n\n  a: bad\nc: 1\nb: bad\n")).is_empty());
        assert_eq!(before.new_ones(findings("a: bad\nb: bad\nb: bad\n")).len(), 1);
        assert_eq!(before.new_ones(findings("a: bad # changed\nb: bad\n")).len(), 1);
    }

    #[test]
    fn a_malformed_baseline_says_why() {
        for text in ["", "{", "[]", "{\"version\": 2}", "{\"version\": 1}", "{\"version\":1,\"findings\":[{}]}"] {
            assert!(Baseline::read(text).is_err(), "{text}");
        }
    }
}
