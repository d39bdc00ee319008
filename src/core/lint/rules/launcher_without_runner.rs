//! Launchers that no runner's name leads to.

use hashbrown::HashSet;

use super::super::fleet::{labels, launchers, prefix};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::schema::suggestion;

pub(super) const RULE: Rule = Rule { code: Code::LauncherWithoutRunner, name: "launcher-without-runner", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let labels = labels(repository);
    let prefixes: HashSet<&str> =
        labels.iter().flat_map(|label| &label.runners).map(|(runner, _)| prefix(runner)).collect();
    // Where no launcher has a runner, launchers are picked in another way.
    if !launchers(repository).any(|(_, prefix)| prefixes.contains(prefix)) {
        return;
    }
    for (name, prefix) in launchers(repository) {
        if prefixes.contains(prefix) || is_named_elsewhere(repository, name) {
            continue;
        }
        let message = format!("no runner is called `{prefix}` or `{prefix}_…`, so nothing runs {name}");
        let source = repository.scripts.iter().find(|script| script.source.name() == name).map(|script| script.source);
        let diagnostic = Diagnostic::warning(Code::LauncherWithoutRunner, message);
        let diagnostic = match source {
            Some(source) => diagnostic.at(source, 0..source.text().lines().next().unwrap_or_default().len()),
            None => diagnostic.in_file(name),
        };
        let mut known: Vec<&str> = prefixes.iter().copied().collect();
        known.sort_unstable();
        found.push(match suggestion(prefix, known) {
            Some(near) => diagnostic.help(format!("runners are called `{near}_…`: rename the launcher, or remove it")),
            None => diagnostic.help("list its runners in the runner file, or remove it"),
        });
    }
}

/// Whether another file runs or sources it by its name.
fn is_named_elsewhere(repository: &Repository<'_>, name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    let scripts = repository.scripts.iter().map(|script| script.source);
    let workflows = repository.workflows.iter().map(|file| file.source);
    let actions = repository.actions.iter().map(|file| file.source);
    scripts.chain(workflows).chain(actions).filter(|source| source.name() != name).any(|source| {
        let mut lines = memchr::memmem::find_iter(source.text().as_bytes(), base).map(|at| {
            let start = source.text()[..at].rfind('\n').map_or(0, |at| at + 1);
            &source.text()[start..at]
        });
        lines.any(|before| !before.trim_start().starts_with('#'))
    })
}
