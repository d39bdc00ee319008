//! Which rows run an evaluation, and which one: the rules of 2026-09.
//!
//! Agentic rows are always part of the marking, some models run the suite of their vendor, and one deployment is not
//! evaluated twice for the same thing.

use hashbrown::{HashMap, HashSet};

use super::equality::{key_of, write_key};
use super::evals::{
    DEPLOYMENT, has_eval_lengths, highest, multi_node_picks, shapes_to_merge, single_agentic_picks, single_fixed_picks,
    union,
};
use super::row::Row;
use crate::core::diag::Diagnostic;
use crate::core::num::Num;
use crate::core::yaml::Value;

const SINGLE_FIXED_GROUP: [&str; 9] =
    ["model", "runner", "framework", "precision", "isl", "osl", "spec-decoding", "dp-attn", "attn-dp-size"];
const SINGLE_AGENTIC_GROUP: [&str; 8] =
    ["model", "runner", "framework", "precision", "spec-decoding", "dp-attn", "image", "attn-dp-size"];
const EVAL_FIELDS: [&str; 6] = ["run-eval", "eval-framework", "eval-suite", "eval-conc", "eval-all-concs", "eval-only"];

/// What an evaluation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Suite {
    framework: &'static str,
    suite: &'static str,
}

const GSM8K: Suite = Suite { framework: "lm-eval", suite: "" };

/// Models whose vendor has a suite for agentic use, by model prefix.
const VENDOR_SUITES: [(&str, Suite); 2] = [
    ("kimik3", Suite { framework: "kimi-vendor", suite: "kimi_tool_call_schema_full" }),
    ("minimaxm3", Suite { framework: "minimax-vendor", suite: "minimax_m3_full" }),
];

fn vendor_suite(row: &Row<'_>) -> Option<Suite> {
    let prefix = row.text("model-prefix");
    VENDOR_SUITES.iter().find(|(name, _)| row.is_agentic() && *name == prefix).map(|(_, suite)| *suite)
}

fn set_suite(row: &mut Row<'_>, suite: Suite) {
    row.set("run-eval", Value::Bool(true));
    row.set("eval-framework", Value::text(suite.framework));
    row.set("eval-suite", Value::text(suite.suite));
}

fn without_eval_fields<'d>(row: &Row<'d>) -> Row<'d> {
    let mut bare = row.clone();
    EVAL_FIELDS.iter().for_each(|field| bare.remove(field));
    bare
}

/// Marks rows. `with_copies` appends an eval-only copy for rows that run their vendor's suite and were chosen for GSM8K.
pub(super) fn mark<'d>(mut rows: Vec<Row<'d>>, with_copies: bool) -> Result<Vec<Row<'d>>, Diagnostic> {
    let mut chosen = gsm8k_picks(&rows)?;
    let mut copies = Vec::new();
    for (index, row) in rows.iter_mut().enumerate() {
        let pick = chosen.remove(&index);
        match (vendor_suite(row), pick) {
            (Some(suite), pick) => {
                let bare = pick.is_some().then(|| without_eval_fields(row));
                set_suite(row, suite);
                if row.is_multinode()
                    && let Some(own) = row.concurrencies().first().cloned()
                {
                    row.set("eval-conc", own);
                }
                if let (Some(mut copy), Some(conc)) = (bare, pick) {
                    set_suite(&mut copy, GSM8K);
                    if let Some(conc) = conc {
                        copy.set("eval-conc", conc);
                    }
                    copy.set("eval-only", Value::Bool(true));
                    copies.push(copy);
                }
            }
            (None, Some(conc)) => {
                set_suite(row, GSM8K);
                if let Some(conc) = conc {
                    row.set("eval-conc", conc);
                }
            }
            (None, None) => row.set("run-eval", Value::Bool(false)),
        }
    }
    if with_copies {
        rows.append(&mut copies);
    }
    Ok(rows)
}

/// The rows that GSM8K runs on, multi-node ones with the concurrency it runs at.
fn gsm8k_picks<'d>(rows: &[Row<'d>]) -> Result<HashMap<usize, Option<Value<'d>>>, Diagnostic> {
    let mut chosen: HashMap<usize, Option<Value<'d>>> = HashMap::new();
    chosen.extend(single_fixed_picks(rows, &SINGLE_FIXED_GROUP)?.into_iter().map(|index| (index, None)));
    chosen.extend(single_agentic_picks(rows, &SINGLE_AGENTIC_GROUP)?.into_iter().map(|index| (index, None)));
    chosen.extend(multi_node_picks(rows, false)?.into_iter().map(|(index, conc)| (index, Some(conc))));
    let agentic = multi_node_picks(rows, true)?;
    let fallback = fallback_picks(rows, &agentic)?;
    chosen.extend(agentic.into_iter().chain(fallback).map(|(index, conc)| (index, Some(conc))));
    Ok(chosen)
}

