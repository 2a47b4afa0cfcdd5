//! The stored forms are a promise: `stored/1.txt` has rows, cursors and checkpoints as version 1 of the forms writes them, and this
//! version reads them, continues them, and writes the same. `docs/stored-forms.md` describes the forms.
//!
//! `UPDATE_EXPECT=1` writes the file. Do that only together with the page, for a form that is new: a line that changes is a stored
//! row that other programs no longer find as they left it.

use crate::release::database_behind;
use dyno::local::{Fault, Faults, SentRequest};
use dyno::lock::Lock;
use dyno::{Checkpoint, Cursor, Entity, Found, InputCheckpoint, Item, Reason, Repository, SendMany, Transaction};
use dyno_tests::{lanes, reasons};
use futures_util::Stream;
use futures_util::future::{Either, select};
use serde_json::Value;
use std::fs;
use std::pin::pin;
use std::time::Duration;

/// The file of the forms of this version.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/releases/stored/1.txt");

fn fixtures() -> String {
    fs::read_to_string(FILE).expect("the file")
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "documents", type_name = "document", schema_version = 1)]
#[tombstone(ttl_days = 7)]
#[history_table]
struct Document {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "pages")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered", layout = "same_table")]
struct Page {
    #[partition_key]
    site: String,
    #[sort_key]
    path: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "users")]
struct User {
    #[partition_key]
    id: String,
    #[unique]
    email: String,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(window_secs = 300)]
struct Bill {
    #[partition_key]
    id: String,
    cents: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "likes")]
#[idempotency(keys = 10)]
struct Likes {
    #[partition_key]
    id: String,
    count: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "payments")]
#[idempotency(store = "row", table = "payment-keys", window_secs = 86_400)]
struct Payment {
    #[partition_key]
    id: String,
    cents: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Account {
    #[partition_key]
    id: String,
    balance: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "entries")]
struct Entry {
    #[partition_key]
    list: String,
    #[sort_key]
    number: u64,
}

/// The tables with rows of the fixtures, in the order of the file.
pub(super) const TABLES: [&str; 14] = [
    "documents",
    "documents-history",
    "pages",
    "users",
    "users-unique",
    "bills",
    "likes",
    "payments",
    "payment-keys",
    "accounts",
    "entries",
    lanes::LANES,
    "dyno-requests",
    "dyno-locks",
];

pub(super) async fn tables(faults: &Faults) -> Repository {
    let db = database_behind(faults);
    db.create_table::<Document>().await.expect("a table");
    db.create_table::<Page>().await.expect("a table");
    db.create_table::<User>().await.expect("a table");
    db.create_table::<Bill>().await.expect("a table");
    db.create_table::<Likes>().await.expect("a table");
    db.create_table::<Payment>().await.expect("a table");
    db.create_table::<Account>().await.expect("a table");
    db.create_table::<Entry>().await.expect("a table");
    db.create_lane_table().await.expect("a table");
    db.create_request_table().await.expect("a table");
    Lock::create_table(&db).await.expect("a table");
    db
}

fn entries() -> dyno::command::Query<Entry> {
    Entry::query("a").limit(1)
}

/// Moves 1 from an account to another. The process dies when it has committed, before it applies the changes.
async fn commit_and_die(db: &Repository, faults: &Faults) {
    let transfer = Transaction::interactive(|tx| async move {
        for (id, balance) in [("held", 4), ("held too", 6)] {
            let account = tx.get(Account::get(id)).await?.ok_or("no account")?;
            tx.put(Account { balance, ..account }.put());
        }
        Ok(())
    });
    let is_commit = |sent: &SentRequest| sent.operation == "UpdateItem" && sent.tables().contains(lanes::LANES);
    faults.on_request(1, is_commit, Fault::DiesAfter);
    let (stopped, sent) = (pin!(faults.stopped()), pin!(transfer.client_side().send(db)));
    assert!(matches!(select(stopped, sent).await, Either::Left(_)), "the process did not die");
    faults.go_on();
}

