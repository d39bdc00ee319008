//! The runner's protocol, offline: what a step reads from the runner, and what it writes for it.
//!
//! In: the environment of a step, action inputs, values to publish. Out: outputs, variables, workflow commands, summaries,
//! within the limits of the platform, or a diagnostic and nothing written. No network, and no knowledge of benchmarks.

pub mod budget;
pub mod commands;
pub mod file;
pub mod inputs;
pub mod json;
pub mod limits;
pub mod names;
pub mod output;
pub mod random;
pub mod reader;
pub mod runner;
pub mod secrets;
pub mod summary;

pub use budget::Budget;
pub use inputs::Inputs;
pub use output::Records;
pub use runner::{Runner, RunnerFile};
pub use secrets::Secrets;
pub use summary::Summary;
