//! `#[attribute(rest)]`: what an item or a document holds beside the attributes that are declared.

use super::Item;
use crate::error::EncodeError;
use std::any::Any;

/// The type of a field that holds the rest of an item: [`Item`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot hold the rest of an item",
    label = "expected `dyno::Item`",
    note = "what is not declared has a name and any value of DynamoDB: a map of both"
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

/// Adds the rest to an item. What is declared, another field says.
pub(crate) fn put_rest<T: 'static>(
    is_declared: impl Fn(&str) -> bool,
    rest: &T,
    item: &mut Item,
) -> Result<(), EncodeError> {
    // That it is one is asked where it is decoded; asked here too, one mistake would be two errors.
    let Some(rest) = (rest as &dyn Any).downcast_ref::<Item>() else { return Ok(()) };
    // The same of several, each time.
    if let Some(name) = rest.keys().filter(|name| is_declared(name)).min() {
        return Err(EncodeError::new(
            "it is in the rest, and declared: set the field of this name, and take it out of the rest",
        )
        .at_name(name.clone()));
    }
    item.extend(rest.iter().map(|(name, value)| (name.clone(), value.clone())));
    Ok(())
}
