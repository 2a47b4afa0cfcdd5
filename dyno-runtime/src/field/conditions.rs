//! Conditions on a field.

use super::{Field, Place, Typed};
use crate::attribute::kind::{OrderedKind, PrefixKind, SizedKind};
use crate::attribute::{Attribute, Container, IntoField, Value as _, compare};
use crate::error::EncodeError;
use crate::expression::{Node, Operator, Path};
use crate::field::Condition;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;

/// Developer guide, "Condition and filter expressions": IN takes up to 100 operands.
const OPERANDS: usize = 100;

impl<E, T, A, P: Place> Field<E, T, A, P> {
    fn encoded(&self, value: impl IntoField<T>) -> Result<Option<AttributeValue>, EncodeError> {
        (self.__codec.encode)(&value.into_field()).map_err(|error| self.locate(error))
    }

    fn there(&self) -> Node {
        if self.__codec.is_nullable() { Node::Present(self.path()) } else { Node::Exists(self.path()) }
    }

    fn vacant(&self) -> Node {
        if self.__codec.is_nullable() { Node::Vacant(self.path()) } else { Node::NotExists(self.path()) }
    }

    /// `=`. `None` and the empty set are absent attributes, so equality with them is [`not_exists`](Self::not_exists).
    pub fn eq(&self, value: impl IntoField<T>) -> Condition<E> {
        Condition::new(self.encoded(value).map(|value| match value {
            Some(value) => Node::Compare(self.path(), Operator::Eq, value),
            None => self.vacant(),
        }))
    }

    /// `<>`, which an absent attribute satisfies too. With `None` or the empty set: [`exists`](Self::exists).
    pub fn ne(&self, value: impl IntoField<T>) -> Condition<E> {
        Condition::new(self.encoded(value).map(|value| match value {
            Some(value) => Node::Compare(self.path(), Operator::Ne, value),
            None => self.there(),
        }))
    }

    /// `IN`: equal to one of up to 100 values.
    pub fn is_in<V: IntoField<T>>(&self, values: impl IntoIterator<Item = V>) -> Condition<E> {
        let values = values.into_iter().map(|value| {
            self.encoded(value)?.ok_or_else(|| self.locate(EncodeError::new("`is_in` takes values that are present")))
        });
        // One more than it takes tells that there are too many.
        Condition::new(values.take(OPERANDS + 1).collect::<Result<Vec<_>, _>>().and_then(|values| {
            let found = match values.len() {
                0 => "none",
                1..=OPERANDS => return Ok(Node::In(self.path(), values)),
                _ => "more",
            };
            Err(self.locate(EncodeError::new(format!("`is_in` takes 1 to {OPERANDS} values, not {found}"))))
        }))
    }

    /// `attribute_exists`. Where the attribute may be absent (an `Option`, a set, a default), and NULL stands for that:
    /// `attribute_exists(…) AND NOT attribute_type(…, NULL)`.
    pub fn exists(&self) -> Condition<E> {
        Condition::new(Ok(self.there()))
    }

    /// `attribute_not_exists`. Where the attribute may be absent, and NULL stands for that:
    /// `attribute_not_exists(…) OR attribute_type(…, NULL)`.
    pub fn not_exists(&self) -> Condition<E> {
        Condition::new(Ok(self.vacant()))
    }

    /// `contains`: a substring of a string, an element of a list or set.
    pub fn contains(&self, element: impl IntoField<T::Element>) -> Condition<E>
    where
        T: Container,
        A: Typed,
    {
        Condition::new(
            element
                .into_field()
                .encode()
                .map(|element| Node::Contains(self.path(), element))
                .map_err(|error| self.locate(error)),
        )
    }
}

/// Conditions that only some types have. The bounds are on the methods, so that a compiler's error is about them.
impl<E, T, A, P: Place> Field<E, T, A, P> {
    fn present(&self, value: impl IntoField<T::Present>) -> Result<AttributeValue, EncodeError>
    where
        T: Attribute,
    {
        (self.__codec.encode)(&T::__of_present(value.into_field()))
            .and_then(|value| value.ok_or_else(|| EncodeError::new("an absent value has no order")))
            .map_err(|error| self.locate(error))
    }

    fn compare(&self, operator: Operator, value: impl IntoField<T::Present>) -> Condition<E>
    where
        T: Attribute,
    {
        let value = self.present(value);
        Condition::new(value.map(|value| Node::Compare(self.path(), operator, value)))
    }

    /// `<`. Like every comparison, it does not hold for an absent attribute.
    pub fn lt(&self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        A: Typed,
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Lt, value)
    }

    /// `<=`
    pub fn le(&self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        A: Typed,
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Le, value)
    }

    /// `>`
    pub fn gt(&self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        A: Typed,
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Gt, value)
    }

    /// `>=`
    pub fn ge(&self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        A: Typed,
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Ge, value)
    }

    /// `BETWEEN`, both ends included. The first must not be the greater.
    pub fn between(&self, low: impl IntoField<T::Present>, high: impl IntoField<T::Present>) -> Condition<E>
    where
        A: Typed,
        T: Attribute<Kind: OrderedKind>,
    {
        let (low, high) = (self.present(low), self.present(high));
        Condition::new(low.and_then(|low| {
            let high = high?;
            // DynamoDB refuses the request.
            if compare(&low, &high) == Some(Ordering::Greater) {
                let error = EncodeError::new("nothing is between two values of which the first is the greater");
                return Err(self.locate(error));
            }
            Ok(Node::Between(self.path(), low, high))
        }))
    }

    /// `begins_with`
    pub fn begins_with(&self, prefix: impl AsRef<<T::Kind as PrefixKind>::Prefix>) -> Condition<E>
    where
        A: Typed,
        T: Attribute<Kind: PrefixKind>,
    {
        Condition::new(Ok(Node::BeginsWith(self.path(), T::Kind::prefix(prefix.as_ref()))))
    }

    /// `size`: the bytes of a string (in UTF-8) or binary, the elements of a list, map or set.
    pub fn size(&self) -> Size<E>
    where
        A: Typed,
        T: Attribute<Kind: SizedKind>,
    {
        Size { path: self.path(), entity: PhantomData }
    }
}

/// The size of an attribute, to be compared: see [`Field::size`].
#[must_use = "a size is for a comparison: `.size().ge(1)`"]
pub struct Size<E> {
    path: Path,
    entity: PhantomData<fn() -> E>,
}

impl<E> fmt::Debug for Size<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Size").field(&self.path.to_string()).finish()
    }
}

macro_rules! size_comparisons {
    ($($method:ident $operator:ident $text:literal;)*) => {
        impl<E> Size<E> {$(
            #[doc = concat!("`size` ", $text)]
            pub fn $method(self, size: usize) -> Condition<E> {
                let size = AttributeValue::N(size.to_string());
                Condition::new(Ok(Node::CompareSize(self.path, Operator::$operator, size)))
            }
        )*}
    };
}

size_comparisons! {
    eq Eq "`=`";
    ne Ne "`<>`";
    lt Lt "`<`";
    le Le "`<=`";
    gt Gt "`>`";
    ge Ge "`>=`";
}
