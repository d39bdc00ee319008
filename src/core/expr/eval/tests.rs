//! Tables of what expressions give, known and unknown.

use super::super::{Allowed, Array, ErrorKind, Object, Problem, StatusFunction, json::read_json, parse};
use super::*;

/// Some contexts: known ones, and `u`, which nobody knows.
struct World;

fn json(text: &str) -> Value {
    read_json(text).unwrap().into()
}

impl Scope for World {
    fn named_value(&self, name: &str) -> Option<Value> {
        Some(match name.to_ascii_lowercase().as_str() {
            "a" => json("[1, \"two\", null, {\"x\": 1}, {\"X\": 2, \"y\": [7, 8]}, [9, 10]]"),
            "o" => json("{\"Name\": \"n\", \"1\": \"one\", \"\": \"empty\", \"true\": \"t\", \"0.5\": \"half\"}"),
            "u" => Value::unknown("u"),
            // The outputs of one job are known, those of the other are not, a third is not known at all.
            "needs" => Object::new([
                ("plan".into(), json("{\"result\": \"success\", \"outputs\": {\"n\": \"1\"}}")),
                (
                    "build".into(),
                    Object::new([
                        ("result".into(), Value::unknown("needs.build.result")),
                        ("outputs".into(), Value::unknown("needs.build.outputs")),
                    ])
                    .into(),
                ),
            ])
            .into(),
            "list" => Array::new(["k".into(), Value::unknown("list[1]")]).into(),
            _ => return None,
        })
    }

    fn hash_files(&self, patterns: &[String]) -> Result<Value, String> {
        if patterns.is_empty() { Err("no pattern".into()) } else { Ok(patterns.join("+").as_str().into()) }
    }

    fn status(&self, which: StatusFunction, jobs: &[Value]) -> Value {
        Value::Bool(which == StatusFunction::Success && jobs.is_empty())
    }
}

fn eval(text: &str) -> Result<Value, Error> {
    evaluate(&parse(text, &Allowed::ANYTHING)?, &World)
}

/// A value as one line: JSON, or `?` with what it depends on and its truthiness where that is known.
fn shown(text: &str) -> String {
    match eval(text) {
        Ok(Value::Unknown(unknown)) => {
            let names: Vec<&str> = unknown.depends_on().iter().map(|name| &**name).collect();
            let truthy = match unknown.truthiness() {
                Some(true) => " truthy",
                Some(false) => " falsy",
                None => "",
            };
            format!("?{}{truthy}", names.join(","))
        }
        Ok(value) => super::super::to_json(&value, false),
        Err(error) => format!("{}: {}", error.kind().word(), error.message()),
    }
}

fn table(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(shown(text), *expected, "{text}");
    }
}

#[test]
fn indexes_find_by_text_in_objects_and_by_number_in_arrays() {
    table(&[
        ("o.NAME", "\"n\""),
        ("o['name']", "\"n\""),
        ("o[1]", "\"one\""),
        ("o[null]", "\"empty\""),
        ("o[true]", "\"t\""),
        ("o[.5]", "\"half\""),
        ("o.nothing.at.all", "null"),
        ("a[1.9]", "\"two\""),
        ("a['0']", "1"),
        ("a[true]", "\"two\""),
        ("a[-1]", "null"),
        ("a[NaN]", "null"),
        ("a[99]", "null"),
        ("a['x']", "null"),
        ("a[o]", "null"),
        ("o[a]", "null"),
        ("(1).x", "null"),
        ("('x')[0]", "null"),
    ]);
}

#[test]
fn filters_apply_what_follows_to_each_item() {
    table(&[
        ("a.*.x", "[1,2]"),
        ("a[*].y", "[[7,8]]"),
        ("a.*.y[1]", "[8]"),
        ("a.*[0]", "[9]"),
        ("a.*.*", "[1,2,[7,8],9,10]"),
        ("(a.*.y)[0]", "[7]"),
        ("o.*[0]", "[]"),
        ("(1).*", "[]"),
        ("a[* && 'x']", "null"),
        ("o[* && 'name']", "\"n\""),
    ]);
}

#[test]
fn operands_are_returned_and_not_their_truth() {
    table(&[
        ("1 && 'x' && a[0]", "1"),
        ("0 || '' || null", "null"),
        ("'x' && 0 || 'y'", "\"y\""),
        ("!'' && !!'false'", "true"),
        ("false && fromJSON('')", "false"),
        ("true || fromJSON('')", "true"),
        ("case(false, fromJSON(''), true, 1, fromJSON(''))", "1"),
        ("contains(fromJSON('[]'), fromJSON(''))", "false"),
        ("startsWith(o, fromJSON(''))", "false"),
        ("format('x', fromJSON(''))", "\"x\""),
        ("join('x', fromJSON(''))", "\"x\""),
    ]);
}

#[test]
fn comparisons_coerce_to_numbers() {
    table(&[
        ("'AB' == 'ab'", "true"),
        ("null == 0", "true"),
        ("null == ''", "true"),
        ("null == 'x'", "false"),
        ("'0x10' == 16", "true"),
        ("true == '1'", "true"),
        ("true == 'true'", "false"),
        ("NaN == NaN", "false"),
        ("NaN != NaN", "true"),
        ("a == a", "false"),
        ("a == 'Array'", "false"),
        ("a > 0 || a <= 0", "false"),
        ("null <= null", "true"),
        ("null < null", "false"),
        ("true > false", "true"),
        ("'b' > 'A'", "true"),
        ("'10' > 9", "true"),
        ("'10' > '9'", "false"),
        ("'x' < 1 || 'x' >= 1", "false"),
    ]);
}

