use std::fs;

use proptest::prelude::*;
use serde_json::json;

use super::super::reader::{Newlines, read};
use super::*;

/// A source that gives the same delimiter again and again. Only a test may do that.
fn always(delimiter: &str) -> impl FnMut() -> Result<String, Diagnostic> {
    move || Ok(delimiter.to_owned())
}

fn outputs(pairs: &[(&str, &str)]) -> Records {
    let mut records = Records::outputs();
    for &(name, value) in pairs {
        records.text(name, value).unwrap();
    }
    records
}

#[test]
fn l27_records_are_blocks_with_a_delimiter_each() {
    let mut count = 0;
    let text = render(&outputs(&[("a", "x"), ("b-c", "y\nz")]), || {
        count += 1;
        Ok(format!("D{count}"))
    });
    assert_eq!(text.unwrap(), "a<<D1\nx\nD1\nb-c<<D2\ny\nz\nD2\n");
    assert_eq!(render(&Records::outputs(), always("D")).unwrap(), "");
}

#[test]
fn b17_a_value_that_holds_its_delimiter_is_refused() {
    for value in ["x\nEOF\nevil=1", "EOF", "xEOFx"] {
        let refused = render(&outputs(&[("a", value)]), always("EOF")).unwrap_err();
        assert_eq!(refused.code, Code::OutputFailed, "{value:?}");
        assert!(!refused.message.contains("evil"), "{}", refused.message);
    }
    for unusable in ["", "a b", "E\r", "é"] {
        assert!(render(&outputs(&[("a", "x")]), always(unusable)).is_err(), "{unusable:?}");
    }
}

#[test]
fn b17_text_that_guesses_at_delimiters_adds_no_output() {
    let value = "x\nEOF\nevil=1\nNODE_OPTIONS<<EOF\n--require /tmp/x\nEOF\n";
    let text = render(&outputs(&[("title", value)]), random::token).unwrap();
    for newlines in [Newlines::Unix, Newlines::Windows] {
        let reading = read(&text, newlines);
        assert_eq!((reading.records, reading.error), (vec![("title".to_owned(), value.to_owned())], None));
    }
}

#[test]
fn b17_each_record_gets_a_delimiter_of_its_own() {
    let text = render(&outputs(&[("a", "x"), ("b", "x")]), random::token).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_ne!(lines[2], lines[5]);
}

#[test]
fn l27_names_are_checked_and_stand_once() {
    let mut records = outputs(&[("points", "[]")]);
    for name in ["a=b", "a<<b", "", "points", "Points", "x\ny"] {
        assert_eq!(records.text(name, "1").unwrap_err().code, Code::OutputName, "{name:?}");
    }
    assert_eq!(records.pairs().collect::<Vec<_>>(), [("points", "[]")]);
}

#[test]
fn b17_variables_of_later_steps_have_stricter_names() {
    let mut records = Records::variables();
    for name in ["NODE_OPTIONS", "PATH", "LD_PRELOAD", "BASH_ENV", "GITHUB_TOKEN", "RUNNER_TEMP", "a-b"] {
        assert_eq!(records.text(name, "x").unwrap_err().code, Code::OutputName, "{name}");
    }
    records.text("SRTX_RULES", "2026-09").unwrap();
    assert_eq!(records.file(), RunnerFile::Env);
    assert!(Records::state().text("NODE_OPTIONS", "x").is_ok());
}

#[test]
fn l27_values_that_would_read_back_different_are_refused() {
    for value in ["x\r", "\r", "x\n\r", "x\r\r", "a\0b"] {
        assert_eq!(Records::outputs().text("a", value).unwrap_err().code, Code::OutputFailed, "{value:?}");
    }
    for value in ["x\r\ny", "x\ry", "\rx", "x\r\n", "\n", "\r\n\r\n", "", "\u{feff}x", "x\u{2028}y"] {
        let text = render(&outputs(&[("a", value)]), always("D1")).unwrap();
        for newlines in [Newlines::Unix, Newlines::Windows] {
            let reading = read(&text, newlines);
            assert_eq!(reading.records, [("a".to_owned(), value.to_owned())], "{value:?} {newlines:?}");
            assert_eq!(reading.error, None, "{value:?} {newlines:?}");
        }
    }
}

#[test]
fn l36_a_variable_above_the_budget_is_refused_and_an_output_is_not() {
    let fits = "x".repeat(ENV_VALUE_BUDGET);
    let over = format!("{fits}x");
    assert!(Records::variables().text("A", fits.as_str()).is_ok());
    let refused = Records::variables().text("A", over.as_str()).unwrap_err();
    assert_eq!(refused.code, Code::EnvironmentTooLarge);
    assert!(refused.message.contains("102401"), "{}", refused.message);
    assert!(Records::outputs().text("A", over.as_str()).is_ok());
}

