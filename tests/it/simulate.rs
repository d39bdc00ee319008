//! What `simulate` says of workflows: the repository's own, and small ones that each show one rule.

use serde_json::{Value as Json, json};

use super::support::{Output, folder_with, repository, run};

fn simulated(files: &[(&str, &str)], options: &str) -> Output {
    run(folder_with(files).path(), &format!("--diagnostics json simulate w.yml --format json {options}"))
}

fn job<'j>(simulation: &'j Json, path: &str) -> &'j Json {
    let jobs = simulation["jobs"].as_array().unwrap();
    jobs.iter().find(|job| job["path"] == path).unwrap_or_else(|| panic!("no job {path} in {simulation:#}"))
}

fn states(simulation: &Json) -> Vec<String> {
    let jobs = simulation["jobs"].as_array().unwrap();
    jobs.iter().map(|job| format!("{}={}", job["path"].as_str().unwrap(), job["state"].as_str().unwrap())).collect()
}

const STEPS: &str = "runs-on: x, steps: [{run: a}]";

#[test]
fn the_sweep_of_the_repository_runs_every_point_once() {
    let root = repository();
    let simulation = run(&root, "simulate --format json");
    assert_eq!(simulation.exit, 0, "{}", simulation.stderr);
    let points = run(&root, "matrix full-sweep --points --format json").json();
    let simulation = simulation.json();
    let mut keys: Vec<String> = Vec::new();
    for job in simulation["jobs"].as_array().unwrap().iter().filter(|job| job["id"] == "point") {
        for leg in job["legs"].as_array().unwrap() {
            let point = &leg["matrix"]["point"];
            assert_eq!(leg["runs_on"], point["runs-on"]);
            keys.push(point["key"].as_str().unwrap().to_owned());
        }
    }
    let expected: Vec<String> =
        points.as_array().unwrap().iter().map(|point| point["key"].as_str().unwrap().to_owned()).collect();
    assert_eq!(keys, expected);
}

#[test]
fn an_empty_plan_skips_the_shards_and_says_why() {
    let simulation = run(&repository(), "simulate --format json --output plan.count=0").json();
    let shard = job(&simulation, "shard");
    assert_eq!(shard["state"], "skip");
    assert_eq!(shard["because"]["expression"], "needs.plan.outputs.count != '0'");
    assert_eq!(shard["because"]["value"], false);
    assert_eq!(shard["because"]["file"], ".github/workflows/sweep.yml");
}

#[test]
fn skipped_and_failed_needs_are_kept_apart() {
    let workflow = format!(
        "on: push\njobs:\n  a: {{{STEPS}, if: false}}\n  b: {{{STEPS}, needs: a}}\n  c: {{{STEPS}, needs: a, if: always()}}\n  \
         d: {{{STEPS}, needs: b, if: \"!cancelled()\"}}\n  e: {{{STEPS}, needs: a, if: failure()}}\n"
    );
    let simulation = simulated(&[("w.yml", &workflow)], "").json();
    assert_eq!(states(&simulation), ["a=skip", "b=skip", "c=run", "d=run", "e=skip"]);
    assert_eq!(job(&simulation, "b")["because"]["expression"], "success()");
    let failed = simulated(&[("w.yml", &workflow.replace("if: false", "if: true"))], "--result a=failure").json();
    assert_eq!(states(&failed), ["a=run", "b=skip", "c=run", "d=run", "e=run"]);
}

#[test]
fn what_cannot_be_known_stays_unknown_and_says_on_what_it_depends() {
    let workflow = format!(
        "on: push\njobs:\n  a:\n    runs-on: x\n    outputs: {{n: '${{{{ steps.s.outputs.n }}}}'}}\n    steps: [{{id: s, run: x}}]\n  \
         b: {{{STEPS}, needs: a, if: needs.a.outputs.n != ''}}\n  c: {{{STEPS}, needs: a, if: needs.a.outputs.n != '' && false}}\n"
    );
    let simulation = simulated(&[("w.yml", &workflow)], "").json();
    assert_eq!(states(&simulation), ["a=run", "b=unknown", "c=skip"]);
    assert_eq!(job(&simulation, "b")["depends_on"], json!(["steps.s.outputs.n"]));
    let given = simulated(&[("w.yml", &workflow)], "--output a.n=5").json();
    assert_eq!(states(&given), ["a=run", "b=run", "c=skip"]);
}

