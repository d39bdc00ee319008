//! Variables that scripts read and nobody sets: each once for each script, with the class of the fault.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashSet;

use super::super::repository::Repository;
use super::{
    Contract, Means, Own, is_contract_name, is_knob, is_python, is_read_elsewhere, nearest, own_variables,
    reads_by_name,
};
use crate::core::diag::Source;
use crate::core::shell::{AssignmentKind, Read, ReadKind, Span, environment_uses};

/// What kind of fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::core::lint) enum Class {
    /// Read as if it were set.
    Bare,
    /// Read with a default, which always holds.
    Defaulted,
    /// Required, so that the script always stops.
    Required,
    /// Set by the script that starts this one, and not exported.
    NotExported,
}

/// A variable that a script reads in vain.
#[derive(Debug, Clone)]
pub(in crate::core::lint) struct Unset<'d> {
    pub(in crate::core::lint) class: Class,
    pub(in crate::core::lint) name: &'d str,
    pub(in crate::core::lint) source: &'d Arc<Source>,
    /// Where it is read first.
    pub(in crate::core::lint) span: Range<usize>,
    /// Where else in the same file.
    pub(in crate::core::lint) others: Vec<Range<usize>>,
    /// The exported name that it resembles.
    pub(in crate::core::lint) near: Option<&'d str>,
    /// Whether the resemblance is that of an old or misspelt name.
    pub(in crate::core::lint) is_renamed: bool,
    /// Where another script sets it, for [`Class::NotExported`].
    pub(in crate::core::lint) set_at: Option<(&'d Arc<Source>, Range<usize>)>,
    /// Whether the script stops or goes wrong without it, rather than take a default.
    pub(in crate::core::lint) is_needed: bool,
}

impl<'d> Contract<'d> {
    /// All of them, worked out once.
    pub(in crate::core::lint) fn unset(&self, repository: &Repository<'d>) -> &[Unset<'d>] {
        self.unset.get_or_init(|| {
            if self.launchers.is_empty() {
                return Vec::new();
            }
            let mut search = Search {
                repository,
                contract: self,
                own: own_variables(repository, self),
                names: contract_names(self),
                found: Vec::new(),
            };
            for script in 0..repository.scripts.len() {
                if self.ties[script].in_scope {
                    search.script(script);
                }
            }
            for script in 0..repository.scripts.len() {
                if self.ties[script].in_scope {
                    search.children(script);
                }
            }
            search.runs();
            search.found
        })
    }
}

/// The names that an unknown one may have been meant to be: what workflows and launchers export.
fn contract_names<'d>(contract: &Contract<'d>) -> Vec<&'d str> {
    let is_part = |script: Option<usize>| script.is_none_or(|script| contract.launchers.contains(&script));
    let places = contract.exports.places.iter().filter(|place| match place.means {
        Means::Workflow | Means::RunnerFile => true,
        Means::Script => is_part(place.script) && contract.exports.has(place.name),
        Means::Elsewhere => false,
    });
    let all: HashSet<&'d str> =
        places.map(|place| place.name).chain(contract.exports.settings.iter().copied()).collect();
    let mut all: Vec<&'d str> = all.into_iter().filter(|name| is_contract_name(name)).collect();
    all.sort_unstable();
    all
}

struct Search<'r, 'd> {
    repository: &'r Repository<'d>,
    contract: &'r Contract<'d>,
    own: Vec<Own<'d>>,
    names: Vec<&'d str>,
    found: Vec<Unset<'d>>,
}

/// How a script reads one variable.
struct Use<'d> {
    name: &'d str,
    spans: Vec<Span>,
    is_bare: bool,
    is_required: bool,
    /// Only to keep its value or give it a default: `X=${X:-d}`.
    is_completed: bool,
    is_only_tested: bool,
}

