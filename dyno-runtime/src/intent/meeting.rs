//! How many intents are met one after the other, and what is said then.

use crate::error::{Error, ErrorKind};

/// How many intents of other transactions one command settles, one after the other, before it is given up. Each of them has
/// ended, or was made void: so it is met only where others place theirs faster than this one is sent again. That often, an
/// item is never free.
pub(crate) const MEETINGS: u32 = 1000;

/// Others hold the item each time.
pub(crate) fn kept() -> Error {
    Error::new(
        ErrorKind::Contended,
        "a transaction of many requests holds the item, by its attribute `_x`, and another one each time that it was let go of: send it again later",
    )
}
