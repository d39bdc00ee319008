//! Mends a recipe file where that is mechanical: edits by bytes, which leave format and comments as they are.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::file::RecipeFile;
use super::schema::{Fix, Range2, SchemaChoice, check_recipe};
use crate::core::diag::{Diagnostics, Severity, Source};
use crate::core::yaml::{Schema, parse};

/// How often a file is looked at again: one fault may hide another.
const ROUNDS: usize = 10;

/// A mended file.
#[derive(Debug)]
pub struct Mended {
    /// The new text.
    pub text: String,
    /// How many edits were made.
    pub edits: usize,
}

/// Mends what can be mended. `None` when there is nothing, or the file cannot be read.
pub fn mended(source: &Arc<Source>, selector: Option<&str>, choice: SchemaChoice) -> Option<Mended> {
    let (mut faults, mut fixes) = look(source, selector, choice)?;
    let mut mended: Option<Mended> = None;
    for _ in 0..ROUNDS {
        let current = mended.as_ref().map_or(source.text(), |mended| mended.text.as_str());
        let (text, edits) = edited(current, &fixes);
        if edits == 0 {
            break;
        }
        // An edit that does not take a fault away is not kept.
        let next = Source::new(source.name(), text);
        let Some((left, more)) =
            look(&next, selector, choice).filter(|(left, _)| left.is_subset(&faults) && *left != faults)
        else {
            break;
        };
        let total = mended.as_ref().map_or(0, |mended| mended.edits) + edits;
        mended = Some(Mended { text: next.text().to_owned(), edits: total });
        (faults, fixes) = (left, more);
    }
    mended
}

/// A fault by selector and path; and what mends some of them.
type Faults = BTreeSet<(Option<String>, String)>;

fn look(source: &Arc<Source>, selector: Option<&str>, choice: SchemaChoice) -> Option<(Faults, BTreeSet<Fix>)> {
    let mut found = Diagnostics::new();
    let document = parse(source, Schema::V11, &mut found)?;
    let file = RecipeFile::read(&document, &mut found)?;
    let selection = file.select(selector).ok()?;
    let mut faults = Faults::new();
    let mut fixes = BTreeSet::new();
    for variant in selection.variants() {
        let Ok(recipe) = &variant.recipe else {
            faults.insert((variant.selector.clone(), String::new()));
            continue;
        };
        for finding in check_recipe(recipe, choice, file.base().is_none()) {
            if finding.severity == Severity::Error {
                faults.insert((variant.selector.clone(), finding.path));
            }
            fixes.extend(finding.fix);
        }
    }
    // The base too: where a section hides an old key of it, mending the section alone would bring that out.
    if let (Some(base), None) = (file.base(), selector) {
        fixes.extend(check_recipe(base, choice, false).into_iter().filter_map(|finding| finding.fix));
    }
    Some((faults, fixes))
}

/// The text after all edits that do not touch each other.
fn edited(text: &str, fixes: &BTreeSet<Fix>) -> (String, usize) {
    let mut edits: BTreeSet<(Range2, String)> = BTreeSet::new();
    for fix in fixes {
        edits.extend(edits_of(text, fix).into_iter().map(|(span, new)| ((span.start, span.end), new)));
    }
    let mut out = String::with_capacity(text.len() + 2 * edits.len());
    let (mut done, mut count) = (0, 0);
    for ((start, end), new) in edits {
        if start < done {
            continue;
        }
        out.push_str(&text[done..start]);
        out.push_str(&new);
        (done, count) = (end, count + 1);
    }
    out.push_str(&text[done..]);
    (out, count)
}

fn edits_of(text: &str, fix: &Fix) -> Vec<(Range<usize>, String)> {
    match fix {
        Fix::Quote((start, end)) => quoted(&text[*start..*end]).map(|new| (*start..*end, new)).into_iter().collect(),
        Fix::Remove(key, value) => {
            removal(text, key.0..key.1, value.0..value.1).map(|span| (span, String::new())).into_iter().collect()
        }
        Fix::Replace(key, name, value, new) => vec![(key.0..key.1, name.clone()), (value.0..value.1, new.clone())],
    }
}

/// A text of one line in quotes that keep it as it is.
fn quoted(text: &str) -> Option<String> {
    if text.contains('\n') {
        return None;
    }
    Some(match text.contains(['"', '\\']) {
        true => format!("'{}'", text.replace('\'', "''")),
        false => format!("\"{text}\""),
    })
}

