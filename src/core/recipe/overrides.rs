//! `--set` and `--unset`: changes to a recipe file before it is expanded.

use std::borrow::Cow;
use std::rc::Rc;

use super::file::{RecipeFile, SectionKind};
use super::merge::with_entry;
use super::path::{Step, parse_path};
use super::tree::{Data, Entry, List, Map, Tree};
use crate::core::diag::{Code, Diagnostic, Diagnostics, Source};
use crate::core::yaml::{Kind, Schema, parse};

/// What the command line wants changed.
#[derive(Debug, Default)]
pub struct Overrides {
    sets: Vec<(Path, Tree<'static>)>,
    unsets: Vec<Path>,
}

#[derive(Debug)]
struct Path {
    text: String,
    steps: Vec<Step>,
}

/// Why a path does not fit a file.
enum Misfit<'d> {
    /// Something that is no mapping stands where the path goes on; with the path up to there.
    InTheWay(String, Tree<'d>),
    /// No list stands where an item is meant.
    NoList(String, Option<Tree<'d>>),
    /// The list is shorter.
    OutOfRange(String, usize, Tree<'d>),
}

impl Overrides {
    /// Reads the words of `--set` (`PATH=VALUE`) and `--unset` (`PATH`).
    ///
    /// # Errors
    /// All words that are malformed.
    pub fn parse<'w>(
        sets: impl IntoIterator<Item = &'w str>,
        unsets: impl IntoIterator<Item = &'w str>,
    ) -> Result<Self, Diagnostics> {
        let mut found = Diagnostics::new();
        let mut overrides = Self::default();
        for word in sets {
            match parse_path(word, true) {
                Ok((steps, Some(value))) => {
                    let path = &word[..word.len() - value.len() - 1];
                    overrides.sets.push((Path { text: path.trim().to_owned(), steps }, value_of(value)));
                }
                Ok((_, None)) => {
                    let message = format!("--set {word} has no `=`");
                    let diagnostic = Diagnostic::error(Code::RecipeOverride, message).path(word);
                    found.push(diagnostic.help("write --set PATH=VALUE; to remove a value use --unset PATH"));
                }
                Err(problem) => found.push(malformed("--set", word, &problem)),
            }
        }
        for word in unsets {
            match parse_path(word, false) {
                Ok((steps, _)) => overrides.unsets.push(Path { text: word.trim().to_owned(), steps }),
                Err(problem) => found.push(malformed("--unset", word, &problem)),
            }
        }
        if found.has_errors() { Err(found) } else { Ok(overrides) }
    }

    /// Whether nothing is to be changed.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.unsets.is_empty()
    }
}

fn malformed(option: &str, word: &str, problem: &str) -> Diagnostic {
    Diagnostic::error(Code::RecipeOverride, format!("{option} {word}: {problem}"))
        .path(word)
        .help("a path is keys between dots, an item of a list is [N], a key with dots stands in quotes")
}

/// A YAML scalar or list; what YAML takes for something else, or cannot read, is text.
fn value_of(text: &str) -> Tree<'static> {
    let as_text = || Tree::new(Data::Str(Cow::Owned(text.to_owned())));
    if text.is_empty() {
        return as_text();
    }
    let source = Source::new("VALUE", text);
    let mut found = Diagnostics::new();
    let Some(document) = parse(&source, Schema::V11, &mut found) else { return as_text() };
    match document.root().map(|root| (root, root.kind())) {
        None => Tree::new(Data::Null),
        Some((_, Kind::Map | Kind::Date(_) | Kind::Binary(_))) => as_text(),
        Some((root, _)) => Tree::of(root).to_owned_tree(),
    }
}

impl<'d> RecipeFile<'d> {
    /// The file after all changes, sets before unsets. In a file with `base` each goes into the base and every section.
    ///
    /// # Errors
    /// Every path that does not fit.
    pub fn overridden(&self, overrides: &Overrides) -> Result<Self, Diagnostics> {
        let mut found = Diagnostics::new();
        let mut root = self.root().clone();
        for (path, value) in &overrides.sets {
            match self.set_everywhere(&root, path, value) {
                Ok(changed) => root = changed,
                Err(diagnostic) => found.push(*diagnostic),
            }
        }
        if found.has_errors() {
            return Err(found);
        }
        for path in &overrides.unsets {
            root = self.in_each_part(&root, |_, part| Ok(removed(part, &path.steps))).unwrap_or(root);
        }
        Self::of_root(self.source(), root, &mut found).ok_or(found)
    }

