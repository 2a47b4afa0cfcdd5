//! Index keys made of templates or of several attributes, and invalid index keys.

use super::{Order, Visitor, VisitorByCity, order, orders};
use dyno::{Entity, Projection};
use dyno_tests::{pause, s, world};

#[tokio::test]
async fn an_item_without_an_optional_key_part_is_not_in_the_index() {
    pause();
    let world = orders().await;
    let stored = world.stored::<Order>().await;
    let third = stored.iter().find(|item| item["SK"] == s("Order#000003")).expect("an order");
    assert_eq!(third.get("GSI1PK"), None);
    assert_eq!(third["GSI1SK"], s("Post#open#ada#000003"));
    let scanned = Order::scan().send(&world.repository).await.expect("a scan");
    assert_eq!(scanned.items.len(), 5, "the index's keys are not in the way of decoding");
}

#[tokio::test]
async fn a_filter_may_name_the_table_s_key_but_not_the_index_s() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "tasks")]
    #[index(name = "by_state", partition = state, sort = due)]
    struct Task {
        #[partition_key]
        id: String,
        state: String,
        due: u64,
    }
    pause();
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

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Visitor, index = VisitorByCity)]
struct Visits {
    name: String,
    visits: u64,
}

#[tokio::test]
async fn a_filter_on_an_attribute_outside_the_index_is_refused() {
    pause();
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
    // DynamoDB would treat the attribute as absent, and find nothing.
    let error = query().filter(f.remark.exists()).send(&repository).await.expect_err("not held");
    assert!(error.is_invalid_input(), "{error}");
    assert!(error.to_string().contains("the index `by_city` does not hold `remark`"), "{error}");
    assert_eq!(repository.usage().requests, 0);
    let found = query().filter(f.note.exists()).send(&repository).await.expect("a query").items;
    assert_eq!(found, [Visits { name: "ada".to_owned(), visits: 2 }]);
}

#[tokio::test]
async fn an_invalid_index_key_is_refused_before_any_request() {
    pause();
    let world = orders().await;
    let repository = world.repository.metered();
    let error = order("ada", 9, "", None).put().send(&repository).await.expect_err("an empty key");
    assert!(
        error.is_invalid_input()
            && error.to_string().contains("`status`: it is part of a key or of an index's key, and cannot be empty"),
        "{error}"
    );
    let error = order("ada", 9, "open", Some("")).put().send(&repository).await.expect_err("an empty part");
    assert!(
        error.to_string().contains("`city`: it is part of a key or of an index's key, and cannot be empty"),
        "{error}"
    );
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

/// A place, with a sort key from the largest area to the smallest, as in the developer guide ("Best practices for using sort
/// keys to organize data").
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

#[tokio::test]
async fn a_sort_key_of_six_fields_is_queried_by_any_of_its_prefixes() {
    pause();
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
    // The fields are parts of one key, so they are set together.
    let f = Place::fields();
    let moved = f.country_and_region_and_state_and_county_and_city_and_quarter.set(("z", "b", "c", "d", "e", "new"));
    Place::update(2).with(moved).send(repository).await.expect("an update").applied().expect("applied");
    assert_eq!(ids(query().sort_eq(("z",)).send(repository).await.expect("a query").items), [2]);
}

/// An entity with index keys of several attributes.
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

#[tokio::test]
async fn a_key_of_several_attributes_is_queried_from_the_left() {
    pause();
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
    // An item enters the index when its missing key attribute is added.
    let mut row =
        Match { id: "f".to_owned(), tournament: "cup".to_owned(), region: 7, round: 1, bracket: None, table: 1 }
            .to_item()
            .expect("an item");
    row.insert("bracket".to_owned(), s("odd"));
    world.write_foreign::<Match>(row).await;
    assert_eq!(ids(query().send(repository).await.expect("a query").items), "fadbc");
}
