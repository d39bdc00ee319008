//! Variables that are read with a default, and nobody exports: the default always holds.

use super::super::contract::Class;
use super::super::{Findings, Repository};
use super::Rule;
use super::env_never_set::{advice, with_others};
use crate::core::diag::{Code, Diagnostic};

pub(super) const RULE: Rule = Rule { code: Code::EnvDefaultHides, name: "env-default-hides", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for one in repository.contract().unset(repository).iter().filter(|one| one.class == Class::Defaulted) {
        let message = format!("nothing exports `{}`, so its default always holds", one.name);
        let diagnostic = Diagnostic::warning(Code::EnvDefaultHides, message).at(one.source, one.span.clone());
        found.push(with_others(diagnostic, one).help(advice(one, "say with a suppression that it is set by hand")));
    }
}
