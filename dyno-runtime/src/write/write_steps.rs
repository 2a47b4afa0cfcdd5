//! The data of one step of a write: what is known before it, the request or read that comes next, DynamoDB's denial, and the end.
//!
//! `compose` and `verdict` compute steps and send nothing. `drive_writes` carries them out.

use super::rows_to_send::Rows;
use super::unique_values::Holders;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::Repeat;
use crate::expression::Node;
use crate::read::HistoryTable;
use crate::rule;
use crate::rule::{Claim, Expected, Moot, Phase, RawRevision, Reason, Verb, Write};
use crate::schema::{Schema, Tables};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use std::collections::HashMap;

/// A row that may have been read: `None` if it has not, `Some(None)` if it does not exist.
pub(crate) type Known<T> = Option<Option<T>>;

/// The state of a write between its steps. Reads are discarded when a request is sent, because other writers may have written
/// since.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    /// The version that the next request expects; `None` until a step has decided it.
    pub(crate) expected: Option<Expected>,
    /// `true` if the history already has the number that the last request would have stored. Then the next step reads the newest
    /// number again.
    pub(crate) is_number_taken: bool,
    /// The assumed state of the idempotency keys in the item.
    pub(crate) phase: Phase,
    pub(crate) item: Known<Item>,
    /// The newest revision in the history.
    pub(crate) newest: Known<RawRevision>,
    /// Whether the idempotency key has a row; `None` if it was not read.
    pub(crate) key_row: Option<bool>,
    /// Rows of the history, by number, as they were read; `None` if there was none.
    pub(crate) revisions: HashMap<u64, Option<HistoryRow>>,
    /// The holders of the guards that the write claims, as denials have shown them. They stay, because the next request requires
    /// that they are still the holders.
    pub(crate) holders: Holders,
}

/// A row of the history.
#[derive(Clone, Debug)]
pub(crate) struct HistoryRow {
    pub(crate) revision: RawRevision,
    /// `true` if this write has just put the row, so that its TTL begins now.
    pub(crate) is_fresh: bool,
}

impl Knowledge {
    /// Returns the item, if it was read and exists.
    pub(crate) fn item(&self) -> Option<&Item> {
        self.item.as_ref()?.as_ref()
    }

    /// Discards what may change while a request is under way. Existing rows of the history stay.
    pub(crate) fn discard_reads(&mut self) {
        (self.item, self.newest, self.key_row, self.is_number_taken) = (None, None, None, false);
        self.revisions.retain(|_, row| row.is_some());
    }

    /// Notes the row that was read for this number.
    pub(crate) fn learn_revision(&mut self, number: u64, row: Option<Item>) -> Result<(), Error> {
        let revision = row.map(RawRevision::read).transpose()?;
        self.revisions.insert(number, revision.map(|revision| HistoryRow { revision, is_fresh: false }));
        Ok(())
    }

    /// Notes who holds the guards, as a denial has shown it. A row of another program has no holder.
    pub(crate) fn learn_holders(&mut self, schema: &Schema, claims: &[Claim], denial: &Denial) {
        for (claim, denied) in claims.iter().zip(&denial.claims) {
            if let Some(guard) = &denied.guard {
                let holder = guard.as_ref().and_then(|row| rule::holder(schema, row).ok());
                self.holders.insert(claim.guard.clone(), holder);
            }
        }
    }

    /// Prepares the next request after a denial.
    pub(crate) fn apply(&mut self, retry: Retry) {
        match retry {
            Retry::Renumbered(expected, item) => (self.expected, self.item) = (Some(expected), item),
            Retry::NumberTaken => {
                self.discard_reads();
                (self.expected, self.is_number_taken) = (None, true);
            }
            Retry::OtherPhase(phase) => self.phase = phase,
            Retry::ItemChanged(item) => self.item = Some(item),
            // The holders were learned with the denial.
            Retry::OtherHolder => {}
            Retry::Locked(_) => {
                let is_number_taken = self.is_number_taken;
                self.discard_reads();
                self.is_number_taken = is_number_taken;
            }
        }
    }
}

