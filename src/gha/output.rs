//! Writes outputs, variables for later steps and saved state.
//!
//! In: names and values, where delimiters come from, and what must not leak. Out: one text, appended in one write, or a
//! refusal that wrote nothing. [`super::reader`] says how the runner reads it.

use std::path::Path;

use serde::Serialize;

use super::budget::Budget;
use super::json::{compact_json, to_compact_json};
use super::limits::{ENV_STRING_BYTES, ENV_VALUE_BUDGET};
use super::names::{check_env_name, check_output_name};
use super::runner::RunnerFile;
use super::secrets::Secrets;
use super::{file, random};
use crate::core::diag::{Code, Diagnostic};

/// What is to be written to one runner file. Every record has been checked when it was added.
#[derive(Debug, Clone)]
pub struct Records {
    file: RunnerFile,
    records: Vec<(String, String)>,
}

impl Records {
    /// For `GITHUB_OUTPUT`: the outputs of this step.
    pub fn outputs() -> Self {
        Self { file: RunnerFile::Output, records: Vec::new() }
    }

    /// For `GITHUB_ENV`: variables of later steps. Never put text of strangers there.
    pub fn variables() -> Self {
        Self { file: RunnerFile::Env, records: Vec::new() }
    }

    /// For `GITHUB_STATE`: what the post step of this action gets as `STATE_<name>`.
    pub fn state() -> Self {
        Self { file: RunnerFile::State, records: Vec::new() }
    }

    /// Adds a text. Any text reads back the same on every platform, except those that are refused.
    ///
    /// # Errors
    ///
    /// [`Code::OutputName`]: the name is malformed, dangerous, or stands there already (in any case: the runner does not
    /// tell `A` from `a`). [`Code::OutputFailed`]: the value ends in a carriage return, which a Windows runner would take
    /// for a part of the line break after it, or holds NUL, which no environment takes.
    /// [`Code::EnvironmentTooLarge`]: a variable above 100 KiB.
    pub fn text(&mut self, name: &str, value: impl Into<String>) -> Result<(), Diagnostic> {
        let value = value.into();
        self.check_name(name)?;
        self.check_value(name, &value)?;
        self.records.push((name.to_owned(), value));
        Ok(())
    }

    /// Adds a value as JSON, compact and in ASCII.
    ///
    /// # Errors
    ///
    /// As [`Records::text`], and [`Code::OutputFailed`] when the value cannot be JSON.
    pub fn json(&mut self, name: &str, value: &impl Serialize) -> Result<(), Diagnostic> {
        let json = to_compact_json(value).map_err(|error| self.no_json(name, &error.to_string()))?;
        self.text(name, json)
    }

    /// Adds a JSON text, however it is laid out, as compact ASCII. An empty text is none: `fromJSON` fails on it.
    ///
    /// # Errors
    ///
    /// As [`Records::text`], and [`Code::OutputFailed`] when the text is not strict JSON.
    pub fn json_text(&mut self, name: &str, text: &str) -> Result<(), Diagnostic> {
        let json = compact_json(text).map_err(|reason| self.no_json(name, &reason))?;
        self.text(name, json)
    }

    /// The names and values, in the order in which they were added.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.records.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The runner file that they are for.
    pub fn file(&self) -> RunnerFile {
        self.file
    }

    /// Checks for secrets, renders, and appends to a runner file in one write.
    ///
    /// # Errors
    ///
    /// Those of [`render`]; [`Code::SecretInOutput`] when an output holds what looks like a secret (GitHub would drop it
    /// and leave the job green); [`Code::OutputFile`] when the file is missing or cannot be written. Nothing is written
    /// then.
    pub fn append_to(&self, path: &Path, secrets: &Secrets) -> Result<(), Diagnostic> {
        if self.file == RunnerFile::Output {
            for (name, value) in self.pairs() {
                secrets.check(name, value)?;
            }
        }
        let text = render(self, random::token)?;
        file::append(self.file, path, &text)
    }

    fn check_name(&self, name: &str) -> Result<(), Diagnostic> {
        match self.file {
            RunnerFile::Env => check_env_name(name)?,
            _ => check_output_name(name)?,
        }
        if self.records.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            return Err(self.refused(Code::OutputName, name, "is written twice"));
        }
        Ok(())
    }

    fn check_value(&self, name: &str, value: &str) -> Result<(), Diagnostic> {
        if value.ends_with('\r') {
            return Err(self
                .refused(Code::OutputFailed, name, "ends in a carriage return, which a Windows runner drops")
                .help("remove the white space at the end of the value"));
        }
        if value.contains('\0') {
            return Err(self.refused(Code::OutputFailed, name, "holds a NUL character, which no environment takes"));
        }
        if self.file == RunnerFile::Env && value.len() > ENV_VALUE_BUDGET {
            let what = format!(
                "has {} bytes, and {ENV_VALUE_BUDGET} of the {ENV_STRING_BYTES} that the kernel takes are for it",
                value.len()
            );
            return Err(self
                .refused(Code::EnvironmentTooLarge, name, &what)
                .help("write it to a file and set the variable to its path"));
        }
        Ok(())
    }

    fn no_json(&self, name: &str, reason: &str) -> Diagnostic {
        self.refused(Code::OutputFailed, name, &format!("is not JSON: {reason}"))
    }

    /// A refusal that names the record and never its value.
    fn refused(&self, code: Code, name: &str, what: &str) -> Diagnostic {
        let kind = self.file.record_kind();
        Diagnostic::error(code, format!("the {kind} `{name}` {what}")).path(format!("{kind}.{name}"))
    }
}

/// Renders records as the text of a runner file: a block each, closed by a delimiter of its own.
///
/// `delimiters` gives a fresh delimiter per record; [`random::token`] outside of tests. The budget covers these records,
/// not those that an earlier call of the same job has written.
///
/// # Errors
///
/// [`Code::LimitExceeded`] when the outputs exceed the budget of a job. [`Code::OutputFailed`] when a value holds its
/// delimiter, or the source gives none or an unusable one.
pub fn render(
    records: &Records,
    mut delimiters: impl FnMut() -> Result<String, Diagnostic>,
) -> Result<String, Diagnostic> {
    if records.file == RunnerFile::Output {
        Budget::JOB.check(records.pairs())?;
    }
    let mut text = String::new();
    for (name, value) in records.pairs() {
        let delimiter = delimiters()?;
        if delimiter.is_empty() || !delimiter.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(records.refused(Code::OutputFailed, name, "got an unusable delimiter"));
        }
        // A value that holds 128 bits it cannot know was made by someone who does know them: do not try another.
        if memchr::memmem::find(value.as_bytes(), delimiter.as_bytes()).is_some() {
            return Err(records.refused(Code::OutputFailed, name, "holds the random delimiter that would close it"));
        }
        for part in [name, "<<", &delimiter, "\n", value, "\n", &delimiter, "\n"] {
            text.push_str(part);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
