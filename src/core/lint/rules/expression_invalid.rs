//! Expressions that cannot be parsed.

use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::Problem;

pub(super) const RULE: Rule = Rule { code: Code::WorkflowExpression, name: "expression-invalid", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (_, site) in repository.sites() {
        let Err(error) = &site.template else { continue };
        if matches!(error.problem(), Problem::TooLong | Problem::TooDeep) {
            continue;
        }
        let diagnostic =
            Diagnostic::error(Code::WorkflowExpression, error.message()).at(site.source(), site.locate(error.span()));
        found.push(match error.advice() {
            Some(advice) => diagnostic.help(advice),
            None => diagnostic,
        });
    }
}
