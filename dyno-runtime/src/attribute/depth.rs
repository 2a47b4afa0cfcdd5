//! How deep an encoding or decoding is: refused on the way in, since what recurses for ever is no value any more.

use crate::error::{DecodeError, EncodeError};
use std::cell::Cell;

/// How many levels of lists and maps an attribute may have within it.
/// (Developer guide, "Quotas and limits in Amazon DynamoDB", nested attribute depth.)
pub(crate) const NESTING: usize = 32;

thread_local! {
    static LEVELS: Cell<usize> = const { Cell::new(0) };
}

/// A level that ends when this is dropped, also by a panic in the user's code.
struct Level;

impl Drop for Level {
    fn drop(&mut self) {
        LEVELS.set(LEVELS.get() - 1);
    }
}

/// The error of what is too deep.
pub trait TooDeep {
    /// Says so.
    fn too_deep() -> Self;
}

impl TooDeep for EncodeError {
    fn too_deep() -> Self {
        Self::new(format!("lists and maps are nested more than {NESTING} deep, which DynamoDB does not take"))
    }
}

impl TooDeep for DecodeError {
    fn too_deep() -> Self {
        Self::new(format!("lists and maps nested at most {NESTING} deep"), "more")
    }
}

/// Encodes or decodes a list or map, unless there are too many around it.
#[inline]
pub fn within<T, E: TooDeep>(code: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let levels = LEVELS.get();
    // The attribute itself is one.
    if levels > NESTING {
        return Err(E::too_deep());
    }
    LEVELS.set(levels + 1);
    let _level = Level;
    code()
}
