//! Changes of a field. Each takes the handle by value, so that a program with two changes of the same place does not compile.

use super::raw_changes::{Repeated, Sign, add, add_to_existing, append, change_element, new_change, nullable};
use super::{
    Clearable, Codec, Field, Nested, Optional, Place, ServerComputed, Settable, SettableOnce, StoredNatively, TopLevel,
};
use crate::attribute::kind::NumericKind;
use crate::attribute::{Attribute, Element as _, IntoField, ListOf, MapOf, SetOf, Value, encode_set};
use crate::error::{EncodeError, Step};
use crate::expression::Action;
use crate::field::Change;
use aws_sdk_dynamodb::types::AttributeValue;

/// Changes of fields of any type.
impl<E, T, A, P: Place> Field<E, T, A, P> {
    pub(super) fn change(self, value: &T) -> Change<E> {
        Change::of(self.__codec.change(value))
    }

    /// Sets the attribute (`SET`). `None` and the empty set `REMOVE` it.
    pub fn set(self, value: impl IntoField<T>) -> Change<E>
    where
        A: Settable,
    {
        self.change(&value.into_field())
    }

    /// Sets the attribute only if it is absent (`SET … = if_not_exists(…)`), and otherwise keeps the stored value.
    pub fn set_if_absent(self, value: impl IntoField<T>) -> Change<E>
    where
        A: SettableOnce<P> + ServerComputed,
    {
        Change::of(self.__codec.change_absent(&value.into_field()))
    }

    /// Removes the attribute (`REMOVE`), so that it reads as `None` or as the empty set.
    pub fn clear(self) -> Change<E>
    where
        A: Clearable,
        T: Optional,
    {
        Change::of(new_change(self.path(), Ok(Action::Remove)))
    }
}

