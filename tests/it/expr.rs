//! Known answers and properties of GitHub expressions.
//!
//! `tests/kat/expressions` is the test data that GitHub publishes for its own implementations, under its own licence.

use proptest::prelude::*;
use serde_json::Value as Json;
use srtx::core::expr::{
    Allowed, Array, Contexts, Error, Object, Scope, Template, Truthiness, Value, evaluate, parse, push_outcome,
    to_display_string, to_json, truthiness,
};

/// Cases that we do not run, each with the reason.
const SKIPPED: &[(&str, &str, &str)] = &[(
    "syntax-errors",
    "memory-errors",
    "its harness allows 1 MiB of memory, a template on the runner has 10 MiB; see `memory_is_bounded` instead",
)];

macro_rules! vectors {
    ($($name:literal),* $(,)?) => {
        const VECTORS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../kat/expressions/", $name, ".json")))),*];
    };
}

vectors!(
    "basic",
    "case",
    "coerce_boolean",
    "coerce_number",
    "coerce_string",
    "contains",
    "endsWith",
    "format",
    "fromJSON",
    "join",
    "number",
    "op_and",
    "op_dot",
    "op_eq",
    "op_gt",
    "op_gte",
    "op_idx",
    "op_idx_star",
    "op_lt",
    "op_lte",
    "op_ne",
    "op_not",
    "op_or",
    "operators_case_insensitive",
    "operators_precedence",
    "startsWith",
    "syntax-errors",
    "tojson",
);

fn contexts(json: Option<&Json>) -> Contexts {
    json.and_then(Json::as_object).map_or_else(|| Contexts::new(Object::new([])), Contexts::from_json)
}

fn eval_in(text: &str, contexts: &Contexts) -> Result<Value, Error> {
    parse(text, &contexts.allowed()).and_then(|expr| evaluate(&expr, contexts))
}

#[test]
fn every_file_of_vectors_is_run() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kat/expressions");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect();
    files.sort();
    let mut run: Vec<&str> = VECTORS.iter().map(|(name, _)| *name).collect();
    run.sort_unstable();
    assert_eq!(files, run);
}

