//! Sends each command under faults, while other processes write the same items, and collects the IAM actions that its requests
//! need.

use super::commands::{ALL, Command};
use super::database::{Account, Article, Counter, Database, Document, Entry, Kind, Note, Rating, User};
use dyno::local::{Rates, SentRequest};
use dyno::lock::Lock;
use dyno::model::Model;
use dyno::{Error, Repository, Transaction};
use dyno_tests::{is_remote, pause};
use futures_util::future::{Either, select};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;

/// The tables other than the entity's own, with their names on the page.
const OTHERS: [(&str, &str); 6] = [
    ("documents-history", "the history table"),
    ("counters-idempotency", "the table of keys"),
    ("users-unique", "the table of unique values"),
    ("dyno-lanes", "the lane table"),
    ("dyno-requests", "the request table"),
    ("dyno-locks", "the lock table"),
];

/// The IAM actions that a request needs, each with its table. (Service authorization reference; developer guide, "IAM and
/// transactions".)
fn actions(request: &SentRequest) -> Vec<(String, String)> {
    let body: Value = serde_json::from_str(request.body()).expect("a body");
    let table = |part: &Value| part["TableName"].as_str().expect("a table").to_owned();
    let of_transaction = |name: fn(&str) -> &str| {
        let items = body["TransactItems"].as_array().expect("actions");
        let actions = items.iter().flat_map(|item| item.as_object().expect("an action"));
        actions.map(|(action, part)| (table(part), name(action).to_owned())).collect()
    };
    match &*request.operation {
        "TransactWriteItems" => of_transaction(|action| match action {
            "Put" => "PutItem",
            "Update" => "UpdateItem",
            "Delete" => "DeleteItem",
            "ConditionCheck" => "ConditionCheckItem",
            other => panic!("{other}"),
        }),
        "TransactGetItems" => of_transaction(|_| "GetItem"),
        operation => request.tables().into_iter().map(|table| (table, operation.to_owned())).collect(),
    }
}

/// Changes the items as other processes may at the same time, until the future is dropped.
async fn interfere(kind: Kind, db: &Repository) {
    // Processes hold a lock for seconds, so the pauses are longer.
    let longest = if kind == Kind::Locks { 20_000 } else { 20 };
    loop {
        tokio::time::sleep(Duration::from_millis(fastrand::u64(1..longest))).await;
        // The change may be refused or fail, which does not matter here.
        let _result = interfere_once(kind, db).await;
    }
}

async fn interfere_once(kind: Kind, db: &Repository) -> Result<(), Error> {
    let id = if fastrand::bool() { "1" } else { "2" };
    match kind {
        Kind::NoRule if fastrand::bool() => Note::delete(id).send(db).await,
        Kind::NoRule => Note { id: id.into(), tag: "t".into(), count: 5 }.put().send(db).await,
        Kind::Ratchet if fastrand::bool() => Rating::delete(id, fastrand::u64(10..30)).send(db).await.map(drop),
        Kind::Ratchet => Rating { id: id.into(), stars: 3, at: fastrand::u64(10..30) }.put().send(db).await.map(drop),
        Kind::History => match fastrand::u8(0..3) {
            0 => Document::delete(id, fastrand::u64(1..4)).send(db).await.map(drop),
            1 => Document { id: id.into(), count: 7, version: 0 }.create().send(db).await.map(drop),
            _ => Document::modify(id, |document| document.count += 1).send(db).await.map(drop),
        },
        Kind::IdempotencyRows => {
            let key = if fastrand::bool() { "event" } else { "another" };
            let add = Counter::update(id).with(Counter::fields().count.add(1));
            add.idempotency_key(key).send(db).await.map(drop)
        }
        Kind::Transactional => {
            let update = |id| Account::update(id).unchecked().with(Account::fields().balance.add(1));
            match fastrand::u8(0..4) {
                0 => update(id).send(db).await.map(drop),
                1 => Transaction::new().update(update("1")).update(update("2")).native().send(db).await.map(drop),
                // The timeout drops the transaction in the middle, so that it leaves intents.
                2 => {
                    let mut all = Transaction::new();
                    for id in ["1", "2"] {
                        let account = Account { id: id.into(), balance: 5, version: 0 };
                        all = match fastrand::u8(0..4) {
                            0 => all.delete(Account::delete(id, fastrand::u64(1..4))),
                            1 => all.put(account.create()),
                            2 => all.put(Account { version: fastrand::u64(1..4), ..account }.put()),
                            _ => all.update(update(id)),
                        };
                    }
                    let all = all.put(Account { id: "3".into(), balance: 1, version: 0 }.create());
                    let time = Duration::from_millis(fastrand::u64(1..30));
                    timeout(time, all.client_side().send(db)).await.map_or(Ok(()), |sent| sent.map(drop))
                }
                _ => Account::delete(id, fastrand::u64(1..4)).send(db).await.map(drop),
            }
        }
        Kind::Vectors => {
            let change = Article::update(id).with(Article::fields().title.set("other"));
            change.send(db).await.map(drop)
        }
        Kind::UniqueValues => {
            let (id, email) = (["1", "2", "3"][fastrand::usize(0..3)], ["a", "b", "c"][fastrand::usize(0..3)]);
            match fastrand::u8(0..3) {
                0 => User::delete(id).send(db).await.map(drop),
                1 => User { id: id.into(), email: Some(email.into()) }.put().send(db).await.map(drop),
                _ => User::update(id).with(User::fields().email.set(email)).send(db).await.map(drop),
            }
        }
        Kind::Locks => {
            // The process releases the lock, or crashes while it holds the lock.
            let lock = Lock::new("job").wait(Duration::ZERO);
            let held = lock.acquire(db).await?;
            if fastrand::bool() { held.release().await.map(drop) } else { Ok(()) }
        }
        Kind::Tables => Ok(()),
    }
}

