//! A program that does not know about transactions writes over an item between the commit and the roll forward.

use super::{Account, account, bank, creates};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::command::Overwritten;
use dyno::{Committed, Item, Sweep, Transaction};
use dyno_tests::faults::Fault;
use dyno_tests::witness::is_end;
use dyno_tests::{World, item, n, pause, s};

/// What the other program does with the row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Foreign {
    /// Puts the row with this version, and no write id.
    Put(Option<u64>),
    /// Puts the row as it was before the transaction, with its write id.
    PutBack,
    Delete,
}

async fn write(world: &World, foreign: Foreign) {
    let row = world.stored::<Account>().await.into_iter().find(|row| row["id"] == s("00000")).expect("a row");
    assert!(row.contains_key("_x"), "{row:?}");
    let put: Item = match foreign {
        Foreign::Put(version) => {
            let row = item([("id", s("00000")), ("balance", n(1000))]);
            row.into_iter().chain(version.map(|version| ("version".to_owned(), n(version)))).collect()
        }
        Foreign::PutBack => row.into_iter().filter(|(name, _)| name != "_x").collect(),
        Foreign::Delete => {
            let delete = world.other().client().delete_item().table_name("accounts").key("id", s("00000"));
            delete.send().await.expect("deleted");
            return;
        }
    };
    world.write_foreign::<Account>(put).await;
}

/// A transaction that updates or deletes the account `00000` of version 1, and creates another account.
fn transaction(is_delete: bool) -> Transaction {
    let set = Account::update("00000").version(1).with(Account::fields().balance.set(7));
    let all = creates(&["new"]);
    if is_delete { all.delete(Account::delete("00000", 1u64)) } else { all.update(set) }
}

/// Sends such a transaction, and holds it before its first roll forward until `meanwhile` has run.
async fn committed(world: &World, is_delete: bool, meanwhile: impl Future<Output = ()>) -> Committed {
    let dry = bank(1).await;
    let start = dry.faults.events().len();
    transaction(is_delete).send(&dry.repository).await.expect("sent").applied().expect("applied");
    let before = dry.faults.events()[start..].iter().position(is_end).expect("an application");
    let process = world.process(RetryConfig::standard());
    process.faults.hold_after(before);
    let repository = process.repository.clone();
    let sending = tokio::spawn(async move { transaction(is_delete).send(&repository).await });
    process.faults.held().await;
    meanwhile.await;
    process.faults.release();
    sending.await.expect("no panic").expect("sent").applied().expect("applied")
}

fn check(overwritten: &[Overwritten], foreign: Foreign) {
    let [one] = overwritten else { panic!("{foreign:?}: {overwritten:?}") };
    assert_eq!((one.table(), one.key()), ("accounts", &item([("id", s("00000"))])));
    assert_eq!(one.is_deleted(), foreign == Foreign::Delete);
    let did = if one.is_deleted() { "deleted" } else { "wrote over" };
    let text = format!("another program {did} the item id = \"00000\" of the table `accounts` before");
    assert!(one.to_string().starts_with(&text), "{one}");
}

const OVER: [Foreign; 5] =
    [Foreign::Put(None), Foreign::Put(Some(1)), Foreign::Put(Some(2)), Foreign::PutBack, Foreign::Delete];

#[tokio::test]
async fn a_foreign_write_over_a_committed_change_is_listed() {
    pause();
    for foreign in OVER {
        let world = bank(1).await;
        let committed = Box::pin(committed(&world, false, write(&world, foreign))).await;
        assert_eq!(committed.unapplied(), 0, "{foreign:?}");
        check(committed.overwritten(), foreign);
    }
}

/// The foreign row has a version that a write by dyno can reach only after the roll forward.
#[tokio::test]
async fn a_foreign_write_of_a_later_version_is_not_listed() {
    pause();
    let world = bank(1).await;
    let committed = Box::pin(committed(&world, false, write(&world, Foreign::Put(Some(3))))).await;
    assert_eq!(committed.overwritten(), []);
}

