//! Every public function of the library that takes a number, a list or a text, called with its extremes.
//!
//! The list is complete: `every_function_is_called` reads the library's sources and compares. (The tests are compiled with
//! overflow checks, as the profile `dev` has them.)

use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::capacity::{self, CountWindow, TimeWindow};
use dyno::stream::{Event, Record};
use dyno::{
    BatchGet, BatchWrite, Checkpoint, Cursor, DecodeError, EncodeError, Entity, EpochMillis, EpochSeconds, Error,
    ErrorKind, Found, ManualClock, Repository, TableOptions, Transaction, batch_get,
};
use dyno_tests::{World, endpoint, item, n, pause, s, world};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "logs")]
#[index(name = "by_kind", partition = kind, sort = name)]
#[index(name = "by_level", partition(kind), sort(level, name))]
struct Log {
    #[partition_key]
    owner: String,
    #[sort_key]
    line: String,
    kind: String,
    name: String,
    level: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ticks")]
struct Tick {
    #[partition_key]
    owner: u64,
    #[sort_key]
    at: i64,
    name: String,
    bytes: Vec<u8>,
    small: u8,
    number: i64,
    huge: u128,
    ratio: f64,
    #[attribute(default)]
    texts: Vec<String>,
    #[attribute(default)]
    numbers: BTreeSet<i64>,
    #[attribute(default)]
    scores: BTreeMap<String, u64>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "docs")]
#[tombstone(ttl_days = 36500)]
#[history_table(ttl_days = 36500)]
struct Doc {
    #[partition_key]
    id: String,
    text: String,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "parts")]
#[index(name = "GSI1", query = by_place, partition(name = "GSI1PK", template = "{shelf}#{place}"))]
struct Part {
    #[partition_key]
    id: String,
    text: String,
    shelf: String,
    place: u64,
    #[version]
    version: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "bills")]
#[idempotency(window_secs = 60, max_skew_secs = 60)]
struct Bill {
    #[partition_key]
    id: String,
    total: u64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "ratings")]
#[tombstone(ttl_days = 36500)]
struct Rating {
    #[partition_key]
    id: String,
    #[ratchet(max_ahead_secs = 300)]
    at: EpochMillis,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "rowed")]
#[idempotency(store = "row", window_secs = 3600)]
struct Rowed {
    #[partition_key]
    id: String,
    total: u64,
}

fn tick() -> Tick {
    Tick {
        owner: 1,
        at: 1,
        name: "a".to_owned(),
        bytes: vec![1],
        small: 1,
        number: 0,
        huge: 1,
        ratio: 0.0,
        texts: vec!["a".to_owned()],
        numbers: BTreeSet::new(),
        scores: BTreeMap::new(),
    }
}

/// Texts that are empty, long, or hold what breaks lines, terminals and JSON.
fn texts() -> [String; 8] {
    let long = |text: &str, bytes: usize| text.repeat(bytes);
    [
        String::new(),
        "\0".to_owned(),
        "\u{10FFFF}\u{D7FF}".to_owned(),
        "a\r\n\u{1b}[31m\u{202e}'\"`{}#:\\".to_owned(),
        long("x", 1025),
        long("ü", 1025),
        long("x", 70_000),
        long("x", 500_000),
    ]
}

const NUMBERS: [u64; 6] = [0, 1, 1 << 31, 1 << 32, u64::MAX - 1, u64::MAX];
const SIGNED: [i64; 5] = [i64::MIN, i64::MIN + 1, 0, i64::MAX - 1, i64::MAX];
const COUNTS: [usize; 5] = [0, 1, 1 << 31, usize::MAX - 1, usize::MAX];
const SMALL: [u32; 4] = [0, 1, u32::MAX - 1, u32::MAX];

/// It worked, or was refused before a request, in few words without a line break.
fn sane<T: Debug>(result: Result<T, Error>) {
    if let Err(error) = result {
        // Of an update: how large the item is, only DynamoDB knows.
        if error.to_string().contains("Item size to update has exceeded") {
            return;
        }
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        check_text(&error.to_string());
    }
}

fn check_text(text: &str) {
    assert!(text.len() < 2000, "{} bytes: {}", text.len(), text.chars().take(300).collect::<String>());
    assert!(!text.chars().any(char::is_control), "{text:?}");
}

/// As `sane`, but refused by its outcome, too.
macro_rules! applied {
    ($command:expr, $repository:expr) => {
        match $command.send($repository).await {
            Ok(_) => {}
            Err(error) => sane::<()>(Err(error)),
        }
    };
}

/// A repository whose clock shows this.
fn at(world: &World, now: i64) -> Repository {
    world.other().with_clock(Arc::new(ManualClock::new(EpochMillis::new(now))))
}

