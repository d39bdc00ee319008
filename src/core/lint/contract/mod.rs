//! The contract between workflows, launchers and benchmark scripts: who starts whom, and which variables they share.
//!
//! It exists only where a workflow starts a launcher, a script that asks Slurm or Docker for nodes. In any other checkout a
//! variable that nobody exports may come from whoever runs the script, and nothing is said.

mod calls;
mod dynamic;
mod exports;
mod known;
mod nearest;
mod passing;
mod runs;
mod unset;

use hashbrown::{HashMap, HashSet};

pub(super) use calls::{ANY, Values, calls_in};
pub(super) use exports::{Exported, Exports, Means, is_contract_name};
pub(super) use known::{is_knob, is_read_elsewhere, is_set_elsewhere};
pub(super) use nearest::nearest;
pub(super) use passing::{Passed, passed_to_container, passed_to_step};
pub(super) use runs::{RunBlock, steps_of};
pub(super) use unset::{Class, Unset};

use super::repository::{Repository, ScriptLanguage};
use crate::core::shell::{self, AssignmentKind, Read, ReadKind, Span};

/// What the rules on environment variables share.
#[derive(Debug)]
pub(super) struct Contract<'d> {
    /// The scripts of `run:`.
    pub(super) runs: Vec<RunBlock<'d>>,
    /// For each run the scripts that it starts.
    pub(super) started_by_runs: Vec<Vec<usize>>,
    /// For each script what the others are to it.
    pub(super) ties: Vec<Ties>,
    /// The scripts that start nodes, as indices.
    pub(super) launchers: Vec<usize>,
    /// What is exported.
    pub(super) exports: Exports<'d>,
    /// Functions that check the variables which their arguments name.
    checkers: HashSet<&'d str>,
    unset: std::cell::OnceCell<Vec<Unset<'d>>>,
}

/// What a script has to do with others.
#[derive(Debug, Default, Clone)]
pub(super) struct Ties {
    /// Scripts that it starts.
    pub(super) starts: Vec<usize>,
    /// Scripts that it sources.
    pub(super) sources: Vec<usize>,
    /// Scripts that start it.
    pub(super) started_by: Vec<usize>,
    /// Scripts that source it.
    pub(super) sourced_by: Vec<usize>,
    /// Whether it sources a file that may set anything.
    pub(super) sources_unknown: bool,
    /// Whether it is part of the contract.
    pub(super) in_scope: bool,
    /// Whether a workflow that exports the settings of configs leads to it, or nobody knows.
    pub(super) sees_settings: bool,
}

/// A variable that a script cannot do without.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requirement<'d> {
    pub(super) name: &'d str,
    pub(super) span: Span,
}

impl<'d> Contract<'d> {
    pub(super) fn of(repository: &Repository<'d>) -> Self {
        let runs = runs::run_blocks(repository);
        let names: Vec<&str> = repository.scripts.iter().map(|script| script.source.name()).collect();
        let mut ties: Vec<Ties> = vec![Ties::default(); names.len()];
        let mut folders: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        let mut checkers: HashSet<&'d str> = HashSet::from_iter(["check_env_vars"]);
        for (index, script) in repository.scripts.iter().enumerate() {
            let Some(shell) = script.shell() else { continue };
            checkers.extend(shell.facts.functions.iter().filter(|one| one.checks_arguments).map(|one| one.name));
            let (starts, open) = started(shell, names[index], &names);
            ties[index].starts = starts;
            folders[index] = open;
            tie_sources(index, shell, &names, &mut ties);
        }
        for index in 0..ties.len() {
            for started in ties[index].starts.clone() {
                ties[started].started_by.push(index);
            }
        }
        let mut started_by_runs = Vec::new();
        for run in &runs {
            started_by_runs.push(started(&run.shell, "", &names).0);
        }
        let launchers = launchers(repository, &started_by_runs);
        let exports = Exports::of(repository, &runs);
        let mut contract =
            Self { runs, started_by_runs, ties, launchers, exports, checkers, unset: Default::default() };
        contract.mark_scope(&names, &folders);
        contract.mark_settings();
        contract
    }

    /// The scripts that one command of a script can start.
    pub(super) fn started_by_command(
        &self,
        repository: &Repository<'d>,
        script: usize,
        shell: &shell::Script<'d>,
        command: shell::CommandId,
        values: &Values<'_, 'd>,
    ) -> Vec<usize> {
        let from = repository.scripts[script].source.name();
        started_by(repository, from, shell, command, values)
    }

