//! The rules of an entity as constant data. Their behaviour is in `rule`, under the same names.

use super::Schema;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Shape};
use crate::capacity::TimeWindow;
use crate::error::EncodeError;
use aws_sdk_dynamodb::types::AttributeValue;

/// The mark of an entity's items.
#[derive(Debug)]
pub struct EntityType {
    /// The attribute that holds it.
    pub attribute: &'static str,
    /// The text that it has in this entity's items.
    pub name: &'static str,
}

/// The schema version of an entity.
#[derive(Debug)]
pub struct SchemaVersion {
    /// The attribute that holds it.
    pub attribute: &'static str,
    /// The version in which rows are written.
    pub current: u32,
    /// The function that brings a row of an older version up to date.
    pub upgrade: Option<Upgrade>,
}

/// A function of the user's, which gets the row and the row's version. Its error is a text for people.
pub type Upgrade = fn(&mut Item, u32) -> Result<(), String>;

/// The version of an entity.
#[derive(Debug)]
pub struct Version {
    /// The attribute that holds it.
    pub attribute: &'static str,
    /// The highest version that the field's type can hold.
    pub max: u64,
}

/// A time that writes store in the item.
#[derive(Debug)]
pub struct TimeAttribute {
    /// The attribute that holds it.
    pub attribute: &'static str,
    /// Returns the stored form of a time.
    pub encode: fn(EpochMillis) -> Result<AttributeValue, EncodeError>,
}

/// The id that each write leaves in the item, so that the write can recognise its own result.
#[derive(Debug)]
pub struct WriteId {
    /// The attribute that holds it.
    pub attribute: &'static str,
}

/// The attributes that a ratchet guards; none if it guards the whole item.
#[cfg(feature = "model")]
pub type Guards = &'static [&'static str];
/// Nothing, without the feature `model`.
#[cfg(not(feature = "model"))]
pub type Guards = ();

/// Returns the attributes for a ratchet.
#[must_use]
pub const fn guards(names: &'static [&'static str]) -> Guards {
    #[cfg(feature = "model")]
    {
        names
    }
    #[cfg(not(feature = "model"))]
    let _ = names;
}

/// A ratchet of an entity.
#[derive(Debug)]
pub struct Ratchet {
    /// The attribute that holds the token.
    pub attribute: &'static str,
    /// The attribute that breaks ties.
    pub tiebreak: Option<&'static str>,
    /// True if a write with the stored token is refused, too.
    pub strict: bool,
    /// The greatest time by which a token may be ahead of the clock.
    pub max_ahead_secs: Option<u32>,
    /// The attributes that it guards, for the schema lock.
    pub guards: Guards,
    /// Checks a stored token and returns its time.
    pub inspect: fn(&AttributeValue) -> Result<Option<EpochMillis>, EncodeError>,
    /// The shape of its texts, if other writers may spell the same token differently.
    pub shape: Option<Shape>,
    /// Returns a stored token in the type's own spelling.
    pub respell: fn(&AttributeValue) -> Option<AttributeValue>,
}

/// The token of one write for one ratchet.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub(crate) value: AttributeValue,
    pub(crate) tiebreak: Option<AttributeValue>,
}

/// The fence of an entity.
#[derive(Debug)]
pub struct Fence {
    /// The attribute that holds it.
    pub attribute: &'static str,
}

/// The tombstones of an entity.
#[derive(Debug)]
pub struct Tombstone {
    /// The attribute that marks a tombstone, by BOOL true. Any other value in it, as other writers may store, does not.
    pub deleted: &'static str,
    /// The table's TTL attribute.
    pub ttl: &'static str,
    /// The least number of days for which a tombstone is kept.
    pub ttl_days: u32,
    /// True if a tombstone has the entity's mark, as items have.
    pub mark: bool,
}

/// The table's TTL attribute.
#[derive(Debug)]
pub struct Ttl {
    /// The stored name.
    pub attribute: &'static str,
}

