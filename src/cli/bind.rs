//! `srtx-gh bind`

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use serde_json::Value as Json;

use super::Exit;
use super::files::read_source;
use super::point::json_argument;
use super::recipe::{read_document, read_recipe};
use super::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::launch::Environment;
use crate::core::recipe::{Data, Entry, Overrides, Tree, split_reference, write_json};
use crate::core::route::bind::{Submit, bind, plan_submissions, read_submission, reference};

/// Bind a single-node point to the one variant of its recipe that fits.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  srtx-gh bind --recipe recipes/dsr1/sglang/b200-fp8/8k1k.yaml --env @env.json\n  \
                  srtx-gh bind --recipe recipe.yaml:override_tp8 --format nul | xargs -0 srtctl apply --file\n  \
                  srtx-gh bind submission answer.json\n\n\
                  Exactly one variant must agree with the point. Otherwise the exit code is 1 and standard output holds\n\
                  {\"rejected\":[…]} with the first field that differs for each variant, or {\"matched\":[…]}."
)]
pub(super) struct BindArgs {
    #[command(subcommand)]
    verb: Option<Verb>,

    /// The recipe file; with a selector only the variants that it names.
    #[arg(long, value_name = "FILE[:SELECTOR]", required = true)]
    recipe: Option<String>,

    /// The environment of the point, an object of texts: the text itself, @FILE, or - for standard input [default: the
    /// environment of this process].
    #[arg(long, value_name = "JSON")]
    env: Option<String>,

    /// Rendering.
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Acceptance(AcceptanceArgs),
    Submission(SubmissionArgs),
}

/// Plan the submit commands of a recipe, with golden acceptance where it drafts.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  srtx-gh bind acceptance --recipe r.yaml:override_tp8 --env @env.json --curves curves\n  \
                        srtx-gh bind acceptance --recipe r.yaml --framework vllm --env @env.json --curves curves -- --json --yes"
)]
struct AcceptanceArgs {
    /// The recipe file; without a selector all of its variants are submitted.
    #[arg(long, value_name = "FILE[:SELECTOR]")]
    recipe: String,

    /// The framework [default: FRAMEWORK of the environment].
    #[arg(long)]
    framework: Option<String>,

    /// The environment of the point, an object of texts: the text itself, @FILE, or - for standard input [default: the
    /// environment of this process].
    #[arg(long, value_name = "JSON")]
    env: Option<String>,

    /// The folder of the measured curves.
    #[arg(long, value_name = "DIR")]
    curves: PathBuf,

    /// Rendering.
    #[arg(long, value_enum, default_value_t = JsonFormat::Json)]
    format: JsonFormat,

    /// What the submit command is given besides.
    #[arg(last = true, value_name = "CALLER ARGS", allow_hyphen_values = true)]
    caller: Vec<String>,
}

/// Read the answer of the submit command: one JSON object with job id and output folder.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh bind submission answer.json\n  \
                        srtctl apply --json --yes --file r.yaml | srtx-gh bind submission -")]
struct SubmissionArgs {
    /// The answer; - for standard input.
    #[arg(value_name = "FILE")]
    file: String,

