//! Attributes of the struct (and, for documents, of the enum).

use super::field::refuse_misplaced;
use super::index::{IndexAttr, read_index};
use super::keyword::Level;
use super::slot::{AbsolutePath, Entry, Slot, Spanned, has_entries, path_text, read_entries, read_list};
use crate::diag::{Diagnostics, Problem};
use syn::spanned::Spanned as _;
use syn::{Attribute, LitBool, LitInt, LitStr, Path};

/// What may be said above the struct or enum.
#[derive(Default)]
pub(crate) struct ContainerAttrs {
    pub(crate) table: Slot<LitStr>,
    pub(crate) rename_all: Slot<LitStr>,
    pub(crate) type_name: Slot<LitStr>,
    pub(crate) type_attribute: Slot<LitStr>,
    pub(crate) krate: Slot<Path>,
    pub(crate) schema_version: Slot<LitInt>,
    /// `None` after a mistake.
    pub(crate) upgrade: Slot<Option<Path>>,
    pub(crate) schema_attribute: Slot<LitStr>,
    pub(crate) tag: Slot<LitStr>,
    pub(crate) order: Slot<LitStr>,
    pub(crate) partition_key: Slot<KeyAttr>,
    pub(crate) sort_key: Slot<KeyAttr>,
    pub(crate) tombstone: Slot<TombstoneAttr>,
    pub(crate) history: Slot<HistoryAttr>,
    pub(crate) idempotency: Slot<IdempotencyAttr>,
    pub(crate) indexes: Vec<Spanned<IndexAttr>>,
}

/// `#[partition_key(name = "…", template = "…")]`, or `sort_key`.
#[derive(Default)]
pub(crate) struct KeyAttr {
    pub(crate) name: Slot<LitStr>,
    pub(crate) template: Slot<LitStr>,
}

/// `#[tombstone(ttl_days = 7, deleted = "…", ttl = "…", mark = false)]`
#[derive(Default)]
pub(crate) struct TombstoneAttr {
    pub(crate) ttl_days: Slot<LitInt>,
    pub(crate) deleted: Slot<LitStr>,
    pub(crate) ttl: Slot<LitStr>,
    pub(crate) mark: Slot<LitBool>,
    /// Whether all of the list could be read.
    pub(crate) complete: bool,
}

/// `#[history_table(mode = "ordered", layout = "same_table", name = "…", ttl_days = 90)]`
#[derive(Default)]
pub(crate) struct HistoryAttr {
    pub(crate) mode: Slot<LitStr>,
    pub(crate) layout: Slot<LitStr>,
    pub(crate) name: Slot<LitStr>,
    pub(crate) ttl_days: Slot<LitInt>,
}

/// `#[idempotency(window_secs = 300, max_skew_secs = 300, keys = 1000, store = "row", table = "…", max_rps = 10,
/// key_bytes = 16, body_bytes = 1024, raw, attribute = "_k")]`
#[derive(Default)]
pub(crate) struct IdempotencyAttr {
    pub(crate) window_secs: Slot<LitInt>,
    pub(crate) max_skew_secs: Slot<LitInt>,
    pub(crate) keys: Slot<LitInt>,
    pub(crate) store: Slot<LitStr>,
    pub(crate) table: Slot<LitStr>,
    pub(crate) max_rps: Slot<LitInt>,
    pub(crate) key_bytes: Slot<LitInt>,
    pub(crate) body_bytes: Slot<LitInt>,
    pub(crate) raw: Slot<()>,
    pub(crate) attribute: Slot<LitStr>,
}

impl ContainerAttrs {
    /// Reads the attributes above an entity.
    pub(crate) fn of_entity(attributes: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut this = Self::default();
        for attribute in attributes {
            let span = attribute.path().span();
            match path_text(attribute.path()).as_str() {
                "entity" => read_entries(attribute, diag, |entry, diag| this.entity_entry(entry, diag)),
                name @ "partition_key" => this.partition_key.set(name, span, read_key(attribute, diag), diag),
                name @ "sort_key" => this.sort_key.set(name, span, read_key(attribute, diag), diag),
                name @ "tombstone" => this.tombstone.set(name, span, read_tombstone(attribute, diag), diag),
                name @ "history_table" => this.history.set(name, span, read_history(attribute, diag), diag),
                name @ "idempotency" => this.idempotency.set(name, span, read_idempotency(attribute, diag), diag),
                "index" => this.indexes.push(Spanned { value: read_index(attribute, diag), span }),
                name => refuse_misplaced(name, span, Level::Container, diag),
            }
        }
        this
    }

    /// Reads the attributes above a document.
    pub(crate) fn of_document(attributes: &[Attribute], diag: &mut Diagnostics) -> Self {
        let mut this = Self::default();
        for attribute in attributes {
            match path_text(attribute.path()).as_str() {
                "document" => read_entries(attribute, diag, |entry, diag| this.document_entry(entry, diag)),
                "attribute" => refuse_misplaced("attribute", attribute.path().span(), Level::Container, diag),
                // The others are those of an entity, which the same type may be as well.
                _ => {}
            }
        }
        this
    }

