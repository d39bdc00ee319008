//! Variables that a script reads as if they were set, and nobody exports.

use super::super::contract::{Class, Unset};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};

pub(super) const RULE: Rule = Rule { code: Code::EnvNeverSet, name: "env-never-set", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for one in repository.contract().unset(repository).iter().filter(|one| one.class == Class::Bare) {
        let message = format!("`{}` is read, and nothing exports or assigns it", one.name);
        let diagnostic = Diagnostic::error(Code::EnvNeverSet, message).at(one.source, one.span.clone());
        found.push(with_others(diagnostic, one).help(advice(one, "export it where the launcher is started")));
    }
}

/// The other places of one file, as far as anybody wants to read them.
pub(super) fn with_others(mut diagnostic: Diagnostic, one: &Unset<'_>) -> Diagnostic {
    const SHOWN: usize = 3;
    for other in one.others.iter().take(SHOWN) {
        diagnostic = diagnostic.related(one.source, other.clone(), "read here too");
    }
    diagnostic
}

/// The exported name that was meant, or else what to do.
pub(super) fn advice(one: &Unset<'_>, otherwise: &str) -> String {
    match one.near {
        Some(near) if one.is_renamed => format!("did you mean `{near}`, which is exported?"),
        Some(near) => format!("the nearest exported name is `{near}`; if it is another thing, {otherwise}"),
        None => format!("{otherwise}, or remove it"),
    }
}
