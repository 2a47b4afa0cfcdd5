//! Numbers the revisions of participants: the row of the history that goes with a change, and whether its number is free.
//!
//! After the commit, the revision can have no other number. So the history is read before the prewrite. While the intent is there,
//! no writer of dyno adds to the item's history.

use super::evaluate_action::{Evaluated, comes};
use super::participant::{OPERATION, Participant};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Priority, Repository};
use crate::read::Table;
use crate::rule;
use crate::rule::{Expected, Moot, RawRevision, Reason, Refused, Verb};
use crate::schema::{Mode, names};
use crate::transaction::closure::Row;
use crate::transaction::native::{RefusedAction, named};
use crate::transaction::record::{RevisionRow, TransactionId, is_of, without};
use crate::transaction::resolve::{Consistency, read_when_free, row, rows};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use std::collections::BTreeMap;

/// The number of histories that are read at once.
const CONCURRENCY: usize = 100;

/// How often the numbers of one item are read again, while other writers add to its history.
const ROUNDS: usize = 16;

/// The answer of a history about a number.
enum HistoryAnswer {
    /// The number is free.
    Free,
    /// The numbers go on from here.
    Behind(Expected),
    /// Another revision has the number.
    Taken(u64),
}

/// What a run needs to read its histories.
#[derive(Clone, Copy)]
pub(crate) struct Histories<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) all: &'a [Row],
    pub(crate) priority: &'a Priority,
    /// The claim that keeps other writers out already.
    pub(crate) claim: Option<&'a TransactionId>,
    pub(crate) now: EpochMillis,
}

impl Histories<'_> {
    /// Gives each participant with a history its revision row. Returns the participants that the history refuses.
    pub(crate) async fn number_all(self, participants: &mut [Participant]) -> Result<Vec<RefusedAction>, Error> {
        let known = known(self.repository, participants, self.priority).await?;
        let open = participants.iter_mut().enumerate().filter(|(_, participant)| participant.history.is_some());
        // Made before they are polled: a stream that made them would not be known to be `Send`.
        let asked: Vec<BoxFuture<'_, _>> = open
            .map(|(at, participant)| -> BoxFuture<'_, _> {
                let known = known.get(&at);
                Box::pin(async move {
                    let (index, entity) = (participant.index, participant.of.entity);
                    let refused = self.record_known(participant, known).await?;
                    Ok::<_, Error>(refused.map(|refused| RefusedAction { index, entity, refused }))
                })
            })
            .collect();
        let (mut refused, mut asked) = (Vec::new(), stream::iter(asked).buffer_unordered(CONCURRENCY));
        while let Some(asked) = asked.next().await {
            refused.extend(asked?);
        }
        Ok(refused)
    }

    /// Gives one participant its revision row, or returns why the history refuses it.
    pub(crate) async fn record_one(self, participant: &mut Participant) -> Result<Option<Refused>, Error> {
        if participant.history.is_none() {
            return Ok(None);
        }
        Box::pin(self.record_known(participant, None)).await
    }
}

/// Whether the histories still lack the rows that these participants are to put, now that all intents are in place and no writer of
/// dyno adds to the histories. An item without a write id, or no item, can look unchanged although others wrote it (M12).
pub(crate) async fn are_free_still(
    repository: &Repository,
    participants: &[Participant],
    priority: &Priority,
) -> Result<bool, Error> {
    let can_be_taken = |participant: &Participant| {
        let id = participant.of.schema.write_id.as_ref();
        let is_named = participant.base.as_ref().is_some_and(|base| id.is_some_and(|id| id.is_in(base)));
        !is_named && participant.revision_row.as_ref().is_some_and(|revision_row| !revision_row.is_superseded)
    };
    let found = found(repository, participants, priority, |participant, _| {
        participant.version.filter(|_| can_be_taken(participant))
    })
    .await?;
    Ok(found.values().all(Option::is_none))
}

/// Reads the rows at which participants are to put a revision. Participants that create an item read the newest row instead.
async fn known(
    repository: &Repository,
    participants: &[Participant],
    priority: &Priority,
) -> Result<BTreeMap<usize, Option<RawRevision>>, Error> {
    let number = |participant: &Participant, table: &Table<'_>| {
        participant.number(table).filter(|_| !participant.is_begun()).map(|number| number.of)
    };
    let found = found(repository, participants, priority, number).await?.into_iter();
    found.map(|(at, row)| Ok((at, row.map(RawRevision::read).transpose()?))).collect()
}

