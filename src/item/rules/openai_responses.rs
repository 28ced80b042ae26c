//! OpenAI's Responses API.

mod item;

use super::common::{Findings, Id, LastStep, Terms, id_at, named, shown};
use crate::item::sketch::Sketch;
use item::{Class, class, is_summary, prefix, shape};
use std::collections::{HashMap, HashSet, VecDeque};

struct Call<'a> {
    index: usize,
    family: &'static str,
    id: Option<Id<'a>>,
    answer: Option<usize>,
}

struct Check<'a, 'f> {
    findings: &'f mut Findings,
    terms: Terms,
    calls: Vec<Call<'a>>,
    /// Unanswered calls, by family and id.
    waiting: HashMap<(&'static str, Id<'a>), Vec<usize>>,
    /// Searches for tools without an id, answered in order.
    searches: VecDeque<usize>,
    called: HashSet<Id<'a>>,
    answered: HashSet<Id<'a>>,
    /// Requests for approval: where, and whether one was answered.
    requests: HashMap<Id<'a>, (usize, bool)>,
    ids: HashSet<Id<'a>>,
    step: LastStep,
    /// The reasoning run in front of this item: its last index, and whether it has an id.
    reasoning: Option<(usize, bool)>,
    /// The last item that keeps calls and outputs apart, and the last one reported.
    between: Option<usize>,
    reported: Option<usize>,
    after_output: bool,
    open: usize,
    /// Calls may stand behind a reference.
    has_reference: bool,
}

