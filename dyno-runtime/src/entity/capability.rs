//! The capabilities that attributes give to an entity, or take from it.

use super::Entity;

/// Entities that can be deleted.
///
/// Not implemented for a ratcheted or fenced entity without a tombstone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be deleted: it has a ratchet or a fence, and no tombstone",
    label = "`delete` is not available for this entity",
    note = "once the row is gone, an older write, or one of a lesser fence, could recreate it",
    note = "help: add `#[tombstone(ttl_days = 7)]` to the struct"
)]
pub trait Deletable {}

/// Entities whose attributes can be updated one by one.
///
/// Not implemented for an entity whose ratchet guards the whole item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be updated in part: its ratchet guards the whole item",
    label = "`update` is not available for this entity",
    note = "refusing a stale update that touches other fields would lose them",
    note = "help: `put` the whole item, or declare which fields share a token: `#[ratchet(guards(field, …))]`"
)]
pub trait Updatable {}

/// Entities whose writes can be fenced: by a lock that you hold, or by a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fence",
    label = "only for an entity with a fence",
    note = "nothing in its items shows which lock holder wrote last, so a write by a holder that lost the lock would pass",
    note = "help: mark a field with `#[fence]`: `#[fence] epoch: u64`"
)]
pub trait Fenced: Entity {}

/// Entities whose writes a version counts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no version",
    label = "only for an entity with a version",
    note = "help: mark a `u64` field with `#[version]`"
)]
pub trait Versioned: Entity {}

/// Entities whose earlier versions are kept.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no history",
    label = "only for an entity with a history",
    note = "help: add `#[history_table]` to the struct, and `#[version]` to a field"
)]
pub trait WithHistory: Versioned {}

/// Entities whose earlier versions are not kept.
#[diagnostic::on_unimplemented(
    message = "not available: `{Self}` has a history",
    label = "not for an entity with `#[history_table]`",
    note = "an update knows a part of the item only, and its history keeps whole ones: `modify` it, or `put` the whole item",
    note = "what was there before a write is the revision before: see `revision`"
)]
pub trait WithoutHistory {}

/// Entities that remember which updates have been made.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not remember idempotency keys",
    label = "only for an entity with `#[idempotency]`",
    note = "help: add `#[idempotency(window_secs = 300)]` to the struct"
)]
pub trait Idempotent: Entity {}

/// Entities whose items can be put over existing ones.
///
/// Not implemented for an entity whose items hold idempotency keys.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be put over another item: that would forget its idempotency keys",
    label = "`put` and `replace` are not available for this entity",
    note = "an update that was made already would be made once more",
    note = "help: `create` the item and `update` it, or keep the keys in rows of their own: `#[idempotency(store = \"row\")]`"
)]
pub trait Replaceable {}

/// Entities whose writes have no conditions, so that a [`BatchWrite`](crate::BatchWrite) can send them.
///
/// Not implemented for an entity with a ratchet, a fence, a version, a tombstone, a history or idempotency keys. (An entity's own
/// `#[ttl]` is no rule for writes.)
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written in a batch",
    label = "not for an entity with rules for its writes",
    note = "BatchWriteItem takes no condition, so it would bypass the entity's rules",
    note = "help: send the writes one by one, or in a transaction"
)]
pub trait Batchable: Entity {}

/// Entities whose puts and deletes can be hedged, because a request that arrives twice does no harm. (The guide describes two
/// exceptions, equal tokens and purges.)
///
/// Implemented for an entity with ratchets, if none of them is strict, and for an entity with a version and write ids, if a
/// tombstone or a history remembers its deletions.
#[diagnostic::on_unimplemented(
    message = "the writes of `{Self}` cannot be hedged",
    label = "`hedge` is not available for this entity",
    note = "a second request can arrive after another writer's newer one: without a ratchet or a version it would be applied over that; a strict ratchet would refuse it as stale; a version alone knows nothing of what was deleted",
    note = "help: mark a field with `#[ratchet]`, or with `#[version]` and the struct with `#[tombstone(ttl_days = 7)]` or `#[history_table]`"
)]
pub trait Hedgeable: Entity {}

/// Entities whose updates can be hedged: the [`Hedgeable`] ones, and those with idempotency keys in rows or by time.
///
/// Keys by time recognize a request that arrives twice as long as clocks and delays together are off by no more than
/// `max_skew_secs`.
#[diagnostic::on_unimplemented(
    message = "the updates of `{Self}` cannot be hedged",
    label = "`hedge` is not available for this entity",
    note = "a second request can arrive after another writer's newer one, and would be applied over that, or once more",
    note = "help: add `#[idempotency(window_secs = 300)]` to the struct; or `#[tombstone(ttl_days = 7)]`, and `#[version]` to a field"
)]
pub trait HedgeableUpdate: Entity {}

/// Entities that leave a tombstone when they are deleted.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tombstone",
    label = "only for an entity with a tombstone",
    note = "help: add `#[tombstone(ttl_days = 7)]` to the struct"
)]
pub trait Tombstoned: Entity {}

/// Entities whose tombstones can be removed for good.
///
/// Not implemented for a transactional entity.
#[diagnostic::on_unimplemented(
    message = "the tombstones of `{Self}` cannot be purged",
    label = "`purge` is not available for this entity",
    note = "without its tombstone, a late request could bring back an item that a transaction wrote: leave tombstones of a `#[transactional]` entity to their TTL"
)]
pub trait Purgeable: Tombstoned {}

/// Entities that interactive transactions can read and write, and that can be in transactions of more than 100 actions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not transactional",
    label = "only for a `#[transactional]` entity",
    note = "a transaction recognizes the items that it has read by version and write id, and all other writers must respect its pending changes",
    note = "help: add `#[transactional]` to the struct, or use `Transaction::new()`"
)]
pub trait Transactional: Versioned + Tombstoned {}

/// Entities that can have items which count as absent: tombstones, or items past their TTL.
#[diagnostic::on_unimplemented(
    message = "every item of `{Self}` is live",
    label = "only for an entity with a tombstone or a `#[ttl]` field"
)]
pub trait MayExpire: Entity {}

/// Entities whose sort key has fields that a query can have conditions on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no sort key to ask for",
    label = "no sort key, or one without a field of its own"
)]
pub trait Sorted: Entity {}

/// Entities whose sort keys are in the order of their fields, so that a range of them makes sense.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no sort key to ask for a range",
    label = "no sort key, or one without a field of its own"
)]
pub trait SortOrdered: Sorted {}

/// Entities with unique values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no unique values",
    label = "only for an entity with `#[unique]`",
    note = "help: mark a field with `#[unique]`"
)]
pub trait WithUniqueValues: Entity {}
