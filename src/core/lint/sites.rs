//! Every text of a workflow or action that holds an expression, and what it is.

use std::ops::Range;
use std::sync::Arc;

use super::repository::{ActionFile, WorkflowFile};
use crate::core::diag::Source;
use crate::core::expr::{Allowed, Error, Expr, Template};
use crate::core::workflow::{Action, Job, JobBody, Step, Workflow};
use crate::core::yaml::{Kind, NodeRef};

/// What a text is for. It decides which contexts and functions exist there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    /// `run-name`
    RunName,
    /// `env` of a workflow.
    WorkflowEnv,
    /// `concurrency` of a workflow.
    WorkflowConcurrency,
    /// The default of an input of `workflow_call`.
    InputDefault,
    /// The value of an output of `workflow_call`.
    CallOutput,
    /// `if` of a job.
    JobIf,
    /// `name` of a job.
    JobName,
    /// `runs-on`
    RunsOn,
    /// `strategy`, the matrix excepted.
    Strategy,
    /// `strategy.matrix`
    Matrix,
    /// `env` of a job.
    JobEnv,
    /// `concurrency` of a job.
    JobConcurrency,
    /// `environment` of a job.
    Environment,
    /// `environment.url`
    EnvironmentUrl,
    /// `timeout-minutes` of a job.
    JobTimeout,
    /// `continue-on-error` of a job.
    JobContinue,
    /// `outputs` of a job.
    JobOutput,
    /// `with` of a call.
    CallWith,
    /// `secrets` of a call.
    CallSecrets,
    /// `if` of a step.
    StepIf,
    /// `run`
    StepRun,
    /// `env` of a step.
    StepEnv,
    /// `with` of a step.
    StepWith,
    /// Any other value of a step.
    StepOther,
    /// `value` of an output of a composite action.
    ActionOutput,
    /// `container`, `services` and `defaults`, of which each part has its own contexts.
    Other,
}

/// A text with an expression.
#[derive(Debug)]
pub struct Site<'d> {
    /// Where it stands.
    pub node: NodeRef<'d>,
    /// What it is for.
    pub slot: Slot,
    /// The name under which it stands: of an input, a variable, an output; else empty.
    pub name: &'d str,
    /// The job, as an index into the workflow's jobs.
    pub job: Option<usize>,
    /// The step, as an index into the job's or action's steps.
    pub step: Option<usize>,
    /// The text taken apart, whatever contexts it names; or why that failed.
    pub template: Result<Template, Error>,
}

/// The file that a site stands in.
#[derive(Debug, Clone, Copy)]
pub enum Owner<'r, 'd> {
    /// A workflow.
    Workflow(&'r WorkflowFile<'d>),
    /// An action.
    Action(&'r ActionFile<'d>),
}

impl<'r, 'd> Owner<'r, 'd> {
    /// The workflow, if it is one.
    pub fn workflow(self) -> Option<&'r WorkflowFile<'d>> {
        match self {
            Self::Workflow(file) => Some(file),
            Self::Action(_) => None,
        }
    }

    /// The job that a site stands in.
    pub fn job(self, site: &Site<'_>) -> Option<&'r Job<'d>> {
        self.workflow()?.workflow.jobs.get(site.job?)
    }

    /// The step that a site stands in.
    pub fn step(self, site: &Site<'_>) -> Option<&'r Step<'d>> {
        match self {
            Self::Action(file) => file.action.steps.get(site.step?),
            Self::Workflow(file) => match &file.workflow.jobs.get(site.job?)?.body {
                JobBody::Steps(steps) => steps.get(site.step?),
                JobBody::Call(_) => None,
            },
        }
    }
}

impl<'d> Site<'d> {
    /// The file.
    pub fn source(&self) -> &'d Arc<Source> {
        self.node.source()
    }

    /// The expressions in it.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.template.iter().flat_map(Template::expressions)
    }

    /// The bytes of the file at which a span of the text stands.
    pub fn locate(&self, span: Range<usize>) -> Range<usize> {
        self.node.locate(span)
    }

    /// Whether it is a condition, which is an expression without `${{ }}` too.
    pub fn is_condition(&self) -> bool {
        matches!(self.slot, Slot::JobIf | Slot::StepIf)
    }
}

/// Far more than a workflow of the largest size has.
const MAX_VALUES: usize = 200_000;

struct Collector<'d> {
    sites: Vec<Site<'d>>,
    /// How many values may still be looked at: a few aliases can stand for millions.
    left: usize,
    job: Option<usize>,
    step: Option<usize>,
}

impl<'d> Collector<'d> {
    /// All texts in a value; those of a mapping go by the name of their key.
    fn take(&mut self, node: Option<NodeRef<'d>>, slot: Slot) {
        if let Some(node) = node {
            self.below(node, slot, "");
        }
    }