/// Writes each form once. Returns the texts of a cursor and of two checkpoints.
async fn write(db: &Repository, faults: &Faults) -> [String; 3] {
    let document = |id: &str, version| Document { id: id.to_owned(), text: format!("v{version}"), version };
    for id in ["1", "deleted"] {
        document(id, 0).create().send(db).await.expect("sent").applied().expect("applied");
        document(id, 1).put().send(db).await.expect("sent").applied().expect("applied");
    }
    Document::delete("deleted", 2u64).send(db).await.expect("sent").applied().expect("applied");
    let page = |version| Page { site: "a".to_owned(), path: "/".to_owned(), version };
    page(0).create().send(db).await.expect("sent").applied().expect("applied");
    page(1).put().send(db).await.expect("sent").applied().expect("applied");
    let user = User { id: "1".to_owned(), email: "ada@example.com".to_owned() };
    user.create().send(db).await.expect("sent").applied().expect("applied");
    Bill { id: "1".to_owned(), cents: 0 }.create().send(db).await.expect("sent").applied().expect("applied");
    assert_eq!(add_to_bill(db).await, []);
    Likes { id: "1".to_owned(), count: 0 }.create().send(db).await.expect("sent").applied().expect("applied");
    assert_eq!(add_to_likes(db).await, []);
    Payment { id: "1".to_owned(), cents: 0 }.create().send(db).await.expect("sent").applied().expect("applied");
    assert_eq!(add_to_payment(db).await, []);
    assert!(deposit(db).await);
    for id in ["held", "held too"] {
        let account = Account { id: id.to_owned(), balance: 5, version: 0 };
        account.create().send(db).await.expect("sent").applied().expect("applied");
    }
    commit_and_die(db, faults).await;
    std::mem::forget(nightly().acquire(db).await.expect("a free lock"));
    for number in 1..=2 {
        Entry { list: "a".to_owned(), number }.put().send(db).await.expect("sent");
    }
    let cursor = entries().send(db).await.expect("a page").cursor.expect("a second page");
    let done = Entry::scan().modify_each(|_| {}).send(db).await.expect("sent");
    let mut sent = numbered(None).send(db);
    sent.next().await.expect("an outcome").result.expect("sent");
    [cursor.to_string(), done.checkpoint().to_string(), sent.checkpoint().to_string()]
}

/// Puts the entries that are there once more, from this checkpoint on.
fn numbered(after: Option<InputCheckpoint>) -> SendMany<impl Stream<Item = dyno::command::Put<Entry>> + Send> {
    let entry = |number| Entry { list: "a".to_owned(), number }.put();
    SendMany::new("entries.csv", (1..=2).map(entry)).after(after).concurrency(1)
}

async fn add_to_bill(db: &Repository) -> Vec<Reason> {
    let update = Bill::update("1").with(Bill::fields().cents.add(1)).idempotency_key("event");
    reasons(&update.send(db).await.expect("sent"))
}

async fn add_to_likes(db: &Repository) -> Vec<Reason> {
    let update = Likes::update("1").with(Likes::fields().count.add(1)).idempotency_key("event");
    reasons(&update.send(db).await.expect("sent"))
}

async fn add_to_payment(db: &Repository) -> Vec<Reason> {
    let update = Payment::update("1").with(Payment::fields().cents.add(1)).idempotency_key("event");
    reasons(&update.send(db).await.expect("sent"))
}

/// Sends a closure with a request id. Returns true if it was applied, and false if its request was applied before.
async fn deposit(db: &Repository) -> bool {
    let deposit = Transaction::interactive(|tx| async move {
        let balance = tx.get(Account::get("paid")).await?.map_or(0, |account| account.balance);
        let version = u64::from(balance > 0);
        tx.put(Account { id: "paid".to_owned(), balance: balance + 1, version }.put());
        Ok(())
    });
    deposit.request_id("deposit").send(db).await.expect("sent").is_applied()
}