pub fn check(items: &[Sketch<'_>], terms: Terms, findings: &mut Findings) {
    let mut check = Check {
        findings,
        terms,
        calls: Vec::new(),
        waiting: HashMap::new(),
        searches: VecDeque::new(),
        called: HashSet::new(),
        answered: HashSet::new(),
        requests: HashMap::new(),
        ids: HashSet::new(),
        step: LastStep::default(),
        reasoning: None,
        between: None,
        reported: None,
        after_output: false,
        open: 0,
        has_reference: items.iter().any(|item| class(item) == Class::Reference),
    };
    let mut compaction = None;
    for (index, item) in items.iter().enumerate() {
        let class = class(item);
        shape(check.findings, index, item, class);
        check.reasoning_in_front(index, item, class);
        check.server_id(index, item, class);
        match class {
            Class::Call(family) => check.call(index, item, family),
            Class::Output(family) => check.output(index, item, family),
            Class::Request => check.request(index, item),
            Class::Approval => check.approval(index, item),
            Class::Compaction => compaction = Some(index),
            Class::Trigger if index + 1 < items.len() => check.findings.error(
                index,
                "E-R-TRIGLAST",
                "compaction_trigger must be the last item: move it to the end",
            ),
            _ => {}
        }
        check.follow(index, class);
    }
    check.end();
    if let Some(compaction) = compaction.filter(|_| !terms.is_chained) {
        check.before_compaction(items, compaction);
    }
}

impl<'a> Check<'a, '_> {
    /// Keeps the last step and what stands between calls and outputs.
    fn follow(&mut self, index: usize, class: Class) {
        match class {
            Class::User => self.step.user(),
            Class::Model | Class::Reasoning | Class::Call(_) | Class::Request | Class::Reference => {
                self.step.model(index);
            }
            _ => self.step.other(),
        }
        let is_call = matches!(class, Class::Call(_));
        let is_output = matches!(class, Class::Output(_));
        // A call behind an output begins the next batch; the last one must be answered by then.
        // A compaction item stands where the provider put it.
        let is_foreign = !is_call && !is_output && class != Class::Compaction;
        if is_foreign || (is_call && self.after_output && self.open > 1) {
            self.between = Some(index);
        }
        self.after_output = is_output;
    }

    fn call(&mut self, index: usize, item: &Sketch<'a>, family: &'static str) {
        let position = self.calls.len();
        let id = named(item, "call_id");
        let own = named(item, "id").filter(|_| family == "local_shell");
        for key in [id, own.filter(|own| id != Some(*own))].into_iter().flatten() {
            if !self.called.insert(key) {
                let message = format!("the id {} names two calls: give this one another", shown(Some(key)));
                self.findings.error(index, "E-R-DUPCALL", message);
            }
            self.waiting.entry((family, key)).or_default().push(position);
        }
        if id.is_none() && own.is_none() {
            if family == "tool_search" {
                self.searches.push_back(position);
            } else {
                let message = "a call has no call_id, so nothing can answer it: give it one, or drop it";
                self.findings.error(index, "E-R-NOOUT", message);
            }
        }
        self.calls.push(Call {
            index,
            family,
            id: id.or(own),
            answer: None,
        });
        self.open += 1;
    }

    fn output(&mut self, index: usize, item: &Sketch<'a>, family: &'static str) {
        let own = named(item, "id").filter(|_| family == "local_shell");
        let id = named(item, "call_id").or(own);
        // An id of two calls stays with both: what is answered is passed over.
        while let Some(position) = self.take(id, family) {
            let Some(call) = self.calls.get_mut(position).filter(|call| call.answer.is_none()) else {
                continue;
            };
            call.answer = Some(index);
            self.open = self.open.saturating_sub(1);
            self.answered.extend(id);
            let between = self.between.filter(|between| *between > call.index);
            if between.is_some() && between != self.reported {
                self.reported = between;
                let message = "this item stands between calls and their outputs: move it in front of the calls or \
                    behind all outputs";
                self.findings.warning(between.unwrap_or(index), "R-ADJ", message);
            }
            return;
        }
        let is_known = id.is_some_and(|id| self.called.contains(&id));
        if id.is_some_and(|id| self.answered.contains(&id)) {
            let message = format!("call {} has an output already: drop this one", shown(id));
            self.findings.error(index, "E-R-DUPOUT", message);
        } else if is_known {
            let message = format!(
                "the call {} is of another type than its output: write the output that its type asks for",
                shown(id)
            );
            self.findings.error(index, "E-R-ORPHOUT", message);
        } else if !self.terms.is_chained && !self.has_reference {
            let message = format!("no call {} stands in front of this output: drop it", shown(id));
            self.findings.error(index, "E-R-ORPHOUT", message);
        }
        self.answered.extend(id);
    }

    /// The call that an output may answer.
    fn take(&mut self, id: Option<Id<'a>>, family: &'static str) -> Option<usize> {
        let Some(id) = id else {
            return if family == "tool_search" {
                self.searches.pop_front()
            } else {
                None
            };
        };
        let own = self.waiting.get_mut(&(family, id)).and_then(Vec::pop);
        // A search by the client may be answered by a function's output.
        own.or_else(|| match family {
            "function" => self.waiting.get_mut(&("tool_search", id)).and_then(Vec::pop),
            _ => None,
        })
    }

    fn request(&mut self, index: usize, item: &Sketch<'a>) {
        if let Some(id) = named(item, "id") {
            self.requests.entry(id).or_insert((index, false));
        }
    }

    fn approval(&mut self, index: usize, item: &Sketch<'a>) {
        let id = named(item, "approval_request_id");
        match id.and_then(|id| self.requests.get_mut(&id)) {
            Some((_, is_answered @ false)) => *is_answered = true,
            Some(_) => {
                let message = format!("request {} has an answer already: drop this one", shown(id));
                self.findings.error(index, "E-R-DUPOUT", message);
            }
            None if self.terms.is_chained || self.has_reference => {}
            None => {
                let message = format!(
                    "no mcp_approval_request {} stands in front: drop this answer",
                    shown(id)
                );
                self.findings.error(index, "E-R-APPR", message);
            }
        }
    }

    /// E-R-REASONTAIL and E-R-REASONID.
    fn reasoning_in_front(&mut self, index: usize, item: &Sketch<'_>, class: Class) {
        let has_id = named(item, "id").is_some();
        if class == Class::Reasoning {
            let had_id = self.reasoning.is_some_and(|(_, had_id)| had_id);
            self.reasoning = Some((index, had_id || has_id));
            return;
        }
        let Some((last, reasoning_has_id)) = self.reasoning.take() else {
            return;
        };
        match class {
            Class::Model | Class::Call(_) | Class::Request => {
                if reasoning_has_id && !has_id && !self.terms.is_stateless {
                    let message = "the item behind stored reasoning must be the original one, with its id: drop the \
                        reasoning in front of it, or say that nothing is stored (store: false)";
                    self.findings.error(index, "E-R-REASONID", message);
                }
            }
            Class::Reference | Class::Compaction | Class::Tools | Class::Unknown => {}
            _ => self.reasoning_tail(last),
        }
    }

    fn reasoning_tail(&mut self, index: usize) {
        let message = "reasoning must be followed by the model item that it led to: drop this reasoning";
        self.findings.error(index, "E-R-REASONTAIL", message);
    }

    /// E-R-DUPID, R-IDPREFIX, E-R-IDLEN and R-STORE.
    fn server_id(&mut self, index: usize, item: &Sketch<'a>, class: Class) {
        if id_at(item, "call_id").is_some_and(|id| id.1 > 64) {
            let message = "a call_id has at most 64 characters: rename it in the call and in its output";
            self.findings.error(index, "E-R-IDLEN", message);
        }
        let id = named(item, "id").filter(|_| class != Class::Output("local_shell"));
        if let Some(id) = id {
            if !self.ids.insert(id) {
                let message = format!("two items have the id {}: drop this one, or its id", shown(Some(id)));
                self.findings.error(index, "E-R-DUPID", message);
            }
            if let Some(prefix) = prefix(item, class).filter(|prefix| !id.0.starts_with(prefix)) {
                let message = format!("the id of this type begins with \"{prefix}\": leave the id out");
                self.findings.error(index, "R-IDPREFIX", message);
            }
        }
        if self.terms.is_stateless {
            let is_bare = match class {
                Class::Reference => true,
                Class::Reasoning => id.is_some() && item.given("encrypted_content").is_none(),
                _ => item.kind() == "image_generation_call" && item.given("result").is_none(),
            };
            if is_bare {
                let message = "nothing is stored at the provider, so this id alone means nothing to it: send the item \
                    whole, or drop it";
                self.findings.error(index, "R-STORE", message);
            }
        }
    }

    fn end(&mut self) {
        if let Some((last, _)) = self.reasoning.take() {
            self.reasoning_tail(last);
        }
        let has_reference = self.has_reference;
        for call in self.calls.iter().filter(|call| call.answer.is_none()) {
            // One without an id is reported already, and an output may stand behind a reference.
            let in_flight = self.step.holds(call.index);
            if (call.id.is_some() || call.family == "tool_search") && (in_flight || !has_reference) {
                let name = format!("the call {}", shown(call.id));
                self.findings.unanswered(call.index, "E-R-NOOUT", &name, in_flight);
            }
        }
        for (id, (index, is_answered)) in &self.requests {
            if *is_answered {
                continue;
            }
            let name = format!("the approval request {}", shown(Some(*id)));
            if self.step.holds(*index) {
                self.findings.unanswered(*index, "E-R-APPR", &name, true);
            } else {
                let message = format!("{name} was never answered: drop it with the reasoning in front of it");
                self.findings.warning(*index, "E-R-APPR", message);
            }
        }
    }

    /// R-CMP: only instructions, a summary, and calls that are answered later belong in front of a compaction item.
    fn before_compaction(&mut self, items: &[Sketch<'_>], compaction: usize) {
        let late = self
            .calls
            .iter()
            .find(|call| call.index < compaction && call.answer.is_none_or(|answer| answer > compaction));
        let mut end = late.map_or(compaction, |call| call.index);
        // The step of such a call stays whole.
        while let Some(before) = end.checked_sub(1).and_then(|before| items.get(before)) {
            match class(before) {
                Class::Model | Class::Reasoning | Class::Call(_) if late.is_some() => end -= 1,
                _ => break,
            }
        }
        let stray = items
            .iter()
            .take(end)
            .position(|item| !matches!(class(item), Class::System | Class::Tools) && !is_summary(item));
        if let Some(index) = stray {
            let message =
                format!("items in front of the compaction item at {compaction} are read and billed: drop them");
            self.findings.warning(index, "R-CMP", message);
        }
    }
}
