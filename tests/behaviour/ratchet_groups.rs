//! Ratchets that guard groups of fields: each group moves by its own token, and a put moves all of them.

use dyno::{Entity, EpochMillis, Outcome, Reason};
use dyno_tests::{World, reasons, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reviews")]
#[tombstone(ttl_days = 7)]
struct Review {
    #[partition_key]
    id: String,
    rating: u8,
    comment: Option<String>,
    #[ratchet(guards(rating, comment))]
    rated_at: EpochMillis,
    shipped: bool,
    #[ratchet(guards(shipped), tiebreak = "carrier")]
    shipped_at: EpochMillis,
    carrier: String,
}

fn at(millis: i64) -> EpochMillis {
    EpochMillis::new(millis)
}

fn review(rating: u8, rated_at: i64, shipped: bool, shipped_at: i64) -> Review {
    Review {
        id: "1".to_owned(),
        rating,
        comment: Some("fine".to_owned()),
        rated_at: at(rated_at),
        shipped,
        shipped_at: at(shipped_at),
        carrier: "m".to_owned(),
    }
}

fn stale(attribute: &'static str, tie: bool) -> Reason {
    Reason::Stale { attribute, tie }
}

async fn put(world: &World, review: &Review) -> Outcome<Review> {
    review.put().send(&world.repository).await.expect("a put")
}

async fn live(world: &World) -> Option<Review> {
    Review::get("1").send(&world.repository).await.expect("a get")
}

#[tokio::test]
async fn each_group_advances_by_its_own_token() {
    let world = world::<Review>().await;
    let repository = &world.repository;
    assert_eq!(reasons(&put(&world, &review(1, 10, false, 10)).await), []);
    let rate = Review::update("1").rated_at(at(20)).rating(5).comment(None);
    assert_eq!(reasons(&rate.send(repository).await.expect("an update")), []);
    // The token of this group is older than the other group's token, which does not matter.
    let ship = Review::update("1").shipped_at((at(15), "m")).shipped(true);
    assert_eq!(reasons(&ship.send(repository).await.expect("an update")), []);
    let mut expected = review(5, 20, true, 15);
    expected.comment = None;
    assert_eq!(live(&world).await, Some(expected));
    let rate = Review::update("1").rated_at(at(19)).rating(1).comment("late");
    let outcome = rate.send(repository).await.expect("an update");
    assert_eq!(reasons(&outcome), [stale("rated_at", false)]);
    assert!(outcome.refusal().is_some_and(dyno::Refusal::is_superseded));
    let ship = Review::update("1").shipped_at((at(15), "a")).shipped(false);
    assert_eq!(reasons(&ship.send(repository).await.expect("an update")), [stale("shipped_at", false)]);
}

#[tokio::test]
async fn a_put_must_advance_every_group_and_is_superseded_only_in_all() {
    let world = world::<Review>().await;
    assert_eq!(reasons(&put(&world, &review(1, 10, false, 10)).await), []);
    let half = put(&world, &review(2, 9, true, 11)).await;
    assert_eq!(reasons(&half), [stale("rated_at", false)]);
    // Dropping the put would lose its newer half.
    assert!(half.accept_stale().is_err());
    let whole = put(&world, &review(2, 9, true, 9)).await;
    assert_eq!(reasons(&whole), [stale("rated_at", false), stale("shipped_at", false)]);
    assert_eq!(whole.accept_stale().expect("old news"), None);
}

#[tokio::test]
async fn a_delete_carries_the_token_of_every_group() {
    let world = world::<Review>().await;
    let repository = &world.repository;
    assert_eq!(reasons(&put(&world, &review(1, 10, false, 10)).await), []);
    let delete = Review::delete("1", at(11), (at(9), "m")).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), [stale("shipped_at", false)]);
    let delete = Review::delete("1", at(11), (at(11), "m")).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
    assert_eq!(live(&world).await, None);
    // Updates of a deleted item: an update with an older token is old news, an update with a newer token is lost.
    let rate = Review::update("1").rated_at(at(10)).rating(5).comment(None).send(repository).await;
    let rate = rate.expect("an update");
    assert_eq!(reasons(&rate), [Reason::Deleted, stale("rated_at", false)]);
    assert_eq!(rate.accept_stale().expect("old news"), None);
    let rate = Review::update("1").rated_at(at(12)).rating(5).comment(None).send(repository).await;
    let rate = rate.expect("an update");
    assert_eq!(reasons(&rate), [Reason::Deleted]);
    assert!(rate.accept_stale().is_err());
    // A put with exactly the tokens of the delete is a late copy. A put with one newer token creates a new item.
    let again = put(&world, &review(2, 11, false, 11)).await;
    assert_eq!(reasons(&again), [stale("rated_at", true), stale("shipped_at", true), Reason::Deleted]);
    assert_eq!(reasons(&put(&world, &review(2, 12, false, 11)).await), []);
}

