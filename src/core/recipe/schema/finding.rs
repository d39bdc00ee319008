//! What is wrong with a recipe.

use std::ops::Range;

use crate::core::diag::{Code, Diagnostic, Severity};
use crate::core::recipe::{Entry, Place, Tree};

/// A fault of one variant.
#[derive(Debug, Clone)]
pub struct Finding<'d> {
    /// What kind of fault.
    pub code: Code,
    /// Whether the recipe is refused for it.
    pub severity: Severity,
    /// The dotted path from the top of the recipe.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Where it stands, if it stands in the file.
    pub place: Option<Place<'d>>,
    /// What a machine can do about it.
    pub fix: Option<Fix>,
}

/// A change of the text that mends a fault, by the bytes of the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fix {
    /// Put quotes around a value.
    Quote(Range2),
    /// Remove an entry: its key, and its value.
    Remove(Range2, Range2),
    /// Write another key and value.
    Replace(Range2, String, Range2, String),
}

/// A range of bytes that has an order.
pub type Range2 = (usize, usize);

fn ordered(range: Range<usize>) -> Range2 {
    (range.start, range.end)
}

/// The bytes of a value, unless it was computed or stands for an anchored one, which other places may share.
fn own_span(tree: &Tree<'_>) -> Option<Range2> {
    let node = tree.node()?;
    (!node.is_alias()).then(|| ordered(node.site()))
}

impl Fix {
    /// Quotes a value that is written without quotes.
    pub(super) fn quote(value: &Tree<'_>) -> Option<Self> {
        value.node().filter(|node| node.is_plain() && !node.site().is_empty())?;
        own_span(value).map(Self::Quote)
    }

    /// Removes an entry.
    pub(super) fn remove(entry: &Entry<'_>) -> Option<Self> {
        Some(Self::Remove(own_span(&entry.key)?, own_span(&entry.value)?))
    }

    /// Replaces an entry.
    pub(super) fn replace(entry: &Entry<'_>, key: &str, value: String) -> Option<Self> {
        Some(Self::Replace(own_span(&entry.key)?, key.to_owned(), own_span(&entry.value)?, value))
    }
}

impl Finding<'_> {
    /// The finding as a diagnostic about a file.
    pub fn diagnostic(&self, file: &str) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.code, self.severity, self.message.clone()).path(self.path.clone());
        let diagnostic = match &self.place {
            Some((source, span)) => diagnostic.at(source, span.clone()),
            None => diagnostic.in_file(file),
        };
        diagnostic.help(self.help.clone())
    }
}

/// A value as a message shows it: the text of a scalar, cut when long, or what it is.
pub(super) fn shown(tree: &Tree<'_>) -> String {
    const LONGEST: usize = 60;
    if tree.as_map().is_some() || tree.as_list().is_some() || tree.is_null() {
        return tree.type_name().to_owned();
    }
    let text = match tree.node().and_then(crate::core::yaml::NodeRef::scalar_text) {
        Some(text) => text.to_owned(),
        None => tree.key_text().into_owned(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("`{}…`", text[..cut].replace('\n', " ")),
        None => format!("`{}`", text.replace('\n', " ")),
    }
}
