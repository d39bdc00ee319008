//! Workflows that are wrong, hostile or far too large: each is refused at its place, and none is waited for.

use std::time::{Duration, Instant};

use super::support::{Output, folder_with, run};

fn simulated(files: &[(&str, &str)]) -> Output {
    let started = Instant::now();
    let folder = folder_with(files);
    let output = run(folder.path(), "--diagnostics json simulate w.yml --event push --format json");
    assert!(started.elapsed() < Duration::from_secs(20), "took {:?}", started.elapsed());
    output
}

fn assert_found(output: &Output, severity: &str, code: &str, place: (&str, u64), text: &str) {
    let found = output.diagnostics();
    let hit = found.iter().any(|d| {
        (d["severity"].as_str(), d["code"].as_str()) == (Some(severity), Some(code))
            && (d["file"].as_str(), d["line"].as_u64()) == (Some(place.0), Some(place.1))
            && d["message"].as_str().unwrap().contains(text)
    });
    assert!(hit, "expected {severity} {code} at {place:?} with `{text}`, found {found:#?}");
}

const STEPS: &str = "runs-on: x, steps: [{run: a}]";

fn with_job(job: &str) -> String {
    format!("on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{{run: a}}]\n    {job}\n")
}

#[test]
fn parts_of_the_wrong_kind_are_refused_where_they_stand() {
    let jobs = |jobs: &str| format!("on: push\njobs: {jobs}\n");
    let steps = |steps: &str| format!("on: push\njobs:\n  a:\n    runs-on: x\n    steps: {steps}\n");
    for (workflow, line, text) in [
        (jobs("[a]"), 2, "`jobs` of the workflow is a list"),
        (jobs("x"), 2, "`jobs` of the workflow is a text"),
        (jobs(""), 2, "no jobs"),
        (jobs("{}"), 2, "no jobs"),
        (jobs("{a b: {runs-on: x, steps: [{run: a}]}}"), 2, "no name for a job"),
        (with_job("env: hello"), 6, "`env` of the job `a` is a text"),
        (with_job("if: {a: b}"), 6, "`if` of the job `a` is a mapping"),
        (with_job("needs: [[b]]"), 6, "a need is a list"),
        (with_job("outputs: x"), 6, "`outputs` of the job `a` is a text"),
        (with_job("strategy: x"), 6, "`strategy` of the job `a` is a text"),
        (steps("x"), 5, "`steps` is a text"),
        (steps("[x]"), 5, "the step is a text"),
        (steps("[{}]"), 5, "neither `uses` nor `run`"),
        (steps("[{run: a, uses: b}]"), 5, "both `uses` and `run`"),
        (steps("[{run: [a]}]"), 5, "`run` of a step is a list"),
        (steps("[{run: a, with: {b: c}}]"), 5, "`with` goes with `uses`"),
        (steps("[{run: a, id: x}, {run: a, id: X}]"), 5, "two steps have the id"),
        (steps("[{run: a, id: 'x y'}]"), 5, "no name for a step"),
        ("on: push\njobs:\n  a:\n    uses: ./c.yml\n    timeout-minutes: 5\n".to_owned(), 5, "does not go with `uses`"),
        (format!("on: 3\njobs:\n  a: {{{STEPS}}}\n"), 1, "`on` is an integer"),
        (format!("on:\njobs:\n  a: {{{STEPS}}}\n"), 1, "no `on`"),
        (
            "on: push\nenv: &e {A: b}\njobs:\n  a:\n    runs-on: x\n    env: {<<: *e}\n    steps: [{run: a}]\n"
                .to_owned(),
            6,
            "merge keys",
        ),
        (
            "on: push\njobs:\n  a: &a\n    runs-on: x\n    steps: [{run: a}]\n  b:\n    <<: *a\n".to_owned(),
            7,
            "merge keys",
        ),
    ] {
        let output = simulated(&[("w.yml", &workflow)]);
        assert_eq!(output.exit, 1, "{workflow}");
        assert_found(&output, "error", "SRTX0601", ("w.yml", line), text);
        assert!(!output.stderr.contains("panicked"), "{workflow}");
    }
}

