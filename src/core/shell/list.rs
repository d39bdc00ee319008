//! Lists: statements, how they are linked, and simple commands.

use super::ast::{Body, Command, Context, Embedded, Link, List, Part, Quote, Runner, Span, Statement, Word};
use super::parser::Parser;
use super::words::Mode;

/// What ends a list. Each is awaited by some construct, and stray anywhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Term {
    Then,
    Elif,
    Else,
    Fi,
    Do,
    Done,
    Esac,
    /// `;;`, `;&`, `;;&`
    Break,
    /// `}`
    Brace,
    /// `)`
    Parenthesis,
}

const WORDS: [(Term, &str); 9] = [
    (Term::Then, "then"),
    (Term::Elif, "elif"),
    (Term::Else, "else"),
    (Term::Fi, "fi"),
    (Term::Do, "do"),
    (Term::Done, "done"),
    (Term::Esac, "esac"),
    (Term::Brace, "}"),
    (Term::Break, ";;"),
];

impl Term {
    pub(super) fn text(self) -> &'static str {
        WORDS.iter().find(|(term, _)| *term == self).map_or(")", |(_, text)| text)
    }
}

impl<'t> Parser<'t> {
    /// Statements up to one of the ends, or up to what a construct around this one waits for.
    pub(super) fn list(&mut self, ends: &'static [Term]) -> List<'t> {
        let mut list = Vec::new();
        loop {
            self.skip_lines();
            let Some(byte) = self.peek() else { return list };
            if let Some(term) = self.term() {
                if ends.contains(&term) || self.awaited.iter().any(|terms| terms.contains(&term)) {
                    return list;
                }
                let start = self.at;
                self.at += term.text().len();
                self.problem(self.span_from(start), format!("`{}` closes nothing here", term.text()));
                continue;
            }
            if matches!(byte, b';' | b'&' | b'|') && !self.starts_with("&>") {
                let start = self.at;
                self.at += 1;
                if byte != b';' {
                    let sign = char::from(byte);
                    self.problem(self.span_from(start), format!("a command is missing in front of `{sign}`"));
                }
                continue;
            }
            self.awaited.push(ends);
            self.linked_statements(&mut list);
            self.awaited.pop();
        }
    }

    /// What ends a list here, if anything does. Nothing is consumed.
    pub(super) fn term(&self) -> Option<Term> {
        match self.peek()? {
            b')' => Some(Term::Parenthesis),
            b';' => matches!(self.peek_at(1), Some(b';' | b'&')).then_some(Term::Break),
            b't' | b'e' | b'f' | b'd' | b'}' => {
                WORDS.iter().find(|(_, text)| self.reserved(text)).map(|(term, _)| *term)
            }
            _ => None,
        }
    }

    /// Whether this word stands here, alone.
    pub(super) fn reserved(&self, word: &str) -> bool {
        self.starts_with(word)
            && match self.peek_at(word.len()) {
                None => true,
                Some(byte) => {
                    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
                }
            }
    }

    /// Statements linked by `&&`, `||` and `|`, and what ends them.
    fn linked_statements(&mut self, list: &mut List<'t>) {
        let first = list.len();
        let mut link = Link::Next;
        loop {
            let before = self.at;
            let statement = self.nested(|parser| Some(parser.statement(link)));
            list.extend(statement);
            if self.at == before {
                self.problem(Span::new(before, (before + 1).min(self.end)), "unexpected here");
                self.advance_char();
            }
            self.skip_blanks_and_comment();
            let length = match self.rest() {
                [b'&', b'&', ..] | [b'|', b'|', ..] | [b'|', b'&', ..] => 2,
                [b'|', ..] => 1,
                [b'&', ..] => {
                    self.at += 1;
                    list[first..].iter_mut().for_each(|statement| statement.background = true);
                    return;
                }
                [b';', b';' | b'&', ..] => return,
                [b';', ..] => {
                    self.at += 1;
                    return;
                }
                _ => return,
            };
            link = match self.rest() {
                [b'&', ..] => Link::And,
                [b'|', b'|', ..] => Link::Or,
                _ => Link::Pipe,
            };
            let sign = self.at;
            self.at += length;
            self.skip_lines();
            if self.peek().is_none() || self.term().is_some() {
                let text = self.slice(sign, sign + length);
                self.problem(Span::new(sign, sign + length), format!("a command is missing behind `{text}`"));
                return;
            }
        }
    }

    fn statement(&mut self, link: Link) -> Statement<'t> {
        let start = self.at;
        let mut negated = false;
        loop {
            if self.reserved("!") {
                negated = !negated;
                self.at += 1;
            } else if self.reserved("time") {
                self.at += 4;
            } else if self.reserved("coproc") {
                self.at += 6;
            } else {
                break;
            }
            self.skip_blanks();
            if self.starts_with("-p ") {
                self.at += 3;
                self.skip_blanks();
            }
        }
        let (body, redirects) = match self.compound() {
            Some(body) => (body, self.redirects()),
            None => (self.simple_or_function(), Vec::new()),
        };
        let end = start + self.slice(start, self.at).trim_end_matches([' ', '\t', '\r', '\n', '\\']).len();
        Statement { span: Span::new(start, end), link, negated, background: false, body, redirects }
    }

