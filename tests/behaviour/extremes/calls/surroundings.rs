//! The surroundings of commands: repositories, tables, streams, and the local engine.

use super::{COUNTS, Claimed, Doc, Rowed, SIGNED, SMALL, Slip, Tick, check_text, sane, texts, tick};
use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::json_lines::{Line, Table};
use dyno::local::explore::Explore;
use dyno::local::{Engine, Fault, Faults, Rates, SentRequest};
use dyno::model::Model;
use dyno::stream::{Event, Record};
use dyno::{EpochMillis, EpochSeconds, Error, Found, Pace, Repository, Sweep, TableOptions, Transaction};
use dyno_tests::{World, item, n, s};
use std::time::Duration;

calls! { world;
    "entity/row::classify" => {
        for now in SIGNED {
            let stored = item([("id", s("1")), ("deleted", AttributeValue::Bool(true)), ("ttl", n(now)), ("version", n(u64::MAX))]);
            let found = Found::<Doc>::classify(stored, EpochMillis::new(now)).expect("a tombstone");
            let Found::Deleted(tombstone) = found else { panic!("{found:?}") };
            assert_eq!((tombstone.version(), tombstone.expires()), (u64::MAX, Some(EpochSeconds::new(now))));
        }
        assert!(Found::<Doc>::classify(item([]), EpochMillis::new(0)).is_err());
    }
    "json_lines/export::after" => {
        let ticks = Table::describe(&world.repository, "ticks").await.expect("a table");
        sane(ticks.export().after(None).stream(&world.repository).next().await.transpose());
    }
    "json_lines/export::segment" => {
        let ticks = Table::describe(&world.repository, "ticks").await.expect("a table");
        for (segment, of) in SMALL.into_iter().flat_map(|segment| SMALL.map(|of| (segment, of))) {
            sane(ticks.export().segment(segment, of).stream(&world.repository).next().await.transpose());
        }
    }
    "json_lines/line::read" => {
        for now in SIGNED {
            let line = Line::from(item([("id", s("1")), ("deleted", AttributeValue::Bool(true)), ("ttl", n(now))]));
            assert!(line.read::<Doc>(EpochMillis::new(now)).expect("a tombstone").is_none());
        }
        for text in texts() {
            sane(Line::from(item([("id", s(&text)), (&text, n(&text))])).to_string().parse::<Line>());
        }
    }
    "json_lines/table::describe" => {
        // The recorded requests have the name in a line.
        for text in texts().into_iter().filter(|text| !text.contains('\n')) {
            check_error(Table::describe(&world.repository, &text).await);
        }
    }
    "json_lines/table::import" => {
        let ticks = Table::describe(&world.repository, "ticks").await.expect("a table");
        for text in texts() {
            sane(ticks.import(&text).send(&world.repository).await);
            let line = Line::from(item([("id", s(&text)), ("text", s(&text))])).to_string();
            check_error(ticks.import(&line).send(&world.repository).await);
        }
    }
    "local/engine::in_file" => { assert!(Engine::in_file("/dev/null/x").is_err()); }
    "local/engine::local_file" => { assert!(Repository::local_file("/dev/null/x").await.is_err()); }
    "local/explore/mod::at" => {
        for time in SIGNED {
            check_text(&explored(Explore::new().at(EpochMillis::new(time)), "reader"));
        }
    }
    "local/explore/mod::faults" => { check_text(&explored(Explore::new().faults(usize::MAX), "reader")); }
    "local/explore/mod::preemptions" => { check_text(&explored(Explore::new().preemptions(usize::MAX), "reader")); }
    "local/explore/mod::runs" => {
        check_text(&explored(Explore::new().runs(usize::MAX), "reader"));
        assert!(std::panic::catch_unwind(|| Explore::new().runs(0)).is_err());
    }
    "local/explore/mod::sample" => { check_text(&explored(Explore::new().sample(1, u64::MAX), "reader")); }
    "local/explore/mod::with" => { check_text(&explored(Explore::new().with([]), "reader")); }
    "local/explore/world::process" => {
        for name in texts() {
            check_text(&explored(Explore::new(), &name));
        }
    }
    "local/faults/kept_request::on_request" => {
        let faults = Faults::new();
        faults.on_request(usize::MAX, SentRequest::is_any, Fault::AnswerLost);
        assert_eq!(faults.unmet(), 1);
        let at_zero = move || faults.on_request(0, SentRequest::is_any, Fault::AnswerLost);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(at_zero)).is_err());
    }
    "local/faults/network::answer" => {
        let faults = Faults::new();
        let repository = Repository::new(Engine::in_memory().expect("an engine").client_with(&faults));
        for text in texts() {
            faults.answer("GetItem", 400, &text);
            check_text(&Doc::get("1").send(&repository).await.expect_err("an answer without a meaning").to_string());
        }
    }
    "local/faults/network::delay_next" => { world.faults.delay_next([(Duration::ZERO, Duration::ZERO)]); sane(Doc::get("1").send(&world.repository).await); }
    "local/faults/network::latency" => { world.faults.latency(Duration::ZERO, Duration::ZERO); sane(Doc::get("1").send(&world.repository).await); }
    "local/faults/network::hold_after" => { world.faults.hold_after(usize::MAX); sane(Doc::get("1").send(&world.repository).await); world.faults.release(); }
    "local/faults/network::random" => {
        let faults = Faults::new();
        let repository = Repository::new(Engine::in_memory().expect("an engine").client_with(&faults));
        for seed in [0, u64::MAX] {
            faults.random(seed, Rates { refuse: 1.0, late_when_dropped_by: Duration::MAX, stale_by: Duration::MAX, ..Rates::NONE });
            let error = Doc::get("1").send(&repository).await.expect_err("refused");
            assert!(error.to_string().contains("AccessDeniedException"), "{error}");
        }
    }
    "local/faults/network::replica_lag" => {
        let faults = Faults::new();
        let repository = Repository::new(Engine::in_memory().expect("an engine").client_with(&faults));
        for lag in [Duration::ZERO, Duration::MAX] {
            faults.replica_lag(lag);
            check_text(&Doc::get("1").send(&repository).await.expect_err("no table").to_string());
        }
    }
    "local/stream_records::stream_records" => {
        let engine = Engine::in_memory().expect("an engine");
        for table in ["", "x", &"x".repeat(1000), "\u{0}"] {
            assert!(engine.stream_records(table).is_err());
        }
    }
    "exchange/repository/mod::with_table_prefix" => {
        for text in texts().into_iter().skip(1) {
            let repository = world.repository.clone().with_table_prefix(text);
            check_text(&Doc::get("1").send(&repository).await.expect_err("no table").to_string());
        }
    }
    "model/mod::pattern" => {
        for text in texts() {
            let get = || Doc::get("1").request(&world.repository);
            sane(Model::new(&world.repository).table::<Doc>().pattern(text.clone(), get()).page("p").map(drop));
            let twice = Model::new(&world.repository).table::<Doc>().pattern(text.clone(), get()).pattern(text.clone(), get());
            check_text(&twice.page("p").expect_err("one name").to_string());
            let unknown = Model::new(&world.repository).pattern(text.clone(), get());
            check_text(&unknown.page("p").expect_err("no table").to_string());
            let failed = Model::new(&world.repository).table::<Doc>().pattern(text, Doc::get("").request(&world.repository));
            check_text(&failed.page("p").expect_err("no key").to_string());
        }
    }
    "model/mod::page" => {
        for text in texts() {
            sane(Model::new(&world.repository).table::<Doc>().page(&text).map(drop));
        }
    }
    "model/mod::policy" => {
        for text in texts() {
            check_text(&Model::new(&world.repository).table::<Doc>().policy(&text).expect_err("no ARN").to_string());
        }
    }
    "model/export::same_as" => {
        let export = Model::new(&world.repository).table::<Doc>().cloudformation().expect("a template");
        for text in texts() {
            check_text(&export.same_as(format!("/dev/null/{text}")).expect_err("no file").to_string());
        }
    }
    "model/lock/mod::check" => {
        let lock = Model::new(&world.repository).table::<Doc>().schema_lock().expect("a lock");
        for text in texts() {
            check_text(&lock.check(format!("/dev/null/{text}")).expect_err("no file").to_string());
        }
    }
    "model/lock/mod::update" => {
        let lock = Model::new(&world.repository).table::<Doc>().schema_lock().expect("a lock");
        for text in texts() {
            check_text(&lock.update(format!("/dev/null/{text}"), Some(&text)).expect_err("no file").to_string());
        }
    }
    "model/lock/mod::changes_since" => {
        let lock = Model::new(&world.repository).table::<Doc>().schema_lock().expect("a lock");
        for text in texts() {
            check_text(&lock.changes_since(&text).expect_err("no lock file").to_string());
            // A file with extreme names.
            let name = serde_json::Value::from(text).to_string();
            let other = lock.to_string().replace("\"Doc\"", &name);
            for change in lock.changes_since(&other).expect("a lock file") {
                check_text(&change.to_string());
            }
        }
    }
    "table/inspect::inspect_table" => {
        for rows in COUNTS {
            sane(world.repository.inspect_table::<Doc>(rows).await);
        }
    }
    "entity/tables::with_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_table::<Doc>(text);
            check_text(&Doc::get("1").send(&repository).await.expect_err("no table").to_string());
        }
    }
    "entity/tables::with_history_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_history_table::<Doc>(text);
            check_text(&Doc::revisions("1").send(&repository).await.expect_err("no table").to_string());
        }
    }
    "entity/tables::with_idempotency_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_idempotency_table::<Rowed>(text);
            let update = Rowed::update("1").with(Rowed::fields().total.add(1)).idempotency_key("k");
            check_text(&update.send(&repository).await.expect_err("no table").to_string());
        }
    }
    "entity/tables::with_unique_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_unique_table::<Claimed>(text.clone());
            let claimed = Claimed { id: "1".to_owned(), code: text };
            check_text(&claimed.create().send(&repository).await.expect_err("no table").to_string());
        }
    }
    "exchange/repository/lane_settings::with_lane_table" => {
        for text in texts() {
            let repository = world.repository.clone().with_lane_table(text);
            check_text(&Sweep::new().send(&repository).await.expect_err("no table").to_string());
            sane(repository.verify_lane_table().await);
        }
    }
    "exchange/repository/lane_settings::with_lanes" => {
        let repository = world.repository.clone().with_lane_table("lanes-of-calls");
        repository.create_lane_table().await.expect("a lane table");
        for lanes in [1, u32::MAX, 0] {
            let repository = repository.clone().with_lanes(lanes);
            sane(dyno::__private::lanes::take(&repository).await.map(dyno::__private::lanes::Lane::give_back));
        }
    }
    "exchange/repository/lane_settings::with_lock_timeout" => {
        let repository = world.repository.clone().with_lane_table("lanes-of-sweeps");
        repository.create_lane_table_with(&TableOptions::default().provisioned(1, 1)).await.expect("a lane table");
        for lock_timeout in [Duration::ZERO, Duration::MAX] {
            sane(Sweep::new().of::<Slip>().send(&repository.clone().with_lock_timeout(lock_timeout)).await);
        }
    }
    "exchange/pace/mod::read_units" => {
        for rate in [f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN, -0.0] {
            let repository = world.repository.paced(Pace::new().read_units(rate));
            sane(Tick::scan().limit(1).send(&repository).await);
        }
    }
    "exchange/pace/mod::write_units" => {
        for rate in [f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN, -0.0] {
            let repository = world.repository.paced(Pace::new().write_units(rate));
            sane(Tick::scan().limit(1).send(&repository).await);
        }
    }
    "exchange/repository/mod::with_sealed_cursors" => {
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
    "entity/transaction_outcome::version_of" => {
        let committed = Transaction::new().put(tick().put()).send(&world.repository).await.expect("sent");
        let committed = committed.applied().expect("applied");
        assert!(COUNTS[1..].iter().all(|action| committed.version_of::<Doc>(*action).is_none()));
    }
    "entity/transaction_outcome::refusal_of" => {
        let check = Tick::check((1_u64, 1_i64)).condition(Tick::fields().name.eq("nobody"));
        let sent = Transaction::new().check(check).send(&world.repository).await.expect("sent");
        let refusal = sent.refusal().expect("a refusal");
        assert!(refusal.refusal_of::<Tick>(0).is_some());
        assert!(COUNTS[1..].iter().all(|action| refusal.refusal_of::<Tick>(*action).is_none()));
    }
}

/// Explores a read in a process of this name. An exploration has runtimes of its own, so it runs in another thread.
fn explored(explore: Explore, name: &str) -> String {
    let name = name.to_owned();
    let explored = std::thread::spawn(move || {
        let explored = explore.run(async |world| {
            let reader = world.process(&name, async |repository| Doc::get("1").send(&repository).await.is_ok());
            world.run(reader).await;
            Ok(())
        });
        explored.map_or_else(|failure| failure.message.clone(), |report| report.to_string())
    });
    explored.join().expect("no panic")
}

/// Checks the text of the error, if there is one: only DynamoDB knows what a table has and takes.
fn check_error<T>(result: Result<T, Error>) {
    if let Err(error) = result {
        check_text(&error.to_string());
    }
}
