//! The cross-field rules of master configs. Each sees a mapping whose own keys are valid.

use super::master::entries_of;
use crate::core::num::Num;
use crate::core::schema::{Fields, Violation, lax_bool, lax_int};
use crate::core::yaml::NodeRef;

type Found<'a, 'd> = &'a mut Vec<Violation<'d>>;

fn has_list(fields: Fields<'_>) -> bool {
    fields.given("conc-list").is_some_and(|list| list.items().len() > 0)
}

fn has_range(fields: Fields<'_>) -> bool {
    fields.given("conc-start").is_some() && fields.given("conc-end").is_some()
}

pub(super) fn concurrency_choice<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    match (has_list(entry), has_range(entry)) {
        (true, true) => found.push(
            Violation::new("conc-list and conc-start/conc-end are both given", "keep one of the two")
                .at(entry.get("conc-list")),
        ),
        (false, false) => {
            let half = entry.given("conc-start").or_else(|| entry.given("conc-end"));
            let message = match half {
                Some(_) => "a ladder needs both conc-start and conc-end",
                None => "the entry gives no concurrency",
            };
            found.push(Violation::new(message, "give `conc-list: [4, 8]`, or `conc-start` and `conc-end`").at(half));
        }
        _ => {}
    }
}

pub(super) fn concurrency_values<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    if has_list(entry) {
        for item in entry.get("conc-list").into_iter().flat_map(NodeRef::items) {
            if lax_int(item).is_some_and(|value| !value.is_positive()) {
                let message = format!("the concurrency {} is not greater than 0", shown(item));
                found.push(Violation::new(message, "remove it").at(Some(item)));
            }
        }
    }
    let (Some(start), Some(end)) = (entry.int("conc-start"), entry.int("conc-end")) else { return };
    if has_list(entry) {
        return;
    }
    for (name, value) in [("conc-start", &start), ("conc-end", &end)] {
        if !value.is_positive() {
            let message = format!("{name} is {value}, expected more than 0");
            found.push(Violation::new(message, "write 1 or more").at(entry.get(name)));
            return;
        }
    }
    if start > end {
        let message = format!("conc-start {start} is greater than conc-end {end}");
        found.push(Violation::new(message, "swap the two").at(entry.get("conc-start")));
    }
}

fn shown(node: NodeRef<'_>) -> &str {
    node.scalar_text().unwrap_or_default()
}

pub(super) fn dcp_divides_tp<'d>(sizes: Fields<'d>, found: Found<'_, 'd>) {
    let (Some(tp), Some(dcp)) = (sizes.int("tp"), sizes.int("dcp-size")) else { return };
    if tp.is_multiple_of(&dcp) == Some(false) {
        let message = format!("dcp-size {dcp} does not divide tp {tp}");
        found.push(Violation::new(message, "use a divisor of tp").at(sizes.get("dcp-size")));
    }
}

pub(super) fn attn_dp_size<'d>(sizes: Fields<'d>, found: Found<'_, 'd>) {
    let Some(size) = sizes.int("attn-dp-size") else { return };
    let at = sizes.get("attn-dp-size");
    if let Some(tp) = sizes.int("tp")
        && tp.is_multiple_of(&size) == Some(false)
    {
        let message = format!("attn-dp-size {size} does not divide tp {tp}");
        found.push(Violation::new(message, "use a divisor of tp").at(at));
        return;
    }
    let is_parallel = sizes.given("dp-attn").and_then(lax_bool).unwrap_or(false);
    if (size > Num::Int(1)) != is_parallel {
        let message = format!("attn-dp-size {size} with dp-attn {is_parallel}");
        found.push(Violation::new(message, "attn-dp-size is greater than 1 exactly when dp-attn is true").at(at));
    }
}

pub(super) fn hardware_pair<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    let hardware = |role| entry.given(role).and_then(|worker| entry.inside(worker).given("hardware"));
    let (prefill, decode) = (hardware("prefill"), hardware("decode"));
    let (has, lacks) = match (prefill, decode) {
        (Some(_), None) => ("prefill", "decode"),
        (None, Some(_)) => ("decode", "prefill"),
        _ => return,
    };
    let message = format!("{has} names its hardware and {lacks} does not");
    found.push(Violation::new(message, "name the hardware of both workers or of neither").at(prefill.or(decode)));
}

