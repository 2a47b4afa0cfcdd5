//! Whether a row is still as it was read. The write id and the version identify it; or every attribute does, if no write of dyno
//! has counted the row's versions.

use super::read_write_set::Row;
use crate::attribute::{Item, equal_items};
use crate::rule;
use crate::rule::Image;
use crate::schema::Schema;

/// Returns `true` if the row now is the row that was read.
pub(crate) fn is_same(schema: &'static Schema, read: Option<&Item>, now: Option<&Item>) -> bool {
    match (read, now) {
        (None, None) => true,
        _ if rule::is_held(schema, now) || rule::is_held(schema, read) => false,
        (Some(read), Some(now)) => match rule::identity(schema, read) {
            Some(identity) => Some(identity) == rule::identity(schema, now),
            None => equal_items(read, now),
        },
        _ => false,
    }
}

/// Returns the condition that the row is as it was read; `None` if it was not read.
pub(crate) fn image(row: &Row) -> Option<Image> {
    let schema = row.of.schema;
    Some(match row.read.as_ref()? {
        None => Image::of_nothing(schema),
        Some(item) if rule::is_counted(schema, item) => Image::of_identity(schema, item),
        Some(item) => Image::of_uncounted(schema, item),
    })
}

/// Returns the same condition for a write that demands the version itself, so that only the write id is left to compare.
pub(crate) fn image_beside_version(row: &Row) -> Option<Image> {
    match counted_item(row) {
        Some(item) => Image::of_its_write(row.of.schema, item),
        None => image(row),
    }
}

/// Returns the same condition for a folded write that puts the whole row. It also demands that undeclared attributes are
/// unchanged, because programs that change them need not count versions.
pub(crate) fn image_of_whole_row(row: &Row) -> Option<Image> {
    let image = image_beside_version(row)?;
    let undeclared = counted_item(row).and_then(|item| Image::of_undeclared(row.of.schema, item));
    Some(match undeclared {
        Some(undeclared) => image.and(undeclared),
        None => image,
    })
}

/// Returns the item that was read, if a write of dyno has counted it.
fn counted_item(row: &Row) -> Option<&Item> {
    row.read.as_ref()?.as_ref().filter(|item| rule::is_counted(row.of.schema, item))
}
