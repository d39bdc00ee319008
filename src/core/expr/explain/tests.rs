//! Which part is named for which expression.

use super::super::{Allowed, Contexts, Scope, Template, json::read_json, parse, to_json};
use super::*;

struct World(Contexts);

impl Scope for World {
    fn named_value(&self, name: &str) -> Option<Value> {
        if name == "u" || name == "v" { Some(Value::unknown(name)) } else { self.0.named_value(name) }
    }
}

fn world() -> World {
    let json = read_json("{\"t\": true, \"f\": false, \"n\": 3, \"s\": \"\", \"list\": [\"a\"]}").unwrap();
    match Value::from(json) {
        Value::Object(object) => World(Contexts::new(object)),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn the_smallest_part_that_decided_is_named() {
    for (text, part, value) in [
        ("t", "t", "true"),
        ("t && f && n == 3", "f", "false"),
        ("t && (n == 4 && f)", "n == 4", "false"),
        ("t && n == 3", "t && n == 3", "true"),
        ("f || n == 3 || t", "n == 3", "true"),
        ("f || s", "f || s", "\"\""),
        ("f || (t && n)", "t && n", "3"),
        ("t && !contains(list, 'A')", "contains(list, 'A')", "true"),
        ("!(f || t)", "t", "true"),
        ("!!(f && t)", "f", "false"),
        ("(t && n < 3) == true", "(t && n < 3) == true", "false"),
        ("case(t, f, t)", "case(t, f, t)", "false"),
        ("u && f", "f", "false"),
        ("u || t", "t", "true"),
        ("t && u", "u", "null"),
        ("f || !u.x", "u.x", "null"),
        ("u && v", "u && v", "null"),
        ("t && (u || v)", "u || v", "null"),
        ("fromJSON('[]') && t && s", "s", "\"\""),
    ] {
        let expr = parse(text, &Allowed::ANYTHING).unwrap();
        let because = because(&expr, &world()).unwrap().unwrap();
        assert_eq!((because.text.as_str(), to_json(&because.value, false).as_str()), (part, value), "{text}");
        assert_eq!(&text[because.span], part);
    }
}

#[test]
fn unknown_parts_say_on_what_they_depend() {
    let expr = parse("t && !(u.x == 1)", &Allowed::ANYTHING).unwrap();
    let because = because(&expr, &world()).unwrap().unwrap();
    assert_eq!(because.text, "u.x == 1");
    let names: Vec<String> = because.value.unknowns().unwrap().depends_on().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["u.x"]);
}

#[test]
fn spans_in_templates_are_those_of_the_template() {
    let text = "${{ t && n == 4 }}";
    let template = Template::parse_condition(text, &Allowed::ANYTHING).unwrap();
    let because = because(template.as_expression().unwrap(), &world()).unwrap().unwrap();
    assert_eq!(&text[because.span], "n == 4");
}

#[test]
fn nothing_has_no_reason_and_an_error_is_one() {
    assert!(because(&parse("", &Allowed::ANYTHING).unwrap(), &world()).unwrap().is_none());
    assert!(because(&parse("fromJSON('')", &Allowed::ANYTHING).unwrap(), &world()).is_err());
}
