//! Checks a node against a [`Type`] and reports everything that is wrong, each at its place.

use std::ops::Range;

use super::{Field, Object, Path, Type, lax_bool, lax_float, lax_int};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::num::Num;
use crate::core::yaml::{Kind, NodeRef};

/// Checks a value. Returns whether it has no error; warnings do not count.
///
/// `owner` is what a person would look at to find the value: its key, or the value itself in a list.
pub fn validate(node: NodeRef<'_>, of: &Type, path: &Path<'_>, owner: Range<usize>, found: &mut Diagnostics) -> bool {
    Validator { found }.value(node, of, path, owner)
}

/// The keys of a mapping as validation reads them: hyphens, or underscores where those are taken.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'d> {
    node: NodeRef<'d>,
    takes_underscores: bool,
}

/// A broken rule: what is wrong, at which node, and what to do.
#[derive(Debug)]
pub struct Violation<'d> {
    /// What is wrong.
    pub message: String,
    /// The node that is pointed at; `None` points at the mapping.
    pub at: Option<NodeRef<'d>>,
    /// The steps from the mapping to the value at fault: `search-space[0]`.
    pub below: String,
    /// What to do.
    pub help: String,
}

impl<'d> Fields<'d> {
    /// The mapping itself.
    pub fn node(self) -> NodeRef<'d> {
        self.node
    }

    /// The value of a key, null included.
    pub fn get(self, name: &str) -> Option<NodeRef<'d>> {
        self.node.get(name).or_else(|| {
            (self.takes_underscores && name.contains('-')).then(|| self.node.get_with_underscores(name)).flatten()
        })
    }

    /// The value of a key unless it is null.
    pub fn given(self, name: &str) -> Option<NodeRef<'d>> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// The integer under a key, as validation coerces it.
    pub fn int(self, name: &str) -> Option<Num> {
        self.given(name).and_then(lax_int)
    }

    /// The same view of another mapping.
    #[must_use]
    pub fn inside(self, node: NodeRef<'d>) -> Self {
        Self { node, ..self }
    }
}

impl<'d> Violation<'d> {
    /// A violation that points at the mapping.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), at: None, below: String::new(), help: help.into() }
    }

    /// Points at a node.
    #[must_use]
    pub fn at(mut self, node: Option<NodeRef<'d>>) -> Self {
        self.at = node;
        self
    }

    /// Names the value at fault by the steps from the mapping.
    #[must_use]
    pub fn below(mut self, steps: impl Into<String>) -> Self {
        self.below = steps.into();
        self
    }
}

struct Validator<'a> {
    found: &'a mut Diagnostics,
}

