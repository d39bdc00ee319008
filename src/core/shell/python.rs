//! Environment variables in Python and awk, found by their spelling: the languages are not read.

use super::ast::{Span, is_name};
use super::facts::ReadKind;

/// A variable that a text in another language names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnvironmentUse<'t> {
    /// The variable.
    pub name: &'t str,
    /// Where it is named, without quotes.
    pub span: Span,
    /// How it is read; `None` when it is set.
    pub read: Option<ReadKind>,
}

/// Uses of `os.environ`, `os.getenv` and awk's `ENVIRON` with a literal name, in source order.
pub fn environment_uses(text: &str) -> Vec<EnvironmentUse<'_>> {
    let mut uses = Vec::new();
    for found in memchr::memmem::find_iter(text.as_bytes(), b"env") {
        let after = &text[found + 3..];
        if let Some(rest) = after.strip_prefix("iron") {
            uses.extend(use_of_environ(text, rest));
        } else if let Some(rest) = after.strip_prefix('(')
            && text[..found].ends_with("get")
        {
            uses.extend(quoted_name(text, rest).map(|(name, span, _)| use_of(name, span, Some(ReadKind::Defaulted))));
        }
    }
    for found in memchr::memmem::find_iter(text.as_bytes(), b"ENVIRON[") {
        let rest = &text[found + "ENVIRON[".len()..];
        uses.extend(quoted_name(text, rest).map(|(name, span, _)| use_of(name, span, Some(ReadKind::Defaulted))));
    }
    uses.sort_by_key(|one| one.span.start);
    uses
}

fn use_of(name: &str, span: Span, read: Option<ReadKind>) -> EnvironmentUse<'_> {
    EnvironmentUse { name, span, read }
}

/// What follows `environ`: an index, or a method that takes a name.
fn use_of_environ<'t>(text: &'t str, rest: &'t str) -> Option<EnvironmentUse<'t>> {
    if let Some(index) = rest.strip_prefix('[') {
        let (name, span, behind) = quoted_name(text, index)?;
        let behind = behind.trim_start_matches([' ', '\t']).strip_prefix(']')?.trim_start_matches([' ', '\t']);
        let is_set = behind.starts_with('=') && !behind.starts_with("==");
        return Some(use_of(name, span, (!is_set).then_some(ReadKind::Bare)));
    }
    let methods = [(".get(", Some(ReadKind::Defaulted)), (".pop(", Some(ReadKind::Defaulted)), (".setdefault(", None)];
    let (rest, read) = methods.iter().find_map(|(method, read)| Some((rest.strip_prefix(method)?, *read)))?;
    let (name, span, _) = quoted_name(text, rest)?;
    Some(use_of(name, span, read))
}

/// The name in quotes that starts `rest`, and what stands behind it.
fn quoted_name<'t>(text: &'t str, rest: &'t str) -> Option<(&'t str, Span, &'t str)> {
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (name, behind) = rest[1..].split_once(quote)?;
    let start = text.len() - rest.len() + 1;
    // `rest` ends where the text ends, so its length says where it starts.
    is_name(name).then(|| (name, Span::new(start, start + name.len()), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, Option<ReadKind>)> {
        let uses = environment_uses(text);
        assert!(uses.iter().all(|one| &text[one.span.range()] == one.name));
        uses.into_iter().map(|one| (one.name, one.read)).collect()
    }

    #[test]
    fn reads_are_bare_or_have_a_default() {
        let text = "a = os.environ[\"A\"]\nb = os.environ.get('B', 1)\nc = os.getenv( \"C\")\n";
        let defaulted = Some(ReadKind::Defaulted);
        assert_eq!(found(text), [("A", Some(ReadKind::Bare)), ("B", defaulted), ("C", defaulted)]);
    }

    #[test]
    fn a_name_that_is_set_is_not_read() {
        assert_eq!(found("environ['A'] = '1'; environ.setdefault('B', '2')"), [("A", None), ("B", None)]);
        assert_eq!(found("environ['A'] == '1'"), [("A", Some(ReadKind::Bare))]);
    }

    #[test]
    fn names_that_are_made_are_left_out() {
        assert_eq!(found("os.environ[name]; os.environ.get(f'X_{n}'); environ.get('a b'); getenv("), []);
        assert_eq!(found("environment = 1; ENVIRON[\"N\"] $NF"), [("N", Some(ReadKind::Defaulted))]);
    }
}
