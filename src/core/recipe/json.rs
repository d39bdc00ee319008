//! Recipes as JSON: dates as ISO text, what JSON cannot hold as null.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::tree::{Data, Tree};
use crate::core::num::python_float;

/// Writes a value. `indent` is the column of an indented rendering; without it all stands in one line.
///
/// # Errors
/// Only those of the writer.
pub fn write_json(out: &mut dyn Write, tree: &Tree<'_>, indent: Option<usize>) -> io::Result<()> {
    match tree.data() {
        Data::Null => out.write_all(b"null"),
        Data::Bool(value) => write!(out, "{value}"),
        Data::Int(value) => write!(out, "{value}"),
        Data::Big(value) => write!(out, "{value}"),
        Data::Float(value) if value.is_finite() => out.write_all(python_float(*value).as_bytes()),
        Data::Float(_) => out.write_all(b"null"),
        Data::Str(text) => write_text(out, text),
        Data::Binary(text) => write_text(out, text),
        Data::Date(text) => write_text(out, &super::dates::iso_text(text)),
        Data::List(list) => {
            let mut part = Parts::open(out, '[', ']', indent, list.items().is_empty())?;
            for item in list.items() {
                part.next()?;
                write_json(part.out, item, part.inner)?;
            }
            part.close()
        }
        Data::Map(map) => {
            let mut part = Parts::open(out, '{', '}', indent, map.is_empty())?;
            for entry in map.entries() {
                part.next()?;
                write_text(part.out, &entry.key.key_text())?;
                part.out.write_all(if indent.is_some() { b": " } else { b":" })?;
                write_json(part.out, &entry.value, part.inner)?;
            }
            part.close()
        }
    }
}

/// Brackets, commas and line breaks.
struct Parts<'o> {
    out: &'o mut dyn Write,
    closing: char,
    indent: Option<usize>,
    inner: Option<usize>,
    is_first: bool,
}

impl<'o> Parts<'o> {
    fn open(
        out: &'o mut dyn Write,
        opening: char,
        closing: char,
        indent: Option<usize>,
        is_empty: bool,
    ) -> io::Result<Self> {
        write!(out, "{opening}")?;
        let indent = indent.filter(|_| !is_empty);
        Ok(Self { out, closing, indent, inner: indent.map(|indent| indent + 2), is_first: true })
    }

    fn next(&mut self) -> io::Result<()> {
        if !self.is_first {
            self.out.write_all(b",")?;
        }
        self.is_first = false;
        line_break(self.out, self.inner)
    }

    fn close(self) -> io::Result<()> {
        line_break(self.out, self.indent)?;
        write!(self.out, "{}", self.closing)
    }
}

fn line_break(out: &mut dyn Write, indent: Option<usize>) -> io::Result<()> {
    match indent {
        Some(indent) => write!(out, "\n{:indent$}", ""),
        None => Ok(()),
    }
}

fn write_text(out: &mut dyn Write, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}

/// The paths of the numbers that [`write_json`] writes as null.
pub fn not_in_json(tree: &Tree<'_>) -> Vec<String> {
    let mut found = Vec::new();
    look(tree, &mut String::new(), &mut found);
    found
}

fn look(tree: &Tree<'_>, path: &mut String, found: &mut Vec<String>) {
    let length = path.len();
    match tree.data() {
        Data::Float(value) if !value.is_finite() => found.push(path.clone()),
        Data::List(list) => {
            for (index, item) in list.items().iter().enumerate() {
                let _ = write!(path, "[{index}]");
                look(item, path, found);
                path.truncate(length);
            }
        }
        Data::Map(map) => {
            for entry in map.entries() {
                if length > 0 {
                    path.push('.');
                }
                path.push_str(&entry.key.key_text());
                look(&entry.value, path, found);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
