//! Exit codes that a later command replaces.

use super::super::contract::{does_work, starts_nodes};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::shell::{Body, Command, Link, List, Script, Trap};

pub(super) const RULE: Rule = Rule { code: Code::ExitCodeMasked, name: "exit-code-masked", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let contract = repository.contract();
    for (index, script) in repository.scripts.iter().enumerate() {
        let Some(shell) = script.shell().filter(|shell| starts_nodes(script.source.name(), shell)) else { continue };
        // A library may have switched it on.
        let sourced = contract.ties[index].sources.iter().filter_map(|other| repository.scripts[*other].shell());
        let stops = sourced.into_iter().any(|shell| shell.facts.settings.ever_stops());
        let text = script.source.text();
        if let Some((work, last)) = masked_by_last(shell, text, stops) {
            let related = (script.source, work.span.range());
            found.push(of_last(work, last).at(script.source, last.span.range()).related(related.0, related.1, LOST));
        }
        for (work, sink) in masked_by_pipe(shell, text, stops) {
            found.push(of_pipe(work, sink).at(script.source, sink.span.range()));
        }
        if let Some((trap, exit)) = masked_by_trap(shell, text) {
            let message = "the trap ends with `exit 0`, so the script succeeds whatever happened in it";
            found.push(
                Diagnostic::error(Code::ExitCodeMasked, message)
                    .at(script.source, exit.span.range())
                    .related(script.source, trap.span.range(), "runs at every end of the script")
                    .help("keep the code at the start of the trap, `rc=$?`, and end it with `exit \"$rc\"`"),
            );
        }
    }
    for (run, started) in contract.runs.iter().zip(&contract.started_by_runs) {
        let launches = started.iter().any(|script| contract.launchers.contains(script));
        let Some(text) = run.node.as_str().filter(|_| launches) else { continue };
        // GitHub runs `bash -e`, and adds pipefail where bash is named.
        if let Some((work, last)) = masked_by_last(&run.shell, text, true) {
            let place = run.locate(work.span);
            found.push(of_last(work, last).at(run.source(), run.locate(last.span)).related(run.source(), place, LOST));
        }
        if run.bash_is_named {
            continue;
        }
        for (work, sink) in masked_by_pipe(&run.shell, text, true) {
            found.push(of_pipe(work, sink).at(run.source(), run.locate(sink.span)));
        }
    }
}

const LOST: &str = "a failure here is lost";

fn of_last(work: &Command<'_>, last: &Command<'_>) -> Diagnostic {
    let (last, work) = (spoken(last), spoken(work));
    let message = format!("the exit code of the script is that of `{last}`, not that of `{work}`");
    Diagnostic::error(Code::ExitCodeMasked, message)
        .help("keep the code, `rc=$?`, and end with `exit \"$rc\"`; or clean up in a trap")
}

fn of_pipe(work: &Command<'_>, sink: &Command<'_>) -> Diagnostic {
    let message = format!("the exit code of `{}` is lost: the pipe ends in `{}`", spoken(work), spoken(sink));
    Diagnostic::error(Code::ExitCodeMasked, message).help("put `set -o pipefail` in front")
}

/// A command as people call it: `docker rm`, `bash`.
fn spoken(command: &Command<'_>) -> String {
    let [program, rest @ ..] = command.program() else { return "the script".to_owned() };
    let name = program.literal().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or(&name);
    let sub = rest.first().and_then(|word| word.literal());
    match sub.filter(|_| matches!(name, "docker" | "podman")) {
        Some(sub) => format!("{name} {sub}"),
        None if name.is_empty() => "the script".to_owned(),
        None => name.to_owned(),
    }
}

/// The last command of the script, when it only cleans up, and the work in front of it whose code nobody keeps.
fn masked_by_last<'s, 't>(
    shell: &'s Script<'t>,
    text: &str,
    stops: bool,
) -> Option<(&'s Command<'t>, &'s Command<'t>)> {
    let (last, function) = last_command(&shell.list, shell, None, 0)?;
    if !only_cleans_up(last, shell) {
        return None;
    }
    let in_background = shell.commands.iter().any(|command| does_work(command) && command.context.background);
    let is_work = |command: &&Command<'_>| {
        let context = command.context;
        command.span.end <= last.span.start
            && (does_work(command) || in_background && command.is_named("wait"))
            && context.function == function
            && !context.is_condition
            && !context.background
            && !shell.facts.settings.stops_at(command.span.start, stops)
    };
    let work = shell.commands.iter().rfind(is_work)?;
    let behind = &text[work.span.end as usize..];
    let is_kept = ["$?", "${?", "PIPESTATUS"].iter().any(|sign| behind.contains(sign));
    (!is_kept).then_some((work, last))
}

