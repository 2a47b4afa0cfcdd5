//! Commands: reads, writes, batches and transactions.

use super::{
    Bill, COUNTS, Doc, Log, LogByKind, NUMBERS, Part, Rowed, SIGNED, SMALL, Sight, Tick, sane, sane_search, texts, tick,
};
use dyno::{BatchGet, BatchWrite, Checkpoint, Cursor, InputCheckpoint, SendMany, Transaction, batch_get};
use dyno_tests::World;

/// Sends a query with each of these conditions on the sort key, for each value.
macro_rules! sorted {
    ($world:ident, $query:expr, $values:expr, $($method:ident)+) => {
        for value in $values {
            $(sane($query.$method(value.clone()).limit(1).send(&$world.repository).await);)+
        }
    };
}

calls! { world;
    "command/many/batch_get::new" => {
        sane(BatchGet::<Log>::new([]).send(&world.repository).await);
        for text in texts() {
            sane(BatchGet::<Log>::new([(text.clone(), text)]).send(&world.repository).await);
        }
        sane(BatchGet::<Doc>::new(std::iter::repeat_n("1".to_owned(), 100_000)).send(&world.repository).await);
    }
    "command/many/batch_get::concurrency" => {
        for count in COUNTS {
            sane(Doc::batch_get(["1", "2"]).concurrency(count).send(&world.repository).await);
        }
    }
    "command/many/batch_get::concurrency" => {
        for count in COUNTS {
            let batch = batch_get((Doc::batch_get(["1"]), Bill::batch_get(["1"])));
            sane(batch.concurrency(count).send(&world.repository).await);
        }
    }
    "command/many/send_many::new" => {
        for text in texts() {
            let mut sent = SendMany::new(&text, [tick().put()]).send(&world.repository);
            while let Some(sent) = sent.next().await {
                sane(sent.result);
            }
        }
    }
    "command/many/send_many::of_stream" => {
        for text in texts() {
            let none: [dyno::command::Put<Tick>; 0] = [];
            assert!(SendMany::of_stream(&text, futures_util::stream::iter(none)).send(&world.repository).next().await.is_none());
        }
    }
    "command/many/send_many::concurrency" => {
        for commands in [0, 1, usize::MAX] {
            let mut sent = SendMany::new("logs", [tick().put()]).concurrency(commands).send(&world.repository);
            while let Some(sent) = sent.next().await {
                sane(sent.result);
            }
        }
    }
    "command/many/send_many::after" => {
        for text in texts() {
            assert!(text.parse::<InputCheckpoint>().is_err());
        }
    }
    "command/many/batch_write::add" => {
        for text in texts() {
            let log = Log { owner: text.clone(), line: text.clone(), kind: text.clone(), name: text, level: u64::MAX };
            let written = BatchWrite::new().add(log.put()).send(&world.repository).await;
            sane(written.and_then(dyno::command::BatchWritten::applied));
        }
    }
    "command/many/batch_write::add_all" => {
        let ticks: Vec<Tick> = SIGNED.map(|at| Tick { at, number: at, ..tick() }).into();
        let written = BatchWrite::new().add_all(ticks.iter().map(Tick::put)).send(&world.repository).await;
        sane(written.and_then(dyno::command::BatchWritten::applied));
        let none: [dyno::command::Put<Tick>; 0] = [];
        sane(BatchWrite::new().add_all(none).send(&world.repository).await);
    }
    "command/many/batch_write::concurrency" => {
        for count in COUNTS {
            let batch = BatchWrite::new().add(tick().put()).concurrency(count);
            sane(batch.send(&world.repository).await);
        }
    }
    "command/transaction/check::version" => {
        for version in NUMBERS {
            sane_write!(Transaction::new().check(Doc::check("1").version(version)), &world.repository);
        }
    }
    "command/many/each_commands::after" => {
        for text in texts() {
            assert!(text.parse::<Checkpoint>().is_err());
        }
    }
    "command/many/each_commands::attempts" => {
        for attempts in SMALL {
            sane(Log::scan().modify_each(|_| {}).attempts(attempts).send(&world.repository).await);
            sane(Log::scan().delete_each().attempts(attempts).send(&world.repository).await);
        }
    }
    "command/read/index_sort::sort_begins_with" => { sorted!(world, Log::by_kind("k"), texts().each_ref().map(String::as_str), sort_begins_with); }
    "command/read/index_sort::sort_eq" => { sorted!(world, Log::by_kind("k"), texts(), sort_eq); }
    "command/read/index_sort::sort_lt" => { sorted!(world, Log::by_kind("k"), texts(), sort_lt); }
    "command/read/index_sort::sort_le" => { sorted!(world, Log::by_kind("k"), texts(), sort_le); }
    "command/read/index_sort::sort_gt" => { sorted!(world, Log::by_kind("k"), texts(), sort_gt); }
    "command/read/index_sort::sort_ge" => { sorted!(world, Log::by_kind("k"), texts(), sort_ge); }
    "command/read/index_sort::sort_between" => {
        for (low, high) in texts().into_iter().zip(texts().into_iter().rev()) {
            sane(Log::by_kind("k").sort_between(low, high).send(&world.repository).await);
        }
    }
    "command/read/index_sort::sort_eq" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_eq);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_eq);
    }
    "command/read/index_sort::sort_lt" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_lt);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_lt);
    }
    "command/read/index_sort::sort_le" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_le);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_le);
    }
    "command/read/index_sort::sort_gt" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_gt);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_gt);
    }
    "command/read/index_sort::sort_ge" => {
        sorted!(world, Log::by_level("k"), NUMBERS, sort_ge);
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts(), sort_ge);
    }
    "command/read/index_sort::sort_between" => {
        for (low, high) in NUMBERS.into_iter().zip(NUMBERS.into_iter().rev()) {
            sane(Log::by_level("k").sort_between(low, high).send(&world.repository).await);
        }
    }
    "command/read/index_sort::sort_begins_with" => {
        sorted!(world, Log::by_level("k").sort_eq(1_u64), texts().each_ref().map(String::as_str), sort_begins_with);
    }
    "command/write/modify::attempts" => {
        for attempts in SMALL {
            sane_write!(Doc::modify("1", |_| {}).attempts(attempts), &world.repository);
        }
    }
    "command/read/pages::limit" => {
        for limit in COUNTS {
            sane(Tick::scan().limit(limit).send(&world.repository).await);
            sane(Tick::query(1_u64).limit(limit).stream(&world.repository).try_collect().await);
            sane(Log::by_kind("k").limit(limit).send(&world.repository).await);
            // The scan skips some rows, such as tombstones, so it sends further requests.
            sane(Doc::scan().limit(limit).send(&world.repository).await);
            sane(Tick::scan().filter(Tick::fields().number.eq(5)).limit(limit).send(&world.repository).await);
        }
    }
    "command/read/pages::after" => {
        for text in texts() {
            assert!(text.parse::<Cursor>().is_err());
        }
    }
    "command/read/query_and_scan::sort_begins_with" => { sorted!(world, Log::query("k"), texts().each_ref().map(String::as_str), sort_begins_with); }
    "command/read/query_and_scan::sort_eq" => {
        sorted!(world, Log::query("k"), texts(), sort_eq);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_eq);
    }
    "command/read/query_and_scan::sort_lt" => {
        sorted!(world, Log::query("k"), texts(), sort_lt);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_lt);
    }
    "command/read/query_and_scan::sort_le" => {
        sorted!(world, Log::query("k"), texts(), sort_le);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_le);
    }
    "command/read/query_and_scan::sort_gt" => {
        sorted!(world, Log::query("k"), texts(), sort_gt);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_gt);
    }
    "command/read/query_and_scan::sort_ge" => {
        sorted!(world, Log::query("k"), texts(), sort_ge);
        sorted!(world, Tick::query(1_u64), SIGNED, sort_ge);
    }
    "command/read/query_and_scan::sort_between" => {
        for (low, high) in texts().into_iter().zip(texts().into_iter().rev()) {
            sane(Log::query("k").sort_between(low, high).send(&world.repository).await);
        }
    }
    "command/read/index_scan::segment" => {
        for (segment, of) in SMALL.into_iter().flat_map(|segment| SMALL.map(|of| (segment, of))) {
            sane(Log::scan().index::<LogByKind>().segment(segment, of).send(&world.repository).await);
        }
    }
    "command/read/query_and_scan::segment" => {
        for (segment, of) in SMALL.into_iter().flat_map(|segment| SMALL.map(|of| (segment, of))) {
            sane(Tick::scan().segment(segment, of).send(&world.repository).await);
            sane(Log::scan().segment(segment, of).modify_each(|_| {}).send(&world.repository).await);
        }
    }
    "command/read/query_and_scan::parallel" => {
        for segments in [0, 1, 1_000_001, u32::MAX] {
            sane(Tick::scan().parallel(segments).stream(&world.repository).try_collect().await);
            sane(Log::scan().parallel(segments).modify_each(|_| {}).send(&world.repository).await);
        }
    }
    "command/read/revisions::after" => { sane(Doc::revisions("1").after(None).send(&world.repository).await); }
    "command/read/revisions::before" => {
        for version in NUMBERS {
            sane(Doc::revisions("1").before(version).send(&world.repository).await);
            sane(Doc::revision("1", version).send(&world.repository).await);
            sane_write!(Doc::rollback("1", version), &world.repository);
        }
    }
    "command/read/revisions::limit" => {
        for limit in COUNTS {
            sane(Doc::revisions("1").limit(limit).send(&world.repository).await);
        }
    }
    "command/read/search::top" => {
        for top in COUNTS {
            sane_search(world, Sight::near([0.0, 1.0]).top(top)).await;
        }
    }
    "command/read/search::within" => {
        let limits = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MIN_POSITIVE, f64::MAX, f64::MIN];
        for limit in limits {
            sane_search(world, Sight::near([f32::MAX, f32::MIN_POSITIVE]).within(limit)).await;
        }
    }
    "command/transaction/mod::put" => {
        for count in [0, 101] {
            let puts: Vec<_> = (0..count).map(|at| Tick { at, ..tick() }.put()).collect();
            sane_write!(Transaction::new().put(puts), &world.repository);
        }
    }
    "command/transaction/mod::update" => {
        let updates: Vec<_> = (0..101).map(|at| Tick::update((1_u64, at)).with(Tick::fields().number.set(1))).collect();
        sane_write!(Transaction::new().update(updates), &world.repository);
    }
    "command/transaction/mod::delete" => {
        let deletes: Vec<_> = texts().map(|text| Log::delete((text.clone(), text))).into();
        for delete in deletes {
            sane_write!(Transaction::new().delete(delete), &world.repository);
        }
    }
    "command/transaction/mod::check" => {
        for text in texts() {
            sane_write!(Transaction::new().check(Log::check((text.clone(), text))), &world.repository);
        }
    }
    "command/transaction/mod::token" => {
        for token in texts() {
            sane_write!(Transaction::new().put(tick().put()).token(token), &world.repository);
        }
    }
    "command/write/update::with" => {
        sane_write!(Tick::update((1_u64, 1_i64)).with([]), &world.repository);
        sane_write!(Tick::update((u64::MAX, i64::MIN)).with(Tick::fields().number.set(i64::MIN)), &world.repository);
    }
    "command/write/update::idempotency_key" => {
        for key in texts() {
            sane_write!(Bill::update("1").with(Bill::fields().total.add(1)).idempotency_key(&key), &world.repository);
            sane_write!(Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key(&key), &world.repository);
        }
    }
    "command/write/update::version" => {
        for version in NUMBERS {
            sane_write!(Part::update("1").version(version).with(Part::fields().text.set("x")), &world.repository);
            let doc = Doc { id: "1".to_owned(), text: String::new(), version };
            sane_write!(doc.put(), &world.repository);
            sane_write!(Doc::delete("2", version), &world.repository);
        }
    }
}
