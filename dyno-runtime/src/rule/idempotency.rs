//! Idempotency: the item remembers the keys of the updates that were made to it, so that an update which comes again, from
//! a redelivered message or after a lost answer, is made once.
//!
//! In a window of *time*, keys are in binary sets, one for each bucket of time, whose names are used in turn. An update
//! adds its key to the set of its own time, looks for it in every set that can still hold it, and empties those that
//! nobody looks in any more: one request, at any rate. With a window W, clocks that differ by up to S, and buckets of L:
//!
//! - A key that was written at the clock a can come again when a clock shows anything from a - S to a + W + S. So it is
//!   looked for in the buckets from (now - W - S) / L to (now + S) / L.
//! - The buckets before those hold nothing that anybody has to remember: even on the slowest clock, it is longer ago than
//!   the window. There are as many names for them as for the others, and they are the names that come into use next: each
//!   update empties them. So no name is emptied that a faster clock can be writing to.
//! - After a longer idle time, a name can come into use that still holds keys of an earlier turn. Added to, it would never
//!   be emptied if updates kept coming at the same distance. So each set also holds the number of its turn, and the first
//!   update of a new one replaces it: then, and only then, an update takes a second request.
//!
//! A request that arrives late, after its time was taken, is as one from a clock that is behind: S covers both together, and
//! nothing is sent later than S.
//!
//! (The article on idempotency keeps a list of keys, and drops the first with `DELETE #h[0]`, which is a syntax error;
//! a list of a fixed length, here the window by *count*, forgets early when more updates come than it was made for.)

use super::write::Rule;
use super::{Phase, Write};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::capacity::TimeWindow;
use crate::error::{EncodeError, Step, descriptor};
use crate::expression::{Action, Node, Operator, Path};
use crate::rule::Reason;
use crate::schema::{Idempotency, Keys, Store};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use sha2::{Digest as _, Sha256};

impl Keys {
    /// What is kept of this key.
    pub(crate) fn of(self, key: &[u8]) -> Result<Blob, EncodeError> {
        match self {
            _ if key.is_empty() => Err(EncodeError::new("an idempotency key cannot be empty")),
            Self::Hashed(bytes) => Ok(Blob::new(&Sha256::digest(key)[..bytes])),
            Self::Raw(bytes) if key.len() > bytes => Err(EncodeError::new(format!(
                "the idempotency key has {} bytes, but `key_bytes` says at most {bytes}: raise that, or leave `raw` out to keep hashes",
                key.len()
            ))),
            Self::Raw(_) => Ok(Blob::new(key)),
        }
    }
}

/// An index behind the end of every list: what is set there is appended.
const BEHIND_THE_END: usize = 99_999;

/// The buckets of time that matter to a write, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Buckets {
    /// The first that a key can be in.
    first: i64,
    current: i64,
    last: i64,
    /// How many before the first are emptied.
    emptied: i64,
}

impl Buckets {
    fn at(window: &TimeWindow, now: EpochMillis) -> Self {
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

/// The name of the set of a bucket.
fn set_of(attributes: &'static [&'static str], window: &TimeWindow, bucket: i64) -> &'static str {
    let sets = window.sets().min(attributes.len() as u64).cast_signed();
    attributes[usize::try_from(bucket.rem_euclid(sets)).unwrap_or_default()]
}

/// The bucket of this time, and the name of its set.
fn current(attributes: &'static [&'static str], window: &TimeWindow, now: EpochMillis) -> (i64, &'static str) {
    let current = Buckets::at(window, now).current;
    (current, set_of(attributes, window, current))
}

/// What says, among the keys of a set, which turn they are of: no key is as long.
fn turn(window: &TimeWindow, bucket: i64) -> Blob {
    let mut turn = vec![0; window.turn_bytes() as usize - 8];
    turn.extend(bucket.to_be_bytes());
    Blob::new(turn)
}

/// The last turn that a set is of.
fn turn_of(window: &TimeWindow, set: &[Blob]) -> Option<i64> {
    let turns = set.iter().filter_map(|element| {
        let (zeros, bucket) = element.as_ref().split_last_chunk()?;
        // Of another length, it is a key; one of before `key_bytes` was changed does not begin like this.
        let is_turn = zeros.len() + 8 == window.turn_bytes() as usize && zeros.iter().all(|byte| *byte == 0);
        is_turn.then(|| i64::from_be_bytes(*bucket))
    });
    turns.max()
}

