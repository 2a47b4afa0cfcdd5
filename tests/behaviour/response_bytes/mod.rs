//! Pages are decoded from the bytes of a response. Whatever the bytes are, the result is that of the SDK's deserializer: the same
//! entities, the same errors at the same places, the same cursor.
//!
//! `DYNO_SEEDS` sets the number of responses, in thousands.

#![allow(clippy::unwrap_used, reason = "a broken generator fails")]

mod response_writer;

use aws_smithy_runtime_api::client::interceptors::context::{Error as AnyError, Output};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::client::runtime_plugin::RuntimePlugin as _;
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::body::SdkBody;
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::interceptors::{
    BeforeTransmitInterceptorContextRef, FinalizerInterceptorContextRef,
};
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::config::{ConfigBag, Intercept};
use dyno::aws_sdk_dynamodb::error::BoxError;
use dyno::aws_sdk_dynamodb::operation::scan::ScanOutput;
use dyno::bound;
use dyno::command::{BatchGet, Scan};
use dyno::{Document, Entity, EpochMillis, Item, Projection, Repository};
use dyno_tests::canned;
use proptest::collection::vec;
use proptest::prelude::{TestCaseError, any};
use proptest::prop_assert_eq;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use response_writer::Writer;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The answer to the next request. Each further request is answered with an empty last page.
type NextAnswer = Arc<Mutex<Option<Vec<u8>>>>;

#[derive(Document, Clone, Debug, PartialEq)]
struct Inner {
    name: String,
    count: Option<u32>,
    #[attribute(rest)]
    rest: Item,
}

#[derive(Document, Clone, Debug, PartialEq)]
#[document(tag = "kind")]
enum Tagged {
    Plain,
    Full {
        text: String,
        #[attribute(rest)]
        rest: Item,
    },
}

#[derive(Document, Clone, Debug, PartialEq)]
enum Named {
    None,
    One(String),
    Two { number: i64 },
}

/// A field of every kind.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "rows")]
struct Row {
    #[partition_key]
    a: String,
    #[sort_key]
    b: u64,
    c: Option<String>,
    d: i128,
    e: f64,
    f: bool,
    g: Vec<u8>,
    h: Vec<String>,
    i: Vec<Option<u64>>,
    j: HashMap<String, u32>,
    k: BTreeSet<String>,
    l: BTreeSet<i64>,
    m: Inner,
    n: Option<Tagged>,
    o: Option<Named>,
    p: BTreeMap<u8, Vec<bool>>,
    q: Option<EpochMillis>,
    r: BTreeSet<Vec<u8>>,
    #[attribute(alias = "t", default)]
    s: u8,
    u: Vec<Vec<f32>>,
}

/// Some fields of a row, among them the key.
#[derive(Projection, Clone, Debug, PartialEq)]
#[projection(of = Row)]
struct Part {
    c: Option<String>,
    m: Inner,
    b: u64,
    a: String,
    s: u8,
}

/// A field for every supported type of another crate.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "rows")]
struct OfCrates {
    #[partition_key]
    a: String,
    chrono: Option<chrono::DateTime<chrono::Utc>>,
    chrono_date: Option<chrono::NaiveDate>,
    decimal: Option<rust_decimal::Decimal>,
    jiff: Option<jiff::Timestamp>,
    jiff_date: Option<jiff::civil::Date>,
    #[attribute(format = "python")]
    text_time: Option<jiff::Timestamp>,
    time: Option<time::OffsetDateTime>,
    time_date: Option<time::Date>,
    ulid: Option<ulid::Ulid>,
    url: Option<url::Url>,
    uuid: Option<uuid::Uuid>,
}

/// Undeclared attributes are kept, and rows of version 1 are upgraded.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "rows", schema_version = 2, upgrade = "upgrade", type_name = "Kept")]
#[tombstone(ttl_days = 7)]
#[partition_key(name = "PK", template = "Kept#{a}")]
struct Kept {
    a: String,
    c: Option<String>,
    #[ratchet]
    b: u64,
    #[attribute(rest)]
    rest: Item,
}

fn upgrade(item: &mut Item, _from: u32) -> Result<(), std::fmt::Error> {
    if item.contains_key("extra") {
        return Err(std::fmt::Error);
    }
    if let Some(old) = item.remove("m") {
        item.insert("old".to_owned(), old);
    }
    Ok(())
}

/// The text of an error and of its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let _ = write!(text, ": {error}");
        source = error.source();
    }
    text
}

