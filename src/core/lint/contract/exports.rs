//! Who puts which variable into the environment.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::super::repository::{Repository, ScriptLanguage};
use super::super::tree::{Role, role_of};
use super::Own;
use super::runs::{RunBlock, steps_of};
use crate::core::diag::Source;
use crate::core::shell::{self, AssignmentKind, Part, RunnerFile, Span, environment_uses};
use crate::core::workflow::{Call, Job, JobBody};
use crate::core::yaml::{Kind, NodeRef};

/// By what means a variable gets into the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::core::lint) enum Means {
    /// `env:` of a workflow, a job, or a step that runs a script.
    Workflow,
    /// `env:` of a step that uses an action, or of a container.
    Elsewhere,
    /// `$GITHUB_ENV`
    RunnerFile,
    /// `export` in a script or a `run:`.
    Script,
}

/// A variable that the checkout exports, and where.
#[derive(Debug, Clone)]
pub(in crate::core::lint) struct Exported<'d> {
    pub(in crate::core::lint) name: &'d str,
    pub(in crate::core::lint) means: Means,
    pub(in crate::core::lint) source: &'d Arc<Source>,
    pub(in crate::core::lint) span: Range<usize>,
    /// The script, as an index, for an export of a script.
    pub(in crate::core::lint) script: Option<usize>,
}

/// Everything that is exported anywhere.
#[derive(Debug, Default)]
pub(in crate::core::lint) struct Exports<'d> {
    /// With their places, in source order.
    pub(in crate::core::lint) places: Vec<Exported<'d>>,
    /// The names that somebody gives a value: by any means, for any command.
    names: HashSet<&'d str>,
    /// Those that something else than a script gives a value: a workflow, a `run:`, a config.
    given_outside: HashSet<&'d str>,
    /// For each of the others the scripts that do.
    givers: HashMap<&'d str, Vec<usize>>,
    /// The names that a script only hands on, `-e X="$X"` or `export X="${X:-d}"`, and the scripts that do; `None` is a `run:`.
    passed: HashMap<&'d str, Vec<Option<usize>>>,
    /// Words of configs that a workflow exports as they are.
    pub(in crate::core::lint) settings: HashSet<&'d str>,
}

impl<'d> Exports<'d> {
    pub(in crate::core::lint) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether one of these scripts gives a variable a value or hands it on, or something that is no script may.
    pub(super) fn may_come_from(&self, name: &str, scripts: &HashSet<usize>) -> bool {
        let given = self.givers.get(name).map_or(&[][..], Vec::as_slice);
        self.given_outside.contains(name)
            || self.settings.contains(name)
            || given.iter().any(|giver| scripts.contains(giver))
            || self.passed_by(name).iter().any(|passer| passer.is_none_or(|passer| scripts.contains(&passer)))
    }

    /// The scripts that hand a variable on to what they start.
    pub(super) fn passed_by(&self, name: &str) -> &[Option<usize>] {
        self.passed.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn of(repository: &Repository<'d>, runs: &[RunBlock<'d>]) -> Self {
        let mut exports = Self::default();
        exports.of_workflows(repository);
        for run in runs {
            let locate = |span| run.locate(span);
            exports.of_shell(run.source(), &run.shell, None, &locate);
        }
        for (index, script) in repository.scripts.iter().enumerate() {
            match script.language {
                ScriptLanguage::Python => {
                    let set = environment_uses(script.source.text()).into_iter().filter(|one| one.read.is_none());
                    set.for_each(|one| exports.give(one.name, true, None));
                }
                ScriptLanguage::Shell => {
                    if let Some(shell) = script.shell() {
                        exports.of_shell(script.source, shell, Some(index), &Span::range);
                    }
                }
            }
        }
        exports.of_configs(repository);
        exports
    }

    fn add(&mut self, name: &'d str, means: Means, source: &'d Arc<Source>, span: Range<usize>, script: Option<usize>) {
        self.give(name, true, None);
        self.places.push(Exported { name, means, source, span, script });
    }

    fn of_env(&mut self, env: Option<NodeRef<'d>>, means: Means) {
        for (key, _) in env.into_iter().flat_map(NodeRef::entries) {
            if let Some(name) = key.scalar_text() {
                self.add(name, means, key.source(), key.site(), None);
            }
        }
    }

    fn of_workflows(&mut self, repository: &Repository<'d>) {
        for file in &repository.workflows {
            self.of_env(file.workflow.env, Means::Workflow);
            for job in &file.workflow.jobs {
                self.of_env(job.env, Means::Workflow);
                let container = job.node.get("container").and_then(|container| container.get("env"));
                self.of_env(container, Means::Elsewhere);
                for step in steps_of(job) {
                    self.of_env(step.env, if step.run.is_some() { Means::Workflow } else { Means::Elsewhere });
                }
            }
        }
        for step in repository.actions.iter().flat_map(|file| &file.action.steps) {
            self.of_env(step.env, if step.run.is_some() { Means::Workflow } else { Means::Elsewhere });
        }
    }

