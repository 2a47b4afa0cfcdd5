//! Reads: of one item, of an index, of a query, of revisions.

pub(super) mod get;
pub(super) mod get_by_unique;
pub(super) mod hydrate;
pub(super) mod index;
pub(super) mod index_scan;
pub(super) mod index_sort;
pub(super) mod items;
pub(super) mod pages;
pub(super) mod query_and_scan;
pub(super) mod revisions;
#[cfg(feature = "vectors")]
pub(super) mod search;
pub(super) mod sort;