#[test]
fn b15_outputs_over_the_job_budget_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("output");
    fs::write(&path, "").unwrap();
    let big = "x".repeat(600_000);
    let refused = outputs(&[("points", big.as_str())]).append_to(&path, &Secrets::default()).unwrap_err();
    assert_eq!(refused.code, Code::LimitExceeded);
    assert!(refused.message.contains("1200012"), "{}", refused.message);
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);

    let mut state = Records::state();
    state.text("points", big.as_str()).unwrap();
    assert!(state.append_to(&path, &Secrets::default()).is_ok());
}

#[test]
fn b06_pretty_json_becomes_one_line() {
    let mut records = Records::outputs();
    records.json_text("a", "{\n  \"b\": [1,\n 2]\n}").unwrap();
    records.json("c", &json!({"é": null})).unwrap();
    assert_eq!(records.pairs().collect::<Vec<_>>(), [("a", r#"{"b":[1,2]}"#), ("c", r#"{"\u00e9":null}"#)]);
}

#[test]
fn b01_b02_an_empty_plan_is_valid_json_and_an_empty_text_is_refused() {
    let mut records = Records::outputs();
    for text in ["", " ", "\n"] {
        assert_eq!(records.json_text("matrix", text).unwrap_err().code, Code::OutputFailed, "{text:?}");
    }
    records.json("matrix", &json!({"include": []})).unwrap();
    records.json("count", &0).unwrap();
    records.json("has-jobs", &false).unwrap();
    let text = render(&records, random::token).unwrap();
    let reading = read(&text, Newlines::Unix);
    let (read_back, error) = reading.outputs();
    assert_eq!((read_back["matrix"], read_back["count"], error), (r#"{"include":[]}"#, "0", None));
    assert_eq!(read_back["has-jobs"], "false");
}

#[test]
fn b02_b12_a_secret_in_any_output_leaves_the_file_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("output");
    fs::write(&path, "").unwrap();
    let secrets = Secrets::of_env([("FOO_TOKEN", "abcd")]);
    let refused = outputs(&[("count", "1"), ("plan", "xabcdx")]).append_to(&path, &secrets).unwrap_err();
    assert_eq!(refused.code, Code::SecretInOutput);
    assert_eq!(refused.path.as_deref(), Some("output.plan"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
}

#[test]
fn l27_what_stands_in_the_file_already_stays_and_is_not_glued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("output");
    fs::write(&path, "before=1").unwrap();
    outputs(&[("a", "x")]).append_to(&path, &Secrets::default()).unwrap();
    outputs(&[("b", "")]).append_to(&path, &Secrets::default()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let reading = read(&text, Newlines::Unix);
    let expected = [("before", "1"), ("a", "x"), ("b", "")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!((reading.records, reading.error), (expected.to_vec(), None));
}

/// Texts that look like the syntax of the file.
fn tricky() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just("\n".to_owned()),
            Just("\r".to_owned()),
            Just("\r\n".to_owned()),
            Just("=".to_owned()),
            Just("<<".to_owned()),
            Just("<".to_owned()),
            Just("a".to_owned()),
            Just("D1".to_owned()),
            Just("D".to_owned()),
            Just(" ".to_owned()),
            Just("\u{feff}".to_owned()),
            Just("\0".to_owned()),
            "\\PC{1,3}",
        ],
        0..10,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn l27_b17_what_is_written_reads_back_the_same(
        pairs in proptest::collection::vec(("[A-Za-z_][A-Za-z0-9_-]{0,5}", tricky()), 0..5),
        before in prop_oneof![Just(""), Just("x=1"), Just("x=1\n"), Just("x<<E\n\nE"), Just("\n")],
    ) {
        let mut records = Records::outputs();
        let mut expected: Vec<(String, String)> = Vec::new();
        for (name, value) in pairs {
            // Whatever is refused is refused for a reason that the test can see.
            match records.text(&name, value.as_str()) {
                Ok(()) => expected.push((name, value)),
                Err(_) => prop_assert!(
                    value.ends_with('\r')
                        || value.contains('\0')
                        || expected.iter().any(|(known, _)| known.eq_ignore_ascii_case(&name))
                ),
            }
        }
        match render(&records, always("D1")) {
            Err(_) => prop_assert!(expected.iter().any(|(_, value)| value.contains("D1"))),
            Ok(text) => {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("output");
                fs::write(&path, before).unwrap();
                file::append(RunnerFile::Output, &path, &text).unwrap();
                let text = fs::read_to_string(&path).unwrap();
                for newlines in [Newlines::Unix, Newlines::Windows] {
                    let mut reading = read(&text, newlines);
                    prop_assert_eq!(reading.error, None);
                    let old = read(before, newlines).records.len();
                    prop_assert_eq!(&reading.records.split_off(old), &expected);
                }
            }
        }
    }

    #[test]
    fn l27_a_name_is_refused_or_reads_back_the_same(name in tricky()) {
        let mut records = Records::outputs();
        if records.text(&name, "v").is_ok() {
            let text = render(&records, always("D2")).unwrap();
            for newlines in [Newlines::Unix, Newlines::Windows] {
                let reading = read(&text, newlines);
                prop_assert_eq!(reading.records, vec![(name.clone(), "v".to_owned())]);
            }
        }
    }
}
