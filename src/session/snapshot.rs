//! Saved sessions, as JSON.

use super::event::Event;
use super::log::Log;
use super::state::{Place, State};
use crate::error::{Error, ErrorCode};
use crate::item::depth::{MAX_ITEM_DEPTH, value_is_within};
use serde_json::Value;

/// What a snapshot calls itself.
pub const FORMAT: &str = "context-projector/session";
/// The version that is written, and the newest that is read.
pub const VERSION: u64 = 1;

/// A session that was read.
#[derive(Debug)]
pub struct Restored {
    /// Its log.
    pub log: Log,
    /// Its events, items included.
    pub events: Vec<Value>,
}

impl Restored {
    /// The item at a place.
    #[must_use]
    pub fn item(&self, place: Place) -> Option<&Value> {
        let index = usize::try_from(place.sequence.checked_sub(self.log.first())?).ok()?;
        let payload = self.events.get(index)?.get("payload")?;
        match payload.get("item") {
            Some(item) => Some(item),
            None => {
                let items = payload.get("items").or_else(|| payload.get("memory")?.get("items"));
                items?.get(place.index)
            }
        }
    }

    /// Memory's items in a state.
    #[must_use]
    pub fn items(&self, state: &State) -> Vec<Value> {
        state
            .memory
            .iter()
            .filter_map(|place| self.item(*place).cloned())
            .collect()
    }
}

