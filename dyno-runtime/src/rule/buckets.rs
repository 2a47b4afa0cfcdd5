//! The sets that contain the idempotency keys of a time window, and their turns. `idempotency` explains both.

use crate::attribute::time::EpochMillis;
use crate::capacity::TimeWindow;
use aws_sdk_dynamodb::primitives::Blob;

/// The numbers of the time buckets that matter to a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Buckets {
    /// The first bucket that an update searches.
    pub(super) first: i64,
    pub(super) current: i64,
    /// The last bucket that an update searches.
    pub(super) last: i64,
    /// The number of buckets before the first one that an update empties.
    pub(super) emptied: i64,
}

impl Buckets {
    pub(super) fn at(window: &TimeWindow, now: EpochMillis) -> Self {
        let [length, keep, skew] = [
            window.bucket_millis(),
            (u64::from(window.window_secs) + u64::from(window.max_skew_secs)) * 1000,
            u64::from(window.max_skew_secs) * 1000,
        ]
        .map(u64::cast_signed);
        let bucket = |millis: i64| millis.div_euclid(length);
        let now = now.get();
        Self {
            first: bucket(now.saturating_sub(keep)),
            current: bucket(now),
            last: bucket(now.saturating_add(skew)),
            emptied: window.sets().cast_signed() / 2,
        }
    }
}

/// Returns the name of a bucket's set.
pub(super) fn set_of(attributes: &'static [&'static str], window: &TimeWindow, bucket: i64) -> &'static str {
    let sets = window.sets().min(attributes.len() as u64).cast_signed();
    attributes[usize::try_from(bucket.rem_euclid(sets)).unwrap_or_default()]
}

/// Returns the bucket of this time and the name of its set.
pub(super) fn current(
    attributes: &'static [&'static str],
    window: &TimeWindow,
    now: EpochMillis,
) -> (i64, &'static str) {
    let current = Buckets::at(window, now).current;
    (current, set_of(attributes, window, current))
}

/// Returns the element that marks the turn of a set. It is longer than any key.
pub(super) fn turn(window: &TimeWindow, bucket: i64) -> Blob {
    let mut turn = vec![0; window.turn_bytes() as usize - 8];
    turn.extend(bucket.to_be_bytes());
    Blob::new(turn)
}