    fn set_everywhere(&self, root: &Tree<'d>, path: &Path, value: &Tree<'static>) -> Result<Tree<'d>, Box<Diagnostic>> {
        self.in_each_part(root, |section, part| {
            let value = match section.and_then(SectionKind::of) {
                // In a group every value is a list over its variants.
                Some(SectionKind::Group) => Tree::list(vec![value.clone()]),
                _ => value.clone(),
            };
            set(part, &path.steps, value, "").map_err(|misfit| {
                let prefix = section.map_or(String::new(), |section| format!("{section}."));
                Box::new(self.misfit(path, &prefix, misfit))
            })
        })
    }

    /// Changes the file, or its base and each section.
    fn in_each_part(
        &self,
        root: &Tree<'d>,
        change: impl Fn(Option<&str>, &Tree<'d>) -> Result<Tree<'d>, Box<Diagnostic>>,
    ) -> Result<Tree<'d>, Box<Diagnostic>> {
        let Some(top) = root.as_map().filter(|_| self.base().is_some()) else { return change(None, root) };
        let mut entries = top.entries().to_vec();
        for entry in &mut entries {
            let Some(key) = entry.key.as_str() else { continue };
            if key == "base" || SectionKind::of(key).is_some() {
                entry.value = change(Some(key), &entry.value)?;
            }
        }
        Ok(root.with(Data::Map(Rc::new(Map::new(entries)))))
    }

    fn misfit(&self, path: &Path, prefix: &str, misfit: Misfit<'d>) -> Diagnostic {
        let (at, message, tree, help) = match misfit {
            Misfit::InTheWay(at, tree) => {
                let place = if at.is_empty() { "the recipe".to_owned() } else { format!("`{prefix}{at}`") };
                let message = format!("--set {}: {place} is {}, expected a mapping", path.text, tree.type_name());
                (at, message, Some(tree), "set that value as a whole, or correct the path")
            }
            Misfit::NoList(at, tree) => {
                let is = tree.as_ref().map_or("not there", Tree::type_name);
                let message = format!("--set {}: `{prefix}{at}` is {is}, expected a list", path.text);
                (at, message, tree, "leave the [N] out, or correct the path")
            }
            Misfit::OutOfRange(at, length, tree) => {
                let message = format!("--set {}: the list `{prefix}{at}` has {length} items", path.text);
                (at, message, Some(tree), "items count from 0; to make a list longer set it as a whole")
            }
        };
        let place = tree.as_ref().and_then(Tree::place);
        let diagnostic = self.pointed_at(Diagnostic::error(Code::RecipeOverride, message), place);
        let full = format!("{prefix}{at}");
        diagnostic.path(if full.is_empty() { path.text.clone() } else { full }).help(help)
    }
}

fn set<'d>(tree: &Tree<'d>, steps: &[Step], value: Tree<'d>, at: &str) -> Result<Tree<'d>, Misfit<'d>> {
    let Some((step, rest)) = steps.split_first() else { return Ok(value) };
    let below = step.appended(at);
    match step {
        Step::Key(key) => {
            let Some(map) = tree.as_map() else { return Err(Misfit::InTheWay(at.to_owned(), tree.clone())) };
            let inner = match map.entry(key) {
                Some(entry) => set(&entry.value, rest, value, &below)?,
                None if matches!(rest.first(), Some(Step::Index(_))) => return Err(Misfit::NoList(below, None)),
                None => set(&Tree::map(Vec::new()), rest, value, &below)?,
            };
            let key = map.entry(key).map_or_else(|| Tree::text(key.clone()), |entry| entry.key.clone());
            Ok(tree.with(Data::Map(Rc::new(with_entry(map, key, inner)))))
        }
        Step::Index(index) => {
            let Some(items) = tree.as_list() else { return Err(Misfit::NoList(at.to_owned(), Some(tree.clone()))) };
            let Some(item) = items.get(*index) else {
                return Err(Misfit::OutOfRange(at.to_owned(), items.len(), tree.clone()));
            };
            let mut changed = items.to_vec();
            changed[*index] = set(item, rest, value, &below)?;
            Ok(tree.with(Data::List(Rc::new(List::new(changed)))))
        }
    }
}

/// The value without what stands at a path; itself when nothing stands there.
fn removed<'d>(tree: &Tree<'d>, steps: &[Step]) -> Tree<'d> {
    let Some((step, rest)) = steps.split_first() else { return tree.clone() };
    match (step, tree.data()) {
        (Step::Key(key), Data::Map(map)) => {
            let Some(at) = map.entries().iter().position(|entry| entry.key.as_str() == Some(key)) else {
                return tree.clone();
            };
            let mut entries = map.entries().to_vec();
            if rest.is_empty() {
                entries.remove(at);
            } else {
                entries[at] = Entry { value: removed(&entries[at].value, rest), key: entries[at].key.clone() };
            }
            tree.with(Data::Map(Rc::new(Map::new(entries))))
        }
        (Step::Index(index), Data::List(list)) if *index < list.items().len() => {
            let mut items = list.items().to_vec();
            if rest.is_empty() {
                items.remove(*index);
            } else {
                items[*index] = removed(&items[*index], rest);
            }
            tree.with(Data::List(Rc::new(List::new(items))))
        }
        _ => tree.clone(),
    }
}
