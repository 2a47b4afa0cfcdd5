//! The rows that can be stored at the key of a write.

use super::commands::{KEY, LOADED};
use super::schemas::KEYS;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::schema::{Ratchet, Schema, Store, names};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

pub(super) const NOW: EpochMillis = EpochMillis::new(1_700_000_000_000);
const PAST: u64 = 1_600_000_000;
const FUTURE: u64 = 1_800_000_000;

/// A row with its name in the tables; `None` if there is no row.
pub(super) type Row = (String, Option<Item>);

/// The last writer of an item.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    /// Another write of dyno. Each version has one such write.
    Other,
    /// A write of dyno that made the same version of another item: after a deletion, or after a restore.
    Another,
    /// The write that is evaluated.
    Own(&'a str),
    /// A program that leaves no write ids.
    Stranger,
}

pub(super) fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub(super) fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

pub(super) fn list(elements: &[&str]) -> AttributeValue {
    AttributeValue::L(elements.iter().map(|element| text(element)).collect())
}

/// A token: the number itself, or a time with that number of seconds.
pub(super) fn token(ratchet: &Ratchet, number: u64) -> AttributeValue {
    if ratchet.shape.is_some() { text(&seconds(number, "+00:00")) } else { self::number(number) }
}

fn seconds(seconds: u64, suffix: &str) -> String {
    format!("2024-07-23T21:11:0{seconds}{suffix}")
}

/// The tiebreak of this number.
pub(super) fn tie(of: u64) -> AttributeValue {
    text(&format!("tie-{of}"))
}

/// The item of a version, as another write of dyno left it. Without versions, the number is that of the token.
pub(super) fn item(schema: &Schema, version: u64) -> Item {
    by(schema, version, By::Other)
}

pub(super) fn by(schema: &Schema, version: u64, by: By<'_>) -> Item {
    let mut item = Item::from([
        ("id".to_owned(), text("1")),
        ("n".to_owned(), number(version)),
        ("list".to_owned(), list(&["a", "b"])),
    ]);
    let mut set = |name: &str, value| drop(item.insert(name.to_owned(), value));
    for ratchet in schema.ratchets {
        set(ratchet.attribute, token(ratchet, version));
        if let Some(tiebreak) = ratchet.tiebreak {
            set(tiebreak, tie(LOADED));
        }
    }
    if schema.fence.is_some() {
        set("f", number(LOADED));
    }
    if !schema.immutable.is_empty() {
        set("i", text("kept"));
    }
    if schema.version.is_some() && version > 0 {
        set("v", number(version));
    }
    if schema.entity_type.is_some() {
        set("type", text("Thing"));
    }
    if schema.schema_version.is_some() {
        set("shape", number(2));
    }
    let write_id = match by {
        By::Other => Some(format!("other-{version}")),
        By::Another => Some(format!("another-{version}")),
        By::Own(name) => Some(name.to_owned()),
        By::Stranger => None,
    };
    if let (Some(name), Some(id)) = (schema.write_id.as_ref().map(|id| id.attribute), write_id) {
        set(name, text(&id));
    }
    item
}

/// The tombstone of an item.
fn deleted(mut item: Item) -> Item {
    item.retain(|name, _| !["n", "list", "i"].contains(&name.as_str()));
    item.insert("deleted".to_owned(), AttributeValue::Bool(true));
    item.insert("ttl".to_owned(), number(FUTURE));
    item
}

pub(super) fn tombstone(schema: &Schema, version: u64) -> Item {
    deleted(item(schema, version))
}

/// An item whose TTL has passed.
fn expired(mut item: Item) -> Item {
    item.insert("ttl".to_owned(), number(PAST));
    item
}

fn with(mut item: Item, name: &str, value: AttributeValue) -> Item {
    item.insert(name.to_owned(), value);
    item
}

