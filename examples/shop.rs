//! A shop in one table with two indexes: customers, their orders with lines, and an inventory. Each order is placed in one
//! transaction, the last pen is sold once, an order is shipped, and a customer's partition is printed as a table.
//!
//! Run it with `cargo run --example shop`: the database is in this process.

#![allow(clippy::print_stdout, reason = "an example prints")]

use anyhow::{Context as _, Result, ensure};
use comfy_table::{Table, presets};
use dyno::{Aggregate, Entities, Entity, EpochMillis, Projection, Reason, Repository, Transaction, TransactionOutcome};

#[derive(Entity, Clone, Debug)]
#[entity(table = "shop", type_name = "customer")]
#[partition_key(name = "PK", template = "Customer#{id}")]
#[sort_key(name = "SK", template = "Profile")]
struct Customer {
    id: String,
    name: String,
    orders: u32,
    #[version]
    version: u64,
}

/// An order. One index has the orders of a customer by time, the other one those of all customers by status.
#[derive(Entity, Clone, Debug)]
#[entity(table = "shop", type_name = "order")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Order#{number:06}")]
#[index(
    name = "GSI1",
    query = newest_of,
    partition(name = "GSI1PK", template = "Customer#{customer}"),
    sort(name = "GSI1SK", template = "Placed#{placed:015}")
)]
#[index(
    name = "GSI2",
    query = by_status,
    partition(name = "GSI2PK", template = "Status#{status}"),
    sort(name = "GSI2SK", template = "{placed:015}#{customer}#{number:06}"),
    projection(total)
)]
struct Order {
    customer: String,
    number: u32,
    status: String,
    placed: EpochMillis,
    total: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "shop", type_name = "line")]
#[partition_key(name = "PK", template = "Customer#{customer}")]
#[sort_key(name = "SK", template = "Order#{number:06}#Line#{line:03}")]
struct OrderLine {
    customer: String,
    number: u32,
    line: u16,
    article: String,
    quantity: u32,
    /// In cents.
    price: u64,
}

#[derive(Entity, Clone, Debug)]
#[entity(table = "shop", type_name = "stock")]
#[partition_key(name = "PK", template = "Article#{article}")]
#[sort_key(name = "SK", template = "Stock")]
struct Stock {
    article: String,
    available: u32,
}

/// The entities of the table. Entities that could have the same key would not compile.
#[derive(Entities, Clone, Debug)]
enum Row {
    Customer(Customer),
    Order(Order),
    Line(OrderLine),
    Stock(Stock),
}

/// A customer's partition as one value.
#[derive(Aggregate, Debug)]
struct Account {
    customer: Customer,
    orders: Vec<Order>,
    lines: Vec<OrderLine>,
}

/// The fields of an order that the index by status holds.
#[derive(Projection, Debug)]
#[projection(of = Order, index = OrderByStatus)]
struct Due {
    customer: String,
    number: u32,
    total: u64,
}

/// The contents of a cart: articles, quantities, and prices in cents.
type Cart<'a> = [(&'a str, u32, u64)];

const DAY: i64 = 24 * 60 * 60 * 1000;
const MONDAY: i64 = 1_772_438_400_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let repository = Repository::local().await?;
    repository.create_shared_table::<Row>().await?;
    for (article, available) in [("pen", 3), ("ink", 10), ("pad", 5)] {
        Stock { article: article.to_owned(), available }.put().send(&repository).await?;
    }
    for (id, name) in [("ada", "Ada"), ("ben", "Ben")] {
        let customer = Customer { id: id.to_owned(), name: name.to_owned(), orders: 0, version: 0 };
        customer.create().send(&repository).await?.applied()?;
    }

    place(&repository, "ada", MONDAY, &[("pen", 1, 1200), ("ink", 2, 450)]).await?.applied()?;
    place(&repository, "ada", MONDAY + DAY, &[("pad", 1, 300)]).await?.applied()?;
    place(&repository, "ben", MONDAY + DAY, &[("pen", 2, 1200)]).await?.applied()?;
    println!("Ada orders twice, and Ben buys the last pens.");

    sold_out(&repository).await?;
    ship(&repository).await?;

    println!("\nAda's newest orders, through the index:");
    for order in Order::newest_of("ada").descending().limit(10).send(&repository).await?.items {
        println!("  order {}: {}, {}", order.number, order.status, money(order.total));
    }
    print_partition(&repository, "ada").await?;

    let account =
        Customer::query("ada").aggregate::<Account>().send(&repository).await?.context("Ada is a customer")?;
    ensure!((account.orders.len(), account.lines.len(), account.customer.orders) == (2, 3, 2), "{account:?}");
    let spent: u64 = account.orders.iter().map(|order| order.total).sum();
    let lines: u64 = account.lines.iter().map(|line| u64::from(line.quantity) * line.price).sum();
    ensure!(spent == lines, "the orders say {spent}, and their lines {lines}");
    println!("\n{} has spent {} in {} orders.", account.customer.name, money(spent), account.orders.len());
    Ok(())
}

