//! Builds the step summary and keeps it below the limit.
//!
//! In: headings, paragraphs, tables, listings. Out: Markdown of at most so many bytes. What does not fit is left out at the
//! end of a row, a line or a character, and a notice says how much it was: one byte too many, and the runner drops the whole
//! summary while the job stays green.

mod escape;
mod table;

use std::path::Path;

pub use self::table::{Cell, Column, Table};
use super::file;
use super::limits::{COMMENT_BUDGET, SUMMARY_BUDGET};
use super::runner::RunnerFile;
use crate::core::diag::{Diagnostic, floor_char_boundary};

/// Room for the notice that something was left out, the longest numbers included.
const NOTICE_BYTES: usize = 160;

/// A step summary: blocks in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    blocks: Vec<Block>,
}

/// A part that stands alone: a frame, and pieces that may be left out from the end.
#[derive(Debug, Clone)]
struct Block {
    open: String,
    pieces: Vec<String>,
    close: String,
    /// What one piece is called in the notice.
    unit: &'static str,
    /// The start of a piece in so many bytes, or nothing when it must stay whole.
    cut: fn(&str, usize) -> String,
}

impl Block {
    fn bytes(&self) -> usize {
        self.open.len() + self.pieces.iter().map(String::len).sum::<usize>() + self.close.len()
    }
}

impl Summary {
    /// Nothing to show yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Adds a heading, from level 1 (largest) to 6. The text is escaped.
    pub fn heading(&mut self, level: usize, text: &str) -> &mut Self {
        let marks = "#".repeat(level.clamp(1, 6));
        let title = escape::inline(text).replace(escape::LINE_BREAK, " ");
        self.push(format!("{marks} {title}\n\n"), Vec::new(), String::new(), "line", nowhere)
    }

    /// Adds a paragraph. The text is escaped, its line breaks are kept.
    pub fn paragraph(&mut self, text: &str) -> &mut Self {
        let text = escape::paragraph(text);
        let pieces = if text.is_empty() { Vec::new() } else { vec![text] };
        self.push(String::new(), pieces, "\n\n".to_owned(), "line", escape::cut_markup)
    }

    /// Adds text as it is, in a box of fixed width. `language` colours it and may be empty.
    pub fn listing(&mut self, language: &str, text: &str) -> &mut Self {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
        let language: String = language.chars().filter(|c| c.is_ascii_alphanumeric() || "+-_".contains(*c)).collect();
        let pieces = text.lines().map(|line| format!("{line}\n")).collect();
        self.push(format!("{fence}{language}\n"), pieces, format!("{fence}\n\n"), "line", cut_line)
    }

    /// Adds a table. Rows that do not fit are left out whole.
    pub fn table<const N: usize>(&mut self, table: Table<N>) -> &mut Self {
        let (head, rows) = table.into_lines();
        self.push(head, rows, "\n".to_owned(), "row", nowhere)
    }

    /// Adds Markdown of our own as it is, never text of strangers. It may be cut after any of its lines, so no construct in
    /// it may span lines that matter to each other.
    pub fn markdown(&mut self, text: &str) -> &mut Self {
        let pieces = text.lines().map(|line| format!("{line}\n")).collect();
        self.push(String::new(), pieces, "\n".to_owned(), "line", nowhere)
    }

    /// The Markdown, in at most `budget` bytes. Where not even the notice finds room, it is empty.
    pub fn render(&self, budget: usize) -> String {
        self.render_within(budget, "A step summary may have 1 MiB.")
    }

    /// The Markdown, within what a comment may have.
    pub fn render_comment(&self) -> String {
        self.render_within(COMMENT_BUDGET, "A comment may have 65,536 characters.")
    }

    fn render_within(&self, budget: usize, allowed: &str) -> String {
        let bytes: usize = self.blocks.iter().map(Block::bytes).sum();
        let mut out = String::with_capacity(bytes.min(budget));
        if bytes <= budget {
            for block in &self.blocks {
                push_block(&mut out, block, block.pieces.len(), "");
            }
            return out;
        }
        let Some(room) = budget.checked_sub(NOTICE_BYTES) else { return out };
        for (at, block) in self.blocks.iter().enumerate() {
            if out.len() + block.bytes() <= room {
                push_block(&mut out, block, block.pieces.len(), "");
                continue;
            }
            let left_out = push_part(&mut out, block, room);
            let later = self.blocks.len() - at - 1;
            out.push_str(&match left_out {
                Some(pieces) => notice(&[(pieces, block.unit), (later, "part")], allowed),
                None => notice(&[(later + 1, "part")], allowed),
            });
            break;
        }
        out
    }

    /// Appends it to the file of `GITHUB_STEP_SUMMARY`, within what is left of the budget there.
    ///
    /// # Errors
    ///
    /// [`crate::core::diag::Code::OutputFile`] when the file is missing or cannot be written.
    pub fn append_to(&self, path: &Path) -> Result<(), Diagnostic> {
        // One byte is for the line break that may come first.
        let taken = file::size(RunnerFile::Summary, path)?.saturating_add(1);
        file::append(RunnerFile::Summary, path, &self.render(SUMMARY_BUDGET.saturating_sub(taken)))
    }

    fn push(
        &mut self,
        open: String,
        pieces: Vec<String>,
        close: String,
        unit: &'static str,
        cut: fn(&str, usize) -> String,
    ) -> &mut Self {
        self.blocks.push(Block { open, pieces, close, unit, cut });
        self
    }
}

fn push_block(out: &mut String, block: &Block, pieces: usize, part: &str) {
    out.push_str(&block.open);
    for piece in &block.pieces[..pieces] {
        out.push_str(piece);
    }
    out.push_str(part);
    out.push_str(&block.close);
}

/// Adds as many pieces of a block as fit, and a part of the next where it can be cut. Gives the number of pieces that are
/// missing or incomplete, and adds nothing, not even the frame, when not one fits.
fn push_part(out: &mut String, block: &Block, room: usize) -> Option<usize> {
    let frame = block.open.len() + block.close.len();
    let mut left = room.checked_sub(out.len() + frame)?;
    let mut fit = 0;
    while let Some(piece) = block.pieces.get(fit).filter(|piece| piece.len() <= left) {
        left -= piece.len();
        fit += 1;
    }
    let part = block.pieces.get(fit).map(|piece| (block.cut)(piece, left)).unwrap_or_default();
    if fit == 0 && part.is_empty() {
        return None;
    }
    push_block(out, block, fit, &part);
    Some(block.pieces.len() - fit)
}

fn notice(left_out: &[(usize, &str)], allowed: &str) -> String {
    let counts: Vec<String> = left_out
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    format!("\n> **Left out here:** {}. {allowed}\n", counts.join(" and "))
}

/// A piece that is kept whole or not at all.
fn nowhere(_: &str, _: usize) -> String {
    String::new()
}

/// The start of a line of a listing, with an ellipsis and its line break.
fn cut_line(piece: &str, room: usize) -> String {
    const END: &str = "…\n";
    match room.checked_sub(END.len()) {
        Some(end @ 1..) => format!("{}{END}", &piece[..floor_char_boundary(piece, end)]),
        _ => String::new(),
    }
}

fn longest_run(text: &str, c: char) -> usize {
    text.split(|other| other != c).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
