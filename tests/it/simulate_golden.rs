//! A sweep in the style that people write by hand, with eight lanes and two templates, under each of its events.
//!
//! `SRTX_BLESS=1 cargo test simulate_golden` writes the expected files anew. Read them after that.

use serde_json::{Value as Json, json};

use super::support::{command, finish, repository};

const CASES: [(&str, &str); 6] = [
    ("push", "--event push --ref refs/heads/main --event-file push-event.json"),
    ("pull-request-sweep", "--event pull_request --event-file pull-request-event.json --label sweep-enabled"),
    ("pull-request-full-sweep", "--event pull_request --event-file pull-request-event.json --label full-sweep-enabled"),
    ("pull-request-evals", "--event pull_request --event-file pull-request-event.json --label evals-enabled"),
    ("workflow-dispatch", "--event workflow_dispatch"),
    ("workflow-dispatch-evals", "--event workflow_dispatch --input scope=evals --input eval-only=true"),
];

#[test]
fn every_event_of_the_sweep_does_what_it_did() {
    let golden = repository().join("tests/golden/simulate");
    let folder = tempfile::tempdir().unwrap();
    let workflows = folder.path().join(".github/workflows");
    std::fs::create_dir_all(&workflows).unwrap();
    for entry in std::fs::read_dir(&golden).unwrap() {
        let path = entry.unwrap().path();
        let target = match path.extension().and_then(|extension| extension.to_str()) {
            Some("yml") => &workflows,
            Some("json") => folder.path(),
            _ => continue,
        };
        std::fs::copy(&path, target.join(path.file_name().unwrap())).unwrap();
    }
    let mut wrong = Vec::new();
    for (name, options) in CASES {
        let simulated = |format: &str| {
            let mut command = command(folder.path());
            command.args(["simulate", ".github/workflows/run-sweep.yml", "--format", format]);
            command.args(["--output", "setup.search-space-config=@search-space.json"]);
            let output = finish(command.args(options.split(' ')));
            assert_eq!(output.exit, 0, "{name}: {}", output.stderr);
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
