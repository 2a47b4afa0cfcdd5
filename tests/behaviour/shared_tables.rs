//! Several entities in one table: which item belongs to which entity, partitions read as an enum or as one value, and the
//! table itself.

mod distinct_keys;
mod listed_entities;

use dyno::{
    Aggregate, BatchWrite, Entities, Entity, EpochMillis, ErrorKind, Item, Projection, TransactGet, Transaction,
};
use dyno_tests::{World, n, pause, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shop", type_name = "customer")]
#[partition_key(name = "PK", template = "Customer#{id}")]
#[sort_key(name = "SK", template = "Profile")]
#[index(name = "GSI1", query = by_city, partition(name = "GSI1PK", template = "City#{city}"), sort(name = "GSI1SK", template = "Customer#{id}"))]
struct Customer {
    id: String,
    city: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shop", type_name = "order")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Order#{number:04}")]
#[tombstone(ttl_days = 7)]
#[index(name = "GSI1", query = by_city, partition(name = "GSI1PK", template = "City#{city}"), sort(name = "GSI1SK", template = "Order#{number:04}"))]
#[index(name = "by_total", partition = city, sort = total, projection = "keys")]
struct Order {
    customer: String,
    number: u32,
    city: String,
    total: u64,
    #[ratchet]
    at: EpochMillis,
}

/// An entity without a type name: its items are recognized by their keys.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shop")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Order#{number:04}#Line#{line}")]
#[index(name = "by_total", query = lines_by_city, partition = city, sort = total, projection(article))]
struct Line {
    customer: String,
    number: u32,
    line: u8,
    article: String,
    city: Option<String>,
    total: u64,
}

#[derive(Entities, Clone, Debug, PartialEq)]
enum Row {
    Customer(Customer),
    Order(Order),
    Line(Line),
}

#[derive(Entities, Clone, Debug, PartialEq)]
enum OrderRow {
    Order(Order),
    Line(Line),
    #[entities(unknown)]
    Other(Item),
}

#[derive(Aggregate, Debug, PartialEq)]
struct Account {
    customer: Customer,
    orders: Vec<Order>,
    lines: Vec<Line>,
}

#[derive(Aggregate, Debug, PartialEq)]
struct Profile {
    customer: Option<Customer>,
    first_order: Option<Order>,
}

fn customer(id: &str) -> Customer {
    Customer { id: id.to_owned(), city: "Bern".to_owned() }
}

fn order(number: u32) -> Order {
    Order { customer: "ada".to_owned(), number, city: "Bern".to_owned(), total: 10, at: EpochMillis::new(1) }
}

fn line(number: u32, line: u8) -> Line {
    let city = (line > 1).then(|| "Bern".to_owned());
    Line { customer: "ada".to_owned(), number, line, article: "pen".to_owned(), city, total: 5 }
}

async fn shop() -> World {
    let world = world::<Dummy>().await;
    let repository = &world.repository;
    repository.create_shared_table::<Row>().await.expect("a shared table");
    customer("ada").put().send(repository).await.expect("a put");
    customer("bob").put().send(repository).await.expect("a put");
    for number in 1..=3 {
        order(number).put().send(repository).await.expect("a put").applied().expect("applied");
        line(number, 1).put().send(repository).await.expect("a put");
    }
    line(1, 2).put().send(repository).await.expect("a put");
    Order::delete(("ada", 2), EpochMillis::new(2))
        .send(repository)
        .await
        .expect("a delete")
        .applied()
        .expect("applied");
    world
}

/// An entity for a table that no test reads.
#[derive(Entity)]
#[entity(table = "dummies")]
struct Dummy {
    #[partition_key]
    id: String,
}

