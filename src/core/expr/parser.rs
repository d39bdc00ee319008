//! From tokens to a tree.
//!
//! Operators and what is open wait on a stack of our own, so that no nesting can overflow the machine's.

mod refuse;

use std::ops::Range;

use super::ast::{Children, Comparison, Expr, NodeData, NodeId, NodeKind};
use super::error::{Error, ErrorKind};
use super::functions::Signature;
use super::lexer::{Kind, Lexer, Token, unquoted};
use super::scope::Allowed;
use super::value::Value;

/// Parses what stands between `${{` and `}}`. Nothing at all is an expression too: null.
pub fn parse(text: &str, allowed: &Allowed<'_>) -> Result<Expr, Error> {
    parse_at(text, 0, allowed)
}

/// Parses a part of a larger text, in which it starts at `base`.
pub(super) fn parse_at(text: &str, base: usize, allowed: &Allowed<'_>) -> Result<Expr, Error> {
    let mut parser = Parser {
        text,
        lexer: Lexer::new(text),
        allowed,
        // A node takes some five bytes of text.
        nodes: Vec::with_capacity(text.len() / 5 + 2),
        operands: Vec::new(),
        stack: Vec::new(),
    };
    let root = match parser.run() {
        // What is no token at all comes first, wherever it stands.
        Err(error) if error.kind() == ErrorKind::Parsing => parser.lexer.finish().and(Err(error)),
        result => result,
    };
    let nodes = parser.nodes;
    root.map(|root| Expr { text: text.into(), base, nodes, root }).map_err(|error| error.moved(base))
}

/// A node that waits to become an operand, with the bytes it takes, parentheses included.
#[derive(Debug, Clone)]
struct Operand {
    id: NodeId,
    span: Range<usize>,
}

/// What waits for operands.
#[derive(Debug)]
enum Waiting {
    Not {
        at: usize,
    },
    Binary(Binary),
    Group {
        at: usize,
    },
    /// The target is the operand below.
    Index,
    Call {
        signature: Signature,
        name: Range<usize>,
        arguments: usize,
    },
}

#[derive(Debug, Clone, Copy)]
enum Binary {
    Compare(Comparison),
    And,
    Or,
}

impl Binary {
    fn of(kind: &Kind) -> Option<Self> {
        match kind {
            Kind::Compare(comparison) => Some(Self::Compare(*comparison)),
            Kind::And => Some(Self::And),
            Kind::Or => Some(Self::Or),
            _ => None,
        }
    }

    fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Compare(Comparison::Equal | Comparison::NotEqual) => 3,
            Self::Compare(_) => 4,
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    allowed: &'t Allowed<'t>,
    nodes: Vec<NodeData>,
    operands: Vec<Operand>,
    stack: Vec<Waiting>,
}