/// Changes that only numbers, lists, sets or maps have. The bounds are on the methods, so that a compiler error names the bound.
impl<E, T, A, P: Place> Field<E, T, A, P> {
    /// Adds to a number (`ADD`). If the attribute is absent, counting starts at its default or at 0. A negative number is
    /// subtracted.
    ///
    /// Refused with [`Reason::OutOfRange`](crate::Reason::OutOfRange) if the result would not fit the type of an integer or a
    /// time, because the item could not be read afterwards. For floating-point and decimal numbers the caller must check this:
    /// DynamoDB adds 38 digits exactly, of which an `f64` holds 17.
    ///
    /// If it is sent twice, it counts twice. So an update with it is not sent again after a lost answer, and ends in
    /// [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown), unless an
    /// [idempotency key](crate::command::Update::idempotency_key) or the expected version makes a repetition safe.
    #[expect(clippy::should_implement_trait, reason = "DynamoDB's word; it makes a change, and no field")]
    pub fn add(self, number: impl IntoField<T::Present>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: Attribute<Kind: NumericKind>,
    {
        let (by, default) = (encode_number::<T>(number), self.__codec.encode_default());
        Change::of(nullable(add(self.path(), by, default, T::__RANGE), self.__codec.is_nullable()))
    }

    /// Adds to a number that exists (`SET … = … + …`). Refused with [`Reason::Absent`](crate::Reason::Absent) if the attribute
    /// is absent. Otherwise as [`add`](Self::add).
    pub fn increment(self, number: impl IntoField<T::Present>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: Attribute<Kind: NumericKind>,
    {
        Change::of(add_to_existing(self.path(), encode_number::<T>(number), T::__RANGE, Sign::Plus))
    }

    /// Subtracts from a number that exists (`SET … = … - …`). Refused with [`Reason::Absent`](crate::Reason::Absent) if the
    /// attribute is absent, and with [`Reason::OutOfRange`](crate::Reason::OutOfRange) if the result would be too small (for an
    /// unsigned number: less than 0). Otherwise as [`add`](Self::add).
    pub fn decrement(self, number: impl IntoField<T::Present>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: Attribute<Kind: NumericKind>,
    {
        Change::of(add_to_existing(self.path(), encode_number::<T>(number), T::__RANGE, Sign::Minus))
    }

    /// Appends one element to a list (`list_append`). If it is sent twice, it appends two: see [`add`](Self::add).
    pub fn push(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        self.append_all(element.into_field().__encode_element().map(|element| vec![element]), Repeated::Any)
    }

    /// Appends several elements in their order (`list_append`). If it is sent twice, it appends them twice: see
    /// [`add`](Self::add).
    pub fn extend<V: IntoField<T::Element>>(self, elements: impl IntoIterator<Item = V>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        let elements = elements.into_iter().map(|element| element.into_field().__encode_element());
        self.append_all(elements.collect(), Repeated::Any)
    }

    /// Appends an element that the list does not contain yet (`list_append`). Refused with
    /// [`Reason::Contained`](crate::Reason::Contained) if the list contains it:
    /// [`accept_contained`](crate::Outcome::accept_contained). If the SDK sent the update twice, its own first attempt may have
    /// appended the element.
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

    /// Removes the first element that equals this one, at any index of the list. A consistent `GetItem` finds its index, and
    /// `REMOVE …[i]` is refused if the element is no longer there. In this case dyno looks for the element again, in the item
    /// that came with the refusal. So it never removes another element, whatever other writers do to the list meanwhile.
    ///
    /// Refused with [`Reason::NotContained`](crate::Reason::NotContained) if the list does not contain the element. If it were
    /// sent twice, it would remove two: see [`add`](Self::add).
    pub fn remove_value(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        let element = element.into_field().__encode_element();
        Change::of(new_change(self.path(), element.map(Action::RemoveElement)))
    }

    /// Removes the element at an index (`REMOVE …[index]`). Refused with [`Reason::OtherElement`](crate::Reason::OtherElement)
    /// if it is not the expected element. If it is sent twice, it can remove two: see [`add`](Self::add).
    pub fn remove_at(self, index: usize, expected: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: ListOf,
    {
        Change::of(change_element(&self.path(), index, expected.into_field().__encode_element(), Ok(Action::Remove)))
    }

    /// Replaces the element at an index (`SET …[index]`). Refused with [`Reason::OtherElement`](crate::Reason::OtherElement) if
    /// it is not the expected element. If it is sent twice, it can replace two: see [`add`](Self::add).
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

    /// Adds an element to a set (`ADD`). It may be in the set already. If the set is absent, it is created.
    pub fn insert(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: SetOf,
        P: TopLevel,
    {
        self.insert_all([element.into_field()])
    }

    /// Adds several elements to a set (`ADD`).
    pub fn insert_all<V: IntoField<T::Element>>(self, elements: impl IntoIterator<Item = V>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: SetOf,
        P: TopLevel,
    {
        self.elements::<T, V>(elements, Action::Add)
    }

    /// Removes an element from a set (`DELETE`). It may be missing already. With the last element, the attribute is removed.
    pub fn remove(self, element: impl IntoField<T::Element>) -> Change<E>
    where
        A: Settable + StoredNatively + ServerComputed,
        T: SetOf,
        P: TopLevel,
    {
        self.remove_all([element.into_field()])
    }

    /// Removes several elements from a set (`DELETE`).
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
        let change = new_change(self.path(), set.map(|set| set.map_or(Action::Nothing, action)));
        Change::of(nullable(change, self.__codec.is_nullable()))
    }
}

impl<E, T, A, P: Place> Field<E, T, A, P> {
    /// Returns the handle of a map's entry, for conditions and changes. The map need not have an entry under this key; `clear`
    /// removes it.
    ///
    /// If the map is absent or NULL, its entries cannot be changed: a change of one is refused with
    /// [`Reason::Absent`](crate::Reason::Absent).
    ///
    /// An empty key, or one that cannot be stored, is an error of the command.
    #[must_use]
    pub fn entry<K, V>(&self, key: impl IntoField<K>) -> Field<E, Option<V>, A, Nested>
    where
        A: StoredNatively,
        // `K` and `V` are parameters, because an associated type in the return type would not report an error of this bound.
        T: MapOf<Key = K, Value = V>,
        K: Value,
        V: Value,
    {
        let mut name = String::new();
        // A key that cannot be encoded leaves the name empty, which `Placeholders::check` refuses.
        if key.into_field().__push_text(&mut name).is_err() {
            name.clear();
        }
        let place = Nested(self.path().then(Step::Name(name.into())));
        Field::of(Codec::new(place, Attribute::encode_attribute, Attribute::decode_attribute, false))
    }
}

/// Encodes a number, which is always present.
fn encode_number<T: Attribute>(number: impl IntoField<T::Present>) -> Result<AttributeValue, EncodeError> {
    let number = number.into_field().encode_attribute()?;
    number.ok_or_else(|| EncodeError::new("the number to add or subtract is absent: leave the change out"))
}
