//! Reads a repository at a revision, by git itself: no checkout, and few processes.
//!
//! In: revisions and paths. Out: commits, texts and names, or a diagnostic that says what to run. A revision is data: it
//! goes to git as a line of input and never as an argument, so that none can become an option.

use std::cell::RefCell;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::child::{Failure, Finished, Talk, run};
use crate::core::diag::{Code, Diagnostic};
use crate::core::schema::suggestion;

/// How long git may take for one question, or for all the files of one run.
const LIMIT: Duration = Duration::from_secs(20);

/// What stands at a path of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    /// Nothing.
    Missing,
    /// A file.
    File(Vec<u8>),
    /// A file that is larger than it may be; it was not read.
    TooLarge,
    /// A folder, and the names in it.
    Folder(Vec<String>),
    /// A link that leads nowhere, in a circle, or out of the repository.
    BadLink,
}

/// A file that has another name at another revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// Its path at the base.
    pub before: String,
    /// Its path at the head.
    pub after: String,
}

/// The repository of the working directory.
#[derive(Debug)]
pub struct Repository {
    top: PathBuf,
    prefix: String,
    shallow: bool,
    /// Started with the first question.
    objects: RefCell<Option<Talk>>,
}

impl Repository {
    /// Finds the repository of the working directory.
    ///
    /// # Errors
    /// [`Code::GitUnavailable`] when git cannot be run, [`Code::NoRepository`] when there is no repository, or git does not
    /// trust it.
    pub fn open() -> Result<Self, Diagnostic> {
        let asked = ["rev-parse", "--is-shallow-repository", "--show-prefix", "--show-cdup"];
        let finished = git(&asked)?;
        if !finished.is_success() {
            return Err(no_repository(&finished));
        }
        let text = String::from_utf8_lossy(&finished.stdout).into_owned();
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default().to_owned();
        let (shallow, prefix, up) = (next() == "true", next(), next());
        let here = std::env::current_dir().unwrap_or_default();
        let top = here.join(up);
        Ok(Self { top: top.canonicalize().unwrap_or(top), prefix, shallow, objects: RefCell::new(None) })
    }

