//! The depth of nested lists and maps. Encoding and decoding stop at DynamoDB's limit, which also stops an endless recursion.

use crate::error::{DecodeError, EncodeError};
use std::cell::Cell;

/// The number of lists and maps around a scalar. The scalar itself is the last of the 32 levels that DynamoDB takes, as recorded on
/// AWS. (Developer guide, "Quotas and limits in Amazon DynamoDB", nested attribute depth.)
pub(crate) const NESTING: usize = 31;

thread_local! {
    static LEVELS: Cell<usize> = const { Cell::new(0) };
}

/// One level. It ends when this value is dropped, also by a panic in the user's code.
struct Level;

impl Drop for Level {
    fn drop(&mut self) {
        LEVELS.set(LEVELS.get() - 1);
    }
}

/// An error that can report a value as too deep.
pub trait TooDeep {
    /// Returns the error for a value that is too deep.
    fn too_deep() -> Self;
}

impl TooDeep for EncodeError {
    fn too_deep() -> Self {
        Self::new(format!("lists and maps are nested more than {NESTING} deep, which DynamoDB does not take"))
    }
}

impl TooDeep for DecodeError {
    fn too_deep() -> Self {
        Self::new(format!("lists and maps nested at most {} deep", NESTING + 1), "more")
    }
}

/// Encodes or decodes a list or map, unless it is nested too deeply.
#[inline]
pub fn within<T, E: TooDeep>(code: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let levels = LEVELS.get();
    // An empty list can take the place of the scalar. (`check_value` refuses a scalar there.)
    if levels > NESTING {
        return Err(E::too_deep());
    }
    LEVELS.set(levels + 1);
    let _level = Level;
    code()
}
