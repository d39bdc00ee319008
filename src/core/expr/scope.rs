//! What an expression can refer to: which names and functions exist, and what they are worth.

use std::borrow::Cow;
use std::sync::Arc;

use super::functions::{Function, Signature, StatusFunction};
use super::json::JsonCache;
use super::object::Object;
use super::value::Value;

/// What the evaluator asks for. Everything that it does not know is best answered with [`Value::unknown`].
pub trait Scope {
    /// The context of this name, in any case. `None` when no such context exists here, which is an error.
    fn named_value(&self, name: &str) -> Option<Value>;

    /// The same, only lent where it is at hand.
    fn lent_value(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.named_value(name).map(Cow::Owned)
    }

    /// Where JSON texts are remembered, if they come again.
    fn json_cache(&self) -> Option<&JsonCache> {
        None
    }

    /// What `success()`, `failure()`, `always()` or `cancelled()` gives. The condition of a job may name jobs.
    fn status(&self, which: StatusFunction, jobs: &[Value]) -> Value {
        let _ = jobs;
        Value::unknown(format!("{}()", which.name()))
    }

    /// The hash of the files that match, empty when none does, or why there is none.
    fn hash_files(&self, patterns: &[String]) -> Result<Value, String> {
        let patterns: Vec<String> = patterns.iter().map(|pattern| format!("'{pattern}'")).collect();
        Ok(Value::unknown(format!("hashFiles({})", patterns.join(", "))))
    }
}

/// Contexts that are all at hand, and no runner.
#[derive(Debug, Clone)]
pub struct Contexts(Object);

impl Contexts {
    /// The members of the object are the contexts.
    pub fn new(contexts: Object) -> Self {
        Self(contexts)
    }

    /// The members of the object are the contexts.
    pub fn from_json(contexts: &serde_json::Map<String, serde_json::Value>) -> Self {
        let members = contexts.iter().map(|(name, value)| (Arc::from(name.as_str()), Value::from(value)));
        Self(Object::new(members))
    }

    /// What an expression may refer to here: these contexts, and the functions that exist everywhere.
    pub fn allowed(&self) -> Allowed<'_> {
        Allowed { names: Names::MembersOf(&self.0), functions: &[Signature::EVERYWHERE] }
    }
}

impl Scope for Contexts {
    fn named_value(&self, name: &str) -> Option<Value> {
        self.0.get(name).cloned()
    }

    fn lent_value(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.0.get(name).map(Cow::Borrowed)
    }
}

/// Which contexts and functions an expression may refer to at its place.
#[derive(Debug, Clone, Copy)]
pub struct Allowed<'a> {
    /// The contexts.
    pub names: Names<'a>,
    /// The functions, in groups.
    pub functions: &'a [&'a [Signature]],
}

/// Which contexts exist.
#[derive(Debug, Clone, Copy)]
pub enum Names<'a> {
    /// Whatever the scope will know.
    Any,
    /// These, in any case.
    Only(&'a [&'a str]),
    /// The members of an object.
    MembersOf(&'a Object),
}

impl Allowed<'static> {
    /// Every name and every function.
    pub const ANYTHING: Self = Self {
        names: Names::Any,
        functions: &[Signature::EVERYWHERE, &[Signature::HASH_FILES], Signature::STATUS_OF_JOB],
    };
}

impl<'a> Allowed<'a> {
    /// The signature of a function, if it may be called.
    pub(super) fn signature(&self, function: Function) -> Option<Signature> {
        self.signatures().find(|signature| signature.function == function)
    }

    pub(super) fn signatures(&self) -> impl Iterator<Item = Signature> {
        self.functions.iter().flat_map(|group| group.iter().copied())
    }
}

impl<'a> Names<'a> {
    pub(super) fn allow(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Only(names) => names.iter().any(|known| known.eq_ignore_ascii_case(name)),
            Self::MembersOf(object) => object.get(name).is_some(),
        }
    }

    /// All that exist, as far as they can be listed.
    pub(super) fn list(&self) -> Vec<&'a str> {
        match self {
            Self::Any => Vec::new(),
            Self::Only(names) => names.to_vec(),
            Self::MembersOf(object) => object.iter().map(|(name, _)| name).collect(),
        }
    }
}
