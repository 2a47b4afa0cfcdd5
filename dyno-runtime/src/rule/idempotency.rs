//! Idempotency: the item remembers the keys of the updates that were made to it. So an update that arrives again, from a
//! redelivered message or after a lost answer, is made once.
//!
//! With a window of *time*, keys are in binary sets, one for each time bucket, and the names of the sets are reused in turn. In
//! one request, an update adds its key to the set of its own time, searches every set that can still contain the key, and
//! empties the sets that no update searches any more. With a window W, clocks that differ by up to S, and buckets of length L:
//!
//! - A key that was written at the clock time a can arrive again when a clock shows anything from a - S to a + W + S. So an
//!   update searches the buckets from (now - W - S) / L to (now + S) / L.
//! - Earlier buckets contain no key that must be remembered: even by the slowest clock, they are older than the window. They
//!   have as many names as the searched buckets, and these names come into use next, so each update empties them. A writer with
//!   a faster clock therefore cannot be adding to a set that is emptied.
//! - After a longer idle time, a name can come into use whose set still contains keys of an earlier turn. If updates only added
//!   to this set, and kept coming at the same distance, it would never be emptied. So each set also contains the number of its
//!   turn, and the first update of a new turn replaces the set. Only then does an update take a second request.
//!
//! A request that arrives late, after its time was taken, is like a request from a slow clock. S covers both together, and
//! nothing is sent later than S.
//!
//! (The article on idempotency keeps a list of keys, and drops the first with `DELETE #h[0]`, which is a syntax error. A list of
//! a fixed length, here the window by *count*, forgets keys early if more updates come than the length was chosen for.)

use super::buckets::{Buckets, current, set_of, turn, turn_of};
use super::write::Rule;
use super::{Phase, Write};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{EncodeError, Step, descriptor};
use crate::expression::{Action, Node, Operator, Path};
use crate::rule::Reason;
use crate::schema::{Idempotency, Keys, Store};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use sha2::{Digest as _, Sha256};

impl Keys {
    /// Returns the stored form of this key.
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

/// An index beyond the end of every list. DynamoDB appends a value that is set there.
const BEYOND_THE_END: usize = 99_999;

impl Idempotency {
    /// Returns the attributes that an update searches: the sets or the list that can contain a key that must be remembered.
    fn searched(&self, now: EpochMillis) -> Vec<&'static str> {
        match &self.store {
            Store::Time { window, attributes } => {
                let Buckets { first, last, .. } = Buckets::at(window, now);
                (first..=last).map(|bucket| set_of(attributes, window, bucket)).collect()
            }
            Store::Count { attribute, .. } => vec![attribute],
            Store::Row { .. } => Vec::new(),
        }
    }

    /// Returns `true` if the item remembers this key.
    fn remembers(&self, key: &Blob, now: EpochMillis, item: &Item) -> bool {
        let is_key = |element: &AttributeValue| matches!(element, AttributeValue::B(bytes) if bytes == key);
        self.searched(now).into_iter().any(|name| match item.get(name) {
            Some(AttributeValue::Bs(keys)) => keys.contains(key),
            Some(AttributeValue::L(keys)) => keys.iter().any(is_key),
            _ => false,
        })
    }

    /// Returns the phase of the keys in the item, if the write assumed the other one.
    pub(crate) fn other_phase(&self, write: &Write, item: Option<&Item>) -> Option<Phase> {
        write.dedup.key.as_ref()?;
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
        (phase != write.dedup.phase).then_some(phase)
    }

    /// Returns the reason why the write cannot add its key to the attribute, if there is one.
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
        let key = write.dedup.key.as_ref()?;
        let key = AttributeValue::B(key.clone());
        let searched = self.searched(write.now).into_iter();
        let mut terms: Vec<Node> = searched.map(|name| Node::Contains(name.into(), key.clone()).not()).collect();
        match &self.store {
            Store::Time { window, attributes } => {
                let (current, attribute) = current(attributes, window, write.now);
                let set = Path::from(attribute);
                let is_of_this_turn = Node::Contains(set.clone(), AttributeValue::B(turn(window, current)));
                terms.push(match write.dedup.phase {
                    Phase::Adding => Node::Or(vec![Node::NotExists(set), is_of_this_turn]),
                    Phase::Replacing => is_of_this_turn.not(),
                });
            }
            Store::Count { attribute, keys } => {
                let list = Path::from(*attribute);
                let size = |operator| Node::CompareSize(list.clone(), operator, AttributeValue::N(keys.to_string()));
                terms.push(match write.dedup.phase {
                    Phase::Adding => Node::Or(vec![Node::NotExists(list.clone()), size(Operator::Lt)]),
                    Phase::Replacing => size(Operator::Ge),
                });
            }
            Store::Row { .. } => {}
        }
        Node::all(terms)
    }

    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        let Some(key) = write.dedup.key.clone() else { return };
        match &self.store {
            Store::Time { window, attributes } => {
                let Buckets { first, current, emptied, .. } = Buckets::at(window, write.now);
                let set = |bucket| set_of(attributes, window, bucket).into();
                // Store the key in the set of the current bucket.
                let keys = AttributeValue::Bs(vec![turn(window, current), key]);
                assign(
                    set(current),
                    match write.dedup.phase {
                        Phase::Adding => Action::Add(keys),
                        Phase::Replacing => Action::Set(keys),
                    },
                );
                // Remove the sets of buckets that no update looks at any more.
                for bucket in first.saturating_sub(emptied)..first {
                    assign(set(bucket), Action::Remove);
                }
            }
            Store::Count { attribute, .. } => {
                let key = AttributeValue::B(key);
                let list = Path::from(*attribute);
                // A list that is not full grows. A full one loses its oldest key.
                match write.dedup.phase {
                    Phase::Adding => {
                        let (list, absent) = (AttributeValue::L(vec![key]), AttributeValue::L(Vec::new()));
                        assign((*attribute).into(), Action::Append { list, absent });
                    }
                    Phase::Replacing => {
                        assign(list.then(Step::Index(BEYOND_THE_END)), Action::Set(key));
                        assign(list.then(Step::Index(0)), Action::Remove);
                    }
                }
            }
            Store::Row { .. } => {}
        }
    }

    fn refused(&self, write: &Write, item: Option<&Item>, reasons: &mut Vec<Reason>) {
        let Some(key) = &write.dedup.key else { return };
        if write.dedup.has_row || item.is_some_and(|item| self.remembers(key, write.now, item)) {
            reasons.push(Reason::Duplicate);
        }
        reasons.extend(item.and_then(|item| self.fault(write, item)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hashed_or_stored_raw_up_to_their_limit() {
        let hashed = Keys::Hashed(16).of(b"order-1").expect("a key");
        assert_eq!(hashed.as_ref().len(), 16);
        assert_eq!(hashed, Keys::Hashed(16).of(b"order-1").expect("a key"));
        assert_ne!(hashed, Keys::Hashed(16).of(b"order-2").expect("a key"));
        for most in [7, 8] {
            assert_eq!(Keys::Raw(most).of(b"order-1").expect("a key").as_ref(), b"order-1");
        }
        assert!(Keys::Raw(6).of(b"order-1").expect_err("too long").to_string().contains("7 bytes"));
        assert!(Keys::Raw(6).of(b"").is_err() && Keys::Hashed(16).of(b"").is_err());
    }
}
