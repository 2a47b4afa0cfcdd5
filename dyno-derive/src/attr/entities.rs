//! `#[entities(crate = "…")]`, `#[aggregate(crate = "…")]`, and `#[entities(unknown)]` on a variant.

use super::slot::{AbsolutePath, Slot, path_text, read_entries};
use crate::diag::Diagnostics;
use syn::{Attribute, Path};

/// What may be said above a list of entities.
#[derive(Default)]
pub(crate) struct EntitiesAttrs {
    pub(crate) krate: Slot<Path>,
}

/// What may be said above a variant.
#[derive(Default)]
pub(crate) struct EntitiesVariantAttrs {
    pub(crate) unknown: Slot<()>,
}

impl EntitiesAttrs {
    /// Reads the attributes of this name.
    pub(crate) fn new(name: &str, attributes: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut this = Self::default();
        for attribute in attributes.iter().filter(|attribute| path_text(attribute.path()) == name) {
            read_entries(attribute, diag, |entry, diag| match entry.key.as_str() {
                "crate" => {
                    let AbsolutePath(path) = entry.parse_text()?;
                    this.krate.set("crate", entry.span, path, diag);
                    Ok(true)
                }
                "unknown" => Err(syn::Error::new(entry.span, "`unknown` goes on a variant, which holds an `Item`")),
                _ => Ok(false),
            });
        }
        this
    }
}

impl EntitiesVariantAttrs {
    pub(crate) fn new(attributes: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut this = Self::default();
        for attribute in attributes.iter().filter(|attribute| path_text(attribute.path()) == "entities") {
            read_entries(attribute, diag, |entry, diag| match entry.key.as_str() {
                "unknown" => {
                    this.unknown.set("unknown", entry.span, (), diag);
                    Ok(true)
                }
                "crate" => Err(syn::Error::new(entry.span, "`crate` goes on the enum, not on a variant")),
                _ => Ok(false),
            });
        }
        this
    }
}
