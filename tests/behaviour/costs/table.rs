//! The table of costs in the guide has what `cost` returns.

use super::{Account, Atomic, Bill, Cart, Dead, Indexed, Letter, Member, Ordered, Plain, Versioned};
use dyno::model::{Bounds, Cost};
use dyno::{BatchWrite, Error, Repository, Transaction, Usage};
use dyno_tests::world;

/// The most bytes of each item in the table.
const KB: usize = 1024;

fn units(bounds: Bounds) -> [String; 3] {
    let number = |usage: &Usage, column: usize| match column {
        0 => usage.requests.to_string(),
        1 => usage.read_units.to_string(),
        _ => usage.write_units.to_string(),
    };
    [0, 1, 2].map(|column| match [&bounds.least, &bounds.most].map(|usage| number(usage, column)) {
        [least, most] if least == most => most,
        [least, most] => format!("{least} to {most}"),
    })
}

fn row(what: &str, command: &str, cost: Result<Cost, Error>) -> String {
    let cost = cost.expect("a cost");
    let refused = cost.refused.map_or("–".to_owned(), |refused| units(refused).join(" / "));
    format!("| {what} | {command} | {} | {refused} |\n", units(cost.applied).join(" / "))
}

/// Returns the rows of the table.
fn rows(db: &Repository) -> String {
    let (id, text, email) = (|| "1".to_owned(), || "x".to_owned(), || Some("a@x".to_owned()));
    let plain = Plain { id: id(), text: text() };
    let versioned = |version| Versioned { id: id(), text: text(), version };
    let dead = |version| Dead { id: id(), text: text(), version };
    let indexed = Indexed { id: id(), line: 1, group: Some(text()), rank: 1, text: text(), tags: Vec::new() };
    let atomic = |version| Atomic { id: id(), text: text(), version };
    let ordered = |version| Ordered { id: id(), text: text(), version };
    let member = |version| Member { id: id(), email: email(), text: text(), version };
    let account = |version| Account { id: id(), group: text(), email: email(), text: text(), version };
    let letter = |version| Letter { id: id(), number: Some(1), text: text(), version };
    let visit = Member::update("1").version(1u64).with(Member::fields().text.set("y"));
    let keyed = Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key("event");
    let modify = Versioned::modify("1", |stored| stored.text.push('!')).cost(db, &versioned(1), KB);
    let renamed = Member::modify("1", |stored| stored.email = None).cost(db, &member(1), KB);
    let revised = Atomic::modify("1", |stored| stored.text.push('!')).cost(db, &atomic(1), KB);
    let batch = BatchWrite::new().add_all((0..30).map(|id| Plain { id: id.to_string(), text: text() }.put()));
    let keys = (0..30).map(|id| id.to_string());
    let in_item = Cart::update("1").with(Cart::fields().total.add(1)).idempotency_key("event");
    [
        row("no rule", "`put`", plain.put().cost(db, KB)),
        row("no rule", "`BatchWrite` of 30 `put`s", batch.cost(db, KB)),
        row("no rule", "`batch_get` of 30 keys", Plain::batch_get(keys).cost(db, KB)),
        row("no rule", "`create`", plain.create().cost(db, KB)),
        row("two indexes", "`create`", indexed.create().cost(db, KB)),
        row("two indexes", "`put`", indexed.put().cost(db, KB)),
        row("`#[version]`", "`replace`", versioned(1).replace().cost(db, KB)),
        row("`#[version]`", "`modify`", modify),
        row("`#[version]`, `#[tombstone]`", "`create`", dead(0).create().cost(db, KB)),
        row("idempotency keys in the item", "`update`", in_item.cost(db, KB)),
        row("idempotency keys in rows", "`update`", keyed.cost(db, KB)),
        row("atomic history", "`create`", atomic(0).create().cost(db, KB)),
        row("atomic history", "`replace`", atomic(1).replace().cost(db, KB)),
        row("atomic history", "`modify`", revised),
        row("ordered history", "`create`", ordered(0).create().cost(db, KB)),
        row("ordered history", "`replace`", ordered(1).replace().cost(db, KB)),
        row("`#[unique]`", "`create`", member(0).create().cost(db, KB)),
        row("`#[unique]`", "`replace`", member(1).replace().cost(db, KB)),
        row("`#[unique]`", "`modify` that removes the value", renamed),
        row("`#[unique]`", "`update` of another field", visit.cost(db, KB)),
        row("`#[unique]`, ordered history", "`create`", letter(0).create().cost(db, KB)),
        row("`#[unique]`, ordered history", "`replace`", letter(1).replace().cost(db, KB)),
        row("`#[unique]`, atomic history, tombstones, an index", "`create`", account(0).create().cost(db, KB)),
        row("`#[unique]`, atomic history, tombstones, an index", "`replace`", account(1).replace().cost(db, KB)),
        row("`#[unique]`, atomic history, tombstones, an index", "`delete`", Account::delete("1", 1u64).cost(db, KB)),
        row(
            "a transaction of these: no rule, keys in rows, atomic history",
            "`create`, `update`, `replace`",
            Transaction::new().put(plain.create()).update(keyed).put(atomic(1).replace()).cost(db, KB),
        ),
    ]
    .concat()
}

#[tokio::test]
async fn the_guide_has_the_costs_that_commands_return() {
    let world = world::<Plain>().await;
    let (rows, path) = (rows(&world.repository), concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/costs.md"));
    let guide = std::fs::read_to_string(path).expect("the guide");
    let (before, rest) = guide.split_once("| The entity has | Command |").expect("the table of costs");
    let (head, table) = rest.split_once("|---|---|---|---|\n").expect("the table's head");
    let (old, after) = table.split_once("\n\n").expect("the table's end");
    if format!("{old}\n") == rows {
        return;
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let new = format!("{before}| The entity has | Command |{head}|---|---|---|---|\n{rows}\n{after}");
        std::fs::write(path, new).expect("the guide is written");
        return;
    }
    panic!("the table of costs in docs/costs.md is to be (UPDATE_EXPECT=1 writes it):\n{rows}");
}