macro_rules! calls {
    ($world:ident; $($name:literal => $body:block)*) => {
        /// By file and name; once for each function of that name in the file.
        const NAMES: &[&str] = &[$($name),*];

        async fn call_all($world: &World) {
            $(Box::pin(async $body).await;)*
        }
    };
}

#[tokio::test]
async fn extremes_are_served_or_refused() {
    pause();
    if endpoint().is_some() {
        // DynamoDB Local knows no keys of several attributes.
        return;
    }
    let world = world::<Log>().await;
    world.repository.create_table::<Tick>().await.expect("a table");
    world.repository.create_table::<Doc>().await.expect("a table");
    world.repository.create_table::<Part>().await.expect("a table");
    world.repository.create_table::<Bill>().await.expect("a table");
    world.repository.create_table::<Rating>().await.expect("a table");
    world.repository.create_table::<Rowed>().await.expect("a table");
    tick().put().send(&world.repository).await.expect("a put");
    call_all(&world).await;
}

/// From none to the longest.
fn durations() -> [Duration; 5] {
    [
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_millis(999),
        Duration::from_millis(u64::MAX),
        Duration::MAX,
    ]
}

/// A moment and each duration, of which so many milliseconds are one, in this direction.
fn counted(count: impl Fn(i64, Duration) -> Option<i64>, unit: u128, sign: i128) {
    for (time, by) in SIGNED.into_iter().flat_map(|time| durations().map(|by| (time, by))) {
        let by_units = i128::try_from(by.as_millis() / unit).expect("less than that");
        let expected = i64::try_from(i128::from(time) + sign * by_units).ok();
        assert_eq!(count(time, by), expected, "{time} {by:?}");
    }
}

/// A query by each of the conditions on the sort key.
macro_rules! sorted {
    ($world:ident, $query:expr, $values:expr, $($method:ident)+) => {
        for value in $values {
            $(sane($query.$method(value.clone()).limit(1).send(&$world.repository).await);)+
        }
    };
}

/// An update by this change of a fresh handle.
macro_rules! changed {
    ($world:ident, $fields:ident => $change:expr) => {{
        let $fields = Tick::fields();
        let update = Tick::update((1_u64, 1_i64)).with($change);
        applied!(update, &$world.repository);
    }};
}

/// A scan with this condition.
macro_rules! filtered {
    ($world:ident, $fields:ident => $condition:expr) => {{
        let $fields = Tick::fields();
        sane(Tick::scan().filter($condition).send(&$world.repository).await);
    }};
}