/// Returns all rows that can be stored, around the version that a write expects and the one that it stores.
pub(super) fn rows(schema: &Schema, numbers: (u64, u64), own: Option<&str>) -> Vec<Row> {
    let mut rows = vec![("nothing".to_owned(), None)];
    if schema.version.is_some() && schema.entity_type.is_some() {
        // These entities differ only by the mark.
        all_states(schema, &format!(" {}", numbers.0), &item(schema, numbers.0), &mut rows);
    } else if schema.version.is_some() {
        versions(schema, numbers, own, &mut rows);
    } else if schema.ratchets.is_empty() {
        all_states(schema, "", &item(schema, LOADED), &mut rows);
    } else {
        for token in [LOADED - 1, LOADED, LOADED + 1] {
            all_states(schema, &format!(" {token}"), &item(schema, token), &mut rows);
        }
        rows.push(("live without a token".to_owned(), Some(by_without(schema, "t"))));
        ratchets(schema, &mut rows);
    }
    of_rules(schema, &mut rows);
    if schema.is_transactional {
        held(schema, numbers, own, &mut rows);
    }
    rows
}

/// Adds the rows with an intent.
fn held(schema: &Schema, (base, next): (u64, u64), own: Option<&str>, rows: &mut Vec<Row>) {
    let with_intent = |item: Item, intent: &[(&str, AttributeValue)]| {
        let intent = intent.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        with(item, names::INTENT, AttributeValue::M(intent.collect()))
    };
    let mut push = |name: String, item: Item| {
        let id = ("id", text("1/a/7/b"));
        rows.push((format!("{name}, held"), Some(with_intent(item, &[id]))));
    };
    push(format!("live {base}"), item(schema, base));
    push(format!("dead {base}"), tombstone(schema, base));
    push(format!("live {next}"), item(schema, next));
    push("live without a version".to_owned(), by(schema, 0, By::Stranger));
    if let Some(own) = own {
        push(format!("live {next}, own"), by(schema, next, By::Own(own)));
    }
    if let Some(Store::Count { attribute, .. }) = schema.key_store() {
        let keys = AttributeValue::L(vec![AttributeValue::B(Blob::new(KEY))]);
        push("with the key".to_owned(), with(item(schema, base), attribute, keys));
    }
    let mut place = deleted(Item::from([("id".to_owned(), text("1"))]));
    place.remove("ttl");
    rows.push(("a placeholder".to_owned(), Some(with_intent(place, &[("new", AttributeValue::Bool(true))]))));
}

/// Adds rows that only some ratchets evaluate.
fn ratchets(schema: &Schema, rows: &mut Vec<Row>) {
    for ratchet in schema.ratchets {
        let mut token = |name: &str, token| {
            rows.push((format!("live, its token {name}"), Some(with(item(schema, LOADED), ratchet.attribute, token))));
        };
        if ratchet.shape.is_some() {
            token("a number", number(LOADED));
            // A time between two seconds, which is a longer text.
            token("2 and a half", text(&seconds(LOADED - 1, ".500000+00:00")));
            token("3 and a half", text(&seconds(LOADED, ".500000+00:00")));
            token("2 in another form", text(&seconds(LOADED - 1, "Z")));
            token("2 in another form that is as long", text(&seconds(LOADED - 1, "+02:00")));
            token("4 in another form", text(&seconds(LOADED + 1, "Z")));
        } else {
            token("a text", text("3"));
        }
        let Some(tiebreak) = ratchet.tiebreak else { continue };
        for tied in [LOADED - 1, LOADED + 1] {
            let tied_item = with(item(schema, LOADED), tiebreak, tie(tied));
            all_states(schema, &format!(" 3, its tie {tied}"), &tied_item, rows);
        }
        all_states(schema, " 3 without a tie", &by_without(schema, tiebreak), rows);
        rows.push(("live 3, its tie a number".to_owned(), Some(with(item(schema, LOADED), tiebreak, number(3)))));
    }
}

fn versions(schema: &Schema, (base, next): (u64, u64), own: Option<&str>, rows: &mut Vec<Row>) {
    let mut numbered = |version: u64, by_whom: By<'_>, suffix: &str| {
        let name = if version == 0 { " without a version".to_owned() } else { format!(" {version}") };
        all_states(schema, &format!("{name}{suffix}"), &by(schema, version, by_whom), rows);
    };
    numbered(base, By::Stranger, if base == 0 { "" } else { " of a stranger" });
    if base > 0 {
        numbered(base, By::Other, "");
        numbered(0, By::Stranger, "");
    }
    numbered(next, By::Other, "");
    if own.is_some() {
        numbered(next, By::Stranger, " of a stranger");
    }
    numbered(next + 2, By::Other, "");
    if let Some(own) = own {
        numbered(next, By::Own(own), ", own");
        numbered(next + 2, By::Own(own), ", own");
        if schema.history.is_none() && base > 0 {
            numbered(base, By::Another, " of another item");
        }
    }
    if base > 0 {
        // The program leaves the write id and the version as they are.
        let changed = with(item(schema, base), "n", number(200));
        rows.push((format!("live {base}, changed by a stranger"), Some(changed)));
    }
    rows.push(("live, its version a text".to_owned(), Some(with(item(schema, base), "v", text("3")))));
}