    /// Where the working directory stands below the top of the repository: empty, or with a slash at its end.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The path from the top of the repository; `None` when it leads out of it.
    pub fn path_of(&self, path: &Path) -> Option<String> {
        let below = match path.is_absolute() {
            true => {
                let folder = path.parent()?.canonicalize().ok()?;
                folder.strip_prefix(&self.top).ok()?.join(path.file_name()?)
            }
            false => Path::new(&self.prefix).join(path),
        };
        let mut parts: Vec<&str> = Vec::new();
        for component in below.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => _ = parts.pop()?,
                Component::Normal(part) => parts.push(part.to_str()?),
                Component::Prefix(_) | Component::RootDir => return None,
            }
        }
        Some(parts.join("/"))
    }

    /// The path from the working directory of what stands at a path from the top.
    pub fn path_from_here(&self, path: &str) -> PathBuf {
        path.strip_prefix(&self.prefix).map_or_else(|| self.top.join(path), PathBuf::from)
    }

    /// The commit that a revision names.
    ///
    /// # Errors
    /// [`Code::UnknownRevision`] with the nearest branch or tag, or [`Code::ShallowClone`] with what to fetch.
    pub fn commit(&self, revision: &str) -> Result<String, Diagnostic> {
        match self.find_commit(revision)? {
            Some(commit) => Ok(commit),
            None if self.shallow => Err(not_fetched(revision)),
            None => Err(self.unknown(revision)),
        }
    }

    fn find_commit(&self, revision: &str) -> Result<Option<String>, Diagnostic> {
        if revision.is_empty() || revision.contains(['\n', '\r', '\0']) {
            return Ok(None);
        }
        let answer = self.ask(&format!("{revision}^{{commit}}"))?;
        Ok(answer.map(|(id, ..)| id))
    }

    /// The branch that others leave from and return to, by name and commit: that of a pull request's base, that of the
    /// remote, or a usual name.
    ///
    /// # Errors
    /// [`Code::NoBase`] or [`Code::ShallowClone`] when there is none of them.
    pub fn default_branch(&self, pull_request_base: Option<&str>) -> Result<(String, String), Diagnostic> {
        let of_pull_request = pull_request_base.map(|name| format!("refs/remotes/origin/{name}"));
        let usual = ["origin/HEAD", "origin/main", "origin/master"].map(|name| format!("refs/remotes/{name}"));
        let local = ["main", "master"].map(|name| format!("refs/heads/{name}"));
        for name in of_pull_request.into_iter().chain(usual).chain(local) {
            if let Some(commit) = self.find_commit(&name)? {
                let short = name.trim_start_matches("refs/remotes/").trim_start_matches("refs/heads/");
                return Ok((short.to_owned(), commit));
            }
        }
        Err(match self.shallow {
            true => Diagnostic::error(Code::ShallowClone, "this clone is shallow and has no default branch")
                .help("run `git fetch --unshallow origin`; in a workflow give actions/checkout `fetch-depth: 0`"),
            false => {
                Diagnostic::error(Code::NoBase, "there is no origin/HEAD, origin/main, origin/master, main or master")
                    .help("name what to compare with, for example `srtx-gh diff HEAD~1`")
            }
        })
    }

    /// The last commit that two commits have in common.
    ///
    /// # Errors
    /// [`Code::NoBase`] or [`Code::ShallowClone`] when they have none.
    pub fn merge_base(&self, one: &str, other: &str, names: (&str, &str)) -> Result<String, Diagnostic> {
        let finished = git(&["merge-base", one, other])?;
        let id = String::from_utf8_lossy(&finished.stdout).trim().to_owned();
        if finished.is_success() && !id.is_empty() {
            return Ok(id);
        }
        if finished.code != Some(1) {
            return Err(failed(&finished));
        }
        let message = format!("{} and {} have no common commit", names.0, names.1);
        Err(match self.shallow {
            true => Diagnostic::error(Code::ShallowClone, format!("{message} in this clone, which is shallow"))
                .help("run `git fetch --unshallow origin`; in a workflow give actions/checkout `fetch-depth: 0`"),
            false => Diagnostic::error(Code::NoBase, message).help("name both sides: `srtx-gh diff BASE..HEAD`"),
        })
    }

    /// What stands at a path, from the top of the repository, of a commit. Links within the repository are followed.
    ///
    /// # Errors
    /// [`Code::GitUnavailable`] when git does not answer.
    pub fn object(&self, commit: &str, path: &str, max_bytes: usize) -> Result<Object, Diagnostic> {
        if path.contains(['\n', '\r', '\0']) {
            return Ok(Object::Missing);
        }
        let answer = self.ask_within(&format!("{commit}:{path}"), max_bytes)?;
        Ok(match answer {
            Answer::Missing => Object::Missing,
            Answer::BadLink => Object::BadLink,
            Answer::TooLarge => Object::TooLarge,
            Answer::Object { id, kind, bytes } if kind == "tree" => Object::Folder(names_of_tree(&bytes, id.len() / 2)),
            Answer::Object { kind, bytes, .. } if kind == "blob" => Object::File(bytes),
            Answer::Object { .. } => Object::Missing,
        })
    }

    /// The files that were renamed from one commit to another, or to the files as they are now.
    ///
    /// # Errors
    /// [`Code::GitUnavailable`] when git fails.
    pub fn renames(&self, base: &str, head: Option<&str>) -> Result<Vec<Renamed>, Diagnostic> {
        let options = ["-M", "--diff-filter=R", "--name-status", "-z"];
        let (verb, commits): (&[&str], Vec<&str>) = match head {
            Some(head) => (&["diff-tree", "-r"], vec![base, head]),
            None => (&["diff-index"], vec![base]),
        };
        let finished = git(&[verb, options.as_slice(), commits.as_slice()].concat())?;
        if !finished.is_success() {
            return Err(failed(&finished));
        }
        let text = String::from_utf8_lossy(&finished.stdout).into_owned();
        let fields: Vec<&str> = text.split_terminator('\0').collect();
        let renamed = fields.chunks_exact(3).filter(|record| record[0].starts_with('R'));
        Ok(renamed.map(|record| Renamed { before: record[1].to_owned(), after: record[2].to_owned() }).collect())
    }

    fn unknown(&self, revision: &str) -> Diagnostic {
        let diagnostic =
            Diagnostic::error(Code::UnknownRevision, format!("`{revision}` is no revision of this repository"));
        let asked = ["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"];
        let names =
            git(&asked).map(|finished| String::from_utf8_lossy(&finished.stdout).into_owned()).unwrap_or_default();
        let name = &revision[..revision.find(['~', '^', '@', ':']).unwrap_or(revision.len())];
        match suggestion(name, names.lines()) {
            Some(near) if near != name => diagnostic.help(format!("did you mean `{near}{}`?", &revision[name.len()..])),
            _ => diagnostic.help("`git branch --all` lists the branches, `git fetch` gets those that are missing"),
        }
    }

    /// The identifier, kind and content of a small object.
    fn ask(&self, name: &str) -> Result<Option<(String, String, Vec<u8>)>, Diagnostic> {
        Ok(match self.ask_within(name, 1 << 24)? {
            Answer::Object { id, kind, bytes } => Some((id, kind, bytes)),
            _ => None,
        })
    }

    fn ask_within(&self, name: &str, max_bytes: usize) -> Result<Answer, Diagnostic> {
        let mut talk = match self.objects.borrow_mut().take() {
            Some(talk) => talk,
            None => Talk::start(command().args(["cat-file", "--batch", "--follow-symlinks"]), LIMIT)
                .map_err(|failure| unavailable(&failure))?,
        };
        let answer = ask(&mut talk, name, max_bytes).map_err(|failure| unavailable(&failure))?;
        // The content of what is too large is still to come: git is asked anew rather than listened to.
        if !matches!(answer, Answer::TooLarge) {
            *self.objects.borrow_mut() = Some(talk);
        }
        Ok(answer)
    }
}

