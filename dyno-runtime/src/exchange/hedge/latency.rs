//! How long requests take: of each operation on each table.
//!
//! Each pair of an operation and its tables keeps the times of its last requests, so that a percentile follows a change and
//! forgets the past. An estimator in constant space (P²) never forgets, and follows a change the more slowly the longer it has
//! run. A program can use any number of tables, as with one for each tenant: the pairs that were used last are kept.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How many requests of a pair are remembered: four bytes each.
const WINDOW: usize = 2000;
/// How many must be known before a percentile is one.
const ENOUGH: usize = 100;
/// After how many requests the percentile is computed anew.
const STEP: usize = 25;
/// How many pairs are remembered: with [`WINDOW`], one megabyte in all.
const PAIRS: usize = 128;

/// The operation, and its tables.
pub(super) type Of = (&'static str, String);

#[derive(Debug, Default)]
pub(super) struct Latencies(Mutex<Pairs>);

#[derive(Debug, Default)]
struct Pairs {
    latencies: HashMap<Of, Latency>,
    /// How many requests were recorded, of all pairs.
    recorded: u64,
}

impl Latencies {
    /// How long this share of the requests takes, where that is known.
    pub(super) fn percentile(&self, of: &Of, percentile: f64) -> Option<Duration> {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.latencies.get_mut(of)?.percentile(percentile)
    }

    /// A request has taken this time, at least.
    pub(super) fn record(&self, of: &Of, time: Duration) {
        let mut pairs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Pairs { latencies, recorded } = &mut *pairs;
        *recorded += 1;
        if !latencies.contains_key(of) {
            if latencies.len() >= PAIRS {
                let oldest = latencies.iter().min_by_key(|(_, latency)| latency.used).map(|(of, _)| of.clone());
                oldest.and_then(|oldest| latencies.remove(&oldest));
            }
            latencies.insert(of.clone(), Latency::default());
        }
        if let Some(latency) = latencies.get_mut(of) {
            latency.record(time, *recorded);
        }
    }
}

/// The last requests of one pair.
#[derive(Debug, Default)]
struct Latency {
    /// How many microseconds each took.
    micros: VecDeque<u32>,
    /// How many were recorded since the percentile was computed.
    since: usize,
    /// The number of the last one among the requests of all pairs.
    used: u64,
    /// The percentile that was asked for last, and how long it is.
    known: Option<(f64, Duration)>,
}

impl Latency {
    fn record(&mut self, time: Duration, number: u64) {
        if self.micros.len() >= WINDOW {
            self.micros.pop_front();
        }
        self.micros.push_back(time.as_micros().try_into().unwrap_or(u32::MAX));
        self.used = number;
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
        // The first that has this share at or below it.
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
        // A pair that is in use stays, however many others come and go.
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
        let known = |of: &Of| latencies.percentile(of, 0.95).map(|time| time.as_millis());
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
