//! Which rows run an evaluation: what the rule sets share, and the rules of 2026-08.

use hashbrown::HashMap;

use super::equality::{key_of, key_without};
use super::row::Row;
use crate::core::diag::Diagnostic;
use crate::core::num::Num;
use crate::core::yaml::Value;

/// Smaller concurrencies are not worth an evaluation of fixed-length and multi-node rows.
pub(super) const MIN_CONC: i64 = 16;

/// Fields that say nothing about the shape of a job.
pub(super) const NOT_SHAPE: [&str; 8] =
    ["conc", "run-eval", "eval-only", "eval-conc", "eval-all-concs", "eval-framework", "eval-suite", "exp-name"];

const SINGLE_FIXED_GROUP: [&str; 8] =
    ["model", "runner", "framework", "precision", "isl", "osl", "spec-decoding", "dp-attn"];
pub(super) const DEPLOYMENT: [&str; 4] = ["model", "runner", "framework", "precision"];

/// A row that was chosen, and the concurrency to evaluate it at.
pub(super) type Pick<'d> = (usize, Value<'d>);

/// Marks rows: every one gets `run-eval`, chosen multi-node rows get `eval-conc`.
pub(super) fn mark(rows: &mut [Row<'_>], include_agentic: bool) -> Result<(), Diagnostic> {
    let mut chosen: HashMap<usize, Option<Value<'_>>> = HashMap::new();
    chosen.extend(single_fixed_picks(rows, &SINGLE_FIXED_GROUP)?.into_iter().map(|index| (index, None)));
    let mut multi = multi_node_picks(rows, false)?;
    if include_agentic {
        chosen.extend(single_agentic_picks(rows, &DEPLOYMENT)?.into_iter().map(|index| (index, None)));
        multi.extend(multi_node_picks(rows, true)?);
    }
    chosen.extend(multi.into_iter().map(|(index, conc)| (index, Some(conc))));
    for (index, row) in rows.iter_mut().enumerate() {
        let pick = chosen.remove(&index);
        row.set("run-eval", Value::Bool(pick.is_some()));
        if let Some(Some(conc)) = pick {
            row.set("eval-conc", conc);
        }
    }
    Ok(())
}

/// Whether a fixed-length row has the lengths that are evaluated.
pub(super) fn has_eval_lengths(row: &Row<'_>) -> bool {
    let is = |name: &str, number: i64| row.get(name).and_then(Num::of).is_some_and(|value| value == Num::Int(number));
    !row.is_agentic() && is("isl", 8192) && is("osl", 1024)
}

/// Of each group of single-node rows those at the (upper) median and at the highest concurrency.
pub(super) fn single_fixed_picks(rows: &[Row<'_>], group: &[&str]) -> Result<Vec<usize>, Diagnostic> {
    let mut groups: HashMap<String, Vec<(usize, Num)>> = HashMap::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_multinode() && has_eval_lengths(row)) {
        let conc = single_conc(row)?;
        if conc >= Num::Int(MIN_CONC) {
            groups.entry(key_of(row, group)).or_default().push((index, conc));
        }
    }
    let mut picks = Vec::new();
    for members in groups.into_values() {
        let mut distinct: Vec<&Num> = members.iter().map(|(_, conc)| conc).collect();
        distinct.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        distinct.dedup();
        let (median, highest) = (distinct[distinct.len() / 2], distinct[distinct.len() - 1]);
        picks.extend(members.iter().filter(|(_, conc)| conc == median || conc == highest).map(|(index, _)| *index));
    }
    Ok(picks)
}

/// Of each group of single-node agentic rows the first with the highest concurrency; there is no minimum.
pub(super) fn single_agentic_picks(rows: &[Row<'_>], group: &[&str]) -> Result<Vec<usize>, Diagnostic> {
    let mut best: HashMap<String, (usize, Num)> = HashMap::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.is_agentic() && !row.is_multinode()) {
        let conc = single_conc(row)?;
        let current = best.entry(key_of(row, group)).or_insert_with(|| (index, conc.clone()));
        if conc > current.1 {
            *current = (index, conc);
        }
    }
    Ok(best.into_values().map(|(index, _)| index).collect())
}

/// Of each shape of multi-node rows the first with the highest concurrency that is worth an evaluation.
pub(super) fn multi_node_picks<'d>(rows: &[Row<'d>], agentic: bool) -> Result<Vec<Pick<'d>>, Diagnostic> {
    let mut best: HashMap<String, (usize, Num, Value<'d>)> = HashMap::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.is_multinode() && row.is_agentic() == agentic) {
        if !agentic && !has_eval_lengths(row) {
            continue;
        }
        let Some((number, value)) = highest(row, Some(MIN_CONC))? else { continue };
        match best.entry(key_without(row, &NOT_SHAPE)) {
            hashbrown::hash_map::Entry::Vacant(place) => {
                place.insert((index, number, value));
            }
            hashbrown::hash_map::Entry::Occupied(mut place) if number > place.get().1 => {
                place.insert((index, number, value));
            }
            hashbrown::hash_map::Entry::Occupied(_) => {}
        }
    }
    Ok(best.into_values().map(|(index, _, value)| (index, value)).collect())
}

