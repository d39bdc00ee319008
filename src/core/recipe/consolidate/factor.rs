//! Which values many recipes share: a base, and what each changes in it.
//!
//! Every key is decided on its own, so the choice is exact: of all bases the one with the fewest leaves, in the base and
//! in all changes together. A value need not be shared by all to stand in the base, because a change replaces or deletes
//! what differs.

use std::rc::Rc;

use hashbrown::HashSet;

use crate::core::recipe::tree::{Data, Entry, Index, Map, Tree};

/// What stands at one place in each of the recipes that have the mapping around it.
type Column<'t, 'd> = Vec<Option<&'t Tree<'d>>>;

/// The base of recipes, all of which are mappings with text keys.
pub(super) fn base_of<'d>(recipes: &[&Tree<'d>]) -> Tree<'d> {
    Tree::map(shared_entries(recipes).0)
}

/// What must be written on top of a base to get a recipe: both are mappings.
pub(super) fn changes<'d>(base: &Tree<'d>, recipe: &Tree<'d>) -> Vec<Entry<'d>> {
    let (Some(below), Some(above)) = (base.as_map(), recipe.as_map()) else { return Vec::new() };
    let index = Index::new(below.entries(), above.len());
    let mut seen = vec![false; below.len()];
    let mut changed = Vec::new();
    for entry in above.entries() {
        let Some(at) = index.find(&entry.key) else {
            changed.push(entry.clone());
            continue;
        };
        seen[at] = true;
        let shared = &below.entries()[at].value;
        if shared.as_map().is_some() && entry.value.as_map().is_some() {
            let inner = changes(shared, &entry.value);
            if !inner.is_empty() {
                changed.push(Entry { key: entry.key.clone(), value: Tree::map(inner) });
            }
        } else if !shared.same(&entry.value) {
            changed.push(entry.clone());
        }
    }
    let missing = below.entries().iter().zip(seen).filter(|(_, seen)| !seen);
    changed.extend(missing.map(|(entry, _)| Entry { key: entry.key.clone(), value: Tree::new(Data::Null) }));
    changed
}

/// What the base has at one place, and the leaves that costs there and in all changes.
struct Choice<'d> {
    base: Option<Tree<'d>>,
    leaves: u64,
    /// A value for the base that costs as much as leaving it out.
    tied: Option<Tree<'d>>,
}

impl<'d> Choice<'d> {
    /// Takes another value for the base if it is cheaper; if it costs the same, only when `even_so`.
    fn consider(&mut self, base: Tree<'d>, leaves: u64, even_so: bool) {
        if leaves < self.leaves || (even_so && leaves == self.leaves) {
            *self = Self { base: Some(base), leaves, tied: None };
        } else if leaves == self.leaves && self.base.is_none() && self.tied.is_none() {
            self.tied = Some(base);
        }
    }
}

/// The entries of a base, and the leaves they cost there and in all changes. A mapping without entries is a leaf too.
fn shared_entries<'d>(mappings: &[&Tree<'d>]) -> (Vec<Entry<'d>>, u64) {
    let mut leaves = 0;
    let mut entries = Vec::new();
    let mut tied = None;
    for (key, column) in children(mappings) {
        let choice = choose(&column);
        leaves += choice.leaves;
        match (choice.base, choice.tied) {
            (Some(value), _) => entries.push(Entry { key, value }),
            (None, Some(value)) if tied.is_none() => tied = Some(Entry { key, value }),
            _ => {}
        }
    }
    if entries.is_empty() {
        match tied {
            Some(entry) => entries.push(entry),
            None => leaves += 1,
        }
    }
    (entries, leaves)
}

