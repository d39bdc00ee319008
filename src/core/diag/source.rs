//! A text with a name, and where in it a byte stands.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A named text: the file that a diagnostic points into.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    line_starts: OnceLock<Vec<usize>>,
}

/// A place in a text, both numbers from 1; the column counts characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1. A byte order mark takes none.
    pub column: usize,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

impl Source {
    /// Names a text, by the path that a user would type.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), line_starts: OnceLock::new() })
    }

    /// The name given to [`Source::new`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, byte order mark included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line and column of a byte offset; an offset past the end is the end.
    pub fn position(&self, offset: usize) -> Position {
        let offset = floor_char_boundary(&self.text, offset);
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= offset);
        let start = starts[line - 1];
        let before = &self.text[start..offset];
        let characters = before.chars().filter(|&c| c != BYTE_ORDER_MARK).count();
        Position { line, column: characters + 1 }
    }

    /// The byte range of lines `first..=last` (from 1), without the final line break.
    pub(super) fn lines(&self, first: usize, last: usize) -> Range<usize> {
        let starts = self.line_starts();
        let from = starts[first.clamp(1, starts.len()) - 1];
        let to = starts.get(last).map_or(self.text.len(), |&next| next - 1);
        from..to.max(from)
    }

    fn line_starts(&self) -> &[usize] {
        self.line_starts.get_or_init(|| {
            let breaks = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0).chain(breaks.map(|at| at + 1)).collect()
        })
    }
}

/// The nearest character boundary at or before `offset`, and never past the end.
pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, needle: &str) -> (usize, usize) {
        let source = Source::new("f", text);
        let position = source.position(text.find(needle).unwrap());
        (position.line, position.column)
    }

    #[test]
    fn columns_count_characters_and_not_bytes() {
        assert_eq!(at("a: é x\n", "x"), (1, 6));
        assert_eq!(at("a: 1\r\nbb: 😀 y\r\n", "y"), (2, 7));
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        assert_eq!(at("\u{feff}key: v", "key"), (1, 1));
        assert_eq!(at("\u{feff}key: v", "v"), (1, 6));
    }

    #[test]
    fn the_end_and_beyond_are_the_last_place() {
        let source = Source::new("f", "ab\n");
        assert_eq!(source.position(3), Position { line: 2, column: 1 });
        assert_eq!(source.position(99), Position { line: 2, column: 1 });
    }
}
