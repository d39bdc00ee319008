//! Points: rows with an identity.
//!
//! A point is its row, then `key`, `fingerprint`, `lane`, `runs-on`, and `source` where asked for. The key names
//! artifacts and matches points across changes; the fingerprint says whether anything at all changed.

use std::fmt::Write as _;

use hashbrown::hash_map::Entry as Slot;
use hashbrown::{HashMap, HashSet};
use sha2::{Digest as _, Sha256};

use super::json::{COMPACT, write_fields, write_text, write_value};
use super::nodes::recipe_reference;
use super::row::Row;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::yaml::Value;

/// The fields of a row that a key is made from, beside the config key. Of the workers of multi-node rows only
/// [`WORKER_FIELDS`] count, so that the key of a point survives a renamed recipe.
pub const IDENTITY_FIELDS: [&str; 21] = [
    "scenario-type",
    "isl",
    "osl",
    "tp",
    "pp",
    "dcp-size",
    "pcp-size",
    "attn-dp-size",
    "ep",
    "dp-attn",
    "prefill",
    "decode",
    "conc",
    "spec-decoding",
    "kv-offloading",
    "kv-offload-backend",
    "run-eval",
    "eval-only",
    "eval-framework",
    "eval-suite",
    "runner",
];

/// What identifies a worker.
const WORKER_FIELDS: [&str; 9] =
    ["num-worker", "tp", "pp", "dcp-size", "pcp-size", "attn-dp-size", "ep", "dp-attn", "hardware"];

/// Which kind of job runs a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Fixed lengths on one node.
    SingleNode,
    /// Fixed lengths on several nodes.
    MultiNode,
    /// Agent trajectories on one node.
    Agentic,
    /// Agent trajectories on several nodes.
    MultiNodeAgentic,
    /// An evaluation alone, of a single-node point.
    SingleNodeEval,
    /// An evaluation alone, of a multi-node point.
    MultiNodeEval,
    /// An evaluation alone, of an agentic point.
    AgenticEval,
    /// An evaluation alone, of a multi-node agentic point.
    MultiNodeAgenticEval,
}

impl Lane {
    /// All lanes, throughput first.
    pub const ALL: [Self; 8] = [
        Self::SingleNode,
        Self::MultiNode,
        Self::Agentic,
        Self::MultiNodeAgentic,
        Self::SingleNodeEval,
        Self::MultiNodeEval,
        Self::AgenticEval,
        Self::MultiNodeAgenticEval,
    ];

    /// The name in points and outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::SingleNode => "single-node",
            Self::MultiNode => "multi-node",
            Self::Agentic => "agentic",
            Self::MultiNodeAgentic => "multi-node-agentic",
            Self::SingleNodeEval => "single-node-eval",
            Self::MultiNodeEval => "multi-node-eval",
            Self::AgenticEval => "agentic-eval",
            Self::MultiNodeAgenticEval => "multi-node-agentic-eval",
        }
    }

    /// The lane of a row: its scenario, its node kind, and whether it only evaluates.
    pub fn of(row: &Row<'_>) -> Self {
        match (row.is_agentic(), row.is_multinode(), row.is_true("eval-only")) {
            (false, false, false) => Self::SingleNode,
            (false, true, false) => Self::MultiNode,
            (true, false, false) => Self::Agentic,
            (true, true, false) => Self::MultiNodeAgentic,
            (false, false, true) => Self::SingleNodeEval,
            (false, true, true) => Self::MultiNodeEval,
            (true, false, true) => Self::AgenticEval,
            (true, true, true) => Self::MultiNodeAgenticEval,
        }
    }
}

/// A row with its identity.
#[derive(Debug, Clone)]
pub struct Point<'d> {
    /// The row; a multi-node row also carries the recipe that its workers name.
    pub row: Row<'d>,
    /// 16 hex digits over the identity.
    pub key: String,
    /// SHA-256 over the content, in hex.
    pub fingerprint: String,
    /// The lane.
    pub lane: Lane,
}

