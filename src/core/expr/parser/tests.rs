//! What parses, as what, and what is said when it does not.

use super::super::{Allowed, Node, Object, Problem, Signature, scope::Names};
use super::*;

/// The tree with every operation in parentheses.
fn tree(node: Node<'_>) -> String {
    let children: Vec<String> = node.children().map(tree).collect();
    match node.kind() {
        NodeKind::Literal(value) => super::super::to_json(value, false),
        NodeKind::Name => node.text().to_owned(),
        NodeKind::Property => format!("{:?}", node.text()),
        NodeKind::Wildcard => "*".into(),
        NodeKind::Index => format!("{}[{}]", children[0], children[1]),
        NodeKind::Not => format!("(!{})", children[0]),
        NodeKind::Compare(comparison) => format!("({} {comparison:?} {})", children[0], children[1]),
        NodeKind::And => format!("({})", children.join(" && ")),
        NodeKind::Or => format!("({})", children.join(" || ")),
        NodeKind::Call(function) => format!("{}({})", function.name(), children.join(", ")),
    }
}

fn parsed(text: &str) -> String {
    tree(parse(text, &Allowed::ANYTHING).unwrap().root().unwrap())
}

#[test]
fn operators_bind_as_they_should() {
    for (text, expected) in [
        ("a || b && c == d < !e.f", "(a || (b && (c Equal (d Less (!e[\"f\"])))))"),
        ("a < b < c", "((a Less b) Less c)"),
        ("a == b != c", "((a Equal b) NotEqual c)"),
        ("!!a && b", "((!(!a)) && b)"),
        ("!(a || b)", "(!(a || b))"),
        ("a && (b && c) && d", "(a && b && c && d)"),
        ("a || (b || (c)) || d && e", "(a || b || c || (d && e))"),
        ("a.b[c.d].*[0]", "a[\"b\"][c[\"d\"]][*][0]"),
        ("JOIN(a, ',')[1]", "join(a, \",\")[1]"),
        ("(a).b", "a[\"b\"]"),
        ("a . true", "a[\"true\"]"),
        ("-.5 >= +1", "(-0.5 GreaterOrEqual 1)"),
        ("success ( )", "success()"),
    ] {
        assert_eq!(parsed(text), expected, "{text}");
    }
    assert!(parse("  ", &Allowed::ANYTHING).unwrap().root().is_none());
}

