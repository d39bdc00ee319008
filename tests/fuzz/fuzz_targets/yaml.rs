//! The YAML reader: no text may crash it, every place must lie in the text, and what we write must read back the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use srtx::core::diag::{Diagnostics, Place, Source, render_human};
use srtx::core::yaml::{Document, NodeRef, Schema, Value, parse, write_yaml};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for schema in [Schema::V11, Schema::Core12] {
        let source = Source::new("fuzz.yaml", text);
        let mut found = Diagnostics::new();
        let document = parse(&source, schema, &mut found);
        for diagnostic in found.as_slice() {
            if let Place::Span(label) = &diagnostic.place {
                assert!(label.span.start <= label.span.end && text.get(label.span.clone()).is_some(), "{diagnostic:?}");
            }
            render_human(diagnostic, false);
        }
        if let Some(document) = &document {
            check(document, schema, text);
        }
    }
});

fn check(document: &Document, schema: Schema, text: &str) {
    let Some(root) = document.root() else { return };
    check_spans(root, text, 0);
    let _ = document.comments();
    // Aliases may expand to millions of values, which would only make the fuzzer slow.
    if document.anchors().next().is_some() || schema != Schema::V11 {
        return;
    }
    let value = Value::of(root);
    let written = write_yaml(&value);
    let source = Source::new("written.yaml", written.as_str());
    let mut found = Diagnostics::new();
    let again = parse(&source, Schema::V11, &mut found).unwrap_or_else(|| panic!("{written}\n{found:?}"));
    let again = again.root().map_or(Value::Null, Value::of);
    assert_eq!(format!("{again:?}"), format!("{value:?}"), "{written}");
}

fn check_spans(node: NodeRef<'_>, text: &str, depth: usize) {
    let site = node.site();
    assert!(text.get(site.clone()).is_some(), "{site:?}");
    if node.is_alias() || depth > 500 {
        return;
    }
    for item in node.items() {
        check_spans(item, text, depth + 1);
    }
    for (key, value) in node.written_entries() {
        check_spans(key, text, depth + 1);
        check_spans(value, text, depth + 1);
    }
}
