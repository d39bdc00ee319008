//! What the matrix action publishes: counts, shards, a digest, and the lists while they fit.

use std::ops::Range;

use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::names::sequence;
use super::point::{Lane, Point};
use super::shard::{ShardLimits, cut};
use crate::core::diag::{Code, Diagnostic};
use crate::core::size::utf16_bytes;

/// The platform's limits, in its own measure of size: the bytes of UTF-16.
#[derive(Debug, Clone, Copy)]
pub struct OutputLimits {
    /// Jobs of one matrix, and shards of one plan.
    pub matrix_jobs: usize,
    /// All outputs of a job together.
    pub outputs_utf16_bytes: usize,
    /// One point as an environment value, in bytes of UTF-8.
    pub point_bytes: usize,
}

/// An output by name.
pub type Output = (String, String);

/// Room kept for names, counts and the skeleton beside a list of points.
const SMALL_OUTPUTS_UTF16_BYTES: usize = 16 * 1024;

/// The outputs and what each holds; those of every lane stand for all lanes.
pub fn documented_outputs() -> Vec<(String, String)> {
    let fixed = [
        ("count", "number of points; 0 means that there is nothing to do"),
        ("shards", "JSON list of shard numbers, from 1; a shard has at most 256 points"),
        ("digest", "SHA-256 over the whole plan, for `expect-digest` of the jobs that ask for their shard"),
        ("skeleton", "JSON object of counts by lane and bucket, small enough to travel in `needs`"),
        ("lists", "whether `points` and the list of each lane fitted the platform's limit and are set"),
        ("points", "JSON list of points: of the shard, or of the whole plan while it fits"),
        ("shard", "the shard that was asked for"),
    ];
    let mut documented: Vec<(String, String)> =
        fixed.iter().map(|(name, about)| ((*name).to_owned(), (*about).to_owned())).collect();
    for lane in Lane::ALL {
        documented.push((format!("{}-count", lane.name()), format!("number of points of the lane {}", lane.name())));
    }
    for lane in Lane::ALL {
        documented.push((
            lane.name().to_owned(),
            format!("JSON list of the points of the lane {}, while all fits", lane.name()),
        ));
    }
    documented
}

/// A plan: its points as JSON, in order, and how they are cut.
#[derive(Debug)]
pub struct Plan {
    points: Vec<PlannedPoint>,
    shards: Vec<Range<usize>>,
    digest: String,
}

#[derive(Debug)]
struct PlannedPoint {
    json: String,
    lane: Lane,
    bucket: String,
}