fn nightly() -> Lock {
    Lock::new("nightly").owner("worker 1")
}

async fn put(db: &Repository, table: &str, row: Item) {
    db.client().put_item().table_name(table).set_item(Some(row)).send().await.expect("a put");
}

/// Returns an item as DynamoDB's JSON.
fn json(item: &Item) -> Value {
    serde_json::to_value(serde_dynamo::Item::from(item.clone())).expect("JSON")
}

fn item_of(json: &str) -> Item {
    serde_json::from_str::<serde_dynamo::Item>(json).expect("DynamoDB's JSON").into()
}

/// Returns the line with its random characters as `*`: those of write ids, and of the names of leases, lanes and
/// transactions. Their number stays.
fn masked(line: &str) -> String {
    fn mask(value: &mut Value) {
        let Some(object) = value.as_object_mut() else { return };
        for (name, value) in object {
            match value.get_mut("S") {
                Some(Value::String(text))
                    if ["_w", "born", "holder", "id", "owner", "try"].contains(&name.as_str()) && text.len() > 8 =>
                {
                    *text = "*".repeat(text.len());
                }
                _ => mask(value),
            }
        }
    }
    let Some((table, row)) = line.split_once(' ').filter(|(_, row)| row.starts_with('{')) else {
        return line.to_owned();
    };
    let mut row: Value = serde_json::from_str(row).expect("JSON");
    mask(&mut row);
    format!("{table} {row}")
}

async fn lines(db: &Repository, [cursor, checkpoint, input]: [String; 3]) -> String {
    let mut lines = Vec::new();
    for table in TABLES {
        let rows = db.client().scan().table_name(table).send().await.expect("a scan").items.unwrap_or_default();
        let mut rows: Vec<String> = rows.iter().map(|row| format!("{table} {}", json(row))).collect();
        assert!(!rows.is_empty(), "{table} has no row");
        rows.sort_by_key(|row| masked(row));
        lines.append(&mut rows);
    }
    lines.extend([format!("cursor {cursor}"), format!("checkpoint {checkpoint}"), format!("input {input}")]);
    lines.join("\n") + "\n"
}

/// Returns a database with the rows of the fixtures.
pub(super) async fn filled() -> Repository {
    let db = tables(&Faults::new()).await;
    for (table, row) in
        fixtures().lines().filter_map(|line| line.split_once(' ')).filter(|(table, _)| TABLES.contains(table))
    {
        put(&db, table, item_of(row)).await;
    }
    db
}

fn text(name: &str) -> String {
    let fixtures = fixtures();
    let mut lines = fixtures.lines();
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).expect("a text").to_owned()
}

#[tokio::test(start_paused = true)]
async fn this_version_writes_the_stored_forms_of_the_file() {
    let faults = Faults::new();
    let db = tables(&faults).await;
    let texts = write(&db, &faults).await;
    let written = lines(&db, texts).await;
    let forms = |text: &str| text.lines().map(masked).collect::<Vec<_>>();
    if std::env::var_os("UPDATE_EXPECT").is_some() && forms(&written) != forms(&fixtures()) {
        fs::write(FILE, &written).expect("written");
    }
    assert_eq!(forms(&written), forms(&fixtures()), "this version writes other forms:\n{written}");
}

#[tokio::test(start_paused = true)]
async fn histories_and_tombstones_of_the_file_continue() {
    histories_and_tombstones_continue(&filled().await).await;
}

