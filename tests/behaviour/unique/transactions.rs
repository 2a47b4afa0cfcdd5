//! Unique values in native transactions.

use super::{Member, User, guards, member, pairs, user};
use dyno::{Change, Entity, ErrorKind, Reason, Transaction, TransactionOutcome};
use dyno_tests::{s, world};

fn set(id: &str, email: &str) -> dyno::command::Update<User> {
    User::update(id).with(User::fields().email.set(email))
}

fn log_in(id: &str) -> dyno::command::Update<User> {
    User::update(id).with(User::fields().logins.increment(1))
}

/// Returns the actions that were refused, each with the names of its reasons.
fn refused<T>(outcome: &TransactionOutcome<T>) -> Vec<(usize, Vec<&'static str>)> {
    let actions = outcome.refusal().expect("refused").actions();
    let name = |reason: &Reason| match reason {
        Reason::Taken { constraint, .. } => *constraint,
        Reason::Missing => "missing",
        Reason::Condition => "condition",
        other => panic!("{other:?}"),
    };
    actions.map(|action| (action.index(), action.reasons().iter().map(name).collect())).collect()
}

#[tokio::test]
async fn each_action_claims_its_values() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    let outcome =
        Transaction::new().put(user("2", "b@x").create()).put(user("3", "a@x").create()).send(repository).await;
    assert_eq!(refused(&outcome.expect("sent")), [(1, vec!["email"])]);
    assert_eq!(guards(&world, "users", "id").await.len(), 2, "nothing was applied");
    applied!(Transaction::new().put(user("2", "b@x").create()).put(user("3", "c@x").create()), repository);
    assert_eq!(guards(&world, "users", "id").await.len(), 6);
}

#[tokio::test]
async fn two_actions_cannot_store_one_value() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let twice = Transaction::new().put(user("1", "a@x").create()).put(user("2", "a@x").create());
    let error = twice.send(repository).await.expect_err("impossible");
    assert!(error.is_invalid_input(), "{error}");
    assert!(error.to_string().contains("stores the same value of the unique `email`"), "{error}");
}

#[tokio::test]
async fn two_items_can_swap_their_values() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    applied!(user("2", "b@x").create(), repository);
    applied!(Transaction::new().update(set("1", "b@x")).update(set("2", "a@x")), repository);
    let email = async |id: &str| User::get(id).send(repository).await.expect("a get").expect("a user").email;
    assert_eq!((email("1").await.as_deref(), email("2").await.as_deref()), (Some("b@x"), Some("a@x")));
    let expected = [("email|a@x", "2"), ("email|b@x", "1")];
    assert_eq!(guards(&world, "users", "id").await[..2], pairs(expected)[..]);
    // The same with puts of whole items, and with three items in a circle.
    applied!(user("3", "c@x").create(), repository);
    let circle = [user("1", "a@x").replace(), user("2", "c@x").replace(), user("3", "b@x").replace()];
    applied!(Transaction::new().put(circle), repository);
}

#[tokio::test]
async fn a_value_can_be_taken_over_from_an_item_that_the_transaction_deletes_or_clears() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    applied!(Transaction::new().delete(User::delete("1")).put(user("2", "a@x").create()), repository);
    let clear = User::update("2").with(User::fields().email.clear());
    applied!(Transaction::new().put(user("3", "a@x").create()).update(clear), repository);
}

/// DynamoDB takes one action for each item, so the holder's own action contains the condition that checks the value.
#[tokio::test]
async fn a_holder_that_the_transaction_writes_otherwise_keeps_its_value() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    applied!(user("2", "b@x").create(), repository);
    let outcome = Transaction::new().update(log_in("1")).update(set("2", "a@x")).send(repository).await.expect("sent");
    assert_eq!(refused(&outcome), [(1, vec!["email"])]);
    let check = User::check("1").condition(User::fields().logins.eq(0));
    let outcome = Transaction::new().check(check.clone()).update(set("2", "a@x")).send(repository).await.expect("sent");
    assert_eq!(refused(&outcome), [(1, vec!["email"])]);
    // If the action's own condition fails, the action itself is refused.
    applied!(User::update("1").with(User::fields().email.clear()), repository);
    let wrong = User::check("1").condition(User::fields().logins.eq(7));
    let outcome = Transaction::new().check(wrong).update(set("2", "a@x")).send(repository).await.expect("sent");
    assert_eq!(refused(&outcome), [(0, vec!["condition"])]);
    applied!(Transaction::new().update(log_in("1")).update(set("2", "a@x")), repository);
    assert_eq!(User::get("1").send(repository).await.expect("a get").map(|user| user.logins), Some(1));
}

