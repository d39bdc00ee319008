//! Whether the variants of a bundle are what the files were that it replaced.

use std::rc::Rc;

use hashbrown::HashMap;

use super::file::{RecipeFile, Variant};
use super::tree::{Data, Index, Place, Tree};

/// A recipe that a variant replaces.
#[derive(Debug, Clone)]
pub struct Original<'d> {
    /// The file, as it was named.
    pub file: &'d str,
    /// What it holds.
    pub recipe: Tree<'d>,
    /// The selector of the variant.
    pub selector: String,
}

/// What a comparison found.
#[derive(Debug, Default)]
pub struct Verification<'o, 'b> {
    /// How many recipes are the same.
    pub verified: usize,
    /// Every path that differs.
    pub differences: Vec<Difference<'o, 'b>>,
    /// The selectors of recipes whose keys have another order.
    pub reordered: Vec<String>,
}

/// A path at which a variant is not what the file was.
#[derive(Debug)]
pub struct Difference<'o, 'b> {
    /// The file.
    pub file: String,
    /// The selector of the variant.
    pub selector: String,
    /// The path; `None` where the bundle has no such variant.
    pub path: Option<String>,
    /// The value of the file; `None` where it has none.
    pub was: Option<Tree<'o>>,
    /// The value of the variant; `None` where it has none.
    pub is: Option<Tree<'b>>,
    /// Where the file has it.
    pub original: Option<Place<'o>>,
    /// Where the bundle has it.
    pub place: Option<Place<'b>>,
}

/// Compares recipes with the variants of a bundle that replace them, by value and type.
pub fn differences<'o, 'b>(
    bundle: &RecipeFile<'b>,
    variants: &[Variant<'b>],
    originals: &[Original<'o>],
) -> Verification<'o, 'b> {
    let by_selector: HashMap<&str, &Variant<'b>> =
        variants.iter().filter_map(|variant| Some((variant.selector.as_deref()?, variant))).collect();
    let mut verification = Verification::default();
    for original in originals {
        let before = verification.differences.len();
        let recipe = match by_selector.get(original.selector.as_str()) {
            Some(variant) => variant.recipe.as_ref().ok().cloned(),
            None if original.selector == "base" => only_variant(bundle, "base"),
            None => None,
        };
        let Some(recipe) = recipe else {
            verification.differences.push(Difference {
                file: original.file.to_owned(),
                selector: original.selector.clone(),
                path: None,
                was: None,
                is: None,
                original: original.recipe.place(),
                place: None,
            });
            continue;
        };
        let mut walk =
            Walk { original, found: &mut verification.differences, path: String::new(), is_reordered: false };
        walk.compare(&original.recipe, &recipe);
        if walk.is_reordered {
            verification.reordered.push(original.selector.clone());
        }
        verification.verified += usize::from(verification.differences.len() == before);
    }
    verification
}

fn only_variant<'b>(bundle: &RecipeFile<'b>, selector: &str) -> Option<Tree<'b>> {
    let selection = bundle.select(Some(selector)).ok()?;
    selection.into_variants().pop()?.recipe.ok()
}

struct Walk<'w, 'o, 'b> {
    original: &'w Original<'o>,
    found: &'w mut Vec<Difference<'o, 'b>>,
    path: String,
    is_reordered: bool,
}

impl<'o, 'b> Walk<'_, 'o, 'b> {
    fn compare(&mut self, was: &Tree<'o>, is: &Tree<'b>) {
        let (Data::Map(old), Data::Map(new)) = (was.data(), is.data()) else {
            if !was.same(is) {
                self.differs(Some(was), Some(is), was.place(), is.place());
            }
            return;
        };
        let in_new = Index::new(new.entries(), old.len());
        let mut last = None;
        let mut shared = 0;
        for entry in old.entries() {
            let found = in_new.find(&entry.key).filter(|at| new.entries()[*at].key.same(&entry.key));
            self.below(&entry.key.key_text(), |walk| match found {
                Some(at) => walk.compare(&entry.value, &new.entries()[at].value),
                None => walk.differs(Some(&entry.value), None, entry.place(), is.place()),
            });
            // The name always stands in the section, behind what the base has.
            let is_name = self.path.is_empty() && entry.key.as_str() == Some("name");
            if let Some(at) = found.filter(|_| !is_name) {
                self.is_reordered |= last.is_some_and(|last| at < last);
                last = Some(at);
            }
            shared += usize::from(found.is_some());
        }
        if shared == new.len() {
            return;
        }
        let in_old = Index::new(old.entries(), new.len());
        for entry in new.entries() {
            let is_known = in_old.find(&entry.key).is_some_and(|at| old.entries()[at].key.same(&entry.key));
            if !is_known {
                self.below(&entry.key.key_text(), |walk| {
                    walk.differs(None, Some(&entry.value), was.place(), entry.place());
                });
            }
        }
    }

    fn below(&mut self, key: &str, compare: impl FnOnce(&mut Self)) {
        let mark = self.path.len();
        if mark > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        compare(self);
        self.path.truncate(mark);
    }

    fn differs(
        &mut self,
        was: Option<&Tree<'o>>,
        is: Option<&Tree<'b>>,
        original: Option<Place<'o>>,
        place: Option<Place<'b>>,
    ) {
        self.found.push(Difference {
            file: self.original.file.to_owned(),
            selector: self.original.selector.clone(),
            path: Some(self.path.clone()),
            was: was.cloned(),
            is: is.cloned(),
            original,
            place,
        });
    }
}

/// Variants that are the same but for their names, as pairs of a later selector and the first like it.
pub fn duplicates(variants: &[Variant<'_>]) -> Vec<(String, String)> {
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    let nameless: Vec<Option<Tree<'_>>> = variants.iter().map(without_name).collect();
    let mut found = Vec::new();
    for (at, tree) in nameless.iter().enumerate() {
        let Some(tree) = tree else { continue };
        let alike = seen.entry(tree.digest()).or_default();
        let first = alike.iter().find(|first| nameless[**first].as_ref().is_some_and(|first| first.same(tree)));
        match (first, &variants[at].selector) {
            (Some(first), Some(selector)) => {
                found.push((selector.clone(), variants[*first].selector.clone().unwrap_or_default()));
            }
            _ => alike.push(at),
        }
    }
    found
}

fn without_name<'d>(variant: &Variant<'d>) -> Option<Tree<'d>> {
    let recipe = variant.recipe.as_ref().ok()?;
    let entries = recipe.as_map()?.entries().iter().filter(|entry| entry.key.as_str() != Some("name"));
    Some(recipe.with(Data::Map(Rc::new(super::Map::new(entries.cloned().collect())))))
}