calls! { world;
    "attribute/error::new" => {
        for text in texts() {
            check_text(&EncodeError::new(text).to_string());
        }
    }
    "attribute/error::new" => {
        for text in texts() {
            check_text(&DecodeError::new(text.clone(), text).to_string());
        }
    }
    "attribute/error::wrong_type" => {
        for text in texts() {
            check_text(&DecodeError::wrong_type(text.clone(), &s(&text)).to_string());
        }
    }
    "attribute/error::at_name" => {
        for text in texts() {
            let error = (0..100).fold(EncodeError::new("bad"), |error, _| error.at_name(text.clone()));
            check_text(&error.to_string());
        }
    }
    "attribute/error::at_name" => {
        for text in texts() {
            let error = (0..100).fold(DecodeError::new("good", "bad"), |error, _| error.at_name(text.clone()));
            check_text(&error.to_string());
        }
    }
    "attribute/time::new" => {
        for time in SIGNED {
            let millis = EpochMillis::new(time);
            assert!(millis.to_seconds_floor() <= millis.to_seconds_ceil());
            assert_eq!(EpochSeconds::new(time).get(), time);
        }
    }
    "attribute/duration::checked_add" => {
        counted(|time, by| EpochMillis::new(time).checked_add(by).map(EpochMillis::get), 1, 1);
        counted(|time, by| EpochSeconds::new(time).checked_add(by).map(EpochSeconds::get), 1000, 1);
    }
    "attribute/duration::checked_sub" => {
        counted(|time, by| EpochMillis::new(time).checked_sub(by).map(EpochMillis::get), 1, -1);
        counted(|time, by| EpochSeconds::new(time).checked_sub(by).map(EpochSeconds::get), 1000, -1);
    }
    "attribute/duration::saturating_add" => {
        for (time, by) in SIGNED.into_iter().flat_map(|time| durations().map(|by| (time, by))) {
            let sum = EpochMillis::new(time).checked_add(by).map_or(i64::MAX, EpochMillis::get);
            assert_eq!(EpochMillis::new(time).saturating_add(by).get(), sum);
        }
    }
    "attribute/duration::saturating_sub" => {
        for (time, by) in SIGNED.into_iter().flat_map(|time| durations().map(|by| (time, by))) {
            let rest = EpochSeconds::new(time).checked_sub(by).map_or(i64::MIN, EpochSeconds::get);
            assert_eq!(EpochSeconds::new(time).saturating_sub(by).get(), rest);
        }
    }
    "capacity::write_units" => {
        assert!(NUMBERS.map(capacity::write_units).is_sorted());
    }
    "capacity::max_rate" => {
        assert!(NUMBERS.map(capacity::max_rate).iter().rev().is_sorted());
    }
    "capacity::keys" => { time_windows(TimeWindow::keys); }
    "capacity::most_keys" => { time_windows(TimeWindow::most_keys); }
    "capacity::item_bytes" => { time_windows(TimeWindow::item_bytes); }
    "capacity::most_item_bytes" => { time_windows(TimeWindow::most_item_bytes); }
    "capacity::write_units" => { time_windows(TimeWindow::write_units); }
    "capacity::fits" => { time_windows(|window, rps| u64::from(!window.fits(rps))); }
    "capacity::longest_window_secs" => {
        time_windows(|window, rps| u64::MAX - u64::from(window.longest_window_secs(rps)));
        for window in time_windows_of(u32::MAX) {
            let _ = (window.bucket_millis(), window.sets(), window.max_rps());
        }
    }
    "capacity::fits" => { count_windows(|window, rps| u64::from(!window.fits(rps))); }
    "capacity::window_secs" => { count_windows(|window, rps| u64::MAX - window.window_secs(rps)); }
    "capacity::most_keys" => {
        count_windows(|window, rps| u64::MAX - u64::from(window.most_keys(rps)));
        count_windows(|window, _| window.item_bytes().max(window.write_units()).max(window.max_rps()));
    }
    "clock::new" => {
        for now in SIGNED {
            clocked(world, now).await;
        }
    }
    "clock::set" => {
        for now in SIGNED {
            world.clock.set(EpochMillis::new(now));
            sane(Tick::get((1_u64, 1_i64)).send(&world.repository).await);
        }
        world.clock.set(EpochMillis::new(dyno_tests::NOW));
    }
    "clock::advance" => {
        for (now, millis) in SIGNED.into_iter().flat_map(|now| SIGNED.map(|millis| (now, millis))) {
            let clock = ManualClock::new(EpochMillis::new(now));
            clock.advance(millis);
            assert_eq!(dyno::Clock::now(&clock).get(), now.saturating_add(millis));
        }
    }
    "command/batch_get::new" => {
        sane(BatchGet::<Log>::new([]).send(&world.repository).await);
        for text in texts() {
            sane(BatchGet::<Log>::new([(text.clone(), text)]).send(&world.repository).await);
        }
        sane(BatchGet::<Doc>::new(std::iter::repeat_n("1".to_owned(), 100_000)).send(&world.repository).await);
    }
    "command/batch_get::concurrency" => {
        for count in COUNTS {
            sane(Doc::batch_get(["1", "2"]).concurrency(count).send(&world.repository).await);
        }
    }
    "command/batch_get::concurrency" => {
        for count in COUNTS {
            let batch = batch_get((Doc::batch_get(["1"]), Bill::batch_get(["1"])));
            sane(batch.concurrency(count).send(&world.repository).await);
        }
    }
    "command/batch_write::add" => {
        for text in texts() {
            let log = Log { owner: text.clone(), line: text.clone(), kind: text.clone(), name: text, level: u64::MAX };
            let written = BatchWrite::new().add(log.put()).send(&world.repository).await;
            sane(written.and_then(dyno::BatchWritten::applied));
        }
    }
    "command/batch_write::add_all" => {
        let ticks: Vec<Tick> = SIGNED.map(|at| Tick { at, number: at, ..tick() }).into();
        let written = BatchWrite::new().add_all(ticks.iter().map(Tick::put)).send(&world.repository).await;
        sane(written.and_then(dyno::BatchWritten::applied));
        let none: [dyno::Put<Tick>; 0] = [];
        sane(BatchWrite::new().add_all(none).send(&world.repository).await);
    }
    "command/batch_write::concurrency" => {
        for count in COUNTS {
            let batch = BatchWrite::new().add(tick().put()).concurrency(count);
            sane(batch.send(&world.repository).await);
        }
    }
    "command/check::version" => {
        for version in NUMBERS {
            applied!(Transaction::new().check(Doc::check("1").version(version)), &world.repository);
        }
    }
    "command/each::after" => {
        for text in texts() {
            assert!(text.parse::<Checkpoint>().is_err());
        }
    }
    "command/each::attempts" => {
        for attempts in SMALL {
            sane(Log::scan().modify_each(|_| {}).attempts(attempts).send(&world.repository).await);
        }
    }
    "command/index::sort_begins_with" => { sorted!(world, Log::by_kind("k"), texts().each_ref().map(String::as_str), sort_begins_with); }
    "command/index::sort_eq" => { sorted!(world, Log::by_kind("k"), texts(), sort_eq); }
    "command/index::sort_lt" => { sorted!(world, Log::by_kind("k"), texts(), sort_lt); }
    "command/index::sort_le" => { sorted!(world, Log::by_kind("k"), texts(), sort_le); }
    "command/index::sort_gt" => { sorted!(world, Log::by_kind("k"), texts(), sort_gt); }
    "command/index::sort_ge" => { sorted!(world, Log::by_kind("k"), texts(), sort_ge); }
    "command/index::sort_between" => {
        for (low, high) in texts().into_iter().zip(texts().into_iter().rev()) {
            sane(Log::by_kind("k").sort_between(low, high).send(&world.repository).await);
        }
    }
    "command/index::sort_eq" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_eq);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_eq);
    }
    "command/index::sort_lt" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_lt);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_lt);
    }
    "command/index::sort_le" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_le);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_le);
    }
    "command/index::sort_gt" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_gt);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_gt);
    }
    "command/index::sort_ge" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_ge);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_ge);
    }
    "command/index::sort_between" => {
        for (low, high) in NUMBERS.into_iter().zip(NUMBERS.into_iter().rev()) {
            sane(Log::by_level("k").sort_between(low, high).send(&world.repository).await);
        }
    }
    "command/index::sort_begins_with" => {
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts().each_ref().map(String::as_str), sort_begins_with);
    }
    "command/modify::attempts" => {
        for attempts in SMALL {
            applied!(Doc::modify("1", |_| {}).attempts(attempts), &world.repository);
        }
    }
    "command/read::limit" => {
        for limit in COUNTS {
            sane(Tick::scan().limit(limit).send(&world.repository).await);
            sane(Tick::query(1_u64).limit(limit).stream(&world.repository).try_collect().await);
            sane(Log::by_kind("k").limit(limit).send(&world.repository).await);
            // What is passed over makes it ask again.
            sane(Doc::scan().limit(limit).send(&world.repository).await);
            sane(Tick::scan().filter(Tick::fields().number.eq(5)).limit(limit).send(&world.repository).await);
        }
    }
    "command/read::after" => {
        for text in texts() {
            assert!(text.parse::<Cursor>().is_err());
        }
    }
    "command/read::sort_begins_with" => { sorted!(world, Log::query("k"), texts().each_ref().map(String::as_str), sort_begins_with); }
    "command/read::sort_eq" => {
        sorted!(world, Log::query("k"), texts(), sort_eq);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_eq);
    }
    "command/read::sort_lt" => {
        sorted!(world, Log::query("k"), texts(), sort_lt);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_lt);
    }
    "command/read::sort_le" => {
        sorted!(world, Log::query("k"), texts(), sort_le);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_le);
    }
    "command/read::sort_gt" => {
        sorted!(world, Log::query("k"), texts(), sort_gt);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_gt);
    }
    "command/read::sort_ge" => {
        sorted!(world, Log::query("k"), texts(), sort_ge);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_ge);
    }
    "command/read::sort_between" => {
        for (low, high) in texts().into_iter().zip(texts().into_iter().rev()) {
            sane(Log::query("k").sort_between(low, high).send(&world.repository).await);
        }
    }
    "command/index_scan::segment" => {
        for (segment, of) in SMALL.into_iter().flat_map(|segment| SMALL.map(|of| (segment, of))) {
            sane(Log::scan().index::<LogByKind>().segment(segment, of).send(&world.repository).await);
        }
    }
    "command/read::segment" => {
        for (segment, of) in SMALL.into_iter().flat_map(|segment| SMALL.map(|of| (segment, of))) {
            sane(Tick::scan().segment(segment, of).send(&world.repository).await);
            sane(Log::scan().segment(segment, of).modify_each(|_| {}).send(&world.repository).await);
        }
    }
    "command/read::parallel" => {
        for segments in [0, 1, 1_000_001, u32::MAX] {
            sane(Tick::scan().parallel(segments).stream(&world.repository).try_collect().await);
            sane(Log::scan().parallel(segments).modify_each(|_| {}).send(&world.repository).await);
        }
    }
    "command/revisions::before" => {
        for version in NUMBERS {
            sane(Doc::revisions("1").before(version).send(&world.repository).await);
            sane(Doc::revision("1", version).send(&world.repository).await);
            applied!(Doc::rollback("1", version), &world.repository);
        }
    }
    "command/revisions::limit" => {
        for limit in COUNTS {
            sane(Doc::revisions("1").limit(limit).send(&world.repository).await);
        }
    }
    "command/transaction::put" => {
        for count in [0, 101] {
            let puts: Vec<_> = (0..count).map(|at| Tick { at, ..tick() }.put()).collect();
            applied!(Transaction::new().put(puts), &world.repository);
        }
    }
    "command/transaction::update" => {
        let updates: Vec<_> = (0..101).map(|at| Tick::update((1_u64, at)).with(Tick::fields().number.set(1))).collect();
        applied!(Transaction::new().update(updates), &world.repository);
    }
    "command/transaction::delete" => {
        let deletes: Vec<_> = texts().map(|text| Log::delete((text.clone(), text))).into();
        for delete in deletes {
            applied!(Transaction::new().delete(delete), &world.repository);
        }
    }
    "command/transaction::check" => {
        for text in texts() {
            applied!(Transaction::new().check(Log::check((text.clone(), text))), &world.repository);
        }
    }
    "command/transaction::token" => {
        for token in texts() {
            applied!(Transaction::new().put(tick().put()).token(token), &world.repository);
        }
    }
    "command/update::with" => {
        applied!(Tick::update((1_u64, 1_i64)).with([]), &world.repository);
        applied!(Tick::update((u64::MAX, i64::MIN)).with(Tick::fields().number.set(i64::MIN)), &world.repository);
    }
    "command/update::idempotency_key" => {
        for key in texts() {
            applied!(Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key(&key), &world.repository);
            applied!(Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key(&key), &world.repository);
        }
    }
    "command/update::version" => {
        for version in NUMBERS {
            applied!(Part::update("1").version(version).with(Part::fields().text.set("x")), &world.repository);
            let doc = Doc { id: "1".to_owned(), text: String::new(), version };
            applied!(doc.put(), &world.repository);
            applied!(Doc::delete("2", version), &world.repository);
        }
    }
    "expression/field/changes::set" => {
        for text in texts() {
            changed!(world, f => f.bytes.set(text.as_bytes().to_vec()));
            changed!(world, f => f.name.set(text));
        }
        for number in [u128::MIN, u128::from(u64::MAX), u128::MAX] {
            changed!(world, f => f.huge.set(number));
        }
        for number in [f64::NAN, f64::INFINITY, f64::MIN, f64::MAX, f64::MIN_POSITIVE, -0.0] {
            changed!(world, f => f.ratio.set(number));
        }
    }
    "expression/field/changes::set_if_absent" => {
        for text in texts() {
            changed!(world, f => f.name.set_if_absent(text));
        }
    }
    "expression/field/changes::add" => {
        for number in SIGNED {
            changed!(world, f => f.number.add(number));
        }
        for number in [0, u128::MAX, 10_u128.pow(38) - 1] {
            changed!(world, f => f.huge.add(number));
        }
        changed!(world, f => f.small.add(u8::MAX));
        changed!(world, f => f.ratio.add(f64::NAN));
    }
    "expression/field/changes::increment" => {
        for number in SIGNED {
            changed!(world, f => f.number.increment(number));
        }
        changed!(world, f => f.huge.increment(10_u128.pow(38) - 1));
    }
    "expression/field/changes::decrement" => {
        for number in SIGNED {
            changed!(world, f => f.number.decrement(number));
        }
        changed!(world, f => f.huge.decrement(u128::MAX));
    }
    "expression/field/changes::push" => {
        for text in texts() {
            changed!(world, f => f.texts.push(text));
        }
        changed!(world, f => f.texts.set(vec!["a".to_owned()]));
    }
    "expression/field/changes::extend" => {
        changed!(world, f => f.texts.extend(std::iter::empty::<String>()));
        changed!(world, f => f.texts.extend(std::iter::repeat_n("x", 500_000)));
    }
    "expression/field/changes::push_unique" => {
        for text in texts() {
            changed!(world, f => f.texts.push_unique(text));
        }
        changed!(world, f => f.texts.set(vec!["a".to_owned()]));
    }
    "expression/field/changes::remove_value" => {
        for text in texts() {
            changed!(world, f => f.texts.remove_value(text));
        }
    }
    "expression/field/changes::remove_at" => {
        for index in COUNTS {
            changed!(world, f => f.texts.remove_at(index, "a"));
        }
    }
    "expression/field/changes::replace_at" => {
        for index in COUNTS {
            changed!(world, f => f.texts.replace_at(index, "a", "x".repeat(500_000)));
        }
    }
    "expression/field/changes::insert" => {
        for number in SIGNED {
            changed!(world, f => f.numbers.insert(number));
        }
    }
    "expression/field/changes::insert_all" => {
        changed!(world, f => f.numbers.insert_all(SIGNED));
        changed!(world, f => f.numbers.insert_all(0..500_000));
    }
    "expression/field/changes::remove" => {
        for number in SIGNED {
            changed!(world, f => f.numbers.remove(number));
        }
    }
    "expression/field/changes::remove_all" => {
        changed!(world, f => f.numbers.remove_all(std::iter::empty::<i64>()));
        changed!(world, f => f.numbers.remove_all(0..500_000));
    }
    "expression/field/changes::entry" => {
        for text in texts() {
            changed!(world, f => f.scores.entry(text.clone()).set(u64::MAX));
            filtered!(world, f => f.scores.entry(text).eq(1));
        }
    }
    "expression/field/conditions::eq" => {
        for text in texts() {
            filtered!(world, f => f.name.eq(text));
        }
        filtered!(world, f => f.ratio.eq(f64::NAN));
        filtered!(world, f => f.huge.eq(u128::MAX));
    }
    "expression/field/conditions::ne" => {
        for text in texts() {
            filtered!(world, f => f.name.ne(text));
        }
    }
    "expression/field/conditions::is_in" => {
        filtered!(world, f => f.name.is_in(texts()));
        filtered!(world, f => f.number.is_in(SIGNED));
        filtered!(world, f => f.number.is_in(0..));
    }
    "expression/field/conditions::contains" => {
        for text in texts() {
            filtered!(world, f => f.name.contains(text));
        }
    }
    "expression/field/conditions::lt" => {
        for number in SIGNED {
            filtered!(world, f => f.number.lt(number));
        }
    }
    "expression/field/conditions::le" => {
        for text in texts() {
            filtered!(world, f => f.name.le(text));
        }
    }
    "expression/field/conditions::gt" => {
        for number in SIGNED {
            filtered!(world, f => f.number.gt(number));
        }
    }
    "expression/field/conditions::ge" => {
        for text in texts() {
            filtered!(world, f => f.name.ge(text));
        }
    }
    "expression/field/conditions::between" => {
        for (low, high) in texts().into_iter().zip(texts().into_iter().rev()) {
            filtered!(world, f => f.name.between(low, high));
        }
        filtered!(world, f => f.number.between(i64::MIN, i64::MAX));
        filtered!(world, f => f.ratio.between(f64::NAN, f64::NAN));
    }
    "expression/field/conditions::begins_with" => {
        for text in texts() {
            filtered!(world, f => f.name.begins_with(&text));
            filtered!(world, f => f.bytes.begins_with(text.as_bytes()));
        }
    }
    "expression/field/conditions::$method" => {
        for size in COUNTS {
            filtered!(world, f => f.name.size().eq(size) | f.name.size().ne(size) | f.name.size().lt(size));
            filtered!(world, f => f.name.size().le(size) | f.name.size().gt(size) | f.name.size().ge(size));
        }
    }
    "expression/field/keys::set" => {
        for (text, place) in texts().into_iter().zip(NUMBERS) {
            let update = Part::update("1").unchecked().with(Part::fields().shelf_and_place.set((text, place)));
            applied!(update, &world.repository);
        }
    }
    "found::classify" => {
        for now in SIGNED {
            let stored = item([("id", s("1")), ("deleted", AttributeValue::Bool(true)), ("ttl", n(now)), ("version", n(u64::MAX))]);
            let found = Found::<Doc>::classify(stored, EpochMillis::new(now)).expect("a tombstone");
            let Found::Deleted(tombstone) = found else { panic!("{found:?}") };
            assert_eq!((tombstone.version(), tombstone.expires()), (u64::MAX, Some(EpochSeconds::new(now))));
        }
        assert!(Found::<Doc>::classify(item([]), EpochMillis::new(0)).is_err());
    }
    "local::in_file" => { assert!(dyno::local::Engine::in_file("/dev/null/x").is_err()); }
    "local::local_file" => { assert!(Repository::local_file("/dev/null/x").await.is_err()); }
    "repository::with_table_prefix" => {
        for text in texts().into_iter().skip(1) {
            let repository = world.repository.clone().with_table_prefix(text);
            check_text(&Doc::get("1").send(&repository).await.expect_err("no table").to_string());
        }
    }
    "repository::with_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_table::<Doc>(text);
            check_text(&Doc::get("1").send(&repository).await.expect_err("no table").to_string());
        }
    }
    "repository::with_history_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_history_table::<Doc>(text);
            check_text(&Doc::revisions("1").send(&repository).await.expect_err("no table").to_string());
        }
    }
    "repository::with_idempotency_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_idempotency_table::<Rowed>(text);
            let update = Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key("k");
            check_text(&update.send(&repository).await.expect_err("no table").to_string());
        }
    }
    "repository::with_sealed_cursors" => {
        for byte in [0, u8::MAX] {
            let repository = world.repository.clone().with_sealed_cursors([byte; 32]);
            sane(Tick::scan().limit(1).send(&repository).await);
        }
    }
    "stream/record::new" => {
        let record = Record::new(Event::Modify, item([]));
        let _ = record.change::<Doc>().map_err(|error| check_text(&error.to_string()));
        let wide = item([("id", s(&texts()[6])), ("version", n("1".repeat(5000)))]);
        let record = Record::new(Event::Modify, wide.clone()).with_old_image(wide.clone()).with_new_image(wide);
        let _ = record.change::<Doc>().map_err(|error| check_text(&error.to_string()));
    }
    "stream/record::with_old_image" => {
        let record = Record::new(Event::Insert, item([("id", s("1"))])).with_old_image(item([]));
        let _ = record.change::<Doc>().map_err(|error| check_text(&error.to_string()));
    }
    "stream/record::with_new_image" => {
        for text in texts() {
            let image = item([("id", s(&text)), ("text", AttributeValue::B(Blob::new(text.as_bytes()))), ("version", n(&text))]);
            let record = Record::new(Event::Insert, item([("id", s(&text))])).with_new_image(image);
            let _ = record.change::<Doc>().map_err(|error| check_text(&error.to_string()));
        }
    }
    "stream/record::with_sequence_number" => {
        for text in texts() {
            let record = Record::new(Event::Insert, item([("id", s("1"))])).with_sequence_number(text.clone());
            assert_eq!(record.sequence_number(), Some(&*text));
        }
    }
    "stream/record::with_identity" => {
        for text in texts() {
            assert!(!Record::new(Event::Remove, item([])).with_identity(&text, &text).is_expired());
        }
    }
    "table/options::provisioned" => {
        for units in SIGNED {
            let options = TableOptions::default().provisioned(units, units);
            let made = world.repository.clone().with_table::<Tick>("new").create_table_with::<Tick>(&options).await;
            if units < 1 {
                sane(made);
            }
        }
    }
    "table/options::tag" => {
        for text in texts() {
            let options = TableOptions::default().tag(text.clone(), text);
            let made = world.repository.clone().with_table::<Tick>("tagged").create_table_with::<Tick>(&options).await;
            let _ = made.map_err(|error| check_text(&error.to_string()));
        }
    }
    "transacted::version_of" => {
        let committed = Transaction::new().put(tick().put()).send(&world.repository).await.expect("sent");
        let committed = committed.applied().expect("applied");
        assert!(COUNTS[1..].iter().all(|action| committed.version_of::<Doc>(*action).is_none()));
    }
    "transacted::refusal_of" => {
        let check = Tick::check((1_u64, 1_i64)).condition(Tick::fields().name.eq("nobody"));
        let sent = Transaction::new().check(check).send(&world.repository).await.expect("sent");
        let refusal = sent.refusal().expect("a refusal");
        assert!(refusal.refusal_of::<Tick>(0).is_some());
        assert!(COUNTS[1..].iter().all(|action| refusal.refusal_of::<Tick>(*action).is_none()));
    }
}

