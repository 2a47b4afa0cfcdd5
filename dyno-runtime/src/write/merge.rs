//! The three-way merge of a change: what is stored, and what the entity says of it before the change and after.
//!
//! Only what differs between before and after is changed, member by member and element by element. All else stays as it is
//! stored, also where the entity does not know it, or spells it otherwise: members that a document does not declare, the
//! digits and dates of another writer.

use crate::attribute::{Decimal, Item, equal};
use crate::error::Error;
use crate::key::key_of;
use crate::schema::{Index, KeyForm, Schema};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// How a changed attribute is merged: with the next one, where what comes of it does not read as the entity after the
/// change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Members have the names that they are stored under.
    Exact,
    /// They may be stored under another spelling of their name: `"01"` for `"1"`.
    Respelled,
    /// The attribute is what the entity says.
    Whole,
}

/// The item after a change: `stored` is in the entity's shape of today, `before` and `after` are the entity. `reread` reads
/// an item, and says what the entity makes of it.
pub(crate) fn merge(
    schema: &Schema,
    stored: Item,
    before: &Item,
    after: &Item,
    reread: impl Fn(Item) -> Result<Item, Error>,
) -> Result<Item, Error> {
    // A key that is spelled otherwise than the entity would is no change of it.
    let key = if before.is_empty() { key_of(schema, &stored) } else { key_of(schema, before) };
    if key_of(schema, after) != key {
        return Err(Error::invalid(
            "the key was changed: an item cannot move; create one under the new key and delete this one",
        ));
    }
    let mut merged = stored.clone();
    let mut open = Vec::new();
    for name in names(schema, before, after) {
        let (was, is) = (before.get(name), after.get(name));
        if is_made_anew(schema, name) || !stored.contains_key(name) && is_one(was, is) {
            put(&mut merged, name, is.cloned());
        } else if !is_one(was, is) {
            open.push(name);
        }
    }
    for manner in [Manner::Exact, Manner::Respelled, Manner::Whole] {
        for name in &open {
            let merge = value(stored.get(*name), before.get(*name), after.get(*name), manner);
            put(&mut merged, name, merge);
        }
        // What is as the entity says reads as the entity.
        open.retain(|name| merged.get(*name) != after.get(*name));
        if open.is_empty() || manner == Manner::Whole {
            break;
        }
        if let Ok(read) = reread(merged.clone()) {
            open.retain(|name| !is_one(read.get(*name), after.get(*name)));
        }
    }
    Ok(merged)
}

/// The attributes that the entity says something of, but for those that other writes leave to the rules.
fn names<'a>(schema: &Schema, before: &'a Item, after: &'a Item) -> BTreeSet<&'a str> {
    let names = before.keys().chain(after.keys()).map(String::as_str);
    let made = schema.indexes.iter().flat_map(Index::keys).map(|key| key.name);
    let made = made.filter(|name| is_made_anew(schema, name));
    let names = names.chain(made);
    names.filter(|name| schema.is_content(name)).collect()
}

/// Whether an attribute is as the rules need it, whatever its spelling: the key of an index that a template makes, the mark,
/// a token, by which writes are compared as it is spelled.
fn is_made_anew(schema: &Schema, name: &str) -> bool {
    let mut keys = schema.indexes.iter().flat_map(Index::keys);
    let mut is_template = || keys.any(|key| key.name == name && matches!(key.form, KeyForm::Template(_)));
    let mut tokens = schema.ratchets.iter().flat_map(|ratchet| [Some(ratchet.attribute), ratchet.tiebreak]);
    !schema.is_key(name) && is_template()
        || schema.entity_type.as_ref().is_some_and(|mark| mark.attribute == name)
        || tokens.any(|token| token == Some(name))
}

fn put(item: &mut Item, name: &str, value: Option<AttributeValue>) {
    match value {
        Some(value) => item.insert(name.to_owned(), value),
        None => item.remove(name),
    };
}

