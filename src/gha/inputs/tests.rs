use serde_json::json as value;

use super::*;

/// Inputs in which every variable has this value.
fn with(text: &str) -> Inputs<impl Fn(&str) -> Option<OsString>> {
    let text = OsString::from(text);
    Inputs::new(move |_| Some(text.clone()))
}

#[track_caller]
fn refusal<T: std::fmt::Debug>(result: Result<T, Diagnostic>, part: &str) -> Diagnostic {
    let refused = result.unwrap_err();
    assert_eq!(refused.code, Code::BadInput);
    assert!(refused.message.contains(part), "{} lacks {part}", refused.message);
    refused
}

#[test]
fn b34_inputs_arrive_in_variables_of_ours_and_never_in_those_of_the_runner() {
    let inputs = Inputs::new(|name| match name {
        "SRTX_MAX_JOBS" => Some("12".into()),
        "INPUT_MAX_JOBS" | "INPUT_MAX-JOBS" | "INPUT_OTHER" => Some("99".into()),
        _ => None,
    });
    assert_eq!(inputs.text("max-jobs").unwrap().as_deref(), Some("12"));
    assert_eq!(inputs.text("other").unwrap(), None);
}

#[test]
fn l11_l12_blank_is_absent() {
    for text in ["", " ", "\n", "\r\n\t "] {
        let inputs = with(text);
        assert_eq!(inputs.text("x").unwrap(), None, "{text:?}");
        assert_eq!(inputs.boolean("x").unwrap(), None, "{text:?}");
        assert_eq!(inputs.json("x").unwrap(), None, "{text:?}");
        assert_eq!(inputs.source("x").unwrap(), None, "{text:?}");
        assert!(inputs.lines("x").unwrap().is_empty(), "{text:?}");
        assert!(inputs.words("x").unwrap().is_empty(), "{text:?}");
        assert!(inputs.integers("x").unwrap().is_empty(), "{text:?}");
    }
    assert_eq!(with(" a b\n").text("x").unwrap().as_deref(), Some("a b"));
}

#[test]
fn l11_booleans_are_strict() {
    for (text, expected) in [("true", true), ("false", false), ("True", true), ("FALSE", false), (" true\n", true)] {
        assert_eq!(with(text).boolean("x").unwrap(), Some(expected), "{text:?}");
    }
    for text in ["yes", "1", "0", "on", "null", "truefalse", "true false", "\"true\""] {
        let refused = refusal(with(text).boolean("dry-run"), "expected true or false");
        assert_eq!(refused.path.as_deref(), Some("env.SRTX_DRY_RUN"), "{text}");
    }
}

#[test]
fn b10_l01_the_words_of_an_interpolated_list_are_an_error_everywhere() {
    for text in [
        "Array",
        "[Array]",
        "Object",
        "[Object]",
        " [Array] ",
        "[Array, Object]",
        "[[Array]]",
        "\"Array\"",
        "Array Array",
    ] {
        let inputs = with(text);
        let refused = refusal(inputs.text("conc-list"), "was put into a text");
        assert!(refused.help[0].contains("toJson"), "{}", refused.help[0]);
        refusal(inputs.boolean("x"), "was put into a text");
        refusal(inputs.lines("x"), "was put into a text");
        refusal(inputs.words("x"), "was put into a text");
        refusal(inputs.integers("x"), "was put into a text");
        refusal(inputs.json("x"), "was put into a text");
        refusal(inputs.source("x"), "was put into a text");
    }
    let among_others = with("dsr1\n[Array]\n");
    refusal(among_others.lines("x"), "`[Array]`: a list or a mapping was put into a text");
    refusal(among_others.words("x"), "was put into a text");
    refusal(with("16 Array").integers("x"), "was put into a text");
    assert!(with("an Array of tests\nb").lines("x").is_ok());
    for text in ["array", "Arrays", "an Array of tests", "[\"Array1\"]", "[]", "{\"a\":\"Array\"}", "Objective"] {
        assert_eq!(with(text).text("x").unwrap().as_deref(), Some(text));
    }
}

#[test]
fn b10_concurrencies_are_taken_in_every_form_that_has_one_meaning() {
    for (text, expected) in [
        ("16", &[16][..]),
        ("[16]", &[16]),
        ("16 24", &[16, 24]),
        ("16,24", &[16, 24]),
        ("\"16,24\"", &[16, 24]),
        ("[16, 24]", &[16, 24]),
        ("[\n  16,\n  24\n]\n", &[16, 24]),
        ("[\"16\",\"24\"]", &[16, 24]),
        ("16\n24\n", &[16, 24]),
        ("[]", &[]),
        ("18446744073709551615", &[u64::MAX]),
    ] {
        assert_eq!(with(text).integers("conc-list").unwrap(), expected, "{text:?}");
    }
}

