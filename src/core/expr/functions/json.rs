//! `toJSON` and `fromJSON`.

use super::super::ast::Node;
use super::super::error::{Error, ErrorKind, Problem};
use super::super::eval::{Evaluator, Seen, utf16_bytes};
use super::super::json::{JsonError, read_lenient};
use super::super::value::Value;
use super::argument;

/// The value as JSON, indented by two.
pub(super) fn to_json(evaluator: &mut Evaluator<'_>, node: Node<'_>) -> Result<Value, Error> {
    let value = evaluator.look(argument(node, 0))?.value;
    if let Some(unknown) = value.unknowns() {
        // Whatever it is, its JSON is not the empty text.
        return Ok(unknown.computed().certainly(true).into());
    }
    let mut text = evaluator.builder(node);
    text.push_json(&value)?;
    Ok(text.finish())
}

/// The value of a JSON text, read as leniently as the runner does.
pub(in super::super) fn from_json<'v>(evaluator: &mut Evaluator<'_>, node: Node<'v>) -> Result<Seen<'v>, Error> {
    let argument = argument(node, 0);
    let mark = evaluator.mark();
    let value = evaluator.eval(argument)?;
    let text = match value.to_text() {
        Ok(text) => text,
        Err(unknown) => return Ok(Seen::own(unknown.computed().into())),
    };
    let read = || read_lenient(&text).map_err(|error| refused(argument, &text, &error));
    let parsed = match (&*value, evaluator.scope.json_cache()) {
        (Value::Str(text), Some(cache)) => Seen::shared(cache.read(text, read)?),
        _ => Seen::own(read()?),
    };
    evaluator.release(mark);
    evaluator.charge(node, utf16_bytes(&text))?;
    Ok(parsed)
}

fn refused(argument: Node<'_>, text: &str, error: &JsonError) -> Error {
    let refuse = |message: String| Error::new(ErrorKind::Evaluation, Problem::Json, argument.span(), message);
    let trimmed = text.trim();
    if trimmed.is_empty() {
        let name = argument.text();
        return refuse(format!("`{name}` is empty, and fromJSON needs JSON"))
            .help(format!("give a default: fromJSON({name} || '[]')"));
    }
    let refusal = refuse(format!("`{}` is not JSON: {error}", argument.text()));
    match trimmed.trim_matches(['[', ']']) {
        "Array" | "Object" => refusal.help(
            "a list or an object was interpolated into a text, where it becomes its type's name: \
             pass it with toJSON(...)",
        ),
        _ => refusal,
    }
}
