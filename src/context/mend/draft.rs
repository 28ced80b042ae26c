//! What becomes of an item while it is being mended.

use crate::item::edit::{Change, Edit};
use crate::item::payload::Origin;
use crate::item::rule::Rule;
use serde_json::Value;

/// A set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules(u64);

impl Rules {
    /// Adds a rule.
    pub fn add(&mut self, rule: Rule) {
        self.0 |= 1 << rule as u64;
    }

    /// Adds all rules of another set.
    pub fn add_all(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The rules, in order.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL
            .iter()
            .copied()
            .filter(move |rule| self.0 & (1 << *rule as u64) != 0)
    }
}

/// One item of a mended history.
#[derive(Clone, Debug, PartialEq)]
pub struct MendedEntry {
    /// Where it comes from.
    pub origin: Origin,
    /// What is changed in its copy.
    pub edits: Vec<Edit>,
    /// Why.
    pub rules: Rules,
}

/// A mended history.
#[derive(Clone, Debug)]
pub struct Mended {
    /// Its items, in order.
    pub entries: Vec<MendedEntry>,
    /// For each source item, the rules for which it, or a copy of a part of it, was left out.
    pub gone: Vec<Rules>,
}

/// An entry in the making.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Where it comes from.
    pub origin: Origin,
    /// The unit that it was made for; `None` for what the library puts in.
    pub unit: Option<usize>,
    /// What is changed in its copy.
    pub edits: Vec<Edit>,
    /// Why.
    pub rules: Rules,
    /// It is left out.
    pub is_gone: bool,
}

impl Draft {
    /// A source item as it is.
    pub fn of(source: usize, unit: usize) -> Self {
        Self {
            origin: Origin::Source(source),
            unit: Some(unit),
            edits: Vec::new(),
            rules: Rules::default(),
            is_gone: false,
        }
    }

    /// An item of the library's.
    pub fn new(item: Value, rule: Rule) -> Self {
        let mut rules = Rules::default();
        rules.add(rule);
        Self {
            origin: Origin::New(item),
            unit: None,
            edits: Vec::new(),
            rules,
            is_gone: false,
        }
    }

    /// The source item.
    pub fn source(&self) -> Option<usize> {
        match self.origin {
            Origin::Source(item) => Some(item),
            Origin::New(_) => None,
        }
    }

    /// Makes edits for a rule; an edit that is there already is not made twice.
    pub fn edit(&mut self, rule: Rule, edits: impl IntoIterator<Item = Edit>) {
        for edit in edits {
            let is_there = self.edits.iter().any(|made| {
                made.path == edit.path && std::mem::discriminant(&made.change) == std::mem::discriminant(&edit.change)
            });
            if !is_there {
                self.edits.push(edit);
            }
        }
        self.rules.add(rule);
    }

    /// Leaves the item out for a rule.
    pub fn leave_out(&mut self, rule: Rule) {
        self.is_gone = true;
        self.rules.add(rule);
    }

    /// Whether the item is sent as it is.
    pub fn is_untouched(&self) -> bool {
        !self.is_gone && self.edits.is_empty() && self.rules.is_empty()
    }

    /// Whether something other than an id was taken from it, or added: what it says is no longer what it said.
    pub fn is_rewritten(&self) -> bool {
        self.edits
            .iter()
            .any(|edit| matches!(edit.change, Change::Set(_) | Change::Order(_)))
    }

    /// The finished entry.
    pub fn into_entry(self) -> MendedEntry {
        MendedEntry {
            origin: self.origin,
            edits: self.edits,
            rules: self.rules,
        }
    }
}