/// The other request attempts of a write, those of its clones included. A sample: attempts of clones may begin or end at the next
/// `await`.
#[derive(Clone, Debug, Default)]
pub(crate) struct OtherAttempts {
    /// `true` if one of them may have been applied.
    pub(crate) may_be_applied: bool,
    /// The versions that they expected, in the order of the attempts.
    pub(crate) expectations: Vec<Expected>,
}

/// The input of a step besides the command. Only `known` and `attempts` change from step to step.
pub(crate) struct StepInput<'a> {
    pub(crate) known: &'a Knowledge,
    pub(crate) attempts: &'a OtherAttempts,
    pub(crate) schema: &'static Schema,
    pub(crate) tables: &'a Tables,
    /// The history of the entity, if the write takes part in one.
    pub(crate) history: Option<&'a HistoryTable<'a>>,
    /// The time of the write, fixed before its first attempt.
    pub(crate) now: EpochMillis,
    pub(crate) send_as: &'a SendAs,
}

impl StepInput<'_> {
    /// Returns the version of an item, 0 if it has none yet; `None` if the attribute holds no version, or the entity has no
    /// versions.
    pub(crate) fn version(&self, item: &Item) -> Option<u64> {
        self.schema.version.as_ref()?.of(item)
    }

    /// Returns `true` if an item lacks the write id that every write of dyno leaves: another program has put the item.
    pub(crate) fn is_foreign(&self, item: &Item) -> bool {
        self.schema.write_id.as_ref().is_some_and(|write_id| !write_id.is_in(item))
    }

    /// Returns `true` if one write made both images.
    pub(crate) fn is_of_one_write(&self, one: &Item, other: &Item) -> bool {
        rule::is_of_one_write(self.schema, one, other)
    }
}

/// The form in which a write is sent.
#[derive(Debug)]
pub(crate) enum SendAs {
    /// A request of its own, which returns this of the item.
    Single(Option<ReturnValue>),
    /// An action of a native transaction.
    Action,
}

/// A write whose request was composed, with everything that its verdict needs after a denial.
#[derive(Clone, Debug)]
pub(crate) struct ComposedWrite {
    pub(crate) write: Write,
    /// `true` if the caller gave it a condition.
    pub(crate) is_conditional: bool,
    /// The places that the request was tailored to: indexes of list elements, and attributes that may hold NULL.
    pub(crate) tailored_paths: Vec<String>,
    /// The kind of the row that the same request puts, if it puts one.
    pub(crate) companion: Option<Companion>,
    /// The conditions that other actions of the same transaction have on the item, because they claim unique values whose guards it
    /// holds.
    pub(crate) beside: Vec<Node>,
    /// The version and the write id of the item that the caller loaded.
    pub(crate) loaded_identity: Option<(u64, Option<AttributeValue>)>,
    pub(crate) repeat: Repeat,
}

impl ComposedWrite {
    /// Returns the version that the write stores, if it stores one that is known before the answer.
    pub(crate) fn version(&self) -> Option<u64> {
        let writes = !matches!(self.write.verb, Verb::Check { .. });
        self.write.next().filter(|_| writes)
    }
}

/// The kind of a row that is put in one transaction with a write, before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Companion {
    /// The revision that the write makes.
    NewRevision,
    /// The revision that the write supersedes.
    SupersededRevision,
    /// The row of the write's idempotency key.
    DedupKey,
}

/// A row that must be in the history before the write is sent. It applies no part of the write itself.
#[derive(Clone, Debug)]
pub(crate) struct RevisionPut {
    pub(crate) revision: RawRevision,
    /// `true` if the row exists and is put once more, so that its TTL begins again.
    pub(crate) is_stored: bool,
}