#[test]
fn b10_other_lists_of_numbers_are_refused() {
    for (text, part) in [
        ("[[16,24]]", "list inside a list"),
        ("[16,[24]]", "list inside a list"),
        ("\"[16,24]\"", "encoded twice"),
        ("[Array, 16]", "not JSON"),
        ("16.5", "`16.5`"),
        ("[16.0]", "`16.0`"),
        ("-1", "`-1`"),
        ("+1", "`+1`"),
        ("[\"\"]", "``"),
        ("[null]", "`null`"),
        ("{\"a\":1}", "expected whole numbers"),
        ("18446744073709551616", "expected whole numbers"),
        ("16;24", "`16;24`"),
    ] {
        refusal(with(text).integers("conc-list"), part);
    }
}

#[test]
fn l01_json_with_an_interpolated_list_names_the_cause() {
    for text in ["{\"conc\": Array}", "[1, Object]", "{\n \"a\": 1,\n \"é\": Array\n}"] {
        let refused = refusal(with(text).json("point"), "is not JSON");
        assert!(refused.help[0].contains("was put into a text"), "{text}: {}", refused.help[0]);
    }
    let other = refusal(with("{\"conc\": Arra}").json("point"), "is not JSON");
    assert!(!other.help[0].contains("was put into a text"), "{}", other.help[0]);
}

#[test]
fn l03_json_is_taken_however_it_is_laid_out() {
    assert_eq!(with("{\n  \"a\": [\n    1\n  ]\n}\n").json("x").unwrap(), Some(value!({"a": [1]})));
    assert_eq!(with("\"plain text\"").json("x").unwrap(), Some(value!("plain text")));
    assert_eq!(with("null").json("x").unwrap(), Some(Value::Null));
}

#[test]
fn json_encoded_twice_is_refused_with_a_remedy() {
    for inner in ["{\"a\":1}", "[1,2]", "[]", "\"[1]\"", " {\n\"a\":1}\n"] {
        let text = value!(inner).to_string();
        let refused = refusal(with(&text).json("point"), "encoded twice");
        assert!(refused.help[0].contains("without toJson"), "{}", refused.help[0]);
    }
    for text in ["\"16\"", "\"true\"", "\"a {b}\"", "[\"[1]\"]"] {
        assert!(with(text).json("x").is_ok(), "{text}");
    }
}

#[test]
fn b02_l04_an_empty_json_text_says_where_it_comes_from() {
    let refused = refusal(json("needs.setup.outputs.points", ""), "not JSON");
    assert!(refused.help[0].contains("dropped"), "{}", refused.help[0]);
    assert_eq!(refused.path.as_deref(), Some("needs.setup.outputs.points"));
}

#[test]
fn l36_a_value_above_the_budget_is_refused_with_advice() {
    assert!(with(&"x".repeat(ENV_VALUE_BUDGET)).text("needs").is_ok());
    for text in ["x".repeat(ENV_VALUE_BUDGET + 1), " ".repeat(ENV_VALUE_BUDGET + 1)] {
        let refused = with(&text).json("needs").unwrap_err();
        assert_eq!(refused.code, Code::EnvironmentTooLarge);
        assert!(refused.message.contains("102401") && refused.message.len() < 200, "{}", refused.message);
        assert!(refused.help[0].contains("@FILE"), "{}", refused.help[0]);
        assert_eq!(refused.path.as_deref(), Some("env.SRTX_NEEDS"));
    }
}

#[cfg(unix)]
#[test]
fn a_value_that_is_not_utf_8_is_refused() {
    use std::os::unix::ffi::OsStringExt as _;

    let inputs = Inputs::new(|_| Some(OsString::from_vec(b"a\xff".to_vec())));
    refusal(inputs.text("x"), "not UTF-8");
    refusal(inputs.boolean("x"), "not UTF-8");
}

#[test]
fn lists_are_lines_or_words() {
    let inputs = with("\n a b \r\n\n  c\t d\n");
    assert_eq!(inputs.lines("x").unwrap(), ["a b", "c\t d"]);
    assert_eq!(inputs.words("x").unwrap(), ["a", "b", "c", "d"]);
}

#[test]
fn l36_json_may_be_in_a_file_or_on_standard_input() {
    for (text, expected) in [
        ("[1]", Source::Text("[1]".to_owned())),
        ("@a b.json", Source::File("a b.json".to_owned())),
        ("-", Source::Stdin),
        ("-1", Source::Text("-1".to_owned())),
    ] {
        assert_eq!(with(text).source("x").unwrap(), Some(expected));
    }
    refusal(with("@").source("x"), "without the path");
}

proptest::proptest! {
    #[test]
    fn any_text_is_judged_without_a_panic(text in "([\\[\\]{}\",: \n]|Array|Object|[0-9]|\\PC){0,16}") {
        let inputs = with(&text);
        for refused in [inputs.json("x").err(), inputs.integers("x").err(), inputs.boolean("x").err()].into_iter().flatten() {
            proptest::prop_assert_eq!(refused.path.as_deref(), Some("env.SRTX_X"));
            proptest::prop_assert!(!refused.message.contains('\n'), "{}", refused.message);
        }
    }
}
