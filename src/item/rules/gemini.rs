//! Google's Gemini API. Neighbours of one role are one turn; calls and responses are counted turn by turn.

use super::common::{Findings, Id, Terms, named, shown, text_of};
use crate::item::sketch::Sketch;
use std::collections::HashMap;

struct Call<'a> {
    index: usize,
    id: Option<Id<'a>>,
    name: Option<Id<'a>>,
    answered: bool,
}

/// The first call of a step in the running turn, and whether it is signed.
struct FirstCall {
    index: usize,
    signed: bool,
}

#[derive(Default)]
struct Check<'a> {
    findings: Findings,
    is_chained: bool,
    /// Calls of the last model turn.
    calls: Vec<Call<'a>>,
    by_id: HashMap<Id<'a>, Vec<usize>>,
    by_name: HashMap<Id<'a>, Vec<usize>>,
    /// Calls up to these are answered; up to the second, or have an id.
    next_open: usize,
    next_nameless: usize,
    in_user_turn: bool,
    /// A person spoke in the user turn.
    is_stale: bool,
    steps: Vec<FirstCall>,
    step_has_call: bool,
}

pub fn check(items: &[Sketch<'_>], terms: Terms, findings: &mut Findings) {
    let mut check = Check {
        findings: std::mem::take(findings),
        is_chained: terms.is_chained,
        ..Check::default()
    };
    let mut opening = true;
    for (index, item) in items.iter().enumerate() {
        let is_model = item.str("role") == Some("model");
        if !matches!(item.str("role"), None | Some("user" | "model" | "function")) {
            let message =
                "a content is of role user or model: give it one of them; instructions go outside of contents";
            check.findings.error(index, "G-ALT", message);
        }
        check.emptiness(index, item);
        let calls = item
            .list("parts")
            .iter()
            .any(|part| part.given("functionCall").is_some());
        if opening && is_model && calls {
            let message = "a history must not open with a function call: put a user content in front";
            check.findings.error(index, "E-G-FIRST", message);
            opening = false;
        }
        opening &= is_model;
        if is_model {
            check.model(index, item);
        } else {
            check.user(index, item);
        }
    }
    check.end(items.len());
    *findings = check.findings;
}

impl<'a> Check<'a> {
    fn emptiness(&mut self, index: usize, item: &Sketch<'_>) {
        let parts = item.list("parts");
        if parts.is_empty() {
            let message = "a content must have parts: drop it";
            self.findings.error(index, "G-EMPTY", message);
        }
        let is_empty = |part: &&Sketch<'_>| {
            let text = part.get("text").and_then(text_of);
            // A signature may come alone, on an empty text.
            text.is_some_and(|text| text.units == 0) && part.given("thoughtSignature").is_none()
        };
        if parts.iter().any(|part| is_empty(&part) || part.entries().is_empty()) {
            let message = "a part must not be empty: drop it";
            self.findings.error(index, "G-EMPTY", message);
        }
    }

    fn model(&mut self, index: usize, item: &Sketch<'a>) {
        if self.in_user_turn {
            self.close(false);
            self.step_has_call = false;
        }
        self.in_user_turn = false;
        for part in item.list("parts") {
            if part.given("functionResponse").is_some() {
                let message = "a functionResponse belongs in a user content: move it behind the model turn of its call";
                self.findings.error(index, "E-G-ORPHRESP", message);
            }
            let Some(call) = part.given("functionCall") else {
                continue;
            };
            if !self.step_has_call {
                self.step_has_call = true;
                self.steps.push(FirstCall {
                    index,
                    signed: part.given("thoughtSignature").is_some(),
                });
            }
            let (id, name) = (named(call, "id"), named(call, "name"));
            let position = self.calls.len();
            // First in, first out: positions are taken from the end.
            if let Some(id) = id {
                self.by_id.entry(id).or_default().push(position);
            }
            if let Some(name) = name {
                self.by_name.entry(name).or_default().push(position);
            }
            self.calls.push(Call {
                index,
                id,
                name,
                answered: false,
            });
        }
    }

    fn user(&mut self, index: usize, item: &Sketch<'a>) {
        if !self.in_user_turn {
            self.is_stale = false;
            for positions in self.by_id.values_mut().chain(self.by_name.values_mut()) {
                positions.reverse();
            }
        }
        self.in_user_turn = true;
        let parts = item.list("parts");
        if parts.iter().all(|part| part.given("functionResponse").is_none()) && item.str("role") != Some("function") {
            self.is_stale = true;
            self.steps.clear();
        }
        for response in parts.iter().filter_map(|part| part.given("functionResponse")) {
            self.response(index, response);
        }
    }

    fn response(&mut self, index: usize, response: &Sketch<'a>) {
        let (id, name) = (named(response, "id"), named(response, "name"));
        if !matches!(response.get("response"), Some(Sketch::Object(_))) {
            let message = "functionResponse.response must be an object: write {\"output\": …}";
            self.findings.error(index, "G-RESP", message);
        }
        match self.take(id, name) {
            Some(call_name) => {
                if call_name.is_some() && call_name != name {
                    let message = format!(
                        "a functionResponse has the name of its call: write {}",
                        shown(call_name)
                    );
                    self.findings.error(index, "G-RESP", message);
                }
            }
            None if id.is_some_and(|id| self.by_id.contains_key(&id)) || (id.is_none() && !self.calls.is_empty()) => {
                let message = "there are more functionResponse parts than calls in the turn in front: drop this one";
                self.findings.error(index, "E-G-COUNT", message);
            }
            None if self.is_chained => {}
            None => {
                let name = shown(id.or(name));
                let message =
                    format!("the model turn directly in front has no call {name}: drop this functionResponse");
                self.findings.error(index, "E-G-ORPHRESP", message);
            }
        }
    }

    /// Answers a call, and gives its name: by id, else by name, else by position. A response with an id may also answer
    /// a call without one.
    fn take(&mut self, id: Option<Id<'a>>, name: Option<Id<'a>>) -> Option<Option<Id<'a>>> {
        let calls = &self.calls;
        let is_open = |position: &usize| calls.get(*position).is_some_and(|call| !call.answered);
        let next = |positions: Option<&mut Vec<usize>>| {
            let positions = positions?;
            while let Some(position) = positions.pop() {
                if is_open(&position) {
                    return Some(position);
                }
            }
            None
        };
        let by_id = id.and_then(|id| next(self.by_id.get_mut(&id)));
        let position = by_id.or_else(|| {
            let by_name = match id {
                None => name.and_then(|name| next(self.by_name.get_mut(&name))),
                Some(_) => None,
            };
            by_name.or_else(|| {
                let cursor = if id.is_none() {
                    &mut self.next_open
                } else {
                    &mut self.next_nameless
                };
                while calls
                    .get(*cursor)
                    .is_some_and(|call| call.answered || (id.is_some() && call.id.is_some()))
                {
                    *cursor += 1;
                }
                Some(*cursor)
            })
        })?;
        let call = self.calls.get_mut(position)?;
        call.answered = true;
        Some(call.name)
    }

    /// The turn behind the calls is over.
    fn close(&mut self, in_flight: bool) {
        for call in self.calls.drain(..).filter(|call| !call.answered) {
            let name = format!("the functionCall {}", shown(call.id.or(call.name)));
            self.findings.unanswered(call.index, "E-G-COUNT", &name, in_flight);
        }
        self.by_id.clear();
        self.by_name.clear();
        (self.next_open, self.next_nameless) = (0, 0);
    }

    fn end(&mut self, length: usize) {
        let waits = self.calls.iter().any(|call| !call.answered);
        self.close(!(self.in_user_turn && self.is_stale));
        // Only models that sign want signatures: one signed step shows that this is such a model.
        if self.steps.iter().any(|step| step.signed) {
            for step in self.steps.iter().filter(|step| !step.signed) {
                let message = "the first functionCall of each step of the running turn must carry its thoughtSignature: \
                    keep it";
                self.findings.error(step.index, "E-G-SIG", message);
            }
        }
        if length > 0 && !self.in_user_turn && !waits {
            let message = "end with a user content: append one";
            self.findings.warning(length - 1, "G-LAST", message);
        }
    }
}
