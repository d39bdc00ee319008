//! The rules between the keys of a schema 1 recipe.

use super::view::{Given, View, loose};
use super::{profiling, telemetry};

/// The modes of a backend and the words for their workers and nodes.
const MODES: [&str; 3] = ["prefill", "decode", "aggregated"];

pub(super) fn check(view: &mut View<'_, '_, '_>) {
    let job = Job::of(view);
    frontend(view, &job);
    het_jobs(view, &job);
    dedicated_nodes(view);
    dynamo(view);
    data_parallel(view, &job);
    mooncake(view, &job);
    profiling::check_v1(view, job.backend, job.is_disaggregated);
    telemetry::check_v1(view);
}

struct Job<'t> {
    /// Nothing when `backend` is at fault.
    backend: Option<&'t str>,
    is_disaggregated: bool,
}

impl<'t> Job<'t> {
    fn of(view: &View<'t, '_, '_>) -> Self {
        let backend = match view.get("backend") {
            None => Some("sglang"),
            Some(tree) if tree.as_map().is_some() => match view.get("backend.type") {
                None => Some("sglang"),
                Some(kind) => kind.as_str(),
            },
            Some(_) => None,
        };
        let is_disaggregated = view.has("resources.prefill_nodes") || view.has("resources.decode_nodes");
        Self { backend, is_disaggregated }
    }
}

fn frontend(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    let Some(kind) = view.text("frontend.type").or("dynamo") else { return };
    let needed = match kind {
        "trtllm_serve" => "trtllm",
        "vllm" => "vllm",
        _ => return,
    };
    if let Some(backend) = job.backend.filter(|backend| *backend != needed) {
        let message = format!("frontend.type {kind} needs backend.type {needed}, found {backend}");
        view.broken("frontend.type", message, "change one of the two");
    }
    if view.flag("frontend.enable_multiple_frontends").or(true) == Some(true) {
        let message = format!("frontend.type {kind} runs one frontend, and enable_multiple_frontends is true");
        view.broken("frontend.enable_multiple_frontends", message, "write enable_multiple_frontends: false");
    }
    if kind == "vllm" && job.is_disaggregated {
        let message = "frontend.type vllm serves one aggregated worker, and the recipe is disaggregated";
        view.broken("frontend.type", message, "use the dynamo frontend, or agg_nodes and agg_workers: 1");
    } else if !job.is_disaggregated
        && let Some(workers) = view.int("resources.agg_workers").or(0).filter(|workers| *workers != 1)
    {
        let message = format!("frontend.type {kind} serves exactly one aggregated worker, found {workers}");
        view.broken("resources.agg_workers", message, "write agg_workers: 1");
    }
}

fn het_jobs(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    if !view.is_on("resources.het_jobs") {
        return;
    }
    if job.is_disaggregated {
        for role in ["prefill", "decode"] {
            let path = format!("resources.{role}_nodes");
            if view.int(&path).or(0).is_some_and(|nodes| nodes < 1) {
                let message = format!("het_jobs needs {role}_nodes of 1 or more");
                view.broken(&path, message, "give the role nodes of its own, or remove het_jobs");
            }
        }
    } else {
        view.broken("resources.het_jobs", "het_jobs needs a disaggregated recipe", "remove het_jobs");
    }
    if job.backend.is_some_and(|backend| backend != "sglang") {
        view.broken("resources.het_jobs", "het_jobs works with the sglang backend only", "remove het_jobs");
    }
    for flag in ["frontend.dedicated_node", "benchmark.client_dedicated_node"] {
        if view.is_on(flag) {
            view.broken(
                flag,
                format!("het_jobs has no dedicated nodes, and {flag} is true"),
                "set one of the two to false",
            );
        }
    }
}

