//! dyno evaluates random conditions, and random lists of changes, on items in memory with the same results as the engine.

use super::{Plain, drawn};
use crate::runs::seeds;
use dyno::__private::evaluated::{Change, Condition, made, rendered};
use dyno::Item;
use dyno::aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use dyno::aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use dyno_tests::{World, n, s, world};
use fastrand::Rng;
use std::collections::BTreeSet;

/// The number of items, conditions and lists of changes in each run.
const ITEMS: usize = 12;
const CONDITIONS: usize = 100;
const LISTS: usize = 100;

fn key(number: usize) -> Item {
    Item::from([("id".to_owned(), s("t")), ("number".to_owned(), n(number))])
}

/// Puts an item, and returns it as the engine stores it.
async fn put(world: &World, number: usize, attributes: Item) -> Item {
    let client = world.repository.client();
    let item: Item = attributes.into_iter().chain(key(number)).collect();
    client.put_item().table_name("things").set_item(Some(item)).send().await.expect("a put");
    let get = client.get_item().table_name("things").set_key(Some(key(number))).consistent_read(true);
    get.send().await.expect("a get").item.expect("an item")
}

/// Returns the numbers of the items for which the condition holds according to the engine.
async fn found(world: &World, condition: &Condition) -> BTreeSet<String> {
    let filter = rendered(Some(condition), &[]).expect("an expression");
    let scan = world.repository.client().scan().table_name("things");
    let scan = scan.set_filter_expression(filter.condition);
    let scan = scan.set_expression_attribute_names(filter.names).set_expression_attribute_values(filter.values);
    let page = scan.send().await.unwrap_or_else(|error| panic!("{condition:?}: {error:?}"));
    assert!(page.last_evaluated_key.is_none(), "the items fit into one page");
    page.items().iter().map(|item| item["number"].as_n().expect("a key").clone()).collect()
}

/// The engine's answer to an update.
#[derive(Debug)]
enum Answer {
    Made(Item),
    Unmet,
    Invalid,
}

async fn update(world: &World, number: usize, condition: Option<&Condition>, changes: &[Change]) -> Answer {
    let sent = rendered(condition, changes).expect("expressions");
    let update = world.repository.client().update_item().table_name("things").set_key(Some(key(number)));
    let update = update.set_condition_expression(sent.condition).set_update_expression(sent.update);
    let update = update.set_expression_attribute_names(sent.names).set_expression_attribute_values(sent.values);
    match update.return_values(ReturnValue::AllNew).send().await {
        Ok(output) => Answer::Made(output.attributes.expect("the item")),
        Err(error) => match error.code() {
            Some("ConditionalCheckFailedException") => Answer::Unmet,
            Some("ValidationException") => Answer::Invalid,
            _ => panic!("{changes:?}: {error:?}"),
        },
    }
}

/// One text for all values that are the same to DynamoDB: numbers in any spelling, sets in any order.
fn canonical(value: &AttributeValue) -> String {
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts.join(",")
    };
    match value {
        AttributeValue::N(number) => format!("N{}", number_of(number)),
        AttributeValue::Ns(numbers) => {
            format!("NS({})", sorted(numbers.iter().map(|number| number_of(number)).collect()))
        }
        AttributeValue::Ss(texts) => format!("SS({})", sorted(texts.iter().map(|text| format!("{text:?}")).collect())),
        AttributeValue::Bs(all) => format!("BS({})", sorted(all.iter().map(|bytes| format!("{bytes:?}")).collect())),
        AttributeValue::L(elements) => format!("L({})", elements.iter().map(canonical).collect::<Vec<_>>().join(",")),
        AttributeValue::M(members) => format!("M{}", canonical_item(members)),
        other => format!("{other:?}"),
    }
}

pub(crate) fn canonical_item(item: &Item) -> String {
    let mut members: Vec<_> = item.iter().map(|(name, value)| format!("{name:?}: {}", canonical(value))).collect();
    members.sort();
    format!("({})", members.join(", "))
}

/// The digits of a number, and the position of its decimal point.
fn number_of(text: &str) -> String {
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |text| ("-", text));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().expect("an exponent");
    let (whole, fraction) =
        mantissa.trim_start_matches('+').split_once('.').unwrap_or((mantissa.trim_start_matches('+'), ""));
    let digits = format!("{whole}{fraction}");
    let point = exponent + i64::try_from(whole.len()).expect("short");
    let trimmed = digits.trim_start_matches('0');
    let point = point - i64::try_from(digits.len() - trimmed.len()).expect("short");
    match trimmed.trim_end_matches('0') {
        "" => "0".to_owned(),
        digits => format!("{sign}{digits}@{point}"),
    }
}

#[tokio::test]
async fn conditions_and_changes_in_memory_agree_with_the_engine() {
    // How many conditions did not hold and held, and how many changes were refused and made.
    let mut counts = [[0usize; 2]; 2];
    for seed in 0..seeds(2, 1) {
        let mut rng = Rng::with_seed(seed);
        let world = world::<Plain>().await;
        let mut items = Vec::new();
        for number in 0..ITEMS {
            items.push(put(&world, number, drawn::item(&mut rng)).await);
        }
        for _ in 0..CONDITIONS {
            let near = rng.usize(..ITEMS);
            let condition = drawn::condition(&mut rng, &items[near], 3);
            let there = found(&world, &condition).await;
            for item in &items {
                let here = condition.holds(item);
                let is_there = there.contains(item["number"].as_n().expect("a key"));
                assert_eq!(here, is_there, "seed {seed}: {condition:?}\n{item:?}");
                counts[0][usize::from(here)] += 1;
            }
        }
        for list in 0..LISTS {
            let number = list % ITEMS;
            if list >= ITEMS && rng.u8(..3) == 0 {
                items[number] = put(&world, number, drawn::item(&mut rng)).await;
            }
            let item = &items[number];
            let changes = drawn::changes(&mut rng, item);
            let condition = rng.bool().then(|| drawn::condition(&mut rng, item, 1));
            let holds = condition.as_ref().is_none_or(|condition| condition.holds(item));
            let here = made(&changes, item);
            let there = update(&world, number, condition.as_ref(), &changes).await;
            let is_same = match (&here, &there) {
                (_, Answer::Unmet) => !holds,
                (Ok(here), Answer::Made(there)) => holds && canonical_item(here) == canonical_item(there),
                (Err(_), Answer::Invalid) => holds,
                _ => false,
            };
            assert!(
                is_same,
                "seed {seed}: {changes:#?}\nif {condition:?}\nof {item:?}\nhere {here:?}\nthere {there:?}"
            );
            if holds {
                counts[1][usize::from(here.is_ok())] += 1;
            }
            if let Answer::Made(there) = there {
                items[number] = there;
            }
        }
    }
    // Enough of each result occurred.
    for [missed, met] in counts {
        assert!(missed > met / 10 && met > missed / 10, "{counts:?}");
    }
}