/// Reads a snapshot: the events rule, and everything else must agree with them.
///
/// # Errors
/// `invalid_snapshot` with the path of what is wrong; `unsupported_version` where a later version wrote it.
pub fn restore(snapshot: &Value) -> Result<Restored, Error> {
    let error = |path: &str, message: &str| Err(Error::new(ErrorCode::InvalidSnapshot, path, message));
    let Some(object) = snapshot.as_object() else {
        return error("snapshot", "must be an object");
    };
    if object.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return error("format", &format!("must be \"{FORMAT}\""));
    }
    match object.get("version").and_then(Value::as_u64) {
        Some(version) if version > VERSION => {
            let message = format!("is {version}, and this library reads up to {VERSION}: a later one wrote it");
            return Err(Error::new(ErrorCode::UnsupportedVersion, "version", message));
        }
        Some(VERSION) => {}
        _ => return error("version", "must be 1"),
    }
    let Some(metadata) = object.get("metadata").and_then(Value::as_object) else {
        return error("metadata", "must be an object");
    };
    let Some(events) = object.get("events").and_then(Value::as_array) else {
        return error("events", "must be an array");
    };
    if events.is_empty() {
        return error("events", "must hold at least the event SESSION_CREATED");
    }
    let mut log = Log::default();
    for (index, event) in events.iter().enumerate() {
        let name = format!("events[{index}]");
        // An event and its payload stand around the items.
        if !value_is_within(event, MAX_ITEM_DEPTH + 4) {
            return error(&name, "nests too deeply");
        }
        log.push(Event::read(event, None, &name)?, &name)?;
    }
    let restored = Restored {
        log,
        events: events.clone(),
    };
    let state = restored.log.state();
    if metadata.get("sessionId").and_then(Value::as_str) != Some(state.rest.session_id.as_str()) {
        return error("metadata.sessionId", "is not that of the event SESSION_CREATED");
    }
    let memory = object.get("memory").and_then(Value::as_object);
    let items = memory.and_then(|memory| memory.get("items"));
    let summary = memory
        .and_then(|memory| memory.get("summary"))
        .cloned()
        .unwrap_or_default();
    let is_same =
        items == Some(&Value::Array(restored.items(state))) && summary == Value::from(state.rest.summary.clone());
    if !is_same {
        return error("memory", "is not what the events lead to");
    }
    Ok(restored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(sequence: u64, kind: &str, payload: Value) -> Value {
        json!({ "sequence": sequence, "recordedAtEpochMs": 1, "type": kind, "payload": payload })
    }

    fn item(text: &str) -> Value {
        json!({ "role": "user", "content": text })
    }

    fn snapshot(events: Vec<Value>, items: Vec<Value>, summary: Option<&str>) -> Value {
        json!({
            "format": FORMAT, "version": 1,
            "metadata": { "sessionId": "s", "createdAtEpochMs": 1, "updatedAtEpochMs": 1, "attributes": {} },
            "memory": { "items": items, "summary": summary }, "events": events, "compactResult": null,
        })
    }

    fn history() -> Vec<Value> {
        vec![
            event(1, "SESSION_CREATED", json!({ "sessionId": "s", "settings": {} })),
            event(
                2,
                "ITEMS_ADDED",
                json!({ "ordinal": 0, "origin": "user", "items": [item("a"), item("b")] }),
            ),
            event(
                3,
                "COMPACTED",
                json!({ "keep": [[1, 2]], "summary": "S", "result": { "status": "compacted" } }),
            ),
            event(
                4,
                "ITEMS_ADDED",
                json!({ "ordinal": 2, "origin": "user", "items": [item("c")] }),
            ),
            event(5, "REWOUND", json!({ "to": 2 })),
            event(6, "ITEM_REPLACED", json!({ "ordinal": 1, "item": item("B") })),
        ]
    }

    #[test]
    fn events_lead_to_memory() {
        let restored = restore(&snapshot(history(), vec![item("a"), item("B")], None)).unwrap();
        assert_eq!(restored.log.sequence(), 6);
        let at = restored.log.state_at(4).unwrap();
        assert_eq!(restored.items(&at), [item("b"), item("c")]);
        assert_eq!(at.rest.summary.as_deref(), Some("S"));
        assert_eq!(restored.log.state_at(5), restored.log.state_at(2));
        assert!(restored.log.state_at(7).is_none() && restored.log.state_at(0).is_none());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let good = || snapshot(history(), vec![item("a"), item("B")], None);
        let with = |change: &dyn Fn(&mut Value)| {
            let mut bad = good();
            change(&mut bad);
            let error = restore(&bad).unwrap_err();
            (error.code().as_str(), error.path().to_owned())
        };
        let at = |path: &str| ("invalid_snapshot", path.to_owned());
        assert_eq!(with(&|s| s["format"] = json!("x")), at("format"));
        assert_eq!(
            with(&|s| s["version"] = json!(2)),
            ("unsupported_version", "version".to_owned())
        );
        assert_eq!(with(&|s| s["version"] = json!("1")), at("version"));
        assert_eq!(with(&|s| s["metadata"] = json!(1)), at("metadata"));
        assert_eq!(
            with(&|s| s["metadata"]["sessionId"] = json!("t")),
            at("metadata.sessionId")
        );
        assert_eq!(with(&|s| s["events"] = json!([])), at("events"));
        assert_eq!(
            with(&|s| s["events"][0]["sequence"] = json!(2)),
            at("events[0].sequence")
        );
        assert_eq!(
            with(&|s| s["events"][2]["sequence"] = json!(9)),
            at("events[2].sequence")
        );
        assert_eq!(
            with(&|s| s["events"][1]["payload"]["ordinal"] = json!(1)),
            at("events[1].payload.ordinal")
        );
        assert_eq!(
            with(&|s| s["events"][1]["payload"]["items"] = json!([1])),
            at("events[1].payload.items[0]")
        );
        assert_eq!(
            with(&|s| s["events"][2]["payload"]["keep"] = json!([[2, 1]])),
            at("events[2].payload.keep[0]")
        );
        assert_eq!(
            with(&|s| s["events"][4]["payload"]["to"] = json!(5)),
            at("events[4].payload.to")
        );
        assert_eq!(
            with(&|s| s["events"][5]["payload"]["ordinal"] = json!(7)),
            at("events[5].payload.ordinal")
        );
        assert_eq!(with(&|s| s["memory"]["items"] = json!([])), at("memory"));
        assert_eq!(with(&|s| s["memory"]["summary"] = json!("S")), at("memory"));
        assert_eq!(restore(&json!(null)).unwrap_err().path(), "snapshot");
    }
}
