//! A lane table that throttles, that refuses access, or that was restored from a backup: the errors in the meantime, and
//! that no transaction is lost or applied in part.

use super::{Account, account, applied, committed, head, held, lane, stored, with_lanes, write};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Error, ErrorKind, Sweep, TransactGet, Transaction};
use dyno_tests::faults::{Event, Fault};
use dyno_tests::process::Process;
use dyno_tests::{World, is_remote, n, s};

/// The ticket of the intents that a dead process has left.
const TICKET: &str = "1/born/1/try";

fn is_of_lanes(event: &Event) -> bool {
    event.tables().contains("dyno-lanes")
}

fn is_update_of_lanes(event: &Event) -> bool {
    is_of_lanes(event) && event.operation == "UpdateItem"
}

/// The faults of an unavailable lane table. Each has the kind of the error, and the end of its message, which says what to
/// do.
fn troubles() -> [(Fault, ErrorKind, &'static str); 2] {
    [
        (
            Fault::Throttled,
            ErrorKind::Throttled,
            "the request was to the lane table of client-side transactions: give that table on-demand capacity, or more units, and send the command again",
        ),
        (
            Fault::ErrorCode("AccessDeniedException"),
            ErrorKind::Service,
            "DynamoDB answered AccessDeniedException: refused by a fault; the request was to the lane table of client-side transactions: give this program the rights that the guide lists under \"How to roll it out\" of client-side transactions, and check its credentials",
        ),
    ]
}

/// A process whose requests of this kind all meet the fault, and whose client does not retry.
fn troubled(world: &World, of: fn(&Event) -> bool, fault: &Fault) -> Process {
    let process = world.process(RetryConfig::disabled()).along();
    for position in 1..=200 {
        process.faults.on_request(position, of, *fault);
    }
    process
}

fn healthy(world: &World) -> Process {
    world.process(RetryConfig::disabled()).along()
}

/// Two accounts with the intents of one transaction, committed or not, and one account without an intent.
async fn left_behind(is_committed: bool) -> World {
    let world = with_lanes().await;
    let head = if is_committed { committed(1, 1, 0, &["1", "2"]) } else { head(1, 0) };
    write(&world, "dyno-lanes", [head]).await;
    write(&world, "accounts", [held("1", TICKET, 7), held("2", TICKET, 8), account("3", 5)]).await;
    world
}

fn creates(ids: [&str; 2]) -> Transaction {
    Transaction::new().put(ids.map(|id| Account { id: id.to_owned(), balance: 1, version: 0 }.create())).client_side()
}

/// Every kind of command that needs the lane of the intent on account `1`, by name, with its error.
async fn needing_the_lane(process: &Process) -> Vec<(&'static str, Error)> {
    let repository = &process.repository;
    let update = || Account::update("1").unchecked().with(Account::fields().balance.add(1));
    let gets = || vec![Account::get("1"), Account::get("2")];
    vec![
        ("by intents", creates(["a", "b"]).send(repository).await.expect_err("no lane")),
        ("an update", update().send(repository).await.expect_err("no lane")),
        ("a consistent get", Account::get("1").consistent().send(repository).await.expect_err("no lane")),
        ("a scan", Account::scan().consistent().send(repository).await.expect_err("no lane")),
        ("natively", Transaction::new().update(update()).native().send(repository).await.expect_err("no lane")),
        ("a TransactGet", TransactGet::new(gets()).send(repository).await.expect_err("no lane")),
        ("a sweep", Sweep::new().of::<Account>().send(repository).await.expect_err("no lane")),
    ]
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_lane_table_is_reported_and_nothing_is_lost() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for (fault, kind, message) in troubles() {
        for is_committed in [false, true] {
            let case = format!("{fault:?}, committed: {is_committed}");
            let world = left_behind(is_committed).await;
            let process = troubled(&world, is_of_lanes, &fault);
            for (command, error) in needing_the_lane(&process).await {
                assert_eq!((error.kind(), error.may_be_applied()), (kind, false), "{case}: {command}: {error}");
                // A `TransactGet` reads items and lanes in one request, and DynamoDB does not say which table has failed.
                let text = error.to_string();
                assert!(text.ends_with(message) || command == "a TransactGet", "{case}: {command}: {text}");
            }
            // A get that is not consistent shows the stored item, and needs no lane.
            let get = Account::get("1").send(&process.repository).await.expect("a get").expect("an account");
            assert_eq!((get.balance, get.version), (5, 1), "{case}");
            let rows = [stored(&world, "1").await, stored(&world, "2").await];
            assert_eq!(rows, [held("1", TICKET, 7), held("2", TICKET, 8)], "{case}");
            assert_eq!(world.stored::<Account>().await.len(), 3, "{case}");
            // When the lane table works again, a sweep resolves all intents.
            let report = Sweep::new()
                .of::<Account>()
                .send(&healthy(&world).repository.with_lock_timeout(std::time::Duration::ZERO))
                .await;
            let report = report.expect("swept");
            let expected = if is_committed { (2, 0, 0) } else { (0, 2, 0) };
            assert_eq!(
                (report.rolled_forward(), report.rolled_back(), report.failed()),
                expected,
                "{case}: {report:?}"
            );
            let rows = [stored(&world, "1").await, stored(&world, "2").await];
            let before = [account("1", 5), account("2", 5)];
            assert_eq!(rows, if is_committed { [applied("1", 7), applied("2", 8)] } else { before }, "{case}");
        }
    }
}

/// A program can have the rights to read and create lanes, but not the right to update them, which a commit needs.
#[tokio::test(start_paused = true)]
async fn a_denied_commit_leaves_no_item() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    for (fault, kind, message) in troubles() {
        let world = with_lanes().await;
        let process = troubled(&world, is_update_of_lanes, &fault);
        let transaction = creates(["a", "b"]);
        let error = transaction.clone().send(&process.repository).await.expect_err("not decided");
        assert_eq!((error.kind(), error.may_be_applied()), (kind, false), "{error}");
        assert!(error.to_string().ends_with(message), "{error}");
        assert!(process.faults.events().iter().any(is_update_of_lanes), "it came to the decision");
        assert_eq!(world.stored::<Account>().await, [], "{fault:?}");
        // The transaction can be sent again, also as a clone.
        transaction.send(&healthy(&world).repository).await.expect("sent").applied().expect("applied");
        assert_eq!(world.stored::<Account>().await.len(), 2);
    }
}

