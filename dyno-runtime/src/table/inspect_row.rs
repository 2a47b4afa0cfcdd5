//! Finds what the commands of an entity do not expect in one row.

use super::inspection::{RowFinding, Tally};
use crate::attribute::time::EpochMillis;
use crate::attribute::{Item, check_stand_ins, equal, equal_or_absent, has_stand_in};
use crate::error::DecodeError;
use crate::exchange::repository::random::UNIQUE_NAME_BYTES;
use crate::key::key_text;
use crate::read::{Owner, Shape, see};
use crate::rule::{State, tombstone_attributes};
use crate::schema::{KeyForm, Schema, Ttl};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

/// Decodes an item, and returns it as dyno would store it, with stand-ins.
pub(super) type StoreAgain = fn(Item) -> Result<Item, DecodeError>;

/// DynamoDB does not remove an item that expired longer ago than five years. (Developer guide, "Using time to live".)
const YEARS_5_SECONDS: i64 = 5 * 365 * 24 * 60 * 60;

/// Adds the findings in a row to the tally.
pub(super) fn inspect_row(
    now: EpochMillis,
    schema: &'static Schema,
    item: &Item,
    store_again: StoreAgain,
    tally: &mut Tally,
) {
    let key = || key_text(item, schema).unwrap_or_else(|| "a row without the key".to_owned());
    tally.inspection.rows += 1;
    let view = see(&[schema], now, item);
    match (view.owner, &view.state) {
        (Owner::Revision, _) => tally.inspection.revisions += 1,
        (Owner::Nobody, _) => tally.add(RowFinding::OtherEntity(kind_of_row(schema, item)), key),
        (Owner::Entity(_), State::Deleted | State::Absent) => {
            tally.inspection.deleted += 1;
            if let Some(flag) = flag_beside_data(schema, item) {
                tally.add(RowFinding::DeletedWithData(flag), key);
            }
        }
        (Owner::Entity(_), State::Expired) => {
            tally.inspection.expired += 1;
            if let Some(ttl) = expired_long_ago(schema, now, item) {
                tally.add(RowFinding::ExpiredLongAgo(ttl), key);
            }
        }
        (Owner::Entity(_), State::Live) => {
            tally.inspection.live += 1;
            inspect_attributes_of_rules(schema, item, &view.shape, tally, key);
            inspect_fields(schema, item, &view.shape, store_again, tally, key);
        }
    }
}

/// Inspects the attributes that the entity's rules use.
fn inspect_attributes_of_rules(
    schema: &'static Schema,
    item: &Item,
    shape: &Shape,
    tally: &mut Tally,
    key: impl Fn() -> String,
) {
    if let Some(version) = &schema.version {
        if !item.contains_key(version.attribute) {
            tally.add(RowFinding::NoVersion(version.attribute), &key);
        } else if version.of(item).is_none_or(|found| found > version.max) {
            tally.add(RowFinding::InvalidVersion(version.attribute), &key);
        }
    }
    if let Some(mark) = schema.entity_type.as_ref().filter(|mark| !item.contains_key(mark.attribute)) {
        tally.add(RowFinding::NoMark(mark.attribute), &key);
    }
    for ratchet in schema.ratchets.iter().filter(|ratchet| !item.contains_key(ratchet.attribute)) {
        tally.add(RowFinding::NoToken(ratchet.attribute), &key);
    }
    let is_write_id = |value: &AttributeValue| value.as_s().is_ok_and(|text| text.len() >= UNIQUE_NAME_BYTES);
    let write_id = schema.write_id.iter().map(|write_id| write_id.attribute);
    let write_id = write_id.filter(|name| item.get(*name).is_some_and(|value| !is_write_id(value)));
    // A live item has neither of them, unless the TTL is a field of the entity.
    let tombstone = schema.tombstone.iter().flat_map(|tombstone| [tombstone.deleted, tombstone.ttl]);
    let tombstone = tombstone.filter(|name| item.contains_key(*name) && schema.attribute(name).is_none());
    for name in write_id.chain(tombstone) {
        tally.add(RowFinding::RuleAttribute(name), &key);
    }
    let is_other = |ttl: &&Ttl| item.get(ttl.attribute).is_some_and(|value| ttl.check(value).is_err());
    // `upgrade` may convert the TTL of an older shape.
    if let Some(ttl) = schema.ttl.as_ref().filter(|_| *shape == Shape::Current).filter(is_other) {
        tally.add(RowFinding::TtlNotInSeconds(ttl.attribute), &key);
    }
}

