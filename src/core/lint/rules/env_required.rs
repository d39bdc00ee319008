//! Variables that a script requires, and nobody exports: it always stops.

use super::super::contract::Class;
use super::super::{Findings, Repository};
use super::Rule;
use super::env_never_set::advice;
use crate::core::diag::{Code, Diagnostic};

pub(super) const RULE: Rule = Rule { code: Code::EnvRequired, name: "env-required", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for one in repository.contract().unset(repository).iter().filter(|one| one.class == Class::Required) {
        let message = format!("`{}` is required, and nothing exports it: the script always stops here", one.name);
        let diagnostic = Diagnostic::error(Code::EnvRequired, message).at(one.source, one.span.clone());
        found.push(diagnostic.help(advice(one, "export it in the workflow")));
    }
}
