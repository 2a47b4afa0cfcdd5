//! The words that are allowed in one place, declared once: `words!` generates a struct with a slot for each word, and the
//! list of the words. The reader uses this list to report a word that is given twice, unknown, or in the wrong place.

use super::entry::{Entry, Value, path_text};
use crate::diag::{Diagnostics, Problem, list};
use crate::given::{Given, Said};
use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::parse::{ParseStream, Parser as _};
use syn::token::Paren;
use syn::{Attribute, Lit};

/// Declares the words that are allowed in one place: the attributes above a type or field, or the keys of one of them. A word
/// has the name of its field, unless it is given, as in `krate = "crate": …`. After `elsewhere` stand words that users may
/// try here but that belong in another place, and that place.
macro_rules! words {
    ($(
        $(#[$doc:meta])*
        $name:ident { $($field:ident $(= $word:literal)?: $ty:ty),* $(,)? }
        $(-> elsewhere { $($words:expr => $where:literal),* $(,)? })?
    )*) => {$(
        $(#[$doc])*
        #[derive(Default)]
        pub(crate) struct $name {
            $(pub(crate) $field: $ty,)*
            /// Whether a part could not be read: a word that seems to be missing may be the one that was mistyped.
            pub(crate) mistaken: bool,
        }

        impl $crate::attr::words::Words for $name {
            const WORDS: &'static [&'static str] = &[$($crate::attr::words::words!(@ $field $($word)?)),*];
            const ELSEWHERE: &'static [(&'static [&'static str], &'static str)] = &[$($(($words, $where)),*)?];

            fn places(&mut self) -> Vec<&mut dyn $crate::attr::words::Place> {
                vec![$(&mut self.$field),*]
            }

            fn said(&self) -> $crate::given::Said {
                let places: &[&dyn $crate::attr::words::Place] = &[$(&self.$field),*];
                let mut said = $crate::given::Said::default();
                for (word, place) in Self::WORDS.iter().zip(places) {
                    place.say(word, &mut said);
                }
                said
            }

            fn mistaken(&mut self) -> &mut bool {
                &mut self.mistaken
            }
        }
    )*};
    (@ $field:ident) => { stringify!($field) };
    (@ $field:ident $word:literal) => { $word };
}
pub(super) use words;

/// The words that are allowed in one place.
pub(crate) trait Words: Default {
    /// The words, in the order in which messages list them.
    const WORDS: &'static [&'static str];
    /// Words that belong in another place, and that place.
    const ELSEWHERE: &'static [(&'static [&'static str], &'static str)];

    /// Returns a slot for each of the words.
    fn places(&mut self) -> Vec<&mut dyn Place>;

    /// Returns the words that were given.
    fn said(&self) -> Said;

    fn mistaken(&mut self) -> &mut bool;

    /// Returns the slot of a word.
    fn place(&mut self, word: &str) -> Option<&mut dyn Place> {
        let position = Self::WORDS.iter().position(|known| *known == word)?;
        self.places().into_iter().nth(position)
    }

    /// Returns the words, and the keys that are allowed inside each.
    #[cfg(test)]
    fn declared() -> Vec<(&'static str, &'static [&'static str])> {
        let mut empty = Self::default();
        let keys = empty.places().into_iter().map(|place| place.keys());
        Self::WORDS.iter().copied().zip(keys).collect()
    }

    /// Returns the place where a word belongs that is not allowed here.
    fn elsewhere(word: &str) -> Option<&'static str> {
        Self::ELSEWHERE.iter().find(|(words, _)| words.contains(&word)).map(|(_, place)| *place)
    }
}