/// The command that decides the exit code of a list, and the function that it stands in: of `a || b` the first, whose code
/// `b` replaces only when it fails; of `main "$@"` the last one of `main`.
fn last_command<'s, 't>(
    list: &'s List<'t>,
    shell: &'s Script<'t>,
    function: Option<&'t str>,
    depth: usize,
) -> Option<(&'s Command<'t>, Option<&'t str>)> {
    const MAX_DEPTH: usize = 4;
    let start = list.iter().rposition(|statement| statement.link == Link::Next)?;
    match &list[start].body {
        Body::Simple(id) => {
            let command = shell.commands.get(*id)?;
            let called = shell.list.iter().find_map(|statement| match &statement.body {
                Body::Function(function) if command.is_named(function.name) => Some(function),
                _ => None,
            });
            match called.filter(|_| depth < MAX_DEPTH && !only_cleans_up(command, shell)) {
                Some(called) => match &called.body.first()?.body {
                    Body::Group(list) => last_command(list, shell, Some(called.name), depth + 1),
                    _ => None,
                },
                None => Some((command, function)),
            }
        }
        Body::Group(list) => last_command(list, shell, function, depth),
        Body::If(branches, _) => last_command(&branches.first()?.1, shell, function, depth),
        _ => None,
    }
}

/// Commands that follow when the work is done.
const CLEANING: [&str; 22] = [
    "scancel", "echo", "printf", "rm", "rmdir", "cp", "mv", "tar", "kill", "sleep", "date", "sync", "true", ":",
    "rsync", "chmod", "chown", "ls", "cat", "popd", "umount", "touch",
];

fn only_cleans_up(command: &Command<'_>, shell: &Script<'_>) -> bool {
    let name = command.name();
    if CLEANING.iter().any(|cleaning| command.runs(cleaning)) {
        return true;
    }
    if command.runs("docker") || command.runs("podman") {
        return command
            .arguments()
            .first()
            .is_some_and(|word| ["rm", "stop", "kill", "rmi"].iter().any(|sub| word.is(sub)));
    }
    // A function that cleans up, and neither ends the script nor works.
    let mut inside = shell.commands.iter().filter(|inner| inner.context.function == Some(&*name)).peekable();
    inside.peek().is_some()
        && inside.all(|inner| {
            CLEANING.iter().any(|cleaning| inner.runs(cleaning))
                || inner.words.is_empty()
                || ["[", "test", "local"].iter().any(|word| inner.is_named(word))
        })
}

/// The function of an `EXIT` trap whose last command is `exit 0`, and which never looks at the code of the script.
fn masked_by_trap<'s, 't>(shell: &'s Script<'t>, text: &str) -> Option<(&'s Trap<'t>, &'s Command<'t>)> {
    if !shell.commands.iter().any(|command| does_work(command) || command.runs("salloc")) {
        return None;
    }
    let at_exit = shell.facts.traps.iter().filter(|trap| trap.signals.iter().any(|signal| signal == "EXIT"));
    at_exit.into_iter().find_map(|trap| {
        let action = trap.action.as_deref()?.trim();
        let (statement, function) = shell.list.iter().find_map(|statement| match &statement.body {
            Body::Function(function) if function.name == action => Some((statement, function)),
            _ => None,
        })?;
        // Other ways out of it may keep the code.
        let inside = shell.commands.iter().filter(|command| command.context.function == Some(function.name));
        let exits = inside.filter(|command| command.is_named("exit")).count();
        let is_kept = ["$?", "${?", "PIPESTATUS"].iter().any(|sign| text[statement.span.range()].contains(sign));
        if is_kept || exits != 1 {
            return None;
        }
        let Body::Group(list) = &function.body.first()?.body else { return None };
        let last = list.last().filter(|last| last.link == Link::Next)?;
        let Body::Simple(id) = last.body else { return None };
        let exit = shell.commands.get(id)?;
        let is_zero = exit.is_named("exit") && matches!(exit.arguments(), [code] if code.is("0"));
        is_zero.then_some((trap, exit))
    })
}

/// Work whose output goes through a pipe without `pipefail`.
fn masked_by_pipe<'s, 't>(shell: &'s Script<'t>, text: &str, stops: bool) -> Vec<(&'s Command<'t>, &'s Command<'t>)> {
    if shell.facts.settings.pipefail.is_some() || text.contains("PIPESTATUS") {
        return Vec::new();
    }
    let list = &shell.list;
    let mut found = Vec::new();
    for at in 1..list.len() {
        let (before, after) = (&list[at - 1], &list[at]);
        let ends_pipe = list.get(at + 1).is_none_or(|next| next.link == Link::Next);
        let (Body::Simple(work), Body::Simple(sink)) = (&before.body, &after.body) else { continue };
        let (work, sink) = (&shell.commands[*work], &shell.commands[*sink]);
        let counts = shell.facts.settings.stops_at(before.span.start, stops) || at + 1 == list.len();
        let is_log = ["tee", "cat", "ts", "grep", "sed", "awk"].iter().any(|name| sink.runs(name));
        if after.link == Link::Pipe && ends_pipe && counts && is_log && does_work(work) && !sink.context.background {
            found.push((work, sink));
        }
    }
    found
}
