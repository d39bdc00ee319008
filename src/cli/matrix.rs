//! `srtx-gh matrix`

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use num_bigint::BigInt;

use super::Exit;
use super::files::{CheckoutRecipes, default_master_files, read_source, reason_of};
use super::report::Reporter;
use crate::core::config::{self, Rules};
use crate::core::diag::{Code, Diagnostic, Diagnostics, Source};
use crate::core::matrix::{
    Filters, Inputs, Options, Output, OutputLimits, Plan, Point, Refusal, Row, Scenario, Selection, generate, points,
    render_table, write_rows,
};
use crate::core::num::Num;
use crate::core::yaml::{Document, Schema, parse};
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
    /// Master config files, merged in this order [default: configs/*master*.yaml].
    #[arg(long, num_args = 1.., value_name = "F", overrides_with = "config_files")]
    config_files: Vec<PathBuf>,

    /// Runner labels and hardware facts.
    #[arg(long, value_name = "F", default_value = "configs/runners.yaml", overrides_with = "runner_config")]
    runner_config: PathBuf,

    /// Leave out eval marking.
    #[arg(long, conflicts_with = "evals_only")]
    no_evals: bool,

    /// Only jobs that run an evaluation, and only that.
    #[arg(long)]
    evals_only: bool,

    /// Evaluate whatever can be evaluated, and only that.
    #[arg(long)]
    all_evals: bool,

    /// Replace labels by those of their runners that contain this text.
    #[arg(long, value_name = "S", overrides_with = "runner_node_filter", allow_hyphen_values = false)]
    runner_node_filter: Option<String>,

    /// Scenarios to expand.
    #[arg(long, num_args = 1.., value_enum, overrides_with = "scenario_type")]
    scenario_type: Vec<ScenarioArg>,

    /// Lengths of fixed-seq-len scenarios to expand.
    #[arg(long, num_args = 1.., value_parser = ["1k1k", "8k1k"], overrides_with = "seq_lens")]
    seq_lens: Vec<String>,

    /// One concurrency for each shape (rules 2026-09).
    #[arg(long)]
    trim_conc: bool,

    /// One throughput job and one evaluation for each shape (rules 2026-09).
    #[arg(long)]
    smoke: bool,

    /// Rule set [default: by the runner file].
    ///
    /// SRTX_RULES sets it for a whole job.
    #[arg(long, value_parser = ["2026-08", "2026-09"])]
    rules: Option<String>,

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

impl CommonArgs {
    /// Whether points are asked for, by name or by something that only points have.
    fn wants_points(&self) -> bool {
        self.points || self.provenance || self.shard.is_some() || self.expect_digest.is_some() || self.emit
    }
}

#[derive(Debug, Args)]
struct FullSweepArgs {
    #[command(flatten)]
    common: CommonArgs,

    /// Starts of config keys to keep.
    #[arg(long, num_args = 1.., value_name = "S", overrides_with = "model_prefix")]
    model_prefix: Vec<String>,

    /// Precisions to keep.
    #[arg(long, num_args = 1.., value_name = "S", overrides_with = "precision")]
    precision: Vec<String>,

    /// Frameworks to keep.
    #[arg(long, num_args = 1.., value_name = "S", overrides_with = "framework")]
    framework: Vec<String>,

    /// Runner labels to keep.
    #[arg(long, num_args = 1.., value_name = "S", overrides_with = "runner_type")]
    runner_type: Vec<String>,

    /// Factor between the rungs of a concurrency ladder.
    #[arg(long, value_name = "INT", value_parser = python_int, default_value = "2", allow_negative_numbers = true, overrides_with = "step_size")]
    step_size: Num,

    /// Lowest concurrency.
    #[arg(long, value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "min_conc")]
    min_conc: Option<Num>,

    /// Highest concurrency.
    #[arg(long, value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "max_conc")]
    max_conc: Option<Num>,

    /// Highest tensor parallel size of single-node fixed-seq-len entries.
    #[arg(long, value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "max_tp")]
    max_tp: Option<Num>,

    /// Highest expert parallel size of single-node fixed-seq-len entries; larger ones are lowered to it.
    #[arg(long, value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "max_ep")]
    max_ep: Option<Num>,

    /// Only single-node configs.
    #[arg(long)]
    single_node: bool,

