//! Which point of the base is which point of the head.
//!
//! The key decides. What it leaves is paired, one to one and in order, by ever weaker likeness: the same content under
//! another config key; the same identity under a renamed config key; the same but for the eval mark; and, for jobs that
//! measure a whole list, the same but for the list. A rung of its own job is no such list: where it goes, a point goes.

use std::hash::Hash;

use hashbrown::{HashMap, HashSet};

use crate::core::matrix::equality::key_without;
use crate::core::matrix::point::{Point, identity};

/// What eval marking moves from point to point when a ladder changes.
pub(super) const EVAL_MARK: [&str; 3] = ["run-eval", "eval-framework", "eval-suite"];
/// The eval mark and the concurrency: what may differ between the rungs of one ladder.
pub(super) const RUNG: [&str; 4] = ["conc", "run-eval", "eval-framework", "eval-suite"];
/// The same for all fields of a row, those that follow from the others included.
const RUNG_OF_ROW: [&str; 7] =
    ["conc", "exp-name", "run-eval", "eval-conc", "eval-all-concs", "eval-framework", "eval-suite"];
/// A likeness that more renamed configs share than this says nothing.
const TOO_COMMON: usize = 8;

/// Which points belong together, by their places in base and head.
pub(super) struct Pairing<'d> {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) only_base: Vec<usize>,
    pub(super) only_head: Vec<usize>,
    pub(super) renamed_configs: Vec<(&'d str, &'d str)>,
}

pub(super) fn pair<'d>(base: &[Point<'d>], head: &[Point<'d>]) -> Pairing<'d> {
    let mut open = Open {
        base,
        head,
        only_base: (0..base.len()).collect(),
        only_head: (0..head.len()).collect(),
        pairs: Vec::with_capacity(head.len()),
    };
    let exact = |point: &Point<'d>| Some((point.key.clone(), point.fingerprint.clone()));
    open.pass(exact, exact);
    let by_key = |point: &Point<'d>| Some(point.key.clone());
    open.pass(by_key, by_key);
    let by_content = |point: &Point<'d>| Some(point.fingerprint.clone());
    open.pass(by_content, by_content);
    let renamed_configs = renamed_configs(base, head);
    let renamed: HashMap<&str, &str> = renamed_configs.iter().copied().collect();
    let config_key = |point: &Point<'d>| {
        let key = point.row.entry.config.key;
        renamed.get(key).copied().unwrap_or(key)
    };
    for left_out in [&[][..], &EVAL_MARK] {
        open.pass(
            |point| Some(identity(&point.row, config_key(point), left_out)),
            |point| Some(identity(&point.row, point.row.entry.config.key, left_out)),
        );
    }
    // Several entries may differ in nothing but the list and the recipe: those of the same recipe belong together.
    let same_content = |point: &Point<'d>| measures_a_list(point).then(|| key_without(&point.row, &RUNG_OF_ROW));
    open.pass(
        |point| same_content(point).map(|content| (content, identity(&point.row, config_key(point), &RUNG))),
        |point| same_content(point).map(|content| (content, identity(&point.row, point.row.entry.config.key, &RUNG))),
    );
    let listed = |point: &Point<'d>, key: &str| measures_a_list(point).then(|| identity(&point.row, key, &RUNG));
    open.pass(|point| listed(point, config_key(point)), |point| listed(point, point.row.entry.config.key));
    Pairing { pairs: open.pairs, only_base: open.only_base, only_head: open.only_head, renamed_configs }
}

/// Whether one job measures all concurrencies of its entry.
pub(super) fn measures_a_list(point: &Point<'_>) -> bool {
    let row = &point.row;
    row.is_multinode() && (!row.is_agentic() || row.is_true("eval-only"))
}

/// The points that are not paired yet, in order.
struct Open<'p, 'd> {
    base: &'p [Point<'d>],
    head: &'p [Point<'d>],
    only_base: Vec<usize>,
    only_head: Vec<usize>,
    pairs: Vec<(usize, usize)>,
}

