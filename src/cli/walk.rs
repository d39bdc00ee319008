//! The files of a checkout, for `lint`.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::files::reason_of;
use crate::core::diag::{Code, Diagnostic, Diagnostics, Severity, Source};
use crate::core::lint::{Role, Tree, role_of};

/// A checkout, and the parts of it that were asked for; all of it when none is named.
pub(super) struct Root {
    pub(super) tree: Tree,
    pub(super) only: Vec<PathBuf>,
}

/// Folders that hold nothing of the checkout's own.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "__pycache__", ".venv"];
/// What makes a folder a checkout of its own.
const MARKS: [&str; 2] = [".git", ".github"];
/// Scripts and configs are smaller; what is larger is data.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
const MAX_DEPTH: usize = 40;
const MAX_FILES: usize = 200_000;
const TIME: Duration = Duration::from_secs(15);

/// The checkouts that the paths belong to. `None` when a path does not exist.
pub(super) fn roots(paths: &[PathBuf], found: &mut Diagnostics) -> Option<Vec<Root>> {
    let mut asked: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
    for path in paths {
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) => {
                let name = path.display().to_string();
                let message = format!("{name} {}", reason_of(&error));
                let diagnostic = Diagnostic::error(Code::FileUnreadable, message).in_file(name);
                found.push(diagnostic.help("name a checkout, or a file or folder of one"));
                return None;
            }
        };
        let root = root_of(&real);
        let below = real.strip_prefix(&root).unwrap_or(Path::new("")).to_owned();
        let is_all = below.as_os_str().is_empty();
        match asked.iter_mut().find(|(known, _)| *known == root) {
            Some((_, only)) if is_all => only.clear(),
            Some((_, only)) if only.is_empty() => {}
            Some((_, only)) => only.push(below),
            None => asked.push((root, if is_all { vec![] } else { vec![below] })),
        }
    }
    Some(asked.into_iter().map(|(root, only)| Root { tree: read_tree(&root), only }).collect())
}

/// A folder that looks like a checkout is one. Of any other path, the checkout around it: what a file means depends on the
/// others.
fn root_of(path: &Path) -> PathBuf {
    const CONTENTS: [&str; 5] = [".git", ".github", "configs", "runners", "action.yml"];
    if path.is_dir() && CONTENTS.iter().any(|name| path.join(name).exists()) && !path.ends_with(".github") {
        return path.to_owned();
    }
    let around = path.ancestors().skip(1).find(|folder| MARKS.iter().any(|mark| folder.join(mark).exists()));
    match around {
        Some(folder) => folder.to_owned(),
        None if path.is_dir() => path.to_owned(),
        None => path.parent().unwrap_or(path).to_owned(),
    }
}

struct Walk {
    root: PathBuf,
    tree: Tree,
    /// Folders by what they really are, so that links cannot lead in circles.
    seen: Vec<PathBuf>,
    deadline: Instant,
    stopped: bool,
}

fn read_tree(root: &Path) -> Tree {
    let mut walk = Walk {
        root: root.to_owned(),
        tree: Tree::default(),
        seen: Vec::new(),
        deadline: Instant::now() + TIME,
        stopped: false,
    };
    walk.folder(root, "", 0);
    let Walk { mut tree, stopped, .. } = walk;
    if stopped {
        let message = "the checkout is too large to be read whole, so some files were not looked at";
        let note = Diagnostic::new(Code::FileTooLarge, Severity::Note, message);
        tree.unread.push(note.help("name the part that matters: `srtx-gh lint .github runners`"));
    }
    tree.files.sort_by(|a, b| a.name().cmp(b.name()));
    tree.names.sort();
    tree.links.sort();
    tree
}

impl Walk {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) {
        if depth > MAX_DEPTH || self.tree.names.len() > MAX_FILES || Instant::now() > self.deadline {
            self.stopped = true;
            return;
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.note(prefix.trim_end_matches('/'), &reason_of(&error)),
        };
        let mut entries: Vec<fs::DirEntry> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        let is_other = depth > 0 && entries.iter().any(|entry| MARKS.iter().any(|mark| entry.file_name() == *mark));
        if is_other {
            return;
        }
        for entry in entries {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = entry.path();
            let full = format!("{prefix}{name}");
            let Ok(kind) = entry.file_type() else { continue };
            let (is_dir, is_file) = if kind.is_symlink() {
                let Ok(meta) = fs::metadata(&path) else { continue };
                if meta.is_dir() && !self.is_new(&path) {
                    continue;
                }
                (meta.is_dir(), meta.is_file())
            } else {
                (kind.is_dir(), kind.is_file())
            };
            if is_dir {
                if !SKIPPED.contains(&name.as_str()) {
                    self.folder(&path, &format!("{full}/"), depth + 1);
                }
            } else if is_file {
                if kind.is_symlink() {
                    self.tree.links.push(full.clone());
                }
                if let Some(role) = role_of(&full) {
                    self.read(&path, &full, role);
                }
                self.tree.names.push(full);
            }
        }
    }

    /// Whether a link leads to a folder outside of those that are walked anyway, and for the first time.
    fn is_new(&mut self, link: &Path) -> bool {
        let Ok(real) = fs::canonicalize(link) else { return false };
        let known = real.starts_with(&self.root) || self.root.starts_with(&real) || self.seen.contains(&real);
        if !known {
            self.seen.push(real);
        }
        !known
    }

    fn read(&mut self, path: &Path, name: &str, role: Role) {
        let notes = self.tree.unread.len();
        self.read_file(path, name, role);
        // Nobody waits for a text that only may name something.
        if role == Role::Text {
            self.tree.unread.truncate(notes);
        }
    }

    fn read_file(&mut self, path: &Path, name: &str, role: Role) {
        let file = match fs::File::open(path) {
            Ok(file) => file,
            Err(error) => return self.note(name, &reason_of(&error)),
        };
        let mut bytes = Vec::new();
        if role == Role::PerhapsScript {
            let mut start = [0_u8; 2];
            let is_script = (&file).read_exact(&mut start).is_ok() && start == *b"#!";
            if !is_script {
                return;
            }
            bytes.extend_from_slice(&start);
        }
        if let Err(error) = file.take(MAX_BYTES + 1).read_to_end(&mut bytes) {
            return self.note(name, &reason_of(&error));
        }
        if bytes.len() as u64 > MAX_BYTES {
            return self.note(name, "is larger than the 4 MiB that are read");
        }
        let is_script = matches!(role, Role::Shell | Role::Python | Role::PerhapsScript);
        if bytes.contains(&0) {
            // Programs often start like scripts and hold data behind it.
            if role != Role::PerhapsScript {
                self.note(name, "is no text");
            }
            return;
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.tree.files.push(Source::new(name, text)),
            // An old encoding matters in comments only.
            Err(error) if is_script => {
                self.tree.files.push(Source::new(name, String::from_utf8_lossy(error.as_bytes())));
            }
            Err(_) => self.note(name, "is not UTF-8"),
        }
    }

    /// What is not read is no fault, but worth knowing.
    fn note(&mut self, name: &str, reason: &str) {
        let name = if name.is_empty() { "." } else { name };
        let message = format!("{name} {reason}, so it was not looked at");
        let note = Diagnostic::new(Code::FileUnreadable, Severity::Note, message).in_file(name);
        self.tree.unread.push(note.help("check its permissions and its encoding, if it is meant to be read"));
    }
}
