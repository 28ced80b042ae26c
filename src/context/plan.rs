//! The plan: the outcome of a projection as data.

use crate::item::edit::Edit;
use serde_json::Value;

/// One item of the projection.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A source item as it is.
    Source(usize),
    /// A source item with edits.
    Edited(usize, Vec<Edit>),
    /// An item that the source does not have.
    New(Value),
}

/// The items of the projection, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The entries.
    pub entries: Vec<Entry>,
}

impl Plan {
    /// The source index and the edits of an entry; `None` for a new item.
    #[must_use]
    pub fn source(entry: &Entry) -> Option<(usize, &[Edit])> {
        match entry {
            Entry::Source(index) => Some((*index, &[])),
            Entry::Edited(index, edits) => Some((*index, edits)),
            Entry::New(_) => None,
        }
    }
}