/// Gives rows their identity. Identical rows are kept once, with a warning; rows that share a key but differ are errors.
pub fn points<'d>(rows: Vec<Row<'d>>, found: &mut Diagnostics) -> Vec<Point<'d>> {
    let mut kept: Vec<Point<'d>> = Vec::with_capacity(rows.len());
    let mut by_key: HashMap<String, usize> = HashMap::with_capacity(rows.len());
    let mut by_fingerprint: HashMap<String, usize> = HashMap::with_capacity(rows.len());
    for row in rows {
        let point = match point(row) {
            Ok(point) => point,
            Err(diagnostic) => {
                found.push(diagnostic);
                continue;
            }
        };
        match by_key.entry(point.key.clone()) {
            Slot::Occupied(place) if kept[*place.get()].fingerprint == point.fingerprint => {
                found.push(identical(&point, &kept[*place.get()]));
            }
            Slot::Occupied(place) => found.push(collision(&point, &kept[*place.get()])),
            Slot::Vacant(place) => match by_fingerprint.entry(point.fingerprint.clone()) {
                Slot::Occupied(first) => found.push(identical(&point, &kept[*first.get()])),
                Slot::Vacant(first) => {
                    first.insert(kept.len());
                    place.insert(kept.len());
                    kept.push(point);
                }
            },
        }
    }
    kept
}

/// Gives rows their identity, for a comparison: identical rows count once, and rows that share a key stay apart. Whoever
/// generates the matrix is told about both.
pub fn points_to_compare<'d>(rows: Vec<Row<'d>>, found: &mut Diagnostics) -> Vec<Point<'d>> {
    let mut seen: HashSet<String> = HashSet::with_capacity(rows.len());
    let points = rows.into_iter().filter_map(|row| point(row).map_err(|diagnostic| found.push_new(diagnostic)).ok());
    points.filter(|point| seen.insert(point.fingerprint.clone())).collect()
}

fn point(mut row: Row<'_>) -> Result<Point<'_>, Diagnostic> {
    if row.is_multinode()
        && row.get("srt-recipe").is_none()
        && let Some(recipe) = recipe_reference(&row.entry)?
    {
        row.push("srt-recipe", Value::text(recipe));
    }
    let lane = Lane::of(&row);
    Ok(Point { key: key(&row), fingerprint: fingerprint(&row), lane, row })
}

/// The first 16 hex digits of the SHA-256 over the canonical JSON of the identity.
fn key(row: &Row<'_>) -> String {
    let mut digest = hash(&identity(row, row.entry.config.key, &[]));
    digest.truncate(16);
    digest
}

/// The canonical JSON of the identity, under a config key, and without some of its fields.
pub(super) fn identity(row: &Row<'_>, config_key: &str, left_out: &[&str]) -> Vec<u8> {
    let mut fields: Vec<(&str, Value<'_>)> = vec![("config-key", Value::text(config_key))];
    for name in IDENTITY_FIELDS.into_iter().filter(|name| !left_out.contains(name)) {
        if let Some(value) = row.get(name) {
            let value = if matches!(name, "prefill" | "decode") { worker_identity(value) } else { value.clone() };
            fields.push((name, value));
        }
    }
    canonical(&fields)
}

fn worker_identity<'d>(worker: &Value<'d>) -> Value<'d> {
    let Value::Map(entries) = worker else { return worker.clone() };
    let counts = |key: &Value<'_>| key.as_str().is_some_and(|key| WORKER_FIELDS.contains(&key));
    Value::Map(entries.iter().filter(|(key, _)| counts(key)).cloned().collect())
}

/// The SHA-256 over the canonical JSON of the whole row.
fn fingerprint(row: &Row<'_>) -> String {
    hash(&canonical_row(row))
}

