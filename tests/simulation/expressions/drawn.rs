//! Random items, places, conditions and changes: nested, of every type, with numbers of up to 38 digits, and often unsuitable
//! for the item.

use dyno::__private::evaluated::{Change, Condition, Deed, Place};
use dyno::Item;
use dyno::aws_sdk_dynamodb::primitives::Blob;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::value::Step;
use fastrand::Rng;

/// The names of attributes. The last two are aliases of the first one, in changes that use aliases.
const NAMES: [&str; 6] = ["a", "b", "c", "e.f", "old", "older"];
const MEMBERS: [&str; 3] = ["x", "y", "größe"];
const TEXTS: [&str; 7] = ["", "a", "t", "at", "größe", "größer", "\u{10000}"];
/// Each value once, in several spellings.
const NUMBERS: [&[&str]; 6] =
    [&["0", "-0.0", "0E5"], &["1", "1.0", "10E-1"], &["2", "+2"], &["3", "3E0"], &["-1"], &["1.5", "15e-1"]];

pub(super) fn item(rng: &mut Rng) -> Item {
    let mut item = Item::new();
    for name in NAMES {
        if rng.u8(..10) < if name.starts_with("old") { 4 } else { 8 } {
            item.insert(name.to_owned(), value(rng, 3));
        }
    }
    item
}

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(..from.len())]
}

fn value(rng: &mut Rng, depth: usize) -> AttributeValue {
    match rng.u8(..if depth == 0 { 9 } else { 15 }) {
        0..3 => AttributeValue::N(number(rng)),
        3 => AttributeValue::S(pick(rng, &TEXTS).to_owned()),
        4 => AttributeValue::B(bytes(rng)),
        5 => AttributeValue::Bool(rng.bool()),
        6 => AttributeValue::Null(true),
        7..9 => set(rng),
        9..12 => AttributeValue::L((0..rng.usize(..5)).map(|_| value(rng, depth - 1)).collect()),
        _ => {
            let members = MEMBERS.iter().filter(|_| rng.bool()).map(|name| (*name).to_owned()).collect::<Vec<_>>();
            AttributeValue::M(members.into_iter().map(|name| (name, value(rng, depth - 1))).collect())
        }
    }
}

fn bytes(rng: &mut Rng) -> Blob {
    let length = rng.usize(..3);
    Blob::new((0..length).map(|_| rng.u8(..3)).collect::<Vec<_>>())
}

/// A number: a small one, so that many are equal, a long one, or one of the largest and smallest.
pub(super) fn number(rng: &mut Rng) -> String {
    let sign = if rng.bool() { "-" } else { "" };
    match rng.u8(..10) {
        0..5 => {
            let spellings = pick(rng, &NUMBERS);
            pick(rng, spellings).to_owned()
        }
        5 => {
            pick(rng, &["9.99E125", "-9.99E125", "1E-130", "-1E-130", "1E37", "99999999999999999999999999999999999999"])
                .to_owned()
        }
        6 => format!("{sign}{}", digits(rng, 38)),
        7 => {
            let (whole, fraction) = (rng.usize(1..38), rng.usize(1..38));
            let fraction = fraction.min(38 - whole);
            format!("{sign}{}.{}", digits(rng, whole), digits(rng, fraction))
        }
        8 => {
            let length = rng.usize(1..20);
            format!("{sign}{}E{}", digits(rng, length), rng.i32(-40..40))
        }
        _ => format!("{sign}{}", rng.u32(..1000)),
    }
}

fn digits(rng: &mut Rng, length: usize) -> String {
    let nines = rng.bool();
    (0..length).map(|at| if nines { '9' } else { rng.digit(10).max(if at == 0 { '1' } else { '0' }) }).collect()
}

/// A set, of one to three elements, no two of which are the same.
fn set(rng: &mut Rng) -> AttributeValue {
    fn some<T: Copy>(rng: &mut Rng, from: &[T]) -> Vec<T> {
        let mut from = from.to_vec();
        rng.shuffle(&mut from);
        from.truncate(rng.usize(1..4));
        from
    }
    match rng.u8(..3) {
        0 => AttributeValue::Ss(some(rng, &TEXTS).into_iter().map(str::to_owned).collect()),
        1 => AttributeValue::Ns(
            some(rng, &NUMBERS).into_iter().map(|spellings| pick(rng, spellings).to_owned()).collect(),
        ),
        _ => AttributeValue::Bs(some(rng, &[&b"a"[..], b"b", b"ab", b"\x00"]).into_iter().map(Blob::new).collect()),
    }
}

