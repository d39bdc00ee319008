//! What only the runner, or somebody in its place, can answer: `hashFiles` and the status functions.

use super::super::ast::Node;
use super::super::error::{Error, ErrorKind, Problem};
use super::super::eval::Evaluator;
use super::super::unknown::Unknown;
use super::super::value::Value;
use super::StatusFunction;

pub(super) fn hash_files(evaluator: &mut Evaluator<'_>, node: Node<'_>) -> Result<Value, Error> {
    let mut patterns = Vec::new();
    let mut unknowns = Vec::new();
    for argument in node.children() {
        let pattern = evaluator.eval(argument)?;
        match pattern.to_text() {
            Ok(text) => patterns.push(text.into_owned()),
            Err(unknown) => unknowns.push(unknown),
        }
    }
    if let Some(unknown) = Unknown::of_all(&unknowns) {
        return Ok(unknown.into());
    }
    evaluator.scope.hash_files(&patterns).map_err(|reason| {
        let message = format!("hashFiles failed: {reason}");
        Error::new(ErrorKind::Evaluation, Problem::HashFiles, node.span(), message)
    })
}

pub(super) fn status(evaluator: &mut Evaluator<'_>, node: Node<'_>, which: StatusFunction) -> Result<Value, Error> {
    let mut jobs = Vec::new();
    for argument in node.children() {
        jobs.push(evaluator.eval(argument)?.into_owned());
    }
    Ok(evaluator.scope.status(which, &jobs))
}
