//! First attempts that arrive late: up to 15 minutes after the SDK has sent the write again, and after other processes have
//! written. A write that was reported as refused is never applied, whatever refused the later attempts, and whatever the
//! other processes write then.
//!
//! Each run draws a command, the rows before it, which of its requests arrive late, what other processes write before these
//! arrive, and the order of arrival. A refusal because the write was made already is not checked: the write is superseded,
//! its idempotency key is known, or the list contains its element.
//!
//! Other processes purge tombstones only where a history remains. Without a history, a purge lets in a write that the
//! tombstone would have refused: see the guide.
//!
//! `DYNO_SEEDS` sets the number of runs of each kind, `DYNO_FIRST` the first seed. The runs need the embedded engine.

#![allow(clippy::print_stdout, reason = "what the writes were told, for who asks with `--nocapture`")]

mod closures;
mod kinds;

use crate::attribution::Told;
use crate::runs::{RunningClock, from_first, hedged, retries, run, seeds};
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Clock as _, Entity, Error, Item, Repository};
use dyno_tests::faults::{Event, Fault, Rates, ms};
use dyno_tests::journal::{Change, Journal, attributed};
use dyno_tests::{NOW, World, item, journaled_world, n, s};
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The number of the write that is checked.
const MINE: usize = 1;
/// The text that only this write stores.
const TEXT: &str = "mine";
/// The table of all kinds.
const TABLE: &str = "things";
/// The longest time for which a request can be in flight.
const LATEST_MILLIS: u64 = 15 * 60 * 1000;

/// A command. Each call sends it.
type Command = Box<dyn Fn(Repository) -> BoxFuture<'static, Result<Told, Error>> + Send + Sync>;
/// A write of another process. Its result is ignored.
type Other = fn(Repository, &'static str) -> BoxFuture<'static, ()>;

/// The command of a run, and the writes of the other processes.
struct Play {
    command: Command,
    /// True if a clone of the command is the same write.
    is_named: bool,
    /// True for a client-side transaction: it also makes changes that place or remove intents.
    is_apart: bool,
    others: Vec<Other>,
    ids: &'static [&'static str],
}

/// A command that sends a clone of the same command each time.
macro_rules! command {
    ($command:expr) => {{
        let command = $command;
        let send: Command = Box::new(move |repository: dyno::Repository| {
            let command = command.clone();
            Box::pin(async move { command.send(&repository).await.map($crate::attribution::Answer::told) })
        });
        send
    }};
}

use command;

/// How often each result was reported.
type Tally = BTreeMap<&'static str, usize>;

/// Plays all runs of a kind.
fn play_all<E: Entity>(name: &str, play: impl Fn() -> Play) {
    if dyno_tests::is_remote() {
        return;
    }
    let (mut tally, count) = (Tally::new(), seeds(3, 0));
    for seed in from_first(count) {
        run(seed, async {
            let played = play_one::<E>(seed, play()).await;
            *tally.entry(played).or_default() += 1;
        });
    }
    println!("{name}: {count} seeds, {tally:?}");
}

/// Plays one run, and returns what was reported to the command.
async fn play_one<E: Entity>(seed: u64, play: Play) -> &'static str {
    let (world, journal) = journaled_world::<E>().await;
    world.other().create_lane_table().await.expect("a lane table");
    let start = Instant::now();
    let clock = RunningClock::new(start, 0);
    let theirs = world.other().with_clock(clock);
    let mine = hedged(seed, Repository::new(world.client(retries())).with_clock(clock));
    let meanwhile = Meanwhile { world: &world, theirs, clock, others: &play.others, ids: play.ids };
    for _ in 0..fastrand::usize(0..5) {
        meanwhile.write().await;
    }
    world.faults.rates(Rates { late_when_dropped: 1.0, late_when_dropped_by: ms(LATEST_MILLIS), ..Rates::NONE });
    delay(&world);
    let told = attributed(MINE, (play.command)(mine.clone())).await;
    world.faults.calm();
    let told = (told.as_ref().map_or(Told::Unknown, |told| *told), told);
    for _ in 0..fastrand::usize(1..12) {
        meanwhile.write().await;
        if fastrand::u8(0..3) == 0 {
            world.faults.deliver().await;
        }
    }
    while world.faults.deliver().await.is_some() {
        meanwhile.write().await;
    }
    world.faults.settled().await;
    check(seed, &told, &made(&journal, play.is_apart));
    if play.is_named && told.0 == Told::Unknown {
        // The clone is the same write, so it reports the outcome of the first send.
        let clone = attributed(MINE, (play.command)(mine)).await;
        let clone = (clone.as_ref().map_or(Told::Unknown, |told| *told), clone);
        check(seed, &clone, &made(&journal, play.is_apart));
        if clone.0 == Told::Refused {
            return "in doubt, and then refused";
        }
    }
    match told.0 {
        Told::Applied => "applied",
        Told::Refused => "refused",
        Told::Superseded => "made already",
        Told::Unknown => "in doubt",
    }
}

