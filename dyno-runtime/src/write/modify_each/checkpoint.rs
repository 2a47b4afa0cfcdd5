//! The checkpoint of a `modify_each` or `delete_each`: its position in each segment, and its counts so far.

use crate::error::Error;
use crate::key::Asked;
use crate::read::{Place, from_text, to_text};
use std::fmt;
use std::str::FromStr;

/// The position that a [`ModifyEach`](crate::command::ModifyEach) or a [`DeleteEach`](crate::command::DeleteEach) has reached.
/// Pass it to `after`, and another run continues from there, perhaps in another process. That run must be the same command, with
/// the same entity, table, index, conditions and segments. Otherwise it would skip items that no run has changed, so it is
/// refused ([`Error::is_invalid_input`](crate::Error::is_invalid_input)).
///
/// As text (`to_string`, `parse`), you can store it in a file or in an item. The text is not encrypted, and contains keys of
/// items.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Identifies the query, or the scan without its segments.
    pub(super) asked: Asked,
    /// The number of segments of the table.
    pub(super) of: u32,
    /// The segments that this run reads, in order.
    pub(super) segments: Vec<(u32, Position)>,
    pub(super) counts: Counts,
    /// The keys of the first items that failed.
    pub(super) failed: Vec<Place>,
}

/// A position in a segment.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Position {
    Start,
    After(Place),
    End,
}

/// The numbers of items so far, by their results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) changed: u64,
    pub(super) unchanged: u64,
    pub(super) gone: u64,
    pub(super) failed: u64,
    pub(super) retried: u64,
}

impl Checkpoint {
    /// Returns the checkpoint before the first item of these segments.
    pub(super) fn start(asked: Asked, of: u32, segments: impl IntoIterator<Item = u32>) -> Self {
        let segments = segments.into_iter().map(|segment| (segment, Position::Start)).collect();
        Self { asked, of, segments, counts: Counts::default(), failed: Vec::new() }
    }

    /// Returns `true` if both have the same segments.
    pub(super) fn has_segments_of(&self, other: &Self) -> bool {
        let number = |(segment, _): &(u32, Position)| *segment;
        self.of == other.of && self.segments.iter().map(number).eq(other.segments.iter().map(number))
    }
}

/// The first part of the text: the version of its format.
const FORMAT: &str = "1";

/// Writes the parts of the text, with points between them: the format, the scan, the counts, the number of segments, the
/// segments, and `~` with a key for each item that failed. A segment is its number, and after a `~` its position; nothing follows
/// the `~` of a finished segment.
impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { changed, unchanged, gone, failed, retried } = self.counts;
        write!(f, "{FORMAT}.{}", to_text(self.asked.bytes()))?;
        write!(f, ".{changed}.{unchanged}.{gone}.{failed}.{retried}.{}", self.of)?;
        self.segments.iter().try_for_each(|(segment, position)| match position {
            Position::Start => write!(f, ".{segment}"),
            Position::After(place) => write!(f, ".{segment}~{place}"),
            Position::End => write!(f, ".{segment}~"),
        })?;
        self.failed.iter().try_for_each(|failed| write!(f, ".~{failed}"))
    }
}

/// A text that no checkpoint displays is an error of the kind [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput).
impl FromStr for Checkpoint {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text).ok_or_else(|| Error::invalid("the text is not one that `Checkpoint::to_string` has made: begin without a checkpoint, or find the right text"))
    }
}

fn parse(text: &str) -> Option<Checkpoint> {
    let mut parts = text.split('.');
    if parts.next() != Some(FORMAT) {
        return None;
    }
    let asked = from_text(parts.next()?)?.try_into().ok()?;
    let mut count = || parts.next()?.parse::<u64>().ok();
    let counts = Counts { changed: count()?, unchanged: count()?, gone: count()?, failed: count()?, retried: count()? };
    let of = u32::try_from(count()?).ok()?;
    let mut segments: Vec<(u32, Position)> = Vec::new();
    let mut failed = Vec::new();
    for part in parts {
        if let Some(key) = part.strip_prefix('~') {
            failed.push(Place::parse(key)?);
            continue;
        }
        let (segment, position) = match part.split_once('~') {
            None => (part, Position::Start),
            Some((segment, "")) => (segment, Position::End),
            Some((segment, place)) => (segment, Position::After(Place::parse(place)?)),
        };
        let segment = segment.parse().ok()?;
        if segment >= of || segments.last().is_some_and(|(last, _)| *last >= segment) {
            return None;
        }
        segments.push((segment, position));
    }
    let asked = Asked::of_bytes(asked);
    (!segments.is_empty()).then_some(Checkpoint { asked, of, segments, counts, failed })
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
        let segments = vec![(0, Position::Start), (1, Position::After(place.clone())), (3, Position::End)];
        let asked = Asked::of_bytes([0; 16]);
        let checkpoint = Checkpoint { asked, of: 4, segments, counts, failed: vec![place.clone(), place] };
        let text = checkpoint.to_string();
        assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)), "{text}");
        assert_eq!(text.parse::<Checkpoint>().expect("a checkpoint"), checkpoint);
        let first: Checkpoint = format!("1.{ASKED}.0.0.0.0.0.1.0").parse().expect("a checkpoint");
        assert_eq!(first, Checkpoint::start(asked, 1, [0]));
    }

    #[test]
    fn an_invalid_checkpoint_text_is_refused() {
        let is_refused = |text: &str| text.parse::<Checkpoint>().is_err_and(|error| error.is_invalid_input());
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
            assert!(is_refused(text), "{text}");
            assert!(is_refused(&format!("1.{ASKED}.{text}")), "{text}");
        }
        for text in ["1.AAAA.0.0.0.0.0.1.0".to_owned(), format!("2.{ASKED}.0.0.0.0.0.1.0"), "1".to_owned()] {
            assert!(is_refused(&text), "{text}");
        }
    }
}
