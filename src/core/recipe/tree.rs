//! The values of a recipe: a tree that knows where each value stands.
//!
//! Lists and mappings are shared, so that the variants of one file hold their common parts once, and an alias costs
//! nothing however often it is used.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use num_bigint::BigInt;

use crate::core::diag::Source;
use crate::core::num::{Num, python_float};
use crate::core::yaml::{Kind, NodeRef, Value};

/// A value, and the place in the file that gave it.
#[derive(Debug, Clone)]
pub struct Tree<'d> {
    data: Data<'d>,
    at: Option<NodeRef<'d>>,
}

/// What a value is.
#[derive(Debug, Clone)]
pub enum Data<'d> {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A larger integer.
    Big(Rc<BigInt>),
    /// A floating point number.
    Float(f64),
    /// A text.
    Str(Cow<'d, str>),
    /// A date or time of YAML 1.1, by its text.
    Date(&'d str),
    /// Base64 data of YAML 1.1, by its text.
    Binary(&'d str),
    /// A list.
    List(Rc<List<'d>>),
    /// A mapping.
    Map(Rc<Map<'d>>),
}

/// The items of a list.
#[derive(Debug, Clone)]
pub struct List<'d> {
    items: Vec<Tree<'d>>,
    weight: u64,
}

/// The entries of a mapping, in order, each key once.
#[derive(Debug, Clone)]
pub struct Map<'d> {
    entries: Vec<Entry<'d>>,
    weight: u64,
    has_list: bool,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub struct Entry<'d> {
    /// The key; nearly always a text.
    pub key: Tree<'d>,
    /// The value.
    pub value: Tree<'d>,
}

/// A place that a diagnostic can point at.
pub type Place<'d> = (&'d Arc<Source>, Range<usize>);

impl<'d> Tree<'d> {
    /// A value that stands in no file.
    pub fn new(data: Data<'d>) -> Self {
        Self { data, at: None }
    }

    /// A text that stands in no file.
    pub fn text(text: impl Into<Cow<'d, str>>) -> Self {
        Self::new(Data::Str(text.into()))
    }

    /// A list that stands in no file.
    pub fn list(items: Vec<Self>) -> Self {
        Self::new(Data::List(Rc::new(List::new(items))))
    }

    /// A mapping that stands in no file.
    pub fn map(entries: Vec<Entry<'d>>) -> Self {
        Self::new(Data::Map(Rc::new(Map::new(entries))))
    }

    /// The same place with another value.
    #[must_use]
    pub(super) fn with(&self, data: Data<'d>) -> Self {
        Self { data, at: self.at }
    }

    /// The same place with other entries.
    #[must_use]
    pub(in crate::core::recipe) fn with_entries(&self, entries: Vec<Entry<'d>>) -> Self {
        self.with(Data::Map(Rc::new(Map::new(entries))))
    }

    /// The value of a node of a file, aliases followed and merge keys resolved.
    pub fn of(node: NodeRef<'d>) -> Self {
        let has_anchors = node.document().anchors().next().is_some();
        Reader { seen: has_anchors.then(Vec::new) }.read(node)
    }

    /// What it is.
    pub fn data(&self) -> &Data<'d> {
        &self.data
    }

    /// The node of the file that gave it; `None` for a value that was computed.
    pub fn node(&self) -> Option<NodeRef<'d>> {
        self.at
    }

    /// Where it stands, unless it was computed or there is nothing to see, as for a null that is not written.
    pub fn place(&self) -> Option<Place<'d>> {
        let node = self.at?;
        (!node.site().is_empty()).then(|| (node.source(), node.site()))
    }

    /// The mapping, if it is one.
    pub fn as_map(&self) -> Option<&Map<'d>> {
        match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match &self.data {
            Data::List(list) => Some(&list.items),
            _ => None,
        }
    }

    /// Whether it is a list without items.
    pub fn is_empty_list(&self) -> bool {
        self.as_list().is_some_and(<[Self]>::is_empty)
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.data {
            Data::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number that it is in Python: a boolean is 0 or 1, a text is none.
    pub fn as_num(&self) -> Option<Num> {
        match &self.data {
            Data::Bool(value) => Some(Num::Int(i64::from(*value))),
            Data::Int(value) => Some(Num::Int(*value)),
            Data::Big(value) => Some(Num::Big((**value).clone())),
            Data::Float(value) => Some(Num::Float(*value)),
            _ => None,
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// The value under a text key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Key and value under a text key.
    pub fn entry(&self, key: &str) -> Option<&Entry<'d>> {
        self.as_map()?.entry(key)
    }

    /// The value at the end of a chain of text keys.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |tree, key| tree.get(key))
    }

    /// How many values it holds, itself included, shared ones as often as they occur.
    pub fn weight(&self) -> u64 {
        match &self.data {
            Data::List(list) => list.weight,
            Data::Map(map) => map.weight,
            _ => 1,
        }
    }

    /// How many leaves it has: everything but a mapping with entries is one.
    pub fn leaves(&self) -> u64 {
        match &self.data {
            Data::Map(map) if !map.entries.is_empty() => map.entries.iter().map(|entry| entry.value.leaves()).sum(),
            _ => 1,
        }
    }

    /// Whether a list stands anywhere in it, outside of other lists.
    pub(super) fn has_list(&self) -> bool {
        match &self.data {
            Data::List(_) => true,
            Data::Map(map) => map.has_list,
            _ => false,
        }
    }

    /// What a person calls this kind of value.
    pub fn type_name(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Int(_) | Data::Big(_) => "an integer",
            Data::Float(_) => "a number",
            Data::Str(_) => "a text",
            Data::Date(_) => "a date",
            Data::Binary(_) => "binary data",
            Data::List(_) => "a list",
            Data::Map(_) => "a mapping",
        }
    }

    /// The value as Python's `str` has it; of lists and mappings nothing.
    pub fn python_str(&self) -> Cow<'_, str> {
        match &self.data {
            Data::Null => "None".into(),
            Data::Bool(true) => "True".into(),
            Data::Bool(false) => "False".into(),
            Data::Int(value) => value.to_string().into(),
            Data::Big(value) => value.to_string().into(),
            Data::Float(value) => python_float(*value).into(),
            Data::Str(text) => text.as_ref().into(),
            Data::Date(text) | Data::Binary(text) => (*text).into(),
            Data::List(_) | Data::Map(_) => "".into(),
        }
    }

    /// A key as text: itself, or how JSON writes it.
    pub fn key_text(&self) -> Cow<'_, str> {
        match &self.data {
            Data::Null => "null".into(),
            Data::Bool(value) => (if *value { "true" } else { "false" }).into(),
            Data::Date(text) => super::dates::iso_text(text).into(),
            _ => self.python_str(),
        }
    }

    /// Whether both are the same value of the same type, key order aside. NaN is the same as NaN, 0.0 is not -0.0.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Null, Data::Null) => true,
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::Int(a), Data::Int(b)) => a == b,
            (Data::Big(a), Data::Big(b)) => a == b,
            (Data::Float(a), Data::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            (Data::Str(a), Data::Str(b)) => a == b,
            (Data::Date(a), Data::Date(b)) => a == b || super::dates::iso_text(a) == super::dates::iso_text(b),
            (Data::Binary(a), Data::Binary(b)) => a == b,
            (Data::List(a), Data::List(b)) => {
                Rc::ptr_eq(a, b)
                    || (a.items.len() == b.items.len() && a.items.iter().zip(&b.items).all(|(a, b)| a.same(b)))
            }
            (Data::Map(a), Data::Map(b)) => Rc::ptr_eq(a, b) || same_maps(a, b),
            _ => false,
        }
    }

    /// A number that is the same for the same values.
    pub(super) fn digest(&self) -> u64 {
        use std::hash::{Hash as _, Hasher as _};
        let mut hasher = std::hash::DefaultHasher::new();
        std::mem::discriminant(&self.data).hash(&mut hasher);
        match &self.data {
            Data::Null => {}
            Data::Bool(value) => value.hash(&mut hasher),
            Data::Int(value) => value.hash(&mut hasher),
            Data::Big(value) => value.hash(&mut hasher),
            Data::Float(value) => (if value.is_nan() { f64::NAN } else { *value }).to_bits().hash(&mut hasher),
            Data::Str(text) => text.hash(&mut hasher),
            Data::Date(text) => super::dates::iso_text(text).hash(&mut hasher),
            Data::Binary(text) => text.hash(&mut hasher),
            Data::List(list) => list.items.iter().for_each(|item| item.digest().hash(&mut hasher)),
            Data::Map(map) => {
                // The order of keys does not count.
                let pairs = map.entries.iter().map(|entry| entry.key.digest().rotate_left(7) ^ entry.value.digest());
                pairs.fold(0_u64, u64::wrapping_add).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// The same value without places, for the writer.
    pub fn to_value(&self) -> Value<'_> {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Int(value) => Value::Int(*value),
            Data::Big(value) => Value::Big(Box::new((**value).clone())),
            Data::Float(value) => Value::Float(*value),
            Data::Str(text) => Value::Str(Cow::Borrowed(text)),
            Data::Date(text) => Value::Date(Cow::Borrowed(text)),
            Data::Binary(text) => Value::Str(Cow::Borrowed(text)),
            Data::List(list) => Value::List(list.items.iter().map(Tree::to_value).collect()),
            Data::Map(map) => {
                Value::Map(map.entries.iter().map(|entry| (entry.key.to_value(), entry.value.to_value())).collect())
            }
        }
    }

    /// The same value, owning all that it holds. Dates and binary data become texts: nothing else can own them.
    pub(super) fn to_owned_tree(&self) -> Tree<'static> {
        Tree::new(match &self.data {
            Data::Null => Data::Null,
            Data::Bool(value) => Data::Bool(*value),
            Data::Int(value) => Data::Int(*value),
            Data::Big(value) => Data::Big(Rc::clone(value)),
            Data::Float(value) => Data::Float(*value),
            Data::Str(text) => Data::Str(Cow::Owned(text.clone().into_owned())),
            Data::Date(text) | Data::Binary(text) => Data::Str(Cow::Owned((*text).to_owned())),
            Data::List(list) => Data::List(Rc::new(List::new(list.items.iter().map(Self::to_owned_tree).collect()))),
            Data::Map(map) => {
                let owned = |e: &Entry<'_>| Entry { key: e.key.to_owned_tree(), value: e.value.to_owned_tree() };
                Data::Map(Rc::new(Map::new(map.entries.iter().map(owned).collect())))
            }
        })
    }
}

