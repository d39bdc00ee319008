//! Runs a workflow in thought: jobs in the order of their needs, each with what its needs left.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::call::{inputs_of_call, inputs_of_event};
use super::event::{github, left_out};
use super::left::{Left, context, status_of};
use super::matrix::{Leg, cut, default_name, legs};
use super::scope::{Evaluator, Place, Status};
use super::{Actions, Decision, Library, Request, SimulatedJob, SimulatedLeg, SimulatedStep, Simulation, State};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::expr::{Because, Expr, NodeKind, Object, Value, because};
use crate::core::size::utf16_bytes;
use crate::core::workflow::read::first_line;
use crate::core::workflow::{Call, Input, Job, JobBody, Output, Step, Workflow};
use crate::core::yaml::NodeRef;

/// How deeply called workflows may nest on github.com, the top one included.
const MAX_CALLS: usize = 10;
/// Legs of one matrix.
const MAX_LEGS: usize = 256;
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
    let mut run = Run { library, actions, request, evaluator: Evaluator::default(), found, jobs: Vec::new() };
    if let Some(workflow) = library.workflows.get(file) {
        run.top(file, workflow);
    }
    Simulation { workflow: file.to_owned(), event: request.event.clone(), jobs: run.jobs }
}

struct Run<'r, 'd> {
    library: &'r Library<'d>,
    actions: &'r dyn Actions,
    request: &'r Request,
    evaluator: Evaluator,
    found: &'r mut Diagnostics,
    jobs: Vec<SimulatedJob>,
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
        let place = self.top_place(workflow);
        let Some(trigger) = workflow.trigger(&self.request.event) else {
            let known: Vec<&str> = workflow.triggers.iter().map(|trigger| trigger.event).collect();
            let message = format!("{} does not start {file}", self.request.event);
            self.found.push(
                Diagnostic::error(Code::WorkflowEvent, message)
                    .in_file(file)
                    .help(format!("its events: {}", known.join(", "))),
            );
            return;
        };
        if let Some(note) = left_out(trigger, self.request) {
            self.found.push(note.help("no job starts; give another --ref or --event-file to see one that does"));
            return;
        }
        let inputs = inputs_of_event(&self.request.inputs, &trigger.inputs, &place, &mut self.evaluator, self.found);
        let place = match trigger.event {
            "workflow_dispatch" => place.with("github", github(self.request, workflow, Some(&inputs))),
            _ => place,
        };
        let frame =
            Frame { prefix: String::new(), base: place.with("inputs", inputs), depth: 1, chain: vec![file.to_owned()] };
        self.workflow(workflow, &frame);
    }

    fn top_place(&self, workflow: &Workflow<'d>) -> Place {
        let request = self.request;
        let vars: Vec<(Arc<str>, Value)> =
            request.vars.iter().map(|(name, value)| (name.as_str().into(), Value::text(value.as_str()))).collect();
        // Without any variable given nothing is known of them; with some, the others are taken as not set.
        let vars = if vars.is_empty() { Value::unknown("vars") } else { Value::Object(Object::new(vars)) };
        Place::new(Status { success: Some(true), failure: Some(false), cancelled: Some(false), depends_on: vec![] })
            .with("github", github(request, workflow, None))
            .with("vars", vars)
            .with("secrets", Value::unknown("secrets"))
    }

    /// All jobs of a workflow. Returns what each left.
    fn workflow(&mut self, workflow: &Workflow<'d>, frame: &Frame) -> HashMap<String, Left> {
        let mut left: HashMap<String, Left> = HashMap::new();
        let first = self.jobs.len();
        for index in order(&workflow.jobs) {
            let job = &workflow.jobs[index];
            let outcome = self.job(workflow, job, frame, &left);
            left.insert(job.id.to_ascii_lowercase(), outcome);
        }
        // In source order, and what a job calls behind it.
        let rank: HashMap<&str, usize> = workflow.jobs.iter().enumerate().map(|(at, job)| (job.id, at)).collect();
        let prefix = frame.prefix.len();
        self.jobs[first..].sort_by_key(|job| {
            let own = job.path[prefix..].split(['/', '[']).next().unwrap_or_default();
            rank.get(own).copied().unwrap_or(usize::MAX)
        });
        left
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
        let outputs = self.assumed_outputs(job, made);
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
    fn assumed_outputs(&self, job: &Job<'_>, outputs: Value) -> Value {
        let given: Vec<(Arc<str>, Value)> = self
            .request
            .outputs
            .iter()
            .filter(|((id, _), _)| id == job.id)
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
        let Some(condition) = self.evaluator.condition(node, self.found) else { return (State::Fail, None, vec![]) };
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
        let has_matrix = job.strategy.is_some_and(|strategy| strategy.matrix.is_some());
        let mut outputs = unknown_outputs(job);
        for (index, leg) in all.into_iter().enumerate() {
            let mut place = place.clone();
            let matrix = match &leg {
                _ if !has_matrix => Value::Null,
                Some(leg) => Value::Object(Object::new(leg.iter().cloned())),
                None => Value::unknown("matrix"),
            };
            #[expect(clippy::cast_precision_loss, reason = "at most 256")]
            let strategy = [("job-index", index as f64), ("job-total", total as f64)];
            let strategy = strategy.map(|(name, number)| (Arc::from(name), Value::Number(number)));
            place.set("strategy", Value::Object(Object::new(strategy)));
            place.set("matrix", matrix.clone());
            let name = self.leg_name(job, leg.as_ref().filter(|_| has_matrix), &place);
            // A called workflow has an environment of its own.
            let env = match job.body {
                JobBody::Steps(_) => self.environment(&[workflow.env, job.env], &place),
                JobBody::Call(_) => vec![],
            };
            let runs_on = job.runs_on.and_then(|node| self.evaluator.value(node, &place, self.found));
            let runs_on = runs_on.unwrap_or(Value::Null);
            let env = variables(env, !is_windows(&runs_on));
            let mut simulated =
                SimulatedLeg { index, name, matrix, runs_on, inputs: Value::Null, env: env.clone(), steps: vec![] };
            match &job.body {
                JobBody::Steps(steps) => {
                    place.set("env", env);
                    let (steps, step_outputs) = self.steps(steps, &place);
                    simulated.steps = steps;
                    place.set("steps", step_outputs);
                    place.set("job", Value::unknown("job"));
                    place.set("runner", Value::unknown("runner"));
                    outputs = self.outputs(&job.outputs, &place);
                    self.jobs[slot].legs.push(simulated);
                }
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

    /// The legs of the matrix; one without values where there is none, or where it is unknown. `None` when GitHub
    /// refuses it, which is reported.
    fn matrix(&mut self, job: &Job<'d>, place: &Place) -> Option<Vec<Option<Leg>>> {
        let Some(node) = job.strategy.and_then(|strategy| strategy.matrix) else { return Some(vec![Some(vec![])]) };
        let value = self.evaluator.value(node, place, self.found)?;
        let matrix = match value {
            Value::Unknown(_) => return Some(vec![None]),
            Value::Object(matrix) => matrix,
            other => {
                let kind = other.kind().map_or("unknown", |kind| kind.name());
                let message = format!("the matrix is {kind}, expected a mapping of vectors");
                self.found.push(Diagnostic::error(Code::WorkflowMatrix, message).at(node.source(), first_line(node)));
                return None;
            }
        };
        if matrix.iter().any(|(_, vector)| matches!(vector, Value::Unknown(_))) {
            return Some(vec![None]);
        }
        match legs(&matrix) {
            Ok(legs) if legs.len() > MAX_LEGS => {
                let message = format!("the matrix of `{}` has {} legs, more than {MAX_LEGS}", job.id, legs.len());
                self.found.push(
                    Diagnostic::error(Code::WorkflowMatrix, message)
                        .at(node.source(), first_line(node))
                        .help("cut the list into shards and call a workflow for each of them"),
                );
                None
            }
            // Everything excluded: GitHub then runs the job once, without a matrix.
            Ok(legs) if legs.is_empty() => Some(vec![Some(vec![])]),
            Ok(legs) => Some(legs.into_iter().map(Some).collect()),
            Err(refused) => {
                let site = refused.key.as_deref().and_then(|key| node.entry(key)).map_or(node, |(key, _)| key);
                self.found.push(
                    Diagnostic::error(Code::WorkflowMatrix, refused.message)
                        .at(node.source(), first_line(site))
                        .help("guard an empty list with the job's `if`, for example on a count of it"),
                );
                None
            }
        }
    }

    /// A name with expressions is what they give; any other name is followed by the values of the leg.
    fn leg_name(&mut self, job: &Job<'d>, leg: Option<&Leg>, place: &Place) -> String {
        let written = job.name.and_then(NodeRef::scalar_text);
        if let Some(text) = written.filter(|text| !text.contains("${{")) {
            return leg.map_or_else(|| cut(text), |leg| default_name(text, leg));
        }
        match job.name.and_then(|node| self.evaluator.value(node, place, self.found)) {
            Some(Value::Unknown(_)) => cut(written.unwrap_or(job.id)),
            Some(value) => cut(&value.to_text().map(|text| text.into_owned()).unwrap_or_default()),
            None => leg.map_or_else(|| job.id.to_owned(), |leg| default_name(job.id, leg)),
        }
    }

    /// Environments laid over each other, the later over the earlier.
    fn environment(&mut self, levels: &[Option<NodeRef<'d>>], place: &Place) -> Vec<(Arc<str>, Value)> {
        let mut members: Vec<(Arc<str>, Value)> = Vec::new();
        for node in levels.iter().flatten() {
            let Some(Value::Object(level)) = self.evaluator.value(*node, place, self.found) else { continue };
            for (name, value) in level.entries() {
                members.push((Arc::clone(name), self.environment_text(*node, name, value)));
            }
        }
        members
    }

    fn environment_text(&mut self, node: NodeRef<'d>, name: &str, value: &Value) -> Value {
        match value.to_text() {
            Err(unknown) => Value::Unknown(unknown),
            Ok(_) if !value.is_primitive() => {
                let site = node.get(name).unwrap_or(node);
                let what = if matches!(value, Value::Array(_)) { "sequence" } else { "mapping" };
                let diagnostic =
                    Diagnostic::error(Code::WorkflowValue, format!("the variable `{name}`: a {what} was not expected"))
                        .at(site.source(), first_line(site))
                        .help("pass it as text with toJSON");
                self.evaluator.once(site, diagnostic, self.found);
                Value::Null
            }
            Ok(_) => value.as_text(),
        }
    }

    /// The steps, and the context that later expressions see of them.
    fn steps(&mut self, steps: &[Step<'d>], place: &Place) -> (Vec<SimulatedStep>, Value) {
        let mut simulated = Vec::with_capacity(steps.len());
        let mut contexts: Vec<(Arc<str>, Value)> = Vec::new();
        let mut place = place.clone();
        place.set("job", Value::unknown("job"));
        place.set("runner", Value::unknown("runner"));
        place.set("steps", Value::Object(Object::new([])));
        for step in steps {
            let below = match place.get("env") {
                Some(Value::Object(below)) => below.clone(),
                _ => Object::new([]),
            };
            let own = variables(self.environment(&[step.env], &place), below.is_case_sensitive());
            let visible = overlaid(below, &own);
            let inside = place.clone().with("env", visible);
            let mut value =
                |node: Option<NodeRef<'d>>| node.and_then(|node| self.evaluator.value(node, &inside, self.found));
            let (name, run, with) = (value(step.name), value(step.run), value(step.with));
            let condition = step.condition.and_then(|node| {
                let condition = self.evaluator.condition(node, self.found)?;
                self.evaluator.decide(&condition, node, &inside, self.found)
            });
            simulated.push(SimulatedStep {
                name: name.unwrap_or(Value::Null),
                uses: step.uses.and_then(NodeRef::scalar_text).map(str::to_owned),
                run: run.unwrap_or(Value::Null),
                condition: condition.unwrap_or(Value::Null),
                env: own,
            });
            if let Some(id) = step.id {
                let outputs = self.step_outputs(step, id, with.as_ref());
                let context = [
                    ("outputs", outputs),
                    ("outcome", Value::unknown(format!("steps.{id}.outcome"))),
                    ("conclusion", Value::unknown(format!("steps.{id}.conclusion"))),
                ];
                contexts
                    .push((id.into(), Value::Object(Object::new(context.map(|(name, value)| (name.into(), value))))));
                place.set("steps", Value::Object(Object::new(contexts.clone())));
            }
        }
        (simulated, Value::Object(Object::new(contexts)))
    }

    /// Outputs of a step: those of an action of ours are had by running it, all others are unknown.
    fn step_outputs(&mut self, step: &Step<'d>, id: &str, with: Option<&Value>) -> Value {
        let unknown = Value::unknown(format!("steps.{id}.outputs"));
        let Some(action) = step.uses.and_then(NodeRef::as_str).and_then(own_action) else { return unknown };
        let mut inputs: Vec<(String, String)> = Vec::new();
        if let Some(Value::Object(with)) = with {
            for (name, value) in with.iter() {
                match value.to_text() {
                    Ok(text) => inputs.push((name.to_owned(), text.into_owned())),
                    Err(_) => return unknown,
                }
            }
        }
        match self.actions.run(action, &inputs) {
            None => unknown,
            Some(Ok(outputs)) => {
                let members = outputs.into_iter().map(|(name, value)| (Arc::from(name), Value::text(value)));
                Value::Object(Object::new(members.collect::<Vec<_>>()))
            }
            Some(Err(problems)) => {
                problems.into_iter().for_each(|problem| self.found.push(problem));
                unknown
            }
        }
    }

    fn outputs(&mut self, declared: &[Output<'d>], place: &Place) -> Value {
        let members = declared.iter().map(|output| {
            let value = self.evaluator.value(output.value, place, self.found).unwrap_or(Value::Null);
            (Arc::from(output.name), value.as_text())
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
            let members: Vec<(Arc<str>, Value)> = call
                .with
                .iter()
                .map(|(name, _, node)| {
                    ((*name).into(), self.evaluator.value(*node, place, self.found).unwrap_or(Value::Null))
                })
                .collect();
            return (Value::Object(Object::new(members)), None);
        };
        let Some(callee) = self.library.workflows.get(&file) else {
            self.refuse_call(call, format!("{file} does not exist, or is no workflow"));
            return (Value::Null, None);
        };
        if frame.chain.contains(&file) {
            self.refuse_call(call, format!("{} call each other in a circle", frame.chain.join(", ")));
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
        let outputs = self.outputs(&trigger.outputs, &place);
        (inputs, Some(outputs))
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

/// Jobs so that each comes after those that it needs. The reader has removed circles.
fn order(jobs: &[Job<'_>]) -> Vec<usize> {
    let mut ordered = Vec::with_capacity(jobs.len());
    let mut done: HashSet<String> = HashSet::new();
    while ordered.len() < jobs.len() {
        let before = ordered.len();
        for (index, job) in jobs.iter().enumerate() {
            let id = job.id.to_ascii_lowercase();
            if !done.contains(&id) && job.needs.iter().all(|(name, _)| done.contains(&name.to_ascii_lowercase())) {
                done.insert(id);
                ordered.push(index);
            }
        }
        if ordered.len() == before {
            break;
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

/// Variables as a job sees them: on all systems but Windows `Path` and `PATH` are two.
fn variables(members: Vec<(Arc<str>, Value)>, case_sensitive: bool) -> Value {
    Value::Object(if case_sensitive { Object::case_sensitive(members) } else { Object::new(members) })
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

fn overlaid(below: Object, above: &Value) -> Value {
    let Value::Object(above) = above else { return Value::Object(below) };
    // Most steps add nothing.
    if above.is_empty() {
        return Value::Object(below);
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

fn called_file(job: &Job<'_>) -> Option<String> {
    match &job.body {
        JobBody::Call(call) => Some(local_workflow(call.uses).unwrap_or_else(|| call.uses.to_owned())),
        JobBody::Steps(_) => None,
    }
}

/// The name of an action of ours, however it is referred to.
fn own_action(uses: &str) -> Option<&str> {
    let path = uses.split('@').next().unwrap_or(uses);
    path.split_once("/actions/").map(|(_, name)| name)
}

fn line_of(node: NodeRef<'_>, text: &str, offset: usize) -> usize {
    let span = node.span();
    let written = &node.source().text()[span.clone()];
    let start = written.find(text).map_or(span.start, |at| span.start + at + offset.min(text.len()));
    node.source().position(start).line
}
