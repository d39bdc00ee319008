//! The environment of a point: the only place that knows which variable carries which field.
//!
//! Launchers, benchmark scripts and the recipe adapter read a point by these names. The table is the one that the
//! incumbent's two templates export, with what its native path requires besides.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::core::expr::number_to_text;

/// Variables by name.
pub type Environment = BTreeMap<String, String>;

/// A variable, and the field of the point whose text it is.
type FromField = (&'static str, &'static str);

/// Of every point. A field that the point does not have leaves its variable empty.
const COMMON: [FromField; 12] = [
    ("EXP_NAME", "exp-name"),
    ("MODEL", "model"),
    ("MODEL_PREFIX", "model-prefix"),
    ("IMAGE", "image"),
    ("FRAMEWORK", "framework"),
    ("PRECISION", "precision"),
    ("SPEC_DECODING", "spec-decoding"),
    ("KV_OFFLOADING", "kv-offloading"),
    ("KV_P2P_TRANSFER", "kv-p2p-transfer"),
    ("EVAL_FRAMEWORK", "eval-framework"),
    ("EVAL_SUITE", "eval-suite"),
    ("RUNNER_TYPE", "runner"),
];

/// Of a worker, behind `PREFILL_` and `DECODE_`, with the value where the worker does not say.
const WORKER: [(&str, &str, &str); 8] = [
    ("NUM_WORKERS", "num-worker", ""),
    ("TP", "tp", ""),
    ("PP_SIZE", "pp", "1"),
    ("DCP_SIZE", "dcp-size", "1"),
    ("PCP_SIZE", "pcp-size", "1"),
    ("EP", "ep", "1"),
    ("DP_ATTN", "dp-attn", "false"),
    ("HARDWARE", "hardware", ""),
];

/// Hex digits of the fingerprint in the name of a result.
const FINGERPRINT_DIGITS: usize = 16;

/// The variables of a point that runs on the runner of that name.
///
/// Secrets and paths of the cluster are not among them: a profile adds those.
pub fn point_environment(point: &Map<String, Json>, runner_name: &str) -> Environment {
    let point = Point(point);
    let mut env = Environment::new();
    let mut set = |name: &str, value: String| {
        env.insert(name.to_owned(), value);
    };
    for (variable, field) in COMMON {
        set(variable, point.text(field));
    }
    for (variable, value) in scenario_variables(point).into_iter().chain(topology_variables(point)) {
        set(&variable, value);
    }
    for setting in additional_settings(point) {
        set(setting.0, setting.1.to_owned());
    }
    set("RUNNER_NAME", runner_name.to_owned());
    set("RESULT_FILENAME", result_filename(point, runner_name));
    env
}

#[derive(Clone, Copy)]
struct Point<'p>(&'p Map<String, Json>);

impl<'p> Point<'p> {
    fn get(self, field: &str) -> Option<&'p Json> {
        self.0.get(field).filter(|value| !value.is_null())
    }

    fn text(self, field: &str) -> String {
        self.get(field).map(text).unwrap_or_default()
    }

    fn text_or(self, field: &str, default: &str) -> String {
        self.get(field).map_or_else(|| default.to_owned(), text)
    }

    fn is_true(self, field: &str) -> bool {
        self.get(field) == Some(&Json::Bool(true))
    }

    fn is_agentic(self) -> bool {
        self.get("scenario-type").and_then(Json::as_str) == Some("agentic-coding")
    }

    fn worker(self, role: &str) -> Option<Self> {
        self.get(role).and_then(Json::as_object).map(Point)
    }

    fn is_multinode(self) -> bool {
        self.worker("prefill").is_some()
    }

    /// The concurrencies: those of the list, or the single one.
    fn concurrencies(self) -> Vec<String> {
        match self.get("conc") {
            Some(Json::Array(list)) => list.iter().map(text).collect(),
            Some(single) => vec![text(single)],
            None => Vec::new(),
        }
    }
}

/// The text that a workflow input has when an expression with this value is passed to it.
fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) if number.is_i64() || number.is_u64() => number.to_string(),
        Json::Number(number) => number.as_f64().map_or_else(|| number.to_string(), number_to_text),
        Json::String(text) => text.clone(),
        // Components travel as JSON, as the templates pass them by toJson.
        Json::Array(_) | Json::Object(_) => value.to_string(),
    }
}

