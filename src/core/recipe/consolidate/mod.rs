//! Flat recipes, one a file, into one file of a base and a section for each.
//!
//! In: recipe files. Out: the text of one file in which a section resolves to exactly what each file was, its name
//! included, and the selector of each. The result is read back and compared before anybody gets it.

mod comments;
mod factor;
mod write;

use std::sync::Arc;

use hashbrown::HashMap;

use super::file::RecipeFile;
use super::tree::{Data, Entry, Tree};
use super::verify::{Original, differences};
use crate::core::diag::{Code, Diagnostic, Diagnostics, Source};
use crate::core::yaml::{Document, Schema, parse};
use comments::{Note, Notes, Position, notes_of};
use write::{Commented, joined, plain};

/// A consolidated file.
#[derive(Debug)]
pub struct Consolidated {
    /// The YAML text, comments included.
    pub text: String,
    /// Each file and the selector of its section, in the order of the files.
    pub selectors: Vec<(String, String)>,
    /// What it was, and what it is.
    pub sizes: Sizes,
}

/// Bytes and leaves, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The bytes of all files together.
    pub bytes_before: u64,
    /// The bytes of the one file.
    pub bytes_after: u64,
    /// The leaves of all recipes together.
    pub leaves_before: u64,
    /// The leaves of the base and all sections.
    pub leaves_after: u64,
}

/// The section that a file becomes: `override_` and its stem in lower case, runs of other characters than letters and
/// digits as `_`.
pub fn section_key(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    let mut key = String::from("override_");
    let start = key.len();
    let mut pending = false;
    for c in stem.to_lowercase().chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            if pending && key.len() > start {
                key.push('_');
            }
            pending = false;
            key.push(c);
        } else {
            pending = true;
        }
    }
    key
}

/// One file on its way into the bundle.
struct Part<'d> {
    file: &'d str,
    key: String,
    recipe: Tree<'d>,
    notes: Notes,
    changes: Vec<Entry<'d>>,
}

/// Makes one file of many.
///
/// # Errors
/// Every reason why the files cannot be represented: an override file, a name that is null, keys that are no texts, values
/// that do not survive writing, two files with one section.
pub fn consolidate(documents: &[Document]) -> Result<Consolidated, Diagnostics> {
    let mut found = Diagnostics::new();
    let mut parts: Vec<Part<'_>> = documents.iter().filter_map(|document| part_of(document, &mut found)).collect();
    one_key_each(&parts, &mut found);
    if found.has_errors() {
        return Err(found);
    }
    parts.sort_by(|a, b| a.key.cmp(&b.key));
    let bodies: Vec<Tree<'_>> = parts.iter().map(|part| without_name(&part.recipe)).collect();
    let base = factor::base_of(&bodies.iter().collect::<Vec<_>>());
    for (part, body) in parts.iter_mut().zip(&bodies) {
        part.changes = vec![Entry::new("name", name_of(&part.recipe))];
        part.changes.extend(factor::changes(&base, body));
    }
    let text = text_of(&base, &mut parts);
    let by_file: HashMap<&str, &str> = parts.iter().map(|part| (part.file, part.key.as_str())).collect();
    let names = documents.iter().map(|document| document.source().name());
    let selectors: Vec<(String, String)> =
        names.filter_map(|name| Some((name.to_owned(), (*by_file.get(name)?).to_owned()))).collect();
    let originals: Vec<Original<'_>> = parts
        .iter()
        .map(|part| Original { file: part.file, recipe: part.recipe.clone(), selector: part.key.clone() })
        .collect();
    let leaves_after = prove(&text, &originals)?;
    let sizes = Sizes {
        bytes_before: documents.iter().map(|document| document.source().text().len() as u64).sum(),
        bytes_after: text.len() as u64,
        leaves_before: parts.iter().map(|part| part.recipe.leaves()).sum(),
        leaves_after,
    };
    Ok(Consolidated { text, selectors, sizes })
}

