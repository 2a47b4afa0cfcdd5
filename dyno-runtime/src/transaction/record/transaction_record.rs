//! The transaction record: the lane row, whose numbers say which attempts on the lane are committed and which are aborted.
//!
//! The numbers only grow, and the row is never deleted (M3). So *committed* and *aborted* are final.

use super::participant_list::{Participants, read_participants};
use super::transaction_id::{TransactionId, end_of_epoch, epoch};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::foreign_text::value;
use crate::error::{Error, ErrorKind};
use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType};
use std::collections::BTreeMap;

/// The attributes of the lane table.
pub(crate) mod lane {
    /// The partition key: the name of the lane.
    pub(crate) const LANE: &str = "lane";
    /// The sort key, which tells the lane row from the lane's pages.
    pub(crate) const PART: &str = "part";
    /// The time after which DynamoDB may delete a page.
    pub(crate) const TTL: &str = "ttl";
    /// The sort key of the lane row.
    pub(crate) const HEAD: &str = "#";

    pub(crate) const BORN: &str = "born";
    pub(crate) const COMMITTED: &str = "committed";
    pub(crate) const TRY: &str = "try";
    pub(crate) const VOID: &str = "void";
    pub(crate) const OWNER: &str = "owner";
    pub(crate) const BEAT: &str = "beat";
    pub(crate) const OF: &str = "of";
    pub(crate) const PARTICIPANTS: &str = "participants";
    pub(crate) const PAGES: &str = "pages";
    /// The attributes that an intent sets, in a page.
    pub(crate) const SET: &str = "set";
    pub(crate) const EPOCHS: &str = "epochs";
}

/// The key attributes of the lane table.
pub(crate) const LANE_TABLE_KEYS: &[(&str, ScalarAttributeType)] =
    &[(lane::LANE, ScalarAttributeType::S), (lane::PART, ScalarAttributeType::S)];

/// The TTL attribute of the lane table.
pub(crate) const LANE_TABLE_TTL: &str = lane::TTL;

/// A lane row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TransactionRecord {
    pub(crate) lane: String,
    /// The birth mark: random bits, drawn when the lane was created.
    pub(crate) born: String,
    /// The last attempt that committed. Before the first commit, it has the number 0 and no nonce.
    pub(crate) committed: Committed,
    /// Every attempt up to this number is aborted, except the committed one.
    pub(crate) void: u64,
    pub(crate) owner: String,
    /// The time of the owner's last write, by the owner's clock. Other processes only decide by it how long they wait.
    pub(crate) beat: EpochMillis,
    /// The participants of the committed attempt, unless all of them are known to be rolled forward.
    pub(crate) unfinished: Option<Unfinished>,
    /// The last commit of each recent epoch, by epoch.
    pub(crate) epochs: BTreeMap<u64, Committed>,
}

/// A committed attempt of a lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Committed {
    pub(crate) number: u64,
    pub(crate) nonce: String,
}

/// The list of participants of a committed attempt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unfinished {
    /// The number of the attempt.
    pub(crate) number: u64,
    pub(crate) listed_in: ListedIn,
}

/// The place of a list of participants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ListedIn {
    LaneRow(Participants),
    /// So many pages.
    Pages(u64),
}

/// The state of an attempt, for a process that found one of its intents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Neither committed nor aborted.
    Open,
    /// The intent must be rolled forward.
    Committed,
    /// The attempt is aborted, or all of its intents were rolled forward. Either way, the intent must be rolled back.
    Dead,
}

/// The state of an attempt, for the coordinator that sent its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Open,
    Committed,
    Aborted,
    /// The lane row does not show whether the attempt is committed.
    Unknown,
}

impl TransactionRecord {
    /// Reads the lane row from an item of the lane table.
    pub(crate) fn read(item: &Item) -> Result<Self, Error> {
        let name = item.get(lane::LANE).and_then(|lane| lane.as_s().ok()).cloned().unwrap_or_default();
        Self::parse(item).ok_or_else(|| {
            Error::new(
                ErrorKind::Decode,
                format!("the item `{}` of the lane table is not a lane: find the program that wrote it", value(&name)),
            )
        })
    }

