//! Places for what may be said once, and the reading of `key = value` lists into them.

use super::keyword;
use crate::diag::{Diagnostics, Problem, list};
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Attribute, LitInt, LitStr, Meta, Path, Token};

/// A value and where it was written.
#[derive(Clone)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// A place for a value that may be given once.
pub(crate) struct Slot<T>(Option<Spanned<T>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Slot<T> {
    /// Fills the place; `name` is what the user knows it by.
    pub(crate) fn set(&mut self, name: &str, span: Span, value: T, diag: &mut Diagnostics) {
        if self.0.is_some() {
            diag.push(Problem::new(span, format!("`{name}` is given twice")).help("remove one of them"));
        } else {
            self.0 = Some(Spanned { value, span });
        }
    }

    pub(crate) fn get(&self) -> Option<&Spanned<T>> {
        self.0.as_ref()
    }

    pub(crate) fn span(&self) -> Option<Span> {
        self.0.as_ref().map(|set| set.span)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }
}

/// One `key`, `key = value` or `key(…)` within an attribute.
pub(super) struct Entry<'a> {
    meta: ParseNestedMeta<'a>,
    pub(super) key: String,
    pub(super) span: Span,
}

impl Entry<'_> {
    /// The value behind `=`, of which `what` says what it should be.
    pub(super) fn value<T: Parse>(&self, what: &str) -> syn::Result<T> {
        if !self.has_value() {
            return Err(syn::Error::new(self.span, format!("`{0}` needs a value\nhelp: write `{0} = …`", self.key)));
        }
        let value = self.meta.value()?;
        let span = value.span();
        value.parse().map_err(|_| syn::Error::new(span, format!("`{}` takes {what}", self.key)))
    }

    /// The string behind `=`.
    pub(super) fn text(&self) -> syn::Result<LitStr> {
        self.value("text in quotes")
    }

    /// The number behind `=`.
    pub(super) fn number(&self) -> syn::Result<LitInt> {
        self.value("a whole number")
    }

    /// What is left behind an entry that has been read is a value it does not take.
    fn refuse_value(&self) -> syn::Result<()> {
        if !self.has_value() {
            return Ok(());
        }
        Err(syn::Error::new(self.meta.input.span(), format!("`{0}` takes no value\nhelp: write `{0}`", self.key)))
    }

    pub(super) fn has_value(&self) -> bool {
        self.meta.input.peek(Token![=])
    }

    /// The path in the string behind `=`.
    pub(super) fn path(&self) -> syn::Result<Path> {
        let text = self.text()?;
        text.parse_with(Path::parse_mod_style).map_err(|_| {
            syn::Error::new(
                text.span(),
                format!("`{0}` takes a path in quotes\nhelp: write `{0} = \"path::to::it\"`", self.key),
            )
        })
    }

    /// The string behind `=`, read as something else.
    pub(super) fn parse_text<T: Parse>(&self) -> syn::Result<T> {
        self.text()?.parse()
    }

    /// The entries within parentheses, as they are.
    pub(super) fn list<T: Parse>(&self) -> syn::Result<Vec<T>> {
        let content;
        syn::parenthesized!(content in self.meta.input);
        let list = content.parse_terminated(T::parse, Token![,])?;
        Ok(list.into_iter().collect())
    }

    /// Passes over the value, so that the entries behind it can still be read.
    fn skip(&self) -> syn::Result<()> {
        while !self.meta.input.is_empty() && !self.meta.input.peek(Token![,]) {
            self.meta.input.parse::<TokenTree>()?;
        }
        Ok(())
    }
}

/// Reads the entries of an attribute, which may have none: see [`read_list`].
pub(super) fn read_entries(
    attribute: &Attribute,
    diag: &mut Diagnostics,
    read: impl FnMut(&Entry<'_>, &mut Diagnostics) -> syn::Result<bool>,
) {
    read_list(attribute, diag, read);
}

/// Reads the entries of an attribute, which may have none. `read` says whether it knows the key; what it does not know
/// is reported with the nearest key of the attribute's. Returns whether all of it could be read.
pub(super) fn read_list(
    attribute: &Attribute,
    diag: &mut Diagnostics,
    mut read: impl FnMut(&Entry<'_>, &mut Diagnostics) -> syn::Result<bool>,
) -> bool {
    let name = path_text(attribute.path());
    let tokens = match &attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(value) => {
            diag.push(
                Problem::new(value.eq_token.span(), format!("`{name}` takes a list, not a value"))
                    .help(format!("write `#[{name}(…)]`")),
            );
            return false;
        }
    };
    let mut complete = true;
    if let Some(TokenTree::Literal(literal)) = tokens.clone().into_iter().next() {
        diag.push(not_a_key(&name, literal.span()));
        return false;
    }
    let parser = syn::meta::parser(|meta| {
        let entry = Entry { key: path_text(&meta.path), span: meta.path.span(), meta };
        if !read(&entry, diag)? {
            complete = false;
            let known = keyword::keys(&name);
            let message = format!("unknown key `{}` in `#[{name}]`", entry.key);
            let problem = Problem::new(entry.span, message);
            diag.push(if known.is_empty() {
                problem.help(format!("`#[{name}]` takes nothing here"))
            } else {
                problem.suggest(&entry.key, known)
            });
            entry.skip()?;
        }
        entry.refuse_value()
    });
    if let Err(error) = parser.parse2(tokens) {
        diag.push_syntax(error);
        return false;
    }
    complete
}

/// A bare literal where `key = value` belongs.
fn not_a_key(attribute: &str, span: Span) -> Problem {
    let problem = Problem::new(span, format!("`#[{attribute}]` takes keys, not bare values"));
    match keyword::keys(attribute) {
        [] => problem.help(format!("write `#[{attribute}]`")),
        keys => problem.help(format!("expected {}", list(keys))),
    }
}

pub(super) fn path_text(path: &Path) -> String {
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    segments.join("::")
}

/// Whether an attribute has entries, as in `#[name(…)]`.
pub(super) fn has_entries(attribute: &Attribute) -> bool {
    !matches!(attribute.meta, Meta::Path(_))
}

/// A path in a string, which must be absolute where it stands for a crate.
pub(super) struct AbsolutePath(pub(super) Path);

impl Parse for AbsolutePath {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path = Path::parse_mod_style(input)?;
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
