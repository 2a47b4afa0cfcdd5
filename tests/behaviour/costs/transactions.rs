//! Native transactions: their actions together, applied and refused.

use super::{Account, Atomic, Balance, Bill, Dead, Indexed, Letter, Ordered, Plain, texts};
use dyno::Transaction;
use dyno_tests::world;

#[tokio::test]
async fn a_transaction_costs_what_was_told() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    repository.create_table::<Dead>().await.expect("a table");
    repository.create_table::<Bill>().await.expect("a table");
    repository.create_table::<Indexed>().await.expect("a table");
    repository.create_table::<Balance>().await.expect("a table");
    let (p, b, i) = (Plain::fields, Bill::fields, Indexed::fields);
    for (turn, text) in (0..3).zip(texts()) {
        let id = |id: u32| format!("{turn}-{id}");
        let plain = |number| Plain { id: id(number), text: text.clone() };
        costs!(repository, Transaction::new().put([plain(1).put(), plain(2).put()]) => applied);
        let set = Plain::update(id(1)).with(p().text.set(""));
        costs!(repository, Transaction::new().update(set).check(Plain::check(id(3)).absent()) => applied);
        costs!(repository, Transaction::new().put(plain(1).create()).check(Plain::check(id(2))) => refused);
        costs!(repository, Transaction::new().put(plain(3).create()).delete(Plain::delete(id(2))) => applied);
        costs!(repository, Transaction::new().put(plain(1).replace()).check(Plain::check(id(2))) => refused);

        let dead = |number, version| Dead { id: id(number), text: text.clone(), version };
        costs!(repository, Transaction::new().put([dead(1, 0).create(), dead(2, 0).create()]) => applied);
        costs!(repository, Transaction::new().put(dead(1, 1).put()).delete(Dead::delete(id(2), 1u64)) => applied);
        costs!(repository, Transaction::new().put(dead(2, 0).create()).put(plain(7).put()) => applied);
        costs!(repository, Transaction::new().put(dead(1, 0).create()).put(plain(7).put()) => refused);

        let tags = vec!["a".to_owned(), "b".to_owned()];
        let bill = Bill { id: id(1), total: 0, tags: tags.clone() };
        let line = Indexed { id: id(1), line: 1, group: Some("g".into()), rank: 1, text: text.clone(), tags };
        costs!(repository, Transaction::new().put(bill.put()).put(line.create()) => applied);
        let pay = |key: u32| Bill::update(id(1)).with(b().total.add(1)).idempotency_key(id(key));
        let tag = |tag| Indexed::update((id(1), 1)).with(i().tags.remove_value(tag));
        costs!(repository, Transaction::new().update(pay(1)).update(tag("a")) => applied);
        costs!(repository, Transaction::new().update(pay(1)).put(plain(5).put()) => refused);
        costs!(repository, Transaction::new().update(pay(1)).update(tag("a")) => refused);
        costs!(repository, Transaction::new().update(pay(2)).update(tag("z")) => refused);
        costs!(repository, Transaction::new().delete(Indexed::delete((id(1), 1))).put(plain(5).put()) => applied);

        let balance = |number| Balance { id: id(number), amount: 1, version: 0 };
        costs!(repository, Transaction::new().native().put([balance(1).create(), balance(2).create()]) => applied);
        costs!(repository, Transaction::new().put([balance(1).create(), balance(3).create()]) => refused);
    }
}

#[tokio::test]
async fn a_transaction_with_histories_and_unique_values_costs_what_was_told() {
    let world = world::<Atomic>().await;
    let repository = &world.repository;
    repository.create_table::<Ordered>().await.expect("a table");
    repository.create_table::<Account>().await.expect("a table");
    repository.create_table::<Letter>().await.expect("a table");
    for (turn, text) in (0..3).zip(texts()) {
        let id = |id: u32| format!("{turn}-{id}");
        let atomic = |version| Atomic { id: id(1), text: text.clone(), version };
        let ordered = |version| Ordered { id: id(1), text: text.clone(), version };
        let both = |version| Transaction::new().put(atomic(version).put()).put(ordered(version).put());
        costs!(repository, both(0) => applied);
        costs!(repository, both(0) => refused);
        costs!(repository, both(1) => applied);
        costs!(repository, both(1) => refused);
        let deletes = |version: u64| {
            Transaction::new().delete(Atomic::delete(id(1), version)).delete(Ordered::delete(id(1), version))
        };
        costs!(repository, deletes(1) => refused);
        costs!(repository, deletes(2) => applied);
        costs!(repository, both(0) => applied);

        let account = |number, email: u32, version| Account {
            id: id(number),
            group: "g".into(),
            email: Some(id(email)),
            text: text.clone(),
            version,
        };
        let letter =
            |number: u64, version| Letter { id: id(1), number: Some(100 * turn + number), text: text.clone(), version };
        let two = |account: Account, letter: Letter| Transaction::new().put(account.put()).put(letter.put());
        costs!(repository, two(account(1, 1, 0), letter(1, 0)) => applied);
        costs!(repository, two(account(2, 1, 0), letter(2, 1)) => refused);
        costs!(repository, two(account(1, 2, 1), letter(2, 1)) => applied);
        costs!(repository, two(account(2, 1, 0), letter(3, 2)) => applied);
        let deletes = Transaction::new().delete(Account::delete(id(1), 2u64)).delete(Letter::delete(id(1), 3u64));
        costs!(repository, deletes => applied);
        costs!(repository, two(account(1, 2, 0), letter(1, 0)) => applied);
    }
}