    /// Only multi-node configs.
    #[arg(long)]
    multi_node: bool,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScenarioArg {
    FixedSeqLen,
    AgenticCoding,
}

impl From<ScenarioArg> for Scenario {
    fn from(argument: ScenarioArg) -> Self {
        match argument {
            ScenarioArg::FixedSeqLen => Self::FixedSeqLen,
            ScenarioArg::AgenticCoding => Self::AgenticCoding,
        }
    }
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

/// Python's `int()`: blanks around it, a sign, single underscores between digits, any size.
fn python_int(text: &str) -> Result<Num, String> {
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let well_formed = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        && !digits.starts_with('_')
        && !digits.ends_with('_')
        && !digits.contains("__");
    let value = well_formed.then(|| digits.replace('_', "").parse::<BigInt>().ok()).flatten();
    let value = value.ok_or_else(|| "expected an integer".to_owned())?;
    let value = if trimmed.starts_with('-') { -value } else { value };
    Ok(i64::try_from(&value).map_or(Num::Big(value), Num::Int))
}

fn given<T>(values: Vec<T>) -> Option<Vec<T>> {
    (!values.is_empty()).then_some(values)
}

pub(super) fn run(args: MatrixArgs, reporter: &mut Reporter) -> Exit {
    let (mut common, request) = match args.verb {
        Verb::FullSweep(args) => full_sweep(args),
        Verb::TestConfig(args) => test_config(args),
    };
    match rules_of_environment(common.rules.take()) {
        Ok(rules) => common.rules = rules,
        Err(message) => return reporter.usage(&message),
    }
    if let Err(message) = check_usage(&common, &request) {
        return reporter.usage(&message);
    }
    match load(&common, reporter.found()) {
        Some(loaded) => {
            let exit = emit(&common, request, &loaded, reporter);
            // The process ends here: to free a hundred thousand nodes one by one would only take time.
            std::mem::forget(loaded);
            exit
        }
        None => Exit::Wrong,
    }
}

/// The rule set that was asked for, by the option or else by the variable. An empty variable is none: an action passes
/// every input that was not given as an empty text, so clap must not read it.
fn rules_of_environment(option: Option<String>) -> Result<Option<String>, String> {
    const VARIABLE: &str = "SRTX_RULES";
    let Some(value) = std::env::var_os(VARIABLE).filter(|_| option.is_none()) else { return Ok(option) };
    match value.to_str().map(str::trim) {
        Some("") => Ok(None),
        Some(name) if Rules::from_name(name).is_some() => Ok(Some(name.to_owned())),
        _ => Err(format!("{VARIABLE} is {}, expected 2026-08 or 2026-09", value.display())),
    }
}

/// What a verb asks for, but for the rule set.
struct Request {
    selection: Selection,
    step: Num,
    limits: [Option<Num>; 4],
    conc: Option<Vec<Num>>,
    exp_names: Option<Vec<String>>,
}

fn full_sweep(args: FullSweepArgs) -> (CommonArgs, Request) {
    let filters = Filters {
        model_prefix: given(args.model_prefix),
        precision: given(args.precision),
        framework: given(args.framework),
        runner_type: given(args.runner_type),
        single_node: args.single_node,
        multi_node: args.multi_node,
    };
    let request = Request {
        selection: Selection::FullSweep(filters),
        step: args.step_size,
        limits: [args.min_conc, args.max_conc, args.max_tp, args.max_ep],
        conc: None,
        exp_names: None,
    };
    (args.common, request)
}

fn test_config(args: TestConfigArgs) -> (CommonArgs, Request) {
    let request = Request {
        selection: Selection::TestConfig(args.config_keys),
        step: Num::Int(2),
        limits: [None, None, None, None],
        conc: given(args.conc),
        exp_names: given(args.exp_names),
    };
    (args.common, request)
}

/// What can be said before any file is read.
fn check_usage(common: &CommonArgs, request: &Request) -> Result<(), String> {
    let [min, max, ..] = &request.limits;
    if request.step <= Num::Int(1) {
        return Err(format!("--step-size is {}, expected 2 or more", request.step));
    }
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Err(format!("--min-conc {min} is greater than --max-conc {max}"));
    }
    if common.no_evals && common.all_evals {
        return Err("--no-evals and --all-evals exclude each other".into());
    }
    let evals = common.no_evals || common.evals_only || common.all_evals;
    if common.smoke && (common.trim_conc || evals) {
        return Err("--smoke excludes --trim-conc and the options on evals".into());
    }
    let later = later_option(common, request);
    if let Some(option) = later.filter(|_| common.rules.as_deref() == Some("2026-08")) {
        return Err(format!("{option} needs --rules 2026-09"));
    }
    Ok(())
}

fn later_option(common: &CommonArgs, request: &Request) -> Option<&'static str> {
    let options =
        [("--smoke", common.smoke), ("--trim-conc", common.trim_conc), ("--exp-names", request.exp_names.is_some())];
    options.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
}

struct Loaded {
    masters: Vec<Document>,
    runners: Document,
    rules: Rules,
    recipes: CheckoutRecipes,
}