/// Every command that looks at the clock, at this time.
async fn clocked(world: &World, now: i64) {
    let repository = at(world, now);
    let id = format!("at {now}");
    applied!(Rating { id: id.clone(), at: EpochMillis::new(now) }.put(), &repository);
    applied!(Rating::delete(&id, EpochMillis::new(now)), &repository);
    sane(Rating::get(&id).send(&repository).await);
    for at in SIGNED {
        applied!(Rating { id: id.clone(), at: EpochMillis::new(at) }.put(), &repository);
    }
    applied!(Doc { id: id.clone(), text: "a".to_owned(), version: 0 }.put(), &repository);
    applied!(Doc::delete(&id, 1_u64), &repository);
    sane(Doc::revisions(&id).send(&repository).await);
    applied!(Bill::update(&id).upsert().with(Bill::fields().total.add(1)).idempotency_key("k"), &repository);
    applied!(Bill { id: id.clone(), total: 1 }.create(), &repository);
    applied!(Bill::update(&id).with(Bill::fields().total.add(1)).idempotency_key("k"), &repository);
    applied!(Bill::update(&id).with(Bill::fields().total.add(1)).idempotency_key("k"), &repository);
    applied!(Rowed { id: id.clone(), total: 1 }.create(), &repository);
    applied!(Rowed::update(&id).with(Rowed::fields().total.add(1)).idempotency_key("k"), &repository);
    let transaction = Transaction::new().put(Rating { id, at: EpochMillis::new(now) }.put());
    applied!(transaction, &repository);
}

