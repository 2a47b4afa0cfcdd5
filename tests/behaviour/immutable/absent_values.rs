//! Rows from before the attribute was immutable: they have no value yet, or have it under an older name.

use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Reason};
use dyno_tests::{item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
struct Order {
    #[partition_key]
    id: String,
    #[attribute(immutable, alias = "client")]
    customer: Option<String>,
    #[attribute(immutable, default)]
    currency: String,
}

fn order(customer: Option<&str>, currency: &str) -> Order {
    Order { id: "1".to_owned(), customer: customer.map(str::to_owned), currency: currency.to_owned() }
}

fn changed(attribute: &'static str) -> Reason {
    Reason::Immutable { attribute }
}

#[tokio::test]
async fn an_item_without_a_value_gets_one() {
    let absent = item([("id", s("1"))]);
    let null = item([("id", s("1")), ("customer", AttributeValue::Null(true))]);
    for row in [absent, null] {
        let world = world::<Order>().await;
        let repository = &world.repository;
        world.write_foreign::<Order>(row).await;
        applied!(order(None, "EUR").put(), repository);
        assert_eq!(refused!(order(None, "USD").put(), repository), [changed("currency")]);
        applied!(order(Some("ann"), "EUR").put(), repository);
        let both = refused!(order(Some("bob"), "USD").put(), repository);
        assert_eq!(both, [changed("customer"), changed("currency")]);
    }
}

#[tokio::test]
async fn a_put_without_a_value_does_not_remove_the_stored_one() {
    let world = world::<Order>().await;
    applied!(order(Some("ann"), "EUR").put(), &world.repository);
    assert_eq!(refused!(order(None, "EUR").put(), &world.repository), [changed("customer")]);
}

#[tokio::test]
async fn a_value_under_an_older_name_is_kept() {
    let world = world::<Order>().await;
    let repository = &world.repository;
    world.write_foreign::<Order>(item([("id", s("1")), ("client", s("ann"))])).await;
    assert_eq!(refused!(order(Some("bob"), "").put(), repository), [changed("customer")]);
    assert_eq!(refused!(order(None, "").put(), repository), [changed("customer")]);
    applied!(order(Some("ann"), "").put(), repository);
    assert_eq!(world.stored::<Order>().await, [item([("id", s("1")), ("customer", s("ann")), ("currency", s(""))])]);
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
struct Invoice {
    #[partition_key]
    id: String,
    #[attribute(immutable, default)]
    currency: String,
    text: String,
    #[version]
    version: u64,
}

/// The default of an absent attribute does not become its first value.
#[tokio::test]
async fn a_modify_of_other_fields_leaves_an_absent_value_absent() {
    let world = world::<Invoice>().await;
    let repository = &world.repository;
    world.write_foreign::<Invoice>(item([("id", s("1")), ("text", s("1")), ("version", n(1))])).await;
    applied!(Invoice::modify("1", |invoice| invoice.text.push('!')), repository);
    assert!(!world.stored::<Invoice>().await[0].contains_key("currency"));
    let update = Invoice::update("1").unchecked().with(Invoice::fields().currency.set_if_absent("EUR"));
    applied!(update, repository);
    let invoice = Invoice::get("1").send(repository).await.expect("a get").expect("an invoice");
    assert_eq!((&invoice.currency[..], &invoice.text[..]), ("EUR", "1!"));
}
