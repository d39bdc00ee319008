//! The library behind `srtx-gh`: benchmark sweeps on GPU fleets, from master configs to published numbers.
//!
//! [`core`] is pure, [`gha`] speaks the runner's protocol, [`exec`] runs other programs, [`cli`] is the door. `core` imports
//! none of the others.

pub mod cli;
pub mod core;
pub mod exec;
pub mod gha;
