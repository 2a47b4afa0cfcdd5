//! Numbers the revisions of participants: which history row belongs to a change, and whether its number is free.
//!
//! After the commit, the revision can have no other number. So the history is read before the prewrite. While the intent is in
//! the item, no writer of dyno adds to the item's history. The steps are those of a native write: see [`Prediction`].

use super::attempt_requests::{CONCURRENCY, NO_ENTITY};
use super::evaluate_action::evaluation;
use super::participant::Participant;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Consistency, Priority, Repository, boxed_stream, read_rows};
use crate::read::HistoryTable;
use crate::rule::{Expected, Refused};
use crate::transaction::attempt::{Predicted, Prediction, Row};
use crate::transaction::native::RefusedAction;
use crate::transaction::record::{TransactionId, has_intent_of, without_intent};
use crate::transaction::resolve::{read_item, read_when_free};
use crate::write::write_steps::{Knowledge, Read};
use futures_util::stream::{StreamExt as _, TryStreamExt as _};
use std::collections::BTreeMap;

/// How often the numbers of one item are read again, while other writers add to its history.
const ROUNDS: usize = 16;

/// The histories of the rows of a run.
#[derive(Clone, Copy)]
pub(crate) struct Histories<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) rows: &'a [Row],
    pub(crate) priority: &'a Priority,
    /// The transaction's own claim, if it has one.
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
        let numbered = boxed_stream(open.into_iter().map(|(participant, prediction)| async move {
            let (index, entity) = (participant.index, participant.action.entity);
            let refused = self.number(participant, prediction).await?;
            Ok::<_, Error>(refused.map(|refused| RefusedAction { index, entity, refused }))
        }));
        let refused: Vec<_> = numbered.buffer_unordered(CONCURRENCY).try_collect().await?;
        Ok(refused.into_iter().flatten().collect())
    }

    /// Gives one participant its revision row, or returns why the history refuses it.
    pub(crate) async fn number_one(self, participant: &mut Participant) -> Result<Option<Refused>, Error> {
        match self.prediction(participant) {
            Some(prediction) => Box::pin(self.number(participant, prediction)).await,
            None => Ok(None),
        }
    }

    /// Returns the history of a participant, if its entity has one.
    fn table(&self, participant: &Participant) -> Option<HistoryTable<'a>> {
        HistoryTable::of(participant.schema(), &self.rows[participant.row].tables, self.repository)
    }

    /// Returns the prediction of a participant's write, if the entity has a history.
    fn prediction(&self, participant: &Participant) -> Option<Prediction<'a>> {
        let row = &self.rows[participant.row];
        let mut prediction = Prediction::new(&row.tables, self.now).in_history(self.table(participant)?);
        prediction.known.item = Some(participant.base.clone());
        // An existing item has a number. Only a new item takes its number from the history.
        prediction.known.expected = participant.new.expected.filter(|expected| !matches!(expected, Expected::New(_)));
        Some(prediction)
    }

    /// Reads, in batches, the history rows that the participants want to put. A participant that creates an item is left out,
    /// because it reads the newest revision first.
    async fn read_first_rows(&self, open: &mut [(&mut Participant, Prediction<'a>)]) -> Result<(), Error> {
        let mut wanted = Vec::new();
        for (at, (participant, prediction)) in open.iter_mut().enumerate() {
            if let Predicted::Read(Read::Revision(number)) = participant.predict(prediction)? {
                wanted.push((at, number));
            }
        }
        let participants: Vec<(&Participant, u64)> =
            wanted.iter().map(|(at, number)| (&*open[*at].0, *number)).collect();
        let found = self.read(&participants).await?;
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
        let Some(table) = self.table(participant) else { return Ok(None) };
        for _ in 0..ROUNDS {
            let learned = match participant.predict(&mut prediction)? {
                Predicted::Outcome(outcome) => {
                    match evaluation(outcome, &participant.action, participant.base.as_ref(), self.now) {
                        Ok(Some(new)) => participant.replace(new),
                        Ok(None) => break,
                        Err(refused) => return Ok(Some(*refused)),
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
        participant.named(Err(contended()))
    }

    /// Reads the newest revision of an item that is created, because the history may have later numbers than any item.
    async fn learn_newest(
        &self,
        participant: &mut Participant,
        table: &HistoryTable<'_>,
        known: &mut Knowledge,
    ) -> Result<(), Error> {
        table.learn(&participant.at.key, Read::NewestBeforeItem, known).await?;
        if let Some(Some(newest)) = &known.newest {
            // The item is read after the history, even if it was read before. Only in this order does a missing item prove that
            // it was deleted.
            let caller = participant.caller(self.priority);
            let found = match read_item(self.repository, caller, &participant.at).await? {
                Some(found) if self.claim.is_some_and(|claim| has_intent_of(Some(&found), claim)) => {
                    without_intent(found, &participant.at.key)?
                }
                found => read_when_free(self.repository, caller, &participant.at, found).await?,
            };
            if found.is_some() && participant.is_read {
                // The item was created meanwhile, so DynamoDB will refuse the prewrite.
                known.expected = Some(Expected::New(table.last_given(newest)));
            } else if found.is_some() {
                participant.base = found;
            }
        }
        known.item = Some(participant.base.clone());
        Ok(())
    }

    /// Whether the history rows that these participants want to put still do not exist, now that all intents are in their items
    /// and no writer of dyno adds to the histories. An item without a write id, or a missing item, can look unchanged although
    /// other writers have changed it meanwhile, so only such participants are checked (M12). A row with a superseded image may
    /// exist already, so it is not checked.
    pub(crate) async fn are_still_free(self, participants: &[Participant]) -> Result<bool, Error> {
        let may_be_taken = |participant: &&Participant| {
            let id = participant.schema().write_id.as_ref();
            let is_named = participant.base.as_ref().is_some_and(|base| id.is_some_and(|id| id.is_in(base)));
            !is_named && participant.new.revision_row.as_ref().is_some_and(|row| !row.is_superseded)
        };
        let new = participants.iter().filter(may_be_taken);
        let new: Vec<_> = new.filter_map(|participant| Some((participant, participant.version()?))).collect();
        let found = self.read(&new).await?;
        Ok(found.iter().all(Option::is_none))
    }

    /// Reads the history rows of these revisions, table by table. Returns them in the order of the revisions.
    async fn read(&self, revisions: &[(&Participant, u64)]) -> Result<Vec<Option<Item>>, Error> {
        let mut tables: BTreeMap<String, (Vec<usize>, Vec<Item>)> = BTreeMap::new();
        for (at, (participant, number)) in revisions.iter().enumerate() {
            let Some(table) = self.table(participant) else { continue };
            let key = participant.named(table.key(&participant.at.key, *number))?;
            let (places, keys) = tables.entry(table.name).or_default();
            places.push(at);
            keys.push(key.map(|(name, value)| (name.to_owned(), value)).into());
        }
        let mut found = vec![None; revisions.len()];
        for (table, (places, keys)) in tables {
            let rows = read_rows(self.repository, NO_ENTITY, &table, &keys, Consistency::Consistent).await?;
            for (at, row) in places.into_iter().zip(rows) {
                found[at] = row;
            }
        }
        Ok(found)
    }
}

impl Participant {
    fn predict(&self, prediction: &mut Prediction<'_>) -> Result<Predicted, Error> {
        self.named(prediction.next(&self.action.command, self.base.as_ref()))
    }
}

fn contended() -> Error {
    let message = "other writers add to the item's history faster than it can be read: send it again later";
    Error::new(ErrorKind::Contended, message)
}
