//! A launch as data. So far: the environment that a point's launcher, scripts and recipes expect.
//!
//! In: a point, as JSON. Out: values; nothing here starts anything.

mod env;

pub use env::{Environment, point_environment};
