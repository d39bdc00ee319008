//! The client of fixed-length points, `benchmarks/single_node/srt_fixed_sequence.sh`, run by bash. The load generators are
//! stand-ins that record how they were called and write what the real ones write.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::support::{Output, folder_with, repository};

/// `vllm bench serve`: one JSON object, at the place that its flags name.
const VLLM: &str = r#"#!/usr/bin/env bash
printf '%s\n' "$@" >"$STAND_IN/argv"
while [ $# -gt 0 ]; do
    case $1 in
        --result-dir) folder=$2 ;;
        --result-filename) name=$2 ;;
    esac
    shift
done
printf '%s' "${STAND_IN_RAW-$(cat "$STAND_IN/raw.json")}" >"$folder/$name"
echo "measured"
exit "${STAND_IN_EXIT:-0}"
"#;
/// `python3 -m sglang.bench_serving`: a line of JSON.
const SGLANG: &str = r#"
import os, sys
with open(os.environ["STAND_IN"] + "/argv", "w") as file:
    file.write("\n".join(sys.argv[1:]) + "\n")
with open(sys.argv[sys.argv.index("--output-file") + 1], "a") as file:
    file.write(open(os.environ["STAND_IN"] + "/raw.json").read() + "\n")
"#;
const VLLM_RAW: &str = r#"{"model_id": "org/model", "max_concurrency": 4, "completed": 40, "total_token_throughput": 900.5,
    "output_throughput": 100.5, "mean_ttft_ms": 12.5, "p99_e2el_ms": 80.0}"#;
const SGLANG_RAW: &str = r#"{"backend": "sglang-oai", "max_concurrency": 4, "completed": 39, "input_throughput": 800.0, "output_throughput": 100.5, "mean_ttft_ms": 12.5, "mean_e2e_latency_ms": 70.0}"#;

struct Client {
    folder: tempfile::TempDir,
    environment: BTreeMap<&'static str, String>,
}

impl Client {
    /// A client of this engine; `None` where bash or python3 are missing, except in CI: there that is a failure.
    fn new(framework: &str, raw: &str) -> Option<Self> {
        let bash = Command::new("bash").arg("--version").output().is_ok();
        let Some(python) = python_folder().filter(|_| bash) else {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "bash or python3 is missing");
            return None;
        };
        let files =
            [("bin/vllm", VLLM), ("sglang/__init__.py", ""), ("sglang/bench_serving.py", SGLANG), ("raw.json", raw)];
        let folder = folder_with(&files);
        make_executable(&folder.path().join("bin/vllm"));
        let root = folder.path().display().to_string();
        let path = std::env::var("PATH").unwrap_or_default();
        let environment = [
            ("PATH", format!("{root}/bin:{python}:{path}")),
            ("HOME", root.clone()),
            ("PYTHONPATH", root.clone()),
            ("STAND_IN", root.clone()),
            ("MODEL", "org/model".to_owned()),
            ("FRAMEWORK", framework.to_owned()),
            ("ISL", "8192".to_owned()),
            ("OSL", "1024".to_owned()),
            ("RANDOM_RANGE_RATIO", "0.8".to_owned()),
            ("CONC", "4".to_owned()),
            ("USE_CHAT_TEMPLATE", "false".to_owned()),
            ("RESULT_DIR", format!("{root}/logs")),
            ("RESULT_FILENAME", "row".to_owned()),
        ];
        Some(Self { folder, environment: environment.into() })
    }

    fn set(mut self, name: &'static str, value: &str) -> Self {
        self.environment.insert(name, value.to_owned());
        self
    }

    fn run(&self) -> Output {
        let script = repository().join("benchmarks/single_node/srt_fixed_sequence.sh");
        let mut command = Command::new("bash");
        command.arg(script).env_clear().envs(&self.environment).current_dir(self.folder.path());
        crate::support::finish(&mut command)
    }

    fn has(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }

    fn row(&self) -> Json {
        serde_json::from_str(&fs::read_to_string(self.folder.path().join("logs/row.json")).unwrap()).unwrap()
    }

    /// The value of a flag of the load generator.
    fn flag(&self, name: &str) -> String {
        let argv = fs::read_to_string(self.folder.path().join("argv")).unwrap();
        let mut words = argv.lines().skip_while(|word| *word != name);
        words.next();
        words.next().unwrap_or_default().to_owned()
    }
}

