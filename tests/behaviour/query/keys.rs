//! Ranges of sort keys.

use super::{Plain, Priority, Rating, Reading, Ticket, movies, ratings};
use dyno::Entity;
use dyno_tests::{item, s, world};

#[tokio::test]
async fn sort_conditions_select_ranges_of_a_template_key() {
    let world = ratings("ABCDE", "").await;
    // Keys next to the range of the template, and keys that resemble it.
    for sort in ["Movie", "Movie$", "Movid#Z", "Moviе#A", "Review#A"] {
        world.write_foreign::<Rating>(item([("PK", s("User#1")), ("SK", s(sort))])).await;
    }
    let query = || Rating::query("1");
    for (query, expected) in [
        (query(), "ABCDE"),
        (query().descending(), "EDCBA"),
        (query().sort_eq("B"), "B"),
        (query().sort_lt("C"), "AB"),
        (query().sort_le("C"), "ABC"),
        (query().sort_gt("C"), "DE"),
        (query().sort_ge("C"), "CDE"),
        (query().sort_between("B", "D"), "BCD"),
        (query().sort_gt("A").sort_lt("D"), "BC"),
        (query().sort_ge("B").sort_gt("B").sort_le("D").sort_lt("D"), "C"),
        (query().sort_begins_with("C"), "C"),
        (query().sort_begins_with(""), "ABCDE"),
        (query().sort_begins_with("C").sort_ge("A"), "C"),
        (query().sort_begins_with("C").sort_ge("D"), ""),
        (query().sort_between("D", "B"), ""),
        (query().sort_gt("B").sort_lt("B"), ""),
        (query().filter(Rating::fields().rating.ge(3)), "DE"),
        (query().filter(Rating::fields().rating.ge(1)).filter(Rating::fields().rating.le(2)), "BC"),
    ] {
        assert_eq!(movies(&world, query.clone()).await, expected, "{query:?}");
    }
}

