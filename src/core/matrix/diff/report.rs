//! The difference for people: what it comes to, and its points gathered into lines.

use std::fmt::Write as _;

use hashbrown::{HashMap, HashSet};

use super::fields::{CONFIG_KEY, shown};
use super::gpus::{gpu_hours, gpus};
use super::pairing::{RUNG, measures_a_list};
use super::{Changed, Diff};
use crate::core::matrix::names::python_str;
use crate::core::matrix::point::{Lane, Point, identity};
use crate::core::matrix::table::{entry_text, printable};

/// Points of one kind, and the GPUs that they take together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// How many.
    pub points: usize,
    /// Their GPUs. A topology whose sizes are no numbers counts none.
    pub gpus: i64,
}

impl Total {
    fn add(&mut self, point: &Point<'_>) {
        self.points += 1;
        self.gpus = self.gpus.saturating_add(gpus(&point.row).unwrap_or(0));
    }
}

/// What changes for one model on one runner in one lane.
#[derive(Debug, Clone)]
pub struct GroupLine {
    /// The model.
    pub model: String,
    /// The runner label.
    pub runner: String,
    /// The lane.
    pub lane: &'static str,
    /// Points that only the head has.
    pub added: Total,
    /// Points that only the base has.
    pub removed: Total,
    /// Points that differ.
    pub changed: Total,
    /// GPU-hours that come, less those that go, where durations are known.
    pub gpu_hours: Option<f64>,
}

/// Points that one entry adds or removes.
#[derive(Debug, Clone)]
pub struct PointsLine {
    /// The config key.
    pub config: String,
    /// The runner label.
    pub runner: String,
    /// The lane.
    pub lane: &'static str,
    /// What tells the entry apart.
    pub entry: String,
    /// The concurrencies.
    pub conc: String,
    /// How many points, and their GPUs.
    pub total: Total,
    /// `file:line` of the entry.
    pub source: String,
}

/// An entry that measures other concurrencies than before.
#[derive(Debug, Clone)]
pub struct LadderLine {
    /// The config key.
    pub config: String,
    /// The runner label.
    pub runner: String,
    /// The lane.
    pub lane: &'static str,
    /// What tells the entry apart.
    pub entry: String,
    /// The concurrencies before.
    pub before: String,
    /// The concurrencies now.
    pub after: String,
    /// Points that come.
    pub added: usize,
    /// Points that go.
    pub removed: usize,
    /// `file:line` of the entry.
    pub source: String,
}

impl LadderLine {
    /// `+1 -2`, or one job that measures another list.
    pub fn points(&self) -> String {
        match (self.added, self.removed) {
            (0, 0) => "1 changed".to_owned(),
            (added, 0) => format!("+{added}"),
            (0, removed) => format!("-{removed}"),
            (added, removed) => format!("+{added} -{removed}"),
        }
    }
}

/// A field that differs, and its two values as texts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldChange {
    /// The dotted field.
    pub field: String,
    /// Its value before.
    pub before: String,
    /// Its value now.
    pub after: String,
}

/// Points of one config that change in the same way.
#[derive(Debug, Clone)]
pub struct ChangedLine {
    /// The config key.
    pub config: String,
    /// What changes.
    pub changes: Vec<FieldChange>,
    /// How many points change so.
    pub points: usize,
    /// `file:line` of the first of their entries.
    pub source: String,
}

/// A config key that was renamed, or whose entries moved to another config.
#[derive(Debug, Clone)]
pub struct RenamedLine {
    /// The key before.
    pub before: String,
    /// The key now.
    pub after: String,
    /// How many points went along.
    pub points: usize,
    /// `file:line` of the first of their entries.
    pub source: String,
}

/// The difference in lines.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// All added points.
    pub added_total: Total,
    /// All removed points.
    pub removed_total: Total,
    /// All changed points.
    pub changed_total: Total,
    /// GPU-hours that come, less those that go; `None` where no duration is known.
    pub gpu_hours: Option<f64>,
    /// By model, runner and lane.
    pub groups: Vec<GroupLine>,
    /// Added points of entries that are new.
    pub added: Vec<PointsLine>,
    /// Removed points of entries that are gone.
    pub removed: Vec<PointsLine>,
    /// Entries whose concurrencies changed.
    pub ladders: Vec<LadderLine>,
    /// What else changed.
    pub changed: Vec<ChangedLine>,
    /// Renamed config keys.
    pub renamed: Vec<RenamedLine>,
}

