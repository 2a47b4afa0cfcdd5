//! Typed handles of stored attributes: the derive emits one per field, conditions and changes are made of them.

use super::change::Action;
use super::{Change, Condition, Node, Operator};
use crate::attribute::kind::{OrderedKind, PrefixKind, SizedKind};
use crate::attribute::{Attribute, Container, DecodeError, EncodeError, IntoField, Item, Value};
use crate::rule;
use crate::schema::StoredAttribute;
use aws_sdk_dynamodb::types::AttributeValue;
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;

/// What may be done to a field: the third parameter of [`Field`].
pub mod access {
    /// An ordinary field: conditions, filters, changes.
    #[derive(Debug)]
    pub enum Plain {}
    /// A key field: conditions only.
    #[derive(Debug)]
    pub enum Key {}
    /// A ratchet's token, or a field it guards: conditions and filters; changed with its group.
    #[derive(Debug)]
    pub enum Guarded {}
    /// The version: conditions and filters; every write raises it.
    #[derive(Debug)]
    pub enum Counted {}
}

/// Fields that an update can change one by one.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set on its own",
    label = "no change of this field alone",
    note = "a key field never changes: delete the item and create one under the new key",
    note = "a ratchet's token, and the fields it guards, change together: start from the update's method of the ratchet's name",
    note = "a version is raised by every write: say with `.version(…)` which one the update changes"
)]
pub trait Settable {}

impl Settable for access::Plain {}

/// Types of which "absent" is a value: options and sets.
#[diagnostic::on_unimplemented(
    message = "an item cannot do without a `{Self}`",
    label = "this attribute is required",
    note = "make the field an `Option` to be able to remove it"
)]
pub trait Optional {}

impl<T> Optional for Option<T> {}
impl<T> Optional for std::collections::BTreeSet<T> {}
impl<T, S> Optional for std::collections::HashSet<T, S> {}

type Encode<T> = fn(&T) -> Result<Option<AttributeValue>, EncodeError>;
type Decode<T> = fn(Option<AttributeValue>) -> Result<T, DecodeError>;

/// The handle of one stored attribute of `E`, whose field has the type `T`: its name and its codec.
///
/// Conditions and changes are made of it: see `E::fields()`.
pub struct Field<E, T, A = access::Plain> {
    name: &'static str,
    encode: Encode<T>,
    decode: Decode<T>,
    default: Option<fn() -> T>,
    required: bool,
    owner: PhantomData<fn() -> (E, A)>,
}

impl<E, T, A> Clone for Field<E, T, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, T, A> Copy for Field<E, T, A> {}

impl<E, T, A> fmt::Debug for Field<E, T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Field").field(&self.name).finish()
    }
}

/// What the derive makes of a field, and goes by.
#[doc(hidden)]
impl<E, T, A> Field<E, T, A> {
    /// A field with this codec.
    #[must_use]
    pub const fn __coded(name: &'static str, encode: Encode<T>, decode: Decode<T>, required: bool) -> Self {
        Self { name, encode, decode, default: None, required, owner: PhantomData }
    }

    /// With a value for items that lack the attribute.
    #[must_use]
    pub const fn __or(self, default: fn() -> T) -> Self {
        Self { default: Some(default), required: false, ..self }
    }

    /// For the schema.
    #[must_use]
    pub const fn __stored(self, field: &'static str) -> StoredAttribute {
        StoredAttribute { name: self.name, field, required: self.required }
    }

    /// Adds the field's value to an item.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where the handle is a constant, its codec is then called directly")]
    pub fn __put(self, item: &mut Item, value: &T) -> Result<(), EncodeError> {
        let encode = || (self.encode)(value).map_err(|error| error.at_name(self.name));
        // The name before the value where there is sure to be one: what is allocated in the order in which it will
        // be dropped is measurably cheaper (benches/ratios.rs). `required` is a constant here, too.
        if self.required {
            let name = self.name.to_owned();
            if let Some(value) = encode()? {
                item.insert(name, value);
            }
        } else if let Some(value) = encode()? {
            item.insert(self.name.to_owned(), value);
        }
        Ok(())
    }

