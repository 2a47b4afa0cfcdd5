//! What an entity is, as constant data: the derive emits one `Schema` per entity, and everything below
//! `command` works from it. `rules` has what its rules say, and `crate::rule` what each one does.

mod rules;
pub(crate) mod sharing;
mod tables;
mod templates;

pub(crate) use rules::names;
pub use rules::{
    EntityType, Fence, History, Idempotency, Keys, Layout, Mode, Ratchet, SchemaVersion, Store, Token, Tombstone, Ttl,
    Upgrade, Version, WriteId,
};

pub use tables::Tables;
pub(crate) use tables::{check_table_name, table_name};

use crate::attribute::Characters;
use aws_sdk_dynamodb::types::ScalarAttributeType;

/// An entity's table, key, attributes and rules.
#[derive(Debug)]
pub struct Schema {
    /// The Rust type's name.
    pub entity: &'static str,
    /// The table's name, where the entity declares one.
    pub table: Option<&'static str>,
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key, if the table has one.
    pub sort: Option<KeyAttribute>,
    /// The fields the key is made of, those of the partition key first.
    pub key_fields: &'static [&'static str],
    /// What marks its items, where they are marked.
    pub entity_type: Option<EntityType>,
    /// The stored attributes that are not key attributes.
    pub attributes: &'static [StoredAttribute],
    /// The shape that its rows are written in, where shapes are numbered.
    pub schema_version: Option<SchemaVersion>,
    /// The ratchets: none, one for the whole item, or one per group of fields.
    pub ratchets: &'static [Ratchet],
    /// The fence, by which later holders of a lock keep earlier ones out.
    pub fence: Option<Fence>,
    /// The tombstone that stands for a deleted item.
    pub tombstone: Option<Tombstone>,
    /// The table's TTL attribute: of the entity itself, of its tombstones, or of both.
    pub ttl: Option<Ttl>,
    /// The version that every write raises.
    pub version: Option<Version>,
    /// The name that each write leaves in the item.
    pub write_id: Option<WriteId>,
    /// Where the earlier versions are kept.
    pub history: Option<History>,
    /// How the item remembers which updates were made.
    pub idempotency: Option<Idempotency>,
    /// Whether transactions of many requests can have its items under way.
    pub is_transactional: bool,
    /// The table's secondary indexes, as far as they are the entity's.
    pub indexes: &'static [Index],
    /// Whether the entity holds the attributes that it does not declare, too.
    pub has_rest: bool,
}

impl Schema {
    /// What every schema begins with: an entity of which nothing is said. What the derive generates names what an entity has,
    /// and takes the rest from here, so that a new rule changes no other's.
    pub const PLAIN: Self = Self {
        entity: "",
        table: None,
        partition: KeyAttribute { name: "", key_type: ScalarAttributeType::S, form: KeyForm::Template(&[]) },
        sort: None,
        key_fields: &[],
        entity_type: None,
        attributes: &[],
        schema_version: None,
        ratchets: &[],
        fence: None,
        tombstone: None,
        ttl: None,
        version: None,
        write_id: None,
        history: None,
        idempotency: None,
        is_transactional: false,
        indexes: &[],
        has_rest: false,
    };

    /// The key attributes: one or two.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// How items are found: by the table's key, or by that of an index.
    pub(crate) fn path(&'static self, index: Option<&'static Index>) -> AccessPath {
        match index {
            Some(index) => AccessPath { partition: index.partition, sort: index.sort, fields: index.key_fields },
            None => AccessPath {
                partition: std::slice::from_ref(&self.partition),
                sort: self.sort.as_slice(),
                fields: self.key_fields,
            },
        }
    }

    /// Where idempotency keys are kept, if they are.
    pub(crate) fn key_store(&self) -> Option<&Store> {
        self.idempotency.as_ref().map(|idempotency| &idempotency.store)
    }

