//! A generated job and where it came from.

use crate::core::config::Config;
use crate::core::diag::{Code, Diagnostic};
use crate::core::num::Num;
use crate::core::schema::Path;
use crate::core::yaml::{NodeRef, Value};

/// What a config measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scenario {
    /// Requests of fixed input and output lengths.
    FixedSeqLen,
    /// Replayed agent trajectories.
    AgenticCoding,
}

impl Scenario {
    /// Its key in a config, and its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::FixedSeqLen => "fixed-seq-len",
            Self::AgenticCoding => "agentic-coding",
        }
    }
}

/// One search-space entry of a config.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'d> {
    /// The config that it belongs to.
    pub config: Config<'d>,
    /// The list that it stands in.
    pub scenario: Scenario,
    /// Which scenario of the list, from 0.
    pub item: usize,
    /// The scenario.
    pub item_node: NodeRef<'d>,
    /// Which entry of the scenario, from 0.
    pub index: usize,
    /// The entry itself.
    pub node: NodeRef<'d>,
}

impl<'d> Entry<'d> {
    /// The raw value under a key, null included.
    pub fn get(&self, key: &str) -> Option<Value<'d>> {
        self.node.get(key).map(Value::of)
    }

    /// The raw value under a key unless it is null.
    pub fn given(&self, key: &str) -> Option<Value<'d>> {
        self.get(key).filter(|value| *value != Value::Null)
    }

    /// The dotted path of the entry, or of something in it.
    pub fn path(&self, below: &str) -> String {
        let config = Path::ROOT.key(self.config.key);
        let scenarios = config.key("scenarios");
        let list = scenarios.key(self.scenario.name());
        let item = list.index(self.item);
        let space = item.key("search-space");
        let entry = space.index(self.index).to_string();
        if below.is_empty() { entry } else { format!("{entry}.{below}") }
    }

    /// An error about a value of the entry: points at it, or at the entry if it is not there.
    pub fn error(&self, code: Code, below: &str, message: impl Into<String>) -> Diagnostic {
        let place = descend(self.node, below).unwrap_or(self.node).site();
        Diagnostic::error(code, message).at(self.node.source(), place).path(self.path(below))
    }

    /// The number that a value is, or why nothing can be computed with it.
    pub fn number(&self, below: &str, value: &Value<'_>) -> Result<Num, Diagnostic> {
        Num::of(value).ok_or_else(|| self.not_a_number(below, value))
    }

    fn not_a_number(&self, below: &str, value: &Value<'_>) -> Diagnostic {
        let name = below.rsplit('.').next().unwrap_or(below);
        let (what, help) = match value {
            Value::Str(text) => (format!("the text `{text}`"), "write the number without quotes".to_owned()),
            Value::Null => ("nothing (null)".to_owned(), format!("give a number, or remove {name}")),
            _ => ("a value of another kind".to_owned(), "write a number".to_owned()),
        };
        self.error(Code::NumberNeeded, below, format!("{name} is {what}, and the matrix computes with it")).help(help)
    }
}

/// Follows `prefill.tp` or `conc-list[2]` as far as it leads.
fn descend<'d>(node: NodeRef<'d>, below: &str) -> Option<NodeRef<'d>> {
    let mut node = node;
    for step in below.split('.').filter(|step| !step.is_empty()) {
        let (key, index) = match step.split_once('[') {
            Some((key, index)) => (key, index.trim_end_matches(']').parse::<usize>().ok()),
            None => (step, None),
        };
        let Some(next) = node.get(key) else { return (!std::ptr::eq(below, step)).then_some(node) };
        node = match index.and_then(|index| next.items().nth(index)) {
            Some(item) => item,
            None => next,
        };
    }
    Some(node)
}

/// A generated job: its fields in the order in which consumers expect them, and its entry.
#[derive(Debug, Clone)]
pub struct Row<'d> {
    fields: Vec<(&'static str, Value<'d>)>,
    /// The search-space entry that made it.
    pub entry: Entry<'d>,
}

impl<'d> Row<'d> {
    pub(super) fn new(entry: Entry<'d>) -> Self {
        const USUAL_FIELDS: usize = 28;
        Self { fields: Vec::with_capacity(USUAL_FIELDS), entry }
    }

    /// A copy with room for the fields that marking and counting append.
    pub(super) fn copy_with_room(&self) -> Self {
        const APPENDED_FIELDS: usize = 5;
        let mut fields = Vec::with_capacity(self.fields.len() + APPENDED_FIELDS);
        fields.extend_from_slice(&self.fields);
        Self { fields, entry: self.entry }
    }

    /// The fields in order.
    pub fn fields(&self) -> &[(&'static str, Value<'d>)] {
        &self.fields
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Value<'d>> {
        self.fields.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The text of a field, or nothing.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether a field is true.
    pub fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some(&Value::Bool(true))
    }

    /// Whether it is a multi-node job.
    pub fn is_multinode(&self) -> bool {
        self.get("prefill").is_some()
    }

    /// Whether it replays agent trajectories.
    pub fn is_agentic(&self) -> bool {
        self.entry.scenario == Scenario::AgenticCoding
    }

    /// The concurrencies: those of the list, or the single one.
    pub fn concurrencies(&self) -> &[Value<'d>] {
        match self.get("conc") {
            Some(Value::List(list)) => list,
            Some(single) => std::slice::from_ref(single),
            None => &[],
        }
    }

    /// Appends a field that is not there yet.
    pub(super) fn push(&mut self, name: &'static str, value: Value<'d>) {
        self.fields.push((name, value));
    }

    /// Overwrites a field in its place, or appends it.
    pub(super) fn set(&mut self, name: &'static str, value: Value<'d>) {
        match self.fields.iter_mut().find(|(key, _)| *key == name) {
            Some((_, old)) => *old = value,
            None => self.push(name, value),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.fields.retain(|(key, _)| *key != name);
    }

    /// The number that a concurrency is, or why nothing can be computed with it.
    pub(super) fn conc_number(&self, value: &Value<'_>) -> Result<Num, Diagnostic> {
        Num::of(value).ok_or_else(|| {
            let list = self.entry.node.get("conc-list");
            let index = list.and_then(|list| list.items().position(|item| Value::of(item) == *value));
            let below = match index {
                Some(index) => format!("conc-list[{index}]"),
                None => "conc-list".to_owned(),
            };
            self.entry.not_a_number(&below, value)
        })
    }
}
