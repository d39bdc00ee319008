//! Checks a node against a [`Type`] and reports everything that is wrong, each at its place.

use std::ops::Range;

use super::wrong::{Owner, Wrong, in_brackets, shown_value};
use super::{Field, Object, Path, Type, lax_bool, lax_float, lax_int};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::num::{Num, python_float};
use crate::core::yaml::{Kind, NodeRef};

/// Checks a value. Returns whether it has no error; warnings do not count.
///
/// `owner` is what a person would look at to find the value: its key, or the value itself in a list.
pub fn validate(node: NodeRef<'_>, of: &Type, path: &Path<'_>, owner: Range<usize>, found: &mut Diagnostics) -> bool {
    Validator { found }.value(node, of, path, &Owner::entry(owner))
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

    /// Points at the value of a key, and names it, if it stands there.
    #[must_use]
    pub fn on(self, fields: Fields<'d>, name: &str) -> Self {
        match fields.get(name) {
            Some(node) => self.at(Some(node)).below(name),
            None => self,
        }
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
    fn value(&mut self, node: NodeRef<'_>, of: &Type, path: &Path<'_>, owner: &Owner<'_>) -> bool {
        match of {
            Type::List { of, min_items } => self.list(node, of, *min_items, path, owner),
            Type::MapOf(of) => self.map_of(node, of, path, owner),
            Type::Object(object) => self.object(node, object, path, owner),
            scalar => match check_scalar(node, scalar, owner) {
                Ok(()) => {
                    self.warn_quoted_number(node, scalar, path);
                    true
                }
                Err(wrong) => self.refuse(node, wrong, path, owner),
            },
        }
    }

    fn refuse(&mut self, node: NodeRef<'_>, wrong: Wrong, path: &Path<'_>, owner: &Owner<'_>) -> bool {
        let place = if node.span().is_empty() { owner.span.clone() } else { node.span() };
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
        let value = match of {
            Type::Fraction => lax_float(node).map(python_float),
            _ => lax_int(node).map(|value| value.to_string()),
        };
        let value = value.unwrap_or_default();
        let (message, help) = if node.is_plain() {
            (format!("`{text}` is text in YAML 1.1, not a number"), format!("write {value}"))
        } else {
            (format!("the number `{text}` stands in quotes and stays text"), format!("write {value} without quotes"))
        };
        self.found.push(
            Diagnostic::warning(Code::QuotedNumber, message)
                .at(node.source(), node.span())
                .path(path.to_string())
                .help(help),
        );
    }

    fn list(&mut self, node: NodeRef<'_>, of: &Type, min_items: usize, path: &Path<'_>, owner: &Owner<'_>) -> bool {
        if !matches!(node.kind(), Kind::List) {
            let mut wrong = Wrong::kind(node, "a list", owner);
            if let Some(help) = help_for_list(node, of) {
                wrong.help = vec![help];
            }
            return self.refuse(node, wrong, path, owner);
        }
        let items = node.items();
        if items.len() < min_items {
            let wrong = Wrong::new(Code::OutOfRange, "the list is empty, expected at least one item")
                .help(owner.or_remove("add an item"));
            return self.refuse(node, wrong, path, owner);
        }
        let mut valid = true;
        for (index, item) in items.enumerate() {
            valid &= self.value(item, of, &path.index(index), &Owner::item(item.site()));
        }
        valid
    }

    fn map_of(&mut self, node: NodeRef<'_>, of: &Type, path: &Path<'_>, owner: &Owner<'_>) -> bool {
        if !matches!(node.kind(), Kind::Map) {
            return self.refuse(node, Wrong::kind(node, "a mapping", owner), path, owner);
        }
        let mut valid = true;
        for (key, value) in node.entries() {
            match key.as_str() {
                Some(name) => valid &= self.value(value, of, &path.key(name), &Owner::entry(key.site())),
                None => {
                    let text = key.scalar_text().unwrap_or_default();
                    valid &= self.refuse_key(key, format!("quote the key: \"{text}\""), path);
                }
            }
        }
        valid
    }

    fn refuse_key(&mut self, key: NodeRef<'_>, help: String, path: &Path<'_>) -> bool {
        let text = key.scalar_text().unwrap_or_default();
        let message = format!("the key `{text}` is {}, expected a text", key.type_name());
        let path = path.key(text).to_string();
        self.found
            .push(Diagnostic::error(Code::NonTextKey, message).at(key.source(), key.site()).path(path).help(help));
        false
    }

    fn object(&mut self, node: NodeRef<'_>, object: &Object, path: &Path<'_>, owner: &Owner<'_>) -> bool {
        if !matches!(node.kind(), Kind::Map) {
            let mut wrong = Wrong::kind(node, &format!("{} (a mapping)", object.title), owner);
            wrong.help = vec![owner.or_remove(&format!("give a mapping with the keys {}", names(object)))];
            return self.refuse(node, wrong, path, owner);
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
                        .at(node.source(), owner.span.clone())
                        .path(path.key(field.name).to_string())
                        .help(help_for_missing(node, object, field)),
                );
            }
        }
        valid && self.rules(node, object, path, &owner.span)
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
        let Some(name) = key.as_str() else {
            let help = match value.span().is_empty() && matches!(key.kind(), Kind::Int(_)) {
                true => "a comma ends a value here: write numbers without commas".to_owned(),
                false => format!("known keys: {}", names(object)),
            };
            return self.refuse_key(key, help, path);
        };
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
        let valid = (field.nullable && value.is_null())
            || self.value(value, &field.of, &path, &Owner::field(key.site(), field));
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

fn names(object: &Object) -> String {
    object.fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ")
}

/// Names the misspelled key where unknown ones are taken, since nothing else reports it.
fn help_for_missing(node: NodeRef<'_>, object: &Object, field: &Field) -> String {
    let mut written = node.entries().filter_map(|(key, _)| key.as_str()).filter(|_| object.open);
    match written.find(|name| suggestion(name, [field.name]).is_some()) {
        Some(near) => format!("rename `{near}`, which nothing reads, to `{}`", field.name),
        None => format!("add `{}: …`: {}", field.name, field.about),
    }
}

/// How a value that is no list becomes one.
fn help_for_list(node: NodeRef<'_>, of: &Type) -> Option<String> {
    match (node.kind(), of) {
        (Kind::Null | Kind::List, _) => None,
        (_, Type::Object(_)) => Some("begin each item with `- `".to_owned()),
        _ => in_brackets(node.scalar_text()?).map(|list| format!("write {list}")),
    }
}

fn unknown_key(object: &Object, key: NodeRef<'_>, name: &str, path: &Path<'_>) -> Diagnostic {
    let help = match suggestion(name, object.fields.iter().map(|field| field.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known keys: {}", names(object)),
    };
    Diagnostic::error(Code::UnknownKey, format!("{} has no key `{name}`", object.title))
        .at(key.source(), key.site())
        .path(path.to_string())
        .help(help)
}

/// The known word that a misspelled one is nearest to, if any is near.
pub fn suggestion<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // Nobody mistypes a word that long, and comparing two takes time in proportion to the product of their lengths.
    const LONGEST: usize = 200;
    let normal = |text: &str| text.to_lowercase().replace('_', "-");
    if word.len() > LONGEST {
        return None;
    }
    let word = normal(word);
    known
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (strsim::damerau_levenshtein(&word, &normal(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len().max(word.len()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn check_scalar(node: NodeRef<'_>, of: &Type, owner: &Owner<'_>) -> Result<(), Wrong> {
    match of {
        Type::Text { min_chars, without_prefix } => check_text(node, *min_chars, *without_prefix, owner),
        Type::Integer { strict, min } => check_integer(node, *strict, *min, owner),
        Type::Boolean { strict } => match node.kind() {
            Kind::Bool(_) => Ok(()),
            _ if !strict && lax_bool(node).is_some() => Ok(()),
            _ => Err(Wrong::kind(node, "true or false", owner)),
        },
        Type::Fraction => check_fraction(node, owner),
        Type::Exactly { value, help } => check_exactly(node, *value, help, owner),
        Type::Choice(words) => check_choice(node, words, owner),
        Type::List { .. } | Type::MapOf(_) | Type::Object(_) => Ok(()),
    }
}

fn check_text(
    node: NodeRef<'_>,
    min_chars: usize,
    without_prefix: Option<&str>,
    owner: &Owner<'_>,
) -> Result<(), Wrong> {
    let Some(text) = node.as_str() else { return Err(Wrong::kind(node, "a text", owner)) };
    if text.chars().count() < min_chars {
        return Err(Wrong::new(Code::OutOfRange, "the text is empty").help(owner.give_or_remove("give a text")));
    }
    match without_prefix.filter(|prefix| text.starts_with(prefix)) {
        Some(prefix) => {
            Err(Wrong::new(Code::OutOfRange, format!("{}, which must not start with `{prefix}`", shown_value(node)))
                .help("give the version of the component itself; the image stands under `image`"))
        }
        None => Ok(()),
    }
}

fn check_integer(node: NodeRef<'_>, strict: bool, min: Option<i64>, owner: &Owner<'_>) -> Result<(), Wrong> {
    let value = match node.kind() {
        Kind::Int(_) | Kind::Big(_) => lax_int(node),
        _ if strict => None,
        _ => lax_int(node),
    };
    let Some(value) = value else { return Err(Wrong::kind(node, "an integer", owner)) };
    match min.filter(|&min| value < Num::Int(min)) {
        Some(min) => Err(Wrong::new(Code::OutOfRange, format!("{}, expected at least {min}", shown_value(node)))
            .help(owner.give(&format!("write {min} or more")))),
        None => Ok(()),
    }
}

fn check_fraction(node: NodeRef<'_>, owner: &Owner<'_>) -> Result<(), Wrong> {
    let value = lax_float(node);
    if value.is_some_and(|value| value > 0.0 && value <= 1.0) {
        return Ok(());
    }
    // 80 and 80% are shares too, in the head of whoever wrote them.
    let percent = value.or_else(|| node.as_str()?.strip_suffix('%')?.trim().parse().ok());
    let percent = percent.filter(|percent| (2.0..=100.0).contains(percent));
    let wrong = match value {
        Some(_) => Wrong::new(Code::OutOfRange, format!("{}, expected more than 0 and at most 1", shown_value(node)))
            .help(owner.give("write a number such as 0.80")),
        None => Wrong::kind(node, "a number above 0 and at most 1", owner),
    };
    Err(match percent {
        Some(percent) => Wrong { help: vec![format!("write {} for {percent} percent", percent / 100.0)], ..wrong },
        None => wrong,
    })
}

fn check_exactly(node: NodeRef<'_>, wanted: bool, help: &str, owner: &Owner<'_>) -> Result<(), Wrong> {
    let number = Num::of(&crate::core::yaml::Value::of(node));
    if number.is_some_and(|number| number == Num::Int(i64::from(wanted))) {
        return Ok(());
    }
    Err(match node.kind() {
        Kind::Bool(_) => Wrong::new(Code::WrongType, format!("{}, expected {wanted}", shown_value(node))).help(help),
        _ => Wrong::kind(node, "true or false", owner),
    })
}

fn check_choice(node: NodeRef<'_>, words: &[&str], owner: &Owner<'_>) -> Result<(), Wrong> {
    let expected = format!("one of {}", words.join(", "));
    match node.as_str() {
        Some(text) if words.contains(&text) => Ok(()),
        Some(text) => {
            let wrong = Wrong::new(Code::UnknownValue, format!("{}, expected {expected}", shown_value(node)));
            Err(match suggestion(text, words.iter().copied()) {
                Some(near) => wrong.help(format!("did you mean `{near}`?")),
                None => wrong.help(owner.give(&format!("write {expected}"))),
            })
        }
        None => Err(Wrong::kind(node, &expected, owner)),
    }
}
