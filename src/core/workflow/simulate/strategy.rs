//! The legs of a job: its matrix, evaluated, or what is known of it.

use std::sync::Arc;

use super::matrix::{Leg, idle_exclude_keys, legs};
use super::run::Run;
use super::scope::Place;
use super::settings::{Expected, what_it_is};
use super::sight::Sight;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Object, Value};
use crate::core::workflow::Job;
use crate::core::workflow::read::first_line;
use crate::core::yaml::{Kind, NodeRef};

impl<'d> Run<'_, 'd> {
    /// The legs of the matrix; one without values where there is none, or where it is unknown. `None` when GitHub
    /// refuses it, which is reported.
    pub(super) fn matrix(&mut self, job: &Job<'d>, place: &Place) -> Option<Vec<LegOf>> {
        let Some(strategy) = &job.strategy else { return Some(vec![LegOf::Whole]) };
        self.check_setting(strategy.fail_fast, Expected::Truth, Sight::Strategy, place);
        self.check_setting(strategy.max_parallel, Expected::Number, Sight::Strategy, place);
        // An expression may stand for the matrix, or for all of the strategy.
        let node = match strategy.node.kind() {
            Kind::Map => match strategy.matrix {
                Some(matrix) => matrix,
                None => return Some(vec![LegOf::Whole]),
            },
            Kind::Str(_) if is_expression(strategy.node) => strategy.node,
            // The reader has said that it is no mapping.
            _ => return None,
        };
        let mut value = self.evaluator.value(node, Sight::Strategy, place, self.found)?;
        if !matches!(strategy.node.kind(), Kind::Map) {
            value = match value {
                Value::Object(whole) => match whole.get("matrix") {
                    Some(matrix) => matrix.clone(),
                    None => return Some(vec![LegOf::Whole]),
                },
                other => other,
            };
        }
        let matrix = match value {
            unknown @ Value::Unknown(_) => return Some(vec![LegOf::Unknown(unknown)]),
            Value::Object(matrix) => matrix,
            other => {
                let message = format!("the matrix is {}, expected a mapping of vectors", what_it_is(&other));
                self.found.push(
                    Diagnostic::error(Code::WorkflowMatrix, message)
                        .at(node.source(), first_line(node))
                        .help("give vectors by name, or a text that holds them with fromJSON"),
                );
                return None;
            }
        };
        if matrix.iter().any(|(_, vector)| matches!(vector, Value::Unknown(_))) {
            return Some(vec![LegOf::Unknown(unknown_leg(&matrix))]);
        }
        for key in idle_exclude_keys(&matrix) {
            let site = node.entry("exclude").map_or(node, |(key, _)| key);
            let message = format!("`exclude` names `{key}`, which the matrix of `{}` does not have", job.id);
            let diagnostic = Diagnostic::warning(Code::WorkflowMatrix, message)
                .at(node.source(), first_line(site))
                .help("such an entry excludes nothing; `include` comes after it");
            self.evaluator.once(site, diagnostic, self.found);
        }
        match legs(&matrix) {
            // Everything excluded: GitHub then runs the job once, without a matrix.
            Ok(legs) if legs.is_empty() => Some(vec![LegOf::Whole]),
            Ok(legs) => Some(legs.into_iter().map(LegOf::Matrix).collect()),
            Err(refused) => {
                let site = refused.key.as_deref().and_then(|key| node.entry(key)).map_or(node, |(key, _)| key);
                let message = format!("{} (job `{}`)", refused.message, job.id);
                self.found.push(
                    Diagnostic::error(Code::WorkflowMatrix, message)
                        .at(node.source(), first_line(site))
                        .help(refused.help),
                );
                None
            }
        }
    }
}

pub(super) fn is_expression(node: NodeRef<'_>) -> bool {
    node.as_str().is_some_and(|text| text.contains("${{"))
}

/// What a leg stands for.
pub(super) enum LegOf {
    /// A job without a matrix.
    Whole,
    /// One combination.
    Matrix(Leg),
    /// All legs of a matrix that is not known: what is known of the matrix context.
    Unknown(Value),
}

/// The matrix context of a leg of a matrix with unknown vectors: of a vector with one value that value is known.
fn unknown_leg(matrix: &Object) -> Value {
    let is_special = |key: &str| key.eq_ignore_ascii_case("include") || key.eq_ignore_ascii_case("exclude");
    if let Some(unknown @ Value::Unknown(_)) = matrix.get("include") {
        return unknown.clone();
    }
    let mut members: Vec<(Arc<str>, Value)> = Vec::new();
    for (key, vector) in matrix.iter().filter(|(key, _)| !is_special(key)) {
        let value = match vector {
            Value::Unknown(_) => vector.clone(),
            Value::Array(vector) if vector.items().len() == 1 => vector.items()[0].clone(),
            _ => Value::unknown(format!("matrix.{key}")),
        };
        members.push((key.into(), value));
    }
    if let Some(Value::Array(entries)) = matrix.get("include") {
        for entry in entries.items() {
            let Value::Object(entry) = entry else { continue };
            members.extend(entry.iter().map(|(key, _)| (key.into(), Value::unknown(format!("matrix.{key}")))));
        }
    }
    Value::Object(Object::new(members))
}

#[expect(clippy::cast_precision_loss, reason = "at most 256")]
pub(super) fn strategy_context(index: usize, total: Option<usize>) -> Value {
    let number = |name: &str, number: Option<usize>| {
        let value = number.map_or_else(|| Value::unknown(format!("strategy.{name}")), |n| Value::Number(n as f64));
        (Arc::from(name), value)
    };
    Value::Object(Object::new([
        number("job-index", total.map(|_| index)),
        number("job-total", total),
        (Arc::from("fail-fast"), Value::unknown("strategy.fail-fast")),
        (Arc::from("max-parallel"), Value::unknown("strategy.max-parallel")),
    ]))
}