/// A consistent read that a step needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    Item,
    /// The newest revision. The item is read again after it, because only that order proves that a missing item was deleted.
    NewestBeforeItem,
    /// The newest revision, for the item that is known.
    NewestAfterItem,
    Revision(u64),
    KeyRow,
}

/// DynamoDB's answer to a write whose condition did not hold: each row whose condition failed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Denial {
    /// The stored item, if the write's own condition failed.
    pub(crate) item: Known<Item>,
    /// The row at the companion's key, if the companion's condition failed.
    pub(crate) companion: Known<Item>,
    /// The rows of the claims, in their order; empty if the write claims nothing.
    pub(crate) claims: Vec<ClaimDenial>,
}

/// DynamoDB's answer to the claim of a unique value.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaimDenial {
    /// The guard's row, if its condition failed.
    pub(crate) guard: Known<Item>,
    /// The item of the guard's holder, if the check of it failed.
    pub(crate) holder: Known<Item>,
}

impl ClaimDenial {
    fn is_some(&self) -> bool {
        self.guard.is_some() || self.holder.is_some()
    }
}

impl Denial {
    /// Returns the denial that this item would cause.
    pub(crate) fn of_item(item: Option<Item>) -> Self {
        Self { item: Some(item), ..Self::default() }
    }

    /// Returns `true` if a condition failed.
    pub(crate) fn is_some(&self) -> bool {
        self.item.is_some() || self.companion.is_some() || self.claims.iter().any(ClaimDenial::is_some)
    }

    /// Returns `true` if only claims of unique values were denied.
    pub(crate) fn is_of_claims_only(&self) -> bool {
        self.item.is_none() && self.companion.is_none() && self.is_some()
    }
}

/// The next step of a write that is to be sent.
#[derive(Debug)]
pub(crate) enum Next {
    /// Sends this request. Boxed, because both are moved several times.
    Send(Box<ComposedWrite>, Box<Rows>),
    /// Puts this row before the write.
    PutRevision(RevisionPut),
    /// The write is judged without a request.
    Judged(Judgement),
}

/// The next step after a denial, or after a decision that needs no request.
#[derive(Debug)]
pub(crate) enum Judgement {
    /// This must be read first.
    Read(Read),
    Retry(Retry),
    /// No rule is against the write.
    Unopposed,
    End(Conclusion),
}

/// How a write that was not applied is composed again.
#[derive(Debug, PartialEq)]
pub(crate) enum Retry {
    /// With another expected version, and the item if the denial returned it.
    Renumbered(Expected, Known<Item>),
    /// With numbers that are read anew.
    NumberTaken,
    /// For idempotency keys in this state.
    OtherPhase(Phase),
    /// For this item, because a list element or a NULL is no longer where the request assumed it.
    ItemChanged(Option<Item>),
    /// With other holders of the guards of its unique values.
    OtherHolder,
    /// After the transaction that holds this item has ended.
    Locked(Box<Item>),
}

impl Retry {
    /// Returns the retry of a write that met a transaction's intent in this item.
    pub(crate) fn locked(item: Option<&Item>) -> Self {
        Self::Locked(Box::new(item.cloned().unwrap_or_default()))
    }
}

/// The end of a write.
#[derive(Debug, PartialEq)]
pub(crate) enum Conclusion {
    /// The write was applied, by this or by an earlier attempt. `version` is the one that it stored.
    Applied { version: Option<u64>, item: Option<Item> },
    Refused {
        reasons: Vec<Reason>,
        moot: Moot,
        item: Option<Item>,
        /// `true` if no other attempt can be applied any more: see `rule::lasts`.
        is_lasting: bool,
    },
    /// An attempt may have been applied, and neither the item nor the history proves it.
    InDoubt,
}

/// The decision about a write.
pub(crate) enum Decided {
    Ended(Box<Conclusion>),
    /// It is composed again.
    Retry(Box<Retry>),
}
