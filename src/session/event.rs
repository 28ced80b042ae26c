//! One event of a session, without its items.

use crate::error::{Error, ErrorCode};
use serde_json::{Map, Value};

/// Ordinals that stay: from the first, up to but without the second.
pub type Keep = Vec<[u64; 2]>;

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// The session began.
    Created {
        /// Its id.
        session_id: String,
        /// What decides how a projection looks.
        settings: Value,
    },
    /// The settings became others.
    SettingsChanged(Value),
    /// Items were added.
    ItemsAdded {
        /// The ordinal of the first.
        ordinal: u64,
        /// How many.
        count: usize,
    },
    /// An item came again, grown.
    ItemReplaced {
        /// Which.
        ordinal: u64,
    },
    /// Memory became another.
    MemorySet {
        /// Items that stay, by their ordinals.
        keep: Keep,
        /// Items that are new, behind these.
        count: usize,
        /// The summary.
        summary: Option<String>,
        /// Only the summary changed.
        is_summary_alone: bool,
    },
    /// A summary took the place of items.
    Compacted {
        /// Items that stay.
        keep: Keep,
        /// The summary.
        summary: Option<String>,
        /// The result, without memory and report.
        result: Value,
    },
    /// A compaction came to nothing.
    CompactionFailed,
    /// Something was projected or compacted.
    MemoryCompress {
        /// For a turn of the model.
        is_projection: bool,
        /// Characters of the prompt.
        chars: u64,
    },
    /// An attribute was set; `None`: taken away.
    AttributeSet(String, Option<Value>),
    /// The provider counted a prompt.
    UsageReported {
        /// Its tokens.
        input_tokens: f64,
        /// What they were estimated at.
        estimated: Option<f64>,
    },
    /// The provider refused a prompt as too long.
    OverflowReported {
        /// The most that it takes.
        max_tokens: Option<u64>,
    },
    /// The session went back.
    Rewound {
        /// To right after this event.
        to: u64,
    },
    /// All earlier events, in one.
    Checkpoint {
        /// The state, as [`super::State::to_json`] gives it.
        state: Value,
        /// Items of memory.
        count: usize,
    },
    /// Of no meaning for the state: steps, calls, errors.
    Other,
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its place in the log, from 1.
    pub sequence: u64,
    /// What happened.
    pub body: Body,
}

impl Event {
    /// Reads an event. `count` is the number of its items where they are kept apart; `None`: they are in the payload.
    ///
    /// # Errors
    /// `invalid_snapshot` with the field's path below `name`.
    pub fn read(event: &Value, count: Option<usize>, name: &str) -> Result<Self, Error> {
        let fields = Fields { name, count };
        let event = event.as_object().ok_or_else(|| fields.error("", "must be an object"))?;
        let sequence = fields.whole(event, "sequence")?.filter(|sequence| *sequence > 0);
        let sequence = sequence.ok_or_else(|| fields.error("sequence", "must be a whole number of at least 1"))?;
        let time = event.get("recordedAtEpochMs").and_then(Value::as_f64);
        if time.is_none() {
            return Err(fields.error("recordedAtEpochMs", "must be a number"));
        }
        let kind = event.get("type").and_then(Value::as_str);
        let kind = kind.ok_or_else(|| fields.error("type", "must be a string"))?;
        let payload = event.get("payload").and_then(Value::as_object);
        let payload = payload.ok_or_else(|| fields.error("payload", "must be an object"))?;
        Ok(Self {
            sequence,
            body: fields.body(kind, payload)?,
        })
    }
}

struct Fields<'a> {
    name: &'a str,
    count: Option<usize>,
}

