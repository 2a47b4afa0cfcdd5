//! The head of a lane: the one item by which a transaction is decided, and what it says of tickets.
//!
//! Its numbers only grow, and it is never removed (M3). So whatever it has once said of a ticket, but that it is open, it says for
//! ever.

use super::participant_list::{Participants, participants_of};
use super::transaction_id::{Ticket, end_of_epoch, epoch};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::shown::value;
use crate::error::{Error, ErrorKind};
use aws_sdk_dynamodb::types::{AttributeValue, ScalarAttributeType};
use std::collections::BTreeMap;

/// The attributes of the lane table.
pub(crate) mod lane {
    /// Its partition key: the lane's name.
    pub(crate) const LANE: &str = "lane";
    /// Its sort key: the head, or a page of participants.
    pub(crate) const PART: &str = "part";
    /// When DynamoDB may remove a page.
    pub(crate) const TTL: &str = "ttl";
    /// The head's sort key.
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
    /// What an intent sets, in a page of its own.
    pub(crate) const SET: &str = "set";
    pub(crate) const EPOCHS: &str = "epochs";
}

/// The keys of the lane table.
pub(crate) const LANE_TABLE_KEYS: &[(&str, ScalarAttributeType)] =
    &[(lane::LANE, ScalarAttributeType::S), (lane::PART, ScalarAttributeType::S)];

/// Its TTL attribute.
pub(crate) const LANE_TABLE_TTL: &str = lane::TTL;

/// The head of a lane, as it was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    pub(crate) lane: String,
    /// What the lane was given when it was made.
    pub(crate) born: String,
    /// The last ticket that was committed, and which try it was; 0 and nothing, if none was.
    pub(crate) committed: Committed,
    /// All tickets up to this one are void but the one that is committed.
    pub(crate) void: u64,
    pub(crate) owner: String,
    /// When its owner last wrote it, by the owner's clock: for who takes whom for dead, and for nothing else.
    pub(crate) beat: EpochMillis,
    /// The items of the committed ticket, as long as they need not all be as it has made them.
    pub(crate) unfinished: Option<Unfinished>,
    /// What was committed last when each of the last epochs ended.
    pub(crate) epochs: BTreeMap<u64, Committed>,
}

/// A number that was committed, and the try that it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Committed {
    pub(crate) number: u64,
    pub(crate) nonce: String,
}

/// Where the items of a ticket are named.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unfinished {
    pub(crate) of: u64,
    pub(crate) named: Named,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Named {
    /// Here.
    Inline(Participants),
    /// In so many pages.
    Pages(u64),
}

/// What has become of a ticket, for whoever meets its intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing yet.
    Open,
    /// What it intends is to be made.
    Committed,
    /// It is not to be made: the ticket is void, or whatever it was to do has been done.
    Dead,
}

/// What has become of a ticket, for whoever has sent its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Open,
    Committed,
    Void,
    /// Nothing tells any more.
    Unknown,
}

impl Head {
    /// The head in an item of the lane table.
    pub(crate) fn read(item: &Item) -> Result<Self, Error> {
        let name = item.get(lane::LANE).and_then(|lane| lane.as_s().ok()).cloned().unwrap_or_default();
        Self::parse(item).ok_or_else(|| {
            Error::new(
                ErrorKind::Decode,
                format!("the item `{}` of the lane table is no lane: look at who has written it", value(&name)),
            )
        })
    }

    fn parse(item: &Item) -> Option<Self> {
        let text = |name: &str| item.get(name)?.as_s().ok().cloned();
        let nonce = match item.get(lane::TRY) {
            None => String::new(),
            Some(nonce) => nonce.as_s().ok()?.clone(),
        };
        let unfinished = match item.get(lane::OF) {
            None => None,
            Some(of) => Some(Unfinished {
                of: number_of(of)?,
                named: match (item.get(lane::PARTICIPANTS), item.get(lane::PAGES)) {
                    (Some(participants), None) => Named::Inline(participants_of(participants)?),
                    (None, Some(pages)) => Named::Pages(number_of(pages)?),
                    _ => return None,
                },
            }),
        };
        let epochs = item.get(lane::EPOCHS)?.as_m().ok()?.iter();
        Some(Self {
            lane: text(lane::LANE)?,
            born: text(lane::BORN)?,
            committed: Committed { number: number_of(item.get(lane::COMMITTED)?)?, nonce },
            void: number_of(item.get(lane::VOID)?)?,
            owner: text(lane::OWNER)?,
            beat: EpochMillis::new(item.get(lane::BEAT)?.as_n().ok()?.parse().ok()?),
            unfinished,
            epochs: epochs
                .map(|(epoch, ended)| Some((epoch.parse().ok()?, Committed::of(ended)?)))
                .collect::<Option<_>>()?,
        })
    }