#[tokio::test]
async fn an_empty_range_sends_no_request() {
    let world = ratings("A", "").await;
    let metered = world.repository.metered();
    let page = Rating::query("1").sort_between("D", "B").send(&metered).await.expect("a query");
    assert!(page.items.is_empty() && page.cursor.is_none());
    assert_eq!(metered.usage().requests, 0);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
#[partition_key(name = "PK", template = "User#{user}")]
#[sort_key(name = "SK", template = "Order#{day}#{number:04}#Line")]
struct Order {
    user: String,
    day: String,
    number: u32,
}

#[tokio::test]
async fn sort_conditions_take_any_leading_fields_of_a_template() {
    let world = world::<Order>().await;
    for (day, number) in [("0101", 1), ("0101", 2), ("0102", 3), ("0102", 10), ("0103", 4)] {
        let order = Order { user: "1".to_owned(), day: day.to_owned(), number };
        order.put().send(&world.repository).await.expect("a put");
    }
    let query = || Order::query("1");
    for (query, expected) in [
        (query().sort_eq(("0102",)), vec![3, 10]),
        (query().sort_eq(("0102", 3)), vec![3]),
        (query().sort_lt(("0102",)), vec![1, 2]),
        (query().sort_le(("0102",)), vec![1, 2, 3, 10]),
        (query().sort_gt(("0102",)), vec![4]),
        (query().sort_ge(("0102", 4)), vec![10, 4]),
        (query().sort_gt(("0102", 3)), vec![10, 4]),
        (query().sort_between(("0101", 2), ("0102",)), vec![2, 3, 10]),
        (query().sort_begins_with("010"), vec![1, 2, 3, 10, 4]),
        (query().sort_begins_with(("0102", "001")), vec![10]),
        (query().sort_begins_with(("0102", "")), vec![3, 10]),
    ] {
        let page = query.clone().send(&world.repository).await.expect("a query");
        let numbers: Vec<u32> = page.items.into_iter().map(|order| order.number).collect();
        assert_eq!(numbers, expected, "{query:?}");
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "main")]
struct Blob {
    #[partition_key]
    id: Vec<u8>,
    #[sort_key]
    hash: Vec<u8>,
}

#[tokio::test]
async fn sort_conditions_select_ranges_of_numbers_and_bytes() {
    let world = world::<Reading>().await;
    for at in [-10, -9, 2, 10, 100] {
        Reading { sensor: 1, at }.put().send(&world.repository).await.expect("a put");
    }
    let query = || Reading::query(1);
    for (query, expected) in [
        (query(), vec![-10, -9, 2, 10, 100]),
        (query().sort_gt(-10).sort_lt(100), vec![-9, 2, 10]),
        (query().sort_ge(2), vec![2, 10, 100]),
        (query().sort_gt(2), vec![10, 100]),
        (query().sort_le(2), vec![-10, -9, 2]),
        (query().sort_eq(10), vec![10]),
        (query().sort_between(-9, 10), vec![-9, 2, 10]),
    ] {
        let page = query.clone().send(&world.repository).await.expect("a query");
        let found: Vec<i64> = page.items.into_iter().map(|reading| reading.at).collect();
        assert_eq!(found, expected, "{query:?}");
    }

    let world = dyno_tests::world::<Blob>().await;
    for hash in [[0u8, 1], [1, 0], [1, 255], [2, 0]] {
        Blob { id: vec![7], hash: hash.to_vec() }.put().send(&world.repository).await.expect("a put");
    }
    let query = || Blob::query(&[7u8][..]);
    for (query, expected) in [
        (query().sort_begins_with(&[1u8][..]), 2),
        (query().sort_ge(&[1u8, 255][..]), 2),
        (query().sort_begins_with(&[][..]), 4),
    ] {
        assert_eq!(query.send(&world.repository).await.expect("a query").items.len(), expected);
    }
    let both = query().sort_begins_with(&[1u8][..]).sort_ge(&[1u8][..]).send(&world.repository).await;
    assert!(both.expect_err("two conditions").is_invalid_input());
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "streets")]
#[sort_key(name = "SK", template = "{city}#{street}")]
struct House {
    #[partition_key]
    country: String,
    city: String,
    street: String,
}

#[tokio::test]
async fn prefixes_narrow_each_other_and_stay_within_their_field() {
    let world = world::<House>().await;
    let repository = &world.repository;
    for (city, street) in [("New", "1st"), ("New York", "5th"), ("Newark", "1st")] {
        let house = House { country: "1".to_owned(), city: city.to_owned(), street: street.to_owned() };
        house.put().send(repository).await.expect("a put");
    }
    let cities = async |query: dyno::command::Query<House>| {
        let page = query.send(repository).await.expect("a query");
        page.items.into_iter().map(|house| house.city).collect::<Vec<_>>().join(",")
    };
    assert_eq!(cities(House::query("1").sort_begins_with("New").sort_begins_with("New ")).await, "New York");
    assert_eq!(cities(House::query("1").sort_begins_with(("New", "1"))).await, "New");
    // The range compares the stored keys, and `New York#` sorts before `New#`.
    assert_eq!(cities(House::query("1").sort_lt(("New",))).await, "New York");
    assert_eq!(cities(House::query("1").sort_ge(("New",))).await, "New,Newark");
    let error = House::query("1").sort_begins_with("New#1").send(repository).await.expect_err("two fields");
    assert_eq!(
        error.to_string(),
        "query of `House`: `city`: \"New#1\" contains \"#\", which follows the field in the key template: for a whole `city` and the beginning of the next field, give a tuple"
    );
}