#[tokio::test]
async fn a_partition_is_read_as_an_enum() {
    pause();
    let world = shop().await;
    let repository = world.repository.metered();
    let rows = Customer::query("ada").entities::<Row>().send(&repository).await.expect("a query").items;
    let expected = [
        Row::Order(order(1)),
        Row::Line(line(1, 1)),
        Row::Line(line(1, 2)),
        // The order 2 is deleted.
        Row::Line(line(2, 1)),
        Row::Order(order(3)),
        Row::Line(line(3, 1)),
        Row::Customer(customer("ada")),
    ];
    assert_eq!(rows, expected);
    assert_eq!((repository.usage().requests, repository.usage().read_units), (1, 0.5));
    // Any of the entities can begin the query; a condition on its sort key holds for all of them.
    let first = Order::query("ada").sort_ge(1_u32).sort_lt(2_u32).entities::<Row>().send(&repository).await;
    assert_eq!(first.expect("a query").items, expected[..3]);
    let descending =
        Line::query("ada").descending().entities::<Row>().limit(2).send(&repository).await.expect("a query");
    assert_eq!(descending.items, [expected[6].clone(), expected[5].clone()]);
    let rest = Line::query("ada").descending().entities::<Row>().after(descending.cursor).stream(&repository);
    assert_eq!(rest.try_collect().await.expect("a query").len(), 5);
    // The entities can also be read from an index that they share.
    let bern = Order::by_city("Bern").entities::<Row>().send(&repository).await.expect("a query").items;
    assert_eq!(
        bern,
        [Row::Customer(customer("ada")), Row::Customer(customer("bob")), Row::Order(order(1)), Row::Order(order(3))]
    );
}

#[tokio::test]
async fn unknown_items_are_an_error_or_skipped_or_kept() {
    pause();
    let world = shop().await;
    let repository = &world.repository;
    let foreign =
        Item::from([("PK".to_owned(), s("Customer#ada")), ("SK".to_owned(), s("Cart")), ("n".to_owned(), n(1))]);
    world.write_foreign::<Order>(foreign.clone()).await;
    let error = Order::query("ada").entities::<Row>().send(repository).await.expect_err("a cart");
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(
        error.to_string(),
        "decode of `Customer` (PK = \"Customer#ada\", SK = \"Cart\"): the item belongs to none of Customer, Order, Line: add its \
         entity or a variant for unknown items, or skip it with `skip_unknown`"
    );
    let skipped =
        Order::query("ada").entities::<Row>().skip_unknown().limit(2).send(repository).await.expect("a query");
    assert_eq!(skipped.items, [Row::Order(order(1)), Row::Line(line(1, 1))]);
    let kept = Order::query("ada").entities::<OrderRow>().send(repository).await.expect("a query").items;
    assert_eq!(kept[0], OrderRow::Other(foreign));
    assert!(matches!(&kept[7], OrderRow::Other(item) if item["SK"] == s("Profile")), "{kept:?}");
    // In a stream, the items after an error are still read.
    let mut stream = Order::query("ada").entities::<Row>().stream(repository);
    assert!(stream.next().await.expect("an item").is_err());
    assert_eq!(stream.next().await.expect("an item").expect("an order"), Row::Order(order(1)));
}

#[tokio::test]
async fn a_partition_is_read_as_one_aggregate() {
    pause();
    let world = shop().await;
    let repository = &world.repository;
    let account = Customer::query("ada").aggregate::<Account>().send(repository).await.expect("a query");
    let expected = Account {
        customer: customer("ada"),
        orders: vec![order(1), order(3)],
        lines: vec![line(1, 1), line(1, 2), line(2, 1), line(3, 1)],
    };
    assert_eq!(account, Some(expected));
    let nobody = Customer::query("eve").aggregate::<Account>().send(repository).await.expect("a query");
    assert_eq!(nobody, None);
    let profile = Customer::query("bob").aggregate::<Profile>().send(repository).await.expect("a query");
    assert_eq!(profile, Some(Profile { customer: Some(customer("bob")), first_order: None }));
    let error = Customer::query("ada").aggregate::<Profile>().skip_unknown().send(repository).await.expect_err("two");
    assert!(error.to_string().contains("SK = \"Order#0003\"): a second item"), "{error}");
    let error = Customer::query("ada").aggregate::<Profile>().send(repository).await.expect_err("lines");
    assert!(error.to_string().contains("none of Customer, Order"), "{error}");
    let error = Customer::query("ada").limit(1).aggregate::<Account>().send(repository).await.expect_err("a limit");
    assert!(error.is_invalid_input(), "{error}");
    // The filter would drop the customer, which has no total.
    let dear = Order::query("ada").filter(Order::fields().total.ge(1)).aggregate::<Account>();
    let error = dear.send(repository).await.expect_err("a filter");
    assert!(error.is_invalid_input() && error.to_string().contains("filter"), "{error}");
    Line { customer: "zoe".to_owned(), ..line(1, 1) }.put().send(repository).await.expect("a put");
    let error = Customer::query("zoe").aggregate::<Account>().send(repository).await.expect_err("no customer");
    assert_eq!(
        error.to_string(),
        "query of `Customer`: the partition has items, but no `Customer`, which the aggregate requires"
    );
}

