//! From tokens to a tree.
//!
//! Operators and what is open wait on a stack of our own, so that no nesting can overflow the machine's.

mod refuse;
mod stack;

use super::ast::{Children, Comparison, Expr, NodeData, NodeId, NodeKind, Span};
use super::error::{Error, ErrorKind};
use super::functions::Signature;
use super::lexer::{Kind, Lexer, Token, unquoted};
use super::scope::Allowed;
use super::text::number_of_text;
use super::value::Value;
use stack::Stack;

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
        lists: Vec::new(),
        operands: Stack::new(Operand { id: 0, span: Span::new(0, 0) }),
        stack: Stack::new(Waiting::Index),
    };
    let root = match parser.run() {
        // What is no token at all comes first, wherever it stands.
        Err(error) if error.kind() == ErrorKind::Parsing => parser.lexer.finish().and(Err(error)),
        result => result,
    };
    let (nodes, lists) = (parser.nodes, parser.lists);
    root.map(|root| Expr { text: text.into(), base, nodes, lists, root }).map_err(|error| error.moved(base))
}

/// A node that waits to become an operand, with the bytes it takes, parentheses included.
#[derive(Debug, Clone, Copy)]
struct Operand {
    id: NodeId,
    span: Span,
}

/// What waits for operands.
#[derive(Debug, Clone, Copy)]
enum Waiting {
    Not {
        at: Span,
    },
    Binary(Binary),
    Group {
        at: Span,
    },
    /// The target is the operand below.
    Index,
    Call {
        signature: Signature,
        name: Span,
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
    lists: Vec<Vec<NodeId>>,
    operands: Stack<Operand>,
    stack: Stack<Waiting>,
}

impl Parser<'_> {
    /// Reads everything; gives the root.
    fn run(&mut self) -> Result<Option<NodeId>, Error> {
        self.check_length()?;
        let mut end = None;
        // Whether an operand must come next, rather than an operator.
        let mut wants_operand = true;
        while let Some(token) = self.lexer.next()? {
            end = Some(token.span);
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
            Kind::Number => Value::Number(number_of_text(&self.text[span.range()])),
            Kind::Text => Value::text(unquoted(&self.text[span.range()])),
            Kind::Name => {
                self.check_name(span)?;
                self.push_leaf(NodeKind::Name, span);
                return Ok(false);
            }
            Kind::Function => {
                let signature = self.check_function(span)?;
                // The parenthesis that made it a function.
                self.lexer.next()?;
                self.stack.push(Waiting::Call { signature, name: span, arguments: 0 });
                return Ok(true);
            }
            Kind::Open => {
                self.stack.push(Waiting::Group { at: span });
                return Ok(true);
            }
            Kind::Not => {
                self.stack.push(Waiting::Not { at: span });
                return Ok(true);
            }
            Kind::Star if matches!(self.stack.last(), Some(Waiting::Index)) => {
                self.push_leaf(NodeKind::Wildcard, span);
                return Ok(false);
            }
            Kind::Close => {
                if !matches!(self.stack.last(), Some(Waiting::Call { arguments: 0, .. })) {
                    return Err(self.unexpected(span));
                }
                self.finish_call(span)?;
                return Ok(false);
            }
            _ => return Err(self.unexpected(span)),
        };
        self.push_leaf(NodeKind::Literal(value), span);
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
                    Some(Waiting::Index) => self.finish_index(span),
                    _ => return Err(self.unexpected(span)),
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
                            inner.span = at.to(span);
                        }
                    }
                    Some(Waiting::Call { arguments, .. }) => {
                        *arguments += 1;
                        self.finish_call(span)?;
                    }
                    _ => return Err(self.unexpected(span)),
                }
                Ok(false)
            }
            Kind::Comma => {
                self.reduce(0);
                match self.stack.last_mut() {
                    Some(Waiting::Call { arguments, .. }) => *arguments += 1,
                    _ => return Err(self.unexpected(span)),
                }
                Ok(true)
            }
            _ => Err(self.unexpected(span)),
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
    fn property(&mut self, dot: Span, token: Option<Token>) -> Result<(), Error> {
        let Some(Token { kind, span }) = token else { return Err(self.unexpected_end(dot, None)) };
        match kind {
            Kind::Property => self.push_leaf(NodeKind::Property, span),
            Kind::Star => self.push_leaf(NodeKind::Wildcard, span),
            _ => return Err(self.unexpected(span)),
        }
        self.finish_index(span);
        Ok(())
    }

    fn finish_index(&mut self, end: Span) {
        let (Some(key), Some(target)) = (self.operands.pop(), self.operands.pop()) else { return };
        self.push(NodeKind::Index, Children::Two([target.id, key.id]), target.span.to(end));
    }

    fn finish_call(&mut self, end: Span) -> Result<(), Error> {
        let Some(Waiting::Call { signature, name, arguments, .. }) = self.stack.pop() else { return Ok(()) };
        self.check_arguments(signature, name, arguments)?;
        let last = |operands: &mut Stack<Operand>| operands.pop().map_or(0, |operand| operand.id);
        let children = match arguments {
            0 => Children::None,
            1 => Children::One([last(&mut self.operands)]),
            2 => {
                let second = last(&mut self.operands);
                Children::Two([last(&mut self.operands), second])
            }
            _ => {
                let mut ids = vec![0; arguments];
                ids.iter_mut().rev().for_each(|id| *id = last(&mut self.operands));
                self.lists.push(ids);
                Children::Many(self.last_list())
            }
        };
        self.push(NodeKind::Call(signature.function), children, name.to(end));
        Ok(())
    }

    fn last_list(&self) -> u32 {
        // There are fewer lists than nodes.
        u32::try_from(self.lists.len() - 1).unwrap_or(u32::MAX)
    }

    /// Gives operands to the operators on top of the stack that bind at least as tightly.
    fn reduce(&mut self, precedence: u8) {
        loop {
            match self.stack.last() {
                Some(Waiting::Not { at }) => {
                    let at = *at;
                    let Some(operand) = self.operands.pop() else { return };
                    self.push(NodeKind::Not, Children::One([operand.id]), at.to(operand.span));
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
        let span = left.span.to(right.span);
        match binary {
            Binary::Compare(comparison) => {
                self.push(NodeKind::Compare(comparison), Children::Two([left.id, right.id]), span);
            }
            Binary::And => {
                let children = self.chained(left.id, right.id, |kind| matches!(kind, NodeKind::And));
                self.push(NodeKind::And, children, span);
            }
            Binary::Or => {
                let children = self.chained(left.id, right.id, |kind| matches!(kind, NodeKind::Or));
                self.push(NodeKind::Or, children, span);
            }
        }
    }

    /// The operands of a chain of one operator, whether or not parentheses stand in it. An operand that is such a chain
    /// itself is taken apart, and no longer part of the tree.
    fn chained(&mut self, left: NodeId, right: NodeId, same: fn(&NodeKind) -> bool) -> Children {
        let is_chain = |id: NodeId| same(&self.nodes[id as usize].kind);
        let (left_is_chain, right_is_chain) = (is_chain(left), is_chain(right));
        if !left_is_chain && !right_is_chain {
            return Children::Two([left, right]);
        }
        let left_children = self.nodes[left as usize].children;
        let list = match left_children {
            // Grown in place, or a long chain would be copied for each of its operands.
            Children::Many(list) if left_is_chain => list,
            _ => {
                let ids = if left_is_chain { left_children.resolve(&self.lists).to_vec() } else { vec![left] };
                self.lists.push(ids);
                self.last_list()
            }
        };
        let right_children = self.nodes[right as usize].children;
        let more = if right_is_chain { right_children.resolve(&self.lists).to_vec() } else { vec![right] };
        self.lists[list as usize].extend(more);
        Children::Many(list)
    }

    fn push_leaf(&mut self, kind: NodeKind, span: Span) {
        self.push_of_height(1, kind, Children::None, span);
    }

    fn push(&mut self, kind: NodeKind, children: Children, span: Span) {
        let below = children.resolve(&self.lists).iter().map(|&id| self.nodes[id as usize].height).max();
        // The text has at most 21,000 characters, and a node takes at least one.
        self.push_of_height(below.unwrap_or(0).saturating_add(1), kind, children, span);
    }

    fn push_of_height(&mut self, height: u16, kind: NodeKind, children: Children, span: Span) {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        self.nodes.push(NodeData { kind, children, span, height });
        self.operands.push(Operand { id, span });
    }
}

#[cfg(test)]
mod tests;
