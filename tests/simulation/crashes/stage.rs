//! The stage: the initial rows, the transaction, the processes, and the operations beside the transaction.

use super::model::{IDS, Op, Row, Rows, Shown};
use crate::runs::retries;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::command::Update;
use dyno::{Entity, Item, Transaction, TransactionOutcome};
use dyno_tests::process::Process;
use dyno_tests::{World, n, s, world};
use futures_util::future::join;
use std::collections::BTreeMap;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "accounts")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(super) struct Account {
    #[partition_key]
    id: String,
    pub(super) balance: u64,
    #[version]
    pub(super) version: u64,
}

/// The size of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Small,
    /// The keys do not fit into the lane row.
    Paged,
    /// An intent is applied by a put, because the row that is deleted has more attributes than one update can change.
    Wide,
}

/// The number of attributes of this wide row that the entity does not know.
const OTHERS: usize = 310;

/// How far the clocks of the adopting and the sweeping process are ahead, in milliseconds.
const AHEAD: [i64; 2] = [120_000, 600_000];

pub(super) struct Stage {
    world: World,
    size: Size,
    /// The process that sends the transaction.
    pub(super) own: Process,
    pub(super) other: Process,
    /// A process whose clock is so far ahead that all other processes seem silent.
    pub(super) ahead: Process,
    pub(super) sweeper: Process,
    first: BTreeMap<&'static str, Item>,
    /// The operations beside the transaction.
    pub(super) ops: Vec<Op>,
}

impl Stage {
    pub(super) async fn new(size: Size, has_retries: bool) -> Self {
        let world = world::<Account>().await;
        let other = world.process(retries()).along();
        let [ahead, sweeper] = AHEAD.map(|ahead| {
            let process = world.process(retries()).along();
            process.clock.advance(ahead);
            process
        });
        let retries = if has_retries { retries() } else { RetryConfig::disabled() };
        let own = world.process(retries).along();
        world.other().create_lane_table().await.expect("a lane table");
        let mut stage = Self { world, size, own, other, ahead, sweeper, first: BTreeMap::new(), ops: Vec::new() };
        stage.fill().await;
        stage
    }

    async fn fill(&mut self) {
        let ttl = dyno_tests::NOW / 1000 + 86_400;
        for id in IDS {
            let mut item = Item::from([("id".to_owned(), s(&self.key(id))), ("_w".to_owned(), s("-before"))]);
            match super::model::at_first()[id] {
                Row::Nothing => continue,
                Row::Live { balance, version } => {
                    item.extend([("balance".to_owned(), n(balance)), ("version".to_owned(), n(version))]);
                }
                Row::Dead { version } => {
                    item.extend([("version".to_owned(), n(version)), ("ttl".to_owned(), n(ttl))]);
                    item.insert("deleted".to_owned(), AttributeValue::Bool(true));
                }
            }
            if self.size == Size::Wide && id == "d" {
                item.extend((0..OTHERS).map(|at| (format!("o{at}"), n(at))));
            }
            self.world.write_foreign::<Account>(item.clone()).await;
            self.first.insert(id, item);
        }
    }

    pub(super) fn key(&self, id: &str) -> String {
        if self.size == Size::Paged { format!("{id}{}", "x".repeat(1000)) } else { id.to_owned() }
    }

    pub(super) fn account(&self, id: &str, balance: u64, version: u64) -> Account {
        Account { id: self.key(id), balance, version }
    }

    pub(super) async fn get(&mut self, id: &'static str) {
        let get = Account::get(self.key(id)).consistent();
        let shown = get.send(&self.other.repository).await.expect("a get");
        self.ops.push(Op::Get(id, shown.as_ref().map(shown_of)));
    }

    pub(super) async fn put(&mut self, id: &'static str) {
        let version = super::model::at_first()[id].shown().map_or(0, |(_, version)| version);
        let put = self.account(id, 1007, version).put().send(&self.other.repository).await.expect("a put");
        self.ops.push(Op::Put(id, version, put.applied().is_ok()));
    }

    pub(super) async fn add(&mut self, id: &'static str) {
        let added = self.adding(id).send(&self.other.repository).await.expect("an update");
        self.ops.push(Op::Add(vec![id], added.applied().is_ok()));
    }

    fn adding(&self, id: &str) -> Update<Account> {
        Account::update(self.key(id)).unchecked().with(Account::fields().balance.add(1000))
    }

