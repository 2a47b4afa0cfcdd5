//! What a plain `tracing_subscriber::fmt()` shows: nothing for a healthy service, and an event for everything unusual. No
//! event or span contains a key or a value of an item.

use crate::spans::subscribe;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::local::Engine;
use dyno::lock::Lock;
use dyno::{Entity, Outcome, Repository, Transaction};
use dyno_tests::faults::{Fault, REQUEST_ID};
use dyno_tests::{World, is_remote, world};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::Layer as _;

const KEY: &str = "secret key";
const TEXT: &str = "secret text";

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[tombstone(ttl_days = 7)]
#[transactional]
struct Note {
    #[partition_key]
    id: String,
    text: String,
    count: u64,
    #[version]
    version: u64,
}

/// A note with a ratchet: a put that arrives twice does no harm.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "notes")]
#[tombstone(ttl_days = 7)]
struct Late {
    #[partition_key]
    id: String,
    text: String,
    #[ratchet]
    at: u64,
}

fn note(version: u64) -> Note {
    Note { id: KEY.to_owned(), text: TEXT.to_owned(), count: 0, version }
}

fn late(at: u64) -> Late {
    Late { id: "late secret".to_owned(), text: TEXT.to_owned(), at }
}

/// The lines of a log.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Log {
    /// Listens as `tracing_subscriber::fmt()` does, without the time and the colours.
    pub(crate) fn listen() -> (Self, DefaultGuard) {
        let log = Self::default();
        let layer = fmt::layer().with_writer(log.clone()).without_time().with_ansi(false);
        let guard = subscribe(layer.with_filter(LevelFilter::INFO));
        (log, guard)
    }

    /// Takes dyno's lines since the last call, and asserts that the log contains no key or value. (Lines of the SDK are left
    /// out: the SDK logs that this network has no connections to close.)
    pub(crate) fn lines(&self) -> Vec<String> {
        let bytes = std::mem::take(&mut *self.0.lock().expect("no panic"));
        let text = String::from_utf8(bytes).expect("text");
        assert!(!text.contains("secret"), "{text}");
        text.lines().filter(|line| line.contains(" dyno::")).map(str::to_owned).collect()
    }

    /// Takes the only line since the last call.
    fn line(&self) -> String {
        let lines = self.lines();
        let [line] = <[String; 1]>::try_from(lines).expect("one line");
        line
    }
}

async fn begin() -> (World, Log, DefaultGuard) {
    let world = world::<Note>().await;
    world.create_lanes_only().await;
    let (log, guard) = Log::listen();
    (world, log, guard)
}

/// Adds 1 to the note's count in a transaction. If `meets_another`, another writer changes the note during the first attempt.
async fn add_one(repository: &Repository, meets_another: bool) {
    let has_met = AtomicBool::new(!meets_another);
    let other = repository.clone();
    let added = Transaction::interactive(|tx| {
        let other = (!has_met.swap(true, Ordering::SeqCst)).then(|| other.clone());
        async move {
            let note = tx.get(Note::get(KEY)).await?.expect("there");
            if let Some(other) = other {
                Note::modify(KEY, |note| note.count += 10).send(&other).await?.applied()?;
            }
            tx.put(Note { count: note.count + 1, ..note }.put());
            Ok(())
        }
    });
    added.send(repository).await.expect("sent").applied().expect("applied");
}