#[test]
fn the_published_vectors_hold() {
    let (mut run, mut wrong) = (0, Vec::new());
    for (file, text) in VECTORS {
        let groups: serde_json::Map<String, Json> = serde_json::from_str(text).unwrap();
        for (group, cases) in &groups {
            if SKIPPED.iter().any(|(f, g, _)| f == file && g == group) {
                continue;
            }
            for case in cases.as_array().unwrap() {
                run += 1;
                if let Err(reason) = check(case) {
                    wrong.push(format!("{file}/{group}: {}\n  {reason}", case["expr"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {run} fail:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(run, 1019);
}

/// Compares a result by kind and value. Of a refusal the kind is compared, and where the published message quotes a symbol
/// and its position, what we point at.
fn check(case: &Json) -> Result<(), String> {
    let text = case["expr"].as_str().unwrap();
    let result = eval_in(text, &contexts(case.get("contexts")));
    let Some(expected) = case.get("err") else {
        let mut printed = String::new();
        push_outcome(&result, text, false, &mut printed);
        let printed: Json = serde_json::from_str(&printed).unwrap();
        let expected = &case["result"];
        let equal = printed["kind"] == expected["kind"] && same(&printed["value"], &expected["value"]);
        return if equal { Ok(()) } else { Err(format!("expected {expected}, got {printed}")) };
    };
    let error = result.err().ok_or_else(|| format!("expected {expected}, and it is taken"))?;
    let message = expected["value"].as_str().unwrap();
    if error.kind().word() != expected["kind"].as_str().unwrap() {
        return Err(format!("expected {expected}, got {:?}: {error}", error.kind()));
    }
    let Some((symbol, rest)) = message.split_once(". Located at position ") else { return Ok(()) };
    let position: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let is_whole = rest.contains("within expression");
    let start = text[..error.span().start].encode_utf16().count() + 1;
    let pointed = &text[error.span()];
    let agrees = !is_whole || start.to_string() == position;
    if agrees && symbol.ends_with(&format!(": '{pointed}'")) {
        return Ok(());
    }
    Err(format!("expected {message:?}, got `{pointed}` at {start}: {error}"))
}

/// Numbers are compared as numbers.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => a == b,
    }
}

#[test]
fn memory_is_bounded() {
    let data = contexts(Some(&serde_json::json!({"big": "x".repeat(1 << 20)})));
    let times = |n: usize| format!("format('{}', big)", "{0}".repeat(n));
    assert!(eval_in(&times(4), &data).is_ok());
    for text in [
        times(6),
        format!("join(fromJSON('[1,2,3,4,5,6,7]'), {})", times(2)),
        format!("startsWith({0}, {0})", times(3)),
        format!("toJSON({})", times(4)),
    ] {
        let error = eval_in(&text, &data).unwrap_err();
        assert_eq!(error.problem(), &srtx::core::expr::Problem::TooLarge, "{text}");
    }
    // What is no longer alive does not count.
    assert!(eval_in(&format!("contains({0}, 'y') || contains({0}, 'y') || {0} == ''", times(4)), &data).is_ok());
    let template = "${{ big }}".repeat(6);
    let template = Template::parse(&template, &data.allowed()).unwrap();
    assert!(template.evaluate(&data).is_err());
}

#[test]
fn hostile_nesting_is_refused_and_not_followed() {
    for unit in ["(", "!", "a[", "f(", "case(", "a.", "-", "a&&(", "a||!(", "a==(", "[", "${{"] {
        for count in [100, 20_000 / unit.len()] {
            let text = unit.repeat(count);
            assert!(parse(&text, &Allowed::ANYTHING).is_err(), "{unit}");
            let _ = Template::parse(&format!("${{{{ {text} }}}}"), &Allowed::ANYTHING);
        }
    }
    let parentheses = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(parse(&parentheses, &Allowed::ANYTHING).is_ok());
    let chain = vec!["!1"; 5_000].join("&&");
    assert!(parse(&chain, &Allowed::ANYTHING).is_ok());
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-1000i32..1000).prop_map(Json::from),
        any::<f64>().prop_filter("JSON has no others", |v| v.is_finite()).prop_map(Json::from),
        "\\PC*".prop_map(Json::from),
        "[a-c\"\\\\\n\u{1}\u{85}\u{2028}]{0,4}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec(("[a-dA-D]{0,2}", inner), 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// Text that is often nearly an expression.
fn expression() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a",
        "b",
        "needs",
        "github",
        "x.y",
        ".",
        "*",
        "[",
        "]",
        "(",
        ")",
        ",",
        "!",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "&&",
        "||",
        "'",
        "'t'",
        "''",
        "null",
        "true",
        "false",
        "1",
        "-1",
        "0x1f",
        "NaN",
        "Infinity",
        "contains(",
        "format('{0}',",
        "join(",
        "toJSON(",
        "fromJSON(",
        "case(",
        "startsWith(",
        "endsWith(",
        "success()",
        "hashFiles(",
        "${{",
        "}}",
        " ",
        "é",
        "\u{1f60a}",
    ]);
    prop::collection::vec(word, 0..16).prop_map(|words| words.concat())
}

/// An expression that parses: names, operators, calls.
fn valid() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "b",
        "a.x",
        "b.y.z",
        "a.*.x",
        "b[0]",
        "a['x']",
        "u",
        "u.v",
        "a[u]",
        "'t'",
        "''",
        "0",
        "1",
        "NaN",
        "true",
        "false",
        "null",
        "fromJSON('[1,\"t\",[2]]')",
        "fromJSON('{\"x\":1}')",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let operator = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">=", "&&", "||"]);
        let unary = prop::sample::select(vec!["!", "toJSON", "join", "fromJSON"]);
        let binary = prop::sample::select(vec!["contains", "startsWith", "endsWith", "join"]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (unary, inner.clone()).prop_map(|(name, a)| format!("{name}({a})")),
            (binary, inner.clone(), inner.clone()).prop_map(|(name, a, b)| format!("{name}({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("format('{{0}}-{{1}}', {a}, {b})")),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("case({a}, {b}, {c})")),
        ]
    })
}

fn values() -> impl Strategy<Value = Json> {
    (json(), json()).prop_map(|(a, b)| serde_json::json!({"a": a, "b": b}))
}

/// Knows `a` and `b`; `u` is whatever the test says.
struct World {
    known: Contexts,
    u: Value,
}

impl Scope for World {
    fn named_value(&self, name: &str) -> Option<Value> {
        if name.eq_ignore_ascii_case("u") { Some(self.u.clone()) } else { self.known.named_value(name) }
    }
}

fn printed(value: &Value) -> String {
    to_json(value, false)
}

