//! Which result answers which call.
//!
//! Reading in order, a result answers the nearest earlier step that has an unanswered call with its id, the first such
//! call of that step first. Real histories use an id again, even inside one turn, so there is no map over ids alone.

use crate::item::facts::{Call, ToolResult};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A call and what answers it.
#[derive(Clone, Debug)]
pub struct CallEntry {
    /// Its unit.
    pub unit: usize,
    /// Index into the parts of its item.
    pub part: usize,
    /// Its step.
    pub atom: usize,
    /// The id that its result names.
    pub id: Option<Rc<str>>,
    /// The tool's name.
    pub name: Option<Rc<str>>,
    /// The result that answers it.
    pub answer: Option<usize>,
}

/// A result and what it answers.
#[derive(Clone, Debug)]
pub struct ResultEntry {
    /// Its unit.
    pub unit: usize,
    /// Index into the parts of its item.
    pub part: usize,
    /// The id of the call that it names.
    pub id: Option<Rc<str>>,
    /// The tool's name as the result gives it.
    pub name: Option<Rc<str>>,
    /// What it answers.
    pub answer: Answer,
}

/// What a result answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This call.
    Call(usize),
    /// A call that has its result already: the first stays.
    Duplicate,
    /// No call.
    Orphan,
}

/// Calls and results so far.
#[derive(Debug, Default)]
pub struct Pairing {
    /// All calls.
    pub calls: Vec<CallEntry>,
    /// All results.
    pub results: Vec<ResultEntry>,
    /// Unanswered calls by id, in order.
    open: HashMap<Rc<str>, Vec<usize>>,
    /// Unanswered calls without an id, in order.
    nameless: Vec<usize>,
    seen: HashSet<Rc<str>>,
}

impl Pairing {
    /// Enters a call of step `atom`.
    pub fn call(&mut self, call: &Call, unit: usize, part: usize, atom: usize) {
        let index = self.calls.len();
        match &call.id {
            Some(id) => {
                self.open.entry(id.clone()).or_default().push(index);
                self.seen.insert(id.clone());
            }
            None => self.nameless.push(index),
        }
        self.calls.push(CallEntry {
            unit,
            part,
            atom,
            id: call.id.clone(),
            name: call.name.clone(),
            answer: None,
        });
    }

    /// Enters a result; answers the step of the call that it answers.
    pub fn result(&mut self, result: &ToolResult, unit: usize, part: usize) -> Option<usize> {
        let call = match &result.id {
            Some(id) => self.take_by_id(id),
            None => self.take_by_name(result.name.as_deref()),
        };
        let answer = match (call, &result.id) {
            (Some(call), _) => Answer::Call(call),
            (None, Some(id)) if self.seen.contains(id) => Answer::Duplicate,
            (None, _) => Answer::Orphan,
        };
        let index = self.results.len();
        self.results.push(ResultEntry {
            unit,
            part,
            id: result.id.clone(),
            name: result.name.clone(),
            answer,
        });
        let entry = self.calls.get_mut(call?)?;
        entry.answer = Some(index);
        Some(entry.atom)
    }

    fn take_by_id(&mut self, id: &str) -> Option<usize> {
        let open = self.open.get_mut(id)?;
        let nearest = self.calls.get(*open.last()?)?.atom;
        let calls = &self.calls;
        let first = open
            .iter()
            .position(|call| calls.get(*call).is_some_and(|call| call.atom == nearest))?;
        Some(open.remove(first))
    }

    /// Without an id: inside the nearest step that waits for one, by name, else by position. A result without an id
    /// may also answer calls that have one.
    fn take_by_name(&mut self, name: Option<&str>) -> Option<usize> {
        let waiting: Vec<usize> = if self.nameless.is_empty() {
            let last = self.calls.iter().rposition(|call| call.answer.is_none())?;
            let atom = self.calls.get(last)?.atom;
            self.calls
                .iter()
                .enumerate()
                .rev()
                .take_while(|(_, call)| call.atom == atom)
                .filter(|(_, call)| call.answer.is_none())
                .map(|(index, _)| index)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect()
        } else {
            let nearest = self.calls.get(*self.nameless.last()?)?.atom;
            let calls = &self.calls;
            self.nameless
                .iter()
                .copied()
                .filter(|call| calls.get(*call).is_some_and(|call| call.atom == nearest))
                .collect()
        };
        let by_name = waiting
            .iter()
            .copied()
            .find(|call| name.is_some() && self.calls.get(*call).and_then(|call| call.name.as_deref()) == name);
        let call = by_name.or_else(|| waiting.first().copied())?;
        self.nameless.retain(|open| *open != call);
        if let Some(id) = self.calls.get(call).and_then(|call| call.id.clone())
            && let Some(open) = self.open.get_mut(&id)
        {
            open.retain(|open| *open != call);
        }
        Some(call)
    }
}