impl<'d> Search<'_, 'd> {
    fn script(&mut self, script: usize) {
        let source = self.repository.scripts[script].source;
        if is_python(self.repository, script) {
            return self.python(script);
        }
        let Some(shell) = self.repository.scripts[script].shell() else { return };
        let requirements = self.contract.requirements(shell);
        let mut uses: Vec<Use<'d>> = Vec::new();
        for (name, reads) in reads_by_name(shell) {
            uses.extend(use_of(name, &reads, self.own[script].completed.contains(name)));
        }
        for one in requirements {
            match uses.iter_mut().find(|known| known.name == one.name) {
                Some(known) => {
                    known.is_required = true;
                    known.spans.insert(0, one.span);
                }
                None => uses.push(Use {
                    name: one.name,
                    spans: vec![one.span],
                    is_bare: false,
                    is_required: true,
                    is_completed: false,
                    is_only_tested: false,
                }),
            }
        }
        let is_open = self.contract.ties[script].sources_unknown || shell.facts.evaluates;
        for one in uses {
            if !self.own[script].set.contains(one.name) && !self.contract.is_exported_to(script, one.name) {
                self.judge(script, source, &one, is_open);
            }
        }
    }

    /// Python sees exported variables only.
    fn python(&mut self, script: usize) {
        let source = self.repository.scripts[script].source;
        let mut uses: Vec<Use<'d>> = Vec::new();
        for one in environment_uses(source.text()) {
            let Some(kind) = one.read else { continue };
            if !is_contract_name(one.name) || self.contract.is_exported_to(script, one.name) {
                continue;
            }
            let is_bare = kind == ReadKind::Bare;
            match uses.iter_mut().find(|known| known.name == one.name) {
                Some(known) => {
                    known.spans.push(one.span);
                    known.is_bare &= is_bare;
                }
                None => uses.push(Use {
                    name: one.name,
                    spans: vec![one.span],
                    is_bare,
                    is_required: false,
                    is_completed: false,
                    is_only_tested: false,
                }),
            }
        }
        for one in uses {
            self.judge(script, source, &one, false);
        }
    }

    fn judge(&mut self, script: usize, source: &'d Arc<Source>, one: &Use<'d>, is_open: bool) {
        let near = nearest(one.name, self.names.iter().copied());
        let is_renamed = near.is_some_and(|near| near.is_renamed);
        let set_at = self.set_by_caller(script, one.name);
        let is_needed = one.is_bare || one.is_required;
        let class = if set_at.is_some() {
            Class::NotExported
        } else if one.is_required {
            Class::Required
        } else if one.is_bare {
            if is_open && !is_renamed {
                return;
            }
            Class::Bare
        } else if is_renamed && (!one.is_completed || one.name.contains('_')) {
            Class::Defaulted
        } else if one.is_completed || one.is_only_tested || is_knob(one.name) || is_read_elsewhere(one.name) {
            // A setting for people, who may or may not set it.
            return;
        } else {
            Class::Defaulted
        };
        let mut spans = one.spans.iter().map(|span| span.range());
        let Some(span) = spans.next() else { return };
        let near = near.map(|near| near.name);
        let others = spans.filter(|other| *other != span).collect();
        let name = one.name;
        self.found.push(Unset { class, name, source, span, others, near, is_renamed, set_at, is_needed });
    }

    /// Where a script that leads to this one sets a variable without exporting it.
    fn set_by_caller(&self, script: usize, name: &str) -> Option<(&'d Arc<Source>, Range<usize>)> {
        let is_it = |one: &&crate::core::shell::Assignment<'_>| {
            one.name == name
                && !one.by_child
                && matches!(one.kind, AssignmentKind::Plain | AssignmentKind::Default | AssignmentKind::Builtin)
        };
        for ancestor in self.contract.ancestors(script) {
            let Some(shell) = self.repository.scripts[ancestor].shell() else { continue };
            if let Some(one) = shell.facts.assignments.iter().find(is_it) {
                return Some((self.repository.scripts[ancestor].source, one.span.range()));
            }
        }
        let runs = self.contract.runs.iter().zip(&self.contract.started_by_runs);
        let mut ancestors = self.contract.ancestors(script);
        ancestors.push(script);
        for (run, started) in runs {
            if started.iter().any(|started| ancestors.contains(started))
                && let Some(one) = run.shell.facts.assignments.iter().find(is_it)
            {
                return Some((run.source(), run.locate(one.span)));
            }
        }
        None
    }

    /// What scripts need that this one starts, and that it assigns but does not export. Others may export the name, as long
    /// as they are not on the way here.
    fn children(&mut self, script: usize) {
        let (repository, contract) = (self.repository, self.contract);
        let Some(shell) = repository.scripts[script].shell() else { return };
        if shell.facts.evaluates || !shell.facts.unknown_exports.is_empty() {
            return;
        }
        let mut around: HashSet<usize> = HashSet::new();
        for one in std::iter::once(script).chain(contract.ancestors(script)) {
            around.extend(contract.same_shell(one));
        }
        for &child in contract.ties[script].starts.iter().filter(|child| !around.contains(*child)) {
            let Some(inner) = repository.scripts[child].shell() else { continue };
            let requirements = contract.requirements(inner);
            let reads = reads_by_name(inner);
            let bare = reads.iter().filter_map(|(name, reads)| {
                let completed = self.own[child].completed.contains(name);
                let one = use_of(name, reads, completed).filter(|one| one.is_bare)?;
                Some((*name, *one.spans.first()?))
            });
            for (name, span) in requirements.iter().map(|one| (one.name, one.span)).chain(bare) {
                // What nobody exports at all has been found already.
                let is_other = super::is_set_elsewhere(name) || !contract.is_exported_to(child, name);
                if is_other || self.own[child].set.contains(name) || contract.exports.may_come_from(name, &around) {
                    continue;
                }
                let is_it = |one: &&crate::core::shell::Assignment<'_>| {
                    one.name == name && !one.by_child && one.kind == AssignmentKind::Plain
                };
                let Some(set) = shell.facts.assignments.iter().find(is_it) else { continue };
                self.found.push(Unset {
                    class: Class::NotExported,
                    name,
                    source: repository.scripts[child].source,
                    span: span.range(),
                    others: Vec::new(),
                    near: None,
                    is_renamed: false,
                    set_at: Some((repository.scripts[script].source, set.span.range())),
                    is_needed: true,
                });
            }
        }
    }

    /// The scripts of `run:` that start launchers are part of the contract as well.
    fn runs(&mut self) {
        let contract = self.contract;
        for (run, started) in contract.runs.iter().zip(&contract.started_by_runs) {
            if !started.iter().any(|script| contract.launchers.contains(script)) || run.shell.facts.evaluates {
                continue;
            }
            let own = Own::of(&run.shell);
            for (name, reads) in reads_by_name(&run.shell) {
                let Some(one) = use_of(name, &reads, own.completed.contains(name)) else { continue };
                let is_known = super::is_set_elsewhere(name)
                    || contract.exports.has(name)
                    || contract.exports.settings.contains(name)
                    || own.set.contains(name);
                let near = nearest(name, self.names.iter().copied());
                let is_renamed = near.is_some_and(|near| near.is_renamed);
                if is_known || !one.is_bare && !is_renamed {
                    continue;
                }
                let mut spans = one.spans.iter().map(|span| run.locate(*span));
                let Some(span) = spans.next() else { continue };
                self.found.push(Unset {
                    class: if one.is_bare { Class::Bare } else { Class::Defaulted },
                    name,
                    source: run.source(),
                    span,
                    others: spans.collect(),
                    near: near.map(|near| near.name),
                    is_renamed,
                    set_at: None,
                    is_needed: one.is_bare,
                });
            }
        }
    }
}

/// How the reads of one variable treat it. Where one of them expects that it is missing, none is bare.
fn use_of<'d>(name: &'d str, reads: &[&Read<'d>], is_completed: bool) -> Option<Use<'d>> {
    let reads: Vec<&&Read<'d>> = reads.iter().filter(|read| !read.by_child).collect();
    if reads.is_empty() {
        return None;
    }
    let has = |kind: ReadKind| reads.iter().any(|read| read.kind == kind);
    let copes = has(ReadKind::Defaulted) || has(ReadKind::Tested) || has(ReadKind::Required) || is_completed;
    Some(Use {
        name,
        spans: reads.iter().map(|read| read.span).collect(),
        is_bare: has(ReadKind::Bare) && !copes,
        is_required: has(ReadKind::Required),
        is_completed,
        is_only_tested: !has(ReadKind::Defaulted),
    })
}