    /// The attribute of this name, unless it is the key's.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'static StoredAttribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The older names of an attribute.
    pub(crate) fn aliases(&self, name: &str) -> &'static [&'static str] {
        self.attribute(name).map_or(&[], |attribute| attribute.aliases)
    }

    /// Whether any attribute has older names.
    pub(crate) fn has_aliases(&self) -> bool {
        self.attributes.iter().any(|attribute| !attribute.aliases.is_empty())
    }

    /// The TTL attribute of the entity's table: its own, or that of the revisions that share the table.
    pub(crate) const fn table_ttl(&self) -> Option<&'static str> {
        match (&self.ttl, &self.history) {
            (Some(ttl), _) => Some(ttl.attribute),
            (None, Some(history)) if matches!(history.layout, Layout::SameTable) && history.ttl_days.is_some() => {
                Some(history.ttl(self))
            }
            _ => None,
        }
    }

    /// Whether a version is given once, so that the item of a key has none that an earlier one had. Where nothing outlives a
    /// deletion, or DynamoDB removes the item itself by its TTL, the numbers of a new one begin again.
    pub(crate) fn numbers_last(&self) -> bool {
        self.history.is_some() || self.tombstone.is_some() && !self.expires()
    }

    /// Whether DynamoDB removes items of the entity by their own TTL, which no tombstone follows.
    pub(crate) fn expires(&self) -> bool {
        self.ttl.as_ref().is_some_and(|ttl| self.attribute(ttl.attribute).is_some())
    }

    /// Whether an attribute of this name is the entity's: under its own name or an older one, a rule's, or an index's.
    pub(crate) fn declares(&self, name: &str) -> bool {
        let is_own = || self.attributes.iter().any(|own| own.name == name || own.aliases.contains(&name));
        let rules = self.entity_type.iter().map(|mark| mark.attribute);
        let rules = rules.chain(self.schema_version.iter().map(|version| version.attribute));
        let rules = rules.chain(self.tombstone.iter().flat_map(|tombstone| [tombstone.deleted, tombstone.ttl]));
        let mut rules = rules.chain(self.ttl.iter().map(|ttl| ttl.attribute));
        let mut keys = self.indexes.iter().flat_map(Index::keys);
        let is_revisions = || self.history.as_ref().is_some_and(|history| history.keeps_beside(name));
        self.is_key(name)
            || is_own()
            || is_revisions()
            || self.is_bookkeeping(name)
            || rules.any(|rule| rule == name)
            || keys.any(|key| key.name == name && matches!(key.form, KeyForm::Template(_)))
    }

    /// Whether this is the name of an attribute that writes leave for their rules, and no content: the version, the write id,
    /// idempotency keys, and what a transaction is about to do.
    pub(crate) fn is_bookkeeping(&self, name: &str) -> bool {
        self.is_transactional && name == names::INTENT
            || self.version.as_ref().is_some_and(|version| version.attribute == name)
            || self.write_id.as_ref().is_some_and(|write_id| write_id.attribute == name)
            || self.idempotency.iter().flat_map(Idempotency::attributes).any(|attribute| *attribute == name)
    }

    /// Whether this is the name of an attribute that a change can make: neither one of the key nor one that is left to the
    /// rules.
    pub(crate) fn is_content(&self, name: &str) -> bool {
        !self.is_key(name) && !self.is_bookkeeping(name)
    }

    /// Whether this is the name of a key attribute.
    pub(crate) fn is_key(&self, name: &str) -> bool {
        self.keys().any(|key| key.name == name)
    }
}

/// A key that items are found by: the table's, or that of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessPath {
    pub(crate) partition: &'static [KeyAttribute],
    pub(crate) sort: &'static [KeyAttribute],
    /// The fields that it is made of.
    pub(crate) fields: &'static [&'static str],
}

impl AccessPath {
    /// The attributes of the key: those of the partition key first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static KeyAttribute> {
        self.partition.iter().chain(self.sort)
    }
}

/// A secondary index.
#[derive(Debug)]
pub struct Index {
    /// Its name.
    pub name: &'static str,
    /// Whether it is a local one, with the table's own partition key.
    pub is_local: bool,
    /// The attributes of its partition key: one, or of a global index up to four.
    pub partition: &'static [KeyAttribute],
    /// The attributes of its sort key: none, one, or of a global index up to four.
    pub sort: &'static [KeyAttribute],
    /// The fields that its key is made of, those of the partition key first.
    pub key_fields: &'static [&'static str],
    /// What else it holds.
    pub projection: Projected,
}

/// What an index holds besides the keys, its own and the table's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projected {
    /// All of the item.
    All,
    /// These attributes; none for keys alone.
    Only(&'static [&'static str]),
}

impl Index {
    /// The attributes of its key: those of the partition key first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static KeyAttribute> {
        self.partition.iter().chain(self.sort)
    }
}

/// A partition or sort key.
#[derive(Debug)]
pub struct KeyAttribute {
    /// The attribute's name.
    pub name: &'static str,
    /// Its type.
    pub key_type: ScalarAttributeType,
    /// Where its value comes from.
    pub form: KeyForm,
}

/// Where the value of a key attribute comes from.
#[derive(Debug)]
pub enum KeyForm {
    /// A field, as it is: its index in the `key_fields` of the schema, or of the secondary index.
    Field(usize),
    /// Text and fields, joined.
    Template(&'static [Segment]),
}

/// A piece of a key template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Text that every key has in this place.
    Literal(&'static str),
    /// A field's text.
    Hole {
        /// The field's index in the `key_fields` of the schema, or of the secondary index.
        field: usize,
        /// The number of digits that a number is padded to with zeros, so that text sorts as numbers do;
        /// 0 for none.
        width: usize,
        /// The characters that the field's text can have.
        characters: Characters,
    },
}

/// An attribute that is not a key.
#[derive(Debug)]
pub struct StoredAttribute {
    /// The stored name.
    pub name: &'static str,
    /// Older names, under which the value may still be.
    pub aliases: &'static [&'static str],
    /// The Rust field's name.
    pub field: &'static str,
    /// Whether an item without it cannot be decoded.
    pub required: bool,
    /// Whether it is read as a default where an item does not have it.
    pub has_default: bool,
    /// Whether NULL counts as absent.
    pub nullable: bool,
}
