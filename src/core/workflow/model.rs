//! What a workflow holds. Values that may hold expressions stay nodes.

use crate::core::yaml::NodeRef;

/// A workflow file.
#[derive(Debug)]
pub struct Workflow<'d> {
    /// The whole file.
    pub node: NodeRef<'d>,
    /// `name`
    pub name: Option<NodeRef<'d>>,
    /// `run-name`
    pub run_name: Option<NodeRef<'d>>,
    /// The events that start it, in source order.
    pub triggers: Vec<Trigger<'d>>,
    /// `env` of all jobs.
    pub env: Option<NodeRef<'d>>,
    /// `permissions` of all jobs.
    pub permissions: Option<NodeRef<'d>>,
    /// `concurrency` of the run.
    pub concurrency: Option<NodeRef<'d>>,
    /// The jobs in source order.
    pub jobs: Vec<Job<'d>>,
}

/// An event that starts a workflow.
#[derive(Debug)]
pub struct Trigger<'d> {
    /// Its name, for example `push`.
    pub event: &'d str,
    /// Where the name stands.
    pub site: NodeRef<'d>,
    /// Its filters, if any.
    pub filters: Option<NodeRef<'d>>,
    /// Inputs of `workflow_call` and `workflow_dispatch`.
    pub inputs: Vec<Input<'d>>,
    /// Names of the secrets of `workflow_call`, and whether each is required.
    pub secrets: Vec<(&'d str, bool)>,
    /// Outputs of `workflow_call`.
    pub outputs: Vec<Output<'d>>,
}

/// A declared input.
#[derive(Debug, Clone, Copy)]
pub struct Input<'d> {
    /// Its name.
    pub name: &'d str,
    /// Where the name stands.
    pub site: NodeRef<'d>,
    /// Its type.
    pub kind: InputKind,
    /// Whether it must be given.
    pub required: bool,
    /// Its default.
    pub default: Option<NodeRef<'d>>,
    /// The words that a choice takes.
    pub options: Option<NodeRef<'d>>,
}

/// The type of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A truth value.
    Boolean,
    /// One of some texts.
    Choice,
    /// The name of an environment.
    Environment,
}

/// A declared output: its name and the value that it takes.
#[derive(Debug, Clone, Copy)]
pub struct Output<'d> {
    /// Its name.
    pub name: &'d str,
    /// Its value, usually an expression.
    pub value: NodeRef<'d>,
}

/// A job.
#[derive(Debug)]
pub struct Job<'d> {
    /// Its id.
    pub id: &'d str,
    /// Where the id stands.
    pub site: NodeRef<'d>,
    /// The whole job.
    pub node: NodeRef<'d>,
    /// `name`
    pub name: Option<NodeRef<'d>>,
    /// The jobs that it needs, and where each is named.
    pub needs: Vec<(&'d str, NodeRef<'d>)>,
    /// `if`
    pub condition: Option<NodeRef<'d>>,
    /// `strategy`
    pub strategy: Option<Strategy<'d>>,
    /// `runs-on`
    pub runs_on: Option<NodeRef<'d>>,
    /// `env`
    pub env: Option<NodeRef<'d>>,
    /// `outputs`
    pub outputs: Vec<Output<'d>>,
    /// What it runs.
    pub body: JobBody<'d>,
}

/// `strategy` of a job.
#[derive(Debug, Clone, Copy)]
pub struct Strategy<'d> {
    /// All of it; an expression may stand for the whole.
    pub node: NodeRef<'d>,
    /// `matrix`
    pub matrix: Option<NodeRef<'d>>,
    /// `fail-fast`
    pub fail_fast: Option<NodeRef<'d>>,
    /// `max-parallel`
    pub max_parallel: Option<NodeRef<'d>>,
}

/// What a job runs.
#[derive(Debug)]
pub enum JobBody<'d> {
    /// Steps on a runner.
    Steps(Vec<Step<'d>>),
    /// A reusable workflow.
    Call(Call<'d>),
}

/// A call of a reusable workflow.
#[derive(Debug)]
pub struct Call<'d> {
    /// Which one.
    pub uses: &'d str,
    /// Where it is named.
    pub site: NodeRef<'d>,
    /// `with`: name, where it stands, and value.
    pub with: Vec<(&'d str, NodeRef<'d>, NodeRef<'d>)>,
    /// `secrets`
    pub secrets: Option<NodeRef<'d>>,
}

/// A step of a job or of a composite action.
#[derive(Debug, Clone, Copy)]
pub struct Step<'d> {
    /// The whole step.
    pub node: NodeRef<'d>,
    /// `id`
    pub id: Option<&'d str>,
    /// `name`
    pub name: Option<NodeRef<'d>>,
    /// `if`
    pub condition: Option<NodeRef<'d>>,
    /// `uses`
    pub uses: Option<NodeRef<'d>>,
    /// `run`
    pub run: Option<NodeRef<'d>>,
    /// `with`
    pub with: Option<NodeRef<'d>>,
    /// `env`
    pub env: Option<NodeRef<'d>>,
    /// Whether it may look at steps before it. They are put together only for those that do.
    pub looks_back: bool,
    /// `timeout-minutes`
    pub timeout_minutes: Option<NodeRef<'d>>,
    /// `continue-on-error`
    pub continue_on_error: Option<NodeRef<'d>>,
}

impl<'d> Workflow<'d> {
    /// The trigger of an event.
    pub fn trigger(&self, event: &str) -> Option<&Trigger<'d>> {
        self.triggers.iter().find(|trigger| trigger.event == event)
    }

    /// The job with an id. GitHub does not tell upper from lower case there.
    pub fn job(&self, id: &str) -> Option<&Job<'d>> {
        self.jobs.iter().find(|job| job.id.eq_ignore_ascii_case(id))
    }
}
