//! The history row that belongs to a change. Each process that rolls the change forward puts this row first (M23).
//!
//! The row is put only after the commit. Its image comes from the item with the intent: the new item, or the superseded one,
//! depending on which of them the history keeps. A second process finds that the row of the same write exists, and continues.

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
    /// The name of the partition key attribute. A put of a new row demands that it does not exist.
    pub(crate) const KEY: &str = "key";
    /// The name of the attribute with the write id.
    pub(crate) const WRITE: &str = "write";
    pub(crate) const OLD: &str = "old";
    pub(crate) const ROW: &str = "row";
}

/// A history row without its image, which is a copy of an item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RevisionRow {
    pub(crate) table: String,
    pub(crate) partition: String,
    pub(crate) write_id: String,
    /// Whether the image is the superseded item. Otherwise it is the new one.
    pub(crate) is_superseded: bool,
    pub(crate) row: Item,
}

impl RevisionRow {
    /// Takes the row that a write puts into a history, without the image.
    pub(crate) fn new(schema: &Schema, (companion, row): (Companion, RowWrite)) -> Self {
        let partition = schema.history.as_ref().map_or("", |history| history.partition_name(schema)).to_owned();
        let write_id = schema.write_id.as_ref().map(|id| id.attribute.to_owned()).unwrap_or_default();
        let RowWrite { table, body, .. } = row;
        let mut row = if let Body::Put(row) = body { row } else { Item::new() };
        row.remove(IMAGE);
        Self { table, partition, write_id, is_superseded: companion == Companion::SupersededRevision, row }
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

    /// Returns the row with its image.
    pub(crate) fn with_image(&self, image: Item) -> Item {
        let mut row = self.row.clone();
        row.insert(IMAGE.to_owned(), AttributeValue::M(image));
        row
    }

    /// Returns the request that puts the row with this image, if the row does not exist. A row with a superseded image may also
    /// replace itself, so that its retention begins now. A row with a new image may not, because the item must become what the
    /// existing row shows. If two processes send the request, the row is put once.
    pub(crate) fn put(&self, image: &Item) -> RowWrite {
        let mut placeholders = Placeholders::default();
        let partition = self.partition.clone();
        let condition =
            if self.is_superseded { same_row(partition, image, Some(&self.write_id)) } else { new_row(partition) };
        let condition = condition.render(&mut placeholders);
        RowWrite::new(self.table.clone(), Body::Put(self.with_image(image.clone())), Some(condition), placeholders)
    }

    /// Returns the image of the existing row, if the same write made that row. Otherwise another revision has the number, which
    /// is an error.
    pub(crate) fn existing_image(&self, existing: Option<Item>, image: &Item) -> Result<Item, Error> {
        let revision = RawRevision::read(existing.unwrap_or_default())?;
        let write_ids = (revision.image.get(&self.write_id), image.get(&self.write_id));
        let is_same = match write_ids {
            (Some(one), Some(other)) => one == other,
            // No write of dyno made the superseded item. Another program may have changed the item after the row was put, so the
            // images can differ. The row is still the one of this number.
            (None, None) if self.is_superseded => true,
            _ => equal_items(&revision.image, image),
        };
        if is_same { Ok(revision.image) } else { Err(number_taken(revision.version)) }
    }
}

fn number_taken(version: u64) -> Error {
    let message = format!(
        "the history already has a revision {version} of another write, where the one of a committed transaction belongs, because another program changed the item without its history: copy that row elsewhere and delete it, and the next sweep continues"
    );
    Error::new(ErrorKind::Decode, message)
}
