//! Laws of recipes, on random ones; and an expansion of its own that has to agree.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use srtx::core::diag::{Code, Diagnostics, Source};
use srtx::core::recipe::{Overrides, RecipeFile, Tree, consolidate, write_json};
use srtx::core::yaml::{Document, Schema, parse, write_yaml};

// ---------------------------------------------------------------------------------------------------------------------
// The merge rules once more, on JSON values

/// Mappings merge, null removes, everything else replaces.
fn merge(base: &Value, over: &Value) -> Value {
    let (Value::Object(base), Value::Object(over)) = (base, over) else { return over.clone() };
    let mut out = base.clone();
    for (key, value) in over {
        if value.is_null() {
            out.shift_remove(key);
        } else {
            let merged = base.get(key).map_or_else(|| value.clone(), |below| merge(below, value));
            out.insert(key.clone(), merged);
        }
    }
    Value::Object(out)
}

fn lengths(value: &Value, found: &mut Vec<usize>) {
    match value {
        Value::Array(items) => found.push(items.len()),
        Value::Object(map) => map.values().for_each(|value| lengths(value, found)),
        _ => {}
    }
}

fn slice(value: &Value, index: usize) -> Value {
    match value {
        Value::Array(items) => items[if items.len() == 1 { 0 } else { index }].clone(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), slice(value, index))).collect())
        }
        scalar => scalar.clone(),
    }
}

fn named(mut recipe: Value, base: &Value, suffix: &str) -> Value {
    let name = base.get("name").map_or("unnamed", |name| name.as_str().unwrap_or("None"));
    recipe["name"] = json!(format!("{name}_{suffix}"));
    recipe
}

/// All variants of a file by its JSON, as pairs of selector and recipe; `None` where a section makes none.
fn expand(file: &Value) -> Vec<(String, Option<Value>)> {
    let base = &file["base"];
    let map = file.as_object().unwrap();
    let mut keys: Vec<&String> = map.keys().filter(|key| key.starts_with("override_")).collect();
    keys.sort();
    let mut groups: Vec<&String> = map.keys().filter(|key| key.starts_with("zip_override_")).collect();
    groups.sort();
    let mut out = Vec::new();
    for key in keys {
        let over = &map[key];
        let recipe = over.is_object().then(|| {
            let merged = merge(base, over);
            if over.get("name").is_some() { merged } else { named(merged, base, &key["override_".len()..]) }
        });
        out.push((key.clone(), recipe));
    }
    for key in groups {
        let mut sizes = Vec::new();
        lengths(&map[key], &mut sizes);
        let is_fine = map[key].is_object() && !sizes.is_empty() && !sizes.contains(&0);
        sizes.retain(|size| *size != 1);
        sizes.dedup();
        let size = sizes.first().copied().unwrap_or(1);
        if !is_fine || sizes.iter().any(|other| *other != size) {
            out.push((key.clone(), None));
            continue;
        }
        for index in 0..size {
            let merged = merge(base, &slice(&map[key], index));
            let has_names = map[key].get("name").is_some_and(Value::is_array);
            let suffix = format!("{}_{index}", &key["zip_override_".len()..]);
            let recipe = if has_names { merged } else { named(merged, base, &suffix) };
            out.push((format!("{key}[{index}]"), Some(recipe)));
        }
    }
    out
}

// ---------------------------------------------------------------------------------------------------------------------
// Random recipes

const KEYS: [&str; 6] = ["a", "b", "c", "k.1", "yes", "long key"];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => prop_oneof![Just(json!(1)), Just(json!(2)), Just(json!("x")), Just(json!(true))],
        1 => any::<i64>().prop_map(|number| json!(number)),
        1 => (-1_000_000..1_000_000_i32).prop_map(|number| json!(f64::from(number) / 8.0)),
        1 => prop_oneof![
            Just(json!("yes")), Just(json!("4:00:00")), Just(json!("")), Just(json!("two\nlines\n")), Just(json!("# no comment")),
            Just(json!("2026-08-21")), Just(json!(" blank ")), Just(json!("é\u{85}\"\\"))
        ],
    ]
}

fn value(nulls: bool) -> impl Strategy<Value = Value> {
    let leaf = if nulls { prop_oneof![6 => scalar(), 1 => Just(Value::Null)].boxed() } else { scalar().boxed() };
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            3 => mapping(inner),
        ]
    })
}

fn mapping(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec((prop::sample::select(&KEYS[..]), inner), 0..4).prop_map(|entries| {
        Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
    })
}

