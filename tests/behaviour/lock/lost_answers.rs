//! Late and lost answers to a heartbeat and to a release.

use super::{acquired, lease, locks, nightly, other};
use dyno::Repository;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::lock::Released;
use dyno_tests::clock::RunningClock;
use dyno_tests::faults::{Event, Fault};
use dyno_tests::{is_remote, pause};
use tokio::time::Instant;

fn is_update(event: &Event) -> bool {
    event.operation == "UpdateItem"
}

#[tokio::test]
async fn a_heartbeat_that_is_answered_late_counts_from_its_sending() {
    if is_remote() {
        return; // Time is another there.
    }
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    // Each heartbeat is applied at once. But its answer takes longer than dyno waits before it sends the next one.
    let after = u64::try_from(lease().as_millis() * 2 / 5).expect("a few");
    world.faults.latency_ms(0, after);
    assert_eq!(held.during(tokio::time::sleep(lease() * 5)).await, Ok(()));
    // The lease counts from the sending of a heartbeat, and not from its answer.
    let left = held.left().expect("held");
    assert!(left <= lease() / 2, "{left:?}");
    assert_eq!(held.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn a_heartbeat_whose_answers_are_lost_counts_from_its_sending() {
    pause();
    let (world, _) = locks().await;
    let client = world.client(RetryConfig::disabled());
    let repository = Repository::new(client).with_clock(RunningClock::new(Instant::now(), 0));
    let held = acquired(&nightly(), &repository).await;
    world.faults.on_request(1, is_update, Fault::AnswerLost);
    let mut sent = None;
    let work = async {
        // The loop ends when the next heartbeat is answered. It is refused, because the one with the lost answer was
        // applied.
        let mut left = held.left().expect("held");
        loop {
            tokio::time::sleep(lease() / 100).await;
            sent = sent.or((world.faults.unmet() == 0).then(Instant::now));
            let now = held.left().expect("held");
            if now > left {
                break now;
            }
            left = now;
        }
    };
    let left = held.during(work).await.expect("held");
    let sent = sent.expect("it was sent");
    let most = (lease() * 9 / 10).saturating_sub(sent.elapsed()) + lease() / 50;
    assert!(left <= most, "{left:?} of {most:?}");
    assert_eq!(held.release().await.expect("released"), Released::Free);
}

#[tokio::test]
async fn a_release_with_lost_answers_is_confirmed_by_a_read() {
    pause();
    let (world, repository) = locks().await;
    for faults in [
        // All attempts are applied, and none is answered.
        vec![Fault::AnswerLost; 3],
        vec![Fault::RequestLost; 3],
        [vec![Fault::AnswerLost; 3], vec![Fault::RequestLost]].concat(),
        vec![Fault::Throttled; 3],
        vec![Fault::ServerError { served: true }; 3],
    ] {
        let held = acquired(&nightly(), &repository).await;
        world.faults.next(faults.clone());
        let released = held.release().await.unwrap_or_else(|error| panic!("{faults:?}: {error}"));
        assert_eq!(released, Released::Free, "{faults:?}");
        let seen = nightly().inspect(&repository).await.expect("read").expect("a row");
        assert!(!seen.is_held, "{faults:?}");
    }
}

#[tokio::test]
async fn a_release_reports_a_loss_if_the_row_has_a_greater_fence() {
    pause();
    let (world, repository) = locks().await;
    let held = acquired(&nightly(), &repository).await;
    let others = other(&world);
    // The release is applied, and another program acquires the lock before the release is sent again.
    let released = world
        .meanwhile(held.release(), async {
            assert_eq!(acquired(&nightly(), &others).await.fence(), 2);
        })
        .await;
    assert_eq!(released.expect("no error"), Released::Lost);
}

#[tokio::test]
async fn the_error_of_a_failed_release_says_when_the_lock_is_free() {
    pause();
    for fault in [Fault::AnswerLost, Fault::RequestLost, Fault::Throttled, Fault::ErrorCode("AccessDeniedException")] {
        let (world, repository) = locks().await;
        let held = acquired(&nightly(), &repository).await;
        world.faults.next([fault; 100]);
        let error = held.release().await.expect_err("no answer");
        let (text, free) = (error.to_string(), format!("when its lease of {:?} has expired", lease()));
        assert!(text.contains("the lock `reports/nightly`") && text.contains(&free), "{fault:?}: {text}");
        assert!(!text.contains("send it again") && !text.contains("same command"), "{fault:?}: {text}");
    }
}

#[tokio::test]
async fn the_error_of_a_lost_lock_names_no_internal_command() {
    pause();
    let (world, _) = locks().await;
    let client = world.client(RetryConfig::disabled());
    let repository = Repository::new(client).with_clock(RunningClock::new(Instant::now(), 0));
    let held = acquired(&nightly(), &repository).await;
    world.faults.next([Fault::RequestLost; 400]);
    let lost = held.during(tokio::time::sleep(lease() * 2)).await.expect_err("lost");
    assert!(
        lost.to_string().ends_with("was lost: no heartbeat was confirmed in time: DynamoDB did not answer"),
        "{lost}"
    );
}
