//! `srtx-gh matrix`

mod args;
mod rows;

use std::io::{self, IsTerminal as _};

use clap::{Args, Subcommand, ValueEnum};

use self::args::python_int;
pub(super) use self::args::{FilterArgs, InputArgs, Wanted};
pub(super) use self::rows::{Loaded, UnlistedRunners, load, load_named, rows};
use super::Exit;
use super::files::WorkTree;
use super::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::json::indented;
use crate::core::matrix::{Output, OutputLimits, Plan, Point, Refusal, Row, points, render_table, write_rows};
use crate::core::num::Num;
use crate::gha::limits;

/// Generate the job matrix from master configs and runner metadata.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Examples:\n  srtx-gh matrix full-sweep\n  srtx-gh matrix full-sweep --single-node --precision fp8 --max-conc 64\n  \
                  srtx-gh matrix test-config --config-keys 'dsv4-*-b200-*' --conc 16 32"
)]
pub(super) struct MatrixArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// All configs, narrowed by filters.
    #[command(
        args_override_self = true,
        after_help = "Examples:\n  srtx-gh matrix full-sweep --points --provenance\n  \
                      srtx-gh matrix full-sweep --runner-type cluster:b200-dgxc --scenario-type agentic-coding\n\n\
                      Long options may be shortened as far as they stay unambiguous; this tool's own may not."
    )]
    FullSweep(FullSweepArgs),
    /// Some configs, by key or pattern.
    #[command(
        args_override_self = true,
        after_help = "Examples:\n  srtx-gh matrix test-config --config-keys dsr1-fp8-h200-sglang\n  \
                      srtx-gh matrix test-config --config-keys 'minimaxm3-*' --conc 4 8 --no-evals"
    )]
    TestConfig(TestConfigArgs),
}

#[derive(Debug, Args)]
struct CommonArgs {
    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// How the matrix is given.
#[derive(Debug, Args)]
struct OutputArgs {
    /// Rendering [default: table on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Points instead of rows: each row with key, fingerprint, lane and runs-on, identical rows once.
    #[arg(long)]
    points: bool,

    /// Give each point the file and line that made it.
    #[arg(long)]
    provenance: bool,

    /// The points of one shard only, by its number from 1.
    #[arg(long, value_name = "N")]
    shard: Option<usize>,

    /// Refuse when the plan has another digest: then the checkout or the flags differ from those of the plan job.
    #[arg(long, value_name = "SHA256")]
    expect_digest: Option<String>,

    /// Write the outputs of the action to `GITHUB_OUTPUT`, and a step summary.
    #[arg(long)]
    emit: bool,
}

impl OutputArgs {
    /// Whether points are asked for, by name or by something that only points have.
    fn wants_points(&self) -> bool {
        self.points || self.provenance || self.shard.is_some() || self.expect_digest.is_some() || self.emit
    }
}

#[derive(Debug, Args)]
struct FullSweepArgs {
    #[command(flatten)]
    common: CommonArgs,

    #[command(flatten)]
    filters: FilterArgs,
}

#[derive(Debug, Args)]
struct TestConfigArgs {
    #[command(flatten)]
    common: CommonArgs,

    /// Config keys, or patterns with `*` and `?`.
    #[arg(long, num_args = 1.., required = true, value_name = "S", overrides_with = "config_keys")]
    config_keys: Vec<String>,

    /// Concurrencies to keep.
    #[arg(long, num_args = 1.., value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "conc")]
    conc: Vec<Num>,

