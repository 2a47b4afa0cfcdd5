//! Unique values as data.

/// Attributes whose values, taken together, no two live items of the entity have.
#[derive(Debug)]
pub struct Unique {
    /// Its name, with which the keys of its guard rows begin.
    pub name: &'static str,
    /// The stored names of the attributes. An item that lacks one of them has no value.
    pub attributes: &'static [&'static str],
}