impl<'d> Open<'_, 'd> {
    /// Pairs what has the same key here and there; of several the first with the first.
    fn pass<K: Hash + Eq>(
        &mut self,
        base_key: impl Fn(&Point<'d>) -> Option<K>,
        head_key: impl Fn(&Point<'d>) -> Option<K>,
    ) {
        if self.only_base.is_empty() || self.only_head.is_empty() {
            return;
        }
        let mut waiting: HashMap<K, Vec<usize>> = HashMap::with_capacity(self.only_base.len());
        // Backwards, so that the first is the last to be pushed.
        for &index in self.only_base.iter().rev() {
            if let Some(key) = base_key(&self.base[index]) {
                waiting.entry(key).or_default().push(index);
            }
        }
        let mut paired: HashSet<usize> = HashSet::new();
        let (head, pairs) = (self.head, &mut self.pairs);
        self.only_head.retain(|&after| {
            let before = head_key(&head[after]).and_then(|key| waiting.get_mut(&key)?.pop());
            if let Some(before) = before {
                pairs.push((before, after));
                paired.insert(before);
            }
            before.is_none()
        });
        self.only_base.retain(|index| !paired.contains(index));
    }
}

/// Config keys that only the base has, each with the one of those that only the head has whose points are most like its
/// own: at least half of the fewer of the two.
fn renamed_configs<'d>(base: &[Point<'d>], head: &[Point<'d>]) -> Vec<(&'d str, &'d str)> {
    let (before, after) = (Configs::of(base), Configs::of(head));
    let gone: Vec<&'d str> = before.order.iter().copied().filter(|key| !after.points.contains_key(key)).collect();
    let new: Vec<&'d str> = after.order.iter().copied().filter(|key| !before.points.contains_key(key)).collect();
    if gone.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let mut by_likeness: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (place, key) in new.iter().enumerate() {
        for point in &after.points[key] {
            for likeness in likenesses(point) {
                let places = by_likeness.entry(likeness).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
    }
    let mut votes: HashMap<(usize, usize), usize> = HashMap::new();
    for (from, key) in gone.iter().enumerate() {
        for likeness in before.points[key].iter().flat_map(|point| likenesses(point)) {
            for &to in by_likeness.get(&likeness).into_iter().flatten().take(TOO_COMMON) {
                *votes.entry((from, to)).or_default() += 1;
            }
        }
    }
    let mut candidates: Vec<(usize, usize, usize)> = votes
        .into_iter()
        // Content that is wholly the same votes twice: half of the points are as many votes as there are points.
        .filter(|((from, to), votes)| votes * 2 >= before.points[gone[*from]].len().min(after.points[new[*to]].len()))
        .map(|((from, to), votes)| (votes, from, to))
        .collect();
    candidates.sort_unstable_by_key(|&(votes, from, to)| (std::cmp::Reverse(votes), from, to));
    let (mut taken_from, mut taken_to) = (HashSet::new(), HashSet::new());
    let mut renamed: Vec<(usize, usize)> = Vec::new();
    for (_, from, to) in candidates {
        if !taken_from.contains(&from) && !taken_to.contains(&to) {
            taken_from.insert(from);
            taken_to.insert(to);
            renamed.push((from, to));
        }
    }
    renamed.sort_unstable();
    renamed.into_iter().map(|(from, to)| (gone[from], new[to])).collect()
}

/// The points of each config, and the configs in order.
struct Configs<'p, 'd> {
    order: Vec<&'d str>,
    points: HashMap<&'d str, Vec<&'p Point<'d>>>,
}

impl<'p, 'd> Configs<'p, 'd> {
    fn of(points: &'p [Point<'d>]) -> Self {
        let mut configs = Self { order: Vec::new(), points: HashMap::new() };
        for point in points {
            let key = point.row.entry.config.key;
            let of_config = configs.points.entry(key).or_insert_with(|| {
                configs.order.push(key);
                Vec::new()
            });
            of_config.push(point);
        }
        configs
    }
}

/// By what a point is known again under another config key: all of its content, and what it measures of which model.
fn likenesses(point: &Point<'_>) -> [Vec<u8>; 2] {
    let mut measured = identity(&point.row, "", &EVAL_MARK);
    for name in ["model", "precision", "framework"] {
        measured.extend_from_slice(point.row.text(name).as_bytes());
        measured.push(0);
    }
    [measured, point.fingerprint.clone().into_bytes()]
}
