//! Workflows: no text may crash the reader or the simulator, and every place that they report must lie in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use srtx::core::diag::{Diagnostics, Place, Source, render_human};
use srtx::core::workflow::read_workflow;
use srtx::core::workflow::simulate::{Actions, ForPrograms, Library, Ran, Request, leg_exports, simulate, tree};
use srtx::core::yaml::{Schema, parse};

/// Nothing is run.
struct NoActions;

impl Actions for NoActions {
    fn run(&self, _: &str, _: &[(String, String)]) -> Option<Ran> {
        None
    }
}

const FILE: &str = ".github/workflows/w.yml";
const CALLED: &str = ".github/workflows/called.yml";
/// Calls of `./.github/workflows/called.yml` are followed here.
const CALLEE: &str = "on: {workflow_call: {inputs: {a: {type: string}, b: {type: boolean}, n: {type: number}}, outputs: {o: \
                      {value: '${{ jobs.j.outputs.o }}'}}}}\njobs: {j: {runs-on: x, outputs: {o: '${{ inputs.a }}'}, steps: []}}\n";

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut found = Diagnostics::new();
    let source = Source::new(FILE, text);
    let callee = Source::new(CALLED, CALLEE);
    let Some(document) = parse(&source, Schema::Core12, &mut found) else { return };
    let Some(callee) = parse(&callee, Schema::Core12, &mut found) else { return };
    // Aliases may expand to millions of values, which would only make the fuzzer slow.
    if document.anchors().count() > 4 {
        return;
    }
    let Some(workflow) = read_workflow(&document, &mut found) else { return };
    let events: Vec<String> = workflow.triggers.iter().take(3).map(|trigger| trigger.event.to_owned()).collect();
    let mut library = Library::default();
    library.workflows.insert(FILE.to_owned(), workflow);
    library.workflows.extend(read_workflow(&callee, &mut found).map(|callee| (CALLED.to_owned(), callee)));
    for event in events {
        for labels in [vec![], vec!["sweep".to_owned()]] {
            let git_ref = Some("refs/heads/main".to_owned());
            let request = Request { event: event.clone(), labels, git_ref, ..Request::default() };
            let simulation = simulate(FILE, &library, &NoActions, &request, &mut found);
            let problems = serde_json::Value::Null;
            let _ = serde_json::to_string(&ForPrograms { simulation: &simulation, problems: &problems });
            let _ = tree(&simulation);
            for leg in simulation.jobs.iter().flat_map(|job| &job.legs) {
                let _ = leg_exports(leg);
            }
        }
    }
    for diagnostic in found.as_slice() {
        if let Place::Span(label) = &diagnostic.place {
            let inside = label.source.text().get(label.span.clone());
            assert!(label.span.start <= label.span.end && inside.is_some(), "{diagnostic:?}");
        }
        render_human(diagnostic, false);
    }
});