/// The slot of a word.
pub(crate) trait Place {
    fn read(&mut self, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<()>;

    /// Adds the word, if it was given.
    fn say(&self, word: &'static str, said: &mut Said);

    /// Returns the keys that are allowed inside it.
    #[cfg(test)]
    fn keys(&self) -> &'static [&'static str];
}

/// A slot for a word that may be given once.
pub(crate) struct Slot<T>(Option<Given<T>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Slot<T> {
    /// Fills the slot. `word` is the name that the user knows.
    pub(super) fn set(&mut self, word: &str, span: Span, value: T, diag: &mut Diagnostics) {
        if self.0.is_some() {
            diag.push(Problem::new(span, format!("`{word}` is given twice")).help("remove one of them"));
        } else {
            self.0 = Some(Given { value, span });
        }
    }

    pub(crate) fn get(&self) -> Option<&Given<T>> {
        self.0.as_ref()
    }

    pub(crate) fn span(&self) -> Option<Span> {
        self.0.as_ref().map(|given| given.span)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }
}

impl<T: Value> Place for Slot<T> {
    fn read(&mut self, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<()> {
        let value = T::read(entry, diag)?;
        self.set(&entry.word, entry.span, value, diag);
        Ok(())
    }

    fn say(&self, word: &'static str, said: &mut Said) {
        if let Some(span) = self.span() {
            said.push(word, span);
        }
    }

    #[cfg(test)]
    fn keys(&self) -> &'static [&'static str] {
        T::KEYS
    }
}

/// Words that may be given several times.
impl<T: Value> Place for Vec<Given<T>> {
    fn read(&mut self, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<()> {
        self.push(Given { value: T::read(entry, diag)?, span: entry.span });
        Ok(())
    }

    fn say(&self, word: &'static str, said: &mut Said) {
        for given in self {
            said.push(word, given.span);
        }
    }

    #[cfg(test)]
    fn keys(&self) -> &'static [&'static str] {
        T::KEYS
    }
}

/// Lists of words inside one word, which may be given several times and are merged.
impl<T: Words> Place for T {
    fn read(&mut self, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<()> {
        let attribute = &entry.word;
        if entry.has_value() {
            let at = entry.input.span();
            diag.push(match T::WORDS {
                [] => {
                    Problem::new(at, format!("`#[{attribute}]` takes no value")).help(format!("write `#[{attribute}]`"))
                }
                [key, ..] => Problem::new(at, format!("`#[{attribute}]` takes keys in parentheses, not a value"))
                    .help(format!("write `#[{attribute}({key} = …)]`")),
            });
            *self.mistaken() = true;
            return entry.skip();
        }
        if entry.input.is_empty() {
            return Ok(());
        }
        let content = entry.content()?;
        if content.peek(Lit) {
            let problem = Problem::new(content.span(), format!("`#[{attribute}]` takes keys, not bare values"));
            diag.push(match T::WORDS {
                [] => problem.help(format!("write `#[{attribute}]`")),
                words => problem.help(format!("expected {}", list(words))),
            });
            *self.mistaken() = true;
        } else if let Err(error) = Entry::each(&content, |entry| read_key(self, attribute, entry, diag)) {
            diag.push_syntax(error);
            *self.mistaken() = true;
        }
        content.parse::<TokenStream>().map(|_rest| ())
    }

    fn say(&self, _: &'static str, said: &mut Said) {
        said.extend(self.said());
    }

    #[cfg(test)]
    fn keys(&self) -> &'static [&'static str] {
        T::WORDS
    }
}

/// Reads a key of an attribute. An unknown key is reported with the known key that is nearest to it.
fn read_key<T: Words>(words: &mut T, attribute: &str, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<()> {
    let word = &entry.word;
    if let Some(place) = words.place(word) {
        return place.read(entry, diag);
    }
    if let Some(place) = T::elsewhere(word) {
        return Err(syn::Error::new(entry.span, format!("`{word}` goes on {place}")));
    }
    let is_bare = !entry.has_value() && !entry.input.peek(Paren);
    // Several bare words are the same mistake, so only the first one is reported.
    if !(is_bare && *words.mistaken()) {
        let problem = Problem::new(entry.span, format!("unknown key `{word}` in `#[{attribute}]`"));
        diag.push(match T::WORDS {
            [] => problem.help(format!("write `#[{attribute}]`, which takes no keys")),
            words => problem.suggest(word, words),
        });
    }
    *words.mistaken() = true;
    entry.skip()
}

impl<T: Words> Value for T {
    #[cfg(test)]
    const KEYS: &'static [&'static str] = T::WORDS;

    fn read(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        let mut words = Self::default();
        Place::read(&mut words, entry, diag)?;
        Ok(words)
    }
}

/// Reads the attributes above a type or field. It ignores attributes that are not the derive's.
pub(crate) fn read_attributes<T: Words>(attributes: &[Attribute], diag: &mut Diagnostics) -> T {
    let mut words = T::default();
    for attribute in attributes {
        let name = path_text(attribute.path());
        let Some(place) = words.place(&name) else {
            if let Some(place) = T::elsewhere(&name) {
                diag.push_syntax(syn::Error::new_spanned(attribute.path(), format!("`#[{name}]` goes on {place}")));
                *words.mistaken() = true;
            }
            continue;
        };
        let read = |input: ParseStream<'_>| place.read(&Entry::begin(input)?, diag);
        if let Err(error) = read.parse2(attribute.meta.to_token_stream()) {
            diag.push_syntax(error);
        }
    }
    words
}
