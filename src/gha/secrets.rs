//! Finds secrets in what is about to be written.
//!
//! In: a snapshot of the environment, and texts. Out: the name of the variable whose value a text holds, or the kind of
//! token it looks like; never the value itself.
//!
//! Why: when the runner masks any part of a job output, it drops the whole output with no more than a warning, and the job
//! stays green. The next job then sees an empty text. The runner knows its secrets and we do not, so this goes by the names
//! of variables and by the shapes of well-known tokens. The consumer's check of count and digest covers the rest.

mod forms;
mod names;
mod shapes;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use memchr::memmem;
use serde_json::Value;

use crate::core::diag::{Code, Diagnostic};

/// The shortest value that counts as a secret when the name of its variable says so plainly (`…_TOKEN`, `…_PASSWORD`).
///
/// Masking works on any length, so short values matter. Below four characters nearly every text holds the value by chance,
/// and the check would refuse everything; common words and plain numbers are passed over for the same reason.
pub const MIN_CHARS_PLAIN: usize = 4;

/// The shortest value that counts where the name is a weaker hint (`…_API_KEY`), and the shortest single line of a value
/// with several.
pub const MIN_CHARS_HINTED: usize = 8;

/// What a text holds that must not travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leak<'s> {
    /// The value of the variable with this name.
    Variable(&'s str),
    /// Something with the shape of a well-known kind of token.
    Shape(&'static str),
}

/// The values of an environment that look secret. Neither `Debug` nor any message shows them.
#[derive(Clone, Default)]
pub struct Secrets {
    needles: Vec<Needle>,
}

#[derive(Clone)]
struct Needle {
    variable: String,
    finder: memmem::Finder<'static>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.variables()).finish()
    }
}

impl Secrets {
    /// Picks the values that look secret, by the name of the variable or by their shape.
    pub fn of_env<N: AsRef<str>, V: AsRef<str>>(env: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut secrets = Self::default();
        for (name, value) in env {
            let (name, value) = (name.as_ref(), value.as_ref().trim());
            if names::is_secret(name, value) {
                for part in parts(value) {
                    secrets.add(name, part);
                }
            }
            for found in shapes::find_all(value) {
                secrets.add(name, &value[found.secret]);
            }
        }
        secrets
    }

    /// Picks them from the environment of this process. Values that are not UTF-8 are compared as far as they are.
    pub fn of_process() -> Self {
        Self::of_env(
            std::env::vars_os()
                .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())),
        )
    }

    /// The names of the variables whose values are looked for, each once.
    pub fn variables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.needles.iter().map(|needle| needle.variable.as_str()).collect();
        names.dedup();
        names
    }

    /// Says what a text holds that must not travel: as it is, or as JSON, percent encoding or Base64 would write it.
    pub fn find(&self, payload: &str) -> Option<Leak<'_>> {
        let holds = |needle: &&Needle| needle.finder.find(payload.as_bytes()).is_some();
        match self.needles.iter().find(holds) {
            Some(needle) => Some(Leak::Variable(&needle.variable)),
            None => shapes::find_all(payload).next().map(|found| Leak::Shape(found.kind)),
        }
    }

    /// The text with `***` where it holds a secret, for a log.
    pub fn hidden<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut secret: Vec<Range<usize>> = shapes::find_all(text).map(|found| found.secret).collect();
        for needle in &self.needles {
            let length = needle.finder.needle().len();
            secret.extend(needle.finder.find_iter(text.as_bytes()).map(|start| start..start + length));
        }
        if secret.is_empty() {
            return Cow::Borrowed(text);
        }
        secret.sort_by_key(|range| (range.start, range.end));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for range in secret {
            if range.start >= at {
                out.push_str(&text[at..range.start]);
                out.push_str("***");
            }
            at = at.max(range.end);
        }
        out.push_str(&text[at..]);
        Cow::Owned(out)
    }

    /// Refuses an output that holds a secret.
    ///
    /// # Errors
    ///
    /// [`Code::SecretInOutput`], naming the variable or the kind of token, and the place in the output when that is JSON.
    pub fn check(&self, output: &str, value: &str) -> Result<(), Diagnostic> {
        let Some(leak) = self.find(value) else { return Ok(()) };
        let place = serde_json::from_str::<Value>(value).ok().and_then(|json| self.place_in(&json)).unwrap_or_default();
        let path = if place.is_empty() || place.starts_with('[') {
            format!("output.{output}{place}")
        } else {
            format!("output.{output}.{place}")
        };
        let what = match leak {
            Leak::Variable(name) => format!("the value of the environment variable {name}"),
            Leak::Shape(kind) => format!("what looks like {kind}"),
        };
        Err(Diagnostic::error(Code::SecretInOutput, format!("the output `{output}` holds {what}")).path(path).help(
            "keep secrets out of configs and of the job that writes outputs; rename the variable if its value is no secret",
        ))
    }

    /// The path of the first text in a JSON value that holds a secret.
    fn place_in(&self, json: &Value) -> Option<String> {
        match json {
            Value::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
                let place = self.place_in(item)?;
                Some(join(&format!("[{at}]"), &place))
            }),
            Value::Object(members) => members.iter().find_map(|(key, value)| {
                // A key that leaks must not be shown either.
                if self.find(key).is_some() {
                    return Some("***".to_owned());
                }
                let place = self.place_in(value)?;
                Some(join(key, &place))
            }),
            Value::String(text) => self.find(text).map(|_| String::new()),
            other => self.find(&other.to_string()).map(|_| String::new()),
        }
    }

    fn add(&mut self, variable: &str, secret: &str) {
        for form in forms::of(secret) {
            self.needles.push(Needle {
                variable: variable.to_owned(),
                finder: memmem::Finder::new(form.as_bytes()).into_owned(),
            });
        }
    }
}

fn join(head: &str, tail: &str) -> String {
    if tail.is_empty() || tail.starts_with('[') { format!("{head}{tail}") } else { format!("{head}.{tail}") }
}

/// What the runner masks of a value: the whole, and each of its lines.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let lines = value
        .lines()
        .map(str::trim)
        .filter(|line| line.len() < value.len() && line.chars().count() >= MIN_CHARS_HINTED);
    std::iter::once(value).chain(lines)
}

#[cfg(test)]
mod tests;
