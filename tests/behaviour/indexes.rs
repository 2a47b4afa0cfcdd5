//! Secondary indexes: their queries, what they hold, and the upkeep of their keys.

use dyno::{Cursor, Entity, EpochMillis, EpochSeconds, Projection};
use dyno_tests::{World, endpoint, pause, s, world};

/// In an index by a field, in one by templates, in a local one, and in one upside down.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Order#{id:06}")]
#[index(name = "by_status", partition = status, sort = placed)]
#[index(
    name = "GSI1",
    query = by_city,
    partition(name = "GSI1PK", template = "City#{city}"),
    sort(name = "GSI1SK", template = "{courier}#{status}#{customer}#{id:06}")
)]
#[index(name = "by_total", local, sort = total, projection = "keys")]
#[index(name = "by_order", partition(name = "SK"), sort(name = "PK"), projection(total, courier))]
struct Order {
    customer: String,
    id: u32,
    status: String,
    placed: EpochMillis,
    city: Option<String>,
    courier: String,
    total: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Order)]
struct Placed {
    id: u32,
    placed: EpochMillis,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Order, index = OrderByOrder, index = OrderByTotal)]
struct Total {
    customer: String,
    total: u64,
}

fn order(customer: &str, id: u32, status: &str, city: Option<&str>) -> Order {
    Order {
        customer: customer.to_owned(),
        id,
        status: status.to_owned(),
        placed: EpochMillis::new(i64::from(id)),
        city: city.map(str::to_owned),
        courier: "Post".to_owned(),
        total: u64::from(100 - id),
    }
}

fn ids(orders: &[Order]) -> Vec<u32> {
    orders.iter().map(|order| order.id).collect()
}

async fn orders() -> World {
    let world = world::<Order>().await;
    for (customer, id, status, city) in [
        ("ada", 1, "paid", Some("Bern")),
        ("ada", 2, "open", Some("Bern")),
        ("ada", 3, "open", None),
        ("bob", 4, "open", Some("Bern")),
        ("bob", 5, "open", Some("Basel")),
    ] {
        order(customer, id, status, city).put().send(&world.repository).await.expect("a put");
    }
    world
}

#[tokio::test(start_paused = true)]
async fn an_index_is_queried_like_a_table() {
    let world = orders().await;
    let repository = world.repository.metered();
    let open = Order::by_status("open").send(&repository).await.expect("a query");
    assert_eq!(ids(&open.items), [2, 3, 4, 5]);
    assert_eq!(open.cursor, None);
    assert_eq!((repository.usage().requests, repository.usage().read_units), (1, 0.5));
    let between = Order::by_status("open")
        .sort_between(EpochMillis::new(3), EpochMillis::new(4))
        .descending()
        .send(&repository)
        .await
        .expect("a query");
    assert_eq!(ids(&between.items), [4, 3]);
    let newest =
        Order::by_status("open").sort_gt(EpochMillis::new(3)).stream(&repository).try_collect().await.expect("a query");
    assert_eq!(ids(&newest), [4, 5]);
    let f = Order::fields();
    let filtered = Order::by_status("open").filter(f.total.lt(96)).send(&repository).await.expect("a query");
    assert_eq!(ids(&filtered.items), [5]);
    let none = Order::by_status("lost").send(&repository).await.expect("a query");
    assert_eq!(none.items, []);
}

