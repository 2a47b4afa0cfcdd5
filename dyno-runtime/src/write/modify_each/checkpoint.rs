//! Where a `modify_each` is: a place in each segment of its scan, and what it has counted so far.

use crate::error::Error;
use crate::key::Asked;
use crate::read::{Place, from_text, to_text};
use std::fmt;
use std::str::FromStr;

/// How far a [`ModifyEach`](crate::command::ModifyEach) has come. Given to its `after`, another one goes on from there, perhaps in
/// another process: one of the same entity and table, with the same filter and segments. Given to another one, which would
/// pass over items that nobody has done, it is refused ([`Error::is_invalid_input`](crate::Error::is_invalid_input)).
///
/// As text (`to_string`, `parse`) it can be kept in a file or an item. It contains keys, readable for whoever decodes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What the scan asks, but for its segments.
    pub(super) asked: Asked,
    /// How many segments the table is read in.
    pub(super) of: u32,
    /// Those that are read, in order.
    pub(super) segments: Vec<(u32, Position)>,
    pub(super) counts: Counts,
    /// The keys of items that failed: of the first of them.
    pub(super) failed: Vec<Place>,
}

/// Where in a segment.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Position {
    Start,
    Behind(Place),
    End,
}

/// What became of the items so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) changed: u64,
    pub(super) unchanged: u64,
    pub(super) gone: u64,
    pub(super) failed: u64,
    pub(super) retried: u64,
}

/// The text is not one that a [`Checkpoint`] wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidCheckpoint;

impl fmt::Display for InvalidCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a checkpoint: expected the text that `Checkpoint` displays")
    }
}

impl std::error::Error for InvalidCheckpoint {}

/// The text is not a checkpoint's: [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput).
impl From<InvalidCheckpoint> for Error {
    fn from(error: InvalidCheckpoint) -> Self {
        Self::invalid(error.to_string())
    }
}

impl Checkpoint {
    /// Before the first item of these segments.
    pub(super) fn start(asked: Asked, of: u32, segments: impl IntoIterator<Item = u32>) -> Self {
        let segments = segments.into_iter().map(|segment| (segment, Position::Start)).collect();
        Self { asked, of, segments, counts: Counts::default(), failed: Vec::new() }
    }

    /// Whether it is of the same segments.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        let numbers = |(segment, _): &(u32, Position)| *segment;
        self.of == other.of && self.segments.iter().map(numbers).eq(other.segments.iter().map(numbers))
    }
}

/// What the first part of the text says: which form it has, so that there can be others.
const FORM: &str = "1";

/// The form, what was asked, the counts, the number of segments, and each segment: its number, and behind `~` how far it has
/// been read. Then the keys of items that failed, each behind a `~`.
impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { changed, unchanged, gone, failed, retried } = self.counts;
        write!(f, "{FORM}.{}", to_text(self.asked.bytes()))?;
        write!(f, ".{changed}.{unchanged}.{gone}.{failed}.{retried}.{}", self.of)?;
        self.segments.iter().try_for_each(|(segment, position)| match position {
            Position::Start => write!(f, ".{segment}"),
            Position::Behind(place) => write!(f, ".{segment}~{place}"),
            Position::End => write!(f, ".{segment}~"),
        })?;
        self.failed.iter().try_for_each(|failed| write!(f, ".~{failed}"))
    }
}

impl FromStr for Checkpoint {
    type Err = InvalidCheckpoint;

    fn from_str(text: &str) -> Result<Self, InvalidCheckpoint> {
        let mut parts = text.split('.');
        if parts.next() != Some(FORM) {
            return Err(InvalidCheckpoint);
        }
        let asked = parts.next().and_then(|asked| from_text(asked).ok()?.try_into().ok()).ok_or(InvalidCheckpoint)?;
        let mut count = || parts.next().and_then(|part| part.parse::<u64>().ok()).ok_or(InvalidCheckpoint);
        let counts =
            Counts { changed: count()?, unchanged: count()?, gone: count()?, failed: count()?, retried: count()? };
        let of = u32::try_from(count()?).map_err(|_| InvalidCheckpoint)?;
        let mut segments: Vec<(u32, Position)> = Vec::new();
        let mut failed = Vec::new();
        for part in parts {
            if let Some(key) = part.strip_prefix('~') {
                failed.push(key.parse().map_err(|_| InvalidCheckpoint)?);
                continue;
            }
            let (segment, position) = match part.split_once('~') {
                None => (part, Position::Start),
                Some((segment, "")) => (segment, Position::End),
                Some((segment, place)) => (segment, Position::Behind(place.parse().map_err(|_| InvalidCheckpoint)?)),
            };
            let segment = segment.parse().map_err(|_| InvalidCheckpoint)?;
            if segment >= of || segments.last().is_some_and(|(last, _)| *last >= segment) {
                return Err(InvalidCheckpoint);
            }
            segments.push((segment, position));
        }
        if segments.is_empty() {
            Err(InvalidCheckpoint)
        } else {
            Ok(Self { asked: Asked::of_bytes(asked), of, segments, counts, failed })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::Item;
    use aws_sdk_dynamodb::types::AttributeValue;

    const ASKED: &str = "AAAAAAAAAAAAAAAAAAAAAA";

    #[test]
    fn a_checkpoint_round_trips_through_its_text() {
        let key = Item::from([("PK".to_owned(), AttributeValue::S("a.b~c".to_owned()))]);
        let counts = Counts { changed: 1, unchanged: 2, gone: 3, failed: 4, retried: u64::MAX };
        let place = Place::reached(key);
        let segments = vec![(0, Position::Start), (1, Position::Behind(place.clone())), (3, Position::End)];
        let asked = Asked::of_bytes([0; 16]);
        let checkpoint = Checkpoint { asked, of: 4, segments, counts, failed: vec![place.clone(), place] };
        let text = checkpoint.to_string();
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)), "{text}");
        assert_eq!(text.parse(), Ok(checkpoint));
        assert_eq!(format!("1.{ASKED}.0.0.0.0.0.1.0").parse(), Ok(Checkpoint::start(asked, 1, [0])));
    }

    #[test]
    fn an_invalid_checkpoint_text_is_refused() {
        for text in [
            "",
            "0",
            "a.0.0.0.0.1.0",
            "0.0.0.0.0.1",
            "0.0.0.0.0.1.",
            "0.0.0.0.0.1.1",
            "0.0.0.0.0.1.0~x",
            "0.0.0.0.0.1.0~~",
            "0.0.0.0.0.1.0.~",
            "0.0.0.0.0.1.~AAJQSwACU3g",
            "0.0.0.0.0.2.1.0",
            "0.0.0.0.0.2.0.0",
            "0.0.0.0.0.0.0",
            "0.0.0.0.0.-1.0",
            "0.0.0.0.0.9999999999.0",
        ] {
            assert_eq!(text.parse::<Checkpoint>(), Err(InvalidCheckpoint), "{text}");
            assert_eq!(format!("1.{ASKED}.{text}").parse::<Checkpoint>(), Err(InvalidCheckpoint), "{text}");
        }
        for text in ["1.AAAA.0.0.0.0.0.1.0".to_owned(), format!("2.{ASKED}.0.0.0.0.0.1.0"), "1".to_owned()] {
            assert_eq!(text.parse::<Checkpoint>(), Err(InvalidCheckpoint), "{text}");
        }
    }
}