/// Reads the rows of these numbers, all at once, table by table.
async fn found(
    repository: &Repository,
    participants: &[Participant],
    priority: &Priority,
    number: impl Fn(&Participant, &Table<'_>) -> Option<u64>,
) -> Result<BTreeMap<usize, Option<Item>>, Error> {
    let mut tables: BTreeMap<String, (Vec<usize>, Vec<Item>)> = BTreeMap::new();
    for (at, participant) in participants.iter().enumerate() {
        let Some(table) = participant.table(repository) else { continue };
        let Some(number) = number(participant, &table) else { continue };
        let key =
            participant.named(table.key(&participant.at.key, number))?.map(|(name, value)| (name.to_owned(), value));
        let (places, keys) = tables.entry(table.name).or_default();
        places.push(at);
        keys.push(key.into());
    }
    let (caller, mut found) = (Caller { operation: OPERATION, entity: "", priority: Some(priority) }, BTreeMap::new());
    for (table, (places, keys)) in tables {
        found.extend(places.into_iter().zip(rows(repository, caller, &table, &keys, Consistency::Consistent).await?));
    }
    Ok(found)
}

/// The number of a participant's revision, and whether it holds the superseded item.
#[derive(Clone, Copy)]
struct Number {
    of: u64,
    is_superseded: bool,
}

impl Participant {
    fn table<'a>(&self, repository: &'a Repository) -> Option<Table<'a>> {
        let (schema, name) = (self.of.schema, self.history.clone()?);
        Some(Table { schema, history: schema.history.as_ref()?, name, repository })
    }

    /// Returns the number of the revision; `None` if no revision goes with the change.
    fn number(&self, table: &Table<'_>) -> Option<Number> {
        Some(match (table.history.mode, self.expected?) {
            (Mode::Atomic, expected) | (Mode::Ordered, expected @ Expected::New(_)) => {
                Number { of: expected.next()?, is_superseded: false }
            }
            (Mode::Ordered, expected) => Number { of: expected.last()?, is_superseded: true },
        })
    }

    /// Whether the participant creates an item.
    fn is_begun(&self) -> bool {
        matches!(self.expected, Some(Expected::New(_)))
    }

    fn named<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| named(error, self.index, &self.action))
    }
}

