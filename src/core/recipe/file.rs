//! A recipe file: flat, or a base with sections that make its variants.

use std::sync::Arc;

use super::merge::{merged, with_entry};
use super::selector::{self, Selected};
use super::tree::{Data, Entry, Map, Place, Tree};
use super::zip::{ZipProblem, group_size, slice, slice_cost};
use crate::core::diag::{Code, Diagnostic, Diagnostics, Source};
use crate::core::yaml::Document;

/// How many variants one file may make.
const MAX_VARIANTS: usize = 10_000;
/// How many values all variants that are asked for may hold together; most of them are shared.
const MAX_VALUES: u64 = 10_000_000;
/// How many entries at the top of all recipes together may be copied from the base.
const MAX_COPIED: usize = 2_000_000;
/// How many values the variants of one group may have of their own.
const MAX_SLICED: u64 = 1_000_000;

/// A recipe file that was read. Its variants are expanded when they are asked for: ask once, and keep them.
#[derive(Debug, Clone)]
pub struct RecipeFile<'d> {
    source: &'d Arc<Source>,
    root: Tree<'d>,
    base: Option<Tree<'d>>,
    schema: Option<Entry<'d>>,
}

/// One recipe of a file: the file itself when it is flat, else its base or what a section makes of it.
#[derive(Debug, Clone)]
pub struct Variant<'d> {
    /// What picks exactly this variant; `None` for a flat file.
    pub selector: Option<String>,
    /// What its name ends with.
    pub suffix: Option<String>,
    /// Where it is made: its section, or the list that the section's variants come from.
    pub place: Option<Place<'d>>,
    /// The whole recipe, or why there is none.
    pub recipe: Result<Tree<'d>, Box<Diagnostic>>,
}

/// What a selector picks.
#[derive(Debug)]
pub enum Selection<'d> {
    /// One recipe, by a selector that can pick no other number of them, or a flat file.
    One(Variant<'d>),
    /// All variants, those of a group, or those of a pattern.
    Many(Vec<Variant<'d>>),
}

impl<'d> Variant<'d> {
    /// Its name, if it has one.
    pub fn name(&self) -> Option<&Tree<'d>> {
        self.recipe.as_ref().ok()?.get("name")
    }
}

impl<'d> Selection<'d> {
    /// The variants, in their order.
    pub fn variants(&self) -> &[Variant<'d>] {
        match self {
            Self::One(variant) => std::slice::from_ref(variant),
            Self::Many(variants) => variants,
        }
    }

    /// The variants, in their order.
    pub fn into_variants(self) -> Vec<Variant<'d>> {
        match self {
            Self::One(variant) => vec![variant],
            Self::Many(variants) => variants,
        }
    }

    /// Moves the reasons of malformed variants to `found`, and tells whether there were none.
    pub fn report_malformed(&self, found: &mut Diagnostics) -> bool {
        let malformed = self.variants().iter().filter_map(|variant| variant.recipe.as_ref().err());
        malformed.map(|diagnostic| found.push(Diagnostic::clone(diagnostic))).count() == 0
    }
}

impl<'d> RecipeFile<'d> {
    /// Reads a document. `None` when it is no recipe file for any selector, with the reasons in `found`.
    pub fn read(document: &'d Document, found: &mut Diagnostics) -> Option<Self> {
        let source = document.source();
        let Some(root) = document.root().map(Tree::of) else {
            found.push(not_a_recipe(source, "the file is empty"));
            return None;
        };
        Self::of_root(source, root, found)
    }

    /// A file with this content.
    pub(super) fn of_root(source: &'d Arc<Source>, root: Tree<'d>, found: &mut Diagnostics) -> Option<Self> {
        let Some(top) = root.as_map() else {
            let message = format!("the file is {}", root.type_name());
            let diagnostic = not_a_recipe(source, &message);
            found.push(match root.place() {
                Some((source, span)) => diagnostic.at(source, span),
                None => diagnostic,
            });
            return None;
        };
        let errors = found.error_count();
        if let Some(base) = top.entry("base") {
            check_override_format(source, top, base, found);
        }
        let (base, schema) = (top.entry("base").map(|entry| entry.value.clone()), top.entry("schema").cloned());
        (found.error_count() == errors).then_some(Self { source, root, base, schema })
    }