#[tokio::test]
async fn one_holder_of_several_wanted_values_is_checked_once() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    let other = |id: &str, email: &str, handle: &str| User { handle: handle.to_owned(), ..user(id, email) };
    let outcome = Transaction::new()
        .put(other("2", "a@x", "free").create())
        .put(other("3", "free@x", "handle of 1").create())
        .send(repository)
        .await;
    assert_eq!(refused(&outcome.expect("sent")), [(0, vec!["email"]), (1, vec!["handle"])]);
    applied!(User::update("1").with(User::fields().email.clear()), repository);
    let outcome = other("2", "a@x", "handle of 1").create().send(repository).await.expect("sent");
    assert_eq!(super::taken(&outcome), [("handle", "id = \"1\"".to_owned())]);
    User::delete("1").send(repository).await.expect("a delete");
    applied!(
        Transaction::new().put(other("2", "a@x", "free").create()).put(other("3", "free@x", "handle of 1").create()),
        repository
    );
}

#[tokio::test]
async fn a_transaction_in_doubt_is_applied_once() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    world.lose_answers(1);
    let both = Transaction::new().put(member(1, "a@x").create()).put(member(2, "b@x").create());
    applied!(both.clone(), repository);
    applied!(both, repository);
    assert_eq!(guards(&world, "members", "id").await, pairs([("email|a@x", "1"), ("email|b@x", "2")]));
}

#[tokio::test]
async fn guards_and_checks_count_as_actions() {
    let world = world::<Member>().await;
    let members = |count: u64| (0..count).map(|id| member(id, &format!("{id}@x")).create()).collect::<Vec<_>>();
    let error = Transaction::new().put(members(51)).send(&world.repository).await.expect_err("102 actions");
    assert!(error.is_invalid_input() && error.to_string().contains("51 actions, and 51 rows"), "{error}");
    applied!(Transaction::new().put(members(50)), &world.repository);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "players")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Player {
    #[partition_key]
    id: String,
    #[unique]
    name: String,
    points: u32,
    #[version]
    version: u64,
}

fn player(id: &str, name: &str) -> Player {
    Player { id: id.to_owned(), name: name.to_owned(), points: 0, version: 0 }
}

#[tokio::test]
async fn an_interactive_transaction_claims_in_one_request() {
    let world = world::<Player>().await;
    let repository = &world.repository;
    let transfer = Transaction::interactive(|tx| async move {
        let mut player = tx.get(Player::get("1")).await?.ok_or("no such player")?;
        player.name = "bob".to_owned();
        tx.put(player.put());
        tx.put(self::player("2", "ada").create());
        Ok(())
    });
    applied!(player("1", "ada").create(), repository);
    transfer.send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(guards(&world, "players", "id").await, pairs([("name|ada", "2"), ("name|bob", "1")]));
    let taken = Transaction::interactive(|tx| async move {
        let mut player = tx.get(Player::get("1")).await?.ok_or("no such player")?;
        player.name = "ada".to_owned();
        tx.put(player.put());
        Ok(())
    });
    let outcome = taken.send(repository).await.expect("sent");
    assert_eq!(refused(&outcome), [(0, vec!["name"])]);
    let alone = Transaction::interactive(|tx| async move {
        tx.put(player("3", "ada").create());
        Ok(())
    });
    assert_eq!(refused(&alone.send(repository).await.expect("sent")), [(0, vec!["name"])]);
}

/// A put of what was read claims the value that changed, and no other: the item has the guards of the others.
#[tokio::test]
async fn a_put_of_a_read_item_claims_no_value_again() {
    let world = world::<Player>().await;
    let repository = &world.repository;
    applied!(player("1", "ada").create(), repository);
    for (name, claims) in [("ada", 0), ("eva", 1)] {
        let score = Transaction::interactive(|tx| async move {
            let mut player = tx.get(Player::get("1")).await?.ok_or("no such player")?;
            player.points += 1;
            player.name = name.to_owned();
            tx.put(player.put());
            Ok(())
        });
        applied!(score, repository);
        let sent = world.faults.requests();
        let body = sent.last().expect("a write").body();
        assert_eq!(body.matches("\"players-unique\"").count(), claims, "{name}: {body}");
    }
    // The item must still have the value that it was read with.
    let score = Transaction::interactive(|tx| async move {
        let mut player = tx.get(Player::get("1")).await?.ok_or("no such player")?;
        player.points += 1;
        tx.put(player.put());
        Ok(())
    });
    applied!(score, repository);
    assert_eq!(guards(&world, "players", "id").await, pairs([("name|ada", "1"), ("name|eva", "1")]));
    let taken = player("2", "eva").create().send(repository).await.expect("sent");
    assert!(!taken.is_applied(), "{taken:?}");
}