/// The windows of the least and the greatest numbers, but one.
fn time_windows_of(window_secs: u32) -> impl Iterator<Item = TimeWindow> {
    let skews = SMALL.into_iter().flat_map(|max_skew_secs| SMALL.map(|key_bytes| (max_skew_secs, key_bytes)));
    skews.flat_map(move |(max_skew_secs, key_bytes)| {
        SMALL.map(|body_bytes| TimeWindow { window_secs, max_skew_secs, key_bytes, body_bytes })
    })
}

/// What is asked of a window never falls while the rate rises.
fn time_windows(ask: impl Fn(TimeWindow, u64) -> u64) {
    for window in SMALL.into_iter().flat_map(time_windows_of) {
        assert!(NUMBERS.map(|rps| ask(window, rps)).is_sorted(), "{window:?}");
    }
}

fn count_windows(ask: impl Fn(CountWindow, u64) -> u64) {
    let sizes = SMALL.into_iter().flat_map(|keys| SMALL.map(|key_bytes| (keys, key_bytes)));
    for (keys, key_bytes) in sizes {
        for body_bytes in SMALL {
            let window = CountWindow { keys, key_bytes, body_bytes };
            assert!(NUMBERS.map(|rps| ask(window, rps)).is_sorted(), "{window:?}");
        }
    }
}

