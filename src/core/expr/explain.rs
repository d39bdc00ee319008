//! Why an expression came out as it did.

use std::ops::Range;

use super::ast::{Expr, Node, NodeKind};
use super::error::Error;
use super::eval::Evaluator;
use super::scope::Scope;
use super::value::Value;

/// The smallest part of an expression that decided whether it is true.
#[derive(Debug, Clone)]
pub struct Because {
    /// Its bytes in the text that was parsed.
    pub span: Range<usize>,
    /// Its text.
    pub text: String,
    /// Its own value, before any `!` in front of it. An unknown one says on what it depends.
    pub value: Value,
}

/// Finds the part that decided: the operand that made a conjunction false or a disjunction true, as deep as that goes;
/// a conjunction that is true, or a disjunction that is false, was decided by all of it. When the result is unknown, it is
/// the part that must be known. `None` for an expression without any token.
pub fn because(expr: &Expr, scope: &dyn Scope) -> Result<Option<Because>, Error> {
    let Some(mut node) = expr.root() else { return Ok(None) };
    let mut evaluator = Evaluator::new(scope);
    loop {
        evaluator.release(0);
        let value = evaluator.eval(node)?;
        match decisive(&mut evaluator, node, &value) {
            Some(deeper) => node = deeper,
            None => {
                let value = value.into_owned();
                return Ok(Some(Because { span: node.span(), text: node.text().to_owned(), value }));
            }
        }
    }
}

/// The operand that alone decided, if one did.
fn decisive<'e>(evaluator: &mut Evaluator<'_>, node: Node<'e>, value: &Value) -> Option<Node<'e>> {
    let stop = match node.kind() {
        NodeKind::Not => return node.children().next(),
        NodeKind::And => false,
        NodeKind::Or => true,
        _ => return None,
    };
    let mut open = Vec::new();
    for operand in node.children() {
        evaluator.release(0);
        // What failed was not needed, or the whole would have failed.
        let truthy = evaluator.eval(operand).ok().map(|value| value.is_truthy());
        match truthy {
            Some(Some(truthy)) if truthy == stop => return Some(operand),
            Some(None) => open.push(operand),
            _ => {}
        }
    }
    match (open.as_slice(), value.is_truthy()) {
        ([only], None) => Some(*only),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
