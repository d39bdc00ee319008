//! What the actions rest on: outputs within the platform's limits, shards, digests, secrets, inputs and points.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value as Json, json};
use srtx::gha::limits::{JOB_OUTPUTS_BUDGET, MATRIX_JOBS};
use srtx::gha::reader::{Newlines, read};
use tempfile::TempDir;

use crate::support::{Output, command, finish, folder_with};

const SECRET: &str = "s3cr3t-Va1ue-of-the-runner";

/// A single-node config with a job for each concurrency, none of which is evaluated.
fn config(concurrencies: impl IntoIterator<Item = usize>) -> Json {
    let list: Vec<usize> = concurrencies.into_iter().collect();
    let entry = json!({"tp": 8, "conc-list": list, "srt-recipe": "recipes/one/sglang/h200-fp8/1k1k.yaml"});
    json!({
        "image": "registry.example/one:1.0",
        "model": "example/one",
        "model-prefix": "one",
        "runner": "h200",
        "precision": "fp8",
        "framework": "sglang",
        "multinode": false,
        "scenarios": {"fixed-seq-len": [{"isl": 1024, "osl": 1024, "search-space": [entry]}]},
    })
}

/// A multi-node config with a job for each list of concurrencies.
fn multi_node(lists: &[&[usize]]) -> Json {
    let worker = |tp: u8| json!({"num-worker": 1, "tp": tp, "ep": tp, "dp-attn": false});
    let entries: Vec<Json> = lists
        .iter()
        .enumerate()
        .map(|(number, list)| {
            let mut prefill = worker(4);
            prefill["additional-settings"] = json!([format!("CONFIG_FILE=recipes/two/1k1k.yaml:override_{number}")]);
            json!({"conc-list": list, "prefill": prefill, "decode": worker(8)})
        })
        .collect();
    let mut config = config([]);
    for (key, value) in [
        ("multinode", json!(true)),
        ("disagg", json!(true)),
        ("framework", json!("dynamo-vllm")),
        ("runner", json!("gb200")),
        ("kv-p2p-transfer", json!("nixl")),
        ("scenarios", json!({"fixed-seq-len": [{"isl": 1024, "osl": 1024, "search-space": entries}]})),
    ] {
        config[key] = value;
    }
    config
}

/// A checkout with these configs. JSON is YAML, so no text needs quotes of YAML's.
fn checkout(configs: &Json) -> TempDir {
    let runners = json!({
        "labels": {"h200": ["h200-dgxc_00"], "gb200": ["gb200-nv_00"], "cluster:gb200-nv": ["gb200-nv_00"]},
        "clusters": {"gb200-nv": {"gpus-per-node": 4, "available-cpu-dram-mib": 860_160, "arch": "aarch64"}},
    });
    let folder = folder_with(&[
        ("configs/master.yaml", &format!("{configs:#}\n")),
        ("configs/runners.yaml", &format!("{runners:#}\n")),
    ]);
    for file in ["output", "summary"] {
        fs::write(folder.path().join(file), "").unwrap();
    }
    folder
}

/// A checkout whose plan has so many points.
fn checkout_of(points: usize) -> TempDir {
    if points == 0 { checkout(&json!({})) } else { checkout(&json!({"one": config(1..=points)})) }
}

/// Runs a command line as a step does.
fn step(folder: &Path, line: &str, env: &[(&str, &str)]) -> Output {
    let mut command = command(folder);
    command.args(line.split_whitespace());
    command.env("GITHUB_OUTPUT", folder.join("output")).env("GITHUB_STEP_SUMMARY", folder.join("summary"));
    finish(command.envs(env.iter().copied()))
}

fn written(folder: &Path) -> String {
    fs::read_to_string(folder.join("output")).unwrap()
}

/// The outputs that the runner reads from what a good step wrote.
fn outputs(checkout: &TempDir, line: &str) -> BTreeMap<String, String> {
    fs::write(checkout.path().join("output"), "").unwrap();
    let output = step(checkout.path(), line, &[]);
    assert_eq!(output.exit, 0, "{line}: {}", output.stderr);
    outputs_in(&written(checkout.path()))
}

