//! The items of a response, without a map: the response's text, and an index of the values in it.
//!
//! The SDK decodes a response into maps, with an allocation for each name and each value, which an entity takes apart again. Here,
//! one pass over the text notes the type and the place of each value (an index of this kind is called a tape in simdjson). A value is
//! decoded from its place, straight into the entity.
//!
//! Only the form in which DynamoDB writes items is indexed. If anything else is in a response (white space, an unknown type, an
//! attribute twice, a malformed escape), there is no index, and the SDK decodes the response: so it alone decides what is an error.

use super::json_indexer::Indexer;
use super::json_text::unescape;
use bytes_utils::Str;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU16, Ordering};

/// The items of a response.
#[derive(Debug)]
pub(crate) struct JsonItems {
    /// The response, which is shared with the SDK and not copied.
    text: Str,
    values: Vec<JsonValue>,
    /// The names of members. Maps whose members have the same names in the same order share them.
    names: Vec<JsonName>,
    /// For each map, the number of its members, where their names begin in `names`, and the indexes of their values.
    maps: Vec<u32>,
    /// The indexes of the items in `values`.
    items: Vec<u32>,
    /// The tables of a batch, each with the number of its items.
    tables: Vec<(String, u32)>,
    hints: Hints,
}

/// A value in the text. The values inside a list, a set or a map follow it.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonValue {
    pub(super) kind: JsonKind,
    /// Whether the text has escapes.
    pub(super) is_escaped: bool,
    /// Where the text of a scalar begins; the number of elements of a list or set; where a map begins in `maps`.
    pub(super) start: u32,
    /// The length of the text of a scalar; the number of values inside a list, a set or a map, and one.
    pub(super) length: u32,
}

/// The name of a member in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonName {
    /// Whether the text has escapes.
    pub(super) is_escaped: bool,
    pub(super) start: u32,
    pub(super) length: u32,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonKind {
    S,
    N,
    B,
    True,
    False,
    Null,
    NullFalse,
    Ss,
    Ns,
    Bs,
    L,
    M,
}

/// The place of the items in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemsAt {
    /// `{"Items": [item, …]}`: a query or scan.
    Items,
    /// `{"Responses": {table: [item, …]}}`: a batch of gets.
    ByTable,
}

/// Where attributes were found in the item before, for the next item of the response: the k-th attribute that is looked for is
/// probably in the same position. It is a guess, which is checked.
#[derive(Debug)]
struct Hints([AtomicU16; 64]);

impl JsonItems {
    /// Indexes the items of a response. Also returns the response without its items, for the SDK. Returns `None` if the response is
    /// not in the form that DynamoDB writes.
    pub(crate) fn index(text: Str, at: ItemsAt) -> Option<(Self, String)> {
        // So that each index fits.
        u32::try_from(text.len()).ok()?;
        let mut indexer = Indexer::new(&text);
        indexer.response(at)?;
        let Indexer { values, names, maps, items, tables, mut rest, rest_from, .. } = indexer;
        rest.push_str(text.get(rest_from..)?);
        let hints = Hints([const { AtomicU16::new(0) }; 64]);
        Some((Self { text, values, names, maps, items, tables, hints }, rest))
    }

    /// Returns the number of items.
    pub(super) fn len(&self) -> u32 {
        // The indexer has counted them as such.
        u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    /// Returns the tables of a batch, each with the number of its items.
    pub(super) fn tables(&self) -> &[(String, u32)] {
        &self.tables
    }

    /// Returns the attributes of an item.
    pub(super) fn item(&self, item: u32) -> JsonMembers<'_> {
        let map = self.items.get(item as usize).and_then(|at| self.value(*at));
        let start = map.map_or(self.maps.len(), |map| map.start as usize);
        self.members_at(start, true)
    }

    /// Returns the members of a map.
    pub(super) fn members(&self, map: JsonValue) -> JsonMembers<'_> {
        self.members_at(map.start as usize, false)
    }

    fn members_at(&self, start: usize, is_item: bool) -> JsonMembers<'_> {
        let (names, values): (&[_], &[_]) = match self.maps.get(start..) {
            Some([count, first, values @ ..]) => {
                let (count, first) = (*count as usize, *first as usize);
                (self.names.get(first..first + count).unwrap_or_default(), values.get(..count).unwrap_or_default())
            }
            _ => (&[], &[]),
        };
        JsonMembers { items: self, names, values, is_item, looked_for: 0, found: 0, without: None }
    }

    pub(super) fn value(&self, at: u32) -> Option<JsonValue> {
        self.values.get(at as usize).copied()
    }

    /// Parses the elements of the list at this index, if all are numbers.
    pub(super) fn parse_numbers<T>(
        &self,
        list: u32,
        elements: usize,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let first = list as usize + 1;
        let mut numbers = Vec::with_capacity(elements);
        for value in self.values.get(first..first + elements)? {
            if value.kind != JsonKind::N || value.is_escaped {
                return None;
            }
            numbers.push(parse(self.raw(value.start, value.length))?);
        }
        Some(numbers)
    }

    /// Returns the text of a scalar.
    #[inline]
    pub(super) fn text(&self, value: JsonValue) -> Cow<'_, str> {
        self.unescaped(value.start, value.length, value.is_escaped)
    }

    fn name(&self, name: JsonName) -> Cow<'_, str> {
        self.unescaped(name.start, name.length, name.is_escaped)
    }

    #[inline]
    fn unescaped(&self, start: u32, length: u32, is_escaped: bool) -> Cow<'_, str> {
        let raw = self.raw(start, length);
        // The index has only well-formed escapes.
        if is_escaped { unescape(raw).unwrap_or_default() } else { Cow::Borrowed(raw) }
    }

    #[inline]
    fn raw(&self, start: u32, length: u32) -> &str {
        let start = start as usize;
        self.text.get(start..start + length as usize).unwrap_or_default()
    }
}

