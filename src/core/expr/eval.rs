//! Evaluation: a tree and a scope to a value.
//!
//! Nesting is bounded by the parser, so recursion is too. Memory is counted as the runner counts it: what is alive at
//! once, texts at two bytes a UTF-16 unit.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::MAX_MEMORY;
use super::ast::{Comparison, Expr, Node, NodeKind};
use super::error::{Error, ErrorKind, Problem};
use super::fold;
use super::functions::{Function, json::from_json};
use super::json::{fresh, write_for_runner};
use super::object::Object;
use super::scope::Scope;
use super::text::{number_of_text, number_to_text, small_integer};
use super::unknown::Unknown;
use super::value::{Array, Value};

/// The value of an expression. Nothing at all is null.
pub fn evaluate(expr: &Expr, scope: &dyn Scope) -> Result<Value, Error> {
    let mut evaluator = Evaluator::new(scope);
    expr.root().map_or(Ok(Value::Null), |root| evaluator.eval(root).map(Cow::into_owned))
}

pub(super) struct Evaluator<'s> {
    pub(super) scope: &'s dyn Scope,
    /// The bytes that values alive at this moment take.
    memory: usize,
}

impl<'s> Evaluator<'s> {
    pub(super) fn new(scope: &'s dyn Scope) -> Self {
        Self { scope, memory: 0 }
    }

