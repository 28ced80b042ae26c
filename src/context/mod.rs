//! Projection: what the model is sent this turn, and an account of everything that it is not.

mod assemble;
mod budget;
mod fates;
mod fold;
mod inputs;
mod join;
mod ledger;
mod mend;
mod notes;
mod options;
mod pipeline;
mod plan;
mod projector;
mod report;
mod setting;
mod size;
mod validate;
mod version;

pub use budget::ContextBudget;
pub(crate) use fold::{Cut, Fold};
pub use ledger::{Fate, LedgerRun};
pub(crate) use ledger::{Reasons, runs};
pub(crate) use mend::new_call_ids;
pub use options::{Calibration, Pending, ProjectOptions, Projector, SummaryRole};
pub use pipeline::{Outcome, plan_projection};
pub use plan::{Entry, Plan};
pub use projector::{
    DefaultContextProjector, Projection, TypeAwareContextProjector, check_item, project, project_json, project_texts,
    read_items, setting as read_setting,
};
pub use report::ContextReport;
pub use setting::{Setting, Settings};
pub(crate) use size::{Exceeded, Size};
pub use validate::{Severity, Violation, validate};