/// The owner of the lane has committed more than the restored head shows.
#[tokio::test(start_paused = true)]
async fn an_owner_abandons_a_lane_restored_to_an_earlier_head() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = with_lanes().await;
    let owner = healthy(&world);
    let send = async |ids| {
        creates(ids).send(&owner.repository).await.expect("sent").applied().expect("applied");
    };
    send(["a", "b"]).await;
    let backup = lane(&world, 1).await;
    send(["c", "d"]).await;
    write(&world, "dyno-lanes", [backup.clone()]).await;
    send(["e", "f"]).await;
    send(["g", "h"]).await;
    assert_eq!(lane(&world, 1).await["committed"], backup["committed"], "it decided nothing on the restored lane");
    let report = Sweep::new().of::<Account>().send(&owner.repository).await.expect("swept");
    assert_eq!((report.rolled_back(), report.failed()), (0, 0), "{report:?}");
    let accounts = world.stored::<Account>().await;
    assert!(accounts.len() == 8 && accounts.iter().all(|row| row["balance"] == n(1)), "{accounts:?}");
}

/// A commit after the backup that no process has applied is rolled back as a whole, because the restored lane does not show
/// it.
#[tokio::test(start_paused = true)]
async fn a_commit_that_a_restored_lane_lost_is_rolled_back_whole() {
    if is_remote() {
        return; // Time stands still only where the engine is in this process.
    }
    let world = with_lanes().await;
    let owner = healthy(&world);
    creates(["a", "b"]).send(&owner.repository).await.expect("sent").applied().expect("applied");
    let backup = lane(&world, 1).await;
    owner.faults.on_request(1, is_update_of_lanes, Fault::DiesAfter);
    assert!(owner.run(creates(["c", "d"]).send(&owner.repository)).await.is_none(), "it died");
    assert_ne!(lane(&world, 1).await["committed"], backup["committed"], "decided");
    write(&world, "dyno-lanes", [backup]).await;
    // A writer that finds one of the intents waits, and rolls it back. A sweep rolls back the other one.
    let other = healthy(&world);
    assert_eq!(Account::get("c").consistent().send(&other.repository).await.expect("a get"), None);
    let create = Account { id: "c".to_owned(), balance: 9, version: 0 }.create();
    applied!(create, &other.repository);
    let report = Sweep::new().of::<Account>().send(&other.repository).await.expect("swept");
    assert_eq!((report.rolled_forward(), report.rolled_back(), report.failed()), (0, 1, 0), "{report:?}");
    let balances = world.stored::<Account>().await.into_iter().map(|row| row["balance"].clone()).collect::<Vec<_>>();
    assert!(balances.len() == 3 && balances.iter().filter(|balance| **balance == n(9)).count() == 1, "{balances:?}");
}

