//! Deleted and expired items in an index.

use dyno::{Entity, EpochMillis, EpochSeconds, Projection};
use dyno_tests::{pause, world};

/// An item that can be deleted or expired.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "sessions")]
#[tombstone(ttl_days = 7)]
#[index(name = "by_user", partition = user, sort = at, projection(device))]
#[index(name = "by_expiry", partition = user, sort = expires)]
#[index(name = "by_time", local, sort = at, projection = "keys")]
struct Session {
    #[partition_key]
    app: String,
    #[sort_key]
    id: String,
    user: String,
    device: String,
    #[ratchet]
    at: EpochMillis,
    #[ttl]
    expires: Option<EpochSeconds>,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Session, index = SessionByUser)]
struct Device {
    id: String,
    device: String,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Session, index = SessionByTime)]
struct Id {
    id: String,
}

#[tokio::test]
async fn deleted_and_expired_items_are_not_found_in_an_index() {
    pause();
    let world = world::<Session>().await;
    let repository = &world.repository;
    let expires = |seconds: i64| Some(EpochSeconds::new(world.clock_seconds() + seconds));
    for (id, expires) in [("live", expires(100)), ("expired", expires(-100)), ("gone", expires(100))] {
        let session = Session {
            app: "shop".to_owned(),
            id: id.to_owned(),
            user: "ada".to_owned(),
            device: "phone".to_owned(),
            at: EpochMillis::new(1),
            expires,
        };
        session.put().send(repository).await.expect("a put").applied().expect("applied");
    }
    Session::delete(("shop", "gone"), EpochMillis::new(2))
        .send(repository)
        .await
        .expect("a delete")
        .applied()
        .expect("applied");
    let live = [Device { id: "live".to_owned(), device: "phone".to_owned() }];
    let by_user = Session::by_user("ada").project::<Device>();
    assert_eq!(by_user.clone().send(repository).await.expect("a query").items, live);
    // The filter cannot name the TTL attribute if it is a key of the index, so the client skips the expired item.
    let by_expiry = Session::by_expiry("ada").send(repository).await.expect("a query").items;
    assert_eq!(by_expiry.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["live"]);
    let all = Session::by_expiry("ada").include_deleted().send(repository).await.expect("a query").items;
    assert_eq!(all.len(), 2, "a tombstone leaves the index");
    // The tombstone is in the local index, because it keeps its token. The index also holds the flag of the deletion.
    let by_time = Session::by_time("shop").project::<Id>().send(repository).await.expect("a query").items;
    assert_eq!(by_time, [Id { id: "live".to_owned() }]);
    let stored = world.stored::<Session>().await;
    assert_eq!(stored.iter().filter(|item| item.contains_key("user")).count(), 2, "{stored:?}");
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Session)]
struct User {
    user: String,
}

#[tokio::test]
async fn a_projection_of_an_expired_item_is_not_returned() {
    pause();
    let world = world::<Session>().await;
    let repository = &world.repository;
    let session = Session {
        app: "shop".to_owned(),
        id: "1".to_owned(),
        user: "ada".to_owned(),
        device: "phone".to_owned(),
        at: EpochMillis::new(1),
        expires: Some(EpochSeconds::new(world.clock_seconds() - 1)),
    };
    session.put().send(repository).await.expect("a put").applied().expect("applied");
    // A projection cannot show that the item has expired, so `project` overrides `include_deleted`.
    let got = Session::get(("shop", "1")).include_deleted().project::<User>().send(repository).await.expect("a get");
    assert_eq!(got, None);
    let queried = Session::query("shop").include_deleted().project::<User>().send(repository).await.expect("a query");
    assert_eq!(queried.items, []);
    let scanned = Session::scan().include_deleted().project::<User>().send(repository).await.expect("a scan");
    assert_eq!(scanned.items, []);
    let of_index = Session::by_expiry("ada").include_deleted().project::<User>().send(repository).await;
    assert_eq!(of_index.expect("a query").items, []);
    assert_eq!(Session::query("shop").include_deleted().send(repository).await.expect("a query").items.len(), 1);
}
