//! Simulations that must end although the workflow would go on.

use std::cell::Cell;

use super::*;
use crate::core::diag::{Code, Diagnostics, Source};
use crate::core::workflow::{read_action, read_workflow};
use crate::core::yaml::{Document, Schema, parse};

/// No actions, and a clock that runs out after some looks at it.
struct Patience(Cell<usize>);

impl Actions for Patience {
    fn run(&self, _action: &str, _inputs: &[(String, String)]) -> Option<Ran> {
        None
    }

    fn is_out_of_time(&self) -> bool {
        self.0.set(self.0.get().saturating_sub(1));
        self.0.get() == 0
    }
}

fn simulated(files: &[(&str, &str)], patience: usize) -> (Simulation, Diagnostics) {
    let mut found = Diagnostics::new();
    let documents: Vec<(&str, Document)> = files
        .iter()
        .map(|(name, text)| (*name, parse(&Source::new(*name, *text), Schema::Core12, &mut found).unwrap()))
        .collect();
    let mut library = Library::default();
    for (name, document) in &documents {
        if let Some(folder) = name.strip_suffix("/action.yml") {
            library.actions.insert(folder.to_owned(), read_action(document, &mut found));
            continue;
        }
        library.workflows.insert((*name).to_owned(), read_workflow(document, &mut found).unwrap());
    }
    let request = Request { event: "push".into(), ..Request::default() };
    let simulation = simulate(files[0].0, &library, &Patience(Cell::new(patience)), &request, &mut found);
    (simulation, found)
}

fn limits(found: &Diagnostics) -> usize {
    found.as_slice().iter().filter(|diagnostic| diagnostic.code == Code::WorkflowLimit).count()
}

#[test]
fn a_run_that_grows_without_end_is_cut_and_says_so_once() {
    let legs: String = (0..200).map(|n| format!("{n}, ")).collect();
    let matrix = format!("strategy: {{matrix: {{v: [{legs}]}}}}");
    let first =
        format!("on: push\njobs:\n  a: {{{matrix}, uses: ./b.yml}}\n  z: {{runs-on: x, steps: [{{run: a}}]}}\n");
    let second = format!("on: workflow_call\njobs:\n  b: {{{matrix}, runs-on: x, steps: [{{run: a}}]}}\n");
    let (simulation, found) = simulated(&[("a.yml", &first), ("b.yml", &second)], usize::MAX);
    assert_eq!((limits(&found), found.as_slice().len()), (1, 1), "{found:?}");
    assert!(simulation.jobs.len() < 20);
}

#[test]
fn a_simulation_that_takes_too_long_ends_where_it_is() {
    let variables: String = (0..1000).map(|n| format!("  V{n}: \"${{{{ github.ref }}}}\"\n")).collect();
    let workflow = format!("on: push\nenv:\n{variables}jobs:\n  a: {{runs-on: x, steps: [{{run: a}}]}}\n");
    let (_, in_time) = simulated(&[("a.yml", &workflow)], usize::MAX);
    assert_eq!(limits(&in_time), 0);
    let (_, late) = simulated(&[("a.yml", &workflow)], 3);
    assert_eq!((limits(&late), late.as_slice().len()), (1, 1), "{late:?}");
}

#[test]
fn actions_that_use_actions_without_end_are_cut() {
    let uses = |n: usize| {
        let steps = format!("    - uses: ./a{}\n", n + 1).repeat(8);
        (format!("a{n}/action.yml"), format!("runs:\n  using: composite\n  steps:\n{steps}"))
    };
    let mut files =
        vec![("w.yml".to_owned(), "on: push\njobs:\n  a: {runs-on: x, steps: [{uses: ./a0}]}\n".to_owned())];
    files.extend((0..12).map(uses));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let (simulation, found) = simulated(&files, usize::MAX);
    assert_eq!(limits(&found), 1);
    assert!(simulation.jobs[0].legs[0].steps.len() < 10_000);
    // Eight steps of the tenth action, each said once.
    let too_deep = found.as_slice().iter().filter(|diagnostic| diagnostic.message.contains("nest deeper")).count();
    assert_eq!(too_deep, 8);
}
