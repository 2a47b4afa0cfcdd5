//! One `word`, `word = value` or `word(…)`: the form of attributes and of the keys inside them; and the values of words.

use crate::diag::Diagnostics;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseBuffer, ParseStream};
use syn::spanned::Spanned as _;
use syn::token::Paren;
use syn::{Ident, LitBool, LitInt, LitStr, Path, Token, Type};

/// A word, and the input that follows it.
pub(crate) struct Entry<'a> {
    pub(super) word: String,
    pub(super) span: Span,
    pub(super) input: ParseStream<'a>,
}

impl<'a> Entry<'a> {
    pub(super) fn begin(input: ParseStream<'a>) -> syn::Result<Self> {
        let path = Path::parse_mod_style(input)?;
        Ok(Self { word: path_text(&path), span: path.span(), input })
    }

    /// Reads entries up to the end. If a value remains after an entry, the entry takes none, which is an error.
    pub(super) fn each(input: ParseStream<'a>, mut read: impl FnMut(&Self) -> syn::Result<()>) -> syn::Result<()> {
        while !input.is_empty() {
            let entry = Self::begin(input)?;
            read(&entry)?;
            if entry.has_value() {
                let message = format!("`{0}` takes no value\nhelp: write `{0}`", entry.word);
                return Err(syn::Error::new(input.span(), message));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    /// Reads the value after `=`. `what` names the expected value in the error.
    pub(super) fn value<T: Parse>(&self, what: &str) -> syn::Result<T> {
        if !self.has_value() {
            return Err(syn::Error::new(self.span, format!("`{0}` needs a value\nhelp: write `{0} = …`", self.word)));
        }
        let _: Token![=] = self.input.parse()?;
        let (span, next) = (self.input.span(), self.input.fork());
        self.input.parse().map_err(|_| {
            let mut message = format!("`{}` takes {what}", self.word);
            // A number, a name or a type that stands in quotes.
            if let Ok(text) = next.parse::<LitStr>()
                && is_made_of(&text, is_of_path)
                && text.parse::<T>().is_ok()
            {
                message = format!("{message}, without quotes\nhelp: write `{} = {}`", self.word, text.value());
            }
            syn::Error::new(span, message)
        })
    }

    pub(super) fn has_value(&self) -> bool {
        self.input.peek(Token![=])
    }

    /// Returns the content of the parentheses.
    pub(super) fn content(&self) -> syn::Result<ParseBuffer<'a>> {
        let content;
        syn::parenthesized!(content in self.input);
        Ok(content)
    }

    /// Reads the items of the list in parentheses.
    pub(super) fn list<T: Parse>(&self) -> syn::Result<Vec<T>> {
        if !self.input.peek(Paren) {
            return Err(self.no_list());
        }
        let content = self.content()?;
        let list = content.parse_terminated(T::parse, Token![,]);
        // Input that follows a mistake is not reported as another one.
        let _rest: TokenStream = content.parse()?;
        Ok(list?.into_iter().collect())
    }

    /// Returns the error for a value that is no list in parentheses, with the list that was probably meant.
    fn no_list(&self) -> syn::Error {
        let next = self.input.fork();
        let _ = next.parse::<Token![=]>();
        let rest: TokenStream = next.parse().unwrap_or_default();
        let names: Vec<String> = names(rest).collect();
        let names = if names.is_empty() { "field, …".to_owned() } else { names.join(", ") };
        let span = if self.input.is_empty() { self.span } else { self.input.span() };
        syn::Error::new(span, format!("`{0}` takes names in parentheses\nhelp: write `{0}({names})`", self.word))
    }

    /// Skips the value, so that the entries after it can still be read.
    pub(super) fn skip(&self) -> syn::Result<()> {
        while !self.input.is_empty() && !self.input.peek(Token![,]) {
            self.input.parse::<TokenTree>()?;
        }
        Ok(())
    }
}

/// The value of a word.
pub(crate) trait Value: Sized {
    /// The keys that are allowed inside it.
    #[cfg(test)]
    const KEYS: &'static [&'static str] = &[];

    fn read(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<Self>;
}

/// Implements `Value` for types that are parsed from the input after `=`, with the names that messages use for them.
macro_rules! values {
    ($($ty:ty: $what:literal),* $(,)?) => {$(
        impl $crate::attr::entry::Value for $ty {
            fn read(entry: &$crate::attr::entry::Entry<'_>, _: &mut $crate::diag::Diagnostics) -> syn::Result<Self> {
                entry.value($what)
            }
        }
    )*};
}
pub(super) use values;

values! {
    LitInt: "a whole number",
    LitBool: "`false`",
    Type: "the type of an entity",
}

/// `word = "…"`
impl Value for LitStr {
    fn read(entry: &Entry<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        quoted(entry, "text in quotes")
    }
}

/// Reads text. If it is a path without the quotes, the error adds them.
fn quoted(entry: &Entry<'_>, what: &str) -> syn::Result<LitStr> {
    let next = entry.input.fork();
    let bare = next.parse::<Token![=]>().and_then(|_| next.call(Path::parse_mod_style));
    entry.value(what).map_err(|error| match bare {
        Ok(bare) => {
            let colon = if bare.leading_colon.is_some() { "::" } else { "" };
            let bare = format!("{colon}{}", path_text(&bare));
            syn::Error::new(error.span(), format!("{error}\nhelp: write `{} = \"{bare}\"`", entry.word))
        }
        Err(_) => error,
    })
}

/// A word without a value.
impl Value for () {
    fn read(_: &Entry<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        Ok(())
    }
}

/// `word(name, …)`
impl Value for Vec<Ident> {
    fn read(entry: &Entry<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        let names: Vec<Name> = entry.list()?;
        Ok(names.into_iter().map(|Name(ident)| ident).collect())
    }
}

/// A name, with or without quotes.
pub(crate) struct Name(pub(crate) Ident);

impl Parse for Name {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            if !is_made_of(&text, |character| character == '_' || character == '#' || character.is_alphanumeric())
                || text.value().contains('#') && !text.value().starts_with("r#")
            {
                return Err(syn::Error::new(text.span(), "expected a name"));
            }
            return text.parse_with(Ident::parse_any).map(Self);
        }
        Ident::parse_any(input).map(Self)
    }
}

