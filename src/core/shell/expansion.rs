//! What starts with `$`: variables, commands and arithmetic; and backticks.

use super::ast::{Expansion, Operator, Part, Quote, Span, is_name_byte, is_name_start};
use super::list::Term;
use super::parser::Parser;
use super::words::Until;

/// Arithmetic longer than this is two nested subshells.
const MAX_ARITHMETIC: usize = 8192;

impl<'t> Parser<'t> {
    /// The expansion that starts here, or the sign as text.
    pub(super) fn dollar(&mut self, quoted: bool, parts: &mut Vec<Part<'t>>) {
        if self.peek() == Some(b'`') {
            parts.push(self.backticks());
            return;
        }
        match self.peek_at(1) {
            Some(b'{') if self.peek_at(2) == Some(b'{') => parts.push(self.github_expression()),
            Some(b'{') => parts.push(self.nested(|parser| Some(parser.braces(quoted))).unwrap_or_else(|| self.sign())),
            Some(b'(') => parts.push(self.dollar_parenthesis()),
            Some(b'\'') if !quoted => parts.push(self.ansi_quoted()),
            Some(b'"') if !quoted => {
                self.at += 1;
                self.double_quoted(parts);
            }
            Some(byte) if is_name_start(byte) => {
                let length = self.rest()[1..].iter().take_while(|&&b| is_name_byte(b)).count();
                parts.push(self.plain_variable(length, quoted));
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                parts.push(self.plain_variable(1, quoted));
            }
            _ => parts.push(self.sign()),
        }
    }