/// The tombstone of the deleted item could also have expired, so it is correct that the item does not exist.
#[tokio::test]
async fn a_foreign_delete_of_an_item_that_the_transaction_deletes_is_not_listed() {
    pause();
    let world = bank(1).await;
    let gone = Box::pin(committed(&world, true, write(&world, Foreign::Delete))).await;
    assert_eq!(gone.overwritten(), []);
    // A foreign put is listed, because the item exists again.
    let world = bank(1).await;
    let put = Box::pin(committed(&world, true, write(&world, Foreign::Put(Some(1))))).await;
    check(put.overwritten(), Foreign::Put(Some(1)));
}

/// Another process has applied the change, and then up to two more writes change the item.
#[tokio::test]
async fn a_change_that_another_process_applied_is_not_listed() {
    pause();
    for writes in 0..3 {
        for is_delete in [false, true] {
            let world = bank(1).await;
            let other = world.other();
            let meanwhile = async {
                Account::get("00000").consistent().send(&other).await.expect("a get");
                if writes > 0 && is_delete {
                    applied!(account("00000", 1).create(), &other);
                }
                if writes > 0 {
                    applied!(Account::update("00000").unchecked().with(Account::fields().balance.add(1)), &other);
                }
                if writes > 1 {
                    let version = if is_delete { 4u64 } else { 3u64 };
                    applied!(Account::delete("00000", version), &other);
                }
            };
            let committed = committed(&world, is_delete, meanwhile).await;
            assert_eq!((committed.unapplied(), committed.overwritten()), (0, &[][..]), "{writes} {is_delete}");
        }
    }
}

/// The answer to the roll forward is lost, and the SDK sends the request again.
#[tokio::test]
async fn a_lost_apply_answer_is_not_listed_as_a_foreign_write() {
    pause();
    let world = bank(1).await;
    for time in 1..=2 {
        world.faults.on_request(time, is_end, Fault::AnswerLost);
    }
    let committed = transaction(false).send(&world.repository).await.expect("sent").applied().expect("applied");
    assert_eq!((committed.unapplied(), committed.overwritten()), (0, &[][..]));
}

/// A foreign program writes the item after a sweep has read it, and before the sweep applies the committed change. The sweep
/// finds the change in the items of the table, or by the lane.
#[tokio::test]
async fn a_sweep_lists_foreign_writes_over_committed_changes() {
    pause();
    for by_lane in [false, true] {
        for foreign in OVER {
            let world = bank(1).await;
            let dead = world.process(RetryConfig::disabled());
            dead.faults.on_request(1, is_end, Fault::DiesBefore);
            assert!(dead.run(transaction(false).send(&dead.repository)).await.is_none(), "it died");
            let sweeper = world.process(RetryConfig::standard());
            if by_lane {
                sweeper.clock.advance(60 * 60 * 1000);
            }
            let sweep = move || if by_lane { Sweep::new() } else { Sweep::new().of::<Account>() };
            // The sweep reads the lanes, and then either the items that the lane names, or the items of the table and the
            // lane again.
            sweeper.faults.hold_after(if by_lane { 2 } else { 3 });
            let repository = sweeper.repository.clone();
            let sweeping = tokio::spawn(async move { sweep().send(&repository).await });
            sweeper.faults.held().await;
            write(&world, foreign).await;
            sweeper.faults.release();
            let report = sweeping.await.expect("no panic").expect("a sweep");
            assert_eq!((report.rolled_forward(), report.failed()), (1, 0), "{by_lane} {foreign:?} {report:?}");
            if by_lane && foreign == Foreign::Delete {
                // Without the schema, the sweep cannot tell the deletion from an expired tombstone.
                assert_eq!(report.overwritten(), [], "{report:?}");
            } else {
                check(report.overwritten(), foreign);
            }
            let again = sweep().send(&world.repository).await.expect("a sweep");
            assert_eq!((again.rolled_forward(), again.overwritten()), (0, &[][..]), "{again:?}");
        }
    }
}
