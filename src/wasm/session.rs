//! The log of a session for `js/session/`: events without their items, which stay in JavaScript.

use super::host;
use super::project::array;
use crate::error::{Error, ErrorCode};
use crate::item::json::{parse, without_half_pairs};
use crate::session::{Event, Log, State};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A session's log. It holds no JavaScript value.
#[wasm_bindgen(skip_typescript)]
pub struct SessionLog {
    log: RefCell<Log>,
}

#[wasm_bindgen]
impl SessionLog {
    /// A log without events.
    #[wasm_bindgen(constructor, skip_typescript)]
    #[allow(clippy::new_without_default, reason = "made in JavaScript alone")]
    pub fn new() -> Self {
        Self {
            log: RefCell::default(),
        }
    }

    /// Appends an event, as JSON without its items; `count` says how many these are.
    ///
    /// # Errors
    /// `invalid_snapshot` below `name`; the log is then as it was.
    #[wasm_bindgen(skip_typescript)]
    pub fn push(&self, event: &str, count: u32, name: &str) -> Result<(), JsValue> {
        let mended = without_half_pairs(event);
        let value = parse(mended.as_deref().unwrap_or(event));
        let value =
            value.ok_or_else(|| Error::new(ErrorCode::InvalidSnapshot, name, "is no JSON or nests too deeply"))?;
        let event = Event::read(&value, Some(count as usize), name)?;
        Ok(self.log.borrow_mut().push(event, name)?)
    }

    /// The newest event's sequence.
    #[wasm_bindgen(skip_typescript)]
    pub fn sequence(&self) -> f64 {
        self.log.borrow().sequence() as f64
    }

    /// The oldest event's sequence.
    #[wasm_bindgen(skip_typescript)]
    pub fn first(&self) -> f64 {
        self.log.borrow().first() as f64
    }

    /// The ordinal of the next item.
    #[wasm_bindgen(js_name = nextOrdinal, skip_typescript)]
    pub fn next_ordinal(&self) -> f64 {
        self.log.borrow().state().rest.next_ordinal as f64
    }

    /// The state after an event, without memory's items, as JSON; `with_ordinals` names these.
    #[wasm_bindgen(skip_typescript)]
    pub fn state(&self, sequence: f64, with_ordinals: bool) -> Option<String> {
        self.at(sequence, |state| state.to_json(with_ordinals).to_string())
    }

    /// Memory after an event: of each item ordinal, event and index in it.
    #[wasm_bindgen(skip_typescript)]
    pub fn memory(&self, sequence: f64) -> Option<Vec<f64>> {
        self.at(sequence, |state| {
            let places = state.memory.iter();
            places
                .flat_map(|place| [place.ordinal as f64, place.sequence as f64, place.index as f64])
                .collect()
        })
    }

    /// Whether an event from one on goes back before it.
    #[wasm_bindgen(js_name = goesBackBefore, skip_typescript)]
    pub fn goes_back_before(&self, sequence: f64) -> bool {
        self.log.borrow().goes_back_before(sequence as u64)
    }
}

impl SessionLog {
    fn at<T>(&self, sequence: f64, read: impl FnOnce(&State) -> T) -> Option<T> {
        let log = self.log.borrow();
        if sequence == log.sequence() as f64 {
            return Some(read(log.state()));
        }
        Some(read(&log.state_at(sequence as u64)?))
    }
}

/// Checks that items are items.
///
/// # Errors
/// `invalid_item`, with the path.
#[wasm_bindgen(js_name = checkItems, skip_typescript)]
pub fn check_items(items: &JsValue) -> Result<(), JsValue> {
    host::sketch(array(items)?, 0).map(|_| ())
}
