//! Writes with and without a fence to the items that a lock guards.

use super::{acquired, lease, locks, nightly, other};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::command::Modify;
use dyno::{Entity, EpochMillis, Found, Outcome, Reason, Repository, Transaction};
use dyno_tests::faults::{Fault, ms};
use dyno_tests::{World, item, n, pause, reasons, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "fenced")]
#[tombstone(ttl_days = 7)]
struct Plain {
    #[partition_key]
    id: String,
    lines: u32,
    #[fence]
    epoch: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "fenced", rename_all = "PascalCase")]
#[tombstone(ttl_days = 7)]
struct Ratcheted {
    #[partition_key]
    #[attribute(rename = "id")]
    id: String,
    #[ratchet]
    at: EpochMillis,
    #[fence]
    epoch: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "fenced")]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Recorded {
    #[partition_key]
    id: String,
    lines: u32,
    #[fence]
    epoch: u64,
    #[version]
    version: u64,
}

fn plain(lines: u32, epoch: u64) -> Plain {
    Plain { id: "1".to_owned(), lines, epoch }
}

fn ratcheted(at: i64, epoch: u64) -> Ratcheted {
    Ratcheted { id: "1".to_owned(), at: EpochMillis::new(at), epoch }
}

fn recorded(lines: u32, epoch: u64, version: u64) -> Recorded {
    Recorded { id: "1".to_owned(), lines, epoch, version }
}

fn fenced(fence: u64, found: u64) -> Reason {
    Reason::Fenced { attribute: "epoch", fence, found }
}

async fn stored(repository: &Repository) -> Option<Plain> {
    Plain::get("1").consistent().send(repository).await.expect("a get")
}

async fn put(repository: &Repository, plain: &Plain, fence: u64) -> Vec<Reason> {
    reasons(&plain.put().fenced(fence).send(repository).await.expect("a put"))
}

/// A former holder does not know that it has lost the lock, and the next holder has written.
#[tokio::test]
async fn the_fenced_writes_of_a_former_holder_are_refused() {
    pause();
    let (world, repository) = locks().await;
    repository.create_table::<Plain>().await.expect("a table");
    let zombie = acquired(&nightly(), &repository).await;
    let other = other(&world);
    tokio::time::sleep(lease()).await;
    let next = acquired(&nightly(), &other).await;
    plain(7, 0).put().fenced(&next).send(&other).await.expect("a put").applied().expect("applied");

    let refused = |outcome: &Outcome<Plain>| {
        let refusal = outcome.refusal().expect("refused");
        assert_eq!(refusal.reasons(), [fenced(1, 2)]);
        assert!(refusal.is_fenced() && !refusal.is_stale() && !refusal.is_superseded());
        assert!(
            refusal.to_string().ends_with(
                "fenced: the stored `epoch` is 2, and the write's is 1: a later holder of the lock has written the item"
            ),
            "{refusal}"
        );
    };
    refused(&plain(1, 0).put().fenced(&zombie).send(&repository).await.expect("a put"));
    refused(&plain(1, 0).replace().fenced(&zombie).send(&repository).await.expect("a replace"));
    refused(&Plain::delete("1").fenced(&zombie).send(&repository).await.expect("a delete"));
    let lines = || Plain::fields().lines.set(1u32);
    refused(&Plain::update("1").with(lines()).fenced(&zombie).send(&repository).await.expect("an update"));
    let late = plain(1, 0).put().fenced(&zombie).send(&repository).await.expect("a put").accept_stale();
    assert!(late.is_err(), "it is no old news");
    assert_eq!(stored(&repository).await, Some(plain(7, 2)));

    // An update without a fence is applied.
    let update = Plain::update("1").with(lines()).send(&repository).await.expect("an update");
    assert_eq!((reasons(&update), stored(&repository).await), (Vec::new(), Some(plain(1, 2))));
    // A put of the loaded item is applied, too, because it has the stored fence.
    let put = plain(2, 2).put().send(&repository).await.expect("a put");
    assert_eq!((reasons(&put), stored(&repository).await), (Vec::new(), Some(plain(2, 2))));
    let _free = next.release().await.expect("released");
}

