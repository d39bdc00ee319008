//! `case`.

use std::borrow::Cow;

use super::super::ast::Node;
use super::super::error::{Error, ErrorKind, Problem};
use super::super::eval::Evaluator;
use super::super::unknown::Unknown;
use super::super::value::Value;

/// A choice that nobody can make yet: a predicate is unknown, and each of some values may be the one.
struct Open {
    unknown: Unknown,
    /// The truthiness of every value seen so far, if they agree.
    agreed: Option<bool>,
}

impl Open {
    /// Adds a predicate that is not known, and the value behind it.
    fn add(open: Option<Self>, predicate: &Unknown, value: Result<Value, Error>) -> Self {
        let truthy = value.as_ref().ok().and_then(Value::is_truthy);
        let (unknown, agreed) = match open {
            None => (predicate.computed(), truthy),
            Some(open) => (open.unknown.union(predicate), open.agreed.filter(|_| open.agreed == truthy)),
        };
        match value {
            Ok(Value::Unknown(value)) => Self { unknown: unknown.union(&value), agreed },
            _ => Self { unknown, agreed },
        }
    }

    fn finish(self) -> Value {
        match self.agreed {
            Some(truthy) => self.unknown.certainly(truthy).into(),
            None => self.unknown.into(),
        }
    }
}

/// The value behind the first predicate that is true, or the last argument. Predicates must be booleans.
pub(super) fn case(evaluator: &mut Evaluator<'_>, node: Node<'_>) -> Result<Value, Error> {
    let mut arguments = node.children();
    let mut open: Option<Open> = None;
    while let Some(argument) = arguments.next() {
        let chosen = match arguments.next() {
            // The default stands alone.
            None => argument,
            Some(value) => match (evaluator.eval(argument).map(Cow::into_owned), &open) {
                (Ok(Value::Bool(false)), _) => continue,
                (Ok(Value::Bool(true)), _) => value,
                (Ok(Value::Unknown(unknown)), _) => {
                    let value = evaluator.eval(value).map(Cow::into_owned);
                    open = Some(Open::add(open, &unknown, value));
                    continue;
                }
                // Whether this predicate is evaluated is not known, so neither is whether it fails.
                (_, Some(open)) => return Ok(open.unknown.computed().into()),
                (Ok(other), None) => return Err(no_boolean(argument, &other)),
                (Err(error), None) => return Err(error),
            },
        };
        let Some(open) = open else { return evaluator.eval(chosen).map(Cow::into_owned) };
        let unknown = open.unknown.clone();
        return Ok(Open::add(Some(open), &unknown, evaluator.eval(chosen).map(Cow::into_owned)).finish());
    }
    Ok(Value::Null)
}

fn no_boolean(predicate: Node<'_>, value: &Value) -> Error {
    let kind = value.kind().map_or("Unknown", |kind| kind.name());
    let message = format!("`{}` is a predicate of case and gives {kind}, expected Boolean", predicate.text());
    Error::new(ErrorKind::Evaluation, Problem::Predicate, predicate.span(), message)
        .help("case coerces nothing: compare the value, for example with != ''")
}
