//! The two sides of a comparison: which revisions, and which files of each.

use std::path::{Path, PathBuf};

use super::tree::GitTree;
use crate::cli::files::{Files, WorkTree, default_master_files};
use crate::cli::matrix::InputArgs;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::{Renamed, Repository};

/// What `BASE[..HEAD]` says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Range<'a> {
    /// The base; by default where the head left the default branch.
    base: Option<&'a str>,
    /// The head; by default the files as they are now.
    head: Option<&'a str>,
    /// Three dots: from where the two parted.
    parted: bool,
}

impl<'a> Range<'a> {
    pub(super) fn of(text: Option<&'a str>) -> Self {
        let text = text.map(str::trim).unwrap_or_default();
        let given = |text: &'a str| (!text.is_empty()).then_some(text);
        let (sides, parted) = match text.split_once("...") {
            Some(sides) => (Some(sides), true),
            None => (text.split_once(".."), false),
        };
        match sides {
            Some((base, head)) => Self { base: given(base), head: Some(given(head).unwrap_or("HEAD")), parted },
            None => Self { base: given(text), head: None, parted },
        }
    }
}

/// One side.
pub(super) struct Side<'r> {
    /// What the user calls it.
    pub(super) label: String,
    /// Its commit; none for the files as they are now.
    pub(super) commit: Option<String>,
    /// Its files.
    pub(super) files: Box<dyn Files + 'r>,
}

impl<'r> Side<'r> {
    fn of_commit(repository: &'r Repository, commit: String, label: String) -> Self {
        let files = Box::new(GitTree::new(repository, commit.clone(), label.clone()));
        Self { label, commit: Some(commit), files }
    }

    fn of_work_tree() -> Self {
        Self { label: "the work tree".to_owned(), commit: None, files: Box::new(WorkTree) }
    }

    /// The path of a source from the working directory, without the revision.
    pub(super) fn plain_name<'n>(&self, repository: &Repository, name: &'n str) -> &'n str {
        let path = self.commit.as_ref().and_then(|_| name.strip_prefix(&self.label)?.strip_prefix(':'));
        path.map_or(name, |path| path.strip_prefix(repository.prefix()).unwrap_or(path))
    }
}

/// Base and head.
pub(super) fn sides<'r>(repository: &'r Repository, range: &Range<'_>) -> Result<(Side<'r>, Side<'r>), Diagnostic> {
    let head = match range.head {
        Some(revision) => Side::of_commit(repository, repository.commit(revision)?, revision.to_owned()),
        None => Side::of_work_tree(),
    };
    let given = range.base.map(|revision| Ok((revision.to_owned(), repository.commit(revision)?))).transpose()?;
    if let (Some((label, commit)), false) = (&given, range.parted) {
        return Ok((Side::of_commit(repository, commit.clone(), label.clone()), head));
    }
    let (name, commit) = match given {
        Some(given) => given,
        None => {
            // A pull request may go to another branch than the default one.
            let base = std::env::var("GITHUB_BASE_REF").ok().filter(|name| !name.trim().is_empty());
            repository.default_branch(base.as_deref())?
        }
    };
    let (head_name, head_commit) = match &head.commit {
        Some(commit) => (head.label.clone(), commit.clone()),
        None => ("HEAD".to_owned(), repository.commit("HEAD")?),
    };
    let parting = repository.merge_base(&commit, &head_commit, (&name, &head_name))?;
    let short = parting.get(..12).unwrap_or(&parting).to_owned();
    Ok((Side::of_commit(repository, parting, short), head))
}

/// The files of each side that a matrix is made from.
pub(super) struct Named {
    /// Master configs; none when the side has none at all.
    pub(super) masters: Vec<PathBuf>,
    /// The runner file.
    pub(super) runners: PathBuf,
}

/// Which files each side has, names of before and after a rename counting as one.
pub(super) fn named(
    repository: &Repository,
    inputs: &InputArgs,
    (base, head): (&Side<'_>, &Side<'_>),
    found: &mut Diagnostics,
) -> Option<(Named, Named)> {
    let mut renames = Renames { repository, base, head, known: None };
    let masters = match inputs.config_files.is_empty() {
        true => default_masters(base, head, found),
        false => {
            let (mut of_base, mut of_head) = (Vec::new(), Vec::new());
            for path in &inputs.config_files {
                let (before, after) = renames.both(path, found)?;
                if let Some((missing, does)) = match (&before, &after) {
                    (None, Some(_)) => Some((&base.label, "added")),
                    (Some(_), None) => Some((&head.label, "removed")),
                    _ => None,
                } {
                    let message = format!("{} has no {}: its points count as {does}", missing, path.display());
                    found.push(Diagnostic::warning(Code::NotAtRevision, message).in_file(path.display().to_string()));
                }
                of_base.extend(before);
                of_head.extend(after);
            }
            (of_base, of_head)
        }
    };
    let (before, after) = renames.both(&inputs.runner_config, found)?;
    // A side whose runner file is missing says so when it is read.
    let runners = |path: Option<PathBuf>| path.unwrap_or_else(|| inputs.runner_config.clone());
    let of_base = Named { masters: masters.0, runners: runners(before) };
    Some((of_base, Named { masters: masters.1, runners: runners(after) }))
}