fn choose<'d>(column: &Column<'_, 'd>) -> Choice<'d> {
    let groups = groups_of(column);
    let present: u64 = column.iter().flatten().map(|tree| tree.leaves()).sum();
    if let Some(null) = column.iter().flatten().find(|tree| tree.is_null()) {
        // A change cannot write a null over a mapping's key: it would delete. Only the base can hold it.
        let leaves = 1 + column
            .iter()
            .map(|value| value.map_or(1, |tree| if tree.is_null() { 0 } else { tree.leaves() }))
            .sum::<u64>();
        return Choice { base: Some((*null).clone()), leaves, tied: None };
    }
    let mut best = Choice { base: None, leaves: present, tied: None };
    let shared_by_all = groups.len() == 1 && groups[0].1 == column.len();
    for (value, count) in groups.iter().filter(|(value, _)| value.as_map().is_none()) {
        let absent = column.iter().filter(|value| value.is_none()).count() as u64;
        let leaves = 1 + present - *count as u64 + absent;
        // With one recipe, or one value for all, nothing is gained by leaving it out.
        best.consider((*value).clone(), leaves, shared_by_all);
    }
    if let Some((value, leaves)) = shared_mapping(column) {
        best.consider(value, leaves, column.len() == 1);
    }
    best
}

/// A mapping for the base, whose keys are decided among the recipes that have a mapping there, and what it costs.
fn shared_mapping<'d>(column: &Column<'_, 'd>) -> Option<(Tree<'d>, u64)> {
    let mappings: Vec<&Tree<'d>> = column.iter().flatten().copied().filter(|tree| tree.as_map().is_some()).collect();
    let first = mappings.first()?;
    // Elsewhere it is replaced, or deleted.
    let others = column.iter().filter(|value| value.is_none_or(|tree| tree.as_map().is_none())).count() as u64;
    let (entries, leaves) = shared_entries(&mappings);
    Some((first.with(Data::Map(Rc::new(Map::new(entries)))), leaves + others))
}

/// Beyond so many keys their order is not worth the search.
const MANY_KEYS: usize = 10_000;

/// The keys of mappings, each with its values. A key stands behind the one that it follows where it first occurs.
fn children<'t, 'd>(mappings: &[&'t Tree<'d>]) -> Vec<(Tree<'d>, Column<'t, 'd>)> {
    let mut order: Vec<&'t Tree<'d>> = Vec::new();
    let mut known: HashSet<&'t str> = HashSet::new();
    for mapping in mappings {
        let entries = mapping.as_map().map_or(&[][..], Map::entries);
        let mut last: Option<&str> = None;
        for entry in entries {
            let Some(key) = entry.key.as_str() else { continue };
            if known.insert(key) {
                let after = last.filter(|_| order.len() < MANY_KEYS);
                let place = after.and_then(|last| order.iter().rposition(|key| key.as_str() == Some(last)));
                order.insert(place.map_or(order.len(), |at| at + 1), &entry.key);
            }
            last = Some(key);
        }
    }
    let indices: Vec<Index<'_, 'd>> = mappings
        .iter()
        .map(|mapping| Index::new(mapping.as_map().map_or(&[][..], Map::entries), order.len()))
        .collect();
    let column = |key: &Tree<'d>| {
        let cells = mappings.iter().zip(&indices).map(|(mapping, index)| {
            let at = index.find(key)?;
            mapping.as_map().map(|map| &map.entries()[at].value)
        });
        cells.collect()
    };
    order.into_iter().map(|key| (key.clone(), column(key))).collect()
}

/// The distinct values of a column, each with how often it occurs; the longest text first among equals.
fn groups_of<'t, 'd>(column: &Column<'t, 'd>) -> Vec<(&'t Tree<'d>, usize)> {
    let mut groups: Vec<(&'t Tree<'d>, usize)> = Vec::new();
    for tree in column.iter().flatten() {
        match groups.iter_mut().find(|(known, _)| known.same(tree)) {
            Some((_, count)) => *count += 1,
            None => groups.push((tree, 1)),
        }
    }
    groups.sort_by_key(|(tree, count)| std::cmp::Reverse((*count, tree.as_str().map_or(0, str::len))));
    groups
}
