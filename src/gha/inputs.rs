//! Judges action inputs. In: variables of ours, as the steps of our actions set them. Out: values, or what is wrong.
//!
//! A composite action gets no `INPUT_*` variables from the runner, so every action maps its inputs to `SRTX_*` by hand, and
//! `INPUT_*` is ignored here. Whatever was not given arrives as an empty text, and everything is a text.

use std::ffi::OsString;

use serde_json::Value;

use super::limits::{ENV_STRING_BYTES, ENV_VALUE_BUDGET};
use super::names::shown;
use crate::core::actions::variable;
use crate::core::diag::{Code, Diagnostic};

/// The inputs of an action, by their names in `action.yml`.
#[derive(Debug, Clone)]
pub struct Inputs<F> {
    get: F,
}

/// Where a JSON argument comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The text itself.
    Text(String),
    /// `@FILE`: the path of a file.
    File(String),
    /// `-`: standard input.
    Stdin,
}

impl<F: Fn(&str) -> Option<OsString>> Inputs<F> {
    /// Inputs from a lookup of variables.
    pub fn new(get: F) -> Self {
        Self { get }
    }

    /// A text without the white space around it; none when it is absent or blank.
    ///
    /// # Errors
    ///
    /// [`Code::BadInput`]: not UTF-8, or the words that GitHub makes of a list or a mapping inside a text.
    /// [`Code::EnvironmentTooLarge`]: above 100 KiB.
    pub fn text(&self, input: &str) -> Result<Option<String>, Diagnostic> {
        let variable = variable(input);
        let Some(value) = (self.get)(&variable) else { return Ok(None) };
        if value.len() > ENV_VALUE_BUDGET {
            return Err(too_large(&variable, value.len()));
        }
        let value = value.into_string().map_err(|_| bad(&variable, "is not UTF-8"))?;
        let value = value.trim();
        check_interpolation(&variable, value)?;
        Ok((!value.is_empty()).then(|| value.to_owned()))
    }

    /// `true` or `false` in any case; none when it is absent or blank.
    ///
    /// # Errors
    ///
    /// As [`Inputs::text`], and [`Code::BadInput`] for any other word: `yes` and `1` would be guesses.
    pub fn boolean(&self, input: &str) -> Result<Option<bool>, Diagnostic> {
        let Some(text) = self.text(input)? else { return Ok(None) };
        match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => Err(bad(&variable(input), &format!("is `{}`, expected true or false", shown(&text)))),
        }
    }

    /// The lines that are not blank, without the white space around them. For values that may hold blanks, such as paths.
    ///
    /// # Errors
    ///
    /// As [`Inputs::text`].
    pub fn lines(&self, input: &str) -> Result<Vec<String>, Diagnostic> {
        self.items(input, |text| text.lines().map(str::trim).filter(|line| !line.is_empty()).collect())
    }

    /// The words between blanks and line breaks.
    ///
    /// # Errors
    ///
    /// As [`Inputs::text`].
    pub fn words(&self, input: &str) -> Result<Vec<String>, Diagnostic> {
        self.items(input, |text| text.split_whitespace().collect())
    }

    fn items(&self, input: &str, split: fn(&str) -> Vec<&str>) -> Result<Vec<String>, Diagnostic> {
        let text = self.text(input)?.unwrap_or_default();
        let variable = variable(input);
        let checked = |item: &str| check_interpolation(&variable, item).map(|()| item.to_owned());
        split(&text).into_iter().map(checked).collect()
    }

    /// Whole numbers: `16`, `16 24`, `16,24`, or a JSON list `[16,24]`; each of them may stand in quotes once.
    ///
    /// # Errors
    ///
    /// As [`Inputs::text`], and [`Code::BadInput`]: a list inside a list, a list encoded twice, or no whole number.
    pub fn integers(&self, input: &str) -> Result<Vec<u64>, Diagnostic> {
        match self.text(input)? {
            Some(text) => integers(&variable(input), &text),
            None => Ok(Vec::new()),
        }
    }

    /// A JSON value that stands in the variable itself; none when it is absent or blank.
    ///
    /// # Errors
    ///
    /// As [`Inputs::text`] and [`json`].
    pub fn json(&self, input: &str) -> Result<Option<Value>, Diagnostic> {
        let Some(text) = self.text(input)? else { return Ok(None) };
        json(&format!("env.{}", variable(input)), &text).map(Some)
    }

    /// Where a JSON value is: in the variable, in a file, or on standard input.
    ///
    /// # Errors
    ///
    /// As [`Inputs::text`], and [`Code::BadInput`] for `@` without a path.
    pub fn source(&self, input: &str) -> Result<Option<Source>, Diagnostic> {
        let Some(text) = self.text(input)? else { return Ok(None) };
        match text.strip_prefix('@') {
            Some("") => Err(bad(&variable(input), "is `@` without the path of a file")),
            Some(path) => Ok(Some(Source::File(path.to_owned()))),
            None if text == "-" => Ok(Some(Source::Stdin)),
            None => Ok(Some(Source::Text(text))),
        }
    }
}