fn is_one(one: Option<&AttributeValue>, other: Option<&AttributeValue>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => equal(one, other),
        (None, None) => true,
        _ => false,
    }
}

/// The merge of a value.
fn value(
    stored: Option<&AttributeValue>,
    before: Option<&AttributeValue>,
    after: Option<&AttributeValue>,
    manner: Manner,
) -> Option<AttributeValue> {
    use AttributeValue::{Bs, L, M, Ns, Ss};
    if is_one(before, after) {
        return stored.cloned();
    }
    let after = after?;
    let (Some(stored), Some(before)) = (stored, before) else { return Some(after.clone()) };
    Some(match (stored, before, after) {
        _ if manner == Manner::Whole => after.clone(),
        (M(stored), M(before), M(after)) => M(members(stored, before, after, manner)),
        (L(stored), L(before), L(after)) if stored.len() == before.len() => L(elements(stored, before, after, manner)),
        (Ss(stored), Ss(before), Ss(after)) => Ss(set(stored, before, after)),
        (Ns(stored), Ns(before), Ns(after)) => Ns(set(stored, before, after)),
        (Bs(stored), Bs(before), Bs(after)) => Bs(set(stored, before, after)),
        (_, _, after) => after.clone(),
    })
}

fn members(stored: &Item, before: &Item, after: &Item, manner: Manner) -> Item {
    let mut merged = stored.clone();
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let spellings = if manner == Manner::Respelled { spellings(stored, before) } else { HashMap::new() };
    for name in names {
        let (was, is) = (before.get(name), after.get(name));
        if !is_one(was, is) {
            let place = spellings.get(name).copied().unwrap_or(name);
            put(&mut merged, place, value(stored.get(place), was, is, manner));
        }
    }
    merged
}

/// Under which names the members may be stored that are not stored under their own. A guess: of a map whose every member is
/// an entry, those that are left are spellings of each other.
fn spellings<'a>(stored: &'a Item, before: &'a Item) -> HashMap<&'a String, &'a String> {
    let left =
        |of: &'a Item, other: &Item| of.keys().filter(|name| !other.contains_key(*name)).collect::<BTreeSet<_>>();
    let (mut names, mut places) = (left(before, stored), left(stored, before));
    let mut spellings = HashMap::new();
    for name in std::mem::take(&mut names) {
        match places.iter().copied().find(|place| is_alike(name, place)) {
            Some(place) => {
                places.remove(place);
                spellings.insert(name, place);
            }
            None => drop(names.insert(name)),
        }
    }
    if names.len() == places.len() {
        spellings.extend(names.into_iter().zip(places));
    }
    spellings
}

/// Whether two names are spellings of one number, or of one text whatever its case.
fn is_alike(one: &str, other: &str) -> bool {
    let numbers = (Decimal::parse(one), Decimal::parse(other));
    one.eq_ignore_ascii_case(other) || matches!(&numbers, (Some(one), Some(other)) if one == other)
}

/// What stays, as it is stored, and what is new.
fn set<T: Clone + AsRef<[u8]>>(stored: &[T], before: &[T], after: &[T]) -> Vec<T> {
    // Sets, because there can be a hundred thousand elements.
    let sets = [stored, before, after].map(|set| set.iter().map(AsRef::as_ref).collect::<BTreeSet<_>>());
    let [in_stored, in_before, in_after] = sets;
    let stays = |element: &&T| !in_before.contains(element.as_ref()) || in_after.contains(element.as_ref());
    let is_new = |element: &&T| !in_before.contains(element.as_ref()) && !in_stored.contains(element.as_ref());
    let merged: Vec<T> = stored.iter().filter(stays).chain(after.iter().filter(is_new)).cloned().collect();
    // There is no empty set.
    if merged.is_empty() { after.to_vec() } else { merged }
}

