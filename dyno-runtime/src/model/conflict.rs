//! What two entities need of one table, and cannot both have.

use crate::schema::{Index, KeyAttribute, VectorIndex};
use crate::table::Plan;

/// Returns the first need of a table that contradicts the needs that are known of it.
pub(super) fn conflict(known: &Plan, plan: &Plan) -> Option<String> {
    if known.keys != plan.keys {
        return Some("other keys".to_owned());
    }
    if let (Some(attribute), Some(other)) = (known.ttl, plan.ttl)
        && attribute != other
    {
        return Some(format!("the TTL attributes `{attribute}` and `{other}`"));
    }
    let of_index = plan.indexes.iter().map(|more| more.index).find(|more| {
        known.indexes.iter().any(|index| index.index.name == more.name && !is_same_index(index.index, more))
    });
    let of_vector = plan.vector_indexes.iter().map(|more| more.index).find(|more| {
        known.vector_indexes.iter().any(|index| index.index.name == more.name && !is_same_vector(index.index, more))
    });
    let name = of_index.map(|index| index.name).or(of_vector.map(|index| index.name))?;
    Some(format!("different indexes `{name}`"))
}

fn is_same_index(index: &Index, other: &Index) -> bool {
    index.is_local == other.is_local
        && is_same_key(index.partition, other.partition)
        && is_same_key(index.sort, other.sort)
}

fn is_same_vector(index: &VectorIndex, other: &VectorIndex) -> bool {
    std::ptr::eq(index, other)
        || index.vector == other.vector
            && index.metric == other.metric
            && is_same_key(index.partition, other.partition)
            && is_same_key(index.filters, other.filters)
}

fn is_same_key(key: &[KeyAttribute], other: &[KeyAttribute]) -> bool {
    let parts = |key: &[KeyAttribute]| key.iter().map(|key| (key.name, key.key_type.clone())).collect::<Vec<_>>();
    parts(key) == parts(other)
}