fn scenario_variables(point: Point<'_>) -> Vec<(String, String)> {
    let agentic = point.is_agentic();
    let scenario = if agentic { "agentic-coding" } else { "fixed-seq-len" };
    let subdir = if agentic { "agentic/" } else { "fixed_seq_len/" };
    let offload = match point.get("kv-offload-backend") {
        Some(Json::Object(backend)) => (Point(backend).text("name"), text(&Json::Object(backend.clone()))),
        _ => (point.text("kv-offload-backend"), String::new()),
    };
    let zero_or_one = |is: bool| if is { "1" } else { "0" };
    // Launchers insist on lengths that are not empty, also where agent traces make them.
    let length = |field: &str| point.text_or(field, if agentic { "0" } else { "" });
    let fields = [
        ("ISL", length("isl")),
        ("OSL", length("osl")),
        ("MAX_MODEL_LEN", length("max-model-len")),
        ("SCENARIO_TYPE", scenario.to_owned()),
        ("SCENARIO_SUBDIR", subdir.to_owned()),
        ("IS_AGENTIC", zero_or_one(agentic).to_owned()),
        ("IS_MULTINODE", point.is_multinode().to_string()),
        ("DISAGG", point.text_or("disagg", "false")),
        ("RUN_EVAL", point.is_true("run-eval").to_string()),
        ("EVAL_ONLY", point.is_true("eval-only").to_string()),
        ("KV_OFFLOAD_BACKEND", offload.0),
        ("KV_OFFLOAD_BACKEND_METADATA", offload.1),
        ("ROUTER_METADATA", point.text("router")),
        ("TOTAL_CPU_DRAM_GB", point.text_or("total-cpu-dram-gb", "0")),
        ("DURATION", point.text_or("duration", "3600")),
        ("REQUIRE_POWER", zero_or_one(point.is_true("require-power")).to_owned()),
        ("RANDOM_RANGE_RATIO", "0.8".to_owned()),
        ("GPU_MONITOR_INTERVAL", "1".to_owned()),
        ("THINKING_MODE", "thinking_on".to_owned()),
        ("RECIPE_FINGERPRINT", point.text("fingerprint")),
        ("SRT_RECIPE", point.text("srt-recipe")),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn topology_variables(point: Point<'_>) -> Vec<(String, String)> {
    let concurrencies = point.concurrencies();
    let mut variables = vec![("CONC".to_owned(), concurrencies.first().cloned().unwrap_or_default())];
    if !point.is_multinode() {
        let own = [
            ("TP", point.text("tp")),
            ("PP_SIZE", point.text_or("pp", "1")),
            ("DCP_SIZE", point.text_or("dcp-size", "1")),
            ("PCP_SIZE", point.text_or("pcp-size", "1")),
            ("EP_SIZE", point.text_or("ep", "1")),
            ("DP_ATTENTION", point.text_or("dp-attn", "false")),
            ("GPU_COUNT", gpu_count(point)),
        ];
        variables.extend(own.map(|(name, value)| (name.to_owned(), value)));
        return variables;
    }
    variables.push(("CONC_LIST".to_owned(), concurrencies.join(" ")));
    variables.push(("EVAL_CONC".to_owned(), point.text("eval-conc")));
    for (prefix, role) in [("PREFILL", "prefill"), ("DECODE", "decode")] {
        let Some(worker) = point.worker(role) else { continue };
        let of_role = WORKER.map(|(name, field, default)| (format!("{prefix}_{name}"), worker.text_or(field, default)));
        variables.extend(of_role);
    }
    variables
}

/// DCP and EP split what TP has, so they take no GPUs of their own.
fn gpu_count(point: Point<'_>) -> String {
    let size = |field: &str| point.get(field).map_or(Some(1), Json::as_u64);
    let product = ["tp", "pp", "pcp-size"]
        .into_iter()
        .try_fold(1_u64, |product, field| size(field).and_then(|size| product.checked_mul(size)));
    product.map(|count| count.to_string()).unwrap_or_default()
}

/// The `NAME=value` words of the workers, which the multi-node template exports.
fn additional_settings(point: Point<'_>) -> Vec<(&str, &str)> {
    let workers = ["prefill", "decode"].into_iter().filter_map(|role| point.worker(role));
    let settings = workers.filter_map(|worker| worker.get("additional-settings")?.as_array()).flatten();
    settings.filter_map(|setting| setting.as_str()?.split_once('=')).collect()
}

/// What result files are named after.
fn result_filename(point: Point<'_>, runner_name: &str) -> String {
    let head = format!("{}_{}_{}", point.text("exp-name"), point.text("precision"), point.text("framework"));
    let disagg = point.text_or("disagg", "false");
    let spec = point.text("spec-decoding");
    let topology = match (point.worker("prefill"), point.worker("decode")) {
        (Some(prefill), Some(decode)) => format!("prefill-{}_decode-{}", of_worker(prefill), of_worker(decode)),
        _ => format!(
            "tp{}-pp{}-dcp{}-pcp{}-ep{}-dpa{}",
            point.text("tp"),
            point.text_or("pp", "1"),
            point.text_or("dcp-size", "1"),
            point.text_or("pcp-size", "1"),
            point.text_or("ep", "1"),
            point.text_or("dp-attn", "false"),
        ),
    };
    let concurrency = point.concurrencies().join("x");
    let base = format!("{head}_{topology}_disagg-{disagg}_spec-{spec}_conc{concurrency}_{runner_name}");
    match point.get("fingerprint").and_then(Json::as_str).and_then(|text| text.get(..FINGERPRINT_DIGITS)) {
        Some(digits) => format!("{base}_recipe-{digits}"),
        None => base,
    }
}

fn of_worker(worker: Point<'_>) -> String {
    format!(
        "tp{}-pp{}-dcp{}-pcp{}-ep{}-dp{}-nw{}",
        worker.text("tp"),
        worker.text_or("pp", "1"),
        worker.text_or("dcp-size", "1"),
        worker.text_or("pcp-size", "1"),
        worker.text_or("ep", "1"),
        worker.text_or("dp-attn", "false"),
        worker.text("num-worker"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(point: &str) -> Environment {
        point_environment(serde_json::from_str::<Json>(point).unwrap().as_object().unwrap(), "b200-dgxc_03")
    }

    #[test]
    fn a_fixed_length_point_on_one_node() {
        let env = environment(
            r#"{"image":"i:1","model":"m/M","model-prefix":"m","precision":"fp8","framework":"sglang","runner":"b200",
                "isl":8192,"osl":1024,"tp":4,"pp":2,"dcp-size":2,"pcp-size":1,"conc":16,"max-model-len":9472,"ep":4,
                "dp-attn":true,"spec-decoding":"none","exp-name":"m_8k1k","disagg":false,"run-eval":true}"#,
        );
        let expected = [
            ("GPU_COUNT", "8"),
            ("EP_SIZE", "4"),
            ("DP_ATTENTION", "true"),
            ("CONC", "16"),
            ("IS_AGENTIC", "0"),
            ("SCENARIO_SUBDIR", "fixed_seq_len/"),
            ("RUN_EVAL", "true"),
            ("EVAL_ONLY", "false"),
            ("ISL", "8192"),
            ("KV_OFFLOADING", ""),
            (
                "RESULT_FILENAME",
                "m_8k1k_fp8_sglang_tp4-pp2-dcp2-pcp1-ep4-dpatrue_disagg-false_spec-none_conc16_b200-dgxc_03",
            ),
        ];
        for (name, value) in expected {
            assert_eq!(env[name], value, "{name}");
        }
        assert!(!env.contains_key("CONC_LIST") && !env.contains_key("PREFILL_TP"));
    }

    #[test]
    fn an_agentic_batch_on_several_nodes() {
        let env = environment(
            r#"{"image":"i:1","model":"m/M","model-prefix":"m","precision":"fp4","framework":"dynamo-vllm","runner":"r",
                "spec-decoding":"mtp","prefill":{"num-worker":3,"tp":8,"ep":8,"dp-attn":false,
                "additional-settings":["CONFIG_FILE=recipes/a.yaml:override_b","DECODE_NODES=2"]},
                "decode":{"num-worker":1,"tp":8},"conc":[16,24],"kv-offloading":"dram","total-cpu-dram-gb":299,
                "duration":1200,"exp-name":"e","disagg":true,"scenario-type":"agentic-coding",
                "kv-offload-backend":{"name":"lmcache","version":"0.4.5"},"fingerprint":"0123456789abcdef0123"}"#,
        );
        let expected = [
            ("CONC", "16"),
            ("CONC_LIST", "16 24"),
            ("PREFILL_NUM_WORKERS", "3"),
            ("PREFILL_EP", "8"),
            ("DECODE_EP", "1"),
            ("DECODE_DP_ATTN", "false"),
            ("CONFIG_FILE", "recipes/a.yaml:override_b"),
            ("DECODE_NODES", "2"),
            ("KV_OFFLOAD_BACKEND", "lmcache"),
            ("KV_OFFLOAD_BACKEND_METADATA", r#"{"name":"lmcache","version":"0.4.5"}"#),
            ("TOTAL_CPU_DRAM_GB", "299"),
            ("DURATION", "1200"),
            ("IS_MULTINODE", "true"),
            ("ISL", "0"),
        ];
        for (name, value) in expected {
            assert_eq!(env[name], value, "{name}");
        }
        assert!(env["RESULT_FILENAME"].starts_with(
            "e_fp4_dynamo-vllm_prefill-tp8-pp1-dcp1-pcp1-ep8-dpfalse-nw3_decode-tp8-pp1-dcp1-pcp1-ep1-dpfalse-nw1_disagg-true_"
        ));
        assert!(env["RESULT_FILENAME"].ends_with("_spec-mtp_conc16x24_b200-dgxc_03_recipe-0123456789abcdef"));
        assert!(!env.contains_key("GPU_COUNT"));
    }
}
