//! Items read a second time, in plain JSON: who speaks, calls, results, steps, atoms (DESIGN §2).

use super::boundary::Kind;
use serde_json::Value;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    System,
    User,
    Model,
    Tool,
    Other,
}

/// A call: its id, its tool, and where its arguments stand.
#[derive(Clone, Debug)]
pub struct Call {
    pub id: Option<String>,
    pub name: Option<String>,
    pub input: Option<String>,
}

/// A result: the id it names, its tool as it says itself, and where its payload stands.
#[derive(Clone, Debug)]
pub struct Answer {
    pub id: Option<String>,
    pub name: Option<String>,
    pub payload: Option<String>,
}

/// An item, or a segment of a UIMessage.
#[derive(Clone, Debug)]
pub struct Unit {
    pub item: usize,
    pub segment: usize,
    /// Its elements of the item's `parts`, where the item is read in segments.
    pub elements: Range<usize>,
    pub who: Who,
    pub calls: Vec<Call>,
    pub answers: Vec<Answer>,
    pub reasons: bool,
    pub thinks: bool,
    pub opens_with_thinking: bool,
    /// Approvals that it asks for, and that it answers.
    pub asks: Vec<String>,
    pub approves: Vec<String>,
}

fn text(value: &Value, key: &str) -> Option<String> {
    value
        .get(key)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn kind_of(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn role(value: &Value) -> &str {
    value.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// The units of one item.
pub fn units(item: &Value, index: usize, kind: Kind) -> Vec<Unit> {
    let mut unit = Unit {
        item: index,
        segment: 0,
        elements: 0..0,
        who: Who::Other,
        calls: Vec::new(),
        answers: Vec::new(),
        reasons: false,
        thinks: false,
        opens_with_thinking: false,
        asks: Vec::new(),
        approves: Vec::new(),
    };
    match kind {
        Kind::Responses => responses(item, &mut unit),
        Kind::Mixed if role(item).is_empty() => responses(item, &mut unit),
        Kind::Chat | Kind::Mixed => chat(item, &mut unit),
        Kind::Anthropic => anthropic(item, &mut unit),
        Kind::Gemini => gemini(item, &mut unit),
        Kind::AiSdk => ai_sdk(item, &mut unit),
        Kind::AiSdkUi => return ai_sdk_ui(item, unit),
    }
    vec![unit]
}

fn by_role(role: &str) -> Who {
    match role {
        "system" | "developer" => Who::System,
        "user" => Who::User,
        "assistant" | "model" => Who::Model,
        "tool" | "function" => Who::Tool,
        _ => Who::Other,
    }
}

fn responses(item: &Value, unit: &mut Unit) {
    unit.who = Who::Model;
    let kind = kind_of(item);
    let own = |key: &str| item.get(key).is_some().then(|| format!("/{key}"));
    match kind {
        "" | "message" => unit.who = by_role(role(item)),
        "reasoning" => unit.reasons = true,
        "function_call" => unit.calls.push(Call {
            id: text(item, "call_id"),
            name: text(item, "name"),
            input: own("arguments"),
        }),
        "custom_tool_call" => unit.calls.push(Call {
            id: text(item, "call_id"),
            name: text(item, "name"),
            input: own("input"),
        }),
        "mcp_approval_request" => unit.calls.push(Call {
            id: text(item, "id"),
            name: text(item, "name"),
            input: None,
        }),
        "tool_search_call" if item.get("execution").and_then(Value::as_str) != Some("server") => {
            unit.calls.push(Call {
                id: text(item, "call_id"),
                name: Some("tool_search".to_owned()),
                input: None,
            });
        }
        "mcp_approval_response" => {
            unit.who = Who::Tool;
            unit.answers.push(Answer {
                id: text(item, "approval_request_id"),
                name: None,
                payload: None,
            });
        }
        "function_call_output" | "custom_tool_call_output" | "tool_search_output" => {
            unit.who = Who::Tool;
            unit.answers.push(Answer {
                id: text(item, "call_id"),
                name: (kind == "tool_search_output").then(|| "tool_search".to_owned()),
                payload: own("output"),
            });
        }
        "compaction" | "additional_tools" => unit.who = Who::Other,
        "mcp_call" | "mcp_list_tools" | "web_search_call" | "code_interpreter_call" | "image_generation_call" => {}
        other => panic!("teach the test reader about {other}"),
    }
}

fn chat(item: &Value, unit: &mut Unit) {
    unit.who = by_role(role(item));
    if unit.who == Who::Tool {
        unit.answers.push(Answer {
            id: text(item, "tool_call_id"),
            name: text(item, "name"),
            payload: item.get("content").map(|_| "/content".to_owned()),
        });
    }
    unit.reasons = item.get("reasoning_content").is_some_and(|value| !value.is_null())
        || list(item, "content").iter().any(|part| kind_of(part) == "thinking");
    for (index, call) in list(item, "tool_calls").iter().enumerate() {
        let function = &call["function"];
        unit.calls.push(Call {
            id: text(call, "id"),
            name: text(function, "name"),
            input: function
                .get("arguments")
                .map(|_| format!("/tool_calls/{index}/function/arguments")),
        });
    }
}

fn anthropic(item: &Value, unit: &mut Unit) {
    unit.who = by_role(role(item));
    for (index, block) in list(item, "content").iter().enumerate() {
        match kind_of(block) {
            "thinking" | "redacted_thinking" => {
                unit.reasons = true;
                unit.thinks = true;
                unit.opens_with_thinking |= index == 0;
            }
            "tool_use" => unit.calls.push(Call {
                id: text(block, "id"),
                name: text(block, "name"),
                input: block.get("input").map(|_| format!("/content/{index}/input")),
            }),
            "tool_result" => {
                // Carries results: not a user message, whatever stands beside them.
                unit.who = Who::Tool;
                unit.answers.push(Answer {
                    id: text(block, "tool_use_id"),
                    name: None,
                    payload: block.get("content").map(|_| format!("/content/{index}/content")),
                });
            }
            _ => {}
        }
    }
}

fn gemini(item: &Value, unit: &mut Unit) {
    unit.who = by_role(role(item));
    for (index, part) in list(item, "parts").iter().enumerate() {
        if part.get("thought") == Some(&Value::Bool(true)) {
            unit.reasons = true;
        } else if let Some(call) = part.get("functionCall") {
            unit.calls.push(Call {
                id: text(call, "id"),
                name: text(call, "name"),
                input: call.get("args").map(|_| format!("/parts/{index}/functionCall/args")),
            });
        } else if let Some(response) = part.get("functionResponse") {
            unit.who = Who::Tool;
            unit.answers.push(Answer {
                id: text(response, "id"),
                name: text(response, "name"),
                payload: response
                    .get("response")
                    .map(|_| format!("/parts/{index}/functionResponse/response")),
            });
        }
    }
}

fn ai_sdk(item: &Value, unit: &mut Unit) {
    unit.who = by_role(role(item));
    for (index, part) in list(item, "content").iter().enumerate() {
        match kind_of(part) {
            "reasoning" => unit.reasons = true,
            "tool-call" => unit.calls.push(Call {
                id: text(part, "toolCallId"),
                name: text(part, "toolName"),
                input: part.get("input").map(|_| format!("/content/{index}/input")),
            }),
            "tool-approval-request" => unit.asks.extend(text(part, "approvalId")),
            "tool-approval-response" => unit.approves.extend(text(part, "approvalId")),
            "tool-result" => unit.answers.push(Answer {
                id: text(part, "toolCallId"),
                name: text(part, "toolName"),
                payload: part.get("output").map(|_| format!("/content/{index}/output")),
            }),
            _ => {}
        }
    }
}

fn ai_sdk_ui(item: &Value, mut unit: Unit) -> Vec<Unit> {
    unit.who = by_role(role(item));
    let parts = list(item, "parts");
    let mut starts: Vec<usize> = vec![0];
    if unit.who == Who::Model {
        starts.extend((1..parts.len()).filter(|index| kind_of(&parts[*index]) == "step-start"));
    }
    let mut found = Vec::new();
    for (segment, start) in starts.iter().enumerate() {
        let end = starts.get(segment + 1).copied().unwrap_or(parts.len());
        let mut unit = Unit {
            segment,
            elements: *start..end,
            ..unit.clone()
        };
        for (index, part) in parts.iter().enumerate().take(end).skip(*start) {
            let kind = kind_of(part);
            if kind == "reasoning" {
                unit.reasons = true;
            } else if let Some(name) = kind.strip_prefix("tool-") {
                let id = text(part, "toolCallId");
                let name = Some(name.to_owned());
                unit.calls.push(Call {
                    id: id.clone(),
                    name: name.clone(),
                    input: part.get("input").map(|_| format!("/parts/{index}/input")),
                });
                let key = match part.get("state").and_then(Value::as_str) {
                    Some("output-available") => "output",
                    Some("output-error") => "errorText",
                    _ => continue,
                };
                unit.answers.push(Answer {
                    id,
                    name,
                    payload: part.get(key).map(|_| format!("/parts/{index}/{key}")),
                });
            }
        }
        found.push(unit);
    }
    found
}

/// A call or a result: its unit and its place in it.
pub type Place = (usize, usize);

#[derive(Clone, Debug)]
pub struct Atom {
    /// Who speaks in it; a step's is the model.
    pub who: Who,
    pub units: Vec<usize>,
    /// The user message of its turn, as an atom.
    pub opener: Option<usize>,
    /// Does not begin with thinking where its history thinks (Anthropic).
    pub is_welded: bool,
    /// Calls that wait for a result.
    pub open: usize,
}

/// A history, read from units.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub units: Vec<Unit>,
    pub atoms: Vec<Atom>,
    pub atom_of: Vec<usize>,
    /// Calls with their results, in order of the results.
    pub pairs: Vec<(Place, Place)>,
    /// Results that answer no open call.
    pub stray: Vec<Place>,
    /// Results that came after a later user message or step.
    pub late: usize,
    pub is_call_point: bool,
    pub running: Option<usize>,
}

pub fn all_units(items: &[Value], kind: Kind) -> Vec<Unit> {
    items
        .iter()
        .enumerate()
        .flat_map(|(index, item)| units(item, index, kind))
        .collect()
}

/// Reads a history from its units.
pub fn read(units: &[Unit], kind: Kind) -> Reading {
    let mut reading = Reading {
        units: units.to_vec(),
        ..Reading::default()
    };
    // Calls that wait, in order.
    let mut waiting: Vec<Place> = Vec::new();
    let mut approvals: Vec<(String, usize)> = Vec::new();
    let mut step: Option<usize> = None;
    let mut run_is_open = false;
    let mut thinks = false;
    for (index, unit) in units.iter().enumerate() {
        let new_atom = |reading: &mut Reading, who: Who| {
            reading.atoms.push(Atom {
                who,
                units: Vec::new(),
                opener: reading.running,
                is_welded: false,
                open: 0,
            });
            reading.atoms.len() - 1
        };
        let mut atom = None;
        if unit.who == Who::Model {
            if !run_is_open || unit.segment > 0 || kind == Kind::AiSdkUi {
                let new = new_atom(&mut reading, Who::Model);
                thinks |= unit.thinks;
                reading.atoms[new].is_welded = kind == Kind::Anthropic && thinks && !unit.opens_with_thinking;
                step = Some(new);
            }
            thinks |= unit.thinks;
            atom = step;
            for call in 0..unit.calls.len() {
                waiting.push((index, call));
                if let Some(step) = step {
                    reading.atoms[step].open += 1;
                }
            }
            approvals.extend(unit.asks.iter().filter_map(|id| Some((id.clone(), step?))));
        }
        run_is_open = unit.who == Who::Model;
        if let Some(atom) = atom {
            reading.atom_of.push(atom);
            reading.atoms[atom].units.push(index);
        }
        let mut answered = None;
        for (at, answer) in unit.answers.iter().enumerate() {
            let atom_of = |place: &Place| reading.atom_of[place.0];
            let named = |place: &Place| units[place.0].calls[place.1].name.as_ref();
            let fits = |place: &&Place| match &answer.id {
                Some(id) => units[place.0].calls[place.1].id.as_ref() == Some(id),
                None => units[place.0].calls[place.1].id.is_none(),
            };
            let nearest = waiting.iter().filter(fits).map(atom_of).max();
            let candidates: Vec<Place> = waiting
                .iter()
                .filter(fits)
                .filter(|place| Some(atom_of(place)) == nearest)
                .copied()
                .collect();
            let by_name = candidates
                .iter()
                .find(|place| answer.id.is_some() || (answer.name.is_some() && named(place) == answer.name.as_ref()));
            match by_name.or(candidates.first()).copied() {
                Some(call) => {
                    waiting.retain(|place| *place != call);
                    let atom = reading.atom_of[call.0];
                    reading.atoms[atom].open -= 1;
                    reading.pairs.push((call, (index, at)));
                    if atom + 1 < reading.atoms.len() {
                        reading.late += 1;
                    }
                    answered = answered.max(Some(atom));
                }
                None => reading.stray.push((index, at)),
            }
        }
        for id in &unit.approves {
            let asked = approvals.iter().rev().find(|(asked, _)| asked == id);
            answered = answered.max(asked.map(|(_, atom)| *atom));
        }
        let atom = match (atom, answered) {
            (Some(atom), _) => atom,
            (None, Some(atom)) => atom,
            (None, None) => {
                let new = new_atom(&mut reading, unit.who);
                if unit.who == Who::User {
                    reading.running = Some(new);
                    reading.atoms[new].opener = Some(new);
                }
                new
            }
        };
        if unit.who != Who::Model {
            reading.atom_of.push(atom);
            reading.atoms[atom].units.push(index);
        }
        reading.is_call_point = match unit.who {
            Who::User => true,
            Who::Tool | Who::Model => !unit.answers.is_empty() && reading.atoms[atom].open == 0,
            _ => false,
        };
    }
    reading
}

impl Reading {
    /// Whether the tail may begin at an atom.
    pub fn may_cut(&self, atom: usize) -> bool {
        let found = &self.atoms[atom];
        let is_running = self
            .running
            .is_some_and(|running| running < atom && found.opener == Some(running));
        !(found.is_welded && is_running)
    }

    /// Where the newest atom begins, with what is welded to it.
    pub fn newest(&self) -> usize {
        (0..self.atoms.len())
            .rev()
            .find(|atom| self.may_cut(*atom))
            .unwrap_or(0)
    }

    /// Leading system items, as atoms.
    pub fn leading(&self) -> usize {
        self.atoms.iter().take_while(|atom| atom.who == Who::System).count()
    }

    /// Leading system items and pinned prefix, as atoms.
    pub fn head(&self, pinned: u64) -> usize {
        let pinned = self
            .units
            .iter()
            .zip(&self.atom_of)
            .filter(|(unit, _)| (unit.item as u64) < pinned)
            .map(|(_, atom)| atom + 1)
            .max();
        self.leading().max(pinned.unwrap_or(0))
    }

    /// The items in the order in which they are sent: results behind their calls.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::new();
        for unit in self.atoms.iter().flat_map(|atom| &atom.units) {
            let item = self.units[*unit].item;
            if order.last() != Some(&item) {
                order.push(item);
            }
        }
        order
    }

    /// The call that a result answers.
    pub fn call_of(&self, result: Place) -> Option<&Call> {
        let (call, _) = self.pairs.iter().find(|(_, answer)| *answer == result)?;
        self.units[call.0].calls.get(call.1)
    }
}
