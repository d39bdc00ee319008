//! Diagnostics as data, and how each sink renders them.
//!
//! In: what a check found, as [`Diagnostic`]s. Out: text for people, JSON for programs, workflow commands for GitHub.
//! Nothing here decides whether something is wrong, nor where the text goes.

mod codes;
mod github;
mod human;
mod json;
mod source;

use std::ops::Range;
use std::sync::Arc;

pub use codes::{ALL as ALL_CODES, Code};
pub use github::{AnnotationLimits, Annotations, annotations, escape_data, escape_property};
pub use human::render_human;
pub use json::render_json;
pub(crate) use source::floor_char_boundary;
pub use source::{Position, Source};

/// How bad it is. Only an error makes a command fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is taken, but surely not meant so.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word that stands in every rendering.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A span of a source, and what to say about it there.
#[derive(Debug, Clone)]
pub struct Label {
    /// The text that is pointed into.
    pub source: Arc<Source>,
    /// The bytes that are pointed at.
    pub span: Range<usize>,
    /// What stands beside the caret; may be empty.
    pub text: String,
}

/// Where a diagnostic points.
#[derive(Debug, Clone, Default)]
pub enum Place {
    /// Nowhere: the environment, or the command line.
    #[default]
    Nowhere,
    /// A file as a whole, for example one that is missing.
    File(String),
    /// A line of a file whose text is not kept (a stream).
    Line(String, usize),
    /// A span of a text at hand.
    Span(Label),
}

/// One finding: what is wrong, where, and what to do.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// The stable code that `explain` knows.
    pub code: Code,
    /// Whether it refuses the input.
    pub severity: Severity,
    /// One sentence without a full stop: the value and what was expected.
    pub message: String,
    /// Where it points.
    pub place: Place,
    /// The dotted path of the offending value (`k.scenarios.fixed-seq-len[0].tp`, `env.NAME`).
    pub path: Option<String>,
    /// Other places that explain it.
    pub related: Vec<Label>,
    /// What to do, a line each.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A finding of any severity.
    pub fn new(code: Code, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            place: Place::Nowhere,
            path: None,
            related: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A finding that refuses the input.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A finding that lets the input pass.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// Points at a span of a source.
    #[must_use]
    pub fn at(self, source: &Arc<Source>, span: Range<usize>) -> Self {
        self.labelled(source, span, "")
    }

    /// Points at a span of a source, with a word beside the caret.
    #[must_use]
    pub fn labelled(mut self, source: &Arc<Source>, span: Range<usize>, text: impl Into<String>) -> Self {
        self.place = Place::Span(Label { source: Arc::clone(source), span, text: text.into() });
        self
    }

    /// Points at a file as a whole.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.place = Place::File(file.into());
        self
    }

    /// Points at a line of a file whose text is not kept.
    #[must_use]
    pub fn on_line(mut self, file: impl Into<String>, line: usize) -> Self {
        self.place = Place::Line(file.into(), line);
        self
    }

    /// Names the offending value by its dotted path.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds a place that explains the finding.
    #[must_use]
    pub fn related(mut self, source: &Arc<Source>, span: Range<usize>, text: impl Into<String>) -> Self {
        self.related.push(Label { source: Arc::clone(source), span, text: text.into() });
        self
    }

    /// Adds a line that says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The file that the finding is about.
    pub fn file(&self) -> Option<&str> {
        match &self.place {
            Place::Nowhere => None,
            Place::File(name) | Place::Line(name, _) => Some(name),
            Place::Span(label) => Some(label.source.name()),
        }
    }

    /// Where the finding starts; the column is known for spans only.
    pub fn line_and_column(&self) -> (Option<usize>, Option<usize>) {
        match &self.place {
            Place::Nowhere | Place::File(_) => (None, None),
            Place::Line(_, line) => (Some(*line), None),
            Place::Span(label) => {
                let position = label.source.position(label.span.start);
                (Some(position.line), Some(position.column))
            }
        }
    }
}

/// What a run found so far.
#[derive(Debug, Default)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Nothing found yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Adds a finding unless the same one, about the same value, was made before.
    pub fn push_new(&mut self, diagnostic: Diagnostic) {
        let place = |d: &Diagnostic| (d.file().map(str::to_owned), d.line_and_column());
        let is_same = |other: &Diagnostic| {
            other.code == diagnostic.code
                && other.path == diagnostic.path
                && other.message == diagnostic.message
                && place(other) == place(&diagnostic)
        };
        if !self.found.iter().any(is_same) {
            self.found.push(diagnostic);
        }
    }

    /// Adds all findings of another run, behind those of this one.
    pub fn extend(&mut self, other: Self) {
        self.found.extend(other.found);
    }

    /// Forgets what does not refuse the input.
    pub fn keep_errors(&mut self) {
        self.found.retain(|d| d.severity == Severity::Error);
    }

    /// Whether any finding refuses the input.
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|d| d.severity == Severity::Error)
    }

    /// How many findings refuse the input.
    pub fn error_count(&self) -> usize {
        self.found.iter().filter(|d| d.severity == Severity::Error).count()
    }

    /// The last finding, to be completed.
    pub fn last_mut(&mut self) -> Option<&mut Diagnostic> {
        self.found.last_mut()
    }

    /// The findings in the order in which they were made.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.found
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { found: vec![diagnostic] }
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter()
    }
}
