//! The scripts of `run:`.

use std::ops::Range;
use std::sync::Arc;

use super::super::Owner;
use super::super::repository::{Repository, WorkflowFile};
use crate::core::diag::Source;
use crate::core::shell::{Script, Span, read_script};
use crate::core::workflow::{Job, JobBody, Step};
use crate::core::yaml::NodeRef;

/// The script of a step that a POSIX shell runs.
#[derive(Debug)]
pub(in crate::core::lint) struct RunBlock<'d> {
    /// The workflow or action, as an index.
    pub(in crate::core::lint) file: RunFile,
    /// The step, as an index into the steps of the job or action.
    pub(in crate::core::lint) step: usize,
    /// The text in the file.
    pub(in crate::core::lint) node: NodeRef<'d>,
    /// What was read.
    pub(in crate::core::lint) shell: Script<'d>,
    /// Whether the shell is named: then GitHub adds `-o pipefail`, and the text is surely bash.
    pub(in crate::core::lint) bash_is_named: bool,
}

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::core::lint) enum RunFile {
    /// A workflow and a job of it.
    Workflow(usize, usize),
    /// A composite action.
    Action(usize),
}

impl<'d> RunBlock<'d> {
    pub(in crate::core::lint) fn source(&self) -> &'d Arc<Source> {
        self.node.source()
    }

    /// Where a part of the script stands in the file.
    pub(in crate::core::lint) fn locate(&self, span: Span) -> Range<usize> {
        self.node.locate(span.range())
    }

    /// The workflow that holds it.
    pub(in crate::core::lint) fn workflow<'r>(&self, repository: &'r Repository<'d>) -> Option<&'r WorkflowFile<'d>> {
        match self.file {
            RunFile::Workflow(file, _) => repository.workflows.get(file),
            RunFile::Action(_) => None,
        }
    }

    /// The job that holds it.
    pub(in crate::core::lint) fn job<'r>(&self, repository: &'r Repository<'d>) -> Option<&'r Job<'d>> {
        match self.file {
            RunFile::Workflow(_, job) => self.workflow(repository)?.workflow.jobs.get(job),
            RunFile::Action(_) => None,
        }
    }

    /// The steps among which it stands.
    pub(in crate::core::lint) fn steps<'r>(&self, repository: &'r Repository<'d>) -> &'r [Step<'d>] {
        match self.file {
            RunFile::Workflow(..) => self.job(repository).map_or(&[], steps_of),
            RunFile::Action(file) => repository.actions.get(file).map_or(&[], |file| &file.action.steps),
        }
    }
}

/// The steps of a job; none of a call.
pub(in crate::core::lint) fn steps_of<'r, 'd>(job: &'r Job<'d>) -> &'r [Step<'d>] {
    match &job.body {
        JobBody::Steps(steps) => steps,
        JobBody::Call(_) => &[],
    }
}

/// Every `run:` that bash reads.
pub(super) fn run_blocks<'d>(repository: &Repository<'d>) -> Vec<RunBlock<'d>> {
    let mut blocks = Vec::new();
    for (index, file) in repository.workflows.iter().enumerate() {
        for (number, job) in file.workflow.jobs.iter().enumerate() {
            let default = default_shell(Owner::Workflow(file), Some(job));
            let on_windows = runs_on_windows(job);
            for (step, one) in steps_of(job).iter().enumerate() {
                blocks.extend(block(RunFile::Workflow(index, number), step, one, default, on_windows));
            }
        }
    }
    for (index, file) in repository.actions.iter().enumerate() {
        for (step, one) in file.action.steps.iter().enumerate() {
            blocks.extend(block(RunFile::Action(index), step, one, None, false));
        }
    }
    blocks
}

fn block<'d>(
    file: RunFile,
    step: usize,
    one: &Step<'d>,
    default: Option<&'d str>,
    on_windows: bool,
) -> Option<RunBlock<'d>> {
    let node = one.run?;
    let text = node.as_str()?;
    let shell = one.node.get("shell").and_then(NodeRef::as_str).or(default);
    let is_bash = match shell {
        None => !on_windows,
        // A path, or a template such as `bash -l {0}`.
        Some(shell) => {
            let program = shell.split_ascii_whitespace().find(|word| !word.ends_with("/env")).unwrap_or_default();
            matches!(program.rsplit('/').next(), Some("bash" | "sh" | "dash"))
        }
    };
    is_bash.then(|| RunBlock { file, step, node, shell: read_script(text), bash_is_named: shell == Some("bash") })
}

fn default_shell<'d>(owner: Owner<'_, 'd>, job: Option<&Job<'d>>) -> Option<&'d str> {
    let of = |node: NodeRef<'d>| node.get("defaults")?.get("run")?.get("shell")?.as_str();
    job.and_then(|job| of(job.node)).or_else(|| of(owner.workflow()?.workflow.node))
}

/// Whether the runner may be one whose shell is PowerShell.
fn runs_on_windows(job: &Job<'_>) -> bool {
    let Some(labels) = job.runs_on else { return false };
    let text = &labels.source().text()[labels.span()];
    let matrix = job.strategy.and_then(|strategy| strategy.matrix);
    let varied = matrix.map_or("", |matrix| &matrix.source().text()[matrix.span()]);
    text.contains("windows") || text.contains("matrix.") && varied.contains("windows")
}
