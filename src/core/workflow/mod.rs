//! Workflows, reusable workflows and composite actions as data, with spans.
//!
//! In: a YAML document of the 1.2 core schema. Out: triggers, inputs, jobs and steps whose values are still the nodes that
//! were written, because what they mean depends on expressions; or diagnostics. Nothing is evaluated here.

mod action;
mod keys;
mod model;
mod needs;
mod read;
pub mod simulate;

pub use action::{Action, read_action};
pub use model::{Call, Input, InputKind, Job, JobBody, Output, Step, Strategy, Trigger, Workflow};
pub use read::{MAX_WORKFLOW_BYTES, read_workflow};
