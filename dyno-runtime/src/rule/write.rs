//! The types `Write`, the input of the rules, and `Rule`: what each rule contributes to a write.

use super::{Claim, Image, Reason};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::expression::{Action, Guard, Node, Path};
use crate::schema::{Schema, Token};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use std::sync::Arc;

/// The kind of a write, as its rules see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Writes the item, and replaces a stored one.
    Put,
    /// Writes the item if there is no live one.
    Create,
    /// Writes the item over a live one.
    Replace,
    /// Writes the item over a tombstone.
    Undelete,
    /// Changes some attributes of a live item; with `upsert`, also of an absent one.
    Update { upsert: bool },
    /// Changes a live item from the state that was read to its new state.
    Rewrite,
    /// Gives an item, dead or alive, another version, and changes nothing else in it.
    Renumber,
    /// Writes a tombstone, or removes the item if the entity has no tombstones.
    Delete,
    /// Removes a tombstone.
    Purge,
    /// Writes nothing: requires a live item, or that there is none.
    Check { absent: bool },
}

impl Verb {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Undelete => "undelete",
            Self::Update { .. } => "update",
            // With a version, the command itself reports that it is a `modify`.
            Self::Rewrite => "modify_each",
            Self::Renumber => "repair",
            Self::Delete => "delete",
            Self::Purge => "purge",
            Self::Check { .. } => "check",
        }
    }
}

/// A write, as the rules see it. It is fixed before the first request attempt, so that retries send the same request.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) schema: &'static Schema,
    pub(crate) verb: Verb,
    pub(crate) now: EpochMillis,
    /// The token for each ratchet of the schema; `None` if the write does not change the ratchet's group.
    pub(crate) tokens: Vec<Option<Token>>,
    /// The number to store as the fence; `None` if the entity has no fence, or the write does not change it.
    pub(crate) fence: Option<u64>,
    /// The values that the write stores in immutable attributes.
    pub(crate) kept: Vec<Kept>,
    /// The times that the write stores, by their attributes.
    pub(crate) times: Vec<(&'static str, Action)>,
    /// The tombstone to purge, as it was read.
    pub(crate) tombstone: Option<Item>,
    /// The attributes that must not have changed since they were read.
    pub(crate) image: Option<Arc<Image>>,
    /// The version that the write expects, if the entity has versions.
    pub(crate) expected: Option<Expected>,
    /// The write id, if the write stores one.
    pub(crate) write_id: Option<String>,
    /// The conditions of the write's changes.
    pub(crate) guards: Vec<Guard>,
    /// `true` if the write stores vectors, each for values that the item must still have, and nothing else.
    pub(crate) stores_vectors_only: bool,
    pub(crate) dedup: Dedup,
    /// The unique values that the write stores and claims.
    pub(crate) claims: Vec<Claim>,
}

/// The value that a write stores in an immutable attribute, by the attribute's name; `None` if its item does not have the attribute.
pub(crate) type Kept = (&'static str, Option<AttributeValue>);

/// The idempotency key of a write, and what the write assumes about the keys that are stored.
#[derive(Clone, Debug)]
pub(crate) struct Dedup {
    /// The stored form of the key, if the write has one.
    pub(crate) key: Option<Blob>,
    /// `true` if the key already has a row, which the item does not show.
    pub(crate) has_row: bool,
    /// The assumed state of the keys in the item.
    pub(crate) phase: Phase,
}

impl Write {
    /// Returns the version that the write stores; `None` for an unchecked write, where only DynamoDB knows it.
    pub(crate) fn next(&self) -> Option<u64> {
        self.expected.and_then(Expected::next)
    }
}

/// The version that a write expects to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// No item. The numbering continues after this number: 0, unless a history has earlier revisions.
    New(u64),
    /// The item of this version, which counts as absent. A create continues its numbering.
    Dead(u64),
    /// The item of this version; 0 if it has none.
    Loaded(u64),
    /// The item of this version, which another program has stored, and whose history has later numbers. The numbering continues
    /// after the last one. `is_dead` is true if the item counts as absent.
    Behind { found: u64, last: u64, is_dead: bool },
    /// Any item.
    Unchecked,
}

impl Expected {
    /// Returns the version before the write, unless the write is unchecked.
    pub(crate) fn base(self) -> Option<u64> {
        match self {
            Self::New(base) | Self::Dead(base) | Self::Loaded(base) | Self::Behind { found: base, .. } => Some(base),
            Self::Unchecked => None,
        }
    }

    /// Returns the last number in use, unless the write is unchecked: that of the stored item, or a later one in the history.
    pub(crate) fn last(self) -> Option<u64> {
        match self {
            Self::Behind { last, .. } => Some(last),
            _ => self.base(),
        }
    }

    /// Returns the version that the write stores, unless it is unchecked.
    pub(crate) fn next(self) -> Option<u64> {
        // The greatest version has no successor, but `Version::check` refuses to write over it.
        Some(self.last()?.saturating_add(1))
    }

    /// Returns `true` if the write begins a new item: it expects none, or one that counts as absent.
    pub(crate) fn begins(self) -> bool {
        matches!(self, Self::New(_)) || self.is_dead()
    }

    /// Returns `true` if the stored item counts as absent, so that a create continues its numbering.
    pub(crate) fn is_dead(self) -> bool {
        matches!(self, Self::Dead(_) | Self::Behind { is_dead: true, .. })
    }
}

/// The assumption of an update about the idempotency keys in the item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The update adds its key: the list has room, or the set belongs to the current turn.
    #[default]
    Adding,
    /// The update's key replaces the oldest one of a full list, or all keys of an earlier turn.
    Replacing,
}

/// The contributions of a rule. By default, a rule contributes nothing.
pub(super) trait Rule {
    /// Returns the condition that the write has on the stored item.
    fn condition(&self, _write: &Write) -> Option<Node> {
        None
    }

    /// Returns a condition that is added only if the write has one anyway. `others` are the terms so far, and `own` is true if
    /// the caller's own condition will be added.
    fn demanded(&self, _write: &Write, _others: &[Node], _own: bool) -> Option<Node> {
        None
    }

    /// Adds attributes to the item, or changes to the update.
    fn assign(&self, _write: &Write, _assign: &mut dyn FnMut(Path, Action)) {}

    /// Adds this rule's reasons against the write, given the item that DynamoDB returned with the refusal.
    fn refused(&self, _write: &Write, _item: Option<&Item>, _reasons: &mut Vec<Reason>) {}
}
