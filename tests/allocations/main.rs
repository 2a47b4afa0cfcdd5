//! Encoding an entity allocates exactly as much as handwritten code, and decoding at most as much. Decoding a page takes few
//! allocations.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use dyno::aws_sdk_dynamodb::Client;
use dyno::{Entity, Repository};
use dyno_tests::canned;
use dyno_tests::customer::{Customer, decode_by_hand, encode_by_hand};
use futures_util::future::BoxFuture;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};

/// Returns the number of allocations of `run`, and their bytes.
fn allocations(run: impl FnOnce()) -> (u64, u64) {
    let counted = allocation_counter::measure(run);
    (counted.count_total, counted.bytes_total)
}

#[test]
fn encode_and_decode_allocate_as_often_as_handwritten_code() {
    let customer = Customer::sample();
    // A first run makes the allocations that happen only once in a process.
    drop(customer.__encode());
    let by_hand = allocations(|| drop(encode_by_hand(&customer)));
    let dyno = allocations(|| drop(customer.__encode().expect("encodes")));
    assert_eq!(dyno, by_hand, "encode");

    let (one, other) = (encode_by_hand(&customer), encode_by_hand(&customer));
    let by_hand = allocations(|| drop(decode_by_hand(one)));
    let dyno = allocations(|| drop(Customer::from_item(other).expect("decodes")));
    assert!(dyno.0 <= by_hand.0 && dyno.1 <= by_hand.1, "decode: {dyno:?}, by hand {by_hand:?}");
}

const CUSTOMER: &str = r#"{"id":{"S":"c-8f14e45f-ceea"},"name":{"S":"Ada Lovelace"},"email":{"S":"ada@example.com"},"note":{"S":"prefers mail"},"age":{"N":"36"},"visits":{"N":"1284337"},"balance":{"N":"-12995"},"score":{"N":"4.75"},"active":{"BOOL":true},"tags":{"L":[{"S":"early"},{"S":"analytical"}]}}"#;

/// Returns a client whose scans return `count` copies of an item.
fn client(count: usize, item: &str) -> Client {
    let items = vec![item; count].join(",");
    client_of(format!(r#"{{"Count":{count},"ScannedCount":{count},"Items":[{items}]}}"#), usize::MAX)
}

/// Returns a client whose first `pages` requests return the same page. Each later request returns an empty last page.
fn client_of(page: String, pages: usize) -> Client {
    let (page, pages) = (Bytes::from(page), AtomicUsize::new(pages));
    let config = canned::config(move |_| {
        let left = pages.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |pages| pages.checked_sub(1));
        SdkBody::from(left.map_or_else(|_| Bytes::from_static(br#"{"Count":0,"ScannedCount":0}"#), |_| page.clone()))
    });
    Client::from_conf(config.build())
}

#[test]
fn the_items_of_a_page_are_decoded_with_a_third_of_the_allocations_of_handwritten_code() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let of_page = |items: usize| {
        let client = client(items, CUSTOMER);
        let repository = Repository::new(client.clone());
        let by_hand = || {
            let page = runtime.block_on(client.scan().table_name("customers").send()).expect("a page");
            page.items.unwrap_or_default().into_iter().map(decode_by_hand).collect::<Option<Vec<_>>>()
        };
        let dyno = || runtime.block_on(Customer::scan().send(&repository)).expect("a page").items;
        // A first run makes the allocations that happen only once in a process.
        assert_eq!(by_hand().as_ref(), Some(&dyno()));
        [allocations(|| drop(dyno())).0, allocations(|| drop(by_hand())).0]
    };
    // Subtracting a page of one item leaves the allocations of the other 300 items.
    let (one, many) = (of_page(1), of_page(301));
    let [dyno, by_hand] = [0, 1].map(|of| many[of] - one[of]);
    assert!(dyno * 3 <= by_hand, "{dyno} allocations by dyno, {by_hand} by hand");
}

#[derive(Entity)]
#[entity(table = "customers")]
struct Embedding {
    #[partition_key]
    id: String,
    vector: Vec<f32>,
}

#[test]
fn a_vector_of_numbers_is_decoded_without_an_allocation_for_each_number() {
    let vector = vec![r#"{"N":"0.0078125"}"#; 1024].join(",");
    let item = format!(r#"{{"id":{{"S":"e"}},"vector":{{"L":[{vector}]}}}}"#);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let count = |items: usize| {
        let repository = Repository::new(client(items, &item));
        let page = || runtime.block_on(Embedding::scan().send(&repository)).expect("a page").items;
        let read = page();
        assert!(
            read.len() == items && read.iter().all(|read| read.id == "e" && read.vector == vec![0.007_812_5; 1024])
        );
        allocations(|| drop(page())).0
    };
    let (one, thirty) = (count(1), count(30));
    // Each further item takes two allocations, its key and its vector.
    assert!(thirty < one + 29 * 2 + 20, "{one} allocations for one item, {thirty} for thirty");
}

#[test]
fn a_stream_of_many_pages_takes_the_memory_of_one() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let items = vec![CUSTOMER; 1000].join(",");
    let key = r#"{"id":{"S":"c-8f14e45f-ceea"}}"#;
    let page = format!(r#"{{"Count":1000,"ScannedCount":1000,"Items":[{items}],"LastEvaluatedKey":{key}}}"#);
    let peak = |pages: usize| {
        let client = client_of(page.clone(), pages);
        let repository = Repository::new(client);
        let stream = async {
            let (mut items, mut count) = (Customer::scan().stream(&repository), 0);
            while let Some(item) = items.next().await {
                item.expect("a customer");
                count += 1;
            }
            assert_eq!(count, pages * 1000);
        };
        allocation_counter::measure(|| runtime.block_on(stream)).bytes_max
    };
    peak(1);
    let (one, many) = (peak(1), peak(8));
    assert!(many < one + one / 10, "one page takes {one} bytes, eight take {many}");
    assert!(one < 3 * page.len() as u64, "a page of {} bytes takes {one}", page.len());
}

/// A network that never answers.
#[derive(Clone, Debug)]
struct Silent;

impl HttpClient for Silent {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(Self)
    }
}

impl HttpConnector for Silent {
    fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::new(pending())
    }
}

#[test]
fn a_waiting_put_holds_at_most_a_third_more_memory_than_a_handwritten_one() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let _entered = runtime.enter();
    let client = Client::from_conf(canned::config(|_| SdkBody::empty()).http_client(Silent).build());
    let (repository, customer) = (Repository::new(client.clone()), Customer::sample());
    let waiting = |call: &mut dyn FnMut() -> BoxFuture<'static, ()>| {
        let held = allocation_counter::measure(|| {
            let mut waiting = call();
            assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            std::mem::forget(waiting);
        });
        held.bytes_current
    };
    let mut by_hand = || -> BoxFuture<'static, ()> {
        let put = client.put_item().table_name("customers").set_item(Some(encode_by_hand(&customer)));
        Box::pin(async move { drop(put.send().await) })
    };
    let mut dyno = || -> BoxFuture<'static, ()> {
        let (put, repository) = (customer.put(), repository.clone());
        Box::pin(async move { drop(put.send(&repository).await) })
    };
    // A first call makes the allocations that happen only once.
    for call in [&mut by_hand as &mut dyn FnMut() -> BoxFuture<'static, ()>, &mut dyno] {
        waiting(call);
    }
    let (by_hand, dyno) = (waiting(&mut by_hand), waiting(&mut dyno));
    // 21.5 KB and 16.6 KB.
    assert!(dyno < by_hand * 4 / 3, "{dyno} bytes by dyno, {by_hand} by hand");
}
