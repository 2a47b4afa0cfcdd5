//! The commands. If this compiles, the future of each command is `Send`.

use super::database::{Account, Article, Counter, Document, Entry, Fresh, Kind, Newer, Note, Rating, User};
use dyno::command::SweepGuards;
use dyno::json_lines::Table;
use dyno::lock::Lock;
use dyno::{BatchWrite, Error, Found, Repository, Sweep, TransactGet, Transaction};
use std::pin::Pin;

/// A command that is being sent. It can move between threads.
pub(super) type Sent<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

/// A command.
#[derive(Clone, Copy)]
pub(super) struct Command {
    pub(super) kind: Kind,
    /// The name on the documentation pages.
    pub(super) name: &'static str,
    /// Makes the command and sends it.
    pub(super) send: fn(&Repository) -> Sent<'_>,
}

macro_rules! commands {
    ($($kind:ident: $($name:literal => |$db:ident| $send:expr;)*)*) => {
        pub(super) const ALL: &[Command] = &[$($(
            Command {
                kind: Kind::$kind,
                name: $name,
                send: |$db| Box::pin(async move {
                    let _result = $send?;
                    Ok(())
                }),
            },
        )*)*];
    };
}

fn note(id: &str, count: u64) -> Note {
    Note { id: id.into(), tag: "t".into(), count }
}

fn document(id: &str, version: u64) -> Document {
    Document { id: id.into(), count: 10, version }
}

fn account(id: &str, version: u64) -> Account {
    Account { id: id.into(), balance: 10, version }
}

/// Moves an amount from one account to another.
fn transfer() -> Transaction {
    let account = Account::fields;
    Transaction::new()
        .update(Account::update("1").unchecked().with(account().balance.add(1)))
        .update(Account::update("2").unchecked().with(account().balance.decrement(1)))
}

