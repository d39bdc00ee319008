//! Checks a recipe against the tables: which keys there are, and of what type their values are.

use std::fmt::Write as _;

use super::coerce::{boolean, integer, number};
use super::finding::{Finding, Fix, shown};
use super::shape::{Alternatives, Field, Fields, Shape};
use super::{migrate, v2};
use crate::core::diag::{Code, Severity};
use crate::core::num::Num;
use crate::core::recipe::{Entry, Place, Tree};
use crate::core::schema::suggestion;

/// Collects what is wrong with the keys and types of a recipe.
pub(super) struct Checker<'o, 'd> {
    /// 1 or 2.
    pub(super) schema: u8,
    pub(super) found: &'o mut Vec<Finding<'d>>,
    pub(super) path: String,
    /// Unknown keys so far.
    pub(super) unknown: usize,
}

/// So many unknown keys get a suggestion; with more of them the file is something else.
const SUGGESTED: usize = 100;

/// The key that leads to a value, for places and fixes.
type Owner<'t, 'd> = Option<&'t Entry<'d>>;

impl<'d> Checker<'_, 'd> {
    /// Checks a mapping with known keys.
    pub(super) fn block(&mut self, tree: &Tree<'d>, fields: &Fields, owner: Owner<'_, 'd>) {
        let Some(map) = tree.as_map() else {
            return self.wrong(tree, "a mapping", owner);
        };
        let has_interval = map.entry(migrate::INTERVAL).is_some();
        for entry in map.entries() {
            self.below_key(entry, |checker| {
                let field = entry.key.as_str().and_then(|name| fields.find(name)).filter(|field| !field.is_later);
                match field {
                    Some(field) => checker.field(entry, field),
                    None => checker.unknown_key(entry, fields, has_interval),
                }
            });
        }
        for field in fields.0.iter().filter(|field| field.is_required && map.entry(field.name).is_none()) {
            let mark = self.path.len();
            let message = match mark {
                0 => format!("a recipe needs the key `{}`", field.name),
                _ => format!("`{}` needs the key `{}`", self.path, field.name),
            };
            self.push_key(field.name);
            let place = owner.and_then(|entry| entry.key.place()).or_else(|| first_key(tree));
            let help = format!("add `{}:` with {}", field.name, expectation(field.shape));
            self.report(Code::RecipeMissingKey, message, help, place, None);
            self.path.truncate(mark);
        }
    }

    fn field(&mut self, entry: &Entry<'d>, field: &Field) {
        if entry.value.is_null() && field.is_nullable {
            return;
        }
        self.shape(&entry.value, field.shape, Some(entry));
    }

    fn shape(&mut self, tree: &Tree<'d>, shape: Shape, owner: Owner<'_, 'd>) {
        match shape {
            Shape::Block(fields) => self.block(tree, fields, owner),
            Shape::Typed(alternatives) => self.typed(tree, alternatives, owner),
            Shape::Engine(alternatives) => self.engine(tree, alternatives, owner),
            Shape::BlockMap(keys, fields) => self.block_map(tree, keys, fields, owner),
            Shape::List(of) => self.list(tree, of, owner),
            Shape::TextMap => self.text_map(tree, owner),
            Shape::FreeMap => self.free_map(tree, owner),
            Shape::Either(shapes) => self.either(tree, shapes, owner),
            Shape::Known(words) => self.known_word(tree, words, owner),
            scalar if fits(tree, scalar) => {}
            scalar => self.wrong(tree, &expectation(scalar), owner),
        }
    }

    fn known_word(&mut self, tree: &Tree<'d>, words: &[&str], owner: Owner<'_, 'd>) {
        let Some(text) = tree.as_str() else { return self.wrong(tree, "a text", owner) };
        if words.contains(&text) {
            return;
        }
        let message = format!("`{}` is {}, which srtctl takes and nothing knows", self.path, shown(tree));
        let help = match suggestion(text, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", words.join(", ")),
        };
        self.report(Code::RecipeValue, message, help, tree.place(), None);
        if let Some(last) = self.found.last_mut() {
            last.severity = Severity::Warning;
        }
    }

    /// The first shape that fits; faults inside of a list or a block are those of the shape of that kind.
    fn either(&mut self, tree: &Tree<'d>, shapes: &[Shape], owner: Owner<'_, 'd>) {
        let same_kind = shapes.iter().copied().find(|shape| match shape {
            Shape::List(_) => tree.as_list().is_some(),
            Shape::Block(_) | Shape::FreeMap => tree.as_map().is_some(),
            scalar => fits(tree, *scalar),
        });
        match same_kind {
            Some(shape) => self.shape(tree, shape, owner),
            None => {
                let expected: Vec<String> = shapes.iter().copied().map(expectation).collect();
                self.wrong(tree, &expected.join(" or "), owner);
            }
        }
    }

    fn list(&mut self, tree: &Tree<'d>, of: &Shape, owner: Owner<'_, 'd>) {
        let Some(items) = tree.as_list() else { return self.wrong(tree, "a list", owner) };
        let mark = self.path.len();
        for (index, item) in items.iter().enumerate() {
            let _ = write!(self.path, "[{index}]");
            self.shape(item, *of, None);
            self.path.truncate(mark);
        }
    }

    fn text_map(&mut self, tree: &Tree<'d>, owner: Owner<'_, 'd>) {
        let Some(map) = tree.as_map() else { return self.wrong(tree, "a mapping of texts", owner) };
        for entry in map.entries() {
            self.below_key(entry, |checker| {
                checker.text_key(entry);
                checker.shape(&entry.value, Shape::Text, Some(entry));
            });
        }
    }

    fn free_map(&mut self, tree: &Tree<'d>, owner: Owner<'_, 'd>) {
        let Some(map) = tree.as_map() else { return self.wrong(tree, "a mapping", owner) };
        for entry in map.entries().iter().filter(|entry| entry.key.as_str().is_none()) {
            self.below_key(entry, |checker| checker.text_key(entry));
        }
    }

    fn text_key(&mut self, entry: &Entry<'d>) {
        if entry.key.as_str().is_none() {
            let message = format!("the key {} is {}, expected a text", shown(&entry.key), entry.key.type_name());
            let help = format!("quote it: \"{}\"", entry.key.key_text());
            self.report(Code::RecipeType, message, help, entry.key.place(), Fix::quote(&entry.key));
        }
    }

    fn block_map(&mut self, tree: &Tree<'d>, keys: &[&str], fields: &Fields, owner: Owner<'_, 'd>) {
        let Some(map) = tree.as_map() else { return self.wrong(tree, "a mapping", owner) };
        for entry in map.entries() {
            self.below_key(entry, |checker| {
                if entry.key.as_str().is_some_and(|key| keys.contains(&key)) {
                    return checker.block(&entry.value, fields, Some(entry));
                }
                let key = entry.key.key_text();
                let message = format!("there is no role `{key}`");
                let help = match key.as_ref() {
                    "aggregated" => "did you mean `agg`?".to_owned(),
                    key => match suggestion(key, keys.iter().copied()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("the roles are {}", keys.join(", ")),
                    },
                };
                checker.report(Code::RecipeUnknownKey, message, help, entry.key.place(), None);
            });
        }
    }

    fn typed(&mut self, tree: &Tree<'d>, alternatives: &Alternatives, owner: Owner<'_, 'd>) {
        let Some(map) = tree.as_map() else { return self.wrong(tree, "a mapping", owner) };
        let Some(entry) = map.entry("type") else {
            if let Some(fields) = alternatives.find(alternatives.default) {
                self.block(tree, fields, owner);
            }
            return;
        };
        match entry.value.as_str().and_then(|name| alternatives.find(name)) {
            Some(fields) => self.block(tree, fields, owner),
            None => self.below_key(entry, |checker| checker.unknown_type(&entry.value, alternatives, Some(entry))),
        }
    }

    fn unknown_type(&mut self, tree: &Tree<'d>, alternatives: &Alternatives, owner: Owner<'_, 'd>) {
        let known: Vec<&str> = alternatives.names().collect();
        let message = format!("`{}` is {}, expected one of {}", self.path, shown(tree), known.join(", "));
        let near = tree.as_str().and_then(|text| suggestion(text, known.iter().copied()));
        let help = near.map_or_else(
            || format!("without it the type is {}", alternatives.default),
            |near| format!("did you mean `{near}`?"),
        );
        let place = tree.place().or_else(|| owner.and_then(Entry::place));
        self.report(Code::RecipeValue, message, help, place, None);
    }

    fn engine(&mut self, tree: &Tree<'d>, alternatives: &Alternatives, owner: Owner<'_, 'd>) {
        match (tree.as_str(), tree.as_map()) {
            (Some(name), _) if alternatives.find(name).is_some() => {}
            (Some(_), _) => self.unknown_type(tree, alternatives, owner),
            (None, Some(map)) => {
                let is_refused =
                    |entry: &&Entry<'d>| entry.key.as_str().is_some_and(|key| v2::ENGINE_REFUSED.contains(&key));
                let (refused, rest): (Vec<&Entry<'d>>, Vec<&Entry<'d>>) = map.entries().iter().partition(is_refused);
                for entry in &refused {
                    self.below_key(entry, |checker| {
                        let key = entry.key.key_text();
                        let message = format!("`{key}` stands in the engine, and belongs to the roles");
                        let help = migrate::engine_key(&key);
                        checker.report(Code::RecipeOldKey, message, help, entry.key.place(), None);
                    });
                }
                if refused.is_empty() {
                    return self.typed(tree, alternatives, owner);
                }
                let rest = tree.with_entries(rest.into_iter().cloned().collect());
                self.typed(&rest, alternatives, owner);
            }
            (None, None) => self.wrong(tree, "the type of the engine or a mapping", owner),
        }
    }

    fn unknown_key(&mut self, entry: &Entry<'d>, fields: &Fields, has_interval: bool) {
        let key = entry.key.key_text();
        let parent = self.path.strip_suffix(key.as_ref()).unwrap_or_default().trim_end_matches('.').to_owned();
        if let Some(old) = migrate::old_key(self.schema, &self.path, entry, has_interval) {
            return self.report(old.code, old.message, old.help, entry.key.place(), old.fix);
        }
        let whose = if parent.is_empty() { "a recipe".to_owned() } else { format!("`{parent}`") };
        let message = format!("{whose} has no key `{key}`");
        let is_later = entry.key.as_str().and_then(|name| fields.find(name)).is_some();
        self.unknown += 1;
        let is_searched = self.unknown <= SUGGESTED;
        let near = is_searched.then(|| suggestion(&key, fields.names())).flatten();
        let home = is_searched.then(|| super::home_of(self.schema, &key)).flatten();
        let help = match (is_later, near, home) {
            (true, ..) => "only a later srtctl knows it: remove it, or wait for that version".to_owned(),
            (false, Some(near), _) => format!("did you mean `{near}`?"),
            (false, None, Some(home)) if home != self.path => format!("did you mean `{home}`?"),
            _ => known_keys(fields),
        };
        self.report(Code::RecipeUnknownKey, message, help, entry.key.place(), None);
    }

    fn wrong(&mut self, tree: &Tree<'d>, expected: &str, owner: Owner<'_, 'd>) {
        let is = match tree.is_null() || tree.as_map().is_some() || tree.as_list().is_some() {
            true => tree.type_name().to_owned(),
            false => format!("{} {}", tree.type_name(), shown(tree)),
        };
        let message = format!("`{}` is {is}, expected {expected}", self.path);
        let takes_text = expected == "a text";
        let fix = if takes_text { Fix::quote(tree) } else { None };
        let help = match (&fix, tree.is_null()) {
            (Some(_), _) => {
                let text = tree.node().and_then(crate::core::yaml::NodeRef::scalar_text).unwrap_or_default();
                format!("quote it: \"{text}\"")
            }
            (None, true) => "give a value, or remove the key".to_owned(),
            (None, false) => format!("write {expected}"),
        };
        let place = tree.place().or_else(|| owner.and_then(Entry::place));
        self.report(Code::RecipeType, message, help, place, fix);
    }

    /// Does something with a key at the end of the path.
    fn below_key(&mut self, entry: &Entry<'d>, check: impl FnOnce(&mut Self)) {
        let mark = self.path.len();
        self.push_key(&entry.key.key_text());
        check(self);
        self.path.truncate(mark);
    }

    fn push_key(&mut self, key: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(key);
    }

    fn report(&mut self, code: Code, message: String, help: String, place: Option<Place<'d>>, fix: Option<Fix>) {
        let path = self.path.clone();
        self.found.push(Finding { code, severity: Severity::Error, path, message, help, place, fix });
    }
}

