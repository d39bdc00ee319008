//! Files in and out: read whole, written beside their place and renamed.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::core::diag::{Code, Diagnostic, Source};
use crate::core::matrix::Recipes;
use crate::core::yaml::MAX_FILE_BYTES;

/// Reads a text file, named as the user named it.
pub(super) fn read_source(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let name = path.display().to_string();
    let bytes = read_bounded(path).map_err(|error| unreadable(&name, &error))?;
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("{name} is larger than the 64 MiB that are read");
        return Err(Diagnostic::error(Code::FileTooLarge, message).in_file(name).help("split it into several files"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bad = error.as_bytes()[at];
            // The valid part alone can be shown, and its end is the place.
            let mut valid = error.into_bytes();
            valid.truncate(at);
            let source = Source::new(name, String::from_utf8(valid).unwrap_or_default());
            Err(Diagnostic::error(Code::NotUtf8, format!("the byte 0x{bad:02x} here is not UTF-8"))
                .at(&source, at..at)
                .help("save the file as UTF-8"))
        }
    }
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
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        io::ErrorKind::IsADirectory => "is a folder, expected a file".to_owned(),
        io::ErrorKind::PermissionDenied => "may not be read".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    let mut diagnostic = Diagnostic::error(Code::FileUnreadable, format!("{name} {reason}")).in_file(name);
    if Path::new(name).is_relative()
        && let Ok(here) = std::env::current_dir()
    {
        diagnostic = diagnostic.help(format!("paths are relative to the working directory, {}", here.display()));
    }
    diagnostic
}

/// `configs/*master*.yaml` of the working directory, in byte order.
pub(super) fn default_master_files() -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir("configs")? {
        let name = entry?.file_name();
        if let Some(name) = name.to_str()
            && name.contains("master")
            && name.ends_with(".yaml")
        {
            found.push(Path::new("configs").join(name));
        }
    }
    found.sort();
    Ok(found)
}

/// Recipes of the checkout: below its root, which is the parent of the folder of the first config file.
#[derive(Debug)]
pub(super) struct CheckoutRecipes {
    roots: Vec<PathBuf>,
}

impl CheckoutRecipes {
    pub(super) fn beside(config: &Path) -> Self {
        let folder = config.parent().unwrap_or(Path::new(""));
        let mut roots = vec![PathBuf::new()];
        if let Some(root) = folder.parent() {
            roots.push(root.to_owned());
        }
        roots.push(folder.to_owned());
        roots.dedup();
        Self { roots }
    }
}

impl Recipes for CheckoutRecipes {
    fn recipe(&self, path: &str) -> Option<Arc<Source>> {
        // Upstream keeps the same tree in another folder than the one that configs name.
        const UPSTREAM: &str = "benchmarks/multi_node/srt-slurm-recipes";
        let escapes = Path::new(path).components().any(|part| !matches!(part, std::path::Component::Normal(_)));
        if escapes {
            return None;
        }
        let below_upstream = path.strip_prefix("recipes/").map(|rest| format!("{UPSTREAM}/{rest}"));
        self.roots
            .iter()
            .flat_map(|root| {
                std::iter::once(root.join(path)).chain(below_upstream.as_ref().map(|path| root.join(path)))
            })
            .find_map(|file| read_source(&file).ok())
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
