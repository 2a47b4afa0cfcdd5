//! Revisions in their table, written: one request each, or one action of a transaction.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{About, Answer, Ask, Attempts, Repeat, RowWrite};
use crate::expression::Placeholders;
use crate::key::check_size;
use crate::read::HistoryTable;
use crate::rule::{RawRevision, same_row};
use crate::write::rows_to_send::Rows;
use crate::write::transmit::{Answered, transmit};
use crate::write::write_steps::{Knowledge, Read, Row, Side};

impl HistoryTable<'_> {
    /// A revision, to be put where none is.
    pub(crate) fn put_request(&self, revision: RawRevision, now: EpochMillis) -> Result<RowWrite, Error> {
        let [(partition, _), _] = self.key(&revision.image, revision.version)?;
        let row = self.history.row(self.schema, revision, now)?;
        check_size(&row).map_err(|error| error.of("the revision in the history"))?;
        Ok(RowWrite::put_new(&self.name, row, partition))
    }

    /// A superseded revision, to be put where none is, or over itself, so that it is kept from now on.
    pub(crate) fn put_same_request(&self, revision: RawRevision, now: EpochMillis) -> Result<RowWrite, Error> {
        let [(partition, _), _] = self.key(&revision.image, revision.version)?;
        let write_id = self.schema.write_id.as_ref().map(|write_id| write_id.attribute);
        let mut placeholders = Placeholders::default();
        let condition = same_row(partition, &revision.image, write_id).render(&mut placeholders);
        let RowWrite { table, body, .. } = self.put_request(revision, now)?;
        Ok(RowWrite::new(table, body, Some(condition), placeholders))
    }

    /// Puts a revision where none is; what is there already, if something is. Sent twice, it is put once.
    async fn put(&self, revision: RawRevision, now: EpochMillis) -> Result<Option<RawRevision>, Error> {
        match self.record(self.put_request(revision, now)?).await? {
            Answer::Done(_) => Ok(None),
            Answer::Denied(denial) => Ok(Some(RawRevision::read(denial.item.flatten().unwrap_or_default())?)),
        }
    }

    /// Puts a revision that is there already once more, so that it is kept from now on.
    async fn refresh(&self, revision: RawRevision, now: EpochMillis) -> Result<(), Error> {
        let RowWrite { table, body, .. } = self.put_request(revision, now)?;
        self.record(RowWrite::new(table, body, None, Placeholders::default())).await.map(drop)
    }

    /// Reads what a step of a write asks of the history.
    pub(crate) async fn learn(&self, key: &Item, wanted: Read, known: &mut Knowledge) -> Result<(), Error> {
        match wanted {
            Read::Newest => {
                known.newest = Some(self.newest(key).await?);
                // What is known of the item must not be older: the item may not have been deleted yet.
                known.item = None;
            }
            Read::Ahead => known.newest = Some(self.newest(key).await?),
            Read::Revision(number) => known.learn_revision(number, self.row(key, number).await?)?,
            Read::Item | Read::KeyRow => {}
        }
        Ok(())
    }

    /// Puts the row that a step asks for. It applies no part of the write itself.
    pub(crate) async fn put_side(&self, side: Side, now: EpochMillis, known: &mut Knowledge) -> Result<(), Error> {
        let Side { revision, is_there } = side;
        let number = revision.version;
        let there = if is_there {
            self.refresh(revision.clone(), now).await?;
            None
        } else {
            self.put(revision.clone(), now).await?
        };
        let row = Row { is_fresh: there.is_none(), revision: there.unwrap_or(revision) };
        known.rows.insert(number, Some(row));
        Ok(())
    }

    /// Sends a row. Of the write that it belongs to, nothing is applied by that.
    async fn record(&self, row: RowWrite) -> Result<Answered, Error> {
        let (mut rows, attempts) = (Box::new(Rows::new(None, row)), Attempts::default());
        let ask = Ask::write(About::new("record", self.schema.entity, &self.name), &attempts, Repeat::Freely);
        transmit(self.repository, ask, &self.name, &mut rows).await
    }
}
