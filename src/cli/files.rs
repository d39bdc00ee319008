//! Files in and out: read whole, written beside their place and renamed.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::core::diag::{Code, Diagnostic, Source};
use crate::core::matrix::Recipes;
use crate::core::schema::suggestion;
use crate::core::yaml::MAX_FILE_BYTES;

/// Reads a text file, named as the user named it.
pub(super) fn read_source(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let name = path.display().to_string();
    let bytes = read_bounded(path).map_err(|error| unreadable(&name, &error))?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(too_large(&name));
    }
    source_of(name, bytes)
}

/// A named text, unless its bytes are none.
pub(super) fn source_of(name: String, bytes: Vec<u8>) -> Result<Arc<Source>, Diagnostic> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bad = error.as_bytes()[at];
            // Up to there nothing is replaced, so the place is the same in the text that can be shown.
            let source = Source::new(name, String::from_utf8_lossy(error.as_bytes()));
            Err(Diagnostic::error(Code::NotUtf8, format!("the byte 0x{bad:02x} here is not UTF-8"))
                .at(&source, at..at + char::REPLACEMENT_CHARACTER.len_utf8())
                .help("save the file as UTF-8"))
        }
    }
}

/// Why a file of that size is not read.
pub(super) fn too_large(name: &str) -> Diagnostic {
    let message = format!("{name} is larger than the 64 MiB that are read");
    let help = "check that this is the right file, or split it into several";
    Diagnostic::error(Code::FileTooLarge, message).in_file(name).help(help)
}

/// One byte more than is allowed tells a file that is too large without reading all of it.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let file = fs::File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).min(MAX_FILE_BYTES) + 1);
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::FileUnreadable, format!("{name} {}", reason_of(error))).in_file(name);
    match error.kind() {
        io::ErrorKind::IsADirectory => diagnostic.help("name the files that are in it"),
        io::ErrorKind::NotFound => not_found(diagnostic, Path::new(name)),
        _ => diagnostic.help("check the permissions of the file and of the folders above it"),
    }
}

/// What is wrong with a path, as the end of a sentence.
pub(super) fn reason_of(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        io::ErrorKind::IsADirectory => "is a folder, expected a file".to_owned(),
        io::ErrorKind::NotADirectory => "is a file, expected a folder".to_owned(),
        io::ErrorKind::PermissionDenied => "may not be read".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

/// A file of a similar name beside it is the likely cause; a wrong working directory the next.
fn not_found(diagnostic: Diagnostic, path: &Path) -> Diagnostic {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    beside.sort();
    let wanted = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if let Some(near) = suggestion(wanted, beside.iter().map(String::as_str)) {
        return diagnostic.help(format!("did you mean `{}`?", path.with_file_name(near).display()));
    }
    match std::env::current_dir() {
        Ok(here) if path.is_relative() => {
            diagnostic.help(format!("paths are relative to the working directory, {}", here.display()))
        }
        _ => diagnostic.help("check the spelling of the path"),
    }
}

/// Where named texts are: the work tree, or a tree of git.
pub(super) trait Files {
    /// Reads a text file by its path from the working directory.
    fn read(&self, path: &Path) -> Result<Arc<Source>, Diagnostic>;

    /// The names in a folder in any order; or what is wrong with it, as the end of a sentence.
    fn names_in(&self, folder: &str) -> Result<Vec<String>, String>;

    /// Whether something stands at a path.
    fn has(&self, path: &Path) -> bool;
}

/// The files as they are now.
#[derive(Debug)]
pub(super) struct WorkTree;

impl Files for WorkTree {
    fn read(&self, path: &Path) -> Result<Arc<Source>, Diagnostic> {
        read_source(path)
    }

    fn names_in(&self, folder: &str) -> Result<Vec<String>, String> {
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(|error| reason_of(&error))?;
        Ok(entries.into_iter().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    fn has(&self, path: &Path) -> bool {
        path.exists()
    }
}

/// `configs/*master*.yaml` of the working directory, in byte order.
pub(super) fn default_master_files(files: &dyn Files) -> Result<Vec<PathBuf>, String> {
    let mut names = files.names_in("configs")?;
    names.retain(|name| name.contains("master") && name.ends_with(".yaml"));
    names.sort();
    // A slash on every system: annotations want one.
    Ok(names.iter().map(|name| PathBuf::from(format!("configs/{name}"))).collect())
}

/// Recipes of a checkout: below its root, which is the parent of the folder of the first config file.
pub(super) struct RecipesBeside<'f> {
    files: &'f dyn Files,
    roots: Vec<PathBuf>,
}

impl<'f> RecipesBeside<'f> {
    pub(super) fn new(config: &Path, files: &'f dyn Files) -> Self {
        let folder = config.parent().unwrap_or(Path::new(""));
        let mut roots = vec![PathBuf::new()];
        if let Some(root) = folder.parent() {
            roots.push(root.to_owned());
        }
        roots.push(folder.to_owned());
        roots.dedup();
        Self { files, roots }
    }

    /// Whether a file stands at this path from the root.
    pub(super) fn has(&self, path: &str) -> bool {
        is_inside(path) && self.roots.iter().any(|root| self.files.has(&root.join(path)))
    }
}

/// Whether a path leads nowhere but down.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

impl Recipes for RecipesBeside<'_> {
    fn recipe(&self, path: &str) -> Option<Arc<Source>> {
        // Upstream keeps the same tree in another folder than the one that configs name.
        const UPSTREAM: &str = "benchmarks/multi_node/srt-slurm-recipes";
        if !is_inside(path) {
            return None;
        }
        let below_upstream = path.strip_prefix("recipes/").map(|rest| format!("{UPSTREAM}/{rest}"));
        self.roots
            .iter()
            .flat_map(|root| {
                std::iter::once(root.join(path)).chain(below_upstream.as_ref().map(|path| root.join(path)))
            })
            .find_map(|file| self.files.read(&file).ok())
    }
}

/// Replaces a file in one step, so that nobody ever sees half of it.
pub(super) fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