#[tokio::test]
async fn a_healthy_service_is_quiet() {
    let (world, log, _guard) = begin().await;
    let repository = &world.repository;
    note(0).create().send(repository).await.expect("sent").applied().expect("applied");
    Note::get(KEY).send(repository).await.expect("a get");
    let update = Note::update(KEY).version(1u64).with(Note::fields().count.add(1));
    update.send(repository).await.expect("sent").applied().expect("applied");
    add_one(repository, false).await;
    assert_eq!(Note::scan().send(repository).await.expect("a scan").items.len(), 1);
    Note::delete(KEY, 3u64).send(repository).await.expect("sent").applied().expect("applied");
    assert_eq!(log.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn a_throttled_attempt_is_a_warning_with_the_request_and_its_table() {
    let (world, log, _guard) = begin().await;
    world.faults.throttle(1);
    note(0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let line = log.line();
    assert!(
        line.contains("WARN")
            && line.contains("DynamoDB throttled a request attempt: if it goes on, raise the capacity attempt=1"),
        "{line}"
    );
    for part in [
        r#"otel.name=DynamoDB.PutItem otel.kind="client" db.system.name="aws.dynamodb" db.operation.name="PutItem""#,
        r#"aws.dynamodb.table_names="notes" entity="Note" operation="create""#,
        r#"status=400 code="ThrottlingException""#,
        "dyno::attempt",
        REQUEST_ID,
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    world.faults.throttle(1);
    Note::get(KEY).send(&world.repository).await.expect("a get");
    let line = log.line();
    assert!(line.contains("DynamoDB throttled a request attempt: if it goes on"), "of a read, too: {line}");
}

#[tokio::test]
async fn a_request_that_no_retry_mends_is_a_warning() {
    let (world, log, _guard) = begin().await;
    for code in ["AccessDeniedException", "ExpiredTokenException", "UnrecognizedClientException"] {
        world.faults.next([Fault::ErrorCode(code)]);
        let error = Note::get(KEY).send(&world.repository).await.expect_err("denied");
        assert!(error.is_denied() && error.request_id().is_some(), "{error}");
        let line = log.line();
        assert!(line.contains("WARN") && line.contains("DynamoDB denied a request"), "{line}");
        assert!(line.contains(code) && line.contains(REQUEST_ID), "{line}");
    }
    let elsewhere = world.repository.clone().with_table_prefix("other-");
    let error = Note::get(KEY).send(&elsewhere).await.expect_err("no table");
    assert!(error.is_table_missing() && !error.is_denied(), "{error}");
    assert!(log.line().contains("DynamoDB does not find the table or index of a request: check its name"));
    // Whoever creates a table asks first whether it exists.
    elsewhere.create_table::<Note>().await.expect("a table");
    assert_eq!(log.lines(), Vec::<String>::new());
    // An error of DynamoDB's own has its status, and the SDK sends the request again.
    world.faults.next([Fault::ErrorCode("InternalServerError")]);
    Note::get(KEY).send(&world.repository).await.expect("a get");
    assert!(log.line().contains("a request attempt failed, and the SDK may send another one attempt=1 status=500"));
}

#[tokio::test]
async fn an_attempt_without_an_answer_is_a_warning() {
    let (world, log, _guard) = begin().await;
    note(0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    world.lose_answers(1);
    Note::get(KEY).send(&world.repository).await.expect("a get");
    let line = log.line();
    assert!(
        line.contains("WARN")
            && line.contains("a request attempt got no answer, and the SDK may send another one attempt=1"),
        "{line}"
    );
    world.faults.next([Fault::ServerError { served: true }]);
    Note::get(KEY).send(&world.repository).await.expect("a get");
    let line = log.line();
    assert!(line.contains("and the SDK may send another one attempt=1 status=500"), "{line}");
}

#[tokio::test]
async fn a_write_that_may_have_been_applied_is_a_warning() {
    let (world, log, _guard) = begin().await;
    note(0).create().send(&world.repository).await.expect("sent").applied().expect("applied");
    let once = world.process(RetryConfig::disabled());
    once.faults.lose_answers(1);
    let error = note(1).put().send(&once.repository).await.expect_err("lost");
    assert!(error.may_be_applied());
    let last = log.lines().pop().expect("a line");
    assert!(last.contains("WARN") && last.contains("a write ended with an error and may have been applied"), "{last}");
    assert!(last.contains(r#"dyno{entity="Note" operation="put" table="notes"#), "{last}");
    once.faults.lose_answers(1);
    let error = Transaction::new().put(note(2).put()).native().send(&once.repository).await.expect_err("lost");
    assert!(error.may_be_applied());
    let last = log.lines().pop().expect("a line");
    assert!(last.contains("may have been applied") && last.contains("operation=\"transaction\""), "{last}");
}

#[tokio::test]
async fn a_lost_lock_is_a_warning_with_its_name() {
    let (world, log, _guard) = begin().await;
    Lock::create_table(&world.repository).await.expect("a table");
    let held = Lock::new("nightly").acquire(&world.repository).await.expect("acquired");
    world.clock.advance(60_000);
    assert!(held.left().is_err());
    assert!(held.left().is_err());
    let line = log.line();
    assert!(line.contains("WARN") && line.contains("was lost: no heartbeat was sent in time"), "{line}");
    assert!(line.contains(r#"lock="nightly" fence=1"#), "{line}");
}

/// The engine has no connections. The SDK would log an error at each fault, because it finds none to close.
#[tokio::test]
async fn a_fault_of_the_engine_is_no_error_of_the_sdk() {
    let (log, _guard) = Log::listen();
    let faults = dyno::local::Faults::new();
    let repository = Repository::new(Engine::in_memory().expect("an engine").client_with(&faults));
    repository.create_table::<Late>().await.expect("a table");
    faults.next([Fault::AnswerLost]);
    late(1).put().send(&repository).await.expect("sent").applied().expect("applied");
    let bytes = std::mem::take(&mut *log.0.lock().expect("no panic"));
    let text = String::from_utf8(bytes).expect("text");
    assert!(text.contains("a request attempt got no answer") && !text.contains("ERROR"), "{text}");
}

#[tokio::test]
async fn a_refusal_is_an_event_with_its_reasons() {
    let (world, log, _guard) = begin().await;
    let repository = &world.repository;
    note(0).create().send(repository).await.expect("sent").applied().expect("applied");
    let refused = note(7).replace().send(repository).await.expect("sent");
    assert!(matches!(refused, Outcome::Refused(_)));
    let line = log.line();
    assert!(line.contains("INFO") && line.contains(r#"the write was refused reasons="Conflict""#), "{line}");
    assert!(line.contains(r#"dyno{entity="Note" operation="replace" table="notes"#), "{line}");
    for transaction in [Transaction::new().native(), Transaction::new().client_side()] {
        let outcome = transaction.put(note(0).create()).send(repository).await.expect("sent");
        assert!(!outcome.is_applied());
        let line = log.line();
        assert!(line.contains(r#"the write was refused reasons="Exists""#), "{line}");
    }
}

#[tokio::test]
async fn a_conflict_is_an_event() {
    let (world, log, _guard) = begin().await;
    let repository = &world.repository;
    world.faults.next([Fault::Conflict]);
    note(0).create().send(repository).await.expect("sent").applied().expect("applied");
    let line = log.line();
    assert!(line.contains("INFO") && line.contains("another request or transaction holds an item"), "{line}");
    add_one(repository, true).await;
    let lines = log.lines();
    let [refusal, line] = &lines[..] else { panic!("{lines:?}") };
    assert!(refusal.contains(r#"the write was refused reasons="Conflict, Changed""#), "{refusal}");
    assert!(line.contains("another writer changed an item first: the transaction starts again attempt=1"), "{line}");
}

#[tokio::test]
async fn a_hedge_is_an_event() {
    if is_remote() {
        // An engine in another process does not follow the paused clock of this test.
        return;
    }
    let (world, log, _guard) = begin().await;
    tokio::time::pause();
    world.faults.slow([(1000, 0)]);
    late(1)
        .put()
        .hedge(Duration::from_millis(50))
        .send(&world.repository)
        .await
        .expect("sent")
        .applied()
        .expect("applied");
    let line = log.line();
    assert!(line.contains("INFO") && line.contains("the request is late: sent a second one"), "{line}");
}

/// DynamoDB throttles with one of three error codes. Each of these errors has the reasons.
#[tokio::test]
async fn an_error_has_the_reasons_of_a_throttled_request() {
    let (world, _, _guard) = begin().await;
    let repository = Repository::new(world.client(RetryConfig::disabled()));
    let (reason, resource) = ("TableWriteKeyRangeThroughputExceeded", "arn:aws:dynamodb:eu-central-1:1:table/notes");
    for code in ["ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"] {
        let reasons = format!(r#"[{{"reason":"{reason}","resource":"{resource}"}}]"#);
        let key = if code == "ThrottlingException" { "throttlingReasons" } else { "ThrottlingReasons" };
        let body =
            format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"slow","{key}":{reasons}}}"#);
        for answered in ["PutItem", "GetItem"] {
            world.faults.answer(answered, 400, &body);
        }
        let put = note(0).create().send(&repository).await.expect_err("throttled");
        let get = Note::get(KEY).send(&repository).await.expect_err("throttled");
        for error in [put, get] {
            assert!(error.is_throttled(), "{error}");
            let [found] = error.throttling_reasons() else { panic!("{code}: {:?}", error.throttling_reasons()) };
            assert_eq!((found.reason(), found.resource()), (Some(reason), Some(resource)), "{code}");
            assert!(error.to_string().contains(&format!("({code}, {reason} of {resource})")), "{error}");
        }
    }
    world.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    let denied = Note::get(KEY).send(&repository).await.expect_err("denied");
    assert!(denied.throttling_reasons().is_empty());
}

#[tokio::test]
async fn an_error_has_the_id_of_its_request() {
    let (world, _, _guard) = begin().await;
    world.faults.next([Fault::ErrorCode("AccessDeniedException")]);
    let error = Note::get(KEY).send(&world.repository).await.expect_err("denied");
    assert_eq!(error.request_id(), Some(REQUEST_ID));
    let error = note(0).create().condition(Note::fields().text.eq("")).send(&world.repository).await;
    assert_eq!(error.err().and_then(|error| error.request_id().map(str::to_owned)), None);
}