fn part_of<'d>(document: &'d Document, found: &mut Diagnostics) -> Option<Part<'d>> {
    let file = RecipeFile::read(document, found)?;
    let source = document.source();
    let errors = found.error_count();
    if let Some(entry) = file.root().entry("base") {
        let message = format!("{} has `base`, expected one flat recipe", source.name());
        let diagnostic = file.pointed_at(Diagnostic::error(Code::RecipeNotFlat, message), entry.key.place());
        found.push(diagnostic.path("base").help("leave it out: it is a bundle of variants already"));
    }
    if let Some(name) = file.root().entry("name").filter(|entry| entry.value.is_null()) {
        let message = "the name is written as null, and no section can say that: null removes the key";
        let diagnostic = file.pointed_at(Diagnostic::error(Code::RecipeNotRepresentable, message), name.place());
        found.push(diagnostic.path("name").help("remove the key, or give a name"));
    }
    for span in document.special_collections() {
        let message = "a set, an ordered mapping or pairs would be read back as an ordinary list or mapping";
        let diagnostic = Diagnostic::error(Code::RecipeNotRepresentable, message).at(source, span);
        found.push(diagnostic.path(source.name()).help("remove the tag"));
    }
    unwritable(&file, file.root(), &mut String::new(), found);
    (found.error_count() == errors).then(|| Part {
        file: source.name(),
        key: section_key(source.name()),
        recipe: file.root().clone(),
        notes: notes_of(document),
        changes: Vec::new(),
    })
}

/// Keys that are no texts, and binary data.
fn unwritable(file: &RecipeFile<'_>, tree: &Tree<'_>, path: &mut String, found: &mut Diagnostics) {
    let length = path.len();
    let mut refuse = |tree: &Tree<'_>, path: &str, message: String, help: &str| {
        let diagnostic = Diagnostic::error(Code::RecipeNotRepresentable, message);
        found.push(file.pointed_at(diagnostic, tree.place()).path(path).help(help));
    };
    match tree.data() {
        Data::Binary(_) => {
            refuse(tree, path, "binary data would be read back as a text".to_owned(), "write it as a text");
        }
        Data::List(list) => {
            for (index, item) in list.items().iter().enumerate() {
                path.push_str(&format!("[{index}]"));
                unwritable(file, item, path, found);
                path.truncate(length);
            }
        }
        Data::Map(map) => {
            for entry in map.entries() {
                if length > 0 {
                    path.push('.');
                }
                let key = entry.key.key_text();
                path.push_str(&key);
                if entry.key.as_str().is_none() {
                    let message = format!("the key `{key}` is {}, expected a text", entry.key.type_name());
                    let diagnostic = Diagnostic::error(Code::RecipeNotRepresentable, message);
                    let diagnostic = file.pointed_at(diagnostic, entry.key.place()).path(path.clone());
                    found.push(diagnostic.help(format!("quote it: \"{key}\"")));
                }
                unwritable(file, &entry.value, path, found);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

fn one_key_each(parts: &[Part<'_>], found: &mut Diagnostics) {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for part in parts {
        if let Some(first) = seen.insert(&part.key, part.file) {
            let message = format!("{} and {first} both become `{}`", part.file, part.key);
            let diagnostic = Diagnostic::error(Code::RecipeKeyCollision, message).in_file(part.file);
            found.push(diagnostic.path(part.key.clone()).help("rename one of the files, or leave it out"));
        }
    }
}

fn name_of<'d>(recipe: &Tree<'d>) -> Tree<'d> {
    recipe.get("name").cloned().unwrap_or_else(|| Tree::new(Data::Null))
}

fn without_name<'d>(recipe: &Tree<'d>) -> Tree<'d> {
    let entries = recipe.as_map().map_or(&[][..], super::Map::entries);
    Tree::map(entries.iter().filter(|entry| entry.key.as_str() != Some("name")).cloned().collect())
}

/// The whole file.
fn text_of(base: &Tree<'_>, parts: &mut [Part<'_>]) -> String {
    let in_base = keys_of(base);
    let base_notes = settle_notes(&in_base, parts);
    let mut out = String::new();
    match base.as_map().filter(|map| !map.is_empty()) {
        Some(map) => {
            out.push_str("base:\n");
            Commented::new(&base_notes).write(&mut out, map, 2);
        }
        None => out.push_str(&plain(&Tree::map(vec![Entry::new("base", Tree::map(Vec::new()))]))),
    }
    for part in parts {
        out.push('\n');
        for line in &part.notes.head {
            out.push_str(line);
            out.push('\n');
        }
        let section = Tree::map(std::mem::take(&mut part.changes));
        out.push_str(&part.key);
        out.push_str(":\n");
        if let Some(map) = section.as_map() {
            Commented::new(&part.notes.keyed).write(&mut out, map, 2);
        }
    }
    out
}

