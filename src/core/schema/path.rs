//! The dotted path of a value: `dsr1-fp8.scenarios.fixed-seq-len[0].search-space[2].tp`.

use std::fmt;

/// A chain of steps from the root of a file, each on the stack of the code that took it.
#[derive(Debug, Clone, Copy)]
pub struct Path<'p> {
    parent: Option<&'p Self>,
    step: Step<'p>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    /// The root of a file.
    pub const ROOT: Path<'static> = Path { parent: None, step: Step::Root };

    /// One step to a key.
    #[must_use]
    pub fn key(&'p self, key: &'p str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    /// One step to an item of a list, from 0.
    #[must_use]
    pub fn index(&'p self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(parent) = self.parent else { return Ok(()) };
        parent.fmt(f)?;
        match self.step {
            Step::Root => Ok(()),
            Step::Key(key) if matches!(parent.step, Step::Root) => f.write_str(key),
            Step::Key(key) => write!(f, ".{key}"),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn keys_are_dotted_and_indices_bracketed() {
        let list = Path::ROOT.key("k1");
        let list = list.key("scenarios");
        assert_eq!(list.index(2).key("tp").to_string(), "k1.scenarios[2].tp");
        assert_eq!(Path::ROOT.index(0).to_string(), "[0]");
        assert_eq!(Path::ROOT.to_string(), "");
    }
}
