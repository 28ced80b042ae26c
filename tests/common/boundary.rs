//! Deterministic histories in every dialect, and a digest of what becomes of them: the same natively, in Node and in a
//! browser. No property-test library: this file is compiled for wasm32 as well.

use context_projector::compact::{self, CompactStatus, Given, LlmCompactOptions, Measured};
use context_projector::context::read_items;
use context_projector::item::dialect::Dialect;
use context_projector::item::payload::Values;
use context_projector::item::sketch::Sketch;
use context_projector::{ContextBudget, DefaultContextProjector, ProjectOptions, TypeAwareContextProjector};
use context_projector::{project, project_json};
use serde_json::{Value, json};

/// The digest of [`digest_of_histories`]. When a projection is meant to come out differently, put the new number here.
pub const DIGEST: u64 = 904_703_100_358_953_531;

/// Shapes that a history is written in: the six dialects, and the seed's mix of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Responses,
    Chat,
    /// Chat messages whose `tool_calls` are answered by `function_call_output` items.
    Mixed,
    Anthropic,
    Gemini,
    AiSdk,
    AiSdkUi,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::Responses,
        Self::Chat,
        Self::Mixed,
        Self::Anthropic,
        Self::Gemini,
        Self::AiSdk,
        Self::AiSdkUi,
    ];

    pub fn dialect(self) -> Dialect {
        match self {
            Self::Responses => Dialect::OpenAiResponses,
            Self::Chat | Self::Mixed => Dialect::OpenAiChat,
            Self::Anthropic => Dialect::Anthropic,
            Self::Gemini => Dialect::Gemini,
            Self::AiSdk => Dialect::AiSdk,
            Self::AiSdkUi => Dialect::AiSdkUi,
        }
    }

    /// Whether a history must open with a user message.
    pub fn opens_with_user(self) -> bool {
        matches!(self, Self::Anthropic | Self::Gemini | Self::AiSdk | Self::AiSdkUi)
    }
}

/// A history before it is written in a dialect.
#[derive(Clone, Debug)]
pub struct Script {
    pub system: Vec<String>,
    pub events: Vec<Event>,
    /// Calls and results carry ids (only Gemini may leave them out).
    pub with_ids: bool,
    /// Results of one step come in messages of their own, the last one first.
    pub split_results: bool,
    /// Message content is a list of parts where a dialect knows both.
    pub with_parts: bool,
    /// The last step still waits for its results.
    pub is_open: bool,
}

#[derive(Clone, Debug)]
pub enum Event {
    User(String),
    Say(String),
    Step(Step),
}

#[derive(Clone, Debug)]
pub struct Step {
    /// Names the calls: the same number in two steps gives the same ids.
    pub id: usize,
    pub reasoning: Option<String>,
    pub text: Option<String>,
    pub calls: Vec<CallPlan>,
}

#[derive(Clone, Debug)]
pub struct CallPlan {
    pub name: &'static str,
    pub argument: String,
    pub number: f64,
    pub result: String,
}

impl CallPlan {
    fn arguments(&self) -> Value {
        json!({ "path": self.argument, "line": self.number, "deep": [{ "on": true }, null] })
    }
}

fn call_id(step: &Step, index: usize) -> String {
    format!("call-{}-{index}", step.id)
}

/// Order in which the results of a step arrive.
fn arrival(script: &Script, step: &Step) -> Vec<usize> {
    let order = 0..step.calls.len();
    if script.split_results && script.with_ids {
        order.rev().collect()
    } else {
        order.collect()
    }
}

/// A script, written as items.
pub fn render(script: &Script, kind: Kind) -> Vec<Value> {
    match kind {
        Kind::Responses => responses(script),
        Kind::Chat => chat(script, false),
        Kind::Mixed => chat(script, true),
        Kind::Anthropic => anthropic(script),
        Kind::Gemini => gemini(script),
        Kind::AiSdk => ai_sdk(script),
        Kind::AiSdkUi => ai_sdk_ui(script),
    }
}