/// Returns the latest turn that a set is marked with.
pub(super) fn turn_of(window: &TimeWindow, set: &[Blob]) -> Option<i64> {
    let turns = set.iter().filter_map(|element| {
        let (zeros, bucket) = element.as_ref().split_last_chunk()?;
        // An element of another length is a key. A key of this length, from before `key_bytes` was changed, does not begin with
        // so many zeros.
        let is_turn = zeros.len() + 8 == window.turn_bytes() as usize && zeros.iter().all(|byte| *byte == 0);
        is_turn.then(|| i64::from_be_bytes(*bucket))
    });
    turns.max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    const NAMES: &[&str] = &[
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
        "20", "21", "22", "23", "24", "25",
    ];

    /// The sets of an item after some writes, with their turns.
    #[derive(Default)]
    struct Sets {
        sets: HashMap<&'static str, (i64, HashSet<u32>)>,
        writes: u32,
        replaced: u32,
    }

    impl Sets {
        fn write(&mut self, window: &TimeWindow, clock: i64, key: u32) -> bool {
            let Buckets { first, current, last, emptied } = Buckets::at(window, EpochMillis::new(clock));
            let set = |bucket| set_of(NAMES, window, bucket);
            let searched: HashSet<_> = (first..=last).map(set).collect();
            assert_eq!(Ok(searched.len()), usize::try_from(last - first + 1));
            assert!(searched.contains(set(current)));
            if searched.iter().any(|name| self.sets.get(name).is_some_and(|(_, keys)| keys.contains(&key))) {
                return false;
            }
            self.writes += 1;
            for bucket in first - emptied..first {
                assert!(!searched.contains(set(bucket)), "an emptied set is not searched");
                let turn = self.sets.remove(set(bucket)).map(|(turn, _)| turn);
                assert!(turn.is_none_or(|turn| turn <= bucket), "nobody is ahead there");
            }
            let (turn, keys) = self.sets.entry(set(current)).or_insert((current, HashSet::new()));
            if *turn != current {
                self.replaced += 1;
                assert!(*turn < current, "nobody is ahead here");
                (*turn, *keys) = (current, HashSet::new());
            }
            keys.insert(key);
            true
        }

        fn keys(&self) -> usize {
            self.sets.values().map(|(_, keys)| keys.len()).sum()
        }
    }

    /// Writers with skewed clocks, with idle times in between, who send each key again within the window.
    #[test]
    fn a_key_is_remembered_for_its_window_by_all_clocks_within_the_skew() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let window_secs = random.u32(1..40);
            let max_skew_secs = random.u32(0..=window_secs);
            let window = TimeWindow { window_secs, max_skew_secs, key_bytes: 16, body_bytes: 0 };
            let (length, skew) = (i64::from(window_secs) * 1000, i64::from(max_skew_secs) * 1000);
            let mut sets = Sets::default();
            let mut time = random.i64(0..10_000_000);
            let mut written: Vec<(i64, u32)> = Vec::new();
            let rate = 1000 / random.i64(1..20);
            for key in 0..1500 {
                time += if random.u8(..) == 0 { random.i64(0..4 * length) } else { rate };
                // Any two clocks differ by at most the skew.
                let clock = |random: &mut fastrand::Rng| time + random.i64(0..=skew);
                assert!(sets.write(&window, clock(&mut random), key), "seed {seed}: a new key");
                written.push((time, key));
                for _ in 0..2 {
                    let (at, key) = written[random.usize(written.len().saturating_sub(200)..written.len())];
                    if time - at <= length {
                        let again = sets.write(&window, clock(&mut random), key);
                        assert!(!again, "seed {seed}: {key} of {at} again at {time}");
                    }
                }
                // With a write each `rate`, there are as many keys as the arithmetic says, and those in flight at the edges.
                let rps = 1000_u64.div_ceil(rate.cast_unsigned());
                let most = window.most_keys(rps) + rps;
                assert!(sets.keys() as u64 <= most, "seed {seed}: {} keys, at most {most}", sets.keys());
            }
        }
    }

    #[test]
    fn at_a_steady_rate_the_number_of_keys_is_as_calculated() {
        for (window_secs, max_skew_secs) in [(300, 300), (300, 10), (60, 0), (7, 3)] {
            let window = TimeWindow { window_secs, max_skew_secs, key_bytes: 16, body_bytes: 0 };
            let mut sets = Sets::default();
            let mut most = 0;
            for key in 0..10 * window_secs * 10 {
                sets.write(&window, i64::from(key) * 100, key);
                most = most.max(sets.keys() as u64);
            }
            assert_eq!(sets.replaced, 0, "at a steady rate, one request is enough");
            let steady = window.keys(10);
            assert!((steady - steady / 20 - 10..=steady).contains(&most), "{window:?}: {most} of {steady}");
        }
    }

    /// At any distance between writes, each set contains the keys of one turn, and few writes replace a set.
    #[test]
    fn the_item_stays_small_at_any_interval_between_writes() {
        let window = TimeWindow { window_secs: 300, max_skew_secs: 300, key_bytes: 16, body_bytes: 0 };
        let turn = window.sets() * window.bucket_millis();
        let distances =
            (1..100).map(|tenths| tenths * window.bucket_millis() * 4 / 10).chain([turn, 2 * turn, 7 * turn]);
        let (mut writes, mut replaced) = (0, 0);
        for distance in distances {
            let mut sets = Sets::default();
            for key in 0..600 {
                sets.write(&window, i64::from(key) * distance.cast_signed(), key);
                assert!(sets.keys() as u64 <= window.most_keys(1).min(76 * window.sets()), "{distance} ms apart");
            }
            // At a distance within the emptied half, no set is replaced.
            assert!(distance > turn / 2 || sets.replaced == 0, "{distance} ms apart: {}", sets.replaced);
            writes += sets.writes;
            replaced += sets.replaced;
        }
        assert!(replaced * 10 < writes, "{replaced} of {writes}");
    }

    /// An update searches no more buckets than the declared skew requires.
    #[test]
    fn with_more_skew_than_declared_a_key_can_be_forgotten() {
        let window = TimeWindow { window_secs: 8, max_skew_secs: 2, key_bytes: 16, body_bytes: 0 };
        let forgotten = (0..2000).any(|start| {
            let mut sets = Sets::default();
            // A slow clock, and a fast one 3 s ahead of it.
            sets.write(&window, start, 0);
            sets.write(&window, start + 8_000 + 3_000 + 2_000, 1)
                && sets.write(&window, start + 8_000 + 3_000 + 2_000, 0)
        });
        assert!(forgotten);
    }
}
