//! The rules between the keys of a schema 2 recipe.

use super::rules_v1::{connects_by_mooncake, transfers_by_mooncake};
use super::v2::{BENCHMARK_SHARED, BENCHMARK_TYPES, ROLES};
use super::view::{Given, View, loose};
use super::{frontend, launch, profiling, roles, services, telemetry};
use crate::core::recipe::Tree;
use crate::core::schema::suggestion;

/// What most rules ask about.
pub(super) struct Job<'t> {
    /// Nothing when it is at fault, or when the roles disagree.
    pub(super) engine: Option<&'t str>,
    pub(super) is_disaggregated: bool,
    pub(super) has_workers: bool,
    pub(super) has_sidecar: bool,
}

pub(super) fn check(view: &mut View<'_, '_, '_>) {
    let job = Job::of(view);
    roles::check(view, &job);
    frontend::check(view, &job);
    launch::check(view);
    vllm(view, &job);
    numa(view, &job);
    mooncake(view, &job);
    profiling::check_v2(view, job.engine, job.is_disaggregated);
    benchmark(view);
    telemetry::check_v2(view);
    services::check(view, &job);
}

/// The type of an engine, as a text or in a mapping.
pub(super) fn engine_type<'t>(tree: &'t Tree<'_>) -> Option<&'t str> {
    match tree.as_map() {
        Some(map) => map.entry("type").map_or(Some("sglang"), |entry| entry.value.as_str()),
        None => tree.as_str(),
    }
}

impl<'t> Job<'t> {
    fn of(view: &View<'t, '_, '_>) -> Self {
        let given = |path: &str| view.get(path).filter(|tree| !tree.is_null());
        let mut engines = std::iter::once("engine".to_owned())
            .chain(ROLES.map(|role| format!("roles.{role}.engine")))
            .filter_map(|path| given(&path));
        let engine = engines.next().map_or(Some("sglang"), engine_type);
        let workers = ROLES.map(|role| view.int(&format!("roles.{role}.workers")).value().unwrap_or(0));
        let has_sidecar =
            view.is_on("dynamo.sidecar") || ROLES.iter().any(|role| view.is_on(&format!("roles.{role}.sidecar")));
        Self {
            engine,
            is_disaggregated: view.get("roles.prefill").is_some() || view.get("roles.decode").is_some(),
            has_workers: workers.iter().any(|count| *count > 0),
            has_sidecar,
        }
    }
}

fn vllm(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    if job.engine != Some("vllm") {
        return;
    }
    let per_node = view.text("engine.dp_launch_mode").or("per_node") == Some("per_node");
    let mut largest = 1;
    for role in ROLES {
        let Some(args) = view.get(&format!("roles.{role}.args")) else { continue };
        let Some(size) = loose(args, "data-parallel-size").filter(|entry| !entry.value.is_null()) else { continue };
        let path = format!("roles.{role}.args.{}", size.key.key_text());
        match view.int(&path).value().filter(|value| *value >= 1) {
            Some(value) => largest = largest.max(value),
            None => view.broken(&path, "data-parallel-size must be an integer of 1 or more", "give such a number"),
        }
        if per_node
            && view.int(&path).value().is_some_and(|value| value > 1)
            && let Some(headless) = loose(args, "headless")
        {
            let path = format!("roles.{role}.args.{}", headless.key.key_text());
            let message = "dp_launch_mode per_node starts its own headless workers, and `headless` is given";
            view.broken(&path, message, "remove `headless`, or use dp_launch_mode: per_gpu");
        }
    }
    failover(view, job, largest);
}

fn failover(view: &mut View<'_, '_, '_>, job: &Job<'_>, largest: i64) {
    if !view.has("engine.failover") {
        return;
    }
    let mut broken = |message: &str, help: &str| view.broken("engine.failover", message.to_owned(), help);
    if job.has_sidecar {
        broken("failover does not work with a sidecar", "remove one of the two");
    }
    if largest > 1 {
        broken("failover does not work with a data-parallel-size above 1", "remove one of the two");
    }
    if view.text("frontend.type").or("dynamo").is_some_and(|kind| kind != "dynamo") {
        view.broken("engine.failover", "failover needs the dynamo frontend", "use it, or remove failover");
    }
    for role in ROLES {
        let format = view.get(&format!("roles.{role}.args")).and_then(|args| loose(args, "load-format"));
        if let Some(entry) = format.filter(|entry| !entry.value.is_null() && entry.value.as_str() != Some("gms")) {
            let path = format!("roles.{role}.args.{}", entry.key.key_text());
            view.broken(
                "engine.failover",
                format!("failover loads by gms, and {path} says otherwise"),
                "remove load-format",
            );
        }
    }
    if view.int("engine.failover.shadow_engines").or(1).is_some_and(|count| count < 1) {
        view.broken("engine.failover.shadow_engines", "shadow_engines must be 1 or more", "give such a number");
    }
    if let Given::Value(folder) = view.text("engine.failover.shared_dir")
        && (!folder.starts_with('/') || folder.trim_matches('/').is_empty())
    {
        view.broken("engine.failover.shared_dir", "shared_dir must be an absolute path, and not /", "give one");
    }
}

