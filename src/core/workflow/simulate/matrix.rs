//! The legs of a matrix, as GitHub makes them: the product of the vectors, without what `exclude` names, and then
//! `include`.

use std::sync::Arc;

use crate::core::expr::{Array, Object, Value};

/// One leg: its keys and values in order.
pub type Leg = Vec<(Arc<str>, Value)>;

/// Legs of one matrix, at most.
const MAX_LEGS: usize = 256;
/// Combinations that are held against `exclude`, at most.
const MAX_FILTERED: u128 = 4_000_000;

/// Why GitHub refuses a matrix, and at which key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The key at fault, if it is one.
    pub key: Option<String>,
    /// What GitHub would say.
    pub message: String,
    /// What to do.
    pub help: &'static str,
}

impl Refused {
    fn at(key: &str, message: impl Into<String>, help: &'static str) -> Self {
        Self { key: Some(key.to_owned()), message: message.into(), help }
    }

    fn too_many(message: String) -> Self {
        Self { key: None, message, help: "cut the list into shards and call a workflow for each of them" }
    }
}

const GUARD: &str = "guard an empty list with the job's `if`, for example on a count of it";
const ENTRIES: &str = "write a list of mappings, each from keys to values";

/// The vectors of a matrix in order.
type Vectors<'m> = Vec<(Arc<str>, &'m [Value])>;

/// The legs of an evaluated matrix. The unknown values of a vector are legs like any other; an unknown vector, `include`
/// or `exclude` must be handled by the caller.
///
/// # Errors
/// An empty vector, no vector at all, an entry that is no mapping, more than 256 legs. Combinations are counted before
/// they are made.
pub fn legs(matrix: &Object) -> Result<Vec<Leg>, Refused> {
    let vectors = vectors(matrix)?;
    let (exclude, include) = (entries(matrix, "exclude")?, entries(matrix, "include")?);
    let product = product(&vectors, &exclude)?;
    if vectors.is_empty() && include.is_empty() {
        let message = "the matrix must define at least one vector".into();
        return Err(Refused { key: None, message, help: GUARD });
    }
    if (product.len() * include.len()) as u128 > MAX_FILTERED {
        return Err(Refused::too_many(format!("the matrix has {} entries of `include`", include.len())));
    }
    let included = included(product, &include);
    if included.len() > MAX_LEGS {
        return Err(Refused::too_many(format!("the matrix has {} legs, more than {MAX_LEGS}", included.len())));
    }
    Ok(included)
}

fn vectors(matrix: &Object) -> Result<Vectors<'_>, Refused> {
    let mut vectors = Vec::new();
    for (key, vector) in matrix.iter().filter(|(key, _)| !is_special(key)) {
        let Value::Array(vector) = vector else {
            let help = "write a list; a text that holds one becomes one with fromJSON";
            return Err(Refused::at(key, format!("the matrix vector `{key}` is no list"), help));
        };
        if vector.items().is_empty() {
            return Err(Refused::at(key, format!("the matrix vector `{key}` does not contain any values"), GUARD));
        }
        vectors.push((Arc::from(key), vector.items()));
    }
    Ok(vectors)
}

/// Every combination of the vectors that `exclude` leaves, the last vector varying fastest.
fn product(vectors: &Vectors<'_>, exclude: &[Object]) -> Result<Vec<Leg>, Refused> {
    if vectors.is_empty() {
        return Ok(vec![]);
    }
    let combinations = vectors.iter().fold(1u128, |all, (_, vector)| all.saturating_mul(vector.len() as u128));
    if exclude.is_empty() && combinations > MAX_LEGS as u128 {
        return Err(Refused::too_many(format!(
            "the vectors have {combinations} combinations, more than {MAX_LEGS} legs"
        )));
    }
    if combinations.saturating_mul(exclude.len() as u128) > MAX_FILTERED {
        let (message, help) = (
            format!("the vectors have {combinations} combinations for `exclude` to look at"),
            "list the combinations that are wanted in `include`",
        );
        return Err(Refused { key: None, message, help });
    }
    let mut legs: Vec<Leg> = Vec::new();
    let mut count = 0;
    let mut odometer = vec![0; vectors.len()];
    loop {
        let at = |key: &str| {
            let index = vectors.iter().position(|(own, _)| own.eq_ignore_ascii_case(key))?;
            Some(&vectors[index].1[odometer[index]])
        };
        let is_excluded =
            |filter: &Object| filter.iter().all(|(key, value)| at(key).is_some_and(|own| matches(own, value)));
        if !exclude.iter().any(is_excluded) {
            count += 1;
            if count <= MAX_LEGS {
                let values =
                    vectors.iter().zip(&odometer).map(|((key, vector), at)| (Arc::clone(key), vector[*at].clone()));
                legs.push(values.collect());
            }
        }
        // The next combination: the last wheel that is not at its end moves on, those behind it begin anew.
        let Some(wheel) = (0..vectors.len()).rev().find(|wheel| odometer[*wheel] + 1 < vectors[*wheel].1.len()) else {
            break;
        };
        odometer[wheel] += 1;
        odometer[wheel + 1..].fill(0);
    }
    if count > MAX_LEGS {
        return Err(Refused::too_many(format!("the matrix has {count} legs, more than {MAX_LEGS}")));
    }
    Ok(legs)
}

