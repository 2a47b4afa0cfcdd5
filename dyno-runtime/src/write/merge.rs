//! The three-way merge of a change: of the stored item, and of the entity before and after the change.
//!
//! Only the differences between before and after are applied, member by member and element by element. Everything else stays as
//! it is stored: members that a document does not declare, and numbers and dates that another writer spells differently.

use super::kept_attributes::{check_kept, is_set_once, set_updated};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Decimal, Encoded, Item, check_stand_ins, equal, equal_or_absent, has_stand_in};
use crate::error::{EncodeError, Error};
use crate::rule;
use crate::schema::{Index, KeyForm, Schema};
use crate::sorted;
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::{HashMap, HashSet, VecDeque};

/// The way in which a changed attribute is merged. If the merged item does not decode to the entity after the change, the next
/// way is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// A member is stored under its own name.
    Exact,
    /// A member may be stored under another spelling of its name: `"01"` for `"1"`.
    Respelled,
    /// The attribute becomes the value of the entity.
    Whole,
}

/// Returns the item after a change. `stored` is in the current shape of the entity; `before` and `after` are the encoded entity, with
/// stand-ins for the values that cannot be encoded. `now` becomes the time of the last write, if the entity has one. `reread` decodes an
/// item, and encodes it again.
pub(crate) fn merge(
    schema: &Schema,
    now: EpochMillis,
    stored: &Item,
    [before, after]: [&Encoded; 2],
    reread: impl Fn(Item) -> Result<Item, Error>,
) -> Result<Item, Error> {
    let (is_unencodable, before, after) = (after.has_stand_in, &before.item, &after.item);
    // A stored key in another spelling than the entity's is no change of the key.
    if schema.keys().any(|key| after.get(key.name) != before.get(key.name)) {
        return Err(Error::invalid(
            "the key was changed, and DynamoDB cannot change an item's key: create an item under the new key and delete this one",
        ));
    }
    check_kept(schema, stored, before, after)?;
    let mut merged = stored.clone();
    let mut open = Vec::new();
    for name in attributes(schema, before, after) {
        let (old, new) = (before.get(name), after.get(name));
        let is_same = equal_or_absent(old, new);
        let is_default = is_same && !stored.contains_key(name);
        // An attribute that cannot be encoded stays as it is stored, or absent.
        let is_kept = is_same && is_unencodable && new.is_some_and(has_stand_in);
        if is_kept || is_default && is_set_once(schema, name) {
            continue;
        }
        if is_rule_defined(schema, name) || is_default {
            put(&mut merged, name, new.cloned());
        } else if !is_same {
            open.push(name);
        }
    }
    for manner in [Manner::Exact, Manner::Respelled, Manner::Whole] {
        for name in &open {
            let value = merge_value(stored.get(*name), before.get(*name), after.get(*name), manner);
            put(&mut merged, name, value);
        }
        if is_unencodable && manner != Manner::Exact {
            check_stand_ins(&merged)?;
        }
        // An attribute that has the entity's own value needs no check by decoding.
        open.retain(|name| merged.get(*name) != after.get(*name));
        if open.is_empty() || manner == Manner::Whole {
            break;
        }
        if let Ok(read) = reread(merged.clone()) {
            open.retain(|name| !equal_or_absent(read.get(*name), after.get(*name)));
        }
    }
    rule::check_embeddings(schema, before, after, &mut merged)?;
    if let Some(updated) = &schema.updated {
        let changed = attributes(schema, before, after).into_iter();
        let changed = changed.filter(|name| !equal_or_absent(before.get(*name), after.get(*name)));
        set_updated(updated, now, changed, &mut merged)?;
    }
    if is_unencodable {
        check_stand_ins(&merged)?;
    }
    Ok(merged)
}

/// Returns the item of a put, with the stored value in place of each one that cannot be encoded and has not changed since `before`.
pub(super) fn keep_unencodable(stored: &Item, before: &Item, after: &Item) -> Result<Item, EncodeError> {
    let mut kept = after.clone();
    for (name, value) in after.iter().filter(|(_, value)| has_stand_in(value)) {
        put(&mut kept, name, merge_value(stored.get(name), before.get(name), Some(value), Manner::Exact));
    }
    check_stand_ins(&kept)?;
    Ok(kept)
}

/// Returns the attributes of the entity, without the key and the attributes that the rules set in every write.
fn attributes<'a>(schema: &Schema, before: &'a Item, after: &'a Item) -> Vec<&'a str> {
    let is_new = |name: &&str| !after.contains_key(*name);
    let names = after.keys().map(String::as_str).chain(before.keys().map(String::as_str).filter(is_new));
    let index_keys = schema.indexes.iter().flat_map(Index::keys).map(|key| key.name).filter(is_new);
    let index_keys = index_keys.filter(|name| is_rule_defined(schema, name) && !before.contains_key(*name));
    names.chain(index_keys).filter(|name| schema.is_content(name)).collect()
}

