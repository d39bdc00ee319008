//! The reader's state: where it is, what it found, and what all parts of the grammar share.

use std::borrow::Cow;

use super::ast::{Command, Heredoc, Part, Quote, Redirect, RedirectOperator, Span, Word};
use super::list::Term;
use super::words::{Mode, Until};

/// Deeper nesting than any script has: the reader recurses and must not run out of stack.
const MAX_DEPTH: usize = 150;
/// One mistake makes others; nobody reads more.
const MAX_PROBLEMS: usize = 16;

/// Something that bash would refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What, without a full stop.
    pub message: String,
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    /// Nothing is read beyond: the end of the text, of a here-document, of backticks.
    pub(super) end: usize,
    depth: usize,
    gave_up: bool,
    /// From where to which end no `}}` closes an expression.
    pub(super) unclosed_expression: Option<(usize, usize)>,
    /// Here-documents whose lines follow the next line break.
    pending: Vec<usize>,
    /// What the constructs around this place wait for.
    pub(super) awaited: Vec<&'static [Term]>,
    pub(super) heredocs: Vec<Heredoc<'t>>,
    pub(super) commands: Vec<Command<'t>>,
    pub(super) problems: Vec<Problem>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self {
            text,
            bytes: text.as_bytes(),
            at: start,
            end: text.len(),
            depth: 0,
            gave_up: false,
            unclosed_expression: None,
            pending: Vec::new(),
            awaited: Vec::new(),
            heredocs: Vec::new(),
            commands: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// What was read besides the statements.
    pub(super) fn finish(self) -> (Vec<Command<'t>>, Vec<Heredoc<'t>>, Vec<Problem>) {
        (self.commands, self.heredocs, self.problems)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        if at < self.end { Some(self.bytes[at]) } else { None }
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        &self.bytes[self.at.min(self.end)..self.end]
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text.as_bytes())
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// Past one character, however many bytes it has.
    pub(super) fn advance_char(&mut self) {
        let length = match self.peek() {
            None => return,
            Some(0..0x80) => 1,
            Some(0x80..0xe0) => 2,
            Some(0xe0..0xf0) => 3,
            Some(_) => 4,
        };
        self.at = (self.at + length).min(self.end);
    }

    pub(super) fn problem(&mut self, span: Span, message: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS && !self.gave_up {
            let mut end = span.end as usize;
            while !self.text.is_char_boundary(end) {
                end += 1;
            }
            self.problems.push(Problem { span: Span::new(span.start as usize, end), message: message.into() });
        }
    }

    /// Reads something nested. Too deep, the rest is left unread.
    pub(super) fn nested<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            let span = Span::new(self.at.min(self.end), self.end.min(self.at + 1));
            self.problem(span, format!("nested deeper than {MAX_DEPTH} levels: the rest is not read"));
            self.gave_up = true;
            self.at = self.end;
            return T::default();
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        if self.gave_up {
            self.at = self.end;
        }
        value
    }

    /// Reads a piece of the text as if it stood alone, and continues where this place is.
    pub(super) fn within<T: Default>(&mut self, from: usize, to: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let (at, end) = (self.at, self.end);
        let pending = std::mem::take(&mut self.pending);
        let awaited = std::mem::take(&mut self.awaited);
        (self.at, self.end) = (from, to);
        let value = self.nested(read);
        self.read_pending_heredocs();
        (self.at, self.end, self.pending, self.awaited) = (at, end, pending, awaited);
        if self.gave_up {
            self.at = self.end;
        }
        value
    }

    /// Blanks, continued lines, and a carriage return in front of a line break.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.rest() {
                [b' ' | b'\t', ..] => self.at += 1,
                [b'\\', b'\n', ..] | [b'\r', b'\\', b'\n', ..] => self.at += 2,
                [b'\\', b'\r', b'\n', ..] => self.at += 3,
                [b'\r', b'\n', ..] | [b'\r'] => self.at += 1,
                _ => return,
            }
        }
    }

    /// Blanks and a comment.
    pub(super) fn skip_blanks_and_comment(&mut self) {
        self.skip_blanks();
        if self.peek() == Some(b'#') {
            let length = memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len());
            self.at += length;
        }
    }

    /// Blanks, comments and line breaks.
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks_and_comment();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.line_break();
        }
    }

    /// Past a line break and the here-documents behind it.
    pub(super) fn line_break(&mut self) {
        self.at += 1;
        self.read_pending_heredocs();
    }

    fn read_pending_heredocs(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        for index in std::mem::take(&mut self.pending) {
            self.read_heredoc(index);
        }
    }

    fn read_heredoc(&mut self, index: usize) {
        let heredoc = &self.heredocs[index];
        let (strip_tabs, quoted, asked) = (heredoc.strip_tabs, heredoc.quoted, heredoc.span);
        let delimiter = heredoc.delimiter.clone();
        let start = self.at.min(self.end);
        let mut line_start = start;
        let (body_end, after) = loop {
            if line_start >= self.end {
                self.problem(asked, format!("the here-document is not ended by a line `{delimiter}`"));
                break (self.end, self.end);
            }
            let rest = &self.bytes[line_start..self.end];
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let mut line = &rest[..length];
            if strip_tabs {
                let tabs = line.iter().take_while(|&&b| b == b'\t').count();
                line = &line[tabs..];
            }
            if line.strip_suffix(b"\r").unwrap_or(line) == delimiter.as_bytes() {
                break (line_start, (line_start + length + 1).min(self.end));
            }
            line_start += length + 1;
        };
        let parts = if quoted {
            let text = self.slice(start, body_end);
            vec![self.literal(text, start, Quote::Single)]
        } else {
            self.within(start, body_end, |parser| parser.parts(Until::End))
        };
        let heredoc = &mut self.heredocs[index];
        heredoc.body = Span::new(start, body_end);
        heredoc.parts = parts;
        if !self.gave_up {
            self.at = after;
        }
    }

    pub(super) fn literal(&self, text: &'t str, start: usize, quote: Quote) -> Part<'t> {
        Part::Literal(super::ast::Literal { text, span: Span::new(start, start + text.len()), quote })
    }

    /// A redirection, when one stands here.
    pub(super) fn redirect(&mut self) -> Option<Redirect<'t>> {
        let start = self.at;
        let descriptor = self.descriptor();
        let (operator, length, strip_tabs) = match self.rest() {
            [b'<' | b'>', b'(', ..] if self.at == start => return None,
            [b'&', b'>', b'>', ..] => (RedirectOperator::Append, 3, false),
            [b'&', b'>', ..] => (RedirectOperator::Output, 2, false),
            [b'<', b'<', b'<', ..] => (RedirectOperator::HereString, 3, false),
            [b'<', b'<', b'-', ..] => (RedirectOperator::HereDocument, 3, true),
            [b'<', b'<', ..] => (RedirectOperator::HereDocument, 2, false),
            [b'<', b'>' | b'&', ..] => (RedirectOperator::Input, 2, false),
            [b'<', ..] => (RedirectOperator::Input, 1, false),
            [b'>', b'>', ..] => (RedirectOperator::Append, 2, false),
            [b'>', b'|' | b'&', ..] => (RedirectOperator::Output, 2, false),
            [b'>', ..] => (RedirectOperator::Output, 1, false),
            _ => {
                self.at = start;
                return None;
            }
        };
        self.at += length;
        self.skip_blanks();
        let target = self.nested(|parser| parser.word(Mode::Command));
        if target.parts.is_empty() {
            let span = self.span_from(start);
            self.problem(span, "a word is missing behind the redirection");
        }
        let span = self.span_from(start);
        let heredoc =
            (operator == RedirectOperator::HereDocument).then(|| self.await_heredoc(&target, span, strip_tabs));
        Some(Redirect { span, operator, descriptor, target, heredoc })
    }

    /// `2` or `{fd}` in front of a redirection; nothing is consumed otherwise.
    fn descriptor(&mut self) -> Option<(&'t str, Span)> {
        let rest = self.rest();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let is_operator = |b: Option<&u8>| matches!(b, Some(b'<' | b'>'));
        if digits > 0 {
            if is_operator(rest.get(digits)) {
                self.at += digits;
            }
            return None;
        }
        if rest.first() != Some(&b'{') {
            return None;
        }
        let length = rest[1..].iter().take_while(|&&b| super::ast::is_name_byte(b)).count();
        if length == 0 || rest.get(length + 1) != Some(&b'}') || !is_operator(rest.get(length + 2)) {
            return None;
        }
        let (from, to) = (self.at + 1, self.at + 1 + length);
        self.at += length + 2;
        Some((self.slice(from, to), Span::new(from, to)))
    }

    fn await_heredoc(&mut self, target: &Word<'t>, span: Span, strip_tabs: bool) -> usize {
        let is_quoted = |part: &Part<'_>| matches!(part, Part::Literal(literal) if literal.quote != Quote::None);
        let raw = self.slice(target.span.start as usize, target.span.end as usize);
        // `<<""` is quoted too, and has no parts.
        let quoted = target.parts.iter().any(is_quoted) || raw.starts_with(['"', '\'']);
        let delimiter = target.literal().unwrap_or(Cow::Borrowed(raw));
        let index = self.heredocs.len();
        self.heredocs.push(Heredoc { span, delimiter, quoted, strip_tabs, body: span, parts: Vec::new() });
        self.pending.push(index);
        index
    }
}
