//! Rules of `telemetry` and `observability.tachometer`.

use super::coerce::{integer, integer_text};
use super::finding::Fix;
use super::view::{Given, View, is_safe_folder, small};
use crate::core::diag::Code;
use crate::core::num::python_float;

const TACHOMETER: &str = "observability.tachometer";
/// The longest gap between two samples that power validation accepts, in seconds.
const LONGEST_GAP: f64 = 3.0;

pub(super) fn check_v1(view: &mut View<'_, '_, '_>) {
    let tachometer_is_on = view.is_on("observability.tachometer.enabled");
    if tachometer_is_on {
        if view.flag("observability.enabled").or(false) == Some(false) {
            let message = "observability.tachometer.enabled needs observability.enabled: true";
            view.broken(TACHOMETER, message, "write observability.enabled: true, or turn the tachometer off");
        }
        tachometer(view, &["dcgm_exporter", "node_exporter"], false);
        if view.num("observability.tachometer.default_frequency").or(5.0).is_some_and(|rate| rate <= 0.0) {
            view.broken("observability.tachometer.default_frequency", "a rate must be above 0", "give a rate in Hz");
        }
    }
    if !view.is_on("telemetry.enabled") {
        return;
    }
    if tachometer_is_on {
        one_exporter(view, "telemetry and the tachometer are both on, and DCGM can serve one of them");
        different_folders(view);
    }
    if view.has("telemetry.dcgm_exporter") {
        exporter(view, "telemetry.dcgm_exporter", false);
    } else {
        let help = "add dcgm_exporter with container_image and port, or turn telemetry off";
        view.broken("telemetry.dcgm_exporter", "telemetry needs a dcgm_exporter when it is enabled", help);
    }
    frequency(view);
    timeouts(view);
    join_timeout(view);
    safe_folder(view, "telemetry.storage_subdir", "power");
    benchmark_type(view, &["sa-bench"]);
    client_on_head(view, "benchmark.client_placement", &["head"]);
    if view.is_on("infra.etcd_nats_dedicated_node") {
        dedicated_infrastructure(view, "infra.etcd_nats_dedicated_node");
    }
    concurrencies(view);
}

pub(super) fn check_v2(view: &mut View<'_, '_, '_>) {
    let tachometer_is_on = view.flag("observability.tachometer.enabled").or(true) == Some(true);
    if tachometer_is_on {
        let exporters = ["default_gpu_exporter", "dcgm_exporter", "node_exporter", "process_exporter"];
        tachometer(view, &exporters, true);
        positive(view, "observability.tachometer.collect_interval_ms");
    }
    let telemetry_is_on = view.is_on("telemetry.enabled");
    cpu_power(view, telemetry_is_on);
    if !telemetry_is_on {
        return;
    }
    if tachometer_is_on {
        if view.has("telemetry.dcgm_exporter") {
            one_exporter(view, "telemetry has a DCGM exporter of its own beside this one");
        }
        different_folders(view);
    }
    timeouts(view);
    join_timeout(view);
    let has_cpu_leg = view.has("telemetry.cpu_power_exporter") || view.is_on("telemetry.cpu_power.enabled");
    if !view.has("telemetry.dcgm_exporter") {
        if !has_cpu_leg {
            let message = "telemetry needs a dcgm_exporter, a cpu_power_exporter or cpu_power when it is enabled";
            view.broken("telemetry.dcgm_exporter", message, "add one of them, or turn telemetry off");
        }
        return;
    }
    exporter(view, "telemetry.dcgm_exporter", true);
    let interval = view.int("telemetry.collect_interval_ms").or(1000);
    if let Some(interval) = interval.filter(|interval| !(1..=3000).contains(interval)) {
        let message = format!("collect_interval_ms is {interval}, expected 1 to 3000");
        view.broken("telemetry.collect_interval_ms", message, "power validation refuses gaps above 3 s");
    }
    safe_folder(view, "telemetry.storage_subdir", "power");
    benchmark_type(view, &["sa-bench", "custom", "agentic", "agentx", "manual"]);
    client_on_head(view, "benchmark.placement.node", &["head", "dedicated"]);
    let services = view.get("services").and_then(|tree| tree.as_list()).unwrap_or_default();
    for index in 0..services.len() {
        let below = |key: &str| format!("services.{index}.{key}");
        let is_infrastructure = matches!(view.text(&below("type")), Given::Value("etcd" | "nats"));
        if is_infrastructure && view.text(&below("placement.node")) == Given::Value("dedicated") {
            dedicated_infrastructure(view, &below("placement.node"));
        }
    }
    concurrencies(view);
}

