//! `srtx-gh bind`: the one variant, or why there is none.

use serde_json::json;

use crate::support::{Output, folder_with, run};

const RECIPE: &str = "\
base:
  schema: 2
  name: m-fp8-b200-sglang
  engine: sglang
  model: { path: 'hf:org/M', container: 'org/server:v1', precision: fp8 }
  roles:
    agg:
      nodes: 1
      workers: 1
      gpus: 8
      args: { tensor-parallel-size: 8 }
  benchmark:
    type: custom
    command: bash /infmax-workspace/benchmarks/single_node/srt_fixed_sequence.sh
    env: { MODEL: org/M, USE_CHAT_TEMPLATE: 'false', ISL: 8192, OSL: 1024, RANDOM_RANGE_RATIO: 0.8 }
override_c4:
  benchmark: { env: { CONC: '4' } }
override_c8:
  benchmark: { env: { CONC: '8' } }
override_tp4:
  roles: { agg: { gpus: 4, args: { tensor-parallel-size: 4 } } }
";

fn environment(changes: &[(&str, &str)]) -> String {
    let mut env = json!({
        "FRAMEWORK": "sglang", "MODEL": "org/M", "IMAGE": "org/server:v1", "PRECISION": "fp8", "TP": "8",
        "GPU_COUNT": "8", "PP_SIZE": "1", "DCP_SIZE": "1", "PCP_SIZE": "1", "EP_SIZE": "1", "DP_ATTENTION": "false",
        "SPEC_DECODING": "none", "IS_AGENTIC": "0", "RUN_EVAL": "false", "EVAL_ONLY": "false", "ISL": "8192",
        "OSL": "1024", "RANDOM_RANGE_RATIO": "0.8", "CONC": "8", "RESULT_FILENAME": "r", "GPU_MONITOR_INTERVAL": "1",
        "MODEL_PREFIX": "m", "MAX_MODEL_LEN": "9472", "DURATION": "3600", "THINKING_MODE": "thinking_on"
    });
    for (name, value) in changes {
        env[name] = json!(value);
    }
    env.to_string()
}

fn bind(recipe: &str, changes: &[(&str, &str)], line: &str) -> Output {
    let env = environment(changes);
    let folder = folder_with(&[("r.yaml", recipe), ("env.json", &env)]);
    run(folder.path(), &format!("--diagnostics json bind {line} --env @env.json"))
}

#[test]
fn one_variant_is_bound() {
    let output = bind(RECIPE, &[], "--recipe r.yaml");
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let bound = output.json();
    assert_eq!(bound["selected"], "r.yaml:override_c8");
    assert_eq!(bound["name"], "m-fp8-b200-sglang_c8");
    assert_eq!(bound["arguments"][1], "srun_options.gpus-per-node=\"8\"");
    let nul = bind(RECIPE, &[], "--recipe r.yaml --format nul").stdout;
    let words: Vec<&str> = nul.split_terminator('\0').collect();
    assert_eq!(words[..3], ["r.yaml:override_c8", "--set", "srun_options.gpus-per-node=\"8\""]);
}

#[test]
fn a_variant_without_a_concurrency_takes_any() {
    let output = bind(RECIPE, &[("TP", "4"), ("GPU_COUNT", "4"), ("CONC", "77")], "--recipe r.yaml");
    let bound = output.json();
    assert_eq!(bound["selected"], "r.yaml:override_tp4");
    let arguments = bound["arguments"].as_array().unwrap();
    assert!(arguments.contains(&json!("benchmark.env.CONC=\"77\"")));
}

#[test]
fn no_match_lists_each_candidate_and_points_at_the_nearest() {
    let output = bind(RECIPE, &[("CONC", "16")], "--recipe r.yaml");
    assert_eq!(output.exit, 1);
    assert_eq!(
        output.json(),
        json!({"rejected": [
            {"candidate": "override_c4", "field": "CONC", "recipe": "4", "matrix": "16"},
            {"candidate": "override_c8", "field": "CONC", "recipe": "8", "matrix": "16"},
            {"candidate": "override_tp4", "field": "tensor-parallel-size", "recipe": 4, "matrix": 8},
        ]})
    );
    let found = output.diagnostics();
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("SRTX0952")));
    // The value of the nearest variant.
    assert_eq!((&found[0]["file"], &found[0]["line"]), (&json!("r.yaml"), &json!(17)));
}