/// The text of an error.
fn text(error: dyno::Error) -> String {
    let mut text = format!("{:?} {}", error.kind(), chain(&error));
    // Which of two bad members of a map is reported depends on the order of the SDK's map.
    let map = ["`j", "`p"].iter().filter_map(|name| text.find(name)).min();
    text.truncate(map.unwrap_or(text.len()));
    text
}

/// The items and errors of a batch, by their keys.
async fn read_batch<E: Entity>(batch: BatchGet<E>, repository: &Repository) -> Vec<Result<Option<E>, String>> {
    batch.send_each(repository).await.into_iter().map(|item| item.map_err(text)).collect()
}

/// The entities and errors of a page, and its cursor.
async fn read<E: Entity, T: bound::Row<E>>(scan: Scan<E, T>, repository: &Repository) -> Vec<Result<T, String>> {
    let mut results = Vec::new();
    match scan.send_each(repository).await {
        Ok(page) => {
            results.extend(page.items.into_iter().map(|item| item.map_err(text)));
            results.push(Err(format!("{:?}", page.cursor.map(|cursor| cursor.to_string()))));
        }
        Err(error) => results.push(Err(text(error))),
    }
    results
}

fn client(answer: &NextAnswer, interceptor: impl Intercept + 'static) -> Client {
    let answer = Arc::clone(answer);
    let config = canned::config(move |_| {
        SdkBody::from(answer.lock().unwrap().take().unwrap_or_else(|| br#"{"Count":0,"ScannedCount":0}"#.to_vec()))
    });
    Client::from_conf(config.retry_config(RetryConfig::disabled()).interceptor(interceptor).build())
}

/// Counts the items that the SDK has decoded.
#[derive(Clone, Debug, Default)]
struct SdkItems(Arc<AtomicUsize>);

impl Intercept for SdkItems {
    fn name(&self) -> &'static str {
        "SdkItems"
    }

    fn read_after_execution(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let output = context.output_or_error().and_then(|result| result.ok()?.downcast_ref::<ScanOutput>());
        self.0.fetch_add(output.map_or(0, |output| output.items().len()), Ordering::SeqCst);
        Ok(())
    }
}

/// The numbers of items and errors in the responses.
#[derive(Default)]
struct Counts {
    entities: Cell<usize>,
    errors: Cell<usize>,
    in_batches: Cell<usize>,
    of_crates: Cell<usize>,
}

fn add(count: &Cell<usize>, more: usize) {
    count.set(count.get() + more);
}

/// Reads the response of a scan and that of a batch from bytes and with the SDK's decoding, and compares the results.
async fn compare([of_scan, of_batch]: [&[u8]; 2], counts: &Counts) -> Result<(), TestCaseError> {
    let answer = NextAnswer::default();
    let from_bytes = Repository::new(client(&answer, SdkItems::default()));
    let from_maps = from_bytes.clone().with_sdk_decoding();
    let (scan, batch) = (Writer::new(of_scan).response(), Writer::new(of_batch).batch_response());
    let answer_with = |body: &Vec<u8>| *answer.lock().unwrap() = Some(body.clone());
    let (mut rows, mut kept, mut parts, mut crates, mut batches) = (vec![], vec![], vec![], vec![], vec![]);
    for repository in [&from_bytes, &from_maps] {
        answer_with(&scan);
        rows.push(read(Row::scan(), repository).await);
        answer_with(&scan);
        kept.push(read(Kept::scan(), repository).await);
        answer_with(&scan);
        parts.push(read(Row::scan().project::<Part>(), repository).await);
        answer_with(&scan);
        crates.push(read(OfCrates::scan(), repository).await);
        answer_with(&batch);
        batches.push(read_batch(Kept::batch_get(["x", "é", "y"]), repository).await);
    }
    let shown = String::from_utf8_lossy(&scan);
    prop_assert_eq!(&rows[0], &rows[1], "{}", shown);
    prop_assert_eq!(&kept[0], &kept[1], "{}", shown);
    prop_assert_eq!(&parts[0], &parts[1], "{}", shown);
    prop_assert_eq!(&crates[0], &crates[1], "{}", shown);
    prop_assert_eq!(&batches[0], &batches[1], "{}", String::from_utf8_lossy(&batch));
    let read_ok = rows[0].iter().map(Result::is_ok).chain(kept[0].iter().map(Result::is_ok));
    read_ok.for_each(|is_ok| add(if is_ok { &counts.entities } else { &counts.errors }, 1));
    add(&counts.in_batches, batches[0].iter().filter(|item| matches!(item, Ok(Some(_)))).count());
    add(&counts.of_crates, crates[0].iter().filter(|item| item.is_ok()).count());
    Ok(())
}

#[test]
fn pages_decoded_from_bytes_are_those_that_the_sdk_decodes() {
    let thousands = std::env::var("DYNO_SEEDS").map_or(2, |seeds| seeds.parse::<u32>().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let counts = Counts::default();
    let config = Config { cases: thousands * 1000, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let choices = (vec(any::<u8>(), 0..2000), vec(any::<u8>(), 0..1000));
    let compare = |of_scan: &[u8], of_batch: &[u8]| runtime.block_on(compare([of_scan, of_batch], &counts));
    let result = runner.run(&choices, |(of_scan, of_batch)| compare(&of_scan, &of_batch));
    if let Err(error) = result {
        panic!("{error}");
    }
    let Counts { entities, errors, in_batches, of_crates } = counts;
    let [entities, errors, in_batches, of_crates] = [entities, errors, in_batches, of_crates].map(Cell::into_inner);
    let thousands = thousands as usize;
    assert!(entities > thousands * 400 && errors > thousands * 400, "{entities} entities, {errors} errors");
    assert!(in_batches > thousands * 50, "{in_batches} items of batches");
    assert!(of_crates > thousands * 100, "{of_crates} items with types of other crates");
}

/// The numbers of the items of a page, and how many of its items the SDK has decoded.
async fn numbers_and_sdk_items(body: &str, sdk_decoding: bool) -> (Vec<u64>, usize) {
    let (answer, sdk_items) = (NextAnswer::default(), SdkItems::default());
    *answer.lock().unwrap() = Some(body.as_bytes().to_vec());
    let repository = Repository::new(client(&answer, sdk_items.clone()));
    let repository = if sdk_decoding { repository.with_sdk_decoding() } else { repository };
    let page = Numbered::scan().send(&repository).await.unwrap();
    (page.items.into_iter().map(|item| item.number).collect(), sdk_items.0.load(Ordering::SeqCst))
}

#[derive(Entity)]
#[entity(table = "rows")]
struct Numbered {
    #[partition_key]
    number: u64,
}

#[tokio::test]
async fn the_sdk_decodes_the_items_only_if_it_is_asked_to_or_the_response_has_an_unknown_form() {
    let usual = r#"{"Count":2,"Items":[{"number":{"N":"1"}},{"number":{"N":"2"}}],"ScannedCount":2}"#;
    assert_eq!(numbers_and_sdk_items(usual, false).await, (vec![1, 2], 0));
    assert_eq!(numbers_and_sdk_items(usual, true).await, (vec![1, 2], 2));
    let with_white_space = usual.replace(':', ": ");
    assert_eq!(numbers_and_sdk_items(&with_white_space, false).await, (vec![1, 2], 2));
    let with_two_lists = usual.replace("\"Count\":2", r#""Items":[{"number":{"N":"3"}}]"#);
    let (_, sdk_items) = numbers_and_sdk_items(&with_two_lists, false).await;
    assert!(sdk_items > 0);
}

/// Replaces the deserializer after dyno has replaced it.
#[derive(Debug)]
struct OwnDeserializer;

impl Intercept for OwnDeserializer {
    fn name(&self) -> &'static str {
        "OwnDeserializer"
    }

    fn read_before_attempt(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        bag.interceptor_state().store_put(SharedResponseDeserializer::new(Delegate));
        Ok(())
    }
}

#[derive(Debug)]
struct Delegate;

impl DeserializeResponse for Delegate {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        bag: &ConfigBag,
    ) -> Result<Output, OrchestratorError<AnyError>> {
        let sdk = dyno::aws_sdk_dynamodb::operation::scan::Scan::new().config().unwrap();
        sdk.load::<SharedResponseDeserializer>().unwrap().deserialize_nonstreaming_with_config(response, bag)
    }
}

#[tokio::test]
async fn a_client_with_a_deserializer_of_its_own_has_its_items_decoded() {
    let answer = NextAnswer::default();
    *answer.lock().unwrap() = Some(br#"{"Count":1,"Items":[{"number":{"N":"1"}}],"ScannedCount":1}"#.to_vec());
    let page = Numbered::scan().send(&Repository::new(client(&answer, OwnDeserializer))).await.unwrap();
    assert_eq!(page.items.len(), 1);
}
