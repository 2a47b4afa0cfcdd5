//! The fence and the token that a tombstone keeps, if one transaction creates and deletes a row.

use dyno::{Entity, Reason, Transaction};
use dyno_tests::{reasons, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Report {
    #[partition_key]
    id: String,
    lines: u64,
    #[fence]
    epoch: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Rating {
    #[partition_key]
    id: String,
    stars: u64,
    #[ratchet]
    at: u64,
    #[version]
    version: u64,
}

fn report() -> Report {
    Report { id: "1".to_owned(), lines: 0, epoch: 0, version: 0 }
}

fn rating(at: u64) -> Rating {
    Rating { id: "1".to_owned(), stars: 5, at, version: 0 }
}

/// A late create with an older fence is refused, whether the transaction found no row or a tombstone.
#[tokio::test]
async fn a_row_created_and_deleted_keeps_its_fence() {
    for is_dead in [false, true] {
        let world = world::<Report>().await;
        if is_dead {
            report().create().send(&world.repository).await.expect("sent").applied().expect("applied");
            Report::delete("1", 1).send(&world.repository).await.expect("sent").applied().expect("applied");
        }
        let base = if is_dead { 2 } else { 0 };
        let passing = Transaction::interactive(|tx| async move {
            tx.put(report().create().fenced(9));
            tx.delete(Report::delete("1", base + 1).fenced(9));
            Ok(())
        });
        passing.send(&world.repository).await.expect("sent").applied().expect("applied");
        let late = report().create().fenced(8).send(&world.repository).await.expect("sent");
        assert_eq!(reasons(&late), [Reason::Deleted, Reason::Fenced { attribute: "epoch", fence: 8, found: 9 }]);
    }
}

/// A late create with an older token is refused.
#[tokio::test]
async fn a_row_created_and_deleted_keeps_its_token() {
    let world = world::<Rating>().await;
    let passing = Transaction::interactive(|tx| async move {
        tx.put(rating(10).create());
        tx.delete(Rating::delete("1", 11, 1));
        Ok(())
    });
    passing.send(&world.repository).await.expect("sent").applied().expect("applied");
    let late = rating(7).create().send(&world.repository).await.expect("sent");
    assert_eq!(reasons(&late), [Reason::Deleted, Reason::Stale { attribute: "at", tie: false }]);
}
