//! Sessions: everything that happened, and the state that follows from it.
//!
//! The log holds events without their items: an item is a [`Place`] in the log, whoever keeps the items themselves. State is
//! a fold over the events (P8), so what was saved, what was replayed and what lived agree.

mod calibration;
mod event;
mod log;
mod snapshot;
mod state;

pub use calibration::Usage;
pub use event::{Body, Event, Keep};
pub use log::Log;
pub use snapshot::{FORMAT, Restored, VERSION, restore};
pub use state::{Place, State};
