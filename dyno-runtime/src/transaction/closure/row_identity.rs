//! Recognises a row that was read: by its write id and version; or by all of its attributes, if no write of dyno counted it.

use super::read_write_set::Row;
use crate::attribute::{Item, equal_items};
use crate::rule;
use crate::rule::Image;
use crate::schema::Schema;

/// Whether the row is the one that was read.
pub(crate) fn is_same(schema: &'static Schema, read: Option<&Item>, there: Option<&Item>) -> bool {
    match (read, there) {
        (None, None) => true,
        _ if rule::is_held(schema, there) || rule::is_held(schema, read) => false,
        (Some(read), Some(there)) => match rule::identity(schema, read) {
            Some(known) => Some(known) == rule::identity(schema, there),
            None => equal_items(read, there),
        },
        _ => false,
    }
}

/// Whether a write of dyno made the item and counted it.
pub(crate) fn is_counted(schema: &'static Schema, item: &Item) -> bool {
    rule::identity(schema, item).is_some()
}

/// Returns the condition that the row is as it was read; `None` if it was not read. `is_checked` says that the write itself names
/// the version.
pub(crate) fn image(row: &Row, is_checked: bool) -> Option<Image> {
    let schema = row.of.schema;
    Some(match row.read.as_ref()? {
        None => Image::of_nothing(schema),
        Some(item) if is_counted(schema, item) && is_checked => Image::of_its_write(schema, item)?,
        Some(item) if is_counted(schema, item) => Image::of_identity(schema, item),
        Some(item) => Image::of_uncounted(schema, item),
    })
}

/// Returns the same condition for a folded write that puts the whole row. It also demands that undeclared attributes are unchanged,
/// because programs that change them need not count versions.
pub(crate) fn whole_image(row: &Row) -> Option<Image> {
    let image = image(row, true)?;
    let item = row.read.as_ref()?.as_ref().filter(|item| is_counted(row.of.schema, item));
    let undeclared = item.and_then(|item| Image::of_undeclared(row.of.schema, item));
    Some(match undeclared {
        Some(undeclared) => image.and(undeclared),
        None => image,
    })
}