    fn entity_entry(&mut self, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<bool> {
        match entry.key.as_str() {
            "table" => self.table.set("table", entry.span, entry.text()?, diag),
            "rename_all" => self.rename_all.set("rename_all", entry.span, entry.text()?, diag),
            "type_name" => self.type_name.set("type_name", entry.span, entry.text()?, diag),
            "type_attribute" => self.type_attribute.set("type_attribute", entry.span, entry.text()?, diag),
            "crate" => self.set_crate(entry, diag)?,
            "schema_version" => self.schema_version.set("schema_version", entry.span, entry.number()?, diag),
            "upgrade" => {
                let path = entry.path();
                self.upgrade.set("upgrade", entry.span, path.as_ref().ok().cloned(), diag);
                path?;
            }
            "schema_attribute" => self.schema_attribute.set("schema_attribute", entry.span, entry.text()?, diag),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn document_entry(&mut self, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<bool> {
        match entry.key.as_str() {
            "rename_all" => self.rename_all.set("rename_all", entry.span, entry.text()?, diag),
            "tag" => self.tag.set("tag", entry.span, entry.text()?, diag),
            "order" => self.order.set("order", entry.span, entry.text()?, diag),
            "crate" => self.set_crate(entry, diag)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn set_crate(&mut self, entry: &Entry<'_>, diag: &mut Diagnostics) -> syn::Result<()> {
        let AbsolutePath(path) = entry.parse_text()?;
        self.krate.set("crate", entry.span, path, diag);
        Ok(())
    }
}

fn read_key(attribute: &Attribute, diag: &mut Diagnostics) -> KeyAttr {
    let mut key = KeyAttr::default();
    read_entries(attribute, diag, |entry, diag| {
        match entry.key.as_str() {
            "name" => key.name.set("name", entry.span, entry.text()?, diag),
            "template" => key.template.set("template", entry.span, entry.text()?, diag),
            _ => return Ok(false),
        }
        Ok(true)
    });
    if !has_entries(attribute) {
        let name = path_text(attribute.path());
        diag.push(Problem::new(attribute.path().span(), format!("`#[{name}]` on the struct needs a template")).help(
            format!("write `#[{name}(name = \"PK\", template = \"…{{field}}…\")]`, or put `#[{name}]` on a field"),
        ));
    }
    key
}

fn read_history(attribute: &Attribute, diag: &mut Diagnostics) -> HistoryAttr {
    let mut history = HistoryAttr::default();
    read_entries(attribute, diag, |entry, diag| {
        match entry.key.as_str() {
            "mode" => history.mode.set("mode", entry.span, entry.text()?, diag),
            "layout" => history.layout.set("layout", entry.span, entry.text()?, diag),
            "name" => history.name.set("name", entry.span, entry.text()?, diag),
            "ttl_days" => history.ttl_days.set("ttl_days", entry.span, entry.number()?, diag),
            _ => return Ok(false),
        }
        Ok(true)
    });
    history
}

fn read_idempotency(attribute: &Attribute, diag: &mut Diagnostics) -> IdempotencyAttr {
    let mut attr = IdempotencyAttr::default();
    read_entries(attribute, diag, |entry, diag| {
        let span = entry.span;
        match entry.key.as_str() {
            "window_secs" => attr.window_secs.set("window_secs", span, entry.number()?, diag),
            "max_skew_secs" => attr.max_skew_secs.set("max_skew_secs", span, entry.number()?, diag),
            "keys" => attr.keys.set("keys", span, entry.number()?, diag),
            "store" => attr.store.set("store", span, entry.text()?, diag),
            "table" => attr.table.set("table", span, entry.text()?, diag),
            "max_rps" => attr.max_rps.set("max_rps", span, entry.number()?, diag),
            "key_bytes" => attr.key_bytes.set("key_bytes", span, entry.number()?, diag),
            "body_bytes" => attr.body_bytes.set("body_bytes", span, entry.number()?, diag),
            "raw" => attr.raw.set("raw", span, (), diag),
            "attribute" => attr.attribute.set("attribute", span, entry.text()?, diag),
            _ => return Ok(false),
        }
        Ok(true)
    });
    attr
}

fn read_tombstone(attribute: &Attribute, diag: &mut Diagnostics) -> TombstoneAttr {
    let mut tombstone = TombstoneAttr::default();
    let complete = read_list(attribute, diag, |entry, diag| {
        match entry.key.as_str() {
            "ttl_days" => tombstone.ttl_days.set("ttl_days", entry.span, entry.number()?, diag),
            "deleted" => tombstone.deleted.set("deleted", entry.span, entry.text()?, diag),
            "ttl" => tombstone.ttl.set("ttl", entry.span, entry.text()?, diag),
            "mark" => tombstone.mark.set("mark", entry.span, entry.value("`false`")?, diag),
            _ => return Ok(false),
        }
        Ok(true)
    });
    TombstoneAttr { complete, ..tombstone }
}
