//! What expressions of a workflow can see at each place.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;

use super::Actions;
use super::sight::Sight;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::expr::{Array, Error, JsonCache, Object, Scope, StatusFunction, Template, Value};
use crate::core::workflow::read::first_line;
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

impl Status {
    /// All went well so far.
    pub(super) fn succeeding() -> Self {
        Self { success: Some(true), failure: Some(false), cancelled: Some(false), depends_on: vec![] }
    }
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

/// How many values a simulation may make, texts counted by their length. A sweep of two thousand points makes a tenth.
const MAX_VALUES: usize = if cfg!(test) { 50_000 } else { 5_000_000 };
/// How many bytes of a name count as one value; of other texts, of which many are shared, four times as many.
pub(super) const BYTES_A_VALUE: usize = 8;
/// How many texts are evaluated between two looks at the clock.
const CLOCK_INTERVAL: usize = 16;

/// Evaluates nodes, each of their texts parsed once.
pub(super) struct Evaluator<'r> {
    actions: &'r dyn Actions,
    templates: HashMap<(usize, usize, Sight), Parsed>,
    /// Problems by the place where they were found, so that a matrix of many legs says each once.
    reported: HashMap<(usize, usize), ()>,
    /// How many values may still be made, and how many texts were evaluated.
    left: usize,
    evaluated: usize,
}

#[derive(Clone)]
enum Parsed {
    Plain(Value),
    Template(Arc<Template>),
    Refused,
}

impl<'r> Evaluator<'r> {
    pub(super) fn new(actions: &'r dyn Actions) -> Self {
        Self { actions, templates: HashMap::new(), reported: HashMap::new(), left: MAX_VALUES, evaluated: 0 }
    }

    /// Whether the simulation has become too large to go on. Said once, at the node where that was noticed.
    pub(super) fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// Takes some of what may still be made.
    pub(super) fn spend(&mut self, values: usize, node: NodeRef<'_>, found: &mut Diagnostics) {
        if self.left == 0 {
            return;
        }
        self.left = self.left.saturating_sub(values);
        if self.left == 0 {
            self.give_up(format!("the run has more than {MAX_VALUES} values by here"), node, found);
        }
    }

    /// A step takes more room than a value, also one that holds none.
    pub(super) fn begin_step(&mut self, node: NodeRef<'_>, found: &mut Diagnostics) {
        const VALUES_A_STEP: usize = 8;
        self.spend(VALUES_A_STEP, node, found);
        self.look_at_clock(node, found);
    }

    /// Makes nothing any more.
    pub(super) fn stop(&mut self) {
        self.left = 0;
    }

    fn look_at_clock(&mut self, node: NodeRef<'_>, found: &mut Diagnostics) {
        self.evaluated += 1;
        if self.evaluated.is_multiple_of(CLOCK_INTERVAL) && self.left > 0 && self.actions.is_out_of_time() {
            self.left = 0;
            self.give_up("the simulation has taken too long by here".to_owned(), node, found);
        }
    }

    fn give_up(&self, message: String, node: NodeRef<'_>, found: &mut Diagnostics) {
        found.push(
            Diagnostic::error(Code::WorkflowLimit, format!("{message}; what follows is left out"))
                .at(node.source(), first_line(node))
                .help("simulate a smaller part: give outputs with shorter lists, or a called workflow alone"),
        );
    }

    /// The value of a node: texts with their expressions evaluated, lists and mappings item by item. `None` when an
    /// expression failed, which is reported.
    pub(super) fn value(
        &mut self,
        node: NodeRef<'_>,
        sight: Sight,
        place: &Place,
        found: &mut Diagnostics,
    ) -> Option<Value> {
        self.spend(1, node, found);
        if self.is_exhausted() {
            return None;
        }
        Some(match node.kind() {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(value),
            #[expect(clippy::cast_precision_loss, reason = "all numbers of workflows are floating point")]
            Kind::Int(value) => Value::Number(value as f64),
            Kind::Big(value) => Value::Number(value.to_string().parse().unwrap_or(f64::INFINITY)),
            Kind::Float(value) => Value::Number(value),
            Kind::Str(text) | Kind::Date(text) | Kind::Binary(text) => {
                return self.text(node, text, sight, place, found);
            }
            Kind::List => {
                let items: Option<Vec<Value>> =
                    node.items().map(|item| self.value(item, sight, place, found)).collect();
                Value::Array(Array::new(items?))
            }
            Kind::Map => {
                let mut members: Vec<(Arc<str>, Value)> = Vec::new();
                for (key, value) in node.entries() {
                    members
                        .push((key.scalar_text().unwrap_or_default().into(), self.value(value, sight, place, found)?));
                }
                Value::Object(Object::new(members))
            }
        })
    }

    fn text(
        &mut self,
        node: NodeRef<'_>,
        text: &str,
        sight: Sight,
        place: &Place,
        found: &mut Diagnostics,
    ) -> Option<Value> {
        let key = key_of(node, sight);
        let parsed = match self.templates.get(&key) {
            Some(parsed) => parsed.clone(),
            None => {
                let parsed = self.parse_template(node, text, sight, found);
                self.templates.insert(key, parsed.clone());
                parsed
            }
        };
        match parsed {
            Parsed::Plain(value) => Some(value),
            Parsed::Template(template) => {
                self.look_at_clock(node, found);
                let result = template.evaluate(place);
                if let Ok(Value::Str(made)) = &result {
                    self.spend(made.len() / (4 * BYTES_A_VALUE), node, found);
                }
                result.map_err(|error| self.report(node, text, &error, found)).ok()
            }
            Parsed::Refused => None,
        }
    }

    fn parse_template(&mut self, node: NodeRef<'_>, text: &str, sight: Sight, found: &mut Diagnostics) -> Parsed {
        if !text.contains("${{") {
            return Parsed::Plain(Value::text(text));
        }
        match Template::parse(text, &sight.allowed()) {
            Ok(template) => Parsed::Template(Arc::new(template)),
            Err(error) => {
                self.report(node, text, &error, found);
                Parsed::Refused
            }
        }
    }

    /// The condition of an `if`, with or without `${{ }}` around it. `None` when it is refused, which is reported.
    pub(super) fn condition(
        &mut self,
        node: NodeRef<'_>,
        sight: Sight,
        found: &mut Diagnostics,
    ) -> Option<Arc<Template>> {
        let key = key_of(node, sight);
        if !self.templates.contains_key(&key) {
            let text = node.scalar_text().unwrap_or_default();
            let parsed = match Template::parse_condition(text, &sight.allowed()) {
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
        self.spend(1, node, found);
        self.look_at_clock(node, found);
        if self.is_exhausted() {
            return None;
        }
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

/// What tells texts apart that are parsed: an alias may bring one to places where different names may be used.
fn key_of(node: NodeRef<'_>, sight: Sight) -> (usize, usize, Sight) {
    let (source, start) = place_of(node);
    (source, start, sight)
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
