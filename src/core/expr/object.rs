//! Objects: members in order, found whatever the case of the name, unless they are variables of a system that cares.

use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::fold;
use super::value::Value;

/// Up to here looking at every name is quicker than to hash the one that is looked for.
const FEW: usize = 16;

/// An object: cheap to clone, never changed once made.
#[derive(Debug, Clone)]
pub struct Object(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    members: Vec<(Arc<str>, Value)>,
    index: Index,
    names: Names,
}

/// Where names stand.
#[derive(Debug, Clone)]
enum Index {
    /// The tags of a few ASCII names.
    Few([Tag; FEW]),
    Many(Table),
}

/// Something that names which are the same have in common, and most others have not.
type Tag = u32;

/// The length of an ASCII name, its first and its last byte.
fn tag(name: &str) -> Tag {
    match name.as_bytes() {
        &[first, .., last] => {
            let [low, high, ..] = name.len().to_le_bytes();
            Tag::from_le_bytes([first.to_ascii_uppercase(), last.to_ascii_uppercase(), low, high])
        }
        _ => 0,
    }
}

/// Which names are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    AnyCase,
    AsWritten,
}

impl Names {
    fn same(self, a: &str, b: &str) -> bool {
        match self {
            Self::AnyCase => fold::equal(a, b),
            Self::AsWritten => a == b,
        }
    }
}

impl Object {
    /// An object of these members. A name that comes again, in whatever case, replaces the value and keeps the first
    /// spelling and place, as the runner does.
    pub fn new(members: impl IntoIterator<Item = (Arc<str>, Value)>) -> Self {
        Self::with_names(Names::AnyCase, members)
    }

    /// Variables of a system on which names that differ in case are different names.
    pub fn case_sensitive(members: impl IntoIterator<Item = (Arc<str>, Value)>) -> Self {
        Self::with_names(Names::AsWritten, members)
    }

    fn with_names(names: Names, members: impl IntoIterator<Item = (Arc<str>, Value)>) -> Self {
        let members: Vec<(Arc<str>, Value)> = members.into_iter().collect();
        let inner = match Index::of(names, &members) {
            Ok(index) => Inner { members, index, names },
            Err(Repeated) => Inner::without_repetition(names, members),
        };
        Self(Arc::new(inner))
    }

    /// Whether names that differ in case are different names.
    pub fn is_case_sensitive(&self) -> bool {
        self.0.names == Names::AsWritten
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.find(name).map(|at| &self.0.members[at].1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.members.iter().map(|(name, value)| (&**name, value))
    }

    /// The members in order, their names to be shared.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.0.members.iter().map(|(name, value)| (name, value))
    }

    /// The same names with other values.
    pub(super) fn map(&self, value: impl Fn(&Value) -> Value) -> Self {
        let members = self.entries().map(|(name, member)| (Arc::clone(name), value(member))).collect();
        Self(Arc::new(Inner { members, index: self.0.index.clone(), names: self.0.names }))
    }

    /// How many members it has.
    pub fn len(&self) -> usize {
        self.0.members.len()
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.0.members.is_empty()
    }

    /// Whether both are one and the same object.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Inner {
    fn find(&self, name: &str) -> Option<usize> {
        self.index.find(self.names, &self.members, name)
    }

    fn without_repetition(names: Names, all: Vec<(Arc<str>, Value)>) -> Self {
        let mut table = Table::new(all.len());
        let mut members: Vec<(Arc<str>, Value)> = Vec::with_capacity(all.len());
        for (name, value) in all {
            match table.find(names, &members, &name) {
                Some(at) => members[at].1 = value,
                None => {
                    members.push((name, value));
                    table.add_last(&members);
                }
            }
        }
        // Nothing is repeated now.
        let index = Index::of(names, &members).unwrap_or(Index::Many(table));
        Self { members, index, names }
    }
}

/// A name that comes again.
struct Repeated;

