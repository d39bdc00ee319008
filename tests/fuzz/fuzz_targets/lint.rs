//! Checkouts: no text may crash the rules, and every place that they report must lie in the text.
//!
//! The input is a few files, parted by lines `--- NAME`; what stands before the first of them is a workflow.

#![no_main]

use libfuzzer_sys::fuzz_target;
use srtx::core::diag::{Place, Source, render_human};
use srtx::core::lint::{Tree, baseline_json, lint, render_json, render_sarif};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Aliases may expand to millions of values, which would only make the fuzzer slow.
    if text.matches('&').count() > 40 {
        return;
    }
    let mut files: Vec<(&str, String)> = vec![(".github/workflows/w.yml", String::new())];
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("--- ") {
            Some(name) if files.iter().all(|(known, _)| *known != name.trim()) => files.push((name.trim(), String::new())),
            _ => files.last_mut().unwrap().1.push_str(line),
        }
    }
    let sources = files.into_iter().filter(|(name, _)| !name.is_empty()).map(|(name, text)| Source::new(name, text));
    let found = lint(&Tree::new(sources.collect()), &[]);
    for finding in &found {
        if let Place::Span(label) = &finding.diagnostic.place {
            let inside = label.source.text().get(label.span.clone());
            assert!(label.span.start <= label.span.end && inside.is_some(), "{finding:?}");
        }
        render_human(&finding.diagnostic, false);
    }
    let _ = (render_json(&found), render_sarif(&found, "1"), baseline_json(&found));
});