/// The history of an entity.
#[derive(Debug)]
pub struct History {
    /// The way in which revisions are written.
    pub mode: Mode,
    /// The place of revisions.
    pub layout: Layout,
    /// The number of days for which a revision is kept; for ever if `None`.
    pub ttl_days: Option<u32>,
}

/// The way in which a revision is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In one transaction with the item, at twice the price.
    Atomic,
    /// Before the write that supersedes it, as two single writes.
    Ordered,
}

/// The place where revisions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In a table of their own with this name. The default is the name of the entity's table followed by `-history`.
    Table(Option<&'static str>),
    /// In the entity's table, under sort keys of their own.
    SameTable,
}

impl History {
    /// Returns the name of the TTL attribute of revisions.
    pub(crate) const fn ttl(&self, schema: &Schema) -> &'static str {
        match (&self.layout, &schema.ttl) {
            (Layout::SameTable, Some(ttl)) => ttl.attribute,
            _ => names::TTL,
        }
    }

    /// Returns true if an attribute of this name marks a row of the entity's own table as a revision.
    pub(crate) fn keeps_beside(&self, name: &str) -> bool {
        self.layout == Layout::SameTable && name == names::IMAGE
    }
}

/// Names of stored attributes that belong to no entity.
pub(crate) mod names {
    /// The intent of a transaction: the pending change of the item. Its name is the same for all entities, so that a process
    /// can resolve an intent in an item whose entity it does not know.
    pub(crate) const INTENT: &str = "_x";

    // The names in a revision's row. A row is never both an item and a revision.

    /// The partition key of a history table (the item's key as one text), of a table of guards, and of a table of idempotency keys.
    pub(crate) const KEY: &str = "_key";
    /// The version number: the sort key of a history table.
    pub(crate) const VERSION: &str = "_version";
    /// The item as it was in this version.
    pub(crate) const IMAGE: &str = "_image";
    /// BOOL true if the revision is a deletion.
    pub(crate) const DELETED: &str = "_deleted";
    /// The key attributes of the item that holds a unique value, in the row of its guard.
    pub(crate) const HOLDER: &str = "_of";
    /// The time from which DynamoDB may remove the row, if the entity's table has no other TTL attribute.
    pub(crate) const TTL: &str = "_ttl";
    /// The beginning of the sort keys of revisions, in a table that they share with items.
    pub(crate) const REVISION: &str = "_rev|";
}

/// The memory of the updates that were applied to an item.
#[derive(Debug)]
pub struct Idempotency {
    /// The place of the keys.
    pub store: Store,
    /// The stored form of the keys.
    pub keys: Keys,
}

impl Idempotency {
    /// Returns the attributes that hold keys.
    pub(crate) fn attributes(&self) -> &[&'static str] {
        match &self.store {
            Store::Time { attributes, .. } => attributes,
            Store::Count { attribute, .. } => std::slice::from_ref(attribute),
            Store::Row { .. } => &[],
        }
    }
}

/// The place where idempotency keys are kept.
#[derive(Debug)]
pub enum Store {
    /// In sets within the item, one for each bucket of time.
    Time {
        /// The time for which keys are kept.
        window: TimeWindow,
        /// The names of the sets. The window decides how many of them are used.
        attributes: &'static [&'static str],
    },
    /// In a list within the item, with a fixed number of keys.
    Count {
        /// The list's name.
        attribute: &'static str,
        /// The number of keys.
        keys: u32,
    },
    /// In rows of a table of their own.
    Row {
        /// The table's name. The default is the name of the entity's table followed by `-idempotency`.
        table: Option<&'static str>,
        /// The number of seconds for which a row is kept: the window and the skew of clocks.
        keep_secs: u32,
    },
}

/// The stored form of an idempotency key.
#[derive(Clone, Copy, Debug)]
pub enum Keys {
    /// The first bytes of its SHA-256, this many.
    Hashed(usize),
    /// The key itself, of up to this many bytes.
    Raw(usize),
}
