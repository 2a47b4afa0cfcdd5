//! The latencies of requests, for each operation on each table.
//!
//! Each pair of an operation and its tables keeps the times of its last requests, so that a percentile adapts when latencies
//! change. An estimator in constant space (P²) would never forget old times, and would adapt more slowly the longer it has run. A
//! program can use any number of tables, for example one for each tenant, so only the pairs that were used last are kept.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The number of requests of a pair whose times are kept, in four bytes each.
const WINDOW: usize = 2000;
/// The number of times that must be known before a percentile is computed.
const ENOUGH: usize = 100;
/// The number of requests after which a percentile is computed again.
const STEP: usize = 25;
/// The number of pairs that are kept. With [`WINDOW`], they take 1 MB in all.
const PAIRS: usize = 128;

/// An operation and its tables.
pub(super) type LatencyKey = (&'static str, String);

#[derive(Debug, Default)]
pub(super) struct Latencies(Mutex<Pairs>);

#[derive(Debug, Default)]
struct Pairs {
    latencies: HashMap<LatencyKey, Latency>,
    /// The number of requests that were recorded, of all pairs.
    recorded: u64,
}

impl Latencies {
    /// Returns the time within which this share of the requests is answered, if enough times are known.
    pub(super) fn percentile(&self, key: &LatencyKey, percentile: f64) -> Option<Duration> {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.latencies.get_mut(key)?.percentile(percentile)
    }

    /// Records that a request took this time, or more.
    pub(super) fn record(&self, key: &LatencyKey, time: Duration) {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Pairs { latencies, recorded } = &mut *pairs;
        *recorded += 1;
        if !latencies.contains_key(key) {
            if latencies.len() >= PAIRS {
                let oldest = latencies.iter().min_by_key(|(_, latency)| latency.last_used).map(|(key, _)| key.clone());
                oldest.and_then(|oldest| latencies.remove(&oldest));
            }
            latencies.insert(key.clone(), Latency::default());
        }
        if let Some(latency) = latencies.get_mut(key) {
            latency.record(time, *recorded);
        }
    }
}

/// The times of the last requests of one pair.
#[derive(Debug, Default)]
struct Latency {
    /// The time of each in microseconds, the last one last.
    micros: VecDeque<u32>,
    /// The number of requests since the percentile was computed.
    since: usize,
    /// The number of the last request, counted over all pairs.
    last_used: u64,
    /// The percentile that was computed last, and its time.
    known: Option<(f64, Duration)>,
}

impl Latency {
    fn record(&mut self, time: Duration, number: u64) {
        if self.micros.len() >= WINDOW {
            self.micros.pop_front();
        }
        self.micros.push_back(time.as_micros().try_into().unwrap_or(u32::MAX));
        self.last_used = number;
        self.since += 1;
        if self.since >= STEP {
            self.known = None;
        }
    }

    fn percentile(&mut self, percentile: f64) -> Option<Duration> {
        if let Some((_, known)) = self.known.filter(|(of, _)| of.total_cmp(&percentile).is_eq()) {
            return Some(known);
        }
        if self.micros.len() < ENOUGH {
            return None;
        }
        let mut micros: Vec<u32> = self.micros.iter().copied().collect();
        micros.sort_unstable();
        let share = percentile * f64::from(u32::try_from(micros.len()).unwrap_or(u32::MAX));
        // The shortest time that at least this share of the requests did not exceed.
        let (micros, _) = micros.into_iter().zip(1_u32..).find(|(_, rank)| f64::from(*rank) >= share)?;
        let known = Duration::from_micros(micros.into());
        (self.known, self.since) = (Some((percentile, known)), 0);
        Some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latencies_of_10000_tables_take_bounded_memory() {
        let latencies = Latencies::default();
        let of = |table: usize| ("GetItem", format!("tenant-{table}"));
        for table in 0..10_000 {
            latencies.record(&of(table), Duration::from_millis(7));
        }
        assert_eq!(latencies.0.lock().expect("no panic").latencies.len(), PAIRS);
        // A pair that is in use is kept, however many other pairs are used once.
        for table in 0..10_000 {
            latencies.record(&of(0), Duration::from_millis(9));
            latencies.record(&of(table), Duration::from_millis(7));
        }
        assert_eq!(latencies.percentile(&of(0), 0.5), Some(Duration::from_millis(9)));
        assert_eq!(latencies.percentile(&of(1), 0.5), None);
    }

    #[test]
    fn a_percentile_covers_the_last_requests_of_one_operation_on_one_table() {
        let latencies = Latencies::default();
        let of = ("GetItem", "ratings".to_owned());
        let known = |of: &LatencyKey| latencies.percentile(of, 0.95).map(|time| time.as_millis());
        (1..100).for_each(|millis| latencies.record(&of, Duration::from_millis(millis)));
        assert_eq!(known(&of), None);
        latencies.record(&of, Duration::from_millis(100));
        assert_eq!(known(&of), Some(95), "a hundred are enough");
        assert_eq!(known(&("GetItem", "others".to_owned())), None);
        assert_eq!(known(&("PutItem", "ratings".to_owned())), None);
        (0..2_100).for_each(|_| latencies.record(&of, Duration::from_millis(7)));
        assert_eq!(known(&of), Some(7));
        latencies.record(&of, Duration::from_mins(10));
        assert_eq!(known(&of), Some(7));
    }
}