fn dedicated_nodes(view: &mut View<'_, '_, '_>) {
    let pairs = [
        ("frontend.dedicated_node", "frontend.orchestrator_placement"),
        ("benchmark.client_dedicated_node", "benchmark.client_placement"),
    ];
    for (flag, placement) in pairs {
        let place = view.text(placement).or("head");
        if let Some(place) = place.filter(|place| view.is_on(flag) && *place != "head") {
            let message = format!("{flag} needs {placement} head, found {place}");
            view.broken(flag, message, format!("remove {placement}, or set {flag} to false"));
        }
    }
}

fn dynamo(view: &mut View<'_, '_, '_>) {
    let mut sources: Vec<&str> =
        ["hash", "wheel"].into_iter().filter(|key| view.has(&format!("dynamo.{key}"))).collect();
    if view.is_on("dynamo.top_of_tree") {
        sources.push("top_of_tree");
    }
    if sources.len() > 1 {
        let message = format!("dynamo has {}, and at most one of them is possible", sources.join(" and "));
        view.broken("dynamo", message, "keep one of them");
    }
    if let Given::Value(wheel) = view.text("dynamo.wheel")
        && (wheel.trim().is_empty() || wheel.contains('/') || wheel.ends_with(".whl"))
    {
        let message = format!("dynamo.wheel is `{wheel}`, expected a version such as 0.8.0");
        view.broken("dynamo.wheel", message, "write the version and no path or file name");
    }
    let has_patches =
        view.get("dynamo.cargo_patches").and_then(|tree| tree.as_list()).is_some_and(|list| !list.is_empty());
    if has_patches && !view.has("dynamo.hash") {
        let message = "dynamo.cargo_patches need dynamo.hash: only a build from source can be patched";
        view.broken("dynamo.cargo_patches", message, "add the hash, or remove the patches");
    }
}

fn data_parallel(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    if job.backend != Some("vllm") || view.text("backend.dp_launch_mode").or("per_node") != Some("per_node") {
        return;
    }
    for mode in MODES {
        let Some(args) = view.get(&format!("backend.vllm_config.{mode}")) else { continue };
        let is_parallel = loose(args, "data-parallel-size").is_some_and(|entry| !entry.value.is_null());
        if is_parallel && let Some(headless) = loose(args, "headless") {
            let path = format!("backend.vllm_config.{mode}.{}", headless.key.key_text());
            let message = "dp_launch_mode per_node starts its own headless workers, and `headless` is given";
            view.broken(&path, message, "remove `headless`, or use dp_launch_mode: per_gpu");
        }
    }
}

fn mooncake(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    if !view.has("backend.mooncake_kv_store") || !job.is_disaggregated {
        return;
    }
    let args = |mode: &str, backend: &str| view.get(&format!("backend.{backend}_config.{mode}"));
    let uses_mooncake = |mode: &str| match job.backend {
        Some("sglang") => args(mode, "sglang").is_some_and(transfers_by_mooncake),
        Some("vllm") => args(mode, "vllm").is_some_and(connects_by_mooncake),
        _ => true,
    };
    if !uses_mooncake("prefill") && !uses_mooncake("decode") {
        let (message, help) = match job.backend {
            Some("sglang") => (
                "mooncake_kv_store needs disaggregation-transfer-backend mooncake in prefill or decode",
                "set disaggregation-transfer-backend: mooncake",
            ),
            _ => (
                "mooncake_kv_store needs a kv-transfer-config text that names mooncake in prefill or decode",
                "name the mooncake connector in kv-transfer-config",
            ),
        };
        view.broken("backend.mooncake_kv_store", message, help);
    }
}

/// Whether sglang moves KV caches through mooncake.
pub(super) fn transfers_by_mooncake(args: &crate::core::recipe::Tree<'_>) -> bool {
    loose(args, "disaggregation-transfer-backend").is_some_and(|entry| entry.value.as_str() == Some("mooncake"))
}

/// Whether vLLM moves KV caches through mooncake.
pub(super) fn connects_by_mooncake(args: &crate::core::recipe::Tree<'_>) -> bool {
    let config = loose(args, "kv-transfer-config").and_then(|entry| entry.value.as_str());
    config.is_some_and(|text| text.to_lowercase().contains("mooncake"))
}
