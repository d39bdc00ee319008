//! Appends to a runner file. In: which file, its path, and a text. Out: the text at the end of the file, or a refusal.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::runner::RunnerFile;
use crate::core::diag::{Code, Diagnostic};

/// Appends a text to a runner file in one write. A last line of the file that lacks its line break gets one first, or the
/// text would be glued to it.
///
/// The file must exist: the runner makes it, so a missing one means that the path is wrong, for example that of another
/// container.
///
/// # Errors
///
/// [`Code::OutputFile`] when the file is missing, cannot be opened or written, or is UTF-16, as old versions of PowerShell
/// leave it.
pub fn append(file: RunnerFile, path: &Path, text: &str) -> Result<(), Diagnostic> {
    if text.is_empty() {
        return open(file, path).map(|_| ());
    }
    let mut open_file = open(file, path)?;
    let ends = Ends::of(&mut open_file).map_err(|error| refused(file, path, &error.to_string()))?;
    if ends.utf16 {
        return Err(refused(file, path, "an earlier step wrote UTF-16 to it").help(
            "PowerShell before version 6 does so with `>>`; use `shell: pwsh`, or `Out-File -Encoding utf8 -Append`",
        ));
    }
    let glued;
    let bytes = if ends.open_line {
        glued = format!("\n{text}");
        glued.as_bytes()
    } else {
        text.as_bytes()
    };
    open_file.write_all(bytes).and_then(|()| open_file.flush()).map_err(|error| refused(file, path, &error.to_string()))
}

/// The bytes that a runner file has already.
///
/// # Errors
///
/// [`Code::OutputFile`] when the file is missing or cannot be opened for writing.
pub fn size(file: RunnerFile, path: &Path) -> Result<usize, Diagnostic> {
    let metadata = open(file, path)?.metadata().map_err(|error| refused(file, path, &error.to_string()))?;
    Ok(usize::try_from(metadata.len()).unwrap_or(usize::MAX))
}

fn open(file: RunnerFile, path: &Path) -> Result<File, Diagnostic> {
    OpenOptions::new().read(true).append(true).open(path).map_err(|error| refused(file, path, &error.to_string()))
}

/// What the two ends of a file say about it.
#[derive(Debug, Default)]
struct Ends {
    /// It starts with a byte order mark of UTF-16.
    utf16: bool,
    /// Its last line has no line break.
    open_line: bool,
}

impl Ends {
    fn of(file: &mut File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        // A terminal or a pipe has no end to look at.
        if !metadata.is_file() || metadata.len() == 0 {
            return Ok(Self::default());
        }
        let mut last = [0; 1];
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
        let mut first = [0; 2];
        file.seek(SeekFrom::Start(0))?;
        let utf16 = metadata.len() >= 2 && {
            file.read_exact(&mut first)?;
            matches!(first, [0xff, 0xfe] | [0xfe, 0xff])
        };
        Ok(Self { utf16, open_line: last != *b"\n" })
    }
}

fn refused(file: RunnerFile, path: &Path, reason: &str) -> Diagnostic {
    let variable = file.variable();
    Diagnostic::error(Code::OutputFile, format!("the file of {variable} cannot be written: {reason}"))
        .in_file(path.display().to_string())
        .path(format!("env.{variable}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn written(before: &[u8], text: &str) -> Result<String, Diagnostic> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("output");
        fs::write(&path, before).unwrap();
        append(RunnerFile::Output, &path, text)?;
        Ok(fs::read_to_string(&path).unwrap())
    }

    #[test]
    fn l27_a_last_line_without_its_line_break_is_not_glued() {
        for (before, after) in [
            ("", "a=1\n"),
            ("x=1\n", "x=1\na=1\n"),
            ("x=1", "x=1\na=1\n"),
            ("x=1\r\n", "x=1\r\na=1\n"),
            ("\n", "\na=1\n"),
        ] {
            assert_eq!(written(before.as_bytes(), "a=1\n").unwrap(), after, "{before:?}");
        }
    }

    #[test]
    fn nothing_to_write_leaves_the_file_alone() {
        assert_eq!(written(b"x=1", "").unwrap(), "x=1");
    }

    #[test]
    fn a_file_in_utf_16_is_refused_and_left_alone() {
        for before in [&b"\xff\xfea\0=\0"[..], b"\xfe\xff\0a"] {
            let refused = written(before, "a=1\n").unwrap_err();
            assert_eq!(refused.code, Code::OutputFile);
            assert!(refused.message.contains("UTF-16"), "{}", refused.message);
        }
        assert_eq!(written(b"y", "a=1\n").unwrap(), "y\na=1\n");
    }

    #[test]
    fn a_missing_file_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nowhere");
        for text in ["", "a=1\n"] {
            let refused = append(RunnerFile::Output, &path, text).unwrap_err();
            assert_eq!(refused.code, Code::OutputFile);
            assert_eq!(refused.path.as_deref(), Some("env.GITHUB_OUTPUT"));
            assert_eq!(refused.file(), path.to_str());
        }
        assert!(!path.exists());
        assert_eq!(append(RunnerFile::Env, folder.path(), "a=1\n").unwrap_err().code, Code::OutputFile);
    }

    #[test]
    fn the_size_is_in_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("summary");
        assert_eq!(size(RunnerFile::Summary, &path).unwrap_err().code, Code::OutputFile);
        fs::write(&path, "é\n").unwrap();
        assert_eq!(size(RunnerFile::Summary, &path).unwrap(), 3);
    }
}