/// A flat recipe: a mapping with or without a name.
fn recipe() -> impl Strategy<Value = Value> {
    (mapping(value(true)), prop::option::of("[a-z]{1,4}")).prop_map(|(mut recipe, name)| {
        if let Some(name) = name {
            recipe["name"] = json!(name);
        }
        recipe
    })
}

fn bundle() -> impl Strategy<Value = Value> {
    const NAMES: [&str; 5] = ["override_a", "override_B", "zip_override_a", "zip_override_z", "schema_less"];
    let section = prop_oneof![5 => mapping(value(true)), 1 => value(true)];
    (recipe(), prop::collection::vec((prop::sample::select(&NAMES[..]), section), 0..5)).prop_map(|(base, sections)| {
        let mut map = Map::new();
        map.insert("base".to_owned(), base);
        map.extend(sections.into_iter().map(|(key, value)| (key.to_owned(), value)));
        Value::Object(map)
    })
}

// ---------------------------------------------------------------------------------------------------------------------

/// JSON is YAML, but for long lines and odd characters in keys; so this is how the tests write files.
fn document(name: &str, value: &Value) -> Document {
    let mut found = Diagnostics::new();
    parse(&Source::new(name, value.to_string()), Schema::V11, &mut found)
        .unwrap_or_else(|| panic!("{value}: {found:?}"))
}

