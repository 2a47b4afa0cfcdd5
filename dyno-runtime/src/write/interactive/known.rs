//! A row that was read is known again: by the write that has made it and its version, which together never come back while
//! its tombstones last. (Of an unchecked update the write id stays, and the version tells; numbers begin again where a
//! tombstone is gone, and the write id tells.)

use super::book::Row;
use crate::attribute::{Item, equal_items};
use crate::rule;
use crate::rule::Image;
use crate::schema::Schema;

/// Whether what is there is what was read.
pub(super) fn is_same(schema: &'static Schema, read: Option<&Item>, there: Option<&Item>) -> bool {
    match (read, there) {
        (None, None) => true,
        _ if rule::is_held(schema, there) || rule::is_held(schema, read) => false,
        (Some(read), Some(there)) => match identity(schema, read) {
            Some(known) => Some(known) == identity(schema, there),
            None => equal_items(read, there),
        },
        _ => false,
    }
}

/// By what an item is known, if a write of ours has made it.
fn identity<'a>(schema: &'static Schema, item: &'a Item) -> Option<(&'a str, u64)> {
    let (write_id, version) = schema.write_id.as_ref().zip(schema.version.as_ref())?;
    let name = item.get(write_id.attribute)?.as_s().ok()?;
    version.of(item).filter(|version| *version > 0).map(|version| (name.as_str(), version))
}

/// Whether a write of ours has made an item, and counted it.
pub(super) fn is_counted(schema: &'static Schema, item: &Item) -> bool {
    identity(schema, item).is_some()
}

/// What a write demands of a row that was read: to be as it was. `None` where it was not read. Whether the write says the
/// version itself.
pub(super) fn image(row: &Row, is_checked: bool) -> Option<Image> {
    let schema = row.of.schema;
    Some(match row.read.as_ref()? {
        None => Image::of_nothing(schema),
        Some(item) if is_counted(schema, item) && is_checked => Image::of_its_write(schema, item)?,
        Some(item) if is_counted(schema, item) => Image::of_identity(schema, item),
        // Nothing has counted its writes; where unchecked updates of ours have, its version tells.
        Some(item) => Image::of(schema, item, true).and(Image::of_identity(schema, item)),
    })
}

/// The same of a row that is put whole with what several writes have made of it: what the entity does not declare stays only if
/// nobody has changed it, who need not count.
pub(super) fn whole_image(row: &Row) -> Option<Image> {
    let image = image(row, true)?;
    let item = row.read.as_ref()?.as_ref().filter(|item| is_counted(row.of.schema, item));
    let undeclared = item.and_then(|item| Image::of_undeclared(row.of.schema, item));
    Some(match undeclared {
        Some(undeclared) => image.and(undeclared),
        None => image,
    })
}
