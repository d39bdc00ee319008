//! The recipes that a sweep names, each read and expanded once.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::core::diag::{Diagnostic, Diagnostics};
use crate::core::recipe::{RecipeFile, Selection, Variant};
use crate::core::yaml::Document;

/// A recipe file that was asked for: its document, or why there is none.
pub type Asked = (String, Result<Document, Vec<Diagnostic>>);

/// Recipe files by the path that configs name.
#[derive(Debug, Default)]
pub struct RecipeBook<'d> {
    files: HashMap<&'d str, Result<Page<'d>, &'d [Diagnostic]>>,
    malformed: HashMap<&'d str, Vec<Diagnostic>>,
}

/// A recipe file with all of its variants.
#[derive(Debug)]
pub struct Page<'d> {
    /// The file.
    pub file: RecipeFile<'d>,
    /// Its variants in the order in which they are submitted.
    pub variants: Vec<Variant<'d>>,
}

/// A file, and the variants of it that a selector picks.
pub type Selected<'b, 'd> = (&'b Page<'d>, Cow<'b, [Variant<'d>]>);

/// Why a recipe cannot be used.
#[derive(Debug)]
pub enum Unusable {
    /// There is no such file, or it is no recipe.
    File(Vec<Diagnostic>),
    /// The selector picks nothing.
    Selector(Box<Diagnostic>),
}

impl<'d> RecipeBook<'d> {
    /// Expands every file once.
    pub fn new(asked: &'d [Asked]) -> Self {
        let mut book = Self::default();
        for (path, document) in asked {
            match document {
                Err(problems) => drop(book.files.insert(path, Err(problems))),
                Ok(document) => {
                    let mut found = Diagnostics::new();
                    match RecipeFile::read(document, &mut found) {
                        Some(file) => {
                            let variants = file.variants();
                            book.files.insert(path, Ok(Page { file, variants }));
                        }
                        None => drop(book.malformed.insert(path, found.into_iter().collect())),
                    }
                }
            }
        }
        book
    }

    /// The file with this path.
    ///
    /// # Errors
    /// It does not exist, or is no recipe.
    pub fn page(&self, path: &str) -> Result<&Page<'d>, Unusable> {
        match self.files.get(path) {
            Some(Ok(page)) => Ok(page),
            Some(Err(problems)) => Err(Unusable::File(problems.to_vec())),
            None => Err(Unusable::File(self.malformed.get(path).cloned().unwrap_or_default())),
        }
    }

    /// The variants that a selector of a file picks; all of them without one.
    ///
    /// # Errors
    /// The file cannot be used, or the selector picks nothing.
    pub fn select(&self, path: &str, selector: Option<&str>) -> Result<Selected<'_, 'd>, Unusable> {
        let page = self.page(path)?;
        let variants = match selector {
            None => Cow::Borrowed(&*page.variants),
            Some(selector) => {
                let selection = page.file.select(Some(selector)).map_err(Unusable::Selector)?;
                Cow::Owned(Selection::into_variants(selection))
            }
        };
        Ok((page, variants))
    }
}
