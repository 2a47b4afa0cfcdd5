//! A sweep of lanes: it applies what their owners have committed and not applied.

use super::{Account, LONG, account, applied, committed, head, held, lane, stored, with_lanes, write};
use dyno::__private::lanes::take;
use dyno::{Sweep, Transaction};
use dyno_tests::{NOW, n, pause};

#[tokio::test]
async fn a_sweep_applies_the_commits_of_a_silent_owner() {
    pause();
    let world = with_lanes().await;
    let mut ahead = committed(3, 4, 0, &["4"]);
    ahead.insert("beat".to_owned(), n(NOW + 3_600_000));
    let heads = [committed(1, 4, 5_001, &["1", "2", "gone"]), committed(2, 4, 5_000, &["3"]), ahead, head(4, 99_999)];
    write(&world, "dyno-lanes", heads.clone()).await;
    let living = held("3", "2/born/4/try", 7);
    let rows = [held("1", "1/born/4/try", 7), account("2", 5), living.clone(), held("4", "3/born/4/try", 8)];
    write(&world, "accounts", rows).await;
    let report = Sweep::new().send(&world.repository).await.expect("swept");
    assert_eq!((report.rolled_forward(), report.cleared(), report.failed()), (2, 2, 0), "{report:?}");
    assert_eq!((report.rolled_back(), report.aborted()), (0, 0));
    assert_eq!([stored(&world, "1").await, stored(&world, "4").await], [applied("1", 7), applied("4", 8)]);
    assert_eq!((stored(&world, "2").await, stored(&world, "3").await), (account("2", 5), living));
    for at in [1, 3] {
        let head = lane(&world, at).await;
        assert!(!["participants", "of", "pages"].iter().any(|name| head.contains_key(*name)), "{head:?}");
        assert_eq!((&head["committed"], &head["try"]), (&n(4), &heads[0]["try"]));
    }
    assert_eq!((lane(&world, 2).await, lane(&world, 4).await), (heads[1].clone(), heads[3].clone()));
    let metered = world.repository.metered();
    let again = Sweep::new().send(&metered).await.expect("swept");
    assert_eq!((again.rolled_forward(), again.cleared(), metered.usage().requests), (0, 0, 1));
    assert_eq!(metered.usage().write_units, 0.0);
}

/// A sweep with a shorter lock timeout counts an owner as silent earlier.
#[tokio::test]
async fn an_owner_counts_as_silent_after_the_sweeper_s_lock_timeout() {
    pause();
    let world = with_lanes().await;
    write(&world, "dyno-lanes", [committed(1, 4, 100, &["1"])]).await;
    write(&world, "accounts", [held("1", "1/born/4/try", 7)]).await;
    let patient = Sweep::new().send(&world.repository).await.expect("swept");
    assert_eq!((patient.rolled_forward(), patient.cleared()), (0, 0));
    let hasty = world.repository.clone().with_lock_timeout(std::time::Duration::from_millis(99));
    let report = Sweep::new().send(&hasty).await.expect("swept");
    assert_eq!((report.rolled_forward(), report.cleared()), (1, 1));
}

/// The owner commits the next ticket between the sweep's read of the lane and its write. The participants of that ticket are
/// kept.
#[tokio::test]
async fn a_commit_during_a_sweep_is_not_lost() {
    pause();
    let world = with_lanes().await;
    write(&world, "dyno-lanes", [committed(1, 4, LONG, &[])]).await;
    let repository = world.repository.clone();
    // The read of all lanes.
    world.faults.hold_after(1);
    let swept = tokio::spawn(async move { Sweep::new().send(&repository).await });
    world.faults.held().await;
    let next = committed(1, 5, LONG, &["1"]);
    write(&world, "dyno-lanes", [next.clone()]).await;
    write(&world, "accounts", [held("1", "1/born/5/try", 7)]).await;
    world.faults.release();
    let report = swept.await.expect("no panic").expect("swept");
    assert_eq!((report.rolled_forward(), report.cleared(), report.failed()), (0, 0, 0));
    assert_eq!(lane(&world, 1).await, next);
    // The next process that takes the lane applies the commit.
    take(&world.repository).await.expect("the lane");
    assert_eq!(stored(&world, "1").await, applied("1", 7));
}

/// The owner of the lane can still renew it after a sweep.
#[tokio::test]
async fn a_sweep_does_not_take_a_lane_from_its_owner() {
    pause();
    let world = with_lanes().await;
    let mut own = take(&world.repository).await.expect("a lane");
    world.clock.advance(30_000);
    _ = Sweep::new().send(&world.repository).await.expect("swept");
    assert!(own.renew(&world.repository).await.expect("an answer"));
    own.give_back();
}

#[tokio::test]
async fn a_sweep_reads_each_table_once() {
    pause();
    let world = with_lanes().await;
    let metered = world.repository.metered();
    let sweep = Sweep::new().of::<Account>().of::<Account>();
    assert_eq!(format!("{sweep:?}"), "Sweep[\"Account\", \"Account\"]");
    // The future of `send` is `Send`, so it can run in another task.
    let (again, sent) = (sweep.clone(), metered.clone());
    _ = tokio::spawn(async move { again.send(&sent).await }).await.expect("no panic").expect("swept");
    assert_eq!(metered.usage().requests, 2);
    // A sweep that finds no intent writes nothing.
    let new = Account { id: "1".to_owned(), balance: 5, version: 0 };
    let created = Transaction::new().put(new.create()).send(&world.repository).await.expect("sent");
    created.applied().expect("applied");
    _ = sweep.send(&metered).await.expect("swept");
    assert_eq!(metered.usage().write_units, 0.0);
}