impl Validator<'_> {
    fn value(&mut self, node: NodeRef<'_>, of: &Type, path: &Path<'_>, owner: Range<usize>) -> bool {
        match of {
            Type::List { of, min_items } => self.list(node, of, *min_items, path, &owner),
            Type::MapOf(of) => self.map_of(node, of, path, &owner),
            Type::Object(object) => self.object(node, object, path, &owner),
            scalar => match check_scalar(node, scalar) {
                Ok(()) => {
                    self.warn_quoted_number(node, scalar, path);
                    true
                }
                Err(wrong) => self.refuse(node, wrong, path, &owner),
            },
        }
    }

    fn refuse(&mut self, node: NodeRef<'_>, wrong: Wrong, path: &Path<'_>, owner: &Range<usize>) -> bool {
        let place = if node.span().is_empty() { owner.clone() } else { node.span() };
        let mut diagnostic =
            Diagnostic::error(wrong.code, wrong.message).at(node.source(), place).path(path.to_string());
        diagnostic.help = wrong.help;
        self.found.push(diagnostic);
        false
    }

    /// It passes validation and then fails, or prints, as text.
    fn warn_quoted_number(&mut self, node: NodeRef<'_>, of: &Type, path: &Path<'_>) {
        let is_number = matches!(of, Type::Integer { .. } | Type::Fraction);
        let Some(text) = node.as_str().filter(|_| is_number) else { return };
        let message = if node.is_plain() {
            format!("`{text}` is text in YAML 1.1, not a number")
        } else {
            format!("the number {text} stands in quotes and stays text")
        };
        let help = match of {
            Type::Fraction => "write it with a dot and without quotes, as in 0.1".to_owned(),
            _ => match lax_int(node) {
                Some(value) => format!("write {value} without quotes"),
                None => "write it without quotes".to_owned(),
            },
        };
        self.found.push(
            Diagnostic::warning(Code::QuotedNumber, message)
                .at(node.source(), node.span())
                .path(path.to_string())
                .help(help),
        );
    }

    fn list(&mut self, node: NodeRef<'_>, of: &Type, min_items: usize, path: &Path<'_>, owner: &Range<usize>) -> bool {
        if !matches!(node.kind(), Kind::List) {
            return self.refuse(node, Wrong::kind(node, "a list"), path, owner);
        }
        let items = node.items();
        if items.len() < min_items {
            let wrong =
                Wrong::new(Code::OutOfRange, "the list is empty, expected at least one item").help("add an item");
            return self.refuse(node, wrong, path, owner);
        }
        let mut valid = true;
        for (index, item) in items.enumerate() {
            valid &= self.value(item, of, &path.index(index), item.site());
        }
        valid
    }

    fn map_of(&mut self, node: NodeRef<'_>, of: &Type, path: &Path<'_>, owner: &Range<usize>) -> bool {
        if !matches!(node.kind(), Kind::Map) {
            return self.refuse(node, Wrong::kind(node, "a mapping"), path, owner);
        }
        let mut valid = true;
        for (key, value) in node.entries() {
            match key.as_str() {
                Some(name) => valid &= self.value(value, of, &path.key(name), key.site()),
                None => valid &= self.refuse_key(key, path),
            }
        }
        valid
    }

    fn refuse_key(&mut self, key: NodeRef<'_>, path: &Path<'_>) -> bool {
        let text = key.scalar_text().unwrap_or_default();
        let message = format!("the key `{text}` is {}, expected a text", key.type_name());
        let path = path.key(text).to_string();
        self.found.push(
            Diagnostic::error(Code::NonTextKey, message)
                .at(key.source(), key.site())
                .path(path)
                .help(format!("quote the key: \"{text}\"")),
        );
        false
    }

    fn object(&mut self, node: NodeRef<'_>, object: &Object, path: &Path<'_>, owner: &Range<usize>) -> bool {
        if !matches!(node.kind(), Kind::Map) {
            return self.refuse(node, Wrong::kind(node, &format!("{} (a mapping)", object.title)), path, owner);
        }
        let mut valid = true;
        // One bit a field: schemas have far fewer than 64.
        let mut seen = 0_u64;
        for (key, value) in node.entries() {
            valid &= self.entry(node, object, key, value, path, &mut seen);
        }
        for (index, field) in object.fields.iter().enumerate().filter(|(_, field)| field.required) {
            if seen & (1 << index) == 0 {
                valid = false;
                self.found.push(
                    Diagnostic::error(Code::MissingField, format!("{} needs the key `{}`", object.title, field.name))
                        .at(node.source(), owner.clone())
                        .path(path.key(field.name).to_string())
                        .help(format!("add `{}: …`: {}", field.name, field.about)),
                );
            }
        }
        valid && self.rules(node, object, path, owner)
    }

    fn entry(
        &mut self,
        object_node: NodeRef<'_>,
        object: &Object,
        key: NodeRef<'_>,
        value: NodeRef<'_>,
        path: &Path<'_>,
        seen: &mut u64,
    ) -> bool {
        let Some(name) = key.as_str() else { return self.refuse_key(key, path) };
        let path = path.key(name);
        let (field, by_underscores) = match find_field(object, name) {
            Some((index, by_underscores)) => {
                *seen |= 1 << index;
                (&object.fields[index], by_underscores)
            }
            None if object.open => return true,
            None => {
                self.found.push(unknown_key(object, key, name, &path));
                return false;
            }
        };
        if by_underscores && object_node.get(field.name).is_some() {
            self.found.push(
                Diagnostic::error(Code::SpelledTwice, format!("`{name}` stands beside `{}`", field.name))
                    .at(key.source(), key.site())
                    .path(path.to_string())
                    .help(format!("keep `{}`, the one that is read", field.name)),
            );
            return false;
        }
        let valid = (field.nullable && value.is_null()) || self.value(value, &field.of, &path, key.site());
        if by_underscores && valid {
            return self.ignored_spelling(field, key, name, &path);
        }
        valid
    }

    /// Nothing reads the underscore spelling: of an optional key the value is lost, a required one is then missing.
    fn ignored_spelling(&mut self, field: &Field, key: NodeRef<'_>, name: &str, path: &Path<'_>) -> bool {
        let diagnostic = if field.required {
            let message = format!("`{name}` passes validation, but only `{}` is read", field.name);
            Diagnostic::error(Code::KeyNotRead, message)
        } else {
            let message = format!("`{name}` is ignored: only `{}` is read", field.name);
            Diagnostic::warning(Code::IgnoredSpelling, message)
        };
        self.found.push(
            diagnostic.at(key.source(), key.site()).path(path.to_string()).help(format!("write `{}`", field.name)),
        );
        !field.required
    }

    fn rules(&mut self, node: NodeRef<'_>, object: &Object, path: &Path<'_>, owner: &Range<usize>) -> bool {
        let fields = Fields { node, takes_underscores: object.takes_underscores };
        let mut valid = true;
        for rule in &object.rules {
            let mut violations = Vec::new();
            (rule.check)(fields, &mut violations);
            for violation in violations {
                valid = false;
                let span = violation
                    .at
                    .map_or(owner.clone(), |at| if at.site().is_empty() { owner.clone() } else { at.site() });
                let mut full = path.to_string();
                if !violation.below.is_empty() {
                    full = if full.is_empty() { violation.below } else { format!("{full}.{}", violation.below) };
                }
                self.found.push(
                    Diagnostic::error(rule.code, violation.message)
                        .at(node.source(), span)
                        .path(full)
                        .help(violation.help),
                );
            }
        }
        valid
    }
}