/// Returns `true` if an attribute must have the entity's own spelling: the templated key of an index, the mark of the entity, or
/// a token, which DynamoDB compares as it is spelled.
fn is_rule_defined(schema: &Schema, name: &str) -> bool {
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

/// Returns the merged value of an attribute, a member or an element.
fn merge_value(
    stored: Option<&AttributeValue>,
    before: Option<&AttributeValue>,
    after: Option<&AttributeValue>,
    manner: Manner,
) -> Option<AttributeValue> {
    use AttributeValue::{Bs, L, M, Ns, Ss};
    if equal_or_absent(before, after) {
        return stored.cloned();
    }
    let after = after?;
    let (Some(stored), Some(before)) = (stored, before) else { return Some(after.clone()) };
    Some(match (stored, before, after) {
        _ if manner == Manner::Whole => after.clone(),
        (M(stored), M(before), M(after)) => M(merge_members(stored, before, after, manner)),
        (L(stored), L(before), L(after)) if stored.len() == before.len() => {
            L(merge_elements(stored, before, after, manner))
        }
        (Ss(stored), Ss(before), Ss(after)) => Ss(merge_set(stored, before, after)),
        (Ns(stored), Ns(before), Ns(after)) => Ns(merge_set(stored, before, after)),
        (Bs(stored), Bs(before), Bs(after)) => Bs(merge_set(stored, before, after)),
        (_, _, after) => after.clone(),
    })
}

fn merge_members(stored: &Item, before: &Item, after: &Item, manner: Manner) -> Item {
    let mut merged = stored.clone();
    let names = sorted::names(before.keys().chain(after.keys()).map(String::as_str));
    let spellings = if manner == Manner::Respelled { spellings(stored, before) } else { HashMap::new() };
    for name in names {
        let (old, new) = (before.get(name), after.get(name));
        if !equal_or_absent(old, new) {
            let stored_name = spellings.get(name).copied().unwrap_or(name);
            put(&mut merged, stored_name, merge_value(stored.get(stored_name), old, new, manner));
        }
    }
    merged
}

/// Returns the names under which members may be stored that are not stored under their own. This is a guess: in a map whose
/// members are all entries, the remaining names are spellings of each other.
fn spellings<'a>(stored: &'a Item, before: &'a Item) -> HashMap<&'a str, &'a str> {
    let missing = |of: &'a Item, other: &Item| {
        sorted::names(of.keys().map(String::as_str).filter(|name| !other.contains_key(*name)))
    };
    let mut stored_names = missing(stored, before);
    let (mut spellings, mut unmatched) = (HashMap::new(), Vec::new());
    for name in missing(before, stored) {
        match stored_names.iter().position(|stored_name| is_spelling(name, stored_name)) {
            Some(at) => {
                spellings.insert(name, stored_names.remove(at));
            }
            None => unmatched.push(name),
        }
    }
    if unmatched.len() == stored_names.len() {
        spellings.extend(unmatched.into_iter().zip(stored_names));
    }
    spellings
}

/// Returns `true` if two names are spellings of the same number, or differ only in the case of letters.
fn is_spelling(one: &str, other: &str) -> bool {
    let numbers = (Decimal::parse(one), Decimal::parse(other));
    one.eq_ignore_ascii_case(other) || matches!(&numbers, (Some(one), Some(other)) if one == other)
}

/// Returns the stored elements that stay, as they are stored, and the new elements.
fn merge_set<T: Clone + AsRef<[u8]>>(stored: &[T], before: &[T], after: &[T]) -> Vec<T> {
    // Sets, because an item can hold a hundred thousand elements.
    let sets = [stored, before, after].map(|set| set.iter().map(AsRef::as_ref).collect::<HashSet<&[u8]>>());
    let [in_stored, in_before, in_after] = sets;
    let stays = |element: &&T| !in_before.contains(element.as_ref()) || in_after.contains(element.as_ref());
    let is_new = |element: &&T| !in_before.contains(element.as_ref()) && !in_stored.contains(element.as_ref());
    let merged: Vec<T> = stored.iter().filter(stays).chain(after.iter().filter(is_new)).cloned().collect();
    // DynamoDB has no empty set.
    if merged.is_empty() { after.to_vec() } else { merged }
}

