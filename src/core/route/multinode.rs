//! Whether the recipe of a multi-node point agrees with it.
//!
//! The selector of a multi-node point names its variant, so nothing is searched. But a recipe of another topology, image or
//! concurrency would be measured under the name of the point, so what both sides say is compared.

use serde_json::{Map, Value as Json};

use super::bind::Mismatch;
use crate::core::recipe::{Data, Tree};

/// Compares a recipe with a point; the error is the first difference. What a recipe does not say is not compared.
///
/// # Errors
///
/// The first value that differs.
pub fn check_multinode<'d>(recipe: &Tree<'d>, point: &Map<String, Json>) -> Result<(), Mismatch<'d>> {
    let model = recipe.at(&["model", "path"]).filter(|path| path.as_str().is_some_and(|path| path.starts_with("hf:")));
    if let Some(model) = model {
        let expected = format!("hf:{}", text(point, "model"));
        same_text(Some(model), &expected, "model")?;
    }
    same_text(recipe.at(&["model", "container"]), &text(point, "image"), "image")?;
    same_text(recipe.at(&["model", "precision"]), &text(point, "precision"), "precision")?;
    for role in ["prefill", "decode"] {
        check_role(recipe, point, role)?;
    }
    check_concurrencies(recipe, point)
}

fn text(point: &Map<String, Json>, name: &str) -> String {
    point.get(name).and_then(Json::as_str).unwrap_or_default().to_owned()
}

fn same_text<'d>(value: Option<&Tree<'d>>, expected: &str, field: &'static str) -> Result<(), Mismatch<'d>> {
    match value {
        Some(value) if value.as_str() != Some(expected) => {
            Err(Mismatch::new(field, Some(value.clone()), Some(Tree::text(expected.to_owned()))))
        }
        _ => Ok(()),
    }
}

/// Workers and GPUs of a role. A deployment that is not disaggregated is one `agg` role, and its point has no decode workers.
fn check_role<'d>(recipe: &Tree<'d>, point: &Map<String, Json>, role: &str) -> Result<(), Mismatch<'d>> {
    let Some(worker) = point.get(role).and_then(Json::as_object) else { return Ok(()) };
    let aggregated = recipe.at(&["roles", "agg"]).is_some() || recipe.at(&["resources", "agg_nodes"]).is_some();
    let name = match (aggregated, role) {
        (true, "prefill") => "agg",
        (true, _) => return Ok(()),
        (false, role) => role,
    };
    let size = |field: &str, default: i64| worker.get(field).map_or(Some(default), Json::as_i64);
    let old = |field: &str| recipe.get("resources").and_then(|resources| resources.get(field));
    let workers = recipe.at(&["roles", name, "workers"]).or_else(|| old(&format!("{name}_workers")));
    same_number(workers, size("num-worker", 1), format!("{role} workers"))?;
    let gpus = recipe.at(&["roles", name, "gpus"]).or_else(|| old(&format!("gpus_per_{name}")));
    let ranks = ["tp", "pp", "pcp-size"].into_iter().try_fold(1_i64, |ranks, field| ranks.checked_mul(size(field, 1)?));
    same_number(gpus, ranks, format!("{role} gpus"))
}

fn same_number<'d>(value: Option<&Tree<'d>>, expected: Option<i64>, field: String) -> Result<(), Mismatch<'d>> {
    let (Some(value), Some(expected)) = (value.filter(|value| !value.is_null()), expected) else { return Ok(()) };
    if value.as_num().is_some_and(|value| value == crate::core::num::Num::Int(expected)) {
        return Ok(());
    }
    Err(Mismatch::new(field, Some(value.clone()), Some(Tree::new(Data::Int(expected)))))
}

/// A recipe that lists concurrencies was made for those. A trimmed point asks for some of them, never for others.
fn check_concurrencies<'d>(recipe: &Tree<'d>, point: &Map<String, Json>) -> Result<(), Mismatch<'d>> {
    let Some(listed) = recipe.at(&["benchmark", "concurrencies"]).filter(|listed| !listed.is_null()) else {
        return Ok(());
    };
    let in_recipe: Vec<String> = match listed.as_list() {
        Some(items) => items.iter().map(|item| item.python_str().into_owned()).collect(),
        None => listed.python_str().split('x').map(|word| word.trim().to_owned()).collect(),
    };
    let asked: Vec<String> = match point.get("conc") {
        Some(Json::Array(list)) => list.iter().map(Json::to_string).collect(),
        Some(single) => vec![single.to_string()],
        None => return Ok(()),
    };
    if asked.iter().all(|asked| in_recipe.contains(asked)) {
        return Ok(());
    }
    let asked = Tree::list(asked.into_iter().map(Tree::text).collect());
    Err(Mismatch::new("concurrencies", Some(listed.clone()), Some(asked)))
}
