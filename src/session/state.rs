//! What follows from the events up to one of them.

use super::calibration::Usage;
use super::event::{Body, Event, Keep};
use crate::error::{Error, ErrorCode};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where an item of memory stands in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its ordinal: how many items were added before it.
    pub ordinal: u64,
    /// The event that holds it as it is now.
    pub sequence: u64,
    /// Its index among the items of that event.
    pub index: usize,
}

/// So much of the last prompt may be sent again after the provider refused it: the rest is cut.
const AFTER_OVERFLOW: f64 = 0.7;

/// A session's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The items of memory.
    pub memory: Vec<Place>,
    /// Everything else.
    pub rest: Rest,
}

/// The state apart from memory's items, as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rest {
    /// The session's id.
    pub session_id: String,
    /// What decides how a projection looks.
    pub settings: Map<String, Value>,
    /// The summary.
    pub summary: Option<String>,
    /// The host's attributes.
    pub attributes: Map<String, Value>,
    /// The result of the last compaction that was accepted.
    pub compact_result: Option<Value>,
    /// The event of it.
    pub compacted_at: u64,
    /// Compactions that failed in a row.
    pub failures: u32,
    /// Items in memory when the last one failed.
    pub failed_at: usize,
    /// What reported usage tells.
    pub usage: Usage,
    /// The last prompt was refused as too long, and nothing was done about it yet.
    pub is_overflown: bool,
    /// Most characters of a prompt, since a longer one was refused.
    pub most_chars: Option<u64>,
    /// Most tokens of a prompt, as the provider said.
    pub most_tokens: Option<u64>,
    /// Characters of the last prompt.
    pub last_chars: u64,
    /// Items added so far.
    pub next_ordinal: u64,
    /// Ordinals of memory's items: written by a checkpoint alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ordinals: Vec<u64>,
}

impl State {
    /// The state as JSON, without memory's items; `with_ordinals` names these.
    #[must_use]
    pub fn to_json(&self, with_ordinals: bool) -> Value {
        let mut rest = self.rest.clone();
        if with_ordinals {
            rest.ordinals = self.memory.iter().map(|place| place.ordinal).collect();
        }
        serde_json::to_value(rest).unwrap_or_default()
    }

    /// Takes an event in. What goes back in the log is not for a state alone: see [`super::Log`].
    ///
    /// # Errors
    /// `invalid_snapshot` below `name` where the event does not fit; the state is then half changed and of no use.
    pub fn apply(&mut self, event: &Event, name: &str) -> Result<(), Error> {
        let error = |field: &str, message: &str| {
            Err(Error::new(
                ErrorCode::InvalidSnapshot,
                format!("{name}.payload.{field}"),
                message,
            ))
        };
        match &event.body {
            Body::Created { session_id, settings } => {
                self.rest.session_id.clone_from(session_id);
                self.rest.settings = settings.as_object().cloned().unwrap_or_default();
            }
            Body::SettingsChanged(settings) => {
                self.rest.settings = settings.as_object().cloned().unwrap_or_default();
                // Another model, another window.
                (self.rest.most_chars, self.rest.most_tokens) = (None, None);
            }
            Body::ItemsAdded { ordinal, count } => {
                if *ordinal != self.rest.next_ordinal {
                    return error("ordinal", &format!("must be {}", self.rest.next_ordinal));
                }
                self.add(event.sequence, *count);
            }
            Body::ItemReplaced { ordinal } => {
                let Some(place) = self.memory.iter_mut().find(|place| place.ordinal == *ordinal) else {
                    return error("ordinal", "is of no item in memory");
                };
                (place.sequence, place.index) = (event.sequence, 0);
            }
            Body::MemorySet {
                keep,
                count,
                summary,
                is_summary_alone,
            } => {
                if !is_summary_alone {
                    self.retain(keep);
                    self.add(event.sequence, *count);
                }
                self.rest.summary.clone_from(summary);
                self.forgive();
            }
            Body::Compacted { keep, summary, result } => {
                self.retain(keep);
                self.rest.summary.clone_from(summary);
                self.rest.compact_result = Some(result.clone());
                self.rest.compacted_at = event.sequence;
                self.rest.is_overflown = false;
                self.rest.usage.void();
                self.forgive();
            }
            Body::CompactionFailed => {
                self.rest.failures += 1;
                self.rest.failed_at = self.memory.len();
            }
            Body::MemoryCompress { is_projection, chars } => {
                if *is_projection {
                    self.rest.last_chars = *chars;
                    self.rest.is_overflown = false;
                }
            }
            Body::AttributeSet(key, value) => {
                match value {
                    Some(value) => self.rest.attributes.insert(key.clone(), value.clone()),
                    None => self.rest.attributes.shift_remove(key),
                };
            }
            Body::UsageReported {
                input_tokens,
                estimated,
            } => {
                if let Some(estimated) = estimated {
                    self.rest.usage.report(*input_tokens, *estimated);
                }
            }
            Body::OverflowReported { max_tokens } => {
                self.rest.is_overflown = true;
                if self.rest.last_chars > 0 {
                    let most = (self.rest.last_chars as f64 * AFTER_OVERFLOW) as u64;
                    self.rest.most_chars = Some(self.rest.most_chars.map_or(most, |known| known.min(most)).max(1));
                }
                if let Some(most) = max_tokens {
                    self.rest.most_tokens = Some(self.rest.most_tokens.map_or(*most, |known| known.min(*most)));
                }
            }
            Body::Checkpoint { state, count } => {
                let Ok(rest) = serde_json::from_value::<Rest>(state.clone()) else {
                    return error("state", "is no state of a session");
                };
                if rest.ordinals.len() != *count || !rest.ordinals.is_sorted_by(|one, next| one < next) {
                    return error("state.ordinals", "must rise, one for each item of memory");
                }
                let places = rest.ordinals.iter().enumerate().map(|(index, ordinal)| Place {
                    ordinal: *ordinal,
                    sequence: event.sequence,
                    index,
                });
                self.memory = places.collect();
                self.rest = Rest {
                    ordinals: Vec::new(),
                    ..rest
                };
            }
            Body::Rewound { .. } | Body::Other => {}
        }
        Ok(())
    }

    fn add(&mut self, sequence: u64, count: usize) {
        let first = self.rest.next_ordinal;
        self.memory.extend((0..count).map(|index| Place {
            ordinal: first + index as u64,
            sequence,
            index,
        }));
        self.rest.next_ordinal += count as u64;
    }

    fn retain(&mut self, keep: &Keep) {
        self.memory
            .retain(|place| keep.iter().any(|[from, to]| (*from..*to).contains(&place.ordinal)));
    }

    fn forgive(&mut self) {
        (self.rest.failures, self.rest.failed_at) = (0, 0);
    }
}
