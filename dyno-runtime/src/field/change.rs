//! Changes of one entity's fields, as a user writes them.

use crate::entity::clone_and_debug;
use crate::expression::RawChange;
use std::marker::PhantomData;

/// A change of one attribute of an `E`, or of a place within one. You make it from a [field](crate::Field):
/// `fields.rating.set(4)`, `fields.likes.add(1)`, `fields.tags.insert("new")`.
#[must_use = "a change changes nothing until it is in an update: `.with(…)`"]
pub struct Change<E> {
    raw: RawChange,
    entity: PhantomData<fn() -> E>,
}

impl<E> Change<E> {
    pub(crate) fn of(raw: RawChange) -> Self {
        Self { raw, entity: PhantomData }
    }

    pub(crate) fn into_raw(self) -> RawChange {
        self.raw
    }
}

clone_and_debug!([E] Change<E>: raw; entity);

/// One change or several: a [`Change`], an `Option`, an array or a `Vec` of them, or a tuple of up to twelve of any of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a change of `{E}`",
    label = "expected changes of `{E}`",
    note = "a change is made of a field: `.with(fields.name.set(value))`; several go in an array or a tuple: `.with([…, …])`"
)]
pub trait IntoChanges<E>: Sized {
    /// Returns the changes.
    fn into_changes(self) -> impl Iterator<Item = Change<E>>;

    /// Adds the changes to `changes`.
    #[doc(hidden)]
    fn __add_to(self, changes: &mut RawChanges) {
        for change in self.into_changes() {
            changes.0.push(change.into_raw());
        }
    }
}

/// Changes without their entity.
#[doc(hidden)]
#[derive(Debug)]
pub struct RawChanges(Vec<RawChange>);

impl RawChanges {
    pub(crate) fn of<E>(changes: impl IntoChanges<E>) -> Self {
        let mut all = Self(Vec::new());
        changes.__add_to(&mut all);
        all
    }

    pub(crate) fn into_inner(self) -> Vec<RawChange> {
        self.0
    }
}

impl<E> IntoChanges<E> for Change<E> {
    fn into_changes(self) -> impl Iterator<Item = Change<E>> {
        std::iter::once(self)
    }

    fn __add_to(self, changes: &mut RawChanges) {
        changes.0.push(self.raw);
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

macro_rules! tuples {
    ($($($changes:ident)+;)*) => {$(
        impl<E, $($changes: IntoChanges<E>),+> IntoChanges<E> for ($($changes,)+) {
            #[expect(non_snake_case, reason = "a value is named as its type")]
            fn into_changes(self) -> impl Iterator<Item = Change<E>> {
                let ($($changes,)+) = self;
                std::iter::empty()$(.chain($changes.into_changes()))+
            }

            // Adds each of them directly, because the iterator chain of `into_changes` would compile to much code for each
            // entity.
            #[expect(non_snake_case, reason = "a value is named as its type")]
            fn __add_to(self, all: &mut RawChanges) {
                let ($($changes,)+) = self;
                $($changes.__add_to(all);)+
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D F;
    A B C D F G;
    A B C D F G H;
    A B C D F G H I;
    A B C D F G H I J;
    A B C D F G H I J K;
    A B C D F G H I J K L;
    A B C D F G H I J K L M;
}