/// The keys of `exclude` that no vector has: such an entry excludes nothing.
pub(super) fn idle_exclude_keys(matrix: &Object) -> Vec<String> {
    let Some(Value::Array(entries)) = matrix.get("exclude") else { return vec![] };
    let keys = entries.items().iter().flat_map(|entry| match entry {
        Value::Object(entry) => entry.iter().map(|(key, _)| key).collect(),
        _ => vec![],
    });
    let mut idle: Vec<String> = Vec::new();
    for key in keys.filter(|key| matrix.get(key).is_none()) {
        if !idle.iter().any(|known| known == key) {
            idle.push(key.to_owned());
        }
    }
    idle
}

fn is_special(key: &str) -> bool {
    key.eq_ignore_ascii_case("include") || key.eq_ignore_ascii_case("exclude")
}

/// The mappings of `include` or `exclude`.
fn entries(matrix: &Object, name: &str) -> Result<Vec<Object>, Refused> {
    let items: &[Value] = match matrix.get(name) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(array)) => array.items(),
        Some(_) => return Err(Refused::at(name, format!("`{name}` is no list"), ENTRIES)),
    };
    items
        .iter()
        .map(|item| match item {
            Value::Object(object) if object.is_empty() => {
                Err(Refused::at(name, format!("an entry of `{name}` does not contain any values"), ENTRIES))
            }
            Value::Object(object) => Ok(object.clone()),
            _ => Err(Refused::at(name, format!("an entry of `{name}` is no mapping"), ENTRIES)),
        })
        .collect()
}

/// An entry joins every original leg whose own keys it leaves as they are; one that joins none is a leg of its own.
fn included(product: Vec<Leg>, entries: &[Object]) -> Vec<Leg> {
    let originals = product.clone();
    let mut legs = product;
    let mut added: Vec<Leg> = Vec::new();
    for entry in entries {
        let mut joined = false;
        for (original, leg) in originals.iter().zip(&mut legs) {
            let fits = entry.iter().all(|(key, value)| leg_value(original, key).is_none_or(|own| matches(own, value)));
            if !fits {
                continue;
            }
            joined = true;
            for (key, value) in entry.iter() {
                match leg.iter_mut().find(|(own, _)| own.eq_ignore_ascii_case(key)) {
                    Some((_, own)) => *own = value.clone(),
                    None => leg.push((key.into(), value.clone())),
                }
            }
        }
        if !joined {
            added.push(entry.iter().map(|(key, value)| (key.into(), value.clone())).collect());
        }
    }
    legs.extend(added);
    legs
}

fn leg_value<'l>(leg: &'l Leg, key: &str) -> Option<&'l Value> {
    leg.iter().find(|(own, _)| own.eq_ignore_ascii_case(key)).map(|(_, value)| value)
}

/// Whether a filter's value describes a leg's: equal scalars, and of mappings every key that the filter names.
fn matches(own: &Value, filter: &Value) -> bool {
    match (own, filter) {
        (Value::Object(own), Value::Object(filter)) => {
            filter.iter().all(|(key, value)| own.get(key).is_some_and(|own| matches(own, value)))
        }
        (Value::Array(own), Value::Array(filter)) => same_items(own, filter),
        (own, filter) if own.is_primitive() && filter.is_primitive() => own.to_text().ok() == filter.to_text().ok(),
        _ => false,
    }
}

fn same_items(own: &Array, filter: &Array) -> bool {
    own.items().len() == filter.items().len()
        && own.items().iter().zip(filter.items()).all(|(own, filter)| matches(own, filter))
}

/// What GitHub calls a leg that has no name of its own: the job and every scalar of the leg, cut to 100 characters.
pub fn default_name(job: &str, leg: &Leg) -> String {
    let mut scalars = Vec::new();
    leg.iter().for_each(|(_, value)| collect_scalars(value, &mut scalars));
    cut(&if scalars.is_empty() { job.to_owned() } else { format!("{job} ({})", scalars.join(", ")) })
}

fn collect_scalars(value: &Value, scalars: &mut Vec<String>) {
    match value {
        Value::Array(array) => array.items().iter().for_each(|item| collect_scalars(item, scalars)),
        Value::Object(object) => object.iter().for_each(|(_, member)| collect_scalars(member, scalars)),
        Value::Unknown(_) => scalars.push("?".to_owned()),
        scalar => match scalar.to_text() {
            Ok(text) if !text.is_empty() => scalars.push(text.into_owned()),
            _ => {}
        },
    }
}