/// Reads and parses all files; everything that is wrong with any of them is reported.
fn load(common: &CommonArgs, found: &mut Diagnostics) -> Option<Loaded> {
    let files = master_files(common, found)?;
    let mut read = |path: &PathBuf| -> Option<Document> {
        let source: Arc<Source> = read_source(path).map_err(|diagnostic| found.push(diagnostic)).ok()?;
        parse(&source, Schema::V11, found)
    };
    let masters: Vec<Document> = files.iter().filter_map(&mut read).collect();
    let runners = read(&common.runner_config);
    let asked = common.rules.as_deref().and_then(Rules::from_name);
    let rules = asked.or_else(|| runners.as_ref().map(config::detect_rules));
    let all_read = runners.is_some() && masters.len() == files.len();
    if !all_read {
        validate_what_is_there(&masters, runners.as_ref(), rules, found);
        return None;
    }
    let (runners, rules) = (runners?, rules?);
    let recipes = CheckoutRecipes::beside(&files[0]);
    Some(Loaded { masters, runners, rules, recipes })
}

/// A file that cannot be read must not hide what is wrong with the others.
fn validate_what_is_there(
    masters: &[Document],
    runners: Option<&Document>,
    rules: Option<Rules>,
    found: &mut Diagnostics,
) {
    let Some(rules) = rules else { return };
    config::merge_masters(&masters.iter().collect::<Vec<_>>(), rules, found);
    if let Some(runners) = runners {
        config::load_runners(runners, rules, found);
    }
}

fn master_files(common: &CommonArgs, found: &mut Diagnostics) -> Option<Vec<PathBuf>> {
    if !common.config_files.is_empty() {
        return Some(common.config_files.clone());
    }
    let help = "run it in the folder that holds configs, or give the files with --config-files";
    let missing = match default_master_files() {
        Ok(files) if !files.is_empty() => return Some(files),
        Ok(_) => Diagnostic::error(Code::FileUnreadable, "no file in configs is named *master*.yaml"),
        Err(error) => Diagnostic::error(Code::FileUnreadable, format!("the folder configs {}", reason_of(&error))),
    };
    found.push(missing.in_file("configs").help(help));
    None
}