fn check(seed: u64, told: &(Told, Result<Told, Error>), made: &[Change]) {
    assert!(told.0 != Told::Refused || made.is_empty(), "seed {seed}: refused, and applied: {made:#?}");
    if let Err(error) = &told.1 {
        assert!(made.is_empty() || error.may_be_applied(), "seed {seed}: {error:?}, and applied: {made:#?}");
    }
}

/// Makes some of the first requests arrive late.
fn delay(world: &World) {
    for position in 1..=6 {
        if fastrand::u8(0..if position == 1 { 2 } else { 4 }) == 0 {
            world.faults.on_request(position, Event::is_write, Fault::Postponed);
        }
    }
    // If requests are hedged, a slow first request is dropped when the second one is answered.
    if fastrand::u8(0..3) == 0 {
        let slow = |_| (fastrand::u64(0..20_000), fastrand::u64(0..20));
        world.faults.slow((0..fastrand::usize(1..4)).map(slow));
    }
}

/// Returns the changes that the write has made to rows of its entity.
fn made(journal: &Journal, is_apart: bool) -> Vec<Change> {
    let text = |item: &Option<Item>| item.as_ref().and_then(|item| item.get("text")?.as_s().ok().cloned());
    let is_mine = |change: &Change| {
        let has_text = text(&change.new).as_deref() == Some(TEXT) && text(&change.old).as_deref() != Some(TEXT);
        if is_apart { has_text } else { change.write == Some(MINE) }
    };
    journal.changes().into_iter().filter(|change| change.table == TABLE && is_mine(change)).collect()
}

/// What other processes do in the meantime.
struct Meanwhile<'a> {
    world: &'a World,
    theirs: Repository,
    clock: RunningClock,
    others: &'a [Other],
    ids: &'static [&'static str],
}

impl Meanwhile<'_> {
    /// Another process writes, time passes, and DynamoDB may remove expired items.
    async fn write(&self) {
        if let (Some(other), Some(id)) = (fastrand::choice(self.others), fastrand::choice(self.ids)) {
            other(self.theirs.clone(), id).await;
        }
        sleep(Duration::from_millis(fastrand::u64(0..LATEST_MILLIS / 16))).await;
        if fastrand::bool() {
            self.remove_expired().await;
        }
    }

    async fn remove_expired(&self) {
        let client = self.world.other().client().clone();
        let now = self.clock.now().get() / 1000;
        for id in self.ids {
            let delete = client.delete_item().table_name(TABLE).key("id", s(id));
            let delete = delete.condition_expression("#t <= :now").expression_attribute_names("#t", "expires");
            let _is_none = delete.expression_attribute_values(":now", n(now)).send().await;
        }
    }
}

/// Removes the tombstone of an item, as a purge of any tombstone.
struct Purged(&'static str);

impl Purged {
    async fn send(self, repository: &Repository) -> Result<(), Error> {
        let delete = repository.client().delete_item().table_name(TABLE).key("id", s(self.0));
        let delete = delete.condition_expression("#d = :true").expression_attribute_names("#d", "deleted");
        let _is_none = delete.expression_attribute_values(":true", AttributeValue::Bool(true)).send().await;
        Ok(())
    }
}

/// Puts an expiring item if there is none, as a program without dyno does.
struct Stranger(&'static str);

impl Stranger {
    async fn send(self, repository: &Repository) -> Result<(), Error> {
        let ttl = NOW / 1000 + fastrand::i64(0..900);
        let row = item([("id", s(self.0)), ("text", s("theirs")), ("count", n(0)), ("expires", n(ttl))]);
        let put = repository.client().put_item().table_name(TABLE).set_item(Some(row));
        let _is_there = put.condition_expression("attribute_not_exists(id)").send().await;
        Ok(())
    }
}
