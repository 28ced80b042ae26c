//! Sessions grown event by event, and a digest of them: the same natively, in Node and in a browser.

use super::boundary::{Kind, Xorshift, fnv, render};
use context_projector::session::{Event, FORMAT, Log, Restored, VERSION, restore};
use serde_json::{Value, json};

/// The digest of [`digest_of_sessions`]. When a state is meant to come out differently, put the new number here.
pub const DIGEST: u64 = 6_129_676_356_925_383_942;

/// A log under way: the events with their items, as a snapshot has them, and the live fold over them.
struct Writer {
    events: Vec<Value>,
    log: Log,
    /// The state after each event, as JSON, when it was the newest.
    states: Vec<String>,
}

impl Writer {
    fn new(session_id: &str) -> Self {
        let mut writer = Self {
            events: Vec::new(),
            log: Log::default(),
            states: Vec::new(),
        };
        writer.push(
            "SESSION_CREATED",
            json!({ "sessionId": session_id, "settings": { "budget": { "maxItems": 7 } } }),
        );
        writer
    }

    fn push(&mut self, kind: &str, payload: Value) {
        let sequence = self.events.len() as u64 + 1;
        let event =
            json!({ "sequence": sequence, "recordedAtEpochMs": 1_000 + sequence, "type": kind, "payload": payload });
        let read = Event::read(&event, None, "event").expect("well-formed");
        self.log.push(read, "event").expect("it follows");
        self.events.push(event);
        self.states.push(self.log.state().to_json(true).to_string());
    }

    fn ordinals(&self) -> Vec<u64> {
        self.log.state().memory.iter().map(|place| place.ordinal).collect()
    }

    /// Memory's items, looked up in the events.
    fn memory(&self) -> Vec<&Value> {
        let item = |sequence: u64, index: usize| &self.events[sequence as usize - 1]["payload"]["items"][index];
        let places = self.log.state().memory.iter();
        places.map(|place| item(place.sequence, place.index)).collect()
    }

    fn snapshot(&self, events: &[Value]) -> Value {
        json!({
            "format": FORMAT,
            "version": VERSION,
            "metadata": { "sessionId": "s", "createdAtEpochMs": 1_001, "updatedAtEpochMs": 1_001, "attributes": {} },
            "memory": { "items": self.memory(), "summary": self.log.state().rest.summary },
            "events": events,
            "compactResult": null,
        })
    }
}

/// One thing that happens to a session.
fn step(writer: &mut Writer, items: &[Value], random: &mut Xorshift) {
    let ordinals = writer.ordinals();
    match random.below(9) {
        0 => writer.push(
            "ATTRIBUTE_SET",
            json!({ "key": "k", "value": [random.below(5), random.text()] }),
        ),
        1 if ordinals.len() > 1 => {
            let keep = ordinals[ordinals.len() / 2];
            let last = ordinals.last().copied().unwrap_or(keep);
            writer.push(
                "COMPACTED",
                json!({ "keep": [[keep, last + 1]], "summary": random.text(), "result": { "status": "compacted" } }),
            );
        }
        2 => writer.push(
            "COMPACTION_FAILED",
            json!({ "status": "summary_failed", "message": "down" }),
        ),
        3 => {
            let to = random.below(writer.events.len() as u64) + 1;
            if to <= writer.events.len() as u64 {
                writer.push("REWOUND", json!({ "to": to }));
            }
        }
        4 => {
            writer.push(
                "MEMORY_COMPRESS",
                json!({ "cause": "projection", "report": { "projectedApproxChars": 4_000 + random.below(9_000) } }),
            );
            let estimated = 1_000 + random.below(9_000);
            writer.push(
                "USAGE_REPORTED",
                json!({ "inputTokens": estimated * 11 / 10 + 300, "estimatedTokens": estimated }),
            );
        }
        5 => writer.push(
            "MEMORY_SET",
            json!({ "items": [], "keep": [], "summary": random.text(), "cause": "summary" }),
        ),
        6 => writer.push("OVERFLOW_REPORTED", json!({ "maxTokens": 2_000 })),
        _ if !items.is_empty() => {
            let from = random.below(items.len() as u64) as usize;
            let to = (from + 1 + random.below(4) as usize).min(items.len());
            let ordinal = writer.log.state().rest.next_ordinal;
            writer.push(
                "ITEMS_ADDED",
                json!({ "ordinal": ordinal, "origin": "output", "items": items[from..to] }),
            );
        }
        _ => {}
    }
}

/// A snapshot, read again: the state after every event is what it was when that event was the newest.
fn is_as_it_was(writer: &Writer) -> Restored {
    let restored = restore(&writer.snapshot(&writer.events)).expect("its own snapshot");
    assert_eq!(
        restored.log.state().to_json(true).to_string(),
        *writer.states.last().expect("it began")
    );
    for (index, was) in writer.states.iter().enumerate() {
        let state = restored.log.state_at(index as u64 + 1).expect("it is there");
        assert_eq!(state.to_json(true).to_string(), *was, "after event {}", index + 1);
    }
    restored
}

/// One number over the states, and the memories, of 120 sessions.
pub fn digest_of_sessions() -> u64 {
    let mut random = Xorshift(0x5851_f42d_4c95_7f2d);
    let mut digest = fnv(0xcbf2_9ce4_8422_2325, "");
    for index in 0..120_usize {
        let items = render(&random.script(), Kind::ALL[index % Kind::ALL.len()]);
        let mut writer = Writer::new("s");
        for _ in 0..30 {
            step(&mut writer, &items, &mut random);
        }
        let restored = is_as_it_was(&writer);
        for state in &writer.states {
            digest = fnv(digest, state);
        }
        let memory = restored.items(restored.log.state());
        assert_eq!(memory.len(), restored.log.state().memory.len());
        digest = fnv(digest, &Value::Array(memory).to_string());
    }
    digest
}

/// What does not follow on a log, or is none, is told with its path, and the log stays as it was.
pub fn refuses_what_does_not_follow() {
    let mut writer = Writer::new("s");
    writer.push(
        "ITEMS_ADDED",
        json!({ "ordinal": 0, "origin": "user", "items": [{ "role": "user", "content": "x" }] }),
    );
    let event = |sequence: u64, kind: &str, payload: Value| json!({ "sequence": sequence, "recordedAtEpochMs": 1, "type": kind, "payload": payload });
    for (wrong, path) in [
        (event(4, "ERROR", json!({})), "events[2].sequence"),
        (event(3, "REWOUND", json!({ "to": 3 })), "events[2].payload.to"),
        (
            event(3, "ITEMS_ADDED", json!({ "ordinal": 7, "items": [] })),
            "events[2].payload.ordinal",
        ),
        (
            event(3, "ITEMS_ADDED", json!({ "ordinal": 1, "items": [1] })),
            "events[2].payload.items[0]",
        ),
        (
            event(3, "SESSION_CREATED", json!({ "sessionId": "s", "settings": {} })),
            "events[2].type",
        ),
    ] {
        let mut events = writer.events.clone();
        events.push(wrong);
        let refused = restore(&writer.snapshot(&events)).expect_err(path);
        assert_eq!((refused.code().as_str(), refused.path()), ("invalid_snapshot", path));
    }
    let mut newer = writer.snapshot(&writer.events);
    newer["version"] = json!(VERSION + 1);
    assert_eq!(
        restore(&newer).expect_err("a later version").code().as_str(),
        "unsupported_version"
    );
    restore(&writer.snapshot(&writer.events)).expect("as before");
}
