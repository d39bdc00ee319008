//! The checkout as the rules see it.

use std::cell::OnceCell;
use std::sync::Arc;

use super::contract::Contract;
use super::matrix::{MatrixUse, matrix_uses};
use super::sites::{Owner, Site, sites_of_action, sites_of_workflow};
use super::tree::{Role, Tree, role_of};
use crate::core::config::{Config, Rules, Runners, detect_rules, load_runners, merge_masters};
use crate::core::diag::{Diagnostics, Source};
use crate::core::matrix::{Inputs, Options, Recipes, Row, Selection, generate};
use crate::core::shell;
use crate::core::workflow::{Action, Workflow, read_action, read_workflow};
use crate::core::yaml::{Document, Schema, parse};

/// The YAML files of a checkout, each parsed once.
#[derive(Debug, Default)]
pub struct Documents {
    workflows: Vec<Document>,
    actions: Vec<Document>,
    masters: Vec<Document>,
    runners: Option<Document>,
    /// What is wrong with manifests of actions, by file.
    broken_actions: Vec<(Arc<Source>, Diagnostics)>,
}

impl Documents {
    /// Parses what the rules read. What is no YAML goes to `found`, and is left out.
    pub fn read(tree: &Tree, found: &mut Diagnostics) -> Self {
        let mut documents = Self::default();
        for source in &tree.files {
            match role_of(source.name()) {
                Some(Role::Workflow) => documents.workflows.extend(parse(source, Schema::Core12, found)),
                Some(Role::Action) => {
                    let mut problems = Diagnostics::new();
                    documents.actions.extend(parse(source, Schema::Core12, &mut problems));
                    if problems.has_errors() {
                        documents.broken_actions.push((Arc::clone(source), problems));
                    }
                }
                Some(Role::Master) => documents.masters.extend(parse(source, Schema::V11, found)),
                Some(Role::Runners) if documents.runners.is_none() => {
                    documents.runners = parse(source, Schema::V11, found);
                }
                _ => {}
            }
        }
        documents
    }
}

/// Everything that the rules look at.
#[derive(Debug)]
pub struct Repository<'d> {
    tree: &'d Tree,
    documents: &'d Documents,
    /// The workflows, by name.
    pub workflows: Vec<WorkflowFile<'d>>,
    /// The actions, by name.
    pub actions: Vec<ActionFile<'d>>,
    /// Shell and Python files, by name.
    pub scripts: Vec<Script<'d>>,
    configs: OnceCell<Option<Configs<'d>>>,
    contract: OnceCell<Contract<'d>>,
}

/// A workflow and the expressions in it.
#[derive(Debug)]
pub struct WorkflowFile<'d> {
    /// The file.
    pub source: &'d Arc<Source>,
    /// What it holds.
    pub workflow: Workflow<'d>,
    /// Its texts with expressions, in source order.
    pub sites: Vec<Site<'d>>,
    uses_of_matrix: OnceCell<Vec<MatrixUse>>,
}

impl WorkflowFile<'_> {
    /// Every reference to a matrix, looked for once.
    pub(super) fn matrix_uses(&self) -> &[MatrixUse] {
        self.uses_of_matrix.get_or_init(|| matrix_uses(self))
    }
}

/// An action and the expressions in it.
#[derive(Debug)]
pub struct ActionFile<'d> {
    /// The file.
    pub source: &'d Arc<Source>,
    /// What it holds.
    pub action: Action<'d>,
    /// Its texts with expressions, in source order.
    pub sites: Vec<Site<'d>>,
}

/// A script.
#[derive(Debug)]
pub struct Script<'d> {
    /// The file.
    pub source: &'d Arc<Source>,
    /// What it is written in.
    pub language: ScriptLanguage,
    shell: OnceCell<Option<shell::Script<'d>>>,
}