    fn below(&mut self, node: NodeRef<'d>, slot: Slot, name: &'d str) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        match node.kind() {
            Kind::Str(text) => self.text(node, text, slot, name),
            Kind::List => node.items().for_each(|item| self.below(item, slot, name)),
            Kind::Map => {
                for (key, value) in node.entries() {
                    let key = key.scalar_text().unwrap_or_default();
                    self.below(value, slot, if name.is_empty() { key } else { name });
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, node: NodeRef<'d>, text: &str, slot: Slot, name: &'d str) {
        let is_condition = matches!(slot, Slot::JobIf | Slot::StepIf);
        let template = if is_condition {
            Template::parse_condition(text, &Allowed::ANYTHING)
        } else if text.contains("${{") {
            Template::parse(text, &Allowed::ANYTHING)
        } else {
            return;
        };
        self.sites.push(Site { node, slot, name, job: self.job, step: self.step, template });
    }

    fn steps(&mut self, steps: &[Step<'d>]) {
        const SPECIAL: [&str; 6] = ["if", "run", "env", "with", "uses", "id"];
        for (index, step) in steps.iter().enumerate() {
            self.step = Some(index);
            self.take(step.condition, Slot::StepIf);
            self.take(step.env, Slot::StepEnv);
            self.take(step.with, Slot::StepWith);
            self.take(step.run, Slot::StepRun);
            for (key, value) in step.node.entries() {
                let key = key.scalar_text().unwrap_or_default();
                if !SPECIAL.contains(&key) {
                    self.below(value, Slot::StepOther, key);
                }
            }
        }
        self.step = None;
    }

    fn job(&mut self, job: &Job<'d>) {
        self.take(job.condition, Slot::JobIf);
        self.take(job.name, Slot::JobName);
        self.take(job.runs_on, Slot::RunsOn);
        for (key, value) in job.node.get("strategy").into_iter().flat_map(NodeRef::entries) {
            let is_matrix = key.scalar_text() == Some("matrix");
            self.take(Some(value), if is_matrix { Slot::Matrix } else { Slot::Strategy });
        }
        self.take(job.env, Slot::JobEnv);
        self.take(job.node.get("concurrency"), Slot::JobConcurrency);
        let environment = job.node.get("environment");
        match environment.filter(|environment| matches!(environment.kind(), Kind::Map)) {
            Some(environment) => {
                self.take(environment.get("name"), Slot::Environment);
                self.take(environment.get("url"), Slot::EnvironmentUrl);
            }
            None => self.take(environment, Slot::Environment),
        }
        self.take(job.node.get("timeout-minutes"), Slot::JobTimeout);
        self.take(job.node.get("continue-on-error"), Slot::JobContinue);
        for part in ["container", "services", "defaults"] {
            self.take(job.node.get(part), Slot::Other);
        }
        for output in &job.outputs {
            self.below(output.value, Slot::JobOutput, output.name);
        }
        match &job.body {
            JobBody::Steps(steps) => self.steps(steps),
            JobBody::Call(call) => {
                for (name, _, value) in &call.with {
                    self.below(*value, Slot::CallWith, name);
                }
                self.take(call.secrets, Slot::CallSecrets);
            }
        }
    }
}

/// The sites of a workflow, in source order.
pub(super) fn sites_of_workflow<'d>(workflow: &Workflow<'d>) -> Vec<Site<'d>> {
    let mut collector = Collector { sites: Vec::new(), left: MAX_VALUES, job: None, step: None };
    collector.take(workflow.run_name, Slot::RunName);
    collector.take(workflow.env, Slot::WorkflowEnv);
    collector.take(workflow.concurrency, Slot::WorkflowConcurrency);
    for trigger in &workflow.triggers {
        for input in &trigger.inputs {
            if let Some(default) = input.default {
                collector.below(default, Slot::InputDefault, input.name);
            }
        }
        for output in &trigger.outputs {
            collector.below(output.value, Slot::CallOutput, output.name);
        }
    }
    for (index, job) in workflow.jobs.iter().enumerate() {
        collector.job = Some(index);
        collector.job(job);
    }
    in_source_order(collector.sites)
}

/// The sites of an action, in source order.
pub(super) fn sites_of_action<'d>(action: &Action<'d>) -> Vec<Site<'d>> {
    let mut collector = Collector { sites: Vec::new(), left: MAX_VALUES, job: None, step: None };
    for output in &action.outputs {
        collector.below(output.value, Slot::ActionOutput, output.name);
    }
    collector.steps(&action.steps);
    in_source_order(collector.sites)
}

fn in_source_order(mut sites: Vec<Site<'_>>) -> Vec<Site<'_>> {
    sites.sort_by_key(|site| site.node.site().start);
    sites
}
