//! Rules of the roles of a schema 2 recipe: engines, nodes, workers, GPUs.

use super::rules_v2::{Job, engine_type};
use super::v2::ROLES;
use super::view::{Given, View};
use crate::core::recipe::Tree;

pub(super) fn check(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    engines(view);
    sidecars(view);
    for role in ROLES {
        let path = format!("roles.{role}.nodes");
        if role != "decode" && is_colocated(view, role) {
            view.broken(&path, format!("only decode can colocate, and {role} does"), "give a number of nodes");
        }
        engine_keys(view, job, role);
    }
    if is_colocated(view, "decode") {
        colocated(view, job);
    }
    het_jobs(view, job);
}

fn is_colocated(view: &View<'_, '_, '_>, role: &str) -> bool {
    let nodes = view.text(&format!("roles.{role}.nodes")).value();
    nodes.is_some_and(|text| text.trim().eq_ignore_ascii_case("colocate"))
}

fn engines(view: &mut View<'_, '_, '_>) {
    let given = |path: String| view.get(&path).filter(|tree| !tree.is_null()).and_then(engine_type);
    let mut types: Vec<&str> = ROLES.iter().filter_map(|role| given(format!("roles.{role}.engine"))).collect();
    if types.is_empty() {
        return;
    }
    types.extend(given("engine".to_owned()));
    types.sort_unstable();
    types.dedup();
    if types.len() > 1 {
        let message = format!("all roles use one engine, found {}", types.join(", "));
        view.broken("roles", message, "name the engine once, at the top");
    }
}

fn sidecars(view: &mut View<'_, '_, '_>) {
    let flag = |role: &str| view.get(&format!("roles.{role}.sidecar")).and_then(Tree::as_bool);
    let flags: Vec<bool> = ROLES.iter().filter_map(|role| flag(role)).collect();
    if flags.contains(&true) && flags.contains(&false) {
        let message = "the roles disagree about `sidecar`, which holds for the whole job";
        view.broken("roles", message, "give all roles the same value, or use dynamo.sidecar");
    } else if flags.contains(&false) && view.is_on("dynamo.sidecar") {
        let message = "dynamo.sidecar is true, and a role says sidecar: false";
        view.broken("dynamo.sidecar", message, "give both the same value");
    }
}

fn engine_keys(view: &mut View<'_, '_, '_>, job: &Job<'_>, role: &str) {
    let Some(engine) = job.engine else { return };
    let extra = format!("roles.{role}.extra_args");
    let has_extra = view.get(&extra).and_then(Tree::as_list).is_some_and(|list| !list.is_empty());
    if has_extra && engine != "trtllm" {
        view.broken(&extra, format!("extra_args are for trtllm, and the engine is {engine}"), "put them into args");
    }
    let events = format!("roles.{role}.kv_events");
    let wants_events =
        view.get(&events).is_some_and(|tree| !tree.is_null() && super::coerce::boolean(tree) != Some(false));
    if wants_events && !matches!(engine, "sglang" | "vllm") {
        view.broken(&events, format!("kv_events are for sglang and vllm, and the engine is {engine}"), "remove them");
    }
}

/// Decode on the nodes of prefill: both must fit.
fn colocated(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    let mut is_complete = true;
    for role in ["prefill", "decode"] {
        let path = format!("roles.{role}.gpus");
        if view.int(&path) == Given::Absent {
            is_complete = false;
            let message = format!("colocate splits the GPUs of a node, and {role} does not say how many it takes");
            view.broken(&path, message, "add gpus, the GPUs of one worker, to both roles");
        }
    }
    let int = |path: &str| view.int(path).or(0);
    let (Some(nodes), Some(prefill), Some(decode)) =
        (int("roles.prefill.nodes"), int("roles.prefill.workers"), int("roles.decode.workers"))
    else {
        return;
    };
    if decode > 0 && (nodes < 1 || prefill < 1) {
        let message = "decode shares the nodes of prefill, which has no nodes or no workers";
        return view.broken("roles.decode.nodes", message, "give prefill nodes and workers");
    }
    let sizes = (int("roles.prefill.gpus"), int("roles.decode.gpus"), view.int("resources.gpus_per_node").or(4));
    let (Some(prefill_gpus), Some(decode_gpus), Some(per_node)) = sizes else { return };
    if !is_complete {
        return;
    }
    let wanted = prefill.saturating_mul(prefill_gpus).saturating_add(decode.saturating_mul(decode_gpus));
    let there = nodes.saturating_mul(per_node);
    if wanted > there {
        let message = format!("prefill and decode take {wanted} GPUs together, and the nodes of prefill have {there}");
        view.broken("roles.decode.nodes", message, "give prefill more nodes, or decode nodes of its own");
    } else if job.engine != Some("vllm") && !packs([(prefill, prefill_gpus), (decode, decode_gpus)], nodes, per_node) {
        let message =
            format!("the workers do not fit {nodes} nodes of {per_node} GPUs: none may lie on parts of two nodes");
        view.broken("roles.decode.nodes", message, "give prefill more nodes, or decode nodes of its own");
    }
}

/// Whether workers fit when each lies on one node, or fills nodes of its own.
fn packs(workers: [(i64, i64); 2], nodes: i64, per_node: i64) -> bool {
    const MOST: i64 = 100_000;
    if nodes > MOST || per_node < 1 {
        return true;
    }
    let mut free = vec![per_node; usize::try_from(nodes).unwrap_or(0)];
    for (count, gpus) in workers {
        for _ in 0..count.min(MOST) {
            let whole = (gpus + per_node - 1) / per_node;
            let fits = if gpus > per_node {
                let empty: Vec<usize> = (0..free.len()).filter(|at| free[*at] == per_node).collect();
                let taken = usize::try_from(whole).ok().and_then(|whole| empty.get(..whole).map(<[usize]>::to_vec));
                taken.map(|nodes| nodes.into_iter().for_each(|at| free[at] = 0)).is_some()
            } else {
                free.iter_mut().find(|free| **free >= gpus).map(|free| *free -= gpus).is_some()
            };
            if !fits {
                return false;
            }
        }
    }
    true
}

fn het_jobs(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    if !view.is_on("resources.het_jobs") {
        return;
    }
    if !job.is_disaggregated {
        view.broken("resources.het_jobs", "het_jobs needs a prefill and a decode role", "remove het_jobs");
    } else {
        for role in ["prefill", "decode"] {
            let path = format!("roles.{role}.nodes");
            if is_colocated(view, role) || view.int(&path).or(0).is_some_and(|nodes| nodes < 1) {
                view.broken(&path, format!("het_jobs needs nodes of its own for {role}"), "give 1 or more");
            }
        }
    }
    if job.engine.is_some_and(|engine| engine != "sglang") {
        view.broken("resources.het_jobs", "het_jobs works with sglang only", "remove het_jobs");
    }
    for path in ["frontend.placement.node", "benchmark.placement.node"] {
        if view.text(path) == Given::Value("dedicated") {
            view.broken(path, "het_jobs has no dedicated nodes", "place it on the head node");
        }
    }
    let services = view.get("services").and_then(Tree::as_list).unwrap_or_default();
    for index in 0..services.len() {
        let path = format!("services.{index}.nodes");
        if view.has(&path) {
            view.broken(&path, "het_jobs has no nodes for services", "remove nodes, or het_jobs");
        }
    }
}
