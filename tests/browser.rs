//! The public functions inside wasm, in a browser: the same JSON as natively, and hostile input in a debug build.
#![cfg(target_arch = "wasm32")]
// Helpers of a test fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/boundary.rs"]
#[allow(dead_code)] // Shared with native tests, which use all of it.
mod boundary;
#[path = "common/session.rs"]
mod session;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn a_browser_gives_the_same_json_as_native() {
    assert_eq!(boundary::digest_of_histories(), boundary::DIGEST);
}

#[wasm_bindgen_test]
fn hostile_input_is_survived() {
    boundary::survives_hostile_input();
}

#[wasm_bindgen_test]
fn sessions_fold_as_natively() {
    assert_eq!(session::digest_of_sessions(), session::DIGEST);
    session::refuses_what_does_not_follow();
}
