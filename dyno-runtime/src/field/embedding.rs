//! The change that stores a vector beside what it is made of.

use super::{Change, Codec, Field};
use crate::attribute::{Attribute, equal};
use crate::error::EncodeError;
use crate::expression::Guard;

/// A value that a vector is made of, which the item must still have.
#[doc(hidden)]
#[derive(Debug)]
pub struct Embedded(Result<Guard, EncodeError>);

#[doc(hidden)]
impl<E, T, A> Field<E, T, A> {
    /// Returns the requirement that the attribute has this value.
    #[must_use]
    pub fn __embedded(&self, value: &T) -> Embedded
    where
        T: Attribute,
    {
        Embedded(self.__codec.embedded(value))
    }

    /// Sets the vector, if the item has these values.
    pub fn __embed<const N: usize>(self, vector: &T, of: [Embedded; N]) -> Change<E> {
        let mut change = self.change(vector).into_raw();
        for Embedded(guard) in of {
            match guard {
                Ok(guard) => change.guards.push(guard),
                Err(error) => change.action = Err(error),
            }
        }
        Change::of(change)
    }
}

impl<T> Codec<T> {
    /// Returns the guard that the attribute has this value. An absent attribute has its default.
    fn embedded(&self, value: &T) -> Result<Guard, EncodeError> {
        let name = self.place.0;
        let value = (self.encode)(value).map_err(|error| error.at_name(name))?;
        let is_default = match (&value, self.encode_default()?) {
            (Some(value), Some(default)) => equal(value, &default),
            (None, _) => true,
            _ => false,
        };
        Ok(Guard::Embedded { attribute: name, value, or_absent: is_default, nullable: self.is_nullable() })
    }
}