/// The types of arguments that have extremes.
const TYPES: [&str; 22] = [
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i64",
    "f64",
    "str",
    "String",
    "Into",
    "AsRef",
    "IntoIterator",
    "IntoField",
    "SortBound",
    "SortPrefix",
    "IntoChanges",
    "IntoFields",
    "BatchAction",
    "Item",
    "EpochMillis",
    "Duration",
];

/// The functions that sources of the library show to users and that take such arguments, by file and name.
fn functions(file: &Path, root: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(file).expect("a source file");
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let name = file.strip_prefix(root).expect("within").with_extension("").display().to_string();
    let mut functions = Vec::new();
    let lines: Vec<&str> = source.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let Some(declared) = ["pub fn ", "pub const fn ", "pub async fn "]
            .iter()
            .find_map(|start| line.trim_start().strip_prefix(start))
        else {
            continue;
        };
        let attributes = lines[..index].iter().rev().take_while(|line| line.trim_start().starts_with('#'));
        let is_hidden = attributes.clone().any(|line| line.contains("doc(hidden)")) || declared.starts_with("__");
        let function: String = declared.split(['(', '<']).next().unwrap_or_default().to_owned();
        let arguments = arguments(&lines[index..].join(" "));
        let words = arguments.split(|char: char| !char.is_alphanumeric() && char != '_');
        if !is_hidden && (words.clone().any(|word| TYPES.contains(&word) || word.ends_with("Actions"))) {
            functions.push(format!("{name}::{function}"));
        }
    }
    functions
}

