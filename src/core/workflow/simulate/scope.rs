//! What expressions of a workflow can see at each place.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::expr::{Allowed, Array, Error, JsonCache, Object, Scope, StatusFunction, Template, Value};
use crate::core::yaml::{Kind, NodeRef};

/// The contexts at one place of a run.
#[derive(Debug, Clone)]
pub(super) struct Place {
    contexts: Vec<(&'static str, Value)>,
    status: Status,
    /// Shared by all places of a run.
    json: Rc<JsonCache>,
}

/// What the status functions give.
#[derive(Debug, Clone, Default)]
pub(super) struct Status {
    /// Whether everything before succeeded; `None` when that is unknown.
    pub(super) success: Option<bool>,
    /// Whether anything before failed.
    pub(super) failure: Option<bool>,
    /// Whether the run is cancelled.
    pub(super) cancelled: Option<bool>,
    /// What decides where it is unknown.
    pub(super) depends_on: Vec<Arc<str>>,
}

impl Place {
    pub(super) fn new(status: Status) -> Self {
        Self { contexts: Vec::with_capacity(12), status, json: Rc::default() }
    }

    /// The same place with a context more, or another value of it.
    #[must_use]
    pub(super) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.set(name, value);
        self
    }

    pub(super) fn set(&mut self, name: &'static str, value: Value) {
        match self.contexts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.contexts.push((name, value)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.contexts.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

impl Scope for Place {
    fn named_value(&self, name: &str) -> Option<Value> {
        self.lent_value(name).map(Cow::into_owned)
    }

    fn lent_value(&self, name: &str) -> Option<Cow<'_, Value>> {
        let known = self.contexts.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map(|(_, value)| Cow::Borrowed(value))
    }

    fn json_cache(&self) -> Option<&JsonCache> {
        Some(&self.json)
    }

    fn status(&self, which: StatusFunction, _jobs: &[Value]) -> Value {
        let known = match which {
            StatusFunction::Success => self.status.success,
            StatusFunction::Failure => self.status.failure,
            StatusFunction::Cancelled => self.status.cancelled,
            StatusFunction::Always => Some(true),
        };
        known.map_or_else(
            || {
                Value::unknown(
                    self.status.depends_on.first().cloned().unwrap_or_else(|| format!("{}()", which.name()).into()),
                )
            },
            Value::Bool,
        )
    }
}

/// Evaluates nodes, each of their texts parsed once.
#[derive(Default)]
pub(super) struct Evaluator {
    templates: HashMap<(usize, usize), Parsed>,
    /// Problems by the place where they were found, so that a matrix of many legs says each once.
    reported: HashMap<(usize, usize), ()>,
}

#[derive(Clone)]
enum Parsed {
    Plain(Value),
    Template(Arc<Template>),
    Refused,
}

impl Evaluator {
    /// The value of a node: texts with their expressions evaluated, lists and mappings item by item. `None` when an
    /// expression failed, which is reported.
    pub(super) fn value(&mut self, node: NodeRef<'_>, place: &Place, found: &mut Diagnostics) -> Option<Value> {
        Some(match node.kind() {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(value),
            #[expect(clippy::cast_precision_loss, reason = "all numbers of workflows are floating point")]
            Kind::Int(value) => Value::Number(value as f64),
            Kind::Big(value) => Value::Number(value.to_string().parse().unwrap_or(f64::INFINITY)),
            Kind::Float(value) => Value::Number(value),
            Kind::Str(text) | Kind::Date(text) | Kind::Binary(text) => return self.text(node, text, place, found),
            Kind::List => {
                let items: Option<Vec<Value>> = node.items().map(|item| self.value(item, place, found)).collect();
                Value::Array(Array::new(items?))
            }
            Kind::Map => {
                let mut members: Vec<(Arc<str>, Value)> = Vec::new();
                for (key, value) in node.entries() {
                    members.push((key.scalar_text().unwrap_or_default().into(), self.value(value, place, found)?));
                }
                Value::Object(Object::new(members))
            }
        })
    }

    fn text(&mut self, node: NodeRef<'_>, text: &str, place: &Place, found: &mut Diagnostics) -> Option<Value> {
        let key = place_of(node);
        let parsed = match self.templates.get(&key) {
            Some(parsed) => parsed.clone(),
            None => {
                let parsed = self.parse_template(node, text, found);
                self.templates.insert(key, parsed.clone());
                parsed
            }
        };
        match parsed {
            Parsed::Plain(value) => Some(value),
            Parsed::Template(template) => {
                let result = template.evaluate(place);
                result.map_err(|error| self.report(node, text, &error, found)).ok()
            }
            Parsed::Refused => None,
        }
    }

    fn parse_template(&mut self, node: NodeRef<'_>, text: &str, found: &mut Diagnostics) -> Parsed {
        if !text.contains("${{") {
            return Parsed::Plain(Value::text(text));
        }
        match Template::parse(text, &Allowed::ANYTHING) {
            Ok(template) => Parsed::Template(Arc::new(template)),
            Err(error) => {
                self.report(node, text, &error, found);
                Parsed::Refused
            }
        }
    }

    /// The condition of an `if`, with or without `${{ }}` around it. `None` when it is refused, which is reported.
    pub(super) fn condition(&mut self, node: NodeRef<'_>, found: &mut Diagnostics) -> Option<Arc<Template>> {
        let key = place_of(node);
        if !self.templates.contains_key(&key) {
            let text = node.scalar_text().unwrap_or_default();
            let parsed = match Template::parse_condition(text, &Allowed::ANYTHING) {
                Ok(template) => Parsed::Template(Arc::new(template)),
                Err(error) => {
                    self.report(node, text, &error, found);
                    Parsed::Refused
                }
            };
            self.templates.insert(key, parsed);
        }
        match self.templates.get(&key) {
            Some(Parsed::Template(template)) => Some(Arc::clone(template)),
            _ => None,
        }
    }

    /// Evaluates a condition that [`Self::condition`] gave.
    pub(super) fn decide(
        &mut self,
        condition: &Template,
        node: NodeRef<'_>,
        place: &Place,
        found: &mut Diagnostics,
    ) -> Option<Value> {
        let text = node.scalar_text().unwrap_or_default();
        condition.evaluate(place).map_err(|error| self.report(node, text, &error, found)).ok()
    }

    fn report(&mut self, node: NodeRef<'_>, text: &str, error: &Error, found: &mut Diagnostics) {
        if self.reported.insert(place_of(node), ()).is_some() {
            return;
        }
        let mut diagnostic =
            Diagnostic::error(Code::WorkflowExpression, error.message()).at(node.source(), locate(node, text, error));
        if let Some(advice) = error.advice() {
            diagnostic = diagnostic.help(advice);
        }
        found.push(diagnostic);
    }

    /// Reports something about a node once, however many legs meet it.
    pub(super) fn once(&mut self, node: NodeRef<'_>, diagnostic: Diagnostic, found: &mut Diagnostics) {
        if self.reported.insert(place_of(node), ()).is_none() {
            found.push(diagnostic);
        }
    }
}

/// What tells nodes of all files apart.
fn place_of(node: NodeRef<'_>) -> (usize, usize) {
    (std::sync::Arc::as_ptr(node.source()) as usize, node.span().start)
}

/// Where an error in a text stands in the file: exactly where the text stands there as it is, else at the value.
fn locate(node: NodeRef<'_>, text: &str, error: &Error) -> std::ops::Range<usize> {
    let span = node.span();
    let written = &node.source().text()[span.clone()];
    match written.find(text).filter(|_| !text.is_empty()) {
        Some(at) => {
            let inside = error.span();
            let start = span.start + at + inside.start.min(text.len());
            let end = span.start + at + inside.end.min(text.len());
            start..end.max(start)
        }
        None => span,
    }
}

impl Place {
    pub(super) fn set_status(&mut self, status: Status) {
        self.status = status;
    }

    pub(super) fn success(&self) -> Option<bool> {
        self.status.success
    }

    pub(super) fn status_depends_on(&self) -> Vec<Arc<str>> {
        self.status.depends_on.clone()
    }
}