/// A multi-node agentic deployment without an eligible row evaluates its first row of the highest concurrency.
fn fallback_picks<'d>(rows: &[Row<'d>], picked: &[(usize, Value<'d>)]) -> Result<Vec<(usize, Value<'d>)>, Diagnostic> {
    let served: HashSet<String> = picked.iter().map(|(index, _)| key_of(&rows[*index], &DEPLOYMENT)).collect();
    let mut best: HashMap<String, (usize, Num, Value<'d>)> = HashMap::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.is_multinode() && row.is_agentic()) {
        let deployment = key_of(row, &DEPLOYMENT);
        if served.contains(&deployment) {
            continue;
        }
        let Some((number, value)) = highest(row, None)? else { continue };
        if best.get(&deployment).is_none_or(|(_, highest, _)| number > *highest) {
            best.insert(deployment, (index, number, value));
        }
    }
    Ok(best.into_values().map(|(index, _, value)| (index, value)).collect())
}

/// `--all-evals`: every row that can be evaluated is. Rows with a vendor suite keep a job each, GSM8K comes beside.
pub(super) fn all_evals<'d>(rows: Vec<Row<'d>>) -> Result<Vec<Row<'d>>, Diagnostic> {
    let shapes = shapes_to_merge(&rows);
    let first_of: HashMap<usize, &Vec<usize>> = shapes.values().map(|members| (members[0], members)).collect();
    let mut out: Vec<Row<'d>> = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let evaluated = row.is_agentic() || has_eval_lengths(row);
        if !evaluated {
            out.push(row.clone());
            continue;
        }
        if vendor_suite(row).is_some() {
            out.push(row.clone());
        }
        if row.is_multinode() {
            if let Some(members) = first_of.get(&index) {
                let members: Vec<&Row<'d>> = members.iter().map(|&member| &rows[member]).collect();
                out.push(merged(row, union(&members)?));
            }
        } else {
            let mut single = if vendor_suite(row).is_some() { without_eval_fields(row) } else { row.clone() };
            set_suite(&mut single, GSM8K);
            out.push(single);
        }
    }
    Ok(out)
}

/// One GSM8K row for all rows of a shape.
fn merged<'d>(first: &Row<'d>, concurrencies: Vec<Value<'d>>) -> Row<'d> {
    let highest = concurrencies.last().cloned();
    if !first.is_agentic() {
        let mut row = first.clone();
        row.set("conc", Value::List(concurrencies));
        set_suite(&mut row, GSM8K);
        row.remove("eval-conc");
        row.set("eval-all-concs", Value::Bool(true));
        return row;
    }
    let mut row = without_eval_fields(first);
    row.set("conc", Value::List(concurrencies));
    row.push("run-eval", Value::Bool(true));
    if let Some(highest) = highest {
        row.push("eval-conc", highest);
    }
    row.push("eval-framework", Value::text(GSM8K.framework));
    row.push("eval-suite", Value::text(GSM8K.suite));
    row
}

/// What an application sees of an evaluation. Two rows that share it would measure the same thing.
const APP_FIELDS: [&str; 11] = [
    "model",
    "model-prefix",
    "runner",
    "framework",
    "precision",
    "spec-decoding",
    "disagg",
    "eval-framework",
    "eval-suite",
    "isl",
    "osl",
];
const TOPOLOGY_FIELDS: [&str; 4] = ["tp", "ep", "dp-attn", "num-worker"];

/// Leaves at most one evaluation of each identity; rows without offloading win.
pub(super) fn deduplicate(rows: &mut Vec<Row<'_>>) {
    let offloads = |row: &Row<'_>| !matches!(row.get("kv-offloading").and_then(Value::as_str), None | Some("none"));
    let (plain, offloading): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|&index| !offloads(&rows[index]));
    let mut taken: HashSet<String> = HashSet::new();
    for index in plain.into_iter().chain(offloading) {
        let row = &mut rows[index];
        if !row.is_true("run-eval") {
            continue;
        }
        let identity = app_identity(row);
        let mut claim = |conc: &Value<'_>| {
            let mut key = identity.clone();
            write_key(&mut key, conc);
            taken.insert(key)
        };
        let is_free = if row.is_true("eval-all-concs") {
            let free: Vec<Value<'_>> = row.concurrencies().iter().filter(|conc| claim(conc)).cloned().collect();
            let any = !free.is_empty();
            if any {
                row.set("conc", Value::List(free));
            }
            any
        } else {
            let evaluated = row.get("eval-conc").or_else(|| row.get("conc")).cloned().unwrap_or(Value::Null);
            claim(&evaluated)
        };
        if !is_free {
            row.set("run-eval", Value::Bool(false));
            ["eval-framework", "eval-suite", "eval-conc", "eval-all-concs"].iter().for_each(|field| row.remove(field));
        }
    }
    // A copy that exists only to be evaluated is nothing without its evaluation.
    rows.retain(|row| row.is_true("run-eval") || !row.is_true("eval-only"));
}

fn app_identity(row: &Row<'_>) -> String {
    let mut key = key_of(row, &APP_FIELDS);
    if !row.is_multinode() {
        key.push_str(&key_of(row, &TOPOLOGY_FIELDS));
        return key;
    }
    for role in ["prefill", "decode"] {
        for field in TOPOLOGY_FIELDS {
            match row.get(role).and_then(|worker| worker.get(field)) {
                Some(value) => write_key(&mut key, value),
                None => key.push('-'),
            }
        }
    }
    key
}