    /// A `$` that means itself.
    fn sign(&mut self) -> Part<'t> {
        let start = self.at.min(self.end);
        self.at = (start + 1).min(self.end);
        self.literal(self.slice(start, self.at), start, Quote::None)
    }

    fn plain_variable(&mut self, length: usize, quoted: bool) -> Part<'t> {
        let start = self.at;
        self.at += 1 + length;
        Part::Variable(Box::new(Expansion {
            name: self.slice(start + 1, self.at),
            span: self.span_from(start),
            operator: Operator::Plain,
            quoted,
            index: Vec::new(),
            argument: Vec::new(),
        }))
    }

    /// `${{ ... }}`. One that is not closed is text: whoever reads expressions says so.
    fn github_expression(&mut self) -> Part<'t> {
        let start = self.at;
        match self.github_expression_end(start + 3) {
            Some(end) => self.at = end,
            None => {
                self.at = start + 3;
                return self.literal(self.slice(start, self.at), start, Quote::None);
            }
        }
        Part::Expression(self.span_from(start))
    }

    /// Behind the `}}` of an expression; a text in single quotes may hold one.
    fn github_expression_end(&mut self, from: usize) -> Option<usize> {
        if self.unclosed_expression.is_some_and(|(first, end)| from >= first && end == self.end) {
            return None;
        }
        let bytes = &self.bytes[..self.end];
        let mut at = from;
        while let Some(length) = memchr::memchr2(b'}', b'\'', bytes.get(at..)?) {
            at += length + 1;
            if bytes[at - 1] == b'\'' {
                at += memchr::memchr(b'\'', bytes.get(at..)?).map_or(bytes.len(), |close| close + 1);
            } else if bytes.get(at) == Some(&b'}') {
                return Some(at + 1);
            }
        }
        // Nobody needs to look again: what starts further on is not closed either.
        self.unclosed_expression = Some((from, self.end));
        None
    }

    fn braces(&mut self, quoted: bool) -> Part<'t> {
        let start = self.at;
        self.at += 2;
        let mut operator = Operator::Plain;
        let is_value = |b: Option<u8>| b.is_some_and(|b| is_name_byte(b) || b == b'@' || b == b'*');
        if matches!(self.peek(), Some(b'#' | b'!')) && is_value(self.peek_at(1)) {
            operator = if self.peek() == Some(b'#') { Operator::Length } else { Operator::Indirect };
            self.at += 1;
        }
        let name_start = self.at;
        match self.peek() {
            Some(byte) if is_name_byte(byte) => {
                self.at += self.rest().iter().take_while(|&&b| is_name_byte(b)).count();
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') => self.at += 1,
            _ => {}
        }
        let name = self.slice(name_start, self.at);
        if name.is_empty() {
            self.problem(Span::new(start, self.at), "a name is missing behind `${`");
        }
        let mut index = Vec::new();
        if self.peek() == Some(b'[') {
            self.at += 1;
            index = self.parts(Until::Bracket);
            if self.peek() == Some(b']') {
                self.at += 1;
            }
        }
        let (operator, single_quotes) = self.operator(operator, &index, quoted);
        let argument = self.parts(Until::Brace { single_quotes });
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            self.problem(Span::new(start, start + 2), "the `${` that starts here is not closed with `}`");
        }
        let span = self.span_from(start);
        Part::Variable(Box::new(Expansion { name, span, operator, quoted, index, argument }))
    }

    /// The operator of `${NAME`, and whether single quotes quote in what follows.
    fn operator(&mut self, before: Operator, index: &[Part<'t>], quoted: bool) -> (Operator, bool) {
        let (sign, length) = match self.rest() {
            [b':', sign @ (b'-' | b'=' | b'?' | b'+'), ..] => (*sign, 2),
            [sign, ..] => (*sign, 1),
            [] => return (before, false),
        };
        let operator = match sign {
            b'-' => Operator::Default,
            b'=' => Operator::AssignDefault,
            b'?' => Operator::Require,
            b'+' => Operator::Alternative,
            b'}' => {
                let names = before == Operator::Indirect
                    && matches!(index, [Part::Literal(all)] if matches!(all.text, "@" | "*"));
                return (if names { Operator::Names } else { before }, true);
            }
            b'@' | b'*' if before == Operator::Indirect && self.peek_at(1) == Some(b'}') => {
                self.at += 1;
                return (Operator::Names, true);
            }
            _ => {
                self.at += usize::from(matches!(sign, b'#' | b'%' | b'/' | b'^' | b',' | b'@' | b':'));
                return (if before == Operator::Plain { Operator::Edit } else { before }, true);
            }
        };
        self.at += length;
        (if before == Operator::Plain { operator } else { before }, !quoted)
    }

    fn dollar_parenthesis(&mut self) -> Part<'t> {
        let start = self.at;
        if self.peek_at(2) == Some(b'(')
            && let Some(close) = self.arithmetic_end(self.at + 3)
        {
            let inner = self.within(start + 3, close, Self::arithmetic);
            self.at = (close + 2).min(self.end);
            return Part::Arithmetic(self.span_from(start), inner);
        }
        self.at += 2;
        let list = self.parenthesised(Span::new(start, start + 2));
        Part::Command(self.span_from(start), list)
    }

    /// `<( )` and `>( )`.
    pub(super) fn process(&mut self) -> Part<'t> {
        let start = self.at;
        self.at += 2;
        let list = self.parenthesised(Span::new(start, start + 2));
        Part::Process(self.span_from(start), list)
    }

    /// A list up to `)`, which is consumed.
    pub(super) fn parenthesised(&mut self, opening: Span) -> super::ast::List<'t> {
        let list = self.nested(|parser| parser.list(&[Term::Parenthesis]));
        if self.peek() == Some(b')') {
            self.at += 1;
        } else {
            self.problem(opening, "the `(` that starts here is not closed with `)`");
        }
        list
    }

    fn backticks(&mut self) -> Part<'t> {
        let start = self.at;
        self.at += 1;
        let mut close = self.at;
        let closed = loop {
            match memchr::memchr2(b'`', b'\\', &self.bytes[close.min(self.end)..self.end]) {
                None => break false,
                Some(length) if self.bytes[close + length] == b'`' => {
                    close += length;
                    break true;
                }
                Some(length) => close = (close + length + 2).min(self.end),
            }
        };
        if !closed {
            self.problem(Span::new(start, start + 1), "the backtick that starts here is not closed");
            close = self.end;
        }
        let list = self.within(start + 1, close, |parser| parser.list(&[]));
        self.at = (close + usize::from(closed)).min(self.end);
        Part::Command(self.span_from(start), list)
    }

    /// Where the `))` of arithmetic stands whose inside starts at `from`.
    pub(super) fn arithmetic_end(&self, from: usize) -> Option<usize> {
        let text = &self.bytes[from.min(self.end)..self.end.min(from + MAX_ARITHMETIC)];
        let mut depth = 0_usize;
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => return (text.get(at + 1) == Some(&b')')).then_some(from + at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// The inside of arithmetic: names are variables.
    pub(super) fn arithmetic(&mut self) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        while let Some(byte) = self.peek() {
            match byte {
                b'$' | b'`' => self.dollar(true, &mut parts),
                _ if is_name_start(byte) => {
                    let start = self.at;
                    self.at += self.rest().iter().take_while(|&&b| is_name_byte(b)).count();
                    let assigned = self.assignment_follows();
                    let span = self.span_from(start);
                    parts.push(Part::Name { name: self.slice(start, self.at), span, assigned });
                }
                // `0xff`, `16#ab`: letters in a number are no name.
                b'0'..=b'9' => {
                    self.at += self.rest().iter().take_while(|&&b| is_name_byte(b) || b == b'#').count();
                }
                _ => self.advance_char(),
            }
        }
        parts
    }

    fn assignment_follows(&self) -> bool {
        let rest = self.rest();
        let rest = &rest[rest.iter().take_while(|&&b| b == b' ').count()..];
        match rest {
            [b'=', b'=', ..] => false,
            [b'=', ..] | [b'+', b'+', ..] | [b'-', b'-', ..] => true,
            [b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', ..] => true,
            [b'<', b'<', b'=', ..] | [b'>', b'>', b'=', ..] => true,
            _ => false,
        }
    }
}