impl Plan {
    /// Cuts points into shards within the limits.
    ///
    /// # Errors
    /// A located diagnostic when a point, or the number of shards, exceeds a limit.
    pub fn new(points: &[Point<'_>], limits: OutputLimits, with_source: bool) -> Result<Self, Diagnostic> {
        let planned: Vec<PlannedPoint> = points
            .iter()
            .map(|point| PlannedPoint { json: point.to_json(with_source), lane: point.lane, bucket: bucket(point) })
            .collect();
        if let Some(index) = planned.iter().position(|point| point.json.len() > limits.point_bytes) {
            return Err(too_large(&points[index], planned[index].json.len(), limits.point_bytes));
        }
        let sizes: Vec<usize> = planned.iter().map(|point| utf16_bytes(&point.json) + utf16_bytes(",")).collect();
        let room = limits.outputs_utf16_bytes.saturating_sub(SMALL_OUTPUTS_UTF16_BYTES);
        let shards = cut(&sizes, ShardLimits { points: limits.matrix_jobs, bytes: room })
            .map_err(|index| too_large(&points[index], planned[index].json.len(), room / 2))?;
        if shards.len() > limits.matrix_jobs {
            return Err(too_many(points, limits.matrix_jobs));
        }
        Ok(Self { digest: digest(points), points: planned, shards })
    }

    /// The SHA-256 over the canonical list of points, in hex.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// How many shards there are.
    pub fn shard_count(&self) -> usize {
        self.shards.len()
    }

    /// `shard 2 of 8: 228 of 1820 points`
    pub fn shard_line(&self, number: usize) -> String {
        let points = self.shards.get(number.wrapping_sub(1)).map_or(0, Range::len);
        format!("shard {number} of {}: {points} of {} points", self.shards.len(), self.points.len())
    }

    /// The JSON list of one shard's points, by its number from 1.
    pub fn shard(&self, number: usize) -> Option<String> {
        let run = self.shards.get(number.checked_sub(1)?)?.clone();
        Some(list(self.points[run].iter()))
    }

    /// The JSON list of all points.
    pub fn list(&self) -> String {
        list(self.points.iter())
    }

    /// The outputs of the plan. Lists are among them only while everything together fits.
    pub fn outputs(&self, limits: OutputLimits) -> Vec<Output> {
        let numbers: Vec<usize> = (1..=self.shards.len()).collect();
        let mut outputs = vec![
            ("count".to_owned(), self.points.len().to_string()),
            ("shards".to_owned(), json!(numbers).to_string()),
            ("digest".to_owned(), self.digest.clone()),
            ("skeleton".to_owned(), self.skeleton().to_string()),
        ];
        for lane in Lane::ALL {
            outputs.push((format!("{}-count", lane.name()), self.of_lane(lane).count().to_string()));
        }
        let mut lists = vec![("points".to_owned(), self.list())];
        for lane in Lane::ALL {
            lists.push((lane.name().to_owned(), list(self.of_lane(lane))));
        }
        let size = |outputs: &[Output]| {
            outputs.iter().map(|(name, value)| utf16_bytes(name) + utf16_bytes(value)).sum::<usize>()
        };
        let fits = self.points.len() <= limits.matrix_jobs
            && size(&outputs) + size(&lists) + utf16_bytes("listsfalse") <= limits.outputs_utf16_bytes;
        outputs.push(("lists".to_owned(), fits.to_string()));
        if fits {
            outputs.append(&mut lists);
        }
        outputs
    }

    /// The outputs of one shard.
    pub fn shard_outputs(&self, number: usize) -> Option<Vec<Output>> {
        let points = self.shard(number)?;
        let run = self.shards.get(number - 1)?;
        Some(vec![
            ("count".to_owned(), run.len().to_string()),
            ("shard".to_owned(), number.to_string()),
            ("digest".to_owned(), self.digest.clone()),
            ("points".to_owned(), points),
        ])
    }

    fn of_lane(&self, lane: Lane) -> impl Iterator<Item = &PlannedPoint> {
        self.points.iter().filter(move |point| point.lane == lane)
    }

    /// Counts by lane and bucket (the lengths, or `agentic`), in the order of lanes and then of points.
    pub fn counts(&self) -> Vec<(&'static str, String, usize)> {
        let mut counts: Vec<(&'static str, String, usize)> = Vec::new();
        for lane in Lane::ALL {
            for point in self.of_lane(lane) {
                let same =
                    |(known, bucket, _): &&mut (&str, String, usize)| *known == lane.name() && *bucket == point.bucket;
                match counts.iter_mut().find(same) {
                    Some((_, _, count)) => *count += 1,
                    None => counts.push((lane.name(), point.bucket.clone(), 1)),
                }
            }
        }
        counts
    }

    /// `{"single-node":{"8k1k":12}}`
    fn skeleton(&self) -> Json {
        let mut lanes: Map<String, Json> = Map::new();
        for (lane, bucket, count) in self.counts() {
            let buckets = lanes.entry(lane).or_insert_with(|| json!({}));
            buckets[bucket] = json!(count);
        }
        Json::Object(lanes)
    }
}

fn list<'p>(points: impl Iterator<Item = &'p PlannedPoint>) -> String {
    let mut out = String::from("[");
    for (index, point) in points.enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&point.json);
    }
    out.push(']');
    out
}

fn bucket(point: &Point<'_>) -> String {
    match (point.row.get("isl"), point.row.get("osl")) {
        (Some(isl), Some(osl)) => sequence(isl, osl),
        _ => "agentic".to_owned(),
    }
}

/// SHA-256 over one line a point, its key and its canonical row: all that a shard hands on follows from these.
fn digest(points: &[Point<'_>]) -> String {
    let mut hash = Sha256::new();
    for point in points {
        hash.update(point.key.as_bytes());
        hash.update(point.canonical());
        hash.update(b"\n");
    }
    super::point::hex(&hash.finalize())
}

fn too_large(point: &Point<'_>, bytes: usize, limit: usize) -> Diagnostic {
    let entry = &point.row.entry;
    let message = format!(
        "the point {} has {bytes} bytes, more than the {limit} that a job can be handed",
        point.row.text("exp-name")
    );
    entry
        .error(Code::LimitExceeded, "", message)
        .help("shorten additional-settings, the concurrency list or the texts of the entry")
}

fn too_many(points: &[Point<'_>], jobs: usize) -> Diagnostic {
    let mut by_config: Vec<(&str, usize)> = Vec::new();
    for point in points {
        let key = point.row.entry.config.key;
        match by_config.last_mut().filter(|(last, _)| *last == key) {
            Some((_, count)) => *count += 1,
            None => by_config.push((key, 1)),
        }
    }
    by_config.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let largest: Vec<String> = by_config.iter().take(3).map(|(key, count)| format!("{key} ({count})")).collect();
    let message = format!("{} points need more than {jobs} shards of {jobs} jobs", points.len());
    Diagnostic::error(Code::LimitExceeded, message)
        .help(format!("narrow the filters; the largest configs: {}", largest.join(", ")))
}