/// The outputs that the action would publish, without publishing them: for the simulator.
pub(super) fn outputs(args: MatrixArgs, found: &mut Diagnostics) -> Option<Vec<Output>> {
    with_rows(args, found, |common, rows, found| {
        let points = points(rows, found);
        match plan(common, &points) {
            Ok(plan) => match common.shard {
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
    with_rows(args, found, |common, rows, found| {
        if common.wants_points() {
            return plan(common, &points(rows, found))
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
    use_rows: impl FnOnce(&CommonArgs, Vec<Row<'_>>, &mut Diagnostics) -> Option<T>,
) -> Option<T> {
    let (mut common, request) = match args.verb {
        Verb::FullSweep(args) => full_sweep(args),
        Verb::TestConfig(args) => test_config(args),
    };
    let usable = rules_of_environment(common.rules.take()).and_then(|rules| {
        common.rules = rules;
        check_usage(&common, &request)
    });
    if let Err(message) = usable {
        found.push(Diagnostic::error(Code::Usage, message));
        return None;
    }
    let loaded = load(&common, found)?;
    let options = options(&common, request, loaded.rules);
    let masters: Vec<&Document> = loaded.masters.iter().collect();
    let configs = config::merge_masters(&masters, loaded.rules, found);
    let runners = config::load_runners(&loaded.runners, loaded.rules, found);
    let (configs, runners) = (configs?, runners?);
    let inputs = Inputs { configs: &configs, runners: &runners, recipes: &loaded.recipes };
    match generate(&inputs, &options, found) {
        Ok(rows) => use_rows(&common, rows, found),
        Err(Refusal::Usage(message)) => {
            found.push(Diagnostic::error(Code::Usage, message));
            None
        }
        Err(Refusal::Input) => None,
    }
}

fn emit(common: &CommonArgs, request: Request, loaded: &Loaded, reporter: &mut Reporter) -> Exit {
    if let Some(option) = later_option(common, &request).filter(|_| loaded.rules == Rules::R2026_08) {
        return reporter.usage(&format!("{option} needs --rules 2026-09, and the runner file is of 2026-08"));
    }
    let options = options(common, request, loaded.rules);
    let found = reporter.found();
    let masters: Vec<&Document> = loaded.masters.iter().collect();
    let configs = config::merge_masters(&masters, loaded.rules, found);
    let runners = config::load_runners(&loaded.runners, loaded.rules, found);
    let (Some(configs), Some(runners)) = (configs, runners) else { return Exit::Wrong };
    config::warn_unlisted_runners(&configs, &runners, found);
    let inputs = Inputs { configs: &configs, runners: &runners, recipes: &loaded.recipes };
    match generate(&inputs, &options, found) {
        Ok(rows) => print(common, rows, reporter),
        Err(Refusal::Usage(message)) => reporter.usage(&message),
        Err(Refusal::Input) => Exit::Wrong,
    }
}

fn options(common: &CommonArgs, request: Request, rules: Rules) -> Options {
    let [min_conc, max_conc, max_tp, max_ep] = request.limits;
    Options {
        no_evals: common.no_evals,
        evals_only: common.evals_only,
        all_evals: common.all_evals,
        runner_node_filter: common.runner_node_filter.clone(),
        scenario_types: given(common.scenario_type.iter().copied().map(Scenario::from).collect()),
        seq_lens: given(common.seq_lens.clone()),
        step: request.step,
        min_conc,
        max_conc,
        max_tp,
        max_ep,
        conc: request.conc,
        trim_conc: common.trim_conc,
        smoke: common.smoke,
        exp_names: request.exp_names,
        ..Options::new(rules, request.selection)
    }
}

fn print(common: &CommonArgs, rows: Vec<Row<'_>>, reporter: &mut Reporter) -> Exit {
    let default = if io::stdout().is_terminal() { Format::Table } else { Format::Json };
    let format = common.format.unwrap_or(default);
    if !common.wants_points() {
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
    match plan(common, &points) {
        Ok(plan) => print_plan(common, &plan, &table, format, reporter),
        Err(diagnostic) => {
            reporter.found().push(diagnostic);
            Exit::Wrong
        }
    }
}

/// The plan, checked against what the caller expects of it.
fn plan(common: &CommonArgs, points: &[Point<'_>]) -> Result<Plan, Diagnostic> {
    let plan = Plan::new(points, output_limits(), common.provenance)?;
    if let Some(expected) = common.expect_digest.as_deref().filter(|expected| *expected != plan.digest()) {
        let message = format!("the plan has the digest {}, expected {expected}", plan.digest());
        return Err(Diagnostic::error(Code::DigestMismatch, message)
            .path("env.SRTX_EXPECT_DIGEST")
            .help("check out the same commit as the plan job and pass the same inputs"));
    }
    if let Some(number) = common.shard.filter(|number| plan.shard(*number).is_none()) {
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

fn print_plan(common: &CommonArgs, plan: &Plan, table: &str, format: Format, reporter: &mut Reporter) -> Exit {
    if common.emit
        && let Err(diagnostic) = super::emit::publish(plan, common.shard, output_limits())
    {
        reporter.found().push(diagnostic);
        return Exit::Wrong;
    }
    if let (true, Some(number)) = (common.emit, common.shard) {
        // The plan job has said what is odd about the configs, and shown all of them.
        reporter.only_errors();
        return reporter.print(|out| writeln!(out, "{}", plan.shard_line(number)));
    }
    let list = || common.shard.and_then(|number| plan.shard(number)).unwrap_or_else(|| plan.list());
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

/// JSON by lines. Numbers stay as they are written, since no Rust number holds them all; texts lose the escapes that
/// only ASCII needs.
fn indented(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    let mut depth = 0;
    let mut at = 0;
    let new_line = |out: &mut Vec<u8>, depth: usize| {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', depth * 2));
    };
    while let Some(&byte) = json.get(at) {
        let mut len = 1;
        match byte {
            b'"' => {
                len = text_len(&json[at..]);
                let text = &json[at..at + len];
                let plain = serde_json::from_slice::<String>(text).and_then(|text| serde_json::to_string(&text));
                out.extend_from_slice(plain.as_deref().map_or(text, str::as_bytes));
            }
            b'[' | b'{' if matches!(json.get(at + 1), Some(b']' | b'}')) => {
                len = 2;
                out.extend_from_slice(&json[at..at + 2]);
            }
            b'[' | b'{' => {
                out.push(byte);
                depth += 1;
                new_line(&mut out, depth);
            }
            b']' | b'}' => {
                depth -= 1;
                new_line(&mut out, depth);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            b' ' => {}
            other => out.push(other),
        }
        at += len;
    }
    out
}

/// The bytes of a JSON text up to its closing quote.
fn text_len(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn json_is_indented_without_touching_numbers() {
        let json = br#"[{"a": 18446744073709551617, "\u00e9\"": [], "c": [1.0, {}]}, null]"#;
        let text = String::from_utf8(indented(json)).unwrap();
        let expected = indoc::indoc! {r#"
            [
              {
                "a": 18446744073709551617,
                "é\"": [],
                "c": [
                  1.0,
                  {}
                ]
              },
              null
            ]"#};
        assert_eq!(text, expected);
    }
}
