//! Objects: members in order, found whatever the case of the name.

use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::fold;
use super::value::Value;

/// Up to here comparing every name is quicker than to hash the one that is looked for.
const FEW: usize = 8;

/// An object: cheap to clone, never changed once made.
#[derive(Debug, Clone)]
pub struct Object(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    members: Vec<(Arc<str>, Value)>,
    index: Option<(HashTable<u32>, DefaultHashBuilder)>,
}

impl Object {
    /// An object of these members. A name that comes again, in whatever case, replaces the value and keeps the first
    /// spelling and place, as the runner does.
    pub fn new(members: impl IntoIterator<Item = (Arc<str>, Value)>) -> Self {
        let members = members.into_iter();
        let mut inner = Inner { members: Vec::with_capacity(members.size_hint().0), index: None };
        for (name, value) in members {
            match inner.find(&name) {
                Some(at) => inner.members[at].1 = value,
                None => inner.push(name, value),
            }
        }
        Self(Arc::new(inner))
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.find(name).map(|at| &self.0.members[at].1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.members.iter().map(|(name, value)| (&**name, value))
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
        match &self.index {
            None => self.members.iter().position(|(member, _)| fold::equal(member, name)),
            Some((table, hasher)) => table
                .find(hash(hasher, name), |&at| fold::equal(&self.members[at as usize].0, name))
                .map(|&at| at as usize),
        }
    }

    /// Adds a member whose name is new.
    fn push(&mut self, name: Arc<str>, value: Value) {
        self.members.push((name, value));
        let members = &self.members;
        if members.len() <= FEW {
            return;
        }
        let (table, hasher) = self.index.get_or_insert_with(|| (HashTable::new(), DefaultHashBuilder::default()));
        let of = |at: u32| hash(hasher, &members[at as usize].0);
        for at in table.len()..members.len() {
            // More members than that do not fit into memory.
            let Ok(at) = u32::try_from(at) else { return };
            table.insert_unique(of(at), at, |&at| of(at));
        }
    }
}

fn hash(hasher: &DefaultHashBuilder, name: &str) -> u64 {
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
        for size in [3, 8, 9, 200] {
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
    fn a_repeated_name_keeps_its_place_and_spelling() {
        let object = object(["a", "b", "A"].map(str::to_owned));
        let members: Vec<_> = object.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        assert_eq!(members, ["a=Number(2.0)", "b=Number(1.0)"]);
    }
}
