//! `#[projection(of = Order, index = OrderByStatus)]`

use super::slot::{AbsolutePath, Slot, path_text, read_list};
use crate::diag::Diagnostics;
use syn::{Attribute, Path, Type};

/// What may be said above a projection.
#[derive(Default)]
pub(crate) struct ProjectionAttrs {
    pub(crate) of: Slot<Type>,
    pub(crate) krate: Slot<Path>,
    pub(crate) indexes: Vec<Path>,
    /// Whether all of it could be read.
    pub(crate) complete: bool,
}

impl ProjectionAttrs {
    pub(crate) fn new(attributes: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut this = Self { complete: true, ..Self::default() };
        for attribute in attributes.iter().filter(|attribute| path_text(attribute.path()) == "projection") {
            let complete = read_list(attribute, diag, |entry, diag| {
                match entry.key.as_str() {
                    "of" => this.of.set("of", entry.span, entry.value("the type of an entity")?, diag),
                    "index" => this.indexes.push(entry.value("the type of an index")?),
                    "crate" => {
                        let AbsolutePath(path) = entry.parse_text()?;
                        this.krate.set("crate", entry.span, path, diag);
                    }
                    _ => return Ok(false),
                }
                Ok(true)
            });
            this.complete &= complete;
        }
        this
    }
}
