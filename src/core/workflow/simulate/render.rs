//! A simulation for programs and for people.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use super::{SimulatedJob, SimulatedLeg, SimulatedStep, Simulation, State};
use crate::core::expr::Value;

/// The simulation as JSON; the caller adds the problems.
pub fn to_json(simulation: &Simulation) -> Json {
    json!({
        "workflow": simulation.workflow,
        "event": simulation.event,
        "jobs": simulation.jobs.iter().map(job_json).collect::<Vec<_>>(),
    })
}

fn job_json(job: &SimulatedJob) -> Json {
    let because = job.because.as_ref().map(|decision| {
        json!({
            "expression": decision.expression,
            "value": value_json(&decision.value),
            "file": decision.file,
            "line": decision.line,
        })
    });
    json!({
        "id": job.id,
        "path": job.path,
        "name": job.name,
        "state": job.state.word(),
        "because": because,
        "depends_on": job.depends_on.iter().map(|name| &**name).collect::<Vec<_>>(),
        "needs": job.needs,
        "calls": job.calls,
        "legs": job.legs.iter().map(leg_json).collect::<Vec<_>>(),
    })
}

fn leg_json(leg: &SimulatedLeg) -> Json {
    json!({
        "index": leg.index,
        "name": leg.name,
        "matrix": value_json(&leg.matrix),
        "runs_on": value_json(&leg.runs_on),
        "inputs": value_json(&leg.inputs),
        "env": value_json(&leg.env),
        "steps": leg.steps.iter().map(step_json).collect::<Vec<_>>(),
    })
}

fn step_json(step: &SimulatedStep) -> Json {
    json!({
        "name": value_json(&step.name),
        "uses": step.uses,
        "run": value_json(&step.run),
        "if": value_json(&step.condition),
        "env": value_json(&step.env),
    })
}

/// A value; an unknown one says on what it depends.
fn value_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => json!(*number as i64),
        Value::Number(number) => json!(number),
        Value::Str(text) => json!(&**text),
        Value::Array(array) => Json::Array(array.items().iter().map(value_json).collect()),
        Value::Object(object) => {
            let members: Map<String, Json> =
                object.iter().map(|(name, value)| (name.to_owned(), value_json(value))).collect();
            Json::Object(members)
        }
        Value::Unknown(unknown) => {
            json!({"unknown": unknown.depends_on().iter().map(|name| &**name).collect::<Vec<_>>()})
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
        other => value_json(other).to_string(),
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
