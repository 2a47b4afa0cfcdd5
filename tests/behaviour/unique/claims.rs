//! Which writes claim a value, and which values are free.

use super::{Member, Rated, User, delete_foreign, guards, member, pairs, taken, user, user_key};
use dyno::{EpochMillis, EpochSeconds, Request};
use dyno_tests::{NOW, is_remote, world};

#[tokio::test]
async fn a_second_item_with_a_value_is_refused_with_the_holder() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "ada@x").create(), repository);
    let claimed = pairs([("email|ada@x", "1"), ("handle|acme|handle of 1", "1")]);
    assert_eq!(guards(&world, "users", "id").await, claimed);
    for refused in [user("2", "ada@x").create().send(repository).await, user("2", "ada@x").put().send(repository).await]
    {
        let outcome = refused.expect("sent");
        assert_eq!(taken(&outcome), [("email", "id = \"1\"".to_owned())]);
        let refusal = outcome.refusal().expect("refused");
        assert!(refusal.is_taken() && refusal.item().is_none());
        assert!(
            refusal
                .to_string()
                .ends_with("(id = \"2\") was refused: the unique value `email` is taken by the item with id = \"1\"")
        );
    }
    applied!(user("2", "eve@x").create(), repository);
    let set = User::update("2").with(User::fields().email.set("ada@x"));
    assert_eq!(taken(&set.send(repository).await.expect("sent")), [("email", "id = \"1\"".to_owned())]);
    let both = User { handle: "handle of 1".to_owned(), ..user("2", "ada@x") };
    let outcome = both.replace().send(repository).await.expect("sent");
    assert_eq!(taken(&outcome), [("email", "id = \"1\"".to_owned()), ("handle", "id = \"1\"".to_owned())]);
    assert_eq!(User::get("2").send(repository).await.expect("a get"), Some(user("2", "eve@x")));
}

#[tokio::test]
async fn fields_that_are_unique_together_may_repeat_one_by_one() {
    let world = world::<User>().await;
    let repository = &world.repository;
    applied!(user("1", "a@x").create(), repository);
    applied!(
        User { tenant: "other".to_owned(), handle: "handle of 1".to_owned(), ..user("2", "b@x") }.create(),
        repository
    );
    let set = User::fields().tenant_and_handle.set(("acme", "handle of 1"));
    let outcome = User::update("2").with(set).send(repository).await.expect("sent");
    assert_eq!(taken(&outcome), [("handle", "id = \"1\"".to_owned())]);
    // A value can contain the separator that the guard's key uses.
    applied!(User { tenant: "a|b".to_owned(), handle: "c".to_owned(), ..user("3", "c@x") }.create(), repository);
    applied!(User { tenant: "a".to_owned(), handle: "b|c".to_owned(), ..user("4", "d@x") }.create(), repository);
}

#[tokio::test]
async fn no_value_is_held_by_any_number_of_items() {
    let world = world::<User>().await;
    for id in ["1", "2"] {
        applied!(User { email: None, ..user(id, "") }.create(), &world.repository);
    }
    assert_eq!(guards(&world, "users", "id").await.len(), 2);
    let fields = User::fields();
    let mut changes = fields.tenant_and_handle.set(("acme", "ada"));
    changes.extend([fields.logins.set(1u32), User::fields().email.set("a@x")]);
    applied!(User::update("3").upsert().with(changes), &world.repository);
    assert_eq!(guards(&world, "users", "id").await.len(), 4);
}

#[tokio::test]
async fn a_value_is_free_as_soon_as_no_item_has_it() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let clear = || User::update("1").with(User::fields().email.clear());
    let change = || User::update("1").with(User::fields().email.set("other@x"));
    applied!(user("1", "a@x").create(), repository);
    applied!(clear(), repository);
    applied!(user("2", "a@x").put(), repository);
    User::delete("2").send(repository).await.expect("a delete");
    applied!(User::update("1").with(User::fields().email.set("a@x")), repository);
    applied!(change(), repository);
    applied!(user("3", "a@x").create(), repository);
    // A program that does not know the rule leaves the guard, and so does DynamoDB when it removes an expired item.
    delete_foreign(&world, "users", user_key("3")).await;
    applied!(user("4", "a@x").create(), repository);
    assert_eq!(
        taken(&user("3", "a@x").create().send(repository).await.expect("sent")),
        [("email", "id = \"4\"".to_owned())]
    );
}

#[tokio::test]
async fn a_tombstone_has_no_value_and_an_undelete_claims_it_anew() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    let version = applied!(member(1, "a@x").create(), repository);
    Member::delete(1u64, version).send(repository).await.expect("sent").applied().expect("applied");
    applied!(member(2, "a@x").create(), repository);
    let undelete = Member { version: version + 1, ..member(1, "a@x") }.undelete();
    assert_eq!(taken(&undelete.send(repository).await.expect("sent")), [("email", "id = 2".to_owned())]);
    applied!(Member { version: version + 1, ..member(1, "b@x") }.undelete(), repository);
}

