//! `ModelMessage` of the Vercel AI SDK: what its own conversion refuses, and what all providers behind it do.

use super::common::{Findings, Id, LastStep, Terms, is_true, named, portable_tool_name, shown, text_of};
use crate::item::sketch::Sketch;
use std::collections::{HashMap, HashSet};

struct Call<'a> {
    index: usize,
    id: Id<'a>,
    answered: bool,
    /// A user or system message came first.
    crossed: bool,
}

struct Check<'a, 'f> {
    findings: &'f mut Findings,
    terms: Terms,
    calls: Vec<Call<'a>>,
    /// Unanswered calls of an id, the newest last.
    by_id: HashMap<Id<'a>, Vec<usize>>,
    /// Unanswered calls that no user or system message has followed yet.
    fresh: Vec<usize>,
    /// All call ids, those that the provider answers included.
    known: HashSet<Id<'a>>,
    requests: HashSet<Id<'a>>,
    step: LastStep,
    stored: StoredReasoning,
}

pub fn check(items: &[Sketch<'_>], terms: Terms, findings: &mut Findings) {
    let mut check = Check {
        findings,
        terms,
        calls: Vec::new(),
        by_id: HashMap::new(),
        fresh: Vec::new(),
        known: HashSet::new(),
        requests: HashSet::new(),
        step: LastStep::default(),
        stored: StoredReasoning::default(),
    };
    for (index, item) in items.iter().enumerate() {
        schema(index, item, check.findings);
        match item.str("role") {
            Some("assistant") => check.assistant(index, item),
            Some("tool") => check.tool(index, item),
            Some("user") => {
                check.step.user();
                check.cross();
            }
            _ => {
                check.step.other();
                check.cross();
            }
        }
        if item.str("role") != Some("assistant") {
            check.stored.ends(check.findings);
        }
    }
    check.stored.ends(check.findings);
    check.end();
}

impl<'a> Check<'a, '_> {
    fn cross(&mut self) {
        for position in self.fresh.drain(..) {
            if let Some(call) = self.calls.get_mut(position) {
                call.crossed = true;
            }
        }
    }

    fn assistant(&mut self, index: usize, item: &Sketch<'a>) {
        self.step.model(index);
        for part in item.list("content") {
            if part.kind() == "tool-call" {
                self.call(index, part);
            }
            self.stored
                .part(index, part, "providerOptions", self.terms, self.findings);
        }
        // The request may stand in front of its call, in the same message.
        for part in item
            .list("content")
            .iter()
            .filter(|part| part.kind() == "tool-approval-request")
        {
            if let Some(id) = named(part, "approvalId") {
                self.requests.insert(id);
            }
            let call = named(part, "toolCallId");
            if !call.is_some_and(|call| self.known.contains(&call)) && !self.terms.is_chained {
                let message = format!("no call {} is behind this approval request: drop it", shown(call));
                self.findings.error(index, "E-V-APPRCALL", message);
            }
        }
    }

    fn call(&mut self, index: usize, part: &Sketch<'a>) {
        portable_tool_name(self.findings, index, named(part, "toolName"));
        let Some(id) = named(part, "toolCallId") else {
            return;
        };
        self.known.insert(id);
        if is_true(part, "providerExecuted") {
            return;
        }
        let position = self.calls.len();
        self.by_id.entry(id).or_default().push(position);
        self.fresh.push(position);
        self.calls.push(Call {
            index,
            id,
            answered: false,
            crossed: false,
        });
    }

    fn tool(&mut self, index: usize, item: &Sketch<'a>) {
        self.step.other();
        for part in item.list("content") {
            match part.kind() {
                "tool-result" => self.result(index, part),
                "tool-approval-response" => {
                    let id = named(part, "approvalId");
                    if !id.is_some_and(|id| self.requests.contains(&id)) && !self.terms.is_chained {
                        let message = format!("no approval request {} is behind this answer: drop it", shown(id));
                        self.findings.error(index, "E-V-APPRREQ", message);
                    }
                }
                _ => {}
            }
        }
    }

    fn result(&mut self, index: usize, part: &Sketch<'a>) {
        let Some(id) = named(part, "toolCallId") else {
            return;
        };
        // The nearest earlier message that waits for it, the first such call of that message first.
        let waiting = self.by_id.get_mut(&id);
        let was_called = waiting.is_some();
        let calls = &mut self.calls;
        let open = waiting.and_then(|waiting| {
            let message = |position: &usize| calls.get(*position).map(|call| call.index);
            let nearest = message(waiting.last()?);
            let others = waiting.iter().rev().take_while(|position| message(position) == nearest);
            Some(waiting.remove(waiting.len() - others.count()))
        });
        if let Some(call) = open.and_then(|position| calls.get_mut(position)) {
            call.answered = true;
            if call.crossed {
                let message = "the result of this call stands behind a user or system message: move it in front";
                self.findings.error(call.index, "E-V-MISSING", message);
            }
            return;
        }
        if was_called {
            let message = format!("call {} has a result already: drop this one", shown(Some(id)));
            self.findings.error(index, "E-V-ORPHRES", message);
        } else if !self.known.contains(&id) && !self.terms.is_chained {
            let message = format!("no call {} stands in front of this result: drop it", shown(Some(id)));
            self.findings.error(index, "E-V-ORPHRES", message);
        }
    }

    fn end(&mut self) {
        for call in self.calls.iter().filter(|call| !call.answered) {
            let name = format!("the call {}", shown(Some(call.id)));
            self.findings
                .unanswered(call.index, "E-V-MISSING", &name, self.step.holds(call.index));
        }
    }
}