    /// Takes the field's value out of an item.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "where the handle is a constant, its codec is then called directly")]
    pub fn __take(self, item: &mut Item) -> Result<T, DecodeError> {
        match (item.remove(self.name), self.default) {
            (None, Some(default)) => Ok(default()),
            (value, _) => (self.decode)(value).map_err(|error| error.at_name(self.name)),
        }
    }

    /// Takes a key's value out of an item: spelled otherwise than it would be written, it would become another key.
    pub fn __take_key(self, item: &mut Item) -> Result<T, DecodeError>
    where
        T: Value,
    {
        if T::__ONE_SPELLING {
            return self.__take(item);
        }
        let stored = item.get(self.name).cloned();
        let value = self.__take(item)?;
        let written = value.encode().ok();
        match (stored, written) {
            (Some(stored), Some(written)) if rule::compare(&stored, &written) != Some(Ordering::Equal) => {
                let expected = format!("the key as it is written, {written:?}");
                Err(DecodeError::new(expected, format!("{stored:?}")).at_name(self.name))
            }
            _ => Ok(value),
        }
    }

    /// `set`, for a field that changes with its group.
    #[must_use]
    pub fn __set(self, value: &T) -> Change<E> {
        let action = (self.encode)(value).map(|value| value.map_or(Action::Remove, Action::Set));
        Change::new(self.name, action)
    }
}

impl<E, T, A> Field<E, T, A> {
    /// The attribute's stored name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    fn encoded(self, value: impl IntoField<T>) -> Result<Option<AttributeValue>, EncodeError> {
        (self.encode)(&value.into_field()).map_err(|error| error.at_name(self.name))
    }

    /// `=`. `None` and the empty set are absent attributes, so equality with them is `attribute_not_exists`.
    pub fn eq(self, value: impl IntoField<T>) -> Condition<E> {
        Condition::new(self.encoded(value).map(|value| match value {
            Some(value) => Node::Compare(self.name, Operator::Eq, value),
            None => Node::NotExists(self.name),
        }))
    }

    /// `<>`, which an absent attribute satisfies too. With `None` or the empty set: `attribute_exists`.
    pub fn ne(self, value: impl IntoField<T>) -> Condition<E> {
        Condition::new(self.encoded(value).map(|value| match value {
            Some(value) => Node::Compare(self.name, Operator::Ne, value),
            None => Node::Exists(self.name),
        }))
    }

    /// `IN`: equal to one of up to 100 values.
    pub fn is_in<V: IntoField<T>>(self, values: impl IntoIterator<Item = V>) -> Condition<E> {
        let values = values.into_iter().map(|value| {
            self.encoded(value)?
                .ok_or_else(|| EncodeError::new("`is_in` takes values that are present").at_name(self.name))
        });
        Condition::new(values.collect::<Result<Vec<_>, _>>().and_then(|values| {
            // Developer guide, "Condition and filter expressions": IN takes up to 100 operands.
            if (1..=100).contains(&values.len()) {
                Ok(Node::In(self.name, values))
            } else {
                Err(EncodeError::new(format!("`is_in` takes 1 to 100 values, not {}", values.len())).at_name(self.name))
            }
        }))
    }

    /// `attribute_exists`
    #[must_use]
    pub fn exists(self) -> Condition<E> {
        Condition::new(Ok(Node::Exists(self.name)))
    }

    /// `attribute_not_exists`
    #[must_use]
    pub fn not_exists(self) -> Condition<E> {
        Condition::new(Ok(Node::NotExists(self.name)))
    }

    /// `contains`: a substring of a string, an element of a list or set.
    pub fn contains(self, element: impl IntoField<T::Element>) -> Condition<E>
    where
        T: Container,
    {
        Condition::new(
            element
                .into_field()
                .encode()
                .map(|element| Node::Contains(self.name, element))
                .map_err(|error| error.at_name(self.name)),
        )
    }
}