    pub(super) async fn add_natively(&mut self, ids: Vec<&'static str>) {
        let adds = Transaction::new().update(ids.iter().map(|id| self.adding(id)).collect::<Vec<_>>()).native();
        let outcome = adds.send(&self.other.repository).await.expect("a transaction");
        self.ops.push(Op::Add(ids, matches!(outcome, TransactionOutcome::Applied(_))));
    }

    pub(super) async fn add_by_intents(&mut self, process: &Process, id: &'static str) {
        let adds = Transaction::new().update(self.adding(id)).client_side();
        let outcome = adds.send(&process.repository).await.expect("a transaction");
        self.ops.push(Op::Add(vec![id], matches!(outcome, TransactionOutcome::Applied(_))));
    }

    /// Reads all rows in one transaction.
    pub(super) async fn read(&mut self) {
        let process = self.other.clone();
        let shown = self.all(&process, false).await;
        self.ops.push(Op::Read(shown));
    }

    /// Reads all rows and adds 1000 to the live ones, in a client-side transaction of this process.
    pub(super) async fn bump(&mut self, process: &Process) {
        let shown = self.all(process, true).await;
        self.ops.push(Op::Bump(shown));
    }

    /// Delivers the late requests of a process while another transaction has its intents in all live rows.
    pub(super) async fn deliver_amid(&mut self, late: &Process) {
        let other = self.other.clone();
        let live = self.stored().await.values().filter(|item| !item.contains_key("deleted")).count();
        // The read of all rows and the intents in them pass. The commit is held.
        other.faults.hold_after(1 + live);
        let delivering = async {
            other.faults.held().await;
            while late.faults.deliver().await.is_some() {}
            other.faults.release();
        };
        let (shown, ()) = join(self.all(&other, true), delivering).await;
        self.ops.push(Op::Bump(shown));
    }

    async fn all(&self, process: &Process, adds: bool) -> [Shown; 5] {
        let keys = IDS.map(|id| self.key(id));
        let all = Transaction::interactive(move |tx| {
            let keys = keys.clone();
            async move {
                let accounts = tx.batch_get(Account::batch_get(keys)).await?;
                let shown: Vec<Shown> = accounts.iter().map(|account| account.as_ref().map(shown_of)).collect();
                for mut account in accounts.into_iter().flatten().filter(|_| adds) {
                    account.balance += 1000;
                    tx.put(account.put());
                }
                Ok(shown)
            }
        });
        let shown = all.client_side().send(&process.repository).await.expect("sent").applied().expect("applied");
        shown.try_into().expect("five")
    }

    /// Returns all rows as they are stored.
    pub(super) async fn stored(&self) -> BTreeMap<&'static str, Item> {
        let items = self.world.stored::<Account>().await;
        let known = |item: &Item| IDS.into_iter().find(|id| item["id"] == s(&self.key(id))).expect("a known row");
        items.into_iter().map(|item| (known(&item), item)).collect()
    }

    /// Returns the stored rows as the model represents them. Checks that each row is complete, and that a row in its initial
    /// state has all of its initial attributes.
    pub(super) async fn rows(&self, case: &dyn std::fmt::Debug) -> Rows {
        let mut stored = self.stored().await;
        let first = super::model::at_first();
        let row = |id| {
            let Some(item) = stored.remove(id) else { return (id, Row::Nothing) };
            let has = |name: &str| item.contains_key(name);
            let number = |name: &str| item[name].as_n().expect("a number").parse::<u64>().expect("a number");
            let row = if has("deleted") {
                assert!(has("ttl") && has("version") && !has("balance"), "{case:?}: half a tombstone {item:?}");
                Row::Dead { version: number("version") }
            } else {
                assert!(!has("ttl"), "{case:?}: it would expire: {item:?}");
                Row::Live { balance: number("balance"), version: number("version") }
            };
            assert!(!has("_x") && has("_w"), "{case:?}: {item:?}");
            if row == first[id] {
                assert_eq!(Some(&item), self.first.get(id), "{case:?}: not as before");
            }
            (id, row)
        };
        IDS.map(row).into()
    }

    /// Returns the lane rows.
    pub(super) async fn heads(&self) -> Vec<Item> {
        let scan = self.world.other().client().scan().table_name("dyno-lanes").send().await.expect("a scan");
        scan.items.unwrap_or_default().into_iter().filter(|item| item["part"] == s("#")).collect()
    }
}

fn shown_of(account: &Account) -> (u64, u64) {
    (account.balance, account.version)
}
