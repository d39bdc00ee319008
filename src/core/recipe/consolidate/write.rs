//! A recipe as YAML with comments.

use hashbrown::HashMap;

use super::comments::{Note, Position};
use crate::core::recipe::tree::{Entry, Map, Tree};
use crate::core::yaml::{Value, write_yaml};

/// Comments by the path of their key.
pub(super) struct Commented<'n> {
    by_path: HashMap<String, Vec<&'n Note>>,
}

/// A path as one text; keys may hold dots, so they are parted by what no key holds.
pub(super) fn joined(path: &[String]) -> String {
    path.join("\u{0}")
}

impl<'n> Commented<'n> {
    pub(super) fn new(notes: impl IntoIterator<Item = &'n Note>) -> Self {
        let mut by_path: HashMap<String, Vec<&'n Note>> = HashMap::new();
        for note in notes {
            by_path.entry(joined(&note.path)).or_default().push(note);
        }
        Self { by_path }
    }

    /// Appends the entries of a mapping, each line indented.
    pub(super) fn write(&self, out: &mut String, map: &Map<'_>, indent: usize) {
        self.entries(out, map, indent, &mut Vec::new());
    }

    fn entries(&self, out: &mut String, map: &Map<'_>, indent: usize, path: &mut Vec<String>) {
        for entry in map.entries() {
            path.push(entry.key.key_text().into_owned());
            let notes = self.by_path.get(&joined(path)).map_or(&[][..], Vec::as_slice);
            let of = |position: Position| notes.iter().filter(move |note| note.position == position);
            for line in of(Position::Before).flat_map(|note| &note.lines) {
                push_line(out, indent, line);
            }
            let start = out.len();
            match entry.value.as_map().filter(|map| !map.is_empty()) {
                Some(inner) => {
                    key_line(entry).lines().for_each(|line| push_line(out, indent, line));
                    self.entries(out, inner, indent + 2, path);
                }
                None => {
                    for line in leaf(entry).lines() {
                        push_line(out, indent, line);
                    }
                }
            }
            for line in of(Position::Beside).flat_map(|note| &note.lines) {
                beside(out, start, indent, line);
            }
            for line in of(Position::After).flat_map(|note| &note.lines) {
                push_line(out, indent, line);
            }
            path.pop();
        }
    }
}

/// Puts a comment behind an entry of one line, or above a longer one.
fn beside(out: &mut String, start: usize, indent: usize, line: &str) {
    let is_one_line = out[start..].matches('\n').count() == 1;
    if is_one_line {
        out.pop();
        out.push_str("  ");
        out.push_str(line);
        out.push('\n');
    } else {
        let mut above = String::new();
        push_line(&mut above, indent, line);
        out.insert_str(start, &above);
    }
}

fn push_line(out: &mut String, indent: usize, line: &str) {
    if !line.is_empty() {
        out.extend(std::iter::repeat_n(' ', indent));
        out.push_str(line);
    }
    out.push('\n');
}

/// `key:` as the writer has it.
fn key_line(entry: &Entry<'_>) -> String {
    let text = write_yaml(&Value::Map(vec![(entry.key.to_value(), Value::Null)]));
    text.strip_suffix(" null\n").unwrap_or(&text).to_owned()
}

fn leaf(entry: &Entry<'_>) -> String {
    write_yaml(&Value::Map(vec![(entry.key.to_value(), entry.value.to_value())]))
}

/// A whole tree without comments.
pub(super) fn plain(tree: &Tree<'_>) -> String {
    write_yaml(&tree.to_value())
}