#[test]
fn a_matrix_makes_legs_with_names_and_labels() {
    let workflow = "on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        os: [x, y]\n        v: [1, 2]\n        exclude: [{os: x, v: 2}]\n        \
                    include: [{os: y, extra: true}]\n    runs-on: ['${{ matrix.os }}', big]\n    steps: [{run: 'echo ${{ matrix.v }}'}]\n";
    let simulation = simulated(&[("w.yml", workflow)], "").json();
    let legs = job(&simulation, "a")["legs"].as_array().unwrap();
    let names: Vec<&str> = legs.iter().map(|leg| leg["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a (x, 1)", "a (y, 1, true)", "a (y, 2, true)"]);
    assert_eq!(legs[2]["runs_on"], json!(["y", "big"]));
    assert_eq!(legs[2]["steps"][0]["run"], "echo 2");
}

#[test]
fn only_names_with_expressions_are_whole() {
    let named = |name: &str| {
        let workflow = format!("on: push\njobs:\n  a: {{{STEPS}, name: {name}, strategy: {{matrix: {{v: [7]}}}}}}\n");
        simulated(&[("w.yml", &workflow)], "").json()["jobs"][0]["legs"][0]["name"].clone()
    };
    assert_eq!(named("Build"), "Build (7)");
    assert_eq!(named("'Build ${{ matrix.v }}'"), "Build 7");
}

const CALLEE: &str = "on:\n  workflow_call:\n    inputs:\n      text: {type: string, required: true}\n      flag: {type: boolean, default: true}\n      n: {type: number}\n    \
                      outputs:\n      out: {value: '${{ jobs.inner.outputs.o }}'}\njobs:\n  inner:\n    runs-on: '${{ inputs.text }}'\n    outputs: {o: 'made of ${{ inputs.n }}'}\n    \
                      env: {FLAG: '${{ inputs.flag }}'}\n    steps: [{run: a}]\n";

#[test]
fn a_call_passes_inputs_with_types_and_returns_outputs() {
    let workflow = format!(
        "on: push\njobs:\n  call:\n    uses: ./callee.yml\n    with: {{text: '${{{{ 1.5 }}}}', n: 7}}\n  \
         after: {{{STEPS}, needs: call, if: \"needs.call.outputs.out == 'made of 7'\"}}\n"
    );
    let output = simulated(&[("w.yml", &workflow), ("callee.yml", CALLEE)], "");
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let simulation = output.json();
    assert_eq!(states(&simulation), ["call=run", "call/inner=run", "after=run"]);
    assert_eq!(job(&simulation, "call")["legs"][0]["inputs"], json!({"text": "1.5", "flag": true, "n": 7}));
    assert_eq!(job(&simulation, "call/inner")["legs"][0]["env"], json!({"FLAG": "true"}));
    assert_eq!(job(&simulation, "call/inner")["legs"][0]["runs_on"], "1.5");
}

#[test]
fn what_github_would_fail_on_is_a_problem_with_a_place() {
    let call = |with: &str| format!("on: push\njobs:\n  call:\n    uses: ./callee.yml\n    with: {with}\n");
    let list = |matrix: &str| format!("on: push\njobs:\n  a: {{{STEPS}, strategy: {{matrix: {matrix}}}}}\n");
    let many: String = (0..257).map(|n| format!("{n}, ")).collect();
    for (workflow, code, line) in [
        (call("{text: a, nope: 1}"), "SRTX0605", 5),
        (call("{flag: true}"), "SRTX0605", 4),
        (call("{text: a, flag: 'yes'}"), "SRTX0604", 5),
        (call("{text: \"${{ fromJson('[1]') }}\"}"), "SRTX0604", 5),
        (list("{v: \"${{ fromJson('') }}\"}"), "SRTX0607", 3),
        (list("{v: []}"), "SRTX0603", 3),
        (list(&format!("{{v: [{many}]}}")), "SRTX0603", 3),
        (format!("on: push\njobs:\n  a: {{{STEPS}, needs: b}}\n  b: {{{STEPS}, needs: a}}\n"), "SRTX0602", 4),
        (format!("on: push\njobs:\n  a: {{{STEPS}, needs: zz}}\n"), "SRTX0602", 3),
        ("on: push\njobs:\n  a: {uses: ./none.yml}\n".to_owned(), "SRTX0606", 3),
        ("on: workflow_call\njobs:\n  a: {uses: ./w.yml}\n".to_owned(), "SRTX0606", 3),
        ("on: push\njobs:\n  a: {runs-on: x}\n".to_owned(), "SRTX0601", 3),
        ("stages: [a]\n".to_owned(), "SRTX0601", 1),
    ] {
        let output = simulated(&[("w.yml", &workflow), ("callee.yml", CALLEE)], "");
        assert_eq!(output.exit, 1, "{workflow}");
        let found = output.diagnostics();
        let hit = found.iter().any(|d| d["code"] == code && d["line"] == line && d["severity"] == "error");
        assert!(hit, "expected {code} on line {line} for\n{workflow}\n{found:#?}");
    }
}

