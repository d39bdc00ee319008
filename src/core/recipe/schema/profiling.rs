//! Rules of `profiling`, which both schemas share but for the words.

use super::view::{Given, View};

/// Where a schema keeps what profiling depends on.
struct Words {
    /// The engine's arguments of a phase.
    args: fn(&str) -> String,
    /// The worker count of a phase.
    workers: fn(&str) -> String,
}

pub(super) fn check_v1(view: &mut View<'_, '_, '_>, backend: Option<&str>, is_disaggregated: bool) {
    let words = Words {
        args: |phase| format!("backend.vllm_config.{phase}"),
        workers: |phase| format!("resources.{}_workers", role(phase)),
    };
    check(view, &words, backend, is_disaggregated);
}

pub(super) fn check_v2(view: &mut View<'_, '_, '_>, engine: Option<&str>, is_disaggregated: bool) {
    let words = Words {
        args: |phase| format!("roles.{}.args", role(phase)),
        workers: |phase| format!("roles.{}.workers", role(phase)),
    };
    check(view, &words, engine, is_disaggregated);
    if matches!(view.text("profiling.type"), Given::Value("nsys" | "nsys-time")) {
        for key in ["profiling.nsys_trace", "profiling.capture_range_end"] {
            if view.text(key).value().is_some_and(|text| text.trim().is_empty()) {
                view.broken(key, format!("{key} is blank"), "give a value, or remove the key");
            }
        }
        let paths = view.get("profiling.nsys_library_paths").and_then(|tree| tree.as_list()).unwrap_or_default();
        for (index, _) in paths.iter().enumerate().filter(|(_, path)| path.as_str() == Some("")) {
            view.broken(&format!("profiling.nsys_library_paths.{index}"), "the path is empty", "remove it");
        }
    }
    for phase in ["prefill", "decode", "aggregated"] {
        selected_worker(view, phase, engine);
    }
}

fn selected_worker(view: &mut View<'_, '_, '_>, phase: &str, engine: Option<&str>) {
    let below = |key: &str| format!("profiling.{phase}.{key}");
    if engine == Some("trtllm") || view.text(&below("capture_scope")) != Given::Value("selected") {
        return;
    }
    let workers = view.int(&format!("roles.{}.workers", role(phase))).or(0);
    if let (Some(index), Some(workers)) = (view.int(&below("worker_index")).or(0), workers)
        && !(0..workers).contains(&index)
    {
        let message = format!("worker_index is {index}, and the role has {workers} workers");
        view.broken(&below("worker_index"), message, "count workers from 0");
    }
    if view.int(&below("worker_rank")).or(0).is_some_and(|rank| rank < 0) {
        view.broken(&below("worker_rank"), "worker_rank is negative", "count ranks from 0");
    }
}

fn role(phase: &str) -> &str {
    if phase == "aggregated" { "agg" } else { phase }
}

fn check(view: &mut View<'_, '_, '_>, words: &Words, engine: Option<&str>, is_disaggregated: bool) {
    let Some(kind) = view.text("profiling.type").or("none") else { return };
    match kind {
        "none" => return,
        "torch" if engine == Some("trtllm") => {
            view.broken("profiling.type", "profiling.type torch does not work with trtllm", "use nsys");
        }
        "nsys-time" => {
            for key in ["profiling.delay_secs", "profiling.duration_secs"] {
                if view.int(key) == Given::Absent {
                    view.broken(key, format!("profiling.type nsys-time needs {key}"), "add it, in seconds");
                }
            }
            return;
        }
        "nsys" if engine == Some("vllm") => profiler_arguments(view, words),
        _ => {}
    }
    phases(view, words, kind, is_disaggregated);
}

/// nsys and vLLM's own profiler exclude each other.
fn profiler_arguments(view: &mut View<'_, '_, '_>, words: &Words) {
    for phase in ["prefill", "decode", "aggregated"] {
        let args = (words.args)(phase);
        let Some(map) = view.get(&args).and_then(|tree| tree.as_map()) else { continue };
        for key in map.entries().iter().filter_map(|entry| entry.key.as_str()) {
            if key.replace('_', "-").starts_with("profiler-config") {
                let message = format!("`{key}` sets up another profiler than profiling.type nsys");
                view.broken(&format!("{args}.{key}"), message, "remove one of the two");
            }
        }
    }
}

/// Each phase that runs needs its block and workers, and no other may have one.
fn phases(view: &mut View<'_, '_, '_>, words: &Words, kind: &str, is_disaggregated: bool) {
    for phase in ["prefill", "decode", "aggregated"] {
        let runs = (phase == "aggregated") != is_disaggregated;
        let block = format!("profiling.{phase}");
        match (runs, view.has(&block)) {
            (true, false) => {
                let message = format!("profiling.type {kind} needs the block {block}");
                view.broken(&block, message, "add it with start_step and stop_step");
            }
            (false, true) => {
                let shape = if is_disaggregated { "disaggregated" } else { "aggregated" };
                let message = format!("{block} profiles workers that a recipe which is {shape} does not have");
                view.broken(&block, message, "remove the block");
            }
            _ => {}
        }
        let workers = (words.workers)(phase);
        if runs && view.int(&workers).or(0).is_some_and(|count| count <= 0) {
            let message = format!("profiling.type {kind} needs {workers} of 1 or more");
            view.broken(&workers, message, "give the number of workers");
        }
    }
}
