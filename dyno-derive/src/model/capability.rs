//! The capabilities of an entity, as the runtime's marker traits.

use super::{Entity, KeyStore};
use crate::given::here;
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

/// A marker trait of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capability {
    Deletable,
    Updatable,
    Tombstoned,
    Purgeable,
    Transactional,
    MayExpire,
    Fenced,
    Versioned,
    WithHistory,
    WithoutHistory,
    WithUniqueValues,
    Idempotent,
    Replaceable,
    Batchable,
    Hedgeable,
    HedgeableUpdate,
    Sorted,
    /// Implemented if the types of the sort key's fields are ordered.
    SortOrdered,
}

impl Capability {
    pub(crate) const ALL: [Self; 18] = [
        Self::Deletable,
        Self::Updatable,
        Self::Tombstoned,
        Self::Purgeable,
        Self::Transactional,
        Self::MayExpire,
        Self::Fenced,
        Self::Versioned,
        Self::WithHistory,
        Self::WithoutHistory,
        Self::WithUniqueValues,
        Self::Idempotent,
        Self::Replaceable,
        Self::Batchable,
        Self::Hedgeable,
        Self::HedgeableUpdate,
        Self::Sorted,
        Self::SortOrdered,
    ];

    pub(crate) fn is_of(self, entity: &Entity) -> bool {
        match self {
            Self::Deletable => !entity.is_ordered() || entity.tombstone.is_some(),
            Self::Updatable => entity.history.is_some() || !entity.is_ratcheted_whole(),
            Self::Tombstoned => entity.tombstone.is_some(),
            Self::Purgeable => entity.tombstone.is_some() && entity.transactional.is_none(),
            Self::Transactional => entity.transactional.is_some(),
            Self::MayExpire => entity.ttl().is_some(),
            Self::Fenced => entity.fence.is_some(),
            Self::Versioned => entity.version.is_some(),
            Self::WithHistory => entity.history.is_some(),
            Self::WithoutHistory => entity.history.is_none(),
            Self::WithUniqueValues => !entity.unique.is_empty(),
            Self::Idempotent => entity.idempotency.is_some(),
            // A put or replace would delete the idempotency keys that the stored item holds, because the new item does not
            // have them.
            Self::Replaceable => {
                entity.idempotency.as_ref().is_none_or(|idempotency| idempotency.attributes().is_empty())
            }
            Self::Batchable => {
                let is_plain = entity.version.is_none() && entity.history.is_none() && entity.idempotency.is_none();
                is_plain
                    && !entity.is_ordered()
                    && entity.tombstone.is_none()
                    && entity.immutable().next().is_none()
                    && entity.unique.is_empty()
            }
            Self::Hedgeable => is_hedgeable(entity),
            Self::HedgeableUpdate => {
                let store = entity.idempotency.as_ref().map(|idempotency| &*idempotency.store);
                // With keys kept by count, other updates can evict a key.
                is_hedgeable(entity) || store.is_some_and(|store| !matches!(store, KeyStore::Count { .. }))
            }
            Self::Sorted | Self::SortOrdered => entity.key.has_sort_fields(),
        }
    }
}

/// Returns whether a put or delete that arrives a second time, late, does no harm.
fn is_hedgeable(entity: &Entity) -> bool {
    let is_strict = entity.ratchets.iter().any(|ratchet| ratchet.strict);
    let is_named = entity.version.as_ref().is_some_and(|version| version.write_id.is_some());
    let is_remembered = entity.tombstone.is_some() || entity.history.is_some();
    !is_strict && (!entity.ratchets.is_empty() || is_named && is_remembered)
}

/// Emits its name as a path segment.
impl ToTokens for Capability {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        Ident::new(&format!("{self:?}"), here()).to_tokens(tokens);
    }
}
