//! The two schemas of recipes: which keys there are, what they hold, and the rules between them.
//!
//! In: a recipe. Out: everything that srtctl would refuse in it, and more, all at once. The tables are data
//! ([`v1`], [`v2`]); the rules are functions, one file a subject.

mod check;
mod coerce;
mod finding;
mod frontend;
mod launch;
mod migrate;
mod profiling;
mod roles;
mod rules_v1;
mod rules_v2;
mod services;
mod shape;
mod telemetry;
#[cfg(test)]
mod tests;
mod v1;
mod v2;
mod view;

pub use finding::{Finding, Fix, Range2};

use super::tree::{Data, Tree};
use check::Checker;
use shape::{Fields, Shape};
use view::View;

/// Which version of srtctl a recipe is checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaChoice {
    /// 2 when the recipe has `schema` or `roles`, else 1.
    Auto,
    /// The pinned one.
    One,
    /// The later one.
    Two,
}

/// Everything that is wrong with a recipe, in the order of its keys, rules behind them. `is_flat` is whether it is a file
/// of its own, which may hold the section of a lock file.
pub fn check_recipe<'d>(recipe: &Tree<'d>, choice: SchemaChoice, is_flat: bool) -> Vec<Finding<'d>> {
    let has = |key: &str| recipe.get(key).is_some();
    let schema = match choice {
        SchemaChoice::One => 1,
        SchemaChoice::Two => 2,
        SchemaChoice::Auto if has("schema") || has("roles") => 2,
        SchemaChoice::Auto => 1,
    };
    let unlocked = recipe.as_map().filter(|_| is_flat && has("lock")).map(|map| {
        let entries = map.entries().iter().filter(|entry| entry.key.as_str() != Some("lock"));
        recipe.with_entries(entries.cloned().collect())
    });
    let recipe = unlocked.as_ref().unwrap_or(recipe);
    let mut found = Vec::new();
    let top = if schema == 1 { &v1::TOP } else { &v2::TOP };
    Checker { schema, found: &mut found, path: String::new(), unknown: 0 }.block(recipe, top, None);
    if !matches!(recipe.data(), Data::Map(_)) {
        return found;
    }
    let mut view = View { recipe, found: &mut found };
    match schema {
        1 => rules_v1::check(&mut view),
        _ => rules_v2::check(&mut view),
    }
    found
}

/// The one place of a schema where a key belongs, if there is exactly one.
fn home_of(schema: u8, key: &str) -> Option<String> {
    let top = if schema == 1 { &v1::TOP } else { &v2::TOP };
    let mut homes = Vec::new();
    collect_homes(top, "", key, &mut homes);
    homes.dedup();
    match homes.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

fn collect_homes(fields: &Fields, path: &str, key: &str, homes: &mut Vec<String>) {
    for field in fields.0.iter().filter(|field| !field.is_later) {
        let below = if path.is_empty() { field.name.to_owned() } else { format!("{path}.{}", field.name) };
        if field.name == key {
            homes.push(below.clone());
        }
        match field.shape {
            Shape::Block(inner) => collect_homes(inner, &below, key, homes),
            Shape::BlockMap(_, inner) => collect_homes(inner, &format!("{below}.<role>"), key, homes),
            Shape::Typed(alternatives) | Shape::Engine(alternatives) if !below.starts_with("roles") => {
                for (_, inner) in alternatives.of {
                    collect_homes(inner, &below, key, homes);
                }
            }
            _ => {}
        }
    }
}