#[tokio::test]
async fn an_expired_item_has_its_value_until_its_row_is_gone() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    let expired = Member { expires: Some(EpochSeconds::new(NOW / 1000 - 60)), ..member(1, "a@x") };
    applied!(expired.create(), repository);
    assert_eq!(
        taken(&member(2, "a@x").create().send(repository).await.expect("sent")),
        [("email", "id = 1".to_owned())]
    );
    assert_eq!(Member::get_by_email("a@x").send(repository).await.expect("found"), None);
    let found = Member::get_by_email("a@x").include_deleted().send(repository).await.expect("found");
    assert!(found.is_some());
    // A create replaces an expired item with the same key, because the guard belongs to this key.
    applied!(member(1, "a@x").create(), repository);
}

#[tokio::test]
async fn a_ratchet_orders_the_writes_of_a_unique_value() {
    let world = world::<Rated>().await;
    let repository = &world.repository;
    let rated = |id: &str, code, at: i64| Rated { id: id.to_owned(), code, at: EpochMillis::new(NOW + at) };
    applied!(rated("1", 5, 2).put(), repository);
    let late = rated("1", 6, 1).put().send(repository).await.expect("sent");
    assert!(late.refusal().expect("refused").is_superseded());
    assert_eq!(guards(&world, "rated", "id").await, pairs([("code|5", "1")]));
    assert_eq!(
        taken(&rated("2", 5, 9).put().send(repository).await.expect("sent")),
        [("code", "id = \"1\"".to_owned())]
    );
    // A late put is old news, even if another item has its value by now.
    applied!(rated("2", 7, 9).put(), repository);
    let late = rated("2", 5, 1).put().send(repository).await.expect("sent");
    assert!(late.refusal().expect("refused").is_superseded(), "{late:?}");
    let deleted = Rated::delete("1", EpochMillis::new(NOW + 3)).send(repository).await.expect("sent");
    deleted.applied().expect("applied");
    applied!(rated("2", 5, 10).put(), repository);
}

#[tokio::test]
async fn a_write_that_keeps_the_loaded_value_claims_nothing() {
    let world = world::<Member>().await;
    let repository = &world.repository;
    applied!(member(1, "a@x").create(), repository);
    let loaded = Member::get(1u64).loaded().send(repository).await.expect("a get").expect("a member");
    let kept =
        Member { visits: 1, ..loaded.entity.clone() }.put().over(&loaded).request(repository).expect("a request");
    assert!(matches!(kept, Request::Put(_)), "{kept}");
    let changed = Member { email: "b@x".to_owned(), ..loaded.entity.clone() }.put().over(&loaded);
    assert!(matches!(changed.request(repository).expect("a request"), Request::Transaction(_)));
    let blind = Member { visits: 1, ..loaded.entity.clone() }.put().request(repository).expect("a request");
    assert!(matches!(blind, Request::Transaction(_)));
    let metered = repository.metered();
    let modified = Member::modify(1u64, |member| member.visits += 1).send(&metered).await.expect("sent");
    modified.applied().expect("applied");
    assert_eq!(metered.usage().requests, 2, "a read and an update of the visits");
    let modified = Member::modify(1u64, |member| member.email = "c@x".to_owned()).send(repository).await.expect("sent");
    modified.applied().expect("applied");
    applied!(member(2, "a@x").create(), repository);
    let modified = Member::modify(1u64, |member| member.email = "a@x".to_owned()).send(repository).await.expect("sent");
    assert_eq!(taken(&modified), [("email", "id = 2".to_owned())]);
}

#[tokio::test]
async fn other_updates_are_what_they_are_without_the_rule() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let others = User::update("1").with(User::fields().logins.increment(1)).request(repository).expect("a request");
    assert!(matches!(others, Request::Update(_)), "{others}");
    let cleared = User::update("1").with(User::fields().email.clear()).request(repository).expect("a request");
    assert!(matches!(cleared, Request::Update(_)), "{cleared}");
}

#[tokio::test]
async fn of_64_creators_of_one_value_one_wins_and_the_others_hear_of_it() {
    let world = world::<User>().await;
    let creators = (0..64).map(|number| {
        let repository = world.repository.clone();
        tokio::spawn(async move { user(&number.to_string(), "a@x").create().send(&repository).await })
    });
    let (mut winners, mut losers) = (Vec::new(), Vec::new());
    for (number, creator) in creators.collect::<Vec<_>>().into_iter().enumerate() {
        match creator.await.expect("no panic").expect("an answer") {
            outcome if outcome.is_applied() => winners.push(number),
            outcome => losers.push(taken(&outcome)),
        }
    }
    let [winner] = winners[..] else { panic!("{winners:?}") };
    assert_eq!(losers, vec![vec![("email", format!("id = \"{winner}\""))]; 63]);
    if !is_remote() {
        // Each loser sends at most two requests: the first finds the guard, the second checks its holder.
        assert!(world.repository.usage().requests <= 1 + 2 * 63, "{}", world.repository.usage().requests);
    }
}
