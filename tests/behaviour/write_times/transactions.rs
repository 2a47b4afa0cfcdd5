//! All writes of a transaction store one time, that of the transaction.

use dyno::{Entity, EpochMillis, Transaction};
use dyno_tests::{NOW, World, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    balance: u64,
    #[created]
    made: EpochMillis,
    #[updated]
    changed: EpochMillis,
    #[version]
    version: u64,
}

fn account(id: &str) -> Account {
    let unset = EpochMillis::default();
    Account { id: id.to_owned(), balance: 5, made: unset, changed: unset, version: 0 }
}

async fn bank() -> World {
    let world = world::<Account>().await;
    world.repository.create_lane_table().await.expect("a table");
    applied!(account("a").create(), &world.repository);
    world
}

/// Returns both times of a stored account, in seconds since the tests began.
async fn times(world: &World, id: &str) -> (i64, i64) {
    let account = Account::get(id).send(&world.repository).await.expect("a get").expect("an account");
    ((account.made.get() - NOW) / 1000, (account.changed.get() - NOW) / 1000)
}

#[tokio::test]
async fn all_actions_store_the_time_of_the_transaction() {
    for is_client_side in [false, true] {
        let world = bank().await;
        world.clock.advance(1000);
        let update = Account::update("a").version(1).with(Account::fields().balance.add(1u64));
        let transaction = Transaction::new().update(update).put(account("b").put());
        let outcome = if is_client_side {
            transaction.client_side().send(&world.repository).await
        } else {
            transaction.send(&world.repository).await
        };
        outcome.expect("sent").applied().expect("applied");
        assert_eq!(times(&world, "a").await, (0, 1));
        assert_eq!(times(&world, "b").await, (1, 1));
    }
}

/// The closure reads its own pending writes, with their times. All writes of the transaction have one time, however long the
/// closure takes.
#[tokio::test]
async fn a_closure_sees_the_times_of_its_own_writes() {
    for is_client_side in [false, true] {
        let world = bank().await;
        world.clock.advance(1000);
        let clock = &world.clock;
        let open = Transaction::interactive(|tx| async move {
            tx.put(account("b").create());
            let mut made = tx.get(Account::get("b")).await?.ok_or("no account")?;
            let seen = (made.made, made.changed);
            made.balance += 1;
            tx.put(made.put());
            clock.advance(3000);
            tx.update(Account::update("a").unchecked().with(Account::fields().balance.set(1u64)));
            Ok(seen)
        });
        let open = if is_client_side { open.client_side() } else { open };
        let seen = open.send(&world.repository).await.expect("sent").applied().expect("applied");
        let now = EpochMillis::new(NOW + 1000);
        assert_eq!(seen, (now, now));
        assert_eq!(times(&world, "a").await, (0, 1));
        assert_eq!(times(&world, "b").await, (1, 1));
    }
}

#[tokio::test]
async fn a_single_write_of_a_closure_has_the_time_that_the_closure_saw() {
    let world = bank().await;
    let clock = &world.clock;
    let open = Transaction::interactive(|tx| async move {
        tx.put(account("b").create());
        let seen = tx.get(Account::get("b")).await?.ok_or("no account")?;
        clock.advance(3000);
        Ok((seen.made, seen.changed))
    });
    let seen = open.send(&world.repository).await.expect("sent").applied().expect("applied");
    let stored = Account::get("b").send(&world.repository).await.expect("a get").expect("an account");
    assert_eq!(seen, (stored.made, stored.changed));
}