    /// The value of a node: lent where it stands in a context or in the expression itself.
    pub(super) fn eval<'v>(&mut self, node: Node<'v>) -> Result<Cow<'v, Value>, Error>
    where
        's: 'v,
    {
        match node.kind() {
            NodeKind::Literal(value) => Ok(Cow::Borrowed(value)),
            NodeKind::Name => self.scope.lent_value(node.text()).ok_or_else(|| {
                let name = node.text();
                let message = format!("there is no context `{name}` here");
                Error::new(ErrorKind::Parsing, Problem::UnknownName(name.to_owned()), node.span(), message)
            }),
            // Only the operand of an index, which takes it as it is, or compares it.
            NodeKind::Wildcard | NodeKind::Property => Ok(Cow::Owned(node.text().into())),
            NodeKind::Index => match self.path(node) {
                Some(value) => Ok(Cow::Borrowed(value)),
                None => Ok(self.index(node)?.into_own()),
            },
            NodeKind::Not => self.not(node).map(Cow::Owned),
            NodeKind::Compare(comparison) => self.compare(node, *comparison).map(Cow::Owned),
            NodeKind::And => self.chain(node, false),
            NodeKind::Or => self.chain(node, true),
            NodeKind::Call(function) => {
                let before = self.memory;
                let value = function.call(self, node)?;
                self.keep(node, &value, before)?;
                Ok(Cow::Owned(value))
            }
        }
    }

    /// The same where the value is only looked at, or looked into, so that it may be part of one that is shared.
    pub(super) fn look<'v>(&mut self, node: Node<'v>) -> Result<Seen<'v>, Error>
    where
        's: 'v,
    {
        match node.kind() {
            NodeKind::Index => match self.path(node) {
                Some(value) => Ok(Seen::lent(value)),
                None => self.index(node),
            },
            NodeKind::Call(Function::FromJson) => {
                let before = self.memory;
                let seen = from_json(self, node)?;
                self.keep(node, &seen.value, before)?;
                Ok(seen)
            }
            _ => self.eval(node).map(|value| Seen { value, is_shared: false }),
        }
    }

    /// What stands at a dotted path through objects, which most references are. `None` when it takes more to find it.
    fn path<'v>(&self, node: Node<'v>) -> Option<&'v Value>
    where
        's: 'v,
    {
        const ABSENT: &Value = &Value::Null;
        let (target, key) = Self::operands(node);
        if !matches!(key.kind(), NodeKind::Property) {
            return None;
        }
        let target = match target.kind() {
            NodeKind::Index => self.path(target)?,
            NodeKind::Name => match self.scope.lent_value(target.text())? {
                Cow::Borrowed(value) => value,
                Cow::Owned(_) => return None,
            },
            _ => return None,
        };
        match target {
            Value::Object(object) => Some(object.get(key.text()).unwrap_or(ABSENT)),
            Value::Array(_) | Value::Unknown(_) => None,
            // Nothing has members but these.
            _ => Some(ABSENT),
        }
    }

    /// Counts what remains of a call.
    fn keep(&mut self, node: Node<'_>, value: &Value, before: usize) -> Result<(), Error> {
        match value {
            Value::Str(text) => {
                self.memory = before;
                self.charge(node, text_bytes(text))?;
            }
            // Made of what the arguments took.
            Value::Array(_) | Value::Object(_) => {}
            _ => self.memory = before,
        }
        Ok(())
    }

    fn operands<'e>(node: Node<'e>) -> (Node<'e>, Node<'e>) {
        let mut children = node.children();
        let first = children.next().unwrap_or(node);
        (first, children.next().unwrap_or(first))
    }

    fn not(&mut self, node: Node<'_>) -> Result<Value, Error> {
        let before = self.memory;
        let value = self.eval(Self::operands(node).0)?;
        self.memory = before;
        Ok(match (value.is_truthy(), &*value) {
            (Some(truthy), _) => Value::Bool(!truthy),
            (None, Value::Unknown(unknown)) => unknown.computed().into(),
            // Only an unknown value has no truthiness.
            (None, _) => Value::Null,
        })
    }

    fn compare(&mut self, node: Node<'_>, comparison: Comparison) -> Result<Value, Error> {
        let before = self.memory;
        let (left, right) = Self::operands(node);
        let (left, right) = (self.eval(left)?, self.eval(right)?);
        self.memory = before;
        let result = match comparison {
            Comparison::Equal => equals(&left, &right),
            Comparison::NotEqual => equals(&left, &right).map(|equal| !equal),
            Comparison::Less => ordered(&left, &right, Ordering::Less),
            Comparison::Greater => ordered(&left, &right, Ordering::Greater),
            Comparison::LessOrEqual => equals_or(&left, &right, Ordering::Less),
            Comparison::GreaterOrEqual => equals_or(&left, &right, Ordering::Greater),
        };
        Ok(result.map_or_else(|unknown| unknown.computed().into(), Value::Bool))
    }

    /// `&&` (stops at the first falsy operand) and `||` (stops at the first truthy one): the operand at which it stops,
    /// or the last one.
    fn chain<'v>(&mut self, node: Node<'v>, stop: bool) -> Result<Cow<'v, Value>, Error>
    where
        's: 'v,
    {
        let before = self.memory;
        // The operands of which it is not known whether the chain stops there.
        let mut open: Option<Unknown> = None;
        let mut last = Cow::Owned(Value::Null);
        for operand in node.children() {
            self.memory = before;
            last = match (self.eval(operand), &open) {
                (Ok(value), _) => value,
                // Whether it is evaluated at all is not known, so neither is whether it fails.
                (Err(_), Some(unknown)) => return Ok(Cow::Owned(unknown.computed().into())),
                (Err(error), None) => return Err(error),
            };
            let stops = last.is_truthy().map(|truthy| truthy == stop);
            open = match (open, &*last) {
                (None, Value::Unknown(unknown)) if stops.is_none() => Some(unknown.clone()),
                (Some(open), Value::Unknown(unknown)) => Some(open.union(unknown)),
                (open, _) => open,
            };
            if stops == Some(true) {
                // Each operand at which it may have stopped before is of the same truthiness.
                return Ok(open.map_or(last, |open| Cow::Owned(open.computed().certainly(stop).into())));
            }
        }
        Ok(match open {
            None => last,
            // The last operand is the value whatever it is.
            Some(unknown) if node.children().len() == 1 => Cow::Owned(unknown.into()),
            Some(unknown) => Cow::Owned(unknown.computed().into()),
        })
    }

    fn index<'v>(&mut self, node: Node<'v>) -> Result<Seen<'v>, Error>
    where
        's: 'v,
    {
        let (target, key) = Self::operands(node);
        let Seen { value: target, is_shared } = match target.kind() {
            // No part of what is no plain path is looked for as one once more.
            NodeKind::Index => self.index(target)?,
            _ => self.look(target)?,
        };
        Ok(Seen { value: self.part(node, target, key)?, is_shared })
    }

    fn part<'v>(&mut self, node: Node<'v>, target: Cow<'v, Value>, key: Node<'v>) -> Result<Cow<'v, Value>, Error>
    where
        's: 'v,
    {
        if matches!(key.kind(), NodeKind::Wildcard) {
            let result = wildcard(&target);
            if let Value::Array(array) = &result {
                self.charge(node, size_of::<usize>() * array.items().len())?;
            }
            return Ok(Cow::Owned(result));
        }
        if matches!(key.kind(), NodeKind::Property) {
            return self.property(node, target, key.text());
        }
        let before = self.memory;
        let key = self.eval(key)?;
        self.memory = before;
        let key = &*key;
        Ok(Cow::Owned(match (&*target, key) {
            (Value::Object(object), Value::Unknown(unknown)) => {
                let members = object.iter().filter_map(|(_, member)| unknown_of(member));
                members.fold(unknown.computed(), |all, member| all.union(member)).into()
            }
            (Value::Array(array), _) if array.is_filtered() => self.index_items(node, array, key)?,
            (Value::Array(array), Value::Unknown(unknown)) => {
                let items = array.items().iter().filter_map(unknown_of);
                items.fold(unknown.computed(), |all, item| all.union(item)).into()
            }
            (Value::Object(_) | Value::Array(_), _) => return Ok(inside(target, |target| member(target, key))),
            (Value::Unknown(unknown), Value::Unknown(key)) => unknown.union(key).into(),
            (Value::Unknown(unknown), Value::Number(index)) => unknown.item(*index).into(),
            (Value::Unknown(unknown), key) if key.is_primitive() => {
                unknown.member(&key.to_text().unwrap_or_default()).into()
            }
            (Value::Unknown(unknown), _) => unknown.computed().into(),
            // Nothing has members but these.
            _ => Value::Null,
        }))
    }

    /// A member by the name behind a dot, which is no number and thus nothing in an array.
    fn property<'v>(&mut self, node: Node<'v>, target: Cow<'v, Value>, name: &str) -> Result<Cow<'v, Value>, Error> {
        Ok(Cow::Owned(match &*target {
            Value::Object(_) => return Ok(inside(target, |target| object_of(target)?.get(name))),
            Value::Array(array) if array.is_filtered() => self.index_items(node, array, &name.into())?,
            Value::Unknown(unknown) => unknown.member(name).into(),
            _ => Value::Null,
        }))
    }

    /// An index behind a filter: what stands there in each item that has it.
    fn index_items(&mut self, node: Node<'_>, array: &Array, key: &Value) -> Result<Value, Error> {
        let unknowns = array.items().iter().chain([key]).filter_map(unknown_of);
        if let Some(unknown) = Unknown::of_all(unknowns) {
            // How many items have it is not known; that the result is an array, and thus truthy, is.
            return Ok(unknown.certainly(true).into());
        }
        let items = array.items().iter().filter_map(|item| member(item, key)).cloned();
        let result = Array::filtered(items);
        self.charge(node, size_of::<usize>() * result.items().len())?;
        Ok(result.into())
    }

    /// Counts bytes that a new value takes.
    pub(super) fn charge(&mut self, node: Node<'_>, bytes: usize) -> Result<(), Error> {
        self.memory = self.memory.saturating_add(bytes);
        if self.memory > MAX_MEMORY { Err(Self::too_large(node.span())) } else { Ok(()) }
    }

    pub(super) fn too_large(span: Range<usize>) -> Error {
        let message = format!("the values take more than {} MiB of memory", MAX_MEMORY / (1024 * 1024));
        Error::new(ErrorKind::Evaluation, Problem::TooLarge, span, message)
            .help("GitHub's runner stops there too: pass large data in files or artifacts")
    }

    /// What is alive at this moment, to come back to with [`Self::release`].
    pub(super) fn mark(&self) -> usize {
        self.memory
    }

    /// Forgets everything that was counted since a mark.
    pub(super) fn release(&mut self, mark: usize) {
        self.memory = mark;
    }

    /// A text that may grow up to the limit.
    pub(super) fn builder<'e>(&self, node: Node<'e>) -> TextBuilder<'e> {
        /// Enough for most.
        const CAPACITY: usize = 128;
        let left = MAX_MEMORY.saturating_sub(self.memory);
        TextBuilder { text: String::with_capacity(CAPACITY), limit: Limit { left, counted: 0, bytes: 0 }, node }
    }
}

