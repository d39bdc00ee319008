//! Contract checks across workflows, actions, matrix, launchers, runners and recipes.
//!
//! In: a [`Tree`], the named texts of one checkout. Out: [`Finding`]s in the order of their places. Nothing is read from a
//! disk, and nothing is run.
//!
//! # How it is made
//!
//! [`Documents::read`] parses each file once, [`Repository::new`] makes workflows, actions, configs and scripts of them,
//! and every [`Rule`] of [`RULES`] looks at the whole repository. Rules know nothing of each other, of suppressions, of
//! baselines or of formats.
//!
//! # A new rule
//!
//! 1. A code in `core/diag/codes.rs`; its explanation says what goes wrong and how to mend it.
//! 2. A file in `rules/` with
//!
//!    ```ignore
//!    pub(super) const RULE: Rule = Rule { code: Code::ListInText, name: "list-in-text", check };
//!
//!    fn check(repository: &Repository<'_>, found: &mut Findings) {
//!        for (file, site) in repository.sites() {
//!            found.push(Diagnostic::error(Code::ListInText, "…").at(site.source(), site.locate(span)).help("…"));
//!        }
//!    }
//!    ```
//!
//!    One rule has one code. `check` is pure and must not fail: what it does not understand it passes over in silence.
//!    The severity is that of the diagnostic: an error is broken on every run, a warning is surely not meant so.
//! 3. A line in `rules/mod.rs`.
//! 4. A folder `tests/golden/lint/<name>/` with the trees `bad` and `good`: `bad` is found wrong by this rule and no other,
//!    `good` is the same tree put right. `SRTX_BLESS=1 cargo test --test it lint` writes `expected.txt`; a test fails where
//!    a rule has no pair. Both trees hold a folder `.github`, so that linting our own repository leaves them alone.
//!
//! # What a rule sees
//!
//! * [`Repository::workflows`], [`Repository::actions`]: parsed files; values are YAML nodes with their spans.
//! * [`Repository::sites`]: every text with an expression, parsed, with the [`Slot`] that it stands in. [`Site::locate`]
//!   turns a span inside the text into bytes of the file, in block texts too; `NodeRef::locate` does it for any scalar.
//! * [`Repository::scripts`]: shell and Python files by name and text; [`Script::shell`] is what bash makes of one, read once.
//! * `Repository::contract`: the scripts of `run:`, who starts and sources whom, and which variables are exported where.
//! * [`Repository::runners`], [`Repository::masters`], [`Repository::rows`]: the configs, where the checkout has them.
//! * [`Repository::has_file`], [`Repository::file_names`]: what else is in the checkout.

mod baseline;
mod calls;
mod contract;
mod findings;
mod fleet;
mod guards;
mod matrix;
mod render;
mod repository;
mod rules;
mod shape;
mod sites;
mod suppress;
mod tree;
mod worlds;

pub use baseline::{Baseline, baseline_json};
pub use findings::{Finding, Findings};
pub use render::{render_json, render_sarif};
pub use repository::{ActionFile, Documents, Repository, Script, ScriptLanguage, WorkflowFile};
pub use rules::{RULES, Rule};
pub use sites::{Owner, Site, Slot};
pub use tree::{Role, Tree, role_of};

use hashbrown::HashSet;

use super::diag::{Code, Diagnostics, Severity};

/// Without that callers differ where one of them is wrong for a reason that another rule gives.
fn said_once(mut found: Vec<Finding>) -> Vec<Finding> {
    let place =
        |finding: &Finding| (finding.diagnostic.file().map(str::to_owned), finding.diagnostic.line_and_column().0);
    let is_weak = |finding: &Finding| finding.diagnostic.code == Code::CallersDiffer;
    let wrong: HashSet<_> = found
        .iter()
        .filter(|finding| !is_weak(finding) && finding.diagnostic.severity == Severity::Error)
        .map(place)
        .collect();
    found.retain(|finding| !is_weak(finding) || !wrong.contains(&place(finding)));
    found
}

/// Checks a checkout. Rules whose code is allowed do not run; what is suppressed in the files is left out.
pub fn lint(tree: &Tree, allowed: &[Code]) -> Vec<Finding> {
    let mut unreadable = Diagnostics::new();
    tree.unread.iter().for_each(|diagnostic| unreadable.push(diagnostic.clone()));
    let documents = Documents::read(tree, &mut unreadable);
    let repository = Repository::new(tree, &documents, &mut unreadable);
    let mut found = Findings::new(unreadable, allowed);
    for rule in RULES.iter().filter(|rule| !allowed.contains(&rule.code)) {
        found.run(rule, &repository);
    }
    let mut found = suppress::apply(tree, said_once(found.into_vec()), allowed);
    found.sort_by_cached_key(Finding::order);
    found
}