/// The first spelling of a number that has several.
fn plain(number: &str) -> String {
    let spellings = NUMBERS.iter().find(|spellings| spellings.contains(&number));
    spellings.map_or(number, |spellings| spellings[0]).to_owned()
}

/// A place that exists in an item, or nearly exists.
pub(super) fn place(rng: &mut Rng, item: &Item) -> Place {
    let name = pick(rng, &NAMES);
    let (mut steps, mut found) = (Vec::new(), item.get(name));
    while let Some(value) = found.filter(|_| rng.u8(..5) > 0) {
        match value {
            AttributeValue::M(members) if !members.is_empty() => {
                let name = pick(rng, &MEMBERS);
                found = members.get(name);
                steps.push(Step::Name(name.into()));
            }
            AttributeValue::L(elements) if !elements.is_empty() => {
                let index = rng.usize(..elements.len());
                found = elements.get(index);
                steps.push(Step::Index(index));
            }
            _ => break,
        }
    }
    let is_in = |found: Option<&AttributeValue>| match found {
        Some(AttributeValue::L(_)) => 0,
        Some(AttributeValue::M(_)) => 1,
        _ => 2,
    };
    // Adds an index or a name that may be missing there, or a step into a value that has no elements or members.
    match (is_in(found), rng.u8(..10)) {
        (0, 0..4) | (_, 0) => steps.push(Step::Index(rng.usize(..8))),
        (1, 0..4) | (_, 1) => steps.push(Step::Name(pick(rng, &MEMBERS).into())),
        _ => {}
    }
    (name.to_owned(), steps)
}

fn find<'a>((name, steps): &Place, item: &'a Item) -> Option<&'a AttributeValue> {
    steps.iter().try_fold(item.get(name)?, |value, step| match (value, step) {
        (AttributeValue::M(members), Step::Name(name)) => members.get(name.as_ref()),
        (AttributeValue::L(elements), Step::Index(index)) => elements.get(*index),
        _ => None,
    })
}

/// A condition of at most this depth.
pub(super) fn condition(rng: &mut Rng, item: &Item, depth: usize) -> Condition {
    let terms = |rng: &mut Rng| (0..rng.usize(2..4)).map(|_| condition(rng, item, depth - 1)).collect();
    match rng.u8(..10) {
        0..2 if depth > 0 => Condition::And(terms(rng)),
        2..4 if depth > 0 => Condition::Or(terms(rng)),
        4 if depth > 0 => Condition::Not(Box::new(condition(rng, item, depth - 1))),
        _ => leaf(rng, item),
    }
}

fn leaf(rng: &mut Rng, item: &Item) -> Condition {
    const OPERATORS: [&str; 6] = ["=", "<>", "<", "<=", ">", ">="];
    const TYPES: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"];
    let place = place(rng, item);
    // Half of the time, the condition uses the stored value: otherwise most comparisons would fail.
    let there = find(&place, item).cloned().filter(|_| rng.bool());
    let like = |rng: &mut Rng| there.clone().unwrap_or_else(|| value(rng, 1));
    match rng.u8(..16) {
        0..4 => {
            let value = like(rng);
            Condition::Compare(place, pick(rng, if is_ordered(&value) { &OPERATORS } else { &OPERATORS[..2] }), value)
        }
        4 => Condition::CompareSize(place, pick(rng, &OPERATORS), AttributeValue::N(rng.u8(..4).to_string())),
        5 => {
            let (low, high) = between(rng, there);
            Condition::Between(place, low, high)
        }
        6 => {
            let others = rng.usize(..3);
            Condition::In(place, std::iter::once(like(rng)).chain((0..others).map(|_| value(rng, 1))).collect())
        }
        7 => Condition::Exists(place),
        8 => Condition::NotExists(place),
        9 => Condition::ComparePlaces(place.clone(), pick(rng, &OPERATORS), other_than(&place, rng, item)),
        10 => Condition::Present(place),
        11 => Condition::Vacant(place),
        12 => Condition::IsType(place, pick(rng, &TYPES)),
        13 => {
            let prefix = if rng.bool() {
                AttributeValue::S(pick(rng, &TEXTS).to_owned())
            } else {
                AttributeValue::B(bytes(rng))
            };
            Condition::BeginsWith(place, prefix)
        }
        _ => {
            let part = match &there {
                Some(AttributeValue::L(elements)) if !elements.is_empty() => {
                    elements[rng.usize(..elements.len())].clone()
                }
                Some(AttributeValue::Ns(_)) => AttributeValue::N(number(rng)),
                Some(AttributeValue::Bs(_)) => AttributeValue::B(Blob::new(b"a")),
                _ => value(rng, 1),
            };
            Condition::Contains(place, part)
        }
    }
}