    /// Rendering.
    #[arg(long, value_enum, default_value_t = JsonFormat::Json)]
    format: JsonFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum JsonFormat {
    /// One line.
    Json,
    /// Indented.
    Pretty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
    /// The bound variant and each argument, each with a NUL byte behind it.
    Nul,
}

pub(super) fn run(args: &BindArgs, reporter: &mut Reporter) -> Exit {
    let result = match (&args.verb, &args.recipe) {
        (Some(Verb::Acceptance(args)), _) => acceptance(args, reporter),
        (Some(Verb::Submission(args)), _) => submission(args, reporter),
        (None, Some(recipe)) => run_bind(recipe, args, reporter),
        (None, None) => return reporter.usage("--recipe is missing"),
    };
    result.unwrap_or_else(|found| {
        reporter.found().extend(found);
        Exit::Wrong
    })
}

fn run_bind(recipe: &str, args: &BindArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let env = environment(args.env.as_deref())?;
    let (path, selector) = split_reference(recipe);
    let document = read_document(path, reporter)?;
    let file = read_recipe(&document, &Overrides::default())?;
    let candidates = file.select(selector).map_err(|diagnostic| Diagnostics::from(*diagnostic))?.into_variants();
    match bind(&candidates, &env) {
        Ok(bound) => {
            let selected = reference(path, &candidates[bound.index]);
            let name = candidates[bound.index].name().cloned().unwrap_or_else(|| Tree::new(Data::Null));
            Ok(print(selected, name, bound.arguments, args.format, reporter))
        }
        Err(refusal) => {
            if args.format != Format::Nul
                && let Some(tree) = refusal.to_tree(path, &candidates)
            {
                print_tree(&tree, args.format == Format::Pretty, reporter);
            }
            let found = reporter.found();
            refusal.diagnostics(&file, &candidates).into_iter().for_each(|diagnostic| found.push(diagnostic));
            Ok(Exit::Wrong)
        }
    }
}

fn print(selected: String, name: Tree<'_>, arguments: Vec<String>, format: Format, reporter: &mut Reporter) -> Exit {
    if format == Format::Nul {
        return reporter
            .print(|out| std::iter::once(&selected).chain(&arguments).try_for_each(|word| write!(out, "{word}\0")));
    }
    let tree = Tree::map(vec![
        Entry::new("selected", Tree::text(selected)),
        Entry::new("name", name),
        Entry::new("arguments", Tree::list(arguments.into_iter().map(Tree::text).collect())),
    ]);
    print_tree(&tree, format == Format::Pretty, reporter)
}

fn print_tree(tree: &Tree<'_>, pretty: bool, reporter: &mut Reporter) -> Exit {
    reporter.print_json(|out| {
        write_json(out, tree, pretty.then_some(0))?;
        writeln!(out)
    })
}

/// The variables of the point. Of this process only those that are UTF-8: no variable that counts is anything else.
fn environment(given: Option<&str>) -> Result<Environment, Diagnostics> {
    let Some(argument) = given else {
        let own = std::env::vars_os();
        return Ok(own
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect());
    };
    let text = json_argument(argument).map_err(Diagnostics::from)?;
    let refused = |message: String| {
        Diagnostic::error(Code::BadInput, message).path("env").help("give a JSON object whose values are texts")
    };
    let object = match serde_json::from_str(&text) {
        Ok(Json::Object(object)) => object,
        Ok(_) => return Err(refused("--env is no JSON object".to_owned()).into()),
        Err(error) => return Err(refused(format!("--env is no JSON: {error}")).into()),
    };
    let mut found = Diagnostics::new();
    let mut env = Environment::new();
    for (name, value) in object {
        match value {
            Json::String(value) => drop(env.insert(name, value)),
            other => found.push(refused(format!("{name} is {other}, expected a text")).path(format!("env.{name}"))),
        }
    }
    if found.has_errors() { Err(found) } else { Ok(env) }
}

fn acceptance(args: &AcceptanceArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let env = environment(args.env.as_deref())?;
    let framework = match (&args.framework, env.get("FRAMEWORK")) {
        (Some(framework), _) | (None, Some(framework)) => framework,
        (None, None) => {
            let diagnostic = Diagnostic::error(Code::RuntimeInput, "FRAMEWORK is missing").path("env.FRAMEWORK");
            return Err(diagnostic.help("set it, or give --framework").into());
        }
    };
    let (path, selector) = split_reference(&args.recipe);
    let document = read_document(path, reporter)?;
    let file = read_recipe(&document, &Overrides::default())?;
    let submit = Submit { path, selector, framework, env: &env, caller: &args.caller };
    let curves = |name: &str| read_source(&args.curves.join(format!("{name}.yaml")));
    let commands = plan_submissions(&file, &submit, &curves)?;
    let list = |words: Vec<String>| Tree::list(words.into_iter().map(Tree::text).collect());
    let tree = Tree::map(vec![Entry::new("commands", Tree::list(commands.into_iter().map(list).collect()))]);
    Ok(print_tree(&tree, args.format == JsonFormat::Pretty, reporter))
}

fn submission(args: &SubmissionArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let text = match &*args.file {
        "-" => json_argument("-"),
        file => read_source(Path::new(file)).map(|source| source.text().to_owned()),
    };
    let submission = read_submission(&text.map_err(Diagnostics::from)?).map_err(|problems| {
        let mut found = Diagnostics::new();
        problems.into_iter().for_each(|problem| found.push(problem.in_file(&*args.file)));
        found
    })?;
    let tree = Tree::map(vec![
        Entry::new("job_id", Tree::text(submission.job_id)),
        Entry::new("output_dir", Tree::text(submission.output_dir)),
    ]);
    Ok(print_tree(&tree, args.format == JsonFormat::Pretty, reporter))
}
