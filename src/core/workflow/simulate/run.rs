//! Runs a workflow in thought: jobs in the order of their needs, each with what its needs left.

use std::sync::Arc;

use hashbrown::HashMap;

use super::call::inputs_of_event;
use super::event::{github, left_out};
use super::left::{Left, context, status_of};
use super::matrix::{Leg, cut, default_name};
use super::order::order;
use super::scope::{Evaluator, Place, Status};
use super::settings::what_it_is;
use super::sight::Sight;
use super::strategy::{LegOf, is_expression, strategy_context};
use super::{Actions, Decision, Library, Request, SimulatedJob, SimulatedLeg, Simulation, State};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::expr::{Because, Expr, NodeKind, Object, Value, because};
use crate::core::schema::suggestion;
use crate::core::size::utf16_bytes;
use crate::core::workflow::read::first_line;
use crate::core::workflow::{Job, JobBody, Output, Workflow};
use crate::core::yaml::NodeRef;

/// How many jobs and legs a simulation follows: one matrix of called matrices, and half as much again.
const MAX_JOBS: usize = if cfg!(test) { 1_000 } else { 100_000 };
/// Outputs of one job, in bytes of UTF-16.
const MAX_OUTPUT_BYTES: usize = 1024 * 1024;

/// Simulates a workflow of the library. What GitHub would fail on goes to `found`.
pub fn simulate(
    file: &str,
    library: &Library<'_>,
    actions: &dyn Actions,
    request: &Request,
    found: &mut Diagnostics,
) -> Simulation {
    let mut run =
        Run { library, actions, request, evaluator: Evaluator::new(actions), found, jobs: Vec::new(), legs: 0 };
    if let Some(workflow) = library.workflows.get(file) {
        run.top(file, workflow);
    }
    Simulation { workflow: file.to_owned(), event: request.event.clone(), jobs: run.jobs }
}

pub(super) struct Run<'r, 'd> {
    pub(super) library: &'r Library<'d>,
    pub(super) actions: &'r dyn Actions,
    request: &'r Request,
    pub(super) evaluator: Evaluator<'r>,
    pub(super) found: &'r mut Diagnostics,
    jobs: Vec<SimulatedJob>,
    /// How many legs were followed.
    legs: usize,
}

/// One workflow of a run: the top one, or one that is called.
pub(super) struct Frame {
    /// What stands in front of the ids of its jobs.
    pub(super) prefix: String,
    /// Contexts that all jobs see.
    pub(super) base: Place,
    /// How many calls deep.
    pub(super) depth: usize,
    /// The files of the calls that led here.
    pub(super) chain: Vec<String>,
}

