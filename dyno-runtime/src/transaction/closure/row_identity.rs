//! A row that was read is known again: by the write that has made it and its version, or where nothing has counted it, by all
//! of it.

use super::read_write_set::Row;
use crate::attribute::{Item, equal_items};
use crate::rule;
use crate::rule::Image;
use crate::schema::Schema;

/// Whether what is there is what was read.
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

/// Whether a write of ours has made an item, and counted it.
pub(crate) fn is_counted(schema: &'static Schema, item: &Item) -> bool {
    rule::identity(schema, item).is_some()
}

/// What a write demands of a row that was read: to be as it was. `None` where it was not read. Whether the write says the
/// version itself.
pub(crate) fn image(row: &Row, is_checked: bool) -> Option<Image> {
    let schema = row.of.schema;
    Some(match row.read.as_ref()? {
        None => Image::of_nothing(schema),
        Some(item) if is_counted(schema, item) && is_checked => Image::of_its_write(schema, item)?,
        Some(item) if is_counted(schema, item) => Image::of_identity(schema, item),
        Some(item) => Image::of_uncounted(schema, item),
    })
}

/// The same of a row that is put whole with what several writes have made of it: what the entity does not declare stays only if
/// nobody has changed it, who need not count.
pub(crate) fn whole_image(row: &Row) -> Option<Image> {
    let image = image(row, true)?;
    let item = row.read.as_ref()?.as_ref().filter(|item| is_counted(row.of.schema, item));
    let undeclared = item.and_then(|item| Image::of_undeclared(row.of.schema, item));
    Some(match undeclared {
        Some(undeclared) => image.and(undeclared),
        None => image,
    })
}
