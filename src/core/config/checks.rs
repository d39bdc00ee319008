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
    let given = |name| entry.given(name).is_some();
    let (on, message, help) = match (has_list(entry), has_range(entry)) {
        (true, true) => ("conc-list", "conc-list stands beside conc-start and conc-end", "keep one of the two"),
        (true, false) | (false, true) => return,
        _ if given("conc-start") => {
            ("conc-start", "conc-start stands without conc-end", "add conc-end, or give `conc-list: [4, 8]` instead")
        }
        _ if given("conc-end") => {
            ("conc-end", "conc-end stands without conc-start", "add conc-start, or give `conc-list: [4, 8]` instead")
        }
        _ if given("conc-list") => ("conc-list", "conc-list is empty", "list the concurrencies, as in [4, 8]"),
        _ => ("", "the entry gives no concurrency", "add `conc-list: [4, 8]`, or `conc-start` and `conc-end`"),
    };
    found.push(Violation::new(message, help).on(entry, on));
}

pub(super) fn concurrency_values<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    if has_list(entry) {
        for (index, item) in entry.get("conc-list").into_iter().flat_map(NodeRef::items).enumerate() {
            if let Some(value) = lax_int(item).filter(|value| !value.is_positive()) {
                let message = format!("found the concurrency {value}, expected more than 0");
                let violation = Violation::new(message, "remove it, or write 1 or more");
                found.push(violation.at(Some(item)).below(format!("conc-list[{index}]")));
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
            found.push(Violation::new(message, "write 1 or more").on(entry, name));
            return;
        }
    }
    if start > end {
        let message = format!("conc-start {start} is greater than conc-end {end}");
        found.push(Violation::new(message, "swap the two").on(entry, "conc-start"));
    }
}

pub(super) fn dcp_divides_tp<'d>(sizes: Fields<'d>, found: Found<'_, 'd>) {
    let (Some(tp), Some(dcp)) = (sizes.int("tp"), sizes.int("dcp-size")) else { return };
    if tp.is_multiple_of(&dcp) == Some(false) {
        let message = format!("dcp-size {dcp} does not divide tp {tp}");
        found.push(Violation::new(message, "use a divisor of tp").on(sizes, "dcp-size"));
    }
}

pub(super) fn attn_dp_size<'d>(sizes: Fields<'d>, found: Found<'_, 'd>) {
    let Some(size) = sizes.int("attn-dp-size") else { return };
    let on_size = |message, help: &str| Violation::new(message, help).on(sizes, "attn-dp-size");
    if let Some(tp) = sizes.int("tp")
        && tp.is_multiple_of(&size) == Some(false)
    {
        found.push(on_size(format!("attn-dp-size {size} does not divide tp {tp}"), "use a divisor of tp"));
        return;
    }
    let is_parallel = sizes.given("dp-attn").and_then(lax_bool).unwrap_or(false);
    match (size > Num::Int(1), is_parallel) {
        (true, false) => found.push(on_size(
            format!("attn-dp-size is {size}, and dp-attn is not true"),
            "set dp-attn: true, or remove attn-dp-size",
        )),
        (false, true) => found.push(on_size(
            format!("attn-dp-size is {size}, and dp-attn is true"),
            "make attn-dp-size greater than 1, or remove it",
        )),
        _ => {}
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
    let violation = Violation::new(message, "name the hardware of both workers or of neither");
    found.push(violation.at(prefill.or(decode)).below(format!("{has}.hardware")));
}

pub(super) fn offload_backend<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    let backend = entry.given("kv-offload-backend");
    let offloading = entry.given("kv-offloading");
    match (offloading.and_then(NodeRef::as_str), backend) {
        (Some("dram"), None) => found.push(
            Violation::new("kv-offloading: dram needs a kv-offload-backend", "add `kv-offload-backend: { name: … }`")
                .on(entry, "kv-offloading"),
        ),
        (Some("dram"), Some(_)) | (_, None) => {}
        (mode, Some(_)) => {
            let message = match mode {
                Some(mode) => format!("kv-offload-backend stands beside kv-offloading: {mode}"),
                None => "kv-offload-backend stands without kv-offloading".to_owned(),
            };
            let help = "remove the backend, or set kv-offloading: dram";
            found.push(Violation::new(message, help).on(entry, "kv-offload-backend"));
        }
    }
}

const WORKERS: [&str; 3] = ["prefill", "decode", "worker"];

/// Reports workers that do not go together. Returns whether they do, or there are none.
fn workers_agree<'d>(entry: Fields<'d>, found: Found<'_, 'd>) -> bool {
    let given = |name| entry.given(name).is_some();
    let (on, message, help) = match WORKERS.map(given) {
        [true, _, true] => {
            ("prefill", "prefill stands beside worker", "keep worker, or give prefill and decode without it")
        }
        [_, true, true] => {
            ("decode", "decode stands beside worker", "keep worker, or give prefill and decode without it")
        }
        [true, false, false] => ("prefill", "prefill stands without decode", "add decode"),
        [false, true, false] => ("decode", "decode stands without prefill", "add prefill"),
        _ => return true,
    };
    found.push(Violation::new(message, help).on(entry, on));
    false
}

pub(super) fn agentic_topology<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    topology(entry, "give tp, or prefill and decode", found);
}

/// From 2026-09 on `worker` may stand instead of `prefill` and `decode`.
pub(super) fn agentic_topology_newer<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    topology(entry, "give tp, or prefill and decode, or worker", found);
}

