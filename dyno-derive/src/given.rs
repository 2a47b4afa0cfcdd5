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

/// The value alone: what is generated is not what was written.
impl<T: ToTokens> ToTokens for Given<T> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.value.to_tokens(tokens);
    }
}

/// A word of the user's, or what stands for it where it was left out.
pub(crate) type Word = Given<String>;

/// Which words were written of one thing, and where: for what cannot be said together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said(Vec<Given<&'static str>>);

impl Said {
    pub(crate) fn push(&mut self, word: &'static str, span: Span) {
        self.0.push(Given::new(word, span));
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Where the word was written first.
    pub(crate) fn span(&self, word: &str) -> Option<Span> {
        self.0.iter().find(|said| said.value == word).map(|said| said.span)
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.span(word).is_some()
    }

    /// Those of the words that were written.
    pub(crate) fn any<'a>(&'a self, words: &'a [&'static str]) -> impl Iterator<Item = Given<&'static str>> + 'a {
        words.iter().filter_map(|word| Some(Given::new(*word, self.span(word)?)))
    }
}