fn tachometer(view: &mut View<'_, '_, '_>, exporters: &[&str], may_have_binary: bool) {
    for name in exporters {
        exporter(view, &format!("{TACHOMETER}.{name}"), may_have_binary);
    }
    if view.text("observability.tachometer.binary_path") == Given::Value("") {
        view.broken("observability.tachometer.binary_path", "binary_path is empty", "give a path, or remove the key");
    }
    for key in ["sync_interval_secs", "compaction_threads"] {
        let path = format!("{TACHOMETER}.{key}");
        if view.int(&path).or(0).is_some_and(|value| value < 0) {
            view.broken(&path, format!("{key} is negative"), "give 0 or more");
        }
    }
    safe_folder(view, "observability.tachometer.storage_subdir", "tachometer");
}

fn exporter(view: &mut View<'_, '_, '_>, path: &str, may_have_binary: bool) {
    if view.get(path).and_then(|tree| tree.as_map()).is_none() {
        return;
    }
    let image = format!("{path}.container_image");
    let has_binary =
        may_have_binary && view.text(&format!("{path}.binary")).value().is_some_and(|text| !text.is_empty());
    if view.text(&image) == Given::Value("") && !has_binary {
        view.broken(&image, "container_image is empty", "name the exporter's image");
    }
    port(view, &format!("{path}.port"));
}

/// A port, where one is given.
pub(super) fn port(view: &mut View<'_, '_, '_>, path: &str) {
    if let Given::Value(port) = view.int(path)
        && !(1..=65_535).contains(&port)
    {
        view.broken(path, format!("the port is {port}, expected 1 to 65535"), "give a free port");
    }
}

fn positive(view: &mut View<'_, '_, '_>, path: &str) {
    if view.num(path).or(1.0).is_some_and(|value| value <= 0.0) {
        view.broken(
            path,
            format!("`{}` must be above 0", path.rsplit('.').next().unwrap_or(path)),
            "give a larger value",
        );
    }
}

fn one_exporter(view: &mut View<'_, '_, '_>, message: &str) {
    if view.has("observability.tachometer.dcgm_exporter") {
        let help = "remove the tachometer's dcgm_exporter";
        view.broken("observability.tachometer.dcgm_exporter", message.to_owned(), help);
    }
}

fn different_folders(view: &mut View<'_, '_, '_>) {
    let power = view.text("telemetry.storage_subdir").or("power");
    let tachometer = view.text("observability.tachometer.storage_subdir").or("tachometer");
    if let (Some(power), Some(tachometer)) = (power, tachometer)
        && power == tachometer
    {
        let message = format!("telemetry and the tachometer both write to `{power}`");
        view.broken("observability.tachometer.storage_subdir", message, "give each a folder of its own");
    }
}

fn frequency(view: &mut View<'_, '_, '_>) {
    let Some(period) = view.num("telemetry.default_frequency").or(1.0) else { return };
    let shown = python_float(period);
    if period <= 0.0 {
        let message = format!("default_frequency is {shown}, expected a period above 0 s");
        view.broken("telemetry.default_frequency", message, "give the seconds between two samples");
    } else if period > LONGEST_GAP {
        let message = format!("default_frequency is {shown} s between two samples, expected at most 3");
        view.broken(
            "telemetry.default_frequency",
            message,
            "power validation refuses longer gaps; it is a period and no rate",
        );
    }
}

fn timeouts(view: &mut View<'_, '_, '_>) {
    positive(view, "telemetry.startup_timeout_seconds");
    positive(view, "telemetry.request_timeout_seconds");
}

/// The collector must be able to finish two whole cycles before it is given up.
fn join_timeout(view: &mut View<'_, '_, '_>) {
    let path = "telemetry.collector_join_timeout_seconds";
    let (Given::Value(join), Some(request)) = (view.num(path), view.num("telemetry.request_timeout_seconds").or(2.0))
    else {
        return;
    };
    let bound = 2.0 * (2.0 * request + 1.0);
    if join > bound {
        return;
    }
    let (join, bound, default) = (python_float(join), python_float(bound), python_float(bound + 2.0));
    let message = format!("collector_join_timeout_seconds is {join}, expected more than {bound}");
    let help =
        format!("the bound is two cycles, 2 * (2 * request_timeout_seconds + 1); without the key it is {default}");
    let fix = view.entry(path).and_then(Fix::remove);
    view.report(Code::RecipeJoinTimeout, path, message, help, fix);
}

fn safe_folder(view: &mut View<'_, '_, '_>, path: &str, default: &'static str) {
    if let Some(folder) = view.text(path).or(default).filter(|folder| !is_safe_folder(folder)) {
        let message = format!("the folder `{folder}` does not stay below the job's logs");
        view.broken(path, message, "give a relative path without `..`");
    }
}

fn benchmark_type(view: &mut View<'_, '_, '_>, known: &[&str]) {
    if let Some(kind) = view.text("benchmark.type").or("manual").filter(|kind| !known.contains(kind)) {
        let message = format!("telemetry works with benchmark.type {}, found {kind}", known.join(", "));
        view.broken("benchmark.type", message, "turn telemetry off, or use such a benchmark");
    }
}

