//! What reported usage says of the estimate (SEMANTICS §2): `input = overhead + ratio × estimate`.

use serde::{Deserialize, Serialize};

/// Estimates at least so far apart tell a ratio.
const LEAST_APART: f64 = 1_000.0;
/// The bounds of a ratio.
const RATIOS: (f64, f64) = (0.5, 2.0);

/// Reports of usage, folded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Real tokens to an estimated one.
    pub ratio: f64,
    /// Tokens of each prompt that are no history.
    pub overhead_tokens: f64,
    /// How many reports there were.
    pub reports: u32,
    /// The newest report that a later one may be compared with: estimate and tokens.
    pub last: Option<(f64, f64)>,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            ratio: 1.0,
            overhead_tokens: 0.0,
            reports: 0,
            last: None,
        }
    }
}

impl Usage {
    /// Takes a report in.
    pub fn report(&mut self, input: f64, estimated: f64) {
        match self.last {
            Some((before, tokens)) if (estimated - before).abs() >= LEAST_APART => {
                let ratio = (input - tokens) / (estimated - before);
                self.ratio = ratio.clamp(RATIOS.0, RATIOS.1);
                self.last = Some((estimated, input));
            }
            None => self.last = Some((estimated, input)),
            Some(_) => {}
        }
        self.overhead_tokens = (input - self.ratio * estimated).max(0.0).round();
        self.reports += 1;
    }

    /// What was counted before a compaction tells nothing of what comes after it.
    pub fn void(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_reports_tell_ratio_and_overhead() {
        let mut usage = Usage::default();
        usage.report(5_100.0, 2_000.0);
        assert_eq!((usage.ratio, usage.overhead_tokens), (1.0, 3_100.0));
        usage.report(5_200.0, 2_100.0);
        assert_eq!(usage.ratio, 1.0, "too near");
        usage.report(3_000.0 + 1.2 * 10_000.0, 10_000.0);
        assert!((usage.ratio - 1.237_5).abs() < 1e-9, "{}", usage.ratio);
        let mut wild = Usage::default();
        wild.report(10.0, 10.0);
        wild.report(100_000.0, 2_000.0);
        assert_eq!(wild.ratio, 2.0);
        wild.void();
        wild.report(1_000.0, 9_000.0);
        assert_eq!((wild.ratio, wild.overhead_tokens), (2.0, 0.0));
    }
}