    /// The largest number that is decided.
    pub(crate) fn reached(&self) -> u64 {
        self.committed.number.max(self.void)
    }

    /// What is to be done with an intent of this ticket. A ticket of another birth mark is of another lane (M2). One of numbers
    /// that no owner has reached is nobody's: to take it for one would void all that come before it (M4).
    pub(crate) fn status(&self, ticket: &Ticket) -> Result<Status, Error> {
        let number = ticket.number;
        if self.born != ticket.born {
            return Err(missing(ticket));
        }
        if self.is_committed(ticket) {
            return Ok(Status::Committed);
        }
        if self.reached() >= number {
            return Ok(Status::Dead);
        }
        if number >= end_of_epoch(self.reached()) {
            return Err(Error::new(
                ErrorKind::Decode,
                format!(
                    "its `_x` names a number that its lane has not come to, `{}`, so that it is left as it is: restore the lane table and the items to one moment, or look at who has written it",
                    value(&ticket.to_string())
                ),
            ));
        }
        Ok(Status::Open)
    }

    /// What has become of a ticket of one's own whose commit was sent (M17).
    pub(crate) fn fate(&self, ticket: &Ticket) -> Fate {
        let number = ticket.number;
        if self.born != ticket.born {
            return Fate::Unknown;
        }
        if self.is_committed(ticket) {
            return Fate::Committed;
        }
        if epoch(number) == epoch(self.reached()) {
            return match () {
                // Behind it, nothing is committed before it is known what became of it. Only who has the same memory could.
                () if self.committed.number > number => Fate::Unknown,
                () if self.reached() >= number => Fate::Void,
                () => Fate::Open,
            };
        }
        match self.epochs.get(&epoch(number)) {
            Some(last) if last.number == number && last.nonce == ticket.nonce => Fate::Committed,
            Some(last) if last.number > number => Fate::Unknown,
            Some(_) => Fate::Void,
            None => Fate::Unknown,
        }
    }

    /// The number alone does not tell (M1).
    fn is_committed(&self, ticket: &Ticket) -> bool {
        self.committed.number == ticket.number && self.committed.nonce == ticket.nonce
    }
}

impl Committed {
    fn of(value: &AttributeValue) -> Option<Self> {
        let members = value.as_m().ok()?;
        let nonce = members.get(lane::TRY).map_or(Some(String::new()), |nonce| nonce.as_s().ok().cloned())?;
        Some(Self { number: number_of(members.get(lane::COMMITTED)?)?, nonce })
    }

    pub(crate) fn value(&self) -> AttributeValue {
        let nonce = (!self.nonce.is_empty()).then(|| (lane::TRY.to_owned(), AttributeValue::S(self.nonce.clone())));
        let number = (lane::COMMITTED.to_owned(), number(self.number));
        AttributeValue::M(std::iter::once(number).chain(nonce).collect())
    }
}

/// The error of an item whose intent names a lane that is not there.
pub(crate) fn missing(ticket: &Ticket) -> Error {
    Error::new(
        ErrorKind::LaneMissing,
        format!(
            "a transaction holds the item by `_x`, on the lane `{}`, which is not in this repository's lane table: name the one that its writers have, with `with_lane_table`, or restore it",
            value(&ticket.lane)
        ),
    )
}

pub(crate) fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub(crate) fn number_of(value: &AttributeValue) -> Option<u64> {
    value.as_n().ok()?.parse().ok()
}
