//! The comments of a recipe, each with the key that it speaks of.

use crate::core::yaml::{Document, Kind, NodeRef};

/// Where a comment stands, seen from its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Position {
    /// On lines of its own above the key.
    Before,
    /// Behind the value.
    Beside,
    /// On lines of its own below the last key of a block.
    After,
}

/// A comment and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    /// The keys that lead to the value.
    pub(super) path: Vec<String>,
    pub(super) position: Position,
    /// The lines, each from its `#` on.
    pub(super) lines: Vec<String>,
}

/// All comments of a file.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// What speaks of the whole file: the first block of comment lines that stands at its margin.
    pub(super) head: Vec<String>,
    /// What speaks of a key.
    pub(super) keyed: Vec<Note>,
}

/// A key of a mapping that is in no list.
struct Key {
    start: usize,
    column: usize,
    path: Vec<String>,
}

/// Lines of comments that follow each other.
struct Block {
    start: usize,
    column: usize,
    own_line: bool,
    lines: Vec<String>,
}

/// Reads the comments of a document.
pub(super) fn notes_of(document: &Document) -> Notes {
    let text = document.source().text();
    let blocks = blocks_of(document, text);
    let mut notes = Notes::default();
    if blocks.is_empty() {
        return notes;
    }
    let mut keys = Vec::new();
    if let Some(root) = document.root() {
        collect_keys(root, text, &mut Vec::new(), &mut keys);
    }
    keys.sort_by_key(|key| key.start);
    let mut has_head = false;
    for block in blocks {
        if block.own_line && block.column == 0 && !has_head {
            has_head = true;
            notes.head = block.lines;
            continue;
        }
        match note_of(&keys, block) {
            Ok(note) => notes.keyed.push(note),
            Err(lines) => notes.head.extend(lines),
        }
    }
    notes
}

/// The note that a block is; its lines alone where there is no key.
fn note_of(keys: &[Key], block: Block) -> Result<Note, Vec<String>> {
    let next = keys.partition_point(|key| key.start < block.start);
    let (before, after) = (next.checked_sub(1).map(|at| &keys[at]), keys.get(next));
    let note = |key: &Key, position, lines| Ok(Note { path: key.path.clone(), position, lines });
    if !block.own_line {
        return match before {
            Some(key) => note(key, Position::Beside, block.lines),
            None => Err(block.lines),
        };
    }
    match (before, after) {
        // Indented like the keys above, and deeper than the next one: it ends the block above.
        (Some(_), Some(next_key)) if block.column > next_key.column => {
            let sibling = keys[..next].iter().rev().find(|key| key.column <= block.column);
            match sibling {
                Some(key) => note(key, Position::After, block.lines),
                None => note(next_key, Position::Before, block.lines),
            }
        }
        (_, Some(key)) => note(key, Position::Before, block.lines),
        (Some(_), None) => match keys.iter().rev().find(|key| key.column <= block.column) {
            Some(key) => note(key, Position::After, block.lines),
            None => Err(block.lines),
        },
        (None, None) => Err(block.lines),
    }
}

fn blocks_of(document: &Document, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut last_end = 0;
    for comment in document.comments() {
        let line_start = text[..comment.span.start].rfind('\n').map_or(0, |at| at + 1);
        let before = &text[line_start..comment.span.start];
        let own_line = before.trim_matches([' ', '\t', '\u{feff}']).is_empty();
        let column = before.chars().filter(|c| *c != '\u{feff}').count();
        let line = text[comment.span.clone()].trim_end().to_owned();
        let follows = text[last_end..comment.span.start].trim().is_empty()
            && text[last_end..comment.span.start].matches('\n').count() == 1;
        match blocks.last_mut() {
            Some(block) if own_line && block.own_line && block.column == column && follows => block.lines.push(line),
            _ => blocks.push(Block { start: comment.span.start, column, own_line, lines: vec![line] }),
        }
        last_end = comment.span.end;
    }
    blocks
}

fn collect_keys(node: NodeRef<'_>, text: &str, path: &mut Vec<String>, keys: &mut Vec<Key>) {
    if node.is_alias() || !matches!(node.kind(), Kind::Map) {
        return;
    }
    for (key, value) in node.written_entries() {
        let Some(name) = key.as_str() else { continue };
        path.push(name.to_owned());
        let start = key.site().start;
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let column = text[line_start..start].chars().filter(|c| *c != '\u{feff}').count();
        keys.push(Key { start, column, path: path.clone() });
        collect_keys(value, text, path, keys);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::diag::{Diagnostics, Source};
    use crate::core::yaml::{Schema, parse};

    #[test]
    fn comments_find_their_keys() {
        let yaml = "# head\n# goes on\n\nname: n # beside\n# of model\nmodel:\n  path: p\n  # of the list\n  list:\n  # in the list\n  \
                    - 1\n  # last of model\n\nother: x\n# end\n";
        let document = parse(&Source::new("r", yaml), Schema::V11, &mut Diagnostics::new()).unwrap();
        let notes = notes_of(&document);
        assert_eq!(notes.head, ["# head", "# goes on"]);
        let shown: Vec<String> = notes
            .keyed
            .iter()
            .map(|n| format!("{} {:?} {}", n.path.join("."), n.position, n.lines.join("|")))
            .collect();
        assert_eq!(
            shown,
            [
                "name Beside # beside",
                "model Before # of model",
                "model.list Before # of the list",
                "model.list After # in the list",
                "model.list After # last of model",
                "other After # end",
            ]
        );
    }
}