/// V-REASON: reasoning of OpenAI is followed by a part of the same step, which has its server id too where the reasoning
/// is stored. Reasoning that carries its encrypted content was asked for by a host that stores nothing.
#[derive(Default)]
pub(super) struct StoredReasoning(Option<(usize, bool)>);

impl StoredReasoning {
    /// A part of an assistant message.
    pub(super) fn part(
        &mut self,
        index: usize,
        part: &Sketch<'_>,
        metadata: &str,
        terms: Terms,
        findings: &mut Findings,
    ) {
        let openai = part.get(metadata).and_then(|options| options.get("openai"));
        let has_id = openai.is_some_and(|openai| named(openai, "itemId").is_some());
        let is_whole = openai.is_some_and(|openai| openai.given("reasoningEncryptedContent").is_some());
        match part.kind() {
            "reasoning" if has_id => self.0 = Some((index, !is_whole)),
            "text" if !has_id && part.get("text").and_then(text_of).is_some_and(|text| text.units == 0) => {}
            "reasoning" | "step-start" | "tool-approval-request" | "source-url" | "source-document" => {}
            kind if kind.starts_with("data-") => {}
            _ => {
                let is_stored = self.0.take().is_some_and(|(_, is_stored)| is_stored);
                if is_stored && !has_id && !terms.is_stateless {
                    let message = "the part behind stored reasoning must be the original one, with its openai.itemId: \
                        drop the reasoning in front of it, or say that nothing is stored (store: false)";
                    findings.error(index, "V-REASON", message);
                }
            }
        }
    }

    /// The model's messages end here.
    pub(super) fn ends(&mut self, findings: &mut Findings) {
        if let Some((index, _)) = self.0.take() {
            let message = "stored reasoning must be followed by what it led to: drop this reasoning";
            findings.error(index, "V-REASON", message);
        }
    }
}

/// V-SCHEMA, V-EMPTY and E-V-OUTPUT.
fn schema(index: usize, item: &Sketch<'_>, findings: &mut Findings) {
    let role = item.str("role").unwrap_or_default();
    let kinds: &[&str] = match role {
        "system" => &[],
        "user" => &["text", "image", "file"],
        "assistant" => &[
            "text",
            "file",
            "reasoning",
            "tool-call",
            "tool-result",
            "tool-approval-request",
            "custom",
            "reasoning-file",
        ],
        "tool" => &["tool-result", "tool-approval-response"],
        _ => {
            let message = "the role must be system, user, assistant or tool: give the message one of them";
            findings.error(index, "V-SCHEMA", message);
            return;
        }
    };
    match item.get("content") {
        Some(Sketch::Text(_)) if role != "tool" => {}
        Some(Sketch::List(parts)) if role != "system" => {
            if parts.is_empty() && role != "tool" {
                let message = "a message without parts is sent as it is, and refused: drop it";
                findings.warning(index, "V-EMPTY", message);
            }
            for part in parts {
                check_part(index, part, role, kinds, findings);
            }
        }
        _ => {
            let wanted = match role {
                "system" => "a string",
                "tool" => "a list of tool-result and tool-approval-response parts",
                _ => "a string or a list of parts",
            };
            let message = format!("the content of a {role} message is {wanted}: write that");
            findings.error(index, "V-SCHEMA", message);
        }
    }
}

fn check_part(index: usize, part: &Sketch<'_>, role: &str, kinds: &[&str], findings: &mut Findings) {
    let kind = part.kind();
    if !kinds.contains(&kind) {
        let message = format!("a {role} message takes no part of type \"{kind}\": drop it");
        findings.error(index, "V-SCHEMA", message);
        return;
    }
    let strings: &[&str] = match kind {
        "text" | "reasoning" => &["text"],
        "file" | "reasoning-file" => &["mediaType"],
        "tool-call" | "tool-result" => &["toolCallId", "toolName"],
        "tool-approval-request" => &["approvalId", "toolCallId"],
        "tool-approval-response" => &["approvalId"],
        _ => &[],
    };
    for key in strings {
        if part.get(key).and_then(text_of).is_none() {
            let message = format!("{key} of a {kind} part must be a string: write it, or drop the part");
            findings.error(index, "V-SCHEMA", message);
        }
    }
    let value = match kind {
        "file" | "reasoning-file" => Some("data"),
        "image" => Some("image"),
        _ => None,
    };
    if let Some(key) = value.filter(|key| part.given(key).is_none()) {
        let message = format!("a {kind} part must have {key}: drop the part");
        findings.error(index, "V-SCHEMA", message);
    }
    if kind == "tool-result" && !is_output(part.get("output").unwrap_or(&Sketch::Null)) {
        let message = "output must be one of text, json, error-text, error-json, execution-denied, content, with a value \
            of that type: write {type: \"text\", value}";
        findings.error(index, "E-V-OUTPUT", message);
    }
}

fn is_output(output: &Sketch<'_>) -> bool {
    let value = output.get("value");
    match output.kind() {
        "text" | "error-text" => value.and_then(text_of).is_some(),
        "json" | "error-json" => value.is_some(),
        "content" => matches!(value, Some(Sketch::List(_))),
        kind => kind == "execution-denied",
    }
}
