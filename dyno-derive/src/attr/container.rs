//! Attributes of the struct (and, for documents, of the enum).

use super::entry::CratePath;
use super::field::FieldAttrs;
use super::index::IndexAttr;
use super::words::{Slot, words};
use crate::given::Given;
use syn::{Ident, LitBool, LitInt, LitStr, Path};

words! {
    /// The attributes of an entity.
    ContainerAttrs {
        entity: EntityAttr,
        partition_key: Slot<KeyAttr>,
        sort_key: Slot<KeyAttr>,
        tombstone: Slot<TombstoneAttr>,
        history = "history_table": Slot<HistoryAttr>,
        idempotency: Slot<IdempotencyAttr>,
        transactional: Slot<TransactionalAttr>,
        unique: Vec<Given<UniqueAttr>>,
        indexes = "index": Vec<Given<IndexAttr>>,
    } -> elsewhere { FieldAttrs::WORDS => "a field, not on the struct" }

    /// `#[entity(table = "…", …)]`
    EntityAttr {
        table: Slot<LitStr>,
        rename_all: Slot<LitStr>,
        type_name: Slot<LitStr>,
        type_attribute: Slot<LitStr>,
        krate = "crate": Slot<CratePath>,
        schema_version: Slot<LitInt>,
        upgrade: Slot<Path>,
        schema_attribute: Slot<LitStr>,
    }

    /// `#[partition_key(name = "…", template = "…")]`, or `sort_key`
    KeyAttr {
        name: Slot<LitStr>,
        template: Slot<LitStr>,
    }

    /// `#[tombstone(ttl_days = 7, …)]`
    TombstoneAttr {
        ttl_days: Slot<LitInt>,
        deleted: Slot<LitStr>,
        ttl: Slot<LitStr>,
        mark: Slot<LitBool>,
    }

    /// `#[history_table(mode = "ordered", …)]`
    HistoryAttr {
        mode: Slot<LitStr>,
        layout: Slot<LitStr>,
        name: Slot<LitStr>,
        ttl_days: Slot<LitInt>,
    }

    /// `#[idempotency(window_secs = 300, …)]`
    IdempotencyAttr {
        window_secs: Slot<LitInt>,
        max_skew_secs: Slot<LitInt>,
        keys: Slot<LitInt>,
        store: Slot<LitStr>,
        table: Slot<LitStr>,
        max_rps: Slot<LitInt>,
        key_bytes: Slot<LitInt>,
        body_bytes: Slot<LitInt>,
        raw: Slot<()>,
        attribute: Slot<LitStr>,
    }

    /// `#[transactional]`
    TransactionalAttr {}

    /// `#[unique(name = "handle", fields(tenant, handle))]`
    UniqueAttr {
        name: Slot<LitStr>,
        fields: Slot<Vec<Ident>>,
    }

    /// The attributes of a document. The same type may be an entity as well, so the attributes of an entity are ignored.
    DocumentAttrs {
        document: DocumentAttr,
    } -> elsewhere { &["attribute"] => "a field, not on the struct" }

    /// `#[document(rename_all = "…", …)]`
    DocumentAttr {
        rename_all: Slot<LitStr>,
        tag: Slot<LitStr>,
        order: Slot<LitStr>,
        krate = "crate": Slot<CratePath>,
    }
}