/// Places an order: the order, its lines, the customer's count and the inventory change together, or not at all.
async fn place(repository: &Repository, customer: &str, placed: i64, cart: &Cart<'_>) -> Result<TransactionOutcome> {
    let buyer = Customer::get(customer).consistent().send(repository).await?.context("no such customer")?;
    let number = buyer.orders + 1;
    let order = Order {
        customer: customer.to_owned(),
        number,
        status: "open".to_owned(),
        placed: EpochMillis::new(placed),
        total: cart.iter().map(|(_, quantity, price)| u64::from(*quantity) * price).sum(),
    };
    // Because of the version, two concurrent orders cannot get the same number.
    let count = Customer::update(customer).version(buyer.version).with(Customer::fields().orders.set(number));
    let mut transaction = Transaction::new().put(order.create()).update(count);
    for (line, (article, quantity, price)) in (1..).zip(cart) {
        let (customer, article) = (customer.to_owned(), (*article).to_owned());
        let line = OrderLine { customer, number, line, article: article.clone(), quantity: *quantity, price: *price };
        // Never below 0: the inventory is a `u32`.
        let take = Stock::update(article).with(Stock::fields().available.decrement(*quantity));
        transaction = transaction.put(line.create()).update(take);
    }
    Ok(transaction.send(repository).await?)
}

/// Orders a pen when none are left. Nothing of that order is stored.
async fn sold_out(repository: &Repository) -> Result<()> {
    let outcome = place(repository, "ada", MONDAY + 2 * DAY, &[("ink", 1, 450), ("pen", 1, 1200)]).await?;
    let refusal = outcome.refusal().context("there are no pens")?;
    println!("\nAda wants one more pen, and ink:\n  {refusal}");
    let stock = refusal.refusal_of::<Stock>(5).context("it is the pens")?;
    ensure!(stock.reasons() == [Reason::OutOfRange { path: "available".to_owned() }], "{stock}");
    let ink = Stock::get("ink").send(repository).await?.context("there is ink")?;
    ensure!(ink.available == 8, "the ink stays where it was: {ink:?}");
    let ada = Customer::get("ada").send(repository).await?.context("Ada is a customer")?;
    ensure!(ada.orders == 2, "the number is not used: {ada:?}");
    Ok(())
}

/// Ships the oldest open order. The same request rewrites the order's key in the index by status.
async fn ship(repository: &Repository) -> Result<()> {
    let due = || Order::by_status("open").project::<Due>();
    let open = due().send(repository).await?.items;
    println!("\nOpen orders, the oldest first:");
    for order in &open {
        println!("  {} {}: {}", order.customer, order.number, money(order.total));
    }
    let first = open.first().context("there are open orders")?;
    let metered = repository.metered();
    let shipped = Order::update((&first.customer, first.number))
        .condition(Order::fields().status.eq("open"))
        .with(Order::fields().status.set("shipped"));
    shipped.send(&metered).await?.applied()?;
    println!("Order {} of {} is shipped, with {} request.", first.number, first.customer, metered.usage().requests);
    let left = due().send(repository).await?.items.len();
    ensure!((open.len(), left, metered.usage().requests) == (3, 2, 1), "{left} of {} are open", open.len());
    let shipped = Order::by_status("shipped").project::<Due>().send(repository).await?.items;
    ensure!(shipped.len() == 1 && shipped[0].number == first.number, "{shipped:?}");
    Ok(())
}

async fn print_partition(repository: &Repository, customer: &str) -> Result<()> {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(["entity", "key", "what it says"]);
    for row in Customer::query(customer).entities::<Row>().send(repository).await?.items {
        table.add_row(match row {
            Row::Customer(customer) => {
                ["customer".to_owned(), customer.id, format!("{}, {} orders", customer.name, customer.orders)]
            }
            Row::Order(order) => {
                ["order".to_owned(), order.number.to_string(), format!("{}, {}", order.status, money(order.total))]
            }
            Row::Line(line) => [
                "line".to_owned(),
                format!("{}/{}", line.number, line.line),
                format!("{} × {} at {}", line.quantity, line.article, money(line.price)),
            ],
            Row::Stock(stock) => ["stock".to_owned(), stock.article, stock.available.to_string()],
        });
    }
    println!("\nThe partition of {customer}, in one query:\n{table}");
    Ok(())
}

fn money(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