#[test]
fn spans_cover_what_a_node_was_written_as() {
    let text = " (a || b.c) && !contains( x , 'y' ) ";
    let expr = parse(text, &Allowed::ANYTHING).unwrap();
    let texts: Vec<&str> = expr.nodes().map(|node| node.text()).collect();
    let expected = [
        "(a || b.c) && !contains( x , 'y' )",
        "a || b.c",
        "a",
        "b.c",
        "b",
        "c",
        "!contains( x , 'y' )",
        "contains( x , 'y' )",
        "x",
        "'y'",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn references_are_dotted_however_they_are_written() {
    for (text, reference) in [
        ("needs.plan.outputs.points", Some("needs.plan.outputs.points")),
        ("needs['plan'].outputs['a b']", Some("needs.plan.outputs.a b")),
        ("needs.*.result", Some("needs.*.result")),
        ("a[b]", None),
        ("a[0]", None),
        ("fromJSON(a).b", None),
    ] {
        let expr = parse(text, &Allowed::ANYTHING).unwrap();
        assert_eq!(expr.root().unwrap().reference().as_deref(), reference, "{text}");
    }
    assert!(parse("a && !FAILURE()", &Allowed::ANYTHING).unwrap().asks_for_status());
    assert!(!parse("'failure()'", &Allowed::ANYTHING).unwrap().asks_for_status());
}

fn refused(text: &str, allowed: &Allowed<'_>) -> (Problem, String, String) {
    let error = parse(text, allowed).unwrap_err();
    (error.problem().clone(), text[error.span()].to_owned(), error.advice().unwrap_or_default().to_owned())
}

#[test]
fn refusals_point_at_the_symbol_and_say_what_to_write() {
    use Problem::{ArgumentCount, UnexpectedEnd, UnexpectedToken};
    for (text, problem, at, advice) in [
        ("a ==", UnexpectedEnd, "==", "an operand is missing"),
        ("(a", UnexpectedEnd, "a", "closing `)`"),
        ("a[1", UnexpectedEnd, "1", "closing `]`"),
        ("join(a", UnexpectedEnd, "a", "`)` of join"),
        ("a.", UnexpectedEnd, ".", "operand"),
        ("a == [1, 2]", UnexpectedToken, "[", "fromJSON('[...]')"),
        ("contains([1], 1)", UnexpectedToken, "[", "fromJSON('[...]')"),
        ("a b", UnexpectedToken, "b", "an operator is missing"),
        ("a)", UnexpectedToken, ")", "closes what was not opened"),
        ("(a, b)", UnexpectedToken, ",", "function"),
        ("a.b()", UnexpectedToken, "(", "functions"),
        ("2 * 3", UnexpectedToken, "*", "multiply"),
        ("'a'.b", UnexpectedToken, ".", "parentheses"),
        ("a[(*)]", UnexpectedToken, "*", "selects"),
        ("join(a,)", UnexpectedToken, ")", "operand"),
        ("&& a", UnexpectedToken, "&&", "operand"),
        ("a.1", UnexpectedToken, "1", ""),
        ("join()", ArgumentCount, "join", ""),
        ("toJSON(a, b)", ArgumentCount, "toJSON", ""),
        ("always(a)", ArgumentCount, "always", ""),
        ("case(a, b, c, d)", ArgumentCount, "case", "default"),
    ] {
        let (found, symbol, said) = refused(text, &Allowed::ANYTHING);
        assert_eq!((found, symbol.as_str()), (problem, at), "{text}");
        assert!(said.contains(advice), "{text}: {said}");
    }
}

#[test]
fn only_allowed_names_and_functions_exist() {
    let allowed = Allowed { names: Names::Only(&["github", "needs"]), functions: &[Signature::EVERYWHERE] };
    assert!(parse("GitHub.ref == needs.a.result", &allowed).is_ok());
    for (text, problem, advice) in [
        ("matrix.x", Problem::UnknownName("matrix".into()), "github, needs"),
        ("githb.ref", Problem::UnknownName("githb".into()), "`github`"),
        ("TRUE", Problem::UnknownName("TRUE".into()), "true"),
        ("success()", Problem::UnknownFunction("success".into()), "if:"),
        ("hashFiles('x')", Problem::UnknownFunction("hashFiles".into()), "steps"),
        ("containz(1, 1)", Problem::UnknownFunction("containz".into()), "`contains`"),
        ("nothing_like(1)", Problem::UnknownFunction("nothing_like".into()), "startsWith"),
    ] {
        let (found, _, said) = refused(text, &allowed);
        assert_eq!(found, problem, "{text}");
        assert!(said.contains(advice), "{text}: {said}");
    }
    let none = Object::new([]);
    let nothing = Allowed { names: Names::MembersOf(&none), functions: &[] };
    assert!(refused("x", &nothing).2.contains("no context"));
    let of_step = Allowed { names: Names::Any, functions: &[Signature::STATUS_OF_STEP] };
    assert_eq!(refused("success('a')", &of_step).0, Problem::ArgumentCount);
}

#[test]
fn limits_are_those_of_the_runner() {
    let long = |length: usize| format!("'{}'", "x".repeat(length - 2));
    assert!(parse(&long(21_000), &Allowed::ANYTHING).is_ok());
    assert_eq!(refused(&long(21_001), &Allowed::ANYTHING).0, Problem::TooLong);
    // Characters outside the basic plane count twice.
    assert!(parse(&format!("'{}'", "😀".repeat(10_499)), &Allowed::ANYTHING).is_ok());
    assert!(parse(&format!("'{}'", "😀".repeat(10_500)), &Allowed::ANYTHING).is_err());
    let nots = |count: usize| format!("{}1", "!".repeat(count));
    assert!(parse(&nots(49), &Allowed::ANYTHING).is_ok());
    assert_eq!(refused(&nots(50), &Allowed::ANYTHING).0, Problem::TooDeep);
}