impl<'d> List<'d> {
    /// A list of these items.
    pub fn new(items: Vec<Tree<'d>>) -> Self {
        let weight = items.iter().fold(1_u64, |sum, item| sum.saturating_add(item.weight()));
        Self { items, weight }
    }

    /// Its items.
    pub fn items(&self) -> &[Tree<'d>] {
        &self.items
    }
}

impl<'d> Map<'d> {
    /// A mapping of these entries, whose keys differ.
    pub fn new(entries: Vec<Entry<'d>>) -> Self {
        let weight = entries.iter().fold(1_u64, |sum, entry| sum.saturating_add(entry.value.weight()));
        let has_list = entries.iter().any(|entry| entry.value.has_list());
        Self { entries, weight, has_list }
    }

    /// Its entries.
    pub fn entries(&self) -> &[Entry<'d>] {
        &self.entries
    }

    /// The entry of a text key.
    pub fn entry(&self, key: &str) -> Option<&Entry<'d>> {
        self.entries.iter().find(|entry| entry.key.as_str() == Some(key))
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl<'d> Entry<'d> {
    /// An entry with a text key.
    pub fn new(key: impl Into<Cow<'d, str>>, value: Tree<'d>) -> Self {
        Self { key: Tree::text(key), value }
    }

    /// Where the value stands, or else its key.
    pub fn place(&self) -> Option<Place<'d>> {
        self.value.place().or_else(|| self.key.place())
    }
}