#[tokio::test]
async fn an_index_is_scanned_like_a_table() {
    pause();
    let world = orders().await;
    let repository = &world.repository;
    let scan = || Order::scan().index::<OrderByCity>();
    let sorted = |mut orders: Vec<Order>| {
        orders.sort_by_key(|order| order.id);
        ids(&orders)
    };
    // The third has no city, so it is not in the index.
    assert_eq!(sorted(scan().send(repository).await.expect("a scan").items), [1, 2, 4, 5]);
    let filtered = scan().filter(Order::fields().city.eq("Basel")).send(repository).await.expect("a scan");
    assert_eq!(ids(&filtered.items), [5]);
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = scan().limit(1).after(cursor).send(repository).await.expect("a page");
        found.extend(page.items);
        cursor = page.cursor.map(|cursor| cursor.to_string().parse::<Cursor>().expect("a cursor"));
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sorted(found), [1, 2, 4, 5]);
    let mut segments = Vec::new();
    for segment in 0..3 {
        segments.extend(scan().segment(segment, 3).stream(repository).try_collect().await.expect("a segment"));
    }
    assert_eq!(sorted(segments), [1, 2, 4, 5]);
    // One that holds some attributes is read by a projection.
    let mut totals =
        Order::scan().index::<OrderByOrder>().project::<Total>().send(repository).await.expect("a scan").items;
    totals.sort_by_key(|total| total.total);
    assert_eq!(totals.len(), 5);
    assert_eq!(totals[0], Total { customer: "bob".to_owned(), total: 95 });
    let local = Order::scan().index::<OrderByTotal>().project::<Total>().consistent().send_each(repository).await;
    assert_eq!(local.expect("a scan").items.len(), 5);
    // The cursor of a scan of the table is none of the index's.
    let cursor = Order::scan().limit(1).send(repository).await.expect("a scan").cursor;
    assert!(scan().after(cursor).send(repository).await.expect_err("another's").is_invalid_input());
    let text = scan().request(repository).expect("a request").to_string();
    assert!(text.contains("index: GSI1"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_key_of_templates_is_asked_for_by_its_fields() {
    let world = orders().await;
    let repository = &world.repository;
    let query = || Order::by_city("Bern");
    assert_eq!(ids(&query().send(repository).await.expect("a query").items), [2, 4, 1]);
    let open = query().sort_eq(("Post", "open")).send(repository).await.expect("a query");
    assert_eq!(ids(&open.items), [2, 4]);
    let begun = query().sort_begins_with(("Post", "open", "b")).send(repository).await.expect("a query");
    assert_eq!(ids(&begun.items), [4]);
    let text = query().sort_eq(("Post", "open")).request(repository).expect("a request").to_string();
    assert!(text.contains("index: GSI1") && text.contains("begins_with(#GSI1SK"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn an_item_without_an_optional_part_is_not_in_the_index() {
    let world = orders().await;
    let stored = world.stored::<Order>().await;
    let third = stored.iter().find(|item| item["SK"] == s("Order#000003")).expect("an order");
    assert_eq!(third.get("GSI1PK"), None);
    assert_eq!(third["GSI1SK"], s("Post#open#ada#000003"));
    let scanned = Order::scan().send(&world.repository).await.expect("a scan");
    assert_eq!(scanned.items.len(), 5, "the index's keys are not in the way of decoding");
}

#[tokio::test(start_paused = true)]
async fn pages_of_an_index_go_on_where_they_ended() {
    let world = orders().await;
    let repository = &world.repository;
    let first = Order::by_status("open").limit(2).send(repository).await.expect("a page");
    assert_eq!(ids(&first.items), [2, 3]);
    let cursor: Cursor = first.cursor.expect("more").to_string().parse().expect("a cursor");
    let rest = Order::by_status("open").after(cursor.clone()).send(repository).await.expect("a page");
    assert_eq!(ids(&rest.items), [4, 5]);
    let mut stream = Order::by_status("open").stream(repository);
    let _second = stream.next().await.expect("an item").expect("an item");
    let behind = stream.cursor().cloned().expect("a cursor");
    let rest = Order::by_status("open").after(behind).send(repository).await.expect("a page");
    assert_eq!(ids(&rest.items), [3, 4, 5]);
    // A cursor is of one index, and of one partition of it.
    let error = Order::by_city("Bern").after(cursor.clone()).send(repository).await.expect_err("another index");
    assert!(
        error.is_invalid_input() && error.to_string().contains("the cursor is of another query or scan"),
        "{error}"
    );
    let error = Order::by_status("paid").after(cursor.clone()).send(repository).await.expect_err("another partition");
    assert!(error.to_string().contains("the cursor is of another query or scan"), "{error}");
    let error = Order::query("ada").after(cursor).send(repository).await.expect_err("the table");
    assert!(error.is_invalid_input(), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_filter_cannot_name_the_index_s_key_and_can_name_the_table_s() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "tasks")]
    #[index(name = "by_state", partition = state, sort = due)]
    struct Task {
        #[partition_key]
        id: String,
        state: String,
        due: u64,
    }
    let world = world::<Task>().await;
    let repository = &world.repository;
    for id in ["a", "b"] {
        Task { id: id.to_owned(), state: "open".to_owned(), due: 1 }.put().send(repository).await.expect("a put");
    }
    let f = Task::fields();
    let error = Task::by_state("open").filter(f.due.gt(0)).send(repository).await.expect_err("a key");
    assert!(error.is_invalid_input() && error.to_string().contains("`due` is a key attribute"), "{error}");
    let found = Task::by_state("open").filter(f.id.eq("b")).send(repository).await.expect("a query");
    assert_eq!(found.items.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_update_rewrites_the_keys_that_are_made_of_what_it_sets() {
    let world = orders().await;
    let repository = world.repository.metered();
    let f = Order::fields();
    // The customer and the number are known from the key.
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
    // Fields that stand in a key together are set together.
    let f = Order::fields();
    let together = f.status_and_courier.set(("paid", "Bike"));
    Order::update(("ada", 2)).with(together).send(&repository).await.expect("an update").applied().expect("applied");
    let found = Order::by_city("Basel").sort_eq(("Bike",)).send(&repository).await.expect("a query").items;
    assert_eq!(ids(&found), [2]);
    assert_eq!((found[0].status.as_str(), found[0].courier.as_str()), ("paid", "Bike"));
    // Without one of its fields, there is no key: the item leaves the index.
    let f = Order::fields();
    Order::update(("ada", 2))
        .with(f.city.clear())
        .send(&repository)
        .await
        .expect("an update")
        .applied()
        .expect("applied");
    assert_eq!(ids(&Order::by_city("Basel").send(&repository).await.expect("a query").items), [5]);
    // What was updated is what a put would have stored.
    let updated = Order::get(("ada", 2)).send(&repository).await.expect("a get").expect("an order");
    let stored = world.stored::<Order>().await;
    assert!(stored.contains(&updated.to_item().expect("an item")), "{stored:?}");
}

/// In an index of all of them, in one by a field with a default, and in one that holds little.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "visitors")]
#[partition_key(name = "PK", template = "Visitor#{name}")]
#[index(name = "GSI1", query = all, partition(name = "GSI1PK", template = "Visitors"), sort(name = "GSI1SK", template = "{name}"))]
#[index(name = "by_level", partition(name = "GSI2PK", template = "Level#{level}"))]
#[index(name = "by_city", partition = city, sort = visits, projection(note))]
struct Visitor {
    name: String,
    #[attribute(default)]
    level: u8,
    city: Option<String>,
    visits: u64,
    note: Option<String>,
    remark: Option<String>,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Visitor, index = VisitorByCity)]
struct Visits {
    name: String,
    visits: u64,
}

#[tokio::test(start_paused = true)]
async fn an_upsert_makes_an_item_with_the_keys_that_a_put_would_store() {
    let world = world::<Visitor>().await;
    let repository = world.repository.metered();
    let visit = || {
        let f = Visitor::fields();
        Visitor::update("ada").with(f.visits.set(1_u64)).upsert()
    };
    // It would read as of the level 0, and not be in the index of these.
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
    // An update makes nothing, and adds nothing.
    let update = Visitor::update("ada").with(Visitor::fields().visits.add(1_u64));
    let text = update.request(&repository).expect("a request").to_string();
    assert!(!text.contains("GSI1"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_filter_cannot_name_what_the_index_does_not_hold() {
    let world = world::<Visitor>().await;
    let ada = Visitor {
        name: "ada".to_owned(),
        level: 1,
        city: Some("Bern".to_owned()),
        visits: 2,
        note: Some("n".to_owned()),
        remark: Some("r".to_owned()),
    };
    ada.put().send(&world.repository).await.expect("a put");
    let repository = world.repository.metered();
    let f = Visitor::fields();
    let query = || Visitor::by_city("Bern").project::<Visits>();
    // DynamoDB would take it to be absent, and find nothing.
    let error = query().filter(f.remark.exists()).send(&repository).await.expect_err("not held");
    assert!(error.is_invalid_input(), "{error}");
    assert!(error.to_string().contains("the index `by_city` does not hold `remark`"), "{error}");
    assert_eq!(repository.usage().requests, 0);
    let found = query().filter(f.note.exists()).send(&repository).await.expect("a query").items;
    assert_eq!(found, [Visits { name: "ada".to_owned(), visits: 2 }]);
}

#[tokio::test(start_paused = true)]
async fn a_key_of_an_index_is_checked_before_any_request() {
    let world = orders().await;
    let repository = world.repository.metered();
    let error = order("ada", 9, "", None).put().send(&repository).await.expect_err("an empty key");
    assert!(
        error.is_invalid_input() && error.to_string().contains("`status`: a field of the key cannot be empty"),
        "{error}"
    );
    let error = order("ada", 9, "open", Some("")).put().send(&repository).await.expect_err("an empty part");
    assert!(error.to_string().contains("`city`: a field of the key cannot be empty"), "{error}");
    let f = Order::fields();
    let update = Order::update(("ada", 1)).with(f.city.set("x".repeat(2049)));
    let error = update.send(&repository).await.expect_err("a long key");
    assert!(error.to_string().contains("`GSI1PK`: the key has 2054 bytes"), "{error}");
    let f = Order::fields();
    let update = Order::update(("ada", 1)).with(f.status_and_courier.set(("a#b", "Bike")));
    let fine = update.send(&repository).await.expect_err("what follows the hole");
    assert!(fine.to_string().contains("`status`"), "{fine}");
    assert_eq!(repository.usage().requests, 0);
}

#[tokio::test(start_paused = true)]
async fn a_local_index_is_the_table_in_another_order_and_can_be_read_consistently() {
    let world = orders().await;
    let repository = world.repository.metered();
    let totals = Order::by_total("ada").project::<Total>().consistent().send(&repository).await.expect("a query");
    let totals: Vec<(String, u64)> = totals.items.into_iter().map(|total| (total.customer, total.total)).collect();
    assert_eq!(totals, [("ada".to_owned(), 97), ("ada".to_owned(), 98), ("ada".to_owned(), 99)]);
    // DynamoDB Local counts as if it had fetched each item from the table; the guide: only for attributes that the index
    // lacks ("Local secondary indexes", read capacity units).
    let units = if endpoint().is_some() { 4.0 } else { 1.0 };
    assert_eq!((repository.usage().requests, repository.usage().read_units), (1, units));
    let query = || Order::by_total("ada").project::<Total>().sort_lt(99_u64);
    let some = query().limit(1).send(&repository).await.expect("a query");
    assert_eq!(some.items.len(), 1);
    let rest = query().after(some.cursor).send(&repository).await.expect("a query");
    assert_eq!(rest.items.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_index_upside_down_finds_what_the_sort_key_names() {
    let world = orders().await;
    let found = Order::by_order(4).project::<Total>().send(&world.repository).await.expect("a query");
    assert_eq!(found.items, [Total { customer: "bob".to_owned(), total: 96 }]);
}

#[tokio::test(start_paused = true)]
async fn a_projection_reads_only_what_it_names() {
    let world = orders().await;
    let repository = &world.repository;
    let get = Order::get(("ada", 1)).project::<Placed>();
    let text = get.request(repository).expect("a request").to_string();
    assert!(text.contains("projection: #PK, #placed, #SK"), "{text}");
    assert_eq!(get.send(repository).await.expect("a get"), Some(Placed { id: 1, placed: EpochMillis::new(1) }));
    let queried = Order::query("ada").project::<Placed>().sort_ge(2).send(repository).await.expect("a query");
    assert_eq!(queried.items.iter().map(|placed| placed.id).collect::<Vec<_>>(), [2, 3]);
    let scanned = Order::scan().project::<Placed>().send(repository).await.expect("a scan");
    assert_eq!(scanned.items.len(), 5);
    let found = Order::by_status("paid").project::<Placed>().send(repository).await.expect("a query");
    assert_eq!(found.items, [Placed { id: 1, placed: EpochMillis::new(1) }]);
    // A row of another shape is an error that names it.
    let mut row = order("eve", 7, "odd", None).to_item().expect("an item");
    row.remove("placed");
    world.write_foreign::<Order>(row).await;
    let error = Order::get(("eve", 7)).project::<Placed>().send(repository).await.expect_err("another shape");
    let text = error.to_string();
    assert!(text.contains("Order#000007") && text.contains("`placed`"), "{text}");
}

/// Dead in more than one way.
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

#[tokio::test(start_paused = true)]
async fn what_counts_as_absent_is_not_found_in_an_index() {
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
    // The filter cannot name the TTL where it is the index's key; the client decides.
    let by_expiry = Session::by_expiry("ada").send(repository).await.expect("a query").items;
    assert_eq!(by_expiry.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["live"]);
    let all = Session::by_expiry("ada").include_deleted().send(repository).await.expect("a query").items;
    assert_eq!(all.len(), 2, "a tombstone leaves the index");
    // The tombstone is in the local index, since it keeps its token: its flag came along.
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

#[tokio::test(start_paused = true)]
async fn a_projection_of_a_dead_item_is_not_returned() {
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
    // It has no place to say that it is dead: `project` takes back what `include_deleted` asked for.
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

/// Its token stands in the key of an index, and so do two fields that its other ratchet guards.
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

#[tokio::test(start_paused = true)]
async fn an_update_of_a_group_rewrites_the_keys_that_are_made_of_it() {
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

/// Its token stands in the key of an index.
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

#[tokio::test(start_paused = true)]
async fn a_rollback_writes_the_keys_of_the_new_token() {
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

/// From the largest to the smallest, as in the developer guide ("Best practices for using sort keys to organize data").
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "places")]
#[index(name = "by_kind", partition = kind, sort(name = "GSI1SK", template = "{country}#{region}#{state}#{county}#{city}#{quarter}"))]
struct Place {
    #[partition_key]
    id: u32,
    kind: String,
    country: String,
    region: String,
    state: String,
    county: String,
    city: String,
    quarter: String,
}

#[tokio::test(start_paused = true)]
async fn a_sort_key_of_six_fields_is_asked_for_by_as_many_as_are_known() {
    let world = world::<Place>().await;
    let repository = &world.repository;
    for (id, quarter) in [(1, "old"), (2, "new")] {
        let place = Place {
            id,
            kind: "shop".to_owned(),
            country: "a".to_owned(),
            region: "b".to_owned(),
            state: "c".to_owned(),
            county: "d".to_owned(),
            city: "e".to_owned(),
            quarter: quarter.to_owned(),
        };
        place.put().send(repository).await.expect("a put");
    }
    let query = || Place::by_kind("shop");
    let ids = |places: Vec<Place>| places.iter().map(|place| place.id).collect::<Vec<_>>();
    let one = query().sort_eq(("a", "b", "c", "d", "e", "old")).send(repository).await.expect("a query").items;
    assert_eq!(ids(one), [1]);
    let city = query().sort_eq(("a", "b", "c", "d", "e")).send(repository).await.expect("a query").items;
    assert_eq!(ids(city), [2, 1]);
    let begun = query().sort_begins_with(("a", "b", "c", "d", "e", "n")).send(repository).await.expect("a query").items;
    assert_eq!(ids(begun), [2]);
    // They stand in the key together, so they are set together.
    let f = Place::fields();
    let moved = f.country_and_region_and_state_and_county_and_city_and_quarter.set(("z", "b", "c", "d", "e", "new"));
    Place::update(2).with(moved).send(repository).await.expect("an update").applied().expect("applied");
    assert_eq!(ids(query().sort_eq(("z",)).send(repository).await.expect("a query").items), [2]);
}

/// Keys of several attributes.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "matches")]
#[index(name = "by_round", partition(tournament, region), sort(round, bracket, table))]
struct Match {
    #[partition_key]
    id: String,
    tournament: String,
    region: u32,
    round: u32,
    bracket: Option<String>,
    table: u32,
}

#[tokio::test(start_paused = true)]
async fn a_key_of_several_attributes_is_asked_for_from_the_left() {
    if endpoint().is_some() {
        // DynamoDB Local 2.6 does not know such keys: "Key Schema too big".
        return;
    }
    let world = world::<Match>().await;
    let repository = &world.repository;
    for (id, round, bracket, table) in [
        ("a", 9, Some("west"), 1),
        ("b", 10, Some("west"), 2),
        ("c", 10, Some("west"), 3),
        ("d", 10, Some("east"), 4),
        ("e", 10, None, 5),
    ] {
        let bracket = bracket.map(str::to_owned);
        let (id, tournament) = (id.to_owned(), "cup".to_owned());
        Match { id, tournament, region: 7, round, bracket, table }.put().send(repository).await.expect("a put");
    }
    let ids = |matches: Vec<Match>| matches.into_iter().map(|one| one.id).collect::<String>();
    let query = || Match::by_round("cup", 7_u32);
    assert_eq!(ids(query().send(repository).await.expect("a query").items), "adbc", "numbers sort as numbers");
    assert_eq!(ids(query().sort_eq(10_u32).send(repository).await.expect("a query").items), "dbc");
    assert_eq!(ids(query().sort_gt(9_u32).send(repository).await.expect("a query").items), "dbc");
    let west = || query().sort_eq(10_u32).sort_eq("west");
    assert_eq!(ids(west().send(repository).await.expect("a query").items), "bc");
    assert_eq!(ids(west().sort_between(3_u32, 9_u32).send(repository).await.expect("a query").items), "c");
    assert_eq!(ids(west().sort_eq(2_u32).send(repository).await.expect("a query").items), "b");
    assert_eq!(ids(query().sort_eq(10_u32).sort_begins_with("e").send(repository).await.expect("a query").items), "d");
    let first = query().limit(2).send(repository).await.expect("a query");
    let rest = query().after(first.cursor).send(repository).await.expect("a query");
    assert_eq!(ids(first.items) + &ids(rest.items), "adbc");
    // Where an attribute is added later, the item comes into the index then.
    let mut row =
        Match { id: "f".to_owned(), tournament: "cup".to_owned(), region: 7, round: 1, bracket: None, table: 1 }
            .to_item()
            .expect("an item");
    row.insert("bracket".to_owned(), s("odd"));
    world.write_foreign::<Match>(row).await;
    assert_eq!(ids(query().send(repository).await.expect("a query").items), "fadbc");
}
