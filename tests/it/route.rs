//! `srtx-gh route` and `status`: by which rule each point runs, and how much of the fleet is native.

use serde_json::{Value as Json, json};

use crate::support::{Output, folder_with, repository, run};

const RUNNERS: &str = "\
labels:
  one: [alpha_0, alpha_1]
  two: [alpha_0, beta_0]
  slow: [b200-nb_0]
  cluster:gamma: [b200-dgxc_0]
clusters:
  gamma: { gpus-per-node: 8, available-cpu-dram-mib: 1000000 }
";

/// A fixed-length config on one node.
fn config(key: &str, runner: &str, entry: &str) -> String {
    format!(
        "{key}:\n  image: org/server:v1\n  model: org/M\n  model-prefix: m\n  runner: {runner}\n  precision: fp8\n  \
         framework: sglang\n  multinode: false\n  scenarios:\n    fixed-seq-len:\n    - isl: 1024\n      osl: 1024\n      \
         search-space:\n      - {{ tp: 8, conc-list: [4], {entry} }}\n"
    )
}

const RECIPE: &str = "\
base:
  schema: 2
  name: m
  engine: sglang
  model: { path: 'hf:org/M', container: 'org/server:v1', precision: fp8 }
  roles: { agg: { nodes: 1, workers: 1, gpus: 8, args: { tensor-parallel-size: 8 } } }
  benchmark:
    type: custom
    command: bash client.sh
    env: { MODEL: org/M, USE_CHAT_TEMPLATE: 'false', ISL: 1024, OSL: 1024, RANDOM_RANGE_RATIO: 0.8 }
override_c4:
  benchmark: { env: { CONC: '4' } }
";

fn routed(config: &str, files: &[(&str, &str)]) -> Output {
    let base = [("configs/a-master.yaml", config), ("configs/runners.yaml", RUNNERS), ("recipes/r.yaml", RECIPE)];
    let folder = folder_with(&[&base[..], files].concat());
    run(folder.path(), "--diagnostics json route --config-keys * --no-evals")
}

/// Route and rule of the only decision.
fn decided(config: &str, files: &[(&str, &str)]) -> (Json, Json) {
    let decision = routed(config, files).json();
    (decision["route"].clone(), decision["rule"].clone())
}

#[test]
fn a_recipe_with_one_variant_that_fits_is_native() {
    let output = routed(&config("k", "one", "srt-recipe: recipes/r.yaml"), &[]);
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let decision = output.json();
    assert_eq!(
        (&decision["route"], &decision["launcher"], &decision["recipe"], &decision["variant"]),
        (&json!("native"), &json!("alpha"), &json!("recipes/r.yaml"), &json!("override_c4"))
    );
    assert_eq!(decision["source"], json!({"file": "configs/a-master.yaml", "line": 14}));
}

#[test]
fn a_label_that_spans_launchers_is_decided_for_each() {
    let output = routed(&config("k", "two", "srt-recipe: recipes/r.yaml"), &[]);
    let launchers: Vec<_> = output.json().as_array().unwrap().iter().map(|one| one["launcher"].clone()).collect();
    assert_eq!(launchers, ["alpha", "beta"]);
    // One of them is a script that runs no recipes.
    let scripts = [("runners/launch_beta.sh", "salloc\n"), ("runners/launch_alpha.sh", "launch_srt_single_node p\n")];
    let output = routed(&config("k", "two", "srt-recipe: recipes/r.yaml"), &scripts);
    let rules: Vec<_> = output.json().as_array().unwrap().iter().map(|one| one["rule"].clone()).collect();
    assert_eq!((output.exit, rules), (1, vec![json!("binds"), json!("launcher-legacy")]));
}

#[test]
fn each_way_to_be_broken_has_its_rule() {
    let with = |recipe: &str| config("k", "one", &format!("srt-recipe: {recipe}"));
    type Case<'c> = (String, &'c [(&'c str, &'c str)], &'c str);
    let cases: [Case<'_>; 6] = [
        (with("recipes/none.yaml"), &[], "recipe-unusable"),
        (with("recipes/bad.yaml"), &[("recipes/bad.yaml", "base: [\n")], "recipe-unusable"),
        (with("recipes/r.yaml:override_c9"), &[], "selector-unusable"),
        (with("recipes/r.yaml").replace("[4]", "[5]"), &[], "does-not-bind"),
        (config("k", "nowhere", "srt-recipe: recipes/r.yaml"), &[], "no-runner"),
        (config("k", "one", "ep: 1"), &[], "script-missing"),
    ];
    for (config, files, rule) in cases {
        let output = routed(&config, files);
        let decision = output.json();
        assert_eq!((&decision["route"], &decision["rule"]), (&json!("broken"), &json!(rule)), "{}", output.stderr);
        assert_eq!(output.exit, 1, "{rule}");
        let found = output.diagnostics();
        assert!(found.iter().any(|one| one["severity"] == "error" && one["line"].is_number()), "{rule}: {found:?}");
    }
}

