//! Runs a workflow in thought: jobs in the order of their needs, each with what its needs left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use hashbrown::HashMap;

use super::call::{inputs_of_call, inputs_of_event};
use super::event::{github, left_out};
use super::left::{Left, context, status_of};
use super::matrix::{Leg, cut, default_name, idle_exclude_keys, legs};
use super::scope::{Evaluator, Place, Status};
use super::settings::{Expected, what_it_is};
use super::sight::Sight;
use super::{Actions, Decision, Library, Request, SimulatedJob, SimulatedLeg, Simulation, State};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::expr::{Because, Expr, NodeKind, Object, Value, because};
use crate::core::schema::suggestion;
use crate::core::size::utf16_bytes;
use crate::core::workflow::read::first_line;
use crate::core::workflow::{Call, Input, Job, JobBody, Output, Trigger, Workflow};
use crate::core::yaml::{Kind, NodeRef};

/// How deeply called workflows may nest on github.com, the top one included.
const MAX_CALLS: usize = 10;
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
struct Frame {
    /// What stands in front of the ids of its jobs.
    prefix: String,
    /// Contexts that all jobs see.
    base: Place,
    /// How many calls deep.
    depth: usize,
    /// The files of the calls that led here.
    chain: Vec<String>,
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
    fn workflow(&mut self, workflow: &Workflow<'d>, frame: &Frame) -> HashMap<String, Left> {
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
                    simulated.env = self.environment(&levels, &place);
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

    /// The legs of the matrix; one without values where there is none, or where it is unknown. `None` when GitHub
    /// refuses it, which is reported.
    fn matrix(&mut self, job: &Job<'d>, place: &Place) -> Option<Vec<LegOf>> {
        let Some(strategy) = &job.strategy else { return Some(vec![LegOf::Whole]) };
        self.check_setting(strategy.fail_fast, Expected::Truth, Sight::Strategy, place);
        self.check_setting(strategy.max_parallel, Expected::Number, Sight::Strategy, place);
        // An expression may stand for the matrix, or for all of the strategy.
        let node = match strategy.node.kind() {
            Kind::Map => match strategy.matrix {
                Some(matrix) => matrix,
                None => return Some(vec![LegOf::Whole]),
            },
            Kind::Str(_) if is_expression(strategy.node) => strategy.node,
            // The reader has said that it is no mapping.
            _ => return None,
        };
        let mut value = self.evaluator.value(node, Sight::Strategy, place, self.found)?;
        if !matches!(strategy.node.kind(), Kind::Map) {
            value = match value {
                Value::Object(whole) => match whole.get("matrix") {
                    Some(matrix) => matrix.clone(),
                    None => return Some(vec![LegOf::Whole]),
                },
                other => other,
            };
        }
        let matrix = match value {
            unknown @ Value::Unknown(_) => return Some(vec![LegOf::Unknown(unknown)]),
            Value::Object(matrix) => matrix,
            other => {
                let message = format!("the matrix is {}, expected a mapping of vectors", what_it_is(&other));
                self.found.push(
                    Diagnostic::error(Code::WorkflowMatrix, message)
                        .at(node.source(), first_line(node))
                        .help("give vectors by name, or a text that holds them with fromJSON"),
                );
                return None;
            }
        };
        if matrix.iter().any(|(_, vector)| matches!(vector, Value::Unknown(_))) {
            return Some(vec![LegOf::Unknown(unknown_leg(&matrix))]);
        }
        for key in idle_exclude_keys(&matrix) {
            let site = node.entry("exclude").map_or(node, |(key, _)| key);
            let message = format!("`exclude` names `{key}`, which the matrix of `{}` does not have", job.id);
            let diagnostic = Diagnostic::warning(Code::WorkflowMatrix, message)
                .at(node.source(), first_line(site))
                .help("such an entry excludes nothing; `include` comes after it");
            self.evaluator.once(site, diagnostic, self.found);
        }
        match legs(&matrix) {
            // Everything excluded: GitHub then runs the job once, without a matrix.
            Ok(legs) if legs.is_empty() => Some(vec![LegOf::Whole]),
            Ok(legs) => Some(legs.into_iter().map(LegOf::Matrix).collect()),
            Err(refused) => {
                let site = refused.key.as_deref().and_then(|key| node.entry(key)).map_or(node, |(key, _)| key);
                let message = format!("{} (job `{}`)", refused.message, job.id);
                self.found.push(
                    Diagnostic::error(Code::WorkflowMatrix, message)
                        .at(node.source(), first_line(site))
                        .help(refused.help),
                );
                None
            }
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
    pub(super) fn environment(&mut self, levels: &[(Option<NodeRef<'d>>, Sight)], place: &Place) -> Value {
        let mut members: Vec<(Arc<str>, Value)> = Vec::new();
        for (node, sight) in levels {
            let Some(node) = *node else { continue };
            let Some(level) = self.evaluator.value(node, *sight, place, self.found) else { continue };
            match level {
                Value::Object(level) => {
                    for (name, value) in level.iter() {
                        members.push((name.into(), self.environment_text(node, name, value)));
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
        Value::Object(Object::new(members))
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

    /// A call: what the callee receives, and its outputs unless it cannot be followed.
    fn call(&mut self, call: &Call<'d>, frame: &Frame, place: &Place, path: &str) -> (Value, Option<Value>) {
        let Some(file) = local_workflow(call.uses) else {
            // Another repository: nothing of it is here, but what it is given is known.
            if let Some(reason) = malformed_reference(call.uses) {
                self.refuse_call(call, format!("`{}` {reason}", call.uses));
            }
            let members = call.with.iter().map(|(name, _, node)| {
                let value = self.text(*node, Sight::Leg, &format!("the input `{name}`"), place);
                (Arc::from(*name), value.unwrap_or(Value::Null))
            });
            return (Value::Object(Object::new(members.collect::<Vec<_>>())), None);
        };
        let Some(callee) = self.library.workflows.get(&file) else {
            self.refuse_call(call, format!("{file} does not exist, or is no workflow"));
            return (Value::Null, None);
        };
        if frame.chain.contains(&file) {
            let circle = format!("{} → {file}", frame.chain.join(" → "));
            self.refuse_call(call, format!("workflows call each other in a circle: {circle}"));
            return (Value::Null, None);
        }
        if frame.depth >= MAX_CALLS {
            self.refuse_call(call, format!("calls nest deeper than {MAX_CALLS} workflows"));
            return (Value::Null, None);
        }
        let Some(trigger) = callee.trigger("workflow_call") else {
            self.refuse_call(call, format!("{file} has no `workflow_call` among its triggers"));
            return (Value::Null, None);
        };
        self.check_secrets(call, trigger, place);
        let callee_place = frame.base.clone();
        let declared: &[Input<'d>] = &trigger.inputs;
        let (inputs, valid) = inputs_of_call(call, declared, place, &callee_place, &mut self.evaluator, self.found);
        if !valid {
            return (inputs, None);
        }
        let mut chain = frame.chain.clone();
        chain.push(file.clone());
        let inner = Frame {
            prefix: format!("{path}/"),
            base: callee_place.with("inputs", inputs.clone()),
            depth: frame.depth + 1,
            chain,
        };
        let left = self.workflow(callee, &inner);
        let jobs = context(left.iter().map(|(id, left)| (id.as_str(), left)));
        let place = inner.base.clone().with("jobs", jobs);
        let outputs = self.outputs(&trigger.outputs, Sight::CallOutput, &place);
        (inputs, Some(outputs))
    }

    /// A call passes the secrets that are declared, and all that are required.
    fn check_secrets(&mut self, call: &Call<'d>, trigger: &Trigger<'d>, place: &Place) {
        let given = match call.secrets {
            Some(node) if node.as_str() == Some("inherit") => return,
            Some(node) if matches!(node.kind(), Kind::Map) => {
                self.evaluator.value(node, Sight::Secrets, place, self.found);
                Some(node)
            }
            Some(node) if !node.is_null() => {
                let diagnostic = Diagnostic::error(Code::WorkflowInput, "`secrets` is neither `inherit` nor a mapping")
                    .at(node.source(), first_line(node))
                    .help("write `secrets: inherit`, or each secret by name");
                return self.evaluator.once(node, diagnostic, self.found);
            }
            _ => None,
        };
        let same = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
        for (key, _) in given.into_iter().flat_map(NodeRef::entries) {
            let name = key.scalar_text().unwrap_or_default();
            if !trigger.secrets.iter().any(|(known, _)| same(known, name)) {
                let diagnostic =
                    Diagnostic::error(Code::WorkflowInput, format!("{} declares no secret `{name}`", call.uses))
                        .at(key.source(), key.site())
                        .help("declare it there in `on.workflow_call.secrets`, or remove it here");
                self.evaluator.once(key, diagnostic, self.found);
            }
        }
        for (name, _) in trigger.secrets.iter().filter(|(_, required)| *required) {
            let is_given = given.into_iter().flat_map(NodeRef::entries);
            if !is_given.filter_map(|(key, _)| key.scalar_text()).any(|key| same(key, name)) {
                let diagnostic = Diagnostic::error(
                    Code::WorkflowInput,
                    format!("the call of {} lacks the secret `{name}`", call.uses),
                )
                .at(call.site.source(), call.site.site())
                .help(format!("add `{name}: …` to `secrets`, or `secrets: inherit`"));
                self.evaluator.once(call.site, diagnostic, self.found);
            }
        }
    }

    fn refuse_call(&mut self, call: &Call<'d>, message: String) {
        let diagnostic = Diagnostic::error(Code::WorkflowCall, message)
            .at(call.site.source(), call.site.site())
            .help("a callable workflow stands in .github/workflows and has `on: workflow_call`");
        self.evaluator.once(call.site, diagnostic, self.found);
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

fn is_expression(node: NodeRef<'_>) -> bool {
    node.as_str().is_some_and(|text| text.contains("${{"))
}

/// What a leg stands for.
enum LegOf {
    /// A job without a matrix.
    Whole,
    /// One combination.
    Matrix(Leg),
    /// All legs of a matrix that is not known: what is known of the matrix context.
    Unknown(Value),
}

/// The matrix context of a leg of a matrix with unknown vectors: of a vector with one value that value is known.
fn unknown_leg(matrix: &Object) -> Value {
    let is_special = |key: &str| key.eq_ignore_ascii_case("include") || key.eq_ignore_ascii_case("exclude");
    if let Some(unknown @ Value::Unknown(_)) = matrix.get("include") {
        return unknown.clone();
    }
    let mut members: Vec<(Arc<str>, Value)> = Vec::new();
    for (key, vector) in matrix.iter().filter(|(key, _)| !is_special(key)) {
        let value = match vector {
            Value::Unknown(_) => vector.clone(),
            Value::Array(vector) if vector.items().len() == 1 => vector.items()[0].clone(),
            _ => Value::unknown(format!("matrix.{key}")),
        };
        members.push((key.into(), value));
    }
    if let Some(Value::Array(entries)) = matrix.get("include") {
        for entry in entries.items() {
            let Value::Object(entry) = entry else { continue };
            members.extend(entry.iter().map(|(key, _)| (key.into(), Value::unknown(format!("matrix.{key}")))));
        }
    }
    Value::Object(Object::new(members))
}

#[expect(clippy::cast_precision_loss, reason = "at most 256")]
fn strategy_context(index: usize, total: Option<usize>) -> Value {
    let number = |name: &str, number: Option<usize>| {
        let value = number.map_or_else(|| Value::unknown(format!("strategy.{name}")), |n| Value::Number(n as f64));
        (Arc::from(name), value)
    };
    Value::Object(Object::new([
        number("job-index", total.map(|_| index)),
        number("job-total", total),
        (Arc::from("fail-fast"), Value::unknown("strategy.fail-fast")),
        (Arc::from("max-parallel"), Value::unknown("strategy.max-parallel")),
    ]))
}

/// Jobs so that each comes after those that it needs, otherwise as they are written. The reader has removed circles.
fn order(jobs: &[Job<'_>]) -> Vec<usize> {
    let index: HashMap<String, usize> =
        jobs.iter().enumerate().map(|(at, job)| (job.id.to_ascii_lowercase(), at)).collect();
    let mut waits_for = vec![0; jobs.len()];
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); jobs.len()];
    for (at, job) in jobs.iter().enumerate() {
        for need in job.needs.iter().filter_map(|(name, _)| index.get(&name.to_ascii_lowercase())) {
            waits_for[at] += 1;
            behind[*need].push(at);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..jobs.len()).filter(|at| waits_for[*at] == 0).map(Reverse).collect();
    let mut ordered = Vec::with_capacity(jobs.len());
    while let Some(Reverse(at)) = ready.pop() {
        ordered.push(at);
        for &next in &behind[at] {
            waits_for[next] -= 1;
            if waits_for[next] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    ordered
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

pub(super) fn overlaid(below: Option<&Value>, above: &Value) -> Value {
    let members = |value: Option<&Value>| match value {
        Some(Value::Object(object)) => object.iter().map(|(name, value)| (Arc::from(name), value.clone())).collect(),
        _ => Vec::new(),
    };
    let mut all: Vec<(Arc<str>, Value)> = members(below);
    all.extend(members(Some(above)));
    Value::Object(Object::new(all))
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

/// What is wrong with a reference to a workflow of another repository.
fn malformed_reference(uses: &str) -> Option<&'static str> {
    let (path, version) = match uses.split_once('@') {
        Some((path, version)) => (path, Some(version)),
        None => (uses, None),
    };
    let is_workflow = path.splitn(3, '/').count() == 3 && (path.ends_with(".yml") || path.ends_with(".yaml"));
    if uses.starts_with(".github/") {
        return Some("is of this repository only with `./` in front of it");
    }
    if !is_workflow {
        return Some(
            "is no workflow: expected ./.github/workflows/FILE.yml or OWNER/REPO/.github/workflows/FILE.yml@REF",
        );
    }
    version.is_none_or(str::is_empty).then_some("has no version: add `@` and a branch, tag or commit")
}

fn line_of(node: NodeRef<'_>, text: &str, offset: usize) -> usize {
    let span = node.span();
    let written = &node.source().text()[span.clone()];
    let start = written.find(text).map_or(span.start, |at| span.start + at + offset.min(text.len()));
    node.source().position(start).line
}