#[test]
fn one_thing_that_is_wrong_is_said_once() {
    for job in ["env: hello", "env: [a]", "strategy: x", "outputs: x", "steps: x"] {
        let workflow = with_job(job).replace("    steps: [{run: a}]\n    steps", "    steps");
        let output = simulated(&[("w.yml", &workflow)]);
        assert_eq!(output.diagnostics().len(), 1, "{job}: {:#?}", output.diagnostics());
    }
}

#[test]
fn unknown_keys_are_warned_of() {
    let output = simulated(&[("w.yml", &with_job("timeout-minute: 5"))]);
    assert_eq!(output.exit, 0);
    assert_found(&output, "warning", "SRTX0601", ("w.yml", 6), "timeout-minute");
    assert_eq!(
        output.diagnostics()[0]["help"].as_str().unwrap().split('?').next(),
        Some("did you mean `timeout-minutes`")
    );
}

#[test]
fn matrices_of_odd_kinds_are_refused() {
    let hundred = (0..100).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let dimensions: String = (0..10).map(|n| format!("d{n}: [{hundred}], ")).collect();
    for (matrix, text) in [
        ("hello".to_owned(), "the text `hello`"),
        ("".to_owned(), "the matrix is nothing"),
        ("{x: {y: [1]}}".to_owned(), "the matrix vector `x` is no list"),
        ("{x: 3}".to_owned(), "the matrix vector `x` is no list"),
        ("{x: [1], exclude: y}".to_owned(), "`exclude` is no list"),
        ("{x: [1], exclude: {x: 1}}".to_owned(), "`exclude` is no list"),
        ("{x: [1], include: [[1]]}".to_owned(), "an entry of `include` is no mapping"),
        ("{x: [1], include: [{}]}".to_owned(), "does not contain any values"),
        ("{include: []}".to_owned(), "at least one vector"),
        (format!("{{{dimensions}}}"), "100000000000000000000 combinations"),
        (format!("{{{dimensions} exclude: [{{d0: 1}}]}}"), "for `exclude` to look at"),
    ] {
        let output = simulated(&[("w.yml", &with_job(&format!("strategy: {{matrix: {matrix}}}")))]);
        assert_eq!(output.exit, 1, "{matrix}");
        assert_found(&output, "error", "SRTX0603", ("w.yml", 6), text);
    }
    let output = simulated(&[("w.yml", &with_job("strategy: {matrix: {x: [1, 2], exclude: [{y: 1}]}}"))]);
    assert_eq!(output.exit, 0);
    assert_found(&output, "warning", "SRTX0603", ("w.yml", 6), "`exclude` names `y`");
}

#[test]
fn a_workflow_that_github_does_not_take_for_its_size_is_refused() {
    let line = format!("      - run: {}\n", "x".repeat(90));
    let workflow = format!("on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n{}", line.repeat(50_000));
    let output = simulated(&[("w.yml", &workflow)]);
    assert_eq!(output.exit, 1);
    assert_found(&output, "error", "SRTX0610", ("w.yml", 1), "1048576");
}

#[test]
fn many_jobs_and_long_chains_take_no_time() {
    let chain: String = (0..3000).map(|n| format!("  j{n}: {{needs: j{}, {STEPS}}}\n", n + 1)).collect();
    let output = simulated(&[("w.yml", &format!("on: push\njobs:\n{chain}  j3000: {{{STEPS}}}\n"))]);
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert_eq!(output.json()["jobs"][0]["id"], "j0");
    let circle: String = (0..3000).map(|n| format!("  j{n}: {{needs: j{}, {STEPS}}}\n", (n + 1) % 3000)).collect();
    let output = simulated(&[("w.yml", &format!("on: push\njobs:\n{circle}"))]);
    assert_eq!(output.exit, 1);
    assert_found(&output, "error", "SRTX0602", ("w.yml", 3002), "… 2989 more …");
    let knot: String = (0..60).map(|n| format!("j{n}")).collect::<Vec<_>>().join(", ");
    let knot: String = (0..60).map(|n| format!("  j{n}: {{needs: [{knot}], {STEPS}}}\n")).collect();
    assert_eq!(simulated(&[("w.yml", &format!("on: push\njobs:\n{knot}"))]).diagnostics().len(), 60);
}