impl<'d> Script<'d> {
    /// What bash makes of it, read once; `None` for other languages.
    pub fn shell(&self) -> Option<&shell::Script<'d>> {
        /// Shells with a grammar of their own, and marks of templates that become scripts.
        const OTHERS: [&str; 5] = ["zsh", "fish", "csh", "ksh", "pwsh"];
        let read = || {
            let text: &'d str = self.source.text();
            let line = text.lines().next().unwrap_or_default();
            let base = self.source.name().rsplit('/').next().unwrap_or_default();
            let told = if line.starts_with("#!") { line } else { base };
            let is_other = OTHERS.iter().any(|name| told.contains(name));
            let is_bash = self.language == ScriptLanguage::Shell && !is_other && !text.contains("{%");
            is_bash.then(|| shell::read_script(text))
        };
        self.shell.get_or_init(read).as_ref()
    }
}

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptLanguage {
    /// bash, or a shell that it stands for.
    Shell,
    /// Python.
    Python,
}

/// Configs that hold together.
#[derive(Debug)]
struct Configs<'d> {
    rules: Rules,
    runners: Runners<'d>,
    masters: Vec<Config<'d>>,
    rows: Vec<Row<'d>>,
}

impl<'d> Repository<'d> {
    /// Makes sense of what was parsed. What GitHub would refuse goes to `found`, and is left out.
    pub fn new(tree: &'d Tree, documents: &'d Documents, found: &mut Diagnostics) -> Self {
        let mut workflows = Vec::new();
        for document in &documents.workflows {
            if let Some(workflow) = read_workflow(document, found) {
                let sites = sites_of_workflow(&workflow);
                workflows.push(WorkflowFile {
                    source: document.source(),
                    workflow,
                    sites,
                    uses_of_matrix: OnceCell::new(),
                });
            }
        }
        let mut actions = Vec::new();
        let mut broken: Vec<(&Arc<Source>, Diagnostics)> = Vec::new();
        for document in &documents.actions {
            let mut problems = Diagnostics::new();
            if let Some(action) = read_action(document, &mut problems) {
                let sites = sites_of_action(&action);
                actions.push(ActionFile { source: document.source(), action, sites });
            }
            broken.push((document.source(), problems));
        }
        // A file of that name that nothing uses may be a test's, or something else altogether.
        let of_parser = documents.broken_actions.iter().map(|(source, problems)| (source, problems.as_slice()));
        for (source, problems) in broken.iter().map(|(source, found)| (*source, found.as_slice())).chain(of_parser) {
            if !problems.is_empty() && is_used(source.name(), &workflows) {
                problems.iter().for_each(|problem| found.push(problem.clone()));
            }
        }
        let scripts = tree
            .files
            .iter()
            .filter_map(|source| Some(Script { source, language: language_of(source)?, shell: OnceCell::new() }));
        Self {
            tree,
            documents,
            workflows,
            actions,
            scripts: scripts.collect(),
            configs: OnceCell::new(),
            contract: OnceCell::new(),
        }
    }

