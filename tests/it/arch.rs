//! The dependency rule: the core is pure, and nobody reaches up.
//!
//! `core` decides; it sees no environment, no files, no clock, no threads, no network and no terminal, so that the same
//! input always gives the same answer. `gha` speaks the runner's protocol and knows nothing of the command line.
//!
//! The check reads paths out of the source text: `use` trees, paths in code, and macros. Comments and texts are skipped.

use std::fs;
use std::path::Path;

use crate::support::repository;

/// What nothing below `src/core` may name.
const FORBIDDEN_IN_CORE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::process",
    "std::net",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "tokio",
    "octocrab",
    "tempfile",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "crate::cli",
    "crate::gha",
    "crate::github",
    "crate::exec",
];
const FORBIDDEN_IN_GHA: &[&str] = &["crate::cli", "crate::exec"];
const FORBIDDEN_IN_EXEC: &[&str] = &["crate::cli", "crate::gha"];

#[test]
fn the_core_is_pure() {
    let found = violations_below("core", FORBIDDEN_IN_CORE);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_runner_protocol_does_not_know_the_command_line() {
    let found = violations_below("gha", FORBIDDEN_IN_GHA);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_runs_other_programs_knows_the_core_alone() {
    let found = violations_below("exec", FORBIDDEN_IN_EXEC);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn violations_below(module: &str, forbidden: &[&str]) -> Vec<String> {
    let source = repository().join("src");
    let mut files = Vec::new();
    rust_files(&source.join(module), &mut files);
    assert!(files.len() > 2, "src/{module} has files to look at");
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(&source).unwrap().with_extension("");
        let depth = name.components().filter(|part| part.as_os_str() != "mod").count();
        for (line, path) in violations(&fs::read_to_string(&file).unwrap(), depth, forbidden) {
            found.push(format!("src/{}.rs:{line}: {path}", name.display()));
        }
    }
    found
}

fn rust_files(folder: &Path, files: &mut Vec<std::path::PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The forbidden paths that a file names, each with its line. `depth` is how many `super` lead to the crate.
fn violations(code: &str, depth: usize, forbidden: &[&str]) -> Vec<(usize, String)> {
    let paths = paths_of(&tokens_of(code));
    let absolute = paths.into_iter().map(|(line, path)| (line, from_the_crate(path, depth)));
    absolute.filter(|(_, path)| forbidden.iter().any(|wanted| reaches(path, wanted))).collect()
}

/// `super::super::cli` with enough `super`s is `crate::cli`; inline modules need more of them than the file does.
fn from_the_crate(path: String, depth: usize) -> String {
    let supers = path.split("::").take_while(|step| *step == "super").count();
    if supers == 0 || supers < depth {
        return path;
    }
    let rest: Vec<&str> = path.split("::").skip(supers).collect();
    format!("crate::{}", rest.join("::"))
}

/// Whether a path names the forbidden one, something in it, or everything around it.
fn reaches(path: &str, forbidden: &str) -> bool {
    let below = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    if below(forbidden, path) {
        return true;
    }
    // `use std::time::*`, or `use std::time` and then `time::Instant`.
    match path.strip_suffix("::*") {
        Some(module) => below(module, forbidden),
        None => path.contains("::") && below(path, forbidden),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    line: usize,
    text: String,
}

/// Names, `::` and single characters; comments, texts and characters in quotes are left out.
fn tokens_of(code: &str) -> Vec<Token> {
    let characters: Vec<char> = code.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    let peek = |at: usize| characters.get(at).copied().unwrap_or('\0');
    while at < characters.len() {
        let start = at;
        let c = characters[at];
        let mut text = None;
        match c {
            '/' if peek(at + 1) == '/' => at += characters[at..].iter().take_while(|c| **c != '\n').count(),
            '/' if peek(at + 1) == '*' => at = end_of_block_comment(&characters, at),
            '"' => at = end_of_text(&characters, at),
            'r' | 'b' | 'c' if raw_hashes(&characters, at).is_some() => at = end_of_raw_text(&characters, at),
            '\'' => at = end_of_quote(&characters, at),
            c if c.is_alphabetic() || c == '_' => {
                at += characters[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
                text = Some(characters[start..at].iter().collect());
            }
            ':' if peek(at + 1) == ':' => {
                at += 2;
                text = Some("::".to_owned());
            }
            c => {
                at += 1;
                text = (!c.is_whitespace()).then(|| c.to_string());
            }
        }
        tokens.extend(text.map(|text| Token { line, text }));
        line += characters[start..at.min(characters.len())].iter().filter(|c| **c == '\n').count();
    }
    tokens
}

fn end_of_block_comment(characters: &[char], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < characters.len() {
        match (characters[at], characters.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn end_of_text(characters: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < characters.len() && characters[at] != '"' {
        at += if characters[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// How many `#` a raw text starts with, if one starts here: `r"`, `br#"`.
fn raw_hashes(characters: &[char], start: usize) -> Option<usize> {
    let letters = characters[start..].iter().take_while(|c| matches!(c, 'r' | 'b' | 'c')).count();
    let hashes = characters[start + letters..].iter().take_while(|c| **c == '#').count();
    let is_raw = characters[start + letters - 1] == 'r';
    let quoted = characters.get(start + letters + hashes) == Some(&'"');
    (letters <= 2 && is_raw && quoted).then_some(hashes)
}

fn end_of_raw_text(characters: &[char], start: usize) -> usize {
    let hashes = raw_hashes(characters, start).unwrap_or(0);
    let mut at = start + characters[start..].iter().take_while(|c| **c != '"').count() + 1;
    while at < characters.len() {
        let closes = characters[at] == '"' && characters[at + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
        at += 1;
        if closes {
            return at + hashes;
        }
    }
    at
}

/// A character in quotes, or a lifetime.
fn end_of_quote(characters: &[char], start: usize) -> usize {
    match (characters.get(start + 1), characters.get(start + 2)) {
        (Some('\\'), _) => start + 3 + characters[start + 3..].iter().take_while(|c| **c != '\'').count() + 1,
        (Some(_), Some('\'')) => start + 3,
        _ => start + 1,
    }
}

/// All paths, `use` trees spread out; the name of a macro ends with `!`.
fn paths_of(tokens: &[Token]) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        if token.text == "use" {
            at = use_tree(tokens, at + 1, String::new(), &mut paths);
        } else if is_name(token) {
            let mut path = token.text.clone();
            at += 1;
            while text(tokens, at) == "::" && tokens.get(at + 1).is_some_and(is_name) {
                path = format!("{path}::{}", tokens[at + 1].text);
                at += 2;
            }
            if text(tokens, at) == "!" {
                // A macro is known by its last name, wherever it is taken from.
                path = format!("{}!", path.rsplit("::").next().unwrap_or(&path));
            }
            paths.push((token.line, path));
        } else {
            at += 1;
        }
    }
    paths
}

/// Spreads out the tree that starts here, and gives where it ends.
fn use_tree(tokens: &[Token], start: usize, prefix: String, paths: &mut Vec<(usize, String)>) -> usize {
    let mut at = start;
    let mut path = prefix;
    let join = |path: &str, step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}::{step}") };
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "{" => {
                at += 1;
                while !matches!(text(tokens, at), "}" | "") {
                    at = use_tree(tokens, at, path.clone(), paths);
                    at += usize::from(text(tokens, at) == ",");
                }
                return at + 1;
            }
            "::" => at += 1,
            "as" => at += 2,
            // The module itself: the path as it is.
            "self" if !path.is_empty() => at += 1,
            "*" => (path, at) = (join(&path, "*"), at + 1),
            _ if is_name(token) => (path, at) = (join(&path, &token.text), at + 1),
            _ => break,
        }
    }
    let line = tokens.get(start).map_or(0, |token| token.line);
    paths.push((line, path));
    at
}

fn is_name(token: &Token) -> bool {
    token.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn text(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.text.as_str())
}

fn lines_in_core(code: &str) -> Vec<usize> {
    violations(code, 3, FORBIDDEN_IN_CORE).into_iter().map(|(line, _)| line).collect()
}

#[test]
fn the_check_finds_what_is_forbidden() {
    for code in [
        "use std::env;",
        "use std::fs::File;",
        "use std::{fmt, env};",
        "use std::{fmt, io::{self, Write}, process::{self, Command}};",
        "use std::time::{Duration, Instant};",
        "use std::time::*;",
        "use std::time;",
        "use std::*;",
        "use crate::{cli, core};",
        "use crate::gha::limits as l;",
        "pub(crate) use crate::exec::run;",
        "fn f() { let x = std::env::var(\"X\"); }",
        "fn f() { std :: thread\n::spawn(|| ()); }",
        "fn f() -> std::time::SystemTime { todo() }",
        "fn f() { println!(\"x\"); }",
        "fn f() { std::eprintln!(\"x\"); }",
        "fn f<'a>(x: &'a str) { let y = 'y'; eprint!(\"{x}\"); }",
        "fn f() { let t = \"//\"; tokio::spawn(t); }",
        "fn f() { let t = r#\"\"//\"#; tempfile::tempdir(); }",
        "use super::super::super::cli::Exit;",
        "mod tests { use super::super::super::super::gha::Runner; }",
    ] {
        assert_ne!(lines_in_core(code), [0_usize; 0], "{code}");
    }
    assert_eq!(lines_in_core("use std::fmt;\n\n/* a\nb */ use std::fs;\n"), [4], "the line is that of the path");
}

#[test]
fn the_check_leaves_the_rest_alone() {
    for code in [
        "// use std::env;\n/// println!(\"x\")\n//! crate::cli\n",
        "/* std::fs /* nested std::net */ std::thread */",
        "const A: &str = \"std::env::var\"; const B: &str = r#\"crate::cli \"quoted\" \"#;",
        "use std::{fmt::Write as _, io::{self, Write}, sync::Arc};",
        "use std::time::Duration;",
        "use super::env; fn f() { env::var(); }",
        "use super::super::cli_names;",
        "use crate::core::{cli, gha};",
        "fn f() { writeln!(out, \"x\"); let print = 1; let escaped = '\\''; }",
        "use std::path::Path;",
    ] {
        assert_eq!(violations(code, 3, FORBIDDEN_IN_CORE), [], "{code}");
    }
    let wrong = "use crate::cli::Exit; use crate::core::diag::Code; fn f() { std::env::var(\"X\"); }";
    assert_eq!(violations(wrong, 2, FORBIDDEN_IN_GHA).len(), 1);
}
