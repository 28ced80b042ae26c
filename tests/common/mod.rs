//! What the tests share. Nothing here looks at the crate's own facts or history: items are read a second time, from
//! DESIGN and SEMANTICS, so that a mistake has to be made twice to go unseen.
#![allow(dead_code)] // Each test binary uses a part of it.

pub mod boundary;
#[cfg(not(target_arch = "wasm32"))]
pub mod check;
#[cfg(not(target_arch = "wasm32"))]
pub mod corpus;
#[cfg(not(target_arch = "wasm32"))]
pub mod generate;
#[cfg(not(target_arch = "wasm32"))]
pub mod reader;
#[cfg(not(target_arch = "wasm32"))]
pub mod size;
