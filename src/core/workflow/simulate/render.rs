//! A simulation for programs and for people.

use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value as Json;

use super::{Decision, SimulatedJob, SimulatedLeg, SimulatedStep, Simulation, State};
use crate::core::expr::Value;

/// A simulation and its problems, as JSON for programs. It is written as it is walked: sweeps make megabytes of it.
#[derive(Debug)]
pub struct ForPrograms<'s> {
    /// What would happen.
    pub simulation: &'s Simulation,
    /// What GitHub would fail on.
    pub problems: &'s Json,
}

impl Serialize for ForPrograms<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { simulation, problems } = self;
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("workflow", &simulation.workflow)?;
        map.serialize_entry("event", &simulation.event)?;
        map.serialize_entry("jobs", &Each(&simulation.jobs, JobJson))?;
        map.serialize_entry("problems", problems)?;
        map.end()
    }
}

/// A leg as JSON.
#[derive(Debug)]
pub struct LegJson<'s>(pub &'s SimulatedLeg);

impl Serialize for LegJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let leg = self.0;
        let mut map = serializer.serialize_map(Some(7))?;
        map.serialize_entry("index", &leg.index)?;
        map.serialize_entry("name", &leg.name)?;
        map.serialize_entry("matrix", &ValueJson(&leg.matrix))?;
        map.serialize_entry("runs_on", &ValueJson(&leg.runs_on))?;
        map.serialize_entry("inputs", &ValueJson(&leg.inputs))?;
        map.serialize_entry("env", &ValueJson(&leg.env))?;
        map.serialize_entry("steps", &Each(&leg.steps, StepJson))?;
        map.end()
    }
}

struct JobJson<'s>(&'s SimulatedJob);

impl Serialize for JobJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let job = self.0;
        let mut map = serializer.serialize_map(Some(9))?;
        map.serialize_entry("id", &job.id)?;
        map.serialize_entry("path", &job.path)?;
        map.serialize_entry("name", &job.name)?;
        map.serialize_entry("state", job.state.word())?;
        map.serialize_entry("because", &job.because.as_ref().map(DecisionJson))?;
        map.serialize_entry("depends_on", &Each(&job.depends_on, AsRef::<str>::as_ref))?;
        map.serialize_entry("needs", &job.needs)?;
        map.serialize_entry("calls", &job.calls)?;
        map.serialize_entry("legs", &Each(&job.legs, LegJson))?;
        map.end()
    }
}

struct DecisionJson<'s>(&'s Decision);

impl Serialize for DecisionJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("expression", &self.0.expression)?;
        map.serialize_entry("value", &ValueJson(&self.0.value))?;
        map.serialize_entry("file", &self.0.file)?;
        map.serialize_entry("line", &self.0.line)?;
        map.end()
    }
}

struct StepJson<'s>(&'s SimulatedStep);

impl Serialize for StepJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let step = self.0;
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("name", &ValueJson(&step.name))?;
        map.serialize_entry("uses", &step.uses)?;
        map.serialize_entry("run", &ValueJson(&step.run))?;
        map.serialize_entry("if", &ValueJson(&step.condition))?;
        map.serialize_entry("env", &ValueJson(&step.env))?;
        map.end()
    }
}

/// A list of which each item is shown in its own way.
struct Each<'s, T, F>(&'s [T], F);

impl<'s, T, J: Serialize, F: Fn(&'s T) -> J> Serialize for Each<'s, T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(&self.1))
    }
}

/// A value; an unknown one says on what it depends.
struct ValueJson<'s>(&'s Value);

impl Serialize for ValueJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                serializer.serialize_i64(*number as i64)
            }
            Value::Number(number) => serializer.serialize_f64(*number),
            Value::Str(text) => serializer.serialize_str(text),
            Value::Array(array) => Each(array.items(), ValueJson).serialize(serializer),
            Value::Object(object) => {
                serializer.collect_map(object.iter().map(|(name, value)| (name, ValueJson(value))))
            }
            Value::Unknown(unknown) => {
                serializer.collect_map([("unknown", Each(unknown.depends_on(), AsRef::<str>::as_ref))])
            }
        }
    }
}

/// How many legs of a job are named before the rest is counted.
const LEGS_SHOWN: usize = 5;
/// How many legs of a called workflow are followed in the tree.
const CALLS_SHOWN: usize = 2;