#[test]
fn the_same_problem_of_many_legs_is_said_once() {
    let workflow = "on: push\njobs:\n  a:\n    strategy: {matrix: {v: [1, 2, 3]}}\n    uses: ./callee.yml\n    with: {text: x, flag: 'no'}\n";
    let output = simulated(&[("w.yml", workflow), ("callee.yml", CALLEE)], "");
    assert_eq!(output.diagnostics().len(), 1, "{}", output.stderr);
}

#[test]
fn remote_calls_stay_symbolic() {
    let workflow = format!(
        "on: push\njobs:\n  call:\n    uses: acme/x/.github/workflows/y.yml@v1\n    with: {{a: 1}}\n  \
         after: {{{STEPS}, needs: call, if: needs.call.outputs.z}}\n"
    );
    let simulation = simulated(&[("w.yml", &workflow)], "").json();
    assert_eq!(states(&simulation), ["call=run", "after=unknown"]);
    assert_eq!(job(&simulation, "call")["calls"], "acme/x/.github/workflows/y.yml@v1");
    assert_eq!(job(&simulation, "after")["depends_on"], json!(["needs.call.outputs.z"]));
}

#[test]
fn outputs_are_generated_in_process() {
    let root = repository();
    let workflow = "on: push\njobs:\n  plan: {runs-on: x, outputs: {}, steps: [{run: a}]}\n  \
                    p: {needs: plan, runs-on: x, strategy: {matrix: {point: \"${{ fromJson(needs.plan.outputs.points) }}\"}}, steps: [{run: a}]}\n";
    let folder = folder_with(&[("w.yml", workflow)]);
    for name in ["nvidia-master.yaml", "amd-master.yaml", "runners.yaml"] {
        std::fs::create_dir_all(folder.path().join("configs")).unwrap();
        std::fs::copy(root.join("configs").join(name), folder.path().join("configs").join(name)).unwrap();
    }
    let mut command = super::support::command(folder.path());
    command.args(["simulate", "w.yml", "--format", "json", "--generate"]);
    command.arg("plan.points=matrix test-config --config-keys dsr1-fp8-h200-sglang --points");
    let output = super::support::finish(&mut command);
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert_eq!(job(&output.json(), "p")["legs"].as_array().unwrap().len(), 10);
}

#[test]
fn the_environment_of_a_leg_is_printed_as_exports() {
    let workflow = "on: push\nenv: {A: one, B: 'it''s'}\njobs:\n  a: {runs-on: x, env: {A: two, C: '${{ github.sha }}'}, steps: [{run: a}]}\n";
    let folder = folder_with(&[("w.yml", workflow)]);
    let output = run(folder.path(), "simulate w.yml --env-of a");
    assert_eq!(output.stdout, "export A='two'\nexport B='it'\\''s'\n# C depends on github.sha\n");
}

#[test]
fn variables_that_differ_in_case_are_two_but_on_windows() {
    let workflow = "on: push\nenv: {Foo: a}\njobs:\n  j:\n    strategy: {matrix: {os: [ubuntu-latest, windows-latest]}}\n    \
        runs-on: ['self-hosted', '${{ matrix.OS }}']\n    env: {FOO: b}\n    steps:\n      - run: ${{ env.Foo }} ${{ ENV.FOO }} ${{ env.foo }}\n      \
        - {env: {foo: c}, run: '${{ env.Foo }} ${{ env.FOO }} ${{ env.foo }}'}\n";
    let simulation = simulated(&[("w.yml", workflow)], "").json();
    let legs = &job(&simulation, "j")["legs"];
    let scripts = |leg: usize| [&legs[leg]["steps"][0]["run"], &legs[leg]["steps"][1]["run"]];
    assert_eq!(scripts(0), ["a b ", "a b c"]);
    assert_eq!(scripts(1), ["b b b", "c c c"]);
    assert_eq!(legs[0]["env"], json!({"Foo": "a", "FOO": "b"}));
    assert_eq!(legs[1]["env"], json!({"Foo": "b"}));
}