fn is_open(script: &Script, index: usize) -> bool {
    script.is_open && index + 1 == script.events.len()
}

fn responses(script: &Script) -> Vec<Value> {
    let message = |role: &str, kind: &str, text: &str| {
        if script.with_parts {
            json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] })
        } else {
            json!({ "type": "message", "role": role, "content": text })
        }
    };
    let mut items: Vec<Value> = script
        .system
        .iter()
        .map(|text| message("developer", "input_text", text))
        .collect();
    for (index, event) in script.events.iter().enumerate() {
        match event {
            Event::User(text) => items.push(message("user", "input_text", text)),
            Event::Say(text) => items.push(json!({
                "type": "message", "id": format!("msg_{index}"), "role": "assistant", "status": "completed",
                "content": [{ "type": "output_text", "text": text, "annotations": [] }]
            })),
            Event::Step(step) => {
                if let Some(text) = &step.reasoning {
                    items.push(json!({
                        "type": "reasoning", "id": format!("rs_{index}"),
                        "summary": [{ "type": "summary_text", "text": text }], "encrypted_content": "gAAAAA=="
                    }));
                }
                if let Some(text) = &step.text {
                    items.push(json!({
                        "type": "message", "id": format!("msg_{index}"), "role": "assistant",
                        "content": [{ "type": "output_text", "text": text }]
                    }));
                }
                for (at, call) in step.calls.iter().enumerate() {
                    items.push(json!({
                        "type": "function_call", "id": format!("fc_{index}_{at}"), "call_id": format!("call-{index}-{at}"),
                        "name": call.name, "arguments": call.arguments().to_string()
                    }));
                }
                if !is_open(script, index) {
                    for at in arrival(script, step) {
                        let result = &step.calls[at].result;
                        items.push(json!({
                            "type": "function_call_output", "call_id": format!("call-{index}-{at}"), "output": result
                        }));
                    }
                }
            }
        }
    }
    items
}

fn chat(script: &Script, is_mixed: bool) -> Vec<Value> {
    let content = |text: &str| {
        if script.with_parts {
            json!([{ "type": "text", "text": text }])
        } else {
            json!(text)
        }
    };
    let mut items: Vec<Value> = script
        .system
        .iter()
        .map(|text| json!({ "role": "system", "content": content(text) }))
        .collect();
    for (index, event) in script.events.iter().enumerate() {
        match event {
            Event::User(text) => items.push(json!({ "role": "user", "content": content(text) })),
            Event::Say(text) => items.push(json!({ "role": "assistant", "content": text })),
            Event::Step(step) => {
                let calls: Vec<Value> = step
                    .calls
                    .iter()
                    .enumerate()
                    .map(|(at, call)| {
                        json!({
                            "id": call_id(step, at), "type": "function",
                            "function": { "name": call.name, "arguments": call.arguments().to_string() }
                        })
                    })
                    .collect();
                let mut item = json!({ "role": "assistant", "content": step.text, "tool_calls": calls });
                if let Some(text) = &step.reasoning {
                    item["reasoning_content"] = json!(text);
                }
                items.push(item);
                if !is_open(script, index) {
                    for at in arrival(script, step) {
                        let (id, result) = (call_id(step, at), &step.calls[at].result);
                        items.push(if is_mixed {
                            json!({ "type": "function_call_output", "call_id": id, "output": result })
                        } else {
                            json!({ "role": "tool", "tool_call_id": id, "content": result })
                        });
                    }
                }
            }
        }
    }
    items
}

