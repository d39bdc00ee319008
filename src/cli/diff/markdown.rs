//! The difference as Markdown, for the step summary and for a comment.

use crate::core::matrix::diff::{GroupLine, LadderLine, PointsLine, Report, Total};
use crate::gha::Summary;
use crate::gha::summary::{Cell, Column, Table};

/// By this a comment of ours is found again. It is never shown.
pub(super) const MARK: &str = "<!-- srtx-gh diff -->";

/// A comment: the mark and the report, within what a comment may have.
pub(super) fn comment(report: &Report, base: &str, head: &str) -> String {
    let mut summary = Summary::new();
    summary.markdown(MARK);
    fill(&mut summary, report, base, head);
    summary.render_comment()
}

/// The report as a step summary.
pub(super) fn step_summary(report: &Report, base: &str, head: &str) -> Summary {
    let mut summary = Summary::new();
    fill(&mut summary, report, base, head);
    summary
}

fn fill(summary: &mut Summary, report: &Report, base: &str, head: &str) {
    let headline = report.headline();
    let mut letters = headline.chars();
    let title: String = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    summary.heading(3, &title);
    let costs = report.costs().map(|costs| format!(" {costs}.")).unwrap_or_default();
    summary.paragraph(&format!("From {base} to {head}.{costs}"));
    if !report.groups.is_empty() {
        groups(summary, &report.groups);
    }
    if !report.renamed.is_empty() {
        let mut table =
            Table::new([Column::left("renamed"), Column::left("now"), Column::right("points"), Column::left("source")]);
        for line in &report.renamed {
            table.row([
                Cell::code(&line.before),
                Cell::code(&line.after),
                Cell::value(line.points),
                Cell::code(&line.source),
            ]);
        }
        summary.table(table);
    }
    if !report.changed.is_empty() {
        let columns = [Column::left("changed"), Column::right("points"), Column::left("field"), Column::left("before")];
        let [config, points, field, before] = columns;
        let mut table = Table::new([config, points, field, before, Column::left("after"), Column::left("source")]);
        for line in &report.changed {
            for (index, change) in line.changes.iter().enumerate() {
                let first = |cell: Cell| if index == 0 { cell } else { Cell::text("") };
                table.row([
                    first(Cell::code(&line.config)),
                    first(Cell::value(line.points)),
                    Cell::code(&change.field),
                    Cell::code(&change.before),
                    Cell::code(&change.after),
                    first(Cell::code(&line.source)),
                ]);
            }
        }
        summary.table(table);
    }
    if !report.ladders.is_empty() {
        ladders(summary, &report.ladders);
    }
    for (title, lines) in [("added", &report.added), ("removed", &report.removed)] {
        if !lines.is_empty() {
            points(summary, title, lines);
        }
    }
}

fn groups(summary: &mut Summary, lines: &[GroupLine]) {
    let mut table = Table::new([
        Column::left("model"),
        Column::left("runner"),
        Column::left("lane"),
        Column::right("added"),
        Column::right("removed"),
        Column::right("changed"),
        Column::right("GPU-hours"),
    ]);
    let count = |total: Total| match total.points {
        0 => Cell::text("–"),
        points => Cell::text(&format!("{points} ({} GPUs)", total.gpus)),
    };
    for line in lines {
        let hours = line.gpu_hours.map_or_else(|| "–".to_owned(), crate::core::matrix::diff::signed);
        table.row([
            Cell::code(&line.model),
            Cell::code(&line.runner),
            Cell::code(line.lane),
            count(line.added),
            count(line.removed),
            count(line.changed),
            Cell::text(&hours),
        ]);
    }
    summary.table(table);
}

fn ladders(summary: &mut Summary, lines: &[LadderLine]) {
    let mut table = Table::new([
        Column::left("other concurrencies"),
        Column::left("runner"),
        Column::left("entry"),
        Column::left("before"),
        Column::left("after"),
        Column::right("points"),
        Column::left("source"),
    ]);
    for line in lines {
        table.row([
            Cell::code(&line.config),
            Cell::code(&line.runner),
            Cell::text(&format!("{}, {}", line.lane, line.entry)),
            Cell::text(&line.before),
            Cell::text(&line.after),
            Cell::text(&line.points()),
            Cell::code(&line.source),
        ]);
    }
    summary.table(table);
}

fn points(summary: &mut Summary, title: &str, lines: &[PointsLine]) {
    let mut table = Table::new([
        Column::left(title),
        Column::left("runner"),
        Column::left("entry"),
        Column::left("concurrencies"),
        Column::right("points"),
        Column::right("GPUs"),
        Column::left("source"),
    ]);
    for line in lines {
        table.row([
            Cell::code(&line.config),
            Cell::code(&line.runner),
            Cell::text(&format!("{}, {}", line.lane, line.entry)),
            Cell::text(&line.conc),
            Cell::value(line.total.points),
            Cell::value(line.total.gpus),
            Cell::code(&line.source),
        ]);
    }
    summary.table(table);
}