fn client_on_head(view: &mut View<'_, '_, '_>, path: &str, known: &[&str]) {
    if let Some(node) = view.text(path).or("head").filter(|node| !known.contains(node)) {
        let message = format!("telemetry needs {path} {}, found {node}", known.join(" or "));
        view.broken(path, message, "put the client on the head node, or turn telemetry off");
    }
}

/// Power of a job whose etcd and NATS have a node of their own cannot be attributed.
fn dedicated_infrastructure(view: &mut View<'_, '_, '_>, path: &str) {
    let message = "telemetry does not work while etcd and NATS have a node of their own";
    let help =
        "the layout of nodes is a choice that no tool makes: put etcd and NATS on the head node, or run without power";
    view.report(Code::RecipePowerBlocked, path, message, help, None);
}

fn concurrencies(view: &mut View<'_, '_, '_>) {
    let path = "benchmark.concurrencies";
    let help = "give each concurrency once, as [4, 8] or \"4x8\"";
    let Some(tree) = view.get(path).filter(|tree| !tree.is_null()) else {
        return view.broken(path, "telemetry needs benchmark.concurrencies", help);
    };
    let numbers: Vec<i64> = match (tree.as_str(), tree.as_list()) {
        (Some(text), _) => {
            let parts: Vec<_> = text.split('x').map(integer_text).collect();
            if parts.iter().any(Option::is_none) {
                return view.broken(path, format!("`{text}` is no list of numbers between x"), help);
            }
            parts.iter().flatten().map(small).collect()
        }
        (None, Some(items)) => {
            let numbers: Vec<_> = items.iter().map(integer).collect();
            if numbers.iter().any(Option::is_none) {
                return;
            }
            numbers.iter().flatten().map(small).collect()
        }
        (None, None) => return,
    };
    if numbers.is_empty() {
        return view.broken(path, "benchmark.concurrencies is empty, and telemetry needs one at least", help);
    }
    if let Some(number) = numbers.iter().find(|number| **number <= 0) {
        return view.broken(path, format!("a concurrency is {number}, and telemetry needs numbers above 0"), help);
    }
    let mut sorted = numbers;
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        view.broken(path, format!("the concurrency {} stands twice, and telemetry needs each once", pair[0]), help);
    }
}

fn cpu_power(view: &mut View<'_, '_, '_>, telemetry_is_on: bool) {
    let below = |key: &str| format!("telemetry.cpu_power.{key}");
    if view.is_on("telemetry.cpu_power.enabled") {
        if !telemetry_is_on {
            let message = "telemetry.cpu_power.enabled needs telemetry.enabled: true";
            view.broken(&below("enabled"), message, "turn both on or both off");
        }
        let interval = view.num(&below("sample_interval_seconds")).or(0.1);
        if interval.is_some_and(|interval| interval <= 0.0 || interval > LONGEST_GAP) {
            let message = "sample_interval_seconds must be above 0 and at most 3";
            view.broken(&below("sample_interval_seconds"), message, "power validation refuses longer gaps");
        }
        positive(view, &below("startup_timeout_seconds"));
        safe_folder(view, &below("storage_subdir"), "cpu_power");
        let power = view.text("telemetry.storage_subdir").or("power");
        if power.is_some() && view.text(&below("storage_subdir")).or("cpu_power") == power {
            let message = "telemetry and cpu_power write to the same folder";
            view.broken(&below("storage_subdir"), message, "give each a folder of its own");
        }
    } else if view.flag(&below("enabled")).or(false).is_some() {
        if view.is_on(&below("required")) {
            view.broken(&below("required"), "cpu_power is required and not enabled", "write enabled: true");
        }
        if view.text(&below("source")).value().is_some_and(|source| source != "auto") {
            view.broken(&below("source"), "cpu_power has a source and is not enabled", "write enabled: true");
        }
    }
    if telemetry_is_on && view.has("telemetry.cpu_power_exporter") {
        cpu_power_exporter(view);
    }
}

fn cpu_power_exporter(view: &mut View<'_, '_, '_>) {
    let path = "telemetry.cpu_power_exporter";
    port(view, &format!("{path}.port"));
    let own = view.int(&format!("{path}.port")).or(9405);
    if own.is_some() && view.int("telemetry.dcgm_exporter.port").value() == own {
        view.broken(&format!("{path}.port"), "both exporters of telemetry have this port", "give another port");
    }
    let source = view.text(&format!("{path}.source")).or("auto");
    if let Some(source) = source.filter(|source| !matches!(*source, "auto" | "acpi" | "dcgm")) {
        let message = format!("the source is `{source}`, expected auto, acpi or dcgm");
        view.broken(&format!("{path}.source"), message, "write one of them");
    }
}
