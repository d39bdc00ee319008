//! How a section changes the base: null deletes, mappings merge, everything else replaces.

use std::rc::Rc;

use super::tree::{Data, Entry, Index, Map, Tree};

/// The base with a section on top. Keys of the base keep their place, new ones follow. Nulls are read where both sides
/// are mappings, and nowhere else: those inside a value that replaces stay.
pub(super) fn merged<'d>(base: &Tree<'d>, over: &Tree<'d>) -> Tree<'d> {
    match (base.data(), over.data()) {
        (Data::Map(below), Data::Map(above)) if above.is_empty() => base.with(Data::Map(Rc::clone(below))),
        (Data::Map(below), Data::Map(above)) => base.with(Data::Map(Rc::new(merged_maps(below, above)))),
        _ => over.clone(),
    }
}

fn merged_maps<'d>(base: &Map<'d>, over: &Map<'d>) -> Map<'d> {
    let index = Index::new(base.entries(), over.len());
    let mut kept: Vec<Option<Entry<'d>>> = base.entries().iter().cloned().map(Some).collect();
    for entry in over.entries() {
        match index.find(&entry.key) {
            Some(at) if entry.value.is_null() => kept[at] = None,
            Some(at) => {
                let below = &base.entries()[at];
                // The key of the section, where a person looks for the value; but Python keeps the base's `1` for `true`.
                let key = if entry.key.same(&below.key) { &entry.key } else { &below.key };
                kept[at] = Some(Entry { key: key.clone(), value: merged(&below.value, &entry.value) });
            }
            None if entry.value.is_null() => {}
            None => kept.push(Some(entry.clone())),
        }
    }
    Map::new(kept.into_iter().flatten().collect())
}

/// The mapping with a key set, in its place or behind the others.
pub(super) fn with_entry<'d>(map: &Map<'d>, key: Tree<'d>, value: Tree<'d>) -> Map<'d> {
    let mut entries = map.entries().to_vec();
    let place = Index::new(&entries, 1).find(&key);
    match place {
        Some(at) => entries[at].value = value,
        None => entries.push(Entry { key, value }),
    }
    Map::new(entries)
}
