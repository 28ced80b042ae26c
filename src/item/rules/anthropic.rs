//! Anthropic's Messages API. Neighbours of one role are one turn; system messages in between are passed over.

use super::common::{Findings, Id, LONGEST_READ, Terms, id_at, is_blank, is_plain, named, shown, text_of, tool_name};
use crate::item::sketch::{Sketch, Text};
use std::collections::HashMap;

struct Use<'a> {
    index: usize,
    id: Option<Id<'a>>,
    answered: bool,
}

#[derive(Default)]
struct Check<'a> {
    findings: Findings,
    is_chained: bool,
    /// Calls of the last assistant turn.
    uses: Vec<Use<'a>>,
    by_id: HashMap<Id<'a>, usize>,
    /// Calls that the server answers, since the last message of a person.
    server: Vec<Use<'a>>,
    server_by_id: HashMap<Id<'a>, usize>,
    in_user_turn: bool,
    /// The user turn has something else than results.
    has_other: bool,
    /// A person spoke in the user turn.
    is_stale: bool,
    marks: usize,
    /// The running turn: its first assistant message, if it lacks thinking; whether one has some.
    first: Option<(usize, bool)>,
    thought: Option<usize>,
}

pub fn check(items: &[Sketch<'_>], terms: Terms, findings: &mut Findings) {
    let mut check = Check {
        findings: std::mem::take(findings),
        is_chained: terms.is_chained,
        ..Check::default()
    };
    let last = items.iter().rposition(|item| item.str("role") != Some("system"));
    let mut opens = true;
    for (index, item) in items.iter().enumerate() {
        let role = item.str("role");
        if role == Some("system") {
            continue;
        }
        if opens && role != Some("user") {
            let message = "some providers want a user message first: put one in front";
            check.findings.warning(index, "W-A-FIRST", message);
        }
        opens = false;
        let may_be_empty = role == Some("assistant") && Some(index) == last;
        check.content(index, item, may_be_empty);
        if role == Some("assistant") {
            check.assistant(index, item);
        } else {
            check.user(index, item);
        }
    }
    check.end(items, last);
    *findings = check.findings;
}

impl<'a> Check<'a> {
    fn assistant(&mut self, index: usize, item: &Sketch<'a>) {
        if self.in_user_turn {
            self.close(false);
        }
        self.in_user_turn = false;
        let blocks = item.list("content");
        let thinks = |block: &Sketch<'_>| matches!(block.kind(), "thinking" | "redacted_thinking");
        let is_loop = blocks.iter().any(|block| block.kind() == "tool_use");
        if self.first.is_none() {
            self.first = Some((index, is_loop && !blocks.first().is_some_and(thinks)));
        }
        if blocks.iter().any(thinks) {
            self.thought = Some(index);
        }
        for block in blocks {
            let kind = block.kind();
            match kind {
                "tool_use" => self.tool_use(index, block),
                "tool_result" => self.orphan(index, named(block, "tool_use_id")),
                "server_tool_use" | "mcp_tool_use" => {
                    let id = named(block, "id");
                    if let Some(id) = id {
                        self.server_by_id.insert(id, self.server.len());
                    }
                    self.server.push(Use {
                        index,
                        id,
                        answered: false,
                    });
                }
                "thinking" | "redacted_thinking" if block.given("cache_control").is_some() => {
                    let message = "a thinking block takes no cache_control: move the mark to another block";
                    self.findings.error(index, "A-THINK-ROLE", message);
                }
                "compaction"
                    if block
                        .get("content")
                        .and_then(text_of)
                        .is_some_and(|text| text.units == 0) =>
                {
                    let message = "the content of a compaction block must not be empty: send it as it came, or null";
                    self.findings.error(index, "A-CMP", message);
                }
                _ if kind.ends_with("_tool_result") => self.server_result(index, block),
                _ => {}
            }
        }
    }

    fn tool_use(&mut self, index: usize, block: &Sketch<'a>) {
        self.id_pattern(index, id_at(block, "id"));
        if let Some(id) = named(block, "id") {
            if self.by_id.contains_key(&id) {
                let message = format!("two calls of this turn have the id {}: rename one", shown(Some(id)));
                self.findings.error(index, "E-A-DUPUSE", message);
            }
            self.by_id.insert(id, self.uses.len());
            self.uses.push(Use {
                index,
                id: Some(id),
                answered: false,
            });
        }
        tool_name(&mut self.findings, index, named(block, "name"), 200);
        if !matches!(block.get("input"), Some(Sketch::Object(_))) {
            let message = "tool_use.input must be an object: write one, such as {}";
            self.findings.error(index, "E-A-INPUTOBJ", message);
        }
    }

    fn id_pattern(&mut self, index: usize, id: Option<Id<'_>>) {
        if !id.is_some_and(is_plain) {
            let message = format!(
                "the tool id {} may hold letters, digits, _ and - only: rename it in call and result",
                shown(id)
            );
            self.findings.error(index, "E-A-IDPAT", message);
        }
    }

    fn server_result(&mut self, index: usize, block: &Sketch<'a>) {
        let id = named(block, "tool_use_id");
        let position = id.and_then(|id| self.server_by_id.get(&id).copied());
        match position.and_then(|position| self.server.get_mut(position)) {
            Some(call) if !call.answered => call.answered = true,
            _ => {
                let message = format!(
                    "no server tool call {} of this turn is behind this result: drop it",
                    shown(id)
                );
                self.findings.error(index, "A-SERVER", message);
            }
        }
        if block.kind() != "mcp_tool_result" && matches!(block.get("content"), Some(Sketch::Text(_))) {
            let message = "the content of a server tool's result is typed, never a string: send it as it came, or drop \
                the pair";
            self.findings.error(index, "A-SERVER", message);
        }
    }

    fn user(&mut self, index: usize, item: &Sketch<'a>) {
        if !self.in_user_turn {
            self.has_other = false;
            self.is_stale = false;
        }
        self.in_user_turn = true;
        let blocks = item.list("content");
        let answers = blocks.iter().any(|block| block.kind() == "tool_result");
        if !answers {
            self.is_stale = true;
            self.has_other = true;
            self.first = None;
            self.thought = None;
            self.close_server(!self.uses.is_empty());
        }
        for block in blocks {
            match block.kind() {
                "tool_result" => self.tool_result(index, block),
                "thinking" | "redacted_thinking" => {
                    let message = "thinking belongs in assistant messages only: drop it here";
                    self.findings.error(index, "A-THINK-ROLE", message);
                }
                kind if kind.ends_with("_tool_result") => {
                    let message = "the result of a server tool belongs in the assistant turn of its call: move it there, \
                        or drop the pair";
                    self.findings.error(index, "A-SERVER", message);
                }
                _ => self.has_other = true,
            }
        }
    }

    fn tool_result(&mut self, index: usize, block: &Sketch<'a>) {
        let id = named(block, "tool_use_id");
        self.id_pattern(index, id_at(block, "tool_use_id"));
        if id.is_none() {
            return;
        }
        let position = id.and_then(|id| self.by_id.get(&id).copied());
        match position.and_then(|position| self.uses.get_mut(position)) {
            None => self.orphan(index, id),
            Some(call) if call.answered => {
                let message = format!("call {} has a result already: drop this one", shown(id));
                self.findings.error(index, "E-A-DUPRES", message);
            }
            Some(call) => {
                call.answered = true;
                if self.has_other {
                    let message = "results come first in their turn: move this tool_result in front of all else in it";
                    self.findings.error(index, "E-A-RESULTORDER", message);
                }
            }
        }
    }

    fn orphan(&mut self, index: usize, id: Option<Id<'_>>) {
        if !self.is_chained {
            let message = format!(
                "the assistant turn directly in front has no tool_use {}: drop this result",
                shown(id)
            );
            self.findings.error(index, "E-A-ORPHRES", message);
        }
    }

    /// The user turn behind the calls is over.
    fn close(&mut self, in_flight: bool) {
        for call in self.uses.drain(..).filter(|call| !call.answered) {
            let name = format!("the tool_use {}", shown(call.id));
            self.findings.unanswered(call.index, "E-A-NORESULT", &name, in_flight);
        }
        self.by_id.clear();
    }

    /// A person speaks: what the server has not answered by now it never will.
    fn close_server(&mut self, beside_client_tools: bool) {
        for call in self
            .server
            .drain(..)
            .filter(|call| !call.answered && !beside_client_tools)
        {
            let message = format!(
                "the server tool call {} has no result in its turn: drop it",
                shown(call.id)
            );
            self.findings.warning(call.index, "A-SERVER", message);
        }
        self.server_by_id.clear();
    }

    /// Emptiness, cache marks.
    fn content(&mut self, index: usize, item: &Sketch<'a>, may_be_empty: bool) {
        let (is_empty, is_blank) = match item.get("content") {
            Some(Sketch::Text(text)) => (text.units == 0, is_blank(*text)),
            Some(Sketch::List(blocks)) => (blocks.is_empty(), false),
            _ => (true, false),
        };
        if is_empty && !may_be_empty {
            let message = "the content of a message must not be empty: drop the message, or say something in it";
            self.findings.error(index, "E-A-EMPTY", message);
        } else if is_blank && !is_empty {
            self.empty_text(index);
        }
        for block in item.list("content") {
            self.block(index, block);
            if block.kind() == "tool_result" {
                for inner in block.list("content") {
                    self.block(index, inner);
                }
            }
        }
    }

    fn block(&mut self, index: usize, block: &Sketch<'_>) {
        if block.kind() == "text" && block.get("text").and_then(text_of).is_none_or(is_blank) {
            self.empty_text(index);
        }
        if block.given("cache_control").is_some() {
            self.marks += 1;
            if self.marks == 5 {
                let message =
                    "at most 4 blocks may carry cache_control, system prompt and tools included: take marks away";
                self.findings.error(index, "E-A-CACHE4", message);
            }
        }
    }

    fn empty_text(&mut self, index: usize) {
        let message = "a text block must hold more than white space: drop it, or write \"(no output)\"";
        self.findings.error(index, "E-A-EMPTYTEXT", message);
    }

    fn end(&mut self, items: &[Sketch<'_>], last: Option<usize>) {
        let in_flight = !(self.in_user_turn && self.is_stale);
        let mut waits = false;
        for call in self.server.drain(..).filter(|call| !call.answered) {
            // Beside client tools that are being answered the server works on.
            if !self.in_user_turn {
                waits = true;
                let name = format!("the server tool call {}", shown(call.id));
                self.findings.unanswered(call.index, "A-SERVER", &name, true);
            }
        }
        waits |= self.uses.iter().any(|call| !call.answered);
        self.close(in_flight);
        if let (Some((first, true)), Some(thought)) = (self.first, self.thought)
            && thought > first
        {
            let message = "with thinking on, the first message of a running tool loop begins with its thinking block: \
                keep it, or cut in front of a message that has one";
            self.findings.warning(first, "A-THINK-LOOP", message);
        }
        if let Some(index) = last.filter(|_| !self.in_user_turn && !waits) {
            let message = "newer models refuse to go on from an assistant message: end with a user message";
            self.findings.warning(index, "W-A-PREFILL", message);
            if items.get(index).and_then(last_text).is_some_and(ends_in_space) {
                let message = "a final assistant text must not end in white space: trim it";
                self.findings.warning(index, "A-TRAIL", message);
            }
        }
    }
}

fn last_text<'a>(item: &Sketch<'a>) -> Option<Text<'a>> {
    match item.get("content") {
        Some(Sketch::List(blocks)) => blocks.last().and_then(|block| block.get("text")).and_then(text_of),
        content => content.and_then(text_of),
    }
}

fn ends_in_space(text: Text<'_>) -> bool {
    text.units <= LONGEST_READ && text.head.ends_with(char::is_whitespace)
}
