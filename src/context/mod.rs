//! Projection: what the model is sent this turn, and an account of everything that it is not.

mod assemble;
mod budget;
mod fold;
mod inputs;
mod ledger;
mod options;
mod plan;
mod projector;
mod report;
mod setting;
mod size;
mod version;

pub use budget::ContextBudget;
pub use ledger::{Fate, LedgerRun, Reasons};
pub use options::{Calibration, Pending, ProjectOptions, Projector, SummaryRole};
pub use plan::{Entry, Plan};
pub use projector::{
    DefaultContextProjector, Projection, TypeAwareContextProjector, plan_projection, project, project_json,
    project_texts, read_items, setting as read_setting,
};
pub use report::ContextReport;
pub use setting::{Setting, Settings};
