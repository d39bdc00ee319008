//! `srtx-gh status`

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};

use super::Exit;
use super::files::WorkTree;
use super::matrix::{FilterArgs, InputArgs, UnlistedRunners, Wanted, load, rows};
use super::report::Reporter;
use super::routing::{decide, travelling};
use crate::core::diag::{Code, Diagnostic};
use crate::core::matrix::{Refusal, points};
use crate::core::route::{ConfigStatus, Judged, Status, status};
use crate::gha::summary::{Cell, Column, Table};
use crate::gha::{Summary, limits};

/// Show how much of the fleet is native, config by config, and why the rest is not.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  srtx-gh status\n  srtx-gh status --format markdown >> \"$GITHUB_STEP_SUMMARY\"\n  \
                        srtx-gh status --fail-under 90\n\n\
                        States: native, mixed, legacy, blocked (something other than the config stands in the way), not-ported."
)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    filters: FilterArgs,

    /// Exit 1 when fewer points than this percentage are native.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    fail_under: Option<u8>,

    /// Rendering [default: table on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
    /// A table.
    Table,
    /// For a step summary.
    Markdown,
}

pub(super) fn run(args: StatusArgs, reporter: &mut Reporter) -> Exit {
    let wanted = match Wanted::full_sweep(args.inputs, args.filters) {
        Ok(wanted) => wanted,
        Err(message) => return reporter.usage(&message),
    };
    let Some(loaded) = load(&wanted, &WorkTree, reporter.found()) else { return Exit::Wrong };
    let Some(runners) = loaded.runners(reporter.found()) else { return Exit::Wrong };
    let points = match rows(&wanted, &loaded, UnlistedRunners::Ignore, reporter.found()) {
        Ok(rows) => points(rows, reporter.found()),
        Err(Refusal::Usage(message)) => return reporter.usage(&message),
        Err(Refusal::Input) => return Exit::Wrong,
    };
    let routed = travelling(&points);
    let decisions = decide(&routed, &loaded, &runners, reporter.found());
    let judged = points.iter().zip(&routed).zip(&decisions).map(|((point, (fields, _)), decisions)| Judged {
        config: point.row.entry.config.key,
        framework: point.row.text("framework"),
        offload_backend: fields
            .get("kv-offload-backend")
            .and_then(|backend| backend.get("name"))
            .and_then(Json::as_str),
        decisions,
    });
    let status = status(judged);
    let printed = print(&status, args.format, reporter);
    if let Some(wanted) = args.fail_under
        && status.native() * 100 < usize::from(wanted) * status.total()
    {
        let (native, total) = (status.native(), status.total());
        let message = format!("{native} of {total} points are native, fewer than {wanted} %");
        reporter.found().push(
            Diagnostic::error(Code::TooFewNative, message).help("the reasons stand beside each config in the table"),
        );
    }
    if reporter.found().has_errors() { Exit::Wrong } else { printed }
}

fn print(status: &Status, format: Option<Format>, reporter: &mut Reporter) -> Exit {
    let default = if std::io::stdout().is_terminal() { Format::Table } else { Format::Json };
    match format.unwrap_or(default) {
        Format::Table => reporter.print_text(&table(status)),
        Format::Markdown => reporter.print_text(&markdown(status)),
        format => {
            let config = |config: &ConfigStatus| {
                json!({
                    "key": config.key,
                    "state": config.state.name(),
                    "points": config.points,
                    "native_points": config.native_points,
                    "reasons": config.reasons,
                })
            };
            let configs: Vec<Json> = status.configs.iter().map(config).collect();
            let json = json!({"configs": configs, "native": status.native(), "total": status.total()});
            reporter.print_json(|out| {
                if format == Format::Json { writeln!(out, "{json}") } else { writeln!(out, "{json:#}") }
            })
        }
    }
}

fn table(status: &Status) -> String {
    let width = status.configs.iter().map(|config| config.key.chars().count()).max().unwrap_or(0).max(6);
    let mut out = format!("{:width$}  {:10}  native  points\n", "config", "state");
    for config in &status.configs {
        let ConfigStatus { key, native_points, points, .. } = config;
        let state = config.state.name();
        let _ = writeln!(out, "{key:width$}  {state:10}  {native_points:6}  {points:6}");
        for reason in &config.reasons {
            let _ = writeln!(out, "    {reason}");
        }
    }
    let _ = writeln!(out, "\n{}", totals(status));
    out
}

fn markdown(status: &Status) -> String {
    let mut summary = Summary::new();
    summary.heading(2, &totals(status));
    let columns = [
        Column::left("config"),
        Column::left("state"),
        Column::right("native"),
        Column::right("points"),
        Column::left("why not"),
    ];
    let mut table = Table::new(columns);
    for config in &status.configs {
        table.row([
            Cell::code(&config.key),
            Cell::text(config.state.name()),
            Cell::value(config.native_points),
            Cell::value(config.points),
            Cell::text(&config.reasons.join("; ")),
        ]);
    }
    summary.table(table);
    summary.render(limits::SUMMARY_BUDGET)
}

fn totals(status: &Status) -> String {
    let (native, total) = (status.native(), status.total());
    let configs = status.configs.iter().filter(|config| config.state == crate::core::route::State::Native).count();
    format!("{native} of {total} points native, {configs} of {} configs", status.configs.len())
}
