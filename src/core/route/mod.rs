//! Native or legacy, and why. Which launcher a runner has, which legacy script it would run, and [`bind`].
//!
//! In: names and fields of a point. Out: values; whether a script exists is asked by whoever has the files.

pub mod bind;
mod launcher;
mod script;

pub use launcher::{launcher_of, launcher_script, launchers_of};
pub use script::{LegacyPoint, legacy_scripts};
