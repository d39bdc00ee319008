//! Public bug reports that our own workflows, actions and scripts must not repeat.

use std::path::PathBuf;

use srtx::core::diag::{Diagnostics, Source};
use srtx::core::expr::{Allowed, Names, Signature, Template};
use srtx::core::workflow::{JobBody, Step, Workflow, read_action, read_workflow};
use srtx::core::yaml::{Document, NodeRef, Schema, parse};

use super::support::repository;

fn files(folder: &str, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![repository().join(folder)];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().ends_with(name) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn document(path: &PathBuf) -> Document {
    let source = Source::new(path.display().to_string(), std::fs::read_to_string(path).unwrap());
    parse(&source, Schema::Core12, &mut Diagnostics::new()).unwrap()
}

fn with_workflows(check: impl Fn(&str, &Workflow<'_>)) {
    let paths = files(".github/workflows", ".yml");
    assert!(paths.len() >= 3, "{paths:?}");
    for path in paths {
        let document = document(&path);
        let mut found = Diagnostics::new();
        let workflow = read_workflow(&document, &mut found).unwrap();
        assert!(!found.has_errors(), "{found:?}");
        check(&path.display().to_string(), &workflow);
    }
}

/// The contexts and functions that GitHub knows in the `if` of a job.
const JOB_CONDITION: Allowed<'static> = Allowed {
    names: Names::Only(&["github", "inputs", "vars", "needs"]),
    functions: &[Signature::EVERYWHERE, Signature::STATUS_OF_JOB],
};

#[test]
fn b07_conditions_of_jobs_name_only_what_exists_there() {
    assert!(Template::parse_condition("matrix.point.lane == 'agentic'", &JOB_CONDITION).is_err());
    assert!(Template::parse_condition("env.X", &JOB_CONDITION).is_err());
    with_workflows(|file, workflow| {
        for job in &workflow.jobs {
            let text = job.condition.and_then(NodeRef::scalar_text).unwrap_or("true");
            assert!(Template::parse_condition(text, &JOB_CONDITION).is_ok(), "{file}: {}: {text}", job.id);
        }
    });
}

#[test]
fn b08_no_job_with_a_matrix_has_outputs() {
    // Of several legs only the one that ends last leaves its outputs.
    with_workflows(|file, workflow| {
        for job in workflow.jobs.iter().filter(|job| job.strategy.is_some()) {
            assert!(job.outputs.is_empty(), "{file}: {}", job.id);
        }
    });
}

#[test]
fn b36_nothing_uploads_from_a_script() {
    // The token of the artifact service reaches JavaScript actions only.
    let mentions = |text: &str| text.contains("ACTIONS_RUNTIME_TOKEN") || text.contains("ACTIONS_RESULTS_URL");
    let check = |file: &str, step: &Step<'_>| {
        let script = step.run.and_then(NodeRef::scalar_text).unwrap_or_default();
        assert!(!mentions(script), "{file}");
    };
    with_workflows(|file, workflow| {
        for job in &workflow.jobs {
            if let JobBody::Steps(steps) = &job.body {
                steps.iter().for_each(|step| check(file, step));
            }
        }
    });
    for path in files("actions", "action.yml") {
        let document = document(&path);
        let action = read_action(&document, &mut Diagnostics::new()).unwrap();
        action.steps.iter().for_each(|step| check(&path.display().to_string(), step));
    }
    // The names themselves stand in the tables of what is secret.
    let reads_it = |text: &str| text.contains("var(\"ACTIONS_") || text.contains("var_os(\"ACTIONS_");
    assert!(files("src", ".rs").iter().all(|path| !reads_it(&std::fs::read_to_string(path).unwrap())));
}

#[test]
fn b45_the_installer_asks_no_api() {
    for path in files("actions", ".sh") {
        let script = std::fs::read_to_string(&path).unwrap();
        assert!(!script.contains("api.github.com") && !script.contains("/releases/latest"), "{}", path.display());
    }
}