    fn redirects(&mut self) -> Vec<super::ast::Redirect<'t>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => return redirects,
            }
        }
    }

    fn simple_or_function(&mut self) -> Body<'t> {
        let start = self.at;
        let mut assignments = Vec::new();
        let mut words: Vec<Word<'t>> = Vec::new();
        let mut redirects = Vec::new();
        let mut end = self.at;
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some(b'\n' | b';' | b'|' | b')') => break,
                Some(b'&') if self.peek_at(1) != Some(b'>') => break,
                // A comment starts behind a blank only, and this is where a word would start.
                Some(b'#') => break,
                Some(b'(') => {
                    if let ([name], true) = (words.as_slice(), assignments.is_empty())
                        && let Some(function) = self.function_behind(name.span)
                    {
                        return function;
                    }
                    let at = self.at;
                    self.at += 1;
                    self.problem(self.span_from(at), "`(` cannot stand here");
                }
                Some(_) => {
                    if let Some(redirect) = self.redirect() {
                        redirects.push(redirect);
                    } else {
                        let word = self.word(Mode::Command);
                        if word.span.start == word.span.end {
                            break;
                        }
                        if word.assignment.is_some() && words.is_empty() {
                            assignments.push(word);
                        } else {
                            words.push(word);
                        }
                    }
                }
            }
            end = self.at;
        }
        let embedded = self.embedded(&words);
        let span = Span::new(start, end);
        self.commands.push(Command { span, assignments, words, redirects, embedded, context: Context::default() });
        Body::Simple(self.commands.len() - 1)
    }

    /// Shell in single quotes among the words: it can be read where it stands.
    fn embedded(&mut self, words: &[Word<'t>]) -> Vec<Embedded<'t>> {
        let quoted = |word: Option<&Word<'t>>| match word?.parts.as_slice() {
            [Part::Literal(literal)] if literal.quote == Quote::Single => Some(literal.span),
            _ => None,
        };
        let [first, rest @ ..] = words else { return Vec::new() };
        let mut texts = Vec::new();
        if first.is("trap") {
            texts.extend(quoted(rest.first()).map(|span| (Runner::Trap, span)));
        } else if first.is("eval") {
            texts.extend(rest.iter().filter_map(|word| quoted(Some(word))).map(|span| (Runner::Eval, span)));
        } else {
            for (at, word) in words.iter().enumerate() {
                let Some(span) = quoted(words.get(at + 2)) else { continue };
                let is_shell = ["bash", "sh", "/bin/bash", "/bin/sh"].iter().any(|shell| word.is(shell));
                if is_shell && is_command_flag(&words[at + 1]) {
                    texts.push((Runner::Child, span));
                }
            }
        }
        let read = |(runner, span): (Runner, Span)| {
            let list = self.within(span.start as usize, span.end as usize, |parser| parser.list(&[]));
            Embedded { runner, span, list }
        };
        texts.into_iter().map(read).collect()
    }
}

/// `-c`, `-lc`, `-euc`.
fn is_command_flag(word: &Word<'_>) -> bool {
    word.literal().is_some_and(|text| text.starts_with('-') && !text.starts_with("--") && text.ends_with('c'))
}
