//! Sizes to the byte and nesting to the level: dyno refuses exactly what DynamoDB refuses. Two writes find the boundary for each
//! value: an item of the maximum size passes, and one more byte does not.

use super::refused;
use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity, Error, Item, Request};
use dyno_tests::{World, item, n, s, world};

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "boxes")]
struct Box {
    #[partition_key]
    id: String,
    #[attribute(rest)]
    rest: Item,
}

/// An entity whose history keeps each superseded version.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "crates")]
#[tombstone(ttl_days = 7)]
#[history_table(mode = "ordered")]
struct Crate {
    #[partition_key]
    id: String,
    #[attribute(rest)]
    rest: Item,
    #[version]
    version: u64,
}

const ITEM_BYTES: usize = 400 * 1024;

/// An item with this value, and with so many bytes of padding.
fn padded(value: &AttributeValue, padding: usize) -> Box {
    let rest = item([("value", value.clone()), ("padding", s(&"p".repeat(padding)))]);
    Box { id: "1".to_owned(), rest }
}

/// Whether dyno sends the put of this item.
fn is_sent(world: &World, padded: Box) -> bool {
    match padded.put().request(&world.repository) {
        Ok(Request::Put(_)) => true,
        Ok(other) => panic!("{other}"),
        Err(error) => {
            assert!(error.is_invalid_input() && error.to_string().contains("names included"), "{error}");
            false
        }
    }
}

