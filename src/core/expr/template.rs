//! Templates: texts with `${{ }}` parts.
//!
//! A template that is exactly one expression keeps that expression's type. In any other, every part becomes text.

use std::ops::Range;
use std::sync::Arc;

use super::ast::{Expr, NodeKind};
use super::error::{Error, ErrorKind, Problem};
use super::eval::{Evaluator, utf16_bytes};
use super::parser::parse_at;
use super::scope::{Allowed, Scope};
use super::unknown::Unknown;
use super::value::Value;
use super::{MAX_DEPTH, MAX_LENGTH, MAX_MEMORY, evaluate};

const OPEN: &str = "${{";
const CLOSE: &str = "}}";

/// A parsed template: owns everything, can be kept and evaluated often.
#[derive(Debug, Clone)]
pub struct Template {
    text: Arc<str>,
    parts: Vec<Part>,
}

/// A part of a template.
#[derive(Debug, Clone)]
pub enum Part {
    /// Bytes that stand for themselves.
    Text(Range<usize>),
    /// An expression; its spans are relative to the template.
    Expr {
        /// The bytes from `${{` to `}}`, both included. A bare condition has neither.
        span: Range<usize>,
        /// What stands between them.
        expr: Expr,
    },
}

impl Template {
    /// Takes a text apart and parses its expressions.
    pub fn parse(text: &str, allowed: &Allowed<'_>) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(start) = text[at..].find(OPEN).map(|offset| at + offset) {
            if start > at {
                parts.push(Part::Text(at..start));
            }
            let inner = start + OPEN.len();
            let Some(end) = close(text, inner) else { return Err(unclosed(text, start)) };
            let span = start..end + CLOSE.len();
            let source = &text[inner..end];
            if source.trim().is_empty() {
                let message = "there is nothing between `${{` and `}}`";
                return Err(Error::new(ErrorKind::Template, Problem::EmptyExpression, span, message)
                    .help("write an expression there, or ${{ '${{' }} for the characters themselves"));
            }
            let expr = parse_at(source, inner, allowed).map_err(Error::in_template)?;
            at = span.end;
            parts.push(Part::Expr { span, expr });
        }
        if at < text.len() {
            parts.push(Part::Text(at..text.len()));
        }
        let template = Self { text: text.into(), parts };
        template.check_limits()?;
        Ok(template)
    }

    /// Parses a condition (`if:`), which is an expression also without `${{ }}` around it.
    pub fn parse_condition(text: &str, allowed: &Allowed<'_>) -> Result<Self, Error> {
        if text.contains(OPEN) {
            return Self::parse(text, allowed);
        }
        let expr = parse_at(text, 0, allowed)?;
        Ok(Self { text: text.into(), parts: vec![Part::Expr { span: 0..text.len(), expr }] })
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parts in order; none for an empty text.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The expressions in it.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        self.parts.iter().filter_map(|part| match part {
            Part::Expr { expr, .. } => Some(expr),
            Part::Text(_) => None,
        })
    }

    /// The expression that it is, when it is nothing else.
    pub fn as_expression(&self) -> Option<&Expr> {
        match self.parts.as_slice() {
            [Part::Expr { expr, .. }] => Some(expr),
            _ => None,
        }
    }

    /// Whether it holds no expression at all.
    pub fn is_literal(&self) -> bool {
        self.expressions().next().is_none()
    }

    /// The value: of any type if it is exactly one expression, else a text.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, Error> {
        match self.parts.as_slice() {
            [] | [Part::Text(_)] => Ok(Value::Str(Arc::clone(&self.text))),
            [Part::Expr { expr, .. }] => evaluate(expr, scope),
            parts => self.concatenate(parts, scope),
        }
    }

    fn concatenate(&self, parts: &[Part], scope: &dyn Scope) -> Result<Value, Error> {
        let mut text = String::with_capacity(self.text.len());
        let mut bytes = 0usize;
        let mut unknowns: Vec<Unknown> = Vec::new();
        for part in parts {
            let (before, span) = (
                text.len(),
                match part {
                    Part::Text(span) => {
                        text.push_str(&self.text[span.clone()]);
                        span
                    }
                    Part::Expr { span, expr } => {
                        match evaluate(expr, scope)?.to_text() {
                            Ok(part) => text.push_str(&part),
                            Err(unknown) => unknowns.push(unknown),
                        }
                        span
                    }
                },
            );
            bytes += utf16_bytes(&text[before..]);
            if bytes > MAX_MEMORY {
                return Err(Evaluator::too_large(span.clone()));
            }
        }
        Ok(match Unknown::of_all(&unknowns) {
            None => Value::text(text),
            // One character that is known makes it no empty text.
            Some(unknown) if !text.is_empty() => unknown.certainly(true).into(),
            Some(unknown) => unknown.into(),
        })
    }

    /// The runner turns a template of several parts into one call of `format`, to which the limits apply.
    fn check_limits(&self) -> Result<(), Error> {
        /// `format` takes 255 arguments, the first of them the text.
        const MAX_EXPRESSIONS: usize = 254;
        if self.parts.len() < 2 || self.is_literal() {
            return Ok(());
        }
        let refuse =
            |problem, span: Range<usize>, message: String| Err(Error::new(ErrorKind::Template, problem, span, message));
        let whole = 0..self.text.len();
        let count = self.expressions().count();
        if count > MAX_EXPRESSIONS {
            let message = format!("the text holds {count} expressions, and {MAX_EXPRESSIONS} are allowed");
            return refuse(Problem::ArgumentCount, whole, message);
        }
        let mut length = "format('')".len();
        let mut index = 0;
        for part in &self.parts {
            match part {
                Part::Text(span) => {
                    let text = &self.text[span.clone()];
                    let doubled = text.bytes().filter(|b| matches!(b, b'\'' | b'{' | b'}')).count();
                    length += text.encode_utf16().count() + doubled;
                }
                Part::Expr { span, expr } => {
                    length += format!("{{{index}}}, ").len() + expr.text().trim().encode_utf16().count();
                    index += 1;
                    if expr.height() >= MAX_DEPTH {
                        let message = format!(
                            "the expression nests {} deep, and inside a text {} are allowed",
                            expr.height(),
                            MAX_DEPTH - 1
                        );
                        return refuse(Problem::TooDeep, span.clone(), message);
                    }
                }
            }
        }
        if length > MAX_LENGTH {
            let message = format!(
                "a text with expressions counts as one expression: it has {length} characters, and {MAX_LENGTH} are allowed"
            );
            return refuse(Problem::TooLong, whole, message)
                .map_err(|error| error.help("pass the expressions through `env:` and use the variables in the text"));
        }
        Ok(())
    }

    /// The literal text that the whole template is, also when it is written as an expression.
    pub fn as_text(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] | [Part::Text(_)] => Some(&self.text),
            [Part::Expr { expr, .. }] => match expr.root()?.kind() {
                NodeKind::Literal(Value::Str(text)) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Where the expression that starts at `from` is closed. Braces inside its texts do not count; a doubled quote ends a text
/// and starts the next.
fn close(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut in_text = false;
    for at in from..bytes.len() {
        match bytes[at] {
            b'\'' => in_text = !in_text,
            b'}' if !in_text && at > from && bytes[at - 1] == b'}' => return Some(at - 1),
            _ => {}
        }
    }
    None
}

fn unclosed(text: &str, start: usize) -> Error {
    let message = "the expression that starts here is not closed";
    let error = Error::new(ErrorKind::Template, Problem::UnclosedExpression, start..text.len(), message);
    let quotes = text[start..].bytes().filter(|b| *b == b'\'').count();
    error.help(if quotes % 2 == 1 {
        "a single quote is not closed, so `}}` stands inside a text"
    } else {
        "end it with `}}`; write ${{ '${{' }} for the characters themselves"
    })
}

#[cfg(test)]
mod tests;