fn canonical_row(row: &Row<'_>) -> Vec<u8> {
    let fields: Vec<(&str, Value<'_>)> = row.fields().iter().map(|(name, value)| (*name, value.clone())).collect();
    canonical(&fields)
}

fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// JSON with keys sorted by code point at every level, compact, ASCII only.
fn canonical(fields: &[(&str, Value<'_>)]) -> Vec<u8> {
    let map = Value::Map(fields.iter().map(|(name, value)| (Value::text(*name), value.clone())).collect());
    let mut out = Vec::with_capacity(512);
    write_value(&mut out, &sorted(&map), COMPACT);
    out
}

/// A value as canonical JSON has it: keys by code point, integral floats as integers.
pub(super) fn sorted<'d>(value: &Value<'d>) -> Value<'d> {
    match value {
        Value::Map(entries) => {
            let mut entries: Vec<_> = entries.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            entries.sort_by_cached_key(|(key, _)| super::names::python_str(key));
            Value::Map(entries)
        }
        Value::List(items) => Value::List(items.iter().map(sorted).collect()),
        // GitHub's expressions print 8.0 as 8, and a point that travelled through them is still the same point.
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
        Value::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => Value::Int(*value as i64),
        other => other.clone(),
    }
}

fn identical(again: &Point<'_>, first: &Point<'_>) -> Diagnostic {
    if again.row.entry.node == first.row.entry.node {
        let message = format!("this entry makes the job {} twice", job(again));
        return about_both(Diagnostic::warning(Code::IdenticalRows, message), again, first)
            .help("look for a repeated concurrency, or a runner that its label lists twice; points keep one");
    }
    let message = format!("the job {} is made twice", job(again));
    about_both(Diagnostic::warning(Code::IdenticalRows, message), again, first)
        .help("remove it from one of the two entries; points keep the first")
}

fn collision(again: &Point<'_>, first: &Point<'_>) -> Diagnostic {
    let differing = differing_fields(&again.row, &first.row).join(", ");
    let message = format!("two jobs {} are the same point, but differ in {differing}", job(again));
    about_both(Diagnostic::error(Code::KeyCollision, message), again, first)
        .help("make them differ in topology, concurrency, speculation or offload, or give one a config of its own")
}

/// `dsr1_1k1k at concurrency 8 on h200`
fn job(point: &Point<'_>) -> String {
    let concurrencies: Vec<String> = point.row.concurrencies().iter().map(super::names::python_str).collect();
    let (name, runner) = (point.row.text("exp-name"), point.row.text("runner"));
    format!("{name} at concurrency {} on {runner}", concurrencies.join(", "))
}

fn about_both(diagnostic: Diagnostic, again: &Point<'_>, first: &Point<'_>) -> Diagnostic {
    let (again, first) = (&again.row.entry, &first.row.entry);
    let diagnostic = diagnostic.labelled(again.node.source(), again.node.site(), "again").path(again.path(""));
    if again.node == first.node {
        return diagnostic;
    }
    diagnostic.related(first.node.source(), first.node.site(), "first")
}

fn differing_fields(a: &Row<'_>, b: &Row<'_>) -> Vec<&'static str> {
    let names = a.fields().iter().chain(b.fields()).map(|(name, _)| *name);
    let mut differing: Vec<&'static str> = names.filter(|name| a.get(name) != b.get(name)).collect();
    differing.dedup();
    let mut unique: Vec<&'static str> = Vec::new();
    differing.into_iter().for_each(|name| {
        if !unique.contains(&name) {
            unique.push(name);
        }
    });
    unique
}

impl Point<'_> {
    /// The row as canonical JSON: what the fingerprint is made from.
    pub(super) fn canonical(&self) -> Vec<u8> {
        canonical_row(&self.row)
    }

    /// The file and the line of the search-space entry that made it.
    pub fn place(&self) -> (&str, usize) {
        let node = self.row.entry.node;
        (node.source().name(), node.source().position(node.site().start).line)
    }

    /// The point as compact JSON; `with_source` adds the file and line of its search-space entry.
    pub fn to_json(&self, with_source: bool) -> String {
        self.to_json_with(|out| {
            if with_source {
                let (file, line) = self.place();
                out.extend_from_slice(b",\"source\":{\"file\":");
                write_text(out, file);
                out.extend_from_slice(format!(",\"line\":{line}}}").as_bytes());
            }
        })
    }

    /// The point as compact JSON, with what the caller appends to its fields.
    pub(super) fn to_json_with(&self, append: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::with_capacity(1024);
        write_fields(&mut out, &self.row, COMPACT);
        out.pop();
        for (name, value) in [("key", &*self.key), ("fingerprint", &self.fingerprint), ("lane", self.lane.name())] {
            out.extend_from_slice(format!(",\"{name}\":\"{value}\"").as_bytes());
        }
        out.extend_from_slice(b",\"runs-on\":[");
        write_text(&mut out, self.row.text("runner"));
        out.push(b']');
        append(&mut out);
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }
}