    /// The scripts that one command of a `run:` can start.
    pub(super) fn started_by_run_command(
        &self,
        repository: &Repository<'d>,
        run: &RunBlock<'d>,
        command: shell::CommandId,
    ) -> Vec<usize> {
        started_by(repository, "", &run.shell, command, &Values::of(&run.shell))
    }

    /// Names out of these that scripts make at run time.
    pub(super) fn made_names<'n>(
        repository: &Repository<'d>,
        names: impl Iterator<Item = &'n str>,
    ) -> HashSet<&'n str> {
        let mut names = names.peekable();
        if names.peek().is_none() {
            return HashSet::new();
        }
        let patterns = dynamic::made_names(repository);
        names.filter(|name| dynamic::may_be_made(name, &patterns)).collect()
    }

    /// The workflows and actions with a step that starts a launcher.
    pub(super) fn launching_files(&self) -> HashSet<&'d str> {
        let launches = |started: &[usize]| started.iter().any(|script| self.launchers.contains(script));
        let runs = self.runs.iter().zip(&self.started_by_runs);
        runs.filter(|(_, started)| launches(started)).map(|(run, _)| run.source().name()).collect()
    }

    /// Launchers, what they start and source, and the folders from which they pick.
    fn mark_scope(&mut self, names: &[&str], folders: &[Vec<String>]) {
        let mut open = self.launchers.clone();
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut self.ties[index].in_scope, true) {
                continue;
            }
            open.extend(self.ties[index].starts.iter().chain(&self.ties[index].sources));
            for folder in &folders[index] {
                let below = |name: &str| name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
                open.extend(names.iter().enumerate().filter(|(_, name)| below(name)).map(|(at, _)| at));
            }
        }
    }

    fn mark_settings(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        let mut led_to = vec![false; self.ties.len()];
        for (pass, with_settings) in [false, true].into_iter().enumerate() {
            for (run, started) in self.runs.iter().zip(&self.started_by_runs) {
                if with_settings != run.shell.facts.unknown_exports.is_empty() {
                    open.extend(started);
                }
            }
            let mut seen = vec![false; self.ties.len()];
            while let Some(index) = open.pop() {
                if !std::mem::replace(&mut seen[index], true) {
                    led_to[index] = true;
                    self.ties[index].sees_settings |= pass == 1;
                    open.extend(self.ties[index].starts.iter().chain(&self.ties[index].sources));
                }
            }
        }
        for (ties, led_to) in self.ties.iter_mut().zip(led_to) {
            ties.sees_settings |= !led_to;
        }
    }

    /// Whether anybody exports a variable to a script, or something outside of the checkout may.
    pub(super) fn is_exported_to(&self, script: usize, name: &str) -> bool {
        let settings = &self.exports.settings;
        is_set_elsewhere(name)
            || self.exports.has(name)
            || settings.contains(name) && self.ties[script].sees_settings
            || self.is_passed_to(script, name)
    }

    /// Whether a script that leads to this one hands the variable on.
    fn is_passed_to(&self, script: usize, name: &str) -> bool {
        let passers = self.exports.passed_by(name);
        if passers.is_empty() {
            return false;
        }
        passers.contains(&None) || self.ancestors(script).iter().any(|ancestor| passers.contains(&Some(*ancestor)))
    }

    /// The scripts that lead to a script: those that start it or a script that sources it, and so on.
    pub(super) fn ancestors(&self, script: usize) -> Vec<usize> {
        let mut seen: HashSet<usize> = HashSet::from_iter([script]);
        let mut open = vec![script];
        let mut all = Vec::new();
        while let Some(index) = open.pop() {
            let ties = &self.ties[index];
            for &parent in &ties.started_by {
                if seen.insert(parent) {
                    all.push(parent);
                    open.push(parent);
                }
            }
            open.extend(ties.sourced_by.iter().copied().filter(|parent| seen.insert(*parent)));
        }
        all.sort_unstable();
        all
    }

    /// The scripts whose variables are one with those of a script: what it sources, who sources it, and what those source.
    pub(super) fn same_shell(&self, script: usize) -> Vec<usize> {
        let mut all = vec![script];
        let mut at = 0;
        let down = |all: &mut Vec<usize>, from: usize| {
            let mut at = from;
            while at < all.len() {
                for &next in &self.ties[all[at]].sources {
                    if !all.contains(&next) {
                        all.push(next);
                    }
                }
                at += 1;
            }
        };
        down(&mut all, 0);
        // A library is read in the shell of each script that sources it.
        let mut parents = vec![script];
        while at < parents.len() && parents.len() < MAX_PARENTS {
            for &parent in &self.ties[parents[at]].sourced_by {
                if !parents.contains(&parent) {
                    parents.push(parent);
                }
            }
            at += 1;
        }
        for parent in parents {
            if !all.contains(&parent) {
                let from = all.len();
                all.push(parent);
                down(&mut all, from);
            }
        }
        all
    }

    /// What a script requires: `${X:?}`, checks of names in loops, and calls of functions that check.
    pub(super) fn requirements(&self, shell: &shell::Script<'d>) -> Vec<Requirement<'d>> {
        let of_reads = shell.facts.reads.iter().filter(|read| read.kind == ReadKind::Required && !read.by_child);
        let mut all: Vec<Requirement<'d>> =
            of_reads.map(|read| Requirement { name: read.name, span: read.span }).collect();
        for command in &shell.commands {
            if !self.checkers.contains(&*command.name()) {
                continue;
            }
            for word in command.arguments() {
                if let [shell::Part::Literal(literal)] = word.parts.as_slice()
                    && is_contract_name(literal.text)
                {
                    all.push(Requirement { name: literal.text, span: literal.span });
                }
            }
        }
        all
    }
}