/// The job tree for people.
pub fn tree(simulation: &Simulation) -> String {
    let mut out = format!("{} on {}\n", simulation.workflow, simulation.event);
    let mut caller = "";
    for job in &simulation.jobs {
        let depth = job.path.matches('/').count();
        if beyond_shown(&job.path) {
            continue;
        }
        let parent = job.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        if parent != caller && parent.ends_with(']') {
            let _ = writeln!(out, "{}  {}", "  ".repeat(depth), parent.rsplit('/').next().unwrap_or(parent));
        }
        caller = parent;
        let indent = "  ".repeat(depth + 1);
        let unknown = unknown_matrix(job);
        let legs = match job.legs.len() {
            _ if unknown.is_some() => " × ?".to_owned(),
            0 | 1 => String::new(),
            n => format!(" × {n}"),
        };
        let calls = job.calls.as_ref().map(|file| format!(" → {file}")).unwrap_or_default();
        let shown = job.path.rsplit('/').next().unwrap_or(&job.path);
        let _ = writeln!(out, "{indent}{} {shown}{legs}{calls}", mark(job.state));
        if let Some(why) = reason(job) {
            let _ = writeln!(out, "{indent}    {why}");
        }
        if let Some(names) = unknown {
            let _ = writeln!(out, "{indent}    its matrix depends on {names}");
        }
        if job.calls.is_none() || job.legs.len() > 1 {
            show_legs(&mut out, job, &indent);
        }
    }
    out.push('\n');
    out.push_str(&summary(simulation));
    out.push('\n');
    out
}

/// On what a matrix depends whose legs are not known.
fn unknown_matrix(job: &SimulatedJob) -> Option<String> {
    let [leg] = &*job.legs else { return None };
    let unknown = match &leg.matrix {
        Value::Unknown(unknown) => unknown,
        // One of its vectors is not known; a value that is may be one of several.
        Value::Object(matrix) if matrix.iter().all(|(_, value)| matches!(value, Value::Unknown(_))) => {
            matrix.iter().find_map(|(_, value)| match value {
                Value::Unknown(unknown) => Some(unknown),
                _ => None,
            })?
        }
        _ => return None,
    };
    Some(unknown.depends_on().join(", "))
}

/// Whether a path goes through a leg that the tree only counts.
fn beyond_shown(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|step| {
        let index = step.split_once('[').and_then(|(_, rest)| rest.trim_end_matches(']').parse::<usize>().ok());
        index.is_some_and(|index| index >= CALLS_SHOWN)
    })
}

fn mark(state: State) -> &'static str {
    match state {
        State::Run => "run    ",
        State::Skip => "skip   ",
        State::Unknown => "unknown",
        State::Fail => "FAIL   ",
    }
}

fn reason(job: &SimulatedJob) -> Option<String> {
    match (job.state, &job.because) {
        (State::Skip, Some(why)) => {
            Some(format!("because {} is {} ({}:{})", why.expression, plain(&why.value), why.file, why.line))
        }
        (State::Unknown, _) if !job.depends_on.is_empty() => Some(format!("depends on {}", job.depends_on.join(", "))),
        _ => None,
    }
}

fn show_legs(out: &mut String, job: &SimulatedJob, indent: &str) {
    for leg in job.legs.iter().take(LEGS_SHOWN) {
        let runs_on = match &leg.runs_on {
            Value::Null => String::new(),
            labels => format!("  on {}", plain(labels)),
        };
        if job.legs.len() > 1 || !runs_on.is_empty() {
            let _ = writeln!(out, "{indent}    {}{runs_on}", leg.name);
        }
    }
    if job.legs.len() > LEGS_SHOWN {
        let _ = writeln!(out, "{indent}    … and {} more", job.legs.len() - LEGS_SHOWN);
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Array(array) => array.items().iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Str(text) => format!("{text:?}"),
        Value::Unknown(unknown) => format!("unknown ({})", unknown.depends_on().join(", ")),
        other => serde_json::to_string(&ValueJson(other)).unwrap_or_default(),
    }
}

fn summary(simulation: &Simulation) -> String {
    let legs = |state: State| -> usize {
        let counted = |job: &&SimulatedJob| job.state == state && (job.calls.is_none() || state != State::Run);
        let jobs = simulation.jobs.iter().filter(counted);
        jobs.map(|job| job.legs.len().max(usize::from(state == State::Skip || state == State::Fail))).sum()
    };
    let mut parts = Vec::new();
    for (state, word) in
        [(State::Run, "run"), (State::Skip, "skipped"), (State::Unknown, "unknown"), (State::Fail, "failing")]
    {
        match legs(state) {
            0 => {}
            n => parts.push(format!("{n} {word}")),
        }
    }
    format!("jobs: {}", if parts.is_empty() { "none".to_owned() } else { parts.join(", ") })
}

/// The environment of a leg as shell exports, safe for `eval`. What is unknown, and what no shell can have, is a comment.
pub fn leg_exports(leg: &SimulatedLeg) -> String {
    let mut out = String::new();
    let Value::Object(env) = &leg.env else { return out };
    for (name, value) in env.iter() {
        let is_name = !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match value.to_text() {
            Ok(_) if !is_name => {
                let _ = writeln!(out, "# {} is no name that a shell can export", one_line(name));
            }
            Ok(text) if text.contains('\0') => {
                let _ = writeln!(out, "# {name} holds a NUL byte, which no environment can");
            }
            Ok(text) => {
                let _ = writeln!(out, "export {name}='{}'", text.replace('\'', "'\\''"));
            }
            Err(unknown) => {
                let _ = writeln!(out, "# {} depends on {}", one_line(name), one_line(&unknown.depends_on().join(", ")));
            }
        }
    }
    out
}

/// A comment ends with its line.
fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}
