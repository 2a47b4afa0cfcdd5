//! Numbers the revisions of participants: which row of the history goes with a change, and whether its number is free.
//!
//! After the commit, the revision can have no other number. So the history is read before the prewrite. While the intent is there,
//! no writer of dyno adds to the item's history. The steps are those of a native write: see [`Prediction`].

use super::evaluate_action::{Evaluated, evaluated};
use super::participant::{OPERATION, Participant};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Caller, Consistency, Priority, Repository, read_rows};
use crate::read::HistoryTable;
use crate::rule::{Expected, Refused};
use crate::transaction::closure::{Predicted, Prediction, Row};
use crate::transaction::native::{RefusedAction, named};
use crate::transaction::record::{TransactionId, is_of, without};
use crate::transaction::resolve::{read_when_free, row};
use crate::write::write_steps::{Knowledge, Read};
use futures_util::future::BoxFuture;
use futures_util::stream::{self, StreamExt as _};
use std::collections::BTreeMap;

/// The number of histories that are read at once.
const CONCURRENCY: usize = 100;

/// How often the numbers of one item are read again, while other writers add to its history.
const ROUNDS: usize = 16;

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

impl<'a> Histories<'a> {
    /// Gives each participant with a history its revision row. Returns the participants that the history refuses.
    pub(crate) async fn number_all(self, participants: &mut [Participant]) -> Result<Vec<RefusedAction>, Error> {
        let mut open = Vec::new();
        for participant in participants {
            open.extend(self.prediction(participant).map(|prediction| (participant, prediction)));
        }
        self.read_first_rows(&mut open).await?;
        // Made before they are polled: a stream that made them would not be known to be `Send`.
        let numbered: Vec<BoxFuture<'_, _>> = open
            .into_iter()
            .map(|(participant, prediction)| -> BoxFuture<'_, _> {
                Box::pin(async move {
                    let (index, entity) = (participant.index, participant.of.entity);
                    let refused = self.number(participant, prediction).await?;
                    Ok::<_, Error>(refused.map(|refused| RefusedAction { index, entity, refused }))
                })
            })
            .collect();
        let (mut refused, mut numbered) = (Vec::new(), stream::iter(numbered).buffer_unordered(CONCURRENCY));
        while let Some(numbered) = numbered.next().await {
            refused.extend(numbered?);
        }
        Ok(refused)
    }

    /// Gives one participant its revision row, or returns why the history refuses it.
    pub(crate) async fn number_one(self, participant: &mut Participant) -> Result<Option<Refused>, Error> {
        match self.prediction(participant) {
            Some(prediction) => Box::pin(self.number(participant, prediction)).await,
            None => Ok(None),
        }
    }

    /// Returns the prediction of a participant's write, if the entity has a history.
    fn prediction(&self, participant: &Participant) -> Option<Prediction<'a>> {
        let row = &self.all[participant.row];
        let mut prediction = Prediction::new(&row.tables, self.now).in_history(participant.history(self.repository)?);
        prediction.known.item = Some(participant.base.clone());
        // The item that is there has a number. Only for a new item must the history be asked.
        prediction.known.expected = participant.expected.filter(|expected| !matches!(expected, Expected::New(_)));
        Some(prediction)
    }

    /// Reads, in batches, the rows at which participants put their revisions. A participant that creates an item reads the newest row
    /// first, and that by itself.
    async fn read_first_rows(&self, open: &mut [(&mut Participant, Prediction<'a>)]) -> Result<(), Error> {
        let mut wanted = Vec::new();
        for (at, (participant, prediction)) in open.iter_mut().enumerate() {
            if let Predicted::Read(Read::Revision(number)) = participant.predict(prediction)? {
                wanted.push((at, number));
            }
        }
        let participants: Vec<(&Participant, u64)> =
            wanted.iter().map(|(at, number)| (&*open[*at].0, *number)).collect();
        let found = revision_rows(self.repository, &participants, self.priority).await?;
        for ((at, number), row) in wanted.into_iter().zip(found) {
            open[at].1.known.learn_revision(number, row)?;
        }
        Ok(())
    }

    async fn number(
        &self,
        participant: &mut Participant,
        mut prediction: Prediction<'a>,
    ) -> Result<Option<Refused>, Error> {
        let Some(table) = participant.history(self.repository) else { return Ok(None) };
        for _ in 0..ROUNDS {
            let learned = match participant.predict(&mut prediction)? {
                Predicted::Outcome(outcome) => {
                    match evaluated(outcome, &participant.action, participant.base.as_ref(), self.now) {
                        Evaluated::Made(made) => participant.become_this(made),
                        Evaluated::Refused(refused) => return Ok(Some(refused)),
                        Evaluated::Same => break,
                    }
                    return Ok(None);
                }
                Predicted::Read(Read::NewestBeforeItem) => {
                    self.learn_newest(participant, &table, &mut prediction.known).await
                }
                Predicted::Read(read) => table.learn(&participant.at.key, read, &mut prediction.known).await,
                Predicted::Put(side) => table.put_revision(side, self.now, &mut prediction.known).await,
            };
            participant.named(learned)?;
        }
        participant.named(Err(given_up()))
    }

    /// Reads the newest revision of an item that is created: the history may have later numbers than any item.
    async fn learn_newest(
        &self,
        participant: &mut Participant,
        table: &HistoryTable<'_>,
        known: &mut Knowledge,
    ) -> Result<(), Error> {
        table.learn(&participant.at.key, Read::NewestBeforeItem, known).await?;
        if let Some(Some(newest)) = &known.newest {
            // The item is read after the history, even if it was read before. Only so does a missing item prove that it was deleted.
            let caller = participant.caller(self.priority);
            let there = match row(self.repository, caller, &participant.at).await? {
                Some(there) if self.claim.is_some_and(|claim| is_of(Some(&there), claim)) => {
                    without(there, &participant.at.key)?
                }
                there => read_when_free(self.repository, caller, &participant.at, there).await?,
            };
            if there.is_some() && participant.is_read {
                // The item was created meanwhile, so its prewrite is refused.
                known.expected = Some(Expected::New(table.last_given(newest)));
            } else if there.is_some() {
                participant.base = there;
            }
        }
        known.item = Some(participant.base.clone());
        Ok(())
    }
}

/// Whether the histories still lack the rows that these participants are to put, now that all intents are in place and no writer of
/// dyno adds to the histories. An item without a write id, or no item, can look unchanged although others wrote it (M12).
pub(crate) async fn are_free_still(
    repository: &Repository,
    participants: &[Participant],
    priority: &Priority,
) -> Result<bool, Error> {
    let can_be_taken = |participant: &&Participant| {
        let id = participant.of.schema.write_id.as_ref();
        let is_named = participant.base.as_ref().is_some_and(|base| id.is_some_and(|id| id.is_in(base)));
        !is_named && participant.revision_row.as_ref().is_some_and(|revision_row| !revision_row.is_superseded)
    };
    let new = participants.iter().filter(can_be_taken);
    let new: Vec<_> = new.filter_map(|participant| Some((participant, participant.version?))).collect();
    let found = revision_rows(repository, &new, priority).await?;
    Ok(found.iter().all(Option::is_none))
}

/// Reads the rows of these revisions, table by table. The rows are in the order of the revisions.
async fn revision_rows(
    repository: &Repository,
    revisions: &[(&Participant, u64)],
    priority: &Priority,
) -> Result<Vec<Option<Item>>, Error> {
    let mut tables: BTreeMap<String, (Vec<usize>, Vec<Item>)> = BTreeMap::new();
    for (at, (participant, number)) in revisions.iter().enumerate() {
        let Some(table) = participant.history(repository) else { continue };
        let key = participant.named(table.key(&participant.at.key, *number))?;
        let (places, keys) = tables.entry(table.name).or_default();
        places.push(at);
        keys.push(key.map(|(name, value)| (name.to_owned(), value)).into());
    }
    let caller = Caller { operation: OPERATION, entity: "", priority: Some(priority) };
    let mut found = vec![None; revisions.len()];
    for (table, (places, keys)) in tables {
        for (at, row) in
            places.into_iter().zip(read_rows(repository, caller, &table, &keys, Consistency::Consistent).await?)
        {
            found[at] = row;
        }
    }
    Ok(found)
}

impl Participant {
    /// Returns the history of its entity, if it has one.
    fn history<'a>(&self, repository: &'a Repository) -> Option<HistoryTable<'a>> {
        let (schema, name) = (self.of.schema, self.history.clone()?);
        Some(HistoryTable { schema, history: schema.history.as_ref()?, name, repository })
    }

    fn predict(&self, prediction: &mut Prediction<'_>) -> Result<Predicted, Error> {
        self.named(prediction.next(&self.action.command, self.base.as_ref()))
    }

    fn named<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| named(error, self.index, &self.action))
    }
}

fn given_up() -> Error {
    Error::new(
        ErrorKind::Contended,
        "others add to the history of the item faster than it can be read: send it again later",
    )
}
