//! Allocations that nobody gives back when the script ends early.

use super::super::contract::Contract;
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::shell::{Command, Script};

pub(super) const RULE: Rule = Rule { code: Code::AllocationLeaks, name: "allocation-leaks", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let contract = repository.contract();
    for (index, script) in repository.scripts.iter().enumerate() {
        let Some(shell) = script.shell() else { continue };
        let Some(allocation) = shell.commands.iter().find(|command| allocates(command)) else { continue };
        let around = shells_around(repository, contract, index);
        if let Some(diagnostic) = judge(allocation, &around) {
            found.push(diagnostic.at(script.source, allocation.span.range()));
        }
    }
    for run in &contract.runs {
        let Some(allocation) = run.shell.commands.iter().find(|command| allocates(command)) else { continue };
        // Another step of the job may clean up, whatever happened.
        let others = run.steps(repository).iter().filter_map(|step| step.run?.as_str());
        if others.enumerate().any(|(step, text)| step != run.step && text.contains("scancel")) {
            continue;
        }
        if let Some(diagnostic) = judge(allocation, &[&run.shell]) {
            found.push(diagnostic.at(run.source(), run.locate(allocation.span)));
        }
    }
}

/// The script, what it sources, and who sources it: a trap may stand in any of them.
fn shells_around<'r, 'd>(
    repository: &'r Repository<'d>,
    contract: &Contract<'d>,
    script: usize,
) -> Vec<&'r Script<'d>> {
    let around = contract.same_shell(script).into_iter();
    around.filter_map(|script| repository.scripts[script].shell()).collect()
}

/// `salloc --no-shell` and `sbatch` come back at once; the nodes stay.
fn allocates(command: &Command<'_>) -> bool {
    let has = |option: &str| command.words.iter().any(|word| word.is(option));
    let is_question = has("--help") || has("--version") || has("--test-only") || has("-V");
    !is_question && (command.runs("salloc") && has("--no-shell") || command.runs("sbatch") && !has("--wait"))
}

fn judge(allocation: &Command<'_>, around: &[&Script<'_>]) -> Option<Diagnostic> {
    if around.iter().any(|shell| trap_cancels(shell, around)) {
        return None;
    }
    let name = if allocation.runs("salloc") { "salloc" } else { "sbatch" };
    let cancels = |command: &Command<'_>| {
        command.runs("scancel") && command.context.function.is_none_or(|function| is_called(function, around))
    };
    let help =
        "cancel it in a trap, and set the trap before anything waits: trap 'scancel \"$JOB_ID\"' EXIT INT TERM HUP";
    if !around.iter().any(|shell| shell.commands.iter().any(cancels)) {
        let message = format!("nothing cancels what `{name}` allocates: the nodes stay taken when the script ends");
        return Some(Diagnostic::error(Code::AllocationLeaks, message).help(help));
    }
    let stops_early = around.iter().any(|shell| shell.facts.settings.ever_stops());
    let message = format!(
        "a failure skips the `scancel` of what `{name}` allocates: there is no trap, and `set -e` stops the script"
    );
    stops_early.then(|| Diagnostic::warning(Code::AllocationLeaks, message).help(help))
}

/// Whether a trap cancels, itself or by a function.
fn trap_cancels(shell: &Script<'_>, around: &[&Script<'_>]) -> bool {
    const ENDS: [&str; 5] = ["EXIT", "INT", "TERM", "HUP", "ERR"];
    shell.facts.traps.iter().any(|trap| {
        // A library may offer a function that sets the trap, which this script does not call.
        let setter = shell.commands.iter().find(|command| command.span == trap.span);
        let function = setter.and_then(|command| command.context.function);
        if function.is_some_and(|function| !is_called(function, around)) {
            return false;
        }
        if !trap.signals.iter().any(|signal| ENDS.contains(&signal.as_str())) {
            return false;
        }
        match trap.action.as_deref() {
            // A text that is made at run time may do anything.
            None => true,
            Some(action) => {
                let mut words = action.split(|c: char| c.is_whitespace() || ";&|(){}\"'".contains(c));
                words.any(|word| word == "scancel" || cancels_in_function(word, around, 0))
            }
        }
    })
}

fn cancels_in_function(name: &str, around: &[&Script<'_>], depth: usize) -> bool {
    const MAX_DEPTH: usize = 3;
    let commands = around.iter().flat_map(|shell| &shell.commands);
    !name.is_empty()
        && depth < MAX_DEPTH
        && commands
            .filter(|command| command.context.function == Some(name))
            .any(|command| command.runs("scancel") || cancels_in_function(&command.name(), around, depth + 1))
}

fn is_called(function: &str, around: &[&Script<'_>]) -> bool {
    around.iter().flat_map(|shell| &shell.commands).any(|command| command.is_named(function))
}
