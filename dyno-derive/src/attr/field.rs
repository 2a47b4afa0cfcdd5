//! Attributes of fields, and of the variants of a document.

use super::keyword::{self, Level};
use super::slot::{Entry, Slot, Spanned, has_entries, path_text, read_entries};
use crate::diag::{Diagnostics, Problem};
use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, LitBool, LitInt, LitStr, Path};

/// What may be said above a field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) partition_key: Slot<()>,
    pub(crate) sort_key: Slot<()>,
    pub(crate) ratchet: Slot<RatchetAttr>,
    pub(crate) ttl: Slot<()>,
    pub(crate) version: Slot<VersionAttr>,
    pub(crate) rename: Slot<LitStr>,
    /// As many as are given.
    pub(crate) aliases: Vec<Spanned<LitStr>>,
    pub(crate) default: Slot<DefaultAttr>,
    pub(crate) skip: Slot<()>,
    pub(crate) serde: Slot<()>,
    pub(crate) with: Slot<Path>,
    pub(crate) format: Slot<LitStr>,
    pub(crate) stored: Slot<()>,
    pub(crate) rest: Slot<()>,
}

/// `default`, or `default = "path"`
#[derive(Clone)]
pub(crate) enum DefaultAttr {
    Trait,
    Path(Path),
}

/// `#[ratchet(strict, tiebreak = "field", max_ahead_secs = 300, guards(field, …))]`
#[derive(Default)]
pub(crate) struct RatchetAttr {
    pub(crate) strict: Slot<()>,
    pub(crate) tiebreak: Slot<LitStr>,
    pub(crate) max_ahead_secs: Slot<LitInt>,
    pub(crate) guards: Slot<Vec<Ident>>,
}

/// `#[version(write_id = "name")]`
#[derive(Default)]
pub(crate) struct VersionAttr {
    pub(crate) write_id: Slot<WriteIdAttr>,
}

/// A name, or `false`.
pub(crate) enum WriteIdAttr {
    Named(LitStr),
    Switch(LitBool),
}

impl Parse for WriteIdAttr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitBool) { input.parse().map(Self::Switch) } else { input.parse().map(Self::Named) }
    }
}

impl FieldAttrs {
    /// Reads the attributes above an entity's field.
    pub(crate) fn of_entity(attributes: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut this = Self::default();
        for attribute in attributes {
            let span = attribute.path().span();
            match path_text(attribute.path()).as_str() {
                "attribute" => read_entries(attribute, diag, |entry, diag| this.entry(entry, diag)),
                name @ ("partition_key" | "sort_key") => {
                    refuse_key_entries(name, attribute, diag);
                    let slot = if name == "sort_key" { &mut this.sort_key } else { &mut this.partition_key };
                    slot.set(name, span, (), diag);
                }
                name @ "ratchet" => this.ratchet.set(name, span, read_ratchet(attribute, diag), diag),
                name @ "ttl" => {
                    read_entries(attribute, diag, |_, _| Ok(false));
                    this.ttl.set(name, span, (), diag);
                }
                name @ "version" => this.version.set(name, span, read_version(attribute, diag), diag),
                name => refuse_misplaced(name, span, Level::Field, diag),
            }
        }
        this
    }

    /// Reads the attributes above a document's field.
    pub(crate) fn of_document(attributes: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut this = Self::default();
        for attribute in attributes {
            // The others are those of an entity, which the same type may be as well.
            if path_text(attribute.path()) == "attribute" {
                read_entries(attribute, diag, |entry, diag| this.entry(entry, diag));
            }
        }
        this
    }

    fn entry(&mut self, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<bool> {
        let span = entry.span;
        match entry.key.as_str() {
            "rename" => self.rename.set("rename", span, entry.text()?, diag),
            "alias" => self.aliases.push(Spanned { value: entry.text()?, span }),
            "default" if entry.has_value() => {
                let path = DefaultAttr::Path(entry.path()?);
                self.default.set("default", span, path, diag);
            }
            "default" => self.default.set("default", span, DefaultAttr::Trait, diag),
            "skip" => self.skip.set("skip", span, (), diag),
            "serde" => self.serde.set("serde", span, (), diag),
            "with" => self.with.set("with", span, entry.path()?, diag),
            "format" => self.format.set("format", span, entry.text()?, diag),
            "stored" => self.stored.set("stored", span, (), diag),
            "rest" => self.rest.set("rest", span, (), diag),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// What may be said above a variant of a document.
#[derive(Default)]
pub(crate) struct VariantAttrs {
    pub(crate) rename: Slot<LitStr>,
}

impl VariantAttrs {
    pub(crate) fn new(attributes: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut this = Self::default();
        for attribute in attributes {
            if path_text(attribute.path()) == "attribute" {
                read_entries(attribute, diag, |entry, diag| match entry.key.as_str() {
                    "rename" => {
                        this.rename.set("rename", entry.span, entry.text()?, diag);
                        Ok(true)
                    }
                    key if keyword::keys("attribute").contains(&key) => {
                        Err(syn::Error::new(entry.span, format!("`{key}` goes on a field, not on a variant")))
                    }
                    _ => Ok(false),
                });
            }
        }
        this
    }
}

fn read_ratchet(attribute: &Attribute, diag: &mut Diagnostics) -> RatchetAttr {
    let mut ratchet = RatchetAttr::default();
    read_entries(attribute, diag, |entry, diag| {
        match entry.key.as_str() {
            "strict" => ratchet.strict.set("strict", entry.span, (), diag),
            "tiebreak" => ratchet.tiebreak.set("tiebreak", entry.span, entry.text()?, diag),
            "max_ahead_secs" => ratchet.max_ahead_secs.set("max_ahead_secs", entry.span, entry.number()?, diag),
            "guards" => ratchet.guards.set("guards", entry.span, entry.list()?, diag),
            _ => return Ok(false),
        }
        Ok(true)
    });
    ratchet
}

fn read_version(attribute: &Attribute, diag: &mut Diagnostics) -> VersionAttr {
    let mut version = VersionAttr::default();
    read_entries(attribute, diag, |entry, diag| {
        match entry.key.as_str() {
            "write_id" => {
                let write_id = entry.value("`false`, or a name in quotes")?;
                version.write_id.set("write_id", entry.span, write_id, diag);
            }
            _ => return Ok(false),
        }
        Ok(true)
    });
    version
}

/// On a field, a key attribute takes nothing: the field is the key.
fn refuse_key_entries(name: &str, attribute: &Attribute, diag: &mut Diagnostics) {
    if has_entries(attribute) {
        diag.push(
            Problem::new(attribute.meta.span(), format!("`#[{name}]` on a field takes nothing"))
                .help("name the attribute with `#[attribute(rename = \"…\")]`; a template goes on the struct"),
        );
    }
}

/// Reports an attribute of ours that stands on the wrong level; others are not our business.
pub(super) fn refuse_misplaced(name: &str, span: Span, here: Level, diag: &mut Diagnostics) {
    let place = match keyword::level(name) {
        Some(Level::Field) if here == Level::Container => "a field, not on the struct",
        Some(Level::Container) if here == Level::Field => "the struct, not on a field",
        _ => return,
    };
    diag.push(Problem::new(span, format!("`#[{name}]` goes on {place}")));
}