/// Whether a value holds numbers that texts do not carry exactly.
fn has_long_numbers(json: &Json) -> bool {
    match json {
        Json::Number(number) => {
            let value = number.as_f64().unwrap();
            to_display_string(&Value::Number(value)).unwrap().parse() != Ok(value)
        }
        Json::Array(items) => items.iter().any(has_long_numbers),
        Json::Object(members) => members.values().any(has_long_numbers),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,60}") {
        let _ = parse(&text, &Allowed::ANYTHING);
        let _ = Template::parse(&text, &Allowed::ANYTHING);
    }

    #[test]
    fn spans_lie_in_the_text_and_nest(text in expression(), before in "[a-z\u{e9}]{0,3}") {
        let template = format!("{before}${{{{{text}}}}}");
        for (text, result) in [
            (&text, parse(&text, &Allowed::ANYTHING).map(|expr| vec![expr])),
            (&template, Template::parse(&template, &Allowed::ANYTHING).map(|t| t.expressions().cloned().collect())),
        ] {
            match result {
                Ok(expressions) => for expr in &expressions {
                    for node in expr.nodes() {
                        prop_assert_eq!(&text[node.span()], node.text());
                        for child in node.children() {
                            prop_assert!(node.span().start <= child.span().start && child.span().end <= node.span().end);
                        }
                    }
                },
                Err(error) => prop_assert!(text.get(error.span()).is_some(), "{:?} {:?}", text, error),
            }
        }
    }

    #[test]
    fn values_survive_to_json_and_back(value in json()) {
        prop_assume!(!has_long_numbers(&value));
        let scope = contexts(Some(&serde_json::json!({"v": value})));
        let back = eval_in("fromJSON(toJSON(v))", &scope).unwrap();
        prop_assert_eq!(printed(&back), printed(&eval_in("v", &scope).unwrap()));
        let text = eval_in("toJSON(v)", &scope).unwrap();
        let text = to_display_string(&text).unwrap();
        prop_assert!(serde_json::from_str::<Json>(&text).is_ok(), "{}", text);
    }

    #[test]
    fn json_is_read_as_others_read_it(text in "[\\[\\]{}\",:0-9.eE+\\-a-f\\\\u tnul]{0,12}") {
        let ours = srtx::core::expr::read_json(&text).ok().map(Value::from);
        let theirs = serde_json::from_str::<Json>(&text).ok();
        prop_assert_eq!(ours.is_some(), theirs.is_some(), "{}", text);
    }

    #[test]
    fn an_unknown_value_is_never_shown_as_text(text in valid(), known in values()) {
        let world = World { known: contexts(Some(&known)), u: Value::unknown("u") };
        let Ok(expr) = parse(&text, &Allowed::ANYTHING) else { return Ok(()) };
        let Ok(value) = evaluate(&expr, &world) else { return Ok(()) };
        if let Value::Unknown(unknown) = &value {
            prop_assert!(to_display_string(&value).is_err());
            prop_assert!(!unknown.depends_on().is_empty());
            prop_assert!(unknown.depends_on().iter().all(|name| name.starts_with('u')), "{:?}", unknown);
        }
    }

    /// What is decided without the unknown value is what comes out whatever that value is.
    #[test]
    fn what_is_decided_stays_decided(text in valid(), known in values(), u in json()) {
        let scope = contexts(Some(&known));
        let expr = parse(&text, &Allowed::ANYTHING).unwrap();
        let Ok(open) = evaluate(&expr, &World { known: scope.clone(), u: Value::unknown("u") }) else { return Ok(()) };
        let Ok(closed) = evaluate(&expr, &World { known: scope, u: Value::from(&u) }) else { return Ok(()) };
        if open.unknowns().is_none() {
            prop_assert_eq!(printed(&open), printed(&closed), "{}", text);
        }
        if let Truthiness::Known(truthy) = truthiness(&open) {
            prop_assert_eq!(Truthiness::Known(truthy), truthiness(&closed), "{} {:?}", text, open);
        }
    }

    /// Unknown names that are not asked for change nothing.
    #[test]
    fn more_unknown_names_change_nothing(text in valid(), known in values()) {
        let scope = contexts(Some(&known));
        prop_assume!(!text.contains('u') || !text.contains("u.v") && !text.contains("[u]"));
        let Ok(expr) = parse(&text, &scope.allowed()) else { return Ok(()) };
        let world = World { known: scope.clone(), u: Value::unknown("u") };
        match (evaluate(&expr, &scope), evaluate(&expr, &world)) {
            (Ok(alone), Ok(beside)) => prop_assert_eq!(printed(&alone), printed(&beside)),
            (alone, beside) => prop_assert_eq!(alone.is_err(), beside.is_err()),
        }
    }
}

#[test]
fn arrays_are_equal_to_themselves_only() {
    let array = Value::from(Array::new([Value::Null]));
    let scope = Contexts::new(Object::new([
        ("a".into(), array.clone()),
        ("b".into(), array),
        ("c".into(), Array::new([Value::Null]).into()),
    ]));
    for (text, expected) in
        [("a == a", true), ("a == b", true), ("a == c", false), ("a != c", true), ("a.* == a.*", false)]
    {
        assert!(matches!(eval_in(text, &scope), Ok(Value::Bool(value)) if value == expected), "{text}");
    }
}
