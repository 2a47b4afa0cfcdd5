//! A subscriber for the library's spans that works while other tests run in parallel.

use std::sync::OnceLock;
use tracing::Dispatch;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::{Registry, registry};

/// The spans of this thread go to the layer, until the guard is dropped.
///
/// When a kind of span is first used, `tracing` asks whether any subscriber wants it, and caches the answer for all threads.
/// While there is only one subscriber, `tracing` asks the subscriber of the current thread, which another test's thread does
/// not have. So there are always two subscribers, and the second one wants no spans.
pub(crate) fn subscribe<L>(layer: L) -> DefaultGuard
where
    L: Layer<Registry> + Send + Sync + 'static,
{
    static OTHER: OnceLock<Dispatch> = OnceLock::new();
    OTHER.get_or_init(|| Dispatch::new(registry().with(LevelFilter::OFF)));
    tracing::subscriber::set_default(registry().with(layer))
}
