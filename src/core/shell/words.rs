//! Words: quotes, literals, assignments and arrays.

use super::ast::{AssignmentHead, Part, Quote, Span, Word, is_name_byte, is_name_start};
use super::parser::Parser;

/// An index of an array longer than this is none.
const MAX_INDEX: usize = 256;

/// What ends a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Blanks and operators.
    Command,
    /// Blanks: inside `[[ ]]` operators are words.
    Test,
}

/// What ends a run of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// The end of the text at hand: a here-document. Quotes mean nothing.
    End,
    /// `"`
    Quote,
    /// `}`; quotes work, single ones only where they do in bash.
    Brace { single_quotes: bool },
    /// `]` of an index.
    Bracket,
    /// `)` of an extended pattern.
    Parenthesis,
}

impl<'t> Parser<'t> {
    /// The word that starts here; without parts when none does.
    pub(super) fn word(&mut self, mode: Mode) -> Word<'t> {
        let start = self.at;
        let mut parts = Vec::new();
        let assignment = if mode == Mode::Command { self.assignment_head(&mut parts) } else { None };
        if assignment.is_some() && self.peek() == Some(b'(') {
            parts.push(self.array());
        }
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' => break,
                b'\r' if matches!(self.peek_at(1), Some(b'\n') | None) => break,
                b'<' | b'>' if mode == Mode::Command => {
                    if self.peek_at(1) != Some(b'(') {
                        break;
                    }
                    parts.push(self.process());
                }
                b'(' if mode == Mode::Command => {
                    let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
                    if self.at == start || !matches!(before, Some(b'?' | b'*' | b'+' | b'@' | b'!')) {
                        break;
                    }
                    self.extended_pattern(&mut parts);
                }
                b';' | b'&' | b'|' | b')' if mode == Mode::Command => break,
                _ => self.word_part(byte, mode, &mut parts),
            }
        }
        Word { span: self.span_from(start), parts, assignment }
    }

    fn word_part(&mut self, byte: u8, mode: Mode, parts: &mut Vec<Part<'t>>) {
        match byte {
            b'\'' => parts.push(self.single_quoted()),
            b'"' => self.double_quoted(parts),
            b'$' | b'`' => self.dollar(false, parts),
            b'\\' => self.escaped(parts),
            _ => {
                let special = |b: u8| match b {
                    b' ' | b'\t' | b'\n' | b'\r' | b'\'' | b'"' | b'$' | b'`' | b'\\' => true,
                    b'<' | b'>' | b'(' | b')' | b';' | b'&' | b'|' => mode == Mode::Command,
                    _ => false,
                };
                self.literal_run(1, special, Quote::None, parts);
            }
        }
    }

    /// Literal text up to a byte that means something. The first `taken` bytes are text whatever they are.
    fn literal_run(&mut self, taken: usize, special: impl Fn(u8) -> bool, quote: Quote, parts: &mut Vec<Part<'t>>) {
        let rest = self.rest();
        let taken = taken.min(rest.len());
        let length = taken + rest[taken..].iter().take_while(|&&b| !special(b)).count();
        let start = self.at;
        self.at += length;
        parts.push(self.literal(self.slice(start, self.at), start, quote));
    }

    fn escaped(&mut self, parts: &mut Vec<Part<'t>>) {
        self.at += 1;
        if self.starts_with("\r\n") {
            self.at += 2;
            return;
        }
        let start = self.at;
        self.advance_char();
        // A backslash in front of a line break continues the line.
        if self.slice(start, self.at) != "\n" {
            parts.push(self.literal(self.slice(start, self.at), start, Quote::Escaped));
        }
    }

    fn single_quoted(&mut self) -> Part<'t> {
        let start = self.at;
        self.at += 1;
        let length = memchr::memchr(b'\'', self.rest());
        if length.is_none() {
            self.problem(Span::new(start, start + 1), "the single quote that starts here is not closed");
        }
        let from = self.at;
        self.at += length.unwrap_or(self.rest().len());
        let part = self.literal(self.slice(from, self.at), from, Quote::Single);
        self.at = (self.at + 1).min(self.end);
        part
    }

    /// `$'...'`; the dollar sign is not consumed yet.
    pub(super) fn ansi_quoted(&mut self) -> Part<'t> {
        let start = self.at;
        self.at += 2;
        let from = self.at;
        loop {
            match memchr::memchr2(b'\'', b'\\', self.rest()) {
                None => {
                    self.problem(Span::new(start, start + 2), "the quote that starts here is not closed");
                    self.at = self.end;
                    return self.literal(self.slice(from.min(self.end), self.end), from, Quote::Ansi);
                }
                Some(length) if self.rest()[length] == b'\'' => {
                    self.at += length + 1;
                    return self.literal(self.slice(from, self.at - 1), from, Quote::Ansi);
                }
                Some(length) => {
                    self.at += length + 1;
                    self.advance_char();
                }
            }
        }
    }

    /// `"..."`; an empty one is an empty literal, so that the word has a part.
    pub(super) fn double_quoted(&mut self, parts: &mut Vec<Part<'t>>) {
        let start = self.at;
        self.at += 1;
        let inner = self.nested(|parser| parser.parts(Until::Quote));
        if self.peek() == Some(b'"') {
            self.at += 1;
        } else {
            self.problem(Span::new(start, start + 1), "the double quote that starts here is not closed");
        }
        if inner.is_empty() {
            parts.push(self.literal("", start + 1, Quote::Double));
        }
        parts.extend(inner);
    }

    /// Parts up to an end that is not consumed.
    pub(super) fn parts(&mut self, until: Until) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let quoted = matches!(until, Until::End | Until::Quote);
        let quote = if quoted { Quote::Double } else { Quote::None };
        while let Some(byte) = self.peek() {
            match (byte, until) {
                (b'"', Until::Quote)
                | (b'}', Until::Brace { .. })
                | (b']', Until::Bracket)
                | (b')', Until::Parenthesis) => break,
                (b'$' | b'`', _) => self.dollar(quoted, &mut parts),
                (b'\\', Until::End | Until::Quote) => match self.peek_at(1) {
                    Some(b'$' | b'`' | b'"' | b'\\' | b'\n' | b'\r') => self.escaped(&mut parts),
                    _ => self.literal_run(1, |b| ends_literal(b, until), quote, &mut parts),
                },
                (b'\\', _) => self.escaped(&mut parts),
                (b'"', Until::Brace { .. } | Until::Bracket | Until::Parenthesis) => self.double_quoted(&mut parts),
                (b'\'', Until::Brace { single_quotes: true } | Until::Bracket | Until::Parenthesis) => {
                    parts.push(self.single_quoted());
                }
                (b'(', Until::Parenthesis) => self.extended_pattern(&mut parts),
                _ => self.literal_run(1, |b| ends_literal(b, until), quote, &mut parts),
            }
        }
        parts
    }

    /// `(a|b)` of a pattern such as `@(a|b)`.
    fn extended_pattern(&mut self, parts: &mut Vec<Part<'t>>) {
        let start = self.at;
        self.at += 1;
        parts.push(self.literal(self.slice(start, self.at), start, Quote::None));
        let inner = self.nested(|parser| parser.parts(Until::Parenthesis));
        parts.extend(inner);
        if self.peek() == Some(b')') {
            parts.push(self.literal(self.slice(self.at, self.at + 1), self.at, Quote::None));
            self.at += 1;
        } else {
            self.problem(Span::new(start, start + 1), "the pattern that starts here is not closed with `)`");
        }
    }

    /// `NAME=`, `NAME+=`, `NAME[index]=`: consumed when it stands here, with the parts that it is made of.
    fn assignment_head(&mut self, parts: &mut Vec<Part<'t>>) -> Option<AssignmentHead<'t>> {
        let rest = self.rest();
        if !rest.first().is_some_and(|&b| is_name_start(b)) {
            return None;
        }
        let length = rest.iter().take_while(|&&b| is_name_byte(b)).count();
        let start = self.at;
        let span = Span::new(start, start + length);
        let name = self.slice(start, start + length);
        let (index, sign) = match rest.get(length) {
            Some(b'[') => {
                let inside = &rest[length + 1..rest.len().min(length + 1 + MAX_INDEX)];
                let close = index_end(inside)?;
                (Some((start + length + 1, start + length + 1 + close)), length + close + 2)
            }
            _ => (None, length),
        };
        let append = rest.get(sign) == Some(&b'+');
        let equals = sign + usize::from(append);
        if rest.get(equals) != Some(&b'=') {
            return None;
        }
        let mut from = start;
        if let Some((open, close)) = index {
            parts.push(self.literal(self.slice(start, open), start, Quote::None));
            parts.extend(self.within(open, close, |parser| parser.parts(Until::Bracket)));
            from = close;
        }
        self.at = (start + equals + 1).min(self.end);
        parts.push(self.literal(self.slice(from, start + equals + 1), from, Quote::None));
        Some(AssignmentHead { name, span, append, indexed: index.is_some(), value_from: parts.len() })
    }

    /// The elements of an array.
    fn array(&mut self) -> Part<'t> {
        let start = self.at;
        self.at += 1;
        let mut elements = Vec::new();
        loop {
            self.skip_lines();
            match self.peek() {
                None => {
                    self.problem(Span::new(start, start + 1), "the array that starts here is not closed with `)`");
                    break;
                }
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {}
            }
            let before = self.at;
            let word = self.nested(|parser| parser.word(Mode::Command));
            if self.at == before {
                self.problem(Span::new(before, before + 1), "unexpected in an array");
                self.advance_char();
            } else {
                elements.push(word);
            }
        }
        Part::Array(self.span_from(start), elements)
    }
}

fn ends_literal(byte: u8, until: Until) -> bool {
    match byte {
        b'$' | b'`' | b'\\' => true,
        b'"' => until != Until::End,
        b'\'' => matches!(until, Until::Brace { single_quotes: true } | Until::Bracket | Until::Parenthesis),
        b'}' => matches!(until, Until::Brace { .. }),
        b']' => until == Until::Bracket,
        b'(' | b')' => until == Until::Parenthesis,
        _ => false,
    }
}

/// The `]` that ends an index and is followed by `=` or `+=`.
fn index_end(inside: &[u8]) -> Option<usize> {
    let line = memchr::memchr(b'\n', inside).unwrap_or(inside.len());
    memchr::memchr_iter(b']', &inside[..line])
        .find(|&at| matches!(inside.get(at + 1), Some(b'=')) || inside[at + 1..].starts_with(b"+="))
}
