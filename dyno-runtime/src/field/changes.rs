//! Changes of a field. Each takes the handle, so that two of them cannot be made of one place.

use super::raw_changes::{Repeated, Sign, add, append, change_element, changed, count, nullable};
use super::{Codec, Field, Nested, Optional, Place, ServerComputed, Settable, StoredNatively, TopLevel};
use crate::attribute::kind::NumericKind;
use crate::attribute::{Attribute, Element as _, IntoField, ListOf, MapOf, SetOf, Value, encode_set};
use crate::error::{EncodeError, Step};
use crate::expression::Action;
use crate::field::Change;
use aws_sdk_dynamodb::types::AttributeValue;

/// Of any type.
impl<E, T, A, P: Place> Field<E, T, A, P> {
    pub(super) fn change(self, value: &T) -> Change<E> {
        Change::of(self.__codec.change(value))
    }

    /// `SET` the attribute; `None` and the empty set `REMOVE` it.
    pub fn set(self, value: impl IntoField<T>) -> Change<E>
    where
        A: Settable,
    {
        self.change(&value.into_field())
    }

    /// `SET … = if_not_exists(…)`: leaves what is there.
    pub fn set_if_absent(self, value: impl IntoField<T>) -> Change<E>
    where
        A: Settable + ServerComputed,
    {
        Change::of(self.__codec.change_absent(&value.into_field()))
    }

    /// `REMOVE` the attribute: it reads as `None`, or as the empty set.
    pub fn clear(self) -> Change<E>
    where
        A: Settable,
        T: Optional,
    {
        Change::of(changed(self.path(), Ok(Action::Remove)))
    }
}