fn anthropic(script: &Script) -> Vec<Value> {
    let content = |text: &str| {
        if script.with_parts {
            json!([{ "type": "text", "text": text }])
        } else {
            json!(text)
        }
    };
    let mut items = Vec::new();
    for (index, event) in script.events.iter().enumerate() {
        match event {
            Event::User(text) => items.push(json!({ "role": "user", "content": content(text) })),
            Event::Say(text) => items.push(json!({ "role": "assistant", "content": content(text) })),
            Event::Step(step) => {
                let mut blocks = Vec::new();
                if let Some(text) = &step.reasoning {
                    blocks.push(json!({ "type": "thinking", "thinking": text, "signature": "c2lnbmVk" }));
                }
                if let Some(text) = &step.text {
                    blocks.push(json!({ "type": "text", "text": text }));
                }
                for (at, call) in step.calls.iter().enumerate() {
                    blocks.push(json!({
                        "type": "tool_use", "id": call_id(step, at), "name": call.name, "input": call.arguments()
                    }));
                }
                items.push(json!({ "role": "assistant", "content": blocks }));
                if !is_open(script, index) {
                    let results: Vec<Value> = arrival(script, step)
                        .into_iter()
                        .map(|at| {
                            let text = &step.calls[at].result;
                            let content = if script.with_parts && !text.is_empty() {
                                json!([{ "type": "text", "text": text }])
                            } else {
                                json!(text)
                            };
                            json!({ "type": "tool_result", "tool_use_id": call_id(step, at), "content": content })
                        })
                        .collect();
                    if script.split_results {
                        items.extend(
                            results
                                .into_iter()
                                .map(|result| json!({ "role": "user", "content": [result] })),
                        );
                    } else {
                        items.push(json!({ "role": "user", "content": results }));
                    }
                }
            }
        }
    }
    items
}

fn gemini(script: &Script) -> Vec<Value> {
    let with_id = |mut value: Value, step: &Step, at: usize| {
        if script.with_ids {
            value["id"] = json!(call_id(step, at));
        }
        value
    };
    let mut items = Vec::new();
    for (index, event) in script.events.iter().enumerate() {
        match event {
            Event::User(text) => items.push(json!({ "role": "user", "parts": [{ "text": text }] })),
            Event::Say(text) => items.push(json!({ "role": "model", "parts": [{ "text": text }] })),
            Event::Step(step) => {
                let mut parts = Vec::new();
                if let Some(text) = &step.reasoning {
                    parts.push(json!({ "text": text, "thought": true }));
                }
                if let Some(text) = &step.text {
                    parts.push(json!({ "text": text }));
                }
                for (at, call) in step.calls.iter().enumerate() {
                    let body = with_id(json!({ "name": call.name, "args": call.arguments() }), step, at);
                    parts.push(json!({ "functionCall": body }));
                }
                items.push(json!({ "role": "model", "parts": parts }));
                if !is_open(script, index) {
                    let results: Vec<Value> = arrival(script, step)
                        .into_iter()
                        .map(|at| {
                            let call = &step.calls[at];
                            let body = json!({ "name": call.name, "response": { "output": call.result } });
                            json!({ "functionResponse": with_id(body, step, at) })
                        })
                        .collect();
                    items.push(json!({ "role": "user", "parts": results }));
                }
            }
        }
    }
    items
}

fn ai_sdk(script: &Script) -> Vec<Value> {
    let content = |text: &str| {
        if script.with_parts {
            json!([{ "type": "text", "text": text }])
        } else {
            json!(text)
        }
    };
    let mut items: Vec<Value> = script
        .system
        .iter()
        .map(|text| json!({ "role": "system", "content": text }))
        .collect();
    for (index, event) in script.events.iter().enumerate() {
        match event {
            Event::User(text) => items.push(json!({ "role": "user", "content": content(text) })),
            Event::Say(text) => items.push(json!({ "role": "assistant", "content": content(text) })),
            Event::Step(step) => {
                let mut parts = Vec::new();
                if let Some(text) = &step.reasoning {
                    parts.push(json!({ "type": "reasoning", "text": text }));
                }
                if let Some(text) = &step.text {
                    parts.push(json!({ "type": "text", "text": text }));
                }
                for (at, call) in step.calls.iter().enumerate() {
                    parts.push(json!({
                        "type": "tool-call", "toolCallId": call_id(step, at), "toolName": call.name,
                        "input": call.arguments()
                    }));
                }
                items.push(json!({ "role": "assistant", "content": parts }));
                if !is_open(script, index) {
                    let results: Vec<Value> = arrival(script, step)
                        .into_iter()
                        .map(|at| {
                            json!({
                                "type": "tool-result", "toolCallId": call_id(step, at),
                                "toolName": step.calls[at].name,
                                "output": { "type": "text", "value": step.calls[at].result }
                            })
                        })
                        .collect();
                    items.push(json!({ "role": "tool", "content": results }));
                }
            }
        }
    }
    items
}

