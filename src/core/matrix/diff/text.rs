//! The difference as tables for a terminal.

use super::report::{GroupLine, LadderLine, PointsLine, signed};
use super::{ChangedLine, RenamedLine, Report};
use crate::core::matrix::table::aligned;

/// Longer values are cut in the middle: their ends tell them apart.
const VALUE_CHARS: usize = 100;

/// The report as text, with a line break at the end.
pub fn render_text(report: &Report, base: &str, head: &str) -> String {
    let mut out = format!("{}: {base} to {head}\n", report.headline());
    if let Some(costs) = report.costs() {
        out.push_str(&costs);
        out.push('\n');
    }
    let mut section = |title: &str, text: String| {
        out.push('\n');
        out.push_str(title);
        out.push('\n');
        out.push_str(&text);
    };
    if !report.groups.is_empty() {
        section("By model, runner and lane", groups(&report.groups));
    }
    if !report.renamed.is_empty() {
        section("Renamed", renamed(&report.renamed));
    }
    if !report.changed.is_empty() {
        section("Changed", changed(&report.changed));
    }
    if !report.ladders.is_empty() {
        section("Other concurrencies", ladders(&report.ladders));
    }
    if !report.added.is_empty() {
        section("Added", points(&report.added));
    }
    if !report.removed.is_empty() {
        section("Removed", points(&report.removed));
    }
    out
}

fn groups(lines: &[GroupLine]) -> String {
    let count = |total: super::report::Total| {
        if total.points == 0 { "-".to_owned() } else { format!("{} ({} GPUs)", total.points, total.gpus) }
    };
    let cells: Vec<[String; 7]> = lines
        .iter()
        .map(|line| {
            let hours = line.gpu_hours.map_or("-".to_owned(), signed);
            let [added, removed, changed] = [line.added, line.removed, line.changed].map(count);
            [line.model.clone(), line.runner.clone(), line.lane.to_owned(), added, removed, changed, hours]
        })
        .collect();
    aligned(&["MODEL", "RUNNER", "LANE", "ADDED", "REMOVED", "CHANGED", "GPU-HOURS"], &cells)
}

fn renamed(lines: &[RenamedLine]) -> String {
    let line =
        |line: &RenamedLine| [line.before.clone(), line.after.clone(), line.points.to_string(), line.source.clone()];
    aligned(&["BEFORE", "AFTER", "POINTS", "SOURCE"], &lines.iter().map(line).collect::<Vec<_>>())
}

fn changed(lines: &[ChangedLine]) -> String {
    let mut cells = Vec::new();
    for line in lines {
        for (index, change) in line.changes.iter().enumerate() {
            let first = |text: &str| if index == 0 { text.to_owned() } else { String::new() };
            cells.push([
                first(&line.config),
                first(&line.points.to_string()),
                first(&line.source),
                change.field.clone(),
                cut(&change.before),
                cut(&change.after),
            ]);
        }
    }
    aligned(&["CONFIG", "POINTS", "SOURCE", "FIELD", "BEFORE", "AFTER"], &cells)
}

fn ladders(lines: &[LadderLine]) -> String {
    let cells: Vec<[String; 8]> = lines
        .iter()
        .map(|line| {
            let [config, runner, entry, before, after, source] =
                [&line.config, &line.runner, &line.entry, &line.before, &line.after, &line.source].map(String::clone);
            [config, runner, line.lane.to_owned(), entry, before, after, line.points(), source]
        })
        .collect();
    aligned(&["CONFIG", "RUNNER", "LANE", "ENTRY", "CONC BEFORE", "CONC AFTER", "POINTS", "SOURCE"], &cells)
}

fn points(lines: &[PointsLine]) -> String {
    let cells: Vec<[String; 8]> = lines
        .iter()
        .map(|line| {
            let [config, runner, entry, conc, source] =
                [&line.config, &line.runner, &line.entry, &line.conc, &line.source].map(String::clone);
            let (points, gpus) = (line.total.points.to_string(), line.total.gpus.to_string());
            [config, runner, line.lane.to_owned(), entry, conc, points, gpus, source]
        })
        .collect();
    aligned(&["CONFIG", "RUNNER", "LANE", "ENTRY", "CONC", "POINTS", "GPUS", "SOURCE"], &cells)
}

/// The start and the end of a long value.
fn cut(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= VALUE_CHARS {
        return text.to_owned();
    }
    let half = VALUE_CHARS / 2;
    let (start, end) = (&characters[..half], &characters[characters.len() - half..]);
    start.iter().chain(['…'].iter()).chain(end).collect()
}