/// Inspects the attributes of the entity's fields, and the attributes that are of no field.
fn inspect_fields(
    schema: &'static Schema,
    item: &Item,
    shape: &Shape,
    store_again: StoreAgain,
    tally: &mut Tally,
    key: impl Fn() -> String,
) {
    if let Shape::Older(version) = shape {
        tally.add(RowFinding::OlderShape(*version), &key);
    }
    let stored = match store_again(item.clone()) {
        Ok(stored) => Some(stored),
        Err(first) => {
            // An invalid version has a finding of its own.
            let version = schema.version.as_ref().map(|version| version.attribute);
            let problems = match shape {
                Shape::Current => problems(schema, item, first, store_again),
                // `upgrade` takes the rows that are stored, and not rows with other values.
                _ => vec![first],
            };
            let problems = problems.into_iter();
            for problem in problems.filter(|problem| version.is_none() || problem.attribute() != version) {
                tally.add(RowFinding::Unreadable(problem.to_string()), &key);
            }
            None
        }
    };
    // An item of an older shape has what `upgrade` removes, and stores the rest in other forms.
    if *shape == Shape::Current {
        for (name, value) in item {
            match stored.as_ref().map(|stored| stored.get(name)) {
                Some(Some(own)) if has_stand_in(own) => {}
                Some(Some(own))
                    if !equal(own, value) && !schema.is_bookkeeping(name) && !is_index_key(schema, name) =>
                {
                    tally.add(other_form(name, own, value), &key);
                }
                Some(None) | None if !schema.declares(name) && !schema.has_rest => {
                    tally.add(RowFinding::Undeclared(name.clone()), &key);
                }
                _ => {}
            }
        }
    }
    let Some(stored) = stored else { return };
    // The rule writes the time of the last write over any stored value.
    let updated = schema.updated.as_ref().map(|updated| updated.attribute);
    let stand_ins = stored.iter().filter(|(name, own)| Some(&***name) != updated && has_stand_in(own));
    for (name, own) in stand_ins {
        if let Err(problem) = check_stand_ins(&Item::from([(name.clone(), own.clone())])) {
            tally.add(RowFinding::NotWritable(problem.to_string()), &key);
        }
    }
    for (index, attribute) in index_keys(schema) {
        let what = match (stored.get(attribute), item.get(attribute)) {
            // The stored key stays, because its fields make none.
            (Some(made), _) if has_stand_in(made) => continue,
            (Some(_), None) => RowFinding::NotInIndex { index, attribute },
            (made, found @ Some(_)) if *shape == Shape::Current && !equal_or_absent(made, found) => {
                RowFinding::StaleIndexKey { index, attribute }
            }
            _ => continue,
        };
        tally.add(what, &key);
    }
    let is_absent = |name: &'static str| !item.contains_key(name) && stored.contains_key(name);
    for attribute in schema.attributes.iter().filter(|attribute| is_absent(attribute.name)) {
        let is_aliased = attribute.aliases.iter().any(|alias| item.contains_key(*alias));
        let is_token = schema.ratchets.iter().any(|ratchet| ratchet.attribute == attribute.name);
        let is_of_rule = is_token || schema.is_bookkeeping(attribute.name);
        if !is_aliased && !is_of_rule && *shape == Shape::Current {
            tally.add(RowFinding::NoDefault(attribute.name), &key);
        }
    }
}

/// Returns the templated attributes of the keys of indexes, each with its index, except those of the table's key.
fn index_keys(schema: &'static Schema) -> impl Iterator<Item = (&'static str, &'static str)> {
    let keys = schema.indexes.iter().flat_map(|index| index.keys().map(|key| (index.name, key)));
    let templated = keys.filter(|(_, key)| matches!(key.form, KeyForm::Template(_)) && !schema.is_key(key.name));
    templated.map(|(index, key)| (index, key.name))
}

fn is_index_key(schema: &'static Schema, name: &str) -> bool {
    index_keys(schema).any(|(_, attribute)| attribute == name)
}

/// Returns what keeps a row from being decoded: a problem for each attribute. Behind the first one, the attribute gets other values
/// until decoding gets further.
fn problems(schema: &Schema, item: &Item, first: DecodeError, store_again: StoreAgain) -> Vec<DecodeError> {
    let (mut item, mut problem, mut problems) = (item.clone(), first, Vec::new());
    while problems.len() <= schema.attributes.len() {
        let attribute = problem.attribute().map(str::to_owned);
        problems.push(problem);
        let Some(attribute) = attribute else { break };
        let further = values().into_iter().find_map(|value| {
            let mut other = item.clone();
            other.remove(&attribute);
            other.extend(value.map(|value| (attribute.clone(), value)));
            let result = store_again(other.clone()).err();
            let is_further = result.as_ref().is_none_or(|next| next.attribute() != Some(&attribute));
            is_further.then_some((other, result))
        });
        match further {
            Some((other, Some(next))) => (item, problem) = (other, next),
            _ => break,
        }
    }
    problems
}