/// Conditions that only some types have. The bounds are on the methods, so that a compiler's error is about them.
impl<E, T, A> Field<E, T, A> {
    fn present(self, value: impl IntoField<T::Present>) -> Result<AttributeValue, EncodeError>
    where
        T: Attribute,
    {
        value
            .into_field()
            .encode_attribute()
            .and_then(|value| value.ok_or_else(|| EncodeError::new("an absent value has no order")))
            .map_err(|error| error.at_name(self.name))
    }

    fn compare(self, operator: Operator, value: impl IntoField<T::Present>) -> Condition<E>
    where
        T: Attribute,
    {
        let value = self.present(value);
        Condition::new(value.map(|value| Node::Compare(self.name, operator, value)))
    }

    /// `<`. Like every comparison, it does not hold for an absent attribute.
    pub fn lt(self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Lt, value)
    }

    /// `<=`
    pub fn le(self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Le, value)
    }

    /// `>`
    pub fn gt(self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Gt, value)
    }

    /// `>=`
    pub fn ge(self, value: impl IntoField<T::Present>) -> Condition<E>
    where
        T: Attribute<Kind: OrderedKind>,
    {
        self.compare(Operator::Ge, value)
    }

    /// `BETWEEN`, both ends included. The first must not be the greater.
    pub fn between(self, low: impl IntoField<T::Present>, high: impl IntoField<T::Present>) -> Condition<E>
    where
        T: Attribute<Kind: OrderedKind>,
    {
        let (low, high) = (self.present(low), self.present(high));
        Condition::new(low.and_then(|low| {
            let high = high?;
            // DynamoDB refuses the request.
            if rule::compare(&low, &high) == Some(Ordering::Greater) {
                return Err(EncodeError::new("nothing is between two values of which the first is the greater")
                    .at_name(self.name));
            }
            Ok(Node::Between(self.name, low, high))
        }))
    }

    /// `begins_with`
    pub fn begins_with(self, prefix: impl AsRef<<T::Kind as PrefixKind>::Prefix>) -> Condition<E>
    where
        T: Attribute<Kind: PrefixKind>,
    {
        Condition::new(Ok(Node::BeginsWith(self.name, T::Kind::prefix(prefix.as_ref()))))
    }

    /// `size`: the bytes of a string (in UTF-8) or binary, the elements of a list, map or set.
    #[must_use]
    pub fn size(self) -> Size<E>
    where
        T: Attribute<Kind: SizedKind>,
    {
        Size { name: self.name, entity: PhantomData }
    }

    /// `SET` the attribute; `None` and the empty set `REMOVE` it.
    pub fn set(self, value: impl IntoField<T>) -> Change<E>
    where
        A: Settable,
    {
        self.__set(&value.into_field())
    }

    /// `REMOVE` the attribute.
    #[must_use]
    pub fn remove(self) -> Change<E>
    where
        A: Settable,
        T: Optional,
    {
        Change::new(self.name, Ok(Action::Remove))
    }
}

/// The size of an attribute, to be compared: see [`Field::size`].
pub struct Size<E> {
    name: &'static str,
    entity: PhantomData<fn() -> E>,
}

impl<E> fmt::Debug for Size<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Size").field(&self.name).finish()
    }
}

macro_rules! size_comparisons {
    ($($method:ident $operator:ident $text:literal;)*) => {
        impl<E> Size<E> {$(
            #[doc = concat!("`size` ", $text)]
            #[must_use]
            pub fn $method(self, size: usize) -> Condition<E> {
                let size = AttributeValue::N(size.to_string());
                Condition::new(Ok(Node::CompareSize(self.name, Operator::$operator, size)))
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
