//! Streams of futures of which several run at once.

use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream;

/// Returns a stream of these futures, to be run by `buffered` or `buffer_unordered`.
///
/// Each future is made when the stream is asked for it, so only those exist that run. The iterator is boxed, because the compiler
/// cannot prove that the future around a stream is `Send` if the stream has the iterator's own type.
pub(crate) fn boxed_stream<'a, T: 'a>(
    futures: impl IntoIterator<Item: Future<Output = T> + Send + 'a, IntoIter: Send + 'a>,
) -> stream::Iter<Futures<'a, T>> {
    let futures: Futures<'a, T> = Box::new(futures.into_iter().map(FutureExt::boxed));
    stream::iter(futures)
}

type Futures<'a, T> = Box<dyn Iterator<Item = BoxFuture<'a, T>> + Send + 'a>;
