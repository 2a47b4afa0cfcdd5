//! The attributes of an item, or the members of a map, before they are decoded.

use super::item::Item;
use super::json_items::JsonMembers;
use super::peek::{Peek, Scalar};
use super::raw_value::{RawValue, into_map};

/// The attributes of an item, or the members of a map, from which an entity or a document is decoded.
#[doc(hidden)]
#[derive(Debug)]
pub struct Members<'a> {
    /// The members in a response. If there are none, they are in `map`.
    json: Option<JsonMembers<'a>>,
    map: Item,
}

impl<'a> Members<'a> {
    pub(crate) fn map(map: Item) -> Self {
        Self { json: None, map }
    }

    pub(super) fn json(members: JsonMembers<'a>) -> Self {
        Self { json: Some(members), map: Item::new() }
    }

    /// Takes the value of this name. Each name is taken once.
    #[inline]
    pub(crate) fn take(&mut self, name: &str) -> Option<RawValue<'a>> {
        match &mut self.json {
            None => self.map.remove(name).map(RawValue::from),
            Some(members) => RawValue::json(members.items, members.find(name)?),
        }
    }

    /// Takes the value of this name, so that it is not among the rest.
    pub(crate) fn take_out(&mut self, name: &str) -> Option<RawValue<'a>> {
        match &mut self.json {
            None => self.map.remove(name).map(RawValue::from),
            Some(members) => RawValue::json(members.items, members.take_out(name)?),
        }
    }

    /// Returns the value of this name, which stays.
    pub(crate) fn get(&self, name: &str) -> Option<RawValue<'_>> {
        match &self.json {
            None => self.map.get(name).map(RawValue::from),
            Some(members) => RawValue::json(members.items, members.get(name)?),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.json.as_ref().map_or(self.map.len(), JsonMembers::len)
    }

    /// Returns the map of the members, for a function that changes it. Members in a response are all in it, also those that
    /// were taken.
    pub(crate) fn as_map(&mut self) -> &mut Item {
        if let Some(members) = self.json.take() {
            self.map = into_map(members.items, members.iter());
        }
        &mut self.map
    }

    /// Returns all members.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = (String, RawValue<'a>)> {
        let in_response = self.json.into_iter().flat_map(|members| {
            let items = members.items;
            members.iter().filter_map(move |(name, at)| Some((name.into_owned(), RawValue::json(items, at)?)))
        });
        in_response.chain(self.map.into_iter().map(|(name, value)| (name, value.into())))
    }

    /// Returns the members that were not taken, for an error.
    pub(crate) fn into_rest(self) -> Item {
        match &self.json {
            None => self.map,
            Some(members) => into_map(members.items, members.rest()),
        }
    }

    /// Converts the members to the SDK's map.
    pub(crate) fn into_map(mut self) -> Item {
        std::mem::take(self.as_map())
    }
}

impl Peek for Members<'_> {
    fn peek(&self, name: &str) -> Option<Scalar<'_>> {
        self.get(name).map(RawValue::scalar)
    }

    fn peek_in(&self, name: &str, member: &str) -> Option<Scalar<'_>> {
        match &self.json {
            None => self.map.peek_in(name, member),
            Some(members) => members.items.member(members.get(name)?, member),
        }
    }
}