/// The most padding beside this value with which dyno sends the item.
fn most_padding(world: &World, value: &AttributeValue) -> usize {
    let (mut fits, mut exceeds) = (0, ITEM_BYTES);
    while exceeds - fits > 1 {
        let middle = usize::midpoint(fits, exceeds);
        if is_sent(world, padded(value, middle)) {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    fits
}

/// Whether the engine takes this item.
async fn is_taken(world: &World, padded: Box) -> bool {
    let row = padded.rest.into_iter().chain([("id".to_owned(), s("1"))]).collect();
    let put = world.other().client().clone().put_item().table_name("boxes").set_item(Some(row)).send().await;
    match put.map_err(dyno::aws_sdk_dynamodb::error::SdkError::into_service_error) {
        Ok(_) => true,
        Err(error) => {
            let text = error.meta().message().unwrap_or_default().to_owned();
            assert!(text.contains("size has exceeded"), "{text}");
            false
        }
    }
}

/// Numbers of every length, with zeros at both ends, and with the point at every place.
fn numbers() -> Vec<AttributeValue> {
    let digits = "98765432198765432198765432198765432198";
    let mut texts: Vec<String> =
        ["0", "-0", "0.0", "100", "-1000000", "1E125", "9.99E125", "1E-130", "-1E-129", "5E-1"]
            .map(str::to_owned)
            .to_vec();
    for length in [1, 2, 3, 4, 7, 20, 37, 38] {
        let digits = &digits[..length];
        texts.extend([digits.to_owned(), format!("-{digits}"), format!("00{digits}")]);
        texts.extend((0..3).map(|zeros| format!("0.{}{digits}", "0".repeat(zeros))));
        texts.extend((1..length.min(6)).map(|point| format!("{}.{}0", &digits[..point], &digits[point..])));
        texts.extend((1..4).map(|zeros| format!("{digits}E{zeros}")));
    }
    texts.iter().map(n).collect()
}

/// Values of the other types.
fn values() -> Vec<AttributeValue> {
    use AttributeValue::{B, Bool, Bs, L, M, Ns, Null, Ss};
    let texts = ["", "größe", "日本"];
    let blob = |bytes: usize| Blob::new(vec![7; bytes]);
    let list = L(vec![n(0), n("1.5"), s("x"), L(Vec::new()), M(Item::new()), Null(true)]);
    let map = M(item([("a", n("-100.5")), ("größe", list.clone()), ("b", M(item([("c", Bool(false))])))]));
    let mut values: Vec<_> = texts.map(s).to_vec();
    values.extend([B(blob(0)), B(blob(5)), Bool(true), Null(true), list, map]);
    values.push(Ss(vec!["a".to_owned(), "größe".to_owned()]));
    values.push(Ns(["0", "1.5", "1000", "-7"].map(str::to_owned).to_vec()));
    values.push(Bs(vec![blob(1), blob(3)]));
    values
}

/// dyno and the engine agree to the byte. For a number like 12000 or 0.012, the recorded sizes fit two rules, and the engines
/// differ: dyno then sends the item, and DynamoDB decides.
#[tokio::test]
async fn the_sizes_of_all_values_are_dynamodb_s_to_the_byte() {
    let world = world::<Box>().await;
    for value in numbers().into_iter().chain(values()) {
        let most = most_padding(&world, &value);
        assert!(!is_taken(&world, padded(&value, most + 1)).await, "{value:?} is larger than it is");
        let is_uncertain = || async {
            let text = value.as_n().ok()?;
            let digits: String = text.split(['E']).next()?.trim_matches(['-', '0', '.']).to_owned();
            let is_even = digits.len().is_multiple_of(2) && !digits.contains('.');
            (is_even && is_taken(&world, padded(&value, most - 1)).await).then_some(())
        };
        let is_exact = is_taken(&world, padded(&value, most)).await;
        assert!(is_exact || is_uncertain().await.is_some(), "{value:?} is smaller than it is");
    }
}

/// An item of 280 KB that has many numbers with zeros at their ends can be written back.
#[tokio::test]
async fn an_item_of_many_round_numbers_can_be_written_back() {
    let world = world::<Box>().await;
    let list = |text: &str| AttributeValue::L(vec![n(text); 93_000]);
    for text in ["0", "100", "1000000"] {
        let row = item([("id", s("1")), ("list", list(text))]);
        world.write_foreign::<Box>(row.clone()).await;
        let found = Box::get("1").consistent().send(&world.repository).await.expect("a get").expect("a box");
        found.put().send(&world.repository).await.expect("it fits");
        assert_eq!(world.stored::<Box>().await, [row]);
    }
}

fn nested(depth: usize, inner: AttributeValue) -> AttributeValue {
    (0..depth).fold(inner, |value, level| match level % 2 {
        0 => AttributeValue::L(vec![value]),
        _ => AttributeValue::M(item([("m", value)])),
    })
}

const TOO_DEEP: &str = "lists and maps are nested more than 31 deep";

/// 31 lists or maps around a scalar are the most, in a put and in an update.
#[tokio::test]
async fn the_deepest_value_is_dynamodb_s() {
    let world = world::<Box>().await;
    let put = |depth| {
        let rest = item([("deep", nested(depth, n(1)))]);
        let world = &world;
        async move { Box { id: "1".to_owned(), rest }.put().send(&world.repository).await }
    };
    put(31).await.expect("31 levels");
    refused(put(32).await, TOO_DEEP);
    let row = item([("id", s("1")), ("deep", nested(32, n(1)))]);
    let raw = world.other().client().clone().put_item().table_name("boxes").set_item(Some(row)).send().await;
    let error = raw.expect_err("too deep").into_service_error();
    assert!(error.meta().message().is_some_and(|text| text.contains("evels")), "{error:?}");
    // What is stored at the limit is read and written back.
    let found = Box::get("1").consistent().send(&world.repository).await.expect("a get").expect("a box");
    found.put().send(&world.repository).await.expect("31 levels");
}

/// A history stores the item in a map. An item that does not fit there is refused before it is stored, because it could never be
/// written or deleted again.
#[tokio::test]
async fn an_item_too_deep_for_its_history_is_never_stored() {
    let world = world::<Crate>().await;
    let new = |id: &str, depth, version| {
        let rest = item([("deep", nested(depth, n(1)))]);
        Crate { id: id.to_owned(), rest, version }
    };
    let create = |id, depth| {
        let (world, new) = (&world, new(id, depth, 0));
        async move { new.create().send(&world.repository).await }
    };
    create("1", 30).await.expect("sent").applied().expect("applied");
    refused(create("2", 31).await, TOO_DEEP);
    refused(new("1", 31, 1).put().send(&world.repository).await, TOO_DEEP);
    new("1", 30, 1).put().send(&world.repository).await.expect("sent").applied().expect("applied");
    Crate::delete("1", 2u64).send(&world.repository).await.expect("sent").applied().expect("applied");
}

/// The error of an item that is too large by its numbers alone.
#[tokio::test]
async fn an_item_too_large_by_its_numbers_is_refused_before_the_request() -> Result<(), Error> {
    let world = world::<Box>().await;
    let metered = world.repository.metered();
    let rest = item([("list", AttributeValue::L(vec![n("1.5"); 103_000]))]);
    let put = Box { id: "1".to_owned(), rest }.put().send(&metered).await;
    refused(put, "the item has 412010 bytes, but DynamoDB stores at most 409600");
    assert_eq!(metered.usage().requests, 0);
    Ok(())
}
