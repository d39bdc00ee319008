//! The difference for programs.

use serde_json::{Value as Json, json};

use super::{Diff, Report};
use crate::core::matrix::json::write_text;
use crate::core::matrix::point::Point;

/// One line of JSON: `base` and `head` as given, each point with `source`: file, line and config key.
pub fn render_json(
    diff: &Diff<'_, '_>,
    report: &Report,
    base: &Json,
    head: &Json,
    file_name: &dyn Fn(&str) -> String,
) -> String {
    let point = |point: &Point<'_>| point_json(point, file_name);
    let list = |points: &[&Point<'_>]| points.iter().map(|each| point(each)).collect::<Vec<_>>().join(",");
    let changed = diff.changed.iter().map(|change| {
        let (key, fields) = (json!(change.after.key), json!(change.fields));
        let (before, after) = (point(change.before), point(change.after));
        format!("{{\"key\":{key},\"before\":{before},\"after\":{after},\"fields\":{fields}}}")
    });
    let changed: Vec<String> = changed.collect();
    let groups: Vec<Json> = report
        .groups
        .iter()
        .map(|group| {
            json!({
                "model": group.model,
                "runner": group.runner,
                "lane": group.lane,
                "points": {"added": group.added.points, "removed": group.removed.points, "changed": group.changed.points},
                "added": group.added.gpus,
                "removed": group.removed.gpus,
                "changed": group.changed.gpus,
                "gpu_hours": hours(group.gpu_hours),
            })
        })
        .collect();
    let gpus = json!({
        "added": report.added_total.gpus,
        "removed": report.removed_total.gpus,
        "changed": report.changed_total.gpus,
        "groups": groups,
    });
    format!(
        "{{\"base\":{base},\"head\":{head},\"added\":[{}],\"removed\":[{}],\"changed\":[{}],\"gpus\":{gpus},\"gpu_hours\":{}}}",
        list(&diff.added),
        list(&diff.removed),
        changed.join(","),
        hours(report.gpu_hours),
    )
}

fn point_json(point: &Point<'_>, file_name: &dyn Fn(&str) -> String) -> String {
    let (file, line) = point.place();
    point.to_json_with(|out| {
        out.extend_from_slice(b",\"source\":{\"file\":");
        write_text(out, &file_name(file));
        out.extend_from_slice(format!(",\"line\":{line},\"config-key\":").as_bytes());
        write_text(out, point.row.entry.config.key);
        out.push(b'}');
    })
}

/// Whole hours are integers.
fn hours(hours: Option<f64>) -> Json {
    match hours {
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
        Some(hours) if hours.fract() == 0.0 && hours.abs() < 9e15 => json!(hours as i64),
        hours => json!(hours),
    }
}