impl Report {
    /// Gathers a difference into lines. `file_name` gives the path of a source as the reader knows it.
    pub fn new(diff: &Diff<'_, '_>, file_name: &dyn Fn(&str) -> String) -> Self {
        let source = |point: &Point<'_>| {
            let (file, line) = point.place();
            format!("{}:{line}", file_name(file))
        };
        let ladders = Ladders::of(diff);
        let mut report = Self {
            added: points_lines(diff.added.iter().filter(|point| !ladders.hold(diff, point)), &source),
            removed: points_lines(diff.removed.iter().filter(|point| !ladders.hold(diff, point)), &source),
            ladders: ladders.lines(diff, &source),
            changed: changed_lines(&diff.changed, &source),
            renamed: renamed_lines(&diff.changed, &source),
            groups: groups(diff),
            gpu_hours: diff.is_empty().then_some(0.0),
            ..Self::default()
        };
        for group in &report.groups {
            for (total, part) in [
                (&mut report.added_total, group.added),
                (&mut report.removed_total, group.removed),
                (&mut report.changed_total, group.changed),
            ] {
                total.points += part.points;
                total.gpus = total.gpus.saturating_add(part.gpus);
            }
            if let Some(hours) = group.gpu_hours {
                report.gpu_hours = Some(report.gpu_hours.unwrap_or(0.0) + hours);
            }
        }
        report
    }

    /// `3 points added, 1 removed, 12 changed`
    pub fn headline(&self) -> String {
        let counts = [
            (self.added_total.points, "added"),
            (self.removed_total.points, "removed"),
            (self.changed_total.points, "changed"),
        ];
        let mut text = String::new();
        for (count, verb) in counts.into_iter().filter(|(count, _)| *count > 0) {
            let noun = match (text.is_empty(), count) {
                (true, 1) => " point",
                (true, _) => " points",
                (false, _) => "",
            };
            let _ = write!(text, "{}{count}{noun} {verb}", if text.is_empty() { "" } else { ", " });
        }
        if text.is_empty() { "no point is added, removed or changed".to_owned() } else { text }
    }

    /// `GPUs: 64 added, 8 removed, 96 changed; GPU-hours: +12`, or nothing where nothing differs.
    pub fn costs(&self) -> Option<String> {
        let totals = [(self.added_total, "added"), (self.removed_total, "removed"), (self.changed_total, "changed")];
        let parts: Vec<String> = totals
            .into_iter()
            .filter(|(total, _)| total.points > 0)
            .map(|(total, verb)| format!("{} {verb}", total.gpus))
            .collect();
        if parts.is_empty() {
            return None;
        }
        let hours = match self.gpu_hours {
            Some(hours) => format!("{} where durations are known", signed(hours)),
            None => "not known".to_owned(),
        };
        Some(format!("GPUs: {}; GPU-hours: {hours}", parts.join(", ")))
    }
}

/// A number of hours with its sign: `+12`, `-0.5`, `0`.
pub fn signed(hours: f64) -> String {
    let rounded = (hours * 100.0).round() / 100.0;
    if rounded > 0.0 { format!("+{rounded}") } else { format!("{}", rounded + 0.0) }
}

