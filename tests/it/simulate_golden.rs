//! A sweep in the style that people write by hand, with eleven lanes, two templates and anchors, under each of its events.
//!
//! `SRTX_BLESS=1 cargo test simulate_golden` writes the expected files anew. Read them after that.

use serde_json::{Value as Json, json};

use super::support::{command, finish, repository};

const PULL_REQUEST: &str = "--event pull_request --event-file pull-request-event.json";

/// Name of the expected files, and options; `PR` stands for those of a pull request.
const CASES: [(&str, &str); 15] = [
    ("push", "--event push --ref refs/heads/main --event-file push-event.json"),
    ("push-skipped", "--event push --ref refs/heads/main --event-file push-skipped-event.json"),
    (
        "push-failed-lane",
        "--event push --ref refs/heads/main --event-file push-event.json --result sweep-multi-node-1k1k=failure --output check-newest.is-newest=true",
    ),
    ("pull-request", "PR"),
    ("pull-request-other-label", "PR --label documentation"),
    ("pull-request-sweep", "PR --label sweep-enabled"),
    ("pull-request-full-sweep", "PR --label full-sweep-enabled"),
    ("pull-request-agentic", "PR --label agentic-enabled"),
    ("pull-request-evals", "PR --label evals-only"),
    ("pull-request-smoke", "PR --label smoke-enabled"),
    ("pull-request-two-labels", "PR --label sweep-enabled --label evals-only"),
    ("workflow-dispatch", "--event workflow_dispatch"),
    ("workflow-dispatch-evals", "--event workflow_dispatch --input scope=evals --input eval-only=true"),
    (
        "workflow-dispatch-multi-node",
        "--event workflow_dispatch --input scope=multi-node --input skip-agentic=false --input duration=60 --input max-parallel=2",
    ),
    (
        "workflow-dispatch-smoke",
        "--event workflow_dispatch --input scope=smoke --input target=lab --input ref=v1 --input title=Quick",
    ),
];

/// A folder with the workflows, the action and the payloads.
fn checkout() -> tempfile::TempDir {
    let golden = repository().join("tests/golden/simulate");
    let folder = tempfile::tempdir().unwrap();
    let workflows = folder.path().join(".github/workflows");
    let action = folder.path().join(".github/actions/prepare");
    std::fs::create_dir_all(&workflows).unwrap();
    std::fs::create_dir_all(&action).unwrap();
    std::fs::copy(golden.join("actions/prepare/action.yml"), action.join("action.yml")).unwrap();
    for entry in std::fs::read_dir(&golden).unwrap() {
        let path = entry.unwrap().path();
        let target = match path.extension().and_then(|extension| extension.to_str()) {
            Some("yml") => &workflows,
            Some("json") => folder.path(),
            _ => continue,
        };
        std::fs::copy(&path, target.join(path.file_name().unwrap())).unwrap();
    }
    folder
}

#[test]
fn the_sweep_is_as_large_as_those_that_people_write() {
    let golden = repository().join("tests/golden/simulate");
    let text = std::fs::read_to_string(golden.join("run-sweep.yml")).unwrap();
    assert!(text.lines().count() >= 1000);
    assert!(text.lines().filter(|line| line.starts_with("  sweep-")).count() >= 8);
    assert!(text.matches(": *").count() + text.matches("- *").count() >= 30);
}

#[test]
fn every_event_of_the_sweep_does_what_it_did() {
    let golden = repository().join("tests/golden/simulate");
    let folder = checkout();
    let mut wrong = Vec::new();
    for (name, options) in CASES {
        let options = options.replace("PR", PULL_REQUEST);
        let simulated = |format: &str| {
            let mut command = command(folder.path());
            command.args(["simulate", ".github/workflows/run-sweep.yml", "--format", format]);
            command.args(["--output", "setup.search-space-config=@search-space.json"]);
            let output = finish(command.args(options.split(' ')));
            assert_eq!((output.exit, &*output.stderr), (0, ""), "{name}");
            output
        };
        let json = format!("{:#}\n", trimmed(&simulated("json").json()));
        for (extension, text) in [("json", json), ("txt", simulated("table").stdout)] {
            let path = golden.join("expected").join(format!("{name}.{extension}"));
            if std::env::var_os("SRTX_BLESS").is_some() {
                std::fs::create_dir_all(golden.join("expected")).unwrap();
                std::fs::write(&path, &text).unwrap();
            } else if std::fs::read_to_string(&path).unwrap_or_default() != text {
                wrong.push(format!("{}:\n{text}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// States and reasons of all jobs, and the first leg of each; the others differ only in values.
fn trimmed(simulation: &Json) -> Json {
    let jobs = simulation["jobs"].as_array().unwrap().iter();
    let trimmed = jobs.filter(|job| is_first(job)).map(|job| {
        json!({
            "path": job["path"],
            "state": job["state"],
            "because": job["because"],
            "depends_on": job["depends_on"],
            "legs": job["legs"].as_array().unwrap().len(),
            "first_leg": job["legs"][0],
        })
    });
    Json::Array(trimmed.collect())
}

/// Whether a job belongs to the first leg of its caller.
fn is_first(job: &Json) -> bool {
    job["path"].as_str().unwrap().split('[').skip(1).all(|index| index.starts_with("0]"))
}
