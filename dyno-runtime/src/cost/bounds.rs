//! The result of `cost`: usage at least and at most.

use crate::exchange::Usage;
use std::fmt;
use std::ops::{Add, Mul};

/// The cost of a command: requests, read units and write units, at least and at most. The command's `cost` returns it, and sends
/// nothing.
///
/// ```
/// use dyno::{Entity, Repository};
///
/// #[derive(Entity)]
/// #[entity(table = "orders")]
/// #[history_table]
/// struct Order {
///     #[partition_key]
///     id: String,
///     #[version]
///     version: u64,
/// }
///
/// // In a test. The repository gives the tables' names and the time.
/// fn an_order_costs_one_transaction(repository: &Repository) -> Result<(), dyno::Error> {
///     let cost = Order { id: "1".into(), version: 1 }.put().cost(repository, 2048)?;
///     assert_eq!(cost.applied.most.requests, 1);
///     assert!(cost.applied.most.write_units <= 6.0);
///     // The cost of several commands together is the sum.
///     let read = Order::get("1").cost(repository, 2048)?;
///     assert_eq!((cost.applied + read.applied).most.requests, 2);
///     Ok(())
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), dyno::Error> {
/// # an_order_costs_one_transaction(&Repository::local().await?)
/// # }
/// ```
///
/// The bounds include:
///
/// - the rows of histories, idempotency keys and unique values, the reads and puts before them, and the factor of transactions;
/// - the item as it is stored before: there is none, or it has up to as many bytes as you pass. The size of a put's own item is
///   known. For an update, the item has up to as many bytes afterwards, too;
/// - the indexes that the entity declares: from nothing to two writes each, as far as the stored item is not known;
/// - what can be stored in the way of a rule: a tombstone or an expired item at the key of a create, an item that holds the guard
///   of a unique value, NULL, a window of idempotency keys that is full or whose turn has ended.
///
/// They do not include:
///
/// - what other writers cause: requests that are sent again because the item has changed meanwhile, intents of client-side
///   transactions, rows that a program without dyno has changed;
/// - a clone of a command that was sent before, which may only have to read that the command was applied;
/// - lost answers, the SDK's retries, hedges, and what DynamoDB leaves unprocessed in a batch;
/// - bytes of vector indexes, and indexes that only other entities of a shared table declare.
///
/// A refused write costs the units of the stored item, and a refused transaction twice the units of its items. DynamoDB does not
/// report them. [`Usage`] has dyno's estimate, which the bounds include. (The sources of these facts are in the repository's
/// `docs/internals/facts.md`.)
///
/// Some commands have no `cost`, such as client-side transactions and `modify_each`. [Production](crate::guide::production) says what
/// they cost.
///
/// `Display` writes it for people: `applied: 1 to 2 requests, 0 read units, 1 to 4 write units; refused: …`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cost {
    /// The cost if the command is applied; for a read, if it is answered.
    pub applied: Bounds,
    /// The cost if the command is refused; `None` if nothing can refuse it.
    pub refused: Option<Bounds>,
}

/// A cost, at least and at most. Only requests, read units and write units are computed. The rest of the two [`Usage`]s is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Bounds {
    /// The cost if nothing is in the way.
    pub least: Usage,
    /// The cost if each rule that can take a further request takes it.
    pub most: Usage,
}

impl Cost {
    /// Returns `true` if this usage is within the bounds of one of the outcomes, as that of a
    /// [metered](crate::Repository::metered) repository which has sent the command.
    #[must_use]
    pub fn includes(&self, usage: &Usage) -> bool {
        self.applied.includes(usage) || self.refused.is_some_and(|refused| refused.includes(usage))
    }
}

impl Bounds {
    /// Returns `true` if this usage has at least the least and at most the most requests, read units and write units.
    #[must_use]
    pub fn includes(&self, usage: &Usage) -> bool {
        let Self { least, most } = self;
        (least.requests..=most.requests).contains(&usage.requests)
            && (least.read_units..=most.read_units).contains(&usage.read_units)
            && (least.write_units..=most.write_units).contains(&usage.write_units)
    }

    /// One request with these units.
    pub(super) fn request(read: Span, write: Span) -> Self {
        let of = |read_units, write_units| Usage { read_units, write_units, ..Usage::REQUEST };
        Self { least: of(read.least, write.least), most: of(read.most, write.most) }
    }

    /// A request that only reads.
    pub(super) fn read(units: Span) -> Self {
        Self::request(units, Span::NOTHING)
    }

    /// A read that ends a write before its request.
    pub(super) fn a_read() -> Self {
        Self::read(Span::new(1.0, 1.0))
    }

    /// A request that only writes.
    pub(super) fn write(units: Span) -> Self {
        Self::request(Span::NOTHING, units)
    }

    /// The cost of a request that may be sent or not.
    pub(super) fn or_nothing(self) -> Self {
        Self { least: Usage::default(), ..self }
    }

    /// The cost of a request that is sent up to this many times.
    pub(super) fn up_to(self, times: u32) -> Self {
        (0..times).fold(Self::default(), |sum, _| sum + self.or_nothing())
    }

    /// Returns the bounds of two ways, one of which is taken.
    pub(super) fn or(self, other: Self) -> Self {
        let pick = |one: Usage, other: Usage, units: fn(f64, f64) -> f64, requests| Usage {
            requests,
            read_units: units(one.read_units, other.read_units),
            write_units: units(one.write_units, other.write_units),
            ..Usage::default()
        };
        let (fewest, most) =
            (self.least.requests.min(other.least.requests), self.most.requests.max(other.most.requests));
        Self {
            least: pick(self.least, other.least, f64::min, fewest),
            most: pick(self.most, other.most, f64::max, most),
        }
    }
}

impl Add for Bounds {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self.least += other.least;
        self.most += other.most;
        self
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "applied: {}", self.applied)?;
        self.refused.map_or(Ok(()), |refused| write!(f, "; refused: {refused}"))
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most } = self;
        #[expect(clippy::cast_precision_loss, reason = "a command sends few requests")]
        let requests = Span { least: least.requests as f64, most: most.requests as f64 };
        let read = Span { least: least.read_units, most: most.read_units };
        let write = Span { least: least.write_units, most: most.write_units };
        write!(f, "{}, ", requests.text("request"))?;
        write!(f, "{}, {}", read.text("read unit"), write.text("write unit"))
    }
}

/// Capacity units, at least and at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Span {
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Span {
    pub(super) const NOTHING: Self = Self { least: 0.0, most: 0.0 };

    pub(super) fn new(least: f64, most: f64) -> Self {
        Self { least, most }
    }

    /// Returns the bounds of either.
    pub(super) fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// Returns `1 request`, `2 to 3 requests`.
    fn text(self, unit: &str) -> String {
        let Self { least, most } = self;
        #[expect(clippy::float_cmp, reason = "units are multiples of 0.5, which are exact")]
        let (is_one, is_exact) = (most == 1.0, least == most);
        let range = if is_exact { format!("{most}") } else { format!("{least} to {most}") };
        let plural = if is_one { "" } else { "s" };
        format!("{range} {unit}{plural}")
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { least: self.least + other.least, most: self.most + other.most }
    }
}

impl Mul<f64> for Span {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { least: self.least * factor, most: self.most * factor }
    }
}

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::NOTHING, Add::add)
    }
}