impl Fields<'_> {
    fn error(&self, field: &str, message: &str) -> Error {
        let dot = if field.is_empty() { "" } else { "." };
        Error::new(
            ErrorCode::InvalidSnapshot,
            format!("{}{dot}{field}", self.name),
            message,
        )
    }

    fn in_payload(&self, field: &str, message: &str) -> Error {
        self.error(&format!("payload.{field}"), message)
    }

    fn whole(&self, object: &Map<String, Value>, field: &str) -> Result<Option<u64>, Error> {
        match object.get(field) {
            None | Some(Value::Null) => Ok(None),
            // JavaScript writes whole numbers as such, whatever their origin.
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.error(field, "must be a whole number of at least 0")),
            },
        }
    }

    fn number(&self, payload: &Map<String, Value>, field: &str) -> Result<u64, Error> {
        let number = payload.get(field).and_then(Value::as_u64);
        number.ok_or_else(|| self.in_payload(field, "must be a whole number of at least 0"))
    }

    fn text(&self, payload: &Map<String, Value>, field: &str) -> Result<String, Error> {
        let text = payload.get(field).and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| self.in_payload(field, "must be a string"))
    }

    fn object(&self, payload: &Map<String, Value>, field: &str) -> Result<Value, Error> {
        let found = payload.get(field).filter(|value| value.is_object()).cloned();
        found.ok_or_else(|| self.in_payload(field, "must be an object"))
    }

    fn summary(&self, payload: &Map<String, Value>) -> Result<Option<String>, Error> {
        match payload.get("summary") {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.in_payload("summary", "must be a string or null")),
        }
    }

    fn count(&self, payload: &Map<String, Value>, field: &str) -> Result<usize, Error> {
        if let Some(count) = self.count {
            return Ok(count);
        }
        let list = payload.get(field).and_then(Value::as_array);
        let list = list.ok_or_else(|| self.in_payload(field, "must be an array"))?;
        match list.iter().position(|item| !item.is_object()) {
            Some(index) => Err(self.in_payload(&format!("{field}[{index}]"), "must be an object")),
            None => Ok(list.len()),
        }
    }

    fn keep(&self, payload: &Map<String, Value>, is_wanted: bool) -> Result<Keep, Error> {
        let list = match payload.get("keep") {
            Some(Value::Array(list)) => list,
            None if !is_wanted => return Ok(Keep::new()),
            _ => return Err(self.in_payload("keep", "must be an array")),
        };
        let ranges = list.iter().enumerate().map(|(index, range)| {
            let pair: Option<Vec<u64>> = range
                .as_array()
                .map(|pair| pair.iter().filter_map(Value::as_u64).collect());
            match pair.as_deref() {
                Some([from, to]) if from <= to => Ok([*from, *to]),
                _ => Err(self.in_payload(&format!("keep[{index}]"), "must be a pair of ordinals")),
            }
        });
        ranges.collect()
    }

    fn body(&self, kind: &str, payload: &Map<String, Value>) -> Result<Body, Error> {
        Ok(match kind {
            "SESSION_CREATED" => Body::Created {
                session_id: self.text(payload, "sessionId")?,
                settings: self.object(payload, "settings")?,
            },
            "SETTINGS_CHANGED" => Body::SettingsChanged(self.object(payload, "settings")?),
            "ITEMS_ADDED" => Body::ItemsAdded {
                ordinal: self.number(payload, "ordinal")?,
                count: self.count(payload, "items")?,
            },
            "ITEM_REPLACED" => {
                if self.count.is_none() {
                    self.object(payload, "item")?;
                }
                Body::ItemReplaced {
                    ordinal: self.number(payload, "ordinal")?,
                }
            }
            "MEMORY_SET" => Body::MemorySet {
                keep: self.keep(payload, false)?,
                count: self.count(payload, "items")?,
                summary: self.summary(payload)?,
                is_summary_alone: self.text(payload, "cause")? == "summary",
            },
            "COMPACTED" => Body::Compacted {
                keep: self.keep(payload, true)?,
                summary: self.summary(payload)?,
                result: self.object(payload, "result")?,
            },
            "COMPACTION_FAILED" => {
                self.text(payload, "status")?;
                Body::CompactionFailed
            }
            "MEMORY_COMPRESS" => {
                let report = self.object(payload, "report")?;
                let chars = report.get("projectedApproxChars").and_then(Value::as_f64);
                let missing = || self.in_payload("report.projectedApproxChars", "must be a number");
                Body::MemoryCompress {
                    is_projection: self.text(payload, "cause")? == "projection",
                    chars: chars.filter(|chars| *chars >= 0.0).ok_or_else(missing)? as u64,
                }
            }
            "ATTRIBUTE_SET" => Body::AttributeSet(self.text(payload, "key")?, payload.get("value").cloned()),
            "USAGE_REPORTED" => {
                let tokens = |field: &str| {
                    payload
                        .get(field)
                        .and_then(Value::as_f64)
                        .filter(|tokens| *tokens >= 0.0)
                };
                let missing = || self.in_payload("inputTokens", "must be a number of at least 0");
                Body::UsageReported {
                    input_tokens: tokens("inputTokens").ok_or_else(missing)?,
                    estimated: tokens("estimatedTokens"),
                }
            }
            "OVERFLOW_REPORTED" => Body::OverflowReported {
                max_tokens: payload
                    .get("maxTokens")
                    .and_then(Value::as_u64)
                    .filter(|most| *most > 0),
            },
            "REWOUND" => Body::Rewound {
                to: self.number(payload, "to")?,
            },
            "CHECKPOINT" => {
                let memory = payload.get("memory").and_then(Value::as_object);
                let memory = memory.ok_or_else(|| self.in_payload("memory", "must be an object"))?;
                let count = match self.count {
                    Some(count) => count,
                    None => {
                        let items = memory.get("items").and_then(Value::as_array);
                        let items = items.ok_or_else(|| self.in_payload("memory.items", "must be an array"))?;
                        items.len()
                    }
                };
                Body::Checkpoint {
                    state: self.object(payload, "state")?,
                    count,
                }
            }
            _ => Body::Other,
        })
    }
}
