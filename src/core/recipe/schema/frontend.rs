//! Rules of the frontend of a schema 2 recipe.

use super::rules_v2::Job;
use super::v2::ROLES;
use super::view::{Given, View, loose};

pub(super) fn check(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    let Some(kind) = view.text("frontend.type").or("dynamo") else { return };
    engine_fits(view, job, kind);
    single_server(view, job, kind);
    if kind == "none" {
        nothing_served(view, job);
    }
    sidecar(view, job, kind);
    worker_selection(view, kind);
    if kind == "vllm-router" {
        router_sizes(view);
    }
    moriio(view, kind);
}

fn engine_fits(view: &mut View<'_, '_, '_>, job: &Job<'_>, kind: &str) {
    let needed = match kind {
        "sglang" | "sglang-router" => "sglang",
        "vllm" | "vllm-router" => "vllm",
        "trtllm_serve" => "trtllm",
        "atomesh" | "atom" => "atom",
        "tilert-router" => "tilert",
        _ => return,
    };
    if let Some(engine) = job.engine.filter(|engine| job.has_workers && *engine != needed) {
        let message = format!("frontend.type {kind} serves {needed} workers, and the engine is {engine}");
        view.broken("frontend.type", message, "change one of the two");
    }
}

/// Frontends that are the server of the engine itself.
fn single_server(view: &mut View<'_, '_, '_>, job: &Job<'_>, kind: &str) {
    if !matches!(kind, "sglang" | "vllm" | "trtllm_serve") {
        return;
    }
    if view.flag("frontend.enable_multiple_frontends").or(true) == Some(true) {
        let message = format!("frontend.type {kind} runs one frontend, and enable_multiple_frontends is true");
        view.broken("frontend.enable_multiple_frontends", message, "write enable_multiple_frontends: false");
    }
    if job.has_sidecar {
        view.broken(
            "frontend.type",
            format!("frontend.type {kind} works without a sidecar"),
            "use the dynamo frontend",
        );
    }
    if job.is_disaggregated {
        if kind != "trtllm_serve" {
            let message = format!("frontend.type {kind} serves one aggregated worker, and the recipe is disaggregated");
            let help = if kind == "sglang" { "did you mean sglang-router?" } else { "did you mean vllm-router?" };
            view.broken("frontend.type", message, help);
        }
    } else if let Some(workers) = view.int("roles.agg.workers").or(0).filter(|workers| *workers != 1) {
        let message = format!("frontend.type {kind} serves exactly one aggregated worker, found {workers}");
        view.broken("roles.agg.workers", message, "write workers: 1");
    }
}

fn nothing_served(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    if job.has_workers {
        view.broken("frontend.type", "frontend.type none serves nothing, and a role has workers", "name a frontend");
    }
    if view.text("frontend.placement.node") == Given::Value("dedicated") {
        view.broken("frontend.placement.node", "there is no frontend that needs a node", "remove the placement");
    }
}

fn sidecar(view: &mut View<'_, '_, '_>, job: &Job<'_>, kind: &str) {
    if !job.has_sidecar {
        return;
    }
    if kind != "dynamo" && !matches!(kind, "sglang" | "vllm" | "trtllm_serve") {
        view.broken("frontend.type", format!("a sidecar needs the dynamo frontend, found {kind}"), "use dynamo");
    }
    if let Some(engine) = job.engine.filter(|engine| !matches!(*engine, "sglang" | "vllm" | "trtllm")) {
        let message = format!("a sidecar works with sglang, vllm and trtllm, and the engine is {engine}");
        view.broken("engine", message, "turn the sidecar off");
    }
    if job.engine == Some("vllm") && view.text("engine.dp_launch_mode") == Given::Value("per_gpu") {
        view.broken("engine.dp_launch_mode", "a sidecar needs dp_launch_mode per_node", "write per_node");
    }
}

fn worker_selection(view: &mut View<'_, '_, '_>, kind: &str) {
    let path = "frontend.worker_selection";
    if !view.has(path) {
        return;
    }
    if kind != "dynamo" {
        let message = format!("worker_selection is for the dynamo frontend, found {kind}");
        view.broken(path, message, "remove it");
    }
    let others = [
        "frontend.args.router-policy-config",
        "frontend.env.DYN_ROUTER_POLICY_CONFIG",
        "environment.DYN_ROUTER_POLICY_CONFIG",
    ];
    for other in others {
        if view.get(other).is_some() {
            let message = format!("worker_selection and {other} both choose the policy of the router");
            view.broken(path, message, "remove one of the two");
        }
    }
}

fn router_sizes(view: &mut View<'_, '_, '_>) {
    for role in ROLES {
        let Some(args) = view.get(&format!("roles.{role}.args")) else { continue };
        if loose(args, "data-parallel-size").is_none_or(|entry| entry.value.is_null()) {
            continue;
        }
        if view.text("engine.dp_launch_mode") == Given::Value("per_gpu") {
            let message = "vllm-router with data parallelism needs dp_launch_mode per_node";
            view.broken("engine.dp_launch_mode", message, "write per_node");
        }
        let sizes =
            ["data-parallel-size", "tensor-parallel-size", "pipeline-parallel-size", "prefill-context-parallel-size"];
        let size = |key: &str| match loose(args, key) {
            Some(entry) => view.int(&format!("roles.{role}.args.{}", entry.key.key_text())).or(1),
            None => Some(1),
        };
        let product = sizes.iter().try_fold(1_i64, |product, key| size(key).map(|size| product.saturating_mul(size)));
        if let (Some(product), Given::Value(gpus)) = (product, view.int(&format!("roles.{role}.gpus")))
            && product != gpus
        {
            let message = format!("a worker of {role} has {gpus} GPUs, and its parallel sizes make {product}");
            view.broken(
                &format!("roles.{role}.args"),
                message,
                "data, tensor, pipeline and context sizes multiply to gpus",
            );
        }
    }
}

fn moriio(view: &mut View<'_, '_, '_>, kind: &str) {
    let in_args = |role: &str| {
        let args = view.get(&format!("roles.{role}.args"));
        args.and_then(|args| args.get("connector")).and_then(|tree| tree.as_str()) == Some("moriio")
    };
    if view.text("engine.connector") != Given::Value("moriio") && !ROLES.iter().any(|role| in_args(role)) {
        return;
    }
    let has = |role: &str| view.has(&format!("roles.{role}"));
    let one_on_head = view.flag("frontend.enable_multiple_frontends").or(true) == Some(false)
        && view.text("frontend.placement.node").or("head") == Some("head");
    if kind != "vllm-router" || !has("prefill") || !has("decode") || has("agg") || !one_on_head {
        let message =
            "the connector moriio needs vllm-router, prefill and decode, no agg, and one frontend on the head node";
        view.broken("engine.connector", message, "use another connector, or that layout");
    }
}
