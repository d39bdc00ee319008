//! Evaluation: a tree and a scope to a value.
//!
//! Nesting is bounded by the parser, so recursion is too. Memory is counted as the runner counts it: what is alive at
//! once, texts at two bytes a UTF-16 unit.

use std::cmp::Ordering;
use std::ops::Range;

use super::MAX_MEMORY;
use super::ast::{Comparison, Expr, Node, NodeKind};
use super::error::{Error, ErrorKind, Problem};
use super::fold;
use super::scope::Scope;
use super::text::{number_of_text, number_to_text, small_integer};
use super::unknown::Unknown;
use super::value::{Array, Value};

/// The value of an expression. Nothing at all is null.
pub fn evaluate(expr: &Expr, scope: &dyn Scope) -> Result<Value, Error> {
    let mut evaluator = Evaluator::new(scope);
    expr.root().map_or(Ok(Value::Null), |root| evaluator.eval(root))
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

    pub(super) fn eval(&mut self, node: Node<'_>) -> Result<Value, Error> {
        match node.kind() {
            NodeKind::Literal(value) => Ok(value.clone()),
            NodeKind::Name => self.scope.named_value(node.text()).ok_or_else(|| {
                let name = node.text();
                let message = format!("there is no context `{name}` here");
                Error::new(ErrorKind::Parsing, Problem::UnknownName(name.to_owned()), node.span(), message)
            }),
            // Only the operand of an index, which takes it as it is, or compares it.
            NodeKind::Wildcard | NodeKind::Property => Ok(node.text().into()),
            NodeKind::Index => self.index(node),
            NodeKind::Not => self.not(node),
            NodeKind::Compare(comparison) => self.compare(node, *comparison),
            NodeKind::And => self.chain(node, false),
            NodeKind::Or => self.chain(node, true),
            NodeKind::Call(function) => {
                let before = self.memory;
                let value = function.call(self, node)?;
                match &value {
                    Value::Str(text) => {
                        self.memory = before;
                        self.charge(node, text_bytes(text))?;
                    }
                    // Made of what the arguments took.
                    Value::Array(_) | Value::Object(_) => {}
                    _ => self.memory = before,
                }
                Ok(value)
            }
        }
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
        Ok(match (value.is_truthy(), value) {
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
    fn chain(&mut self, node: Node<'_>, stop: bool) -> Result<Value, Error> {
        let before = self.memory;
        // The operands of which it is not known whether the chain stops there.
        let mut open: Option<Unknown> = None;
        let mut last = Value::Null;
        for operand in node.children() {
            self.memory = before;
            last = match (self.eval(operand), &open) {
                (Ok(value), _) => value,
                // Whether it is evaluated at all is not known, so neither is whether it fails.
                (Err(_), Some(unknown)) => return Ok(unknown.computed().into()),
                (Err(error), None) => return Err(error),
            };
            let stops = last.is_truthy().map(|truthy| truthy == stop);
            open = match (open, &last) {
                (None, Value::Unknown(unknown)) if stops.is_none() => Some(unknown.clone()),
                (Some(open), Value::Unknown(unknown)) => Some(open.union(unknown)),
                (open, _) => open,
            };
            if stops == Some(true) {
                // Each operand at which it may have stopped before is of the same truthiness.
                return Ok(open.map_or(last, |open| open.computed().certainly(stop).into()));
            }
        }
        Ok(match open {
            None => last,
            // The last operand is the value whatever it is.
            Some(unknown) if node.children().len() == 1 => unknown.into(),
            Some(unknown) => unknown.computed().into(),
        })
    }

    fn index(&mut self, node: Node<'_>) -> Result<Value, Error> {
        let (target, key) = Self::operands(node);
        let target = self.eval(target)?;
        if matches!(key.kind(), NodeKind::Wildcard) {
            let result = wildcard(&target);
            if let Value::Array(array) = &result {
                self.charge(node, size_of::<usize>() * array.items().len())?;
            }
            return Ok(result);
        }
        if matches!(key.kind(), NodeKind::Property) {
            return self.property(node, &target, key.text());
        }
        let before = self.memory;
        let literal;
        let key = match key.kind() {
            NodeKind::Literal(value) => value,
            _ => {
                literal = self.eval(key)?;
                &literal
            }
        };
        self.memory = before;
        match target {
            Value::Object(object) => Ok(match key {
                Value::Unknown(unknown) => {
                    let members = object.iter().filter_map(|(_, member)| unknown_of(member));
                    members.fold(unknown.computed(), |all, member| all.union(member)).into()
                }
                _ => member(&Value::Object(object), key).unwrap_or(Value::Null),
            }),
            Value::Array(array) if array.is_filtered() => self.index_items(node, &array, key),
            Value::Array(array) => Ok(match key {
                Value::Unknown(unknown) => {
                    let items = array.items().iter().filter_map(unknown_of);
                    items.fold(unknown.computed(), |all, item| all.union(item)).into()
                }
                _ => member(&Value::Array(array), key).unwrap_or(Value::Null),
            }),
            Value::Unknown(unknown) => Ok(match key {
                Value::Unknown(key) => unknown.union(key).into(),
                Value::Number(index) => unknown.item(*index).into(),
                key if key.is_primitive() => unknown.member(&key.to_text().unwrap_or_default()).into(),
                _ => unknown.computed().into(),
            }),
            // Nothing has members but these.
            _ => Ok(Value::Null),
        }
    }

    /// A member by the name behind a dot, which is no number and thus nothing in an array.
    fn property(&mut self, node: Node<'_>, target: &Value, name: &str) -> Result<Value, Error> {
        Ok(match target {
            Value::Object(object) => object.get(name).cloned().unwrap_or(Value::Null),
            Value::Array(array) if array.is_filtered() => return self.index_items(node, array, &name.into()),
            Value::Unknown(unknown) => unknown.member(name).into(),
            _ => Value::Null,
        })
    }

    /// An index behind a filter: what stands there in each item that has it.
    fn index_items(&mut self, node: Node<'_>, array: &Array, key: &Value) -> Result<Value, Error> {
        let unknowns = array.items().iter().chain([key]).filter_map(unknown_of);
        if let Some(unknown) = Unknown::of_all(unknowns) {
            // How many items have it is not known; that the result is an array, and thus truthy, is.
            return Ok(unknown.certainly(true).into());
        }
        let items = array.items().iter().filter_map(|item| member(item, key));
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
        TextBuilder { text: String::with_capacity(CAPACITY), left: MAX_MEMORY.saturating_sub(self.memory), node }
    }

    /// A primitive as a text.
    pub(super) fn text_of(&self, value: &Value) -> Value {
        match value {
            Value::Str(text) => Value::Str(text.clone()),
            other => other.to_text().map_or_else(Value::Unknown, |text| Value::text(&*text)),
        }
    }
}

/// A text in the making, which fails as soon as it takes more memory than is left.
pub(super) struct TextBuilder<'e> {
    text: String,
    left: usize,
    node: Node<'e>,
}

impl TextBuilder<'_> {
    pub(super) fn push(&mut self, part: &str) -> Result<(), Error> {
        // A text has at most as many units as bytes; only close to the limit they must be counted.
        if 2 * (self.text.len() + part.len()) > self.left && utf16_bytes(&self.text) + utf16_bytes(part) > self.left {
            return Err(Evaluator::too_large(self.node.span()));
        }
        self.text.push_str(part);
        Ok(())
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

/// What stands at a known key: by text in an object, by number in an array.
fn member(target: &Value, key: &Value) -> Option<Value> {
    match target {
        Value::Object(object) => match key {
            Value::Str(name) => object.get(name).cloned(),
            key if key.is_primitive() => object.get(&key.to_text().ok()?).cloned(),
            _ => None,
        },
        Value::Array(array) => {
            let index = key.to_number().ok()?.floor();
            if !(0.0..=f64::from(i32::MAX)).contains(&index) {
                return None;
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just above")]
            array.items().get(index as usize).cloned()
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
