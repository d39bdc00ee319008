//! `join`.

use std::borrow::Cow;

use super::super::ast::Node;
use super::super::error::Error;
use super::super::eval::Evaluator;
use super::super::unknown::Unknown;
use super::super::value::Value;
use super::argument;

/// The items of an array with a separator between them; a primitive as it is; nothing for an object.
pub(super) fn join(evaluator: &mut Evaluator<'_>, node: Node<'_>) -> Result<Value, Error> {
    let items = evaluator.look(argument(node, 0))?.value;
    let array = match &*items {
        Value::Array(array) => array.items(),
        Value::Object(_) => return Ok("".into()),
        Value::Unknown(unknown) => return Ok(unknown.computed().into()),
        primitive => return Ok(primitive.as_text()),
    };
    let separator = match node.children().nth(1).filter(|_| array.len() > 1) {
        Some(separator) => evaluator.eval(separator)?,
        None => Cow::Owned(",".into()),
    };
    let unknowns = array.iter().chain([&*separator]).filter_map(|value| match value {
        Value::Unknown(unknown) => Some(unknown),
        _ => None,
    });
    if let Some(unknown) = Unknown::of_all(unknowns) {
        return Ok(unknown.into());
    }
    let separator = if separator.is_primitive() { separator.to_text().unwrap_or_default() } else { ",".into() };
    let mut text = evaluator.builder(node);
    for (index, item) in array.iter().enumerate() {
        if index > 0 {
            text.push(&separator)?;
        }
        text.push_value(item)?;
    }
    Ok(text.finish())
}
