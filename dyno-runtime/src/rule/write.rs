//! What the rules are told about a write, and what a rule may contribute to it.

use super::{Image, Reason};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::expression::{Action, Guard, Node, Path};
use crate::schema::{Schema, Token};
use aws_sdk_dynamodb::primitives::Blob;
use std::sync::Arc;

/// What a write does, seen from its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Writes the item, whatever is there.
    Put,
    /// Writes the item where no live item is.
    Create,
    /// Writes the item over a live one.
    Replace,
    /// Writes the item over a tombstone.
    Undelete,
    /// Changes some attributes of a live item; with `upsert` of an absent one too.
    Update { upsert: bool },
    /// Changes a live item from what was read to what it is to be.
    Rewrite,
    /// Gives an item, dead or alive, another version, and changes nothing else.
    Renumber,
    /// Writes a tombstone, or removes the item where the entity has none.
    Delete,
    /// Removes a tombstone.
    Purge,
    /// Writes nothing: demands a live item, or that there is none.
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
            // Of an entity with a version, it says itself whether it is a `modify`.
            Self::Rewrite => "modify_each",
            Self::Renumber => "repair",
            Self::Delete => "delete",
            Self::Purge => "purge",
            Self::Check { .. } => "check",
        }
    }
}

/// All that the rules are told about one write. Fixed before the first attempt: retries send the same.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) schema: &'static Schema,
    pub(crate) verb: Verb,
    pub(crate) now: EpochMillis,
    /// The token for each ratchet of the schema; `None` where the write leaves its group alone.
    pub(crate) tokens: Vec<Option<Token>>,
    /// The fence, where the entity has one; `None` where the write leaves it alone.
    pub(crate) fence: Option<u64>,
    /// The tombstone to be purged, as it was read.
    pub(crate) tombstone: Option<Item>,
    /// What is to be unchanged since it was read.
    pub(crate) image: Option<Arc<Image>>,
    /// What it expects of the version, where there is one.
    pub(crate) expected: Option<Expected>,
    /// Its name, where it leaves one.
    pub(crate) write_id: Option<String>,
    /// What its changes demand.
    pub(crate) guards: Vec<Guard>,
    /// What is kept of its idempotency key.
    pub(crate) key: Option<Blob>,
    /// Whether the key has a row already, which the item does not tell.
    pub(crate) is_known: bool,
    /// What the keys in the item are taken to be like.
    pub(crate) phase: Phase,
}

impl Write {
    /// The version that the write stores; of an unchecked one, only DynamoDB knows.
    pub(crate) fn next(&self) -> Option<u64> {
        self.expected.and_then(Expected::next)
    }
}

/// What a write of a versioned entity expects to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// No item. The numbers go on behind this one: 0, unless a history knows of earlier ones.
    New(u64),
    /// The item of this version, which counts as absent: a create goes on with its numbers.
    Dead(u64),
    /// The item of this version; 0 if it has none.
    Loaded(u64),
    /// The item of this version, which another program has made, and whose history has later numbers: they go on behind the
    /// last one. Whether it counts as absent.
    Behind { found: u64, last: u64, is_dead: bool },
    /// Any item.
    Unchecked,
}

impl Expected {
    /// The version that is there before the write, where the write says it.
    pub(crate) fn base(self) -> Option<u64> {
        match self {
            Self::New(base) | Self::Dead(base) | Self::Loaded(base) | Self::Behind { found: base, .. } => Some(base),
            Self::Unchecked => None,
        }
    }

    /// The last number that is given, where the write says it: that of what is there, unless the history has later ones.
    pub(crate) fn last(self) -> Option<u64> {
        match self {
            Self::Behind { last, .. } => Some(last),
            _ => self.base(),
        }
    }

    /// The version that the write stores, where the write says it.
    pub(crate) fn next(self) -> Option<u64> {
        // The last one of all has no next: `Version::check` refuses to write it.
        Some(self.last()?.saturating_add(1))
    }

    /// Whether the item that is there counts as absent: then a create goes on with its numbers.
    pub(crate) fn is_dead(self) -> bool {
        matches!(self, Self::Dead(_) | Self::Behind { is_dead: true, .. })
    }
}

/// What an update takes the keys in the item to be like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Its key is added: the list has room, or the set is of this turn.
    #[default]
    Adding,
    /// Its key takes the place of the oldest in a full list, or of all those of an earlier turn.
    Replacing,
}

/// What a rule contributes. Each default says: nothing.
pub(super) trait Rule {
    /// What the write demands of the item that is there.
    fn condition(&self, _write: &Write) -> Option<Node> {
        None
    }

    /// What the write demands besides, if it has a condition anyway: given the terms so far, and whether the caller's own
    /// condition is to join them.
    fn demanded(&self, _write: &Write, _others: &[Node], _own: bool) -> Option<Node> {
        None
    }

    /// What the write adds to the item or to the update.
    fn assign(&self, _write: &Write, _assign: &mut dyn FnMut(Path, Action)) {}

    /// Given the item that was there when the write was refused: the reasons this rule had.
    fn refused(&self, _write: &Write, _item: Option<&Item>, _reasons: &mut Vec<Reason>) {}
}
