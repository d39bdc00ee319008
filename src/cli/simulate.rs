//! `srtx-gh simulate`

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::Exit;
use super::files::read_source;
use super::point::json_argument;
use super::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics, render_json};
use crate::core::schema::suggestion;
use crate::core::workflow::simulate::{
    Actions, ForPrograms, LegJson, Library, Pairs, Ran, Request, Simulation, leg_exports, local_action, local_workflow,
    simulate, tree,
};
use crate::core::workflow::{read_action, read_workflow};
use crate::core::yaml::{Document, NodeRef, Schema, parse};

/// The workflow that is shown when none is named.
const DEFAULT_WORKFLOW: &str = ".github/workflows/sweep.yml";

/// Show what a workflow would do, job by job, without running it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  srtx-gh simulate\n  srtx-gh simulate .github/workflows/run-sweep.yml --event pull_request --label full-sweep\n  \
                  srtx-gh simulate --input command=test-config --input 'config-keys=dsv4-*' --format json\n  \
                  srtx-gh simulate --result plan=failure"
)]
pub(super) struct SimulateArgs {
    /// The workflow.
    #[arg(value_name = "WORKFLOW", default_value = DEFAULT_WORKFLOW)]
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
    if let Some(diagnostic) = no_default_workflow(&args.workflow) {
        reporter.found().push(diagnostic);
        return Exit::Wrong;
    }
    let files = Files::read(&args.workflow, reporter.found());
    let library = files.library(reporter.found());
    let Some(workflow) = library.workflows.get(&args.workflow) else { return Exit::Wrong };
    if let Err(message) = check_jobs(&request, &library) {
        return reporter.usage(&message);
    }
    if request.event.is_empty() {
        let dispatch = workflow.trigger("workflow_dispatch").or(workflow.triggers.first());
        request.event = dispatch.map(|trigger| trigger.event.to_owned()).unwrap_or_default();
    }
    let simulation = simulate(&args.workflow, &library, &InProcess::new(), &request, reporter.found());
    let printed = print(args, &simulation, reporter);
    if printed == Exit::Done && reporter.found().has_errors() { Exit::Wrong } else { printed }
}

/// A repository without our sweep has other workflows to look at.
fn no_default_workflow(path: &str) -> Option<Diagnostic> {
    if path != DEFAULT_WORKFLOW || Path::new(path).exists() {
        return None;
    }
    let entries = std::fs::read_dir(".github/workflows").into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".yml") || name.ends_with(".yaml")).collect();
    names.sort();
    let diagnostic = Diagnostic::error(Code::FileUnreadable, format!("{path} does not exist")).in_file(path);
    Some(match names.first() {
        Some(first) => diagnostic.help(format!(
            "name a workflow, for example srtx-gh simulate .github/workflows/{first}; there are {}",
            names.join(", ")
        )),
        None => diagnostic.help("name a workflow: srtx-gh simulate PATH"),
    })
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

