//! How long requests take: of each operation on each table.
//!
//! A histogram of the last thousand, and of the thousand before: what was long ago is forgotten. An estimator in constant space
//! (P²) never forgets, and follows a change the more slowly the longer it has run.

use hdrhistogram::Histogram;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How many requests a histogram has.
const WINDOW: u64 = 1000;
/// How many must be known before a percentile is one.
const ENOUGH: u64 = 100;
/// After how many it is taken anew.
const STEP: u64 = 25;
/// The longest time that is told apart, in microseconds.
const LONGEST: u64 = 60_000_000;

/// The operation, and its tables.
pub(super) type Of = (&'static str, String);

#[derive(Debug, Default)]
pub(super) struct Latencies(Mutex<HashMap<Of, Latency>>);

impl Latencies {
    /// How long this share of the requests takes, where that is known.
    pub(super) fn percentile(&self, of: &Of, percentile: f64) -> Option<Duration> {
        let mut latencies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        latencies.get_mut(of)?.percentile(percentile)
    }

    /// A request has taken this time, at least.
    pub(super) fn record(&self, of: &Of, time: Duration) {
        let mut latencies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match latencies.get_mut(of) {
            Some(latency) => latency.record(time),
            None => latencies.extend(Latency::new().map(|mut latency| {
                latency.record(time);
                (of.clone(), latency)
            })),
        }
    }
}

#[derive(Debug)]
struct Latency {
    recent: Histogram<u32>,
    before: Histogram<u32>,
    /// The percentile that was asked for last, and how long it is.
    known: Option<(f64, Duration)>,
}

impl Latency {
    fn new() -> Option<Self> {
        let histogram = || Histogram::new_with_bounds(1, LONGEST, 2).ok();
        Some(Self { recent: histogram()?, before: histogram()?, known: None })
    }

    fn record(&mut self, time: Duration) {
        if self.recent.len() == WINDOW {
            std::mem::swap(&mut self.recent, &mut self.before);
            self.recent.reset();
        }
        self.recent.saturating_record(u64::try_from(time.as_micros()).unwrap_or(LONGEST));
        if self.recent.len().is_multiple_of(STEP) {
            self.known = None;
        }
    }

    fn percentile(&mut self, percentile: f64) -> Option<Duration> {
        if let Some((_, known)) = self.known.filter(|(of, _)| of.total_cmp(&percentile).is_eq()) {
            return Some(known);
        }
        if self.recent.len() + self.before.len() < ENOUGH {
            return None;
        }
        let mut both = self.recent.clone();
        both.add(&self.before).ok()?;
        let known = Duration::from_micros(both.value_at_quantile(percentile));
        self.known = Some((percentile, known));
        Some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_of_the_last_requests_and_of_one_operation_on_one_table() {
        let latencies = Latencies::default();
        let of = ("GetItem", "ratings".to_owned());
        let known = |of: &Of| latencies.percentile(of, 0.95).map(|time| time.as_millis());
        (1..100).for_each(|millis| latencies.record(&of, Duration::from_millis(millis)));
        assert_eq!(known(&of), None);
        latencies.record(&of, Duration::from_millis(100));
        // Two digits are told apart.
        assert!((94..=96).contains(&known(&of).expect("a hundred are enough")));
        assert_eq!(known(&("GetItem", "others".to_owned())), None);
        assert_eq!(known(&("PutItem", "ratings".to_owned())), None);
        (0..2_100).for_each(|_| latencies.record(&of, Duration::from_millis(7)));
        assert_eq!(known(&of), Some(7));
        latencies.record(&of, Duration::from_mins(10));
        assert_eq!(known(&of), Some(7));
    }
}
