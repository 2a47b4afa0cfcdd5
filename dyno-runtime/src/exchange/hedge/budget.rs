//! How many hedges may be sent.

use std::sync::{Mutex, PoisonError};

/// How many are saved at most.
const SAVED: f64 = 10.0;

/// A token bucket: each request pays its share in, and each hedge takes one.
#[derive(Debug)]
pub(super) struct Budget {
    share: f64,
    saved: Mutex<f64>,
}

impl Budget {
    pub(super) fn new(share: f64) -> Self {
        Self { share, saved: Mutex::new(SAVED) }
    }

    /// A request that may be hedged is sent.
    pub(super) fn earn(&self) {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        *saved = (*saved + self.share).min(SAVED);
    }

    /// Whether a hedge may be sent.
    pub(super) fn spend(&self) -> bool {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        // A hair less than one is one: shares are sums of fractions.
        let is_enough = *saved > 1.0 - 1e-9;
        if is_enough {
            *saved -= 1.0;
        }
        is_enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hedges_are_limited_to_a_share_of_the_requests_and_an_initial_reserve() {
        let budget = Budget::new(0.05);
        let sent = (0..1_000).filter(|_| {
            budget.earn();
            budget.spend()
        });
        assert_eq!(sent.count(), 10 + 50 - 1);
        let quiet = Budget::new(0.5);
        (0..1_000).for_each(|_| quiet.earn());
        assert_eq!((0..1_000).filter(|_| quiet.spend()).count(), 10);
    }
}