fn topology<'d>(entry: Fields<'d>, choices: &str, found: Found<'_, 'd>) {
    let workers = WORKERS.into_iter().find(|name| entry.given(name).is_some());
    match (entry.given("tp"), workers) {
        (Some(_), Some(worker)) => {
            let help = "a single-node entry has tp, a multi-node entry has workers";
            found.push(Violation::new(format!("{worker} stands beside tp"), help).on(entry, worker));
        }
        (Some(_), None) if entry.given("kv-offloading").is_none() => {
            let help = "add `kv-offloading: none` or `kv-offloading: dram`";
            found.push(Violation::new("a single-node entry must say kv-offloading", help).on(entry, "tp"));
        }
        (Some(_), None) => {}
        (None, None) => found.push(Violation::new("the entry has neither tp nor workers", choices)),
        (None, Some(_)) => {
            if !workers_agree(entry, found) {
                return;
            }
            for name in
                ["pp", "dcp-size", "pcp-size", "attn-dp-size"].into_iter().filter(|name| entry.get(name).is_some())
            {
                let message = format!("{name} stands beside the workers");
                found.push(Violation::new(message, format!("move {name} into the workers")).on(entry, name));
            }
        }
    }
}

/// From 2026-09 on `prefill` and `decode` are optional by schema, since `worker` may stand instead.
pub(super) fn fixed_workers<'d>(entry: Fields<'d>, found: Found<'_, 'd>) {
    if WORKERS.into_iter().all(|name| entry.given(name).is_none()) {
        let help = "give prefill and decode (disagg: true), or worker and num-nodes (disagg: false)";
        found.push(Violation::new("the entry has no workers", help));
    } else {
        workers_agree(entry, found);
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
    let measured = lengths.0 == Some(Num::Int(8192)) && lengths.1 == Some(Num::Int(1024));
    if lax_bool(power) == Some(true) && !measured {
        let (isl, osl) = (lengths.0.unwrap_or(Num::Int(0)), lengths.1.unwrap_or(Num::Int(0)));
        let message = format!("require-power with the lengths {isl}/{osl}, and power is measured for 8192/1024 only");
        found.push(Violation::new(message, "remove require-power").on(item, "require-power"));
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
                "the entry offloads to DRAM and its scenario has no dram-utilization",
                "add `dram-utilization: 0.80` beside search-space",
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
            format!("the runner of an agentic scenario is `{name}`, expected a label that starts with `cluster:`");
        found.push(
            Violation::new(message, "use the label of one cluster: its nodes decide the DRAM budget")
                .on(config, "runner"),
        );
    }
}

pub(super) fn declared_twice<'d>(config: Fields<'d>, found: Found<'_, 'd>) {
    for name in ["router", "kv-p2p-transfer"] {
        if config.given(name).is_none() {
            continue;
        }
        if let Some((place, entry)) = entries_of(config).into_iter().find(|(_, entry)| entry.given(name).is_some()) {
            let message = format!("{name} stands in this entry and at the top of the config");
            found.push(
                Violation::new(message, "keep it at the top, or move it into every entry that needs it")
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
                Violation::new("kv-p2p-transfer stands in a single-node config", "remove it, or set multinode: true")
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
    let entries = entries_of(config);
    let lacking: Vec<_> = entries.iter().filter(|(_, entry)| entry.given("kv-p2p-transfer").is_none()).collect();
    if lacking.len() == entries.len() {
        let help = "add `kv-p2p-transfer: nixl` at the top, or to every entry";
        found.push(Violation::new("a disaggregated config names no kv-p2p-transfer", help).on(config, "disagg"));
        return;
    }
    for (place, entry) in lacking {
        let message = "neither the entry nor its config, which is disaggregated, names a kv-p2p-transfer";
        let violation = Violation::new(message, "name it here as in the other entries, or once at the top for all");
        found.push(violation.at(Some(entry.node())).below(place.steps("")));
    }
}

pub(super) fn aggregate_shape<'d>(config: Fields<'d>, found: Found<'_, 'd>) {
    let multinode = config.get("multinode").and_then(lax_bool).unwrap_or(false);
    let disagg = config.given("disagg").and_then(lax_bool).unwrap_or(false);
    let (mode, needed, refused, other_mode): (_, &[&str], &[&str], _) = match (multinode, disagg) {
        (false, _) => ("a single-node config", &[], &["prefill", "decode", "worker", "num-nodes"], "multinode: true"),
        (true, false) => {
            ("an aggregate config (disagg: false)", &["worker", "num-nodes"], &["prefill", "decode"], "disagg: true")
        }
        (true, true) => {
            ("a disaggregated config (disagg: true)", &["prefill", "decode"], &["worker", "num-nodes"], "disagg: false")
        }
    };
    for (place, entry) in entries_of(config) {
        let missing: Vec<&str> = needed.iter().copied().filter(|name| entry.given(name).is_none()).collect();
        let written: Vec<&str> = refused.iter().copied().filter(|name| entry.given(name).is_some()).collect();
        let (message, help) = match (missing.is_empty(), written.is_empty()) {
            (true, true) => continue,
            (false, true) => {
                let missing = missing.join(" and ");
                (format!("an entry of {mode} needs {missing}"), format!("add {missing}"))
            }
            (true, false) => {
                let message = format!("an entry of {mode} has no {}", written.join(" or "));
                (message, format!("remove {}, or set {other_mode}", written.join(" and ")))
            }
            (false, false) => {
                let (needed, written) = (needed.join(" and "), written.join(" and "));
                let message = format!("an entry of {mode} has {needed}, and this one has {written}");
                (message, format!("give {needed} instead, or set {other_mode}"))
            }
        };
        let violation = Violation::new(message, help);
        found.push(match written.first() {
            Some(name) => violation.at(entry.get(name)).below(place.steps(name)),
            None => violation.at(Some(entry.node())).below(place.steps("")),
        });
    }
}