fn elements(
    stored: &[AttributeValue],
    before: &[AttributeValue],
    after: &[AttributeValue],
    manner: Manner,
) -> Vec<AttributeValue> {
    let merged = after.iter().zip(pairs(before, after)).map(|(element, from)| {
        let merged = from.and_then(|from| value(Some(&stored[from]), Some(&before[from]), Some(element), manner));
        merged.unwrap_or_else(|| element.clone())
    });
    merged.collect()
}

/// Which element of before each element of after is. One that equals one of before is that one, in its own place first. Of
/// the others, it is the one with which it has most members in common; or, in a list as long as before, the one in its
/// place.
fn pairs(before: &[AttributeValue], after: &[AttributeValue]) -> Vec<Option<usize>> {
    let mut pairs = Pairs { of: vec![None; after.len()], is_free: vec![true; before.len()] };
    let length = before.len().min(after.len());
    let from_the_front = (0..length).map(|index| (index, index));
    let from_the_back = (1..=length).map(|back| (after.len() - back, before.len() - back));
    for (to, from) in from_the_front.chain(from_the_back) {
        if equal(&before[from], &after[to]) {
            pairs.join(to, from);
        }
    }
    let mut places: HashMap<String, VecDeque<usize>> = HashMap::new();
    for from in pairs.left() {
        places.entry(canonical(&before[from])).or_default().push_back(from);
    }
    for to in pairs.open() {
        if let Some(from) = places.get_mut(&canonical(&after[to])).and_then(VecDeque::pop_front) {
            pairs.join(to, from);
        }
    }
    for (to, from) in changed(before, after, &pairs) {
        pairs.join(to, from);
    }
    if before.len() == after.len() {
        (0..length).for_each(|index| pairs.join(index, index));
    }
    pairs.of
}

/// Elements of before and after that are one.
struct Pairs {
    /// The place before of each element after.
    of: Vec<Option<usize>>,
    /// Whether an element of before is none of after yet.
    is_free: Vec<bool>,
}

impl Pairs {
    /// Unless one of the two is another's already.
    fn join(&mut self, to: usize, from: usize) {
        if self.is_free[from] && self.of[to].is_none() {
            (self.of[to], self.is_free[from]) = (Some(from), false);
        }
    }

    /// The elements of before that are none of after.
    fn left(&self) -> Vec<usize> {
        (0..self.is_free.len()).filter(|from| self.is_free[*from]).collect()
    }

    /// The elements of after that are none of before.
    fn open(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|to| self.of[*to].is_none()).collect()
    }
}

/// How many pairs of elements are looked at, of those that equal none.
const COMPARISONS: usize = 1 << 16;

/// Elements that may be one, changed: those with the most members in common first.
fn changed(before: &[AttributeValue], after: &[AttributeValue], pairs: &Pairs) -> Vec<(usize, usize)> {
    let (left, new) = (pairs.left(), pairs.open());
    if left.len().saturating_mul(new.len()) > COMPARISONS {
        return Vec::new();
    }
    let mut found = Vec::new();
    for to in new {
        for from in &left {
            let (AttributeValue::M(one), AttributeValue::M(other)) = (&before[*from], &after[to]) else { continue };
            let common = one.iter().filter(|(name, member)| is_one(Some(member), other.get(*name))).count();
            if common > 0 {
                found.push((common, to == *from, to, *from));
            }
        }
    }
    found.sort_by_key(|(common, in_place, to, from)| (std::cmp::Reverse((*common, *in_place)), *to, *from));
    found.into_iter().map(|(_, _, to, from)| (to, from)).collect()
}

