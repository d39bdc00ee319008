//! GitHub expressions: what stands between `${{` and `}}`, read and evaluated as GitHub's runner does it.
//!
//! In: the text of an expression or a template, and a [`Scope`] that knows the contexts. Out: a [`Value`], or an
//! [`Error`] that points into the text. A value may be [`Unknown`]: it then says on what it depends, and stays unknown
//! through everything that is computed from it, unless the known part decides. Files, environment and the state of a
//! run are the scope's business, not this module's.
//!
//! Parse once, evaluate often: an [`Expr`] or [`Template`] borrows nothing and can be kept.

mod ast;
mod cases;
mod error;
mod eval;
mod explain;
mod fold;
mod functions;
mod json;
mod lexer;
mod object;
mod outcome;
mod parser;
mod scope;
mod template;
mod text;
mod unknown;
mod value;

pub use ast::{Comparison, Expr, Node, NodeKind};
pub use cases::{Case, CasesError, Evaluations, Source as CaseSource, read_cases};
pub use error::{Error, ErrorKind, Problem};
pub use eval::evaluate;
pub use explain::{Because, because};
pub use functions::{Function, Signature, StatusFunction};
pub use json::{Json, JsonCache, JsonError, json_number, read_json, to_json};
pub use object::Object;
pub use outcome::{not_in_json, push_outcome};
pub use parser::parse;
pub use scope::{Allowed, Contexts, Names, Scope};
pub use template::{Part, Template};
pub use text::{number_of_text, number_to_text};
pub use unknown::Unknown;
pub use value::{Array, Kind, Truthiness, Value, to_display_string, truthiness};

/// The longest expression, in UTF-16 units as the runner counts.
pub const MAX_LENGTH: usize = 21_000;
/// How deeply an expression may nest; parentheses alone do not count, nor do chains of one logical operator.
pub const MAX_DEPTH: usize = 50;
/// How much memory the values may take that are alive at once while a template is evaluated, as the runner counts it.
pub const MAX_MEMORY: usize = 10 * 1024 * 1024;