/// Returns another place, because DynamoDB rejects a comparison of a place with itself.
fn other_than(one: &Place, rng: &mut Rng, item: &Item) -> Place {
    loop {
        let other = place(rng, item);
        if other != *one {
            return other;
        }
    }
}

fn is_ordered(value: &AttributeValue) -> bool {
    matches!(value, AttributeValue::S(_) | AttributeValue::N(_) | AttributeValue::B(_))
}

/// Two values of one type, the first not greater than the second: DynamoDB rejects any other range.
fn between(rng: &mut Rng, there: Option<AttributeValue>) -> (AttributeValue, AttributeValue) {
    match there {
        Some(there @ (AttributeValue::S(_) | AttributeValue::B(_) | AttributeValue::N(_))) if rng.bool() => {
            (there.clone(), there)
        }
        _ => match rng.u8(..3) {
            0 => (AttributeValue::N("-1.5".to_owned()), AttributeValue::N("2E0".to_owned())),
            1 => (AttributeValue::S("a".to_owned()), AttributeValue::S("größe".to_owned())),
            _ => (AttributeValue::B(Blob::new([0])), AttributeValue::B(Blob::new([1, 1]))),
        },
    }
}

/// One to four changes whose places do not overlap.
pub(super) fn changes(rng: &mut Rng, item: &Item) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let wanted = rng.usize(1..5);
    while changes.len() < wanted {
        let change = change(rng, item);
        if changes.iter().all(|other| !overlap(&change.place, &other.place)) {
            changes.push(change);
        } else if rng.u8(..4) == 0 {
            break;
        }
    }
    changes
}

/// Returns true if one place contains the other, or if one value would have to be both a list and a map. DynamoDB always
/// rejects the latter, and no field handle makes such changes.
fn overlap((one, steps): &Place, (other, others): &Place) -> bool {
    let differing = steps.iter().zip(others).find(|(step, other)| step != other);
    one == other
        && differing
            .is_none_or(|steps| !matches!(steps, (Step::Name(_), Step::Name(_)) | (Step::Index(_), Step::Index(_))))
}

fn change(rng: &mut Rng, item: &Item) -> Change {
    let place = place(rng, item);
    let deed = deed(rng, find(&place, item));
    let is_whole = place.0 == NAMES[0] && place.1.is_empty();
    let aliases: &[&str] = if is_whole && rng.bool() { &NAMES[4..] } else { &[] };
    Change { place, deed, aliases, is_null: rng.u8(..20) == 0 }
}

/// An operation that mostly suits the stored value.
fn deed(rng: &mut Rng, found: Option<&AttributeValue>) -> Deed {
    let n = |rng: &mut Rng| AttributeValue::N(number(rng));
    match (found, rng.u8(..12)) {
        (Some(AttributeValue::N(_)), 0..3) | (_, 0) => {
            let absent = rng.bool().then(|| n(rng));
            Deed::Plus { by: n(rng), absent }
        }
        (Some(AttributeValue::N(_)), 3..5) | (_, 1) => Deed::Minus(n(rng)),
        (Some(AttributeValue::N(_)), 5..7) | (_, 2) => Deed::Add(n(rng)),
        (Some(AttributeValue::Ss(_) | AttributeValue::Ns(_) | AttributeValue::Bs(_)), 3..9) | (_, 3 | 4) => {
            let mut other = set(rng);
            while let Some(AttributeValue::Ss(_) | AttributeValue::Ns(_) | AttributeValue::Bs(_)) = found
                && rng.u8(..5) > 0
                && found.map(std::mem::discriminant) != Some(std::mem::discriminant(&other))
            {
                other = set(rng);
            }
            if let AttributeValue::Ns(numbers) = &mut other {
                // The embedded engine compares these numbers with those of the stored set as text. DynamoDB compares numbers
                // by value.
                *numbers = numbers.iter().map(|number| plain(number)).collect();
            }
            if rng.bool() { Deed::Delete(other) } else { Deed::Add(other) }
        }
        (Some(AttributeValue::L(_)), 5..8) | (_, 5) => {
            let list = |rng: &mut Rng| AttributeValue::L((0..rng.usize(1..3)).map(|_| value(rng, 1)).collect());
            Deed::Append { list: list(rng), absent: list(rng) }
        }
        (_, 6 | 7) => Deed::SetAbsent(value(rng, 2)),
        (_, 8 | 9) => Deed::Remove,
        _ => Deed::Set(value(rng, 2)),
    }
}
