//! Paths inside one item, as a list of keys and indexes.

use crate::item::json::write_string;
use std::borrow::Cow;
use std::fmt;

/// One step of a path: a key of an object or an index of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A key of an object.
    Key(Cow<'static, str>),
    /// An index of a list.
    Index(usize),
}

impl From<&'static str> for Step {
    fn from(key: &'static str) -> Self {
        Self::Key(Cow::Borrowed(key))
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A place inside an item. Empty: the item itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(Vec<Step>);

impl Path {
    /// A path of the given steps.
    pub fn of<const N: usize>(steps: [Step; N]) -> Self {
        Self(Vec::from(steps))
    }

    /// This path with one more step.
    #[must_use]
    pub fn then(&self, step: impl Into<Step>) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.into());
        Self(steps)
    }

    /// The steps from the item inwards.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether `self` lies at or below `outer`.
    #[must_use]
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }
}

impl Path {
    /// Appends the path as a JSON list of keys and indexes.
    pub fn write_json(&self, out: &mut String) {
        out.push('[');
        for (index, step) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            match step {
                Step::Key(key) => write_string(key, out),
                Step::Index(index) => out.push_str(&index.to_string()),
            }
        }
        out.push(']');
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            match step {
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