/// Names are cut at 100 characters.
pub(super) fn cut(name: &str) -> String {
    const MAX_CHARS: usize = 100;
    if name.chars().count() <= MAX_CHARS {
        return name.to_owned();
    }
    name.chars().take(MAX_CHARS - 3).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn legs_of(matrix: serde_json::Value) -> Result<Vec<String>, Refused> {
        let Value::Object(matrix) = Value::from(&matrix) else { panic!() };
        let show = |leg: &Leg| {
            let parts: Vec<String> =
                leg.iter().map(|(key, value)| format!("{key}={}", value.to_text().unwrap())).collect();
            parts.join(" ")
        };
        legs(&matrix).map(|legs| legs.iter().map(show).collect())
    }

    #[test]
    fn the_last_vector_varies_fastest() {
        let legs = legs_of(json!({"os": ["a", "b"], "v": [1, 2]})).unwrap();
        assert_eq!(legs, ["os=a v=1", "os=a v=2", "os=b v=1", "os=b v=2"]);
    }

    #[test]
    fn exclude_comes_before_include() {
        let legs = legs_of(json!({
            "os": ["a", "b"], "v": [1, 2],
            "exclude": [{"os": "a", "v": 1}],
            "include": [{"os": "a", "v": 1, "extra": "x"}],
        }));
        assert_eq!(legs.unwrap(), ["os=a v=2", "os=b v=1", "os=b v=2", "os=a v=1 extra=x"]);
    }

    #[test]
    fn include_extends_what_it_does_not_overwrite() {
        // The example of GitHub's own documentation, by behaviour.
        let legs = legs_of(json!({
            "fruit": ["apple", "pear"], "animal": ["cat", "dog"],
            "include": [
                {"color": "green"}, {"color": "pink", "animal": "cat"}, {"fruit": "apple", "shape": "circle"},
                {"fruit": "banana"}, {"fruit": "banana", "animal": "cat"},
            ],
        }));
        assert_eq!(
            legs.unwrap(),
            [
                "fruit=apple animal=cat color=pink shape=circle",
                "fruit=apple animal=dog color=green shape=circle",
                "fruit=pear animal=cat color=pink",
                "fruit=pear animal=dog color=green",
                "fruit=banana",
                "fruit=banana animal=cat",
            ]
        );
    }

    #[test]
    fn include_alone_makes_one_leg_an_entry() {
        assert_eq!(legs_of(json!({"include": [{"a": 1}, {"a": 2}]})).unwrap(), ["a=1", "a=2"]);
    }

    #[test]
    fn what_github_refuses_is_refused() {
        assert_eq!(legs_of(json!({"a": []})).unwrap_err().key.as_deref(), Some("a"));
        assert_eq!(legs_of(json!({"a": "x"})).unwrap_err().key.as_deref(), Some("a"));
        assert!(legs_of(json!({"include": []})).unwrap_err().message.contains("at least one vector"));
        assert!(legs_of(json!({"include": [{}]})).is_err());
        assert!(legs_of(json!({"include": [3]})).is_err());
    }

    #[test]
    fn combinations_are_counted_before_they_are_made() {
        let hundred: Vec<u32> = (0..100).collect();
        let mut matrix: serde_json::Map<String, serde_json::Value> =
            (0..10).map(|n| (format!("d{n}"), json!(hundred))).collect();
        assert!(legs_of(json!(matrix)).unwrap_err().message.contains("100000000000000000000 combinations"));
        matrix.insert("exclude".into(), json!([{"d0": 1}]));
        assert!(legs_of(json!(matrix)).unwrap_err().message.contains("`exclude`"));
        let many: Vec<u32> = (0..257).collect();
        assert!(legs_of(json!({"a": many})).unwrap_err().message.contains("257"));
        let others: Vec<serde_json::Value> = (1..100).map(|n| json!({"a": n})).collect();
        assert_eq!(legs_of(json!({"a": hundred, "b": hundred, "exclude": others})).unwrap().len(), 100);
        let entries: Vec<serde_json::Value> = (0..257).map(|n| json!({"a": n})).collect();
        assert!(legs_of(json!({"include": entries})).unwrap_err().message.contains("257 legs"));
    }

    #[test]
    fn everything_may_be_excluded() {
        assert_eq!(legs_of(json!({"a": [1], "exclude": [{"a": 1}]})).unwrap().len(), 0);
    }

    #[test]
    fn default_names_list_nested_scalars_and_are_cut() {
        let leg: Leg = vec![("c".into(), Value::from(&json!({"x": 1, "y": ["a", true]})))];
        assert_eq!(default_name("bench", &leg), "bench (1, a, true)");
        let long: Leg = vec![("c".into(), Value::text("é".repeat(200)))];
        let name = default_name("bench", &long);
        assert_eq!(name.chars().count(), 100);
        assert!(name.ends_with("..."));
    }
}