impl Parser<'_> {
    /// Reads everything; gives the root.
    fn run(&mut self) -> Result<Option<NodeId>, Error> {
        self.check_length()?;
        let mut end = None;
        // Whether an operand must come next, rather than an operator.
        let mut wants_operand = true;
        while let Some(token) = self.lexer.next()? {
            end = Some(token.span.clone());
            wants_operand = if wants_operand { self.operand(token)? } else { self.after_operand(token)? };
        }
        let Some(end) = end else { return Ok(None) };
        let open = self.stack.iter().rev().find(|waiting| !matches!(waiting, Waiting::Not { .. } | Waiting::Binary(_)));
        if wants_operand || open.is_some() {
            return Err(self.unexpected_end(end, open));
        }
        self.reduce(0);
        let root = self.operands.pop().map(|operand| operand.id);
        self.check_depth(root)?;
        Ok(root)
    }

    /// Takes a token where an operand must stand; says whether one must still stand there.
    fn operand(&mut self, token: Token) -> Result<bool, Error> {
        let Token { kind, span } = token;
        let value = match kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(value),
            Kind::Number(value) => Value::Number(value),
            Kind::Text => Value::text(unquoted(&self.text[span.clone()])),
            Kind::Name => {
                self.check_name(&span)?;
                self.push(NodeKind::Name, Children::None, span);
                return Ok(false);
            }
            Kind::Function => {
                let signature = self.check_function(&span)?;
                // The parenthesis that made it a function.
                self.lexer.next()?;
                self.stack.push(Waiting::Call { signature, name: span, arguments: 0 });
                return Ok(true);
            }
            Kind::Open => {
                self.stack.push(Waiting::Group { at: span.start });
                return Ok(true);
            }
            Kind::Not => {
                self.stack.push(Waiting::Not { at: span.start });
                return Ok(true);
            }
            Kind::Star if matches!(self.stack.last(), Some(Waiting::Index)) => {
                self.push(NodeKind::Wildcard, Children::None, span);
                return Ok(false);
            }
            Kind::Close => {
                if !matches!(self.stack.last(), Some(Waiting::Call { arguments: 0, .. })) {
                    return Err(self.unexpected(&span));
                }
                self.finish_call(span.end)?;
                return Ok(false);
            }
            _ => return Err(self.unexpected(&span)),
        };
        self.push(NodeKind::Literal(value), Children::None, span);
        Ok(false)
    }

    /// Takes a token behind an operand; says whether an operand must follow it.
    fn after_operand(&mut self, token: Token) -> Result<bool, Error> {
        let Token { kind, span } = token;
        if let Some(binary) = Binary::of(&kind) {
            self.reduce(binary.precedence());
            self.stack.push(Waiting::Binary(binary));
            return Ok(true);
        }
        match kind {
            Kind::Dot if self.may_be_indexed() => {
                let key = self.lexer.next()?;
                self.property(span, key)?;
                Ok(false)
            }
            Kind::OpenIndex if self.may_be_indexed() => {
                self.stack.push(Waiting::Index);
                Ok(true)
            }
            Kind::CloseIndex => {
                self.reduce(0);
                match self.stack.pop() {
                    Some(Waiting::Index) => self.finish_index(span.end),
                    _ => return Err(self.unexpected(&span)),
                }
                Ok(false)
            }
            Kind::Close => {
                self.reduce(0);
                match self.stack.last_mut() {
                    Some(Waiting::Group { at }) => {
                        let at = *at;
                        self.stack.pop();
                        if let Some(inner) = self.operands.last_mut() {
                            inner.span = at..span.end;
                        }
                    }
                    Some(Waiting::Call { arguments, .. }) => {
                        *arguments += 1;
                        self.finish_call(span.end)?;
                    }
                    _ => return Err(self.unexpected(&span)),
                }
                Ok(false)
            }
            Kind::Comma => {
                self.reduce(0);
                match self.stack.last_mut() {
                    Some(Waiting::Call { arguments, .. }) => *arguments += 1,
                    _ => return Err(self.unexpected(&span)),
                }
                Ok(true)
            }
            _ => Err(self.unexpected(&span)),
        }
    }

    /// Anything but a bare literal.
    fn may_be_indexed(&self) -> bool {
        self.operands.last().is_some_and(|operand| {
            let node = &self.nodes[operand.id as usize];
            !matches!(node.kind, NodeKind::Literal(_)) || node.span != operand.span
        })
    }

    /// What stands behind a dot.
    fn property(&mut self, dot: Range<usize>, token: Option<Token>) -> Result<(), Error> {
        let Some(Token { kind, span }) = token else { return Err(self.unexpected_end(dot, None)) };
        let end = span.end;
        match kind {
            Kind::Property => self.push(NodeKind::Property, Children::None, span),
            Kind::Star => self.push(NodeKind::Wildcard, Children::None, span),
            _ => return Err(self.unexpected(&span)),
        }
        self.finish_index(end);
        Ok(())
    }

    fn finish_index(&mut self, end: usize) {
        let (Some(key), Some(target)) = (self.operands.pop(), self.operands.pop()) else { return };
        self.push(NodeKind::Index, Children::Two([target.id, key.id]), target.span.start..end);
    }

    fn finish_call(&mut self, end: usize) -> Result<(), Error> {
        let Some(Waiting::Call { signature, name, arguments, .. }) = self.stack.pop() else { return Ok(()) };
        let ids: Vec<NodeId> =
            self.operands.drain(self.operands.len() - arguments..).map(|operand| operand.id).collect();
        self.check_arguments(signature, &name, arguments)?;
        self.push(NodeKind::Call(signature.function), ids.into(), name.start..end);
        Ok(())
    }

    /// Gives operands to the operators on top of the stack that bind at least as tightly.
    fn reduce(&mut self, precedence: u8) {
        loop {
            match self.stack.last() {
                Some(Waiting::Not { at }) => {
                    let at = *at;
                    let Some(operand) = self.operands.pop() else { return };
                    self.push(NodeKind::Not, Children::One([operand.id]), at..operand.span.end);
                }
                Some(Waiting::Binary(binary)) if binary.precedence() >= precedence => {
                    let binary = *binary;
                    let (Some(right), Some(left)) = (self.operands.pop(), self.operands.pop()) else { return };
                    self.push_binary(binary, left, right);
                }
                _ => return,
            }
            self.stack.pop();
        }
    }

    fn push_binary(&mut self, binary: Binary, left: Operand, right: Operand) {
        let span = left.span.start..right.span.end;
        match binary {
            Binary::Compare(comparison) => {
                self.push(NodeKind::Compare(comparison), Children::Two([left.id, right.id]), span);
            }
            Binary::And => {
                let ids = self.flattened(left.id, right.id, |kind| matches!(kind, NodeKind::And));
                self.push(NodeKind::And, ids, span);
            }
            Binary::Or => {
                let ids = self.flattened(left.id, right.id, |kind| matches!(kind, NodeKind::Or));
                self.push(NodeKind::Or, ids, span);
            }
        }
    }

    /// The operands of a chain of one operator, whether or not parentheses stand in it.
    fn flattened(&mut self, left: NodeId, right: NodeId, same: fn(&NodeKind) -> bool) -> Children {
        let mut ids = self.taken(left, same);
        ids.extend(self.taken(right, same));
        ids.into()
    }

    fn taken(&mut self, id: NodeId, same: fn(&NodeKind) -> bool) -> Vec<NodeId> {
        let node = &mut self.nodes[id as usize];
        if !same(&node.kind) {
            return vec![id];
        }
        // The node itself is no longer part of the tree.
        node.kind = NodeKind::Wildcard;
        match std::mem::replace(&mut node.children, Children::None) {
            Children::Many(ids) => ids,
            other => other.as_slice().to_vec(),
        }
    }

    fn push(&mut self, kind: NodeKind, children: Children, span: Range<usize>) {
        let below = children.as_slice().iter().map(|&id| self.nodes[id as usize].height).max();
        let height = below.unwrap_or(0) + 1;
        // The text has at most 21,000 characters, and a node takes at least one.
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        self.nodes.push(NodeData { kind, children, span: span.clone(), height });
        self.operands.push(Operand { id, span });
    }
}

#[cfg(test)]
mod tests;