fn default_masters(base: &Side<'_>, head: &Side<'_>, found: &mut Diagnostics) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let [of_base, of_head] = [base, head].map(|side| default_master_files(&*side.files).unwrap_or_default());
    let missing = match (of_base.is_empty(), of_head.is_empty()) {
        (true, false) => Some((&base.label, "added")),
        (false, true) => Some((&head.label, "removed")),
        _ => None,
    };
    if let Some((label, does)) = missing {
        let message = format!("{label} has no configs/*master*.yaml: all points count as {does}");
        let help = "name the files with --config-files if they are elsewhere";
        found.push(Diagnostic::warning(Code::NotAtRevision, message).in_file("configs").help(help));
    }
    (of_base, of_head)
}

/// Files that have another name on the other side. Git looks for them only when a file is missing.
struct Renames<'a, 'r> {
    repository: &'a Repository,
    base: &'a Side<'r>,
    head: &'a Side<'r>,
    known: Option<Vec<Renamed>>,
}

impl Renames<'_, '_> {
    /// The path of a file on either side. One that is on neither side keeps its name, so that reading it says so.
    fn both(&mut self, path: &Path, found: &mut Diagnostics) -> Option<(Option<PathBuf>, Option<PathBuf>)> {
        let here = |side: &Side<'_>| side.files.has(path).then(|| path.to_owned());
        let (before, after) = (here(self.base), here(self.head));
        let other = match (&before, &after) {
            (Some(_), Some(_)) => return Some((before, after)),
            (None, None) => return Some((Some(path.to_owned()), Some(path.to_owned()))),
            (Some(_), None) => self.other_name(path, |renamed| (&renamed.before, &renamed.after), found)?,
            (None, Some(_)) => self.other_name(path, |renamed| (&renamed.after, &renamed.before), found)?,
        };
        if let Some(other) = &other {
            let (was, is) = if before.is_some() { (path, &**other) } else { (&**other, path) };
            let (was, is) = (was.display(), is.display());
            let message = format!("{was} of {} is {is} of {}", self.base.label, self.head.label);
            found.push(
                Diagnostic::new(Code::NotAtRevision, crate::core::diag::Severity::Note, message)
                    .in_file(is.to_string()),
            );
        }
        Some(if before.is_some() { (before, other) } else { (other, after) })
    }

    fn other_name(
        &mut self,
        path: &Path,
        from_to: impl Fn(&Renamed) -> (&String, &String),
        found: &mut Diagnostics,
    ) -> Option<Option<PathBuf>> {
        if self.known.is_none() {
            let base = self.base.commit.as_deref().unwrap_or("HEAD");
            let asked = self.repository.renames(base, self.head.commit.as_deref());
            self.known = Some(asked.map_err(|diagnostic| found.push(diagnostic)).ok()?);
        }
        let path = self.repository.path_of(path);
        let renamed = self.known.iter().flatten().map(&from_to).find(|(from, _)| Some(*from) == path.as_ref());
        Some(renamed.map(|(_, to)| self.repository.path_from_here(to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_read_as_git_reads_it() {
        let of = |text| {
            let range = Range::of(text);
            (range.base, range.head, range.parted)
        };
        assert_eq!(of(None), (None, None, false));
        assert_eq!(of(Some(" ")), (None, None, false));
        assert_eq!(of(Some("main")), (Some("main"), None, false));
        assert_eq!(of(Some("main..v1.0")), (Some("main"), Some("v1.0"), false));
        assert_eq!(of(Some("main..")), (Some("main"), Some("HEAD"), false));
        assert_eq!(of(Some("..topic")), (None, Some("topic"), false));
        assert_eq!(of(Some("main...topic")), (Some("main"), Some("topic"), true));
        assert_eq!(of(Some("...")), (None, Some("HEAD"), true));
    }
}
