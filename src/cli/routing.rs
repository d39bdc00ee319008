//! What `route` and `status` share: the recipes, runners and scripts of a checkout, each read once.

use serde_json::{Map, Value as Json};

use super::matrix::Loaded;
use crate::core::config::Runners;
use crate::core::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::core::matrix::{Entry, Point};
use crate::core::recipe::split_reference;
use crate::core::route::{Asked, Checkout, Decision, RecipeBook, Routed, route};
use crate::core::yaml::{Schema, parse};

/// A point as JSON, and the entry that made it where the config is at hand.
pub(super) type RoutedPoint<'l> = (Map<String, Json>, Option<Entry<'l>>);

/// Points as they travel.
pub(super) fn travelling<'l>(points: &[Point<'l>]) -> Vec<RoutedPoint<'l>> {
    let as_map = |point: &Point<'_>| match serde_json::from_str(&point.to_json(false)) {
        Ok(Json::Object(map)) => map,
        _ => Map::new(),
    };
    points.iter().map(|point| (as_map(point), Some(point.row.entry))).collect()
}

/// Decides for every point; the decisions of a point are those of the launchers of its label.
pub(super) fn decide(
    points: &[RoutedPoint<'_>],
    loaded: &Loaded<'_>,
    runners: &Runners<'_>,
    found: &mut Diagnostics,
) -> Vec<Vec<Decision>> {
    let asked = recipes_of(points, loaded, found);
    let book = RecipeBook::new(&asked);
    let has_file = |path: &str| loaded.has_file(path);
    let text_of = |path: &str| loaded.text_of(path);
    let checkout = Checkout { recipes: &book, runners, has_file: &has_file, text_of: &text_of };
    points.iter().map(|(point, entry)| route(Routed { point, entry: *entry }, checkout)).collect()
}

/// Every recipe that a point names, parsed. Warnings are reported here, errors where the recipe is used.
fn recipes_of(points: &[RoutedPoint<'_>], loaded: &Loaded<'_>, found: &mut Diagnostics) -> Vec<Asked> {
    let mut paths: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for (point, entry) in points {
        let routed = Routed { point, entry: *entry };
        let path = routed.recipe().map(|reference| split_reference(reference).0);
        if let Some(path) = path.filter(|path| known.insert((*path).to_owned())) {
            paths.push(path.to_owned());
        }
    }
    paths.into_iter().map(|path| read_recipe(path, loaded, found)).collect()
}

fn read_recipe(path: String, loaded: &Loaded<'_>, found: &mut Diagnostics) -> Asked {
    let Some(source) = loaded.recipe(&path) else {
        let message = format!("the recipe {path} does not exist, or cannot be read as text");
        let help = "a recipe is named from the root of the repository, the folder above configs";
        let missing = Diagnostic::error(Code::FileUnreadable, message).in_file(&*path).help(help);
        return (path, Err(vec![missing]));
    };
    let mut problems = Diagnostics::new();
    let document = parse(&source, Schema::V11, &mut problems);
    let (errors, warnings): (Vec<_>, Vec<_>) =
        problems.into_iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
    warnings.into_iter().for_each(|warning| found.push(warning));
    match document {
        Some(document) if errors.is_empty() => (path, Ok(document)),
        _ => (path, Err(errors)),
    }
}

/// `file` and `line` of the entry that made a point, or what the point itself says of it.
pub(super) fn source_of((point, entry): &RoutedPoint<'_>) -> Json {
    match entry {
        Some(entry) => {
            let source = entry.node.source();
            let line = source.position(entry.node.site().start).line;
            serde_json::json!({"file": source.name(), "line": line})
        }
        None => point.get("source").cloned().unwrap_or(Json::Null),
    }
}
