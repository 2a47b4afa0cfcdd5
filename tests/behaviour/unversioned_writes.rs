//! Writes without a version: a write that meets a transaction waits for it. If an attempt may have been applied, the error
//! says so.

use crate::entities::{Bill, Plain, plain};
use dyno::{BatchWrite, Entity, EpochMillis, Error, Repository};
use dyno_tests::faults::Fault;
use dyno_tests::faults::Unprocessed;
use dyno_tests::{NOW, pause, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
struct Rating {
    #[partition_key]
    id: String,
    stars: u32,
    #[ratchet]
    at: EpochMillis,
}

fn rating(stars: u32) -> Rating {
    Rating { id: "1".to_owned(), stars, at: EpochMillis::new(NOW + i64::from(stars)) }
}

/// The writes, by name. Each write has tests of its own, in a world in which the first command was sent before.
macro_rules! writes {
    ($($name:ident $entity:ident: $before:expr => $write:expr;)*) => {$(
        mod $name {
            use super::*;

            /// The result of the write.
            async fn written(repository: &Repository) -> Result<(), Error> {
                $write.send(repository).await.map(|written| check(written))
            }

            #[tokio::test]
            async fn waits_for_a_transaction() {
                pause();
                let world = world::<$entity>().await;
                let _there = $before.send(&world.other()).await.expect("what is there before");
                world.faults.next([Fault::Conflict; 3]);
                written(&world.repository).await.expect("when the transaction has ended");
                world.faults.next([Fault::ErrorCode("ReplicatedWriteConflictException"); 3]);
                written(&world.repository).await.expect("when the other region has written");
                // The wait is limited.
                world.faults.next([Fault::Conflict; 9]);
                let error = written(&world.repository).await.expect_err("held");
                assert!(error.is_contended() && !error.may_be_applied(), "{error:?}");
            }

            #[tokio::test]
            async fn a_lost_answer_is_reported_as_possibly_applied() {
                pause();
                for end in ends() {
                    let world = world::<$entity>().await;
                    let _there = $before.send(&world.other()).await.expect("what is there before");
                    world.faults.next([Fault::AnswerLost].into_iter().chain(end.clone()));
                    let error = written(&world.repository).await.expect_err("no answer");
                    assert!(error.may_be_applied(), "{end:?}: {error:?}");
                    assert!(error.to_string().contains("may have been applied"), "{end:?}: {error}");
                }
            }
        }
    )*};
}

/// The faults that can follow a lost answer, and that end the command.
fn ends() -> Vec<Vec<Fault>> {
    let codes = ["AccessDeniedException", "ExpiredTokenException", "ValidationException"];
    let mut ends: Vec<Vec<Fault>> = codes.map(|code| vec![Fault::ErrorCode(code)]).into();
    ends.push(vec![Fault::Proxy { status: 413, served: false }]);
    ends.push(vec![Fault::Throttled; 2]);
    ends.push(vec![Fault::ConnectionRefused; 2]);
    ends.push(vec![Fault::Conflict; 9]);
    ends
}

/// Accepts the result of any write.
fn check<T>(_: T) {}

writes! {
    put Plain: plain(0).put() => plain(1).put();
    put_with_a_condition Plain: plain(0).put() => plain(1).put().condition(Plain::fields().count.le(1));
    delete Plain: plain(0).put() => Plain::delete("1");
    update Plain: plain(0).put() => Plain::update("1").with(Plain::fields().count.set(1)).upsert();
    ratcheted_put Rating: rating(0).put() => rating(1).put();
    ratcheted_delete Rating: rating(0).put() => Rating::delete("1", EpochMillis::new(NOW + 1));
    update_with_a_key Bill: Bill { id: "1".to_owned(), total: 0 }.create()
        => Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("a");
}

#[tokio::test]
async fn an_increment_waits_for_a_transaction() {
    pause();
    let world = world::<Plain>().await;
    plain(0).put().send(&world.repository).await.expect("a put");
    world.faults.next([Fault::Conflict; 3]);
    let add = Plain::update("1").with(Plain::fields().count.add(1));
    assert!(add.send(&world.repository).await.expect("when the transaction has ended").is_applied());
    let there = Plain::get("1").consistent().send(&world.repository).await.expect("a get").expect("there");
    assert_eq!(there.count, 1);
}

#[tokio::test]
async fn a_batch_reports_that_a_write_may_have_been_applied() {
    pause();
    // A batch sends throttled or conflicting writes again, together with its other remaining writes.
    let ends = ends().into_iter().filter(|end| !matches!(end[0], Fault::Conflict | Fault::Throttled));
    for end in ends {
        let world = world::<Plain>().await;
        world.faults.next([Fault::AnswerLost].into_iter().chain(end.clone()));
        let failures = BatchWrite::new().add(plain(3).put()).send(&world.repository).await.expect("sent");
        let error = failures.failures()[0].error();
        assert!(error.may_be_applied(), "{end:?}: {error:?}");
    }
}

const DENIED: Fault = Fault::ErrorCode("AccessDeniedException");

/// Plain rows. A request writes 25 of them.
fn batch(rows: usize) -> BatchWrite {
    let rows: Vec<Plain> = (0..rows).map(|row| Plain { id: row.to_string(), count: 0 }).collect();
    BatchWrite::new().add_all(rows.iter().map(Plain::put)).concurrency(1)
}

/// Each round is a request of its own. If its answer is lost, only the writes of this round may have been applied.
#[tokio::test]
async fn a_batch_reports_writes_possibly_applied_in_an_earlier_round() {
    pause();
    let world = world::<Plain>().await;
    let first = [Fault::AnswerLost, Fault::Throttled, Fault::Throttled];
    world.faults.next(first.into_iter().chain([Fault::Throttled; 3]).chain([DENIED; 2]));
    let written = batch(26).send(&world.repository).await.expect("sent");
    assert_eq!(written.failures().len(), 26);
    for (row, failure) in written.failures().iter().enumerate() {
        let error = failure.error();
        assert_eq!(error.may_be_applied(), row < 25, "{row}: {error:?}");
        assert_eq!(error.to_string().matches("may have been applied").count(), usize::from(row < 25), "{row}: {error}");
        assert!(error.to_string().contains("AccessDeniedException"), "{row}: {error}");
    }
}

/// If the SDK's second attempt is answered, the first attempt may still have applied what the answer leaves unprocessed.
#[tokio::test]
async fn a_batch_reports_unprocessed_writes_possibly_applied_by_a_lost_attempt() {
    pause();
    for (lost, may_be_applied) in [(vec![Fault::AnswerLost], true), (Vec::new(), false)] {
        let world = world::<Plain>().await;
        world.faults.leave_unprocessed(Unprocessed::AllButOne);
        world.faults.next(lost.into_iter().chain([Fault::Served, DENIED]));
        let written = batch(2).send(&world.repository).await.expect("sent");
        assert_eq!(written.failures().len(), 1);
        let error = written.failures()[0].error();
        assert_eq!(error.may_be_applied(), may_be_applied, "{error:?}");
    }
}
