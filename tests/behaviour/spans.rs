//! Who listens to the library's spans, while other tests run beside.

use std::sync::OnceLock;
use tracing::Dispatch;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::{Registry, registry};

/// The spans of this thread go to the layer, until the guard is dropped.
///
/// Whoever comes to a kind of span first asks whether anyone wants it, and `tracing` remembers the answer for all. While there is
/// one subscriber, it asks that of the own thread: another test's has none. So there are always two, of which one wants nothing.
pub(crate) fn subscribe<L>(layer: L) -> DefaultGuard
where
    L: Layer<Registry> + Send + Sync + 'static,
{
    static OTHER: OnceLock<Dispatch> = OnceLock::new();
    OTHER.get_or_init(|| Dispatch::new(registry().with(LevelFilter::OFF)));
    tracing::subscriber::set_default(registry().with(layer))
}
