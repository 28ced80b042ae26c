//! The events in order, and the state after each of them.

use super::event::{Body, Event};
use super::state::State;
use crate::error::{Error, ErrorCode};

/// A session's events, without their items.
#[derive(Clone, Debug, Default)]
pub struct Log {
    events: Vec<Event>,
    state: State,
}

impl Log {
    /// The sequence of the newest event; 0 where there is none.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.events.last().map_or(0, |event| event.sequence)
    }

    /// The sequence of the oldest event that is there.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.events.first().map_or(1, |event| event.sequence)
    }

    /// The state as things stand.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Appends an event.
    ///
    /// # Errors
    /// `invalid_snapshot` below `name` where it does not follow on the log; that stays as it was.
    pub fn push(&mut self, event: Event, name: &str) -> Result<(), Error> {
        let error = |field: &str, message: String| {
            Err(Error::new(
                ErrorCode::InvalidSnapshot,
                format!("{name}.{field}"),
                message,
            ))
        };
        let is_first = self.events.is_empty();
        if !is_first && event.sequence != self.sequence() + 1 {
            return error("sequence", format!("must be {}", self.sequence() + 1));
        }
        match (&event.body, is_first) {
            (Body::Created { .. }, true) if event.sequence != 1 => return error("sequence", "must be 1".to_owned()),
            (Body::Created { .. } | Body::Checkpoint { .. }, true) => {}
            (_, true) => {
                return error(
                    "type",
                    "must be SESSION_CREATED or CHECKPOINT: a log begins with one".to_owned(),
                );
            }
            (Body::Created { .. } | Body::Checkpoint { .. }, false) => {
                return error("type", "stands at the beginning of a log only".to_owned());
            }
            _ => {}
        }
        match event.body {
            Body::Rewound { to } if to < self.first() || to >= event.sequence => {
                return error(
                    "payload.to",
                    format!("must be from {} to {}", self.first(), event.sequence - 1),
                );
            }
            Body::Rewound { to } => self.state = self.replay(to),
            _ => {
                if let Err(error) = self.state.apply(&event, name) {
                    self.state = self.replay(self.sequence());
                    return Err(error);
                }
            }
        }
        self.events.push(event);
        Ok(())
    }

    /// The state right after an event; `None` where the log no longer has it.
    #[must_use]
    pub fn state_at(&self, sequence: u64) -> Option<State> {
        (sequence >= self.first() && sequence <= self.sequence()).then(|| self.replay(sequence))
    }

    /// Folds the events that led to one of them: what was undone before it is left out.
    fn replay(&self, sequence: u64) -> State {
        let mut chain = Vec::new();
        let mut at = sequence;
        while let Some(event) = at
            .checked_sub(self.first())
            .and_then(|index| self.events.get(index as usize))
        {
            match event.body {
                Body::Rewound { to } => at = to,
                _ => {
                    chain.push(event);
                    at -= 1;
                }
            }
        }
        let mut state = State::default();
        for event in chain.into_iter().rev() {
            // Each was applied once, in this very order.
            let _ = state.apply(event, "");
        }
        state
    }

    /// Whether an event of the log goes back before another.
    #[must_use]
    pub fn goes_back_before(&self, sequence: u64) -> bool {
        let later = self.events.iter().filter(|event| event.sequence >= sequence);
        later
            .clone()
            .any(|event| matches!(event.body, Body::Rewound { to } if to + 1 < sequence))
    }
}
