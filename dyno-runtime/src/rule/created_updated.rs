//! The times of writes: `#[created]` is the time of the first write of an item, and `#[updated]` that of the last one.
//!
//! A write has one time, which is fixed before its first attempt. So all its attempts store the same.

use super::write::Rule;
use super::{Expected, Verb, Write};
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::error::EncodeError;
use crate::expression::{Action, Path};
use crate::schema::{Schema, TimeAttribute};
use aws_sdk_dynamodb::types::AttributeValue;

/// Returns the times that a write stores, by their attributes.
pub(crate) fn times(
    schema: &Schema,
    verb: Verb,
    expected: Option<Expected>,
    item: &Item,
    now: EpochMillis,
) -> Result<Vec<(&'static str, Action)>, EncodeError> {
    let mut times = Vec::new();
    if let Some(created) = &schema.created {
        let begins = match verb {
            Verb::Put => expected.is_none_or(Expected::begins),
            Verb::Create | Verb::Undelete => true,
            _ => false,
        };
        if begins && !created.is_set(item) {
            times.push((created.attribute, Action::Set(created.at(now)?)));
        } else if verb == (Verb::Update { upsert: true }) {
            times.push((created.attribute, Action::SetAbsent(created.at(now)?)));
        }
    }
    if let Some(updated) = &schema.updated
        && matches!(verb, Verb::Put | Verb::Create | Verb::Replace | Verb::Undelete | Verb::Update { .. })
    {
        times.push((updated.attribute, Action::Set(updated.at(now)?)));
    }
    Ok(times)
}

/// The rule of the times, for every entity.
#[derive(Debug)]
pub(super) struct Times;

impl Rule for Times {
    fn assign(&self, write: &Write, assign: &mut dyn FnMut(Path, Action)) {
        write.times.iter().for_each(|(attribute, action)| assign((*attribute).into(), action.clone()));
    }
}

impl TimeAttribute {
    /// Returns the stored form of a time.
    pub(crate) fn at(&self, time: EpochMillis) -> Result<AttributeValue, EncodeError> {
        (self.encode)(time).map_err(|error| error.at_name(self.attribute))
    }

    /// Returns `true` if an item has a time. NULL and the beginning of 1970, which types have as their default, are none.
    pub(crate) fn is_set(&self, item: &Item) -> bool {
        let unset = (self.encode)(EpochMillis::new(0)).ok();
        item.get(self.attribute).is_some_and(|time| !time.is_null() && Some(time) != unset.as_ref())
    }
}