impl Index {
    fn of(names: Names, members: &[(Arc<str>, Value)]) -> Result<Self, Repeated> {
        // The case of other names can change their length, and ASCII names equal none of them.
        if members.len() > FEW || !members.iter().all(|(name, _)| name.is_ascii()) {
            return Table::of(names, members).map(Self::Many);
        }
        let mut tags = [0; FEW];
        for (at, (name, _)) in members.iter().enumerate() {
            let own = tag(name);
            if find_tagged(&tags[..at], own, names, members, name).is_some() {
                return Err(Repeated);
            }
            tags[at] = own;
        }
        Ok(Self::Few(tags))
    }

    fn find(&self, names: Names, members: &[(Arc<str>, Value)], name: &str) -> Option<usize> {
        match self {
            Self::Few(tags) => find_tagged(tags.get(..members.len())?, tag(name), names, members, name),
            Self::Many(table) => table.find(names, members, name),
        }
    }
}

fn find_tagged(tags: &[Tag], wanted: Tag, names: Names, members: &[(Arc<str>, Value)], name: &str) -> Option<usize> {
    let is_it = |(at, own): (usize, &Tag)| *own == wanted && names.same(&members[at].0, name);
    tags.iter().enumerate().position(is_it)
}

/// The names of many members.
#[derive(Debug, Clone)]
struct Table {
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Table {
    fn new(members: usize) -> Self {
        Self { places: HashTable::with_capacity(members), hasher: DefaultHashBuilder::default() }
    }

    fn of(names: Names, members: &[(Arc<str>, Value)]) -> Result<Self, Repeated> {
        let mut table = Self::new(members.len());
        for at in 1..=members.len() {
            let known = &members[..at - 1];
            if table.find(names, known, &members[at - 1].0).is_some() {
                return Err(Repeated);
            }
            table.add_last(&members[..at]);
        }
        Ok(table)
    }

    fn find(&self, names: Names, members: &[(Arc<str>, Value)], name: &str) -> Option<usize> {
        let is_it = |at: &u32| names.same(&members[*at as usize].0, name);
        self.places.find(hash_of(&self.hasher, name), is_it).map(|at| *at as usize)
    }

    /// Adds the last of these members, whose name is new.
    fn add_last(&mut self, members: &[(Arc<str>, Value)]) {
        let Some((name, _)) = members.last() else { return };
        // More members than that do not fit into memory.
        let Ok(at) = u32::try_from(members.len() - 1) else { return };
        let Self { places, hasher } = self;
        places.insert_unique(hash_of(hasher, name), at, |at| hash_of(hasher, &members[*at as usize].0));
    }
}

fn hash_of(hasher: &DefaultHashBuilder, name: &str) -> u64 {
    let mut state = hasher.build_hasher();
    fold::hash(name, &mut state);
    state.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(names: impl IntoIterator<Item = String>) -> Object {
        Object::new(names.into_iter().zip(0..).map(|(name, n)| (name.into(), Value::Number(f64::from(n)))))
    }

    #[test]
    fn names_are_found_in_any_case_whatever_the_size() {
        for size in [3, 16, 17, 200] {
            let object = object((0..size).map(|n| format!("Näme{n}")));
            assert_eq!(object.len(), size);
            for n in 0..size {
                let value = object.get(&format!("nÄME{n}")).cloned();
                assert!(matches!(value, Some(Value::Number(found)) if found == n as f64), "{size} {n}");
            }
            assert!(object.get("name").is_none());
        }
    }

    #[test]
    fn variables_may_differ_in_case_only() {
        for size in [2, 40] {
            let names = (0..size).map(|n| format!("{}{}", if n % 2 == 0 { "a" } else { "A" }, n / 2));
            let members = names.chain(["a0".to_owned()]).zip(0..);
            let object = Object::case_sensitive(members.map(|(name, n)| (name.into(), Value::Number(f64::from(n)))));
            assert_eq!(object.len(), size);
            assert!(matches!(object.get("a0"), Some(Value::Number(n)) if *n == size as f64));
            assert!(matches!(object.get("A0"), Some(Value::Number(1.0))));
            assert!(object.get("B0").is_none() && object.map(Value::clone).is_case_sensitive());
        }
    }

    #[test]
    fn a_repeated_name_keeps_its_place_and_spelling() {
        let object = object(["a", "b", "A"].map(str::to_owned));
        let members: Vec<_> = object.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        assert_eq!(members, ["a=Number(2.0)", "b=Number(1.0)"]);
    }
}