fn to_json(tree: &Tree<'_>) -> Value {
    let mut bytes = Vec::new();
    write_json(&mut bytes, tree, None).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

fn read(document: &Document) -> RecipeFile<'_> {
    let mut found = Diagnostics::new();
    RecipeFile::read(document, &mut found).unwrap_or_else(|| panic!("{found:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn another_expansion_finds_the_same_variants(file in bundle()) {
        let document = document("bundle.yaml", &file);
        let variants = read(&document).variants();
        let ours: Vec<(String, Option<Value>)> = variants
            .iter()
            .map(|v| (v.selector.clone().unwrap(), v.recipe.as_ref().ok().map(to_json)))
            .collect();
        prop_assert_eq!(ours, expand(&file));
    }

    #[test]
    fn a_selector_picks_what_the_list_says(file in bundle()) {
        let document = document("bundle.yaml", &file);
        let file = read(&document);
        for variant in file.variants() {
            let Ok(recipe) = &variant.recipe else { continue };
            let picked = file.select(variant.selector.as_deref()).unwrap().into_variants();
            prop_assert_eq!(picked.len(), 1);
            prop_assert!(picked[0].recipe.as_ref().unwrap().same(recipe));
        }
    }

    #[test]
    fn materialised_recipes_are_read_back_the_same(recipe in recipe()) {
        let original = document("r.yaml", &recipe);
        let tree = Tree::of(original.root().unwrap());
        let text = write_yaml(&tree.to_value());
        let again = parse(&Source::new("again.yaml", text), Schema::V11, &mut Diagnostics::new()).unwrap();
        prop_assert!(Tree::of(again.root().unwrap()).same(&tree));
    }

    #[test]
    fn consolidating_and_resolving_gives_the_originals(recipes in prop::collection::vec(recipe(), 1..6)) {
        let documents: Vec<Document> =
            recipes.iter().enumerate().map(|(at, recipe)| document(&format!("r{at}.yaml"), recipe)).collect();
        // Nulls, empty mappings, missing names: none of them is a reason to refuse.
        let bundle = consolidate(&documents).unwrap_or_else(|found| panic!("{found:?}"));
        let source = Source::new("bundle.yaml", bundle.text.as_str());
        let parsed = parse(&source, Schema::V11, &mut Diagnostics::new()).unwrap();
        let file = read(&parsed);
        prop_assert_eq!(file.variants().len(), recipes.len());
        let as_json = to_json(file.root());
        let expanded = expand(&as_json);
        for (recipe, (_, selector)) in recipes.iter().zip(&bundle.selectors) {
            let ours = file.select(Some(selector)).unwrap().into_variants().remove(0).recipe.unwrap();
            prop_assert_eq!(&to_json(&ours), recipe);
            let theirs = expanded.iter().find(|(key, _)| key == selector).unwrap().1.clone().unwrap();
            prop_assert_eq!(&theirs, recipe);
        }
        // A null that is a value stands in the base, whatever it costs: no section can write it.
        if !recipes.iter().any(has_null) {
            prop_assert!(bundle.sizes.leaves_after <= leaves_of_common_base(&recipes));
        }
    }

    #[test]
    fn consolidation_refuses_for_the_listed_reasons_only(recipes in prop::collection::vec(recipe(), 1..4), reason in 0..4) {
        let mut texts: Vec<(String, String)> =
            recipes.iter().enumerate().map(|(at, recipe)| (format!("r{at}.yaml"), recipe.to_string())).collect();
        let first = texts[0].1.strip_suffix('}').unwrap().to_owned();
        let comma = if first.ends_with('{') { "" } else { "," };
        let code = match reason {
            0 => { texts.push(("x/R0.yml".into(), "{}".into())); Code::RecipeKeyCollision }
            1 => { texts[0].1 = format!("{first}{comma} 7: x}}"); Code::RecipeNotRepresentable }
            2 => { texts[0].1 = format!("{first}{comma} t: !!binary aGk=}}"); Code::RecipeNotRepresentable }
            _ => { texts[0].1 = format!("{first}{comma} name: null}}"); Code::RecipeNotRepresentable }
        };
        // A name that is repeated: the last one counts.
        if reason == 1 && texts.len() > 1 { texts.swap(0, 1); }
        let documents: Vec<Document> = texts
            .iter()
            .map(|(name, text)| parse(&Source::new(name.as_str(), text.as_str()), Schema::V11, &mut Diagnostics::new()))
            .map(Option::unwrap)
            .collect();
        let found = consolidate(&documents).unwrap_err();
        prop_assert!(found.as_slice().iter().all(|one| one.code == code), "{:?}", found);
    }

    #[test]
    fn setting_and_unsetting_what_was_absent_restores_the_file(
        file in prop_oneof![recipe(), bundle()], parent in prop::option::of(prop::sample::select(&KEYS[..])), number in 0..9_i64
    ) {
        let original = document("r.yaml", &file);
        let original = read(&original);
        // The parent is there in every part that the change goes into.
        let parts: Vec<&Value> = match file.get("base") {
            Some(_) => file.as_object().unwrap().iter().filter(|(key, _)| *key != "schema_less").map(|(_, part)| part).collect(),
            None => vec![&file],
        };
        let parents = parts.iter().map(|part| parent.map_or(Some(*part), |parent| part.get(parent)));
        prop_assume!(parents.into_iter().all(|parent| parent.is_some_and(|p| p.is_object() && p.get("absent").is_none())));
        let path = parent.map_or_else(|| "absent".to_owned(), |parent| format!("'{parent}'.absent"));
        let set = Overrides::parse([format!("{path}={number}").as_str()], []).unwrap();
        let unset = Overrides::parse([], [path.as_str()]).unwrap();
        let changed = original.overridden(&set).unwrap();
        prop_assert!(!changed.root().same(original.root()));
        prop_assert!(changed.overridden(&unset).unwrap().root().same(original.root()));
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}

/// The leaves of a base of all common values, and of what each recipe adds: the bound that consolidation stays below.
fn leaves_of_common_base(recipes: &[Value]) -> u64 {
    fn leaves(value: &Value) -> u64 {
        match value {
            Value::Object(map) if !map.is_empty() => map.values().map(leaves).sum(),
            _ => 1,
        }
    }
    fn common(values: &[&Value]) -> Option<Value> {
        if values.iter().all(|value| value.is_object()) {
            let first = values[0].as_object()?;
            let shared = first.keys().filter_map(|key| {
                let inner: Option<Vec<&Value>> = values.iter().map(|value| value.get(key)).collect();
                Some((key.clone(), common(&inner?)?))
            });
            return Some(Value::Object(shared.collect()));
        }
        values.iter().all(|value| *value == values[0]).then(|| values[0].clone())
    }
    fn difference(base: &Value, value: &Value) -> u64 {
        let (Value::Object(base), Value::Object(value)) = (base, value) else { return 0 };
        let changed = value.iter().map(|(key, value)| match base.get(key) {
            None => leaves(value),
            Some(below) if below == value => 0,
            Some(below) if below.is_object() && value.is_object() => difference(below, value),
            Some(_) => leaves(value),
        });
        let missing = base.keys().filter(|key| !value.contains_key(*key)).count() as u64;
        changed.sum::<u64>() + missing
    }
    let nameless: Vec<Value> = recipes
        .iter()
        .map(|recipe| {
            let mut recipe = recipe.clone();
            recipe.as_object_mut().unwrap().remove("name");
            recipe
        })
        .collect();
    let base = common(&nameless.iter().collect::<Vec<_>>()).unwrap();
    // Each section names its recipe.
    leaves(&base) + nameless.iter().map(|recipe| difference(&base, recipe) + 1).sum::<u64>()
}