    /// Who starts whom with which variables, worked out once.
    pub(super) fn contract(&self) -> &Contract<'d> {
        self.contract.get_or_init(|| Contract::of(self))
    }

    /// All texts that were read, by name.
    pub fn texts(&self) -> &'d [Arc<Source>] {
        &self.tree.files
    }

    /// Every text with an expression of every workflow and action.
    pub fn sites(&self) -> impl Iterator<Item = (Owner<'_, 'd>, &Site<'d>)> {
        let workflows = self.workflows.iter().flat_map(|file| file.sites.iter().map(|s| (Owner::Workflow(file), s)));
        let actions = self.actions.iter().flat_map(|file| file.sites.iter().map(|s| (Owner::Action(file), s)));
        workflows.chain(actions)
    }

    /// The workflow that `uses` names, if it is one of this checkout.
    pub fn called(&self, uses: &str) -> Option<&WorkflowFile<'d>> {
        let name = crate::core::workflow::simulate::local_workflow(uses)?;
        self.workflows.iter().find(|file| file.source.name() == name)
    }

    /// The action that `uses` names, if it is one of this checkout.
    pub fn used_action(&self, uses: &str) -> Option<&ActionFile<'d>> {
        let folder = crate::core::workflow::simulate::local_workflow(uses)?;
        let folder = folder.trim_end_matches('/');
        self.actions.iter().find(|file| {
            let name = file.source.name();
            let own = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            own == folder || folder == "." && own.is_empty()
        })
    }

    /// The runner file, where there is one and it is valid.
    pub fn runners(&self) -> Option<&Runners<'d>> {
        self.configs().map(|configs| &configs.runners)
    }

    /// The configs in merged order; none where they are not valid.
    pub fn masters(&self) -> &[Config<'d>] {
        self.configs().map_or(&[], |configs| &configs.masters)
    }

    /// The rules that the configs are written for.
    pub fn config_rules(&self) -> Option<Rules> {
        self.configs().map(|configs| configs.rules)
    }

    /// All rows of the matrix; none where the checkout has no valid configs.
    pub fn rows(&self) -> &[Row<'d>] {
        self.configs().map_or(&[], |configs| &configs.rows)
    }

    /// The parsed master configs as they are, valid or not.
    pub fn master_documents(&self) -> &'d [Document] {
        &self.documents.masters
    }

    /// The parsed runner file as it is, valid or not.
    pub fn runners_document(&self) -> Option<&'d Document> {
        self.documents.runners.as_ref()
    }

    /// Whether the checkout has a file of this name.
    pub fn has_file(&self, name: &str) -> bool {
        self.tree.has(name)
    }

    /// Whether a file is a link to another one.
    pub fn is_link(&self, name: &str) -> bool {
        self.tree.links.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }

    /// The names of all files of the checkout, in ascending order.
    pub fn file_names(&self) -> &'d [String] {
        &self.tree.names
    }

    fn configs(&self) -> Option<&Configs<'d>> {
        self.configs.get_or_init(|| Configs::load(self.documents, self.tree)).as_ref()
    }
}

/// Whether an action is the one of the repository, or a workflow names its folder.
fn is_used(name: &str, workflows: &[WorkflowFile<'_>]) -> bool {
    match name.rsplit_once('/') {
        None => true,
        Some((folder, _)) => {
            let paths = [format!("./{folder}"), format!("$/{folder}")];
            workflows.iter().any(|file| paths.iter().any(|path| file.source.text().contains(path.as_str())))
        }
    }
}

impl<'d> Configs<'d> {
    /// What is wrong with configs is for `matrix` to say: here they are facts, or they are not there.
    fn load(documents: &'d Documents, tree: &'d Tree) -> Option<Self> {
        let mut found = Diagnostics::new();
        let runners_document = documents.runners.as_ref()?;
        let rules = detect_rules(runners_document);
        let runners = load_runners(runners_document, rules, &mut found)?;
        let masters: Vec<&Document> = documents.masters.iter().collect();
        let masters = merge_masters(&masters, rules, &mut found).unwrap_or_default();
        let options = Options::new(rules, Selection::FullSweep(Default::default()));
        let inputs = Inputs { configs: &masters, runners: &runners, recipes: tree };
        let rows = generate(&inputs, &options, &mut found).unwrap_or_default();
        Some(Self { rules, runners, masters, rows })
    }
}

impl Recipes for Tree {
    fn recipe(&self, path: &str) -> Option<Arc<Source>> {
        // Upstream keeps the same tree in another folder than the one that configs name.
        const UPSTREAM: &str = "benchmarks/multi_node/srt-slurm-recipes/";
        let upstream = path.strip_prefix("recipes/").map(|rest| format!("{UPSTREAM}{rest}"));
        let named = |name: &str| {
            let at = self.files.binary_search_by(|file| file.name().cmp(name)).ok()?;
            self.files.get(at).map(Arc::clone)
        };
        named(path).or_else(|| named(&upstream?))
    }
}

/// A script's language, by its name or else by its first line.
fn language_of(source: &Source) -> Option<ScriptLanguage> {
    match role_of(source.name())? {
        Role::Shell => Some(ScriptLanguage::Shell),
        Role::Python => Some(ScriptLanguage::Python),
        Role::PerhapsScript => {
            let line = source.text().lines().next()?.strip_prefix("#!")?;
            let has = |word: &str| line.split(['/', ' ']).any(|part| part.starts_with(word));
            if has("python") {
                Some(ScriptLanguage::Python)
            } else if has("bash") || has("sh") || has("dash") {
                Some(ScriptLanguage::Shell)
            } else {
                None
            }
        }
        _ => None,
    }
}
