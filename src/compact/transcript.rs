//! A range of a history as plain text, long things shortened: nothing in it looks like a call to be made.

use super::reading::Spoken;
use crate::item::dialect::Passage;
use crate::item::facts::Author;
use crate::item::text::{shorten, utf16_len};
use serde_json::Value;

/// Longest text, reasoning, result and argument, in UTF-16 units.
#[derive(Clone, Copy, Debug)]
struct Limits {
    text: usize,
    reasoning: usize,
    result: usize,
    argument: usize,
}

/// Ever shorter: results give way first.
const LEVELS: [Limits; 4] = [
    Limits {
        text: 8_000,
        reasoning: 1_000,
        result: 2_000,
        argument: 1_000,
    },
    Limits {
        text: 4_000,
        reasoning: 300,
        result: 700,
        argument: 300,
    },
    Limits {
        text: 1_500,
        reasoning: 0,
        result: 250,
        argument: 150,
    },
    Limits {
        text: 600,
        reasoning: 0,
        result: 120,
        argument: 80,
    },
];

/// A transcript that does not fit one prompt is made shorter until so many do.
const FEW: usize = 3;

/// The transcript in chunks of at most `room` UTF-16 units: one where some level makes it fit, else few, else as many as
/// it takes.
#[must_use]
pub fn chunks(items: &[Spoken], room: usize) -> Vec<String> {
    let mut found = Vec::new();
    for limits in LEVELS {
        found = pack(items.iter().map(|item| flatten(item, limits)), room);
        if found.len() <= 1 {
            return found;
        }
    }
    for limits in LEVELS {
        let shorter = pack(items.iter().map(|item| flatten(item, limits)), room);
        if shorter.len() <= FEW {
            return shorter;
        }
    }
    found
}

fn pack(entries: impl Iterator<Item = String>, room: usize) -> Vec<String> {
    let mut chunks: Vec<String> = Vec::new();
    let mut used = 0;
    for entry in entries.filter(|entry| !entry.is_empty()) {
        let entry = shorten(&entry, room).unwrap_or(entry);
        let size = utf16_len(&entry) + 2;
        match chunks.last_mut() {
            Some(chunk) if used + size <= room => {
                chunk.push_str("\n\n");
                chunk.push_str(&entry);
                used += size;
            }
            _ => {
                chunks.push(entry);
                used = size;
            }
        }
    }
    chunks
}

fn flatten(item: &Spoken, limits: Limits) -> String {
    let who = match item.author {
        Author::System => "system",
        Author::User => "user",
        Author::Summary => "earlier summary",
        Author::Model => "assistant",
        Author::Tool => "user",
        Author::Other => "other",
    };
    let mut parts: Vec<String> = Vec::new();
    for passage in &item.passages {
        let part = match passage {
            Passage::Text(text) => format!("[{who}]\n{}", fitted(text, limits.text)),
            Passage::Reasoning(_) if limits.reasoning == 0 => continue,
            Passage::Reasoning(text) => format!("[{who}, thinking]\n{}", fitted(text, limits.reasoning)),
            Passage::Call { name, input } => format!("[{who} used {name}] {}", arguments(input, limits.argument)),
            Passage::Result { name, text, is_error } => {
                let name = name.as_deref().unwrap_or("a tool");
                let verb = if *is_error { "failed" } else { "answered" };
                format!("[{name} {verb}]\n{}", fitted(text, limits.result))
            }
            Passage::Media(name) => format!("[{who} showed: {name}]"),
            Passage::Other(text) => format!("[{who}: {}]", fitted(text, limits.result)),
        };
        parts.push(part);
    }
    parts.join("\n")
}

/// Arguments as `key = value`, which is no syntax of any provider's calls.
fn arguments(input: &Value, longest: usize) -> String {
    match input {
        Value::Object(object) => {
            let pairs = object
                .iter()
                .map(|(key, value)| format!("{key} = {}", argument(value, longest)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        Value::Null => String::new(),
        other => argument(other, longest),
    }
}

fn argument(value: &Value, longest: usize) -> String {
    match value {
        Value::String(text) => fitted(text, longest),
        other => fitted(&crate::item::json::compact(other), longest),
    }
}

fn fitted(text: &str, longest: usize) -> String {
    shorten(text, longest).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(result: usize) -> [Spoken; 2] {
        let call = Passage::Call {
            name: "read".to_owned(),
            input: json!({ "path": "src/a.ts", "lines": [1, 2] }),
        };
        let result = Passage::Result {
            name: Some("read".to_owned()),
            text: "r".repeat(result),
            is_error: false,
        };
        [(Author::Model, call), (Author::Tool, result)].map(|(author, passage)| Spoken {
            author,
            passages: vec![passage],
        })
    }

    #[test]
    fn long_results_are_shortened_before_the_transcript_is_split() {
        let items: Vec<Spoken> = (0..10).flat_map(|_| step(5_000)).collect();
        assert_eq!(chunks(&items, 100_000).len(), 1);
        assert_eq!(chunks(&items, 9_000).len(), 1, "shorter results make it fit");
        let small = chunks(&items, 500);
        assert!(small.len() > FEW && small.iter().all(|chunk| utf16_len(chunk) <= 500));
        assert!(chunks(&items, 100_000)[0].starts_with("[assistant used read] path = src/a.ts, lines = [1,2]"));
    }
}
