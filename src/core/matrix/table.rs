//! Rows for people: one line for each search-space entry and runner, and a count below.

use std::fmt::Write as _;

use super::names::{python_str, sequence};
use super::point::Lane;
use super::row::Row;
use crate::core::num::Num;
use crate::core::yaml::Value;

const HEADINGS: [&str; 9] = ["CONFIG", "LANE", "RUNNER", "LENGTHS", "TOPOLOGY", "CONC", "SPEC", "OFFLOAD", "EVALS"];

/// The table and the count, with a line break at the end.
pub fn render_table(rows: &[Row<'_>]) -> String {
    if rows.is_empty() {
        return "no jobs\n".into();
    }
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let line = Line::of(row);
        match lines.last_mut().filter(|last| last.cells == line.cells) {
            Some(last) => last.absorb(line),
            None => lines.push(line),
        }
    }
    let cells: Vec<[String; 9]> = lines.iter().map(Line::columns).collect();
    let mut out = aligned(&HEADINGS, &cells);
    out.push('\n');
    out.push_str(&summary(rows));
    out.push('\n');
    out
}

/// Columns as wide as their widest cell, below their headings.
pub(super) fn aligned<const N: usize>(headings: &[&str; N], lines: &[[String; N]]) -> String {
    let mut widths = headings.map(|heading| heading.chars().count());
    for line in lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    write_line(&mut out, headings, &widths);
    lines.iter().for_each(|line| write_line(&mut out, line, &widths));
    out
}

fn write_line<const N: usize>(out: &mut String, cells: &[impl AsRef<str>; N], widths: &[usize; N]) {
    let start = out.len();
    for (cell, width) in cells.iter().zip(widths) {
        let _ = write!(out, "{:width$}  ", cell.as_ref());
    }
    out.truncate(start + out[start..].trim_end().len());
    out.push('\n');
}

/// `297 jobs: 56 single-node, 218 agentic`
fn summary(rows: &[Row<'_>]) -> String {
    let mut text = format!("{} job{}:", rows.len(), if rows.len() == 1 { "" } else { "s" });
    let mut separator = " ";
    for lane in Lane::ALL {
        let count = rows.iter().filter(|row| Lane::of(row) == lane).count();
        if count > 0 {
            let _ = write!(text, "{separator}{count} {}", lane.name());
            separator = ", ";
        }
    }
    text
}

#[derive(PartialEq, Eq)]
struct Cells {
    config: String,
    lane: &'static str,
    runner: String,
    lengths: String,
    topology: String,
    spec: String,
    offload: String,
}

struct Line {
    cells: Cells,
    concurrencies: Vec<String>,
    evaluations: usize,
}

impl Line {
    fn of(row: &Row<'_>) -> Self {
        let cell = |name: &str| row.get(name).map(python_str).unwrap_or_default();
        let lengths = match (row.get("isl"), row.get("osl")) {
            (Some(isl), Some(osl)) => sequence(isl, osl),
            _ => "-".to_owned(),
        };
        let offload = match row.get("kv-offloading").and_then(Value::as_str) {
            None | Some("none") => "-".to_owned(),
            Some(mode) => {
                let backend = row.get("kv-offload-backend").and_then(|backend| backend.get("name"));
                format!("{mode}/{}", backend.and_then(Value::as_str).unwrap_or("?"))
            }
        };
        let spec = cell("spec-decoding");
        Self {
            cells: Cells {
                config: row.entry.config.key.to_owned(),
                lane: Lane::of(row).name(),
                runner: printable(&cell("runner")),
                lengths,
                topology: topology(row),
                spec: if spec == "none" { "-".into() } else { spec },
                offload: printable(&offload),
            },
            concurrencies: row.concurrencies().iter().map(python_str).collect(),
            evaluations: usize::from(row.is_true("run-eval")),
        }
    }

    fn absorb(&mut self, other: Self) {
        self.concurrencies.extend(other.concurrencies);
        self.evaluations += other.evaluations;
    }

    fn columns(&self) -> [String; 9] {
        let cells = &self.cells;
        [
            printable(&cells.config),
            cells.lane.to_owned(),
            cells.runner.clone(),
            cells.lengths.clone(),
            cells.topology.clone(),
            self.concurrencies.join(","),
            cells.spec.clone(),
            cells.offload.clone(),
            if self.evaluations > 0 { self.evaluations.to_string() } else { "-".into() },
        ]
    }
}

/// What tells the entries of a config apart, in a few words: `8k1k, tp8 ep8, mtp, dram/lmcache`.
pub(super) fn entry_text(row: &Row<'_>) -> String {
    let cells = Line::of(row).cells;
    let parts = [cells.lengths, cells.topology, printable(&cells.spec), cells.offload];
    parts.into_iter().filter(|part| part != "-" && !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A config's text must not steer the terminal.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn topology(row: &Row<'_>) -> String {
    if !row.is_multinode() {
        let size = |name: &str| row.get(name).map(python_str).unwrap_or_default();
        return sizes(&size("tp"), row.get("ep"), row.get("dp-attn"));
    }
    let role = |name: &str| {
        let worker = row.get(name)?;
        let number = worker.get("num-worker").map(python_str).unwrap_or_default();
        let tp = worker.get("tp").map(python_str).unwrap_or_default();
        Some((number, sizes(&tp, worker.get("ep"), worker.get("dp-attn"))))
    };
    match (role("prefill"), role("decode")) {
        (Some((prefill, sizes)), Some((decode, _))) if decode == "0" => format!("{prefill}x {sizes}"),
        (Some((prefill, of_prefill)), Some((decode, of_decode))) => {
            format!("{prefill}p {of_prefill} + {decode}d {of_decode}")
        }
        _ => String::new(),
    }
}

fn sizes(tp: &str, ep: Option<&Value<'_>>, dp_attn: Option<&Value<'_>>) -> String {
    let mut text = format!("tp{tp}");
    if let Some(ep) = ep.filter(|ep| !Num::of(ep).is_some_and(|ep| ep == Num::Int(1))) {
        let _ = write!(text, " ep{}", python_str(ep));
    }
    if dp_attn.is_some_and(Value::is_truthy) {
        text.push_str(" dpa");
    }
    text
}