/// Returns a value of each type, and none.
fn values() -> Vec<Option<AttributeValue>> {
    let text = |text: &str| Some(AttributeValue::S(text.to_owned()));
    let one = "1".to_owned();
    vec![
        None,
        Some(AttributeValue::N(one.clone())),
        text("a"),
        text("2024-07-23T21:11:00Z"),
        Some(AttributeValue::Bool(true)),
        Some(AttributeValue::L(Vec::new())),
        Some(AttributeValue::M(Item::new())),
        Some(AttributeValue::Ss(vec!["a".to_owned()])),
        Some(AttributeValue::Ns(vec![one])),
        Some(AttributeValue::B(Blob::new("a"))),
        Some(AttributeValue::Bs(vec![Blob::new("a")])),
    ]
}

/// Returns the finding of a value that dyno stores in another way.
fn other_form(name: &str, own: &AttributeValue, value: &AttributeValue) -> RowFinding {
    match undeclared_member(own, value) {
        Some(member) => RowFinding::UndeclaredMember(format!("{name}{member}")),
        None => RowFinding::OtherForm(name.to_owned()),
    }
}

/// Returns the path of a member that a value has and dyno would not store. NULL stands for none.
fn undeclared_member(own: &AttributeValue, value: &AttributeValue) -> Option<String> {
    match (own, value) {
        (AttributeValue::M(own), AttributeValue::M(members)) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            members.into_iter().find_map(|(name, value)| match own.get(name) {
                None => (!value.is_null()).then(|| format!(".{name}")),
                Some(own) => undeclared_member(own, value).map(|member| format!(".{name}{member}")),
            })
        }
        (AttributeValue::L(own), AttributeValue::L(elements)) if own.len() == elements.len() => {
            let mut pairs = own.iter().zip(elements);
            pairs.find_map(|(own, value)| undeclared_member(own, value)).map(|member| format!("[]{member}"))
        }
        _ => None,
    }
}

/// Returns the flag of a tombstone that has more attributes than tombstones have.
fn flag_beside_data(schema: &'static Schema, item: &Item) -> Option<&'static str> {
    let tombstone = schema.tombstone.as_ref()?;
    let mark = schema.entity_type.iter().map(|mark| mark.attribute);
    let shape = schema.schema_version.iter().map(|version| version.attribute);
    let own = tombstone_attributes(schema).chain(mark).chain(shape).chain([tombstone.deleted, tombstone.ttl]);
    let own: Vec<_> = own.collect();
    let has_data = item.keys().any(|name| schema.is_content(name) && !own.contains(&&**name));
    (tombstone.is_flagged(item) && has_data).then_some(tombstone.deleted)
}

/// Returns the TTL attribute of a row that expired so long ago that DynamoDB does not remove it.
fn expired_long_ago(schema: &'static Schema, now: EpochMillis, item: &Item) -> Option<&'static str> {
    let attribute = schema.ttl.as_ref()?.attribute;
    let ttl: i64 = item.get(attribute)?.as_n().ok()?.parse().ok()?;
    (ttl < now.to_seconds_floor().get() - YEARS_5_SECONDS).then_some(attribute)
}

/// Returns what tells the rows of another kind from each other: the mark, or the beginning of the key.
fn kind_of_row(schema: &Schema, item: &Item) -> String {
    if let Some(mark) = &schema.entity_type
        && let Some(AttributeValue::S(name)) = item.get(mark.attribute)
        && *name != mark.name
    {
        return format!("`{}` is `{name}`", mark.attribute);
    }
    let key = schema.sort.as_ref().unwrap_or(&schema.partition);
    match item.get(key.name) {
        Some(AttributeValue::S(text)) => {
            let end = text.find(|char: char| !char.is_alphanumeric());
            match end.and_then(|end| text[end..].chars().next().map(|char| end + char.len_utf8())) {
                Some(end) => format!("`{}` begins with `{}`", key.name, &text[..end]),
                None => format!("`{}` is a text", key.name),
            }
        }
        _ => format!("`{}` is no text", key.name),
    }
}
