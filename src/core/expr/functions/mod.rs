//! The functions: their names and arguments, and one file for each subject.

pub(super) mod json;

mod choose;
mod format;
mod list;
mod runner;
mod search;

use super::ast::Node;
use super::error::Error;
use super::eval::Evaluator;
use super::value::Value;

/// A function of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Function {
    /// `contains(text or array, item)`
    Contains,
    /// `startsWith(text, prefix)`
    StartsWith,
    /// `endsWith(text, suffix)`
    EndsWith,
    /// `format(text, ...)`
    Format,
    /// `join(array, separator)`
    Join,
    /// `toJSON(value)`
    ToJson,
    /// `fromJSON(text)`
    FromJson,
    /// `case(predicate, value, ..., default)`
    Case,
    /// `hashFiles(pattern, ...)`: steps only.
    HashFiles,
    /// `success()` and its like: conditions only.
    Status(StatusFunction),
}

/// A function that asks how things went so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusFunction {
    /// `success()`
    Success,
    /// `failure()`
    Failure,
    /// `always()`
    Always,
    /// `cancelled()`
    Cancelled,
}

impl StatusFunction {
    /// The name as the documentation writes it.
    pub fn name(self) -> &'static str {
        Function::Status(self).name()
    }
}

/// A function that may be called somewhere, and with how many arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// The function.
    pub function: Function,
    /// The fewest arguments.
    pub min: u8,
    /// The most arguments.
    pub max: u8,
}

/// The most arguments of a function that takes many.
const MANY: u8 = u8::MAX;

const fn signature(function: Function, min: u8, max: u8) -> Signature {
    Signature { function, min, max }
}

impl Signature {
    /// The functions that may be called in every expression.
    pub const EVERYWHERE: &'static [Self] = &[
        signature(Function::Contains, 2, 2),
        signature(Function::StartsWith, 2, 2),
        signature(Function::EndsWith, 2, 2),
        signature(Function::Format, 1, MANY),
        signature(Function::Join, 1, 2),
        signature(Function::ToJson, 1, 1),
        signature(Function::FromJson, 1, 1),
        signature(Function::Case, 3, MANY),
    ];

    /// What the steps of a job have besides.
    pub const HASH_FILES: Self = signature(Function::HashFiles, 1, MANY);

    /// What the condition of a step has besides.
    pub const STATUS_OF_STEP: &'static [Self] = &[
        signature(Function::Status(StatusFunction::Success), 0, 0),
        signature(Function::Status(StatusFunction::Failure), 0, 0),
        signature(Function::Status(StatusFunction::Always), 0, 0),
        signature(Function::Status(StatusFunction::Cancelled), 0, 0),
    ];

    /// What the condition of a job has besides: it may name jobs that it needs.
    pub const STATUS_OF_JOB: &'static [Self] = &[
        signature(Function::Status(StatusFunction::Success), 0, MANY),
        signature(Function::Status(StatusFunction::Failure), 0, MANY),
        signature(Function::Status(StatusFunction::Always), 0, 0),
        signature(Function::Status(StatusFunction::Cancelled), 0, 0),
    ];
}

impl Function {
    /// Every function.
    pub const ALL: &'static [Self] = &[
        Self::Contains,
        Self::StartsWith,
        Self::EndsWith,
        Self::Format,
        Self::Join,
        Self::ToJson,
        Self::FromJson,
        Self::Case,
        Self::HashFiles,
        Self::Status(StatusFunction::Success),
        Self::Status(StatusFunction::Failure),
        Self::Status(StatusFunction::Always),
        Self::Status(StatusFunction::Cancelled),
    ];

    /// The name as the documentation writes it; in an expression its case does not matter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::StartsWith => "startsWith",
            Self::EndsWith => "endsWith",
            Self::Format => "format",
            Self::Join => "join",
            Self::ToJson => "toJSON",
            Self::FromJson => "fromJSON",
            Self::Case => "case",
            Self::HashFiles => "hashFiles",
            Self::Status(StatusFunction::Success) => "success",
            Self::Status(StatusFunction::Failure) => "failure",
            Self::Status(StatusFunction::Always) => "always",
            Self::Status(StatusFunction::Cancelled) => "cancelled",
        }
    }

    /// The function of this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|function| function.name().eq_ignore_ascii_case(name))
    }

    /// Calls it. Arguments are evaluated only as far as the runner evaluates them: what is not evaluated cannot fail.
    pub(super) fn call(self, evaluator: &mut Evaluator<'_>, node: Node<'_>) -> Result<Value, Error> {
        match self {
            Self::Contains => search::contains(evaluator, node),
            Self::StartsWith => search::affix(evaluator, node, super::fold::starts_with),
            Self::EndsWith => search::affix(evaluator, node, super::fold::ends_with),
            Self::Format => format::format(evaluator, node),
            Self::Join => list::join(evaluator, node),
            Self::ToJson => json::to_json(evaluator, node),
            Self::FromJson => json::from_json(evaluator, node).map(|seen| seen.into_own().into_owned()),
            Self::Case => choose::case(evaluator, node),
            Self::HashFiles => runner::hash_files(evaluator, node),
            Self::Status(which) => runner::status(evaluator, node, which),
        }
    }
}

/// The child of a call at `index`; the parser has counted them.
fn argument<'e>(node: Node<'e>, index: usize) -> Node<'e> {
    // Falls back to the call itself, which cannot happen, rather than to a panic.
    node.children().nth(index).unwrap_or(node)
}
