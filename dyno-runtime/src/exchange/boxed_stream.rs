//! Streams of futures of which several run at once.

use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream;
use std::vec::IntoIter;

/// Returns a stream of these futures, to be run by `buffered` or `buffer_unordered`.
///
/// All futures are made and boxed here, before one is polled. If the stream made them one by one while it is polled, the compiler
/// could not prove that the future around the stream is `Send`.
pub(crate) fn boxed_stream<'a, T>(
    futures: impl IntoIterator<Item: Future<Output = T> + Send + 'a>,
) -> stream::Iter<IntoIter<BoxFuture<'a, T>>> {
    stream::iter(futures.into_iter().map(FutureExt::boxed).collect::<Vec<_>>())
}
