//! A list of variables for a container, or for a Slurm step, that leaves out what the script in it requires.

use super::super::contract::{
    Contract, Own, Passed, Requirement, Values, is_set_elsewhere, passed_to_container, passed_to_step,
};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::shell::{self, CommandId};

pub(super) const RULE: Rule = Rule { code: Code::ContainerDrops, name: "container-drops", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let contract = repository.contract();
    for (index, script) in repository.scripts.iter().enumerate() {
        let Some(shell) = script.shell().filter(|_| contract.ties[index].in_scope) else { continue };
        let values = Values::of(shell);
        for (id, command) in shell.commands.iter().enumerate() {
            let Some(passed) = passed_to_container(command, &values).or_else(|| passed_to_step(command)) else {
                continue;
            };
            if passed.is_open {
                continue;
            }
            let missing = missing(repository, contract, index, shell, id, &values, &passed);
            let Some(name) = command.program().first() else { continue };
            if missing.is_empty() {
                continue;
            }
            let mut names: Vec<&str> = missing.iter().map(|(_, one)| one.name).collect();
            names.sort_unstable();
            names.dedup();
            let (first, _) = missing[0];
            let file = repository.scripts[first].source.name();
            let message = format!("{} not passed on, and {file} requires {}", listed(&names), pronoun(&names));
            let mut diagnostic = Diagnostic::error(Code::ContainerDrops, message).at(script.source, name.span.range());
            for (script, one) in missing.iter().take(SHOWN) {
                diagnostic = diagnostic.related(repository.scripts[*script].source, one.span.range(), "required here");
            }
            let way = if command.runs("srun") || command.runs("sbatch") {
                format!("add to --export: {}", names.join(","))
            } else {
                format!("add: {}", names.iter().map(|name| format!("-e {name}")).collect::<Vec<_>>().join(" "))
            };
            found.push(diagnostic.help(way));
        }
    }
}

const SHOWN: usize = 3;

fn listed(names: &[&str]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match all.as_slice() {
        [one] => format!("{one} is"),
        [head @ .., last] => format!("{} and {last} are", head.join(", ")),
        [] => String::new(),
    }
}

fn pronoun(names: &[&str]) -> &'static str {
    if names.len() == 1 { "it" } else { "them" }
}

/// What the scripts that the command can start require, and it does not pass on.
fn missing<'d>(
    repository: &Repository<'d>,
    contract: &Contract<'d>,
    launcher: usize,
    shell: &shell::Script<'d>,
    command: CommandId,
    values: &Values<'_, 'd>,
    passed: &Passed<'_>,
) -> Vec<(usize, Requirement<'d>)> {
    let mut started = contract.started_by_command(repository, launcher, shell, command, values);
    if started.is_empty() {
        started.clone_from(&contract.ties[launcher].starts);
    }
    let mut missing: Vec<(usize, Requirement<'d>)> = Vec::new();
    for script in started {
        let Some(shell) = repository.scripts[script].shell() else { continue };
        let own = Own::of(shell);
        for one in contract.requirements(shell) {
            let is_there = passed.names.contains(one.name) || own.set.contains(one.name) || is_set_elsewhere(one.name);
            // What nobody exports is another rule's.
            if !is_there && contract.is_exported_to(script, one.name) {
                missing.push((script, one));
            }
        }
    }
    missing
}
