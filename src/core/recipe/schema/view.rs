//! Reads a recipe for rules between keys: a value, its default, or nothing where its type is at fault.

use super::coerce::{boolean, integer, number};
use super::finding::{Finding, Fix};
use crate::core::diag::{Code, Severity};
use crate::core::num::Num;
use crate::core::recipe::{Entry, Place, Tree};

/// A recipe, and what is found in it.
pub(super) struct View<'t, 'o, 'd> {
    pub(super) recipe: &'t Tree<'d>,
    pub(super) found: &'o mut Vec<Finding<'d>>,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Given<T> {
    /// Nothing, or null.
    Absent,
    /// A value of the right type.
    Value(T),
    /// A value of another type, which is reported elsewhere.
    Fault,
}

impl<T> Given<T> {
    /// The value or its default; nothing where the type is at fault.
    pub(super) fn or(self, default: T) -> Option<T> {
        match self {
            Self::Absent => Some(default),
            Self::Value(value) => Some(value),
            Self::Fault => None,
        }
    }

    /// The value, if one is given.
    pub(super) fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

fn given<T>(tree: Option<&Tree<'_>>, read: impl FnOnce(&Tree<'_>) -> Option<T>) -> Given<T> {
    match tree.filter(|tree| !tree.is_null()) {
        None => Given::Absent,
        Some(tree) => read(tree).map_or(Given::Fault, Given::Value),
    }
}

/// The integer as 64 bits; one beyond them is as large as it can be.
pub(super) fn small(number: &Num) -> i64 {
    match number {
        Num::Int(value) => *value,
        larger if larger.is_positive() => i64::MAX,
        _ => i64::MIN,
    }
}

/// Follows text keys and, as numbers, items of lists.
pub(super) fn find<'t, 'd>(recipe: &'t Tree<'d>, path: &str) -> Option<&'t Tree<'d>> {
    path.split('.').try_fold(recipe, |tree, step| match tree.as_list() {
        Some(items) => items.get(step.parse::<usize>().ok()?),
        None => tree.get(step),
    })
}

impl<'t, 'd> View<'t, '_, 'd> {
    /// The value at a path, null included.
    pub(super) fn get(&self, path: &str) -> Option<&'t Tree<'d>> {
        find(self.recipe, path)
    }

    /// Whether a value that is not null stands at a path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.get(path).is_some_and(|tree| !tree.is_null())
    }

    pub(super) fn text(&self, path: &str) -> Given<&'t str> {
        match self.get(path).filter(|tree| !tree.is_null()) {
            None => Given::Absent,
            Some(tree) => tree.as_str().map_or(Given::Fault, Given::Value),
        }
    }

    pub(super) fn int(&self, path: &str) -> Given<i64> {
        given(self.get(path), |tree| integer(tree).map(|number| small(&number)))
    }

    pub(super) fn num(&self, path: &str) -> Given<f64> {
        given(self.get(path), number)
    }

    pub(super) fn flag(&self, path: &str) -> Given<bool> {
        given(self.get(path), boolean)
    }

    /// Whether a flag is true; one of a wrong type is not.
    pub(super) fn is_on(&self, path: &str) -> bool {
        self.flag(path) == Given::Value(true)
    }

    /// Where the value at a path stands, or the nearest thing above it.
    pub(super) fn place(&self, path: &str) -> Option<Place<'d>> {
        let mut place = self.recipe.as_map().and_then(|map| map.entries().first()).and_then(|entry| entry.key.place());
        let mut tree = self.recipe;
        for step in path.split('.') {
            match (tree.as_list(), tree.entry(step)) {
                (Some(items), _) => match step.parse::<usize>().ok().and_then(|index| items.get(index)) {
                    Some(item) => {
                        place = item.place().or(place);
                        tree = item;
                    }
                    None => break,
                },
                (None, Some(entry)) => {
                    place = match entry.value.as_map().is_some() {
                        true => entry.key.place().or(place),
                        false => entry.place().or(place),
                    };
                    tree = &entry.value;
                }
                (None, None) => break,
            }
        }
        place
    }

    /// The key and value at a path.
    pub(super) fn entry(&self, path: &str) -> Option<&'t Entry<'d>> {
        match path.rsplit_once('.') {
            Some((above, key)) => self.get(above)?.entry(key),
            None => self.recipe.entry(path),
        }
    }

    /// Reports a broken rule.
    pub(super) fn broken(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.report(Code::RecipeRule, path, message, help, None);
    }

    /// Reports a broken rule of its own code.
    pub(super) fn report(
        &mut self,
        code: Code,
        path: &str,
        message: impl Into<String>,
        help: impl Into<String>,
        fix: Option<Fix>,
    ) {
        let finding = Finding {
            code,
            severity: Severity::Error,
            path: bracketed(path),
            message: message.into(),
            help: help.into(),
            place: self.place(path),
            fix,
        };
        self.found.push(finding);
    }
}

/// `services.0.name` as `services[0].name`.
fn bracketed(path: &str) -> String {
    if !path.bytes().any(|b| b.is_ascii_digit()) {
        return path.to_owned();
    }
    let mut out = String::with_capacity(path.len());
    for step in path.split('.') {
        if step.bytes().all(|b| b.is_ascii_digit()) && !out.is_empty() {
            out.push_str(&format!("[{step}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(step);
        }
    }
    out
}

/// Whether a folder stays below the one it is put in.
pub(super) fn is_safe_folder(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    !path.is_empty()
        && !path.starts_with(['/', '~'])
        && parts.clone().any(|part| part != ".")
        && parts.all(|part| part != "..")
}

/// The value under a key, `_` and `-` being equal.
pub(super) fn loose<'t, 'd>(tree: &'t Tree<'d>, key: &str) -> Option<&'t Entry<'d>> {
    let fits = |entry: &&Entry<'d>| entry.key.as_str().is_some_and(|name| name.replace('_', "-") == key);
    tree.as_map()?.entries().iter().find(fits)
}