/// Parses JSON that a workflow handed over, from wherever it was read. `path` names it in diagnostics.
///
/// # Errors
///
/// [`Code::BadInput`]: not JSON, a list or a mapping that was put into a text, or JSON inside a JSON text.
pub fn json(path: &str, text: &str) -> Result<Value, Diagnostic> {
    let refused = |what: String| Diagnostic::error(Code::BadInput, format!("{path} {what}")).path(path);
    let value = serde_json::from_str(text).map_err(|error| {
        let refusal = refused(format!("is not JSON: {error}"));
        if stops_at_interpolation(text, &error) {
            refusal.help("`Array` or `Object` stands where a list or a mapping was put into a text; use toJson for it")
        } else if text.trim().is_empty() {
            refusal.help("an output that was never set, or that GitHub dropped, is an empty text")
        } else {
            refusal.help("pass it as `${{ toJson(…) }}`, as the whole value")
        }
    })?;
    if let Value::String(inner) = &value
        && matches!(serde_json::from_str(inner), Ok(Value::Array(_) | Value::Object(_) | Value::String(_)))
    {
        return Err(refused("is JSON inside a JSON text: it was encoded twice".to_owned())
            .help("an output is JSON text already: pass `${{ steps.x.outputs.y }}` without toJson, or decode it with fromJson"));
    }
    Ok(value)
}

fn integers(variable: &str, text: &str) -> Result<Vec<u64>, Diagnostic> {
    let no_number = |item: &str| match check_interpolation(variable, item) {
        Ok(()) => bad(variable, &format!("holds `{}`, expected whole numbers", shown(item))),
        Err(interpolated) => interpolated,
    };
    let of_text = |text: &str| {
        let items = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|item| !item.is_empty());
        items.map(|item| whole_number(item).ok_or_else(|| no_number(item))).collect::<Result<Vec<u64>, _>>()
    };
    if !text.starts_with(['[', '{', '"']) {
        return of_text(text);
    }
    match json(&format!("env.{variable}"), text)? {
        Value::String(inner) => of_text(&inner),
        Value::Array(items) => items
            .iter()
            .map(|item| match item {
                Value::Array(_) => Err(bad(variable, "is a list inside a list")
                    .help("the value is a list already: pass it without brackets around it")),
                Value::String(digits) => whole_number(digits).ok_or_else(|| no_number(digits)),
                other => other.as_u64().ok_or_else(|| no_number(&other.to_string())),
            })
            .collect(),
        other => Err(no_number(&other.to_string())),
    }
}

fn whole_number(text: &str) -> Option<u64> {
    // `parse` would take a plus sign.
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn check_interpolation(variable: &str, text: &str) -> Result<(), Diagnostic> {
    if !interpolated(text) {
        return Ok(());
    }
    Err(bad(variable, &format!("holds `{}`: a list or a mapping was put into a text", shown(text)))
        .help("GitHub writes the word `Array` or `Object` there; pass `${{ toJson(…) }}` as the whole value"))
}

/// Whether a text is nothing but the words that GitHub writes for lists and mappings, in brackets, in quotes or several.
fn interpolated(text: &str) -> bool {
    let mut words = text
        .split(|c: char| matches!(c, '[' | ']' | ',' | '"' | '\'') || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .peekable();
    words.peek().is_some() && words.all(|word| matches!(word, "Array" | "Object"))
}

/// Whether the first thing that is not JSON is one of these words.
fn stops_at_interpolation(text: &str, error: &serde_json::Error) -> bool {
    let line = error.line().checked_sub(1).and_then(|before| text.split('\n').nth(before)).unwrap_or_default();
    let rest = line.as_bytes().get(error.column().saturating_sub(1)..).unwrap_or_default();
    rest.starts_with(b"Array") || rest.starts_with(b"Object")
}

fn bad(variable: &str, what: &str) -> Diagnostic {
    Diagnostic::error(Code::BadInput, format!("{variable} {what}")).path(format!("env.{variable}"))
}

fn too_large(variable: &str, bytes: usize) -> Diagnostic {
    Diagnostic::error(
        Code::EnvironmentTooLarge,
        format!("{variable} has {bytes} bytes, and {ENV_VALUE_BUDGET} of the {ENV_STRING_BYTES} that the kernel takes are for it"),
    )
    .path(format!("env.{variable}"))
    .help("let the step before write the value to a file, and pass `@FILE`")
}

#[cfg(test)]
mod tests;
