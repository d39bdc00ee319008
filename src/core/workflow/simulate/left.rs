//! What a job leaves for those that need it.

use std::sync::Arc;

use hashbrown::HashSet;

use super::scope::Status;
use crate::core::expr::{Object, Value};

/// A job that is decided, as later jobs see it.
#[derive(Debug, Clone)]
pub(super) struct Left {
    result: Value,
    outputs: Value,
    /// Whether this job and all before it succeeded, and whether any failed; unknown where either is.
    success: Option<bool>,
    failure: Option<bool>,
    depends_on: Vec<Arc<str>>,
}

impl Left {
    /// `depends_on`: what the job's own state depends on, beside that of its needs.
    pub(super) fn new(needs: &[(&str, &Self)], result: Value, outputs: Value, depends_on: &[Arc<str>]) -> Self {
        let before = status_of(needs);
        let own = result.to_text().ok().map(|text| text.into_owned());
        let is = |word: &str| own.as_deref().map(|own| own == word);
        let success = combine([before.success, is("success")], false);
        let failure = combine([before.failure, is("failure")], true);
        let all = distinct(before.depends_on.iter().chain(depends_on));
        Self { result, outputs, success, failure, depends_on: all }
    }
}

/// What the status functions answer behind these needs.
pub(super) fn status_of(needs: &[(&str, &Left)]) -> Status {
    Status {
        success: combine(needs.iter().map(|(_, left)| left.success), false),
        failure: combine(needs.iter().map(|(_, left)| left.failure), true),
        cancelled: Some(false),
        depends_on: distinct(needs.iter().flat_map(|(_, left)| &left.depends_on)),
    }
}

/// Each reference once, in order, and not more than anybody reads: every job hands on what its needs hand on.
fn distinct<'l>(references: impl Iterator<Item = &'l Arc<str>>) -> Vec<Arc<str>> {
    const MOST: usize = 50;
    let mut seen: HashSet<&Arc<str>> = HashSet::new();
    references.filter(|reference| seen.insert(*reference)).take(MOST).cloned().collect()
}

/// The `needs` context of a job, and the `jobs` context of a called workflow.
pub(super) fn context<'l>(jobs: impl Iterator<Item = (&'l str, &'l Left)>) -> Value {
    let members = jobs.map(|(name, left)| {
        let members = [("result", left.result.clone()), ("outputs", left.outputs.clone())];
        (Arc::from(name), Value::Object(Object::new(members.map(|(name, value)| (name.into(), value)))))
    });
    Value::Object(Object::new(members.collect::<Vec<_>>()))
}

/// The combination of several answers: `stop` if any is, its opposite if all are, else unknown.
fn combine(answers: impl IntoIterator<Item = Option<bool>>, stop: bool) -> Option<bool> {
    let mut unknown = false;
    for answer in answers {
        match answer {
            Some(answer) if answer == stop => return Some(stop),
            Some(_) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(!stop)
}
