//! The pure core: from values to values. No file, environment, process, clock or network below this line.

pub mod diag;
pub mod num;
pub mod yaml;