fn ai_sdk_ui(script: &Script) -> Vec<Value> {
    let message =
        |id: usize, role: &str, parts: Vec<Value>| json!({ "id": format!("m{id}"), "role": role, "parts": parts });
    let text = |text: &str| json!({ "type": "text", "text": text });
    let mut items: Vec<Value> = Vec::new();
    for system in &script.system {
        items.push(message(items.len(), "system", vec![text(system)]));
    }
    let mut parts: Vec<Value> = Vec::new();
    for (index, event) in script.events.iter().enumerate() {
        match event {
            Event::User(words) => {
                if !parts.is_empty() {
                    items.push(message(items.len(), "assistant", std::mem::take(&mut parts)));
                }
                items.push(message(items.len(), "user", vec![text(words)]));
                continue;
            }
            // Some stores write no mark in front of the first step.
            _ if script.with_parts && parts.is_empty() => {}
            _ => parts.push(json!({ "type": "step-start" })),
        }
        match event {
            Event::User(_) => {}
            Event::Say(words) => parts.push(text(words)),
            Event::Step(step) => {
                if let Some(words) = &step.reasoning {
                    parts.push(json!({ "type": "reasoning", "text": words, "state": "done" }));
                }
                if let Some(words) = &step.text {
                    parts.push(text(words));
                }
                for (at, call) in step.calls.iter().enumerate() {
                    let mut part = json!({
                        "type": format!("tool-{}", call.name), "toolCallId": call_id(step, at),
                        "state": "input-available", "input": call.arguments()
                    });
                    if !is_open(script, index) {
                        part["state"] = json!("output-available");
                        part["output"] = json!(call.result);
                    }
                    parts.push(part);
                }
            }
        }
    }
    if !parts.is_empty() {
        items.push(message(items.len(), "assistant", parts));
    }
    items
}

/// Marsaglia's xorshift: numbers that look random, the same everywhere.
pub struct Xorshift(pub u64);

impl Xorshift {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    pub fn text(&mut self) -> String {
        let word = [
            "read the file ",
            "漢字かな交じり文。",
            "😀👩‍👩‍👧 ",
            "\"quoted\" \\ \n\t",
            "é̄ ",
            "x",
        ][self.below(6) as usize];
        let longest = if self.one_in(6) { 90 } else { 12 };
        word.repeat(1 + self.below(longest) as usize)
    }

    pub fn script(&mut self) -> Script {
        let system = (0..self.below(3)).map(|_| self.text()).collect();
        let events = (0..1 + self.below(30)).map(|index| self.event(index == 0)).collect();
        Script {
            system,
            events,
            with_ids: !self.one_in(3),
            split_results: self.one_in(2),
            with_parts: self.one_in(2),
            is_open: self.one_in(4),
        }
    }

    fn event(&mut self, is_first: bool) -> Event {
        match self.below(if is_first { 2 } else { 8 }) {
            0 | 1 => Event::User(self.text()),
            2 => Event::Say(self.text()),
            _ => Event::Step(Step {
                id: self.below(12) as usize,
                reasoning: self.one_in(2).then(|| self.text()),
                text: self.one_in(3).then(|| self.text()),
                calls: (0..1 + self.below(4)).map(|_| self.call()).collect(),
            }),
        }
    }