/// Some of the keys, and how many more there are.
fn known_keys(fields: &Fields) -> String {
    const LISTED: usize = 12;
    let names: Vec<&str> = fields.names().collect();
    match names.len().checked_sub(LISTED) {
        None | Some(0) => format!("known keys: {}", names.join(", ")),
        Some(more) => format!("known keys: {} and {more} more", names[..LISTED].join(", ")),
    }
}

fn first_key<'d>(tree: &Tree<'d>) -> Option<Place<'d>> {
    tree.as_map()?.entries().first()?.key.place()
}

/// Whether a value that is neither list nor block passes.
fn fits(tree: &Tree<'_>, shape: Shape) -> bool {
    match shape {
        Shape::Text | Shape::Known(_) => tree.as_str().is_some(),
        Shape::Word(words) => tree.as_str().is_some_and(|text| words.contains(&text)),
        Shape::Integer => integer(tree).is_some(),
        Shape::Number => number(tree).is_some(),
        Shape::Boolean => boolean(tree).is_some(),
        Shape::StrictBoolean => tree.as_bool().is_some(),
        Shape::Sweep => is_sweep(tree),
        Shape::SchemaTwo => is_integer(tree) && tree.as_num() == Some(Num::Int(2)),
        Shape::RoleNodes => match tree.as_str() {
            Some(text) => text.trim().eq_ignore_ascii_case("colocate"),
            None => is_integer(tree) && tree.as_num() >= Some(Num::Int(1)),
        },
        _ => false,
    }
}

