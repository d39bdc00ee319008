//! What a change changes: which points it adds, removes and alters.
//!
//! In: the points of two revisions. Out: a [`Diff`], and renderings of it as JSON, as a table, and as a [`Report`] that
//! others render. Where the points come from is not its business.

mod fields;
mod gpus;
mod json;
mod pairing;
mod report;
mod text;

pub use json::render_json;
pub use report::{ChangedLine, FieldChange, GroupLine, LadderLine, PointsLine, RenamedLine, Report, Total, signed};
pub use text::render_text;

use super::point::Point;

/// A point that is on both sides, but not the same.
#[derive(Debug, Clone)]
pub struct Changed<'p, 'd> {
    /// As it was.
    pub before: &'p Point<'d>,
    /// As it is.
    pub after: &'p Point<'d>,
    /// The dotted fields that differ; `config-key` among them when the config was renamed or the entry moved.
    pub fields: Vec<String>,
}

/// The difference of two matrices.
#[derive(Debug, Clone)]
pub struct Diff<'p, 'd> {
    /// All points before.
    pub base: &'p [Point<'d>],
    /// All points after.
    pub head: &'p [Point<'d>],
    /// Points that only the head has, in its order.
    pub added: Vec<&'p Point<'d>>,
    /// Points that only the base has, in its order.
    pub removed: Vec<&'p Point<'d>>,
    /// Points that differ, in the order of the head.
    pub changed: Vec<Changed<'p, 'd>>,
    /// Config keys that were renamed: before and after.
    pub renamed_configs: Vec<(&'d str, &'d str)>,
}

impl Diff<'_, '_> {
    /// Whether both sides have the same points.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// Compares two matrices.
pub fn diff<'p, 'd>(base: &'p [Point<'d>], head: &'p [Point<'d>]) -> Diff<'p, 'd> {
    let pairing = pairing::pair(base, head);
    let mut pairs = pairing.pairs;
    pairs.sort_unstable_by_key(|(_, after)| *after);
    let changed = pairs.into_iter().filter_map(|(before, after)| {
        let (before, after) = (&base[before], &head[after]);
        let renamed = before.row.entry.config.key != after.row.entry.config.key;
        if !renamed && before.fingerprint == after.fingerprint {
            return None;
        }
        Some(Changed { before, after, fields: fields::differing(before, after) })
    });
    Diff {
        base,
        head,
        changed: changed.collect(),
        added: pairing.only_head.into_iter().map(|index| &head[index]).collect(),
        removed: pairing.only_base.into_iter().map(|index| &base[index]).collect(),
        renamed_configs: pairing.renamed_configs,
    }
}

#[cfg(test)]
mod tests;