pub(super) fn offload_backend<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    let backend = entry.given("kv-offload-backend");
    let offloading = entry.given("kv-offloading");
    match (offloading.and_then(NodeRef::as_str), backend) {
        (Some("dram"), None) => found.push(
            Violation::new("kv-offloading: dram needs a kv-offload-backend", "add `kv-offload-backend: { name: … }`")
                .at(offloading),
        ),
        (Some("dram"), Some(_)) | (_, None) => {}
        (mode, Some(_)) => {
            let message = match mode {
                Some(mode) => format!("kv-offload-backend with kv-offloading: {mode}"),
                None => "kv-offload-backend without kv-offloading".to_owned(),
            };
            found.push(Violation::new(message, "remove the backend, or set kv-offloading: dram").at(backend));
        }
    }
}

pub(super) fn agentic_topology<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    let tp = entry.given("tp");
    let (prefill, decode, worker) = (entry.given("prefill"), entry.given("decode"), entry.given("worker"));
    let workers = prefill.or(decode).or(worker);
    if tp.is_some() {
        if workers.is_some() {
            found.push(
                Violation::new(
                    "tp stands beside workers",
                    "a single-node entry has tp, a multi-node entry has workers",
                )
                .at(workers),
            );
        } else if entry.given("kv-offloading").is_none() {
            found.push(
                Violation::new("a single-node entry must say kv-offloading", "add `kv-offloading: none` or `dram`")
                    .at(tp),
            );
        }
        return;
    }
    let disaggregated = prefill.is_some() && decode.is_some() && worker.is_none();
    let aggregate = worker.is_some() && prefill.is_none() && decode.is_none();
    if !disaggregated && !aggregate {
        let message = match workers {
            None => "the entry has no topology",
            Some(_) if worker.is_some() => "worker stands beside prefill or decode",
            Some(_) => "prefill and decode must stand together",
        };
        found.push(Violation::new(message, "give tp, or prefill and decode").at(workers));
        return;
    }
    for name in ["pp", "dcp-size", "pcp-size", "attn-dp-size"] {
        if let Some(written) = entry.get(name) {
            let message = format!("{name} stands beside the workers");
            found.push(Violation::new(message, format!("move {name} into the workers")).at(Some(written)));
        }
    }
}

/// From 2026-09 on `prefill` and `decode` are optional by schema, since `worker` may stand instead.
pub(super) fn fixed_workers<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    let (prefill, decode, worker) = (entry.given("prefill"), entry.given("decode"), entry.given("worker"));
    let fits = match worker {
        Some(_) => prefill.is_none() && decode.is_none(),
        None => prefill.is_some() && decode.is_some(),
    };
    if !fits {
        let message = "expected either worker, or prefill and decode";
        found.push(
            Violation::new(message, "give `prefill` and `decode`, or `worker` and `num-nodes`").at(prefill.or(decode)),
        );
    }
}

pub(super) fn no_scenario<'d>(scenarios: Fields<'d>, found: Found<'_, 'd>) {
    let any = ["fixed-seq-len", "agentic-coding"]
        .iter()
        .any(|kind| scenarios.given(kind).is_some_and(|list| list.items().len() > 0));
    if !any {
        found.push(Violation::new("there is no scenario", "add an item to fixed-seq-len or agentic-coding"));
    }
}

pub(super) fn require_power<'d>(item: Fields<'d>, found: Found<'_, 'd>) {
    let Some(power) = item.given("require-power") else { return };
    let lengths = (item.int("isl"), item.int("osl"));
    let measured = lengths == (Some(Num::Int(8192)), Some(Num::Int(1024)));
    if lax_bool(power) == Some(true) && !measured {
        found.push(
            Violation::new("power is required for other lengths than 8192/1024", "remove require-power")
                .at(Some(power)),
        );
    }
}

pub(super) fn dram_utilization_missing<'d>(item: Fields<'d>, found: Found<'_, 'd>) {
    if item.given("dram-utilization").is_some() {
        return;
    }
    let entries = item.given("search-space").into_iter().flat_map(NodeRef::items);
    let offloading = entries.filter_map(|entry| item.inside(entry).given("kv-offloading"));
    if let Some(dram) = offloading.into_iter().find(|mode| mode.as_str() == Some("dram")) {
        found.push(
            Violation::new(
                "an entry offloads to DRAM and the scenario has no dram-utilization",
                "add `dram-utilization: 0.80`",
            )
            .at(Some(dram)),
        );
    }
}

