//! The limit on the number of hedges.

use std::sync::{Mutex, PoisonError};

/// The most unused hedges that are saved for later.
const SAVED: f64 = 10.0;

/// A token bucket: each request adds a share of a token, and each hedge takes one token.
#[derive(Debug)]
pub(super) struct Budget {
    share: f64,
    saved: Mutex<f64>,
}

impl Budget {
    pub(super) fn new(share: f64) -> Self {
        Self { share, saved: Mutex::new(SAVED) }
    }

    /// Adds the share of a request that may be hedged.
    pub(super) fn earn(&self) {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        *saved = (*saved + self.share).min(SAVED);
    }

    /// Takes the token of a hedge, and returns `true`; or returns `false` if there is none.
    pub(super) fn spend(&self) -> bool {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        // The sum of the shares of a whole token can be slightly less than 1.
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