#[test]
fn two_matches_are_named() {
    let twice = format!("{RECIPE}override_c8_again:\n  benchmark: {{ env: {{ CONC: '8' }} }}\n");
    let output = bind(&twice, &[], "--recipe r.yaml");
    assert_eq!(output.exit, 1);
    assert_eq!(output.json(), json!({"matched": ["r.yaml:override_c8", "r.yaml:override_c8_again"]}));
    assert_eq!(output.diagnostics()[0]["code"], "SRTX0953");
    let chosen = bind(&twice, &[], "--recipe r.yaml:override_c8_again");
    assert_eq!(chosen.json()["selected"], "r.yaml:override_c8_again");
}

#[test]
fn a_malformed_variant_is_one_of_the_rejected() {
    let broken = format!("{RECIPE}override_broken: [1]\noverride_poor:\n  roles: null\n");
    let output = bind(&broken, &[("CONC", "4")], "--recipe r.yaml");
    assert_eq!(output.json()["selected"], "r.yaml:override_c4");
    let output = bind(&broken, &[("CONC", "5")], "--recipe r.yaml");
    let rejected = output.json()["rejected"].as_array().unwrap().clone();
    assert_eq!(rejected.len(), 5);
    assert_eq!(
        rejected[0],
        json!({"candidate": "override_broken", "field": "variant", "recipe": null, "matrix": null})
    );
    assert_eq!(rejected[3]["field"], "roles.agg");
}