#[tokio::test]
async fn items_have_their_type_name_and_other_entities_items_are_skipped() {
    pause();
    let world = shop().await;
    let repository = &world.repository;
    let marks: Vec<_> = world
        .stored::<Order>()
        .await
        .into_iter()
        .map(|item| (item["SK"].clone(), item.get("_type").cloned()))
        .collect();
    assert!(marks.contains(&(s("Order#0001"), Some(s("order")))), "{marks:?}");
    assert!(marks.contains(&(s("Order#0002"), Some(s("order")))), "a tombstone is marked, too: {marks:?}");
    assert!(marks.contains(&(s("Order#0001#Line#1"), None)), "{marks:?}");
    assert_eq!(order(1).to_item().expect("an item").get("_type"), Some(&s("order")));
    let orders = Order::query("ada").send(repository).await.expect("a query").items;
    assert_eq!(orders, [order(1), order(3)]);
    assert_eq!(Customer::scan().send(repository).await.expect("a scan").items.len(), 2);
    // An item with another entity's type name is skipped, whatever its key. An item without a type name is recognized by its
    // key.
    let mut odd = order(7).to_item().expect("an item");
    odd.insert("_type".to_owned(), s("invoice"));
    world.write_foreign::<Order>(odd).await;
    let mut old = order(8).to_item().expect("an item");
    old.remove("_type");
    world.write_foreign::<Order>(old).await;
    let orders = Order::query("ada").sort_ge(3_u32).send(repository).await.expect("a query").items;
    assert_eq!(orders, [order(3), order(8)]);
    let error = Order::get(("ada", 7)).send(repository).await.expect_err("an invoice");
    assert!(
        error.to_string().contains("`_type`: expected the mark of this entity, \"order\", found \"invoice\""),
        "{error}"
    );
    assert_eq!(Order::get(("ada", 8)).send(repository).await.expect("a get"), Some(order(8)));
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Line, index = LineLinesByCity)]
struct Article {
    line: u8,
    article: String,
}

#[tokio::test]
async fn an_index_of_the_shared_table_holds_the_attributes_of_each_entity() {
    pause();
    let world = shop().await;
    let repository = &world.repository;
    let lines = Line::lines_by_city("Bern").project::<Article>().send(repository).await.expect("a query").items;
    assert_eq!(lines, [Article { line: 2, article: "pen".to_owned() }], "the orders in it are not lines");
    // A second call finds the table complete.
    repository.create_shared_table::<Row>().await.expect("the same table");
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Customer)]
struct Home {
    city: String,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Order)]
struct Sum {
    total: u64,
}