fn is_integer(tree: &Tree<'_>) -> bool {
    tree.type_name() == "an integer"
}

fn is_sweep(tree: &Tree<'_>) -> bool {
    let lists = |tree: &Tree<'_>, except: &str| {
        tree.as_map().is_some_and(|map| {
            let checked = map.entries().iter().filter(|entry| entry.key.as_str() != Some(except));
            checked.into_iter().all(|entry| entry.value.as_list().is_some())
        })
    };
    match tree.get("parameters") {
        Some(parameters) => lists(parameters, ""),
        None => lists(tree, "mode"),
    }
}

fn expectation(shape: Shape) -> String {
    match shape {
        Shape::Text | Shape::Known(_) => "a text".to_owned(),
        Shape::Word([only]) => format!("`{only}`"),
        Shape::Word(words) => format!("one of {}", words.join(", ")),
        Shape::Integer => "an integer".to_owned(),
        Shape::Number => "a number".to_owned(),
        Shape::Boolean | Shape::StrictBoolean => "true or false".to_owned(),
        Shape::TextMap => "a mapping of texts".to_owned(),
        Shape::List(of) => format!("a list, each item {}", expectation(*of)),
        Shape::Sweep => "a mapping of lists".to_owned(),
        Shape::SchemaTwo => "the integer 2".to_owned(),
        Shape::RoleNodes => "an integer of 1 or more, or colocate".to_owned(),
        Shape::Either(shapes) => shapes.iter().copied().map(expectation).collect::<Vec<_>>().join(" or "),
        _ => "a mapping".to_owned(),
    }
}