/// The folder of the interpreter itself: what is on the path may be a wrapper, which takes longer to start.
fn python_folder() -> Option<String> {
    let script = "import os, sys; print(os.path.dirname(sys.executable))";
    let output = Command::new("python3").args(["-c", script]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn vllm_is_asked_for_the_same_range_of_lengths_in_its_own_terms() {
    let Some(client) = Client::new("vllm", VLLM_RAW) else { return };
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    // 0.8 to 1 times the length is 0.9 times it, give or take a ninth.
    assert_eq!(client.flag("--random-input-len"), "7373");
    assert_eq!(client.flag("--random-output-len"), "922");
    assert_eq!(client.flag("--random-range-ratio"), "0.111111111");
    assert_eq!(client.flag("--num-prompts"), "40");
    assert_eq!(client.flag("--max-concurrency"), "4");
    assert_eq!(client.flag("--endpoint"), "/v1/completions");
    assert_eq!(client.flag("--base-url"), "http://localhost:8000");
    assert_eq!(client.row()["total_token_throughput"], 900.5);
    assert_eq!(client.row()["p99_e2el_ms"], 80.0);
    assert!(output.stdout.contains("measured") && client.has("logs/benchmark_command.txt"));
}

#[test]
fn what_sglang_names_differently_gets_the_names_of_results() {
    let Some(client) = Client::new("sglang", SGLANG_RAW) else { return };
    let client = client.set("SRT_FRONTEND_HOST", "node7").set("SRT_FRONTEND_PORT", "9000");
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert_eq!(client.flag("--random-input-len"), "8192");
    assert_eq!(client.flag("--random-range-ratio"), "0.8");
    assert_eq!(client.flag("--base-url"), "http://node7:9000");
    let row = client.row();
    assert_eq!(row["model_id"], "org/model");
    assert_eq!(row["total_token_throughput"], 900.5);
    assert_eq!(row["mean_e2el_ms"], 70.0);
    assert_eq!(row.get("mean_e2e_latency_ms"), None);
}

#[test]
fn a_chat_template_goes_by_the_chat_route() {
    let Some(client) = Client::new("vllm", VLLM_RAW) else { return };
    let client = client.set("USE_CHAT_TEMPLATE", "true");
    assert_eq!(client.run().exit, 0);
    assert_eq!(client.flag("--endpoint"), "/v1/chat/completions");
}

#[test]
fn the_exit_code_of_the_load_generator_is_kept() {
    let Some(client) = Client::new("vllm", VLLM_RAW) else { return };
    let client = client.set("STAND_IN_EXIT", "7");
    let output = client.run();
    assert_eq!(output.exit, 7, "{}", output.stderr);
    assert!(!client.has("logs/row.json"), "a failed run has no result");
}

#[test]
fn what_is_no_result_is_refused() {
    let too_few = VLLM_RAW.replace("\"completed\": 40", "\"completed\": 37");
    let no_rate = VLLM_RAW.replace("900.5", "NaN");
    let other = r#"{"completed": 40, "output_throughput": 1.0}"#;
    for (raw, expected) in [
        (&*too_few, "37 of 40"),
        (&no_rate, "throughput of nan"),
        (other, "total_token_throughput"),
        ("", "cannot be read"),
    ] {
        let Some(client) = Client::new("vllm", raw) else { return };
        let output = client.run();
        assert_eq!(output.exit, 1, "{raw}");
        assert!(output.stderr.contains(expected), "{}", output.stderr);
        assert!(!client.has("logs/row.json"), "{raw}");
    }
}

#[test]
fn everything_wrong_is_told_before_anything_starts() {
    let Some(client) = Client::new("vllm", VLLM_RAW) else { return };
    let client = client.set("MODEL", "").set("ISL", "8k").set("CONC", "[[16, 24]]").set("RANDOM_RANGE_RATIO", "1.5");
    let output = client.run();
    assert_eq!(output.exit, 1);
    for expected in
        ["MODEL", "ISL is '8k'", "CONC is '[[16, 24]]'", "RANDOM_RANGE_RATIO is '1.5'", "nothing was started"]
    {
        assert!(output.stderr.contains(expected), "{expected}: {}", output.stderr);
    }
    assert!(!client.has("argv"));
    let Some(client) = Client::new("trt", VLLM_RAW) else { return };
    let output = client.run();
    assert!(output.exit == 1 && output.stderr.contains("FRAMEWORK is 'trt'"), "{}", output.stderr);
}

#[test]
fn an_earlier_result_is_refused_and_an_evaluation_measures_nothing() {
    let Some(client) = Client::new("vllm", VLLM_RAW) else { return };
    assert_eq!(client.run().exit, 0);
    let again = client.run();
    assert!(again.exit == 1 && again.stderr.contains("from an earlier run"), "{}", again.stderr);
    let Some(client) = Client::new("vllm", VLLM_RAW) else { return };
    let client = client.set("EVAL_ONLY", "true");
    let output = client.run();
    assert!(output.exit == 0 && !client.has("argv"), "{}", output.stderr);
}
