//! Conditions on a field.

use super::raw_conditions::{OPERANDS, contains, is_in};
use super::{Field, Place, StoredNatively};
use crate::attribute::kind::{OrderedKind, PrefixKind, SizedKind};
use crate::attribute::{Attribute, Container, IntoField, Value as _};
use crate::expression::{Node, Operator, Path};
use crate::field::Condition;
use aws_sdk_dynamodb::types::AttributeValue;
use std::fmt;
use std::marker::PhantomData;

impl<E, T, A, P: Place> Field<E, T, A, P> {
    /// Equality (`=`). `None` and the empty set are absent attributes, so equality with them is
    /// [`not_exists`](Self::not_exists).
    pub fn eq(&self, value: impl IntoField<T>) -> Condition<E> {
        Condition::new(self.__codec.compare_for_equality(Operator::Eq, &value.into_field()))
    }

    /// Inequality (`<>`), which an absent attribute satisfies too. With `None` or the empty set: [`exists`](Self::exists).
    pub fn ne(&self, value: impl IntoField<T>) -> Condition<E> {
        Condition::new(self.__codec.compare_for_equality(Operator::Ne, &value.into_field()))
    }

    /// Equality with one of up to 100 values (`IN`).
    pub fn is_in<V: IntoField<T>>(&self, values: impl IntoIterator<Item = V>) -> Condition<E> {
        // One more than the limit is enough to detect that there are too many.
        let values = values.into_iter().take(OPERANDS + 1).map(|value| self.__codec.operand(&value.into_field()));
        Condition::new(is_in(self.path(), values.collect()))
    }

    /// Holds if the attribute is present (`attribute_exists`). If the attribute may be absent (an `Option`, a set, a default)
    /// and NULL stands for that, this is `attribute_exists(…) AND NOT attribute_type(…, NULL)`.
    pub fn exists(&self) -> Condition<E> {
        Condition::new(Ok(self.__codec.exists()))
    }

    /// Holds if the attribute is absent (`attribute_not_exists`). If the attribute may be absent and NULL stands for that, this
    /// is `attribute_not_exists(…) OR attribute_type(…, NULL)`.
    pub fn not_exists(&self) -> Condition<E> {
        Condition::new(Ok(self.__codec.not_exists()))
    }

    /// Holds if a string has this substring, or a list or set has this element (`contains`).
    pub fn contains(&self, element: impl IntoField<T::Element>) -> Condition<E>
    where
        T: Container,
        A: StoredNatively,
    {
        Condition::new(contains(self.path(), element.into_field().encode()))
    }
}

/// Conditions that only some types have. The bounds are on the methods, so that a compiler error names the bound.
impl<E, T, A, P: Place> Field<E, T, A, P> {
    fn compare(&self, operator: Operator, value: impl IntoField<T::Present>) -> Condition<E>
    where
        T: Attribute,
    {
        Condition::new(self.__codec.compare(operator, value.into_field()))
    }

    /// `<`. Like every comparison, it does not hold for an absent attribute.
    pub fn lt(&self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        A: StoredNatively,
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Lt, value)
    }

    /// `<=`
    pub fn le(&self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        A: StoredNatively,
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Le, value)
    }

    /// `>`
    pub fn gt(&self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        A: StoredNatively,
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Gt, value)
    }

    /// `>=`
    pub fn ge(&self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        A: StoredNatively,
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Ge, value)
    }

    /// `BETWEEN`, both ends included. `low` must not be greater than `high`.
    pub fn between(&self, low: impl IntoField<T::Present>, high: impl IntoField<T::Present>) -> Condition<E>
    where
        A: StoredNatively,
        T: Attribute<Kind: OrderedKind>,
    {
        Condition::new(self.__codec.between(low.into_field(), high.into_field()))
    }

    /// `begins_with`
    pub fn begins_with(&self, prefix: impl AsRef<<T::Kind as PrefixKind>::Prefix>) -> Condition<E>
    where
        A: StoredNatively,
        T: Attribute<Kind: PrefixKind>,
    {
        Condition::new(Ok(Node::BeginsWith(self.path(), T::Kind::prefix(prefix.as_ref()))))
    }

    /// The size (`size`): the UTF-16 code units of a string, the bytes of a binary, the elements of a list, map or set. If the
    /// attribute is absent or its value has no size, only `<>` holds.
    pub fn size(&self) -> Size<E>
    where
        A: StoredNatively,
        T: Attribute<Kind: SizedKind>,
    {
        Size { path: self.path(), entity: PhantomData }
    }
}

/// The size of an attribute, to compare with a number: see [`Field::size`].
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
