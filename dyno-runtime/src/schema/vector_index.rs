//! Vector indexes as constant data.

use super::{KeyAttribute, Projected};

/// A vector index of an entity.
#[derive(Debug)]
pub struct VectorIndex {
    /// The index's name.
    pub name: &'static str,
    /// The attribute with the vector, and its dimensions.
    pub vector: VectorAttribute,
    /// The distance by which a search compares vectors.
    pub metric: Metric,
    /// The attribute that each search gives a value for; none, or one. An item without it is not in the index.
    pub partition: &'static [KeyAttribute],
    /// The attributes by which a search can filter.
    pub filters: &'static [KeyAttribute],
    /// The other attributes that it holds.
    pub projection: Projected,
    /// The attributes that the vector is made of.
    pub of: &'static [&'static str],
}

/// The attribute of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorAttribute {
    /// The attribute's name.
    pub name: &'static str,
    /// The number of dimensions.
    pub dimensions: usize,
    /// True if an item can be without a vector.
    pub is_optional: bool,
}

/// The distance between two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// 1 minus the cosine of the angle, from 0 to 2: a lower score is closer.
    Cosine,
    /// The length of the difference: a lower score is closer.
    Euclidean,
    /// The dot product: a higher score is closer.
    DotProduct,
}

impl VectorIndex {
    /// Returns the attributes of the index's search schema.
    pub(crate) fn search_attributes(&self) -> impl Iterator<Item = &'static KeyAttribute> {
        self.partition.iter().chain(self.filters)
    }
}
