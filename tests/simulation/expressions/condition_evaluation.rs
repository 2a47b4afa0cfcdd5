//! dyno decides whether a condition holds for an item in memory as DynamoDB does. The conditions and the items are random,
//! and the attributes have the entity's types or any other.

use super::Plain;
use super::conditions::conditions;
use crate::runs::seeds;
use dyno::Condition;
use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno_tests::{World, world};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::{BTreeMap, BTreeSet, HashMap};

type Item = HashMap<String, AttributeValue>;

/// The number of items in the table, and the number of conditions that are evaluated on them.
const ITEMS: usize = 50;
const CONDITIONS: usize = 40;

/// Values of all types, many of which are equal or similar.
fn values() -> impl Strategy<Value = AttributeValue> {
    let text = || proptest::sample::select(vec!["", "a", "t", "größe", "größer", "at"]).prop_map(str::to_owned);
    let texts =
        || proptest::collection::btree_set(text(), 1..3).prop_map(|texts| texts.into_iter().collect::<Vec<_>>());
    let number = || proptest::sample::select(vec!["0", "1", "2", "2.0", "3E0", "-1"]).prop_map(str::to_owned);
    let bytes = || proptest::collection::vec(0u8..3, 0..3).prop_map(Blob::new);
    let leaf = prop_oneof![
        4 => text().prop_map(AttributeValue::S),
        3 => number().prop_map(AttributeValue::N),
        1 => bytes().prop_map(AttributeValue::B),
        1 => any::<bool>().prop_map(AttributeValue::Bool),
        1 => Just(AttributeValue::Null(true)),
        2 => texts().prop_map(AttributeValue::Ss),
        1 => proptest::sample::subsequence(vec!["0", "1", "2"], 1..3)
            .prop_map(|numbers| AttributeValue::Ns(numbers.into_iter().map(str::to_owned).collect())),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(AttributeValue::L),
            proptest::collection::hash_map("[ab]", inner, 0..3).prop_map(AttributeValue::M),
        ]
    })
}

/// Some of the attributes of `Plain`, with values of any type.
fn attributes() -> impl Strategy<Value = BTreeMap<String, AttributeValue>> {
    let name = proptest::sample::select(vec!["text", "note", "a.b", "tags", "list"]).prop_map(str::to_owned);
    proptest::collection::btree_map(name, values(), 0..5)
}

fn drawn<T>(strategy: &impl Strategy<Value = T>, runner: &mut TestRunner) -> T {
    strategy.new_tree(runner).expect("a value").current()
}

/// Returns the numbers of the items for which the condition holds according to DynamoDB.
async fn found(world: &World, condition: Condition<Plain>) -> BTreeSet<String> {
    let request = Plain::scan().filter(condition).request(&world.repository).expect("a request");
    let dyno::Request::Scan(scan) = request else { panic!("no scan") };
    let mut found = BTreeSet::new();
    let mut after = None;
    loop {
        let scan = scan.clone().set_exclusive_start_key(after);
        let page = scan.send_with(world.repository.client()).await.expect("a scan");
        let numbers = page.items().iter().map(|item| item["number"].as_n().expect("a key").clone());
        found.extend(numbers);
        after = page.last_evaluated_key;
        if after.is_none() {
            return found;
        }
    }
}

#[tokio::test]
async fn conditions_in_memory_hold_exactly_where_the_engine_s_hold() {
    let mut asked = [0; 2];
    for seed in 0..seeds(5, 2) {
        let mut bytes = [7; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let world = world::<Plain>().await;
        let mut items: Vec<Item> = Vec::new();
        for number in 0..ITEMS {
            let mut item: Item = drawn(&attributes(), &mut runner).into_iter().collect();
            item.insert("id".to_owned(), AttributeValue::S("t".to_owned()));
            item.insert("number".to_owned(), AttributeValue::N(number.to_string()));
            let put = world.repository.client().put_item().table_name("things").set_item(Some(item.clone()));
            put.send().await.expect("a put");
            items.push(item);
        }
        for _ in 0..CONDITIONS {
            let condition = drawn(&conditions(), &mut runner);
            let there = found(&world, condition.clone()).await;
            for item in &items {
                let number = item["number"].as_n().expect("a key");
                let here = dyno::__private::evaluated::holds(&condition, item);
                assert_eq!(here, there.contains(number), "seed {seed}: {condition:?}\n{item:?}");
                asked[usize::from(here)] += 1;
            }
        }
    }
    // Enough conditions hold, and enough do not.
    assert!(asked.iter().all(|of_them| *of_them > ITEMS * CONDITIONS / 10), "{asked:?}");
}
