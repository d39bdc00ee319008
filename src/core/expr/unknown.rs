//! A value that nobody knows yet, and on what it depends.

use std::sync::Arc;

/// An unknown value: the references that must be known first, sorted.
///
/// Its truthiness may be known all the same: `x && false` is falsy whatever `x` is.
#[derive(Debug, Clone)]
pub struct Unknown(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Sorted, without repetition, never empty.
    depends_on: Box<[Arc<str>]>,
    /// Whether the value is just what stands at the single reference, so that a member of it has a reference too.
    is_reference: bool,
    truthiness: Option<bool>,
}

impl Unknown {
    /// What stands at a reference such as `needs.plan.outputs.points`.
    pub fn at(reference: impl Into<Arc<str>>) -> Self {
        Self(Arc::new(Inner { depends_on: Box::new([reference.into()]), is_reference: true, truthiness: None }))
    }

    /// The references that must be known first: sorted, at least one.
    pub fn depends_on(&self) -> &[Arc<str>] {
        &self.0.depends_on
    }

    /// Whether it is truthy, where that much is known.
    pub fn truthiness(&self) -> Option<bool> {
        self.0.truthiness
    }

    /// What stands at `key` in it.
    pub(super) fn member(&self, key: &str) -> Self {
        match self.reference() {
            Some(reference) => Self::at(format!("{reference}.{key}")),
            None => self.computed(),
        }
    }

    /// What stands at an index of it.
    pub(super) fn item(&self, index: f64) -> Self {
        match self.reference() {
            Some(reference) => Self::at(format!("{reference}[{index}]")),
            None => self.computed(),
        }
    }

    fn reference(&self) -> Option<&str> {
        self.0.is_reference.then(|| &*self.0.depends_on[0])
    }

    /// Something that is computed from it: no longer what stands at a reference.
    pub(super) fn computed(&self) -> Self {
        if !self.0.is_reference && self.0.truthiness.is_none() {
            return self.clone();
        }
        Self(Arc::new(Inner { depends_on: self.0.depends_on.clone(), is_reference: false, truthiness: None }))
    }

    /// Something that is computed from both.
    pub(super) fn union(&self, other: &Self) -> Self {
        if Arc::ptr_eq(&self.0, &other.0) {
            return self.computed();
        }
        let mut depends_on: Vec<Arc<str>> = self.0.depends_on.iter().chain(&*other.0.depends_on).cloned().collect();
        depends_on.sort_unstable();
        depends_on.dedup();
        Self(Arc::new(Inner { depends_on: depends_on.into(), is_reference: false, truthiness: None }))
    }

    /// The same, of known truthiness.
    pub(super) fn certainly(&self, truthy: bool) -> Self {
        let Inner { depends_on, is_reference, .. } = &*self.0;
        let (depends_on, is_reference) = (depends_on.clone(), *is_reference);
        Self(Arc::new(Inner { depends_on, is_reference, truthiness: Some(truthy) }))
    }

    /// The union of all that `unknowns` gives, or none.
    pub(super) fn of_all<'a>(unknowns: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut unknowns = unknowns.into_iter();
        let first = unknowns.next()?.computed();
        Some(unknowns.fold(first, |all, next| all.union(next)))
    }
}

/// Equal when they depend on the same: the values themselves cannot be compared.
impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.0.depends_on == other.0.depends_on && self.0.truthiness == other.0.truthiness
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(unknown: &Unknown) -> Vec<&str> {
        unknown.depends_on().iter().map(|name| &**name).collect()
    }

    #[test]
    fn members_of_a_reference_are_references() {
        let plan = Unknown::at("needs.plan").member("outputs").member("points").item(0.0);
        assert_eq!(names(&plan), ["needs.plan.outputs.points[0]"]);
    }

    #[test]
    fn members_of_something_computed_are_not() {
        let parsed = Unknown::at("needs.plan.outputs.points").computed().member("x");
        assert_eq!(names(&parsed), ["needs.plan.outputs.points"]);
    }

    #[test]
    fn a_union_is_sorted_and_names_each_once() {
        let (a, b) = (Unknown::at("vars.b"), Unknown::at("vars.a"));
        assert_eq!(names(&a.union(&b).union(&a)), ["vars.a", "vars.b"]);
        assert_eq!(a.union(&b).certainly(true).union(&a).truthiness(), None);
    }
}