enum Answer {
    Missing,
    BadLink,
    TooLarge,
    Object { id: String, kind: String, bytes: Vec<u8> },
}

/// One question to `git cat-file --batch`.
fn ask(talk: &mut Talk, name: &str, max_bytes: usize) -> Result<Answer, Failure> {
    let head = talk.ask(name)?;
    let words: Vec<&str> = head.split(' ').collect();
    match words.as_slice() {
        [id, kind @ ("blob" | "tree" | "commit" | "tag"), size] if is_id(id) => {
            let size = size.parse::<usize>().unwrap_or(usize::MAX);
            if size > max_bytes {
                return Ok(Answer::TooLarge);
            }
            let mut bytes = talk.bytes(size + 1)?;
            bytes.pop();
            Ok(Answer::Object { id: (*id).to_owned(), kind: (*kind).to_owned(), bytes })
        }
        ["symlink" | "dangling" | "loop" | "notdir", size] => {
            let size = size.parse::<usize>().unwrap_or(0).min(max_bytes);
            talk.bytes(size + 1)?;
            Ok(Answer::BadLink)
        }
        _ => Ok(Answer::Missing),
    }
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The names in a tree object: mode, blank, name, NUL, identifier, again and again.
fn names_of_tree(bytes: &[u8], id_bytes: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = bytes;
    while let Some(end) = memchr::memchr(0, rest) {
        if let Some(name) =
            memchr::memchr(b' ', &rest[..end]).and_then(|blank| std::str::from_utf8(&rest[blank + 1..end]).ok())
        {
            names.push(name.to_owned());
        }
        rest = rest.get(end + 1 + id_bytes..).unwrap_or_default();
    }
    names
}

/// Git, in a mood to be read by a program: in English, without questions and without locks.
fn command() -> Command {
    let mut command = Command::new("git");
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
    command
}

fn git(arguments: &[&str]) -> Result<Finished, Diagnostic> {
    run(command().args(arguments), LIMIT).map_err(|failure| unavailable(&failure))
}

fn unavailable(failure: &Failure) -> Diagnostic {
    let (message, help) = match failure {
        Failure::Start(error) if error.kind() == std::io::ErrorKind::NotFound => (
            "git is not installed, or not on the path".to_owned(),
            "install git: the files of a revision are read by it",
        ),
        Failure::Start(error) => (format!("git cannot be started: {error}"), "check the git that is first on the path"),
        Failure::Late(limit) => (
            format!("git did not answer within {} s", limit.as_secs()),
            "a clone without all of its files fetches them one by one: run `git fetch` first, or clone without --filter",
        ),
        Failure::Pipe(error) => (format!("git ended early: {error}"), "run `git fsck`; the repository may be damaged"),
    };
    Diagnostic::error(Code::GitUnavailable, message).help(help)
}

/// Git ran, and refused for a reason of its own.
fn failed(finished: &Finished) -> Diagnostic {
    Diagnostic::error(Code::GitUnavailable, format!("git failed: {}", complaint(finished)))
        .help("run `git status` and `git fsck`; the repository may be damaged")
}

fn no_repository(finished: &Finished) -> Diagnostic {
    let text = complaint(finished);
    if text.contains("dubious ownership") {
        return Diagnostic::error(Code::NoRepository, "git does not trust this repository: it belongs to another user")
            .help("run `git config --global --add safe.directory \"$PWD\"`, as is usual in a container");
    }
    if !text.contains("not a git repository") {
        return failed(finished);
    }
    Diagnostic::error(Code::NoRepository, "the working directory is not in a git repository")
        .help("run it in a clone; in a workflow check the repository out first")
}

/// The first line of what git said, without its own word for an error.
fn complaint(finished: &Finished) -> String {
    let line = finished.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or("no reason was given");
    line.trim_start_matches("fatal: ").trim_start_matches("error: ").to_owned()
}

/// A revision that a shallow clone lacks, and how to get it.
fn not_fetched(revision: &str) -> Diagnostic {
    let fetch = match generations(revision) {
        Some(count) => format!("git fetch --deepen={count} origin"),
        None if is_id(revision) => format!("git fetch --depth=1 origin {revision}"),
        None => match revision.strip_prefix("origin/") {
            Some(branch) => format!("git fetch --depth=1 origin {branch}:refs/remotes/origin/{branch}"),
            None => "git fetch --unshallow origin".to_owned(),
        },
    };
    // What is quoted may be pasted into a shell.
    let is_plain =
        revision.bytes().all(|b| b.is_ascii_alphanumeric() || b"._/-~^".contains(&b)) && !revision.starts_with('-');
    let fetch = if is_plain { fetch } else { "git fetch --unshallow origin".to_owned() };
    Diagnostic::error(Code::ShallowClone, format!("`{revision}` is not in this clone, which is shallow"))
        .help(format!("run `{fetch}`; in a workflow give actions/checkout `fetch-depth: 0`"))
}

/// How many commits back `NAME~3`, `NAME^^` and the like reach.
fn generations(revision: &str) -> Option<usize> {
    let steps = &revision[revision.find(['~', '^'])?..];
    let mut count = 0_usize;
    let mut rest = steps;
    while let Some(kind) = rest.chars().next().filter(|kind| matches!(kind, '~' | '^')) {
        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[1..=digits].parse::<usize>().unwrap_or(1);
        count = count.saturating_add(if kind == '~' { number } else { 1 });
        rest = &rest[1 + digits..];
    }
    rest.is_empty().then_some(count.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_a_tree_are_read_whatever_its_identifiers_hold() {
        let mut tree = Vec::new();
        for (mode, name) in [("100644", "a master.yaml"), ("40000", "d"), ("120000", "é")] {
            tree.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            tree.extend_from_slice(&[0; 20]);
        }
        assert_eq!(names_of_tree(&tree, 20), ["a master.yaml", "d", "é"]);
        assert_eq!(names_of_tree(&tree[..tree.len() - 9], 20), ["a master.yaml", "d", "é"]);
        assert_eq!(names_of_tree(b"rubbish", 20), [""; 0]);
    }

    #[test]
    fn the_command_that_gets_what_a_shallow_clone_lacks_fits_the_revision() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        for (revision, command) in [
            ("HEAD~3", "`git fetch --deepen=3 origin`"),
            ("HEAD^^", "`git fetch --deepen=2 origin`"),
            ("main~2^", "`git fetch --deepen=3 origin`"),
            (id, &*format!("`git fetch --depth=1 origin {id}`")),
            ("origin/main", "`git fetch --depth=1 origin main:refs/remotes/origin/main`"),
            ("v1.0", "`git fetch --unshallow origin`"),
            ("origin/$(touch x)", "`git fetch --unshallow origin`"),
            ("HEAD~99999999999999999999999", "`git fetch --deepen=1 origin`"),
        ] {
            let diagnostic = not_fetched(revision);
            assert_eq!(diagnostic.code, Code::ShallowClone);
            assert!(diagnostic.help[0].contains(command), "{revision}: {}", diagnostic.help[0]);
        }
    }
}
