//! The tree: nodes in an arena, aliases kept as such and followed on reading.

use std::ops::Range;
use std::sync::Arc;

use granit_parser::{Event, Parser};
use num_bigint::BigInt;

use super::{Scalar, Schema};
use crate::core::diag::Source;

pub(super) type NodeId = u32;

/// A parsed file: one document, its source and its comments.
#[derive(Debug)]
pub struct Document {
    pub(super) source: Arc<Source>,
    pub(super) schema: Schema,
    pub(super) nodes: Vec<Node>,
    /// Children of all collections, each collection's side by side: items, or keys and values in turn.
    pub(super) links: Vec<NodeId>,
    /// Texts that do not stand in the source as they are (escapes, folded lines).
    pub(super) owned_texts: Vec<Box<str>>,
    pub(super) anchors: Vec<(NodeId, Range<u32>)>,
    /// Where lists and mappings start that are tagged as something else.
    pub(super) special_collections: Vec<Range<u32>>,
    pub(super) root: Option<NodeId>,
}

/// A comment of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its bytes, `#` included and the line break excluded.
    pub span: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) data: Data,
}

#[derive(Debug)]
pub(super) enum Data {
    Scalar { text: Text, plain: bool, value: Scalar },
    Sequence { items: Links },
    Mapping { written: Links, effective: Links },
    Alias { target: NodeId },
}

/// A run of `links`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links {
    pub(super) first: u32,
    pub(super) len: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Text {
    Source { start: u32, end: u32 },
    Owned(u32),
}

