//! `#[index(…)]`: a secondary index.

use super::entity::KeyAttr;
use super::slot::{Entry, Slot, read_list};
use crate::diag::Diagnostics;
use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, LitStr, Token};

/// `#[index(name = "by_movie", query = by_movie, partition = movie_id, sort = rated_at, local, projection(rating))]`
#[derive(Default)]
pub(crate) struct IndexAttr {
    pub(crate) name: Slot<LitStr>,
    pub(crate) query: Slot<Ident>,
    pub(crate) partition: Slot<SideAttr>,
    pub(crate) sort: Slot<SideAttr>,
    pub(crate) local: Slot<()>,
    pub(crate) projection: Slot<ProjectionAttr>,
    /// Whether all of the list could be read.
    pub(crate) complete: bool,
}

/// One side of an index's key.
pub(crate) enum SideAttr {
    /// `partition = movie_id`, `partition(tenant, region)`
    Fields(Vec<Ident>),
    /// `partition(name = "GSI1PK", template = "…")`
    Key(KeyAttr),
}

/// What an index holds.
pub(crate) enum ProjectionAttr {
    /// `projection = "all"`, `projection = "keys"`
    Named(LitStr),
    /// `projection(rating, comment)`
    Fields(Vec<Ident>),
}

/// A field's name, with or without quotes.
struct FieldName(Ident);

impl Parse for FieldName {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            return text.parse_with(Ident::parse_any).map(Self);
        }
        Ident::parse_any(input).map(Self)
    }
}

/// An entry of a side: a field, or `name = "…"`.
enum SideEntry {
    Field(Ident),
    Value(Ident, LitStr),
}

impl Parse for SideEntry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let FieldName(ident) = input.parse()?;
        if !input.peek(Token![=]) {
            return Ok(Self::Field(ident));
        }
        let _: Token![=] = input.parse()?;
        let span = input.span();
        let value = input.parse().map_err(|_| syn::Error::new(span, format!("`{ident}` takes text in quotes")))?;
        Ok(Self::Value(ident, value))
    }
}

pub(super) fn read_index(attribute: &Attribute, diag: &mut Diagnostics) -> IndexAttr {
    let mut index = IndexAttr::default();
    let complete = read_list(attribute, diag, |entry, diag| {
        let span = entry.span;
        match entry.key.as_str() {
            "name" => index.name.set("name", span, entry.text()?, diag),
            "query" => {
                let FieldName(query) = entry.value("the name of a function")?;
                index.query.set("query", span, query, diag);
            }
            "partition" => index.partition.set("partition", span, read_side(entry, diag)?, diag),
            "sort" => index.sort.set("sort", span, read_side(entry, diag)?, diag),
            "local" => index.local.set("local", span, (), diag),
            "projection" => {
                let projection = if entry.has_value() {
                    ProjectionAttr::Named(entry.text()?)
                } else {
                    let fields: Vec<FieldName> = entry.list()?;
                    ProjectionAttr::Fields(fields.into_iter().map(|FieldName(field)| field).collect())
                };
                index.projection.set("projection", span, projection, diag);
            }
            _ => return Ok(false),
        }
        Ok(true)
    });
    IndexAttr { complete, ..index }
}

fn read_side(entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<SideAttr> {
    if entry.has_value() {
        let FieldName(field) = entry.value("the name of a field")?;
        return Ok(SideAttr::Fields(vec![field]));
    }
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
        (true, None) => Ok(SideAttr::Key(key)),
        (true, Some(field)) => Err(mixed(field.span())),
        (false, Some(_)) => Ok(SideAttr::Fields(fields)),
        (false, None) => Err(syn::Error::new(
            entry.span,
            format!(
                "`{0}` names no field\nhelp: write `{0} = field`, or `{0}(name = \"…\", template = \"…\")`",
                entry.key
            ),
        )),
    }
}

fn set_key(key: &mut KeyAttr, ident: &Ident, text: LitStr, diag: &mut Diagnostics) -> syn::Result<()> {
    let span = ident.span();
    match ident.to_string().as_str() {
        "name" => key.name.set("name", span, text, diag),
        "template" => key.template.set("template", span, text, diag),
        other => {
            return Err(syn::Error::new(
                span,
                format!("unknown key `{other}` in the key of an index\nhelp: expected `name` or `template`"),
            ));
        }
    }
    Ok(())
}

fn mixed(span: Span) -> syn::Error {
    syn::Error::new(
        span,
        "a side of an index's key is either fields or a template\nhelp: put the field into the template, or leave the template out",
    )
}
