//! Outputs that are built from a shell variable which no line assigns.

use hashbrown::HashSet;

use super::super::contract::{RunBlock, is_set_elsewhere, steps_of};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::schema::suggestion;
use crate::core::shell::{AssignmentKind, Read, ReadKind, RunnerFile, RunnerWrite};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::OutputFromUnset, name: "output-from-unset", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for run in &repository.contract().runs {
        // A text that is made at run time, or a file of whatever content, may assign anything.
        if run.shell.facts.writes.is_empty() || run.shell.facts.evaluates || !run.shell.facts.sources.is_empty() {
            continue;
        }
        let known = known_names(repository, run);
        let unknown_may_be_set = foreign_actions_before(repository, run);
        let mut seen = HashSet::new();
        for write in &run.shell.facts.writes {
            for read in reads_of(run, write) {
                let is_foreign = unknown_may_be_set && read.name.bytes().all(|b| !b.is_ascii_lowercase());
                if known.contains(read.name) || is_set_elsewhere(read.name) || is_foreign || !seen.insert(read.span) {
                    continue;
                }
                let what = if write.file == RunnerFile::Env { "variable" } else { "output" };
                let message = format!("the {what} `{}` is made of `${}`, which no line assigns", write.name, read.name);
                let diagnostic =
                    Diagnostic::error(Code::OutputFromUnset, message).at(run.source(), run.locate(read.span));
                let mut near: Vec<&str> = known.iter().copied().collect();
                near.sort_unstable();
                found.push(match suggestion(read.name, near) {
                    Some(near) => diagnostic.help(format!("did you mean `${near}`?")),
                    None => diagnostic.help("assign it, or put it into `env:` of the step"),
                });
            }
        }
    }
}

/// What the value of a write reads as if it were set.
fn reads_of<'r, 'd>(run: &'r RunBlock<'d>, write: &RunnerWrite<'d>) -> impl Iterator<Item = &'r Read<'d>> {
    let command = run.shell.commands.get(write.command);
    let span = command.map(|command| command.span);
    let heredocs: Vec<_> = command
        .into_iter()
        .flat_map(|command| &command.redirects)
        .filter_map(|redirect| Some(run.shell.heredocs.get(redirect.heredoc?)?.body))
        .collect();
    run.shell.facts.reads.iter().filter(move |read| {
        // Of several lines of one command the one that holds it.
        let mut of_command = run.shell.facts.writes.iter().filter(|other| other.command == write.command);
        let own = of_command.rfind(|other| other.span.start <= read.span.start);
        if own.is_some_and(|own| own.span != write.span || own.name != write.name) {
            return false;
        }
        let inside =
            span.is_some_and(|span| span.contains(read.span)) || heredocs.iter().any(|body| body.contains(read.span));
        inside && read.kind == ReadKind::Bare && !read.by_child
    })
}

/// Everything that the step can know: what its text assigns, `env` at each level, and what steps of the workflow write.
fn known_names<'r, 'd>(repository: &'r Repository<'d>, run: &'r RunBlock<'d>) -> HashSet<&'r str> {
    let mut known: HashSet<&str> = HashSet::new();
    let assigned = run.shell.facts.assignments.iter().filter(|one| one.kind != AssignmentKind::Prefix && !one.by_child);
    known.extend(assigned.map(|one| one.name));
    let mut add = |env: Option<NodeRef<'r>>| {
        known.extend(env.into_iter().flat_map(NodeRef::entries).filter_map(|(key, _)| key.scalar_text()));
    };
    if let Some(file) = run.workflow(repository) {
        add(file.workflow.env);
        for job in &file.workflow.jobs {
            // `$GITHUB_ENV` lasts for the job; its env is its own.
            if run.job(repository).is_some_and(|own| std::ptr::eq(own, job)) {
                add(job.env);
                add(job.node.get("container").and_then(|container| container.get("env")));
                steps_of(job).get(run.step).into_iter().for_each(|step| add(step.env));
            }
        }
    } else {
        run.steps(repository).get(run.step).into_iter().for_each(|step| add(step.env));
    }
    let contract = repository.contract();
    let of_env = |one: &&RunnerWrite<'_>| one.file == RunnerFile::Env;
    for other in contract.runs.iter().filter(|other| std::ptr::eq(other.source(), run.source())) {
        known.extend(other.shell.facts.writes.iter().filter(of_env).map(|write| write.name.as_ref()));
    }
    for script in &repository.scripts {
        if let Some(shell) = script.shell() {
            known.extend(shell.facts.writes.iter().filter(of_env).map(|write| write.name.as_ref()));
        }
    }
    known
}

/// Whether a step before this one runs an action that may put anything into the environment.
fn foreign_actions_before<'d>(repository: &Repository<'d>, run: &RunBlock<'d>) -> bool {
    const QUIET: [&str; 7] = [
        "actions/checkout@",
        "actions/cache@",
        "actions/upload-artifact@",
        "actions/download-artifact@",
        "actions/setup-",
        "actions/create-github-app-token@",
        "actions/attest",
    ];
    run.steps(repository)
        .iter()
        .take(run.step)
        .filter_map(|step| step.uses?.as_str())
        .any(|uses| !QUIET.iter().any(|quiet| uses.starts_with(quiet)))
}
