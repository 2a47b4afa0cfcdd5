//! The history: every version that an item has had, as rows that never change.
//!
//! This file defines where the row of a revision is and what it contains. `write::compose` decides in which order rows and
//! items are written. (The article on row versioning writes the new revision first, in a request of its own. Then two writers
//! of the same version both write that revision, and the history contains a state that the item never had.)

use super::ttl;
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, Peek, Scalar, Value};
use crate::error::{DecodeError, EncodeError, Step, descriptor};
use crate::expression::{Node, Operator, Path};
use crate::key::identity_text;
use crate::schema::names::REVISION;
use crate::schema::{History, KeyAttribute, KeyForm, Layout, Schema, Segment, names};
use aws_sdk_dynamodb::types::AttributeValue;

/// Returns the condition of the row of a new revision: there is no row with its number. `partition` is the row's partition key.
pub(crate) fn new_row(partition: impl Into<Path>) -> Node {
    Node::NotExists(partition.into())
}

/// Returns the condition of the row of a superseded revision in a transaction: there is no row with its number, or the row is
/// already written. `write_id` is the attribute of the write id, if the entity has one.
pub(crate) fn same_row(partition: impl Into<Path>, image: &Item, write_id: Option<&str>) -> Node {
    let row = Path::from(names::IMAGE);
    let same = match write_id.and_then(|name| Some((name, image.get(name)?))) {
        Some((name, id)) => Node::compare(row.then(Step::Name(name.to_owned().into())), Operator::Eq, id),
        None => Node::Compare(row, Operator::Eq, AttributeValue::M(image.clone())),
    };
    Node::Or(vec![new_row(partition), same])
}

/// A version of an item, as stored in its row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RawRevision {
    pub(crate) version: u64,
    pub(crate) deleted: bool,
    /// The item; for a deletion, its tombstone.
    pub(crate) image: Item,
}

impl History {
    /// Returns the sort attribute of a revision's row and its value: the number, or a text that contains it.
    pub(crate) fn sort(
        &self,
        schema: &Schema,
        item: &Item,
        version: u64,
    ) -> Result<(&'static str, AttributeValue), EncodeError> {
        match (&self.layout, &schema.sort) {
            (Layout::SameTable, Some(sort)) => {
                let text = identity_text(item.get(sort.name)).map_err(|error| error.at_name(sort.name))?;
                Ok((sort.name, AttributeValue::S(format!("{REVISION}{text}|{version:020}"))))
            }
            _ => Ok((names::VERSION, AttributeValue::N(version.to_string()))),
        }
    }

    /// Returns the name of the attribute that the revisions of one item share.
    pub(crate) fn partition_name(&self, schema: &Schema) -> &'static str {
        match self.layout {
            Layout::SameTable => schema.partition.name,
            Layout::Table(_) => names::KEY,
        }
    }

    /// Returns the attribute that the revisions of one item share, and its value.
    pub(crate) fn partition(
        &self,
        schema: &Schema,
        item: &Item,
    ) -> Result<(&'static str, AttributeValue), EncodeError> {
        let name = self.partition_name(schema);
        match self.layout {
            Layout::SameTable => Ok((name, item.get(name).cloned().unwrap_or(AttributeValue::Null(true)))),
            Layout::Table(_) => {
                let texts =
                    schema.keys().map(|key| identity_text(item.get(key.name)).map_err(|error| error.at_name(key.name)));
                let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
                Ok((name, AttributeValue::S(texts.join("|"))))
            }
        }
    }

    /// Refuses an item whose sort key looks like that of a revision in the same table.
    pub(crate) fn check_key(&self, schema: &Schema, item: &Item) -> Result<(), EncodeError> {
        match &schema.sort {
            Some(sort) if self.is_revision(schema, item) => Err(EncodeError::new(format!(
                "a sort key that begins with {REVISION:?} is a revision's, in the table that they share"
            ))
            .at_name(sort.name)),
            _ => Ok(()),
        }
    }

    /// Returns the condition that excludes revisions from the entity's queries and scans, if the sort keys do not exclude them.
    pub(crate) fn not_a_revision(&self, schema: &Schema) -> Option<Node> {
        let begins_otherwise = |sort: &KeyAttribute| matches!(sort.form, KeyForm::Template([Segment::Literal(literal), ..]) if !REVISION.starts_with(literal) && !literal.starts_with(REVISION));
        let is_mixed = self.layout == Layout::SameTable && !schema.sort.as_ref().is_some_and(begins_otherwise);
        is_mixed.then_some(Node::NotExists(names::IMAGE.into()))
    }

    /// Returns `true` if an item of the entity's own table is a revision. The key is enough to decide, so the item may be
    /// projected.
    pub(crate) fn is_revision(&self, schema: &Schema, item: &dyn Peek) -> bool {
        let sort = schema.sort.as_ref().filter(|_| self.layout == Layout::SameTable);
        let text = sort.and_then(|sort| item.peek(sort.name));
        matches!(text, Some(Scalar::S(text)) if text.starts_with(REVISION))
    }

    /// Creates the row of a version.
    pub(crate) fn row(&self, schema: &Schema, revision: RawRevision, now: EpochMillis) -> Result<Item, EncodeError> {
        let key = [self.partition(schema, &revision.image)?, self.sort(schema, &revision.image, revision.version)?];
        let mut row: Item = key.map(|(name, value)| (name.to_owned(), value)).into();
        row.insert(names::VERSION.to_owned(), AttributeValue::N(revision.version.to_string()));
        if revision.deleted {
            row.insert(names::DELETED.to_owned(), AttributeValue::Bool(true));
        }
        if let Some(days) = self.ttl_days {
            row.insert(self.ttl(schema).to_owned(), ttl::days_from(now, days));
        }
        row.insert(names::IMAGE.to_owned(), AttributeValue::M(revision.image));
        Ok(row)
    }
}

impl RawRevision {
    /// Decodes a row.
    pub(crate) fn read(mut row: Item) -> Result<Self, DecodeError> {
        let version = match row.get(names::VERSION) {
            Some(version) => u64::decode(version.into()).map_err(|error| error.at_name(names::VERSION))?,
            None => return Err(DecodeError::new("a revision's number", "no attribute").at_name(names::VERSION)),
        };
        let deleted = row.get(names::DELETED) == Some(&AttributeValue::Bool(true));
        match row.remove(names::IMAGE) {
            Some(AttributeValue::M(image)) => Ok(Self { version, deleted, image }),
            other => {
                let found = other.as_ref().map_or("no attribute", descriptor);
                Err(DecodeError::new("a map (M)", found).at_name(names::IMAGE))
            }
        }
    }
}