#[test]
fn what_a_job_depends_on_does_not_double_with_every_need() {
    let layers: String = (1..60)
        .flat_map(|n| ["a", "b"].map(|c| format!("  l{n}{c}: {{needs: [l{0}a, l{0}b], {STEPS}}}\n", n - 1)))
        .collect();
    let first = |c: &str| format!("  l0{c}: {{if: vars.x, {STEPS}}}\n");
    let output = simulated(&[("w.yml", &format!("on: push\njobs:\n{}{}{layers}", first("a"), first("b")))]);
    let simulation = output.json();
    let last = simulation["jobs"].as_array().unwrap().last().unwrap();
    assert_eq!((last["state"].as_str(), &last["depends_on"]), (Some("unknown"), &serde_json::json!(["vars.x"])));
}

#[test]
fn calls_that_cannot_be_followed_are_named() {
    let call = |uses: &str| format!("on: push\njobs:\n  a: {{uses: {uses}}}\n");
    for (uses, text) in [
        ("./none.yml", "does not exist"),
        ("./folder", "does not exist"),
        ("acme/x", "is no workflow"),
        ("''", "is no workflow"),
        ("acme/x/.github/workflows/y.yml", "has no version"),
        ("./circle.yml", "circle.yml → circle.yml"),
        ("./action.yml", "does not exist, or is no workflow"),
    ] {
        let files = [
            ("w.yml", &*call(uses)),
            ("circle.yml", "on: workflow_call\njobs:\n  b: {uses: ./circle.yml}\n"),
            ("action.yml", "runs: {using: node20, main: x}\n"),
        ];
        let output = simulated(&files);
        assert_eq!(output.exit, 1, "{uses}");
        let line = |text: &str| {
            output.diagnostics().iter().any(|d| d["message"].as_str().unwrap().contains(text) && d["line"] == 3)
        };
        assert!(line(text), "{uses}: {:#?}", output.diagnostics());
    }
}

#[test]
fn secrets_of_a_call_are_checked() {
    let callee = "on:\n  workflow_call:\n    secrets: {token: {required: true}, other: {}}\njobs:\n  b: {runs-on: x, steps: [{run: a}]}\n";
    for (secrets, exit, text) in [
        ("secrets: inherit", 0, ""),
        ("secrets: {TOKEN: '${{ secrets.X }}'}", 0, ""),
        ("secrets: {other: a}", 1, "lacks the secret `token`"),
        ("name: x", 1, "lacks the secret `token`"),
        ("secrets: {token: a, nope: b}", 1, "declares no secret `nope`"),
        ("secrets: all", 1, "neither `inherit` nor a mapping"),
    ] {
        let workflow = format!("on: push\njobs:\n  a:\n    uses: ./c.yml\n    {secrets}\n");
        let output = simulated(&[("w.yml", &workflow), ("c.yml", callee)]);
        assert_eq!(output.exit, exit, "{secrets}: {}", output.stderr);
        assert!(output.stderr.contains(text), "{secrets}: {}", output.stderr);
    }
}

