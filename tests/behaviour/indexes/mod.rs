//! Secondary indexes: their queries, their projections, and the maintenance of their keys.

mod absent;
mod hydrate;
mod keys;
#[cfg(feature = "all")]
mod other_writers;
mod read;
mod unprojected;
mod upkeep;

use dyno::{Entity, EpochMillis};
use dyno_tests::{World, world};

/// An order, with an index by a field, one by templates, a local one, and an inverted one.
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

/// A visitor, with an index of all visitors, one by a field with a default, and one that holds few attributes.
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
