//! Sizes that add up, and the limits that hold them.

use super::budget::ContextBudget;
use super::options::ProjectOptions;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// What something takes of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Items.
    pub items: u64,
    /// Characters.
    pub chars: u64,
    /// Estimated tokens.
    pub tokens: u64,
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            items: self.items + other.items,
            chars: self.chars + other.chars,
            tokens: self.tokens + other.tokens,
        }
    }
}

impl Sub for Size {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            items: self.items.saturating_sub(other.items),
            chars: self.chars.saturating_sub(other.chars),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Size {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// The limits of a budget, in the units of [`Size`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    high: [Option<f64>; 3],
    low_water: f64,
    ratio: f64,
}

/// Which limits are exceeded: items, characters, tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exceeded(pub [bool; 3]);

impl Exceeded {
    /// Whether one is.
    pub fn any(self) -> bool {
        self.0.contains(&true)
    }
}

impl Limits {
    /// The limits of a budget. That of tokens is what the overhead leaves; calibrated overhead counts where it is the
    /// larger one.
    pub fn of(budget: &ContextBudget, options: &ProjectOptions) -> Self {
        let calibrated = options.calibration.map_or(0, |calibration| calibration.overhead_tokens);
        let overhead = budget.overhead_tokens.max(calibrated);
        let whole = |limit: u64| limit as f64;
        Self {
            high: [
                budget.max_items.map(whole),
                budget.max_approx_chars.map(whole),
                budget.max_tokens.map(|limit| limit as f64 - overhead as f64),
            ],
            low_water: budget.low_water,
            ratio: options.calibration.map_or(1.0, |calibration| calibration.ratio),
        }
    }

    /// Tokens as calibrated.
    pub fn tokens(&self, size: Size) -> f64 {
        size.tokens as f64 * self.ratio
    }

    /// Which limits a total exceeds.
    pub fn exceeded(&self, total: Size) -> Exceeded {
        self.over(total, |limit, _| limit)
    }

    /// Whether a total is within `lowWater` × each limit; that of items is floored.
    pub fn is_low(&self, total: Size) -> bool {
        let over = self.over(total, |limit, index| {
            let low = limit * self.low_water;
            if index == 0 { low.floor() } else { low }
        });
        !over.any()
    }

    fn over(&self, total: Size, bound: impl Fn(f64, usize) -> f64) -> Exceeded {
        let amounts = [total.items as f64, total.chars as f64, self.tokens(total)];
        let mut over = [false; 3];
        for (index, ((limit, amount), over)) in self.high.iter().zip(amounts).zip(&mut over).enumerate() {
            // No room at all is exceeded by nothing already: the overhead leaves no tokens.
            *over = limit.is_some_and(|limit| limit <= 0.0 || amount > bound(limit, index));
        }
        Exceeded(over)
    }
}

/// How many newest results or images a rebase leaves: `lowWater` × n floored, at least one unless n is 0.
pub fn low_count(most: u64, low_water: f64) -> usize {
    if most == 0 {
        return 0;
    }
    ((most as f64 * low_water).floor() as usize).max(1)
}
