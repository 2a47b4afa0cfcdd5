//! A query or scan as a question: whether an item answers it, whoever has read the item.
//!
//! A command that writes what a read has found asks again, of the item as it is then. An index lags behind its table, and another
//! writer can be faster.

use super::reader::Reader;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::EncodeError;
use crate::expression::{Node, Operator};
use crate::schema::Index;
use std::sync::Arc;

/// The question of a query or scan of one entity.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    reader: Arc<Reader>,
    /// The filter in the current names of the attributes.
    filter: Option<Result<Node, EncodeError>>,
}

impl Question {
    pub(super) fn new(reader: Reader, filter: Option<Result<Node, EncodeError>>) -> Self {
        Self { reader: Arc::new(reader), filter }
    }

    /// Returns `true` if the question is to an index, which may return a part of an item, in an older state than the table has.
    #[cfg(feature = "bulk")]
    pub(crate) fn is_of_an_index(&self) -> bool {
        self.reader.index.is_some()
    }

    /// Returns `true` if the query or scan would return this item, if it read the item as it is here.
    pub(crate) fn is_answered_by(&self, now: EpochMillis, item: &Item) -> bool {
        self.index_keys().all(|name| item.contains_key(name))
            && self.reader.is_within(item)
            && self.reader.belongs(now, item)
            && self.reader.passes_filter(now, item)
    }

    /// Returns the condition under which an item that answered the question still does: the filter, and the keys of the index as
    /// they were. The key of the table does not change.
    pub(crate) fn condition(&self, read: &Item) -> Option<Result<Node, EncodeError>> {
        let keys = self.index_keys().filter_map(|name| Some(Node::compare(name, Operator::Eq, read.get(name)?)));
        let keys = Node::all(keys.collect()).map(Ok);
        keys.into_iter().fold(self.filter.clone(), |terms, keys| Some(Node::join(terms, keys)))
    }

    fn index_keys(&self) -> impl Iterator<Item = &'static str> {
        self.reader.index.into_iter().flat_map(Index::keys).map(|key| key.name)
    }
}
