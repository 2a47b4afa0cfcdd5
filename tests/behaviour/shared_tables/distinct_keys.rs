//! Entities whose sort keys are told apart by the types of their fields, or by their endings.

use dyno::{Document, Entities, Entity};
use dyno_tests::{item, s, world};
use ulid::Ulid;
use uuid::Uuid;

#[derive(Document, Clone, Copy, Debug, PartialEq)]
struct Number(Ulid);

macro_rules! orders {
    ($($kind:ident: $id:ty, $template:literal, $one:expr;)*) => {$(
        mod $kind {
            use super::*;

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "shop")]
            #[partition_key(name = "PK", template = "Customer#{customer}")]
            #[sort_key(name = "SK", template = $template)]
            struct Order {
                customer: String,
                id: $id,
            }

            #[derive(Entity, Clone, Debug, PartialEq)]
            #[entity(table = "shop")]
            #[partition_key(name = "PK", template = "Customer#{customer}")]
            #[sort_key(name = "SK", template = "Order#{order}#Line#{line:03}")]
            struct Line {
                customer: String,
                order: $id,
                line: u16,
            }

            #[derive(Entities, Clone, Debug, PartialEq)]
            enum Row {
                Order(Order),
                Line(Line),
            }

            #[tokio::test]
            async fn an_order_and_its_lines_are_distinguished_by_their_keys() {
                let world = world::<Order>().await;
                let order = Order { customer: "ada".to_owned(), id: $one };
                let line = Line { customer: "ada".to_owned(), order: $one, line: 7 };
                order.put().send(&world.repository).await.expect("a put");
                line.put().send(&world.repository).await.expect("a put");
                let page = Order::query("ada").entities::<Row>().send(&world.repository).await.expect("a page");
                let mut rows = page.items;
                rows.sort_by_key(|row| matches!(row, Row::Line(_)));
                assert_eq!(rows, [Row::Order(order), Row::Line(line.clone())]);
                let lines = Line::query("ada").send(&world.repository).await.expect("a page").items;
                assert_eq!(lines, [line]);
            }
        }
    )*};
}

orders! {
    ulids: Ulid, "Order#{id}", Ulid::from_parts(1, 2);
    newtypes: Number, "Order#{id}", Number(Ulid::from_parts(1, 2));
    uuids: Uuid, "Order#{id}", Uuid::from_u128(7);
    numbers: u64, "Order#{id}", 7;
    texts_with_an_end: String, "Order#{id}#Order", "7".to_owned();
}

/// The table holds the key of a line, which is too long for a `Ulid`. The query for orders skips it.
#[tokio::test]
async fn a_key_with_characters_that_its_field_cannot_have_is_skipped() {
    #[derive(Entity, Clone, Debug, PartialEq)]
    #[entity(table = "shop")]
    #[partition_key(name = "PK", template = "Customer#{customer}")]
    #[sort_key(name = "SK", template = "Order#{id}")]
    struct Order {
        customer: String,
        id: Ulid,
    }
    let world = world::<Order>().await;
    for key in ["Order#01ARZ3NDEKTSV4RRFFQ69G5FAV#Line#001", "Order#01ARZ3NDEKTSV4RRFFQ69G5FAV"] {
        world.write_foreign::<Order>(item([("PK", s("Customer#ada")), ("SK", s(key))])).await;
    }
    let orders = Order::query("ada").send(&world.repository).await.expect("a page").items;
    assert_eq!(orders.len(), 1);
}