    fn call(&mut self) -> CallPlan {
        CallPlan {
            name: ["read", "search", "bash"][self.below(3) as usize],
            argument: self.text(),
            number: [0.0, 1.5, 1e21, -2.5e-7, 9_007_199_254_740_993.0, 42.0][self.below(6) as usize],
            result: if self.one_in(5) { String::new() } else { self.text() },
        }
    }

    fn some(&mut self, rarity: u64, bound: u64) -> Option<u64> {
        self.one_in(rarity).then(|| 1 + self.below(bound))
    }

    pub fn budget(&mut self) -> ContextBudget {
        ContextBudget {
            max_items: self.some(2, 30),
            max_approx_chars: self.some(2, 9_000),
            max_tokens: self.some(4, 3_000),
            overhead_tokens: self.below(200),
            pinned_prefix_items: if self.one_in(3) { self.below(5) } else { 0 },
            max_recent_tool_results: self.some(2, 8).map(|most| most - 1),
            keep_tools: if self.one_in(4) {
                vec!["bash".to_owned()]
            } else {
                Vec::new()
            },
            clear_tool_inputs: self.one_in(4),
            max_tool_result_chars: self.some(4, 300),
            max_tool_input_chars: self.some(6, 300),
            max_recent_images: None,
            trim_old_reasoning: self.one_in(3),
            low_water: [1.0, 0.8, 0.6, 0.31][self.below(4) as usize],
        }
    }
}