#[tokio::test]
async fn an_unfenced_write_never_lowers_the_fence() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    assert_eq!(put(repository, &plain(1, 0), 5).await, []);
    assert_eq!(stored(repository).await, Some(plain(1, 5)), "the put stores it in the place of the entity's own");
    // A put is refused if the fence of the struct is lower than the stored one. It passes if the struct has the stored
    // fence.
    assert_eq!(reasons(&plain(2, 0).put().send(repository).await.expect("a put")), [fenced(0, 5)]);
    assert_eq!(reasons(&plain(2, 4).replace().send(repository).await.expect("a replace")), [fenced(4, 5)]);
    assert_eq!(reasons(&plain(2, 5).put().send(repository).await.expect("a put")), []);
    let create = plain(2, 0).create().send(repository).await.expect("a create");
    assert_eq!(reasons(&create), [Reason::Exists, fenced(0, 5)]);
    let upsert = Plain::update("1").with(Plain::fields().lines.set(3u32)).upsert();
    assert_eq!(reasons(&upsert.send(repository).await.expect("an upsert")), []);
    assert_eq!(stored(repository).await, Some(plain(3, 5)));
    let each = Plain::scan().modify_each(|plain: &mut Plain| plain.lines += 1).send(repository).await.expect("a run");
    assert_eq!(each.completed().expect("completed").changed(), 1);
    assert_eq!(stored(repository).await, Some(plain(4, 5)));
    // A greater fence in the struct counts like a given one.
    assert_eq!(reasons(&plain(6, 6).put().send(repository).await.expect("a put")), []);
    assert_eq!(put(repository, &plain(7, 9), 5).await, [fenced(5, 6)], "the one that is given counts");
    let (last, before) = (u64::MAX, u64::MAX - 1);
    assert_eq!(put(repository, &plain(8, 0), last).await, []);
    assert_eq!(put(repository, &plain(9, 0), before).await, [fenced(before, last)]);
    assert_eq!(stored(repository).await, Some(plain(8, last)));
}

#[tokio::test]
async fn a_deletion_keeps_the_fence() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    assert_eq!(put(repository, &plain(1, 0), 5).await, []);
    let delete = Plain::delete("1").send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), [fenced(0, 5)], "it does not say whose it is");
    let delete = Plain::delete("1").fenced(7).send(repository).await.expect("a delete");
    assert_eq!((reasons(&delete), stored(repository).await), (Vec::new(), None));
    let found = Plain::get("1").include_deleted().send(repository).await.expect("a get");
    let Some(Found::Deleted(tombstone)) = found else { panic!("{found:?}") };
    assert_eq!(tombstone.item()["epoch"], n(7));
    assert_eq!(put(repository, &plain(1, 0), 6).await, [fenced(6, 7), Reason::Deleted]);
    let undelete = plain(1, 6).undelete().send(repository).await.expect("an undelete");
    assert_eq!(reasons(&undelete), [fenced(6, 7)]);
    // The same holder can undelete the item.
    let undelete = plain(1, 0).undelete().fenced(7).send(repository).await.expect("an undelete");
    assert_eq!(reasons(&undelete), []);
    let loaded = stored(repository).await.expect("an item");
    let delete = Plain::delete("1").fenced(loaded.epoch).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
    // The purge is refused, because the tombstone that was read is not the stored row.
    assert_eq!(put(repository, &plain(1, 0), 8).await, []);
    let purge = Plain::purge(&tombstone).send(repository).await.expect("a purge");
    assert_eq!(reasons(&purge), [Reason::Changed]);
    // If no holder has written the row, a delete needs no fence.
    world.write_foreign::<Plain>(item([("id", s("1")), ("lines", n(1))])).await;
    assert_eq!(reasons(&Plain::delete("1").send(repository).await.expect("a delete")), []);
}

