//! What stands behind the `:` of a recipe path, and which part of the file it picks.

use super::file::{RecipeFile, SectionKind};
use super::tree::{Entry, Map, Tree};
use crate::core::diag::{Code, Diagnostic};
use crate::core::matrix::fnmatch;
use crate::core::schema::suggestion;

/// How many selectors a help line lists.
const LISTED: usize = 12;

/// The parts of a file that a selector picks.
#[derive(Debug)]
pub(super) enum Selected<'f, 'd> {
    /// The whole file.
    Flat,
    /// The base as it is.
    Base(&'f Tree<'d>),
    /// One `override_*` section.
    Section(&'f Entry<'d>),
    /// One variant of a group.
    Slice(&'f Entry<'d>, usize),
    /// Any number of sections, whole groups included.
    Sections(Vec<&'f Entry<'d>>),
}

/// Splits `FILE:SELECTOR` at the first colon. An empty selector is none.
pub fn split_reference(reference: &str) -> (&str, Option<&str>) {
    match reference.split_once(':') {
        Some((file, selector)) => (file, Some(selector).filter(|selector| !selector.is_empty())),
        None => (reference, None),
    }
}

/// Finds what a selector picks.
pub(super) fn resolve<'f, 'd>(
    file: &'f RecipeFile<'d>,
    selector: Option<&str>,
) -> Result<Selected<'f, 'd>, Box<Diagnostic>> {
    let Some(base) = file.base() else {
        return match selector {
            None => Ok(Selected::Flat),
            Some(selector) => Err(Box::new(on_flat_file(file, selector))),
        };
    };
    let Some(selector) = selector else { return Ok(Selected::Sections(file.sections())) };
    if selector == "base" {
        return Ok(Selected::Base(base));
    }
    if let Some((key, index)) = indexed(selector) {
        return slice_of(file, selector, key, index);
    }
    if selector.contains(['*', '?']) {
        let fits = |section: &&Entry<'d>| section.key.as_str().is_some_and(|key| fnmatch(selector, key));
        let sections: Vec<&Entry<'d>> = file.sections().into_iter().filter(fits).collect();
        let message = || format!("no variant of {} fits `{selector}`", file.source().name());
        return if sections.is_empty() {
            Err(unknown(file, selector, message()))
        } else {
            Ok(Selected::Sections(sections))
        };
    }
    let Some(section) = file.root().entry(selector) else {
        let message = format!("{} has no `{selector}`", file.source().name());
        return Err(unknown(file, selector, message));
    };
    match SectionKind::of(selector) {
        Some(SectionKind::Group) => Ok(Selected::Sections(vec![section])),
        Some(SectionKind::Single) => Ok(Selected::Section(section)),
        None => Err(unknown(file, selector, format!("`{selector}` is a key of the file and no variant"))),
    }
}

/// `zip_override_NAME[INDEX]`, the name of letters, digits, `_` and `-` only.
fn indexed(selector: &str) -> Option<(&str, &str)> {
    let (key, index) = selector.strip_suffix(']')?.split_once('[')?;
    let name = key.strip_prefix("zip_override_")?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let fits = !name.is_empty() && name.chars().all(is_word);
    (fits && !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit())).then_some((key, index))
}

fn slice_of<'f, 'd>(
    file: &'f RecipeFile<'d>,
    selector: &str,
    key: &str,
    index: &str,
) -> Result<Selected<'f, 'd>, Box<Diagnostic>> {
    let Some(section) = file.root().entry(key) else {
        return Err(unknown(file, selector, format!("{} has no `{key}`", file.source().name())));
    };
    let size = file.size_of(section)?;
    match index.parse::<usize>() {
        Ok(index) if index < size => Ok(Selected::Slice(section, index)),
        _ => {
            let variants = if size == 1 { "1 variant".to_owned() } else { format!("{size} variants") };
            let message = format!("`{key}` makes {variants}, so there is no [{index}]");
            let diagnostic = Diagnostic::error(Code::RecipeSelector, message);
            let help = match size {
                1 => format!("its only variant is {key}[0]"),
                _ => format!("its variants are {key}[0] to {key}[{}]", size - 1),
            };
            Err(Box::new(file.pointed_at(diagnostic, section.key.place()).path(selector).help(help)))
        }
    }
}

fn on_flat_file(file: &RecipeFile<'_>, selector: &str) -> Diagnostic {
    let name = file.source().name();
    let message = format!("{name} is one recipe without `base`, so nothing in it can be selected");
    let first = file.root().as_map().map(Map::entries).and_then(<[Entry<'_>]>::first);
    file.pointed_at(Diagnostic::error(Code::RecipeSelector, message), first.and_then(|entry| entry.key.place()))
        .path(selector)
        .help(format!("leave `:{selector}` out"))
}

fn unknown(file: &RecipeFile<'_>, selector: &str, message: String) -> Box<Diagnostic> {
    let mut known = vec!["base".to_owned()];
    for section in file.sections() {
        let key = section.key.key_text();
        match (SectionKind::of(&key), file.size_of(section)) {
            (Some(SectionKind::Group), Ok(size)) => known.push(format!("{key}[0-{}]", size - 1)),
            _ => known.push(key.into_owned()),
        }
    }
    let keys = file.sections().into_iter().filter_map(|section| section.key.as_str());
    let wanted = selector.split('[').next().unwrap_or(selector);
    let near = suggestion(wanted, keys.chain(["base"])).filter(|near| *near != selector);
    let base = file.root().entry("base").and_then(|entry| entry.key.place());
    let diagnostic = file.pointed_at(Diagnostic::error(Code::RecipeSelector, message), base).path(selector);
    let more = known.len().saturating_sub(LISTED);
    known.truncate(LISTED);
    let list = known.join(", ");
    let list = if more > 0 { format!("{list} and {more} more") } else { list };
    let diagnostic = match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    };
    Box::new(diagnostic.help(format!("it has {list}")))
}
