//! One step of a write, as data: what is known, what is to be sent, what DynamoDB said, and what comes next.
//!
//! `compose` and `verdict` make steps of these, and send nothing; `drive_writes` takes the steps.

use super::rows_to_send::Rows;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::Repeat;
use crate::read::Table;
use crate::rule;
use crate::rule::{Expected, Moot, Phase, RawRevision, Reason, Verb, Write};
use crate::schema::{Schema, Tables};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use std::collections::BTreeMap;

/// Not known; known that nothing is there; this.
pub(crate) type Known<T> = Option<Option<T>>;

/// What is known of what a write meets. What was read is forgotten once something is sent: others may have written since.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    /// The numbers that the write goes on with.
    pub(crate) expected: Option<Expected>,
    /// Whether the numbers that it had are taken, so that they are asked for anew.
    pub(crate) is_taken: bool,
    /// What the idempotency keys in the item are taken to be like.
    pub(crate) phase: Phase,
    pub(crate) item: Known<Item>,
    /// The newest revision in the history.
    pub(crate) newest: Known<RawRevision>,
    /// Whether the idempotency key has a row.
    pub(crate) key_row: Option<bool>,
    /// Rows of the history, by their numbers. What is there stays there.
    pub(crate) rows: BTreeMap<u64, Option<Row>>,
}

/// A row of the history.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) revision: RawRevision,
    /// Whether this write has put it, so that it is kept for long enough.
    pub(crate) is_fresh: bool,
}

impl Knowledge {
    /// The item, if it is known and there is one.
    pub(crate) fn item(&self) -> Option<&Item> {
        self.item.as_ref()?.as_ref()
    }

    /// Something is sent now.
    pub(crate) fn fade(&mut self) {
        (self.item, self.newest, self.key_row, self.is_taken) = (None, None, None, false);
        self.rows.retain(|_, row| row.is_some());
    }

    /// Learns the row of this number.
    pub(crate) fn learn_revision(&mut self, number: u64, row: Option<Item>) -> Result<(), Error> {
        let revision = row.map(RawRevision::read).transpose()?;
        self.rows.insert(number, revision.map(|revision| Row { revision, is_fresh: false }));
        Ok(())
    }

    /// The write is to go on like this.
    pub(crate) fn follow(&mut self, again: Again) {
        match again {
            Again::Numbers(expected, item) => (self.expected, self.item) = (Some(expected), item),
            Again::Taken => {
                self.fade();
                (self.expected, self.is_taken) = (None, true);
            }
            Again::Phase(phase) => self.phase = phase,
            Again::Shifted(item) => self.item = Some(item),
            Again::Held(_) => {
                let is_taken = self.is_taken;
                self.fade();
                self.is_taken = is_taken;
            }
        }
    }
}

/// What other attempts of a write have done, of its clones, too: a sample, which the next `await` makes old.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tried {
    /// Whether one of them may have been applied.
    pub(crate) is_open: bool,
    /// What they expected of the version, one after the other.
    pub(crate) reached: Vec<Expected>,
}

/// All that a step is given besides the write. Only what is known, and what was tried, changes while a write lives.
pub(crate) struct Frame<'a> {
    pub(crate) known: &'a Knowledge,
    pub(crate) tried: &'a Tried,
    pub(crate) schema: &'static Schema,
    pub(crate) tables: &'a Tables,
    /// Where the entity's revisions are, if it has any.
    pub(crate) history: Option<&'a Table<'a>>,
    /// Fixed before the first attempt.
    pub(crate) now: EpochMillis,
    pub(crate) setting: &'a Setting,
}

impl Frame<'_> {
    /// The version of an item, 0 if it has none; `None` if what it has is none, or there are no versions.
    pub(crate) fn version(&self, item: &Item) -> Option<u64> {
        self.schema.version.as_ref()?.of(item)
    }

    /// Whether an item lacks the name that every write leaves.
    pub(crate) fn is_foreign(&self, item: &Item) -> bool {
        self.schema.write_id.as_ref().is_some_and(|write_id| !write_id.is_in(item))
    }

    /// Whether two images are of one write.
    pub(crate) fn is_of_one_write(&self, one: &Item, other: &Item) -> bool {
        rule::is_of_one_write(self.schema, one, other)
    }
}

/// How a write is sent.
#[derive(Debug)]
pub(crate) enum Setting {
    /// By itself. What it is to return of the item.
    Alone(Option<ReturnValue>),
    /// As a part of a transaction.
    Together,
}

/// What a refusal is judged by.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) write: Write,
    /// Whether the caller gave it a condition.
    pub(crate) is_conditional: bool,
    /// Where something is that it was made for: elements of lists, and NULL.
    pub(crate) places: Vec<String>,
    /// What the row in front is, in the same request, if there is one.
    pub(crate) front: Option<Front>,
    /// The version and the name of the item that was loaded, where no history knows of it.
    pub(crate) loaded: Option<(u64, Option<AttributeValue>)>,
    pub(crate) repeat: Repeat,
}

impl Part {
    /// The version that it stores, where the write says it.
    pub(crate) fn version(&self) -> Option<u64> {
        let writes = !matches!(self.write.verb, Verb::Check { .. });
        self.write.next().filter(|_| writes)
    }
}

/// What a row is that goes with a write, all or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    /// The revision that the write makes.
    New,
    /// The one that it supersedes.
    Superseded,
    /// The idempotency key.
    Key,
}

/// A row of the history that is to be there before the write. Of the write itself, it applies nothing.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub(crate) revision: RawRevision,
    /// Whether it is there already, and is put once more, so that it is kept from now on.
    pub(crate) is_there: bool,
}

/// What is to be read before it is known how to go on. All are consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Item,
    /// The newest revision, and the item anew after it.
    Newest,
    /// The newest revision, for the item that is known.
    Ahead,
    Revision(u64),
    KeyRow,
}

/// What DynamoDB says of a write whose condition did not hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Denial {
    /// The item, where it was its own condition.
    pub(crate) item: Known<Item>,
    /// The row that was in the place of the one in front, where it was that one's.
    pub(crate) row: Known<Item>,
}

impl Denial {
    /// What it would say with this item there.
    pub(crate) fn by(item: Option<Item>) -> Self {
        Self { item: Some(item), row: None }
    }
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Next {
    /// This is sent. Boxed: both are moved from hand to hand.
    Send(Box<Part>, Box<Rows>),
    /// This row is put first.
    First(Side),
    Read(Read),
    Again(Again),
    /// Nothing is against it.
    Fine,
    Done(Ended),
}

/// How a write goes on that was not applied.
#[derive(Debug, PartialEq)]
pub(crate) enum Again {
    /// With these numbers, and what is known of the item.
    Numbers(Expected, Known<Item>),
    /// With numbers that are asked for anew.
    Taken,
    /// The idempotency keys in the item are in this phase.
    Phase(Phase),
    /// Made for this item.
    Shifted(Option<Item>),
    /// When no transaction holds the item any more: what was seen there.
    Held(Box<Item>),
}

impl Again {
    /// The write is kept out by what a transaction has placed in this item.
    pub(crate) fn held(item: Option<&Item>) -> Self {
        Self::Held(Box::new(item.cloned().unwrap_or_default()))
    }
}

/// How a write ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Ended {
    /// The version that it stored, and what was shown of the item.
    Applied { version: Option<u64>, item: Option<Item> },
    Refused {
        reasons: Vec<Reason>,
        moot: Moot,
        item: Option<Item>,
        /// Whether no other attempt can be applied any more: see `rule::lasts`.
        lasts: bool,
    },
    /// An attempt may have been applied, and nothing tells any more.
    Unknown,
}
