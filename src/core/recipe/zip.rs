//! Groups of variants: `zip_override_*` sections, whose lists are walked side by side.

use std::rc::Rc;

use super::tree::{Data, Entry, Map, Place, Tree};

/// Why a group has no variants.
#[derive(Debug)]
pub(super) enum ZipProblem<'d> {
    /// No list stands in it.
    NoList,
    /// A list without items, by its path.
    Empty(String, Option<Place<'d>>),
    /// Two lists of different lengths, each by path, length and place.
    Lengths([(String, usize, Option<Place<'d>>); 2]),
}

/// How many variants a group has: the one length of its lists that is not 1.
pub(super) fn group_size<'d>(group: &Tree<'d>) -> Result<usize, ZipProblem<'d>> {
    let mut lists = Vec::new();
    collect(group, "", &mut lists);
    if let Some((path, _, place)) = lists.iter().find(|(_, length, _)| *length == 0) {
        return Err(ZipProblem::Empty(path.clone(), place.clone()));
    }
    let mut long = lists.iter().filter(|(_, length, _)| *length != 1);
    let Some(first) = long.next() else {
        return if lists.is_empty() { Err(ZipProblem::NoList) } else { Ok(1) };
    };
    match long.find(|(_, length, _)| *length != first.1) {
        Some(other) => Err(ZipProblem::Lengths([first.clone(), other.clone()])),
        None => Ok(first.1),
    }
}

/// The lists anywhere below mappings. Lists inside of their items are values.
fn collect<'d>(tree: &Tree<'d>, path: &str, lists: &mut Vec<(String, usize, Option<Place<'d>>)>) {
    match tree.data() {
        Data::List(list) => lists.push((path.to_owned(), list.items().len(), tree.place())),
        Data::Map(map) => {
            for entry in map.entries().iter().filter(|entry| entry.value.has_list()) {
                let key = entry.key.key_text();
                let below = if path.is_empty() { key.into_owned() } else { format!("{path}.{key}") };
                collect(&entry.value, &below, lists);
            }
        }
        _ => {}
    }
}

/// The part of a group that makes one variant: of each list its item, or the only one. What holds no list stays shared.
pub(super) fn slice<'d>(group: &Tree<'d>, index: usize) -> Tree<'d> {
    if !group.has_list() {
        return group.clone();
    }
    match group.data() {
        Data::List(list) => match list.items() {
            [only] => only.clone(),
            items => items.get(index).cloned().unwrap_or_else(|| Tree::new(Data::Null)),
        },
        Data::Map(map) => {
            let entries = map.entries().iter();
            let sliced = entries.map(|entry| Entry { key: entry.key.clone(), value: slice(&entry.value, index) });
            group.with(Data::Map(Rc::new(Map::new(sliced.collect()))))
        }
        _ => group.clone(),
    }
}

/// How many values [`slice`] copies.
pub(super) fn slice_cost(group: &Tree<'_>) -> u64 {
    match group.data() {
        Data::Map(map) if group.has_list() => {
            map.entries().iter().fold(1, |sum: u64, entry| sum.saturating_add(slice_cost(&entry.value)))
        }
        _ => 1,
    }
}