/// What is assumed of jobs names jobs: a misspelled one would silently change nothing.
fn check_jobs(request: &Request, library: &Library<'_>) -> Result<(), String> {
    let known: Vec<&str> = library.workflows.values().flat_map(|workflow| &workflow.jobs).map(|job| job.id).collect();
    let outputs = request.outputs.keys().map(|(job, name)| (job, format!("{job}.{name}")));
    for (job, given) in outputs.chain(request.results.keys().map(|job| (job, job.clone()))) {
        let id = job.rsplit('/').next().unwrap_or(job);
        if known.contains(&id) {
            continue;
        }
        let near = suggestion(id, known.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
        return Err(format!("{given}: there is no job `{job}`{}", near.unwrap_or_default()));
    }
    Ok(())
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

/// A workflow, and every local workflow and action that it leads to, each read once.
#[derive(Default)]
struct Files {
    workflows: Vec<(String, Document)>,
    /// By their folder; `None` for one that is there and cannot be looked into.
    actions: Vec<(String, Option<Document>)>,
}

impl Files {
    fn read(first: &str, found: &mut Diagnostics) -> Self {
        let mut files = Self::default();
        let mut seen: HashSet<String> = HashSet::from([first.to_owned()]);
        let mut waiting = vec![first.to_owned()];
        while let Some(path) = waiting.pop() {
            let is_first = files.workflows.is_empty() && path == first;
            // A missing callee is reported where it is called.
            if !is_first && !Path::new(&path).exists() {
                continue;
            }
            let Some(document) = document(Path::new(&path), !is_first, found) else { continue };
            let jobs = document.root().and_then(|root| root.get("jobs"));
            for (_, job) in jobs.into_iter().flat_map(NodeRef::entries) {
                let called = job.get("uses").and_then(NodeRef::as_str).and_then(local_workflow);
                waiting.extend(called.filter(|path| seen.insert(path.clone())));
                files.read_actions(job.get("steps"), found);
            }
            files.workflows.push((path, document));
        }
        files
    }

    /// The actions that steps use, and those that these use.
    fn read_actions(&mut self, steps: Option<NodeRef<'_>>, found: &mut Diagnostics) {
        let mut waiting = folders(steps);
        while let Some(folder) = waiting.pop() {
            if self.actions.iter().any(|(known, _)| *known == folder) {
                continue;
            }
            let root = Path::new(if folder.is_empty() { "." } else { &folder });
            let file = ["action.yml", "action.yaml"].iter().map(|name| root.join(name)).find(|file| file.exists());
            let document = match file {
                Some(file) => document(file.strip_prefix(".").unwrap_or(&file), true, found),
                None if root.join("Dockerfile").exists() => None,
                None => continue,
            };
            let steps = document.as_ref().and_then(Document::root).and_then(|root| root.get("runs")?.get("steps"));
            waiting.extend(folders(steps));
            self.actions.push((folder, document));
        }
    }

    fn library(&self, found: &mut Diagnostics) -> Library<'_> {
        let mut library = Library::default();
        for (path, document) in &self.workflows {
            if let Some(workflow) = read_workflow(document, found) {
                library.workflows.insert(path.clone(), workflow);
            }
        }
        for (folder, document) in &self.actions {
            let action = document.as_ref().and_then(|document| read_action(document, found));
            library.actions.insert(folder.clone(), action);
        }
        library
    }
}

fn folders(steps: Option<NodeRef<'_>>) -> Vec<String> {
    let uses = steps.into_iter().flat_map(NodeRef::items).filter_map(|step| step.get("uses")?.as_str());
    uses.filter_map(local_action).map(str::to_owned).collect()
}

/// A document of a workflow or action. One that is only led to must be a file: a pipe would be waited for.
fn document(path: &Path, must_be_file: bool, found: &mut Diagnostics) -> Option<Document> {
    if must_be_file && !path.is_file() {
        let name = path.display().to_string();
        let message = format!("{name} is no file that can be read");
        found.push(Diagnostic::error(Code::FileUnreadable, message).in_file(name).help("expected a YAML file"));
        return None;
    }
    match read_source(path) {
        Ok(source) => parse(&source, Schema::Core12, found),
        Err(diagnostic) => {
            found.push(diagnostic);
            None
        }
    }
}

/// How long a simulation may take. The largest sweep takes less than a second where nothing else runs.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs our own actions in this process. A plan that is asked for twice is made once.
struct InProcess {
    made: RefCell<HashMap<Vec<OsString>, Pairs>>,
    started: Instant,
}

impl InProcess {
    fn new() -> Self {
        Self { made: RefCell::default(), started: Instant::now() }
    }
}

impl Actions for InProcess {
    fn is_out_of_time(&self) -> bool {
        self.started.elapsed() > PATIENCE
    }

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
            return reporter.usage(&no_leg(simulation, name));
        };
        let leg = &job.legs[index];
        if args.env_of.is_some() {
            let text = leg_exports(leg);
            return reporter.print(|out| out.write_all(text.as_bytes()));
        }
        let is_compact = args.format == Some(Format::Json);
        return reporter.print(|out| {
            match is_compact {
                true => serde_json::to_writer(&mut *out, &LegJson(leg))?,
                false => serde_json::to_writer_pretty(&mut *out, &LegJson(leg))?,
            }
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

fn no_leg(simulation: &Simulation, name: &str) -> String {
    let wanted = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')).map_or(name, |(job, _)| job);
    let job = simulation.jobs.iter().find(|job| job.path == wanted || job.id == wanted);
    match job {
        Some(job) if job.legs.is_empty() => {
            format!("there is no leg {name}: the job {} has none ({})", job.path, job.state.word())
        }
        Some(job) => {
            format!("there is no leg {name}: those of {0} are {0}[0] to {0}[{1}]", job.path, job.legs.len() - 1)
        }
        None => {
            let near = suggestion(wanted, simulation.jobs.iter().map(|job| &*job.path));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("there is no job {wanted}: name it by its path, and a leg as JOB[N]{near}")
        }
    }
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