/// A library that more scripts source than these has met all variables there are.
const MAX_PARENTS: usize = 512;

/// The scripts that a shell text starts, and the folders from which it picks.
fn started(shell: &shell::Script<'_>, from: &str, names: &[&str]) -> (Vec<usize>, Vec<String>) {
    let values = Values::of(shell);
    let mut starts: Vec<usize> = Vec::new();
    let mut folders: Vec<String> = Vec::new();
    for call in calls_in(shell, &values) {
        let files = calls::files_of(&call.pattern, from, names);
        if let (false, Some(folder)) = (files.is_empty(), calls::open_folder(&call.pattern)) {
            folders.push(folder.to_owned());
        }
        starts.extend(files);
    }
    starts.sort_unstable();
    starts.dedup();
    folders.sort_unstable();
    folders.dedup();
    (starts, folders)
}

fn started_by<'d>(
    repository: &Repository<'d>,
    from: &str,
    shell: &shell::Script<'d>,
    command: shell::CommandId,
    values: &Values<'_, 'd>,
) -> Vec<usize> {
    let names: Vec<&str> = repository.scripts.iter().map(|script| script.source.name()).collect();
    let calls = calls_in(shell, values).into_iter().filter(|call| call.command == command);
    let mut found: Vec<usize> = calls.flat_map(|call| calls::files_of(&call.pattern, from, &names)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn tie_sources(index: usize, shell: &shell::Script<'_>, names: &[&str], ties: &mut [Ties]) {
    for source in &shell.facts.sources {
        let found = calls::files_of(&source.pattern, names[index], names);
        ties[index].sources_unknown |= found.is_empty() && !sets_nothing(&source.pattern);
        for file in found.into_iter().filter(|file| *file != index) {
            if !ties[index].sources.contains(&file) {
                ties[index].sources.push(file);
                ties[file].sourced_by.push(index);
            }
        }
    }
}

/// Whether a sourced file that is not of the checkout is known to set nothing of the contract.
fn sets_nothing(pattern: &str) -> bool {
    const KNOWN: [&str; 6] = ["bin/activate", "/etc/profile", ".bashrc", "modules.sh", "init/bash", "conda.sh"];
    KNOWN.iter().any(|known| pattern.ends_with(known)) || pattern.ends_with(".cargo/env")
}

/// Scripts that workflows start and that ask Slurm or Docker for nodes, or are called launchers.
fn launchers(repository: &Repository<'_>, started_by_runs: &[Vec<usize>]) -> Vec<usize> {
    let mut found: Vec<usize> = started_by_runs.iter().flatten().copied().collect();
    found.sort_unstable();
    found.dedup();
    found.retain(|&index| {
        repository.scripts[index]
            .shell()
            .is_some_and(|shell| starts_nodes(repository.scripts[index].source.name(), shell))
    });
    found
}

/// Whether a command does the work of a script, so that its failure is the script's.
pub(super) fn does_work(command: &shell::Command<'_>) -> bool {
    const WORKERS: [&str; 6] = ["srun", "mpirun", "mpiexec", "torchrun", "srtctl", "apptainer"];
    let program = command.program().first();
    let name = program.and_then(shell::Word::literal).unwrap_or_default();
    let first = command.program_arguments().first();
    let is_script = |word: &shell::Word<'_>| {
        let pattern = shell::pattern_of(&word.parts);
        pattern.ends_with(".sh") || pattern.ends_with(".py") || pattern == "*"
    };
    WORKERS.iter().any(|worker| command.runs(worker))
        || (command.runs("docker") || command.runs("podman")) && first.is_some_and(|word| word.is("run"))
        || ["bash", "sh", "python", "python3"].iter().any(|shell| command.runs(shell)) && first.is_some_and(is_script)
        || name.ends_with(".sh") && name.contains('/')
        || program.is_some_and(|word| shell::pattern_of(&word.parts).ends_with(".sh"))
}

/// Whether a script asks for nodes, or is called a launcher.
pub(super) fn starts_nodes(name: &str, shell: &shell::Script<'_>) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.starts_with("launch")
        || shell.commands.iter().any(|command| {
            ["salloc", "sbatch", "srun", "srtctl"].iter().any(|name| command.runs(name))
                || command.runs("docker") && command.program_arguments().first().is_some_and(|word| word.is("run"))
        })
}

/// How a script treats the variables of its environment: which it sets for itself, and which it only completes.
#[derive(Debug, Default)]
pub(super) struct Own<'d> {
    /// Variables that get a value of the script's own.
    pub(super) set: HashSet<&'d str>,
    /// Variables that keep the value they have, or get a default: `X=${X:-d}`.
    pub(super) completed: HashSet<&'d str>,
}

