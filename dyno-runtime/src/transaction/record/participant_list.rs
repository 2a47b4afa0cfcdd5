//! The list of an attempt's participants, as it is stored in the lane row or in pages: table by table, by key.

use crate::attribute::Item;
use crate::error::foreign_text::value;
use crate::exchange::ItemRef;
use crate::key::item_size;
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::BTreeMap;
use std::fmt;

/// Participants of several tables.
pub(crate) type Participants = Vec<ItemRef>;

mod member {
    pub(crate) const TABLE: &str = "table";
    /// The names of the key attributes.
    pub(crate) const KEY: &str = "key";
    /// The values of all keys, one key after the other.
    pub(crate) const ITEMS: &str = "items";
}

/// The most bytes of the list in the lane row. The limit is low because each commit writes the row, and each process that
/// resolves an intent reads it.
pub(crate) const INLINE_BYTES: usize = 3 * 1024;

/// The most bytes of a page, below DynamoDB's limit for an item.
pub(crate) const PAGE_BYTES: usize = 350 * 1024;

/// Returns a list of participants as an attribute value, grouped by table.
pub(crate) fn list_value(participants: &[ItemRef]) -> AttributeValue {
    let mut tables: BTreeMap<(&str, Vec<&String>), Vec<AttributeValue>> = BTreeMap::new();
    for ItemRef { table, key } in participants {
        let mut names: Vec<&String> = key.keys().collect();
        names.sort_unstable();
        let values = names.iter().filter_map(|name| key.get(*name).cloned()).collect::<Vec<_>>();
        tables.entry((table, names)).or_default().extend(values);
    }
    let tables = tables.into_iter().map(|((table, names), values)| {
        let names = names.into_iter().cloned().map(AttributeValue::S).collect();
        AttributeValue::M(Item::from([
            (member::TABLE.to_owned(), AttributeValue::S(table.to_owned())),
            (member::KEY.to_owned(), AttributeValue::L(names)),
            (member::ITEMS.to_owned(), AttributeValue::L(values)),
        ]))
    });
    AttributeValue::L(tables.collect())
}

/// Reads a list of participants from an attribute value.
pub(crate) fn read_participants(value: &AttributeValue) -> Option<Participants> {
    let mut participants = Vec::new();
    for entry in value.as_l().ok()? {
        let entry = entry.as_m().ok()?;
        let table = entry.get(member::TABLE)?.as_s().ok()?;
        let names = entry.get(member::KEY)?.as_l().ok()?.iter().map(|name| name.as_s().ok());
        let names: Vec<&String> = names.collect::<Option<_>>()?;
        let values = entry.get(member::ITEMS)?.as_l().ok()?;
        if names.is_empty() || values.len() % names.len() != 0 {
            return None;
        }
        participants.extend(values.chunks(names.len()).map(|values| ItemRef {
            table: table.clone(),
            key: names.iter().map(|name| (*name).clone()).zip(values.iter().cloned()).collect(),
        }));
    }
    Some(participants)
}

/// Writes the table and the key of an item, for a message.
pub(crate) fn fmt_item(f: &mut fmt::Formatter<'_>, table: &str, key: &Item) -> fmt::Result {
    let mut names: Vec<&String> = key.keys().collect();
    names.sort_unstable();
    write!(f, "the item")?;
    for (at, name) in names.into_iter().enumerate() {
        f.write_str(if at == 0 { " " } else { ", " })?;
        match &key[name] {
            AttributeValue::S(text) => write!(f, "{name} = \"{}\"", value(text))?,
            AttributeValue::N(number) => write!(f, "{name} = {}", value(number))?,
            AttributeValue::B(bytes) => write!(f, "{name} = {} bytes", bytes.as_ref().len())?,
            _ => f.write_str(name)?,
        }
    }
    write!(f, " of the table `{table}`")
}

/// A list of participants, as it is to be stored.
pub(crate) enum Listed {
    /// One value in the lane row.
    InLaneRow(AttributeValue),
    /// One value for each page, because the list is too long for the lane row.
    InPages(Vec<AttributeValue>),
}

pub(crate) fn list(participants: &[ItemRef]) -> Listed {
    let value = list_value(participants);
    if bytes(&value) <= INLINE_BYTES {
        return Listed::InLaneRow(value);
    }
    let mut pages = Vec::new();
    let (mut from, mut size) = (0, 0);
    for (at, place) in participants.iter().enumerate() {
        // This counts the table's name once for each participant, although a page has it once. So pages are smaller than they
        // could be.
        let one = item_size(&place.key) + place.table.len() + 16;
        if size + one > PAGE_BYTES && at > from {
            pages.push(list_value(&participants[from..at]));
            (from, size) = (at, 0);
        }
        size += one;
    }
    pages.push(list_value(&participants[from..]));
    Listed::InPages(pages)
}

fn bytes(value: &AttributeValue) -> usize {
    item_size(&Item::from([(String::new(), value.clone())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(table: &str, id: usize, line: Option<usize>) -> ItemRef {
        let n = |number: usize| AttributeValue::N(number.to_string());
        let id = ("id".to_owned(), AttributeValue::S(format!("account-{id}")));
        let line = line.map(|line| ("line".to_owned(), n(line)));
        ItemRef { table: table.to_owned(), key: std::iter::once(id).chain(line).collect() }
    }

    fn sorted(mut places: Vec<ItemRef>) -> Vec<String> {
        places.sort_by_key(|place| format!("{} {:?}", place.table, place.key.iter().collect::<BTreeMap<_, _>>()));
        places
            .iter()
            .map(|place| format!("{} {:?}", place.table, place.key.iter().collect::<BTreeMap<_, _>>()))
            .collect()
    }

    #[test]
    fn a_list_of_participants_round_trips() {
        let places: Vec<_> =
            (0..30).map(|at| place(["b", "a", "c"][at % 3], at, (at % 3 == 1).then_some(at))).collect();
        assert_eq!(sorted(read_participants(&list_value(&places)).expect("participants")), sorted(places));
        assert_eq!(read_participants(&list_value(&[])), Some(Vec::new()));
        assert_eq!(read_participants(&AttributeValue::Bool(true)), None);
    }

    /// Each key is a map of its own, which returns its names in an order of its own.
    #[test]
    fn items_of_one_table_are_in_one_group() {
        let places: Vec<_> = (0..40).map(|at| place("accounts", at, Some(at))).collect();
        let list = list_value(&places);
        assert_eq!(list.as_l().map(Vec::len), Ok(1), "{list:?}");
    }

    #[test]
    fn few_participants_are_in_the_lane_row_and_many_in_pages() {
        let places: Vec<_> = (0..60).map(|at| place("accounts", at, None)).collect();
        assert!(matches!(list(&places), Listed::InLaneRow(_)));
        let places: Vec<_> = (0..40_000).map(|at| place("accounts", at, Some(at))).collect();
        let Listed::InPages(pages) = list(&places) else { panic!("not inline") };
        assert!(pages.len() > 2 && pages.iter().all(|page| bytes(page) <= PAGE_BYTES), "{}", pages.len());
        let read = pages.iter().flat_map(|page| read_participants(page).expect("a page")).collect();
        assert_eq!(sorted(read), sorted(places));
    }
}