#[tokio::test]
async fn no_client_side_transaction_claims() {
    let world = world::<Player>().await;
    let repository = &world.repository;
    applied!(player("1", "ada").create(), repository);
    let create = || Transaction::new().put(player("2", "bob").create());
    let error = create().client_side().send(repository).await.expect_err("no claim");
    assert!(
        error.to_string().contains("`Player` has unique values, which no client-side transaction can claim"),
        "{error}"
    );
    let closure = Transaction::interactive(|tx| async move {
        tx.put(player("2", "bob").create());
        Ok(())
    });
    let error = closure.client_side().send(repository).await.expect_err("no claim");
    assert!(error.is_invalid_input(), "{error}");
    let many = (0..101).map(|number| player(&number.to_string(), &number.to_string()).create()).collect::<Vec<_>>();
    let error = Transaction::new().put(many).send(repository).await.expect_err("too many");
    assert!(error.to_string().contains("DynamoDB accepts at most 100"), "{error}");
    // A check of the entity is allowed, because it writes nothing.
    let check = Transaction::new().check(Player::check("1")).client_side();
    applied!(check, repository);
}

/// Another process sends the same transaction with the same token. The transaction that was applied also checks the former
/// holder of the guard, and the second one does not. So DynamoDB sees the token with other contents.
#[tokio::test]
async fn a_transaction_with_a_token_that_takes_a_guard_over_counts_once() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    applied!(user("9", "z@x").create(), repository);
    User::delete("1").send(repository).await.expect("a delete");
    let order = || Transaction::new().put(user("2", "a@x").put()).update(log_in("9")).token("message-7");
    applied!(order(), repository);
    let error = order().send(&world.other()).await.expect_err("a transaction of other contents");
    assert_eq!(error.kind(), ErrorKind::TokenMismatch, "{error}");
    assert_eq!(User::get("9").send(repository).await.expect("a get").map(|user| user.logins), Some(1));
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "authors")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Author {
    #[partition_key]
    id: String,
    #[unique]
    #[attribute(alias = "nick")]
    name: String,
    books: u32,
    #[version]
    version: u64,
}

fn author(id: &str, name: &str) -> Author {
    Author { id: id.to_owned(), name: name.to_owned(), books: 0, version: 0 }
}

/// Another program has stored the value under the older name, too. The closure's updates become one, which removes the older name and
/// changes nothing else of the value.
#[tokio::test]
async fn joined_updates_that_remove_only_an_older_name_keep_the_value() {
    let world = world::<Author>().await;
    let repository = &world.repository;
    applied!(author("1", "ada").create(), repository);
    let mut row = world.stored::<Author>().await.remove(0);
    row.insert("nick".to_owned(), s("ada"));
    world.write_foreign::<Author>(row).await;
    let update = |set: fn() -> Change<Author>| Author::update("1").unchecked().with(set());
    let steal = Transaction::interactive(|tx| async move {
        tx.update(update(|| Author::fields().name.set("ada")));
        tx.update(update(|| Author::fields().books.add(1)));
        tx.put(author("2", "ada").create());
        Ok(())
    });
    let error = steal.send(repository).await.expect_err("one value for two items");
    assert!(error.to_string().contains("another action of the transaction stores the same value"), "{error}");
    let count = Transaction::interactive(|tx| async move {
        tx.get(Author::get("1")).await?;
        tx.update(update(|| Author::fields().name.set("ada")));
        tx.update(update(|| Author::fields().books.add(1)));
        Ok(())
    });
    applied!(count, repository);
    assert_eq!(guards(&world, "authors", "id").await, pairs([("name|ada", "1")]));
    let row = world.stored::<Author>().await.remove(0);
    assert_eq!((row.get("name"), row.get("nick")), (Some(&s("ada")), None));
}
