//! What can be wrong with an expression, and where.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::core::diag::{Code, Diagnostic, Source, floor_char_boundary};

/// The stage that refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text holds something that is no token.
    Lexing,
    /// The tokens make no expression, or name what does not exist here.
    Parsing,
    /// A template cannot be taken apart, or one of its expressions cannot be parsed.
    Template,
    /// The expression is well formed and failed on its values.
    Evaluation,
}

impl ErrorKind {
    /// The word in machine output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Lexing => "lexing",
            Self::Parsing => "parsing",
            Self::Template => "template",
            Self::Evaluation => "evaluation",
        }
    }
}

/// What is wrong, for callers that act on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A character sequence that is no token.
    BadToken,
    /// A text without its closing quote.
    UnclosedText,
    /// A token where it may not stand.
    UnexpectedToken,
    /// The expression stops where it must go on.
    UnexpectedEnd,
    /// A context of this name does not exist here.
    UnknownName(String),
    /// A function of this name does not exist, or not here.
    UnknownFunction(String),
    /// Too few, too many, or an even number of arguments where it must be odd.
    ArgumentCount,
    /// Longer than the limit.
    TooLong,
    /// Nested deeper than the limit.
    TooDeep,
    /// `${{` without `}}`.
    UnclosedExpression,
    /// Nothing between `${{` and `}}`.
    EmptyExpression,
    /// The format text of `format`, or an argument that it names.
    Format,
    /// `fromJSON` on something that is no JSON.
    Json,
    /// A predicate of `case` that is no boolean.
    Predicate,
    /// The values take more memory than the limit.
    TooLarge,
    /// `hashFiles` failed.
    HashFiles,
}

/// A refused expression: what, where and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    problem: Problem,
    span: Range<usize>,
    message: String,
    help: Option<String>,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, problem: Problem, span: Range<usize>, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, problem, span, message: message.into(), help: None }))
    }

    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The same refusal of a part of a larger text, in which the part starts at `base`.
    pub(super) fn moved(mut self, base: usize) -> Self {
        self.0.span = self.0.span.start + base..self.0.span.end + base;
        self
    }

    /// The same refusal of an expression that stands in a template.
    pub(super) fn in_template(mut self) -> Self {
        self.0.kind = ErrorKind::Template;
        self
    }

    /// The stage that refused.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What is wrong, to match on.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// The bytes at fault, in the text that was parsed: the expression's, or the template's.
    pub fn span(&self) -> Range<usize> {
        self.0.span.clone()
    }

    /// One sentence without a full stop.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The diagnostic code of its problem.
    pub fn code(&self) -> Code {
        match self.problem() {
            Problem::BadToken
            | Problem::UnclosedText
            | Problem::UnexpectedToken
            | Problem::UnexpectedEnd
            | Problem::ArgumentCount
            | Problem::UnclosedExpression
            | Problem::EmptyExpression => Code::ExpressionSyntax,
            Problem::UnknownName(_) | Problem::UnknownFunction(_) => Code::ExpressionName,
            Problem::TooLong | Problem::TooDeep | Problem::TooLarge => Code::ExpressionLimit,
            Problem::Format | Problem::Json | Problem::Predicate | Problem::HashFiles => Code::ExpressionValue,
        }
    }

    /// The finding, in a source in which the parsed text starts at `base`.
    pub fn diagnostic(&self, source: &Arc<Source>, base: usize) -> Diagnostic {
        let start = floor_char_boundary(source.text(), base + self.0.span.start);
        let end = floor_char_boundary(source.text(), base + self.0.span.end);
        let diagnostic = Diagnostic::error(self.code(), self.message()).at(source, start..end);
        match self.advice() {
            Some(advice) => diagnostic.help(advice),
            None => diagnostic,
        }
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}