/// The bytes of an entry: its lines, or within brackets its part and the comma.
fn removal(text: &str, key: Range<usize>, value: Range<usize>) -> Option<Range<usize>> {
    let between = text.get(key.end..value.start)?.trim();
    if between != ":" {
        return None;
    }
    let end = value.end.max(key.end);
    let line_start = text[..key.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let before = &text[line_start..key.start];
    let after = text[end..line_end].trim();
    if before.bytes().all(|b| b == b' ') && (after.is_empty() || after.starts_with('#')) {
        return Some(line_start..line_end);
    }
    let next = end + (text[end..].len() - text[end..].trim_start().len());
    if text[next..].starts_with(',') {
        let rest = &text[next + 1..];
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        return Some(key.start..next + 1 + blanks);
    }
    let trimmed = text[..key.start].trim_end();
    trimmed.ends_with(',').then(|| trimmed.len() - 1..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(yaml: &str, choice: SchemaChoice) -> Option<String> {
        mended(&Source::new("r.yaml", yaml), None, choice).map(|mended| mended.text)
    }

    const HEAD: &str =
        "name: t # its name\nmodel: {path: m, container: c, precision: fp8}\nresources: {gpu_type: h200}\n";

    #[test]
    fn telemetry_of_schema_1_loses_what_it_must_not_have() {
        let text = format!(
            "{HEAD}# power\ntelemetry:\n  provider: dcgm-power # the old one\n  # how often\n  default_frequency: 1.0\n  enabled: false\n"
        );
        let expected = text.replace("  provider: dcgm-power # the old one\n", "");
        assert_eq!(fixed(&text, SchemaChoice::One), Some(expected));
        let text = format!("{HEAD}telemetry: {{provider: x, enabled: false}}\n");
        assert_eq!(fixed(&text, SchemaChoice::One), Some(text.replace("provider: x, ", "")));
        let text = format!("{HEAD}telemetry: {{enabled: false, provider: x}}\n");
        assert_eq!(fixed(&text, SchemaChoice::One), Some(text.replace(", provider: x", "")));
        let text = format!("{HEAD}telemetry:\n  provider: x\n");
        assert_eq!(fixed(&text, SchemaChoice::One), None, "null is no telemetry either");
    }

    #[test]
    fn texts_get_quotes_and_keep_their_spelling() {
        let text =
            format!("{HEAD}slurm: {{time_limit: 4:00:00}}\nenvironment:\n  A: 010   # octal\n  B: yes\n  7: x\n");
        let expected = text
            .replace("4:00:00", "\"4:00:00\"")
            .replace("010", "\"010\"")
            .replace("B: yes", "B: \"yes\"")
            .replace("7:", "\"7\":");
        assert_eq!(fixed(&text, SchemaChoice::One), Some(expected));
    }

    #[test]
    fn intervals_move_to_milliseconds() {
        let text = format!(
            "schema: 2\n{HEAD}telemetry:\n  default_frequency: 0.5 # s\nobservability: {{tachometer: {{default_frequency: 5}}}}\n"
        );
        let expected = text
            .replace("default_frequency: 0.5 # s", "collect_interval_ms: 500 # s")
            .replace("default_frequency: 5", "collect_interval_ms: 200");
        assert_eq!(fixed(&text, SchemaChoice::Two), Some(expected));
        let both = format!("schema: 2\n{HEAD}telemetry:\n  default_frequency: 0.5\n  collect_interval_ms: 100\n");
        assert_eq!(fixed(&both, SchemaChoice::Two), Some(both.replace("  default_frequency: 0.5\n", "")));
    }

    #[test]
    fn base_and_sections_are_mended_alike() {
        let head = HEAD.replace('\n', "\n  ");
        let text = format!(
            "base:\n  {}\n  schema: 2\n  telemetry: {{default_frequency: 1.0}}\nzip_override_z:\n  telemetry: {{default_frequency: [1.0, 2.0]}}\n",
            head.trim_end()
        );
        let expected = text
            .replace("{default_frequency: 1.0}", "{collect_interval_ms: 1000}")
            .replace("{default_frequency: [1.0, 2.0]}", "{collect_interval_ms: [1000, 2000]}");
        assert_eq!(fixed(&text, SchemaChoice::Two), Some(expected));
    }

    #[test]
    fn what_is_no_fault_stays() {
        assert_eq!(fixed(&format!("{HEAD}environment: {{A: '1'}}\n"), SchemaChoice::One), None);
        assert_eq!(fixed(&format!("{HEAD}bogus: 1\n"), SchemaChoice::One), None);
        assert_eq!(fixed("a: [", SchemaChoice::One), None);
        let anchored = format!("{HEAD}srun_options: {{a: &a 1}}\nsbatch_directives: {{b: *a}}\n");
        let expected = anchored.replace("&a 1", "&a \"1\"");
        assert_eq!(fixed(&anchored, SchemaChoice::One), Some(expected));
    }
}
