//! Calls of reusable workflows of the same checkout.

use super::repository::{Repository, WorkflowFile};
use crate::core::workflow::{Call, Input, Job, JobBody, Trigger};
use crate::core::yaml::NodeRef;

/// A job that calls a workflow of this checkout.
#[derive(Clone, Copy)]
pub(super) struct LocalCall<'r, 'd> {
    /// The file that the job stands in.
    pub(super) file: &'r WorkflowFile<'d>,
    /// The job, as an index.
    pub(super) index: usize,
    /// The job.
    pub(super) job: &'r Job<'d>,
    /// What it calls.
    pub(super) call: &'r Call<'d>,
    /// The called file.
    pub(super) callee: &'r WorkflowFile<'d>,
    /// Its `workflow_call`.
    pub(super) trigger: &'r Trigger<'d>,
}

impl<'d> LocalCall<'_, 'd> {
    /// What is passed for an input: the value.
    pub(super) fn passed(&self, input: &str) -> Option<NodeRef<'d>> {
        self.call.with.iter().find(|(name, ..)| name.eq_ignore_ascii_case(input)).map(|(.., value)| *value)
    }

    /// The declaration of an input.
    pub(super) fn declared(&self, input: &str) -> Option<&Input<'d>> {
        self.trigger.inputs.iter().find(|declared| declared.name.eq_ignore_ascii_case(input))
    }
}

/// All calls whose callee is here and can be called.
pub(super) fn local_calls<'r, 'd>(repository: &'r Repository<'d>) -> impl Iterator<Item = LocalCall<'r, 'd>> {
    repository.workflows.iter().flat_map(move |file| calls_of(repository, file))
}

/// The calls of one file.
pub(super) fn calls_of<'r, 'd>(
    repository: &'r Repository<'d>,
    file: &'r WorkflowFile<'d>,
) -> impl Iterator<Item = LocalCall<'r, 'd>> {
    file.workflow.jobs.iter().enumerate().filter_map(move |(index, job)| {
        let JobBody::Call(call) = &job.body else { return None };
        let callee = repository.called(call.uses)?;
        let trigger = callee.workflow.trigger("workflow_call")?;
        Some(LocalCall { file, index, job, call, callee, trigger })
    })
}

/// The name of a file without its folders.
pub(super) fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
