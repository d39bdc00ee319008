//! What each of the two rule books takes.

use super::*;

fn lenient(text: &str) -> Option<Json<'_>> {
    read_lenient(text).ok()
}

fn text(text: &str) -> Json<'_> {
    Json::Text(text.into())
}

#[test]
fn strict_takes_what_the_standard_takes() {
    for case in [
        "0",
        "-0",
        "1.5",
        "-1e5",
        "1E+2",
        "\"a\\u00e9\\ud83d\\ude00\\/\"",
        "[]",
        "[1, [2]]",
        "{}",
        "{\"a\": {\"a\": null}}",
        " true ",
        "\t\n\r false",
    ] {
        assert!(read_json(case).is_ok(), "{case}");
        assert!(serde_json::from_str::<serde_json::Value>(case).is_ok(), "{case}");
    }
    for case in [
        "",
        " ",
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "0x1",
        "NaN",
        "-Infinity",
        "'a'",
        "[1,]",
        "[,]",
        "{a:1}",
        "{\"a\":1,}",
        "1 2",
        "// c\n1",
        "nul",
        "truex",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\n\"",
        "\"a",
        "[1",
        "{\"a\"",
        "\u{a0}1",
        "1e999",
        "\"\\u+123\"",
    ] {
        assert!(read_json(case).is_err(), "{case:?}");
        assert!(serde_json::from_str::<serde_json::Value>(case).is_err(), "{case:?}");
    }
}

#[test]
fn lenient_takes_what_the_runner_takes() {
    let numbers = |values: &[f64]| Json::Array(values.iter().map(|v| Json::Number(*v)).collect());
    for (case, value) in [
        ("[1,]", numbers(&[1.0])),
        ("[1] garbage", numbers(&[1.0])),
        ("/*c*/ [1]", text("c")),
        ("[/*c*/ 1 // d\n]", numbers(&[1.0])),
        ("[0x1F, 017, .5, 5., -010, 1e400]", numbers(&[31.0, 15.0, 0.5, 5.0, -10.0, f64::INFINITY])),
        ("'it\"s'", text("it\"s")),
        ("\"a\nb\"", text("a\nb")),
        ("\"\\ud800x\\udc00\"", text("\u{fffd}x\u{fffd}")),
        ("\"\\'\"", text("'")),
        ("[,]", Json::Array(vec![text("")])),
        ("undefined", text("")),
        ("{a: 1, $b_: 2,}", Json::Object(vec![("a".into(), Json::Number(1.0)), ("$b_".into(), Json::Number(2.0))])),
        ("Infinity", Json::Number(f64::INFINITY)),
        ("-Infinity", Json::Number(f64::NEG_INFINITY)),
        ("1/2", Json::Number(1.0)),
        ("\u{a0}true", Json::Bool(true)),
    ] {
        assert_eq!(lenient(case), Some(value), "{case}");
    }
    for case in [
        "",
        "  ",
        "nul",
        "truex",
        "Array",
        "[Array]",
        "09",
        "1g",
        "+1",
        "]",
        "}",
        "[1 2]",
        "{\"a\" 1}",
        "{,}",
        "{\"a\":}",
        "'a",
        "[1",
        "/*",
        "new Date(1)",
        "\u{feff}1",
        "-",
        "\"\\x\"",
    ] {
        assert_eq!(lenient(case), None, "{case:?}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(lenient(&nested(64)).is_some() && lenient(&nested(65)).is_none());
    assert!(read_json(&nested(128)).is_ok() && read_json(&nested(129)).is_err());
    assert!(read_json(&"[".repeat(1_000_000)).is_err());
}

#[test]
fn errors_say_where() {
    let error = read_json("{\n  \"é\": x\n}").unwrap_err();
    assert_eq!(error.to_string(), "unexpected `x` at line 2 column 8");
}
