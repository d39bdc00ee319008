//! Files of cases: many expressions at once, for tests and comparisons.

use std::borrow::Cow;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use hashbrown::DefaultHashBuilder;

use super::ast::Expr;
use super::error::Error;
use super::json::{Json, JsonError, Reader, Skipped, read_document};
use super::object::Object;
use super::scope::Contexts;
use super::template::Template;
use super::value::Value;
use super::{evaluate, parse};

/// One case.
#[derive(Debug, Clone)]
pub struct Case<'t> {
    /// What is evaluated.
    pub source: Source<'t>,
    /// What it may refer to; shared by the cases of a file that has one object of contexts.
    pub contexts: Arc<Contexts>,
}

/// What a case evaluates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source<'t> {
    /// What stands between `${{` and `}}`.
    Expression(Cow<'t, str>),
    /// A text with such parts.
    Template(Cow<'t, str>),
}

impl Source<'_> {
    /// The text that is parsed.
    pub fn text(&self) -> &str {
        match self {
            Self::Expression(text) | Self::Template(text) => text,
        }
    }

    /// Parses and evaluates it.
    pub fn evaluate(&self, contexts: &Contexts) -> Result<Value, Error> {
        self.parse(contexts)?.evaluate(contexts)
    }

    fn parse(&self, contexts: &Contexts) -> Result<Parsed, Error> {
        Ok(match self {
            Self::Expression(text) => Parsed::Expression(parse(text, &contexts.allowed())?),
            Self::Template(text) => Parsed::Template(Template::parse(text, &contexts.allowed())?),
        })
    }
}

/// Evaluates cases one after the other. A text that comes again over the same contexts is parsed no more from its second
/// time on, as long as not too many others come in between.
#[derive(Debug)]
pub struct Evaluations<'c> {
    slots: Vec<Slot<'c>>,
    hasher: DefaultHashBuilder,
}

#[derive(Debug, Default)]
struct Slot<'c> {
    /// Of the text that was here last. Only what comes again is kept: most that is kept in vain costs more than parsing.
    hash: u64,
    kept: Option<Kept<'c>>,
}

#[derive(Debug)]
struct Kept<'c> {
    source: &'c Source<'c>,
    contexts: &'c Arc<Contexts>,
    parsed: Parsed,
}

#[derive(Debug)]
enum Parsed {
    Expression(Expr),
    Template(Template),
}

impl Default for Evaluations<'_> {
    fn default() -> Self {
        /// More distinct texts than a workflow has.
        const SLOTS: usize = 1024;
        let slots = std::iter::repeat_with(Slot::default).take(SLOTS).collect();
        Self { slots, hasher: DefaultHashBuilder::default() }
    }
}

impl<'c> Evaluations<'c> {
    /// The value of a case.
    pub fn evaluate(&mut self, case: &'c Case<'c>) -> Result<Value, Error> {
        let Case { source, contexts } = case;
        let hash = self.hasher.hash_one(source.text());
        let slots = self.slots.len() as u64;
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of slots")]
        let slot = &mut self.slots[(hash % slots) as usize];
        if slot.hash != hash {
            slot.hash = hash;
            return source.evaluate(contexts);
        }
        let kept = match &mut slot.kept {
            Some(kept) if Arc::ptr_eq(kept.contexts, contexts) && kept.source == source => kept,
            kept => kept.insert(Kept { source, contexts, parsed: source.parse(contexts)? }),
        };
        kept.parsed.evaluate(contexts)
    }
}

impl Parsed {
    fn evaluate(&self, contexts: &Contexts) -> Result<Value, Error> {
        match self {
            Self::Expression(expr) => evaluate(expr, contexts),
            Self::Template(template) => template.evaluate(contexts),
        }
    }
}

