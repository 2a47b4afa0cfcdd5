//! A process that finds a committed intent applies it. Its own write is then decided as usual.

use super::{VERBS, changed, held, held_tombstone, holding, placeholder, row, send};
use dyno::{Entity, Reason, Transaction};
use dyno_tests::{item, lanes, n, s, world};

/// The requests: a write, a read of the lane, the apply, and the write again; or a read of the item, a read of the lane, the
/// apply, and one write.
const REQUESTS: u64 = 4;

#[tokio::test]
async fn every_kind_of_write_first_applies_a_committed_intent() {
    for verb in VERBS {
        let world = holding(held(), lanes::committed()).await;
        let metered = world.repository.metered();
        let reasons = send(verb, &metered).await.expect("an answer");
        let conflict = [Reason::Conflict { expected: 3, found: Some(4) }];
        let (expected, balance, version) = match verb {
            "create" => (&[Reason::Exists][..], 7, 4),
            "undelete" => (&[Reason::Conflict { expected: 3, found: Some(4) }, Reason::NotDeleted][..], 7, 4),
            "upsert" | "unchecked" | "modify" | "interactive" => (&[][..], 9, 5),
            _ => (&conflict[..], 7, 4),
        };
        assert_eq!(reasons, expected, "{verb}");
        let there = row(&world).await.expect("a row");
        assert_eq!((&there["balance"], &there["version"]), (&n(balance), &n(version)), "{verb}");
        assert!(!there.contains_key("_x"), "{verb}");
        assert_eq!(metered.usage().requests, REQUESTS, "{verb}");
        assert_eq!(world.lane().await, lanes::committed(), "{verb}");
    }
}

#[tokio::test]
async fn a_create_finds_the_item_of_a_committed_intent() {
    for made in [placeholder(), held_tombstone()] {
        for (verb, expected) in
            [("create", vec![Reason::Exists]), ("put", vec![Reason::Conflict { expected: 3, found: Some(4) }])]
        {
            let world = holding(made.clone(), lanes::committed()).await;
            let metered = world.repository.metered();
            assert_eq!(send(verb, &metered).await.expect("an answer"), expected);
            assert_eq!(row(&world).await, Some(changed()), "{verb}");
            assert_eq!(metered.usage().requests, REQUESTS);
        }
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[idempotency(keys = 10)]
#[transactional]
struct Meter {
    #[partition_key]
    id: String,
    balance: u64,
    owner: String,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_keyed_update_first_applies_a_committed_intent() {
    let world = holding(held(), lanes::committed()).await;
    let metered = world.repository.metered();
    let add = || Meter::update("1").unchecked().with(Meter::fields().balance.add(2u64)).idempotency_key("a");
    assert!(add().send(&metered).await.expect("sent").is_applied());
    assert_eq!(metered.usage().requests, REQUESTS);
    let there = row(&world).await.expect("a row");
    assert_eq!((&there["balance"], there.contains_key("_x")), (&n(9), false));
    assert_eq!(dyno_tests::reasons(&add().send(&world.repository).await.expect("sent")), [Reason::Duplicate]);
}

#[tokio::test]
async fn modify_each_first_applies_a_committed_intent() {
    let world = holding(held(), lanes::committed()).await;
    let done = super::Account::scan().modify_each(|it| it.balance += 2).send(&world.repository).await;
    assert_eq!(done.expect("it begins").completed().expect("completed").changed(), 1);
    let there = row(&world).await.expect("a row");
    assert_eq!((&there["balance"], &there["version"], there.contains_key("_x")), (&n(9), &n(5), false));
}

/// The scan sees what is committed, also an item that a transaction has created and not applied yet.
#[tokio::test]
async fn modify_each_decides_by_committed_intents() {
    for (name, made) in [("held", held()), ("placeholder", placeholder()), ("tombstone", held_tombstone())] {
        let world = holding(made, lanes::committed()).await;
        let only_committed = |it: &mut super::Account| {
            if it.balance == 7 {
                it.balance = 9;
            }
        };
        let f = super::Account::fields();
        let pass = super::Account::scan().filter(f.balance.eq(7u64)).modify_each(only_committed);
        let done = pass.send(&world.repository).await.expect("it begins").completed().expect("completed");
        assert_eq!(done.changed(), 1, "{name}");
        let there = row(&world).await.expect("a row");
        assert_eq!((&there["balance"], there.contains_key("_x")), (&n(9), false), "{name}");
    }
}

#[tokio::test]
async fn modify_each_does_not_decide_by_what_is_not_committed() {
    let world = holding(held(), lanes::open()).await;
    let repository = world.repository.metered();
    let pass = super::Account::scan().uncommitted().modify_each(|it| it.balance = 7);
    let error = pass.send(&repository).await.expect_err("refused");
    assert!(
        error.to_string().contains("changes that are rolled back later, and this command writes: leave it out"),
        "{error}"
    );
    assert_eq!(repository.usage().requests, 0);
}

/// All intents are resolved before the same transaction is sent again.
#[tokio::test]
async fn a_native_transaction_first_applies_all_committed_intents() {
    let world = holding(held(), lanes::committed()).await;
    let mut second = held();
    second.insert("id".to_owned(), s("2"));
    world.write_foreign::<super::Account>(second).await;
    let metered = world.repository.metered();
    let add = |id: &str| super::Account::update(id).unchecked().with(super::Account::fields().balance.increment(2u64));
    let both = Transaction::new().update(add("1")).update(add("2"));
    assert!(both.send(&metered).await.expect("sent").is_applied());
    // The requests: the transaction twice, and for each item a read of the lane and an apply.
    assert_eq!(metered.usage().requests, 6);
    let rows = world.stored::<super::Account>().await;
    assert!(rows.iter().all(|row| row["balance"] == n(9) && !row.contains_key("_x")), "{rows:?}");
    let sent = world.faults.transactions();
    assert!(sent.len() == 2 && sent[0] == sent[1], "one token");
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table]
#[transactional]
struct Page {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[tokio::test]
async fn a_rollback_and_a_repair_first_apply_a_committed_intent() {
    for is_repair in [false, true] {
        let world = world::<Page>().await;
        world.create_lanes().await;
        world.put_head(lanes::committed()).await;
        let one = Page { id: "1".to_owned(), text: "one".to_owned(), version: 0 };
        one.create().send(&world.repository).await.expect("sent").applied().expect("applied");
        let two = Page { id: "1".to_owned(), text: "two".to_owned(), version: 1 };
        two.put().send(&world.repository).await.expect("sent").applied().expect("applied");
        let row = world.stored::<Page>().await.remove(0);
        let set = item([("text", s("of a transaction"))]);
        world.write_foreign::<Page>(lanes::with(row, lanes::intent(lanes::TICKET, set))).await;
        if is_repair {
            assert_eq!(Page::repair("1").send(&world.repository).await.expect("sent"), None);
        } else {
            Page::rollback("1", 1u64).send(&world.repository).await.expect("sent").applied().expect("applied");
        }
        let there = world.stored::<Page>().await.remove(0);
        let text = if is_repair { "of a transaction" } else { "one" };
        assert!(there["text"] == s(text) && !there.contains_key("_x"), "{there:?}");
    }
}
