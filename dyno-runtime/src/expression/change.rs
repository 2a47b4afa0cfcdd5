//! Changes: what an update does to one attribute.

use super::Placeholders;
use crate::Error;
use crate::attribute::EncodeError;
use aws_sdk_dynamodb::types::AttributeValue;
use std::fmt;
use std::marker::PhantomData;

/// A change of one attribute of an `E`, made from its [field](crate::Field): `fields.rating.set(4)`.
pub struct Change<E> {
    raw: RawChange,
    entity: PhantomData<fn() -> E>,
}

/// A change without its entity.
#[derive(Clone, Debug)]
pub(crate) struct RawChange {
    pub(crate) name: &'static str,
    pub(crate) action: Result<Action, EncodeError>,
}

/// What happens to the attribute.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Set(AttributeValue),
    Remove,
    /// One more than it was, or 1 where it was not.
    Increment,
}

impl<E> Change<E> {
    pub(crate) fn new(name: &'static str, action: Result<Action, EncodeError>) -> Self {
        Self { raw: RawChange { name, action }, entity: PhantomData }
    }

    pub(crate) fn into_raw(self) -> RawChange {
        self.raw
    }
}

impl<E> Clone for Change<E> {
    fn clone(&self) -> Self {
        Self { raw: self.raw.clone(), entity: PhantomData }
    }
}

impl<E> fmt::Debug for Change<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Change").field(&self.raw).finish()
    }
}

/// One change or several: a [`Change`], an `Option`, an array or a `Vec` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a change of `{E}`",
    label = "expected changes of `{E}`",
    note = "a change is made of a field: `.with(fields.name.set(value))`; several go in an array: `.with([…, …])`"
)]
pub trait IntoChanges<E> {
    /// The changes.
    fn into_changes(self) -> impl Iterator<Item = Change<E>>;
}

impl<E> IntoChanges<E> for Change<E> {
    fn into_changes(self) -> impl Iterator<Item = Change<E>> {
        std::iter::once(self)
    }
}

impl<E> IntoChanges<E> for Option<Change<E>> {
    fn into_changes(self) -> impl Iterator<Item = Change<E>> {
        self.into_iter()
    }
}

impl<E, const N: usize> IntoChanges<E> for [Change<E>; N] {
    fn into_changes(self) -> impl Iterator<Item = Change<E>> {
        self.into_iter()
    }
}

impl<E> IntoChanges<E> for Vec<Change<E>> {
    fn into_changes(self) -> impl Iterator<Item = Change<E>> {
        self.into_iter()
    }
}

/// The update expression of some changes, in their order: `SET … REMOVE …`.
pub(crate) fn render_changes(changes: Vec<RawChange>, placeholders: &mut Placeholders) -> Result<String, Error> {
    let mut set = String::new();
    let mut remove = String::new();
    let mut seen: Vec<&'static str> = Vec::with_capacity(changes.len());
    for RawChange { name, action } in changes {
        if seen.contains(&name) {
            return Err(Error::invalid(format!(
                "`{name}` is changed twice in one update: DynamoDB takes one change per attribute"
            )));
        }
        seen.push(name);
        match action.map_err(|error| error.at_name(name))? {
            Action::Set(value) => {
                set.push_str(if set.is_empty() { "SET " } else { ", " });
                placeholders.push_name(name, &mut set);
                set.push_str(" = ");
                placeholders.push_value(name, value, &mut set);
            }
            Action::Increment => {
                set.push_str(if set.is_empty() { "SET " } else { ", " });
                placeholders.push_name(name, &mut set);
                set.push_str(" = if_not_exists(");
                placeholders.push_name(name, &mut set);
                set.push_str(", ");
                placeholders.push_value(name, AttributeValue::N("0".to_owned()), &mut set);
                set.push_str(") + ");
                placeholders.push_value(name, AttributeValue::N("1".to_owned()), &mut set);
            }
            Action::Remove => {
                remove.push_str(if remove.is_empty() { "REMOVE " } else { ", " });
                placeholders.push_name(name, &mut remove);
            }
        }
    }
    if !set.is_empty() && !remove.is_empty() {
        set.push(' ');
    }
    Ok(set + &remove)
}
