//! Known answers for the YAML reader, recorded from PyYAML by `tests/kat/make_yaml11.py`.

use serde_json::{Value as Json, json};
use srtx::core::diag::{Diagnostics, Source};
use srtx::core::num::python_float;
use srtx::core::yaml::{Schema, Value, parse, write_yaml};

/// Documents that we judge otherwise than PyYAML, each with the reason.
const DIFFERENCES: &[(&str, &str)] = &[
    ("k: [-]\n", "the parser takes the dash for a block entry; nobody writes it, and the message says where"),
    ("k: [?]\n", "YAML 1.2 reads `?` without a blank as text"),
    ("k: [?a]\n", "YAML 1.2 reads `?` without a blank as text"),
    ("k: [:a]\n", "YAML 1.2 reads a leading `:` as text, PyYAML refuses it"),
];

fn plain(value: &Value<'_>) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!({"int": value.to_string()}),
        Value::Big(value) => json!({"int": value.to_string()}),
        Value::Float(value) => json!({"float": python_float(*value)}),
        Value::Str(text) => json!(text),
        Value::Date(_) => json!({"date": true}),
        Value::List(items) => Json::Array(items.iter().map(plain).collect()),
        Value::Map(entries) => {
            json!({"map": entries.iter().map(|(k, v)| json!([plain(k), plain(v)])).collect::<Vec<_>>()})
        }
    }
}

fn read(text: &str) -> Option<Json> {
    let source = Source::new("case.yaml", text);
    let document = parse(&source, Schema::V11, &mut Diagnostics::new())?;
    Some(document.root().map_or(Json::Null, |root| plain(&Value::of(root))))
}

fn cases() -> Vec<Json> {
    serde_json::from_str(include_str!("../kat/yaml11.json")).unwrap()
}

#[test]
fn documents_read_as_pyyaml_reads_them() {
    let mut wrong = Vec::new();
    for case in cases() {
        let text = case["yaml"].as_str().unwrap();
        let expected = case.get("value").cloned();
        let read = read(text);
        let known = DIFFERENCES.iter().any(|(document, _)| *document == text);
        if (read != expected) != known {
            wrong.push(format!("{text:?}\n  PyYAML {expected:?}\n  srtx   {read:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_written_reads_back_the_same() {
    for case in cases() {
        let text = case["yaml"].as_str().unwrap();
        let source = Source::new("case.yaml", text);
        let Some(document) = parse(&source, Schema::V11, &mut Diagnostics::new()) else { continue };
        let Some(root) = document.root() else { continue };
        let value = Value::of(root);
        let written = write_yaml(&value);
        assert_eq!(read(&written), Some(plain(&value)), "{text:?} was written as\n{written}");
    }
}
