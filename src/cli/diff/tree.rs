//! The files of a revision, read by git.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::cli::files::{Files, source_of, too_large};
use crate::core::diag::{Code, Diagnostic, Source};
use crate::core::schema::suggestion;
use crate::core::yaml::MAX_FILE_BYTES;
use crate::exec::{Object, Repository};

/// A commit, by the name that the user has for it.
pub(super) struct GitTree<'r> {
    repository: &'r Repository,
    commit: String,
    label: String,
    /// Recipes are asked for again and again.
    read: RefCell<HashMap<String, Result<Arc<Source>, Diagnostic>>>,
}

impl<'r> GitTree<'r> {
    pub(super) fn new(repository: &'r Repository, commit: String, label: String) -> Self {
        Self { repository, commit, label, read: RefCell::default() }
    }

    fn object(&self, path: &str) -> Result<Object, Diagnostic> {
        self.repository.object(&self.commit, path, MAX_FILE_BYTES)
    }

    fn read_path(&self, path: &str) -> Result<Arc<Source>, Diagnostic> {
        let name = format!("{}:{path}", self.label);
        let unreadable = |reason: &str, help: &str| {
            Err(Diagnostic::error(Code::FileUnreadable, format!("{name} {reason}")).in_file(&name).help(help))
        };
        match self.object(path)? {
            Object::File(bytes) => source_of(name, bytes),
            Object::TooLarge => Err(too_large(&name)),
            Object::Folder(_) => unreadable("is a folder, expected a file", "name the files that are in it"),
            Object::BadLink => unreadable("is a link that leads to no file of the repository", "name the file itself"),
            Object::Missing => unreadable("does not exist", &self.near(path)),
        }
    }

    /// A file of a similar name beside it, if there is one.
    fn near(&self, path: &str) -> String {
        let (folder, wanted) = path.rsplit_once('/').unwrap_or(("", path));
        let beside = match self.object(folder) {
            Ok(Object::Folder(names)) => names,
            _ => Vec::new(),
        };
        match suggestion(wanted, beside.iter().map(String::as_str)) {
            Some(near) if folder.is_empty() => format!("did you mean `{near}`?"),
            Some(near) => format!("did you mean `{folder}/{near}`?"),
            None => format!("`git ls-tree -r --name-only {}` lists the files of that revision", self.commit),
        }
    }
}

impl Files for GitTree<'_> {
    fn read(&self, path: &Path) -> Result<Arc<Source>, Diagnostic> {
        let Some(path) = self.repository.path_of(path) else {
            let message = format!("{} is not in the repository, so no revision has it", path.display());
            let diagnostic = Diagnostic::error(Code::FileUnreadable, message).in_file(path.display().to_string());
            return Err(diagnostic.help("name a file of the repository"));
        };
        if let Some(known) = self.read.borrow().get(&path) {
            return known.clone();
        }
        let read = self.read_path(&path);
        self.read.borrow_mut().insert(path, read.clone());
        read
    }

    fn names_in(&self, folder: &str) -> Result<Vec<String>, String> {
        let path = self.repository.path_of(Path::new(folder)).unwrap_or_default();
        match self.object(&path) {
            Ok(Object::Folder(names)) => Ok(names),
            Ok(Object::Missing) => Err("does not exist".to_owned()),
            Ok(_) => Err("is a file, expected a folder".to_owned()),
            Err(diagnostic) => Err(format!("cannot be read: {}", diagnostic.message)),
        }
    }

    fn has(&self, path: &Path) -> bool {
        // What cannot be asked for is looked for again when it is read, and reported there.
        let known = self.repository.path_of(path).map(|path| self.object(&path));
        !matches!(known, None | Some(Ok(Object::Missing)))
    }
}