fn numa(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    let binds_memory = view.text("engine.numa_memory_bind") == Given::Value("local");
    if job.engine == Some("trtllm") && binds_memory && view.flag("engine.numa_cpu_bind").or(false) == Some(false) {
        let message = "numa_memory_bind local needs numa_cpu_bind: true";
        view.broken("engine.numa_memory_bind", message, "bind both or neither");
    }
}

fn mooncake(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    let services = view.get("services").and_then(Tree::as_list).unwrap_or_default();
    let is_master = |index: &usize| {
        view.text(&format!("services.{index}.type")) == Given::Value("mooncake-master")
            && view.flag(&format!("services.{index}.enabled")).or(true) == Some(true)
    };
    let masters: Vec<usize> = (0..services.len()).filter(is_master).collect();
    for index in masters.iter().skip(1) {
        let message = "a second mooncake-master, and there can be one";
        view.broken(&format!("services.{index}"), message, "keep one of them");
    }
    for index in &masters {
        device_names(view, *index);
    }
    let path = match masters.first() {
        Some(index) => format!("services.{index}"),
        None if view.has("engine.mooncake_kv_store") => "roles".to_owned(),
        None => return,
    };
    let uses_mooncake = |role: &str| {
        let args = view.get(&format!("roles.{role}.args"));
        match job.engine {
            Some("sglang") => args.is_some_and(transfers_by_mooncake),
            Some("vllm") => args.is_some_and(connects_by_mooncake),
            _ => true,
        }
    };
    if job.is_disaggregated && !uses_mooncake("prefill") && !uses_mooncake("decode") {
        let message = "a mooncake store, and neither prefill nor decode moves KV caches through mooncake";
        let help = match job.engine {
            Some("sglang") => "set disaggregation-transfer-backend: mooncake in the args of a role",
            _ => "name the mooncake connector in kv-transfer-config, a text, in the args of a role",
        };
        view.broken(&path, message, help);
    }
}

fn device_names(view: &mut View<'_, '_, '_>, index: usize) {
    let path = format!("services.{index}.options.device_names_by_gpu");
    let Some(names) = view.get(&path).and_then(Tree::as_list) else { return };
    let expected = view.int("resources.gpus_per_node").or(4);
    if let Some(expected) = expected.filter(|expected| usize::try_from(*expected) != Ok(names.len())) {
        let message = format!("device_names_by_gpu has {} names, and a node has {expected} GPUs", names.len());
        view.broken(&path, message, "give one name for each GPU");
    }
    for (at, name) in names.iter().enumerate() {
        let is_name = |text: &str| !text.is_empty() && !text.contains([' ', '\t', ',']);
        if !name.as_str().is_some_and(is_name) {
            view.broken(&format!("{path}.{at}"), "a device name is blank, or has blanks or commas", "give one device");
        }
    }
}

fn benchmark(view: &mut View<'_, '_, '_>) {
    let Some(kind) = view.text("benchmark.type").or("manual") else { return };
    let Some((_, own)) = BENCHMARK_TYPES.iter().find(|(known, _)| *known == kind) else {
        let known: Vec<&str> = BENCHMARK_TYPES.iter().map(|(known, _)| *known).collect();
        let help = match suggestion(kind, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", known.join(", ")),
        };
        return view.broken("benchmark.type", format!("there is no benchmark type `{kind}`"), help);
    };
    let Some(map) = view.get("benchmark").and_then(Tree::as_map) else { return };
    for entry in map.entries() {
        let Some(key) = entry.key.as_str() else { continue };
        let is_known = super::v2::BENCHMARK.find(key).is_some_and(|field| !field.is_later);
        if !is_known || own.contains(&key) || BENCHMARK_SHARED.contains(&key) || is_default(key, &entry.value) {
            continue;
        }
        let readers: Vec<&str> =
            BENCHMARK_TYPES.iter().filter(|(_, keys)| keys.contains(&key)).map(|(kind, _)| *kind).collect();
        let message = format!("benchmark.type {kind} does not read `{key}`");
        view.broken(&format!("benchmark.{key}"), message, format!("remove it; it belongs to {}", readers.join(", ")));
    }
}

/// Whether a key that is not read has the value it would have without being written.
fn is_default(key: &str, value: &Tree<'_>) -> bool {
    match key {
        "req_rate" => value.as_str() == Some("inf"),
        "use_chat_template" => super::coerce::boolean(value) == Some(true),
        "reuse_http_connections" => super::coerce::boolean(value) == Some(false),
        "env" | "aiperf_args" => value.as_map().is_some_and(crate::core::recipe::Map::is_empty),
        _ => value.is_null(),
    }
}