fn groups(diff: &Diff<'_, '_>) -> Vec<GroupLine> {
    let mut lines: Vec<GroupLine> = Vec::new();
    let mut places: HashMap<(String, String, Lane), usize> = HashMap::new();
    let mut group_of = |point: &Point<'_>, count: &mut dyn FnMut(&mut GroupLine)| {
        let (model, runner) = (point.row.text("model").to_owned(), point.row.text("runner").to_owned());
        let place = *places.entry((model.clone(), runner.clone(), point.lane)).or_insert_with(|| {
            lines.push(GroupLine {
                model: printable(&model),
                runner: printable(&runner),
                lane: point.lane.name(),
                added: Total::default(),
                removed: Total::default(),
                changed: Total::default(),
                gpu_hours: None,
            });
            lines.len() - 1
        });
        count(&mut lines[place]);
    };
    let add = |sum: &mut Option<f64>, hours: Option<f64>| {
        if let Some(hours) = hours {
            *sum = Some(sum.unwrap_or(0.0) + hours);
        }
    };
    for point in &diff.added {
        group_of(point, &mut |group| {
            group.added.add(point);
            add(&mut group.gpu_hours, gpu_hours(&point.row));
        });
    }
    for point in &diff.removed {
        group_of(point, &mut |group| {
            group.removed.add(point);
            add(&mut group.gpu_hours, gpu_hours(&point.row).map(|hours| -hours));
        });
    }
    for Changed { before, after, .. } in &diff.changed {
        group_of(after, &mut |group| {
            group.changed.add(after);
            let (was, is) = (gpu_hours(&before.row), gpu_hours(&after.row));
            add(&mut group.gpu_hours, was.zip(is).map(|(was, is)| is - was));
        });
    }
    lines.sort_by(|a, b| (&a.model, &a.runner, a.lane).cmp(&(&b.model, &b.runner, b.lane)));
    lines
}

/// One line for the points of one entry on one runner.
fn points_lines<'a, 'p: 'a, 'd: 'p>(
    points: impl Iterator<Item = &'a &'p Point<'d>>,
    source: &dyn Fn(&Point<'_>) -> String,
) -> Vec<PointsLine> {
    let mut lines: Vec<PointsLine> = Vec::new();
    let mut last: Option<&Point<'_>> = None;
    for &point in points {
        let same = |last: &&Point<'_>| {
            let (row, other) = (&point.row, &last.row);
            row.entry.node == other.entry.node && row.text("runner") == other.text("runner") && point.lane == last.lane
        };
        match lines.last_mut().filter(|_| last.as_ref().is_some_and(same)) {
            Some(line) => {
                let _ = write!(line.conc, ",{}", concurrencies(point));
                line.total.add(point);
            }
            None => {
                let mut total = Total::default();
                total.add(point);
                lines.push(PointsLine {
                    config: printable(point.row.entry.config.key),
                    runner: printable(point.row.text("runner")),
                    lane: point.lane.name(),
                    entry: entry_text(&point.row),
                    conc: concurrencies(point),
                    total,
                    source: source(point),
                });
            }
        }
        last = Some(point);
    }
    lines
}

fn concurrencies(point: &Point<'_>) -> String {
    point.row.concurrencies().iter().map(python_str).collect::<Vec<_>>().join(",")
}

/// The rungs of entries that are on both sides, by what all rungs of one entry have in common.
struct Ladders<'p, 'd> {
    rungs: HashMap<Vec<u8>, Rungs<'p, 'd>>,
    order: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Rungs<'p, 'd> {
    before: Vec<&'p Point<'d>>,
    after: Vec<&'p Point<'d>>,
    added: usize,
    removed: usize,
}

impl<'p, 'd> Ladders<'p, 'd> {
    fn of(diff: &Diff<'p, 'd>) -> Self {
        let mut ladders = Self { rungs: HashMap::new(), order: Vec::new() };
        for (points, is_added) in [(&diff.added, true), (&diff.removed, false)] {
            for point in points.iter().filter(|point| !measures_a_list(point)) {
                let key = shape(diff, point);
                let rungs = ladders.rungs.entry(key).or_insert_with_key(|key| {
                    ladders.order.push(key.clone());
                    Rungs::default()
                });
                if is_added { rungs.added += 1 } else { rungs.removed += 1 }
            }
        }
        // Of the many other points only those count that may be rungs of the same ladders.
        let touched = diff.added.iter().chain(&diff.removed);
        let configs: HashSet<&str> = touched.map(|point| config_at_head(diff, point)).collect();
        for (points, is_head) in [(diff.base, false), (diff.head, true)] {
            for point in points.iter().filter(|point| configs.contains(config_at_head(diff, point))) {
                if let Some(rungs) = ladders.rungs.get_mut(&shape(diff, point)) {
                    if is_head { rungs.after.push(point) } else { rungs.before.push(point) }
                }
            }
        }
        ladders.rungs.retain(|_, rungs| !rungs.before.is_empty() && !rungs.after.is_empty());
        ladders
    }

