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
    /// None for an expression without any token, which is null.
    pub(super) root: Option<NodeId>,
}

/// The place of a node in its expression's list.
pub(super) type NodeId = u32;

#[derive(Debug, Clone)]
pub(super) struct NodeData {
    pub(super) kind: NodeKind,
    pub(super) children: Children,
    /// Relative to the expression's text.
    pub(super) span: Range<usize>,
    /// 1 for a leaf.
    pub(super) height: usize,
}

/// Most nodes have at most two children, which take no allocation.
#[derive(Debug, Clone)]
pub(super) enum Children {
    None,
    One([NodeId; 1]),
    Two([NodeId; 2]),
    Many(Vec<NodeId>),
}

impl Children {
    pub(super) fn as_slice(&self) -> &[NodeId] {
        match self {
            Self::None => &[],
            Self::One(ids) => ids,
            Self::Two(ids) => ids,
            Self::Many(ids) => ids,
        }
    }
}

impl From<Vec<NodeId>> for Children {
    fn from(ids: Vec<NodeId>) -> Self {
        match *ids {
            [] => Self::None,
            [a] => Self::One([a]),
            [a, b] => Self::Two([a, b]),
            _ => Self::Many(ids),
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
        self.data().children.as_slice().iter().map(move |&id| Self { expr, id })
    }

    /// Its bytes in the text that was parsed: the expression's, or the template's.
    pub fn span(self) -> Range<usize> {
        let span = &self.data().span;
        span.start + self.expr.base..span.end + self.expr.base
    }

    /// Its text.
    pub fn text(self) -> &'e str {
        &self.expr.text[self.data().span.clone()]
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
            waiting.extend(node.data().children.as_slice().iter().rev());
            Some(node)
        })
    }

    /// Whether it asks for the status of the job or run. A condition that does not is only met after success.
    pub fn asks_for_status(&self) -> bool {
        self.nodes().any(|node| matches!(node.kind(), NodeKind::Call(Function::Status(_))))
    }

    /// How deeply it nests.
    pub(super) fn height(&self) -> usize {
        self.root.map_or(0, |root| self.nodes[root as usize].height)
    }
}