#[test]
fn a_refusal_shows_both_lines() {
    let config = config("k", "one", "srt-recipe: recipes/r.yaml").replace("[4]", "[5]");
    let base = [("configs/a-master.yaml", &*config), ("configs/runners.yaml", RUNNERS), ("recipes/r.yaml", RECIPE)];
    let folder = folder_with(&base);
    let output = run(folder.path(), "route --config-keys k --no-evals");
    for part in ["CONC is \"4\" in the recipe and \"5\" in the point", "recipes/r.yaml:12", "configs/a-master.yaml:14"]
    {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
}

#[test]
fn without_a_recipe_the_script_of_the_launcher_runs() {
    let config = config("k", "cluster:gamma", "ep: 1");
    let script = [("benchmarks/single_node/fixed_seq_len/m_fp8_b200.sh", "true\n")];
    assert_eq!(decided(&config, &script), (json!("legacy"), json!("script-exists")));
    let tagged = [script[0], ("benchmarks/single_node/fixed_seq_len/m_fp8_b200_sglang.sh", "true\n")];
    let decision = routed(&config, &tagged).json();
    assert_eq!(decision["script"], tagged[1].0);
}

/// A disaggregated config; `settings` are those of its prefill workers.
fn multinode(settings: &str, conc: &str) -> String {
    format!(
        "k:\n  image: org/server:v1\n  model: org/M\n  model-prefix: m\n  runner: cluster:gamma\n  precision: fp8\n  \
         framework: dynamo-sglang\n  multinode: true\n  disagg: true\n  kv-p2p-transfer: nixl\n  \
         router: {{ name: r, version: '1' }}\n  scenarios:\n    fixed-seq-len:\n    - isl: 1024\n      osl: 1024\n      \
         search-space:\n      - conc-list: {conc}\n        prefill: {{ num-worker: 2, tp: 4, ep: 1, dp-attn: false, \
         additional-settings: [{settings}] }}\n        decode: {{ num-worker: 1, tp: 8, ep: 1, dp-attn: false }}\n"
    )
}

const DISAGGREGATED: &str = "\
base:
  schema: 2
  name: d
  model: { path: 'hf:org/M', container: 'org/server:v1', precision: fp8 }
  roles: { prefill: { nodes: 1, workers: 2, gpus: 4 }, decode: { nodes: 1, workers: 1, gpus: 8 } }
  benchmark: { type: sa-bench, concurrencies: [8, 16] }
override_a: {}
override_b:
  roles: { decode: { workers: 2 } }
";

#[test]
fn the_selector_of_a_multi_node_point_must_agree() {
    let recipe = [("recipes/d.yaml", DISAGGREGATED)];
    let cases = [
        ("'CONFIG_FILE=recipes/d.yaml:override_a'", "[8, 16]", "native", "selector-agrees"),
        ("'CONFIG_FILE=recipes/d.yaml:override_a'", "[16]", "native", "selector-agrees"),
        ("'CONFIG_FILE=recipes/d.yaml:override_a'", "[8, 32]", "broken", "recipe-differs"),
        ("'CONFIG_FILE=recipes/d.yaml:override_b'", "[8, 16]", "broken", "recipe-differs"),
        ("'CONFIG_FILE=recipes/d.yaml:override_c'", "[8, 16]", "broken", "selector-unusable"),
        ("'CONFIG_FILE=recipes/d.yaml'", "[8, 16]", "broken", "selector-unusable"),
        ("", "[8, 16]", "legacy", "launcher-decides"),
    ];
    for (settings, conc, route, rule) in cases {
        assert_eq!(decided(&multinode(settings, conc), &recipe), (json!(route), json!(rule)), "{settings} {conc}");
    }
}

#[test]
fn a_point_that_travelled_is_routed_like_its_config() {
    let config = config("k", "one", "srt-recipe: recipes/r.yaml");
    let base = [("configs/a-master.yaml", &*config), ("configs/runners.yaml", RUNNERS), ("recipes/r.yaml", RECIPE)];
    let folder = folder_with(&base);
    let points = run(folder.path(), "matrix full-sweep --points --no-evals").json();
    std::fs::write(folder.path().join("p.json"), points[0].to_string()).unwrap();
    let decision = run(folder.path(), "route --point @p.json").json();
    assert_eq!((&decision["route"], &decision["key"]), (&json!("native"), &points[0]["key"]));
    let output = run(folder.path(), "route --point {}");
    assert_eq!((output.exit, &*output.stdout), (1, ""));
    assert_eq!(run(folder.path(), "route").exit, 2);
}

#[test]
fn the_shipped_fleet_is_native_but_for_what_stands_in_the_way() {
    let output = run(&repository(), "status --format json");
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let status = output.json();
    let (native, total) = (status["native"].as_u64().unwrap(), status["total"].as_u64().unwrap());
    let mut others = 0;
    for config in status["configs"].as_array().unwrap() {
        let (key, state) = (config["key"].as_str().unwrap(), config["state"].as_str().unwrap());
        let reasons = config["reasons"].to_string();
        match state {
            "native" => assert_eq!(reasons, "[]", "{key}"),
            "blocked" => {
                assert!(reasons.contains("no runner carries the label `cluster:b300-nv` (its recipe fits)"), "{key}")
            }
            "mixed" => assert!(reasons.contains("kv-transfer-config") && !reasons.contains("recipe and"), "{key}"),
            other => panic!("{key} is {other}: {reasons}"),
        }
        others += config["points"].as_u64().unwrap() - config["native_points"].as_u64().unwrap();
    }
    assert_eq!((native + others, native > 280), (total, true), "{native} of {total}");
    assert_eq!(run(&repository(), "status --fail-under 90").exit, 0);
    assert_eq!(run(&repository(), "status --fail-under 100").exit, 1);
}
