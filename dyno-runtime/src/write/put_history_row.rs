//! Puts rows into the history: each in a request of its own, or as an action of a transaction.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{About, Answer, Ask, Attempts, Body, Repeat, RowWrite};
use crate::expression::Placeholders;
use crate::key::check_size;
use crate::read::HistoryTable;
use crate::rule::{RawRevision, same_row};
use crate::write::rows_to_send::Rows;
use crate::write::transmit::transmit;
use crate::write::write_steps::{HistoryRow, Knowledge, Read, RevisionPut};

impl HistoryTable<'_> {
    /// Returns the put of a revision, which requires that the history has no row of its number.
    pub(crate) fn put_request(&self, revision: RawRevision, now: EpochMillis) -> Result<RowWrite, Error> {
        let row = self.checked_row(revision, now)?;
        Ok(RowWrite::put_new(&self.name, row, self.history.partition_name(self.schema)))
    }

    /// Returns the put of a superseded revision. If its row exists already, the put replaces it, so that its TTL begins again.
    pub(crate) fn put_superseded_request(&self, revision: RawRevision, now: EpochMillis) -> Result<RowWrite, Error> {
        let partition = self.history.partition_name(self.schema);
        let write_id = self.schema.write_id.as_ref().map(|write_id| write_id.attribute);
        let mut placeholders = Placeholders::default();
        let condition = same_row(partition, &revision.image, write_id).render(&mut placeholders);
        let row = self.checked_row(revision, now)?;
        Ok(RowWrite::new(self.name.clone(), Body::Put(row), Some(condition), placeholders))
    }

    /// Returns the row of a revision, unless it or its key exceeds DynamoDB's limits.
    fn checked_row(&self, revision: RawRevision, now: EpochMillis) -> Result<Item, Error> {
        self.key(&revision.image, revision.version)?;
        let row = self.history.row(self.schema, revision, now)?;
        check_size(&row).map_err(|error| error.of("the revision in the history"))?;
        Ok(row)
    }

    /// Reads the row of the history that a step of a write needs.
    pub(crate) async fn learn(&self, key: &Item, read: Read, known: &mut Knowledge) -> Result<(), Error> {
        match read {
            Read::NewestBeforeItem => {
                known.newest = Some(self.newest(key).await?);
                // An earlier read of the item does not count: the item may have been deleted before this read.
                known.item = None;
            }
            Read::NewestAfterItem => known.newest = Some(self.newest(key).await?),
            Read::Revision(number) => known.learn_revision(number, self.row(key, number).await?)?,
            Read::Item | Read::KeyRow => {}
        }
        Ok(())
    }

    /// Puts a row that must be there before the write. Idempotent. It applies no part of the write itself.
    pub(crate) async fn put_revision(
        &self,
        RevisionPut { revision, is_stored }: RevisionPut,
        now: EpochMillis,
        known: &mut Knowledge,
    ) -> Result<(), Error> {
        let request = if is_stored {
            RowWrite::put_always(&self.name, self.checked_row(revision.clone(), now)?)
        } else {
            self.put_request(revision.clone(), now)?
        };
        let (mut rows, attempts) = (Box::new(Rows::new(None, request)), Attempts::default());
        let ask = Ask::write(About::new("record", self.schema.entity, &self.name), &attempts, Repeat::Freely);
        let stored = match transmit(self.repository, ask, &self.name, &mut rows).await? {
            Answer::Done(_) => None,
            Answer::Denied(denial) => Some(RawRevision::read(denial.item.flatten().unwrap_or_default())?),
        };
        let number = revision.version;
        let row = HistoryRow { is_fresh: stored.is_none(), revision: stored.unwrap_or(revision) };
        known.revisions.insert(number, Some(row));
        Ok(())
    }
}