#[test]
fn filters_leave_events_out_and_say_which() {
    let on = |filters: &str| format!("on:\n  push:\n    {filters}\njobs:\n  a: {{{STEPS}}}\n");
    let main = "branches: [main, 'releases/**', '!releases/**-alpha']";
    let changed = r#"{"commits":[{"added":["docs/a.md"],"modified":["src/b.rs"],"removed":[]}]}"#;
    for (filters, options, runs) in [
        (main, "--ref refs/heads/main", true),
        (main, "--ref refs/heads/other", false),
        (main, "--ref refs/heads/releases/1/x", true),
        (main, "--ref refs/heads/releases/1-alpha", false),
        (main, "", true),
        (main, "--ref refs/tags/v1", false),
        ("branches-ignore: ['wip/**']", "--ref refs/heads/wip/a/b", false),
        ("branches-ignore: ['wip/**']", "--ref refs/heads/a", true),
        ("tags: ['v[0-9]+.*']", "--ref refs/tags/v12.0", true),
        ("tags: ['v[0-9]+.*']", "--ref refs/tags/x", false),
        ("tags: ['v*']", "--ref refs/heads/v1", false),
        ("paths: ['src/**']", "--event-file changed.json", true),
        ("paths: ['configs/*.yaml']", "--event-file changed.json", false),
        ("paths: ['configs/*.yaml']", "", true),
        ("paths-ignore: ['docs/**']", "--event-file changed.json", true),
        ("paths-ignore: ['docs/**', '**.rs']", "--event-file changed.json", false),
    ] {
        let output = simulated(&[("w.yml", &on(filters)), ("changed.json", changed)], options);
        assert_eq!(output.exit, 0, "{filters} {options}: {}", output.stderr);
        assert_eq!(states(&output.json()), if runs { &["a=run"][..] } else { &[] }, "{filters} {options}");
        let notes = output.diagnostics();
        assert_eq!(notes.len(), usize::from(!runs), "{filters} {options}");
        if !runs {
            assert_eq!((&notes[0]["code"], &notes[0]["severity"]), (&json!("SRTX0608"), &json!("note")));
            assert_eq!(notes[0]["line"], 3);
        }
    }
}

#[test]
fn pull_requests_are_filtered_by_type_and_base() {
    let on = |filters: &str| format!("on:\n  pull_request:\n    {filters}\njobs:\n  a: {{{STEPS}}}\n");
    let event = r#"{"action":"labeled","pull_request":{"base":{"ref":"main"}}}"#;
    for (filters, runs) in [
        ("types: [labeled]", true),
        ("types: labeled", true),
        ("types: [opened, synchronize]", false),
        ("branches: ['m*']", false),
        ("{types: [labeled], branches: ['m*']}", true),
        ("{types: [labeled], branches: [dev]}", false),
    ] {
        let files = [("w.yml", &*on(filters)), ("event.json", event)];
        let output = simulated(&files, "--event pull_request --event-file event.json");
        assert_eq!(output.exit, 0, "{filters}");
        assert_eq!(states(&output.json()).len(), usize::from(runs), "{filters}");
    }
}

#[test]
fn a_label_does_not_make_the_rest_of_the_event_known() {
    let workflow = format!(
        "on: pull_request\njobs:\n  a: {{{STEPS}, if: '!github.event.pull_request.draft'}}\n  \
         b: {{{STEPS}, if: \"contains(github.event.pull_request.labels.*.name, 'sweep')\"}}\n  \
         c: {{{STEPS}, if: \"github.event.action == 'labeled'\"}}\n"
    );
    let output = simulated(&[("w.yml", &workflow)], "--event pull_request --label sweep").json();
    assert_eq!(states(&output), ["a=unknown", "b=run", "c=unknown"]);
}

#[test]
fn a_dispatch_has_its_inputs_with_types_and_as_texts() {
    let workflow = format!(
        "on:\n  workflow_dispatch:\n    inputs:\n      flag: {{type: boolean, default: true}}\njobs:\n  \
         a: {{{STEPS}, if: inputs.flag == true}}\n  b: {{{STEPS}, if: \"github.event.inputs.flag == 'true'\"}}\n"
    );
    assert_eq!(states(&simulated(&[("w.yml", &workflow)], "").json()), ["a=run", "b=run"]);
    assert_eq!(states(&simulated(&[("w.yml", &workflow)], "--input flag=false").json()), ["a=skip", "b=skip"]);
}