/// Returns the names up to the next comma outside of parentheses, without their quotes.
pub(super) fn names(tokens: TokenStream) -> impl Iterator<Item = String> {
    let value =
        tokens.into_iter().take_while(|token| !matches!(token, TokenTree::Punct(punct) if punct.as_char() == ','));
    value
        .flat_map(|token| match token {
            TokenTree::Group(group) => group.stream().into_iter().collect(),
            token => vec![token],
        })
        .filter(|token| !matches!(token, TokenTree::Punct(_)))
        .map(|token| token.to_string().trim_matches('"').to_owned())
}

/// `word = "path::to::it"`
impl Value for Path {
    fn read(entry: &Entry<'_>, _: &mut Diagnostics) -> syn::Result<Self> {
        let text = quoted(entry, "a path in quotes")?;
        parse_path(&text).map_err(|_| {
            let message = format!("`{0}` takes a path in quotes\nhelp: write `{0} = \"path::to::it\"`", entry.word);
            syn::Error::new(text.span(), message)
        })
    }
}

/// Parses the path in a text.
fn parse_path(text: &LitStr) -> syn::Result<Path> {
    if is_made_of(text, is_of_path) {
        text.parse_with(Path::parse_mod_style)
    } else {
        Err(syn::Error::new(text.span(), "expected a path"))
    }
}

fn is_of_path(character: char) -> bool {
    character == ':' || character == '_' || character.is_alphanumeric()
}

/// Returns whether all characters of a text satisfy a condition. The compiler itself rejects text that is not a token, such
/// as the prefix in `Placed#{placed}`, as soon as it is parsed, so the text is checked first.
fn is_made_of(text: &LitStr, is_such: impl Fn(char) -> bool) -> bool {
    text.value().chars().all(is_such)
}

/// The path of a crate in quotes, which must be absolute.
pub(crate) struct CratePath(pub(crate) Path);

impl Value for CratePath {
    fn read(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        let path = parse_path(&LitStr::read(entry, diag)?)?;
        let begins = path.segments.first().map(|segment| segment.ident.to_string());
        if path.leading_colon.is_none() && begins.as_deref() != Some("crate") {
            return Err(syn::Error::new(
                path.span(),
                format!("the path must be absolute\nhelp: write \"::{0}\" or \"crate::{0}\"", path_text(&path)),
            ));
        }
        Ok(Self(path))
    }
}

pub(super) fn path_text(path: &Path) -> String {
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    segments.join("::")
}