impl<'d> Own<'d> {
    pub(super) fn of(shell: &shell::Script<'d>) -> Self {
        let facts = &shell.facts;
        let mut completions: HashMap<&str, Vec<Span>> = HashMap::new();
        for read in facts.reads.iter().filter(|read| read.becomes == Some(read.name)) {
            completions.entry(read.name).or_default().push(read.span);
        }
        let mut own = Self::default();
        for one in facts.assignments.iter().filter(|one| !one.by_child && one.kind != AssignmentKind::Prefix) {
            let command = one.command.and_then(|id| shell.commands.get(id));
            let completes = one.kind == AssignmentKind::Default
                || command.is_some_and(|command| {
                    let spans = completions.get(one.name).map_or(&[][..], Vec::as_slice);
                    spans.iter().any(|span| command.span.contains(*span))
                });
            if completes {
                own.completed.insert(one.name)
            } else {
                own.set.insert(one.name)
            };
        }
        own
    }

    fn add(&mut self, other: &Self) {
        self.set.extend(&other.set);
        self.completed.extend(&other.completed);
    }
}

/// For each script of the contract the variables that its shell has by itself. Libraries are added once.
pub(super) fn own_variables<'d>(repository: &Repository<'d>, contract: &Contract<'d>) -> Vec<Own<'d>> {
    let alone: Vec<Own<'d>> =
        repository.scripts.iter().map(|script| script.shell().map(Own::of).unwrap_or_default()).collect();
    let mut all = Vec::with_capacity(alone.len());
    for script in 0..alone.len() {
        let mut own = Own::default();
        if contract.ties[script].in_scope {
            contract.same_shell(script).into_iter().for_each(|other| own.add(&alone[other]));
        }
        all.push(own);
    }
    all
}

/// The reads of a script that concern its own environment, by name, in source order.
pub(super) fn reads_by_name<'s, 'd>(shell: &'s shell::Script<'d>) -> Vec<(&'d str, Vec<&'s Read<'d>>)> {
    let mut order: Vec<(&'d str, Vec<&'s Read<'d>>)> = Vec::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    for read in shell.facts.reads.iter().filter(|read| is_contract_name(read.name)) {
        let at = *index.entry(read.name).or_insert_with(|| {
            order.push((read.name, Vec::new()));
            order.len() - 1
        });
        order[at].1.push(read);
    }
    order
}

/// Whether a script is Python: it reads its environment, and sets nothing of it.
pub(super) fn is_python(repository: &Repository<'_>, script: usize) -> bool {
    repository.scripts[script].language == ScriptLanguage::Python
}
