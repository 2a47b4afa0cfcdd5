//! Times with a `format`: what their fields allow, and which of them can be compared with each other.

use super::access::{Coded, Counted, Embedding, Fenced, Guarded, Immutable, Indexed, Joint, Kept, Key, Plain, Vector};
use super::{ServerComputed, Settable, SettableOnce, StoredNatively, Top};
use std::marker::PhantomData;

/// A time with the `format` `F`, and otherwise with the access `A`.
#[derive(Debug)]
pub struct Formatted<F, A = Plain>(PhantomData<(F, A)>);

impl<F, A: Settable> Settable for Formatted<F, A> {}
impl<F> SettableOnce<Top> for Formatted<F, Immutable> {}
impl<F, A: ServerComputed> ServerComputed for Formatted<F, A> {}
impl<F, A: StoredNatively> StoredNatively for Formatted<F, A> {}

/// The form of a value that is stored as its type says.
#[derive(Debug)]
pub enum OwnForm {}

/// The form in which the values of a field are stored.
pub trait StoredAs {
    /// The `format` of a time, or [`OwnForm`].
    type Form;
}

impl<F, A> StoredAs for Formatted<F, A> {
    type Form = F;
}

impl<A> StoredAs for Coded<A> {
    type Form = OwnForm;
}

macro_rules! in_own_form {
    ($($access:ident)*) => {$(
        impl StoredAs for $access {
            type Form = OwnForm;
        }
    )*};
}

in_own_form!(Plain Key Guarded Counted Fenced Indexed Joint Vector Embedding Immutable Kept);

/// The forms that DynamoDB can compare with the form `F`: this form alone.
#[diagnostic::on_unimplemented(
    message = "the times of these two fields are stored in different formats: `{F}` and `{Self}`",
    label = "another `format` than the field it is compared with",
    note = "DynamoDB compares the texts as they are stored, and a time has another text in each format: declare one `format` for both fields, or read the item and compare the times; `OwnForm` is `format = \"nanos\"`"
)]
pub trait SameForm<F> {}

impl<F> SameForm<F> for F {}
