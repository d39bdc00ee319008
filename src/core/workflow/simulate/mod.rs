//! What a workflow would do, job by job, without running it.
//!
//! In: workflows and actions that were read, and a [`Request`] that says what happened. Out: a [`Simulation`]: each job
//! with its state and why, its legs with what they receive, and the problems that GitHub would fail on. What cannot be
//! known offline stays symbolic.

mod call;
mod event;
mod left;
mod matrix;
mod order;
mod pattern;
mod render;
mod run;
mod scope;
mod settings;
mod sight;
mod steps;
mod strategy;

use std::sync::Arc;

use hashbrown::HashMap;
use serde_json::Value as Json;

pub use matrix::{Leg as LegValues, Refused, default_name, legs};
pub use render::{ForPrograms, LegJson, leg_exports, tree};
pub use run::{local_action, local_workflow, simulate};

use super::{Action, Workflow};
use crate::core::diag::Diagnostic;
use crate::core::expr::Value;

/// The files that a simulation may follow calls into, by their path from the root of the repository.
#[derive(Debug, Default)]
pub struct Library<'d> {
    /// Workflows, by path: `.github/workflows/shard.yml`.
    pub workflows: HashMap<String, Workflow<'d>>,
    /// Actions, by their folder: `.github/actions/build`, empty for one at the root. `None` for one that cannot be looked into.
    pub actions: HashMap<String, Option<Action<'d>>>,
}

/// Names and values, in order.
pub type Pairs = Vec<(String, String)>;

/// The outputs of an action by name, or what it found wrong.
pub type Ran = Result<Vec<(String, String)>, Vec<Diagnostic>>;

/// Runs actions whose outputs are cheap to have.
pub trait Actions {
    /// The outputs of an action with these inputs, or what it found wrong. `None`: it is not one that can be run here.
    fn run(&self, action: &str, inputs: &[(String, String)]) -> Option<Ran>;

    /// Whether the caller has waited long enough, so that the simulation ends where it is.
    fn is_out_of_time(&self) -> bool {
        false
    }
}

/// What happened, and what is assumed.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The event, for example `pull_request`.
    pub event: String,
    /// Its payload, as far as it is known.
    pub payload: Json,
    /// `github.ref`
    pub git_ref: Option<String>,
    /// `github.actor`
    pub actor: Option<String>,
    /// Labels of the pull request.
    pub labels: Vec<String>,
    /// Inputs of a dispatch or a call.
    pub inputs: Vec<(String, String)>,
    /// Configuration variables; others are unknown.
    pub vars: Vec<(String, String)>,
    /// Outputs of jobs that are assumed: `(job, name)`.
    pub outputs: HashMap<(String, String), String>,
    /// Results of jobs that are assumed.
    pub results: HashMap<String, String>,
}

/// What would happen.
#[derive(Debug)]
pub struct Simulation {
    /// The file.
    pub workflow: String,
    /// The event.
    pub event: String,
    /// The jobs, those of called workflows behind their caller.
    pub jobs: Vec<SimulatedJob>,
}

/// What becomes of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It runs.
    Run,
    /// It is skipped.
    Skip,
    /// That depends on something unknown.
    Unknown,
    /// GitHub fails it before it starts.
    Fail,
}

impl State {
    /// The word in machine output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Skip => "skip",
            Self::Unknown => "unknown",
            Self::Fail => "fail",
        }
    }
}

/// A job of a simulation.
#[derive(Debug)]
pub struct SimulatedJob {
    /// Its id.
    pub id: String,
    /// The chain of calls to it: `sweep/bench`, `shard[2]/point`.
    pub path: String,
    /// Its name as written, evaluated where every leg has the same.
    pub name: String,
    /// What becomes of it.
    pub state: State,
    /// What decided, if anything had to be decided.
    pub because: Option<Decision>,
    /// What an unknown state depends on.
    pub depends_on: Vec<Arc<str>>,
    /// The jobs that it needs.
    pub needs: Vec<String>,
    /// The file of the workflow that it calls.
    pub calls: Option<String>,
    /// Its legs; one without a matrix.
    pub legs: Vec<SimulatedLeg>,
}

/// The smallest part of a condition that decided it.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Its text.
    pub expression: String,
    /// Its value.
    pub value: Value,
    /// Where it stands.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// A leg of a job.
#[derive(Debug)]
pub struct SimulatedLeg {
    /// Its number, from 0.
    pub index: usize,
    /// Its name as GitHub shows it.
    pub name: String,
    /// The matrix context; null without a matrix.
    pub matrix: Value,
    /// The labels of its runner.
    pub runs_on: Value,
    /// What a called workflow receives; null for a job with steps.
    pub inputs: Value,
    /// The environment of its steps.
    pub env: Value,
    /// Its steps.
    pub steps: Vec<SimulatedStep>,
}

/// A step of a leg, evaluated as far as its parts are known.
#[derive(Debug)]
pub struct SimulatedStep {
    /// `name`
    pub name: Value,
    /// `uses`
    pub uses: Option<String>,
    /// `run`
    pub run: Value,
    /// `if`: its value, null when it has none.
    pub condition: Value,
    /// The variables that the step adds.
    pub env: Value,
}

#[cfg(test)]
mod tests;