    /// Experiment names to keep, each the name of exactly one row (rules 2026-09).
    #[arg(long, num_args = 1.., value_name = "N", overrides_with = "exp_names")]
    exp_names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The incumbent's text.
    Json,
    /// Indented JSON.
    Pretty,
    /// A table.
    Table,
}

/// What a command line asks for, and how it is to be given; or why the command line is wrong.
fn prepare(args: MatrixArgs) -> Result<(Wanted, OutputArgs), String> {
    Ok(match args.verb {
        Verb::FullSweep(FullSweepArgs { common, filters }) => {
            (Wanted::full_sweep(common.inputs, filters)?, common.output)
        }
        Verb::TestConfig(TestConfigArgs { common, config_keys, conc, exp_names }) => {
            (Wanted::test_config(common.inputs, config_keys, conc, exp_names)?, common.output)
        }
    })
}

pub(super) fn run(args: MatrixArgs, reporter: &mut Reporter) -> Exit {
    let (wanted, output) = match prepare(args) {
        Ok(prepared) => prepared,
        Err(message) => return reporter.usage(&message),
    };
    let Some(loaded) = load(&wanted, &WorkTree, reporter.found()) else { return Exit::Wrong };
    let exit = match rows(&wanted, &loaded, UnlistedRunners::Warn, reporter.found()) {
        Ok(rows) => print(&output, rows, reporter),
        Err(Refusal::Usage(message)) => reporter.usage(&message),
        Err(Refusal::Input) => Exit::Wrong,
    };
    // The process ends here: to free a hundred thousand nodes one by one would only take time.
    std::mem::forget(loaded);
    exit
}

/// The outputs that the action would publish, without publishing them: for the simulator.
pub(super) fn outputs(args: MatrixArgs, found: &mut Diagnostics) -> Option<Vec<Output>> {
    with_rows(args, found, |output, rows, found| {
        let points = points(rows, found);
        match plan(output, &points) {
            Ok(plan) => match output.shard {
                Some(number) => plan.shard_outputs(number),
                None => Some(plan.outputs(output_limits())),
            },
            Err(diagnostic) => {
                found.push(diagnostic);
                None
            }
        }
    })
}

/// The JSON list that a command line would print.
pub(super) fn list(args: MatrixArgs, found: &mut Diagnostics) -> Option<String> {
    with_rows(args, found, |output, rows, found| {
        if output.wants_points() {
            return plan(output, &points(rows, found))
                .map_err(|diagnostic| found.push(diagnostic))
                .ok()
                .map(|plan| plan.list());
        }
        let mut bytes = Vec::new();
        write_rows(&mut bytes, &rows).ok()?;
        String::from_utf8(bytes).ok()
    })
}

/// The rows that a command line asks for, handed on while the files that they borrow from are there.
fn with_rows<T>(
    args: MatrixArgs,
    found: &mut Diagnostics,
    use_rows: impl FnOnce(&OutputArgs, Vec<Row<'_>>, &mut Diagnostics) -> Option<T>,
) -> Option<T> {
    let usage = |message: String| Diagnostic::error(Code::Usage, message);
    let (wanted, output) = prepare(args).map_err(|message| found.push(usage(message))).ok()?;
    let loaded = load(&wanted, &WorkTree, found)?;
    match rows(&wanted, &loaded, UnlistedRunners::Ignore, found) {
        Ok(rows) => use_rows(&output, rows, found),
        Err(Refusal::Usage(message)) => {
            found.push(usage(message));
            None
        }
        Err(Refusal::Input) => None,
    }
}

fn print(output: &OutputArgs, rows: Vec<Row<'_>>, reporter: &mut Reporter) -> Exit {
    let default = if io::stdout().is_terminal() { Format::Table } else { Format::Json };
    let format = output.format.unwrap_or(default);
    if !output.wants_points() {
        let exit = match format {
            Format::Table => reporter.print_text(&render_table(&rows)),
            Format::Pretty => reporter.print_json(|out| pretty(out, |bytes| write_rows(bytes, &rows))),
            Format::Json => reporter.print_json(|out| write_rows(out, &rows)),
        };
        std::mem::forget(rows);
        return exit;
    }
    let table = render_table(&rows);
    let points = points(rows, reporter.found());
    if reporter.found().has_errors() {
        return Exit::Wrong;
    }
    match plan(output, &points) {
        Ok(plan) => print_plan(output, &plan, &table, format, reporter),
        Err(diagnostic) => {
            reporter.found().push(diagnostic);
            Exit::Wrong
        }
    }
}

/// The plan, checked against what the caller expects of it.
fn plan(output: &OutputArgs, points: &[Point<'_>]) -> Result<Plan, Diagnostic> {
    let plan = Plan::new(points, output_limits(), output.provenance)?;
    if let Some(expected) = output.expect_digest.as_deref().filter(|expected| *expected != plan.digest()) {
        let message = format!("the plan has the digest {}, expected {expected}", plan.digest());
        return Err(Diagnostic::error(Code::DigestMismatch, message)
            .path("env.SRTX_EXPECT_DIGEST")
            .help("check out the same commit as the plan job and pass the same inputs"));
    }
    if let Some(number) = output.shard.filter(|number| plan.shard(*number).is_none()) {
        let shards = match plan.shard_count() {
            0 => "no points, and so no shards".to_owned(),
            1 => "1 shard, numbered from 1".to_owned(),
            count => format!("{count} shards, numbered from 1"),
        };
        let message = format!("there is no shard {number}: the plan has {shards}");
        return Err(Diagnostic::error(Code::ShardInvalid, message)
            .path("env.SRTX_SHARD")
            .help("use the numbers of the output `shards`"));
    }
    Ok(plan)
}

fn output_limits() -> OutputLimits {
    OutputLimits {
        matrix_jobs: limits::MATRIX_JOBS,
        outputs_utf16_bytes: limits::JOB_OUTPUTS_BUDGET,
        point_bytes: limits::ENV_VALUE_BUDGET,
    }
}

fn print_plan(output: &OutputArgs, plan: &Plan, table: &str, format: Format, reporter: &mut Reporter) -> Exit {
    if output.emit
        && let Err(diagnostic) = super::emit::publish(plan, output.shard, output_limits())
    {
        reporter.found().push(diagnostic);
        return Exit::Wrong;
    }
    if let (true, Some(number)) = (output.emit, output.shard) {
        // The plan job has said what is odd about the configs, and shown all of them.
        reporter.only_errors();
        return reporter.print(|out| writeln!(out, "{}", plan.shard_line(number)));
    }
    let list = || output.shard.and_then(|number| plan.shard(number)).unwrap_or_else(|| plan.list());
    match format {
        Format::Json => reporter.print_json(|out| writeln!(out, "{}", list())),
        Format::Pretty => reporter.print_json(|out| {
            pretty(out, |bytes| {
                bytes.extend_from_slice(list().as_bytes());
                Ok(())
            })
        }),
        Format::Table => reporter.print_text(table),
    }
}

/// Indents what is written compactly.
fn pretty(out: &mut dyn io::Write, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    out.write_all(&indented(&bytes))
}
