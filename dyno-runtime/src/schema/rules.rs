//! What the rules of an entity say, as constant data. What each one does is in `rule`, under the same name.

use super::Schema;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Shape};
use crate::capacity::TimeWindow;
use crate::error::EncodeError;
use aws_sdk_dynamodb::types::AttributeValue;

/// The mark of an entity's items.
#[derive(Debug)]
pub struct EntityType {
    /// The attribute.
    pub attribute: &'static str,
    /// What it says.
    pub name: &'static str,
}

/// The schema version of an entity.
#[derive(Debug)]
pub struct SchemaVersion {
    /// The attribute that holds it.
    pub attribute: &'static str,
    /// The one that rows are written in.
    pub current: u32,
    /// What brings a row of an older one up to date, with an error for people.
    pub upgrade: Option<Upgrade>,
}

/// A function of the entity's, given the version that the row is of.
pub type Upgrade = fn(&mut Item, u32) -> Result<(), String>;

/// The version of an entity.
#[derive(Debug)]
pub struct Version {
    /// The attribute that holds it.
    pub attribute: &'static str,
    /// The highest version that the field's type can hold.
    pub max: u64,
}

/// The name that each write leaves in the item, by which it knows itself.
#[derive(Debug)]
pub struct WriteId {
    /// The attribute that holds it.
    pub attribute: &'static str,
}

/// A ratchet of an entity.
#[derive(Debug)]
pub struct Ratchet {
    /// The attribute that holds the token.
    pub attribute: &'static str,
    /// The attribute that breaks ties.
    pub tiebreak: Option<&'static str>,
    /// Whether a write with the stored token is refused too.
    pub strict: bool,
    /// How far ahead of the clock a token may be.
    pub max_ahead_secs: Option<u32>,
    /// Reads a stored token: checks it, and tells its time.
    pub inspect: fn(&AttributeValue) -> Result<Option<EpochMillis>, EncodeError>,
    /// What its texts are like, where others spell the same token otherwise.
    pub shape: Option<Shape>,
    /// A stored token in the type's own spelling.
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
    /// The attribute that says so: BOOL true. Anything else in it, as other writers may store, does not.
    pub deleted: &'static str,
    /// The table's TTL attribute.
    pub ttl: &'static str,
    /// How many days a tombstone is kept, at least.
    pub ttl_days: u32,
    /// Whether it is marked as the entity's, where items are.
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
    /// How it is written.
    pub mode: Mode,
    /// Where it is kept.
    pub layout: Layout,
    /// How many days a revision is kept, if not for ever.
    pub ttl_days: Option<u32>,
}

/// How a revision is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In one transaction with the item: twice the price.
    Atomic,
    /// Before the write that supersedes it: two plain writes.
    Ordered,
}

/// Where revisions are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In a table of their own, of this name; the entity's table's with `-history` behind it, if none is given.
    Table(Option<&'static str>),
    /// In the entity's table, under sort keys of their own.
    SameTable,
}

impl History {
    /// The name of the TTL attribute of revisions.
    pub(crate) const fn ttl(&self, schema: &Schema) -> &'static str {
        match (&self.layout, &schema.ttl) {
            (Layout::SameTable, Some(ttl)) => ttl.attribute,
            _ => names::TTL,
        }
    }

    /// Whether an attribute of this name makes a revision of an item of the entity's own table.
    pub(crate) fn keeps_beside(&self, name: &str) -> bool {
        self.layout == Layout::SameTable && name == names::IMAGE
    }
}

/// Stored names that are no entity's.
pub(crate) mod names {
    /// What a transaction is about to do with an item. Of every entity the same, so that a process can put right the item of
    /// one that it has never heard of.
    pub(crate) const INTENT: &str = "_x";

    // Those of a revision's row: an item and a revision are never one row.

    /// The item's key as one text: the partition key of a history table.
    pub(crate) const KEY: &str = "_key";
    /// The number: the sort key of a history table.
    pub(crate) const VERSION: &str = "_version";
    /// The item as it was.
    pub(crate) const IMAGE: &str = "_image";
    /// BOOL true: the revision is a deletion.
    pub(crate) const DELETED: &str = "_deleted";
    /// When DynamoDB may remove the row, where the entity's table has no other TTL attribute.
    pub(crate) const TTL: &str = "_ttl";
    /// What sort keys of revisions begin with, in a table that they share with items.
    pub(crate) const REVISION: &str = "_rev|";
}

/// How an entity remembers the updates that were made.
#[derive(Debug)]
pub struct Idempotency {
    /// Where the keys are.
    pub store: Store,
    /// What they are.
    pub keys: Keys,
}

impl Idempotency {
    /// The attributes that keys are kept in.
    pub(crate) fn attributes(&self) -> &[&'static str] {
        match &self.store {
            Store::Time { attributes, .. } => attributes,
            Store::Count { attribute, .. } => std::slice::from_ref(attribute),
            Store::Row { .. } => &[],
        }
    }
}

/// Where idempotency keys are kept.
#[derive(Debug)]
pub enum Store {
    /// In sets of the item, one for each bucket of time.
    Time {
        /// For how long.
        window: TimeWindow,
        /// The sets' names, of which as many are used as the window needs.
        attributes: &'static [&'static str],
    },
    /// In a list of the item: so many.
    Count {
        /// The list's name.
        attribute: &'static str,
        /// How many there are.
        keys: u32,
    },
    /// In rows of a table of their own.
    Row {
        /// The table's name; the entity's table's with `-idempotency` behind it, if none is given.
        table: Option<&'static str>,
        /// For how many seconds a row is kept: the window, and the skew of clocks.
        keep_secs: u32,
    },
}

/// What is kept of a key.
#[derive(Clone, Copy, Debug)]
pub enum Keys {
    /// The first so many bytes of its SHA-256.
    Hashed(usize),
    /// The key as it is, of up to so many bytes.
    Raw(usize),
}
