//! `srtx-gh simulate`

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;

use clap::{Args, ValueEnum};

use super::Exit;
use super::files::read_source;
use super::point::json_argument;
use super::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics, render_json};
use crate::core::workflow::read_workflow;
use crate::core::workflow::simulate::{
    Actions, ForPrograms, LegJson, Library, Pairs, Ran, Request, Simulation, leg_exports, local_workflow, simulate,
    tree,
};
use crate::core::yaml::{Document, NodeRef, Schema, parse};

/// Show what a workflow would do, job by job, without running it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  srtx-gh simulate\n  srtx-gh simulate .github/workflows/run-sweep.yml --event pull_request --label full-sweep\n  \
                  srtx-gh simulate --input command=test-config --input 'config-keys=dsv4-*' --format json\n  \
                  srtx-gh simulate --result plan=failure"
)]
pub(super) struct SimulateArgs {
    /// The workflow.
    #[arg(value_name = "WORKFLOW", default_value = ".github/workflows/sweep.yml")]
    workflow: String,

    /// The event [default: workflow_dispatch if the workflow has it, else its first].
    #[arg(long, value_name = "NAME")]
    event: Option<String>,

    /// The event's payload, a JSON file.
    #[arg(long, value_name = "FILE")]
    event_file: Option<std::path::PathBuf>,

    /// The ref, for example refs/heads/main.
    #[arg(long = "ref", value_name = "REF")]
    git_ref: Option<String>,

    /// Who started it.
    #[arg(long, value_name = "A")]
    actor: Option<String>,

    /// Labels of the pull request.
    #[arg(long, value_name = "L")]
    label: Vec<String>,

    /// Inputs of the dispatch or call.
    #[arg(long, value_name = "K=V", value_parser = pair)]
    input: Vec<(String, String)>,

    /// Configuration variables. With any given, all others are not set.
    #[arg(long, value_name = "K=V", value_parser = pair)]
    var: Vec<(String, String)>,

    /// Outputs of jobs that are assumed: the text itself, @FILE, or -.
    #[arg(long, value_name = "JOB.NAME=JSON", value_parser = pair)]
    output: Vec<(String, String)>,

    /// Outputs of jobs that are generated in this process: `plan.points='matrix full-sweep --points'` gives the list that
    /// the command prints, `plan.*='matrix full-sweep'` every output of the matrix action, the list of each lane included.
    #[arg(long, value_name = "JOB.NAME=COMMAND", value_parser = pair)]
    generate: Vec<(String, String)>,

    /// Results of jobs that are assumed: success, failure, cancelled or skipped.
    #[arg(long, value_name = "JOB=STATE", value_parser = pair)]
    result: Vec<(String, String)>,

    /// Show one leg whole.
    #[arg(long, value_name = "JOB[N]")]
    leg: Option<String>,

    /// Print the environment of one leg as shell exports.
    #[arg(long, value_name = "JOB[N]")]
    env_of: Option<String>,

