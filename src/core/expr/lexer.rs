//! From text to tokens.
//!
//! Blanks separate tokens and mean nothing else. What is no token is refused here, a token at a wrong place later.

use std::borrow::Cow;

use super::ast::{Comparison, Span};
use super::error::{Error, ErrorKind, Problem};
use super::text::number_of_text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`
    OpenIndex,
    /// `]`
    CloseIndex,
    Comma,
    Dot,
    Star,
    Not,
    And,
    Or,
    Compare(Comparison),
    Null,
    Bool(bool),
    /// A number; [`number_of_text`] gives its value.
    Number,
    /// A text, quotes included; [`unquoted`] gives its value.
    Text,
    /// A name after a dot.
    Property,
    /// A name before an opening parenthesis.
    Function,
    /// Any other name.
    Name,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    last: Option<Kind>,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, last: None }
    }

    /// The next token, or none at the end.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Token>, Error> {
        let token = self.read()?;
        self.last = token.as_ref().map(|token| token.kind);
        Ok(token)
    }

    /// Reads the rest only to find what is no token.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        while self.next()?.is_some() {}
        Ok(())
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn read(&mut self) -> Result<Option<Token>, Error> {
        self.skip_blanks();
        let Some(&first) = self.text.as_bytes().get(self.at) else { return Ok(None) };
        let kind = match first {
            b'(' => Kind::Open,
            b')' => Kind::Close,
            b'[' => Kind::OpenIndex,
            b']' => Kind::CloseIndex,
            b',' => Kind::Comma,
            b'*' => Kind::Star,
            b'.' if !self.number_may_start() => Kind::Dot,
            b'\'' => return self.text_literal().map(Some),
            b'!' | b'<' | b'>' | b'=' | b'&' | b'|' => return self.operator().map(Some),
            b'.' | b'+' | b'-' | b'0'..=b'9' => return self.number().map(Some),
            _ => return self.keyword().map(Some),
        };
        Ok(Some(self.token(kind, 1)))
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        // Rarely anything but plain blanks stands between tokens.
        if bytes.get(self.at).is_some_and(|b| *b < b' ' || !b.is_ascii()) {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
        }
    }

    fn token(&mut self, kind: Kind, length: usize) -> Token {
        let span = Span::new(self.at, self.at + length);
        self.at += length;
        Token { kind, span }
    }

    /// Whether a dot starts a number rather than leads to a property.
    fn number_may_start(&self) -> bool {
        match self.last {
            None => true,
            Some(last) => matches!(
                last,
                Kind::Comma | Kind::Open | Kind::OpenIndex | Kind::Not | Kind::And | Kind::Or | Kind::Compare(_)
            ),
        }
    }

    fn operator(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        let (kind, length) = match rest.as_bytes() {
            [b'!', b'=', ..] => (Kind::Compare(Comparison::NotEqual), 2),
            [b'=', b'=', ..] => (Kind::Compare(Comparison::Equal), 2),
            [b'<', b'=', ..] => (Kind::Compare(Comparison::LessOrEqual), 2),
            [b'>', b'=', ..] => (Kind::Compare(Comparison::GreaterOrEqual), 2),
            [b'&', b'&', ..] => (Kind::And, 2),
            [b'|', b'|', ..] => (Kind::Or, 2),
            [b'!', ..] => (Kind::Not, 1),
            [b'<', ..] => (Kind::Compare(Comparison::Less), 1),
            [b'>', ..] => (Kind::Compare(Comparison::Greater), 1),
            _ => return Err(self.bad(1 + word_length(&rest[1..]))),
        };
        Ok(self.token(kind, length))
    }

    fn text_literal(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        let mut from = 1;
        loop {
            let Some(quote) = memchr::memchr(b'\'', &rest.as_bytes()[from..]) else {
                let span = self.at..self.text.len();
                let message = "the text that starts here is not closed";
                return Err(Error::new(ErrorKind::Lexing, Problem::UnclosedText, span, message)
                    .help("end it with a single quote; inside it write '' for one"));
            };
            let end = from + quote;
            if rest.as_bytes().get(end + 1) != Some(&b'\'') {
                return Ok(self.token(Kind::Text, end + 1));
            }
            from = end + 2;
        }
    }

    fn number(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        let mut length = 1 + word_length(&rest[1..]);
        // A dot separates words, and is part of a number.
        while rest.as_bytes().get(length) == Some(&b'.') {
            length += 1 + word_length(&rest[length + 1..]);
        }
        if number_of_text(&rest[..length]).is_nan() {
            return Err(self.bad(length));
        }
        Ok(self.token(Kind::Number, length))
    }

    fn keyword(&mut self) -> Result<Token, Error> {
        let rest = self.rest();
        let length = name_length(rest);
        let (word, after) = rest.split_at(length);
        let next = after.as_bytes().first().copied().unwrap_or(b' ');
        let goes_on = if next.is_ascii() {
            !is_boundary(char::from(next))
        } else {
            after.chars().next().is_some_and(|c| !is_boundary(c))
        };
        if length == 0 || goes_on || !rest.as_bytes()[0].is_ascii_alphabetic() && rest.as_bytes()[0] != b'_' {
            let first = rest.chars().next().map_or(0, char::len_utf8);
            return Err(self.bad(first + word_length(&rest[first..])));
        }
        // Blanks may stand in between.
        let is_called = || match next {
            b'(' => true,
            b'.' | b')' | b',' | b']' | b'[' => false,
            _ => after.trim_start().starts_with('('),
        };
        let kind = match word {
            _ if self.last == Some(Kind::Dot) => Kind::Property,
            _ if !matches!(word.as_bytes()[0], b'n' | b't' | b'f' | b'N' | b'I') => {
                if is_called() {
                    Kind::Function
                } else {
                    Kind::Name
                }
            }
            "null" => Kind::Null,
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            "NaN" | "Infinity" => Kind::Number,
            _ if is_called() => Kind::Function,
            _ => Kind::Name,
        };
        Ok(self.token(kind, length))
    }

    fn bad(&self, length: usize) -> Error {
        let span = self.at..self.at + length;
        let symbol = &self.text[span.clone()];
        let error = Error::new(ErrorKind::Lexing, Problem::BadToken, span, format!("unexpected `{symbol}`"));
        match advice(symbol) {
            Some(advice) => error.help(advice),
            None => error,
        }
    }
}

/// The value of a text that stands in quotes: each doubled quote is one.
pub(super) fn unquoted(raw: &str) -> Cow<'_, str> {
    let inner = raw.get(1..raw.len() - 1).unwrap_or_default();
    if inner.contains('\'') { Cow::Owned(inner.replace("''", "'")) } else { Cow::Borrowed(inner) }
}

/// What to write instead of something that other languages have.
fn advice(symbol: &str) -> Option<&'static str> {
    let first = symbol.chars().next()?;
    Some(match first {
        '"' => "a text stands in single quotes: 'text'",
        '=' => "`==` compares, and there is no assignment",
        '&' => "`&&` is the operator",
        '|' => "`||` is the operator",
        '+' | '-' | '/' | '%' => "expressions cannot compute: there is no arithmetic, and format(...) joins texts",
        '{' => "there is no object literal: use fromJSON('{...}')",
        '$' => "inside ${{ }} contexts are named without another `$`",
        '#' => "expressions have no comments",
        '0'..='9' | '.' => "a number is written 42, -1.5, 1e3, 0xff or 0o17; a text stands in single quotes",
        _ if !first.is_ascii() => "names are ASCII letters, digits, `_` and `-`; a text stands in single quotes",
        _ => return None,
    })
}

/// How long the word is that starts here, whatever it is made of.
fn word_length(text: &str) -> usize {
    let plain = name_length(text);
    plain + text[plain..].find(is_boundary).unwrap_or(text.len() - plain)
}

fn is_boundary(c: char) -> bool {
    matches!(c, '(' | ')' | '[' | ']' | ',' | '.' | '!' | '<' | '>' | '=' | '&' | '|') || c.is_whitespace()
}

/// How many bytes of a name stand at the start.
fn name_length(text: &str) -> usize {
    text.bytes().position(|byte| !IS_NAME_BYTE[usize::from(byte)]).unwrap_or(text.len())
}

/// Letters, digits, `_` and `-`: one look for each byte, as most bytes of an expression are such.
static IS_NAME_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut lexer = Lexer::new(text);
        std::iter::from_fn(|| lexer.next().unwrap()).map(|token| token.kind).collect()
    }

    fn refused(text: &str) -> String {
        let error = Lexer::new(text).finish().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Lexing);
        text[error.span()].to_owned()
    }

    #[test]
    fn names_depend_on_what_stands_around_them() {
        assert_eq!(kinds("a.true . b"), [Kind::Name, Kind::Dot, Kind::Property, Kind::Dot, Kind::Property]);
        assert_eq!(kinds("f (true, _x-1)")[..3], [Kind::Function, Kind::Open, Kind::Bool(true)]);
    }

    #[test]
    fn a_dot_starts_a_number_only_where_an_operand_may_stand() {
        assert_eq!(kinds(".5 == -.5"), [Kind::Number, Kind::Compare(Comparison::Equal), Kind::Number]);
        assert_eq!(kinds("5. < 0x1F"), [Kind::Number, Kind::Compare(Comparison::Less), Kind::Number]);
        assert_eq!(kinds("a.b")[1], Kind::Dot);
    }

    #[test]
    fn doubled_quotes_are_one() {
        assert_eq!(kinds("'a''b' == ''"), [Kind::Text, Kind::Compare(Comparison::Equal), Kind::Text]);
        for (raw, value) in [("'a''b''c'", "a'b'c"), ("''''", "'"), ("''", ""), ("'é'", "é")] {
            assert_eq!(unquoted(raw), value);
        }
    }

    #[test]
    fn what_is_no_token_is_refused_whole() {
        for (text, symbol) in [
            ("1 =2", "=2"),
            ("1 @abc 2", "@abc"),
            ("-0xFF", "-0xFF"),
            ("1 && ..github/workflow.md", "..github/workflow.md"),
            ("github/workflow.md", "github/workflow"),
            ("'foo", "'foo"),
            ("1 + 1", "+"),
            ("\u{1f60a} x", "\u{1f60a}"),
            ("a$b", "a$b"),
        ] {
            assert_eq!(refused(text), symbol, "{text}");
        }
    }
}