    /// The text it was read from.
    pub fn source(&self) -> &'d Arc<Source> {
        self.source
    }

    /// The whole file as one value.
    pub fn root(&self) -> &Tree<'d> {
        &self.root
    }

    /// The base, in a file that has one. Every other file is flat.
    pub fn base(&self) -> Option<&Tree<'d>> {
        self.base.as_ref()
    }

    /// The file itself when it is flat; else all variants as they are submitted: those of `override_*` by code point,
    /// then those of `zip_override_*` by index. A malformed section is one variant without a recipe.
    pub fn variants(&self) -> Vec<Variant<'d>> {
        match selector::resolve(self, None) {
            Ok(selected) => self.expand(selected).into_variants(),
            Err(_) => Vec::new(),
        }
    }

    /// What a selector picks; `None` or an empty one picks all variants.
    ///
    /// # Errors
    /// The selector picks nothing, or needs a section that is malformed in a way that hides what it stands for.
    pub fn select(&self, selector: Option<&str>) -> Result<Selection<'d>, Box<Diagnostic>> {
        let selected = selector::resolve(self, selector.filter(|text| !text.is_empty()))?;
        let selection = self.expand(selected);
        let values = selection.variants().iter().filter_map(|variant| variant.recipe.as_ref().ok());
        let total = values.fold(0_u64, |sum, recipe| sum.saturating_add(recipe.weight()));
        if total > MAX_VALUES {
            let message = format!("the variants hold more than {MAX_VALUES} values together");
            let diagnostic = Diagnostic::error(Code::RecipeTooLarge, message);
            return Err(Box::new(
                self.pointed_at(diagnostic, self.root.place())
                    .help("select fewer of them, or refer less often to what aliases repeat"),
            ));
        }
        Ok(selection)
    }

    /// Points a diagnostic at a place, or at the file where there is none.
    pub(super) fn pointed_at(&self, diagnostic: Diagnostic, place: Option<Place<'_>>) -> Diagnostic {
        match place {
            Some((source, span)) => diagnostic.at(source, span),
            None => diagnostic.in_file(self.source.name()),
        }
    }

    /// The `override_*` and `zip_override_*` sections by code point, the groups last.
    pub(super) fn sections(&self) -> Vec<&Entry<'d>> {
        let entries = self.root.as_map().map_or(&[][..], Map::entries);
        let is_section = |entry: &&Entry<'d>| entry.key.as_str().is_some_and(|key| SectionKind::of(key).is_some());
        let mut sections: Vec<&Entry<'d>> = entries.iter().filter(is_section).collect();
        sections.sort_by_key(|entry| {
            let key = entry.key.as_str().unwrap_or_default();
            (SectionKind::of(key) == Some(SectionKind::Group), key.to_owned())
        });
        sections
    }

    fn expand(&self, selected: Selected<'_, 'd>) -> Selection<'d> {
        match selected {
            Selected::Flat => Selection::One(self.single(None, None, self.root.place(), Ok(self.root.clone()))),
            Selected::Base(base) => {
                let recipe = Ok(self.with_schema(base.clone()));
                Selection::One(self.single(Some("base"), None, base.place(), recipe))
            }
            Selected::Section(section) => Selection::One(self.section(section)),
            Selected::Slice(section, index) => {
                let key = section.key.as_str().unwrap_or_default();
                Selection::One(self.sliced(section, key, index))
            }
            Selected::Sections(sections) if self.breadth().saturating_mul(sections.len()) > MAX_COPIED => {
                Selection::Many(vec![self.too_many(&sections)])
            }
            Selected::Sections(sections) => {
                let mut variants = Vec::new();
                for section in sections {
                    match section.key.as_str().and_then(SectionKind::of) {
                        Some(SectionKind::Group) => self.group(section, &mut variants),
                        _ => variants.push(self.section(section)),
                    }
                }
                Selection::Many(variants)
            }
        }
    }

    /// How many keys stand at the top of the base.
    fn breadth(&self) -> usize {
        self.base().and_then(Tree::as_map).map_or(0, Map::len)
    }

    fn too_many(&self, sections: &[&Entry<'d>]) -> Variant<'d> {
        let message =
            format!("{} sections of a base with {} keys hold too many values together", sections.len(), self.breadth());
        let diagnostic = Diagnostic::error(Code::RecipeTooLarge, message).path("base");
        let place = self.root.entry("base").and_then(|entry| entry.key.place());
        let diagnostic = self.pointed_at(diagnostic, place).help("split the file, or select fewer sections");
        let first = sections.first().and_then(|section| section.key.as_str());
        self.single(first, None, None, Err(Box::new(diagnostic)))
    }

    fn single(
        &self,
        selector: Option<&str>,
        suffix: Option<&str>,
        place: Option<Place<'d>>,
        recipe: Result<Tree<'d>, Box<Diagnostic>>,
    ) -> Variant<'d> {
        Variant { selector: selector.map(str::to_owned), suffix: suffix.map(str::to_owned), place, recipe }
    }

    fn section(&self, section: &Entry<'d>) -> Variant<'d> {
        let key = section.key.as_str().unwrap_or_default();
        let suffix = SectionKind::suffix(key);
        let recipe = self.mapping_of(section).map(|over| {
            let base = self.base_tree();
            let recipe = merged(&base, over);
            // A name that the section writes, even null, is what the merge made of it.
            let recipe = match over.get("name") {
                Some(_) => recipe,
                None => named(&recipe, &format!("{}_{suffix}", base_name(&base))),
            };
            self.with_schema(recipe)
        });
        self.single(Some(key), Some(suffix), section.key.place(), recipe)
    }

    fn group(&self, section: &Entry<'d>, variants: &mut Vec<Variant<'d>>) {
        let key = section.key.as_str().unwrap_or_default();
        match self.size_of(section) {
            Ok(size) if variants.len() + size <= MAX_VARIANTS => {
                variants.extend((0..size).map(|index| self.sliced(section, key, index)));
            }
            Ok(size) => {
                let message = format!("`{key}` makes {size} variants, and a file at most {MAX_VARIANTS}");
                let diagnostic = Diagnostic::error(Code::RecipeTooLarge, message);
                let diagnostic = self.pointed_at(diagnostic, section.key.place()).path(key);
                let diagnostic = Box::new(diagnostic.help("split the group over several files"));
                variants.push(self.single(Some(key), None, section.key.place(), Err(diagnostic)));
            }
            Err(diagnostic) => variants.push(self.single(Some(key), None, section.key.place(), Err(diagnostic))),
        }
    }

    fn sliced(&self, section: &Entry<'d>, key: &str, index: usize) -> Variant<'d> {
        let suffix = format!("{}_{index}", SectionKind::suffix(key));
        let recipe = self.mapping_of(section).map(|group| {
            let base = self.base_tree();
            let recipe = merged(&base, &slice(group, index));
            // Only a list of names names the variants.
            let recipe = match group.get("name").map(Tree::data) {
                Some(Data::List(_)) => recipe,
                _ => named(&recipe, &format!("{}_{suffix}", base_name(&base))),
            };
            self.with_schema(recipe)
        });
        Variant { selector: Some(format!("{key}[{index}]")), suffix: Some(suffix), place: section.key.place(), recipe }
    }

    /// How many variants a group makes.
    pub(super) fn size_of(&self, section: &Entry<'d>) -> Result<usize, Box<Diagnostic>> {
        let group = self.mapping_of(section)?;
        let size = group_size(group).map_err(|problem| Box::new(self.zip_problem(section, problem)))?;
        let values = slice_cost(group).saturating_mul(size as u64);
        if values > MAX_SLICED {
            let key = section.key.key_text();
            let message = format!("the {size} variants of `{key}` change more than {MAX_SLICED} values together");
            let diagnostic = Diagnostic::error(Code::RecipeTooLarge, message);
            let diagnostic = self.pointed_at(diagnostic, section.key.place()).path(key);
            return Err(Box::new(diagnostic.help("split the group over several files")));
        }
        Ok(size)
    }

    fn mapping_of<'s>(&self, section: &'s Entry<'d>) -> Result<&'s Tree<'d>, Box<Diagnostic>> {
        if section.value.as_map().is_some() {
            return Ok(&section.value);
        }
        let key = section.key.key_text();
        let message = format!("`{key}` is {}, expected a mapping of what it changes", section.value.type_name());
        let diagnostic = Diagnostic::error(Code::RecipeSection, message);
        let help = format!("write what differs from base below it, or remove `{key}`");
        Err(Box::new(self.pointed_at(diagnostic, section.place()).path(key).help(help)))
    }

    fn zip_problem(&self, section: &Entry<'d>, problem: ZipProblem<'d>) -> Diagnostic {
        let key = section.key.key_text();
        match problem {
            ZipProblem::NoList => {
                let message = format!("`{key}` holds no list, so it makes no variants");
                self.pointed_at(Diagnostic::error(Code::RecipeGroup, message), section.key.place())
                    .path(key.clone())
                    .help(format!("give one value a list, or rename it to `{}`", key.replacen("zip_", "", 1)))
            }
            ZipProblem::Empty(path, place) => {
                let message = format!("the list `{path}` of `{key}` is empty, so it makes no variants");
                self.pointed_at(Diagnostic::error(Code::RecipeGroup, message), place)
                    .path(format!("{key}.{path}"))
                    .help("give it an item for each variant; for an empty list as the value write [[]]")
            }
            ZipProblem::Lengths([(first, length, place), (second, other, other_place)]) => {
                let message = format!("`{second}` has {other} items and `{first}` has {length}, expected one length");
                let diagnostic = self.pointed_at(Diagnostic::error(Code::RecipeGroup, message), other_place);
                let diagnostic = match place {
                    Some((source, span)) => diagnostic.related(source, span, format!("{length} items")),
                    None => diagnostic,
                };
                diagnostic.path(format!("{key}.{second}")).help(
                    "all lists of a group are as long as each other, or have one item; a list as the value of every \
                     variant stands in a list of its own: [[1, 2]]",
                )
            }
        }
    }

    fn base_tree(&self) -> Tree<'d> {
        self.base().cloned().unwrap_or_else(|| Tree::map(Vec::new()))
    }

    /// A `schema` beside the base goes into each recipe that has none.
    fn with_schema(&self, recipe: Tree<'d>) -> Tree<'d> {
        match (&self.schema, recipe.as_map()) {
            (Some(schema), Some(map)) if map.entry("schema").is_none() => {
                let map = with_entry(map, schema.key.clone(), schema.value.clone());
                recipe.with(Data::Map(std::rc::Rc::new(map)))
            }
            _ => recipe,
        }
    }
}

/// The two kinds of sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionKind {
    /// `override_*`: one variant.
    Single,
    /// `zip_override_*`: a group of variants.
    Group,
}