/// What stands between a function's parentheses, behind those of its generic parameters.
fn arguments(declaration: &str) -> String {
    let start = declaration.find("fn ").map_or(0, |at| at + 3);
    let (mut angles, mut depth, mut arguments) = (0_i32, 0_i32, String::new());
    let mut last = ' ';
    for char in declaration[start..].chars() {
        match char {
            '<' if depth == 0 => angles += 1,
            '>' if depth == 0 && last != '-' => angles -= 1,
            '(' if angles == 0 => depth += 1,
            ')' if angles == 0 && depth == 1 => break,
            ')' if angles == 0 => depth -= 1,
            _ => {}
        }
        if depth > 0 {
            arguments.push(char);
        }
        last = char;
    }
    arguments
}

fn all_functions(directory: &Path, root: &Path, functions: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all_functions(&path, root, functions);
        } else if path.file_name().is_some_and(|name| name != "__private.rs") {
            functions.extend(self::functions(&path, root));
        }
    }
}

/// Public in a module that is not, or with arguments that users do not choose.
const NOT_CALLED: [&str; 1] = ["sharing::check_shared"];

#[test]
fn every_function_is_called() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dyno-runtime/src");
    let mut found = Vec::new();
    all_functions(&root, &root, &mut found);
    found.retain(|function| !NOT_CALLED.contains(&function.as_str()));
    found.sort();
    let mut called: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    called.sort();
    let missing: Vec<_> = found.iter().filter(|function| count(&found, function) > count(&called, function)).collect();
    let gone: Vec<_> = called.iter().filter(|function| count(&called, function) > count(&found, function)).collect();
    assert!(missing.is_empty(), "call these with their extremes: {missing:?}");
    assert!(gone.is_empty(), "these are no functions any more: {gone:?}");
}

fn count(all: &[String], function: &str) -> usize {
    all.iter().filter(|other| *other == function).count()
}
