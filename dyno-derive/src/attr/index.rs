//! `#[index(…)]`: a secondary index, or a vector index.

use super::container::KeyAttr;
use super::entry::{Entry, Name, Value, names, values};
use super::words::{Slot, words};
use crate::diag::Diagnostics;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::token::Paren;
use syn::{Ident, LitStr, Token};

words! {
    /// `#[index(name = "by_movie", query = by_movie, partition = movie_id, sort = rated_at, local, projection(rating))]`, or
    /// `#[index(name = "similar", vector = embedding, of(title), metric = "cosine", partition = tenant, filter(brand))]`
    IndexAttr {
        name: Slot<LitStr>,
        query: Slot<Name>,
        partition: Slot<SideAttr>,
        sort: Slot<SideAttr>,
        local: Slot<()>,
        projection: Slot<ProjectedAttr>,
        vector: Slot<Name>,
        of: Slot<Vec<Ident>>,
        metric: Slot<LitStr>,
        filter: Slot<Vec<Ident>>,
    }
}

/// One side of an index's key.
pub(crate) enum SideAttr {
    /// `partition = movie_id`, `partition(tenant, region)`
    Fields(Vec<Ident>),
    /// `partition(name = "GSI1PK", template = "…")`
    Key(KeyAttr),
}

/// The attributes that an index holds.
pub(crate) enum ProjectedAttr {
    /// `projection = "all"`, `projection = "keys"`
    Named(LitStr),
    /// `projection(rating, comment)`
    Fields(Vec<Ident>),
}

values! { Name: "the name of a function" }

impl Value for ProjectedAttr {
    fn read(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        if entry.has_value() {
            let next = entry.input.fork();
            let field = next.parse::<Token![=]>().and_then(|_| next.fork().call(Ident::parse_any));
            let value: TokenStream = next.parse().unwrap_or_default();
            return LitStr::read(entry, diag).map(Self::Named).map_err(|error| {
                let listed: Vec<String> = names(value.clone()).collect();
                let example = match field.map(|field| field.to_string()) {
                    Ok(word) if word == "all" || word == "keys" => format!("projection = \"{word}\""),
                    Ok(field) => format!("projection({field})"),
                    Err(_) if listed.is_empty() => "projection(field, …)".to_owned(),
                    Err(_) => format!("projection({})", listed.join(", ")),
                };
                let message =
                    format!("`projection` takes `\"all\"` or `\"keys\"`, or a list of fields\nhelp: write `{example}`");
                syn::Error::new(error.span(), message)
            });
        }
        let fields: Vec<Name> = entry.list()?;
        Ok(Self::Fields(fields.into_iter().map(|Name(field)| field).collect()))
    }
}

/// An entry of a side: a field, or `name = "…"`.
enum SideEntry {
    Field(Ident),
    Value(Ident, LitStr),
}

impl Parse for SideEntry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let Name(ident) = input.parse()?;
        if !input.peek(Token![=]) {
            return Ok(Self::Field(ident));
        }
        let _: Token![=] = input.parse()?;
        let span = input.span();
        let value = input.parse().map_err(|_| syn::Error::new(span, format!("`{ident}` takes text in quotes")))?;
        Ok(Self::Value(ident, value))
    }
}

impl Value for SideAttr {
    fn read(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<Self> {
        if entry.has_value() {
            let next = entry.input.fork();
            let _ = next.parse::<Token![=]>();
            let (template, list) = (next.fork().parse::<LitStr>(), next.peek(Paren));
            let field = entry.value("the name of a field").map_err(|error| match template {
                _ if list => {
                    let names: Vec<String> = names(next.parse().unwrap_or_default()).collect();
                    let (word, names) = (&entry.word, names.join(", "));
                    syn::Error::new(error.span(), format!("{error}, or several in parentheses\nhelp: write `{word}({names})`"))
                }
                Ok(text) => syn::Error::new(
                    error.span(),
                    format!(
                        "{error}\nhelp: a template has an attribute of its own: `{}(name = \"GSI1{}\", template = {:?})`",
                        entry.word,
                        if entry.word == "sort" { "SK" } else { "PK" },
                        text.value(),
                    ),
                ),
                Err(_) => error,
            });
            let Name(field) = field?;
            return Ok(Self::Fields(vec![field]));
        }
        // `partition(field, …)`, or `partition(name = …, template = …)`.
        let entries: Vec<SideEntry> = entry.list()?;
        let (mut fields, mut key, mut is_key) = (Vec::new(), KeyAttr::default(), false);
        for side in entries {
            match side {
                SideEntry::Field(field) => fields.push(field),
                SideEntry::Value(ident, text) => {
                    is_key = true;
                    set_key(&mut key, &ident, text, diag)?;
                }
            }
        }
        match (is_key, fields.first()) {
            (true, None) => Ok(Self::Key(key)),
            (true, Some(field)) => Err(mixed(field.span())),
            (false, Some(_)) => Ok(Self::Fields(fields)),
            (false, None) => Err(syn::Error::new(
                entry.span,
                format!(
                    "`{0}` names no field\nhelp: write `{0} = field`, or `{0}(name = \"…\", template = \"…\")`",
                    entry.word
                ),
            )),
        }
    }
}

fn set_key(key: &mut KeyAttr, ident: &Ident, text: LitStr, diag: &mut Diagnostics) -> syn::Result<()> {
    let (word, span) = (ident.to_string(), ident.span());
    let slot = match word.as_str() {
        "name" => &mut key.name,
        "template" => &mut key.template,
        other => {
            return Err(syn::Error::new(
                span,
                format!("unknown key `{other}` in the key of an index\nhelp: expected `name` or `template`"),
            ));
        }
    };
    slot.set(&word, span, text, diag);
    Ok(())
}

fn mixed(span: Span) -> syn::Error {
    syn::Error::new(
        span,
        "a side of an index's key is either fields or a template\nhelp: put the field into the template, or leave the template out",
    )
}
