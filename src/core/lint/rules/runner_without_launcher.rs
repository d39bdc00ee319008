//! Runners whose name leads to no launcher.

use hashbrown::HashSet;

use super::super::fleet::{LAUNCHER, labels, launchers, prefix, runners_of_configs};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic, Severity};
use crate::core::schema::suggestion;

pub(super) const RULE: Rule = Rule { code: Code::RunnerWithoutLauncher, name: "runner-without-launcher", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let known: HashSet<&str> = launchers(repository).map(|(_, prefix)| prefix).collect();
    let labels = labels(repository);
    let runners = || labels.iter().flat_map(|label| label.runners.iter().map(move |runner| (label.name, *runner)));
    // Where no runner leads to a launcher, launchers are picked in another way.
    if !runners().any(|(_, (runner, _))| known.contains(prefix(runner))) {
        return;
    }
    let used: HashSet<&str> = runners_of_configs(repository).map(|(label, _)| label).collect();
    let mut said: HashSet<&str> = HashSet::new();
    for (_, (runner, node)) in runners() {
        let prefix = prefix(runner);
        if known.contains(prefix) || !said.insert(prefix) {
            continue;
        }
        let of_prefix = || runners().filter(|(_, (other, _))| super::super::fleet::prefix(other) == prefix);
        let names: HashSet<&str> = of_prefix().map(|(_, (runner, _))| runner).collect();
        // A config that names a label of them is sent there sooner or later.
        let is_used = of_prefix().any(|(label, (runner, _))| used.contains(label) || used.contains(runner));
        let severity = if is_used { Severity::Error } else { Severity::Warning };
        let others = match names.len() {
            1 => String::new(),
            2 => ", nor has another of its kind".to_owned(),
            count => format!(", nor have {} others of its kind", count - 1),
        };
        let message = format!("the runner `{runner}` has no launcher {LAUNCHER}{prefix}.sh{others}");
        let diagnostic = Diagnostic::new(Code::RunnerWithoutLauncher, severity, message).at(node.source(), node.site());
        let mut prefixes: Vec<&str> = known.iter().copied().collect();
        prefixes.sort_unstable();
        found.push(match suggestion(prefix, prefixes) {
            Some(near) => {
                diagnostic.help(format!("is {LAUNCHER}{near}.sh meant? Then the runner is called `{near}_…`"))
            }
            None => diagnostic.help("add the launcher, or take the runner out of the labels"),
        });
    }
}
