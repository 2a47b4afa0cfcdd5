//! Changes as a user writes them, of one entity's fields.

use crate::error::EncodeError;
use crate::expression::{Action, Guard, Null, Path, RawChange};
use std::fmt;
use std::marker::PhantomData;

/// A change of one attribute of an `E`, or of a place within one, made from its [field](crate::Field):
/// `fields.rating.set(4)`, `fields.likes.add(1)`, `fields.tags.insert("new")`.
#[must_use = "a change changes nothing until it is in an update: `.with(…)`"]
pub struct Change<E> {
    raw: RawChange,
    entity: PhantomData<fn() -> E>,
}

impl<E> Change<E> {
    pub(crate) fn new(path: impl Into<Path>, action: Result<Action, EncodeError>) -> Self {
        Self { raw: RawChange::new(path, action), entity: PhantomData }
    }

    /// With a demand.
    pub(crate) fn guarded(mut self, guard: Option<Guard>) -> Self {
        self.raw.guards.extend(guard);
        self
    }

    /// Of a place where NULL may be, and counts as absent.
    pub(crate) fn nullable(mut self, nullable: bool) -> Self {
        if nullable && self.raw.goes_by_absence() {
            self.raw.null = Null::Unknown;
        }
        self
    }

    pub(crate) fn into_raw(self) -> RawChange {
        self.raw
    }
}

impl<E> Clone for Change<E> {
    fn clone(&self) -> Self {
        Self { raw: self.raw.clone(), entity: PhantomData }
    }
}

impl<E> fmt::Debug for Change<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Change").field(&self.raw).finish()
    }
}

/// One change or several: a [`Change`], an `Option`, an array or a `Vec` of them, or a tuple of up to twelve of any of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a change of `{E}`",
    label = "expected changes of `{E}`",
    note = "a change is made of a field: `.with(fields.name.set(value))`; several go in an array or a tuple: `.with([…, …])`"
)]
pub trait IntoChanges<E> {
    /// The changes.
    fn into_changes(self) -> impl Iterator<Item = Change<E>>;
}

impl<E> IntoChanges<E> for Change<E> {
    fn into_changes(self) -> impl Iterator<Item = Change<E>> {
        std::iter::once(self)
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