/// What is wrong with a file of cases.
#[derive(Debug, PartialEq)]
pub enum CasesError {
    /// It is no JSON.
    Json(JsonError),
    /// At a path, in a sentence.
    Shape(String, &'static str),
}

impl From<JsonError> for CasesError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

fn refuse<T>(path: impl Into<String>, message: &'static str) -> Result<T, CasesError> {
    Err(CasesError::Shape(path.into(), message))
}

/// A case as it is written. As large as a case, so that a long list of them turns into cases where it stands.
struct Item<'t> {
    wording: Wording<'t>,
    contexts: Option<Box<Json<'t>>>,
}

enum Wording<'t> {
    Expr(Cow<'t, str>),
    Expression(Cow<'t, str>),
    Template(Cow<'t, str>),
    /// Several of them, or none.
    Fields(Box<Fields<'t>>),
}

#[derive(Default)]
struct Fields<'t> {
    expr: Field<'t>,
    expression: Field<'t>,
    template: Field<'t>,
}

#[derive(Default)]
enum Field<'t> {
    #[default]
    Absent,
    NoText,
    Text(Cow<'t, str>),
}

impl<'t> From<Fields<'t>> for Wording<'t> {
    fn from(fields: Fields<'t>) -> Self {
        match fields {
            Fields { expr: Field::Text(text), expression: Field::Absent, template: Field::Absent } => Self::Expr(text),
            Fields { expr: Field::Absent, expression: Field::Text(text), template: Field::Absent } => {
                Self::Expression(text)
            }
            Fields { expr: Field::Absent, expression: Field::Absent, template: Field::Text(text) } => {
                Self::Template(text)
            }
            other => Self::Fields(Box::new(other)),
        }
    }
}

impl<'t> Wording<'t> {
    /// Whether `expression` or `template` is there.
    fn names_one(&self) -> bool {
        match self {
            Self::Expr(_) => false,
            Self::Expression(_) | Self::Template(_) => true,
            Self::Fields(fields) => !matches!((&fields.expression, &fields.template), (Field::Absent, Field::Absent)),
        }
    }

    /// The one of `expression` and `template` that is there.
    fn listed(self) -> Option<Source<'t>> {
        match self {
            Self::Expression(text) => Some(Source::Expression(text)),
            Self::Template(text) => Some(Source::Template(text)),
            Self::Expr(_) => None,
            Self::Fields(fields) => match (fields.expression, fields.template) {
                (Field::Text(text), Field::Absent) => Some(Source::Expression(text)),
                (Field::Absent, Field::Text(text)) => Some(Source::Template(text)),
                _ => None,
            },
        }
    }

    /// `expr`
    fn grouped(self) -> Option<Source<'t>> {
        match self {
            Self::Expr(text) => Some(Source::Expression(text)),
            Self::Expression(_) | Self::Template(_) => None,
            Self::Fields(fields) => match fields.expr {
                Field::Text(text) => Some(Source::Expression(text)),
                Field::Absent | Field::NoText => None,
            },
        }
    }
}

/// A member of the file: the lists are cases, and may be long.
enum Member<'t> {
    Items(Vec<Item<'t>>),
    Other(Json<'t>),
}

type Members<'t> = Vec<(Cow<'t, str>, Member<'t>)>;

/// The cases of a file in order: of `{group: [{"expr", "contexts"}]}`, or of `{"contexts", "cases": [{"expression"} or
/// {"template"}]}`. Other keys of a case are somebody else's.
pub fn read_cases(text: &str) -> Result<Vec<Case<'_>>, CasesError> {
    let members = read_document(text, |reader| {
        if reader.byte() != b'{' {
            reader.value::<Skipped>()?;
            return Ok(None);
        }
        let mut members: Members<'_> = Vec::new();
        reader.members(|reader, name| {
            members.push((name, member(reader)?));
            Ok(())
        })?;
        Ok(Some(members))
    })?;
    let Some(members) = members else { return refuse("", "expected an object") };
    let last = |wanted: &str| members.iter().rfind(|(name, _)| name == wanted).map(|(_, member)| member);
    let has_contexts = matches!(last("contexts"), Some(Member::Other(Json::Object(_))));
    let is_listed = match last("cases") {
        Some(Member::Items(items)) => has_contexts || items.first().is_some_and(|item| item.wording.names_one()),
        _ => false,
    };
    if is_listed { listed(members) } else { grouped(members) }
}

