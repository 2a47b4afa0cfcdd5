//! The page for people.

use super::{
    Account, Article, ArticleSimilar, Basket, Customer, Order, OrderByStatus, Parcel, assert_same, model, repository,
};
use dyno::model::Model;
use dyno::{Entity, EpochMillis, ErrorKind, Item, Projection, Repository, Transaction};

/// An entity with the rules that the others lack.
#[derive(Entity)]
#[entity(table = "ratings", schema_version = 2, upgrade = "upgrade")]
struct Rating {
    #[partition_key]
    id: String,
    #[attribute(rename = "stars", alias = "score")]
    stars: u8,
    #[attribute(default, immutable)]
    by: String,
    #[attribute(rename = "a|b")]
    piped: Option<String>,
    #[ratchet]
    at: EpochMillis,
    #[created]
    made: EpochMillis,
    #[updated]
    changed: EpochMillis,
    #[attribute(rest)]
    rest: Item,
}

#[derive(Projection)]
#[projection(of = Order, index = OrderByStatus)]
#[expect(dead_code, reason = "nothing is read here")]
struct Total {
    total: u64,
}

#[derive(Projection)]
#[projection(of = Article, index = ArticleSimilar)]
#[expect(dead_code, reason = "nothing is read here")]
struct Hit {
    title: String,
}

#[expect(clippy::unnecessary_wraps, reason = "an upgrade can fail")]
fn upgrade(_: &mut Item, _: u32) -> Result<(), String> {
    Ok(())
}

fn all(repository: &Repository) -> Model<'_> {
    model(repository).table::<Parcel>().table::<Article>().table::<Rating>()
}

#[test]
fn a_page_has_the_tables_the_entities_and_the_access_patterns() {
    let repository = repository();
    let orders = Order::fields();
    let (now, none) = (EpochMillis::new(1), String::new());
    let (id, rest) = ("1".to_owned(), Item::new());
    let rating = Rating { id, stars: 3, by: none, piped: None, at: now, made: now, changed: now, rest };
    let parcels = Parcel::fields();
    let moved = Transaction::new()
        .update(Parcel::update("1").condition(parcels.city.eq("Bern")).with(parcels.city.set("Basel")))
        .delete(Parcel::delete("2"));
    let model = all(&repository)
        .pattern("an order", Order::get(("x", 1)).request(&repository))
        .pattern(
            "orders by status | newest first",
            Order::by_status("open").descending().project::<Total>().request(&repository),
        )
        .pattern("dear orders of a shop", Order::query("x").filter(orders.total.gt(100)).request(&repository))
        .pattern("a rating", Rating::get("1").request(&repository))
        .pattern("stars", rating.put().request(&repository))
        .pattern("customers of a city", Customer::by_city("Bern").request(&repository))
        .pattern("a basket", Basket::get(("ada", 1)).request(&repository))
        .pattern("parcels that move", moved.request(&repository))
        .pattern("articles like a text", Article::similar("t", [0.5, 0.5]).project::<Hit>().request(&repository));
    assert_same(&model.page("Tables of the shop").expect("a page"), "page.md");
}

#[test]
fn the_page_of_a_command_is_the_same_each_time() {
    let repository = repository();
    let page = || {
        let account = Account { id: 1, balance: 7, version: 3 };
        let model = Model::new(&repository).table::<Account>();
        model.pattern("change", account.put().request(&repository)).page("Tables").expect("a page")
    };
    // The ID of the write, and its time, are others.
    assert_eq!(page(), page());
    assert!(page().as_str().contains("condition: "), "{}", page());
}

fn message(model: &Model<'_>) -> String {
    let error = model.page("Tables").expect_err("an error");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    error.to_string()
}

#[test]
fn patterns_of_one_name_are_an_error() {
    let repository = repository();
    let get = || Account::get(1).request(&repository);
    let model = Model::new(&repository).table::<Account>().pattern("a", get()).pattern("b", get()).pattern("a", get());
    assert_eq!(message(&model), "two patterns have the name `a`: give one of them another name");
}

#[test]
fn a_pattern_of_another_table_is_an_error() {
    let repository = repository();
    let model = Model::new(&repository).table::<Order>().pattern("account", Account::get(1).request(&repository));
    assert_eq!(
        message(&model),
        "the pattern `account` uses the table `test-accounts`, which is not in the model: add the table, too"
    );
}

#[test]
fn a_request_that_cannot_be_made_is_an_error() {
    let repository = repository();
    let model = Model::new(&repository).table::<Parcel>().pattern("nothing", Parcel::get("").request(&repository));
    let message = message(&model);
    assert!(message.starts_with("the pattern `nothing`: "), "{message}");
}
