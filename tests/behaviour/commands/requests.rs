//! Requests that are printed, or changed and sent with the SDK.

use super::{User, user};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Request};
use dyno_tests::{item, n, s, world};

#[tokio::test]
async fn a_request_can_be_shown_changed_and_sent_by_hand() {
    let world = world::<User>().await;
    let repository = &world.repository;
    let f = User::fields();
    let before = repository.usage();
    let update = User::update(1)
        .with([User::fields().name.set("B"), User::fields().note.clear(), User::fields().logins.set(3)])
        .condition(f.logins.eq(3) | f.logins.is_in([4, 5]))
        .return_new();
    let request = update.request(repository).expect("a request");
    assert_eq!(
        request.to_string(),
        "UpdateItem users
  key: { id: 1 }
  update: SET #name = :name, #logins = :logins REMOVE #note
  condition: attribute_exists(#id) AND (#logins = :logins OR #logins IN (:logins_2, :logins_3))
    #id = id
    #logins = logins
    #name = name
    #note = note
    :logins = 3
    :logins_2 = 4
    :logins_3 = 5
    :name = \"B\""
    );
    assert_eq!(
        User::get(1).consistent().request(repository).expect("a request").to_string(),
        "GetItem users\n  key: { id: 1 }\n  consistent"
    );
    assert_eq!(
        User::scan()
            .limit(5)
            .filter(f.tags.contains("x"))
            .segment(1, 2)
            .request(repository)
            .expect("a request")
            .to_string(),
        "Scan users\n  filter: contains(#tags, :tags)\n    #tags = tags\n    :tags = \"x\"\n  limit 5, segment 1, segments 2"
    );
    assert_eq!(
        User::delete(1).condition(f.name.size().gt(2)).request(repository).expect("a request").to_string(),
        "DeleteItem users\n  key: { id: 1 }\n  condition: size(#name) > :name\n    #name = name\n    :name = 2"
    );
    let Request::Put(put) = user("A").create().request(repository).expect("a request") else { panic!() };
    assert_eq!(repository.usage(), before, "nothing was sent");
    let put = put.item("extra", AttributeValue::Bool(true));
    put.send_with(repository.client()).await.expect("sent by hand");
    assert_eq!(world.stored::<User>().await[0].get("extra"), Some(&AttributeValue::Bool(true)));
    // The same command makes the same request every time.
    assert_eq!(update.request(repository).expect("a request").to_string(), request.to_string());
}

#[derive(Entity, Debug)]
#[entity(table = "users")]
struct Odd {
    #[partition_key]
    id: u64,
    #[attribute(rename = "user-id")]
    user: String,
    #[attribute(rename = "a.b")]
    dotted: String,
    #[attribute(rename = "größe")]
    size: u8,
    #[attribute(rename = "Timestamp")]
    reserved: u8,
    #[attribute(rename = "n")]
    short: u8,
}

#[tokio::test]
async fn every_name_and_value_is_sent_as_a_placeholder() {
    let world = world::<Odd>().await;
    let f = Odd::fields();
    let odd = Odd { id: 1, user: "u".to_owned(), dotted: "d".to_owned(), size: 1, reserved: 2, short: 3 };
    let all = f.user.eq("u") & f.dotted.eq("d") & f.size.eq(1) & f.reserved.eq(2) & f.short.eq(3);
    odd.put().send(&world.repository).await.expect("a put");
    let update = Odd::update(1)
        .with([
            Odd::fields().user.set("x"),
            Odd::fields().dotted.set("y"),
            Odd::fields().size.set(7),
            Odd::fields().reserved.set(8),
            Odd::fields().short.set(9),
        ])
        .condition(all);
    assert!(update.send(&world.repository).await.expect("an update").is_applied());
    let expected =
        item([("id", n(1)), ("user-id", s("x")), ("a.b", s("y")), ("größe", n(7)), ("Timestamp", n(8)), ("n", n(9))]);
    assert_eq!(world.stored::<Odd>().await, [expected]);
}