/// A value that is only looked at.
pub(super) struct Seen<'v> {
    pub(super) value: Cow<'v, Value>,
    /// Whether other evaluations see the same one. Arrays and objects equal themselves only, so that it needs a copy of
    /// its own to be more than looked at.
    is_shared: bool,
}

impl<'v> Seen<'v> {
    fn lent(value: &'v Value) -> Self {
        Self { value: Cow::Borrowed(value), is_shared: false }
    }

    pub(super) fn own(value: Value) -> Self {
        Self { value: Cow::Owned(value), is_shared: false }
    }

    pub(super) fn shared(value: Value) -> Self {
        Self { value: Cow::Owned(value), is_shared: true }
    }

    pub(super) fn into_own(self) -> Cow<'v, Value> {
        if self.is_shared && !self.value.is_primitive() { Cow::Owned(fresh(&self.value)) } else { self.value }
    }
}

/// A text in the making, which fails as soon as it takes more memory than is left.
pub(super) struct TextBuilder<'e> {
    text: String,
    limit: Limit,
    node: Node<'e>,
}

/// The memory that is left for a text.
struct Limit {
    left: usize,
    /// How much of the text is counted already, and what that takes.
    counted: usize,
    bytes: usize,
}

impl Limit {
    fn is_exceeded(&mut self, text: &str) -> bool {
        // A text has at most as many units as bytes; only close to the limit they must be counted.
        if 2 * text.len() <= self.left {
            return false;
        }
        self.bytes += utf16_bytes(&text[self.counted..]);
        self.counted = text.len();
        self.bytes > self.left
    }
}

