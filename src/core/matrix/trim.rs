//! `--trim-conc` and `--smoke`: one concurrency for each shape (rules 2026-09).

use hashbrown::HashMap;

use super::equality::{key_of, key_without};
use super::evals::{NOT_SHAPE, single_conc};
use super::row::Row;
use crate::core::diag::Diagnostic;
use crate::core::num::Num;
use crate::core::yaml::Value;

/// Keeps the lowest concurrency of each shape. A mark of any row of a shape moves to the row that is kept.
pub(super) fn trim(rows: Vec<Row<'_>>) -> Result<Vec<Row<'_>>, Diagnostic> {
    trim_by(rows, true)
}

/// The trimmed throughput rows without evaluations, then the evaluations alone, each shape and suite once at the
/// concurrency that was chosen for it.
pub(super) fn smoke(rows: Vec<Row<'_>>) -> Result<Vec<Row<'_>>, Diagnostic> {
    let evaluations: Vec<Row<'_>> = rows.iter().filter(|row| row.is_true("run-eval")).map(evaluation_only).collect();
    let throughput = rows.into_iter().filter(|row| !row.is_true("eval-only")).map(|mut row| {
        row.set("run-eval", Value::Bool(false));
        ["eval-framework", "eval-suite", "eval-conc", "eval-all-concs"].iter().for_each(|field| row.remove(field));
        row
    });
    let mut out = trim_by(throughput.collect(), false)?;
    out.extend(trim_by(evaluations, false)?);
    Ok(out)
}

fn evaluation_only<'d>(row: &Row<'d>) -> Row<'d> {
    let mut row = row.clone();
    if let Some(conc) = row.get("eval-conc").cloned() {
        row.set("conc", Value::List(vec![conc]));
    }
    row.remove("require-power");
    row.set("eval-only", Value::Bool(true));
    row
}

fn trim_by<'d>(rows: Vec<Row<'d>>, move_marks: bool) -> Result<Vec<Row<'d>>, Diagnostic> {
    let mut lowest: HashMap<String, (usize, Num)> = HashMap::new();
    let mut marked: HashMap<String, bool> = HashMap::new();
    let mut groups: Vec<String> = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let group = group_of(index, row);
        if let Some(conc) = lowest_conc(row)?.map(|(number, _)| number) {
            let current = lowest.entry(group.clone()).or_insert_with(|| (index, conc.clone()));
            if conc < current.1 {
                *current = (index, conc);
            }
        }
        *marked.entry(group.clone()).or_default() |= row.is_true("run-eval");
        groups.push(group);
    }
    let mut out = Vec::with_capacity(lowest.len());
    for (index, (mut row, group)) in rows.into_iter().zip(groups).enumerate() {
        let is_kept = lowest.get(&group).is_none_or(|(kept, _)| *kept == index);
        if !is_kept {
            continue;
        }
        let trimmed = lowest_conc(&row)?.map(|(_, value)| value);
        if row.is_multinode()
            && let Some(conc) = trimmed.clone()
        {
            row.set("conc", Value::List(vec![conc]));
        }
        if move_marks && marked.get(&group) == Some(&true) {
            row.set("run-eval", Value::Bool(true));
            if let Some(conc) = trimmed.filter(|_| row.is_multinode() && !row.is_true("eval-all-concs")) {
                row.set("eval-conc", conc);
            }
        }
        out.push(row);
    }
    Ok(out)
}

/// Multi-node fixed-length rows hold all their concurrencies, so each is a shape of its own.
fn group_of(index: usize, row: &Row<'_>) -> String {
    if row.is_multinode() && !row.is_agentic() {
        return format!("{index}");
    }
    let mut group = key_without(row, &NOT_SHAPE);
    if row.is_true("eval-only") {
        group.push_str(&key_of(row, &["eval-only", "eval-framework", "eval-suite"]));
    }
    group
}

fn lowest_conc<'d>(row: &Row<'d>) -> Result<Option<(Num, Value<'d>)>, Diagnostic> {
    if !row.is_multinode() {
        return Ok(Some((single_conc(row)?, row.get("conc").cloned().unwrap_or(Value::Null))));
    }
    let mut best: Option<(Num, Value<'d>)> = None;
    for value in row.concurrencies() {
        let number = row.conc_number(value)?;
        if best.as_ref().is_none_or(|(lowest, _)| number < *lowest) {
            best = Some((number, value.clone()));
        }
    }
    Ok(best)
}
