//! Tables for the step summary. In: columns and cells. Out: a head and rows as lines of Markdown.

use std::fmt::Display;

use super::escape;

/// A cell. It can be made only in ways that keep it inside its table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell(String);

impl Cell {
    /// A text, shown exactly as it is.
    pub fn text(text: &str) -> Self {
        Self(escape::inline(text))
    }

    /// A text of fixed width.
    pub fn code(text: &str) -> Self {
        // HTML, because nothing can be escaped between backticks.
        Self(format!("<code>{}</code>", escape::inline(text)))
    }

    /// A number, or anything else that prints itself.
    pub fn value(value: impl Display) -> Self {
        Self::text(&value.to_string())
    }

    /// A text that leads to a page. Addresses other than `https://` and `http://` are left out.
    pub fn link(text: &str, url: &str) -> Self {
        if url.starts_with("https://") || url.starts_with("http://") {
            Self(format!("<a href=\"{}\">{}</a>", escape::attribute(url), escape::inline(text)))
        } else {
            Self::text(text)
        }
    }
}

/// The head of a column.
#[derive(Debug, Clone)]
pub struct Column {
    title: Cell,
    rule: &'static str,
}

impl Column {
    /// A column of texts.
    pub fn left(title: &str) -> Self {
        Self { title: Cell::text(title), rule: "---" }
    }

    /// A column of numbers, which stand at its right side.
    pub fn right(title: &str) -> Self {
        Self { title: Cell::text(title), rule: "--:" }
    }
}

/// A table of `N` columns.
#[derive(Debug, Clone)]
pub struct Table<const N: usize> {
    head: String,
    rows: Vec<String>,
}

impl<const N: usize> Table<N> {
    /// A table without rows.
    pub fn new(columns: [Column; N]) -> Self {
        let rules = line(columns.iter().map(|column| column.rule));
        let titles = line(columns.iter().map(|column| column.title.0.as_str()));
        Self { head: format!("{titles}{rules}"), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: [Cell; N]) -> &mut Self {
        self.rows.push(line(cells.iter().map(|cell| cell.0.as_str())));
        self
    }

    /// The two lines of the head, and the rows.
    pub(super) fn into_lines(self) -> (String, Vec<String>) {
        (self.head, self.rows)
    }
}

fn line<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    let mut out = String::from("|");
    for cell in cells {
        out.push(' ');
        out.push_str(cell);
        out.push_str(" |");
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_a_head_a_rule_and_rows() {
        let mut table = Table::new([Column::left("name"), Column::right("tok/s")]);
        table.row([Cell::code("a_b"), Cell::value(1.5)]);
        table.row([Cell::text(""), Cell::link("run 1", "https://h/1")]);
        let (head, rows) = table.into_lines();
        assert_eq!(head, "| name | tok/s |\n| --- | --: |\n");
        assert_eq!(rows, ["| <code>a\\_b</code> | 1.5 |\n", "|  | <a href=\"https://h/1\">run 1</a> |\n"]);
    }

    #[test]
    fn l30_no_cell_leaves_its_row() {
        let hostile = "x | y\n| z |\r\n`<script>`\\";
        for cell in
            [Cell::text(hostile), Cell::code(hostile), Cell::value(hostile), Cell::link(hostile, "https://h/a|b\"\n")]
        {
            let mut table = Table::new([Column::left("a")]);
            table.row([cell]);
            let row = table.into_lines().1.remove(0);
            assert_eq!((row.matches('|').count(), row.matches('\n').count()), (2, 1), "{row}");
            assert!(!row.contains("<script"), "{row}");
        }
        assert_eq!(Cell::link("x", "javascript:alert(1)"), Cell::text("x"));
    }
}