#[tokio::test]
async fn an_equal_fence_passes_again() {
    pause();
    let world = world::<Plain>().await;
    let repository = &world.repository;
    for faults in [vec![Fault::AnswerLost; 2], vec![Fault::Duplicated(ms(50))]] {
        world.faults.next(faults);
        assert_eq!(put(repository, &plain(1, 0), 5).await, []);
        world.faults.settled().await;
    }
    // Two clones are sent at once.
    let clone = plain(2, 0).put().fenced(5);
    let (one, other) = tokio::join!(clone.clone().send(repository), clone.send(repository));
    assert_eq!((reasons(&one.expect("a put")), reasons(&other.expect("a put"))), (Vec::new(), Vec::new()));
    world.faults.next([Fault::AnswerLost]);
    let delete = Plain::delete("1").fenced(5).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
}

#[tokio::test]
async fn a_fenced_write_delivered_again_after_a_later_holder_s_changes_nothing() {
    pause();
    let world = world::<Plain>().await;
    let other = world.other();
    // The write arrives a second time, after the write of the next holder.
    world.faults.next([Fault::Duplicated(ms(200))]);
    assert_eq!(put(&world.repository, &plain(1, 0), 5).await, []);
    assert_eq!(put(&other, &plain(2, 0), 6).await, []);
    world.faults.settled().await;
    assert_eq!(stored(&other).await, Some(plain(2, 6)), "what comes late changes nothing");
}

#[tokio::test]
async fn foreign_fences_are_compared_by_value_or_reported_as_corrupt() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    let foreign = |epoch: AttributeValue| item([("id", s("1")), ("lines", n(9)), ("epoch", epoch)]);
    world.write_foreign::<Plain>(item([("id", s("1")), ("lines", n(9))])).await;
    assert_eq!(stored(repository).await, Some(plain(9, 0)), "without a fence it is 0");
    assert_eq!(put(repository, &plain(1, 0), 5).await, []);
    // A stored fence is compared by value, in any spelling.
    world.write_foreign::<Plain>(foreign(n("5.0"))).await;
    assert_eq!(put(repository, &plain(1, 0), 4).await, [fenced(4, 5)]);
    assert_eq!(put(repository, &plain(1, 0), 5).await, []);
    for (epoch, found) in [
        (s("5"), "S"),
        (AttributeValue::Null(true), "NULL"),
        (n("5.5"), "another number (N)"),
        (n("1E+30"), "another number (N)"),
    ] {
        world.write_foreign::<Plain>(foreign(epoch)).await;
        let outcome = plain(1, 0).put().fenced(5).send(repository).await.expect("a put");
        let expected = "a fence: a whole number (N)";
        assert_eq!(reasons(&outcome), [Reason::Corrupt { attribute: "epoch", expected, found }]);
        let refusal = outcome.refusal().expect("refused");
        assert!(refusal.is_corrupt() && !refusal.is_fenced() && !refusal.is_superseded());
        // An update without a fence ignores the stored fence.
        let update = Plain::update("1").with(Plain::fields().lines.set(1u32)).send(repository).await;
        assert_eq!(reasons(&update.expect("an update")), []);
    }
}

/// Writes with an old token, with an old fence, and with both.
#[tokio::test]
async fn a_write_must_pass_both_its_ratchet_and_its_fence() {
    let world = world::<Ratcheted>().await;
    let repository = &world.repository;
    let fenced = |fence, found| Reason::Fenced { attribute: "Epoch", fence, found };
    let stale = |tie| Reason::Stale { attribute: "At", tie };
    let put = async |at, fence: u64| ratcheted(at, 0).put().fenced(fence).send(repository).await.expect("a put");
    let delete = async |at, fence: u64| {
        Ratcheted::delete("1", EpochMillis::new(at)).fenced(fence).send(repository).await.expect("a delete")
    };
    assert_eq!(reasons(&put(10, 5).await), []);
    assert_eq!(reasons(&put(11, 4).await), [fenced(4, 5)]);
    let old = put(9, 5).await;
    assert_eq!(reasons(&old), [stale(false)]);
    assert_eq!(old.accept_stale().expect("old news"), None);
    let both = put(9, 4).await;
    assert_eq!(reasons(&both), [stale(false), fenced(4, 5)]);
    assert!(both.refusal().is_some_and(|refusal| refusal.is_stale() && refusal.is_fenced()));
    assert!(both.accept_stale().is_err(), "who has lost the lock is to know of it");
    assert_eq!(reasons(&put(10, 5).await), [], "it comes twice");

    assert_eq!(reasons(&delete(12, 5).await), []);
    assert_eq!(reasons(&delete(12, 5).await), [], "it comes twice");
    // A later holder repeats the same event, and its fence replaces the earlier one.
    assert_eq!(reasons(&delete(12, 7).await), []);
    assert_eq!(reasons(&delete(12, 6).await), [fenced(6, 7), Reason::Deleted]);
    assert_eq!(reasons(&put(13, 6).await), [fenced(6, 7), Reason::Deleted]);
    assert_eq!(reasons(&put(12, 8).await), [stale(true), Reason::Deleted], "a delete wins over a put of its token");
    assert_eq!(reasons(&put(13, 7).await), []);
}

