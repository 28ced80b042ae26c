//! Memory: what an agent works from. The host keeps the items; here is what has to be known to add to them and to keep
//! the newest.

mod add;
mod recall;
mod window;

pub use add::{Added, Outcome, tool_output, user_input};
pub use recall::recall;
pub use window::{leading_items, window};