#[tokio::test]
async fn an_update_of_one_group_does_not_create_a_missing_item() {
    let world = world::<Review>().await;
    let rate = Review::update("1").rated_at(at(20)).rating(5).comment(None);
    let outcome = rate.clone().send(&world.repository).await.expect("an update");
    assert_eq!(reasons(&outcome), [Reason::Missing]);
    let error = rate.upsert().send(&world.repository).await.expect_err("half an item");
    assert!(error.is_invalid_input());
    assert_eq!(
        error.to_string(),
        "update of `Review` (id = \"1\"): the upsert could create an item without `shipped`, `shipped_at`, `carrier`: set that too, give it a default, or put the whole item"
    );
}

#[tokio::test]
async fn an_update_of_a_group_sets_and_compares_its_token() {
    let world = world::<Review>().await;
    let ship = Review::update("1").shipped_at((at(15), "m")).shipped(true).return_new();
    let request = ship.request(&world.repository).expect("a request").to_string();
    assert_eq!(
        request,
        "UpdateItem reviews
  key: { id: \"1\" }
  update: SET #shipped = :shipped, #shipped_at = :shipped_at, #carrier = :carrier
  condition: attribute_exists(#id) AND NOT #deleted = :deleted AND NOT #ttl BETWEEN :ttl AND :ttl_2 AND (attribute_not_exists(#shipped_at) OR #shipped_at < :shipped_at OR (#shipped_at = :shipped_at AND (attribute_not_exists(#carrier) OR #carrier <= :carrier)))
    #carrier = carrier
    #deleted = deleted
    #id = id
    #shipped = shipped
    #shipped_at = shipped_at
    #ttl = ttl
    :carrier = \"m\"
    :deleted = true
    :shipped = true
    :shipped_at = 15
    :ttl = 1
    :ttl_2 = 4102444800"
    );
}

#[tokio::test]
async fn a_write_delivered_again_is_refused_as_stale() {
    let world = world::<Review>().await;
    let repository = &world.repository;
    let first = review(1, 5, false, 5);
    assert_eq!(reasons(&put(&world, &first).await), []);
    let rate = Review::update("1").rated_at(at(7)).rating(5).comment(None);
    assert_eq!(reasons(&rate.clone().send(repository).await.expect("an update")), []);
    // One group now has a newer token, the other group still has the token of the put.
    let again = put(&world, &first).await;
    assert_eq!(reasons(&again), [stale("rated_at", false)]);
    assert_eq!(again.accept_stale().expect("old news"), None);
    // The delete carried the token that the update had written.
    let delete = Review::delete("1", at(7), (at(6), "m")).send(repository).await.expect("a delete");
    assert_eq!(reasons(&delete), []);
    let again = rate.send(repository).await.expect("an update");
    assert_eq!(reasons(&again), [Reason::Deleted]);
    assert_eq!(again.accept_stale().expect("old news"), None);
    // An update with a newer token than the delete is lost with the item, so it is not old news.
    let rate = Review::update("1").rated_at(at(8)).rating(5).comment(None).send(repository).await;
    assert!(rate.expect("an update").accept_stale().expect_err("lost").is_refused());
}