/// Which field a key is, and whether by its underscore spelling.
fn find_field(object: &Object, name: &str) -> Option<(usize, bool)> {
    if let Some(index) = object.fields.iter().position(|field| field.name == name) {
        return Some((index, false));
    }
    if !object.takes_underscores || !name.contains('_') {
        return None;
    }
    let with_hyphens = |field: &&Field| field.name.contains('-') && field.name.replace('-', "_") == name;
    object.fields.iter().position(|field| with_hyphens(&field)).map(|index| (index, true))
}

fn unknown_key(object: &Object, key: NodeRef<'_>, name: &str, path: &Path<'_>) -> Diagnostic {
    let known = object.fields.iter().map(|field| field.name);
    let help = match suggestion(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known keys: {}", known.collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::error(Code::UnknownKey, format!("{} has no key `{name}`", object.title))
        .at(key.source(), key.site())
        .path(path.to_string())
        .help(help)
}

/// The known word that a misspelled one is nearest to, if any is near.
pub fn suggestion<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let normal = |text: &str| text.to_lowercase().replace('_', "-");
    let word = normal(word);
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &normal(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len().max(word.len()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Why a scalar is refused.
struct Wrong {
    code: Code,
    message: String,
    help: Vec<String>,
}

impl Wrong {
    fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: Vec::new() }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// A value of another kind than expected; says why when YAML 1.1 is the reason.
    fn kind(node: NodeRef<'_>, expected: &str) -> Self {
        let shown = shown_value(node);
        let wrong = Self::new(Code::WrongType, format!("{shown}, expected {expected}"));
        match node.kind() {
            Kind::Bool(_) | Kind::Int(_) | Kind::Big(_) | Kind::Float(_) | Kind::Date(_)
                if expected.starts_with("a text") && node.is_plain() =>
            {
                wrong.help(format!("quote it: \"{}\"", node.scalar_text().unwrap_or_default()))
            }
            Kind::Null if !expected.starts_with("one of") => wrong.help(format!("give {expected}, or remove the key")),
            Kind::Str(_) if expected.contains("without quotes") => wrong.help("remove the quotes"),
            Kind::List | Kind::Map => wrong.help(format!("give {expected}")),
            _ => wrong.help(format!("write {expected}")),
        }
    }
}

fn shown_value(node: NodeRef<'_>) -> String {
    const LONG: usize = 60;
    match node.scalar_text() {
        _ if node.is_null() => "found nothing (null)".to_owned(),
        Some(text) if text.chars().count() <= LONG => format!("found {} `{text}`", node.type_name()),
        Some(text) => format!("found {} `{}…`", node.type_name(), text.chars().take(LONG).collect::<String>()),
        None => format!("found {}", node.type_name()),
    }
}

fn check_scalar(node: NodeRef<'_>, of: &Type) -> Result<(), Wrong> {
    match of {
        Type::Text { min_chars, without_prefix } => check_text(node, *min_chars, *without_prefix),
        Type::Integer { strict, min } => check_integer(node, *strict, *min),
        Type::Boolean { strict: true } => match node.kind() {
            Kind::Bool(_) => Ok(()),
            _ => Err(Wrong::kind(node, "true or false without quotes")),
        },
        Type::Boolean { strict: false } => match lax_bool(node) {
            Some(_) => Ok(()),
            None => Err(Wrong::kind(node, "true or false")),
        },
        Type::Fraction => match lax_float(node) {
            Some(value) if value > 0.0 && value <= 1.0 => Ok(()),
            Some(_) => {
                Err(Wrong::new(Code::OutOfRange, format!("{}, expected more than 0 and at most 1", shown_value(node)))
                    .help("write a share of the memory, as in 0.80"))
            }
            None => Err(Wrong::kind(node, "a number above 0 and at most 1")),
        },
        Type::Exactly(wanted) => {
            let number = Num::of(&crate::core::yaml::Value::of(node));
            if number.is_some_and(|number| number == Num::Int(i64::from(*wanted))) {
                Ok(())
            } else {
                Err(Wrong::kind(node, if *wanted { "true" } else { "false" }))
            }
        }
        Type::Choice(words) => check_choice(node, words),
        Type::List { .. } | Type::MapOf(_) | Type::Object(_) => Ok(()),
    }
}

fn check_text(node: NodeRef<'_>, min_chars: usize, without_prefix: Option<&str>) -> Result<(), Wrong> {
    let Some(text) = node.as_str() else { return Err(Wrong::kind(node, "a text")) };
    if text.chars().count() < min_chars {
        return Err(Wrong::new(Code::OutOfRange, "the text is empty").help("give a text, or remove the key"));
    }
    match without_prefix.filter(|prefix| text.starts_with(prefix)) {
        Some(prefix) => {
            Err(Wrong::new(Code::OutOfRange, format!("found `{text}`, which must not start with `{prefix}`"))
                .help("give the version of the component itself; the image stands under `image`"))
        }
        None => Ok(()),
    }
}

fn check_integer(node: NodeRef<'_>, strict: bool, min: Option<i64>) -> Result<(), Wrong> {
    let value = match node.kind() {
        Kind::Int(_) | Kind::Big(_) => lax_int(node),
        _ if strict => None,
        _ => lax_int(node),
    };
    let Some(value) = value else {
        return Err(Wrong::kind(node, if strict { "an integer without quotes" } else { "an integer" }));
    };
    match min.filter(|&min| value < Num::Int(min)) {
        Some(min) => Err(Wrong::new(Code::OutOfRange, format!("{}, expected at least {min}", shown_value(node)))
            .help(format!("write {min} or more"))),
        None => Ok(()),
    }
}

fn check_choice(node: NodeRef<'_>, words: &[&str]) -> Result<(), Wrong> {
    match node.as_str() {
        Some(text) if words.contains(&text) => Ok(()),
        Some(text) => {
            let wrong = Wrong::new(Code::UnknownValue, format!("found `{text}`, expected one of {}", words.join(", ")));
            Err(match suggestion(text, words.iter().copied()) {
                Some(near) => wrong.help(format!("did you mean `{near}`?")),
                None => wrong.help(format!("write one of {}", words.join(", "))),
            })
        }
        None => Err(Wrong::kind(node, &format!("one of {}", words.join(", ")))),
    }
}
