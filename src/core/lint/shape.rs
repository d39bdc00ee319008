//! What an expression gives, as far as that can be known without running anything: one value, a list or an object.

use super::matrix::MatrixVector;
use super::{Owner, Repository, Site};
use crate::core::expr::{Function, Node, NodeKind, Value, read_json};

/// What kind of value it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nobody knows.
    Unknown,
    /// Something that a text can hold.
    Scalar,
    /// A list.
    List,
    /// An object.
    Map,
}

impl Shape {
    /// The word that GitHub puts into a text instead of it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Map => "Object",
            _ => "Array",
        }
    }

    /// What a person calls it.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Map => "an object",
            _ => "a list",
        }
    }

    /// Whether it is a list or an object for certain.
    pub(super) fn is_collection(self) -> bool {
        matches!(self, Self::List | Self::Map)
    }
}

/// The shape of a part of an expression, and how it is known.
pub(super) fn shape_of<'d>(
    repository: &Repository<'d>,
    owner: Owner<'_, 'd>,
    site: &Site<'d>,
    node: Node<'_>,
) -> Known {
    let of = |node: Node<'_>| shape_of(repository, owner, site, node);
    match node.kind() {
        NodeKind::Literal(_) | NodeKind::Not | NodeKind::Compare(_) => Known::of(Shape::Scalar),
        NodeKind::Name | NodeKind::Index => of_reference(repository, owner, site, node),
        NodeKind::Property | NodeKind::Wildcard => Known::of(Shape::Unknown),
        // Whichever operand it is: a list is no text in any of them.
        NodeKind::Or => {
            let collection = node.children().map(of).find(|known| known.shape.is_collection());
            collection.unwrap_or_else(|| node.children().last().map_or(Known::of(Shape::Unknown), of))
        }
        NodeKind::And => node.children().last().map_or(Known::of(Shape::Unknown), of),
        NodeKind::Call(Function::FromJson) => {
            let text = node.children().next().and_then(|argument| match argument.kind() {
                NodeKind::Literal(Value::Str(text)) => Some(text.clone()),
                _ => None,
            });
            Known::of(match text.and_then(|text| read_json(&text).ok().map(Value::from)) {
                Some(Value::Array(_)) => Shape::List,
                Some(Value::Object(_)) => Shape::Map,
                Some(Value::Unknown(_)) | None => Shape::Unknown,
                Some(_) => Shape::Scalar,
            })
        }
        NodeKind::Call(Function::Case) => Known::of(Shape::Unknown),
        NodeKind::Call(_) => Known::of(Shape::Scalar),
    }
}

/// A shape, and why it is that.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) shape: Shape,
    /// How it is known, as a clause; empty where the expression itself says so.
    pub(super) because: String,
}

impl Known {
    fn of(shape: Shape) -> Self {
        Self { shape, because: String::new() }
    }
}

/// Objects and lists of the contexts, in lower case.
const MAPS: [&str; 21] = [
    "github",
    "github.event",
    "github.event.pull_request",
    "github.event.pull_request.head",
    "github.event.pull_request.base",
    "github.event.pull_request.user",
    "github.event.inputs",
    "github.event.client_payload",
    "github.event.head_commit",
    "github.event.issue",
    "github.event.repository",
    "github.event.sender",
    "env",
    "vars",
    "secrets",
    "needs",
    "steps",
    "inputs",
    "runner",
    "strategy",
    "job",
];
const LISTS: [&str; 5] = [
    "github.event.pull_request.labels",
    "github.event.issue.labels",
    "github.event.commits",
    "github.event.pull_request.assignees",
    "github.event.pull_request.requested_reviewers",
];

fn of_reference<'d>(repository: &Repository<'d>, owner: Owner<'_, 'd>, site: &Site<'d>, node: Node<'_>) -> Known {
    if let Some(known) = of_matrix(repository, owner, site, node) {
        return known;
    }
    let Some(reference) = node.reference() else { return Known::of(Shape::Unknown) };
    let lower = reference.to_ascii_lowercase();
    let steps: Vec<&str> = lower.split('.').collect();
    Known::of(match steps.as_slice() {
        _ if MAPS.contains(&lower.as_str()) => Shape::Map,
        _ if LISTS.contains(&lower.as_str()) => Shape::List,
        // A filter gives a list, whatever it finds.
        _ if steps.contains(&"*") => Shape::List,
        ["needs" | "steps", _] | ["needs" | "steps", _, "outputs"] => Shape::Map,
        ["needs" | "steps", _, "outputs", _] | ["needs", _, "result"] => Shape::Scalar,
        ["inputs" | "env" | "vars" | "secrets", _] => Shape::Scalar,
        _ => Shape::Unknown,
    })
}

fn of_matrix<'d>(repository: &Repository<'d>, owner: Owner<'_, 'd>, site: &Site<'d>, node: Node<'_>) -> Option<Known> {
    let reference = node.reference()?;
    let (context, path) = reference.split_once('.')?;
    let job = owner.job(site)?;
    if !context.eq_ignore_ascii_case("matrix") {
        return None;
    }
    let path = path.to_ascii_lowercase();
    let path: Vec<&str> = path.split('.').collect();
    if path.contains(&"*") {
        return None;
    }
    MatrixVector::of(repository, owner.workflow()?, job, path.first()?)?.shape(&path)
}
