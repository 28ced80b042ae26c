//! Compaction: memory is replaced by a summary, with the host's model or without one (SEMANTICS §4).
//!
//! No I/O: [`plan`] says what to ask the model, [`CompactionPlan::answer`] takes what it said, [`commit_plan`] puts the
//! accepted summary in the place of what it summarises, whatever memory has become meanwhile. Every failure leaves memory
//! as it was.

mod answer;
mod commit;
mod files;
mod options;
mod outcomes;
mod plan;
mod policy;
mod prompt;
mod reading;
mod render;
mod result;
mod select;
mod state;
mod structured;
mod transcript;

pub use answer::{Given, without_thinking};
pub use commit::Committed;
pub use files::{FileLists, FileOp, Operations, Touch, operations};
pub use options::{Fallback, LlmCompactOptions};
pub use plan::CompactionPlan;
pub use policy::{History, commit_plan, plan, should_compact, structured, structured_should_compact};
pub use prompt::Prompt;
pub use result::{Attempt, CompactStatus, Outcome, Previous};
pub use select::Measured;
