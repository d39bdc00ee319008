//! Which keys GitHub knows in a workflow, and what kind of value each takes.

use super::read::{first_line, map_entries, shape};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::schema::suggestion;
use crate::core::yaml::{Kind, NodeRef};

/// The kinds of value that a key takes, as a set.
#[derive(Clone, Copy)]
pub(super) struct Takes(u8);

const MAPPING: Takes = Takes(1);
const LIST: Takes = Takes(2);
/// Any scalar but null: a number or a truth value is taken as its text.
const TEXT: Takes = Takes(4);
/// An expression in the place of a mapping or list.
const EXPRESSION: Takes = Takes(8);
const NOTHING: Takes = Takes(16);
const ANYTHING: Takes = Takes(31);

impl Takes {
    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn fits(self, node: NodeRef<'_>) -> bool {
        match node.kind() {
            Kind::Map => self.has(MAPPING),
            Kind::List => self.has(LIST),
            Kind::Null => self.has(NOTHING),
            Kind::Str(text) => self.has(TEXT) || self.has(EXPRESSION) && text.contains("${{"),
            _ => self.has(TEXT),
        }
    }

    fn words(self) -> String {
        let words = [(MAPPING, "a mapping"), (LIST, "a list"), (TEXT, "a text"), (EXPRESSION, "an expression")];
        let known: Vec<&str> = words.iter().filter(|(kind, _)| self.has(*kind)).map(|(_, word)| *word).collect();
        known.join(" or ")
    }
}

type Keys = [(&'static str, Takes)];

const ENV: Takes = MAPPING.or(EXPRESSION).or(NOTHING);
const OPTIONAL_TEXT: Takes = TEXT.or(NOTHING);

pub(super) const WORKFLOW: &Keys = &[
    ("name", OPTIONAL_TEXT),
    ("run-name", OPTIONAL_TEXT),
    ("description", OPTIONAL_TEXT),
    ("on", ANYTHING),
    ("permissions", MAPPING.or(TEXT)),
    ("env", ENV),
    ("defaults", MAPPING),
    ("concurrency", MAPPING.or(TEXT)),
    ("jobs", MAPPING.or(NOTHING)),
    ("cache-mode", ANYTHING),
];

pub(super) const JOB_WITH_STEPS: &Keys = &[
    ("name", OPTIONAL_TEXT),
    ("needs", TEXT.or(LIST)),
    ("if", OPTIONAL_TEXT),
    ("permissions", MAPPING.or(TEXT)),
    ("strategy", MAPPING.or(EXPRESSION)),
    ("runs-on", TEXT.or(LIST).or(MAPPING)),
    ("environment", TEXT.or(MAPPING).or(NOTHING)),
    ("concurrency", MAPPING.or(TEXT)),
    ("outputs", MAPPING.or(NOTHING)),
    ("env", ENV),
    ("defaults", MAPPING),
    // Steps are read by what reads those of actions too.
    ("steps", ANYTHING),
    ("timeout-minutes", TEXT),
    ("cancel-timeout-minutes", TEXT),
    ("continue-on-error", TEXT),
    ("container", MAPPING.or(TEXT).or(NOTHING)),
    ("services", ENV),
    ("snapshot", ANYTHING),
    ("cache-mode", ANYTHING),
];

pub(super) const JOB_WITH_CALL: &Keys = &[
    ("name", OPTIONAL_TEXT),
    ("needs", TEXT.or(LIST)),
    ("if", OPTIONAL_TEXT),
    ("permissions", MAPPING.or(TEXT)),
    ("strategy", MAPPING.or(EXPRESSION)),
    ("concurrency", MAPPING.or(TEXT)),
    ("uses", TEXT),
    ("with", MAPPING.or(NOTHING)),
    ("secrets", MAPPING.or(TEXT).or(NOTHING)),
];

pub(super) const STEP: &Keys = &[
    ("id", TEXT),
    ("name", OPTIONAL_TEXT),
    ("if", OPTIONAL_TEXT),
    ("uses", TEXT),
    ("run", TEXT),
    ("with", ENV),
    ("env", ENV),
    ("shell", TEXT),
    ("working-directory", TEXT),
    ("timeout-minutes", TEXT),
    ("continue-on-error", TEXT),
    ("background", ANYTHING),
];

/// How many wrong keys of one mapping are reported; a mapping of ten thousand is not a workflow that somebody mistyped.
const REPORTED: usize = 20;

/// Reports keys that GitHub does not know and values of a kind that it refuses. `whole` names the mapping in messages.
pub(super) fn check_keys(node: NodeRef<'_>, whole: &str, keys: &Keys, found: &mut Diagnostics) {
    let mut unknown = 0;
    for (key, site, value) in map_entries(Some(node)) {
        match keys.iter().find(|(name, _)| *name == key) {
            Some((_, takes)) if takes.fits(value) => {}
            Some((_, takes)) => {
                let message = format!("`{key}` of {whole} is {}, expected {}", value.type_name(), takes.words());
                let place = if value.is_null() { site } else { value };
                found.push(shape(place, message));
            }
            // Reported where merge keys are looked for.
            None if key == "<<" => {}
            None => {
                unknown += 1;
                if unknown <= REPORTED {
                    found.push(unknown_key(key, site, whole, keys));
                }
            }
        }
    }
}

/// A warning, because GitHub adds keys now and then.
fn unknown_key(key: &str, site: NodeRef<'_>, whole: &str, keys: &Keys) -> Diagnostic {
    let names = keys.iter().map(|(name, _)| *name);
    let diagnostic = Diagnostic::warning(Code::WorkflowShape, format!("`{key}` is no known key of {whole}"))
        .at(site.source(), first_line(site));
    match suggestion(key, names.clone()) {
        Some(near) => {
            diagnostic.help(format!("did you mean `{near}`? GitHub rejects files with keys it does not know"))
        }
        None => diagnostic.help("GitHub rejects files with keys it does not know"),
    }
}

/// Merge keys mean nothing to GitHub: it takes `<<` as a key like any other, and refuses it.
pub(super) fn check_merge_keys(root: NodeRef<'_>, found: &mut Diagnostics) {
    let mut waiting = vec![root];
    let mut reported = 0;
    while let Some(node) = waiting.pop() {
        // What an alias stands for is looked at where it is written.
        let own = |node: NodeRef<'_>| !node.is_alias() && matches!(node.kind(), Kind::Map | Kind::List);
        for (key, value) in node.entries() {
            if key.is_plain() && key.as_str() == Some("<<") && reported < REPORTED {
                reported += 1;
                found.push(
                    shape(key, "GitHub does not follow merge keys: `<<` is refused like any unknown key")
                        .help("write the entries out, or refer to the whole mapping: `env: *name`"),
                );
            }
            waiting.extend(Some(value).filter(|value| own(*value)));
        }
        waiting.extend(node.items().filter(|item| own(*item)));
    }
}

/// Whether a mapping leans on a merge key, so that what it seems to lack may come from there.
pub(super) fn has_merge_key(node: NodeRef<'_>) -> bool {
    node.entry("<<").is_some()
}