#[test]
fn an_output_that_github_does_not_pass_on_is_a_problem_also_when_it_is_given() {
    let workflow =
        "on: push\njobs:\n  a: {runs-on: x, outputs: {o: '${{ steps.s.outputs.o }}'}, steps: [{id: s, run: x}]}\n";
    for (length, exit) in [(500_000, 0), (600_000, 1)] {
        let files = [("w.yml", workflow), ("o.txt", &*"x".repeat(length))];
        let output = simulated(&files, "--output a.o=@o.txt");
        assert_eq!(output.exit, exit, "{}", output.stderr);
        assert!(exit == 0 || output.diagnostics()[0]["code"] == "SRTX0609");
    }
}

#[test]
fn a_file_that_is_no_workflow_is_never_refused_without_a_word() {
    let action = "name: a\ndescription: b\nruns: {using: composite, steps: [{run: a, shell: sh}]}\n";
    let kinds = [
        (action, "it is an action"),
        ("stages: [build]\n", "GitLab"),
        ("pool: x\n", "Azure"),
        ("orbs: {}\n", "CircleCI"),
        ("version: 2\njobs: {a: {docker: [{image: x}], steps: [checkout]}}\nworkflows: {}\n", "CircleCI"),
        ("trigger: [main]\njobs: [{job: a, steps: [{script: b}]}]\n", "Azure"),
        ("pipelines: {default: []}\n", "Bitbucket"),
        ("language: rust\nscript: [a]\n", "Travis"),
        ("a: b\n", "no `jobs`"),
        ("- a\n", "no `jobs`"),
        ("", "no `jobs`"),
    ];
    for (text, why) in kinds {
        let output = run(folder_with(&[("w.yml", text)]).path(), "simulate w.yml");
        assert_eq!(output.exit, 1, "{text}");
        assert!(output.stderr.contains("w.yml") && output.stderr.contains(why), "{text}: {}", output.stderr);
    }
}

#[test]
fn the_transcript_of_the_readme_is_what_its_command_prints() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let after = readme.split("\n    $ srtx-gh ").nth(1).unwrap();
    let (command, rest) = after.split_once('\n').unwrap();
    assert!(command.starts_with("simulate "), "{command}");
    let shown: String = rest
        .lines()
        .take_while(|line| line.starts_with("    ") || line.is_empty())
        .map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line)))
        .collect();
    let output = run(&repository(), &format!("{command} --format table"));
    assert_eq!((output.exit, shown.trim_end()), (0, output.stdout.trim_end()));
}

#[test]
fn exports_are_safe_to_evaluate() {
    let workflow = "on: push\nenv:\n  A: \"it's $HOME `id` \\\\ \\n2\"\n  \"B; touch pwned\": x\n  \"C\\ntouch pwned\": y\n  \
                    D: \"\\0\"\n  \"E\\ntouch pwned\": '${{ github.sha }}'\njobs:\n  a: {runs-on: x, steps: [{run: a}]}\n";
    let folder = folder_with(&[("w.yml", workflow)]);
    let output = run(folder.path(), "simulate w.yml --env-of a");
    std::fs::write(folder.path().join("env.sh"), format!("{}printf %s \"$A\"\n", output.stdout)).unwrap();
    let shell = std::process::Command::new("sh").arg("env.sh").current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&shell.stdout), "it's $HOME `id` \\ \n2");
    assert!(shell.stderr.is_empty() && !folder.path().join("pwned").exists(), "{}", output.stdout);
}

#[test]
fn a_misspelled_job_on_the_command_line_is_said() {
    let workflow = format!("on: push\njobs:\n  plan: {{{STEPS}}}\n");
    for (options, text) in [
        ("--output plna.x=1", "did you mean `plan`?"),
        ("--result zz=failure", "there is no job `zz`"),
        ("--leg plan[3]", "plan[0] to plan[0]"),
        ("--leg pln", "did you mean `plan`?"),
    ] {
        let output = simulated(&[("w.yml", &workflow)], options);
        assert_eq!((output.exit, &*output.stdout), (2, ""), "{options}");
        assert!(output.stderr.contains(text), "{options}: {}", output.stderr);
    }
}