/// The highest concurrency of a row, of those that are at least `min`.
pub(super) fn highest<'d>(row: &Row<'d>, min: Option<i64>) -> Result<Option<(Num, Value<'d>)>, Diagnostic> {
    let mut best: Option<(Num, Value<'d>)> = None;
    for value in row.concurrencies() {
        let number = row.conc_number(value)?;
        let eligible = min.is_none_or(|min| number >= Num::Int(min));
        if eligible && best.as_ref().is_none_or(|(highest, _)| number > *highest) {
            best = Some((number, value.clone()));
        }
    }
    Ok(best)
}

pub(super) fn single_conc(row: &Row<'_>) -> Result<Num, Diagnostic> {
    row.conc_number(row.get("conc").unwrap_or(&Value::Null))
}

/// The distinct concurrencies of several rows, ascending.
pub(super) fn union<'d>(rows: &[&Row<'d>]) -> Result<Vec<Value<'d>>, Diagnostic> {
    let mut all: Vec<(Num, Value<'d>)> = Vec::new();
    for row in rows {
        for value in row.concurrencies() {
            all.push((row.conc_number(value)?, value.clone()));
        }
    }
    all.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
    all.dedup_by(|later, earlier| later.0 == earlier.0);
    Ok(all.into_iter().map(|(_, value)| value).collect())
}

/// By shape, the indices of the multi-node rows that `--all-evals` merges, in row order.
pub(super) fn shapes_to_merge(rows: &[Row<'_>]) -> HashMap<String, Vec<usize>> {
    let mut shapes: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        if row.is_multinode() && (row.is_agentic() || has_eval_lengths(row)) {
            shapes.entry(key_without(row, &NOT_SHAPE)).or_default().push(index);
        }
    }
    shapes
}

/// `--all-evals`: every row that can be evaluated is, and multi-node rows of one shape become one.
pub(super) fn all_evals<'d>(rows: Vec<Row<'d>>) -> Result<Vec<Row<'d>>, Diagnostic> {
    let shapes = shapes_to_merge(&rows);
    let first_of: HashMap<usize, &Vec<usize>> = shapes.values().map(|members| (members[0], members)).collect();
    let merged_away = |index: usize, row: &Row<'_>| {
        row.is_multinode() && (row.is_agentic() || has_eval_lengths(row)) && !first_of.contains_key(&index)
    };
    let mut out = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        if merged_away(index, row) {
            continue;
        }
        let mut row = row.clone();
        if let Some(members) = first_of.get(&index) {
            let members: Vec<&Row<'d>> = members.iter().map(|&member| &rows[member]).collect();
            merge_into(&mut row, union(&members)?);
        } else if row.is_agentic() || has_eval_lengths(&row) {
            row.set("run-eval", Value::Bool(true));
        }
        out.push(row);
    }
    Ok(out)
}

fn merge_into<'d>(row: &mut Row<'d>, concurrencies: Vec<Value<'d>>) {
    let highest = concurrencies.last().cloned();
    row.set("conc", Value::List(concurrencies));
    row.set("run-eval", Value::Bool(true));
    if row.is_agentic() {
        if let Some(highest) = highest {
            row.set("eval-conc", highest);
        }
    } else {
        row.remove("eval-conc");
        row.set("eval-all-concs", Value::Bool(true));
    }
}

/// Keeps the rows that run an evaluation, and says that they do nothing else.
pub(super) fn only_evals(rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    rows.into_iter()
        .filter(|row| row.is_true("run-eval"))
        .map(|mut row| {
            row.set("eval-only", Value::Bool(true));
            row.remove("require-power");
            row
        })
        .collect()
}
