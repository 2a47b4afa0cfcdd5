//! The transaction ID: the name of one transaction attempt. It consists of the lane, a number on that lane, and random bits.

use crate::error::Error;
use crate::exchange::repository::random;
use std::fmt;

/// The count of numbers in an epoch. All attempts of one owner of a lane have numbers of the same epoch.
const EPOCH: u64 = 1_000_000_000_000;

/// The ID of one transaction attempt, as text `lane/born/number/nonce`.
///
/// A number alone is not unique (M1). After a snapshot or a fork, two processes have the same memory and can give the same number
/// to two attempts. And two lane tables have lanes of the same names (M2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TransactionId {
    /// The name of the lane.
    pub(crate) lane: String,
    /// The birth mark of the lane.
    pub(crate) born: String,
    pub(crate) number: u64,
    /// Random bits, drawn for each attempt.
    pub(crate) nonce: String,
}

impl TransactionId {
    /// Parses the text of a transaction ID.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let mut part = || parts.next().filter(|part| !part.is_empty()).map(str::to_owned);
        let (lane, born, number, nonce) = (part()?, part()?, part()?, part()?);
        let number: u64 = number.parse().ok()?;
        let transaction_id = Self { lane, born, number, nonce };
        (number > 0 && transaction_id.to_string() == text).then_some(transaction_id)
    }
}

impl fmt::Display for TransactionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lane, born, number, nonce } = self;
        write!(f, "{lane}/{born}/{number}/{nonce}")
    }
}

/// Returns 48 random bits, for a new lane, an owner or an attempt.
pub(crate) fn random_mark() -> Result<String, Error> {
    Ok(format!("~{}", random::text::<6>()?.replace('/', "-")))
}

/// Returns the epoch of a number.
pub(crate) fn epoch(number: u64) -> u64 {
    number / EPOCH
}

/// Returns the first number of the next epoch.
pub(crate) fn end_of_epoch(number: u64) -> u64 {
    (epoch(number) + 1).saturating_mul(EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_id_round_trips_through_its_text() {
        let transaction_id = TransactionId {
            lane: "17".to_owned(),
            born: "b+Z-".to_owned(),
            number: 3 * EPOCH + 4,
            nonce: "n".to_owned(),
        };
        assert_eq!(TransactionId::parse(&transaction_id.to_string()), Some(transaction_id));
        for text in
            ["", "17/b/1", "17/b/1/n/m", "17//1/n", "17/b/0/n", "17/b/01/n", "17/b/-1/n", "17/b/1e3/n", "17/b/1/"]
        {
            assert_eq!(TransactionId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_random_mark_is_a_valid_part_of_a_transaction_id() {
        for _ in 0..100 {
            let mark = random_mark().expect("random bits");
            assert!(mark.len() == 9 && !mark.contains('/'), "{mark}");
        }
    }

    #[test]
    fn an_epoch_ends_where_the_next_begins() {
        assert_eq!([0, 1, EPOCH - 1, EPOCH, EPOCH + 1].map(end_of_epoch), [EPOCH, EPOCH, EPOCH, 2 * EPOCH, 2 * EPOCH]);
        assert_eq!(end_of_epoch(u64::MAX), u64::MAX);
    }
}