/// A text that values have in common exactly if they are equal.
fn canonical(value: &AttributeValue) -> String {
    fn sorted(mut texts: Vec<String>) -> String {
        texts.sort_unstable();
        format!("{texts:?}")
    }
    let number = |text: &String| Decimal::parse(text).map_or_else(|| text.clone(), |number| number.to_string());
    match value {
        AttributeValue::N(text) => format!("N{}", number(text)),
        AttributeValue::Ns(texts) => format!("NS{}", sorted(texts.iter().map(number).collect())),
        AttributeValue::Ss(texts) => format!("SS{}", sorted(texts.clone())),
        AttributeValue::Bs(blobs) => format!("BS{}", sorted(blobs.iter().map(|blob| format!("{blob:?}")).collect())),
        AttributeValue::L(elements) => format!("L{:?}", elements.iter().map(canonical).collect::<Vec<_>>()),
        AttributeValue::M(members) => {
            let members = members.iter().map(|(name, member)| format!("{name:?}{}", canonical(member)));
            format!("M{}", sorted(members.collect()))
        }
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(text: &str) -> AttributeValue {
        AttributeValue::S(text.to_owned())
    }

    fn elements(texts: &[&str]) -> Vec<AttributeValue> {
        let element = |text: &&str| {
            let members = text.char_indices().map(|(index, member)| (index.to_string(), s(&member.to_string())));
            AttributeValue::M(members.collect())
        };
        texts.iter().map(element).collect()
    }

    /// Each element is a map with a member for each letter.
    #[test]
    fn elements_are_matched_with_their_new_positions() {
        for (before, after, expected) in [
            (&["aa", "bb"][..], &["aa", "bb"][..], &[Some(0), Some(1)][..]),
            (&["aa", "bb"], &["bb", "aa"], &[Some(1), Some(0)]),
            (&["aa", "bb", "cc"], &["bb", "cc"], &[Some(1), Some(2)]),
            (&["aa", "bb"], &["xx", "aa", "bb"], &[None, Some(0), Some(1)]),
            (&["aa", "bb"], &["aa", "bx"], &[Some(0), Some(1)]),
            (&["aa", "bb"], &["bx", "aa"], &[Some(1), Some(0)]),
            (&["aa", "bb", "cc"], &["cx", "bb"], &[Some(2), Some(1)]),
            // Changed beyond recognition: in its place, if places are what they were.
            (&["aa", "bb"], &["aa", "xx"], &[Some(0), Some(1)]),
            (&["aa", "bb"], &["xx"], &[None]),
            (&["aa", "aa"], &["aa", "aa", "aa"], &[Some(0), Some(1), None]),
            (&[], &["aa"], &[None]),
            (&["aa"], &[], &[]),
        ] {
            assert_eq!(pairs(&elements(before), &elements(after)), expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn canonical_texts_are_equal_exactly_for_equal_values() {
        let n = |number: &str| AttributeValue::N(number.to_owned());
        let set = |texts: &[&str]| AttributeValue::Ss(texts.iter().map(|text| (*text).to_owned()).collect());
        let map =
            |value: AttributeValue| AttributeValue::M(Item::from([("a".to_owned(), value), ("b".to_owned(), n("1"))]));
        let values = [
            n("1"),
            n("1.0"),
            s("1"),
            set(&["a", "b"]),
            set(&["b", "a"]),
            set(&["a, b"]),
            map(n("1")),
            map(n("1E0")),
            map(s("1")),
            AttributeValue::L(vec![n("1"), n("2")]),
            AttributeValue::L(vec![n("2"), n("1")]),
            AttributeValue::Null(true),
            AttributeValue::Bool(true),
        ];
        for one in &values {
            for other in &values {
                assert_eq!(canonical(one) == canonical(other), equal(one, other), "{one:?} {other:?}");
            }
        }
    }

    /// As many elements as an item can hold, none of which is where it was.
    #[test]
    fn lists_of_100000_elements_are_merged() {
        let list = |from: u32| (from..from + 100_000).map(|number| s(&number.to_string())).collect::<Vec<_>>();
        let pairs = pairs(&list(0), &list(1));
        assert_eq!((pairs[0], pairs[99_998]), (Some(1), Some(99_999)));
        assert_eq!(pairs[99_999], None);
    }
}