impl TextBuilder<'_> {
    pub(super) fn push(&mut self, part: &str) -> Result<(), Error> {
        self.text.push_str(part);
        if self.limit.is_exceeded(&self.text) { Err(Evaluator::too_large(self.node.span())) } else { Ok(()) }
    }

    /// Pushes a known value as `toJSON` gives it.
    pub(super) fn push_json(&mut self, value: &Value) -> Result<(), Error> {
        let Self { text, limit, node } = self;
        write_for_runner(value, text, &mut |text| {
            if limit.is_exceeded(text) { Err(Evaluator::too_large(node.span())) } else { Ok(()) }
        })
    }

    /// Pushes a known value as text.
    pub(super) fn push_value(&mut self, value: &Value) -> Result<(), Error> {
        match value {
            Value::Number(number) => match small_integer(*number) {
                Some(integer) => self.push(itoa::Buffer::new().format(integer)),
                None => self.push(&number_to_text(*number)),
            },
            other => self.push(&other.to_text().unwrap_or_default()),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn finish(self) -> Value {
        Value::text(self.text)
    }
}

/// The bytes of a text in UTF-16.
pub(super) fn utf16_bytes(text: &str) -> usize {
    2 * if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// What a text takes in memory, with the overhead of an object.
fn text_bytes(text: &str) -> usize {
    const OVERHEAD: usize = 26;
    utf16_bytes(text) + OVERHEAD
}

fn unknown_of(value: &Value) -> Option<&Unknown> {
    match value {
        Value::Unknown(unknown) => Some(unknown),
        _ => None,
    }
}

/// All items or members of a value, as a filter gives them. Of an object or array behind a filter: those of each item.
fn wildcard(target: &Value) -> Value {
    let mut items = Vec::new();
    match target {
        Value::Unknown(unknown) => return unknown.member("*").certainly(true).into(),
        Value::Array(array) if array.is_filtered() => {
            if let Some(unknown) = Unknown::of_all(array.items().iter().filter_map(unknown_of)) {
                return unknown.certainly(true).into();
            }
            for item in array.items() {
                push_all(item, &mut items);
            }
        }
        other => push_all(other, &mut items),
    }
    Array::filtered(items).into()
}

fn push_all(value: &Value, items: &mut Vec<Value>) {
    match value {
        Value::Array(array) => items.extend(array.items().iter().cloned()),
        Value::Object(object) => items.extend(object.iter().map(|(_, member)| member.clone())),
        _ => {}
    }
}

fn object_of(value: &Value) -> Option<&Object> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// A part of a value, lent if that is; null where there is none.
fn inside<'v>(value: Cow<'v, Value>, part: impl FnOnce(&Value) -> Option<&Value>) -> Cow<'v, Value> {
    match value {
        Cow::Borrowed(value) => part(value).map_or(Cow::Owned(Value::Null), Cow::Borrowed),
        Cow::Owned(value) => Cow::Owned(part(&value).cloned().unwrap_or(Value::Null)),
    }
}

