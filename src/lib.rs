//! Keeps the long history of an LLM agent in order.
//!
//! A history is a list of JSON items in the shape of some provider. [`project`] decides what of it the model is sent
//! this turn, under a [`ContextBudget`], and reports every item's fate:
//!
//! ```
//! use context_projector::{ContextBudget, ProjectOptions, project};
//! use serde_json::json;
//!
//! let history: Vec<_> = (0..55)
//!     .map(|n| json!({ "role": if n % 2 == 0 { "user" } else { "assistant" }, "content": format!("message {n}") }))
//!     .collect();
//! let budget = ContextBudget { max_items: Some(20), pinned_prefix_items: 1, ..Default::default() };
//! let projection = project(&history, &budget, &ProjectOptions::default(), None)?;
//! assert_eq!(projection.items.len(), 20);
//! assert_eq!(projection.items[1], history[36]);
//! assert_eq!(projection.report.notes[0], "maxItems applied: 20");
//! # Ok::<(), context_projector::Error>(())
//! ```
//!
//! [`project_json`] does the same over JSON text. The rooms of the crate, from top to bottom, each using only those
//! above it: `error`, [`item`] (what one item is), [`history`] (items in order), [`context`] (projection), [`memory`] (what
//! an agent works from), [`compact`] (compaction), [`session`] (log and state), [`runtime`] (the step loop), and `wasm`, the
//! only one that knows JavaScript.

pub mod compact;
pub mod context;
mod error;
pub mod history;
pub mod item;
pub mod memory;
pub mod runtime;
pub mod session;
#[cfg(target_arch = "wasm32")]
mod wasm;

pub use context::{
    ContextBudget, ContextReport, DefaultContextProjector, ProjectOptions, Projection, TypeAwareContextProjector,
    Violation, project, project_json, validate,
};
pub use error::{Error, ErrorCode};
