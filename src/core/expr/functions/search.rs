//! `contains`, `startsWith`, `endsWith`.

use super::super::ast::Node;
use super::super::error::Error;
use super::super::eval::{Evaluator, equals};
use super::super::fold;
use super::super::unknown::Unknown;
use super::super::value::Value;
use super::argument;

/// In a text: whether it holds the other one. In an array: whether one item equals it. In anything else: no.
pub(super) fn contains(evaluator: &mut Evaluator<'_>, node: Node<'_>) -> Result<Value, Error> {
    let place = evaluator.eval(argument(node, 0))?;
    match &*place {
        Value::Object(_) => Ok(Value::Bool(false)),
        Value::Array(array) if array.items().is_empty() => Ok(Value::Bool(false)),
        Value::Array(array) => {
            let wanted = evaluator.eval(argument(node, 1))?;
            let mut unknown: Option<Unknown> = None;
            for item in array.items() {
                match equals(&wanted, item) {
                    Ok(true) => return Ok(Value::Bool(true)),
                    Ok(false) => {}
                    Err(found) => unknown = Some(unknown.map_or(found.clone(), |all| all.union(&found))),
                }
            }
            Ok(unknown.map_or(Value::Bool(false), |unknown| unknown.computed().into()))
        }
        _ => texts(evaluator, &place, argument(node, 1), fold::contains),
    }
}

/// `startsWith` and `endsWith`: of two texts; of anything else no.
pub(super) fn affix(
    evaluator: &mut Evaluator<'_>,
    node: Node<'_>,
    test: fn(&str, &str) -> bool,
) -> Result<Value, Error> {
    let text = evaluator.eval(argument(node, 0))?;
    match &*text {
        Value::Object(_) | Value::Array(_) => Ok(Value::Bool(false)),
        _ => texts(evaluator, &text, argument(node, 1), test),
    }
}

fn texts(
    evaluator: &mut Evaluator<'_>,
    text: &Value,
    other: Node<'_>,
    test: fn(&str, &str) -> bool,
) -> Result<Value, Error> {
    let other = evaluator.eval(other)?;
    Ok(match (text, &*other) {
        (Value::Unknown(a), Value::Unknown(b)) => a.union(b).into(),
        (_, Value::Array(_) | Value::Object(_)) if !matches!(text, Value::Unknown(_)) => Value::Bool(false),
        _ => match (text.to_text(), other.to_text()) {
            (Ok(text), Ok(other)) => Value::Bool(test(&text, &other)),
            (Err(unknown), _) | (_, Err(unknown)) => unknown.computed().into(),
        },
    })
}
