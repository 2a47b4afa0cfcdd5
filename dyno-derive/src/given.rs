//! Values with the place where the user wrote them: `attr` reads them, the model keeps them, and messages point at them.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::cell::Cell;
use std::fmt::{self, Display, Formatter};
use std::ops::Deref;
use syn::Ident;

/// A value and its place in the source. A default has the place of the attribute or field that it belongs to. Two are equal
/// if their values are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

impl<T> Given<T> {
    pub(crate) fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
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

/// Emits the value without its span, because generated code is not the user's code.
impl<T: ToTokens> ToTokens for Given<T> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.value.to_tokens(tokens);
    }
}

/// A word that the user wrote, or its default if the user left it out.
pub(crate) type Word = Given<String>;

/// The words that the user wrote in one attribute or on one field, and where: for words that exclude each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said(Vec<Given<&'static str>>);

impl Said {
    pub(crate) fn push(&mut self, word: &'static str, span: Span) {
        self.0.push(Given::new(word, span));
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the place where the word was written first.
    pub(crate) fn span(&self, word: &str) -> Option<Span> {
        self.0.iter().find(|said| said.value == word).map(|said| said.span)
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.span(word).is_some()
    }

    /// Returns those of `words` that were written.
    pub(crate) fn any<'a>(&'a self, words: &'a [&'static str]) -> impl Iterator<Item = Given<&'static str>> + 'a {
        words.iter().filter_map(|word| Some(Given::new(*word, self.span(word)?)))
    }
}

thread_local! {
    static HERE: Cell<Option<Span>> = const { Cell::new(None) };
}

/// Sets the place that [`here`] returns: the name of the type that is being derived for.
pub(crate) fn set_here(ident: &Ident) {
    HERE.set(Some(Span::call_site().located_at(ident.span())));
}

/// Returns the place of generated code that no word of the user's stands for. Names resolve as in generated code, but a
/// compiler's message about the code points at the name of the type, and not at the derive.
pub(crate) fn here() -> Span {
    HERE.get().unwrap_or_else(Span::call_site)
}