impl Idempotency {
    /// The sets or the list that a key can be in that is still to be remembered.
    fn looked_in(&self, now: EpochMillis) -> Vec<&'static str> {
        match &self.store {
            Store::Time { window, attributes } => {
                let Buckets { first, last, .. } = Buckets::at(window, now);
                (first..=last).map(|bucket| set_of(attributes, window, bucket)).collect()
            }
            Store::Count { attribute, .. } => vec![attribute],
            Store::Row { .. } => Vec::new(),
        }
    }

    /// Whether the item remembers this key.
    fn remembers(&self, key: &Blob, now: EpochMillis, item: &Item) -> bool {
        let is_key = |element: &AttributeValue| matches!(element, AttributeValue::B(bytes) if bytes == key);
        self.looked_in(now).into_iter().any(|name| match item.get(name) {
            Some(AttributeValue::Bs(keys)) => keys.contains(key),
            Some(AttributeValue::L(keys)) => keys.iter().any(is_key),
            _ => false,
        })
    }

    /// The phase that the item is in, if the write took it to be in the other one.
    pub(crate) fn other_phase(&self, write: &Write, item: Option<&Item>) -> Option<Phase> {
        write.key.as_ref()?;
        let is_adding = match &self.store {
            Store::Time { window, attributes } => {
                let (current, attribute) = current(attributes, window, write.now);
                match item.and_then(|item| item.get(attribute)) {
                    Some(AttributeValue::Bs(set)) => turn_of(window, set) == Some(current),
                    _ => true,
                }
            }
            Store::Count { attribute, keys } => match item.and_then(|item| item.get(*attribute)) {
                Some(AttributeValue::L(list)) => list.len() < *keys as usize,
                _ => true,
            },
            Store::Row { .. } => return None,
        };
        let phase = if is_adding { Phase::Adding } else { Phase::Replacing };
        (phase != write.phase).then_some(phase)
    }

    /// What is wrong with the attribute that the write would change, if anything is.
    fn fault(&self, write: &Write, item: &Item) -> Option<Reason> {
        match &self.store {
            Store::Time { window, attributes } => {
                let (current, attribute) = current(attributes, window, write.now);
                match item.get(attribute)? {
                    AttributeValue::Bs(set) => {
                        let behind = turn_of(window, set)?.saturating_sub(current);
                        let seconds = behind.saturating_mul(window.bucket_millis().cast_signed()) / 1000;
                        (behind > 0).then_some(Reason::Behind { seconds })
                    }
                    found => {
                        Some(Reason::Corrupt { attribute, expected: "a set of bytes (BS)", found: descriptor(found) })
                    }
                }
            }
            Store::Count { attribute, .. } => match item.get(*attribute)? {
                AttributeValue::L(_) => None,
                found => Some(Reason::Corrupt { attribute, expected: "a list (L)", found: descriptor(found) }),
            },
            Store::Row { .. } => None,
        }
    }
}