    fn parse(item: &Item) -> Option<Self> {
        let text = |name: &str| item.get(name)?.as_s().ok().cloned();
        let unfinished = match item.get(lane::OF) {
            None => None,
            Some(of) => Some(Unfinished {
                number: read_number(of)?,
                listed_in: match (item.get(lane::PARTICIPANTS), item.get(lane::PAGES)) {
                    (Some(participants), None) => ListedIn::LaneRow(read_participants(participants)?),
                    (None, Some(pages)) => ListedIn::Pages(read_number(pages)?),
                    _ => return None,
                },
            }),
        };
        let epochs = item.get(lane::EPOCHS)?.as_m().ok()?.iter();
        Some(Self {
            lane: text(lane::LANE)?,
            born: text(lane::BORN)?,
            committed: Committed::read(item)?,
            void: read_number(item.get(lane::VOID)?)?,
            owner: text(lane::OWNER)?,
            beat: EpochMillis::new(item.get(lane::BEAT)?.as_n().ok()?.parse().ok()?),
            unfinished,
            epochs: epochs
                .map(|(epoch, ended)| Some((epoch.parse().ok()?, Committed::read(ended.as_m().ok()?)?)))
                .collect::<Option<_>>()?,
        })
    }

    /// The ID of the last attempt that committed.
    pub(crate) fn committed_id(&self) -> TransactionId {
        let (lane, born, Committed { number, nonce }) = (self.lane.clone(), self.born.clone(), self.committed.clone());
        TransactionId { lane, born, number, nonce }
    }

    /// The largest number that is committed or aborted.
    pub(crate) fn last_decided(&self) -> u64 {
        self.committed.number.max(self.void)
    }

    /// Returns the state of the attempt whose intent was found. Another birth mark means another lane (M2). A number beyond the
    /// owner's epoch belongs to no attempt. To abort it would abort all attempts before it as well, so it is an error (M4).
    pub(crate) fn status(&self, transaction_id: &TransactionId) -> Result<Status, Error> {
        let number = transaction_id.number;
        if self.born != transaction_id.born {
            return Err(lane_missing(transaction_id));
        }
        if self.is_committed(transaction_id) {
            return Ok(Status::Committed);
        }
        if self.last_decided() >= number {
            return Ok(Status::Dead);
        }
        if number >= end_of_epoch(self.last_decided()) {
            let message = format!(
                "the item's `_x` names an attempt that its lane has not reached, `{}`, so dyno leaves the item unchanged: restore the lane table and the items to the same moment, or find the program that wrote it",
                value(&transaction_id.to_string())
            );
            return Err(Error::new(ErrorKind::Decode, message));
        }
        Ok(Status::Open)
    }

    /// Returns the state of the coordinator's own attempt, after its commit was sent (M17).
    pub(crate) fn fate(&self, transaction_id: &TransactionId) -> Fate {
        let number = transaction_id.number;
        if self.born != transaction_id.born {
            return Fate::Unknown;
        }
        if self.is_committed(transaction_id) {
            return Fate::Committed;
        }
        if epoch(number) == epoch(self.last_decided()) {
            return match () {
                // The owner itself commits no later attempt before it knows whether this one is committed. So another process
                // with a copy of the owner's memory did.
                () if self.committed.number > number => Fate::Unknown,
                () if self.last_decided() >= number => Fate::Aborted,
                () => Fate::Open,
            };
        }
        match self.epochs.get(&epoch(number)) {
            Some(last) if last.number == number && last.nonce == transaction_id.nonce => Fate::Committed,
            Some(last) if last.number > number => Fate::Unknown,
            Some(_) => Fate::Aborted,
            None => Fate::Unknown,
        }
    }

    /// Whether this attempt is the last one that committed. The number alone does not prove it (M1).
    fn is_committed(&self, transaction_id: &TransactionId) -> bool {
        self.committed.number == transaction_id.number && self.committed.nonce == transaction_id.nonce
    }
}

impl Committed {
    /// Reads the last commit from a lane row, or from an entry of `epochs`.
    fn read(members: &Item) -> Option<Self> {
        let nonce = members.get(lane::TRY).map_or(Some(String::new()), |nonce| nonce.as_s().ok().cloned())?;
        Some(Self { number: read_number(members.get(lane::COMMITTED)?)?, nonce })
    }

    pub(crate) fn value(&self) -> AttributeValue {
        let nonce = (!self.nonce.is_empty()).then(|| (lane::TRY.to_owned(), AttributeValue::S(self.nonce.clone())));
        let number = (lane::COMMITTED.to_owned(), number_value(self.number));
        AttributeValue::M(std::iter::once(number).chain(nonce).collect())
    }
}

/// Returns the error of an item whose intent names a lane that does not exist.
pub(crate) fn lane_missing(transaction_id: &TransactionId) -> Error {
    let message = format!(
        "a client-side transaction holds the item (its `_x` names the lane `{}`), and this repository's lane table lacks that lane: name the lane table of the item's writers with `with_lane_table`, or restore it",
        value(&transaction_id.lane)
    );
    Error::new(ErrorKind::LaneMissing, message)
}

pub(crate) fn number_value(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub(crate) fn read_number(value: &AttributeValue) -> Option<u64> {
    value.as_n().ok()?.parse().ok()
}