/// A node's value, aliases followed and merge keys resolved.
#[derive(Debug, Clone, Copy)]
pub enum Kind<'d> {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A larger integer.
    Big(&'d BigInt),
    /// A floating point number.
    Float(f64),
    /// A text.
    Str(&'d str),
    /// A date or time of YAML 1.1, by its text.
    Date(&'d str),
    /// Base64 data of YAML 1.1, by its text.
    Binary(&'d str),
    /// A list.
    List,
    /// A mapping.
    Map,
}

/// A node of a document. Cheap to copy.
#[derive(Clone, Copy)]
pub struct NodeRef<'d> {
    document: &'d Document,
    id: NodeId,
}

impl Document {
    /// The top node; `None` for a file without content.
    pub fn root(&self) -> Option<NodeRef<'_>> {
        self.root.map(|id| NodeRef { document: self, id })
    }

    /// The text it was read from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The schema it was read with.
    pub fn schema(&self) -> Schema {
        self.schema
    }

    /// The comments in source order. Few ask for them, so they are read again instead of being kept.
    pub fn comments(&self) -> Vec<Comment> {
        let options = granit_parser::options! { emit_comments: true };
        Parser::new_from_str_with_options(self.source.text(), options)
            .map_while(Result::ok)
            .filter(|(event, _)| matches!(event, Event::Comment(..)))
            .filter_map(|(_, span)| span.byte_range().map(|span| Comment { span }))
            .collect()
    }

    /// The anchors in source order: the anchored node and the span of `&name`.
    pub fn anchors(&self) -> impl Iterator<Item = (NodeRef<'_>, Range<usize>)> {
        self.anchors
            .iter()
            .map(|(id, span)| (NodeRef { document: self, id: *id }, span.start as usize..span.end as usize))
    }

    /// Where sets, ordered mappings and pairs start: lists and mappings whose tag says that they are something else.
    pub fn special_collections(&self) -> impl Iterator<Item = Range<usize>> {
        self.special_collections.iter().map(|span| span.start as usize..span.end as usize)
    }

    pub(super) fn node(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef { document: self, id }
    }

    fn text_of(&self, text: Text) -> &str {
        match text {
            Text::Source { start, end } => &self.source.text()[start as usize..end as usize],
            Text::Owned(index) => &self.owned_texts[index as usize],
        }
    }

    fn children(&self, links: Links) -> &[NodeId] {
        &self.links[links.first as usize..(links.first + links.len) as usize]
    }
}

impl<'d> NodeRef<'d> {
    /// The document it belongs to.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// The text it was read from.
    pub fn source(self) -> &'d Arc<Source> {
        &self.document.source
    }

    /// Its number, which no other node of the document has.
    pub fn index(self) -> usize {
        self.id as usize
    }

    /// The node itself, or the one that an alias refers to.
    pub fn target(self) -> Self {
        match self.raw().data {
            Data::Alias { target } => Self { document: self.document, id: target },
            _ => self,
        }
    }

    /// Whether an alias stands here.
    pub fn is_alias(self) -> bool {
        matches!(self.raw().data, Data::Alias { .. })
    }

    /// The bytes of the value; of an alias, those of what it refers to.
    pub fn span(self) -> Range<usize> {
        self.target().site()
    }

    /// The bytes at this very place; of an alias, those of `*name`.
    pub fn site(self) -> Range<usize> {
        let node = self.raw();
        node.start as usize..node.end as usize
    }

    /// The value.
    pub fn kind(self) -> Kind<'d> {
        match &self.target().raw().data {
            Data::Scalar { text, value, .. } => match value {
                Scalar::Null => Kind::Null,
                Scalar::Bool(value) => Kind::Bool(*value),
                Scalar::Int(value) => Kind::Int(*value),
                Scalar::Big(value) => Kind::Big(value),
                Scalar::Float(value) => Kind::Float(*value),
                Scalar::Str | Scalar::Merge => Kind::Str(self.document.text_of(*text)),
                Scalar::Date => Kind::Date(self.document.text_of(*text)),
                Scalar::Binary => Kind::Binary(self.document.text_of(*text)),
            },
            Data::Sequence { .. } => Kind::List,
            // An alias never refers to an alias: the builder records what it stands for.
            Data::Mapping { .. } | Data::Alias { .. } => Kind::Map,
        }
    }

    /// The text, if the value is a text.
    pub fn as_str(self) -> Option<&'d str> {
        match self.kind() {
            Kind::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the value is null.
    pub fn is_null(self) -> bool {
        matches!(self.kind(), Kind::Null)
    }

    /// The text of any scalar as YAML reads it, before typing: `0x1F`, `yes`.
    pub fn scalar_text(self) -> Option<&'d str> {
        match &self.target().raw().data {
            Data::Scalar { text, .. } => Some(self.document.text_of(*text)),
            _ => None,
        }
    }

    /// Whether the value is a scalar without quotes.
    pub fn is_plain(self) -> bool {
        matches!(self.target().raw().data, Data::Scalar { plain: true, .. })
    }

    /// The items of a list; nothing for any other value.
    pub fn items(self) -> impl ExactSizeIterator<Item = Self> + Clone {
        let links = match self.target().raw().data {
            Data::Sequence { items } => items,
            _ => Links { first: 0, len: 0 },
        };
        self.document.children(links).iter().map(move |&id| Self { document: self.document, id })
    }

    /// Keys and values of a mapping: merges resolved, the last of repeated keys at the place of the first. Nothing for
    /// any other value.
    pub fn entries(self) -> impl ExactSizeIterator<Item = (Self, Self)> + Clone {
        let links = match self.target().raw().data {
            Data::Mapping { effective, .. } => effective,
            _ => Links { first: 0, len: 0 },
        };
        self.pairs(links)
    }

    /// Keys and values of a mapping as written, `<<` and repeated keys included.
    pub fn written_entries(self) -> impl ExactSizeIterator<Item = (Self, Self)> + Clone {
        let links = match self.target().raw().data {
            Data::Mapping { written, .. } => written,
            _ => Links { first: 0, len: 0 },
        };
        self.pairs(links)
    }

    fn pairs(self, links: Links) -> impl ExactSizeIterator<Item = (Self, Self)> + Clone {
        let at = move |id| Self { document: self.document, id };
        self.document.children(links).chunks_exact(2).map(move |pair| (at(pair[0]), at(pair[1])))
    }

    /// The value of a text key.
    pub fn get(self, key: &str) -> Option<Self> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Key and value of a text key.
    pub fn entry(self, key: &str) -> Option<(Self, Self)> {
        self.entries().find(|(name, _)| name.key_bytes() == Some(key.as_bytes()))
    }

    /// The value of a text key whose hyphens are written as underscores.
    pub fn get_with_underscores(self, key: &str) -> Option<Self> {
        let fits = |written: &[u8]| {
            written.len() == key.len()
                && written.iter().zip(key.bytes()).all(|(&w, k)| w == if k == b'-' { b'_' } else { k })
        };
        self.entries().find(|(name, _)| name.key_bytes().is_some_and(fits)).map(|(_, value)| value)
    }

    /// The bytes of a text; cheaper than [`Self::as_str`] where only equality is asked for.
    fn key_bytes(self) -> Option<&'d [u8]> {
        match &self.target().raw().data {
            Data::Scalar { text, value: Scalar::Str | Scalar::Merge, .. } => Some(match *text {
                Text::Source { start, end } => &self.document.source.text().as_bytes()[start as usize..end as usize],
                Text::Owned(index) => self.document.owned_texts[index as usize].as_bytes(),
            }),
            _ => None,
        }
    }

    /// What a person calls this kind of value.
    pub fn type_name(self) -> &'static str {
        match self.kind() {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Int(_) | Kind::Big(_) => "an integer",
            Kind::Float(_) => "a number",
            Kind::Str(_) => "a text",
            Kind::Date(_) => "a date",
            Kind::Binary(_) => "binary data",
            Kind::List => "a list",
            Kind::Map => "a mapping",
        }
    }

    pub(super) fn raw(self) -> &'d Node {
        &self.document.nodes[self.id as usize]
    }

    pub(super) fn scalar(self) -> Option<&'d Scalar> {
        match &self.target().raw().data {
            Data::Scalar { value, .. } => Some(value),
            _ => None,
        }
    }
}

impl std::fmt::Debug for NodeRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}@{:?}", self.kind(), self.site())
    }
}

impl PartialEq for NodeRef<'_> {
    /// Whether both are the same place of the same document.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.id == other.id
    }
}