#[tokio::test]
async fn batches_and_transactions_write_type_names_and_index_keys() {
    pause();
    let world = shop().await;
    let repository = &world.repository;
    let moves = |id: &str| Customer::update(id).with(Customer::fields().city.set("Basel"));
    let committed = Transaction::new().update([moves("ada"), moves("cleo").upsert()]).put(order(4).put());
    committed.send(repository).await.expect("an answer").applied().expect("applied");
    let batch = BatchWrite::new().add(customer("dan").put()).add(line(4, 2).put()).add(Customer::delete("bob"));
    batch.send(repository).await.expect("a batch").applied().expect("all of it");
    for (city, expected) in [("Basel", ["ada", "cleo"].as_slice()), ("Bern", &["dan"])] {
        let found = Customer::by_city(city).send(repository).await.expect("a query").items;
        assert_eq!(found.iter().map(|customer| &*customer.id).collect::<Vec<_>>(), expected, "{city}");
    }
    let rows = Customer::query("cleo").entities::<Row>().send(repository).await.expect("a query").items;
    assert_eq!(rows, [Row::Customer(Customer { city: "Basel".to_owned(), ..customer("cleo") })]);

    let home = || Customer::get("ada").project::<Home>();
    let sums = |numbers: [u32; 3]| numbers.map(|number| Order::get(("ada", number)).project::<Sum>());
    let read = TransactGet::new((home(), sums([1, 2, 4]))).send(repository).await.expect("a read");
    let basel = || Some(Home { city: "Basel".to_owned() });
    assert_eq!(read, (basel(), [Some(Sum { total: 10 }), None, Some(Sum { total: 10 })]));
    let sums = Order::batch_get([1, 2, 4].map(|number| ("ada", number))).project::<Sum>();
    let homes = Customer::batch_get(["ada"]).project::<Home>();
    let read = dyno::batch_get((sums, homes)).send(repository).await.expect("a batch");
    assert_eq!(read, (vec![Some(Sum { total: 10 }), None, Some(Sum { total: 10 })], vec![basel()]));

    // An item of another entity is an error, because the projection also reads the type name.
    let mut odd = order(7).to_item().expect("an item");
    odd.insert("_type".to_owned(), s("invoice"));
    world.write_foreign::<Order>(odd).await;
    let odd = || Order::get(("ada", 7)).project::<Sum>();
    let error = TransactGet::new((home(), odd())).send(repository).await.expect_err("an invoice");
    assert!(error.is_decode() && error.to_string().contains("found \"invoice\""), "{error}");
    let each = Order::batch_get([("ada", 7), ("ada", 1)]).project::<Sum>().send_each(repository).await;
    assert!(each[0].as_ref().is_err_and(dyno::Error::is_decode) && each[1].is_ok(), "{each:?}");
}

#[tokio::test]
async fn a_number_in_a_key_matches_only_digits() {
    pause();
    let world = shop().await;
    // If the number in an order's key could be any text, a line would be the order `0001#Line#1`.
    let scanned = Order::scan().send(&world.repository).await.expect("a scan").items;
    assert_eq!(scanned.len(), 2);
}

/// An entity whose tombstones have no type name. Programs that look only at the type name assign them to no entity.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "shop", type_name = "basket")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Basket")]
#[tombstone(ttl_days = 7, mark = false)]
struct Basket {
    customer: String,
    #[version]
    version: u64,
}

#[derive(Entities, Clone, Debug, PartialEq)]
enum BasketRow {
    Customer(Customer),
    Basket(Basket),
}

#[tokio::test]
async fn a_tombstone_without_a_type_name_still_belongs_to_its_entity() {
    let world = world::<Basket>().await;
    let repository = &world.repository;
    let basket = Basket { customer: "ada".to_owned(), version: 0 };
    let version = basket.create().send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(world.stored::<Basket>().await[0].get("_type"), Some(&s("basket")));
    let delete = Basket::delete("ada", version).send(repository).await.expect("sent");
    delete.applied().expect("applied");
    let stored = world.stored::<Basket>().await;
    assert_eq!((stored.len(), stored[0].get("_type")), (1, None));
    assert!(Basket::get("ada").send(repository).await.expect("a get").is_none());
    let rows = Basket::query("ada").entities::<BasketRow>().send(repository).await.expect("a query");
    assert_eq!(rows.items, []);
    let found = Basket::get("ada").include_deleted().send(repository).await.expect("a get");
    assert!(matches!(found, Some(dyno::Found::Deleted(_))), "{found:?}");
    // A create over the tombstone writes the type name again, and continues the version numbers.
    let version = basket.create().send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(version, 3);
    assert_eq!(world.stored::<Basket>().await[0].get("_type"), Some(&s("basket")));
    Basket::delete("ada", 3).send(repository).await.expect("sent").applied().expect("applied");
    let Some(dyno::Found::Deleted(tombstone)) =
        Basket::get("ada").include_deleted().send(repository).await.expect("a get")
    else {
        panic!("no tombstone")
    };
    Basket::purge(&tombstone).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(world.stored::<Basket>().await, Vec::<Item>::new());
}