    fn hold(&self, diff: &Diff<'_, '_>, point: &Point<'_>) -> bool {
        !self.rungs.is_empty() && !measures_a_list(point) && self.rungs.contains_key(&shape(diff, point))
    }

    fn lines(&self, diff: &Diff<'_, '_>, source: &dyn Fn(&Point<'_>) -> String) -> Vec<LadderLine> {
        let joined =
            |points: &[&Point<'_>]| points.iter().map(|each| concurrencies(each)).collect::<Vec<_>>().join(",");
        let line = |point: &Point<'_>, before: String, after: String, added: usize, removed: usize| LadderLine {
            config: printable(point.row.entry.config.key),
            runner: printable(point.row.text("runner")),
            lane: point.lane.name(),
            entry: entry_text(&point.row),
            before,
            after,
            added,
            removed,
            source: source(point),
        };
        let rungs = self.order.iter().filter_map(|key| self.rungs.get(key));
        let of_jobs = rungs.filter_map(|rungs| {
            let first = rungs.after.first()?;
            Some(line(first, joined(&rungs.before), joined(&rungs.after), rungs.added, rungs.removed))
        });
        let lists = diff.changed.iter().filter(|change| change.fields.iter().any(|field| field == "conc"));
        let of_lists =
            lists.map(|change| line(change.after, concurrencies(change.before), concurrencies(change.after), 0, 0));
        of_jobs.chain(of_lists).collect()
    }
}

/// The config key that a point of either side has at the head.
fn config_at_head<'d>(diff: &Diff<'_, 'd>, point: &Point<'d>) -> &'d str {
    let key = point.row.entry.config.key;
    diff.renamed_configs.iter().find(|(before, _)| *before == key).map_or(key, |(_, after)| after)
}

fn shape<'d>(diff: &Diff<'_, 'd>, point: &Point<'d>) -> Vec<u8> {
    identity(&point.row, config_at_head(diff, point), &RUNG)
}

/// One line for the points of one config that change in the same way. Renames and ladders have lines of their own.
fn changed_lines(changed: &[Changed<'_, '_>], source: &dyn Fn(&Point<'_>) -> String) -> Vec<ChangedLine> {
    let mut lines: Vec<ChangedLine> = Vec::new();
    let mut places: HashMap<(String, Vec<FieldChange>), usize> = HashMap::new();
    for Changed { before, after, fields } in changed {
        let others = fields.iter().filter(|field| *field != CONFIG_KEY && *field != "conc");
        let changes: Vec<FieldChange> = others
            .map(|field| FieldChange {
                field: printable(field),
                before: printable(&shown(before, field)),
                after: printable(&shown(after, field)),
            })
            .collect();
        if changes.is_empty() {
            continue;
        }
        let config = printable(after.row.entry.config.key);
        let place = *places.entry((config.clone(), changes.clone())).or_insert_with(|| {
            lines.push(ChangedLine { config, changes, points: 0, source: source(after) });
            lines.len() - 1
        });
        lines[place].points += 1;
    }
    lines
}

fn renamed_lines(changed: &[Changed<'_, '_>], source: &dyn Fn(&Point<'_>) -> String) -> Vec<RenamedLine> {
    let mut lines: Vec<RenamedLine> = Vec::new();
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    for Changed { before, after, .. } in changed {
        let keys = (before.row.entry.config.key, after.row.entry.config.key);
        if keys.0 == keys.1 {
            continue;
        }
        let place = *places.entry(keys).or_insert_with(|| {
            let (before, now) = (printable(keys.0), printable(keys.1));
            lines.push(RenamedLine { before, after: now, points: 0, source: source(after) });
            lines.len() - 1
        });
        lines[place].points += 1;
    }
    lines
}
