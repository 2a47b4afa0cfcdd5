//! The maintenance of index keys by writes that change the parts of the keys.

use super::{Order, Visitor, ids, orders};
use dyno::{Entity, EpochMillis};
use dyno_tests::{pause, world};

#[tokio::test]
async fn an_update_rewrites_the_index_keys_of_the_fields_that_it_sets() {
    pause();
    let world = orders().await;
    let repository = world.repository.metered();
    let f = Order::fields();
    // The customer and the number are known from the item's key.
    Order::update(("ada", 2))
        .with(f.city.set("Basel".to_owned()))
        .send(&repository)
        .await
        .expect("an update")
        .applied()
        .expect("applied");
    assert_eq!(repository.usage().requests, 1);
    assert_eq!(ids(&Order::by_city("Bern").send(&repository).await.expect("a query").items), [4, 1]);
    assert_eq!(ids(&Order::by_city("Basel").send(&repository).await.expect("a query").items), [2, 5]);
    // Fields that are parts of one key are set together.
    let f = Order::fields();
    let together = f.status_and_courier.set(("paid", "Bike"));
    Order::update(("ada", 2)).with(together).send(&repository).await.expect("an update").applied().expect("applied");
    let found = Order::by_city("Basel").sort_eq(("Bike",)).send(&repository).await.expect("a query").items;
    assert_eq!(ids(&found), [2]);
    assert_eq!((found[0].status.as_str(), found[0].courier.as_str()), ("paid", "Bike"));
    // Without one of its fields, there is no index key, and the item leaves the index.
    let f = Order::fields();
    Order::update(("ada", 2))
        .with(f.city.clear())
        .send(&repository)
        .await
        .expect("an update")
        .applied()
        .expect("applied");
    assert_eq!(ids(&Order::by_city("Basel").send(&repository).await.expect("a query").items), [5]);
    // The updated row is the row that a put would have stored.
    let updated = Order::get(("ada", 2)).send(&repository).await.expect("a get").expect("an order");
    let stored = world.stored::<Order>().await;
    assert!(stored.contains(&updated.to_item().expect("an item")), "{stored:?}");
}

#[tokio::test]
async fn an_upsert_stores_the_same_index_keys_as_a_put() {
    pause();
    let world = world::<Visitor>().await;
    let repository = world.repository.metered();
    let visit = || {
        let f = Visitor::fields();
        Visitor::update("ada").with(f.visits.set(1_u64)).upsert()
    };
    // Without a level, the item would decode with level 0, but would not be in the index of that level.
    let error = visit().send(&repository).await.expect_err("no level");
    assert!(error.is_invalid_input() && error.to_string().contains("without `level`"), "{error}");
    assert_eq!(repository.usage().requests, 0);
    let upsert = || visit().with(Visitor::fields().level.set(0));
    for _ in 0..2 {
        upsert().send(&repository).await.expect("an upsert").applied().expect("applied");
    }
    let ada = Visitor { name: "ada".to_owned(), level: 0, city: None, visits: 1, note: None, remark: None };
    assert_eq!(world.stored::<Visitor>().await, [ada.to_item().expect("an item")]);
    assert_eq!(
        Visitor::all().sort_eq("ada").send(&repository).await.expect("a query").items,
        std::slice::from_ref(&ada)
    );
    assert_eq!(Visitor::by_level(0).send(&repository).await.expect("a query").items, [ada]);
    // An update creates no item, so it adds no index keys.
    let update = Visitor::update("ada").with(Visitor::fields().visits.add(1_u64));
    let text = update.request(&repository).expect("a request").to_string();
    assert!(!text.contains("GSI1"), "{text}");
}

/// A review. One index key contains a ratchet's token, and another one contains two fields that the other ratchet guards.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reviews")]
#[index(name = "by_day", partition(name = "GSI1PK", template = "{carrier}#{shipped_at}"))]
#[index(name = "by_rating", partition(name = "GSI2PK", template = "{rating}#{comment}"))]
struct Review {
    #[partition_key]
    id: String,
    rating: u8,
    comment: Option<String>,
    #[ratchet(guards(rating, comment))]
    rated_at: EpochMillis,
    carrier: String,
    #[ratchet(guards(carrier))]
    shipped_at: EpochMillis,
}

#[tokio::test]
async fn an_update_of_a_group_rewrites_the_group_s_index_keys() {
    pause();
    let world = world::<Review>().await;
    let repository = &world.repository;
    let mut review = Review {
        id: "1".to_owned(),
        rating: 1,
        comment: Some("odd".to_owned()),
        rated_at: EpochMillis::new(1),
        carrier: "Post".to_owned(),
        shipped_at: EpochMillis::new(1),
    };
    review.put().send(repository).await.expect("a put").applied().expect("applied");
    let rate = Review::update("1").rated_at(EpochMillis::new(5)).rating(4).comment("fine");
    rate.send(repository).await.expect("an update").applied().expect("applied");
    let ship = Review::update("1").shipped_at(EpochMillis::new(7)).carrier("Bike");
    ship.send(repository).await.expect("an update").applied().expect("applied");
    review = Review {
        rating: 4,
        comment: Some("fine".to_owned()),
        rated_at: EpochMillis::new(5),
        carrier: "Bike".to_owned(),
        shipped_at: EpochMillis::new(7),
        ..review
    };
    assert_eq!(world.stored::<Review>().await, [review.to_item().expect("an item")]);
    let found = Review::by_day("Bike", EpochMillis::new(7)).send(repository).await.expect("a query").items;
    assert_eq!(found, [review.clone()]);
    let late = Review::update("1").rated_at(EpochMillis::new(4)).rating(1).comment(None);
    assert!(!late.send(repository).await.expect("an answer").is_applied());
    assert_eq!(Review::by_rating(4, "fine").send(repository).await.expect("a query").items, [review]);
}

/// A document with the ratchet's token in an index key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "documents")]
#[history_table]
#[index(name = "by_time", partition = owner, sort(name = "GSI1SK", template = "{at:015}"))]
struct Document {
    #[partition_key]
    id: String,
    owner: String,
    #[version]
    version: u64,
    #[ratchet]
    at: u64,
}

#[tokio::test]
async fn a_rollback_writes_index_keys_with_the_new_token() {
    pause();
    let world = world::<Document>().await;
    let repository = &world.repository;
    let first = Document { id: "1".to_owned(), owner: "ada".to_owned(), version: 0, at: 10 };
    first.put().send(repository).await.expect("a put").applied().expect("applied");
    let modify = Document::modify("1", |document| (document.owner, document.at) = ("bob".to_owned(), 20));
    modify.send(repository).await.expect("a change").applied().expect("applied");
    let rolled = Document::rollback("1", 1_u64, 30_u64).send(repository).await.expect("a rollback");
    let rolled = rolled.applied().expect("applied");
    assert_eq!(rolled, Document { version: 3, at: 30, ..first });
    let newest = Document::by_time("ada").sort_ge(30_u64).send(repository).await.expect("a query").items;
    assert_eq!(newest, [rolled]);
}