    fn of_shell(
        &mut self,
        source: &'d Arc<Source>,
        script: &shell::Script<'d>,
        index: Option<usize>,
        locate: &dyn Fn(Span) -> Range<usize>,
    ) {
        let facts = &script.facts;
        let own = Own::of(script);
        for one in &facts.exports {
            self.places.push(Exported {
                name: one.name,
                means: Means::Script,
                source,
                span: locate(one.span),
                script: index,
            });
            self.give(one.name, own.set.contains(one.name), index);
        }
        for one in facts.assignments.iter().filter(|one| one.kind == AssignmentKind::Prefix) {
            let command = one.command.and_then(|id| script.commands.get(id));
            let is_own = |read: &shell::Read<'_>| {
                read.becomes == Some(one.name)
                    && read.name == one.name
                    && command.is_some_and(|command| command.span.contains(read.span))
            };
            self.give(one.name, !facts.reads.iter().any(is_own), index);
        }
        for write in facts.writes.iter().filter(|write| write.file == RunnerFile::Env) {
            // The name stands in the text, whatever quotes are around it.
            let text = &source.text()[locate(write.span)];
            if let Some(at) = text.find(write.name.as_ref()) {
                let name = &text[at..at + write.name.len()];
                self.add(name, Means::RunnerFile, source, locate(write.span), index);
            }
        }
        for command in &script.commands {
            // What is printed is no environment, but for `>> "$GITHUB_ENV"`, which was looked at above.
            let prints = matches!(&*command.name(), "echo" | "printf");
            for word in command.assigning_words() {
                self.of_parts(word.value(), index);
            }
            let words = if prints || command.is_declaration() { &[] } else { command.words.as_slice() };
            words.iter().for_each(|word| self.of_parts(Some(&word.parts), index));
        }
        for heredoc in &script.heredocs {
            self.of_parts(Some(&heredoc.parts), index);
        }
    }

    /// Somebody gives a variable a value, or only hands it on.
    fn give(&mut self, name: &'d str, has_value: bool, script: Option<usize>) {
        if has_value {
            self.names.insert(name);
            match script {
                Some(script) => self.givers.entry(name).or_default().push(script),
                None => drop(self.given_outside.insert(name)),
            }
        } else {
            self.passed.entry(name).or_default().push(script);
        }
    }

    /// `-e X=1`, `--export=ALL,X=1`, and lines of scripts that are written: `X=1` anywhere in a text.
    fn of_parts(&mut self, parts: Option<&[Part<'d>]>, script: Option<usize>) {
        let parts = parts.unwrap_or_default();
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(literal) => {
                    for (sign, _) in literal.text.match_indices('=') {
                        let Some(name) = name_before(literal.text, sign) else { continue };
                        let ends = sign + 1 == literal.text.len();
                        let itself = matches!(parts.get(at + 1), Some(Part::Variable(next)) if next.name == name);
                        self.give(name, !(ends && itself), script);
                    }
                }
                Part::Array(_, words) => words.iter().for_each(|word| self.of_parts(Some(&word.parts), script)),
                _ => {}
            }
        }
    }

    /// `KEY=value` in a text that a workflow may export.
    fn of_setting(&mut self, text: &'d str) {
        let names = text.match_indices('=').filter_map(|(at, _)| name_before(text, at));
        self.settings.extend(names);
    }

    /// `KEY=value` words of master configs and of calls, and names that recipes give their processes.
    fn of_configs(&mut self, repository: &Repository<'d>) {
        let jobs = repository.workflows.iter().flat_map(|file| &file.workflow.jobs);
        for (_, _, value) in jobs.filter_map(call_of).flat_map(|call| &call.with) {
            self.of_setting(value.as_str().unwrap_or_default());
        }
        for document in repository.master_documents() {
            let mut open: Vec<NodeRef<'d>> = document.root().into_iter().collect();
            while let Some(node) = open.pop() {
                match node.kind() {
                    Kind::Str(text) => self.of_setting(text),
                    Kind::List if !node.is_alias() => open.extend(node.items()),
                    Kind::Map if !node.is_alias() => open.extend(node.entries().map(|(_, value)| value)),
                    _ => {}
                }
            }
        }
        for source in repository.texts() {
            if matches!(role_of(source.name()), Some(Role::Recipe | Role::Text)) {
                let text = source.text();
                for (at, _) in text.match_indices([':', '=']) {
                    if let Some(name) = name_before(text, at) {
                        self.give(name, true, None);
                    }
                }
            }
        }
    }
}

fn call_of<'r, 'd>(job: &'r Job<'d>) -> Option<&'r Call<'d>> {
    match &job.body {
        JobBody::Call(call) => Some(call),
        JobBody::Steps(_) => None,
    }
}

/// The name that ends in front of a place.
fn name_before(text: &str, at: usize) -> Option<&str> {
    let bytes = &text.as_bytes()[..at];
    let length = bytes.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let name = &text[at - length..at];
    let before = bytes[..at - length].last();
    (is_contract_name(name) && !matches!(before, Some(b'$' | b'{' | b'-' | b'.'))).then_some(name)
}

/// Whether a name looks like one of a contract between programs: upper case, and not a single letter.
pub(in crate::core::lint) fn is_contract_name(name: &str) -> bool {
    name.len() > 1
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && name.bytes().any(|b| b.is_ascii_uppercase())
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
