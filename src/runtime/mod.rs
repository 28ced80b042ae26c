//! Runtimes: the loop of model, tools and model again, without I/O.
//!
//! A [`Run`] is asked what comes next and told what came of it. Whoever drives it makes the calls, keeps the session, and
//! records the events that it is given, in their order.

mod action;
mod answer;
mod code;
mod instructions;
mod run;

pub use action::{Action, Effect, EventKind, Next, Pause, Stop, ToolCall};
pub use answer::{Answer, Asked, goal, open_calls, read_answer};
pub use instructions::{DEFAULT_PLAN, Style};
pub use run::{Run, Terms};
