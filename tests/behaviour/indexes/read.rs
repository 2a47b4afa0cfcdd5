//! Queries, scans, pages and projections of an index.

use super::{Order, OrderByCity, OrderByOrder, OrderByTotal, ids, order, orders};
use dyno::{Cursor, Entity, EpochMillis, Projection};
use dyno_tests::pause;

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

#[tokio::test]
async fn an_index_is_queried_like_a_table() {
    pause();
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
    // The third order has no city, so it is not in the index.
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
    // An index that holds only some attributes is read with a projection.
    let mut totals =
        Order::scan().index::<OrderByOrder>().project::<Total>().send(repository).await.expect("a scan").items;
    totals.sort_by_key(|total| total.total);
    assert_eq!(totals.len(), 5);
    assert_eq!(totals[0], Total { customer: "bob".to_owned(), total: 95 });
    let local = Order::scan().index::<OrderByTotal>().project::<Total>().consistent().send_each(repository).await;
    assert_eq!(local.expect("a scan").items.len(), 5);
    // A scan of the index does not accept the cursor of a scan of the table.
    let cursor = Order::scan().limit(1).send(repository).await.expect("a scan").cursor;
    assert!(scan().after(cursor).send(repository).await.expect_err("another's").is_invalid_input());
    let text = scan().request(repository).expect("a request").to_string();
    assert!(text.contains("index: GSI1"), "{text}");
}

#[tokio::test]
async fn a_template_key_is_queried_by_its_fields() {
    pause();
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

#[tokio::test]
async fn a_cursor_continues_an_index_query_where_its_page_ended() {
    pause();
    let world = orders().await;
    let repository = &world.repository;
    let first = Order::by_status("open").limit(2).send(repository).await.expect("a page");
    assert_eq!(ids(&first.items), [2, 3]);
    let cursor: Cursor = first.cursor.expect("more").to_string().parse().expect("a cursor");
    let rest = Order::by_status("open").after(cursor.clone()).send(repository).await.expect("a page");
    assert_eq!(ids(&rest.items), [4, 5]);
    let mut stream = Order::by_status("open").stream(repository);
    let _second = stream.next().await.expect("an item").expect("an item");
    let behind = stream.cursor().expect("made").expect("a cursor");
    let rest = Order::by_status("open").after(behind).send(repository).await.expect("a page");
    assert_eq!(ids(&rest.items), [3, 4, 5]);
    // A cursor belongs to one index, and to one partition of it.
    let error = Order::by_city("Bern").after(cursor.clone()).send(repository).await.expect_err("another index");
    assert!(
        error.is_invalid_input() && error.to_string().contains("the cursor belongs to another query or scan"),
        "{error}"
    );
    let error = Order::by_status("paid").after(cursor.clone()).send(repository).await.expect_err("another partition");
    assert!(error.to_string().contains("the cursor belongs to another query or scan"), "{error}");
    let error = Order::query("ada").after(cursor).send(repository).await.expect_err("the table");
    assert!(error.is_invalid_input(), "{error}");
}

#[tokio::test]
async fn a_local_index_is_read_consistently_in_its_own_order() {
    pause();
    let world = orders().await;
    let repository = world.repository.metered();
    let totals = Order::by_total("ada").project::<Total>().consistent().send(&repository).await.expect("a query");
    let totals: Vec<(String, u64)> = totals.items.into_iter().map(|total| (total.customer, total.total)).collect();
    assert_eq!(totals, [("ada".to_owned(), 97), ("ada".to_owned(), 98), ("ada".to_owned(), 99)]);
    assert_eq!((repository.usage().requests, repository.usage().read_units), (1, 1.0));
    let query = || Order::by_total("ada").project::<Total>().sort_lt(99_u64);
    let some = query().limit(1).send(&repository).await.expect("a query");
    assert_eq!(some.items.len(), 1);
    let rest = query().after(some.cursor).send(&repository).await.expect("a query");
    assert_eq!(rest.items.len(), 1);
}

#[tokio::test]
async fn an_inverted_index_finds_items_by_their_sort_key() {
    pause();
    let world = orders().await;
    let found = Order::by_order(4).project::<Total>().send(&world.repository).await.expect("a query");
    assert_eq!(found.items, [Total { customer: "bob".to_owned(), total: 96 }]);
}

#[tokio::test]
async fn a_projection_reads_only_the_attributes_that_it_names() {
    pause();
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
    // A row of another shape is an error that names the row.
    let mut row = order("eve", 7, "odd", None).to_item().expect("an item");
    row.remove("placed");
    world.write_foreign::<Order>(row).await;
    let error = Order::get(("eve", 7)).project::<Placed>().send(repository).await.expect_err("another shape");
    let text = error.to_string();
    assert!(text.contains("Order#000007") && text.contains("`placed`"), "{text}");
}
