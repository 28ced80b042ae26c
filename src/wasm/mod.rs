//! The only room that knows JavaScript: exports, callbacks, conversions, errors.
//!
//! Exported classes take `&self` only, and no borrow is held across a call into JavaScript, so that a call from inside a
//! host's callback works.

mod compact;
mod host;
mod items;
mod project;
mod projectors;
mod runtime;
mod session;
mod settings;

use crate::error::Error;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("../js/types.d.ts");

/// Names a failure of our own in the console, should there ever be one.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

impl From<Error> for JsValue {
    fn from(error: Error) -> Self {
        host::make_error(error.code().as_str(), error.path(), error.message())
    }
}
