//! A process that finds the intent of another transaction resolves it, and continues with the item as it then is.

mod aborted;
mod committed;
mod open;
mod reads;
mod unappliable;
mod unresolvable;

use dyno::{Entity, Error, Item, Reason, Repository, Transaction};
use dyno_tests::{World, item, lanes, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    balance: u64,
    owner: String,
    #[version]
    version: u64,
    #[attribute(rest)]
    rest: Item,
}

fn account(balance: u64, version: u64) -> Account {
    Account { id: "1".to_owned(), balance, owner: "ada".to_owned(), version, rest: Item::new() }
}

/// An account of version 3, as a write has left it.
fn stored() -> Item {
    item([("id", s("1")), ("balance", n(5)), ("owner", s("ada")), ("version", n(3)), ("_w", s("-before"))])
}

/// The attributes that the transaction sets in the account.
fn change() -> Item {
    item([("balance", n(7)), ("version", n(4)), ("_w", s("1/7"))])
}

/// The account after the transaction is applied.
fn changed() -> Item {
    stored().into_iter().chain(change()).collect()
}

/// The account with the intent of the transaction.
fn held() -> Item {
    lanes::with(stored(), lanes::intent(lanes::TICKET, change()))
}

/// A tombstone of version 3.
fn tombstone() -> Item {
    let deleted = ("deleted", dyno::aws_sdk_dynamodb::types::AttributeValue::Bool(true));
    item([("id", s("1")), deleted, ("version", n(3)), ("_w", s("-before")), ("ttl", n(4_103_049_600_i64))])
}

/// The tombstone with the intent of a transaction that makes it an account again. The intent keeps the TTL.
fn held_tombstone() -> Item {
    use dyno::aws_sdk_dynamodb::types::AttributeValue::{L, M};
    let mut row = tombstone();
    let parked = row.remove("ttl").into_iter().map(|ttl| ("ttl".to_owned(), ttl)).collect();
    let set = change().into_iter().chain([("owner".to_owned(), s("ada"))]).collect();
    let mut intent = lanes::intent(lanes::TICKET, set);
    intent.extend(item([("parked", M(parked)), ("remove", L(vec![s("deleted")]))]));
    lanes::with(row, intent)
}

/// The placeholder of an account that the transaction is about to create.
fn placeholder() -> Item {
    use dyno::aws_sdk_dynamodb::types::AttributeValue::{Bool, L};
    let set = change().into_iter().chain([("owner".to_owned(), s("ada"))]).collect();
    let mut intent = lanes::intent(lanes::TICKET, set);
    intent.extend(item([("new", Bool(true)), ("remove", L(vec![s("deleted")]))]));
    lanes::with(item([("id", s("1")), ("deleted", Bool(true))]), intent)
}

/// A world with this row of an account, and this row of the lane.
async fn holding(row: Item, head: Item) -> World {
    let world = world::<Account>().await;
    world.create_lanes_only().await;
    world.put_head(head).await;
    world.write_foreign::<Account>(row).await;
    world
}

/// Every command that writes or checks an account.
const VERBS: [&str; 14] = [
    "create",
    "put",
    "replace",
    "undelete",
    "update",
    "upsert",
    "unchecked",
    "delete",
    "modify",
    "transaction put",
    "transaction update",
    "transaction delete",
    "transaction check",
    "interactive",
];

/// Sends one of these commands for the account of version 3. Returns the reasons if it is refused.
async fn send(verb: &str, repository: &Repository) -> Result<Vec<Reason>, Error> {
    let balance = || Account::fields().balance;
    let of_transaction = |outcome: dyno::TransactionOutcome| {
        outcome
            .refusal()
            .map(|it| it.actions().flat_map(|action| action.reasons().to_vec()).collect())
            .unwrap_or_default()
    };
    let checked = || Account::update("1").version(3u64).with(balance().set(9u64));
    macro_rules! alone {
        ($command:expr) => {
            dyno_tests::reasons(&$command.send(repository).await?)
        };
    }
    macro_rules! together {
        ($transaction:expr) => {
            of_transaction($transaction.send(repository).await?)
        };
    }
    Ok(match verb {
        "create" => alone!(account(9, 0).create()),
        "put" => alone!(account(9, 3).put()),
        "replace" => alone!(account(9, 3).replace()),
        "undelete" => alone!(account(9, 3).undelete()),
        "update" => alone!(checked()),
        "upsert" => {
            let update = Account::update("1").unchecked().with(balance().set(9u64));
            alone!(update.with(Account::fields().owner.set("ada")).upsert())
        }
        "unchecked" => alone!(Account::update("1").unchecked().with(balance().increment(2u64))),
        "delete" => alone!(Account::delete("1", 3u64)),
        "modify" => alone!(Account::modify("1", |it| it.balance += 2)),
        "transaction put" => together!(Transaction::new().put(account(9, 3).put())),
        "transaction update" => together!(Transaction::new().update(checked())),
        "transaction delete" => together!(Transaction::new().delete(Account::delete("1", 3u64))),
        "transaction check" => together!(Transaction::new().check(Account::check("1").version(3u64))),
        "interactive" => {
            let add = Transaction::interactive(|tx| async move {
                let mut it: Account = tx.get(Account::get("1")).await?.ok_or("none")?;
                it.balance += 2;
                tx.put(it.put());
                Ok(())
            });
            add.send(repository).await?.applied()?;
            Vec::new()
        }
        other => panic!("{other}"),
    })
}

/// The row of the only account, read without the test's faults, or `None` if there is no row.
async fn row(world: &World) -> Option<Item> {
    let other = world.other();
    let scan = other.client().scan().table_name("accounts").send().await.expect("a scan");
    scan.items.expect("items").pop()
}
