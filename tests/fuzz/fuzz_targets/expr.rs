//! Expressions: no text may crash or stall the parser or the evaluator, every span must lie in the text, and what is
//! decided without an unknown value must hold whatever that value is.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use srtx::core::expr::{
    Allowed, Contexts, Error, Expr, Json, Object, Scope, Template, Value, because, evaluate, parse, read_json,
    to_display_string, to_json,
};

static CONTEXTS: LazyLock<Contexts> = LazyLock::new(|| {
    let json = r#"{"a": [1, "two", null, {"x": 1.5, "Y": [true, {}]}, [[]]], "o": {"k": "v", "n": {"k": ""}}, "s": "Text {0}"}"#;
    match read_json(json).map(Value::from) {
        Ok(Value::Object(object)) => Contexts::new(object),
        other => panic!("{other:?}"),
    }
});

/// The contexts, and every other name as an unknown value, or as null.
struct World {
    others_are_known: bool,
}

impl Scope for World {
    fn named_value(&self, name: &str) -> Option<Value> {
        let known = CONTEXTS.named_value(name);
        known.or_else(|| Some(if self.others_are_known { Value::Null } else { Value::unknown(name) }))
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(expr) = checked(text, parse(text, &Allowed::ANYTHING)) {
        check(text, &expr);
    }
    if let Ok(template) = checked(text, Template::parse(text, &Allowed::ANYTHING)) {
        for expr in template.expressions() {
            check(text, expr);
        }
        let _ = checked(text, template.evaluate(&World { others_are_known: false }));
    }
    if let Ok(json) = read_json(text) {
        written_json_reads_back(json);
    }
});

fn checked<T>(text: &str, result: Result<T, Error>) -> Result<T, Error> {
    if let Err(error) = &result {
        assert!(text.get(error.span()).is_some(), "{error:?}");
    }
    result
}

fn check(text: &str, expr: &Expr) {
    for node in expr.nodes() {
        assert_eq!(&text[node.span()], node.text());
    }
    let open = checked(text, evaluate(expr, &World { others_are_known: false }));
    let closed = checked(text, evaluate(expr, &World { others_are_known: true }));
    let Ok(open) = open else { return };
    if let Value::Unknown(unknown) = &open {
        assert!(to_display_string(&open).is_err() && !unknown.depends_on().is_empty());
    }
    if let Ok(closed) = closed {
        if open.unknowns().is_none() {
            assert_eq!(to_json(&open, false), to_json(&closed, false), "{text}");
        }
        if let (Some(truthy), Some(decided)) = (open.is_truthy(), closed.is_truthy()) {
            assert_eq!(truthy, decided, "{text}");
        }
    }
    let reason = because(expr, &World { others_are_known: false });
    if let Ok(Some(reason)) = checked(text, reason) {
        assert_eq!(text[reason.span], reason.text);
    }
}

fn written_json_reads_back(json: Json) {
    let value = Value::from(json);
    let object = Object::new([("v".into(), value.clone())]);
    let text = to_json(&value, false);
    let again = read_json(&text).map(Value::from).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(to_json(&again, false), text);
    let scope = Contexts::new(object);
    let round = parse("fromJSON(toJSON(v))", &scope.allowed()).and_then(|expr| evaluate(&expr, &scope));
    // Only what nests too deep for the runner's reader, or is too large, may fail.
    assert!(round.is_ok() || text.len() > 64, "{text}");
}