impl Histories<'_> {
    async fn record_known(
        &self,
        participant: &mut Participant,
        known: Option<&Option<RawRevision>>,
    ) -> Result<Option<Refused>, Error> {
        let Some(table) = participant.table(self.repository) else { return Ok(None) };
        let (mut known, mut is_begun) = (known.cloned(), false);
        for _ in 0..ROUNDS {
            if participant.is_begun() && !is_begun {
                is_begun = true;
                if let Some(refused) = self.begin(participant, &table).await? {
                    return Ok(Some(refused));
                }
                // There is no row behind the newest one.
                known = participant.is_begun().then_some(None);
                continue;
            }
            let Some(number) = participant.number(&table) else { return Ok(None) };
            let said = match known.take() {
                Some(there) => self.said(participant, &table, number, there).await,
                None => {
                    let there = participant.named(table.row(&participant.at.key, number.of).await)?;
                    let there = there.map(RawRevision::read).transpose();
                    self.said(participant, &table, number, participant.named(there.map_err(Error::from))?).await
                }
            };
            match participant.named(said)? {
                HistoryAnswer::Free => {
                    participant.revision_row = Some(participant.named(self.row(participant, &table, number))?);
                    return Ok(None);
                }
                HistoryAnswer::Taken(version) => return Ok(Some(self.taken(participant, version))),
                HistoryAnswer::Behind(expected) => {
                    is_begun = matches!(expected, Expected::New(_));
                    if let Some(refused) = self.make(participant, Some(expected))? {
                        return Ok(Some(refused));
                    }
                }
            }
        }
        participant.named(Err(given_up()))
    }

    /// Evaluates the action again, with these numbers.
    fn make(&self, participant: &mut Participant, expected: Option<Expected>) -> Result<Option<Refused>, Error> {
        let mut action = participant.action.clone();
        if let Some(expected) = expected {
            action.command.expecting(expected);
        }
        match comes(participant.index, &action, participant.base.as_ref(), &self.all[participant.row], self.now)? {
            Evaluated::Made(made) => participant.become_this(made),
            Evaluated::Same => return participant.named(Err(given_up())),
            Evaluated::Refused(refused) => return Ok(Some(refused)),
        }
        Ok(None)
    }

    /// Numbers the revision of an item that is created: the history may have later numbers than any item.
    async fn begin(&self, participant: &mut Participant, table: &Table<'_>) -> Result<Option<Refused>, Error> {
        let Some(newest) = participant.named(table.newest(&participant.at.key).await)? else { return Ok(None) };
        // The item is read after the history, even if it was read before. Only so does a missing item prove that it was deleted.
        let caller = participant.caller(self.priority);
        let there = participant.named(row(self.repository, caller, &participant.at).await)?;
        let there = match there {
            Some(there) if self.claim.is_some_and(|claim| is_of(Some(&there), claim)) => {
                without(there, &participant.at.key)
            }
            there => read_when_free(self.repository, caller, &participant.at, there).await,
        };
        let there = participant.named(there)?;
        if there.is_some() {
            if participant.is_read {
                // The item was created meanwhile, so its prewrite is refused.
                return self.make(participant, Some(Expected::New(table.last_given(&newest))));
            }
            participant.base = there;
            return self.make(participant, None);
        }
        let mut last = newest.version;
        if table.history.mode == Mode::Ordered && !newest.deleted {
            // The deletion is not in the history yet, because no write has superseded it. If another process puts the same row
            // first, nothing changes.
            last += 1;
            let revision = RawRevision { version: last, deleted: true, image: participant.at.key.clone() };
            let there = participant.named(table.put(revision, self.now).await)?;
            if there.is_some_and(|there| !there.deleted) {
                return participant.named(Err(given_up()));
            }
        }
        self.make(participant, Some(Expected::New(last)))
    }

    /// Returns what the history says about a number, given the row that has it.
    async fn said(
        &self,
        participant: &Participant,
        table: &Table<'_>,
        number: Number,
        there: Option<RawRevision>,
    ) -> Result<HistoryAnswer, Error> {
        let (schema, base) = (participant.of.schema, participant.base.as_ref());
        let is_foreign = base.is_some_and(|base| schema.write_id.as_ref().is_none_or(|id| !id.is_in(base)));
        let is_same =
            |revision: &RawRevision| base.is_some_and(|base| rule::is_of_one_write(schema, &revision.image, base));
        let is_free = there.as_ref().is_none_or(|there| number.is_superseded && is_same(there));
        // The numbers of an item of another program mean nothing, so the newest row says more than the row of its own number.
        if is_free && !(is_foreign && number.is_superseded) {
            return Ok(HistoryAnswer::Free);
        }
        let expected = participant.expected.unwrap_or(Expected::Unchecked);
        let newest = match table.newest(&participant.at.key).await? {
            Some(newest) if is_foreign || participant.is_begun() => newest,
            _ if is_free => return Ok(HistoryAnswer::Free),
            _ => return Ok(HistoryAnswer::Taken(number.of)),
        };
        let last = table.last_given(&newest);
        Ok(match expected {
            Expected::New(_) => HistoryAnswer::Behind(Expected::New(last)),
            Expected::Behind { last: known, .. } if is_free && known >= last => HistoryAnswer::Free,
            _ => match expected.base() {
                Some(found) if newest.version > found || newest.version == found && !is_same(&newest) => {
                    let last = last.saturating_add(u64::from(table.history.mode == Mode::Ordered));
                    HistoryAnswer::Behind(Expected::Behind { found, last, is_dead: expected.is_dead() })
                }
                _ if is_free => HistoryAnswer::Free,
                _ => HistoryAnswer::Taken(number.of),
            },
        })
    }

    /// Returns the revision row, without the item in it.
    fn row(&self, participant: &Participant, table: &Table<'_>, number: Number) -> Result<RevisionRow, Error> {
        let schema = participant.of.schema;
        let [(partition, _), _] = table.key(&participant.at.key, number.of)?;
        let deleted = match (&participant.base, number.is_superseded) {
            (Some(base), true) => rule::is_tombstone(schema, base),
            _ => participant.action.command.verb == Verb::Delete,
        };
        let revision = RawRevision { version: number.of, deleted, image: participant.at.key.clone() };
        let mut row = table.history.row(schema, revision, self.now)?;
        row.remove(names::IMAGE);
        let write_id = schema.write_id.as_ref().map(|id| id.attribute.to_owned()).unwrap_or_default();
        Ok(RevisionRow {
            table: table.name.clone(),
            partition: partition.to_owned(),
            write_id,
            is_superseded: number.is_superseded,
            row,
        })
    }

    /// The refusal of a write whose number another revision has.
    fn taken(&self, participant: &Participant, version: u64) -> Refused {
        let (item, now, context) = (participant.base.clone(), self.now, participant.action.command.context());
        let reasons = vec![Reason::Recorded { version }];
        Refused { reasons, moot: Moot::default(), item, now, context, in_doubt: false }
    }
}

fn given_up() -> Error {
    Error::new(
        ErrorKind::Contended,
        "others add to the history of the item faster than it can be read: send it again later",
    )
}