/// FNV-1a over a text, continued.
pub fn fnv(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// One number over all that the public functions make of 300 histories.
pub fn digest_of_histories() -> u64 {
    let mut random = Xorshift(0x9e37_79b9_7f4a_7c15);
    let mut digest = 0xcbf2_9ce4_8422_2325;
    for index in 0..300_usize {
        let kind = Kind::ALL[index % Kind::ALL.len()];
        let items = render(&random.script(), kind);
        let budget = random.budget();
        let options = ProjectOptions {
            dialect: random.one_in(2).then(|| kind.dialect()),
            summary: random.one_in(4).then(|| random.text()),
            counts_tokens: random.one_in(4),
            ..ProjectOptions::default()
        };
        let free = project(&items, &budget, &options, None).expect("well-formed");
        let default = DefaultContextProjector::new(options.clone())
            .project(&items, &budget)
            .expect("well-formed");
        let aware = TypeAwareContextProjector::new(options)
            .project(&items, &budget)
            .expect("well-formed");
        assert_eq!(free.items, aware.items);
        for projection in [aware, default] {
            digest = fnv(digest, &Value::Array(projection.items).to_string());
            digest = fnv(digest, &projection.report.to_json());
        }
        let text = Value::Array(items.clone()).to_string();
        let json =
            project_json(&text, r#"{"maxItems":7,"maxRecentToolResults":2,"lowWater":0.6}"#, "").expect("well-formed");
        digest = fnv(digest, &json);
        digest = fnv(digest, &compacted(&items));
    }
    digest
}

/// A plan, the same answered, and what memory becomes, as text.
fn compacted(items: &[Value]) -> String {
    let facts = read_items(items.iter().map(Sketch::of), None);
    let payloads = Values {
        items: items.into(),
        media_tokens: 1_600,
        count_tokens: None,
    };
    let memory = compact::History {
        facts: &facts,
        payloads: &payloads,
        summary: None,
    };
    let options = LlmCompactOptions {
        keep_recent_items: Some(2),
        max_prompt_chars: 4_000,
        ..LlmCompactOptions::default()
    };
    let counted = |text: &str| Ok(text.len() as u64);
    let mut plan = compact::plan(&memory, &options, Measured::default(), None, counted).expect("well-formed");
    let mut out = plan.to_json();
    while plan.status == CompactStatus::Ready {
        let answer = Given {
            text: Some("{\"goal\":\"g\",\"completed\":[\"one\"]}".to_owned()),
            finish_reason: None,
        };
        plan = plan.answer(&answer).expect("it waits");
        out.push_str(&plan.to_json());
    }
    let done = compact::commit_plan(&memory, plan).expect("it waits for nothing");
    out.push_str(&done.outcome.fields().to_string());
    out.push_str(&done.outcome.report.to_json());
    out
}

/// An item of exactly so many levels, itself included.
pub fn nested(levels: usize) -> Value {
    let inner = (0..levels - 1).fold(json!("core"), |inner, _| json!([inner]));
    json!({ "role": "user", "content": inner })
}

/// The same as the text of a history of one item.
pub fn nested_text(levels: usize) -> String {
    let depth = levels - 1;
    format!(
        "[{{\"role\":\"user\",\"content\":{}1{}}}]",
        "[".repeat(depth),
        "]".repeat(depth)
    )
}

fn works() {
    let items = [json!({ "role": "user", "content": "still there?" })];
    let projection = project(&items, &ContextBudget::default(), &ProjectOptions::default(), None).expect("a good call");
    assert_eq!(projection.items, items);
    let text = project_json("[{\"role\":\"user\",\"content\":1.0}]", "", "").expect("a good call");
    assert!(
        text.starts_with("{\"items\":[{\"role\":\"user\",\"content\":1.0}],"),
        "{text}"
    );
}

/// Depth and length: the limit works, beyond it comes an error, and the next call works. In debug builds too.
pub fn survives_hostile_input() {
    let run = |item: Value| project(&[item], &ContextBudget::default(), &ProjectOptions::default(), None);
    let deep = nested(500);
    assert_eq!(run(deep.clone()).expect("500 levels").items, [deep]);
    let refused = run(nested(501)).expect_err("501 levels");
    assert_eq!((refused.code().as_str(), refused.path()), ("invalid_item", "items[0]"));
    works();

    let text = nested_text(500);
    let answer = project_json(&text, "", "").expect("500 levels of text");
    assert!(answer.starts_with(&format!("{{\"items\":{text},")));
    let too_deep = [(501, "items[0]"), (599, "items[0]"), (600, "items"), (100_000, "items")];
    for (levels, path) in too_deep {
        let refused = project_json(&nested_text(levels), "", "").expect_err("too deep");
        assert_eq!(
            (refused.code().as_str(), refused.path()),
            ("invalid_item", path),
            "{levels} levels"
        );
        works();
    }
    for open in ["[", "{\"a\":", "[{\"content\":["] {
        let refused = project_json(&open.repeat(100_000), "", "").expect_err("100,000 brackets, none closed");
        assert_eq!(
            (refused.code().as_str(), refused.path()),
            ("invalid_item", "items"),
            "{open}"
        );
        works();
        for (budget, options, code, path) in [
            (open.repeat(100_000), String::new(), "invalid_budget", "budget"),
            (String::new(), open.repeat(100_000), "invalid_option", "options"),
        ] {
            let refused = project_json("[]", &budget, &options).expect_err("100,000 brackets in settings");
            assert_eq!((refused.code().as_str(), refused.path()), (code, path));
            works();
        }
    }

    let long = "漢😀x\\\"".repeat(500_000);
    let item = json!({ "role": "user", "content": long });
    let projection = run(item.clone()).expect("5 MB of text");
    // Every repetition is 1 + 2 + 1 + 2 UTF-16 units; the rest of the item is 28.
    assert_eq!(projection.report.source_approx_chars, 500_000 * 6 + 28);
    assert_eq!(projection.items, [item]);
    let text = format!("[{}]", projection.items[0]);
    let answer = project_json(&text, "", "").expect("5 MB of text");
    assert!(answer.starts_with(&format!("{{\"items\":{text},")));
    let cut = text.get(..text.len() - 3).expect("ASCII at the end");
    let refused = project_json(cut, "", "").expect_err("cut off");
    assert_eq!((refused.code().as_str(), refused.path()), ("invalid_item", "items"));
    works();
}
