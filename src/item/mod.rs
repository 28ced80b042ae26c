//! What one history item is: its shape as a sketch, the facts that the core keeps of it, its sizes, and edits to it.
//!
//! Facts are taken once, when an item arrives. Everything below this room works on facts and never looks at a
//! provider's field names again.

pub mod depth;
pub mod dialect;
pub mod edit;
pub mod facts;
pub mod json;
pub mod measure;
pub mod path;
pub mod payload;
pub mod rule;
pub mod rules;
pub mod sketch;
pub mod text;
pub mod tokens;