#[test]
fn contexts_exist_only_where_github_has_them() {
    for (job, name) in [
        ("if: matrix.x", "matrix"),
        ("if: secrets.x", "secrets"),
        ("if: env.x", "env"),
        ("env: {A: '${{ env.B }}'}", "env"),
        ("name: '${{ steps.x.outputs.y }}'", "steps"),
        ("strategy: {matrix: {x: ['${{ matrix.y }}']}}", "matrix"),
        ("timeout-minutes: '${{ fromJSON(env.X) }}'", "env"),
        ("concurrency: '${{ runner.os }}'", "runner"),
    ] {
        let output = simulated(&[("w.yml", &with_job(job))]);
        assert_eq!(output.exit, 1, "{job}");
        assert_found(&output, "error", "SRTX0607", ("w.yml", 6), &format!("no context `{name}`"));
    }
}

#[test]
fn values_that_github_does_not_take_are_refused() {
    for (job, text) in [
        ("timeout-minutes: \"${{ format('5') }}\"", "the text `5`, expected a number"),
        ("continue-on-error: \"${{ matrix.nope }}\"", "nothing, expected true or false"),
        ("strategy: {fail-fast: 'no', matrix: {x: [1]}}", "expected true or false"),
        ("strategy: {max-parallel: 0, matrix: {x: [1]}}", "expected a number above 0"),
        ("name: \"${{ fromJSON('[1]') }}\"", "the name: a sequence"),
        ("outputs: {x: \"${{ fromJSON('[1]') }}\"}", "the output `x`: a sequence"),
    ] {
        let output = simulated(&[("w.yml", &with_job(job))]);
        assert_eq!(output.exit, 1, "{job}");
        assert_found(&output, "error", "SRTX0604", ("w.yml", 6), text);
    }
    for runs_on in ["", "[]", "''", "'${{ matrix.none }}'", "[[a]]", "{nope: a}"] {
        let workflow = format!("on: push\njobs:\n  a: {{runs-on: {runs_on}, steps: [{{run: a}}]}}\n");
        assert_eq!(simulated(&[("w.yml", &workflow)]).exit, 1, "{runs_on}");
    }
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_and_pipes_are_not_followed() {
    let folder = folder_with(&[("w.yml", "on: push\njobs:\n  a: {uses: ./loop.yml}\n  b: {uses: ./pipe.yml}\n")]);
    std::os::unix::fs::symlink("loop.yml", folder.path().join("loop.yml")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.yml")).status().unwrap();
    assert!(made.success());
    let output = run(folder.path(), "--diagnostics json simulate w.yml --format json");
    assert_eq!(output.exit, 1);
    assert_found(&output, "error", "SRTX0606", ("w.yml", 3), "loop.yml does not exist");
    assert_found(&output, "error", "SRTX0606", ("w.yml", 4), "pipe.yml does not exist");
    let itself = run(folder.path(), "--diagnostics json simulate loop.yml");
    assert_eq!((itself.exit, itself.diagnostics()[0]["code"].as_str()), (1, Some("SRTX0101")));
}

#[test]
fn inputs_of_a_dispatch_are_held_to_what_is_declared() {
    let on = "on:\n  workflow_dispatch:\n    inputs:\n      text: {type: string, required: true}\n      kind: {type: choice, options: [one, two]}\n      n: {type: number}\n";
    let workflow = format!("{on}jobs:\n  a: {{{STEPS}, if: inputs.text}}\n");
    for (options, exit, text) in [
        ("", 1, "`text` is required"),
        ("--input text=a", 0, ""),
        ("--input text=a --input kind=three", 1, "none of its options"),
        ("--input text=a --input kind=two", 0, ""),
        ("--input text=a --input n=inf", 1, "no number"),
        ("--input text=a --input nope=1", 1, "declares no input `nope`"),
    ] {
        let folder = folder_with(&[("w.yml", &workflow)]);
        let output = run(folder.path(), &format!("--diagnostics json simulate w.yml --format json {options}"));
        assert_eq!(output.exit, exit, "{options}: {}", output.stderr);
        assert!(output.stderr.contains(text), "{options}: {}", output.stderr);
    }
}
