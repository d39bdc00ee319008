//! Shells in front of a long command: the runner signals the entry process only, and bash waits for its child.

use super::super::contract::{RunBlock, does_work};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::shell::{Body, Command, CommandId, Link, Script, Trap};

pub(super) const RULE: Rule = Rule { code: Code::TrapNeverRuns, name: "trap-never-runs", check };

const HELP: &str = "start it with `exec`: then it gets the signal of a cancelled run itself";
const HELP_FOR_TRAP: &str =
    "put it into the background and `wait` for it: a signal interrupts `wait`, and the trap runs";

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let contract = repository.contract();
    for (run, started) in contract.runs.iter().zip(&contract.started_by_runs) {
        if let Some(command) = own_trap(run, started.iter().any(|script| contract.launchers.contains(script))) {
            let message =
                format!("the trap of this step does not run while `{}` does: bash waits for it", command.name());
            found.push(warning(message).help(HELP_FOR_TRAP).at(run.source(), run.locate(command.span)));
            continue;
        }
        let Some((id, command)) = last_command(&run.shell) else { continue };
        if command.is_named("exec") || command.context.background {
            continue;
        }
        let trapped = contract.started_by_run_command(repository, run, id).into_iter().find(|script| {
            contract.launchers.contains(script)
                && repository.scripts[*script].shell().is_some_and(|shell| shell.facts.traps.iter().any(is_set))
        });
        let message = if let Some(script) = trapped {
            let name = repository.scripts[script].source.name();
            format!("the trap of {name} does not run when the step is cancelled: the shell in front gets the signal")
        } else if launches_with_us(command) {
            "a cancel does not reach `srtx-gh launch`: the shell in front gets the signal".to_owned()
        } else {
            continue;
        };
        found.push(warning(message).help(HELP).at(run.source(), run.locate(command.span)));
    }
}

fn warning(message: String) -> Diagnostic {
    Diagnostic::warning(Code::TrapNeverRuns, message)
}

fn is_set(trap: &Trap<'_>) -> bool {
    trap.action.as_deref().is_none_or(|action| !matches!(action, "" | "-"))
}

/// The long command in the foreground behind a trap of the same text.
fn own_trap<'r, 'd>(run: &'r RunBlock<'d>, launches: bool) -> Option<&'r Command<'d>> {
    let trap = run.shell.facts.traps.iter().find(|trap| is_set(trap))?;
    let mut commands = run.shell.commands.iter().filter(|command| command.span.start >= trap.span.end);
    commands.find(|command| {
        let is_long =
            ["srun", "salloc", "srtctl"].iter().any(|name| command.runs(name)) || launches && does_work(command);
        is_long
            && !command.context.background
            && command.context.function.is_none()
            && !is_exec(command)
            && !command.words.iter().any(|word| word.is("--no-shell"))
    })
}

fn is_exec(command: &Command<'_>) -> bool {
    command.is_named("exec")
}

fn last_command<'s, 't>(shell: &'s Script<'t>) -> Option<(CommandId, &'s Command<'t>)> {
    let last = shell.list.last().filter(|statement| statement.link == Link::Next)?;
    match &last.body {
        Body::Simple(id) => Some((*id, shell.commands.get(*id)?)),
        _ => None,
    }
}

/// Our own launcher handles signals, and must be the entry process to get them.
fn launches_with_us(command: &Command<'_>) -> bool {
    let [first, ..] = command.program_arguments() else { return false };
    command.runs("srtx-gh")
        && first.is("launch")
        && !command
            .words
            .iter()
            .any(|word| ["--cleanup", "--dry-run", "--print-env"].iter().any(|option| word.is(option)))
}
