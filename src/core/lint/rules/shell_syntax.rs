//! Shell that bash would refuse.

use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};

pub(super) const RULE: Rule = Rule { code: Code::ShellSyntax, name: "shell-syntax", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    // One mistake makes others: the first one is the one to mend.
    for script in &repository.scripts {
        if let Some(problem) = script.shell().and_then(|shell| shell.problems.first()) {
            found.push(diagnostic(&problem.message).at(script.source, problem.span.range()));
        }
    }
    for run in &repository.contract().runs {
        if let Some(problem) = run.shell.problems.first() {
            found.push(diagnostic(&problem.message).at(run.source(), run.locate(problem.span)));
        }
    }
}

fn diagnostic(message: &str) -> Diagnostic {
    Diagnostic::warning(Code::ShellSyntax, message).help("`bash -n FILE` says what bash makes of it")
}