fn add_a_line(fence: Option<u64>) -> Modify<Recorded, impl FnMut(&mut Recorded)> {
    let modify = Recorded::modify("1", |recorded| recorded.lines += 1);
    match fence {
        Some(fence) => modify.fenced(fence),
        None => modify,
    }
}

#[tokio::test]
async fn a_fence_refuses_earlier_holders_of_an_item_with_a_history() {
    pause();
    let world = world::<Recorded>().await;
    let repository = &world.repository;
    let create = recorded(1, 0, 0).create().fenced(5).send(repository).await.expect("a create");
    assert_eq!(create.applied().expect("applied"), 1);
    let put = recorded(2, 0, 1).put().fenced(4).send(repository).await.expect("a put");
    assert_eq!(reasons(&put), [fenced(4, 5)]);
    let put = recorded(2, 5, 7).put().fenced(4).send(repository).await.expect("a put");
    assert_eq!(reasons(&put), [Reason::Conflict { expected: 7, found: Some(1) }, fenced(4, 5)]);
    // The answer is lost, and the second attempt finds the write of the first one.
    world.lose_answers(1);
    let put = recorded(2, 0, 1).put().fenced(6).send(repository).await.expect("a put");
    assert_eq!(put.applied().expect("applied"), 2);

    let modified = add_a_line(None).send(repository).await.expect("a modify").applied().expect("applied");
    assert_eq!(modified, recorded(3, 6, 3), "the fence stays");
    let modified = add_a_line(Some(5)).send(repository).await.expect("a modify");
    assert_eq!(reasons(&modified), [fenced(5, 6)]);
    let modified = add_a_line(Some(8)).send(repository).await.expect("a modify").applied().expect("applied");
    assert_eq!(modified, recorded(4, 8, 4));
    let lowered = Recorded::modify("1", |recorded| recorded.epoch = 3).send(repository).await.expect("a modify");
    assert_eq!(reasons(&lowered), [fenced(3, 8)]);

    // A rollback restores the contents of a revision, and keeps the current fence.
    let back = Recorded::rollback("1", 1u64).send(repository).await.expect("a rollback").applied().expect("applied");
    assert_eq!(back, recorded(1, 8, 5));
    let back = Recorded::rollback("1", 2u64).fenced(7).send(repository).await.expect("a rollback");
    assert_eq!(reasons(&back), [fenced(7, 8)]);
    let delete = Recorded::delete("1", 5u64).fenced(9).send(repository).await.expect("a delete");
    assert_eq!(delete.applied().expect("applied"), 6);
    let back = Recorded::rollback("1", 2u64).send(repository).await.expect("a rollback").applied().expect("applied");
    assert_eq!(back, recorded(2, 9, 7));
    let revisions = Recorded::revisions("1").send(repository).await.expect("revisions").items;
    let epochs: Vec<_> = revisions.iter().map(|revision| revision.item()["epoch"].clone()).collect();
    assert_eq!(epochs, [9, 9, 8, 8, 6, 6, 5].map(n));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ordered")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Ordered {
    #[partition_key]
    id: String,
    #[fence]
    epoch: u64,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_write_refused_by_a_fence_leaves_no_copy_in_an_ordered_history() {
    let world = world::<Ordered>().await;
    let repository = &world.repository;
    let put = async |version, fence: u64| {
        let ordered = Ordered { id: "1".to_owned(), epoch: 0, version };
        ordered.put().fenced(fence).send(repository).await.expect("a put")
    };
    assert_eq!(reasons(&put(0, 5).await), []);
    assert_eq!(reasons(&put(1, 6).await), []);
    assert_eq!(reasons(&put(2, 5).await), [fenced(5, 6)]);
    let history = repository.client().scan().table_name("ordered-history").send().await.expect("a scan");
    assert_eq!(history.count(), 1, "the version that is, nobody has superseded");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "counted")]
