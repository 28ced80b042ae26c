//! A run for `js/runtime/`: actions as JSON. What is called, and by whom, stands in JavaScript.

use super::compact::{facts_of, named};
use super::items::JsItems;
use crate::error::{Error, ErrorCode};
use crate::runtime::{self, Asked, DEFAULT_PLAN, Pause, Run, Style, Terms};
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

/// A run under way. It holds no JavaScript value.
#[wasm_bindgen(skip_typescript)]
pub struct RuntimeRun {
    run: RefCell<Run>,
}

#[wasm_bindgen]
impl RuntimeRun {
    /// A run of the runtime of this name; without a plan, a research follows the default one.
    ///
    /// # Errors
    /// `invalid_option` at `style`.
    #[wasm_bindgen(constructor, skip_typescript)]
    pub fn new(
        style: &str,
        max_steps: f64,
        instructions: String,
        plan: Option<Vec<String>>,
    ) -> Result<RuntimeRun, JsValue> {
        let unknown = || Error::new(ErrorCode::InvalidOption, "style", "is the name of no runtime");
        let style = Style::named(style).ok_or_else(unknown)?;
        let plan = match (style, plan) {
            (Style::DeepResearch, None) => DEFAULT_PLAN.map(str::to_owned).to_vec(),
            (_, plan) => plan.unwrap_or_default(),
        };
        let terms = Terms {
            style,
            max_steps: max_steps as u64,
            instructions,
            plan,
        };
        Ok(Self {
            run: RefCell::new(Run::new(terms)),
        })
    }

    /// Begins; `open` are items whose calls in flight come first.
    ///
    /// # Errors
    /// `invalid_item`, `invalid_option`; what the host's objects throw.
    #[wasm_bindgen(skip_typescript)]
    pub fn begin(&self, open: Option<js_sys::Array>, dialect: Option<String>) -> Result<String, JsValue> {
        let calls: Vec<Asked> = match open {
            None => Vec::new(),
            Some(items) => {
                let dialect = named(dialect)?;
                let (items, read) = facts_of(&items.into(), dialect)?;
                let calls = runtime::open_calls(&read.facts, &payloads(&items), dialect)?;
                read.keep(&items);
                calls
            }
        };
        Ok(self.run.borrow_mut().begin(calls).to_json().to_string())
    }

    /// The prompt is ready and has so many items.
    #[wasm_bindgen(skip_typescript)]
    pub fn prepared(&self, item_count: u32) -> String {
        let action = self.run.borrow_mut().prepared(u64::from(item_count));
        action.to_json().to_string()
    }

    /// The model answered with these items.
    ///
    /// # Errors
    /// `invalid_item`, `invalid_option`; what the host's objects throw.
    #[wasm_bindgen(skip_typescript)]
    pub fn answered(
        &self,
        items: &JsValue,
        dialect: Option<String>,
        input_tokens: Option<f64>,
    ) -> Result<String, JsValue> {
        let dialect = named(dialect)?;
        let (items, read) = facts_of(items, dialect)?;
        let answer = runtime::read_answer(&read.facts, &payloads(&items), dialect)?;
        let action = self.run.borrow_mut().answered(answer, input_tokens);
        Ok(action.to_json().to_string())
    }

    /// A call has its result.
    #[wasm_bindgen(skip_typescript)]
    pub fn resulted(&self, index: u32, is_ok: bool) -> String {
        let action = self.run.borrow_mut().resulted(index as usize, is_ok);
        action.to_json().to_string()
    }

    /// All calls have their results; the one that waits for a person aside.
    #[wasm_bindgen(js_name = toolsDone, skip_typescript)]
    pub fn tools_done(&self, paused: Option<String>, reason: Option<String>) -> String {
        let pause = paused.map(|call_id| Pause {
            call_id,
            reason: reason.unwrap_or_default(),
        });
        self.run.borrow_mut().tools_done(pause).to_json().to_string()
    }

    /// The code was run.
    #[wasm_bindgen(skip_typescript)]
    pub fn executed(&self, is_ok: bool, output: &str) -> String {
        self.run.borrow_mut().executed(is_ok, output).to_json().to_string()
    }

    /// The prompt was too long; nothing where the step was made again already.
    #[wasm_bindgen(skip_typescript)]
    pub fn overflowed(&self) -> Option<String> {
        let action = self.run.borrow_mut().overflowed();
        action.map(|action| action.to_json().to_string())
    }

    /// The host gave it up.
    #[wasm_bindgen(skip_typescript)]
    pub fn aborted(&self) -> String {
        self.run.borrow_mut().aborted().to_json().to_string()
    }

    /// Something failed.
    #[wasm_bindgen(skip_typescript)]
    pub fn failed(&self, message: &str, code: Option<String>) -> String {
        let action = self.run.borrow_mut().failed(message, code.as_deref());
        action.to_json().to_string()
    }
}

/// What the newest user message says.
///
/// # Errors
/// `invalid_item`, `invalid_option`; what the host's objects throw.
#[wasm_bindgen(js_name = runtimeGoal, skip_typescript)]
pub fn runtime_goal(items: &JsValue, dialect: Option<String>) -> Result<Option<String>, JsValue> {
    let (items, read) = facts_of(items, named(dialect)?)?;
    let goal = runtime::goal(&read.facts, &payloads(&items))?;
    read.keep(&items);
    Ok(goal)
}

fn payloads(items: &js_sys::Array) -> JsItems {
    JsItems {
        items: items.clone(),
        media_tokens: 0,
        count_tokens: None,
    }
}