#[test]
fn what_cannot_be_asked_is_refused_without_output() {
    let cases = [("--recipe r.yaml:override_none", "SRTX09"), ("--recipe missing.yaml", "SRTX0101")];
    for (line, code) in cases {
        let output = bind(RECIPE, &[], line);
        assert_eq!((output.exit, &*output.stdout), (1, ""), "{line}");
        assert!(output.diagnostics()[0]["code"].as_str().unwrap().starts_with(code), "{line}: {}", output.stderr);
    }
    let folder =
        folder_with(&[("r.yaml", RECIPE), ("list.json", "[]"), ("number.json", r#"{"TP": 8, "EP_SIZE": null}"#)]);
    let output = run(folder.path(), "--diagnostics json bind --recipe r.yaml --env @list.json");
    assert_eq!((output.exit, &output.diagnostics()[0]["path"]), (1, &json!("env")));
    let output = run(folder.path(), "--diagnostics json bind --recipe r.yaml --env @number.json");
    let paths: Vec<_> = output.diagnostics().iter().map(|found| found["path"].clone()).collect();
    assert_eq!(paths, ["env.TP", "env.EP_SIZE"]);
    assert_eq!(run(folder.path(), "--diagnostics json bind").exit, 2);
}

#[test]
fn the_answer_of_a_submission_is_read() {
    let good = r#"{"status":"submitted","slurm_job_id":"0042","output_dir":"/out/42"}"#;
    let folder = folder_with(&[("good.json", good), ("bad.json", "Submitted batch job 42\n")]);
    let output = run(folder.path(), "bind submission good.json");
    assert_eq!(output.json(), json!({"job_id": "0042", "output_dir": "/out/42"}));
    let output = run(folder.path(), "--diagnostics json bind submission bad.json");
    assert_eq!((output.exit, &*output.stdout), (1, ""));
    assert_eq!(output.diagnostics()[0]["code"], "SRTX0954");
}

const CURVE: &str = "org-m:\n  thinking_on: { 1: 1.5, 2: 2.25, 3: 2.625 }\n  thinking_off: { 3: 9 }\n";

fn acceptance(recipe: &str, changes: &[(&str, &str)], line: &str) -> Output {
    let env = environment(&[&[("IS_AGENTIC", "1"), ("SPEC_DECODING", "mtp")], changes].concat());
    let curves = [
        ("curves/m_mtp.yaml", CURVE),
        ("curves/minimaxm3_eagle3_gqa.yaml", CURVE),
        ("curves/kimik3_dspark.yaml", CURVE),
    ];
    let files = [&[("r.yaml", recipe), ("env.json", &*env)], &curves[..]].concat();
    let folder = folder_with(&files);
    run(folder.path(), &format!("--diagnostics json bind acceptance --curves curves --env @env.json {line}"))
}

/// What stands behind `--file` in the only command.
fn generated(output: &Output) -> Vec<String> {
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let words = output.json()["commands"][0].as_array().unwrap().clone();
    let words: Vec<String> = words.iter().map(|word| word.as_str().unwrap().to_owned()).collect();
    let file = words.iter().position(|word| word == "--file").unwrap();
    words[file + 2..].to_vec()
}

#[test]
fn the_length_of_the_generating_role_goes_to_every_role_that_drafts() {
    let recipe = "roles:\n  prefill: { args: { speculative-algorithm: EAGLE, speculative-num-steps: 1 } }\n  \
                  decode: { args: { speculative-algo: nextn, speculative-num-steps: 3 } }\n";
    let words = generated(&acceptance(recipe, &[], "--recipe r.yaml --framework dynamo-sglang"));
    let lengths: Vec<&String> = words.iter().filter(|word| word.contains("ACC_LEN")).collect();
    assert_eq!(
        lengths,
        ["roles.prefill.env.SGLANG_SIMULATE_ACC_LEN=\"2.625\"", "roles.decode.env.SGLANG_SIMULATE_ACC_LEN=\"2.625\""]
    );
}

#[test]
fn an_evaluation_gets_the_real_acceptance_back() {
    let recipe = r#"
environment: { SGLANG_SIMULATE_ACC_LEN: "2" }
roles:
  agg:
    args: { speculative-config: { method: mtp, num_speculative_tokens: 3, rejection_sample_method: synthetic,
                                  synthetic_acceptance_length: 2.5, other: [1, "a"] } }
    env: { SGLANG_SIMULATE_ACC_METHOD: x }
"#;
    let evaluation = [("EVAL_ONLY", "true")];
    assert_eq!(
        generated(&acceptance(recipe, &evaluation, "--recipe r.yaml --framework vllm")),
        [
            "--set",
            r#"roles.agg.args.speculative-config={"method": "mtp", "num_speculative_tokens": 3, "rejection_sample_method": "block", "other": [1, "a"]}"#
        ]
    );
    assert_eq!(
        generated(&acceptance(recipe, &evaluation, "--recipe r.yaml --framework sglang")),
        ["--unset", "environment.SGLANG_SIMULATE_ACC_LEN", "--unset", "roles.agg.env.SGLANG_SIMULATE_ACC_METHOD"]
    );
}

#[test]
fn curves_are_chosen_by_model_method_and_draft() {
    let vllm = |config: &str| format!("roles: {{agg: {{args: {{speculative-config: {config}}}}}}}\n");
    let gqa = vllm("{method: eagle, model: org/Draft-gqa, num_speculative_tokens: 2}");
    let words = generated(&acceptance(&gqa, &[("MODEL_PREFIX", "minimaxm3")], "--recipe r.yaml --framework vllm"));
    assert!(words[1].ends_with("\"rejection_sample_method\": \"synthetic\", \"synthetic_acceptance_length\": 2.25}"));
    let greedy = vllm("{method: dspark, num_speculative_tokens: 2, draft_sample_method: greedy}");
    let kimi = [("MODEL_PREFIX", "kimik3")];
    assert_eq!(acceptance(&greedy, &kimi, "--recipe r.yaml --framework vllm").exit, 0);
    let other = greedy.replace("greedy", "beam");
    assert_eq!(acceptance(&other, &kimi, "--recipe r.yaml --framework vllm").exit, 1);
}

#[test]
fn what_has_no_acceptance_is_refused() {
    let sglang = |args: &str| format!("roles: {{agg: {{args: {{speculative-algorithm: EAGLE, {args}}}}}}}\n");
    let good = sglang("speculative-num-steps: 3");
    let cases: [(&str, &[(&str, &str)]); 8] = [
        (&sglang("speculative-num-steps: 4"), &[]),
        (&sglang("speculative-num-steps: true"), &[]),
        (&sglang("speculative-num-steps: 0"), &[]),
        (&sglang("x: 1"), &[]),
        (&good, &[("THINKING_MODE", "")]),
        (&good, &[("THINKING_MODE", "thinking_off")]),
        (&good, &[("MODEL_PREFIX", "../m")]),
        (&good, &[("MODEL_PREFIX", "n")]),
    ];
    for (recipe, changes) in cases {
        let output = acceptance(recipe, changes, "--recipe r.yaml --framework sglang");
        assert_eq!((output.exit, &*output.stdout), (1, ""), "{recipe} {changes:?}");
        assert!(!output.diagnostics().is_empty());
    }
}

#[test]
fn changes_of_the_caller_are_seen_and_kept() {
    let recipe = "roles: {agg: {args: {speculative-algorithm: EAGLE, speculative-num-steps: 3}, env: {A: b}}}\n";
    let line = "--recipe r.yaml --framework sglang -- --json --set=roles.agg.args.speculative-num-steps=2";
    let output = acceptance(recipe, &[], line);
    assert!(generated(&output)[1].ends_with("\"2.25\""));
    assert_eq!(output.json()["commands"][0][2], "--json");
    for removed in ["roles.agg.env", "roles.agg", "roles.agg.env.SGLANG_SIMULATE_ACC_LEN"] {
        let line = format!("--recipe r.yaml --framework sglang -- --unset {removed} --set roles.agg.keep=1");
        let output = acceptance(recipe, &[], &line);
        // Without the role nothing drafts, so nothing is set that could be removed.
        let expected = i32::from(removed != "roles.agg");
        assert_eq!(output.exit, expected, "{removed}: {}", output.stderr);
    }
}

#[test]
fn every_variant_gets_a_command_or_none_does() {
    let recipe = "base: {roles: {agg: {args: {speculative-algorithm: EAGLE, speculative-num-steps: 3}}}}\n\
                  override_a: {name: a}\nzip_override_b: {benchmark: {env: {CONC: ['1', '2']}}}\n";
    let output = acceptance(recipe, &[], "--recipe r.yaml --framework sglang");
    let commands = output.json()["commands"].as_array().unwrap().clone();
    let files: Vec<_> = commands.iter().map(|command| command[3].clone()).collect();
    assert_eq!(files, ["r.yaml:override_a", "r.yaml:zip_override_b[0]", "r.yaml:zip_override_b[1]"]);
    let broken = format!("{recipe}override_z: {{roles: {{agg: {{args: {{speculative-num-steps: 0}}}}}}}}\n");
    let output = acceptance(&broken, &[], "--recipe r.yaml --framework sglang");
    assert_eq!((output.exit, &*output.stdout), (1, ""));
}

#[test]
fn a_group_that_the_acceptance_would_shorten_is_refused() {
    let recipe = "base: {roles: {agg: {args: {speculative-algorithm: EAGLE, speculative-num-steps: 3}, env: {}}}}\n\
                  zip_override_b: {roles: {agg: {env: {SGLANG_SIMULATE_ACC_LEN: ['1', '2']}}}}\n";
    let output = acceptance(recipe, &[], "--recipe r.yaml:zip_override_b[1] --framework sglang");
    assert_eq!((output.exit, &*output.stdout), (1, ""));
    assert_eq!(acceptance(recipe, &[], "--recipe r.yaml:zip_override_b[1] --framework atom").exit, 0);
}
