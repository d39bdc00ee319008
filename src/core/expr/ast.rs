//! The tree of an expression: all nodes in one list, so that no depth of nesting can overflow the stack.

use std::ops::Range;

use super::functions::Function;
use super::value::Value;

/// A parsed expression: owns everything, can be kept and evaluated often.
#[derive(Debug, Clone)]
pub struct Expr {
    pub(super) text: Box<str>,
    /// Where `text` starts in the template that it stands in.
    pub(super) base: usize,
    pub(super) nodes: Vec<NodeData>,
    pub(super) lists: Vec<Vec<NodeId>>,
    /// None for an expression without any token, which is null.
    pub(super) root: Option<NodeId>,
}

/// The place of a node in its expression's list.
pub(super) type NodeId = u32;

/// Bytes of an expression's text, which is short enough for 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Self {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// From the start of one to the end of the other.
    pub(super) fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Debug, Clone)]
pub(super) struct NodeData {
    pub(super) kind: NodeKind,
    pub(super) children: Children,
    /// Relative to the expression's text.
    pub(super) span: Span,
    /// 1 for a leaf.
    pub(super) height: u16,
}

/// Up to two children stand in the node; more of them in a list of the expression.
#[derive(Debug, Clone, Copy)]
pub(super) enum Children {
    None,
    One([NodeId; 1]),
    Two([NodeId; 2]),
    /// The number of the list.
    Many(u32),
}

impl Children {
    pub(super) fn resolve<'l>(&'l self, lists: &'l [Vec<NodeId>]) -> &'l [NodeId] {
        match self {
            Self::None => &[],
            Self::One(ids) => ids,
            Self::Two(ids) => ids,
            Self::Many(list) => lists.get(*list as usize).map_or(&[], Vec::as_slice),
        }
    }
}

/// An operator that compares two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// What a node is; its operands are its children.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// A literal.
    Literal(Value),
    /// A context; its name is the text of the node.
    Name,
    /// The key behind a dot; it is the text of the node.
    Property,
    /// `*` in place of an index.
    Wildcard,
    /// `target.key` or `target[key]`; the children are the two.
    Index,
    /// `!operand`
    Not,
    /// `left == right` and its like.
    Compare(Comparison),
    /// `a && b && ...`, all operands of a chain.
    And,
    /// `a || b || ...`, all operands of a chain.
    Or,
    /// A call; the children are the arguments.
    Call(Function),
}

/// A node of an expression.
#[derive(Debug, Clone, Copy)]
pub struct Node<'e> {
    expr: &'e Expr,
    id: NodeId,
}

impl<'e> Node<'e> {
    fn data(self) -> &'e NodeData {
        &self.expr.nodes[self.id as usize]
    }

    /// What it is.
    pub fn kind(self) -> &'e NodeKind {
        &self.data().kind
    }

    /// Its operands or arguments, in order.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        let Self { expr, .. } = self;
        self.data().children.resolve(&expr.lists).iter().map(move |&id| Self { expr, id })
    }

    /// Its bytes in the text that was parsed: the expression's, or the template's.
    pub fn span(self) -> Range<usize> {
        let span = self.data().span.range();
        span.start + self.expr.base..span.end + self.expr.base
    }

    /// Its text.
    pub fn text(self) -> &'e str {
        &self.expr.text[self.data().span.range()]
    }

    /// The dotted reference that it is, when only names and literal texts lead to it: `needs.plan.outputs.points`, also
    /// when it is written with brackets. `*` stands for a filter.
    pub fn reference(self) -> Option<String> {
        let mut keys = Vec::new();
        let mut node = self;
        loop {
            match node.kind() {
                NodeKind::Name => {
                    keys.push(node.text());
                    keys.reverse();
                    return Some(keys.join("."));
                }
                NodeKind::Index => {
                    let mut children = node.children();
                    let (target, key) = (children.next()?, children.next()?);
                    keys.push(match key.kind() {
                        NodeKind::Property => key.text(),
                        NodeKind::Literal(Value::Str(key)) => key,
                        NodeKind::Wildcard => "*",
                        _ => return None,
                    });
                    node = target;
                }
                _ => return None,
            }
        }
    }
}

impl Expr {
    /// The whole expression, without blanks around it; `None` when there is nothing, which evaluates to null.
    pub fn root(&self) -> Option<Node<'_>> {
        self.root.map(|id| self.node(id))
    }

    pub(super) fn node(&self, id: NodeId) -> Node<'_> {
        Node { expr: self, id }
    }

    /// The text that was parsed, blanks included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The bytes of [`Self::text`] in the text that was parsed: all of it, or a part of a template.
    pub fn span(&self) -> Range<usize> {
        self.base..self.base + self.text.len()
    }

    /// Every node, each before its operands.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        let mut waiting: Vec<NodeId> = self.root.into_iter().collect();
        std::iter::from_fn(move || {
            let node = self.node(waiting.pop()?);
            waiting.extend(node.data().children.resolve(&self.lists).iter().rev());
            Some(node)
        })
    }

    /// Whether it asks for the status of the job or run. A condition that does not is only met after success.
    pub fn asks_for_status(&self) -> bool {
        self.nodes().any(|node| matches!(node.kind(), NodeKind::Call(Function::Status(_))))
    }

    /// How deeply it nests.
    pub(super) fn height(&self) -> usize {
        self.root.map_or(0, |root| usize::from(self.nodes[root as usize].height))
    }
}