#[test]
fn the_runner_answers_what_only_it_can() {
    table(&[
        ("hashFiles('a', 1)", "\"a+1\""),
        ("hashFiles(u, 'a')", "?u"),
        ("success() && !failure()", "true"),
        ("success('plan')", "false"),
    ]);
}

#[test]
fn what_depends_on_an_unknown_value_is_unknown() {
    table(&[
        ("u", "?u"),
        ("u.x['y z'][0]", "?u.x.y z[0]"),
        ("u == 1", "?u"),
        ("1 < u", "?u"),
        ("u == needs.build.result", "?needs.build.result,u"),
        ("!u", "?u"),
        ("a[u]", "?u"),
        ("needs.build[u]", "?needs.build.outputs,needs.build.result,u"),
        ("u[a]", "?u"),
        ("u[u]", "?u"),
        ("fromJSON(u)", "?u"),
        ("fromJSON(needs.build.outputs.points)[0].x", "?needs.build.outputs.points"),
        ("toJSON(needs.build)", "?needs.build.outputs,needs.build.result truthy"),
        ("join(list, ',')", "?list[1]"),
        ("join(fromJSON('[1,2]'), u)", "?u"),
        ("join(fromJSON('[1]'), u)", "\"1\""),
        ("format(u, 1)", "?u"),
        ("format('{0}', u)", "?u"),
        ("format('a{0}', u)", "?u truthy"),
        ("contains(u, 'x')", "?u"),
        ("contains('x', u)", "?u"),
        ("startsWith(u, o)", "?u"),
        ("startsWith(o, u)", "false"),
        ("u.*", "?u.* truthy"),
        ("needs.*.outputs.n", "?needs.build.outputs truthy"),
    ]);
}

#[test]
fn what_the_known_part_decides_is_known() {
    table(&[
        ("false && u", "false"),
        ("true || u", "true"),
        ("needs.build.nothing", "null"),
        ("needs.plan.outputs.n", "\"1\""),
        ("contains(list, 'K')", "true"),
        ("contains(list, 'z')", "?list[1]"),
        ("contains(needs.*.result, 'success')", "true"),
        ("contains(needs.*.result, 'failure')", "?needs.build.result"),
        ("list[0]", "\"k\""),
        ("format('{0}', 1, u)", "\"1\""),
        ("case(true, 1, u)", "1"),
        ("!toJSON(u)", "false"),
        ("!(u && false)", "true"),
    ]);
}

#[test]
fn truthiness_is_known_where_every_outcome_agrees() {
    table(&[
        ("u && false", "?u falsy"),
        ("u && ''", "?u falsy"),
        ("u || true", "?u truthy"),
        ("u && 'x'", "?u"),
        ("u || false", "?u"),
        ("u && 'x' || 'y'", "?u truthy"),
        ("u && list[1] && 0", "?list[1],u falsy"),
        ("u && false && list[1]", "?u falsy"),
        ("toJSON(u) && list[1]", "?list[1]"),
        ("toJSON(u) || list[1]", "?u truthy"),
        ("(u || true) && 0", "0"),
        ("case(u, 1, 2)", "?u truthy"),
        ("case(u, 0, 2)", "?u"),
        ("case(u, 1, list[1], 1, true, 1, 0)", "?list[1],u truthy"),
        ("case(u, list[1], 1)", "?list[1],u"),
        ("case(u == 1, '', null)", "?u falsy"),
    ]);
}

#[test]
fn what_may_not_be_evaluated_may_not_fail() {
    table(&[
        ("u && fromJSON('')", "?u"),
        ("u || fromJSON('')", "?u"),
        ("case(u, 1, fromJSON(''))", "?u"),
        ("case(u, fromJSON(''), 1)", "?u"),
        ("case(u, 1, 'no boolean', 2, 3)", "?u"),
    ]);
}

#[test]
fn functions_refuse_with_a_reason() {
    for (text, problem, at) in [
        ("fromJSON(o.x)", Problem::Json, "o.x"),
        ("1 == fromJSON('Array')", Problem::Json, "'Array'"),
        ("format('{0')", Problem::Format, "'{0'"),
        ("format('{1}', 1)", Problem::Format, "'{1}'"),
        ("format('{0:x}', 1)", Problem::Format, "'{0:x}'"),
        ("case('true', 1, 2)", Problem::Predicate, "'true'"),
        ("hashFiles() == ''", Problem::ArgumentCount, "hashFiles"),
    ] {
        let error = eval(text).unwrap_err();
        assert_eq!((error.problem(), &text[error.span()]), (&problem, at), "{text}");
        assert!(problem == Problem::ArgumentCount || error.kind() == ErrorKind::Evaluation);
    }
    let error = eval("fromJSON(o.x)").unwrap_err();
    assert_eq!(error.advice(), Some("give a default: fromJSON(o.x || '[]')"));
    assert!(eval("fromJSON('[Array]')").unwrap_err().advice().unwrap().contains("toJSON"));
}

#[test]
fn a_name_that_the_scope_does_not_know_is_an_error() {
    let error = eval("1 == nothing.x").unwrap_err();
    assert_eq!((error.kind(), error.span()), (ErrorKind::Parsing, 5..12));
    assert_eq!(shown("true || nothing"), "true");
}

#[test]
fn json_is_written_and_read_as_the_runner_does() {
    table(&[
        ("toJSON(a[4])", "\"{\\n  \\\"X\\\": 2,\\n  \\\"y\\\": [\\n    7,\\n    8\\n  ]\\n}\""),
        ("toJSON(fromJSON('[]'))", "\"[]\""),
        ("toJSON(0.00001)", "\"1E-05\""),
        ("toJSON(NaN)", "\"NaN\""),
        ("fromJSON('[1,]')", "[1]"),
        ("fromJSON('{a: 1, ''A'': 2} rest')", "{\"a\":2}"),
    ]);
}