    /// Rendering [default: tree on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
    /// The job tree.
    Table,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(super) fn run(args: &SimulateArgs, reporter: &mut Reporter) -> Exit {
    let request = match request(args) {
        Ok(request) => request,
        Err(Problem::Usage(message)) => return reporter.usage(&message),
        Err(Problem::Input(diagnostic)) => {
            reporter.found().push(*diagnostic);
            return Exit::Wrong;
        }
    };
    let mut request = request;
    match generated(&args.generate, reporter.found()) {
        Ok(Some(outputs)) => request.outputs.extend(outputs),
        Ok(None) => return Exit::Wrong,
        Err(message) => return reporter.usage(&message),
    }
    let documents = documents(&args.workflow, reporter.found());
    let library = library(&documents, reporter.found());
    let Some(workflow) = library.workflows.get(&args.workflow) else { return Exit::Wrong };
    if request.event.is_empty() {
        let dispatch = workflow.trigger("workflow_dispatch").or(workflow.triggers.first());
        request.event = dispatch.map(|trigger| trigger.event.to_owned()).unwrap_or_default();
    }
    let simulation = simulate(&args.workflow, &library, &InProcess::default(), &request, reporter.found());
    let printed = print(args, &simulation, reporter);
    if reporter.found().has_errors() { Exit::Wrong } else { printed }
}

enum Problem {
    Usage(String),
    Input(Box<Diagnostic>),
}

fn request(args: &SimulateArgs) -> Result<Request, Problem> {
    let mut request = Request {
        event: args.event.clone().unwrap_or_default(),
        git_ref: args.git_ref.clone(),
        actor: args.actor.clone(),
        labels: args.label.clone(),
        inputs: args.input.clone(),
        vars: args.var.clone(),
        ..Request::default()
    };
    if let Some(file) = &args.event_file {
        let source = read_source(file).map_err(|diagnostic| Problem::Input(Box::new(diagnostic)))?;
        request.payload = serde_json::from_str(source.text()).map_err(|error| {
            let message = format!("{} is no JSON: {error}", file.display());
            let diagnostic = Diagnostic::error(Code::BadInput, message).on_line(source.name(), error.line());
            Problem::Input(Box::new(diagnostic.help("give the payload of the event as GitHub sends it")))
        })?;
    }
    for (job, state) in &args.result {
        if !matches!(state.as_str(), "success" | "failure" | "cancelled" | "skipped") {
            return Err(Problem::Usage(format!(
                "--result {job}={state}: expected success, failure, cancelled or skipped"
            )));
        }
        request.results.insert(job.clone(), state.clone());
    }
    for (target, value) in &args.output {
        let Some((job, name)) = target.split_once('.') else {
            return Err(Problem::Usage(format!("--output {target}: expected JOB.NAME=VALUE")));
        };
        let text = json_argument(value).map_err(|diagnostic| Problem::Input(Box::new(diagnostic)))?;
        request.outputs.insert((job.to_owned(), name.to_owned()), text.trim_end().to_owned());
    }
    Ok(request)
}

type JobOutputs = Vec<((String, String), String)>;

/// The outputs that `--generate` asks for; `None` when the input of a command is wrong.
fn generated(asked: &[(String, String)], found: &mut Diagnostics) -> Result<Option<JobOutputs>, String> {
    let mut outputs = Vec::new();
    for (target, command) in asked {
        let (job, name) = target.split_once('.').ok_or(format!("--generate {target}: expected JOB.NAME=COMMAND"))?;
        let words = command.split_whitespace().map(|word| OsString::from(word.trim_matches(['\'', '"'])));
        let line: Vec<OsString> = std::iter::once(OsString::from("srtx-gh")).chain(words).collect();
        let no_command = || format!("--generate {target}: `{command}` is no matrix command");
        if name == "*" {
            let Some(all) = super::outputs_of(&line, found).ok_or_else(no_command)? else { return Ok(None) };
            outputs.extend(all.into_iter().map(|(name, value)| ((job.to_owned(), name), value)));
        } else {
            let Some(list) = super::list_of(&line, found).ok_or_else(no_command)? else { return Ok(None) };
            outputs.push(((job.to_owned(), name.to_owned()), list.trim_end().to_owned()));
        }
    }
    Ok(Some(outputs))
}

/// The workflow and every local workflow that it leads to, each read once.
fn documents(first: &str, found: &mut Diagnostics) -> Vec<(String, Document)> {
    let mut documents: Vec<(String, Document)> = Vec::new();
    let mut waiting = vec![(first.to_owned(), true)];
    while let Some((path, is_first)) = waiting.pop() {
        if documents.iter().any(|(known, _)| *known == path) {
            continue;
        }
        let source = match read_source(Path::new(&path)) {
            Ok(source) => source,
            // A missing callee is reported where it is called.
            Err(_) if !is_first => continue,
            Err(diagnostic) => {
                found.push(diagnostic);
                continue;
            }
        };
        let Some(document) = parse(&source, Schema::Core12, found) else { continue };
        let jobs = document.root().and_then(|root| root.get("jobs"));
        let calls = jobs.into_iter().flat_map(NodeRef::entries).filter_map(|(_, job)| job.get("uses")?.as_str());
        waiting.extend(calls.filter_map(local_workflow).map(|path| (path, false)));
        documents.push((path, document));
    }
    documents
}

fn library<'d>(documents: &'d [(String, Document)], found: &mut Diagnostics) -> Library<'d> {
    let mut library = Library::default();
    for (path, document) in documents {
        if let Some(workflow) = read_workflow(document, found) {
            library.workflows.insert(path.clone(), workflow);
        }
    }
    library
}

/// Runs our own actions in this process. A plan that is asked for twice is made once.
#[derive(Default)]
struct InProcess {
    made: RefCell<HashMap<Vec<OsString>, Pairs>>,
}

impl Actions for InProcess {
    fn run(&self, action: &str, inputs: &[(String, String)]) -> Option<Ran> {
        let line = match super::action::words_of(action, inputs)? {
            Ok(line) => line,
            Err(diagnostics) => return Some(Err(diagnostics)),
        };
        if let Some(outputs) = self.made.borrow().get(&line) {
            return Some(Ok(outputs.clone()));
        }
        let mut found = Diagnostics::new();
        let outputs = super::outputs_of(&line, &mut found)?;
        let result = outputs.ok_or_else(|| found.into_iter().collect::<Vec<_>>());
        if let Ok(outputs) = &result {
            self.made.borrow_mut().insert(line, outputs.clone());
        }
        Some(result)
    }
}

fn print(args: &SimulateArgs, simulation: &Simulation, reporter: &mut Reporter) -> Exit {
    if let Some(name) = args.env_of.as_deref().or(args.leg.as_deref()) {
        let Some((job, index)) = find_leg(simulation, name) else {
            return reporter.usage(&format!("there is no leg {name}; name a job by its path, and a leg as JOB[N]"));
        };
        let leg = &job.legs[index];
        if args.env_of.is_some() {
            let text = leg_exports(leg);
            return reporter.print(|out| out.write_all(text.as_bytes()));
        }
        return reporter.print(|out| {
            serde_json::to_writer_pretty(&mut *out, &LegJson(leg))?;
            writeln!(out)
        });
    }
    let default = if std::io::stdout().is_terminal() { Format::Table } else { Format::Json };
    let format = args.format.unwrap_or(default);
    if format == Format::Table {
        let text = tree(simulation);
        return reporter.print(|out| out.write_all(text.as_bytes()));
    }
    let problems = serde_json::from_str(&render_json(reporter.found().as_slice())).unwrap_or_default();
    let json = ForPrograms { simulation, problems: &problems };
    reporter.print(|out| {
        match format {
            Format::Json => serde_json::to_writer(&mut *out, &json)?,
            _ => serde_json::to_writer_pretty(&mut *out, &json)?,
        }
        writeln!(out)
    })
}

/// A leg by `JOB[N]`, `JOB` being a path or an id.
fn find_leg<'s>(
    simulation: &'s Simulation,
    name: &str,
) -> Option<(&'s crate::core::workflow::simulate::SimulatedJob, usize)> {
    let matching = |wanted: &str, index: usize| {
        let job = simulation.jobs.iter().find(|job| job.path == wanted || job.id == wanted)?;
        (index < job.legs.len()).then_some((job, index))
    };
    let by_index = name
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['))
        .and_then(|(job, index)| matching(job, index.parse().ok()?));
    by_index.or_else(|| matching(name, 0))
}
