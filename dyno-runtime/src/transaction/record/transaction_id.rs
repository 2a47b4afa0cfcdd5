//! The name of one try of a transaction: the lane that it is on, its number there, and bits of its own.

use crate::error::Error;
use crate::exchange::random;
use std::fmt;

/// The numbers of an epoch: as long as one process owns a lane, its tickets have numbers of one epoch.
const EPOCH: u64 = 1_000_000_000_000;

/// One try of a transaction.
///
/// Its number alone is no name (M1): two processes can have one memory, after a snapshot or a fork, and give the same number to two
/// tries. And lanes of two lane tables have the same names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// The name of the lane.
    pub(crate) lane: String,
    /// What the lane was given when it was made.
    pub(crate) born: String,
    pub(crate) number: u64,
    /// Drawn for each try.
    pub(crate) nonce: String,
}

impl Ticket {
    /// The ticket that a text names, if it names one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let mut part = || parts.next().filter(|part| !part.is_empty()).map(str::to_owned);
        let (lane, born, number, nonce) = (part()?, part()?, part()?, part()?);
        let number: u64 = number.parse().ok()?;
        let ticket = Self { lane, born, number, nonce };
        (number > 0 && ticket.to_string() == text).then_some(ticket)
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lane, born, number, nonce } = self;
        write!(f, "{lane}/{born}/{number}/{nonce}")
    }
}

/// 48 bits that nothing else has, for a lane that is made, an owner of it, or a try.
pub(crate) fn mark() -> Result<String, Error> {
    Ok(format!("~{}", random::text::<6>()?.replace('/', "-")))
}

/// The epoch that a number is of.
pub(crate) fn epoch(number: u64) -> u64 {
    number / EPOCH
}

/// What no number of this epoch reaches, and those of the next one are above.
pub(crate) fn end_of_epoch(number: u64) -> u64 {
    (epoch(number) + 1).saturating_mul(EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_read_as_it_is_written() {
        let ticket =
            Ticket { lane: "17".to_owned(), born: "b+Z-".to_owned(), number: 3 * EPOCH + 4, nonce: "n".to_owned() };
        assert_eq!(Ticket::parse(&ticket.to_string()), Some(ticket));
        for text in
            ["", "17/b/1", "17/b/1/n/m", "17//1/n", "17/b/0/n", "17/b/01/n", "17/b/-1/n", "17/b/1e3/n", "17/b/1/"]
        {
            assert_eq!(Ticket::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_mark_is_a_part_of_a_ticket() {
        for _ in 0..100 {
            let mark = mark().expect("random bits");
            assert!(mark.len() == 9 && !mark.contains('/'), "{mark}");
        }
    }

    #[test]
    fn an_epoch_ends_where_the_next_begins() {
        assert_eq!([0, 1, EPOCH - 1, EPOCH, EPOCH + 1].map(end_of_epoch), [EPOCH, EPOCH, EPOCH, 2 * EPOCH, 2 * EPOCH]);
        assert_eq!(end_of_epoch(u64::MAX), u64::MAX);
    }
}