#[test]
fn payloads_say_what_they_say_and_lack_what_github_does_not_send() {
    let workflow = format!(
        "on: [push, pull_request, schedule]\njobs:\n  a: {{{STEPS}, if: github.event.pull_request.draft}}\n  \
         b: {{{STEPS}, if: \"github.ref == 'refs/heads/main'\"}}\n  c: {{{STEPS}, if: \"github.repository == 'acme/x'\"}}\n  \
         d: {{{STEPS}, if: \"github.workflow == 'w.yml'\"}}\n  e: {{{STEPS}, if: github.run_attempt > 1}}\n"
    );
    let payload = r#"{"ref":"refs/heads/main","repository":{"full_name":"acme/x"}}"#;
    let of = |options: &str| states(&simulated(&[("w.yml", &workflow), ("p.json", payload)], options).json());
    assert_eq!(of("--event push"), ["a=skip", "b=unknown", "c=unknown", "d=run", "e=unknown"]);
    assert_eq!(of("--event push --event-file p.json"), ["a=skip", "b=run", "c=run", "d=run", "e=unknown"]);
    assert_eq!(of("--event pull_request"), ["a=unknown", "b=unknown", "c=unknown", "d=run", "e=unknown"]);
}

#[test]
fn a_schedule_that_is_the_only_one_is_known() {
    let workflow = |second: &str| {
        format!(
            "on:\n  schedule:\n    - cron: '0 3 * * *'\n{second}jobs:\n  a: {{{STEPS}, if: \"github.event.schedule == '0 3 * * *'\"}}\n"
        )
    };
    let of = |second: &str| states(&simulated(&[("w.yml", &workflow(second))], "").json());
    assert_eq!(of(""), ["a=run"]);
    assert_eq!(of("    - cron: '0 4 * * *'\n"), ["a=unknown"]);
}

#[test]
fn an_expression_may_stand_for_the_matrix_or_the_whole_strategy() {
    let with = |strategy: &str| {
        let workflow =
            format!("on: push\njobs:\n  a:\n    strategy: {strategy}\n    {}\n", STEPS.replace(", ", "\n    "));
        let output = simulated(&[("w.yml", &workflow)], "");
        assert_eq!(output.exit, 0, "{}", output.stderr);
        let legs = job(&output.json(), "a")["legs"].as_array().unwrap().clone();
        legs.iter().map(|leg| leg["matrix"].clone()).collect::<Vec<_>>()
    };
    let two = [json!({"v": 1}), json!({"v": 2})];
    assert_eq!(with("{matrix: \"${{ fromJSON('{\\\"v\\\":[1,2]}') }}\"}"), two);
    assert_eq!(with("\"${{ fromJSON('{\\\"matrix\\\":{\\\"v\\\":[1,2]}}') }}\""), two);
    assert_eq!(with("\"${{ fromJSON('{\\\"max-parallel\\\":2}') }}\""), [json!(null)]);
    let unknown = with("{matrix: {v: '${{ fromJSON(github.sha) }}', w: [3], x: [4, 5]}}");
    assert_eq!(unknown, [json!({"v": {"unknown": ["github.sha"]}, "w": 3, "x": {"unknown": ["matrix.x"]}})]);
    assert_eq!(with("{matrix: {v: [1], exclude: [{v: 1}]}}"), [json!(null)]);
}

#[test]
fn what_an_unknown_call_leads_to_is_unknown_too() {
    let workflow = "on: push\njobs:\n  call: {if: vars.x, uses: ./callee.yml, with: {text: a}}\n";
    let simulation = simulated(&[("w.yml", workflow), ("callee.yml", CALLEE)], "").json();
    assert_eq!(states(&simulation), ["call=unknown", "call/inner=unknown"]);
    assert_eq!(job(&simulation, "call/inner")["depends_on"], json!(["vars.x"]));
}

#[test]
fn outputs_and_results_may_be_given_by_path() {
    let callee = "on: workflow_call\njobs:\n  a: {runs-on: x, outputs: {o: '${{ steps.s.outputs.o }}'}, steps: [{id: s, run: a}]}\n  \
                  b: {needs: a, if: needs.a.outputs.o == '1', runs-on: x, steps: [{run: a}]}\n";
    let workflow = "on: push\njobs:\n  one: {uses: ./c.yml}\n  two: {uses: ./c.yml}\n";
    let output = simulated(&[("w.yml", workflow), ("c.yml", callee)], "--output one/a.o=1 --output two/a.o=2");
    assert_eq!(states(&output.json()), ["one=run", "one/a=run", "one/b=run", "two=run", "two/a=run", "two/b=skip"]);
}
