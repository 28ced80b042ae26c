//! The session's log and fold, natively; `node.rs` and `browser.rs` run the same inside wasm.
// Helpers of a test fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "common/boundary.rs"]
#[allow(dead_code)] // Shared with other tests, which use all of it.
mod boundary;
#[path = "common/session.rs"]
mod session;

#[test]
fn every_state_is_what_it_was_and_the_digest_holds() {
    assert_eq!(session::digest_of_sessions(), session::DIGEST);
}

#[test]
fn what_does_not_follow_is_refused() {
    session::refuses_what_does_not_follow();
}
