//! Native or legacy, and why. So far: which launcher a runner has, and which legacy script it would run.
//!
//! In: names and fields of a point. Out: values; whether a script exists is asked by whoever has the files.

mod launcher;
mod script;

pub use launcher::{launcher_of, launcher_script, launchers_of};
pub use script::{LegacyPoint, legacy_scripts};
