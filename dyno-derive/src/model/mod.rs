//! What a derive input means: names resolved, defaults filled in, references by index, and each word of the user's with its
//! place. Nothing in here is an `Option` that stands for a default; `lower` makes it, `check` looks for contradictions, and
//! `expand` turns it into tokens and cannot fail.

mod capability;
mod case;
mod document;
mod entities;
mod field;
mod function;
mod index;
mod key;
mod projection;
mod rules;

pub(crate) use capability::Capability;
pub(crate) use case::Case;
pub(crate) use document::{Document, Shape, Variant, VariantShape};
pub(crate) use entities::{Aggregate, Entities, Number, Part};
pub(crate) use field::{Access, Codec, DefaultValue, Field, Form, Storage, is_option, is_uncountable};
pub(crate) use function::{Command, FUNCTIONS, Function, Parameter};
pub(crate) use index::Index;
pub(crate) use key::{Key, KeyAttribute, KeyForm, Segment};
pub(crate) use projection::Projection;
pub(crate) use rules::{
    EntityType, History, INTENT, Idempotency, KeyStore, Layout, Mode, Ratchet, SchemaVersion, Tombstone, Version,
};

use crate::given::{Given, Said, Word};
use proc_macro2::Span;
use syn::{Attribute, Generics, Ident, Path, Visibility};

/// The parts that a type and its generated companions share.
pub(crate) struct Container {
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) generics: Generics,
    /// The path of the runtime crate.
    pub(crate) krate: Path,
    /// What is said of lints, for all that is generated.
    pub(crate) lints: Vec<Attribute>,
}

/// A struct that is an item of a table.
pub(crate) struct Entity {
    pub(crate) container: Container,
    pub(crate) table: Option<Word>,
    /// The attribute that says which entity an item is, and what it says.
    pub(crate) entity_type: Option<EntityType>,
    pub(crate) key: Key,
    pub(crate) fields: Vec<Field>,
    pub(crate) schema_version: Option<SchemaVersion>,
    pub(crate) ratchets: Vec<Ratchet>,
    /// The field marked `#[fence]`.
    pub(crate) fence: Option<usize>,
    pub(crate) tombstone: Option<Tombstone>,
    /// The field marked `#[ttl]`.
    pub(crate) ttl_field: Option<usize>,
    pub(crate) version: Option<Version>,
    pub(crate) history: Option<History>,
    pub(crate) idempotency: Option<Idempotency>,
    /// Where it is said that transactions of many requests can write it, if it is.
    pub(crate) transactional: Option<Span>,
    pub(crate) indexes: Vec<Index>,
    /// Fields that stand in keys of indexes together, so that an update sets all of them or none.
    pub(crate) joint: Vec<Vec<usize>>,
    /// What was written above it, and in `entity`.
    pub(crate) said: Said,
}

impl Entity {
    /// Whether the ratchet guards the whole item: there are no groups.
    pub(crate) fn is_ratcheted_whole(&self) -> bool {
        matches!(&self.ratchets[..], [ratchet] if ratchet.guards.is_empty())
    }

    /// Whether fields have ratchets of their own.
    pub(crate) fn is_grouped(&self) -> bool {
        self.ratchets.iter().any(|ratchet| !ratchet.guards.is_empty())
    }

    /// The field that holds what no other is stored in.
    pub(crate) fn rest(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.storage == Storage::Rest)
    }

    /// Whether writes are let pass or not by what they carry: a token, or a fence.
    pub(crate) fn is_ordered(&self) -> bool {
        !self.ratchets.is_empty() || self.fence.is_some()
    }

    /// The name of the table's TTL attribute, if it has one.
    pub(crate) fn ttl(&self) -> Option<&Word> {
        let own = self.ttl_field.and_then(|field| self.fields[field].attribute());
        own.or_else(|| self.tombstone.as_ref().map(|tombstone| &tombstone.ttl))
    }

    /// The field of the version.
    pub(crate) fn version_field(&self) -> Option<&Field> {
        self.version.as_ref().map(|version| &self.fields[version.field])
    }

    /// The name of the handle of fields that stand in keys of indexes together.
    pub(crate) fn joint_name(&self, group: &[usize]) -> String {
        let names: Vec<&str> = group.iter().map(|field| self.fields[*field].name.as_str()).collect();
        names.join("_and_")
    }

    /// The form of a field that is a time as text, where it is not its type's own.
    pub(crate) fn form(&self, field: usize) -> Option<Given<Form>> {
        match self.fields[field].codec {
            Codec::Form(form) => Some(form),
            _ => None,
        }
    }

    /// The stored name of a field that has one.
    pub(crate) fn stored(&self, field: usize) -> &str {
        &self.fields[field].stored
    }
}
