//! Each kind of write in a client-side transaction.

use super::{Account, account, bank};
use dyno::{Entity, ErrorKind, Reason, Transaction};
use dyno_tests::pause;

#[derive(Entity)]
#[entity(table = "plains")]
struct Plain {
    #[partition_key]
    id: String,
}

#[tokio::test]
async fn each_kind_of_write_has_its_native_effect() {
    pause();
    let world = bank(4).await;
    let (a, b, c, d) = ("00000", "00001", "00002", "00003");
    Account::delete(d, 1).send(&world.repository).await.expect("sent").applied().expect("applied");
    let fields = Account::fields;
    let transaction = Transaction::new()
        .put(Account { id: a.to_owned(), balance: 7, version: 1 }.put())
        .update(Account::update(b).version(1).with(fields().balance.add(5)))
        .delete(Account::delete(c, 1))
        .put(account(d, 9).create())
        .put(account("new", 3).create())
        .check(Account::check("none").absent())
        .client_side();
    let committed = transaction.send(&world.repository).await.expect("sent").applied().expect("applied");
    let versions: Vec<_> = (0..6).map(|at| committed.version_of::<Account>(at)).collect();
    assert_eq!(versions, [Some(2), Some(2), Some(2), Some(3), Some(1), None]);
    for (id, expected) in [(a, Some((7, 2))), (b, Some((105, 2))), (c, None), (d, Some((9, 3))), ("new", Some((3, 1)))]
    {
        let found = Account::get(id).consistent().send(&world.other()).await.expect("a get");
        assert_eq!(found.map(|found| (found.balance, found.version)), expected, "{id}");
    }
    let stored = world.stored::<Account>().await;
    let tombstone = stored.iter().find(|item| item["id"].as_s().is_ok_and(|id| id == c)).expect("a tombstone");
    assert!(tombstone.contains_key("deleted") && tombstone.contains_key("ttl") && !tombstone.contains_key("balance"));
    assert!(stored.iter().all(|item| !item.contains_key("_x")), "{stored:?}");
}

#[tokio::test]
async fn one_conflicting_item_refuses_the_whole_transaction() {
    pause();
    let world = bank(2).await;
    let stored = world.stored::<Account>().await;
    let transaction = Transaction::new()
        .update(Account::update("00000").version(1).with(Account::fields().balance.add(5)))
        .update(Account::update("00001").version(7).with(Account::fields().balance.add(5)))
        .put(account("00000x", 1).create())
        .client_side();
    let refusal = transaction.clone().send(&world.repository).await.expect("sent");
    let refusal = refusal.refusal().expect("a refusal");
    let refused = refusal.refusal_of::<Account>(1).expect("of the second");
    assert!(matches!(refused.reasons(), [Reason::Conflict { expected: 7, found: Some(1) }]), "{refused:?}");
    assert_eq!(refusal.actions().len(), 1);
    assert_eq!(world.stored::<Account>().await, stored);
    // The transaction finds the second item only when it places the intent.
    let create = Transaction::new().put([account("new", 1).create(), account("00001", 1).create()]).client_side();
    let refusal = create.send(&world.repository).await.expect("sent");
    let refused = refusal.refusal().and_then(|refusal| refusal.refusal_of::<Account>(1)).expect("of the second");
    assert_eq!(refused.reasons(), [Reason::Exists]);
    assert_eq!(world.stored::<Account>().await, stored);
}

#[tokio::test]
async fn an_invalid_client_side_transaction_is_refused_before_any_request() {
    let world = bank(0).await;
    let before = world.faults.events().len();
    let token = Transaction::new().put(account("a", 1).create()).token("mine").client_side();
    let error = token.send(&world.repository).await.expect_err("a token");
    assert!(error.is_invalid_input() && error.to_string().contains("takes no token"), "{error}");
    let check = Transaction::new().put(account("a", 1).create()).check(Plain::check("b").absent()).client_side();
    let error = check.send(&world.repository).await.expect_err("not transactional");
    assert!(error.is_invalid_input() && error.to_string().contains("`Plain` is not transactional"), "{error}");
    let nothing = Transaction::new().client_side();
    assert!(nothing.send(&world.repository).await.expect_err("nothing").is_invalid_input());
    let large = Transaction::new().put(vec![account("a", 1).create(); 101]).native();
    assert!(large.send(&world.repository).await.expect_err("too many").is_invalid_input());
    assert_eq!(world.faults.events().len(), before);
    // Without a lane table, the error says how to create one.
    let other = world.repository.clone().with_lane_table("none-such");
    let error =
        Transaction::new().put(account("a", 1).create()).client_side().send(&other).await.expect_err("no lanes");
    assert_eq!(error.kind(), ErrorKind::TableMissing);
    assert!(error.to_string().contains("create_lane_table"), "{error}");
}
