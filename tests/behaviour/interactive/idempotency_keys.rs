//! Idempotency keys that are stored together with other writes of their row.

use super::clones::impatient;
use dyno::{Entity, EpochMillis, ErrorKind, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::{NOW, world};
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "meters")]
#[tombstone(ttl_days = 7)]
#[idempotency(window_secs = 300, max_skew_secs = 60)]
#[transactional]
struct Meter {
    #[partition_key]
    id: String,
    count: u64,
    reads: u64,
    #[version]
    version: u64,
}

/// A clone that is sent late would store the key with the time of the closure's run, and the key would expire at once. A
/// second delivery of the same event would then count twice.
#[tokio::test]
async fn a_late_clone_does_not_store_an_expired_key() {
    for (fault, is_open) in [(Fault::RequestLost, true), (Fault::ErrorCode("AccessDeniedException"), false)] {
        let world = world::<Meter>().await;
        let meter = Meter { id: "m".to_owned(), count: 0, reads: 0, version: 0 };
        meter.create().send(&world.repository).await.expect("sent").applied().expect("applied");
        let runs = &AtomicUsize::new(0);
        let fields = Meter::fields;
        let counted = || Meter::update("m").unchecked().with(fields().count.add(1)).idempotency_key("event");
        let count = Transaction::interactive(|tx| async move {
            runs.fetch_add(1, Ordering::SeqCst);
            tx.get(Meter::get("m")).await?;
            tx.update(counted());
            tx.update(Meter::update("m").unchecked().with(fields().reads.add(1)));
            Ok(())
        });
        world.faults.next([Fault::Served, fault]);
        let error = count.clone().send(&impatient(&world)).await.expect_err("no answer");
        assert_eq!(error.may_be_applied(), is_open, "{error:?}");
        world.clock.set(EpochMillis::new(NOW + 3_600_000));
        let sent = count.send(&world.repository).await;
        if is_open {
            assert_eq!(sent.expect_err("too late").kind(), ErrorKind::OutcomeUnknown);
        } else {
            sent.expect("sent").applied().expect("applied");
        }
        world.clock.set(EpochMillis::new(NOW + 3_605_000));
        let again = counted().send(&world.repository).await.expect("sent");
        assert_eq!(again.is_applied(), is_open, "once");
        let stored = Meter::get("m").consistent().send(&world.repository).await.expect("a get").expect("a meter");
        assert_eq!((stored.count, runs.load(Ordering::SeqCst)), (1, if is_open { 1 } else { 2 }));
    }
}

/// In native and in client-side transactions, the closure does not run again, because each run would be as late as the first
/// one.
#[tokio::test]
async fn a_closure_that_outlasts_its_keys_fails_after_its_first_run() {
    for client_side in [false, true] {
        let world = world::<Meter>().await;
        world.create_lanes().await;
        let meter = Meter { id: "m".to_owned(), count: 0, reads: 0, version: 0 };
        meter.create().send(&world.repository).await.expect("sent").applied().expect("applied");
        let runs = AtomicUsize::new(0);
        let fields = Meter::fields;
        let count = Transaction::interactive(|tx| {
            runs.fetch_add(1, Ordering::SeqCst);
            let clock = &world.clock;
            async move {
                tx.get(Meter::get("m")).await?;
                tx.update(Meter::update("m").unchecked().with(fields().count.add(1)).idempotency_key("event"));
                tx.update(Meter::update("m").unchecked().with(fields().reads.add(1)));
                clock.advance(60_000);
                Ok(())
            }
        });
        let count = if client_side { count.client_side() } else { count.native() };
        let error = count.send(&world.repository).await.expect_err("too late");
        assert_eq!((error.kind(), runs.into_inner()), (ErrorKind::InvalidInput, 1), "{error}");
        let message = error.to_string();
        assert!(message.starts_with("the closure took 60 seconds or more"), "{message}");
        assert!(message.contains("the limit is the entity's `max_skew_secs`"), "{message}");
    }
}
