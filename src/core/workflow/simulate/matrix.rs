//! The legs of a matrix, as GitHub makes them: the product of the vectors, without what `exclude` names, and then
//! `include`.

use std::sync::Arc;

use crate::core::expr::{Array, Object, Value};

/// One leg: its keys and values in order.
pub type Leg = Vec<(Arc<str>, Value)>;

/// Why GitHub refuses a matrix, and at which key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The key at fault, if it is one.
    pub key: Option<String>,
    /// What GitHub would say.
    pub message: String,
}

impl Refused {
    fn at(key: &str, message: impl Into<String>) -> Self {
        Self { key: Some(key.to_owned()), message: message.into() }
    }
}

/// The legs of an evaluated matrix. The unknown values of a vector are legs like any other; an unknown vector, `include`
/// or `exclude` must be handled by the caller.
///
/// # Errors
/// An empty vector, no vector at all, an entry that is no mapping.
pub fn legs(matrix: &Object) -> Result<Vec<Leg>, Refused> {
    let mut product: Vec<Leg> = vec![vec![]];
    let mut has_vector = false;
    for (key, vector) in matrix.iter().filter(|(key, _)| !is_special(key)) {
        has_vector = true;
        let Value::Array(vector) = vector else {
            return Err(Refused::at(key, format!("the matrix vector `{key}` is no list")));
        };
        if vector.items().is_empty() {
            return Err(Refused::at(key, format!("the matrix vector `{key}` does not contain any values")));
        }
        let key: Arc<str> = key.into();
        product = product
            .iter()
            .flat_map(|leg| {
                let key = &key;
                vector.items().iter().map(move |value| {
                    let mut longer = leg.clone();
                    longer.push((Arc::clone(key), value.clone()));
                    longer
                })
            })
            .collect();
    }
    if !has_vector {
        product.clear();
    }
    for filter in entries(matrix, "exclude")? {
        product.retain(|leg| {
            !filter.iter().all(|(key, value)| leg_value(leg, key).is_some_and(|own| matches(own, value)))
        });
    }
    let included = include(product, &entries(matrix, "include")?);
    if included.is_empty() && !has_vector {
        return Err(Refused { key: None, message: "the matrix must define at least one vector".into() });
    }
    Ok(included)
}

fn is_special(key: &str) -> bool {
    key.eq_ignore_ascii_case("include") || key.eq_ignore_ascii_case("exclude")
}

/// The mappings of `include` or `exclude`.
fn entries(matrix: &Object, name: &str) -> Result<Vec<Object>, Refused> {
    let items: &[Value] = match matrix.get(name) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(array)) => array.items(),
        Some(_) => return Err(Refused::at(name, format!("`{name}` is no list"))),
    };
    items
        .iter()
        .map(|item| match item {
            Value::Object(object) if object.is_empty() => {
                Err(Refused::at(name, format!("an entry of `{name}` does not contain any values")))
            }
            Value::Object(object) => Ok(object.clone()),
            _ => Err(Refused::at(name, format!("an entry of `{name}` is no mapping"))),
        })
        .collect()
}

/// An entry joins every original leg whose own keys it leaves as they are; one that joins none is a leg of its own.
fn include(product: Vec<Leg>, entries: &[Object]) -> Vec<Leg> {
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
