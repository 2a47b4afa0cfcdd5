//! The row of a history that goes with a change. Whoever rolls the change forward puts this row first (M23).
//!
//! The row is put only after the commit. The item with the intent determines what it holds: the new item, if the history keeps what
//! is new; the old item, if the history keeps what is superseded. A second process finds the row of the same write there, and goes
//! on.

use crate::attribute::{Item, equal_items};
use crate::error::{Error, ErrorKind};
use crate::exchange::{Body, RowWrite};
use crate::expression::Placeholders;
use crate::rule::{RawRevision, new_row, same_row};
use crate::schema::Schema;
use crate::schema::names::IMAGE;
use crate::write::write_steps::Companion;
use aws_sdk_dynamodb::types::AttributeValue;

/// The names of the members.
mod member {
    pub(crate) const TABLE: &str = "table";
    /// The name of the partition key. A condition that no item has it says that there is no row.
    pub(crate) const KEY: &str = "key";
    /// The attribute of the write id.
    pub(crate) const WRITE: &str = "write";
    pub(crate) const OLD: &str = "old";
    pub(crate) const ROW: &str = "row";
}

/// A row of a history, without the item that it holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RevisionRow {
    pub(crate) table: String,
    pub(crate) partition: String,
    pub(crate) write_id: String,
    /// Whether the row holds what the change supersedes, instead of what the change makes.
    pub(crate) is_superseded: bool,
    pub(crate) row: Item,
}

impl RevisionRow {
    /// Takes the row that a write puts into a history, without the item in it.
    pub(crate) fn new(schema: &Schema, (front, row): (Companion, RowWrite)) -> Self {
        let partition = schema.history.as_ref().map_or("", |history| history.partition_name(schema)).to_owned();
        let write_id = schema.write_id.as_ref().map(|id| id.attribute.to_owned()).unwrap_or_default();
        let RowWrite { table, body, .. } = row;
        let mut row = if let Body::Put(row) = body { row } else { Item::new() };
        row.remove(IMAGE);
        Self { table, partition, write_id, is_superseded: front == Companion::SupersededRevision, row }
    }

    pub(crate) fn read(value: &AttributeValue) -> Option<Self> {
        let members = value.as_m().ok()?;
        let text = |name: &str| members.get(name)?.as_s().ok().cloned();
        let is_superseded = match members.get(member::OLD) {
            None => false,
            Some(value) => *value.as_bool().ok()?,
        };
        let (table, partition, write_id) = (text(member::TABLE)?, text(member::KEY)?, text(member::WRITE)?);
        let row = members.get(member::ROW)?.as_m().ok()?.clone();
        row.contains_key(&partition).then_some(Self { table, partition, write_id, is_superseded, row })
    }

    pub(crate) fn value(&self) -> AttributeValue {
        let Self { table, partition, write_id, is_superseded, row } = self;
        let texts = [(member::TABLE, table), (member::KEY, partition), (member::WRITE, write_id)];
        let texts = texts.map(|(name, text)| (name.to_owned(), AttributeValue::S(text.clone())));
        let old = is_superseded.then(|| (member::OLD.to_owned(), AttributeValue::Bool(true)));
        let row = (member::ROW.to_owned(), AttributeValue::M(row.clone()));
        AttributeValue::M(texts.into_iter().chain(old).chain([row]).collect())
    }

    /// Returns the row with this item in it.
    pub(crate) fn holding(&self, image: Item) -> Item {
        let mut row = self.row.clone();
        row.insert(IMAGE.to_owned(), AttributeValue::M(image));
        row
    }

    /// Returns the request that puts the row with this item in it, if there is none. A superseded revision may also replace itself,
    /// so that it is kept from now on. A new revision may not, because the item becomes what the existing row says. Sent twice, or
    /// by two processes, the row is put once.
    pub(crate) fn request(&self, image: &Item) -> RowWrite {
        let mut placeholders = Placeholders::default();
        let partition = self.partition.clone();
        let condition =
            if self.is_superseded { same_row(partition, image, Some(&self.write_id)) } else { new_row(partition) };
        let condition = condition.render(&mut placeholders);
        RowWrite::new(self.table.clone(), Body::Put(self.holding(image.clone())), Some(condition), placeholders)
    }

    /// Returns the item in the existing row, if that row is of the same write.
    pub(crate) fn same(&self, there: Option<Item>, image: &Item) -> Result<Item, Error> {
        let revision = RawRevision::read(there.unwrap_or_default())?;
        let names = (revision.image.get(&self.write_id), image.get(&self.write_id));
        let is_same = match names {
            (Some(one), Some(other)) => one == other,
            // No write of dyno made this item, and another program may have changed it since. The item was like this under this
            // number.
            (None, None) if self.is_superseded => true,
            _ => equal_items(&revision.image, image),
        };
        if is_same { Ok(revision.image) } else { Err(taken(revision.version)) }
    }
}

fn taken(version: u64) -> Error {
    Error::new(
        ErrorKind::Decode,
        format!(
            "the history holds another revision {version}, of another write, where the one of a committed transaction is to be put: another program has changed the item behind its history; keep that row elsewhere and delete it, and the next sweep goes on"
        ),
    )
}
