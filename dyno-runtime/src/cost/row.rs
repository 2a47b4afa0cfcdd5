//! The units of one row that a request writes, and of rows that are read.
//!
//! (Developer guide, "DynamoDB read and write operations": a write unit for each started KB of the larger of the item before and
//! after, and at least one; a read unit for each started 4 KB, half of it if the read is eventual. "DynamoDB item sizes and
//! formats"; "DynamoDB condition expressions", on failed conditional writes; "Amazon DynamoDB Transactions: How it works", twice
//! as much.)

use super::bounds::Span;
use super::index::{Change, index_units};
use crate::attribute::Item;
use crate::capacity;
use crate::exchange::{Body, RowWrite};
use crate::key::item_size;
use crate::schema::Schema;
use aws_sdk_dynamodb::types::AttributeValue;

/// The units of a row in a transaction, compared with those in a request of its own. Indexes cost the same in both.
pub(super) const IN_TRANSACTION: f64 = 2.0;

/// The most bytes by which the numbers that a rule stores can be longer or shorter when the write is sent: a version or a number
/// in a history goes on behind one that is stored, and a time is that of the sending.
const OF_NUMBERS: usize = 32;

/// The bytes of an item, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bytes {
    pub(super) least: usize,
    pub(super) most: usize,
}

impl Bytes {
    /// An item of any size up to this.
    pub(super) fn up_to(most: usize) -> Self {
        Self { least: 0, most }
    }

    /// Returns the size of an item that a request puts. DynamoDB bills 4 bytes for each number of an indexed vector, whatever its
    /// digits, and a refused write is estimated by its digits.
    pub(super) fn of(schema: &Schema, item: &Item) -> Self {
        let size = item_size(item);
        let mut bytes = Self { least: size, most: size };
        for index in schema.vector_indexes {
            let Some(value @ AttributeValue::L(elements)) = item.get(index.vector.name) else { continue };
            let digits = item_size(&Item::from([(String::new(), value.clone())]));
            bytes.least -= digits.saturating_sub(4 * elements.len());
            bytes.most += (4 * elements.len()).saturating_sub(digits);
        }
        bytes
    }

    /// Returns the size if the numbers of rules can be longer or shorter when the item is sent.
    pub(super) fn with_other_numbers(self) -> Self {
        Self { least: self.least.saturating_sub(OF_NUMBERS), most: self.most + OF_NUMBERS }
    }

    /// Returns the write units of an item of this size.
    pub(super) fn write_units(self) -> Span {
        Span::new(write_units(self.least), write_units(self.most))
    }
}

#[expect(clippy::cast_precision_loss, reason = "an item has at most 400 KB")]
pub(super) fn write_units(bytes: usize) -> f64 {
    capacity::write_units(bytes as u64) as f64
}

/// Returns the units of a consistent read of an item of up to this size, or of none.
pub(super) fn consistent_read(most: usize) -> Span {
    Span::new(1.0, read_units(most))
}

#[expect(clippy::cast_precision_loss, reason = "a page has at most 1 MB")]
pub(super) fn read_units(bytes: usize) -> f64 {
    bytes.div_ceil(4096).max(1) as f64
}

/// The units of one row of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowUnits {
    /// Those of the table, outside a transaction.
    pub(super) table: Span,
    pub(super) indexes: Span,
    /// If its condition fails, outside a transaction.
    pub(super) refused: Span,
    /// If its transaction is refused, without the factor: DynamoDB charges for the actions, and does not report it.
    pub(super) cancelled: Span,
}

impl RowUnits {
    /// Returns the units of one of two rows.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            table: self.table.or(other.table),
            indexes: self.indexes.or(other.indexes),
            refused: self.refused.or(other.refused),
            cancelled: self.cancelled.or(other.cancelled),
        }
    }

    pub(super) fn applied(self, factor: f64) -> Span {
        self.table * factor + self.indexes
    }
}

/// The rows that are stored before a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    /// The most bytes of the row; 0 if there is none.
    pub(super) most: usize,
    /// The most bytes of the row if the write is applied.
    pub(super) applied: usize,
    /// `true` if no stored row equals the new one: the write stores another version or write id.
    pub(super) differs: bool,
    /// `true` if the write is applied only over a stored row.
    pub(super) exists: bool,
}

impl Before {
    /// A row that is put only if there is none. If there is one, it has up to this many bytes.
    pub(super) fn new_row(most: usize) -> Self {
        Self { most, applied: 0, differs: true, exists: false }
    }

    /// A row that replaces one of up to this many bytes, or none.
    pub(super) fn any_row(most: usize) -> Self {
        Self { most, applied: most, differs: false, exists: false }
    }
}

/// Returns the units of a row. `schema` is that of its table's indexes, if the table has any.
pub(super) fn row_units(row: &RowWrite, schema: Option<&'static Schema>, bytes: Bytes, before: Before) -> RowUnits {
    let old = Bytes::up_to(before.most);
    let (after, change) = match &row.body {
        Body::Put(item) => (bytes, Change::Put(item, bytes)),
        Body::Update(key, _) => {
            let names = row.names.iter().flat_map(std::collections::HashMap::values).map(String::as_str).collect();
            (Bytes::up_to(before.applied.max(item_size(key))), Change::Update(names))
        }
        Body::Delete(_) => (Bytes::default(), Change::Delete),
        Body::Check(_) => (Bytes::default(), Change::Nothing),
    };
    let table = Bytes { least: after.least, most: after.most.max(before.applied) };
    // A refused transaction is estimated by the item of a put, and by the least of another action.
    let of_put = if row.item().is_some() { bytes } else { Bytes::default() };
    let cancelled = Bytes { least: of_put.least, most: of_put.most.max(old.most) };
    let indexes = schema.iter().flat_map(|schema| schema.indexes.iter().map(move |index| (schema, index)));
    RowUnits {
        table: table.write_units(),
        indexes: indexes.map(|(schema, index)| index_units(schema, index, &change, before)).sum(),
        refused: old.write_units(),
        cancelled: cancelled.write_units(),
    }
}