/// The paths of all keys of a tree.
fn keys_of(tree: &Tree<'_>) -> hashbrown::HashSet<String> {
    fn collect(tree: &Tree<'_>, path: &mut Vec<String>, keys: &mut hashbrown::HashSet<String>) {
        for entry in tree.as_map().map_or(&[][..], super::Map::entries) {
            path.push(entry.key.key_text().into_owned());
            keys.insert(joined(path));
            collect(&entry.value, path, keys);
            path.pop();
        }
    }
    let mut keys = hashbrown::HashSet::new();
    collect(tree, &mut Vec::new(), &mut keys);
    keys
}

/// Leaves each comment where its key is written: in the section of its file, in the base when that has the key and other
/// files say the same, else above the section, with the key in front. Returns the comments of the base.
fn settle_notes(in_base: &hashbrown::HashSet<String>, parts: &mut [Part<'_>]) -> Vec<Note> {
    let mut homeless: Vec<(usize, Note)> = Vec::new();
    for (at, part) in parts.iter_mut().enumerate() {
        let section = Tree::map(part.changes.clone());
        let written = keys_of(&section);
        let (here, elsewhere): (Vec<Note>, Vec<Note>) =
            std::mem::take(&mut part.notes.keyed).into_iter().partition(|note| written.contains(&joined(&note.path)));
        part.notes.keyed = here;
        homeless.extend(elsewhere.into_iter().map(|note| (at, note)));
    }
    let mut counts: HashMap<(String, Position, Vec<String>), usize> = HashMap::new();
    let identity = |note: &Note| (joined(&note.path), note.position, note.lines.clone());
    for (_, note) in &homeless {
        *counts.entry(identity(note)).or_default() += 1;
    }
    let files = parts.len();
    let mut chosen: HashMap<(String, Position), (usize, Vec<String>)> = HashMap::new();
    for (_, note) in &homeless {
        let (path, position, lines) = identity(note);
        let count = counts.get(&identity(note)).copied().unwrap_or(0);
        let is_shared = (count > 1 || files == 1) && in_base.contains(&path);
        let best = chosen.get(&(path.clone(), position)).map_or(0, |(count, _)| *count);
        if is_shared && count > best {
            chosen.insert((path, position), (count, lines));
        }
    }
    let mut base_notes: Vec<Note> = Vec::new();
    for (at, note) in homeless {
        let place = (joined(&note.path), note.position);
        match chosen.get(&place) {
            Some((_, lines)) if *lines == note.lines => {
                if !base_notes.contains(&note) {
                    base_notes.push(note);
                }
            }
            _ => parts[at].notes.head.extend(with_key(note)),
        }
    }
    base_notes
}

/// The lines of a comment that stands away from its key.
fn with_key(note: Note) -> Vec<String> {
    let mut lines = note.lines;
    if let Some(first) = lines.first_mut() {
        let text = first.trim_start_matches('#').trim_start();
        *first = format!("# {}: {text}", note.path.join("."));
    }
    lines
}

/// Reads the file back and compares each section with what it replaces. Returns its leaves.
fn prove(text: &str, originals: &[Original<'_>]) -> Result<u64, Diagnostics> {
    let source: Arc<Source> = Source::new("the consolidated file", text);
    let mut found = Diagnostics::new();
    let Some(document) = parse(&source, Schema::V11, &mut found) else { return Err(found) };
    let Some(file) = RecipeFile::read(&document, &mut found) else { return Err(found) };
    for difference in differences(&file, &file.variants(), originals).differences {
        let path = difference.path.clone().unwrap_or_default();
        let message =
            format!("{} cannot be represented: `{path}` would be read back as another value", difference.file);
        let diagnostic = Diagnostic::error(Code::RecipeNotRepresentable, message);
        let diagnostic = match difference.original {
            Some((source, span)) => diagnostic.at(source, span),
            None => diagnostic.in_file(difference.file.clone()),
        };
        found.push(diagnostic.path(path).help("write the value in a simpler way, or leave the file out"));
    }
    if found.has_errors() { Err(found) } else { Ok(file.root().leaves()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_become_keys() {
        for (file, key) in [
            ("a/Agg-GB200_tp8.c4.yaml", "override_agg_gb200_tp8_c4"),
            ("--x--.yml", "override_x"),
            ("x", "override_x"),
            (".hidden", "override_hidden"),
            ("é.yaml", "override_"),
        ] {
            assert_eq!(section_key(file), key);
        }
    }
}
