//! Variables that a launcher assigns without exporting them, and a script that it starts reads.

use hashbrown::HashSet;

use super::super::contract::Class;
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};

pub(super) const RULE: Rule = Rule { code: Code::EnvNotExported, name: "env-not-exported", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let mut seen = HashSet::new();
    for one in repository.contract().unset(repository).iter().filter(|one| one.class == Class::NotExported) {
        let Some((source, span)) = &one.set_at else { continue };
        // One assignment, however many scripts miss it.
        if !seen.insert((source.name(), span.start)) {
            continue;
        }
        let position = one.source.position(one.span.start);
        let place = format!("{}:{}", one.source.name(), position.line);
        let message = format!("`{}` is assigned and not exported, and {place} reads it in another process", one.name);
        let diagnostic = if one.is_needed {
            Diagnostic::error(Code::EnvNotExported, message)
        } else {
            Diagnostic::warning(Code::EnvNotExported, message)
        };
        let what =
            if one.is_needed { "read here, where it is not set" } else { "read here, where its default always holds" };
        found.push(
            diagnostic
                .at(source, span.clone())
                .related(one.source, one.span.clone(), what)
                .help(format!("write `export {}=…`", one.name)),
        );
    }
}
