//! The attributes of an item, or the members of a map, before they are decoded.

use super::item::Item;
use super::json_items::JsonMembers;
use super::peek::{Peek, Scalar};
use super::raw_value::{RawValue, into_map};

/// The attributes of an item, or the members of a map, from which an entity or a document is decoded.
#[doc(hidden)]
#[derive(Debug)]
pub struct Members<'a> {
    /// The members that are not in `map`.
    elsewhere: Option<Elsewhere<'a>>,
    map: Item,
}

#[derive(Debug)]
enum Elsewhere<'a> {
    /// In a response.
    Json(JsonMembers<'a>),
    /// In an item that stays as it is.
    Borrowed(&'a Item),
}

impl<'a> Members<'a> {
    pub(crate) fn map(map: Item) -> Self {
        Self { elsewhere: None, map }
    }

    pub(crate) fn borrowed(item: &'a Item) -> Self {
        Self { elsewhere: Some(Elsewhere::Borrowed(item)), map: Item::new() }
    }

    pub(super) fn json(members: JsonMembers<'a>) -> Self {
        Self { elsewhere: Some(Elsewhere::Json(members)), map: Item::new() }
    }

    /// Takes the value of this name. Each name is taken once.
    #[inline]
    pub(crate) fn take(&mut self, name: &str) -> Option<RawValue<'a>> {
        match &mut self.elsewhere {
            Some(Elsewhere::Json(members)) => RawValue::json(members.items, members.find(name)?),
            Some(Elsewhere::Borrowed(item)) => item.get(name).map(RawValue::from),
            None => self.map.remove(name).map(RawValue::from),
        }
    }

    /// Takes the value of this name, so that it is not among the rest.
    pub(crate) fn take_out(&mut self, name: &str) -> Option<RawValue<'a>> {
        match &mut self.elsewhere {
            Some(Elsewhere::Json(members)) => RawValue::json(members.items, members.take_out(name)?),
            Some(Elsewhere::Borrowed(_)) | None => self.as_map().remove(name).map(RawValue::from),
        }
    }

    /// Returns the value of this name, which stays.
    pub(crate) fn get(&self, name: &str) -> Option<RawValue<'_>> {
        match &self.elsewhere {
            Some(Elsewhere::Json(members)) => RawValue::json(members.items, members.get(name)?),
            Some(Elsewhere::Borrowed(item)) => item.get(name).map(RawValue::from),
            None => self.map.get(name).map(RawValue::from),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.elsewhere {
            Some(Elsewhere::Json(members)) => members.len(),
            Some(Elsewhere::Borrowed(item)) => item.len(),
            None => self.map.len(),
        }
    }

    /// Returns the map of the members, for a function that changes it. Members in a response or in a borrowed item are all in it,
    /// also those that were taken.
    pub(crate) fn as_map(&mut self) -> &mut Item {
        match self.elsewhere.take() {
            Some(Elsewhere::Json(members)) => self.map = into_map(members.items, members.iter()),
            Some(Elsewhere::Borrowed(item)) => self.map = item.clone(),
            None => {}
        }
        &mut self.map
    }

    /// Returns all members.
    pub(crate) fn into_entries(mut self) -> impl Iterator<Item = (String, RawValue<'a>)> {
        let json = match self.elsewhere {
            Some(Elsewhere::Json(members)) => Some(members),
            Some(Elsewhere::Borrowed(item)) => {
                self.map.clone_from(item);
                None
            }
            None => None,
        };
        let in_response = json.into_iter().flat_map(|members| {
            let items = members.items;
            members.iter().filter_map(move |(name, at)| Some((name.into_owned(), RawValue::json(items, at)?)))
        });
        in_response.chain(self.map.into_iter().map(|(name, value)| (name, value.into())))
    }

    /// Returns at least the members that were not taken, for an error.
    pub(crate) fn into_rest(self) -> Item {
        match self.elsewhere {
            Some(Elsewhere::Json(members)) => into_map(members.items, members.rest()),
            Some(Elsewhere::Borrowed(item)) => item.clone(),
            None => self.map,
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
        match &self.elsewhere {
            Some(Elsewhere::Json(members)) => members.items.member(members.get(name)?, member),
            Some(Elsewhere::Borrowed(item)) => item.peek_in(name, member),
            None => self.map.peek_in(name, member),
        }
    }
}
