//! What templates are taken apart into, and what they give.

use super::super::{Allowed, Array, ErrorKind, Object, Truthiness, truthiness};
use super::*;

struct World;

impl Scope for World {
    fn named_value(&self, name: &str) -> Option<Value> {
        Some(match name {
            "n" => 1.5.into(),
            "list" => Array::new([1.0.into()]).into(),
            "o" => Object::new([]).into(),
            "u" => Value::unknown("u"),
            "v" => Value::unknown("v"),
            "e" => "".into(),
            _ => return None,
        })
    }
}

fn value(text: &str) -> Value {
    Template::parse(text, &Allowed::ANYTHING).unwrap().evaluate(&World).unwrap()
}

fn shown(text: &str) -> String {
    value(text).to_text().unwrap().into_owned()
}

#[test]
fn one_expression_keeps_its_type() {
    assert!(matches!(value("${{ list }}"), Value::Array(_)));
    assert!(matches!(value("${{n}}"), Value::Number(1.5)));
    assert!(matches!(value(""), Value::Str(text) if text.is_empty()));
    assert_eq!(shown(" ${{ list }}"), " Array");
}

#[test]
fn several_parts_become_text() {
    for (text, expected) in [
        ("plain {0} it's", "plain {0} it's"),
        ("[${{ list }}]", "[Array]"),
        ("${{ o }}${{ n }}", "Object1.5"),
        ("a=${{ null }}|${{ true }}|${{ e }}", "a=|true|"),
        ("${{ '}}' }}!", "}}!"),
        ("${{ 'it''s }}' }}", "it's }}"),
        ("{a} ${{ 1 }} {{b}} it's", "{a} 1 {{b}} it's"),
        ("$ {{ n }} ${ n }", "$ {{ n }} ${ n }"),
        ("${{ '${{' }}x", "${{x"),
        ("é${{ 'é' }}é", "ééé"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn an_unknown_part_makes_the_whole_unknown() {
    for (text, truthy) in [
        ("${{ u }}${{ v }}", Truthiness::Unknown),
        ("a${{ u }}${{ v }}", Truthiness::Known(true)),
        ("${{ u }}${{ n }}${{ v }}", Truthiness::Known(true)),
        ("${{ u }}${{ e }}${{ v }}", Truthiness::Unknown),
    ] {
        let value = value(text);
        assert_eq!(truthiness(&value), truthy, "{text}");
        let names: Vec<String> = value.unknowns().unwrap().depends_on().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["u", "v"], "{text}");
    }
}

#[test]
fn spans_are_those_of_the_template() {
    let text = "é ${{ a.b }} - ${{contains(c, 'd')}}";
    let template = Template::parse(text, &Allowed::ANYTHING).unwrap();
    let parts: Vec<&str> = template
        .parts()
        .iter()
        .map(|part| match part {
            Part::Text(span) | Part::Expr { span, .. } => &text[span.clone()],
        })
        .collect();
    assert_eq!(parts, ["é ", "${{ a.b }}", " - ", "${{contains(c, 'd')}}"]);
    for expr in template.expressions() {
        assert!(expr.nodes().all(|node| &text[node.span()] == node.text()));
        assert_eq!(&text[expr.span()], expr.text());
    }
}

fn refused(text: &str) -> (Problem, String, String) {
    let error = Template::parse(text, &Allowed::ANYTHING).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Template);
    (error.problem().clone(), text[error.span()].to_owned(), error.advice().unwrap_or_default().to_owned())
}

#[test]
fn refusals_point_into_the_template() {
    for (text, problem, at) in [
        ("a ${{ n", Problem::UnclosedExpression, "${{ n"),
        ("${{ n }", Problem::UnclosedExpression, "${{ n }"),
        ("${{ n }} ${{ 'x }}", Problem::UnclosedExpression, "${{ 'x }}"),
        ("a ${{ }}", Problem::EmptyExpression, "${{ }}"),
        ("${{}}", Problem::EmptyExpression, "${{}}"),
        ("é ${{ n + 1 }}", Problem::BadToken, "+"),
        ("${{ n }} ${{ n n }}", Problem::UnexpectedToken, "n"),
    ] {
        let (found, pointed, _) = refused(text);
        assert_eq!((found, pointed.as_str()), (problem, at), "{text}");
    }
    assert!(refused("${{ 'x }}").2.contains("quote"));
}

#[test]
fn limits_count_the_whole_text() {
    let text = |length: usize| format!("{}${{{{ n }}}}", "x".repeat(length));
    // format('xxx{0}', n)
    let longest = MAX_LENGTH - "format('{0}', n)".len();
    assert!(Template::parse(&text(longest), &Allowed::ANYTHING).is_ok());
    assert_eq!(refused(&text(longest + 1)).0, Problem::TooLong);
    assert_eq!(refused(&format!("'{}", text(longest - 1))).0, Problem::TooLong);
    assert!(Template::parse(&"x".repeat(100_000), &Allowed::ANYTHING).is_ok());
    assert!(Template::parse(&"${{n}}".repeat(254), &Allowed::ANYTHING).is_ok());
    assert_eq!(refused(&"${{n}}".repeat(255)).0, Problem::ArgumentCount);
    let deep = format!("${{{{ {}n }}}}", "!".repeat(49));
    assert!(Template::parse(&deep, &Allowed::ANYTHING).is_ok());
    assert_eq!(refused(&format!("a{deep}")).0, Problem::TooDeep);
}

#[test]
fn conditions_need_no_braces() {
    let condition = |text: &str| Template::parse_condition(text, &Allowed::ANYTHING);
    assert!(condition("n == 1.5").unwrap().evaluate(&World).unwrap().is_truthy().unwrap());
    assert!(condition("${{ n == 1 }}").unwrap().as_expression().is_some());
    // A text, and thus true: a trap that GitHub sets.
    assert_eq!(condition("${{ false }} ").unwrap().evaluate(&World).unwrap().is_truthy(), Some(true));
    assert_eq!(condition("n n").unwrap_err().kind(), ErrorKind::Parsing);
    assert!(Template::parse("x", &Allowed::ANYTHING).unwrap().is_literal());
    assert_eq!(Template::parse("${{ 'x' }}", &Allowed::ANYTHING).unwrap().as_text(), Some("x"));
    assert_eq!(Template::parse("${{ n }}", &Allowed::ANYTHING).unwrap().as_text(), None);
}
