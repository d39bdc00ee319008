//! Findings for programs: JSON, and SARIF 2.1.0 for code scanning.

use serde_json::{Value as Json, json};

use super::baseline::fingerprints;
use super::{Finding, RULES};
use crate::core::diag::{Diagnostic, Place, Severity, render_json as diagnostics_json};

/// One JSON array of diagnostics, each with `rule` beside `code`.
pub fn render_json(found: &[Finding]) -> String {
    let all = found.iter().map(|finding| {
        let one: Json =
            serde_json::from_str(&diagnostics_json(std::slice::from_ref(&finding.diagnostic))).unwrap_or_default();
        let mut with_rule = serde_json::Map::new();
        for (name, value) in one[0].as_object().into_iter().flatten() {
            with_rule.insert(name.clone(), value.clone());
            if name == "code" {
                with_rule.insert("rule".to_owned(), finding.rule.into());
            }
        }
        Json::Object(with_rule)
    });
    Json::Array(all.collect()).to_string()
}

/// A SARIF 2.1.0 log of one run.
pub fn render_sarif(found: &[Finding], version: &str) -> String {
    let mut rules: Vec<Json> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    let mut codes: Vec<_> = RULES.iter().map(|rule| (rule.code, rule.name)).collect();
    codes.extend(found.iter().map(|finding| (finding.diagnostic.code, finding.rule)));
    for (code, name) in codes {
        if ids.contains(&code.name()) {
            continue;
        }
        ids.push(code.name());
        rules.push(json!({
            "id": code.name(),
            "name": name,
            "shortDescription": { "text": code.title() },
            "fullDescription": { "text": code.explanation() },
        }));
    }
    let results = found.iter().zip(fingerprints(found)).map(|(finding, fingerprint)| {
        let diagnostic = &finding.diagnostic;
        let name = diagnostic.code.name();
        json!({
            "ruleId": name,
            "ruleIndex": ids.iter().position(|id| *id == name),
            "level": level(diagnostic.severity),
            "message": { "text": message(diagnostic) },
            "locations": location(&diagnostic.place).into_iter().collect::<Vec<_>>(),
            "partialFingerprints": { "srtx/v1": fingerprint },
        })
    });
    let results: Vec<Json> = results.collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "srtx-gh", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
    .to_string()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn message(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    for help in &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    text
}

fn location(place: &Place) -> Option<Json> {
    let (file, region) = match place {
        Place::Nowhere => return None,
        Place::File(file) => (file.as_str(), None),
        Place::Line(file, line) => (file.as_str(), Some(json!({ "startLine": line }))),
        Place::Span(label) => {
            let (start, end) = (label.source.position(label.span.start), label.source.position(label.span.end));
            let region = json!({
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            });
            (label.source.name(), Some(region))
        }
    };
    let mut physical = json!({ "artifactLocation": { "uri": uri(file), "uriBaseId": "%SRCROOT%" } });
    if let Some(region) = region {
        physical["region"] = region;
    }
    Some(json!({ "physicalLocation": physical }))
}

/// A relative path as a URI reference.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::diag::{Code, Source};

    fn finding() -> Finding {
        let source = Source::new("a b.yml", "é: bad\n");
        let diagnostic = Diagnostic::error(Code::ListInText, "wrong").at(&source, 4..7).help("mend it");
        Finding { rule: "list-in-text", diagnostic }
    }

    #[test]
    fn json_has_the_rule_beside_the_code() {
        let json: Json = serde_json::from_str(&render_json(&[finding()])).unwrap();
        let keys: Vec<&str> = json[0].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys[..3], ["code", "rule", "severity"]);
        assert_eq!(json[0]["rule"], "list-in-text");
        assert_eq!((&json[0]["line"], &json[0]["column"]), (&json!(1), &json!(4)));
    }

    #[test]
    fn sarif_names_rule_place_and_fingerprint() {
        let log: Json = serde_json::from_str(&render_sarif(&[finding()], "1.2.3")).unwrap();
        let run = &log["runs"][0];
        let result = &run["results"][0];
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(rule["name"], "list-in-text");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b.yml");
        assert_eq!(place["region"], json!({"startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 7}));
        assert_eq!(result["message"]["text"], "wrong\nhelp: mend it");
        assert!(result["partialFingerprints"]["srtx/v1"].as_str().unwrap().len() == 24);
    }
}