impl JsonValue {
    /// Returns the number of elements of a list or a set.
    pub(super) fn elements(self) -> usize {
        self.start as usize
    }

    /// Returns the number of values from this one to the one after it.
    pub(super) fn step(self) -> u32 {
        match self.kind {
            JsonKind::Ss | JsonKind::Ns | JsonKind::Bs | JsonKind::L | JsonKind::M => self.length,
            _ => 1,
        }
    }
}

/// The attributes of an item, or the members of a map.
#[derive(Clone, Debug)]
pub(super) struct JsonMembers<'a> {
    pub(super) items: &'a JsonItems,
    names: &'a [JsonName],
    /// The indexes of the values, in the order of the names.
    values: &'a [u32],
    is_item: bool,
    /// The number of members that were looked for so far.
    looked_for: usize,
    /// A bit for each of the first 64 members: whether it was found.
    found: u64,
    /// The index of a value that does not count any more.
    without: Option<u32>,
}

impl<'a> JsonMembers<'a> {
    pub(super) fn len(&self) -> usize {
        self.names.len() - usize::from(self.without.is_some())
    }

    /// Returns the index of the value of this name, and removes it from the members.
    pub(super) fn take_out(&mut self, name: &str) -> Option<u32> {
        self.without = self.get(name);
        self.without
    }

    /// Returns the index of the value of this name, looking first where the same member of the item before was.
    #[inline]
    pub(super) fn find(&mut self, name: &str) -> Option<u32> {
        let count = self.looked_for;
        self.looked_for += 1;
        let hint = if self.is_item { self.items.hints.0.get(count) } else { None };
        let guess = hint.map_or(count, |hint| usize::from(hint.load(Ordering::Relaxed)));
        let at = if self.is_at(guess, name) { guess } else { self.search(hint, name)? };
        self.found |= bit(at);
        self.values.get(at).copied()
    }

    fn search(&self, hint: Option<&AtomicU16>, name: &str) -> Option<usize> {
        let at = self.position(name)?;
        if let (Some(hint), Ok(at)) = (hint, u16::try_from(at)) {
            hint.store(at, Ordering::Relaxed);
        }
        Some(at)
    }

    /// Returns the index of the value of this name, without a guess.
    pub(super) fn get(&self, name: &str) -> Option<u32> {
        self.values.get(self.position(name)?).copied()
    }

    fn position(&self, name: &str) -> Option<usize> {
        (0..self.names.len()).find(|at| self.is_at(*at, name))
    }

    /// Returns whether the member at this position has this name.
    #[inline]
    fn is_at(&self, at: usize, name: &str) -> bool {
        let Some(found) = self.names.get(at) else { return false };
        if found.is_escaped {
            return self.items.name(*found) == name;
        }
        let start = found.start as usize;
        self.items.text.as_bytes().get(start..start + found.length as usize) == Some(name.as_bytes())
    }

    /// Returns the members that were not found yet. Those beyond the first 64 are always among them.
    pub(super) fn rest(&self) -> impl Iterator<Item = (Cow<'a, str>, u32)> + use<'a> {
        let (items, found) = (self.items, self.found);
        let members = self.names.iter().zip(self.values).enumerate().filter(move |(at, _)| found & bit(*at) == 0);
        members.map(move |(_, (name, value))| (items.name(*name), *value))
    }

    /// Returns the names and the indexes of the values, in the order of the text.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Cow<'a, str>, u32)> + use<'a> {
        let (items, without) = (self.items, self.without);
        let members = self.names.iter().zip(self.values).filter(move |(_, value)| without != Some(**value));
        members.map(move |(name, value)| (items.name(*name), *value))
    }
}

/// Returns the bit of a member; no bit beyond the first 64.
fn bit(at: usize) -> u64 {
    u32::try_from(at).ok().and_then(|at| 1_u64.checked_shl(at)).unwrap_or_default()
}
