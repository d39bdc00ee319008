//! Launchers that are copies of each other.

use hashbrown::HashMap;

use super::super::fleet::launchers;
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};

pub(super) const RULE: Rule = Rule { code: Code::IdenticalLaunchers, name: "identical-launchers", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let by_name: Vec<&str> = launchers(repository).map(|(name, _)| name).collect();
    let started = &repository.contract().launchers;
    let mut first: HashMap<&str, &str> = HashMap::new();
    for (index, script) in repository.scripts.iter().enumerate() {
        let name = script.source.name();
        let is_launcher = started.contains(&index) || by_name.contains(&name);
        // A link is no copy, but the way not to have one.
        if !is_launcher || is_trivial(script.source.text()) || repository.is_link(name) {
            continue;
        }
        let Some(original) = first.insert(script.source.text(), name) else { continue };
        first.insert(script.source.text(), original);
        let line = script.source.text().lines().next().unwrap_or_default();
        found.push(
            Diagnostic::warning(Code::IdenticalLaunchers, format!("{name} is a copy of {original}, byte for byte"))
                .at(script.source, 0..line.len())
                .help(format!("make one of them a link, or let it source {original}: else they will differ one day")),
        );
    }
}

/// Whether there is so little in a script that a copy of it does no harm.
fn is_trivial(text: &str) -> bool {
    const FEW_LINES: usize = 4;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.take(FEW_LINES).count() < FEW_LINES
}