/// Adds an item in each of its states.
fn all_states(schema: &Schema, name: &str, item: &Item, rows: &mut Vec<Row>) {
    rows.push((format!("live{name}"), Some(item.clone())));
    if schema.tombstone.is_some() {
        rows.push((format!("dead{name}"), Some(deleted(item.clone()))));
    }
    if schema.attribute("ttl").is_some() {
        rows.push((format!("expired{name}"), Some(expired(item.clone()))));
    }
}

/// Adds rows that only some rules evaluate.
fn of_rules(schema: &Schema, rows: &mut Vec<Row>) {
    let live = || item(schema, LOADED);
    let mut push = |name: &str, item: Item| rows.push((name.to_owned(), Some(item)));
    if schema.version.is_none() && schema.ratchets.is_empty() {
        push("live, n is 4", with(live(), "n", number(4)));
        push("live, list is b", with(live(), "list", list(&["b"])));
        push("live, list has z, too", with(live(), "list", list(&["a", "b", "z"])));
        push("live, list is a", with(live(), "list", list(&["a"])));
    }
    if schema.fence.is_some() {
        let of = |fence| with(live(), "f", fence);
        for fence in [LOADED - 1, LOADED + 1, LOADED + 2] {
            push(&format!("live, of fence {fence}"), of(number(fence)));
            push(&format!("dead, of fence {fence}"), deleted(of(number(fence))));
        }
        push("live without a fence", by_without(schema, "f"));
        push("dead without a fence", deleted(by_without(schema, "f")));
        push("live, its fence 4.5", of(AttributeValue::N("4.5".to_owned())));
        push("live, its fence a text", of(text("3")));
        push("live, its fence NULL", of(AttributeValue::Null(true)));
    }
    if !schema.immutable.is_empty() {
        push("live, of another value", with(live(), "i", text("other")));
        push("expired, of another value", expired(with(live(), "i", text("other"))));
        push("live without a value", by_without(schema, "i"));
    }
    if schema.entity_type.is_some() {
        push("of another entity", with(live(), "type", text("Other")));
        push("unmarked", by_without(schema, "type"));
        if schema.tombstone.is_some() {
            push("dead, of another entity", deleted(with(live(), "type", text("Other"))));
        }
    }
    if schema.schema_version.is_some() {
        push("without a shape", by_without(schema, "shape"));
        push("of shape 1", with(live(), "shape", number(1)));
        push("of shape 3", with(live(), "shape", number(3)));
        if schema.ttl.is_some() {
            push("expired, of shape 3", expired(with(live(), "shape", number(3))));
        }
        push("held, of shape 1", with(live(), "shape", AttributeValue::N("-1".to_owned())));
        push("its shape a text", with(live(), "shape", text("2")));
    }
    if let Some(Store::Count { attribute, .. }) = schema.key_store() {
        let keys =
            |keys: &[&[u8]]| AttributeValue::L(keys.iter().map(|key| AttributeValue::B(Blob::new(*key))).collect());
        let full: Vec<&[u8]> = vec![b"one"; KEYS as usize];
        push("with the key", with(live(), attribute, keys(&[KEY])));
        push("with another key", with(live(), attribute, keys(&[b"one"])));
        push("full", with(live(), attribute, keys(&full)));
        push("full, with the key", with(live(), attribute, keys(&[b"one", KEY])));
        push("its keys a text", with(live(), attribute, text("keys")));
    }
}

/// Returns items that lack the element that the write removes.
pub(super) fn without_the_element(schema: &Schema, (base, next): (u64, u64), own: &str) -> [Row; 2] {
    [(base, By::Other, ""), (next, By::Own(own), ", own")].map(|(version, by_whom, whose)| {
        let item = with(by(schema, version, by_whom), "list", list(&["a"]));
        (format!("live {version}{whose}, without the element"), Some(item))
    })
}

fn by_without(schema: &Schema, name: &str) -> Item {
    let mut item = item(schema, LOADED);
    item.remove(name);
    item
}
