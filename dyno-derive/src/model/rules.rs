//! The rules of an entity: a struct for each attribute that says how its items are written.

use crate::given::{Given, Said, Word};
use proc_macro2::Span;
use syn::Path;

/// What marks items as the entity's.
pub(crate) struct EntityType {
    pub(crate) attribute: Word,
    pub(crate) name: Word,
}

/// A ratchet: fields by their index.
pub(crate) struct Ratchet {
    pub(crate) field: usize,
    pub(crate) strict: bool,
    pub(crate) tiebreak: Option<Given<usize>>,
    pub(crate) max_ahead_secs: Option<u32>,
    /// The fields it guards; none means the whole item.
    pub(crate) guards: Vec<Given<usize>>,
    pub(crate) span: Span,
    pub(crate) said: Said,
}

impl Ratchet {
    /// The token, and what decides between equal ones.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.field).chain(self.tiebreak())
    }

    pub(crate) fn tiebreak(&self) -> Option<usize> {
        self.tiebreak.map(|tiebreak| tiebreak.value)
    }

    /// Whether a field changes with this token only.
    pub(crate) fn covers(&self, field: usize) -> bool {
        self.tokens().any(|token| token == field) || self.guards.iter().any(|guard| guard.value == field)
    }
}

/// The shape that rows are written in.
pub(crate) struct SchemaVersion {
    pub(crate) current: Given<u32>,
    pub(crate) attribute: Word,
    /// What brings older rows up to date; none in the first version.
    pub(crate) upgrade: Option<Given<Path>>,
    /// Whether an `upgrade` may have been mistaken for something else.
    pub(crate) mistaken: bool,
}

/// The tombstone.
pub(crate) struct Tombstone {
    pub(crate) ttl_days: u32,
    /// Whether it is marked as the entity's, where items are.
    pub(crate) mark: Given<bool>,
    pub(crate) deleted: Word,
    pub(crate) ttl: Word,
    pub(crate) said: Said,
}

/// The version: its field by its index.
pub(crate) struct Version {
    pub(crate) field: usize,
    /// The name of the attribute with the write id, unless there is to be none.
    pub(crate) write_id: Option<Word>,
    pub(crate) said: Said,
}

/// The history.
pub(crate) struct History {
    pub(crate) mode: Given<Mode>,
    pub(crate) layout: Given<Layout>,
    /// The name of its table, if it was given one; else it follows the name that the entity's table has when the program runs.
    pub(crate) name: Option<Word>,
    /// `None` keeps revisions for ever.
    pub(crate) ttl_days: Option<u32>,
    pub(crate) span: Span,
    pub(crate) said: Said,
}

/// How a history is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Atomic,
    Ordered,
}

/// Where a history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    SecondTable,
    SameTable,
}

/// Where a transaction keeps what it is about to do with an item: as the runtime's `schema::names`, which knows no derive.
pub(crate) const INTENT: &str = "_x";

/// How it is remembered which updates were made.
pub(crate) struct Idempotency {
    pub(crate) store: Given<KeyStore>,
    /// Whether keys are kept as they are, and not hashed.
    pub(crate) raw: bool,
    pub(crate) key_bytes: Given<u32>,
    /// The bytes of the rest of the item.
    pub(crate) body_bytes: u32,
    /// The rate that the item is to carry, where one was declared.
    pub(crate) max_rps: Option<u32>,
    pub(crate) span: Span,
    pub(crate) said: Said,
}

/// Where idempotency keys are.
pub(crate) enum KeyStore {
    /// In sets of the item, of these names.
    Time { window_secs: u32, max_skew_secs: Given<u32>, attributes: Vec<Word> },
    /// In a list of the item.
    Count { keys: Given<u32>, attribute: Word },
    /// In rows of another table; `None` follows the name that the entity's table has when the program runs.
    Row { table: Option<Word>, keep_secs: u32 },
}

impl Idempotency {
    /// The stored names of the attributes that the item has for it.
    pub(crate) fn attributes(&self) -> &[Word] {
        match &*self.store {
            KeyStore::Time { attributes, .. } => attributes,
            KeyStore::Count { attribute, .. } => std::slice::from_ref(attribute),
            KeyStore::Row { .. } => &[],
        }
    }
}