/// The actions that the command needs in this number of runs, by table.
async fn needed(command: Command, runs: u64) -> BTreeMap<String, BTreeSet<String>> {
    let mut needed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for seed in 0..runs {
        fastrand::seed(seed);
        let database = Database::new(command.kind).await;
        let other = database.another_slow_process();
        database.faults.latency(Duration::from_millis(3), Duration::from_millis(3));
        if seed % 2 > 0 {
            database.faults.random(seed, Rates::ALL);
        }
        if seed > 0 {
            // Other processes change the items before the command begins.
            for _ in 0..3 {
                let _result = interfere_once(command.kind, &other).await;
            }
        }
        // The timeout is needed because other processes can take a lock again and again.
        let sent = timeout(Duration::from_mins(2), (command.send)(&database.repository));
        match select(pin!(sent), pin!(interfere(command.kind, &other))).await {
            Either::Left((result, _)) => assert!(seed > 0 || result.is_ok_and(|sent| sent.is_ok()), "{}", command.name),
            Either::Right(((), _)) => {}
        }
        for (table, action) in database.faults.requests().iter().flat_map(actions) {
            needed.entry(table).or_default().insert(action);
        }
    }
    needed
}

/// The actions of a process that finds the transaction of another process, and rolls it forward or back. Which of them a run
/// needs depends on what that transaction has written, and on how far it got, so no number of runs shows them all.
const RESOLVES: [(&str, &[&str]); 2] = [
    ("accounts", &["DeleteItem", "GetItem", "PutItem", "UpdateItem"]),
    ("dyno-lanes", &["BatchGetItem", "GetItem", "UpdateItem"]),
];

/// The actions of rare cases. They need larger items, or longer silences of a process, than these runs have.
const RARE: [(&str, &str, &[&str]); 5] = [
    // The sweep reads the items that a lane has committed in batches, and it queries and renews the pages that list them.
    ("`Sweep`", "accounts", &["BatchGetItem"]),
    ("`Sweep`", "dyno-lanes", &["PutItem", "Query"]),
    // A client-side transaction needs them: with `.client_side()`, or because it is too large for a native transaction.
    ("`Transaction::interactive`, `.request_id(…)`", "dyno-requests", &["BatchGetItem", "DeleteItem", "UpdateItem"]),
    // The row of the key is read if the update cannot be sent: a list lacks the element that the update removes, or another action of
    // its transaction is refused.
    ("`X::update(key).idempotency_key(…)`", "counters-idempotency", &["GetItem"]),
    // The history is read after a lost response, as for a put.
    ("`Transaction` that puts", "documents-history", &["GetItem"]),
];

/// Whether the command may find transactions of other processes. A read that is not consistent returns the item without them.
fn may_resolve(command: Command) -> bool {
    command.kind == Kind::Transactional && command.name != "`X::get(key)`"
}

/// The cells of a row: the actions on the entity's table, and the actions on other tables.
fn cells(needed: BTreeMap<String, BTreeSet<String>>) -> [String; 2] {
    let (mut own, mut others) = (BTreeSet::new(), Vec::new());
    for (table, actions) in needed {
        match OTHERS.iter().find(|(name, _)| *name == table) {
            Some((_, name)) => others.push(format!("{name}: {}", list(&actions))),
            None => own.extend(actions),
        }
    }
    [list(&own), others.join("; ")]
}

fn list(actions: &BTreeSet<String>) -> String {
    actions.iter().map(|action| format!("`{action}`")).collect::<Vec<_>>().join(", ")
}

/// The number of runs after which no further actions appear.
fn all_runs(kind: Kind) -> u64 {
    match kind {
        Kind::NoRule | Kind::Ratchet | Kind::IdempotencyRows | Kind::Vectors | Kind::Tables => 30,
        Kind::History | Kind::Locks | Kind::UniqueValues | Kind::Transactional => 60,
    }
}