impl SectionKind {
    /// The kind of a top-level key, if it is a section.
    pub(super) fn of(key: &str) -> Option<Self> {
        if key.starts_with("zip_override_") {
            Some(Self::Group)
        } else if key.starts_with("override_") {
            Some(Self::Single)
        } else {
            None
        }
    }

    /// What the names of its variants end with.
    pub(super) fn suffix(key: &str) -> &str {
        key.strip_prefix("zip_override_").or_else(|| key.strip_prefix("override_")).unwrap_or(key)
    }
}

fn base_name(base: &Tree<'_>) -> String {
    base.get("name").map_or_else(|| "unnamed".to_owned(), |name| name.python_str().into_owned())
}

fn named<'d>(recipe: &Tree<'d>, name: &str) -> Tree<'d> {
    match recipe.as_map() {
        Some(map) => {
            let map = with_entry(map, Tree::text("name"), Tree::text(name.to_owned()));
            recipe.with(Data::Map(std::rc::Rc::new(map)))
        }
        None => recipe.clone(),
    }
}

fn not_a_recipe(source: &Arc<Source>, message: &str) -> Diagnostic {
    Diagnostic::error(Code::NotAMapping, format!("{message}, expected the keys of a recipe"))
        .in_file(source.name())
        .help("a recipe has `name`, `model`, `resources` and more, or `base` and sections that change it")
}

/// What makes every selector of an override file useless.
fn check_override_format(source: &Arc<Source>, top: &Map<'_>, base: &Entry<'_>, found: &mut Diagnostics) {
    let mut push = |diagnostic: Diagnostic, place: Option<Place<'_>>| {
        found.push(match place {
            Some((source, span)) => diagnostic.at(source, span),
            None => diagnostic.in_file(source.name()),
        });
    };
    if base.value.as_map().is_none() {
        let message = format!("`base` is {}, expected a recipe (a mapping)", base.value.type_name());
        let diagnostic = Diagnostic::error(Code::RecipeSection, message).path("base");
        push(diagnostic.help("put the values that all variants share below it"), base.place());
    }
    for entry in top.entries().iter().filter(|entry| entry.key.as_str().is_none()) {
        let text = entry.key.key_text();
        let message = format!("the key `{text}` is {}, expected a text", entry.key.type_name());
        let diagnostic = Diagnostic::error(Code::RecipeSection, message).path(text.clone());
        push(diagnostic.help(format!("quote the key: \"{text}\"")), entry.key.place());
    }
}
