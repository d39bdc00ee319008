//! One lossless YAML tree with byte spans.
//!
//! In: the text of a file and a [`Schema`]. Out: a [`Document`] whose nodes know their value, their place and their
//! source, and diagnostics. The events come from granit-parser; what they mean is decided here.

mod build;
mod key;
mod locate;
mod scalar;
mod syntax;
mod tree;
mod value;
mod write;

pub use build::{MAX_FILE_BYTES, parse};
pub use scalar::Scalar;
pub use tree::{Comment, Document, Kind, NodeRef};
pub use value::{Map, Value};
pub use write::write_yaml;

/// How scalars are typed and what a repeated key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// YAML 1.1 as PyYAML's `safe_load` reads it: configs and recipes. A repeated key warns and the last one wins.
    V11,
    /// The core schema of YAML 1.2, as GitHub reads workflows and actions. A repeated key is an error.
    Core12,
}