fn outputs_in(text: &str) -> BTreeMap<String, String> {
    let unix = read(text, Newlines::Unix);
    assert_eq!((unix.error, &unix.records), (None, &read(text, Newlines::Windows).records));
    let (found, error) = unix.outputs();
    assert_eq!((found.len(), error), (unix.records.len(), None), "an output stands there twice");
    found.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// What outputs weigh in the platform's measure.
fn utf16_bytes(outputs: &BTreeMap<String, String>) -> usize {
    outputs.iter().map(|(name, value)| 2 * (name.encode_utf16().count() + value.encode_utf16().count())).sum()
}

/// The points as a run without a runner prints them.
fn points(checkout: &TempDir) -> Vec<Json> {
    let output = step(checkout.path(), "matrix full-sweep --points", &[]);
    assert_eq!(output.exit, 0, "{}", output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

fn list(text: &str) -> Vec<Json> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A refused step: no data, the output file as it was, and the one error.
fn refused(checkout: &TempDir, line: &str, env: &[(&str, &str)]) -> Json {
    let output = step(checkout.path(), &format!("--diagnostics json {line}"), env);
    assert_eq!((output.exit, &*output.stdout), (1, ""), "{line}: {}", output.stderr);
    assert_eq!(written(checkout.path()), "", "{line}");
    let errors: Vec<Json> = output.diagnostics().into_iter().filter(|found| found["severity"] == "error").collect();
    assert_eq!(errors.len(), 1, "{line}: {errors:?}");
    errors[0].clone()
}

// ---------------------------------------------------------------------------------------------------------------------
// The output file

#[test]
fn b02_without_an_output_file_nothing_is_printed() {
    let checkout = checkout_of(3);
    let line = "--diagnostics json matrix full-sweep --emit";
    let read_only = checkout.path().join("read-only");
    fs::write(&read_only, "").unwrap();
    let mut permissions = fs::metadata(&read_only).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&read_only, permissions).unwrap();
    let mut files = vec!["configs", "nowhere", "configs/master.yaml/output", ""];
    // Root may write to it all the same.
    if fs::OpenOptions::new().append(true).open(&read_only).is_err() {
        files.push("read-only");
    }
    if cfg!(target_os = "linux") {
        files.push("/dev/full");
    }
    for file in files {
        let output = step(checkout.path(), line, &[("GITHUB_OUTPUT", file)]);
        assert_eq!((output.exit, &*output.stdout), (1, ""), "{file}: {}", output.stderr);
        let found = &output.diagnostics()[0];
        assert_eq!((&found["code"], &found["path"]), (&json!("SRTX0403"), &json!("env.GITHUB_OUTPUT")), "{file}");
    }
    let unset = finish(command(checkout.path()).args(line.split(' ')));
    assert_eq!((unset.exit, &*unset.stdout), (1, ""));
    assert_eq!(unset.diagnostics()[0]["code"], "SRTX0403");
    assert_eq!(fs::read_to_string(checkout.path().join("summary")).unwrap(), "");
}

#[test]
fn b02_wrong_input_leaves_the_output_file_empty() {
    let checkout = checkout(&json!({"one": config([4, 0])}));
    let found = refused(&checkout, "matrix full-sweep --emit", &[]);
    assert_eq!((&found["code"], &found["file"]), (&json!("SRTX0221"), &json!("configs/master.yaml")));
    let missing = refused(&checkout, "matrix full-sweep --emit --config-files nowhere.yaml", &[]);
    assert_eq!(missing["code"], "SRTX0101");
}

#[test]
fn b01_b03_outputs_are_the_points_that_are_printed() {
    for (size, shards) in [(0, "[]"), (1, "[1]"), (256, "[1]"), (257, "[1,2]")] {
        let checkout = checkout_of(size);
        let (points, outputs) = (points(&checkout), outputs(&checkout, "matrix full-sweep --emit"));
        assert_eq!((points.len(), &*outputs["count"], &*outputs["shards"]), (size, &*size.to_string(), shards));
        let count = |lane: &str| outputs[&format!("{lane}-count")].clone();
        assert_eq!((count("single-node"), count("multi-node-agentic-eval")), (size.to_string(), "0".into()));
        let skeleton = if size == 0 { json!({}) } else { json!({"single-node": {"1k1k": size}}) };
        assert_eq!(serde_json::from_str::<Json>(&outputs["skeleton"]).unwrap(), skeleton);
        if size <= MATRIX_JOBS {
            assert_eq!((&*outputs["lists"], list(&outputs["points"])), ("true", points.clone()));
            assert_eq!((list(&outputs["single-node"]), &*outputs["agentic"]), (points, "[]"));
        } else {
            assert_eq!(outputs["lists"], "false");
            assert!(!outputs.contains_key("points") && !outputs.contains_key("single-node"));
        }
        // One line of ASCII each: nothing that a shell or an expression could take apart.
        let plain = |value: &String| value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        assert!(outputs.values().all(plain));
    }
}

#[test]
fn b15_l17_1820_points_travel_as_eight_shards_within_the_budget() {
    let checkout = checkout_of(1820);
    let (points, plan) = (points(&checkout), outputs(&checkout, "matrix full-sweep --emit"));
    assert_eq!((&*plan["count"], &*plan["shards"], &*plan["lists"]), ("1820", "[1,2,3,4,5,6,7,8]", "false"));
    assert!(!plan.contains_key("points"));
    assert!(utf16_bytes(&plan) < JOB_OUTPUTS_BUDGET, "{}", utf16_bytes(&plan));
    let mut gathered = Vec::new();
    for shard in 1..=8 {
        let line = format!("matrix full-sweep --emit --shard {shard} --expect-digest {}", plan["digest"]);
        let part = outputs(&checkout, &line);
        let mut of_shard = list(&part["points"]);
        assert_eq!((&part["count"], &part["shard"]), (&of_shard.len().to_string(), &shard.to_string()));
        assert_eq!(part["digest"], plan["digest"]);
        assert!(of_shard.len() <= MATRIX_JOBS && utf16_bytes(&part) <= JOB_OUTPUTS_BUDGET);
        gathered.append(&mut of_shard);
    }
    assert_eq!(gathered, points);
}

#[test]
fn b15_few_points_with_long_texts_are_cut_by_their_size() {
    let mut long = config(1..=200);
    // Two units of UTF-16 each on the way, and six bytes of ASCII in JSON.
    long["image"] = json!("é".repeat(1500));
    let checkout = checkout(&json!({"long": long}));
    let (points, plan) = (points(&checkout), outputs(&checkout, "matrix full-sweep --emit"));
    assert_eq!((points.len(), &*plan["lists"]), (200, "false"));
    let shards = list(&plan["shards"]).len();
    assert!(shards > 3, "{shards}");
    let mut gathered = Vec::new();
    for shard in 1..=shards {
        let part = outputs(&checkout, &format!("matrix full-sweep --emit --shard {shard}"));
        assert!(utf16_bytes(&part) <= JOB_OUTPUTS_BUDGET, "{}", utf16_bytes(&part));
        gathered.append(&mut list(&part["points"]));
    }
    assert_eq!(gathered, points);
}

#[test]
fn l36_a_point_that_no_variable_can_hold_is_named_by_its_line() {
    let mut huge = config([8]);
    huge["image"] = json!("x".repeat(100 * 1024));
    let configs = json!({"one": config([4]), "huge": huge});
    let text = format!("{configs:#}\n");
    let at = text.find(r#""conc-list": ["#).unwrap() + 1;
    let second = at + text[at..].find(r#""conc-list": ["#).unwrap();
    let checkout = checkout(&configs);
    let found = refused(&checkout, "matrix full-sweep --emit", &[]);
    assert_eq!((&found["code"], &found["file"]), (&json!("SRTX0401"), &json!("configs/master.yaml")));
    // The entry starts with the brace in the line before its first key.
    let first_key = text[..second].lines().count();
    let line = usize::try_from(found["line"].as_u64().unwrap()).unwrap();
    assert!((first_key - 2..=first_key).contains(&line), "{line} and not near {first_key}");
    assert_eq!(found["path"], "huge.scenarios.fixed-seq-len[0].search-space[0]");
}

#[test]
fn a_digest_that_is_not_that_of_the_plan_is_refused() {
    let checkout = checkout_of(300);
    let digest = outputs(&checkout, "matrix full-sweep --emit")["digest"].clone();
    outputs(&checkout, &format!("matrix full-sweep --emit --expect-digest {digest}"));
    fs::write(checkout.path().join("output"), "").unwrap();
    let wrong = "0".repeat(64);
    for line in [
        format!("matrix full-sweep --emit --shard 1 --expect-digest {wrong}"),
        format!("matrix full-sweep --emit --expect-digest {wrong}"),
    ] {
        let found = refused(&checkout, &line, &[]);
        assert_eq!(found["code"], "SRTX0313");
        let message = found["message"].as_str().unwrap();
        assert!(message.contains(&digest) && message.contains(&wrong), "{message}");
    }
    // Other flags are another plan.
    let line = format!("matrix full-sweep --emit --max-conc 9 --expect-digest {digest}");
    assert_eq!(refused(&checkout, &line, &[])["code"], "SRTX0313");
}

#[test]
fn a_shard_that_does_not_exist_is_refused() {
    for (size, shards) in [(300, [0, 3, 9999]), (0, [0, 1, 2])] {
        let checkout = checkout_of(size);
        for shard in shards {
            let found = refused(&checkout, &format!("matrix full-sweep --emit --shard {shard}"), &[]);
            assert_eq!((&found["code"], &found["path"]), (&json!("SRTX0312"), &json!("env.SRTX_SHARD")));
        }
    }
}

#[test]
fn l30_the_plan_alone_writes_a_summary() {
    let checkout = checkout_of(300);
    outputs(&checkout, "matrix full-sweep --emit");
    let summary = fs::read_to_string(checkout.path().join("summary")).unwrap();
    assert!(summary.contains("300 points in 2 shards") && summary.contains("single-node"), "{summary}");
    outputs(&checkout, "matrix full-sweep --emit --shard 2");
    assert_eq!(fs::read_to_string(checkout.path().join("summary")).unwrap(), summary);
    // There need not be one.
    let line = "matrix full-sweep --emit";
    assert_eq!(step(checkout.path(), line, &[("GITHUB_STEP_SUMMARY", "")]).exit, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Secrets and the log

#[test]
fn b12_a_secret_in_the_matrix_stops_it_and_is_shown_nowhere() {
    let mut one = config([4]);
    one["image"] = json!(format!("registry.example/{SECRET}/one"));
    // The warning about this label quotes the line before it too.
    one["runner"] = json!("nobody");
    let checkout = checkout(&json!({"one": one}));
    for (variable, value) in [("REGISTRY_PASSWORD", SECRET), ("A_TOKEN", "one/one"), ("B_API_KEY", "registry.example")]
    {
        for flags in ["", "--diagnostics json ", "--shard 1 "] {
            let env = [("GITHUB_ACTIONS", "true"), ("REGISTRY_PASSWORD", SECRET), (variable, value)];
            let line = match flags {
                "--shard 1 " => "matrix full-sweep --emit --shard 1".to_owned(),
                flags => format!("{flags}matrix full-sweep --emit"),
            };
            let output = step(checkout.path(), &line, &env);
            assert_eq!((output.exit, &*output.stdout), (1, ""), "{}", output.stderr);
            assert!(output.stderr.contains("SRTX0404"), "{}", output.stderr);
            assert!(output.stderr.contains("SRTX0237"), "the warning comes all the same: {}", output.stderr);
            assert!(!output.stderr.contains(SECRET), "{}", output.stderr);
            assert_eq!(written(checkout.path()), "");
            assert_eq!(fs::read_to_string(checkout.path().join("summary")).unwrap(), "");
        }
    }
    // A variable of another name is no secret, and without the variable all is well.
    assert_eq!(step(checkout.path(), "matrix full-sweep --emit", &[("IMAGE", SECRET)]).exit, 0);
}

#[test]
fn b12_l18_a_secret_is_found_in_the_form_that_json_gives_it() {
    let secret = "p\u{e4}ss\"w\\rd-of-mine";
    let mut one = config([4]);
    one["model"] = json!(format!("x {secret} y"));
    let checkout = checkout(&json!({"one": one}));
    let found = refused(&checkout, "matrix full-sweep --emit", &[("DB_PASSWORD", secret)]);
    assert_eq!((&found["code"], &found["path"]), (&json!("SRTX0404"), &json!("output.points[0].model")));
    assert!(found["message"].as_str().unwrap().contains("DB_PASSWORD"));
}

/// Lines in which a runner looks for a command. It trims them, and reads the older form anywhere.
fn commands_in(text: &str) -> Vec<&str> {
    text.split(['\n', '\r']).filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).collect()
}

#[test]
fn l28_no_text_of_a_config_is_a_command() {
    let wild = "\n::error::x\r::add-mask::h200\n##[add-mask]h200 ::set-output name=a::b";
    let mut one = config([4]);
    one["image"] = json!(wild);
    one["model"] = json!(wild);
    let key = "::error title=x::from a key";
    let good = checkout(&json!({(key): one, "##[error]y": config([8])}));
    let env = [("GITHUB_ACTIONS", "true")];
    for line in ["matrix full-sweep --emit --format table", "matrix full-sweep --points", "matrix full-sweep"] {
        for format in ["", " --format pretty", " --format table"] {
            let output = step(good.path(), &format!("{}{format}", line.trim_end_matches(" --format table")), &env);
            assert_eq!((output.exit, &*output.stderr), (0, ""), "{line}");
            assert_eq!(commands_in(&output.stdout), [""; 0], "{line}{format}");
        }
    }
    // JSON keeps its value, and elsewhere its text.
    let plain = step(good.path(), "matrix full-sweep --points", &[]);
    let on_github = step(good.path(), "matrix full-sweep --points", &env);
    assert_eq!(plain.json(), on_github.json());
    assert!(plain.stdout.contains("##[add-mask]"));
    let point = plain.json()[0].to_string();
    let printed = step(good.path(), "point --point @point.json --format pretty", &env);
    assert_eq!(printed.exit, 1, "there is no such file yet");
    fs::write(good.path().join("point.json"), &point).unwrap();
    let printed = step(good.path(), "point --point @point.json --format pretty", &env);
    assert_eq!((printed.json().to_string(), commands_in(&printed.stdout)), (point, vec![]));
}

#[test]
fn l28_no_message_is_a_command_but_the_annotation() {
    let mut one = config([0]);
    one["image"] = json!("a\r::error::x ##[error]y");
    let folder = checkout(&json!({"::error::x": one}));
    let env = |name: &'static str, value: &'static str| [("GITHUB_ACTIONS", "true"), (name, value)];
    for (line, env) in [
        ("matrix full-sweep", env("UNUSED", "")),
        ("action matrix", env("SRTX_COMMAND", "x\n::error::y")),
        ("action matrix", env("SRTX_RUNNER_CONFIG", "a\n::error::y")),
        ("action matrix", env("SRTX_CONFIG_FILES", "::error::y")),
        ("action matrix", env("SRTX_MAX_CONC", "20\r::error::y")),
        ("action point", env("SRTX_POINT", "\n::error::y")),
        ("action run", env("SRTX_ARGS", "::error::y")),
    ] {
        let output = step(folder.path(), line, &env);
        assert_ne!(output.exit, 0, "{line} {env:?}");
        let commands = commands_in(&output.stderr);
        let ours = |command: &&str| command.starts_with("::error ") && command.contains("title=SRTX");
        assert!(!commands.is_empty() && commands.iter().all(ours), "{line} {env:?}: {}", output.stderr);
        assert_eq!(commands_in(&output.stdout), [""; 0]);
    }
}

#[test]
fn b20_more_errors_than_annotations_are_counted() {
    let folder = checkout(&json!({"one": config(std::iter::repeat_n(0, 25))}));
    let output = step(folder.path(), "matrix full-sweep", &[("GITHUB_ACTIONS", "true")]);
    let annotations: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("::error")).collect();
    assert_eq!(annotations.len(), 10, "{}", output.stderr);
    assert_eq!(annotations[9], "::error::and 16 more, see the log of the step");
}

// ---------------------------------------------------------------------------------------------------------------------
// Actions and points

#[test]
fn b10_inputs_of_the_matrix_action_are_judged() {
    let checkout = checkout(&json!({"one": config([4, 8]), "two": multi_node(&[&[16, 24]])}));
    let good = |env: &[(&str, &str)]| {
        fs::write(checkout.path().join("output"), "").unwrap();
        let output = step(checkout.path(), "action matrix", env);
        assert_eq!(output.exit, 0, "{env:?}: {}", output.stderr);
        outputs_in(&written(checkout.path()))
    };
    let all = good(&[]);
    assert_eq!((&*all["count"], all.get("shard")), ("3", None));
    // What was not given arrives as an empty text, and INPUT_* are not ours.
    let blanks = [
        ("SRTX_COMMAND", ""),
        ("SRTX_MAX_CONC", " "),
        ("SRTX_PRECISION", "\n"),
        ("SRTX_NO_EVALS", ""),
        ("SRTX_RULES", ""),
        ("SRTX_SHARD", ""),
        ("INPUT_COMMAND", "[Array]"),
        ("INPUT_MAX_CONC", "4"),
    ];
    assert_eq!(good(&blanks), all);
    let some = good(&[("SRTX_COMMAND", "test-config"), ("SRTX_CONFIG_KEYS", "one\ntwo"), ("SRTX_CONC", "4 16")]);
    let concurrencies: Vec<Json> = list(&some["points"]).iter().map(|point| point["conc"].clone()).collect();
    assert_eq!(concurrencies, [json!(4), json!([16])]);
    assert_eq!(good(&[("SRTX_SHARD", "1"), ("SRTX_EXPECT_DIGEST", &all["digest"])])["points"], all["points"]);

    fs::write(checkout.path().join("output"), "").unwrap();
    for (name, value, code, remedy) in [
        ("SRTX_CONFIG_KEYS", "[Array]", "SRTX0405", "toJson"),
        ("SRTX_CONFIG_KEYS", "one [Object]", "SRTX0405", "toJson"),
        ("SRTX_CONC", "Array", "SRTX0405", "toJson"),
        ("SRTX_NO_EVALS", "yes", "SRTX0405", "true or false"),
        ("SRTX_PRECISION", "fp8 --points", "SRTX0405", "options are inputs of their own"),
        ("SRTX_COMMAND", "everything", "SRTX0405", "full-sweep or test-config"),
        ("SRTX_SHARD", "2", "SRTX0312", "`shards`"),
        ("SRTX_EXPECT_DIGEST", "0", "SRTX0313", "same commit"),
    ] {
        let found = refused(&checkout, "action matrix", &[(name, value)]);
        assert_eq!((found["code"].as_str(), &found["path"]), (Some(code), &json!(format!("env.{name}"))), "{value}");
        let said = format!("{} {}", found["message"], found["help"]);
        assert!(said.contains(remedy), "{name}={value}: {said}");
    }
}

#[test]
fn b10_a_point_is_taken_whole_or_not_at_all() {
    let checkout = checkout(&json!({"two": multi_node(&[&[16, 24, 32, 40]])}));
    let [point] = <[Json; 1]>::try_from(points(&checkout)).unwrap();
    assert_eq!(point["conc"], json!([16, 24, 32, 40]));
    let (compact, pretty) = (point.to_string(), format!("{point:#}"));
    // As GitHub's toJson prints it: keys sorted, two blanks.
    let sorted: BTreeMap<&str, &Json> = point.as_object().unwrap().iter().map(|(k, v)| (k.as_str(), v)).collect();
    let sorted = serde_json::to_string_pretty(&sorted).unwrap();
    fs::write(checkout.path().join("point.json"), &pretty).unwrap();
    for text in [&*compact, &pretty, &sorted, "@point.json"] {
        for (line, env) in [("point", None), ("action point", Some(("SRTX_POINT", text)))] {
            let mut command = command(checkout.path());
            command.args(line.split(' ')).envs(env);
            if env.is_none() {
                command.args(["--point", text]);
            }
            let output = finish(&mut command);
            assert_eq!((output.exit, output.json()), (0, point.clone()), "{}", output.stderr);
        }
    }
    let mut piped = command(checkout.path());
    piped.args(["point", "--point", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    child.stdin.take().unwrap().write_all(compact.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(serde_json::from_slice::<Json>(&output.stdout).unwrap(), point);

    let altered = |change: &dyn Fn(&mut Json)| {
        let mut altered = point.clone();
        change(&mut altered);
        altered.to_string()
    };
    let without = |key: &'static str| altered(&move |point| drop(point.as_object_mut().unwrap().remove(key)));
    for (text, part) in [
        (altered(&|point| point["conc"] = json!([16, 24, 32])), "fingerprint"),
        (altered(&|point| point["decode"]["tp"] = json!(4)), "fingerprint"),
        (altered(&|point| point["new"] = json!(1)), "fingerprint"),
        (altered(&|point| point["fingerprint"] = json!("0".repeat(64))), "fingerprint"),
        (altered(&|point| point["conc"] = json!("16 24")), "a number or a list"),
        (altered(&|point| point["runs-on"] = json!([])), "a list of labels"),
        (altered(&|point| point["lane"] = json!("other")), "a lane"),
        (without("key"), "16 hex digits"),
        (without("image"), "`image` is missing"),
        (json!(compact).to_string(), "encoded twice"),
        (json!(json!(compact).to_string()).to_string(), "encoded twice"),
        ("Array".into(), "toJson"),
        ("[Array]".into(), "toJson"),
        ("Object".into(), "toJson"),
        (format!("{{\"point\": {}}}", "Object"), "toJson"),
        ("[]".into(), "expected an object"),
        ("null".into(), "expected an object"),
        ("12".into(), "expected an object"),
        ("\"text\"".into(), "expected an object"),
        (compact[..compact.len() - 1].into(), "is not JSON"),
        (String::new(), "is empty"),
        ("  ".into(), "is empty"),
    ] {
        let found = refused(&checkout, "action point", &[("SRTX_POINT", &*text)]);
        let said = format!("{} {}", found["message"], found["help"]);
        assert_eq!(found["code"], "SRTX0405", "{text}");
        assert!(said.contains(part), "{text}: {said}");
    }
}

#[test]
fn an_action_runs_a_command_and_no_action() {
    let folder = checkout_of(1);
    let output = step(folder.path(), "action run", &[("SRTX_ARGS", "matrix full-sweep --points")]);
    assert_eq!((output.exit, output.json()), (0, json!(points(&folder))));
    let lines = step(folder.path(), "action run", &[("SRTX_ARGS", "explain\nSRTX0405\n")]);
    assert_eq!(lines.exit, 0);
    let blank = step(folder.path(), "action run", &[("SRTX_ARGS", " \n")]);
    assert_eq!((blank.exit, &*blank.stdout, &*blank.stderr), (0, "", ""));
    for words in ["action run", "action matrix", "--diagnostics json action run"] {
        let output = step(folder.path(), "--diagnostics json action run", &[("SRTX_ARGS", words)]);
        assert_eq!((output.exit, &*output.stdout), (2, ""), "{words}: {}", output.stderr);
        assert_eq!(output.diagnostics()[0]["code"], "SRTX0001");
    }
    // Asked for in the inputs, JSON is what comes.
    let json = step(folder.path(), "action run", &[("SRTX_ARGS", "--diagnostics json point --point x")]);
    assert_eq!(json.diagnostics()[0]["code"], "SRTX0405");
}