/// What numbers, lists, sets and maps have of their own. The bounds are on the methods, so that a compiler's error is about
/// them.
impl<E, T, A, P: Place> Field<E, T, A, P> {
    /// `ADD`: so much more than it is; where the attribute is absent, more than its default or 0. The negative of a
    /// number is subtracted.
    ///
    /// Refused with [`Reason::OutOfRange`](crate::Reason::OutOfRange) where an integer or a time would not fit its type any
    /// more: then the item could not be read. Of floating-point and decimal numbers, that is for the caller to see to:
    /// DynamoDB adds 38 digits exactly, of which an `f64` holds 17.
    ///
    /// Sent twice, it counts twice. So an update with it is not sent again after an answer was lost, and ends in
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown), unless an
    /// [idempotency key](crate::command::Update::idempotency_key) or the version it expects makes that safe.
    #[expect(clippy::should_implement_trait, reason = "DynamoDB's word; it makes a change, and no field")]
    pub fn add(self, number: impl IntoField<T::Present>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: Attribute<Kind: NumericKind>,
    {
        let (by, default) = (encoded::<T>(number), self.__codec.encode_default());
        Change::of(nullable(add(self.path(), by, default, T::__RANGE), self.__codec.is_nullable()))
    }

    /// `SET … = … + …`: so much more than it is. Refused with [`Reason::Absent`](crate::Reason::Absent) where it is not,
    /// and otherwise as [`add`](Self::add).
    pub fn increment(self, number: impl IntoField<T::Present>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: Attribute<Kind: NumericKind>,
    {
        Change::of(count(self.path(), encoded::<T>(number), T::__RANGE, Sign::Plus))
    }

    /// `SET … = … - …`: so much less than it is. Refused with [`Reason::Absent`](crate::Reason::Absent) where it is not,
    /// with [`Reason::OutOfRange`](crate::Reason::OutOfRange) where too little is left (of an unsigned number: less than
    /// 0), and otherwise as [`add`](Self::add).
    pub fn decrement(self, number: impl IntoField<T::Present>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: Attribute<Kind: NumericKind>,
    {
        Change::of(count(self.path(), encoded::<T>(number), T::__RANGE, Sign::Minus))
    }

    /// `list_append`: one more element behind the others. Sent twice, there are two more: see [`add`](Self::add).
    pub fn push(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        self.append_all(element.into_field().__encode_element().map(|element| vec![element]), Repeated::Any)
    }

    /// `list_append` of several elements, in their order. Sent twice, they are there twice: see [`add`](Self::add).
    pub fn extend<V: IntoField<T::Element>>(self, elements: impl IntoIterator<Item = V>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        let elements = elements.into_iter().map(|element| element.into_field().__encode_element());
        self.append_all(elements.collect(), Repeated::Any)
    }

    /// `list_append`, refused with [`Reason::Contained`](crate::Reason::Contained) where the list contains the element
    /// already: [`accept_contained`](crate::Outcome::accept_contained). Of an update that the SDK sent twice, that can be its
    /// own first attempt.
    pub fn push_unique(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        self.append_all(element.into_field().__encode_element().map(|element| vec![element]), Repeated::Refused)
    }

    fn append_all(self, elements: Result<Vec<AttributeValue>, EncodeError>, repeated: Repeated) -> Change<E> {
        let default = self.__codec.encode_default();
        Change::of(nullable(append(self.path(), elements, default, repeated), self.__codec.is_nullable()))
    }

    /// Takes the first element that equals this one out of the list, wherever it is: a consistent `GetItem` finds it, and
    /// `REMOVE …[i]` is refused if it is not there any more; then it is looked for again, in the item that came with the
    /// refusal. So it never removes another element, whatever others do to the list meanwhile.
    ///
    /// Refused with [`Reason::NotContained`](crate::Reason::NotContained) where the list does not contain it. Sent twice,
    /// it would take two out: see [`add`](Self::add).
    pub fn remove_value(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        let element = element.into_field().__encode_element();
        Change::of(changed(self.path(), element.map(Action::RemoveElement)))
    }

    /// `REMOVE …[index]`, refused with [`Reason::OtherElement`](crate::Reason::OtherElement) where that is not the
    /// expected element. Sent twice, it could take two out: see [`add`](Self::add).
    pub fn remove_at(self, index: usize, expected: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        Change::of(change_element(&self.path(), index, expected.into_field().__encode_element(), Ok(Action::Remove)))
    }

    /// `SET …[index]`, refused with [`Reason::OtherElement`](crate::Reason::OtherElement) where that is not the expected
    /// element. Sent twice, it could replace two: see [`add`](Self::add).
    pub fn replace_at(
        self,
        index: usize,
        expected: impl IntoField<T::Element>,
        element: impl IntoField<T::Element>,
    ) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        let action = element.into_field().__encode_element().map(Action::Set);
        Change::of(change_element(&self.path(), index, expected.into_field().__encode_element(), action))
    }

    /// `ADD` to a set. It may be there already; a set that is absent is made.
    pub fn insert(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: SetOf,
        P: TopLevel,
    {
        self.insert_all([element.into_field()])
    }

    /// `ADD` of several elements to a set.
    pub fn insert_all<V: IntoField<T::Element>>(self, elements: impl IntoIterator<Item = V>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: SetOf,
        P: TopLevel,
    {
        self.elements::<T, V>(elements, Action::Add)
    }

    /// `DELETE` from a set. It need not be there; with the last element, the attribute goes.
    pub fn remove(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: SetOf,
        P: TopLevel,
    {
        self.remove_all([element.into_field()])
    }

    /// `DELETE` of several elements from a set.
    pub fn remove_all<V: IntoField<T::Element>>(self, elements: impl IntoIterator<Item = V>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: SetOf,
        P: TopLevel,
    {
        self.elements::<T, V>(elements, Action::Delete)
    }

    fn elements<S: SetOf, V: IntoField<S::Element>>(
        self,
        elements: impl IntoIterator<Item = V>,
        action: fn(AttributeValue) -> Action,
    ) -> Change<E> {
        let set = encode_set(elements.into_iter().map(IntoField::into_field));
        let change = changed(self.path(), set.map(|set| set.map_or(Action::Nothing, action)));
        Change::of(nullable(change, self.__codec.is_nullable()))
    }
}

impl<E, T, A, P: Place> Field<E, T, A, P> {
    /// The handle of a map's entry, for conditions and changes. There may be none under this key; `clear` removes it.
    ///
    /// Entries of a map that is not there, or is NULL, cannot be changed, and a change of one is refused with
    /// [`Reason::Absent`](crate::Reason::Absent).
    ///
    /// An empty key, or one that cannot be stored, is an error of the command.
    #[must_use]
    pub fn entry<K, V>(&self, key: impl IntoField<K>) -> Field<E, Option<V>, A, Nested>
    where
        A: StoredNatively,
        // Named, since what is in the return type is no error of this bound.
        T: MapOf<Key = K, Value = V>,
        K: Value,
        V: Value,
    {
        let mut name = String::new();
        // What cannot be encoded leaves the name empty, which `Placeholders::check` refuses.
        if key.into_field().__push_text(&mut name).is_err() {
            name.clear();
        }
        let place = Nested(self.path().then(Step::Name(name.into())));
        Field::of(Codec::new(place, Attribute::encode_attribute, Attribute::decode_attribute, false))
    }
}

/// A number, which is always present.
fn encoded<T: Attribute>(number: impl IntoField<T::Present>) -> Result<AttributeValue, EncodeError> {
    let number = number.into_field().encode_attribute()?;
    number.ok_or_else(|| EncodeError::new("an absent number cannot be counted with"))
}