/// Beyond this many comparisons of keys a mapping is looked up by hash.
const FEW_COMPARISONS: usize = 1024;

/// Finds the entries of a mapping by key.
pub(super) struct Index<'m, 'd> {
    entries: &'m [Entry<'d>],
    by_text: Option<hashbrown::HashMap<&'m str, usize>>,
}

impl<'m, 'd> Index<'m, 'd> {
    /// Prepares for a number of look-ups.
    pub(super) fn new(entries: &'m [Entry<'d>], lookups: usize) -> Self {
        let many = entries.len().saturating_mul(lookups) > FEW_COMPARISONS;
        let by_text = many.then(|| {
            let texts = entries.iter().enumerate();
            texts.filter_map(|(at, entry)| Some((entry.key.as_str()?, at))).collect()
        });
        Self { entries, by_text }
    }

    /// Where the entry with this key is.
    pub(super) fn find(&self, key: &Tree<'_>) -> Option<usize> {
        match (key.as_str(), &self.by_text) {
            (Some(text), Some(map)) => map.get(text).copied(),
            (Some(text), None) => self.entries.iter().position(|entry| entry.key.as_str() == Some(text)),
            (None, _) => self.entries.iter().position(|entry| same_key(&entry.key, key)),
        }
    }
}

/// Whether two keys are one in a Python mapping, where `1`, `1.0` and `true` are.
pub(super) fn same_key(a: &Tree<'_>, b: &Tree<'_>) -> bool {
    match (a.as_num(), b.as_num()) {
        (Some(a), Some(b)) => a == b,
        _ => a.same(b),
    }
}

