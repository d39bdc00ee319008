//! The pure core: from values to values. No file, environment, process, clock or network below this line.

pub mod actions;
pub mod config;
pub mod diag;
pub mod expr;
pub mod json;
pub mod launch;
pub mod matrix;
pub mod num;
pub mod recipe;
pub mod route;
pub mod schema;
pub mod size;
pub mod workflow;
pub mod yaml;
