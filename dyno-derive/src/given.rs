//! Values with the place where they were written: `attr` reads them, the model keeps them, and messages point at them.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::fmt::{self, Display, Formatter};
use std::ops::Deref;

/// A value and where it was written. A default has the place of what it is a default of. Two are equal if their values are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

impl<T> Deref for Given<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Given<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Display> Display for Given<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// The value alone: what is generated is not what was written.
impl<T: ToTokens> ToTokens for Given<T> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.value.to_tokens(tokens);
    }
}