pub(super) async fn histories_and_tombstones_continue(db: &Repository) {
    let mut document = Document::get("1").send(db).await.expect("sent").expect("a document");
    assert_eq!((document.version, document.text.as_str()), (2, "v1"));
    "new".clone_into(&mut document.text);
    document.put().send(db).await.expect("sent").applied().expect("applied");
    let versions: Vec<u64> = (1..=3).collect();
    for version in versions {
        assert!(Document::revision("1", version).send(db).await.expect("sent").is_some(), "{version}");
    }
    let deleted = Document::get("deleted").include_deleted().send(db).await.expect("sent");
    assert!(matches!(deleted, Some(Found::Deleted(_))), "{deleted:?}");
    Document::restore("deleted").send(db).await.expect("sent").applied().expect("applied");
    assert_eq!(Document::get("deleted").send(db).await.expect("sent").expect("a document").version, 4);
    let page = Page::get(("a", "/")).send(db).await.expect("sent").expect("a page");
    page.put().send(db).await.expect("sent").applied().expect("applied");
    assert!(Page::revision(("a", "/"), 1).send(db).await.expect("sent").is_some());
}

#[tokio::test(start_paused = true)]
async fn guards_and_idempotency_keys_of_the_file_hold() {
    guards_and_idempotency_keys_hold(&filled().await).await;
}

pub(super) async fn guards_and_idempotency_keys_hold(db: &Repository) {
    let other = User { id: "2".to_owned(), email: "ada@example.com".to_owned() };
    assert!(matches!(reasons(&other.create().send(db).await.expect("sent"))[..], [Reason::Taken { .. }]));
    User::delete("1").send(db).await.expect("sent");
    other.create().send(db).await.expect("sent").applied().expect("applied");
    for refused in [add_to_bill(db).await, add_to_likes(db).await, add_to_payment(db).await] {
        assert!(matches!(refused[..], [Reason::Duplicate]), "{refused:?}");
    }
    assert!(!deposit(db).await);
    assert_eq!(Account::get("paid").send(db).await.expect("sent").expect("an account").balance, 1);
}

/// Rolls the items forward that the transaction of the file holds.
pub(super) async fn settle(db: &Repository) {
    for id in ["held", "held too"] {
        Account::get(id).consistent().send(db).await.expect("sent").expect("an account");
    }
}

#[tokio::test(start_paused = true)]
async fn the_intent_of_the_file_is_applied() {
    let db = filled().await;
    let held = Account::modify("held", |account| account.balance += 1).send(&db).await.expect("sent");
    held.applied().expect("applied");
    let account = Account::get("held").consistent().send(&db).await.expect("sent").expect("an account");
    assert_eq!((account.balance, account.version), (5, 3));
    let other = Account::get("held too").consistent().send(&db).await.expect("sent").expect("an account");
    assert_eq!((other.balance, other.version), (6, 2));
}

#[tokio::test(start_paused = true)]
async fn the_lock_of_the_file_is_taken_over_with_a_greater_fence() {
    the_lock_is_taken_over_with_a_greater_fence(&filled().await).await;
}

pub(super) async fn the_lock_is_taken_over_with_a_greater_fence(db: &Repository) {
    let held = nightly().owner("worker 2").wait(Duration::from_mins(10)).acquire(db).await.expect("an expired lock");
    assert_eq!(held.fence(), 2);
    assert_eq!(held.release().await.expect("released"), dyno::lock::Released::Free);
}

#[tokio::test(start_paused = true)]
async fn the_cursor_and_the_checkpoints_of_the_file_continue() {
    let db = filled().await;
    let cursor: Cursor = text("cursor").parse().expect("a cursor");
    let page = entries().after(cursor).send(&db).await.expect("a page");
    assert_eq!(page.items, [Entry { list: "a".to_owned(), number: 2 }]);
    let checkpoint: Checkpoint = text("checkpoint").parse().expect("a checkpoint");
    let done = Entry::scan().modify_each(|_| {}).after(checkpoint).send(&db).await.expect("sent");
    assert!(done.is_finished());
    assert_eq!(done.done_items(), 2);
    let mut sent = numbered(Some(text("input").parse().expect("a checkpoint"))).send(&db);
    assert_eq!(sent.next().await.map(|sent| sent.number), Some(1));
    assert!(sent.next().await.is_none());
}
