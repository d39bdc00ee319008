//! How the runner reads `GITHUB_OUTPUT`, `GITHUB_ENV` and `GITHUB_STATE`.
//!
//! In: the text of a file. Out: its records, and why reading stopped. It is the judge of [`super::output`]: what that
//! module writes must read back the same here.
//!
//! The behaviour is that of the runner's file command manager; see
//! <https://github.com/actions/runner/blob/main/src/Runner.Worker/FileCommandManager.cs>.

use std::collections::BTreeMap;

/// Which line breaks the runner knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newlines {
    /// Linux and macOS: LF ends a line, and a CR before it belongs to the line.
    Unix,
    /// Windows: LF and CR LF end a line.
    Windows,
}

/// Why the runner stops reading and fails the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadError {
    /// A line, by number from 1, has neither `=` nor `<<`.
    InvalidFormat(usize),
    /// A line, by number from 1, starts a block without a name or without a delimiter.
    EmptyNameOrDelimiter(usize),
    /// The block that starts in this line, from 1, is never closed.
    DelimiterNotFound(usize),
    /// The file ends inside the value of the block that starts in this line, from 1.
    ValueWithoutNewline(usize),
    /// A record has an empty name.
    EmptyName,
}

/// What a file says, up to the first error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Names and values in the order of the file, doubles included. The runner applies each before it reads the next, so
    /// they stand even when an error follows.
    pub records: Vec<(String, String)>,
    /// What ended the reading early.
    pub error: Option<ReadError>,
}

impl Reading {
    /// The outputs that a step has after this reading: the last record of a name wins, and an empty name ends it.
    pub fn outputs(&self) -> (BTreeMap<&str, &str>, Option<ReadError>) {
        let mut outputs = BTreeMap::new();
        for (name, value) in &self.records {
            if name.is_empty() {
                return (outputs, Some(ReadError::EmptyName));
            }
            outputs.insert(name.as_str(), value.as_str());
        }
        (outputs, self.error)
    }
}

/// Reads the text of a file. A byte order mark at its start is swallowed, as it is when the runner opens a file.
pub fn read(text: &str, newlines: Newlines) -> Reading {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Lines { text, at: 0, number: 0, newlines };
    let mut reading = Reading { records: Vec::new(), error: None };
    while let Some(line) = lines.next_line() {
        if line.text.is_empty() {
            continue;
        }
        match record(line.text, &mut lines) {
            Ok(record) => reading.records.push(record),
            Err(error) => {
                reading.error = Some(error);
                break;
            }
        }
    }
    reading
}

/// The record that starts in a line: whichever of `=` and `<<` comes first says of which kind it is.
fn record(line: &str, lines: &mut Lines<'_>) -> Result<(String, String), ReadError> {
    let first = lines.number;
    match (line.find('='), line.find("<<")) {
        (Some(equals), block) if block.is_none_or(|at| equals < at) => {
            Ok((line[..equals].to_owned(), line[equals + 1..].to_owned()))
        }
        (_, Some(block)) => {
            let (name, delimiter) = (&line[..block], &line[block + 2..]);
            if name.is_empty() || delimiter.is_empty() {
                return Err(ReadError::EmptyNameOrDelimiter(first));
            }
            Ok((name.to_owned(), lines.block(delimiter, first)?.to_owned()))
        }
        _ => Err(ReadError::InvalidFormat(first)),
    }
}

struct Line<'t> {
    text: &'t str,
    /// Bytes of its line break; none at the end of the file.
    newline: usize,
}

struct Lines<'t> {
    text: &'t str,
    at: usize,
    /// The number of the line read last, from 1.
    number: usize,
    newlines: Newlines,
}