fn same_maps(a: &Map<'_>, b: &Map<'_>) -> bool {
    if a.entries.len() != b.entries.len() {
        return false;
    }
    let index = Index::new(&b.entries, a.entries.len());
    a.entries.iter().all(|entry| {
        let found = index.find(&entry.key).map(|at| &b.entries[at]);
        found.is_some_and(|other| entry.key.same(&other.key) && entry.value.same(&other.value))
    })
}

/// Reads nodes. Where a file has anchors, each node is read once, however often it is referred to.
struct Reader<'d> {
    seen: Option<Vec<Option<Tree<'d>>>>,
}

impl<'d> Reader<'d> {
    fn read(&mut self, node: NodeRef<'d>) -> Tree<'d> {
        Tree { data: self.data(node), at: Some(node) }
    }

    fn data(&mut self, node: NodeRef<'d>) -> Data<'d> {
        match node.kind() {
            Kind::Null => Data::Null,
            Kind::Bool(value) => Data::Bool(value),
            Kind::Int(value) => Data::Int(value),
            Kind::Big(value) => Data::Big(Rc::new(value.clone())),
            Kind::Float(value) => Data::Float(value),
            Kind::Str(text) => Data::Str(Cow::Borrowed(text)),
            Kind::Date(text) => Data::Date(text),
            Kind::Binary(text) => Data::Binary(text),
            Kind::List | Kind::Map => self.collection(node.target()),
        }
    }

    fn collection(&mut self, node: NodeRef<'d>) -> Data<'d> {
        if let Some(known) = self.seen.as_ref().and_then(|seen| seen.get(node.index())).and_then(Option::as_ref) {
            return known.data.clone();
        }
        let data = match node.kind() {
            Kind::List => Data::List(Rc::new(List::new(node.items().map(|item| self.read(item)).collect()))),
            _ => {
                let mut entries = Vec::with_capacity(node.entries().len());
                for (key, value) in node.entries() {
                    entries.push(Entry { key: self.read(key), value: self.read(value) });
                }
                Data::Map(Rc::new(Map::new(entries)))
            }
        };
        if let Some(seen) = &mut self.seen {
            if seen.len() <= node.index() {
                seen.resize(node.index() + 1, None);
            }
            seen[node.index()] = Some(Tree { data: data.clone(), at: Some(node) });
        }
        data
    }
}