fn member<'t>(reader: &mut Reader<'t>) -> Result<Member<'t>, JsonError> {
    if reader.byte() != b'[' {
        return reader.value().map(Member::Other);
    }
    let mut items = Vec::new();
    reader.items(|reader| {
        items.push(item(reader)?);
        Ok(())
    })?;
    Ok(Member::Items(items))
}

fn item<'t>(reader: &mut Reader<'t>) -> Result<Item<'t>, JsonError> {
    let mut fields = Fields::default();
    let mut contexts = None;
    if reader.byte() != b'{' {
        reader.value::<Skipped>()?;
        return Ok(Item { wording: fields.into(), contexts });
    }
    reader.members(|reader, name| {
        match &*name {
            "expr" => fields.expr = field(reader)?,
            "expression" => fields.expression = field(reader)?,
            "template" => fields.template = field(reader)?,
            "contexts" => contexts = Some(Box::new(reader.value()?)),
            _ => {
                reader.value::<Skipped>()?;
            }
        }
        Ok(())
    })?;
    Ok(Item { wording: fields.into(), contexts })
}

fn field<'t>(reader: &mut Reader<'t>) -> Result<Field<'t>, JsonError> {
    if reader.byte() == b'"' {
        return reader.quoted(b'"').map(Field::Text);
    }
    reader.value::<Skipped>()?;
    Ok(Field::NoText)
}