struct Counted {
    #[partition_key]
    id: String,
    lines: u32,
    #[fence]
    epoch: u64,
    #[version]
    version: u64,
}

/// Without a history, `modify` sends an update of the fields that differ.
#[tokio::test]
async fn a_fence_refuses_earlier_holders_of_an_item_with_a_version() {
    let world = world::<Counted>().await;
    let repository = &world.repository;
    let counted = |lines, epoch, version| Counted { id: "1".to_owned(), lines, epoch, version };
    // The row was written before the entity had a fence.
    world.write_foreign::<Counted>(item([("id", s("1")), ("lines", n(1)), ("version", n(1))])).await;
    let modify = |fence: u64| Counted::modify("1", |counted: &mut Counted| counted.lines += 1).fenced(fence);
    let modified = modify(5).send(repository).await.expect("a modify").applied().expect("applied");
    assert_eq!(modified, counted(2, 5, 2));
    let modified = modify(5).send(repository).await.expect("a modify").applied().expect("applied");
    assert_eq!(modified, counted(3, 5, 3));
    assert_eq!(reasons(&modify(4).send(repository).await.expect("a modify")), [fenced(4, 5)]);
    let lines = || Counted::fields().lines.set(9u32);
    let update = Counted::update("1").fenced(4).version(3u64).with(lines());
    assert_eq!(reasons(&update.send(repository).await.expect("an update")), [fenced(4, 5)]);
    let update = Counted::update("1").unchecked().fenced(6).with(lines());
    assert_eq!(update.send(repository).await.expect("an update").applied().expect("applied"), 4);
    let loaded = Counted::get("1").send(repository).await.expect("a get").expect("an item");
    assert_eq!(loaded, counted(9, 6, 4));
    // The update changes the fence alone.
    let taken = Counted::modify("1", |_| {}).fenced(7).send(repository).await.expect("a modify");
    assert_eq!(taken.applied().expect("applied"), counted(9, 7, 5));
}

#[tokio::test]
async fn a_fence_refuses_earlier_holders_in_a_transaction() {
    let world: World = world::<Plain>().await;
    let repository = &world.repository;
    assert_eq!(put(repository, &plain(1, 0), 5).await, []);
    let second = |epoch| Plain { id: "2".to_owned(), ..plain(1, epoch) };
    let lines = || Plain::fields().lines.set(2u32);
    let both = |fence: u64| {
        let transaction = Transaction::new().put(second(0).create().fenced(fence));
        transaction.update(Plain::update("1").with(lines()).fenced(fence))
    };
    let refused = both(4).send(repository).await.expect("a transaction");
    let refusal = refused.refusal().expect("refused").refusal_of::<Plain>(1).expect("of the update");
    assert_eq!(refusal.reasons(), [fenced(4, 5)]);
    assert_eq!(Plain::get("2").send(repository).await.expect("a get"), None);
    both(6).send(repository).await.expect("a transaction").applied().expect("applied");
    assert_eq!(stored(repository).await, Some(plain(2, 6)));
    let delete = |fence: u64| Transaction::new().delete(Plain::delete("2").fenced(fence));
    let refused = delete(5).send(repository).await.expect("a transaction");
    let refusal = refused.refusal().expect("refused").refusal_of::<Plain>(0).expect("of the delete");
    assert!(refusal.is_fenced(), "{refusal}");
    delete(6).send(repository).await.expect("a transaction").applied().expect("applied");
}