impl<'d> Run<'_, 'd> {
    fn top(&mut self, file: &str, workflow: &Workflow<'d>) {
        let place = self.top_place(file, workflow);
        if workflow.triggers.is_empty() {
            return;
        }
        let Some(trigger) = workflow.trigger(&self.request.event) else {
            let known: Vec<&str> = workflow.triggers.iter().map(|trigger| trigger.event).collect();
            let message = format!("{} does not start {file}", self.request.event);
            let site = workflow.node.entry("on").map_or(workflow.node, |(key, _)| key);
            let near = suggestion(&self.request.event, known.iter().copied());
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            self.found.push(
                Diagnostic::error(Code::WorkflowEvent, message)
                    .at(site.source(), first_line(site))
                    .help(format!("its events: {}{near}", known.join(", "))),
            );
            return;
        };
        for node in [workflow.run_name, workflow.concurrency].into_iter().flatten() {
            self.evaluator.value(node, Sight::Run, &place.clone().with("inputs", Value::unknown("inputs")), self.found);
        }
        if let Some(note) = left_out(trigger, self.request) {
            self.found.push(note.help("no job starts; give another --ref or --event-file to see one that does"));
            return;
        }
        let inputs = inputs_of_event(&self.request.inputs, &trigger.inputs, &place, &mut self.evaluator, self.found);
        let place = match trigger.event {
            "workflow_dispatch" => place.with("github", github(self.request, file, workflow, Some(&inputs))),
            _ => place,
        };
        let frame =
            Frame { prefix: String::new(), base: place.with("inputs", inputs), depth: 1, chain: vec![file.to_owned()] };
        self.workflow(workflow, &frame);
    }

    fn top_place(&self, file: &str, workflow: &Workflow<'d>) -> Place {
        let request = self.request;
        let vars: Vec<(Arc<str>, Value)> =
            request.vars.iter().map(|(name, value)| (name.as_str().into(), Value::text(value.as_str()))).collect();
        // Without any variable given nothing is known of them; with some, the others are taken as not set.
        let vars = if vars.is_empty() { Value::unknown("vars") } else { Value::Object(Object::new(vars)) };
        Place::new(Status::succeeding())
            .with("github", github(request, file, workflow, None))
            .with("vars", vars)
            .with("secrets", Value::unknown("secrets"))
    }

    /// All jobs of a workflow. Returns what each left.
    pub(super) fn workflow(&mut self, workflow: &Workflow<'d>, frame: &Frame) -> HashMap<String, Left> {
        let mut left: HashMap<String, Left> = HashMap::new();
        let first = self.jobs.len();
        for index in order(&workflow.jobs) {
            let job = &workflow.jobs[index];
            if self.is_exhausted(job) {
                break;
            }
            let outcome = self.job(workflow, job, frame, &left);
            left.insert(job.id.to_ascii_lowercase(), outcome);
        }
        // In source order, and what a job calls behind it.
        let rank: HashMap<&str, usize> = workflow.jobs.iter().enumerate().map(|(at, job)| (job.id, at)).collect();
        let prefix = frame.prefix.len();
        self.jobs[first..].sort_by_cached_key(|job| {
            let own = job.path[prefix..].split(['/', '[']).next().unwrap_or_default();
            rank.get(own).copied().unwrap_or(usize::MAX)
        });
        left
    }

    /// Whether the run has become too large to follow, which is said once.
    fn is_exhausted(&mut self, job: &Job<'d>) -> bool {
        if self.evaluator.is_exhausted() {
            return true;
        }
        let is_over = self.jobs.len() + self.legs > MAX_JOBS;
        if is_over {
            let message = format!("the run has more than {MAX_JOBS} jobs and legs by here; what follows is left out");
            self.found.push(
                Diagnostic::error(Code::WorkflowLimit, message)
                    .at(job.site.source(), job.site.site())
                    .help("simulate a called workflow alone, or give outputs with shorter lists"),
            );
            self.evaluator.stop();
        }
        is_over
    }

    fn job(&mut self, workflow: &Workflow<'d>, job: &Job<'d>, frame: &Frame, left: &HashMap<String, Left>) -> Left {
        let needs: Vec<(&str, &Left)> =
            job.needs.iter().filter_map(|(name, _)| Some((*name, left.get(&name.to_ascii_lowercase())?))).collect();
        let mut place = frame.base.clone();
        place.set_status(status_of(&needs));
        place.set("needs", context(needs.iter().copied()));
        let (state, decision, depends_on) = self.condition(job, &place);
        let path = format!("{}{}", frame.prefix, job.id);
        let slot = self.jobs.len();
        self.jobs.push(SimulatedJob {
            id: job.id.to_owned(),
            path: path.clone(),
            name: job.name.and_then(NodeRef::scalar_text).unwrap_or(job.id).to_owned(),
            state,
            because: decision,
            depends_on: depends_on.clone(),
            needs: job.needs.iter().map(|(name, _)| (*name).to_owned()).collect(),
            calls: called_file(job),
            legs: vec![],
        });
        let assumed = self.request.results.get(job.id).or_else(|| self.request.results.get(&path)).cloned();
        if state == State::Skip {
            let result = Value::text(assumed.unwrap_or_else(|| "skipped".into()));
            return Left::new(&needs, result, Value::Object(Object::new([])), &[]);
        }
        let errors_before = self.found.error_count();
        let made = self.legs(workflow, job, frame, &place, &path, slot);
        let outputs = self.assumed_outputs(job, &path, made);
        self.check_output_size(job, &outputs);
        // What a call leads to is as unknown as the call.
        for inner in
            self.jobs[slot + 1..].iter_mut().filter(|inner| state == State::Unknown && inner.state == State::Run)
        {
            inner.state = State::Unknown;
            inner.depends_on.clone_from(&depends_on);
        }
        let failed = self.found.error_count() > errors_before;
        if failed {
            self.jobs[slot].state = State::Fail;
        }
        let result = match (assumed, failed, state) {
            (Some(result), ..) => Value::text(result),
            (None, true, _) => Value::text("failure"),
            (None, false, State::Unknown) => Value::unknown(format!("needs.{}.result", job.id)),
            (None, false, _) => Value::text("success"),
        };
        Left::new(&needs, result, outputs, &depends_on)
    }

    /// Outputs as the job makes them, with those that were given for it in their place.
    fn assumed_outputs(&self, job: &Job<'_>, path: &str, outputs: Value) -> Value {
        let given: Vec<(Arc<str>, Value)> = self
            .request
            .outputs
            .iter()
            .filter(|((id, _), _)| id == job.id || id == path)
            .map(|((_, name), value)| (name.as_str().into(), Value::text(value.as_str())))
            .collect();
        if given.is_empty() {
            return outputs;
        }
        let mut members: Vec<(Arc<str>, Value)> = match &outputs {
            Value::Object(object) => object.iter().map(|(name, value)| (name.into(), value.clone())).collect(),
            _ => vec![],
        };
        members.extend(given);
        Value::Object(Object::new(members))
    }

    /// Whether a job runs, what decided, and on what an unknown answer depends.
    fn condition(&mut self, job: &Job<'d>, place: &Place) -> (State, Option<Decision>, Vec<Arc<str>>) {
        let Some(node) = job.condition else {
            let decision = || self.implied_decision(job);
            return match place.success() {
                Some(true) => (State::Run, None, vec![]),
                Some(false) => (State::Skip, Some(decision()), vec![]),
                None => (State::Unknown, None, place.status_depends_on()),
            };
        };
        let text = node.scalar_text().unwrap_or_default();
        let Some(condition) = self.evaluator.condition(node, Sight::JobCondition, self.found) else {
            return (State::Fail, None, vec![]);
        };
        let asks = condition.expressions().any(Expr::asks_for_status);
        if !asks {
            match place.success() {
                Some(true) => {}
                Some(false) => return (State::Skip, Some(self.implied_decision(job)), vec![]),
                None => return (State::Unknown, None, place.status_depends_on()),
            }
        }
        let Some(value) = self.evaluator.decide(&condition, node, place, self.found) else {
            return (State::Fail, None, vec![]);
        };
        let decided = condition.as_expression().and_then(|expression| decided_by(expression, &value, place));
        let decision = decided.map(|decided| Decision {
            line: line_of(node, text, decided.span.start),
            file: node.source().name().to_owned(),
            expression: decided.text,
            value: decided.value,
        });
        match value.is_truthy() {
            Some(true) => (State::Run, decision, vec![]),
            Some(false) => (State::Skip, decision, vec![]),
            None => {
                let depends = value.unknowns().map(|unknown| unknown.depends_on().to_vec()).unwrap_or_default();
                (State::Unknown, decision, depends)
            }
        }
    }

    /// Jobs run only after success unless they say otherwise.
    fn implied_decision(&self, job: &Job<'_>) -> Decision {
        let site = job.condition.unwrap_or(job.site);
        Decision {
            expression: "success()".into(),
            value: Value::Bool(false),
            file: site.source().name().to_owned(),
            line: site.source().position(site.site().start).line,
        }
    }

    /// The legs of a job that may run. Returns its outputs: those of the last leg, as on GitHub.
    fn legs(
        &mut self,
        workflow: &Workflow<'d>,
        job: &Job<'d>,
        frame: &Frame,
        place: &Place,
        path: &str,
        slot: usize,
    ) -> Value {
        let Some(all) = self.matrix(job, place) else { return unknown_outputs(job) };
        let total = all.len();
        let has_matrix = all.iter().any(|leg| !matches!(leg, LegOf::Whole));
        let mut outputs = unknown_outputs(job);
        for (index, leg) in all.into_iter().enumerate() {
            self.legs += 1;
            if self.is_exhausted(job) {
                break;
            }
            let mut place = place.clone();
            let (matrix, leg) = match leg {
                LegOf::Whole => (Value::Null, None),
                LegOf::Matrix(leg) => (Value::Object(Object::new(leg.iter().cloned())), Some(leg)),
                LegOf::Unknown(matrix) => (matrix, None),
            };
            place.set("strategy", strategy_context(index, (!matches!(matrix, Value::Unknown(_))).then_some(total)));
            place.set("matrix", matrix.clone());
            let name = self.leg_name(job, leg.as_ref(), &place);
            let mut simulated = SimulatedLeg {
                index,
                name,
                matrix,
                runs_on: job.runs_on.map_or(Value::Null, |node| self.runs_on(node, &place)),
                inputs: Value::Null,
                env: Value::Object(Object::new([])),
                steps: vec![],
            };
            self.check_leg_settings(job, &place);
            match &job.body {
                JobBody::Steps(steps) => {
                    let levels = [(workflow.env, Sight::WorkflowEnv), (job.env, Sight::JobEnv)];
                    simulated.env = self.environment(&levels, &place, !is_windows(&simulated.runs_on));
                    place.set("env", simulated.env.clone());
                    place.set("job", Value::unknown("job"));
                    place.set("runner", Value::unknown("runner"));
                    self.check_step_settings(job, &place);
                    place.set_status(self.status_of_steps(job, path));
                    let (steps, step_outputs) = self.steps(steps, &place);
                    simulated.steps = steps;
                    place.set("steps", step_outputs);
                    outputs = self.outputs(&job.outputs, Sight::Step, &place);
                    self.jobs[slot].legs.push(simulated);
                }
                // A called workflow has an environment of its own.
                JobBody::Call(call) => {
                    let leg_path = if has_matrix { format!("{path}[{index}]") } else { path.to_owned() };
                    let (inputs, called) = self.call(call, frame, &place, &leg_path);
                    simulated.inputs = inputs;
                    if let Some(called) = called {
                        outputs = called;
                    }
                    self.jobs[slot].legs.push(simulated);
                }
            }
        }
        outputs
    }

    /// What the status functions of steps give: steps succeed, unless the job is assumed to end otherwise.
    fn status_of_steps(&self, job: &Job<'d>, path: &str) -> Status {
        let assumed = self.request.results.get(job.id).or_else(|| self.request.results.get(path));
        match assumed.map(String::as_str) {
            Some(state @ ("failure" | "cancelled")) => Status {
                success: None,
                failure: None,
                cancelled: (state == "failure").then_some(false),
                depends_on: vec!["job.status".into()],
            },
            _ => Status::succeeding(),
        }
    }

    /// A name with expressions is what they give; any other name is followed by the values of the leg.
    fn leg_name(&mut self, job: &Job<'d>, leg: Option<&Leg>, place: &Place) -> String {
        let written = job.name.and_then(NodeRef::scalar_text).filter(|text| !text.is_empty());
        if let Some(text) = written.filter(|text| !text.contains("${{")) {
            return leg.map_or_else(|| cut(text), |leg| default_name(text, leg));
        }
        match job.name.and_then(|node| self.text(node, Sight::Leg, "the name", place)) {
            Some(Value::Unknown(_)) => cut(written.unwrap_or(job.id)),
            Some(value) if !matches!(value, Value::Null) => {
                cut(&value.to_text().map(|text| text.into_owned()).unwrap_or_default())
            }
            _ => leg.map_or_else(|| job.id.to_owned(), |leg| default_name(job.id, leg)),
        }
    }

    /// The value of a node that GitHub wants to be a text, number or truth value. A list or mapping is reported.
    pub(super) fn text(&mut self, node: NodeRef<'d>, sight: Sight, what: &str, place: &Place) -> Option<Value> {
        let value = self.evaluator.value(node, sight, place, self.found)?;
        if value.is_primitive() || matches!(value, Value::Unknown(_)) {
            return Some(value);
        }
        self.refuse_structure(node, what, &value);
        None
    }

    fn refuse_structure(&mut self, site: NodeRef<'d>, what: &str, value: &Value) {
        let kind = if matches!(value, Value::Array(_)) { "sequence" } else { "mapping" };
        let diagnostic = Diagnostic::error(Code::WorkflowValue, format!("{what}: a {kind} was not expected"))
            .at(site.source(), first_line(site))
            .help("pass it as text with toJSON");
        self.evaluator.once(site, diagnostic, self.found);
    }

    /// Environments laid over each other, the later over the earlier.
    pub(super) fn environment(
        &mut self,
        levels: &[(Option<NodeRef<'d>>, Sight)],
        place: &Place,
        case_sensitive: bool,
    ) -> Value {
        let mut members: Vec<(Arc<str>, Value)> = Vec::new();
        for (node, sight) in levels {
            let Some(node) = *node else { continue };
            let Some(level) = self.evaluator.value(node, *sight, place, self.found) else { continue };
            match level {
                Value::Object(level) => {
                    for (name, value) in level.entries() {
                        members.push((Arc::clone(name), self.environment_text(node, name, value)));
                    }
                }
                // Its names are not known either: what is known of other levels still is.
                Value::Null | Value::Unknown(_) => {}
                // The reader has said that it is no mapping.
                _ if !is_expression(node) => {}
                other => {
                    let message = format!("`env` is {}, expected a mapping", what_it_is(&other));
                    let diagnostic =
                        Diagnostic::error(Code::WorkflowValue, message).at(node.source(), first_line(node));
                    self.evaluator.once(node, diagnostic.help("give variables by name"), self.found);
                }
            }
        }
        variables(members, case_sensitive)
    }

    fn environment_text(&mut self, node: NodeRef<'d>, name: &str, value: &Value) -> Value {
        match value.to_text() {
            Err(unknown) => Value::Unknown(unknown),
            Ok(_) if !value.is_primitive() => {
                self.refuse_structure(node.get(name).unwrap_or(node), &format!("the variable `{name}`"), value);
                Value::Null
            }
            Ok(text) => match value {
                Value::Str(_) => value.clone(),
                _ => Value::text(&*text),
            },
        }
    }

    pub(super) fn outputs(&mut self, declared: &[Output<'d>], sight: Sight, place: &Place) -> Value {
        let members = declared.iter().map(|output| {
            let what = format!("the output `{}`", output.name);
            let value = self.text(output.value, sight, &what, place).unwrap_or(Value::Null);
            let text = match value.to_text() {
                Ok(text) => Value::text(&*text),
                Err(unknown) => Value::Unknown(unknown),
            };
            (Arc::from(output.name), text)
        });
        Value::Object(Object::new(members.collect::<Vec<_>>()))
    }

    fn check_output_size(&mut self, job: &Job<'d>, outputs: &Value) {
        let Value::Object(outputs) = outputs else { return };
        let size: usize =
            outputs.iter().filter_map(|(_, value)| value.to_text().ok().map(|text| utf16_bytes(&text))).sum();
        if size > MAX_OUTPUT_BYTES {
            let message =
                format!("the outputs of `{}` take {size} bytes in UTF-16, more than {MAX_OUTPUT_BYTES}", job.id);
            self.found.push(
                Diagnostic::error(Code::WorkflowOutput, message)
                    .at(job.site.source(), job.site.site())
                    .help("pass a digest and shard numbers, and let each shard regenerate its part"),
            );
        }
    }
}

/// What decided a condition of this value. Where it can only be all of it nothing is evaluated once more: conditions read
/// lists out of JSON that is megabytes long.
fn decided_by(expression: &Expr, value: &Value, place: &Place) -> Option<Because> {
    let root = expression.root()?;
    let is_whole = match (root.kind(), value.is_truthy()) {
        (NodeKind::Not, _) => false,
        (NodeKind::And, truthy) => truthy == Some(true),
        (NodeKind::Or, truthy) => truthy == Some(false),
        _ => true,
    };
    if is_whole {
        return Some(Because { span: root.span(), text: root.text().to_owned(), value: value.clone() });
    }
    because(expression, place).ok().flatten()
}

/// Outputs of a job that did not get to make them.
fn unknown_outputs(job: &Job<'_>) -> Value {
    match &job.body {
        JobBody::Call(_) => Value::unknown(format!("needs.{}.outputs", job.id)),
        JobBody::Steps(_) => {
            let members = job.outputs.iter().map(|output| {
                (Arc::from(output.name), Value::unknown(format!("needs.{}.outputs.{}", job.id, output.name)))
            });
            Value::Object(Object::new(members.collect::<Vec<_>>()))
        }
    }
}

/// Variables as a job sees them: on all systems but Windows `Path` and `PATH` are two.
fn variables(members: Vec<(Arc<str>, Value)>, case_sensitive: bool) -> Value {
    Value::Object(if case_sensitive { Object::case_sensitive(members) } else { Object::new(members) })
}

/// Whether variables that differ in case only are different ones.
pub(super) fn is_case_sensitive(env: Option<&Value>) -> bool {
    matches!(env, Some(Value::Object(env)) if env.is_case_sensitive())
}

/// Whether the labels of a runner say that it runs Windows.
fn is_windows(runs_on: &Value) -> bool {
    match runs_on {
        Value::Str(label) => label.to_ascii_lowercase().contains("windows"),
        Value::Array(labels) => labels.items().iter().any(is_windows),
        Value::Object(runner) => runner.get("labels").is_some_and(is_windows),
        _ => false,
    }
}

pub(super) fn overlaid(below: Option<&Value>, above: &Value) -> Value {
    let (below, above) = match (below, above) {
        (Some(Value::Object(below)), Value::Object(above)) => (below, above),
        (_, above @ Value::Object(_)) => return above.clone(),
        (Some(below @ Value::Object(_)), _) => return below.clone(),
        _ => return Value::Object(Object::new([])),
    };
    // Most steps add nothing.
    if above.is_empty() {
        return Value::Object(below.clone());
    }
    let members = below.entries().chain(above.entries()).map(|(name, value)| (Arc::clone(name), value.clone()));
    variables(members.collect(), below.is_case_sensitive())
}

/// `$/X` and `./X` are files of this checkout; so is a path of our own repository that is named in full only when it is
/// checked out, which nobody knows here.
pub fn local_workflow(uses: &str) -> Option<String> {
    let path = uses.strip_prefix("./").or_else(|| uses.strip_prefix("$/"))?;
    Some(path.trim_start_matches('/').to_owned())
}

/// The folder of an action of this checkout, empty for the root.
pub fn local_action(uses: &str) -> Option<&str> {
    let path = uses.strip_prefix('.').or_else(|| uses.strip_prefix('$'))?;
    match path {
        "" => Some(""),
        _ => Some(path.strip_prefix('/')?.trim_matches('/').trim_start_matches("./")),
    }
}

fn called_file(job: &Job<'_>) -> Option<String> {
    match &job.body {
        JobBody::Call(call) => Some(local_workflow(call.uses).unwrap_or_else(|| call.uses.to_owned())),
        JobBody::Steps(_) => None,
    }
}

fn line_of(node: NodeRef<'_>, text: &str, offset: usize) -> usize {
    let span = node.span();
    let written = &node.source().text()[span.clone()];
    let start = written.find(text).map_or(span.start, |at| span.start + at + offset.min(text.len()));
    node.source().position(start).line
}
