//! OpenAI's Chat Completions API and those that follow it.

use super::common::{Findings, Id, LastStep, Terms, holds_object, id_at, named, shown, text_of, tool_name};
use crate::item::sketch::Sketch;
use std::collections::{HashMap, VecDeque};

struct Call<'a> {
    index: usize,
    id: Option<Id<'a>>,
    answered: bool,
    /// Its result stands somewhere, but not directly behind it.
    misplaced: bool,
}

struct Check<'a, 'f> {
    findings: &'f mut Findings,
    terms: Terms,
    calls: Vec<Call<'a>>,
    by_id: HashMap<Id<'a>, usize>,
    /// The first call of the message that tool messages may answer now.
    batch: Option<usize>,
    /// Those of them without an id.
    nameless: VecDeque<usize>,
    step: LastStep,
}

pub fn check(items: &[Sketch<'_>], terms: Terms, findings: &mut Findings) {
    let mut check = Check {
        findings,
        terms,
        calls: Vec::new(),
        by_id: HashMap::new(),
        batch: None,
        nameless: VecDeque::new(),
        step: LastStep::default(),
    };
    for (index, item) in items.iter().enumerate() {
        match item.str("role") {
            Some("assistant") => check.assistant(index, item),
            Some("tool") => check.tool(index, item),
            Some("function") => check.function(index, item),
            Some("user") => {
                check.batch = None;
                check.step.user();
            }
            _ => {
                check.batch = None;
                check.step.other();
            }
        }
    }
    check.end();
    if terms.strict_roles {
        strict(items, &check.step, check.findings);
    }
}

impl<'a> Check<'a, '_> {
    fn assistant(&mut self, index: usize, item: &Sketch<'a>) {
        self.step.model(index);
        let first = self.calls.len();
        self.batch = Some(first);
        self.nameless.clear();
        let calls = item.list("tool_calls");
        if calls.is_empty() && matches!(item.get("tool_calls"), Some(Sketch::List(_))) {
            let message = "tool_calls must not be an empty list: leave the field out";
            self.findings.error(index, "E-C-EMPTYCALLS", message);
        }
        for call in calls {
            let id = named(call, "id");
            self.id_length(index, id_at(call, "id"));
            if let Some(id) = id {
                if self.by_id.get(&id).is_some_and(|other| *other >= first) {
                    let message = format!("two calls of this message have the id {}: rename one", shown(Some(id)));
                    self.findings.error(index, "E-C-DUPCALL", message);
                }
                self.by_id.insert(id, self.calls.len());
            }
            self.enter(index, id);
            match call.given("custom") {
                Some(custom) => tool_name(self.findings, index, named(custom, "name"), 64),
                None => self.function_of(index, call.get("function")),
            }
        }
        if let Some(function) = item.given("function_call") {
            self.enter(index, None);
            self.function_of(index, Some(function));
        }
        let has_call = !calls.is_empty() || item.given("function_call").is_some();
        self.content(index, item, has_call);
        if self.terms.reasoning_content_required && !calls.is_empty() {
            match item.given("reasoning_content").and_then(text_of) {
                None => {
                    let message = "this provider wants the reasoning_content of every message with tool_calls: keep \
                        it, or drop the step";
                    self.findings.error(index, "C-REASON", message);
                }
                Some(text) if text.units == 0 => {
                    let message = "an empty reasoning_content is refused by some providers: keep the original, or \
                        drop the step";
                    self.findings.warning(index, "C-REASON", message);
                }
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, index: usize, id: Option<Id<'a>>) {
        if id.is_none() {
            self.nameless.push_back(self.calls.len());
        }
        self.calls.push(Call {
            index,
            id,
            answered: false,
            misplaced: false,
        });
    }

    fn function_of(&mut self, index: usize, function: Option<&Sketch<'a>>) {
        let function = function.unwrap_or(&Sketch::Null);
        tool_name(self.findings, index, named(function, "name"), 64);
        match function.get("arguments").and_then(text_of) {
            None => {
                let message = "function.arguments must be a string: write its JSON text";
                self.findings.error(index, "E-C-ARGJSON", message);
            }
            Some(text) if !holds_object(text) => {
                let message = "function.arguments is no JSON object, which many gateways refuse: write one, such as {}";
                self.findings.warning(index, "E-C-ARGJSON", message);
            }
            Some(_) => {}
        }
    }

    fn content(&mut self, index: usize, item: &Sketch<'a>, has_call: bool) {
        let has_other = item.given("refusal").is_some() || item.given("audio").is_some();
        let is_empty_list = matches!(item.get("content"), Some(Sketch::List(parts)) if parts.is_empty());
        let is_empty_text = item
            .get("content")
            .and_then(text_of)
            .is_some_and(|text| text.units == 0);
        if (item.given("content").is_none() || is_empty_list) && !has_call && !has_other {
            let message = "an assistant message without content must have tool_calls: drop it";
            self.findings.error(index, "E-C-EMPTYASSIST", message);
        } else if is_empty_text || is_empty_list {
            let message = "some gateways refuse an empty text: send null beside tool_calls, else drop the message";
            self.findings.warning(index, "E-C-EMPTYASSIST", message);
        }
    }

    fn id_length(&mut self, index: usize, id: Option<Id<'_>>) {
        if id.is_some_and(|id| id.1 > 40) {
            let message = "a tool call id has at most 40 characters: rename it in the call and in its result";
            self.findings.error(index, "E-C-IDLEN", message);
        }
    }

    fn tool(&mut self, index: usize, item: &Sketch<'a>) {
        self.step.other();
        self.tool_content(index, item);
        self.id_length(index, id_at(item, "tool_call_id"));
        let id = named(item, "tool_call_id");
        let first = self.batch.unwrap_or(usize::MAX);
        let Some(id) = id else {
            return self.by_position(index);
        };
        let position = self.by_id.get(&id).copied();
        match position.and_then(|position| self.calls.get_mut(position).map(|call| (position >= first, call))) {
            Some((_, Call { answered: true, .. })) => {
                let message = format!("call {} has a tool message already: drop this one", shown(Some(id)));
                self.findings.error(index, "E-C-DUPTOOL", message);
            }
            Some((true, call)) => call.answered = true,
            Some((false, call)) => {
                call.misplaced = true;
                let message = format!(
                    "this tool message does not directly follow the message with call {}: move it there",
                    shown(Some(id))
                );
                self.findings.error(index, "E-C-ORPHTOOL", message);
            }
            None => self.orphan(index, Some(id)),
        }
    }

    /// Servers without ids, and the legacy form: the first call that waits.
    fn by_position(&mut self, index: usize) {
        let waiting = self.batch.and_then(|_| self.nameless.pop_front());
        match waiting.and_then(|position| self.calls.get_mut(position)) {
            Some(call) => call.answered = true,
            None => self.orphan(index, None),
        }
    }

    fn function(&mut self, index: usize, item: &Sketch<'a>) {
        self.step.other();
        self.tool_content(index, item);
        self.by_position(index);
    }

    fn orphan(&mut self, index: usize, id: Option<Id<'_>>) {
        if !self.terms.is_chained {
            let message = format!("no message in front of this one has the call {}: drop it", shown(id));
            self.findings.error(index, "E-C-ORPHTOOL", message);
        }
    }

    fn tool_content(&mut self, index: usize, item: &Sketch<'_>) {
        let fits = match item.get("content") {
            Some(Sketch::Text(_)) => true,
            Some(Sketch::List(parts)) => parts.iter().all(|part| part.kind() == "text"),
            _ => false,
        };
        if !fits {
            let message = "a tool message holds a string or text parts: write a placeholder, and images into a user \
                message behind the whole batch";
            self.findings.error(index, "E-C-TOOLNULL", message);
        }
    }

    fn end(&mut self) {
        for call in self.calls.iter().filter(|call| !call.answered) {
            let in_flight = !call.misplaced && self.step.holds(call.index);
            let name = format!("the call {}", shown(call.id));
            self.findings.unanswered(call.index, "E-C-UNANSWERED", &name, in_flight);
        }
    }
}

/// C-STRICT and C-LAST.
fn strict(items: &[Sketch<'_>], step: &LastStep, findings: &mut Findings) {
    let mut last: Option<&str> = None;
    for (index, item) in items.iter().enumerate() {
        let role = item.str("role").unwrap_or_default();
        if matches!(role, "system" | "developer") {
            if index > 0 {
                let message = "this template takes one system message, at the head: join it with the first";
                findings.warning(index, "C-STRICT", message);
            }
            continue;
        }
        let in_flow = role == "assistant" && !item.list("tool_calls").is_empty();
        if last == Some(role) && role != "tool" {
            let message = format!("this template wants alternating roles: join the two {role} messages");
            findings.warning(index, "C-STRICT", message);
        }
        last = Some(if in_flow { "" } else { role });
    }
    let end = items.len().saturating_sub(1);
    let ends_with_assistant = items.last().is_some_and(|item| item.str("role") == Some("assistant"));
    let has_call = items.last().is_some_and(|item| !item.list("tool_calls").is_empty());
    if ends_with_assistant && !(has_call && step.holds(end)) {
        let message = "this template wants a user or tool message at the end: append one";
        findings.warning(end, "C-LAST", message);
    }
}