impl Rule for Idempotency {
    fn condition(&self, write: &Write) -> Option<Node> {
        let key = write.key.as_ref()?;
        let key = AttributeValue::B(key.clone());
        let looked_in = self.looked_in(write.now).into_iter();
        let mut terms: Vec<Node> = looked_in.map(|name| Node::Contains(name.into(), key.clone()).not()).collect();
        match &self.store {
            Store::Time { window, attributes } => {
                let (current, attribute) = current(attributes, window, write.now);
                let set = Path::from(attribute);
                let is_of_this_turn = Node::Contains(set.clone(), AttributeValue::B(turn(window, current)));
                terms.push(match write.phase {
                    Phase::Adding => Node::Or(vec![Node::NotExists(set), is_of_this_turn]),
                    Phase::Replacing => is_of_this_turn.not(),
                });
            }
            Store::Count { attribute, keys } => {
                let list = Path::from(*attribute);
                let size = |operator| Node::CompareSize(list.clone(), operator, AttributeValue::N(keys.to_string()));
                terms.push(match write.phase {
                    Phase::Adding => Node::Or(vec![Node::NotExists(list.clone()), size(Operator::Lt)]),
                    Phase::Replacing => size(Operator::Ge),
                });
            }
            Store::Row { .. } => {}
        }
        Node::all(terms)
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        let Some(key) = write.key.clone() else { return };
        match &self.store {
            Store::Time { window, attributes } => {
                let Buckets { first, current, emptied, .. } = Buckets::at(window, write.now);
                let set = |bucket| set_of(attributes, window, bucket).into();
                let keys = AttributeValue::Bs(vec![turn(window, current), key]);
                assign(
                    set(current),
                    match write.phase {
                        Phase::Adding => Action::Add(keys),
                        Phase::Replacing => Action::Set(keys),
                    },
                );
                for bucket in first.saturating_sub(emptied)..first {
                    assign(set(bucket), Action::Remove);
                }
            }
            Store::Count { attribute, .. } => {
                let key = AttributeValue::B(key);
                let list = Path::from(*attribute);
                match write.phase {
                    Phase::Adding => {
                        let (list, absent) = (AttributeValue::L(vec![key]), AttributeValue::L(Vec::new()));
                        assign((*attribute).into(), Action::Append { list, absent });
                    }
                    Phase::Replacing => {
                        assign(list.then(Step::Index(BEHIND_THE_END)), Action::Set(key));
                        assign(list.then(Step::Index(0)), Action::Remove);
                    }
                }
            }
            Store::Row { .. } => {}
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let Some(key) = &write.key else { return };
        if write.is_known || item.is_some_and(|item| self.remembers(key, write.now, item)) {
            reasons.push(Reason::Duplicate);
        }
        reasons.extend(item.and_then(|item| self.fault(write, item)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    const NAMES: &[&str] = &[
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
        "20", "21", "22", "23", "24", "25",
    ];

    /// The sets of an item, as the writes leave them, with their turns.
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
            let looked_in: HashSet<_> = (first..=last).map(set).collect();
            assert_eq!(Ok(looked_in.len()), usize::try_from(last - first + 1));
            assert!(looked_in.contains(set(current)));
            if looked_in.iter().any(|name| self.sets.get(name).is_some_and(|(_, keys)| keys.contains(&key))) {
                return false;
            }
            self.writes += 1;
            for bucket in first - emptied..first {
                assert!(!looked_in.contains(set(bucket)), "what is emptied is not looked in");
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

    /// Writers with clocks that are off, gaps in between, and every key again within the window.
    #[test]
    fn a_key_is_remembered_for_a_window_whatever_the_clocks_within_the_skew() {
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
                // Any two differ by at most the skew.
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
                // A write each `rate`: as many keys as the arithmetic says, and those in flight at the edges.
                let rps = 1000_u64.div_ceil(rate.cast_unsigned());
                let most = window.most_keys(rps) + rps;
                assert!(sets.keys() as u64 <= most, "seed {seed}: {} keys, at most {most}", sets.keys());
            }
        }
    }

    #[test]
    fn at_a_steady_rate_there_are_as_many_keys_as_the_arithmetic_says() {
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

    /// However far apart the writes are, each name holds the keys of one turn, and few have to be replaced.
    #[test]
    fn at_any_distance_the_item_stays_small() {
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
            // Within the emptied half, none is.
            assert!(distance > turn / 2 || sets.replaced == 0, "{distance} ms apart: {}", sets.replaced);
            writes += sets.writes;
            replaced += sets.replaced;
        }
        assert!(replaced * 10 < writes, "{replaced} of {writes}");
    }

    /// With clocks that differ by more than was declared, the promise does not hold: the bound is no larger than it need be.
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

    #[test]
    fn keys_are_hashed_or_raw() {
        let hashed = Keys::Hashed(16).of(b"order-1").expect("a key");
        assert_eq!(hashed.as_ref().len(), 16);
        assert_eq!(hashed, Keys::Hashed(16).of(b"order-1").expect("a key"));
        assert_ne!(hashed, Keys::Hashed(16).of(b"order-2").expect("a key"));
        assert_eq!(Keys::Raw(8).of(b"order-1").expect("a key").as_ref(), b"order-1");
        assert!(Keys::Raw(6).of(b"order-1").expect_err("too long").to_string().contains("7 bytes"));
        assert!(Keys::Raw(6).of(b"").is_err() && Keys::Hashed(16).of(b"").is_err());
    }
}