/// The number of the intent is from an epoch that began after the backup.
#[tokio::test]
async fn an_intent_beyond_a_restored_head_is_left_and_reported() {
    let world = with_lanes().await;
    let row = held("1", "1/born/2000000000001/try", 7);
    write(&world, "dyno-lanes", [head(1, 0)]).await;
    write(&world, "accounts", [row.clone()]).await;
    let message = "the item's `_x` names an attempt that its lane has not reached, `1/born/2000000000001/try`, so dyno leaves the item unchanged: restore the lane table and the items to the same moment, or find the program that wrote it";
    let update = Account::update("1").unchecked().with(Account::fields().balance.add(1));
    let error = update.send(&world.repository).await.expect_err("not decided");
    assert_eq!((error.kind(), error.may_be_applied()), (ErrorKind::Decode, false));
    assert_eq!(error.to_string(), format!("update of `Account` (id = \"1\"): {message}"));
    let error = Account::get("1").consistent().send(&world.repository).await.expect_err("not decided");
    assert!(error.to_string().ends_with(message), "{error}");
    let report = Sweep::new().of::<Account>().send(&world.repository).await.expect("swept");
    let unresolved: Vec<_> = report.unresolved().iter().map(|it| (it.table(), it.error().to_string())).collect();
    assert_eq!(unresolved, [("accounts", message.to_owned())]);
    assert_eq!(stored(&world, "1").await, row);
}

/// The lane table was created again. Its lane has the same name, but another birth mark.
#[tokio::test]
async fn an_intent_on_a_recreated_lane_is_left_and_reported() {
    let world = with_lanes().await;
    let row = held("1", TICKET, 7);
    let mut another = committed(1, 1, 0, &["1"]);
    another.insert("born".to_owned(), s("again"));
    write(&world, "dyno-lanes", [another]).await;
    write(&world, "accounts", [row.clone()]).await;
    let message = "a client-side transaction holds the item (its `_x` names the lane `1`), and this repository's lane table lacks that lane: name the lane table of the item's writers with `with_lane_table`, or restore it";
    let update = Account::update("1").unchecked().with(Account::fields().balance.add(1));
    let error = update.send(&world.repository).await.expect_err("no lane");
    assert_eq!((error.kind(), error.may_be_applied()), (ErrorKind::LaneMissing, false));
    assert_eq!(error.to_string(), format!("update of `Account` (id = \"1\"): {message}"));
    let error = Account::get("1").consistent().send(&world.repository).await.expect_err("no lane");
    assert!(error.to_string().ends_with(message), "{error}");
    let report = Sweep::new().of::<Account>().send(&world.repository).await.expect("swept");
    let unresolved: Vec<_> = report.unresolved().iter().map(|it| (it.error().kind(), it.error().to_string())).collect();
    assert_eq!(unresolved, [(ErrorKind::LaneMissing, message.to_owned())]);
    assert_eq!(stored(&world, "1").await, row);
}
