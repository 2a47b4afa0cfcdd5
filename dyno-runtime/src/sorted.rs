//! Names in their order.
//!
//! The compiler makes each sort, and each ordered set, anew for every type of its elements: 10 to 25 KB. So there is one sort, of
//! names.

use std::collections::HashMap;

/// Returns names in their order, each once.
pub(crate) fn names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the entries of a map in the order of their names.
pub(crate) fn entries<V>(map: &HashMap<String, V>) -> impl Iterator<Item = (&String, &V)> {
    names(map.keys().map(String::as_str)).into_iter().filter_map(|name| map.get_key_value(name))
}