impl<'t> Lines<'t> {
    fn next_line(&mut self) -> Option<Line<'t>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        self.number += 1;
        let Some(end) = rest.find('\n') else {
            self.at = self.text.len();
            return Some(Line { text: rest, newline: 0 });
        };
        self.at += end + 1;
        let line = &rest[..end];
        Some(match (self.newlines, line.strip_suffix('\r')) {
            (Newlines::Windows, Some(line)) => Line { text: line, newline: 2 },
            _ => Line { text: line, newline: 1 },
        })
    }

    /// The text up to the line that is exactly the delimiter, without the line break before that line.
    fn block(&mut self, delimiter: &str, first: usize) -> Result<&'t str, ReadError> {
        let start = self.at;
        let mut end = start;
        loop {
            let line = self.next_line().ok_or(ReadError::DelimiterNotFound(first))?;
            if line.text == delimiter {
                return Ok(&self.text[start..end]);
            }
            if line.newline == 0 {
                return Err(ReadError::ValueWithoutNewline(first));
            }
            end = self.at - line.newline;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Newlines::{Unix, Windows};
    use super::*;

    /// The records and the error of a text.
    fn case(text: &str, newlines: Newlines) -> (Vec<(String, String)>, Option<ReadError>) {
        let reading = read(text, newlines);
        (reading.records, reading.error)
    }

    fn records(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn l27_vectors_that_read_whole_on_linux() {
        for (text, expected) in [
            ("a=b<<c\n", &[("a", "b<<c")][..]),
            ("a<<b=c\nX\nb=c\n", &[("a", "X")]),
            ("a<<E\nE\n", &[("a", "")]),
            ("a<<E\n\nE\n", &[("a", "")]),
            ("a<<E\n\n\nE\n", &[("a", "\n")]),
            ("a<<E\nx\r\nE\n", &[("a", "x\r")]),
            ("a<<E\r\nx\r\nE\r\n", &[("a", "x\r")]),
            ("a<<E\nx\nE", &[("a", "x")]),
            ("=v\n", &[("", "v")]),
            ("a =1\n", &[("a ", "1")]),
            ("a<<E\nx\nE \nE\n", &[("a", "x\nE ")]),
            ("a<<E\nok\nE\nevil=1\nz<<E\n\nE\n", &[("a", "ok"), ("evil", "1"), ("z", "")]),
            ("", &[]),
            ("\n\na=1\n\n\nb=2", &[("a", "1"), ("b", "2")]),
            ("a=1\na=2\n", &[("a", "1"), ("a", "2")]),
            ("a=\n", &[("a", "")]),
            ("a=b=c\n", &[("a", "b=c")]),
            ("\u{feff}a=1\n", &[("a", "1")]),
            ("a<<E<<F\nx\nE<<F\n", &[("a", "x")]),
        ] {
            assert_eq!(case(text, Unix), (records(expected), None), "{text:?}");
        }
    }

    #[test]
    fn l27_vectors_that_fail_the_step() {
        for (text, applied, error) in [
            ("a<<E\nx", &[][..], ReadError::ValueWithoutNewline(1)),
            ("<<E\nx\nE\n", &[], ReadError::EmptyNameOrDelimiter(1)),
            ("a<<\nx\n\n", &[], ReadError::EmptyNameOrDelimiter(1)),
            ("a<<E\nx\n", &[], ReadError::DelimiterNotFound(1)),
            ("a<<E\nx\nE\r\n", &[], ReadError::DelimiterNotFound(1)),
            ("{\n \"b\": 1\n}\n", &[], ReadError::InvalidFormat(1)),
            ("a={\n \"b\": 1\n}\n", &[("a", "{")], ReadError::InvalidFormat(2)),
            ("x=1\nglued\ny=2\n", &[("x", "1")], ReadError::InvalidFormat(2)),
        ] {
            assert_eq!(case(text, Unix), (records(applied), Some(error)), "{text:?}");
        }
    }

    #[test]
    fn l27_on_windows_cr_lf_is_a_line_break() {
        for (text, expected) in [
            ("a=1\r\nb=2\n", &[("a", "1"), ("b", "2")][..]),
            ("a<<E\r\nx\r\nE\r\n", &[("a", "x")]),
            ("a<<E\nx\r\nE\n", &[("a", "x")]),
            ("a<<E\r\nx\r\ny\nz\r\nE\r\n", &[("a", "x\r\ny\nz")]),
            ("a<<E\nx\r\r\nE\n", &[("a", "x\r")]),
            ("a<<E\nx\ry\nE\n", &[("a", "x\ry")]),
            ("a=1\r", &[("a", "1\r")]),
            ("a=1\n\r\nb=2\n", &[("a", "1"), ("b", "2")]),
        ] {
            assert_eq!(case(text, Windows), (records(expected), None), "{text:?}");
        }
    }

    #[test]
    fn l27_on_linux_a_line_of_cr_alone_is_no_empty_line() {
        assert_eq!(case("a=1\n\r\nb=2\n", Unix).1, Some(ReadError::InvalidFormat(2)));
    }

    #[test]
    fn l27_the_last_record_of_a_name_wins_and_an_empty_name_fails() {
        let doubled = read("a=1\nb=2\na=3\n", Unix);
        assert_eq!(doubled.outputs(), (BTreeMap::from([("a", "3"), ("b", "2")]), None));
        let nameless = read("a=1\n=v\nb=2\n", Unix);
        assert_eq!(nameless.outputs(), (BTreeMap::from([("a", "1")]), Some(ReadError::EmptyName)));
    }
}
