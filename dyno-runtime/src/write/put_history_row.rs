//! Revisions in their table, written: one request each, or one action of a transaction.

use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::Error;
use crate::exchange::{About, Answer, Ask, Attempts, Body, Repeat, Repository, RowWrite};
use crate::expression::Placeholders;
use crate::key::check_size;
use crate::read::Table;
use crate::rule::{RawRevision, same_row};
use crate::schema::{Schema, Tables};
use crate::write::rows_to_send::Rows;
use crate::write::transmit::transmit;
use crate::write::write_steps::{Knowledge, Read, Row, Side};

impl<'a> Table<'a> {
    /// The history of an entity, if it has one.
    pub(crate) fn of(schema: &'static Schema, tables: &Tables, repository: &'a Repository) -> Option<Self> {
        let (history, name) = schema.history.as_ref().zip(tables.history.clone())?;
        Some(Self { schema, history, name, repository })
    }

    /// A revision, to be put where none is.
    pub(crate) fn put_request(&self, revision: RawRevision, now: EpochMillis) -> Result<RowWrite, Error> {
        let row = self.checked_row(revision, now)?;
        Ok(RowWrite::put_new(&self.name, row, self.history.partition_name(self.schema)))
    }

    /// A superseded revision, to be put where none is, or over itself, so that it is kept from now on.
    pub(crate) fn put_same_request(&self, revision: RawRevision, now: EpochMillis) -> Result<RowWrite, Error> {
        let partition = self.history.partition_name(self.schema);
        let write_id = self.schema.write_id.as_ref().map(|write_id| write_id.attribute);
        let mut placeholders = Placeholders::default();
        let condition = same_row(partition, &revision.image, write_id).render(&mut placeholders);
        let row = self.checked_row(revision, now)?;
        Ok(RowWrite::new(self.name.clone(), Body::Put(row), Some(condition), placeholders))
    }

    /// The row of a revision. Its key, and all of it, must fit into the limits of DynamoDB.
    fn checked_row(&self, revision: RawRevision, now: EpochMillis) -> Result<Item, Error> {
        self.key(&revision.image, revision.version)?;
        let row = self.history.row(self.schema, revision, now)?;
        check_size(&row).map_err(|error| error.of("the revision in the history"))?;
        Ok(row)
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

    /// Puts the row that a step asks for. It applies no part of the write itself. Sent twice, it is put once.
    pub(crate) async fn put_side(&self, side: Side, now: EpochMillis, known: &mut Knowledge) -> Result<(), Error> {
        let Side { revision, is_there } = side;
        let request = if is_there {
            RowWrite::put_always(&self.name, self.checked_row(revision.clone(), now)?)
        } else {
            self.put_request(revision.clone(), now)?
        };
        let (mut rows, attempts) = (Box::new(Rows::new(None, request)), Attempts::default());
        let ask = Ask::write(About::new("record", self.schema.entity, &self.name), &attempts, Repeat::Freely);
        let there = match transmit(self.repository, ask, &self.name, &mut rows).await? {
            Answer::Done(_) => None,
            Answer::Denied(denial) => Some(RawRevision::read(denial.item.flatten().unwrap_or_default())?),
        };
        let number = revision.version;
        let row = Row { is_fresh: there.is_none(), revision: there.unwrap_or(revision) };
        known.rows.insert(number, Some(row));
        Ok(())
    }
}
