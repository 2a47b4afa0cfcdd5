//! `#[attribute(rest)]`: the attributes of an item or document that its type does not declare.

use super::Item;
use crate::error::EncodeError;
use std::any::Any;

/// The type of a field that holds the rest of an item: [`Item`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the rest of an item",
    label = "expected `dyno::Item`",
    note = "an undeclared attribute has a name and any value of DynamoDB: a map of both"
)]
pub trait Rest: Sized + 'static {
    #[doc(hidden)]
    fn __of(item: Item) -> Self;
}

impl Rest for Item {
    fn __of(item: Item) -> Self {
        item
    }
}

/// Adds the rest to an item. An attribute that another field declares is an error.
pub(crate) fn put_rest<T: 'static>(
    is_declared: impl Fn(&str) -> bool,
    rest: &T,
    item: &mut Item,
) -> Result<(), EncodeError> {
    // The derive's decoding already checks the type. A check here would report the same mistake twice.
    let Some(rest) = (rest as &dyn Any).downcast_ref::<Item>() else { return Ok(()) };
    // With several duplicates, `min` makes the error name the same one each time.
    if let Some(name) = rest.keys().filter(|name| is_declared(name)).min() {
        return Err(EncodeError::new(
            "the `rest` field has an attribute that the entity declares: set the declared field, and remove the attribute from the rest",
        )
        .at_name(name.clone()));
    }
    item.extend(rest.iter().map(|(name, value)| (name.clone(), value.clone())));
    Ok(())
}