#[tokio::test]
async fn the_page_lists_the_actions_that_each_command_needs() {
    if is_remote() {
        return; // The requests are the same, and it takes thousands of tables.
    }
    pause();
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    for (name, ..) in RARE {
        assert!(ALL.iter().any(|command| command.name == name), "{name} is not the name of a command");
    }
    let page = super::page("permissions.md");
    let mut table = String::from("| Command | Rules | On the entity's table | On other tables |\n|---|---|---|---|\n");
    for command in ALL {
        let begin = format!("| {} | {} |", command.name, command.kind.text());
        let mut needed = needed(*command, if is_update { all_runs(command.kind) } else { 4 }).await;
        if is_update {
            for (table, actions) in RESOLVES.into_iter().filter(|_| may_resolve(*command)) {
                needed.entry(table.to_owned()).or_default().extend(actions.iter().map(|action| (*action).to_owned()));
            }
            for (_, table, actions) in RARE.into_iter().filter(|(name, ..)| *name == command.name) {
                needed.entry(table.to_owned()).or_default().extend(actions.iter().map(|action| (*action).to_owned()));
            }
            let [own, others] = cells(needed);
            let _ = writeln!(table, "{begin} {own} | {others} |");
            continue;
        }
        let row = page.lines().find(|line| line.starts_with(&begin)).expect(&begin);
        let [own, others] = [row.split(" | ").nth(2).expect("a cell"), row.split(" | ").nth(3).expect("a cell")];
        for (table, actions) in needed {
            let other = OTHERS.iter().find(|(name, _)| *name == table).map(|(_, name)| *name);
            let part = |name| others.split("; ").find(|part| part.starts_with(name)).unwrap_or_default();
            let listed = other.map_or(own, part);
            for action in actions {
                assert!(listed.contains(&format!("`{action}`")), "{begin}: {action} on {table} is not on the page");
            }
        }
    }
    if is_update {
        super::write_table("permissions.md", &table);
    }
}

/// The names of the entity's table for the commands of each kind.
fn own_tables(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::NoRule => &["notes", "entries"],
        Kind::Ratchet => &["ratings"],
        Kind::History => &["documents"],
        Kind::IdempotencyRows => &["counters"],
        Kind::Transactional => &["accounts"],
        Kind::Vectors => &["articles"],
        Kind::UniqueValues => &["users"],
        Kind::Locks | Kind::Tables => &[],
    }
}

/// The actions of a cell of the page.
fn actions_of(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(|action| format!("dynamodb:{action}")).collect()
}

#[tokio::test]
async fn a_policy_allows_the_actions_of_the_page_and_nothing_else_on_other_tables() {
    const TABLES: &str = "arn:aws:dynamodb:*:123456789012:table/";
    let repository = Repository::local().await.expect("a repository");
    let model = Model::new(&repository).table::<Note>().table::<Entry>().table::<Rating>().table::<Document>();
    let model = model.table::<Counter>().table::<Account>().table::<Article>().table::<User>();
    let model = model.lane_table().request_table().lock_table();
    let policy: Value = serde_json::from_str(model.policy(TABLES).expect("a policy").as_str()).expect("JSON");
    let mut allowed: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for statement in policy["Statement"].as_array().expect("statements") {
        for resource in statement["Resource"].as_array().expect("resources") {
            let resource = resource.as_str().and_then(|arn| arn.strip_prefix(TABLES)).expect("a table or an index");
            let actions = statement["Action"].as_array().expect("actions").iter();
            let actions = actions.map(|action| action.as_str().expect("an action").to_owned());
            // What is allowed on an index counts for its table here, because the page names tables only.
            allowed.entry(resource.split('/').next().expect("a table")).or_default().extend(actions);
        }
    }
    let page = super::page("permissions.md");
    let mut others_on_page: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for command in ALL.iter().filter(|command| command.kind != Kind::Tables) {
        let begin = format!("| {} | {} |", command.name, command.kind.text());
        let row = page.lines().find(|line| line.starts_with(&begin)).expect(&begin);
        let cells: Vec<&str> = row.split(" | ").collect();
        let own = actions_of(cells[2]);
        if !own.is_empty() {
            let is_allowed = |table: &&str| allowed[table].is_superset(&own);
            assert!(own_tables(command.kind).iter().any(is_allowed), "{begin} {own:?}, but {allowed:?}");
        }
        for part in cells[3].split("; ") {
            if let Some((table, name)) = OTHERS.iter().find(|(_, name)| part.starts_with(name)) {
                others_on_page.entry(table).or_default().extend(actions_of(&part[name.len()..]));
            }
        }
    }
    assert_eq!(others_on_page.len(), OTHERS.len());
    for (table, actions) in others_on_page {
        assert_eq!(allowed[table], actions, "{table}");
    }
}
