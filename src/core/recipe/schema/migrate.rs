//! Keys of other versions, and where their values belong now.

use super::coerce::number;
use super::finding::Fix;
use crate::core::diag::Code;
use crate::core::num::{Num, python_float};
use crate::core::recipe::Entry;

/// What to say of a key that another version knows.
pub(super) struct Old {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) help: String,
    pub(super) fix: Option<Fix>,
}

/// Where the keys of schema 1 went.
const MOVED: &[(&str, &str)] = &[
    ("backend", "`engine` (its type and engine-wide keys) and `roles` (env and args of each role)"),
    ("infra", "`services` named etcd and nats"),
    ("resources.prefill_nodes", "`roles.prefill.nodes`"),
    ("resources.prefill_workers", "`roles.prefill.workers`"),
    ("resources.prefill_critical", "`roles.prefill.critical`"),
    ("resources.decode_nodes", "`roles.decode.nodes`, with `colocate` for 0"),
    ("resources.decode_workers", "`roles.decode.workers`"),
    ("resources.decode_critical", "`roles.decode.critical`"),
    ("resources.agg_nodes", "`roles.agg.nodes`"),
    ("resources.agg_workers", "`roles.agg.workers`"),
    ("resources.agg_critical", "`roles.agg.critical`"),
    ("resources.gpus_per_prefill", "`roles.prefill.gpus`"),
    ("resources.gpus_per_decode", "`roles.decode.gpus`"),
    ("resources.gpus_per_agg", "`roles.agg.gpus`"),
    ("frontend.orchestrator_placement", "`frontend.placement.node`"),
    ("frontend.dedicated_node", "`frontend.placement.node: dedicated`"),
    ("benchmark.client_placement", "`benchmark.placement.node`"),
    ("benchmark.client_dedicated_node", "`benchmark.placement.node: dedicated`"),
    ("dynamo.version", "`dynamo.source.pypi`"),
    ("dynamo.hash", "`dynamo.source.rev`"),
    ("dynamo.wheel", "`dynamo.source.wheel`"),
    ("dynamo.cargo_patches", "`dynamo.source.patches`"),
];

/// Keys that nothing replaced.
const RETIRED: [&str; 5] = [
    "observability.scrape_metrics",
    "observability.scrape_interval_seconds",
    "observability.scrape_output",
    "observability.build_dashboard",
    "benchmark.export_node_metrics",
];

/// The key that both telemetry frequencies became.
pub(super) const INTERVAL: &str = "collect_interval_ms";

/// What to say of an unknown key, if another version knows it. `has_interval` is whether [`INTERVAL`] stands beside it.
pub(super) fn old_key(schema: u8, path: &str, entry: &Entry<'_>, has_interval: bool) -> Option<Old> {
    if path == "telemetry.provider" {
        let message = "`telemetry.provider` is no longer a key: power is always read through DCGM".to_owned();
        let help = "remove it".to_owned();
        return Some(Old { code: Code::RecipeOldTelemetry, message, help, fix: Fix::remove(entry) });
    }
    if schema == 1 {
        return later_key(path, entry);
    }
    let is_frequency = matches!(path, "telemetry.default_frequency" | "observability.tachometer.default_frequency");
    if is_frequency && has_interval {
        let message = format!("`{path}` stands beside `{INTERVAL}`, which replaced it");
        let help = "remove it: the new key counts".to_owned();
        return Some(Old { code: Code::RecipeOldTelemetry, message, help, fix: Fix::remove(entry) });
    }
    match path {
        "telemetry.default_frequency" => Some(interval(path, entry, "a period in seconds", |seconds| seconds * 1000.0)),
        "observability.tachometer.default_frequency" => Some(interval(path, entry, "a rate in Hz", |hz| 1000.0 / hz)),
        _ if RETIRED.contains(&path) => {
            let message = format!("`{path}` was retired with schema 1");
            let help = "remove it".to_owned();
            Some(Old { code: Code::RecipeOldKey, message, help, fix: Fix::remove(entry) })
        }
        _ => {
            let (_, home) = MOVED.iter().find(|(old, _)| *old == path)?;
            let message = format!("`{path}` is a key of schema 1");
            let help = format!("schema 2 has {home}");
            Some(Old { code: Code::RecipeOldKey, message, help, fix: None })
        }
    }
}

/// Keys that schema 1 does not know yet.
fn later_key(path: &str, entry: &Entry<'_>) -> Option<Old> {
    let (code, help) = match path {
        "telemetry.collect_interval_ms" => {
            let seconds = number(&entry.value).map(|ms| python_float(ms / 1000.0));
            let help = match seconds {
                Some(seconds) => format!("schema 1 has a period in seconds: default_frequency: {seconds}"),
                None => "schema 1 has a period in seconds: default_frequency".to_owned(),
            };
            (Code::RecipeOldTelemetry, help)
        }
        "schema" => (Code::RecipeOldKey, "check it with --schema 2, or remove the key".to_owned()),
        "roles" | "engine" | "services" | "host_setup" | "post_eval" => {
            (Code::RecipeOldKey, "check it with --schema 2 and write `schema: 2`".to_owned())
        }
        _ => return None,
    };
    Some(Old { code, message: format!("`{path}` is a key of schema 2"), help, fix: None })
}

fn interval(path: &str, entry: &Entry<'_>, was: &str, convert: impl Fn(f64) -> f64) -> Old {
    let milliseconds = number(&entry.value).map(convert).filter(|ms| ms.is_finite()).map(f64::round);
    let integer = milliseconds.and_then(|ms| format!("{ms:.0}").parse::<i64>().ok()).map(Num::Int);
    let message = format!("`{path}` is {was}; schema 2 has `collect_interval_ms`");
    let (help, fix) = match integer {
        Some(integer) => {
            (format!("write collect_interval_ms: {integer}"), Fix::replace(entry, INTERVAL, integer.to_string()))
        }
        None => ("write the interval in milliseconds as collect_interval_ms".to_owned(), None),
    };
    Old { code: Code::RecipeOldTelemetry, message, help, fix }
}

/// Where a key of the engine belongs.
pub(super) fn engine_key(key: &str) -> String {
    let role = |mode: &str| if mode == "aggregated" { "agg".to_owned() } else { mode.to_owned() };
    if let Some(mode) = key.strip_suffix("_environment") {
        return format!("move it to `roles.{}.env`", role(mode));
    }
    if let Some(mode) = key.strip_suffix("_extra_args") {
        return format!("move it to `roles.{}.extra_args`", role(mode));
    }
    match key {
        "kv_events_config" => "move it to `kv_events` of each role".to_owned(),
        "roles" => "move it to the top of the recipe".to_owned(),
        _ => "move what is below it to `args` of each role".to_owned(),
    }
}
