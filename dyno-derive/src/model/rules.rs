//! The rules of an entity: a struct for each attribute that declares how its items are written.

use crate::given::{Given, Said, Word};
use proc_macro2::Span;
use syn::Path;

/// The mark of the entity's items.
pub(crate) struct EntityType {
    pub(crate) attribute: Word,
    pub(crate) name: Word,
}

/// A ratchet, which names its fields by their index.
pub(crate) struct Ratchet {
    pub(crate) field: usize,
    pub(crate) strict: bool,
    pub(crate) tiebreak: Option<Given<usize>>,
    pub(crate) max_ahead_secs: Option<u32>,
    /// The fields it guards. If there are none, it guards the whole item.
    pub(crate) guards: Vec<Given<usize>>,
    pub(crate) span: Span,
    pub(crate) said: Said,
}

impl Ratchet {
    /// Returns the token, and the field that decides between equal tokens.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.field).chain(self.tiebreak())
    }

    pub(crate) fn tiebreak(&self) -> Option<usize> {
        self.tiebreak.map(|tiebreak| tiebreak.value)
    }

    /// Returns whether a field changes only with this token.
    pub(crate) fn covers(&self, field: usize) -> bool {
        self.tokens().any(|token| token == field) || self.guards.iter().any(|guard| guard.value == field)
    }
}

/// The shape that rows are written in.
pub(crate) struct SchemaVersion {
    pub(crate) current: Given<u32>,
    pub(crate) attribute: Word,
    /// The function that converts older rows; `None` if none was given, as in the first version.
    pub(crate) upgrade: Option<Given<Path>>,
    /// Whether an `upgrade` may have been mistyped as another word.
    pub(crate) mistaken: bool,
}

/// The tombstone.
pub(crate) struct Tombstone {
    pub(crate) ttl_days: u32,
    /// Whether tombstones have the entity's mark, if items have one.
    pub(crate) mark: Given<bool>,
    pub(crate) deleted: Word,
    pub(crate) ttl: Word,
    pub(crate) said: Said,
}

/// The version, which names its field by its index.
pub(crate) struct Version {
    pub(crate) field: usize,
    /// The name of the attribute with the write id, unless the user turned write ids off.
    pub(crate) write_id: Option<Word>,
    pub(crate) said: Said,
}

/// The history.
pub(crate) struct History {
    pub(crate) mode: Given<Mode>,
    pub(crate) layout: Given<Layout>,
    /// The name of its table, if it was given. Otherwise the runtime derives it from the name of the entity's table.
    pub(crate) name: Option<Word>,
    /// `None` keeps revisions for ever.
    pub(crate) ttl_days: Option<u32>,
    pub(crate) span: Span,
    pub(crate) said: Said,
}

/// The way in which a history is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Atomic,
    Ordered,
}

/// The place where a history is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    SecondTable,
    SameTable,
}

/// The attribute in which a transaction stores its intent. The runtime has the same in `schema::names`, which the derive
/// cannot use.
pub(crate) const INTENT: &str = "_x";

/// The way in which an item remembers which updates were applied.
pub(crate) struct Idempotency {
    pub(crate) store: Given<KeyStore>,
    /// Whether keys are stored as they are, instead of hashed.
    pub(crate) raw: bool,
    pub(crate) key_bytes: Given<u32>,
    /// The size of the rest of the item.
    pub(crate) body_bytes: u32,
    /// The rate that the item must carry, if one was declared.
    pub(crate) max_rps: Option<u32>,
    pub(crate) span: Span,
    pub(crate) said: Said,
}

/// The place where idempotency keys are stored.
pub(crate) enum KeyStore {
    /// In sets of the item, with these names.
    Time { window_secs: u32, max_skew_secs: Given<u32>, attributes: Vec<Word> },
    /// In a list of the item.
    Count { keys: Given<u32>, attribute: Word },
    /// In rows of another table. With `None`, the runtime derives its name from the name of the entity's table.
    Row { table: Option<Word>, keep_secs: u32 },
}

impl Idempotency {
    /// Returns the stored names of the item's attributes that hold keys.
    pub(crate) fn attributes(&self) -> &[Word] {
        match &*self.store {
            KeyStore::Time { attributes, .. } => attributes,
            KeyStore::Count { attribute, .. } => std::slice::from_ref(attribute),
            KeyStore::Row { .. } => &[],
        }
    }
}