#[tokio::test]
async fn several_prefixes_of_a_plain_key_are_combined() {
    let world = world::<Plain>().await;
    for id in ["A1", "AB", "B1"] {
        Plain { id: "1".to_owned(), sort: id.to_owned() }.put().send(&world.repository).await.expect("a put");
    }
    let found = async |query: dyno::command::Query<Plain>| {
        let page = query.send(&world.repository).await.expect("a query");
        page.items.into_iter().map(|plain| plain.sort).collect::<Vec<_>>().join(",")
    };
    let query = || Plain::query("1").sort_begins_with("A");
    assert_eq!(found(query().sort_begins_with("AB")).await, "AB");
    assert_eq!(found(query().sort_begins_with("").sort_begins_with("A")).await, "A1,AB");
    assert_eq!(found(query().sort_begins_with("B")).await, "");
}

#[tokio::test]
async fn an_enum_declared_in_the_order_of_its_stored_names_has_ranges() {
    let world = world::<Ticket>().await;
    let all = [Priority::Low, Priority::Normal, Priority::High, Priority::Urgent];
    for priority in all {
        let ticket = Ticket { queue: 1, id: "a".to_owned(), priority, team: "t".to_owned(), number: 1 };
        ticket.put().send(&world.repository).await.expect("a put");
    }
    let field = Ticket::fields().priority;
    for (least, priority) in all.into_iter().enumerate() {
        let found = |tickets: dyno::Page<Ticket>| -> Vec<Priority> {
            tickets.items.into_iter().map(|ticket| ticket.priority).collect()
        };
        let filtered = Ticket::scan().filter(field.ge(priority)).send(&world.repository).await.expect("a scan");
        let mut filtered = found(filtered);
        filtered.sort();
        assert_eq!(filtered, all[least..]);
        let range = Ticket::query(1).sort_ge((priority,)).send(&world.repository).await.expect("a query");
        assert_eq!(found(range), all[least..]);
        let indexed = Ticket::by_priority("t").sort_le(priority).send(&world.repository).await.expect("a query");
        assert_eq!(found(indexed), all[..=least]);
    }
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "places")]
#[partition_key(name = "PK", template = "{country}")]
#[sort_key(name = "SK", template = "{city}::{street}::end")]
#[index(name = "GSI1", query = by_city, partition(name = "GSI1PK", template = "all"), sort(name = "GSI1SK", template = "{city}::{street}::end"))]
struct Place {
    country: String,
    city: String,
    street: String,
}

/// If the separator has two characters, the prefix `a:` also matches the stored key of the city `a`.
#[tokio::test]
async fn a_prefix_of_a_field_does_not_match_the_separator_after_it() {
    let world = world::<Place>().await;
    for (city, street) in [("a", "x"), ("a:b", "x"), ("a:b", "x:y"), ("ab", "x"), ("b", "x:")] {
        let place = Place { country: "c".to_owned(), city: city.to_owned(), street: street.to_owned() };
        place.put().send(&world.repository).await.expect("a put");
    }
    let query = || Place::query("c");
    for (query, expected) in [
        (query().sort_begins_with("a:"), vec!["a:b x", "a:b x:y"]),
        (query().sort_begins_with("a:").limit(1), vec!["a:b x"]),
        (query().sort_begins_with("a:").descending(), vec!["a:b x:y", "a:b x"]),
        (query().sort_begins_with("a"), vec!["a x", "a:b x", "a:b x:y", "ab x"]),
        (query().sort_begins_with(("a:b", "x:")), vec!["a:b x:y"]),
        (query().sort_begins_with(("a", "x:")), vec![]),
        (query().sort_begins_with(("b", "x:")), vec!["b x:"]),
        (query().sort_begins_with(("b", "x::e")), vec![]),
    ] {
        let page = query.clone().send(&world.repository).await.expect("a query");
        let found: Vec<_> = page.items.iter().map(|place| format!("{} {}", place.city, place.street)).collect();
        assert_eq!(found, expected, "{query:?}");
    }
    let found = Place::by_city().sort_begins_with("a:").limit(2).send(&world.repository).await.expect("a query").items;
    assert_eq!(found.len(), 2);
    let error = query().sort_begins_with("a::").send(&world.repository).await.expect_err("the whole separator");
    assert!(error.to_string().contains("give a tuple"), "{error}");
}