fn listed(members: Members<'_>) -> Result<Vec<Case<'_>>, CasesError> {
    let mut shared = Json::Null;
    let mut lists = Vec::new();
    for (name, member) in members {
        match (&*name, member) {
            ("cases", Member::Items(items)) => lists.push(items),
            ("contexts", Member::Other(json)) => shared = json,
            ("contexts", Member::Items(_)) => shared = Json::Array(Vec::new()),
            _ => {}
        }
    }
    let shared = contexts(Some(shared), "contexts")?;
    let mut cases = Vec::new();
    for items in lists {
        append(&mut cases, items, "cases", |item| match item.wording.listed() {
            None => Err("expected an object with either `expression` or `template`, a text"),
            Some(source) => Ok((source, item.contexts, Arc::clone(&shared))),
        })?;
    }
    Ok(cases)
}

fn grouped(members: Members<'_>) -> Result<Vec<Case<'_>>, CasesError> {
    let none = contexts(None, "")?;
    let mut cases = Vec::new();
    for (group, member) in members {
        let Member::Items(items) = member else { return refuse(group, "expected a list of cases") };
        append(&mut cases, items, &group, |item| match item.wording.grouped() {
            None => Err("expected an object with `expr`, a text"),
            Some(source) => Ok((source, item.contexts, Arc::clone(&none))),
        })?;
    }
    Ok(cases)
}

/// What a case evaluates, its own contexts, and those that it has without any.
type Taken<'t> = (Source<'t>, Option<Box<Json<'t>>>, Arc<Contexts>);

fn append<'t>(
    cases: &mut Vec<Case<'t>>,
    items: Vec<Item<'t>>,
    list: &str,
    take: impl Fn(Item<'t>) -> Result<Taken<'t>, &'static str>,
) -> Result<(), CasesError> {
    let more = items.into_iter().enumerate().map(|(index, item)| match take(item) {
        Err(message) => refuse(format!("{list}[{index}]"), message),
        Ok((source, None, contexts)) => Ok(Case { source, contexts }),
        Ok((source, Some(own), _)) => {
            Ok(Case { source, contexts: contexts(Some(*own), &format!("{list}[{index}].contexts"))? })
        }
    });
    let more: Vec<Case<'t>> = more.collect::<Result<_, _>>()?;
    if cases.is_empty() {
        *cases = more;
    } else {
        cases.extend(more);
    }
    Ok(())
}

const NO_CONTEXTS: &str = "expected an object of contexts";

fn contexts(json: Option<Json<'_>>, path: &str) -> Result<Arc<Contexts>, CasesError> {
    match json.unwrap_or(Json::Null) {
        Json::Null => Ok(Arc::new(Contexts::new(Object::new([])))),
        Json::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name.into(), Value::from(value)));
            Ok(Arc::new(Contexts::new(Object::new(members))))
        }
        _ => refuse(path, NO_CONTEXTS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, CasesError> {
        let cases = read_cases(text)?;
        let mut evaluations = Evaluations::default();
        let mut values = Vec::new();
        for case in &cases {
            // Twice more from what is kept of the first time.
            let value = format!("{:?}", case.source.evaluate(&case.contexts).ok());
            assert!((0..3).all(|_| format!("{:?}", evaluations.evaluate(case).ok()) == value));
            values.push(value);
        }
        Ok(values)
    }

    #[test]
    fn both_shapes_are_read_in_order() {
        let grouped =
            r#"{"b": [{"expr": "x", "contexts": {"x": 1}, "result": {}}, {"expr": "x"}], "cases": [{"expr": "2"}]}"#;
        assert_eq!(read(grouped).unwrap(), ["Some(Number(1.0))", "None", "Some(Number(2.0))"]);
        let listed = r#"{"about": 1, "cases": [{"expression": "x"}, {"template": "${{ x }}!", "contexts": {"x": 2}}], "contexts": {"x": 1}}"#;
        assert_eq!(read(listed).unwrap(), ["Some(Number(1.0))", "Some(Str(\"2!\"))"]);
        assert_eq!(read(r#"{"contexts": {}, "cases": []}"#).unwrap(), [""; 0]);
    }

    #[test]
    fn the_last_of_repeated_members_counts_and_lists_of_cases_add_up() {
        let text = r#"{"contexts": {"x": 1}, "cases": [{"expression": "1", "expression": "x", "other": [{}]}],
            "contexts": {"x": 2}, "cases": [{"expression": "x", "contexts": {"x": 3}, "contexts": {"x": 4}}]}"#;
        assert_eq!(read(text).unwrap(), ["Some(Number(2.0))", "Some(Number(4.0))"]);
    }

    #[test]
    fn one_text_over_different_contexts_is_parsed_for_each() {
        let text =
            r#"{"a": [{"expr": "x", "contexts": {"x": 1}}, {"expr": "x"}, {"expr": "x", "contexts": {"x": 2}}]}"#;
        assert_eq!(read(text).unwrap(), ["Some(Number(1.0))", "None", "Some(Number(2.0))"]);
    }

    #[test]
    fn malformed_files_are_refused_with_a_path() {
        for (text, path) in [
            ("[]", ""),
            (r#"{"a": 1}"#, "a"),
            (r#"{"a": [{"expr": "1"}, {"expr": 1}]}"#, "a[1]"),
            (r#"{"contexts": {}, "cases": [{}]}"#, "cases[0]"),
            (r#"{"contexts": {}, "cases": [{"expression": "1", "template": "1"}]}"#, "cases[0]"),
            (r#"{"a": [{"expr": "1", "contexts": []}]}"#, "a[0].contexts"),
            (r#"{"a": [1]}"#, "a[0]"),
            (r#"{"contexts": {}, "contexts": [], "cases": [{"expression": "1"}]}"#, "contexts"),
            (r#"{"cases": [], "cases": [{"expression": 1}]}"#, "cases[0]"),
        ] {
            assert!(matches!(read(text), Err(CasesError::Shape(at, _)) if at == path), "{text}");
        }
    }
}
