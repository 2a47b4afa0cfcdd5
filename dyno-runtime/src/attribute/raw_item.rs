//! An item as it was received: in the SDK's map, or in the text of a response.

use super::item::Item;
use super::json_items::JsonItems;
use super::members::Members;
use super::peek::{Peek, Scalar};
use std::mem;
use std::sync::Arc;

/// An item that was received and is not decoded yet.
#[derive(Clone, Debug)]
pub struct RawItem(Form);

#[derive(Clone, Debug)]
enum Form {
    Map(Item),
    /// The item of this number in a response.
    Json(Arc<JsonItems>, u32),
}

impl RawItem {
    /// Returns the items of a response.
    pub(crate) fn all(items: Arc<JsonItems>) -> impl ExactSizeIterator<Item = Self> {
        (0..items.len()).map(move |number| Self(Form::Json(Arc::clone(&items), number)))
    }

    /// Returns the items of a batch, by their tables.
    pub(crate) fn by_table(items: Arc<JsonItems>) -> Vec<(String, Vec<Self>)> {
        let tables = items.tables().to_vec();
        let mut items = Self::all(items);
        tables.into_iter().map(|(table, count)| (table, items.by_ref().take(count as usize).collect())).collect()
    }

    /// Takes the attributes out of the item.
    pub(crate) fn members(&mut self) -> Members<'_> {
        match &mut self.0 {
            Form::Map(item) => Members::map(mem::take(item)),
            Form::Json(items, number) => Members::json(items.item(*number)),
        }
    }

    /// Converts the item to the SDK's map.
    #[must_use]
    pub fn into_item(self) -> Item {
        match self.0 {
            Form::Map(item) => item,
            Form::Json(items, number) => Members::json(items.item(number)).into_map(),
        }
    }
}

impl From<Item> for RawItem {
    #[inline]
    fn from(item: Item) -> Self {
        Self(Form::Map(item))
    }
}

impl Peek for RawItem {
    fn peek(&self, name: &str) -> Option<Scalar<'_>> {
        match &self.0 {
            Form::Map(item) => item.peek(name),
            Form::Json(items, number) => items.peek_at(*number, name),
        }
    }

    fn peek_in(&self, name: &str, member: &str) -> Option<Scalar<'_>> {
        match &self.0 {
            Form::Map(item) => item.peek_in(name, member),
            Form::Json(items, number) => items.member(items.item(*number).get(name)?, member),
        }
    }
}
