//! What the rules found.

use super::{Repository, Rule};
use crate::core::diag::{Code, Diagnostic, Diagnostics};

/// A finding: which rule made it, and what it says.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The name of the rule, in kebab case.
    pub rule: &'static str,
    /// What is wrong, where, and what to do.
    pub diagnostic: Diagnostic,
}

impl Finding {
    /// By file, then by place in it, then by code.
    pub(super) fn order(&self) -> (String, Option<usize>, Option<usize>, Code, String) {
        let (line, column) = self.diagnostic.line_and_column();
        let file = self.diagnostic.file().unwrap_or_default().to_owned();
        (file, line, column, self.diagnostic.code, self.diagnostic.message.clone())
    }
}

/// Takes what rules find.
#[derive(Debug)]
pub struct Findings {
    rule: &'static str,
    found: Vec<Finding>,
}

/// The name that files which cannot be read are reported under.
const UNREADABLE: &str = "file";

impl Findings {
    /// Starts with what was wrong with the files themselves.
    pub(super) fn new(unreadable: Diagnostics, allowed: &[Code]) -> Self {
        let mut findings = Self { rule: UNREADABLE, found: Vec::new() };
        for diagnostic in unreadable {
            if !allowed.contains(&diagnostic.code) {
                findings.push(diagnostic);
            }
        }
        findings
    }

    pub(super) fn run(&mut self, rule: &'static Rule, repository: &Repository<'_>) {
        let before = self.found.len();
        self.rule = rule.name;
        (rule.check)(repository, self);
        debug_assert!(self.found[before..].iter().all(|finding| finding.diagnostic.code == rule.code), "{}", rule.name);
    }

    /// Adds a finding of the rule that runs.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.found.push(Finding { rule: self.rule, diagnostic });
    }

    /// Adds a finding of the rule that runs, unless it made the same one at the same place before.
    pub fn push_new(&mut self, diagnostic: Diagnostic) {
        let is_same = |other: &Finding| {
            other.diagnostic.code == diagnostic.code
                && other.diagnostic.message == diagnostic.message
                && other.diagnostic.file() == diagnostic.file()
                && other.diagnostic.line_and_column() == diagnostic.line_and_column()
        };
        if !self.found.iter().any(is_same) {
            self.push(diagnostic);
        }
    }

    pub(super) fn into_vec(self) -> Vec<Finding> {
        self.found
    }
}
