//! Compound commands: conditions, loops, groups, tests and functions.

use super::ast::{Body, For, Function, Span, Word};
use super::list::Term;
use super::parser::Parser;
use super::words::Mode;

impl<'t> Parser<'t> {
    /// The compound command that starts here, if one does.
    pub(super) fn compound(&mut self) -> Option<Body<'t>> {
        let start = self.at;
        match self.peek()? {
            b'(' => Some(self.parenthesis()),
            b'{' if self.reserved("{") => Some(self.group()),
            b'[' if self.reserved("[[") => Some(self.test()),
            b'i' if self.reserved("if") => Some(self.condition()),
            b'w' if self.reserved("while") => Some(self.repetition(5)),
            b'u' if self.reserved("until") => Some(self.repetition(5)),
            b'f' if self.reserved("for") => Some(self.for_loop(start, 3)),
            b's' if self.reserved("select") => Some(self.for_loop(start, 6)),
            b'c' if self.reserved("case") => Some(self.case()),
            b'f' if self.reserved("function") => Some(self.function()),
            _ => None,
        }
    }

    fn opening(&mut self, length: usize) -> Span {
        let start = self.at;
        self.at += length;
        self.span_from(start)
    }

    /// Consumes the word that a construct waits for.
    fn expect(&mut self, term: Term, opening: Span) -> bool {
        if self.term() == Some(term) {
            self.at += term.text().len();
            return true;
        }
        let word = self.slice(opening.start as usize, opening.end as usize);
        self.problem(opening, format!("the `{word}` that starts here has no `{}`", term.text()));
        false
    }

    fn parenthesis(&mut self) -> Body<'t> {
        let start = self.at;
        if self.peek_at(1) == Some(b'(')
            && let Some(close) = self.arithmetic_end(self.at + 2)
        {
            let parts = self.within(start + 2, close, Self::arithmetic);
            self.at = (close + 2).min(self.end);
            return Body::Arithmetic(parts);
        }
        let opening = self.opening(1);
        Body::Subshell(self.parenthesised(opening))
    }

    fn group(&mut self) -> Body<'t> {
        let opening = self.opening(1);
        let list = self.list(&[Term::Brace]);
        self.expect(Term::Brace, opening);
        Body::Group(list)
    }

    fn condition(&mut self) -> Body<'t> {
        let opening = self.opening(2);
        let mut branches = Vec::new();
        loop {
            let condition = self.list(&[Term::Then, Term::Elif, Term::Else, Term::Fi]);
            self.expect(Term::Then, opening);
            let body = self.list(&[Term::Elif, Term::Else, Term::Fi]);
            branches.push((condition, body));
            match self.term() {
                Some(Term::Elif) => self.at += 4,
                Some(Term::Else) => {
                    self.at += 4;
                    let otherwise = self.list(&[Term::Fi]);
                    self.expect(Term::Fi, opening);
                    return Body::If(branches, otherwise);
                }
                _ => {
                    self.expect(Term::Fi, opening);
                    return Body::If(branches, Vec::new());
                }
            }
        }
    }

    fn repetition(&mut self, length: usize) -> Body<'t> {
        let opening = self.opening(length);
        let condition = self.list(&[Term::Do, Term::Done]);
        let has_body = self.expect(Term::Do, opening) || self.term() == Some(Term::Done);
        Body::While(condition, if has_body { self.loop_body(opening) } else { Vec::new() })
    }

    fn loop_body(&mut self, opening: Span) -> super::ast::List<'t> {
        let body = self.list(&[Term::Done]);
        self.expect(Term::Done, opening);
        body
    }

    fn for_loop(&mut self, start: usize, length: usize) -> Body<'t> {
        let opening = self.opening(length);
        self.skip_blanks();
        let mut made = For { variable: "", span: opening, words: None, arithmetic: Vec::new(), body: Vec::new() };
        if self.starts_with("((")
            && let Some(close) = self.arithmetic_end(self.at + 2)
        {
            made.arithmetic = self.within(self.at + 2, close, Self::arithmetic);
            self.at = (close + 2).min(self.end);
        } else {
            let name = self.word(Mode::Command);
            made.span = name.span;
            made.variable = self.slice(name.span.start as usize, name.span.end as usize);
            if !super::ast::is_name(made.variable) {
                self.problem(Span::new(start, self.at), "a name is missing behind `for`");
                made.variable = "";
            }
        }
        self.skip_lines();
        if self.reserved("in") {
            self.at += 2;
            made.words = Some(self.words_of_line());
        }
        self.skip_lines();
        if self.peek() == Some(b';') {
            self.at += 1;
            self.skip_lines();
        }
        made.body = if self.reserved("{") {
            match self.group() {
                Body::Group(list) => list,
                _ => Vec::new(),
            }
        } else if self.expect(Term::Do, opening) {
            self.loop_body(opening)
        } else {
            Vec::new()
        };
        Body::For(made)
    }

    fn words_of_line(&mut self) -> Vec<Word<'t>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks_and_comment();
            let word = self.word(Mode::Command);
            if word.span.start == word.span.end {
                return words;
            }
            words.push(word);
        }
    }

    fn case(&mut self) -> Body<'t> {
        let opening = self.opening(4);
        self.skip_blanks();
        let word = self.word(Mode::Command);
        self.skip_lines();
        let mut arms = Vec::new();
        if self.reserved("in") {
            self.at += 2;
        } else {
            self.problem(opening, "the `case` that starts here has no `in`");
            return Body::Case(word, arms);
        }
        loop {
            self.skip_lines();
            if self.peek().is_none() || self.term().is_some_and(|term| !self.is_pattern(term)) {
                break;
            }
            let before = self.at;
            let patterns = self.patterns();
            let list = self.list(&[Term::Break, Term::Esac]);
            arms.push((patterns, list));
            if self.term() == Some(Term::Break) {
                self.at += 2;
                if self.peek() == Some(b'&') {
                    self.at += 1;
                }
            }
            if self.at == before {
                break;
            }
        }
        self.expect(Term::Esac, opening);
        Body::Case(word, arms)
    }

    /// Whether a word that usually ends a list is the pattern of an arm here: `done)`.
    fn is_pattern(&self, term: Term) -> bool {
        term == Term::Parenthesis || term != Term::Esac && self.peek_at(term.text().len()) == Some(b')')
    }

    fn patterns(&mut self) -> Vec<Word<'t>> {
        let start = self.at;
        if self.peek() == Some(b'(') {
            self.at += 1;
        }
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            patterns.push(self.word(Mode::Command));
            self.skip_blanks();
            match self.peek() {
                Some(b'|') => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    return patterns;
                }
                _ => {
                    let end = self.at.max(start + 1).min(self.end);
                    self.problem(Span::new(start, end), "`)` is missing behind the pattern");
                    return patterns;
                }
            }
        }
    }

    fn test(&mut self) -> Body<'t> {
        let opening = self.opening(2);
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.peek().is_none() {
                self.problem(opening, "the `[[` that starts here has no `]]`");
                break;
            }
            if self.reserved("]]") {
                self.at += 2;
                break;
            }
            let before = self.at;
            words.push(self.word(Mode::Test));
            if self.at == before {
                self.advance_char();
            }
        }
        Body::Test(words)
    }

    fn function(&mut self) -> Body<'t> {
        self.at += 8;
        self.skip_blanks();
        let start = self.at;
        let length = self.rest().iter().take_while(|b| !b.is_ascii_whitespace() && !b"(){};&|<>".contains(b)).count();
        self.at += length;
        let span = self.span_from(start);
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            self.at += 1;
            self.skip_blanks();
            if self.peek() == Some(b')') {
                self.at += 1;
            }
        }
        self.function_body(span)
    }

    /// The function whose name was read, when `()` follows.
    pub(super) fn function_behind(&mut self, name: Span) -> Option<Body<'t>> {
        let start = self.at;
        self.at += 1;
        self.skip_blanks();
        if self.peek() != Some(b')') {
            self.at = start;
            return None;
        }
        self.at += 1;
        Some(self.function_body(name))
    }

    fn function_body(&mut self, span: Span) -> Body<'t> {
        let name = self.slice(span.start as usize, span.end as usize);
        self.skip_lines();
        let mut body = Vec::new();
        match self.nested(|parser| parser.compound()) {
            Some(inner) => body.push(super::ast::Statement {
                span: self.span_from(span.start as usize),
                link: super::ast::Link::Next,
                negated: false,
                background: false,
                body: inner,
                redirects: Vec::new(),
            }),
            None => self.problem(span, format!("the function `{name}` has no body")),
        }
        Body::Function(Function { name, span, body })
    }
}
