//! `always()` on jobs that launch: a cancel does not stop them.

use hashbrown::HashMap;

use super::super::calls::calls_of;
use super::super::repository::WorkflowFile;
use super::super::{Findings, Owner, Repository, Site, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Function, NodeKind, StatusFunction};
use crate::core::workflow::{JobBody, Step};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::AlwaysOnLaunch, name: "always-on-launch", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let mut known: HashMap<&str, bool> = HashMap::new();
    for file in &repository.workflows {
        for site in file.sites.iter().filter(|site| site.is_condition()) {
            let launches = match site.slot {
                Slot::JobIf => site.job.is_some_and(|job| job_launches(repository, file, job, &mut known, 0)),
                // The step itself; one that only cleans up after a launch should always run.
                _ => Owner::Workflow(file).step(site).is_some_and(step_launches),
            };
            if launches {
                report(site, found);
            }
        }
    }
}

fn report(site: &Site<'_>, found: &mut Findings) {
    for node in site.expressions().flat_map(|expression| expression.nodes()) {
        if matches!(node.kind(), NodeKind::Call(Function::Status(StatusFunction::Always))) {
            let what = if site.slot == Slot::JobIf { "job" } else { "step" };
            let message = format!("this {what} launches, and `always()` starts it after a cancel too");
            found.push(
                Diagnostic::warning(Code::AlwaysOnLaunch, message)
                    .at(site.source(), site.locate(node.span()))
                    .help("write `${{ !cancelled() }}`: it runs after failures, and not after a cancel"),
            );
        }
    }
}

fn job_launches<'r, 'd>(
    repository: &'r Repository<'d>,
    file: &'r WorkflowFile<'d>,
    job: usize,
    known: &mut HashMap<&'r str, bool>,
    depth: usize,
) -> bool {
    match &file.workflow.jobs[job].body {
        JobBody::Steps(steps) => steps.iter().any(step_launches),
        JobBody::Call(_) => {
            let call = calls_of(repository, file).find(|call| call.index == job);
            call.is_some_and(|call| workflow_launches(repository, call.callee, known, depth + 1))
        }
    }
}

fn workflow_launches<'r, 'd>(
    repository: &'r Repository<'d>,
    file: &'r WorkflowFile<'d>,
    known: &mut HashMap<&'r str, bool>,
    depth: usize,
) -> bool {
    const MAX_DEPTH: usize = 10;
    let name = file.source.name();
    if let Some(&launches) = known.get(name) {
        return launches;
    }
    if depth > MAX_DEPTH {
        return false;
    }
    known.insert(name, false);
    let launches = (0..file.workflow.jobs.len()).any(|job| job_launches(repository, file, job, known, depth));
    known.insert(name, launches);
    launches
}

/// Whether a step takes nodes: it runs a launcher, or asks Slurm itself.
fn step_launches(step: &Step<'_>) -> bool {
    let uses = step.uses.and_then(NodeRef::as_str).unwrap_or_default();
    if uses.split('@').next().is_some_and(|path| path.ends_with("/actions/launch")) {
        return true;
    }
    let script = step.run.and_then(NodeRef::scalar_text).unwrap_or_default();
    script.lines().map(str::trim_start).filter(|line| !line.starts_with('#')).any(line_launches)
}

fn line_launches(line: &str) -> bool {
    const COMMANDS: [&str; 3] = ["sbatch", "salloc", "srun"];
    /// Words behind which a command may stand.
    const BEFORE: [&str; 11] = ["exec", "env", "time", "nohup", "sudo", "then", "do", "else", "if", "while", "!"];
    if line.contains("runners/launch_") || line.contains("srtctl apply") {
        return true;
    }
    if line.contains("srtx-gh launch") {
        return !line.contains("--cleanup");
    }
    // Every piece between separators starts with a command.
    line.split(['|', '&', ';', '(', '`', '{']).any(|piece| {
        let mut words = piece.split_whitespace().map(|word| word.trim_matches('"'));
        let command = words.find(|word| !BEFORE.contains(word) && !word.contains('='));
        command.is_some_and(|word| COMMANDS.contains(&word.rsplit('/').next().unwrap_or(word)))
    })
}
