//! The meaning of a derive's input: names resolved, defaults filled in, references by index, and each word that the user
//! wrote with its place. No `Option` in here stands for a default. `lower` makes the model, `check` looks for contradictions,
//! and `expand` turns it into tokens and cannot fail.

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
mod unique;
mod vector_index;

pub(crate) use capability::Capability;
pub(crate) use case::Case;
pub(crate) use document::{Document, Shape, Variant, VariantShape};
pub(crate) use entities::{Aggregate, Entities, Number, Part};
pub(crate) use field::{Access, Codec, DefaultValue, Field, Form, Storage, is_option, is_uncountable};
pub(crate) use function::{Command, FUNCTIONS, Function, Of, Parameter};
pub(crate) use index::Index;
pub(crate) use key::{Key, KeyAttribute, KeyForm, Segment};
pub(crate) use projection::Projection;
pub(crate) use rules::{
    EntityType, History, INTENT, Idempotency, KeyStore, Layout, Mode, Ratchet, SchemaVersion, Tombstone, Version,
};
pub(crate) use unique::Unique;
pub(crate) use vector_index::{Embedding, Metric, VectorIndex};

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
    /// The lint attributes for all generated code.
    pub(crate) lints: Vec<Attribute>,
}

/// A struct that is an item of a table.
pub(crate) struct Entity {
    pub(crate) container: Container,
    pub(crate) table: Option<Word>,
    /// The attribute that marks an item as the entity's, and its value.
    pub(crate) entity_type: Option<EntityType>,
    pub(crate) key: Key,
    pub(crate) fields: Vec<Field>,
    pub(crate) schema_version: Option<SchemaVersion>,
    pub(crate) ratchets: Vec<Ratchet>,
    /// The field marked `#[fence]`.
    pub(crate) fence: Option<usize>,
    /// The field marked `#[created]`.
    pub(crate) created: Option<usize>,
    /// The field marked `#[updated]`.
    pub(crate) updated: Option<usize>,
    pub(crate) tombstone: Option<Tombstone>,
    /// The field marked `#[ttl]`.
    pub(crate) ttl_field: Option<usize>,
    pub(crate) version: Option<Version>,
    pub(crate) history: Option<History>,
    pub(crate) idempotency: Option<Idempotency>,
    /// The place of `#[transactional]`, if the entity has it.
    pub(crate) transactional: Option<Span>,
    pub(crate) unique: Vec<Unique>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) vector_indexes: Vec<VectorIndex>,
    /// The vectors that are made of other fields.
    pub(crate) embeddings: Vec<Embedding>,
    /// Groups of fields that an update can set together: they form index keys, or are a vector and what it is made of.
    pub(crate) joint: Vec<Vec<usize>>,
    /// The words that were written above the struct, and in `entity`.
    pub(crate) said: Said,
}

impl Entity {
    /// Returns whether a ratchet guards the whole item: there are no groups.
    pub(crate) fn is_ratcheted_whole(&self) -> bool {
        matches!(&self.ratchets[..], [ratchet] if ratchet.guards.is_empty())
    }

    /// Returns whether the entity has updates.
    pub(crate) fn has_update(&self) -> bool {
        [Capability::Updatable, Capability::WithoutHistory].iter().all(|needed| needed.is_of(self))
    }

    /// Returns whether groups of fields have ratchets of their own.
    pub(crate) fn is_grouped(&self) -> bool {
        self.ratchets.iter().any(|ratchet| !ratchet.guards.is_empty())
    }

    /// Returns the field that holds the attributes that no other field stores.
    pub(crate) fn rest(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.storage == Storage::Rest)
    }

    /// Returns the fields that keep their first value.
    pub(crate) fn immutable(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.is_immutable)
    }

    /// Returns whether an order decides which writes pass: that of a ratchet's token, or of a fence.
    pub(crate) fn is_ordered(&self) -> bool {
        !self.ratchets.is_empty() || self.fence.is_some()
    }

    /// Returns the name of the table's TTL attribute, if it has one.
    pub(crate) fn ttl(&self) -> Option<&Word> {
        let own = self.ttl_field.and_then(|field| self.fields[field].attribute());
        own.or_else(|| self.tombstone.as_ref().map(|tombstone| &tombstone.ttl))
    }

    /// Returns the name of the handle of fields that change together.
    pub(crate) fn joint_name(&self, group: &[usize]) -> String {
        let names: Vec<&str> = group.iter().map(|field| self.fields[*field].name.as_str()).collect();
        names.join("_and_")
    }

    /// Returns the name of the function that stores a vector for what it was made of.
    pub(crate) fn embed_name(&self, embedding: &Embedding) -> String {
        match &self.embeddings[..] {
            [_] => "embed".to_owned(),
            _ => format!("embed_{}", self.fields[embedding.vector].name),
        }
    }

    /// Returns the declared form of a field that is a time as text, if it declares one.
    pub(crate) fn form(&self, field: usize) -> Option<Given<Form>> {
        match self.fields[field].codec {
            Codec::Form(form) => Some(form),
            _ => None,
        }
    }

    /// Returns the stored name of a field that has one.
    pub(crate) fn stored(&self, field: usize) -> &str {
        &self.fields[field].stored
    }
}