fn merge_elements(
    stored: &[AttributeValue],
    before: &[AttributeValue],
    after: &[AttributeValue],
    manner: Manner,
) -> Vec<AttributeValue> {
    let merged = after.iter().zip(match_elements(before, after)).map(|(element, from)| {
        let merged = from.and_then(|from| merge_value(Some(&stored[from]), Some(&before[from]), Some(element), manner));
        merged.unwrap_or_else(|| element.clone())
    });
    merged.collect()
}

/// Returns, for each element after the change, the index of the element before the change that it was made from.
///
/// An element that equals an old one is that one, first at its own index. A changed element is the old one with which it has the
/// most members in common, or, in a list of the same length, the one at its index.
fn match_elements(before: &[AttributeValue], after: &[AttributeValue]) -> Vec<Option<usize>> {
    let mut matches = Matches { from: vec![None; after.len()], is_free: vec![true; before.len()] };
    let length = before.len().min(after.len());
    let from_the_front = (0..length).map(|index| (index, index));
    let from_the_back = (1..=length).map(|back| (after.len() - back, before.len() - back));
    for (to, from) in from_the_front.chain(from_the_back) {
        if equal(&before[from], &after[to]) {
            matches.add(to, from);
        }
    }
    let mut indexes: HashMap<String, VecDeque<usize>> = HashMap::new();
    for from in matches.free() {
        indexes.entry(canonical(&before[from])).or_default().push_back(from);
    }
    for to in matches.open() {
        if let Some(from) = indexes.get_mut(&canonical(&after[to])).and_then(VecDeque::pop_front) {
            matches.add(to, from);
        }
    }
    for (to, from) in similar(before, after, &matches) {
        matches.add(to, from);
    }
    if before.len() == after.len() {
        (0..length).for_each(|index| matches.add(index, index));
    }
    matches.from
}

/// Pairs of elements before and after the change.
struct Matches {
    /// For each element after, the index of its element before.
    from: Vec<Option<usize>>,
    /// For each element before, `true` if no element after is matched with it.
    is_free: Vec<bool>,
}

impl Matches {
    /// Matches two elements, unless one of them is matched already.
    fn add(&mut self, to: usize, from: usize) {
        if self.is_free[from] && self.from[to].is_none() {
            (self.from[to], self.is_free[from]) = (Some(from), false);
        }
    }

    /// Returns the elements before that are not matched.
    fn free(&self) -> Vec<usize> {
        (0..self.is_free.len()).filter(|from| self.is_free[*from]).collect()
    }

    /// Returns the elements after that are not matched.
    fn open(&self) -> Vec<usize> {
        (0..self.from.len()).filter(|to| self.from[*to].is_none()).collect()
    }
}

/// The most pairs of changed elements that are compared.
const COMPARISONS: usize = 1 << 16;

/// Returns the pairs of unmatched elements that have members in common, those with the most first.
fn similar(before: &[AttributeValue], after: &[AttributeValue], matches: &Matches) -> Vec<(usize, usize)> {
    let (free, open) = (matches.free(), matches.open());
    if free.len().saturating_mul(open.len()) > COMPARISONS {
        return Vec::new();
    }
    let mut found = Vec::new();
    for to in open {
        for from in &free {
            let (AttributeValue::M(one), AttributeValue::M(other)) = (&before[*from], &after[to]) else { continue };
            let common = one.iter().filter(|(name, member)| equal_or_absent(Some(member), other.get(*name))).count();
            if common > 0 {
                found.push((common, to == *from, to, *from));
            }
        }
    }
    found.sort_by_key(|(common, in_place, to, from)| (std::cmp::Reverse((*common, *in_place)), *to, *from));
    found.into_iter().map(|(_, _, to, from)| (to, from)).collect()
}

/// Returns a text that is the same for two values exactly if the values are equal.
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
            // Changed beyond recognition: matched by its index, if the lists have the same length.
            (&["aa", "bb"], &["aa", "xx"], &[Some(0), Some(1)]),
            (&["aa", "bb"], &["xx"], &[None]),
            (&["aa", "aa"], &["aa", "aa", "aa"], &[Some(0), Some(1), None]),
            (&[], &["aa"], &[None]),
            (&["aa"], &[], &[]),
        ] {
            assert_eq!(match_elements(&elements(before), &elements(after)), expected, "{before:?} {after:?}");
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

    /// As many elements as an item can hold, each at another index than before.
    #[test]
    fn lists_of_100000_elements_are_merged() {
        let list = |from: u32| (from..from + 100_000).map(|number| s(&number.to_string())).collect::<Vec<_>>();
        let matches = match_elements(&list(0), &list(1));
        assert_eq!((matches[0], matches[99_998]), (Some(1), Some(99_999)));
        assert_eq!(matches[99_999], None);
    }
}