pub(super) fn agentic_runner<'d>(config: Fields<'d>, found: Found<'_, 'd>) {
    let agentic = config.given("scenarios").and_then(|node| config.inside(node).given("agentic-coding"));
    let runner = config.get("runner");
    let name = runner.and_then(NodeRef::as_str).unwrap_or_default();
    if agentic.is_some_and(|list| list.items().len() > 0) && !name.starts_with("cluster:") {
        let message =
            format!("an agentic scenario on the runner `{name}`, expected a label that starts with `cluster:`");
        found.push(Violation::new(message, "use the label of one cluster").at(runner));
    }
}

pub(super) fn declared_twice<'d>(config: Fields<'d>, found: Found<'_, 'd>) {
    for name in ["router", "kv-p2p-transfer"] {
        if config.given(name).is_none() {
            continue;
        }
        if let Some((place, entry)) = entries_of(config).into_iter().find(|(_, entry)| entry.given(name).is_some()) {
            let message = format!("{name} stands at the top of the config and in this entry");
            found.push(
                Violation::new(message, "keep it at the top, or in the entries")
                    .at(entry.get(name))
                    .below(place.steps(name)),
            );
        }
    }
}

pub(super) fn transfer_on_single_node<'d>(config: Fields<'d>, found: Found<'_, 'd>) {
    for (place, entry) in entries_of(config) {
        if let Some(transfer) = entry.given("kv-p2p-transfer") {
            found.push(
                Violation::new("kv-p2p-transfer in a config with multinode: false", "remove it")
                    .at(Some(transfer))
                    .below(place.steps("kv-p2p-transfer")),
            );
        }
    }
}

pub(super) fn transfer_missing<'d>(config: Fields<'d>, found: Found<'_, 'd>) {
    let disagg = config.given("disagg").and_then(lax_bool).unwrap_or(false);
    if !disagg || config.given("kv-p2p-transfer").is_some() {
        return;
    }
    let help = "add `kv-p2p-transfer: nixl` at the top, or to every entry";
    let entries = entries_of(config);
    match entries.iter().find(|(_, entry)| entry.given("kv-p2p-transfer").is_none()) {
        Some((place, entry)) => {
            let message = "a disaggregated config without kv-p2p-transfer has an entry without one";
            found.push(Violation::new(message, help).at(Some(entry.node())).below(place.steps("")));
        }
        None if entries.is_empty() => {
            found.push(Violation::new("a disaggregated config without kv-p2p-transfer", help).at(config.get("disagg")));
        }
        None => {}
    }
}

pub(super) fn aggregate_shape<'d>(config: Fields<'d>, found: Found<'_, 'd>) {
    let multinode = config.get("multinode").and_then(lax_bool).unwrap_or(false);
    let disagg = config.given("disagg").and_then(lax_bool).unwrap_or(false);
    let (needed, refused): (&[&str], &[&str]) = match (multinode, disagg) {
        (false, _) => (&[], &["prefill", "decode", "worker", "num-nodes"]),
        (true, false) => (&["worker", "num-nodes"], &["prefill", "decode"]),
        (true, true) => (&["prefill", "decode"], &["worker", "num-nodes"]),
    };
    let mode = match (multinode, disagg) {
        (false, _) => "single-node",
        (true, false) => "aggregate (disagg: false)",
        (true, true) => "disaggregated (disagg: true)",
    };
    for (place, entry) in entries_of(config) {
        for name in needed {
            if entry.given(name).is_none() {
                let message = format!("an entry of a {mode} config needs {name}");
                let help = format!("add {name}, or change disagg");
                found.push(Violation::new(message, help).at(Some(entry.node())).below(place.steps("")));
            }
        }
        for name in refused {
            if let Some(written) = entry.given(name) {
                let message = format!("an entry of a {mode} config has no {name}");
                let help = format!("remove {name}, or change multinode or disagg");
                found.push(Violation::new(message, help).at(Some(written)).below(place.steps(name)));
            }
        }
    }
}
