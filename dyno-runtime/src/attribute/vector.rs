//! Vectors: lists of 32-bit floats, which a vector index holds and searches.

use super::Value;
use std::sync::Arc;

/// Vectors with a fixed number of dimensions: `[f32; N]`, also in a `Box` or an `Arc`. A vector index is of a field of such a type,
/// or of an `Option` of it.
///
/// A vector is stored as L of N. DynamoDB keeps each number as it is written, and the index keeps it as a 32-bit float. (Developer
/// guide, "Vector indexes".) NaN and the infinities are refused before the request.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the vector of an index",
    label = "expected `[f32; N]`, or an `Option` of it",
    note = "the type says how many dimensions there are: `[f32; 1024]` for a model with 1024",
    note = "an index keeps 32-bit floats"
)]
pub trait Vector: Value {
    /// The number of dimensions.
    const DIMENSIONS: usize;
}

impl<const N: usize> Vector for [f32; N] {
    const DIMENSIONS: usize = N;
}

impl<V: Vector> Vector for Box<V>
where
    Self: Value,
{
    const DIMENSIONS: usize = V::DIMENSIONS;
}

impl<V: Vector> Vector for Arc<V>
where
    Self: Value,
{
    const DIMENSIONS: usize = V::DIMENSIONS;
}

/// A type that you can pass where a vector `V` is expected: `V`, `&V`, and for a `Box` or an `Arc` of an array also the array itself.
/// From a slice or a `Vec`, make an array first: `<&[f32; 1024]>::try_from(&numbers[..])?`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no vector of the index, which holds `{V}`",
    label = "expected `{V}`, or a reference to it",
    note = "from a slice or a `Vec`, make an array first: `<&{V}>::try_from(&numbers[..])?`, which fails if it has another length"
)]
pub trait IntoVector<V> {
    /// Returns the vector.
    fn into_vector(self) -> V;
}

impl<V: Vector> IntoVector<V> for V {
    fn into_vector(self) -> V {
        self
    }
}

impl<V: Vector + Clone> IntoVector<V> for &V {
    fn into_vector(self) -> V {
        self.clone()
    }
}

macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<const N: usize> IntoVector<$pointer<[f32; N]>> for [f32; N] {
            fn into_vector(self) -> $pointer<[f32; N]> {
                $pointer::new(self)
            }
        }

        impl<const N: usize> IntoVector<$pointer<[f32; N]>> for &[f32; N] {
            fn into_vector(self) -> $pointer<[f32; N]> {
                $pointer::new(*self)
            }
        }
    )*};
}

pointers!(Box Arc);
