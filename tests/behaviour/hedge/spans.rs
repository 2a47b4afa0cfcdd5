//! What spans show of the two requests.

use super::DELAY;
use crate::entities::{Plain, plain};
use crate::spans::subscribe;
use dyno_tests::{pause, world};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer};

/// The fields `hedge` and `outcome` of each span of a request, in their order.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<BTreeMap<u64, Vec<String>>>>);

struct Fields<'a>(&'a mut Vec<String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if ["hedge", "outcome"].contains(&field.name()) {
            self.0.push(format!("{field}={value:?}"));
        }
    }
}

impl<S: tracing::Subscriber> Layer<S> for Seen {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        if attributes.metadata().name() == "dynamodb" {
            self.0.lock().expect("no panic").insert(id.into_u64(), Vec::new());
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        if let Some(fields) = self.0.lock().expect("no panic").get_mut(&id.into_u64()) {
            values.record(&mut Fields(fields));
        }
    }
}

#[tokio::test]
async fn spans_mark_the_hedge_and_the_overtaken_request() {
    pause();
    for (delays, spans) in [
        ([(500, 0), (0, 0)], [vec!["outcome=\"overtaken\""], vec!["hedge=true", "outcome=\"found\""]]),
        ([(50, 0), (500, 0)], [vec!["outcome=\"found\""], vec!["hedge=true", "outcome=\"overtaken\""]]),
    ] {
        let world = world::<Plain>().await;
        plain(7).put().send(&world.other()).await.expect("put");
        world.faults.slow(delays);
        let seen = Seen::default();
        {
            let _guard = subscribe(seen.clone());
            Plain::get("1").hedge(DELAY).send(&world.repository).await.expect("read");
        }
        let said: Vec<_> = std::mem::take(&mut *seen.0.lock().expect("no panic")).into_values().collect();
        assert_eq!(said, spans, "{delays:?}");
    }
}