/// What stands at a known key: by text in an object, by number in an array.
fn member<'t>(target: &'t Value, key: &Value) -> Option<&'t Value> {
    match target {
        Value::Object(object) => match key {
            Value::Str(name) => object.get(name),
            key if key.is_primitive() => object.get(&key.to_text().ok()?),
            _ => None,
        },
        Value::Array(array) => {
            let index = key.to_number().ok()?.floor();
            if !(0.0..=f64::from(i32::MAX)).contains(&index) {
                return None;
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
            array.items().get(index as usize)
        }
        _ => None,
    }
}

/// Both operands as one type, where the rules of comparison make them that.
enum Pair<'v> {
    Numbers(f64, f64),
    Texts(&'v str, &'v str),
    Bools(bool, bool),
    Nulls,
    Same(bool),
    Different,
}

/// A number and a text are compared as numbers; a boolean or null becomes a number and is compared again.
fn pair<'v>(left: &'v Value, right: &'v Value) -> Result<Pair<'v>, Unknown> {
    use Value::{Array, Bool, Null, Object, Str};
    Ok(match (left, right) {
        (Value::Unknown(a), Value::Unknown(b)) => return Err(a.union(b)),
        (Value::Unknown(unknown), _) | (_, Value::Unknown(unknown)) => return Err(unknown.clone()),
        (Null, Null) => Pair::Nulls,
        (Bool(a), Bool(b)) => Pair::Bools(*a, *b),
        (Str(a), Str(b)) => Pair::Texts(a, b),
        (Array(a), Array(b)) => Pair::Same(a.same(b)),
        (Object(a), Object(b)) => Pair::Same(a.same(b)),
        (Array(_) | Object(_), _) | (_, Array(_) | Object(_)) => Pair::Different,
        (a, b) => Pair::Numbers(primitive_number(a), primitive_number(b)),
    })
}

fn primitive_number(value: &Value) -> f64 {
    match value {
        Value::Str(text) => number_of_text(text),
        other => other.to_number().unwrap_or(f64::NAN),
    }
}

/// `==`
pub(super) fn equals(left: &Value, right: &Value) -> Result<bool, Unknown> {
    Ok(match pair(left, right)? {
        Pair::Numbers(a, b) => a == b,
        Pair::Texts(a, b) => fold::equal(a, b),
        Pair::Bools(a, b) => a == b,
        Pair::Nulls => true,
        Pair::Same(same) => same,
        Pair::Different => false,
    })
}

/// `<` or `>`
fn ordered(left: &Value, right: &Value, wanted: Ordering) -> Result<bool, Unknown> {
    let order = match pair(left, right)? {
        Pair::Numbers(a, b) => a.partial_cmp(&b),
        Pair::Texts(a, b) => Some(fold::compare(a, b)),
        Pair::Bools(a, b) => Some(a.cmp(&b)),
        Pair::Nulls | Pair::Same(_) | Pair::Different => None,
    };
    Ok(order == Some(wanted))
}

/// `<=` or `>=`
fn equals_or(left: &Value, right: &Value, wanted: Ordering) -> Result<bool, Unknown> {
    Ok(equals(left, right)? || ordered(left, right, wanted)?)
}

#[cfg(test)]
mod tests;
