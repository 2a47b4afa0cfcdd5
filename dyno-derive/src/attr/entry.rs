//! One `word`, `word = value` or `word(…)`: the form of attributes and of the keys inside them; and the values of words.

use crate::diag::Diagnostics;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseBuffer, ParseStream};
use syn::spanned::Spanned as _;
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
        let span = self.input.span();
        self.input.parse().map_err(|_| syn::Error::new(span, format!("`{}` takes {what}", self.word)))
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
        let content = self.content()?;
        let list = content.parse_terminated(T::parse, Token![,]);
        // Input that follows a mistake is not reported as another one.
        let _rest: TokenStream = content.parse()?;
        Ok(list?.into_iter().collect())
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
        let next = entry.input.fork();
        let bare = next.parse::<Token![=]>().and_then(|_| next.call(Ident::parse_any));
        entry.value("text in quotes").map_err(|error| match bare {
            Ok(bare) => syn::Error::new(error.span(), format!("{error}\nhelp: write `{} = \"{bare}\"`", entry.word)),
            Err(_) => error,
        })
    }
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
        entry.list()
    }
}

/// `word = "path::to::it"`
impl Value for Path {
    fn read(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        let text = LitStr::read(entry, diag)?;
        parse_path(&text).map_err(|_| {
            let message = format!("`{0}` takes a path in quotes\nhelp: write `{0} = \"path::to::it\"`", entry.word);
            syn::Error::new(text.span(), message)
        })
    }
}

/// Parses the path in a text.
fn parse_path(text: &LitStr) -> syn::Result<Path> {
    if is_made_of(text, |character| character == ':' || character == '_' || character.is_alphanumeric()) {
        text.parse_with(Path::parse_mod_style)
    } else {
        Err(syn::Error::new(text.span(), "expected a path"))
    }
}

/// Returns whether all characters of a text satisfy a condition. The compiler itself rejects text that is not a token, such
/// as the prefix in `Placed#{placed}`, as soon as it is parsed, so the text is checked first.
pub(super) fn is_made_of(text: &LitStr, is_such: impl Fn(char) -> bool) -> bool {
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