commands! {
    NoRule:
    "`X::get(key)`" => |db| Note::get("1").send(db).await;
    "`X::query(…)`" => |db| Entry::query("1").send(db).await;
    "a query of an index" => |db| Note::by_tag("t").send(db).await;
    "`X::scan()`" => |db| Note::scan().send(db).await;
    "`X::batch_get(keys)`" => |db| Note::batch_get(["1", "2"]).send(db).await;
    "`TransactGet`" => |db| TransactGet::new((Note::get("1"), Note::get("2"))).send(db).await;
    "`x.put()`" => |db| note("1", 10).put().send(db).await;
    "`x.create()`" => |db| note("2", 10).create().send(db).await;
    "`x.create().accept_equal()`" => |db| note("2", 10).create().accept_equal().send(db).await;
    "`x.replace()`" => |db| note("1", 10).replace().send(db).await;
    "`X::update(key)` that sets" => |db| Note::update("1").with(Note::fields().count.set(10)).send(db).await;
    "`X::update(key)` that adds" => |db| Note::update("1").with(Note::fields().count.add(1)).send(db).await;
    "`X::delete(key)`" => |db| Note::delete("1").send(db).await;
    "`X::by_tag(…).hydrate()`" => |db| Note::by_tag("t").hydrate().send(db).await;
    "`X::scan().modify_each(…)`" => |db| Note::scan().modify_each(|note| note.count += 1).send(db).await;
    "`X::scan().delete_each()`" => |db| Note::scan().delete_each().send(db).await;
    "`BatchWrite`" => |db| {
        let puts = (0..30).map(|id| note(&id.to_string(), 10));
        BatchWrite::new().add_all(puts.map(|note| note.put())).concurrency(1).send(db).await
    };
    "`Transaction` that puts, sets and checks" => |db| {
        let set = Note::update("1").with(Note::fields().count.set(10));
        let check = Note::check("gone").absent();
        Transaction::new().put(note("2", 10).put()).update(set).check(check).send(db).await
    };

    Ratchet:
    "`x.put()`" => |db| Rating { id: "1".into(), stars: 5, at: 20 }.put().send(db).await;
    "`X::delete(key, token)`" => |db| Rating::delete("1", 20).send(db).await;
    "`x.undelete()`" => |db| Rating { id: "gone".into(), stars: 5, at: 20 }.undelete().send(db).await;
    "`X::purge(&tombstone)`" => |db| {
        match Rating::get("gone").include_deleted().send(db).await? {
            Some(Found::Deleted(tombstone)) => Rating::purge(&tombstone).send(db).await.map(drop),
            _ => Ok(()),
        }
    };

    History:
    "`X::get(key)`, `.consistent()`" => |db| Document::get("1").consistent().send(db).await;
    "`X::revisions(key)`" => |db| Document::revisions("1").send(db).await;
    "`X::revision(key, version)`" => |db| Document::revision("1", 1).send(db).await;
    "`x.put()`" => |db| document("1", 2).put().send(db).await;
    "`x.put()` of a new item" => |db| document("2", 0).put().send(db).await;
    "`x.create()`" => |db| document("2", 0).create().send(db).await;
    "`x.create().accept_equal()`" => |db| document("2", 0).create().accept_equal().send(db).await;
    "`X::delete(key, version)`" => |db| Document::delete("1", 2).send(db).await;
    "`x.undelete()`" => |db| document("gone", 3).undelete().send(db).await;
    "`X::modify(key, …)`" => |db| Document::modify("1", |document| document.count += 1).send(db).await;
    "`X::rollback(key, version)`" => |db| Document::rollback("1", 1).send(db).await;
    "`X::restore(key)`" => |db| Document::restore("gone").send(db).await;
    "`X::repair(key)`" => |db| Document::repair("1").send(db).await;
    "`Transaction` that puts" => |db| {
        let puts = Transaction::new().put(document("1", 2).put()).put(document("2", 0).create());
        puts.send(db).await
    };

    IdempotencyRows:
    "`X::update(key).idempotency_key(…)`" => |db| {
        Counter::update("1").with(Counter::fields().count.add(1)).idempotency_key("event").send(db).await
    };

    Transactional:
    "`X::get(key)`" => |db| Account::get("1").send(db).await;
    "`X::get(key)`, `.consistent()`" => |db| Account::get("1").consistent().send(db).await;
    "`X::scan()`, `.consistent()`" => |db| Account::scan().consistent().send(db).await;
    "`TransactGet`" => |db| TransactGet::new((Account::get("1"), Account::get("2"))).send(db).await;
    "`x.put()`" => |db| account("1", 1).put().send(db).await;
    "`X::update(key).version(…)`" => |db| {
        Account::update("1").version(1).with(Account::fields().balance.add(1)).send(db).await
    };
    "`X::modify(key, …)`" => |db| Account::modify("1", |account| account.balance += 1).send(db).await;
    "`X::update(key).unchecked()` that adds" => |db| {
        Account::update("1").unchecked().with(Account::fields().balance.add(1)).send(db).await
    };
    "`X::delete(key, version)`" => |db| Account::delete("1", 1).send(db).await;
    "`Transaction` that adds, `.native()`" => |db| transfer().native().send(db).await;
    "`Transaction` that adds, `.token(…)`" => |db| transfer().token("transfer-1").send(db).await;
    "`Transaction` that adds, `.client_side()`" => |db| transfer().client_side().send(db).await;
    "`Transaction::interactive` that writes what it reads" => |db| {
        let transfer = Transaction::interactive(|tx| async move {
            let mut from = tx.get(Account::get("1")).await?.ok_or("no account")?;
            let mut to = tx.get(Account::get("2")).await?.ok_or("no account")?;
            (from.balance, to.balance) = (from.balance - 1, to.balance + 1);
            tx.put(from.put());
            tx.put(to.put());
            Ok(())
        });
        transfer.send(db).await
    };
    "`Transaction::interactive` that reads more" => |db| {
        let deposit = Transaction::interactive(|tx| async move {
            let other = tx.get(Account::get("2")).await?.ok_or("no account")?;
            let more = tx.batch_get(Account::batch_get(["2"])).await?;
            let mut account = tx.get(Account::get("1")).await?.ok_or("no account")?;
            account.balance += u64::from(other.balance > 0 && more.len() == 1);
            tx.put(account.put());
            Ok(())
        });
        deposit.send(db).await
    };
    "`Transaction::interactive`, `.client_side()`" => |db| {
        let deposit = Transaction::interactive(|tx| async move {
            let mut account = tx.get(Account::get("1")).await?.ok_or("no account")?;
            account.balance += 1;
            tx.put(account.put());
            Ok(())
        });
        deposit.client_side().send(db).await
    };
    "`Transaction::interactive`, `.request_id(…)`" => |db| {
        let deposit = Transaction::interactive(|tx| async move {
            let mut account = tx.get(Account::get("1")).await?.ok_or("no account")?;
            account.balance += 1;
            tx.put(account.put());
            Ok(())
        });
        deposit.request_id("deposit#1").send(db).await
    };
    "`Sweep`" => |db| Sweep::new().of::<Account>().send(db).await;

    Vectors:
    "a search of a vector index" => |db| Article::similar([1.0, 0.0]).send(db).await;
    "`X::embed(key, …)`" => |db| Article::embed("1", "old", [0.0, 1.0]).send(db).await;
    "`X::update(key)` that sets a text" => |db| {
        Article::update("2").with(Article::fields().title.set("new")).send(db).await
    };

    UniqueValues:
    "`X::get_by_…(value)`" => |db| User::get_by_email("a").send(db).await;
    "`x.put()`" => |db| User { id: "1".into(), email: Some("c".into()) }.put().send(db).await;
    "`x.create()`" => |db| User { id: "3".into(), email: Some("c".into()) }.create().send(db).await;
    "`X::update(key)` that sets the value" => |db| {
        User::update("2").with(User::fields().email.set("c")).send(db).await
    };
    "`X::update(key)` that clears the value" => |db| User::update("2").with(User::fields().email.clear()).send(db).await;
    "`X::delete(key)`" => |db| User::delete("1").send(db).await;
    "`X::scan().modify_each(…)`" => |db| User::scan().modify_each(|_| {}).send(db).await;
    "`X::scan().delete_each()`" => |db| User::scan().delete_each().send(db).await;
    "`Transaction` that swaps values" => |db| {
        let set = |id, email: &str| User::update(id).with(User::fields().email.set(email));
        Transaction::new().update(set("1", "b")).update(set("2", "a")).send(db).await
    };
    "`SweepGuards`" => |db| SweepGuards::<User>::new().send(db).await;

    Locks:
    "`Lock::acquire`" => |db| Lock::new("job").acquire(db).await;
    "`Lock::try_acquire`" => |db| Lock::new("job").try_acquire(db).await;
    "`Lock::inspect`" => |db| Lock::new("job").inspect(db).await;
    "`Lock::acquire`, work, and `release`" => |db| {
        let held = Lock::new("job").acquire(db).await?;
        held.during(std::future::ready(())).await?;
        held.release().await
    };
    "`Lock::run`" => |db| Lock::new("job").run(db, async |_| Ok::<_, Error>(())).await;

    Tables:
    "`create_table`" => |db| db.create_table::<Fresh>().await;
    "`create_table` of a table that lacks parts" => |db| db.create_table::<Newer>().await;
    "`create_table` with a vector index" => |db| db.create_table::<Article>().await;
    "`create_lane_table`" => |db| db.create_lane_table().await;
    "`create_request_table`" => |db| db.create_request_table().await;
    "`Lock::create_table`" => |db| Lock::create_table(db).await;
    "`verify_table`" => |db| db.verify_table::<Rating>().await;
    "`inspect_table`" => |db| db.inspect_table::<Rating>(100).await;
    "`json_lines::Table::describe`, and `export`" => |db| {
        let table = Table::describe(db, "ratings").await?;
        table.export().stream(db).next().await.transpose()
    };
    "`json_lines::Table::describe`, and `import`" => |db| {
        let table = Table::describe(db, "ratings").await?;
        table.import(r#"{"Item":{"id":{"S":"9"},"stars":{"N":"1"},"at":{"N":"1"}}}"#).send(db).await
    };
}
