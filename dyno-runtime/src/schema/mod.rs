//! The description of an entity as constant data. The derive emits one `Schema` per entity, and everything below `command`
//! works from it. `rules` has the data of the rules, and `crate::rule` has their behaviour.

mod rules;
mod shared_indexes;
pub(crate) mod sharing;
mod table_names;
mod templates;
mod unique;
mod vector_index;

pub(crate) use rules::names;
pub use rules::{
    EntityType, Fence, Guards, History, Idempotency, Keys, Layout, Mode, Ratchet, SchemaVersion, Store, TimeAttribute,
    Token, Tombstone, Ttl, Upgrade, Version, WriteId, guards,
};

pub use table_names::Tables;
pub(crate) use table_names::{check_table_name, table_name};
pub use unique::Unique;
pub use vector_index::{Metric, VectorAttribute, VectorIndex};

use crate::attribute::{AttributeKind, Characters, DescribeType};
use aws_sdk_dynamodb::types::ScalarAttributeType;

/// The types of the fields that a key is composed of.
#[cfg(feature = "model")]
pub type KeyTypes = &'static [DescribeType];
/// Nothing, without the feature `model`.
#[cfg(not(feature = "model"))]
pub type KeyTypes = ();

/// Returns the types for a schema.
#[must_use]
pub const fn key_types(types: &'static [DescribeType]) -> KeyTypes {
    #[cfg(feature = "model")]
    {
        types
    }
    #[cfg(not(feature = "model"))]
    let _ = types;
}

/// An entity's table, key, attributes and rules.
#[derive(Debug)]
pub struct Schema {
    /// The Rust type's name.
    pub entity: &'static str,
    /// The table's name, if the entity declares one.
    pub table: Option<&'static str>,
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key, if the table has one.
    pub sort: Option<KeyAttribute>,
    /// The fields that the key is composed of, those of the partition key first.
    pub key_fields: &'static [&'static str],
    /// The types of these fields in depth, for the schema lock.
    pub key_types: KeyTypes,
    /// The mark that distinguishes its items from those of other entities, if it marks them.
    pub entity_type: Option<EntityType>,
    /// The stored attributes that are not key attributes.
    pub attributes: &'static [StoredAttribute],
    /// The schema version in which rows are written, if the entity has one.
    pub schema_version: Option<SchemaVersion>,
    /// The ratchets: none, one for the whole item, or one for each group of fields.
    pub ratchets: &'static [Ratchet],
    /// The fence, which keeps writes of earlier lock holders out.
    pub fence: Option<Fence>,
    /// The attributes of which a live item keeps the first value.
    pub immutable: &'static [&'static str],
    /// The time of an item's first write.
    pub created: Option<TimeAttribute>,
    /// The time of an item's last write.
    pub updated: Option<TimeAttribute>,
    /// The tombstone that replaces a deleted item.
    pub tombstone: Option<Tombstone>,
    /// The table's TTL attribute: of the entity itself, of its tombstones, or of both.
    pub ttl: Option<Ttl>,
    /// The version that every write raises.
    pub version: Option<Version>,
    /// The id that each write leaves in the item.
    pub write_id: Option<WriteId>,
    /// The history, which keeps earlier versions.
    pub history: Option<History>,
    /// The memory of applied updates, by their idempotency keys.
    pub idempotency: Option<Idempotency>,
    /// The values that no two of its live items have.
    pub unique: &'static [Unique],
    /// True if client-side transactions can leave intents in its items.
    pub is_transactional: bool,
    /// The table's secondary indexes, as far as the entity declares them.
    pub indexes: &'static [Index],
    /// The table's vector indexes, as far as the entity declares them.
    pub vector_indexes: &'static [VectorIndex],
    /// True if the entity also keeps the attributes that it does not declare.
    pub has_rest: bool,
}

impl Schema {
    /// The base of every schema: an entity without any declaration. Generated code names only the parts that an entity has and
    /// takes the rest from here, so that a new rule does not change the generated code of entities without it.
    pub const PLAIN: Self = Self {
        entity: "",
        table: None,
        partition: KeyAttribute { name: "", key_type: ScalarAttributeType::S, form: KeyForm::Template(&[]) },
        sort: None,
        key_fields: &[],
        key_types: key_types(&[]),
        entity_type: None,
        attributes: &[],
        schema_version: None,
        ratchets: &[],
        fence: None,
        immutable: &[],
        created: None,
        updated: None,
        tombstone: None,
        ttl: None,
        version: None,
        write_id: None,
        history: None,
        idempotency: None,
        unique: &[],
        is_transactional: false,
        indexes: &[],
        vector_indexes: &[],
        has_rest: false,
    };

    /// Returns the key attributes: one or two.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// Returns the key by which a query finds items: the table's, or that of an index.
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

    /// Returns the store of idempotency keys, if there is one.
    pub(crate) fn key_store(&self) -> Option<&Store> {
        self.idempotency.as_ref().map(|idempotency| &idempotency.store)
    }

    /// Returns `true` if the table has vector indexes of the entity.
    pub(crate) const fn has_vectors(&self) -> bool {
        !self.vector_indexes.is_empty()
    }

    /// Returns `true` if an index has this attribute in its key, or as a partition or filter: an item is found by it only if it is
    /// stored.
    pub(crate) fn is_indexed(&self, attribute: &StoredAttribute) -> bool {
        let mut fields = self.indexes.iter().flat_map(|index| index.key_fields);
        let mut searched = self.vector_indexes.iter().flat_map(VectorIndex::search_attributes);
        fields.any(|field| *field == attribute.field) || searched.any(|key| key.name == attribute.name)
    }

    /// Returns the attribute of this name, unless it is part of the key.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'static StoredAttribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns the field of the key that is also stored in this attribute, by its index, if there is one.
    pub(crate) fn key_part(&self, name: &str) -> Option<usize> {
        let field = self.attribute(name)?.field;
        self.key_fields.iter().position(|part| *part == field)
    }

    /// Returns the older names of an attribute.
    pub(crate) fn aliases(&self, name: &str) -> &'static [&'static str] {
        self.attribute(name).map_or(&[], |attribute| attribute.aliases)
    }

    /// Returns true if any attribute has older names.
    pub(crate) fn has_aliases(&self) -> bool {
        self.attributes.iter().any(|attribute| !attribute.aliases.is_empty())
    }

    /// Returns the TTL attribute of the entity's table: its own, or that of the revisions in the same table.
    pub(crate) const fn table_ttl(&self) -> Option<&'static str> {
        match (&self.ttl, &self.history) {
            (Some(ttl), _) => Some(ttl.attribute),
            (None, Some(history)) if matches!(history.layout, Layout::SameTable) && history.ttl_days.is_some() => {
                Some(history.ttl(self))
            }
            _ => None,
        }
    }

    /// Returns true if the versions of a key are never reused. If a delete leaves no tombstone and no history, or if DynamoDB
    /// removes items by their TTL, the versions of a new item begin at 1 again.
    pub(crate) fn numbers_last(&self) -> bool {
        self.history.is_some() || self.tombstone.is_some() && !self.expires()
    }

    /// Returns true if DynamoDB removes items of the entity by their own TTL, which leaves no tombstone.
    pub(crate) fn expires(&self) -> bool {
        self.ttl.as_ref().is_some_and(|ttl| self.attribute(ttl.attribute).is_some())
    }

    /// Returns true if an attribute of this name belongs to the entity: it is a key attribute, a field's attribute under its name
    /// or an alias, an attribute of a rule, or the templated key of an index.
    pub(crate) fn declares(&self, name: &str) -> bool {
        let is_own = || self.attributes.iter().flat_map(StoredAttribute::names).any(|own| own == name);
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

    /// Returns true if this is the name of an attribute that every write maintains itself: the version, the write id,
    /// idempotency keys, and the intent of a transaction.
    pub(crate) fn is_bookkeeping(&self, name: &str) -> bool {
        self.is_transactional && name == names::INTENT
            || self.version.as_ref().is_some_and(|version| version.attribute == name)
            || self.write_id.as_ref().is_some_and(|write_id| write_id.attribute == name)
            || self.idempotency.iter().flat_map(Idempotency::attributes).any(|attribute| *attribute == name)
    }

    /// Returns true if this is the name of an attribute that a change can address: neither a key attribute nor one that writes
    /// maintain themselves.
    pub(crate) fn is_content(&self, name: &str) -> bool {
        !self.is_key(name) && !self.is_bookkeeping(name)
    }

    /// Returns true if this is the name of a key attribute.
    pub(crate) fn is_key(&self, name: &str) -> bool {
        self.keys().any(|key| key.name == name)
    }
}

/// A key by which items are found: the table's, or that of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessPath {
    pub(crate) partition: &'static [KeyAttribute],
    pub(crate) sort: &'static [KeyAttribute],
    /// The fields that it is composed of.
    pub(crate) fields: &'static [&'static str],
}

impl AccessPath {
    /// Returns the attributes of the key, those of the partition key first.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static KeyAttribute> {
        self.partition.iter().chain(self.sort)
    }
}

/// A secondary index.
#[derive(Debug)]
pub struct Index {
    /// The index's name.
    pub name: &'static str,
    /// True for a local index, which has the table's own partition key.
    pub is_local: bool,
    /// The attributes of its partition key: one, or up to four for a global index.
    pub partition: &'static [KeyAttribute],
    /// The attributes of its sort key: none, one, or up to four for a global index.
    pub sort: &'static [KeyAttribute],
    /// The fields that its key is composed of, those of the partition key first.
    pub key_fields: &'static [&'static str],
    /// The other attributes that it holds.
    pub projection: Projected,
}

/// The attributes that an index holds besides its own keys and the table's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projected {
    /// All attributes of the item.
    All,
    /// These attributes; none if the index holds keys alone.
    Only(&'static [&'static str]),
}

impl Index {
    /// Returns the attributes of its key, those of the partition key first.
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
    /// The source of its value.
    pub form: KeyForm,
}

/// The source of a key attribute's value.
#[derive(Debug)]
pub enum KeyForm {
    /// A field without change, by its index in the `key_fields` of the schema or of the secondary index.
    Field(usize),
    /// Text and fields, joined.
    Template(&'static [Segment]),
}

/// A piece of a key template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Text that every key has at this position.
    Literal(&'static str),
    /// A field's text.
    Hole {
        /// The field's index in the `key_fields` of the schema, or of the secondary index.
        field: usize,
        /// The number of digits to which zeros pad a number, so that the text sorts as the numbers do; 0 for no padding.
        width: usize,
        /// The characters that the field's text can contain.
        characters: Characters,
    },
}

/// An attribute that is not a key.
#[derive(Debug)]
pub struct StoredAttribute {
    /// The stored name.
    pub name: &'static str,
    /// Older names, under which the value may still be stored.
    pub aliases: &'static [&'static str],
    /// The Rust field's name.
    pub field: &'static str,
    /// The type of the value.
    pub kind: AttributeKind,
    /// True if an item without it cannot be decoded.
    pub required: bool,
    /// True if an item without it is read with a default.
    pub has_default: bool,
    /// True if NULL counts as absent.
    pub nullable: bool,
    /// The type of the value in depth, for the schema lock.
    #[cfg(feature = "model")]
    pub stored_type: DescribeType,
}

impl StoredAttribute {
    /// An attribute of any type.
    #[cfg(test)]
    pub(crate) const PLAIN: Self = Self {
        name: "",
        aliases: &[],
        field: "",
        kind: AttributeKind::Any,
        required: false,
        has_default: false,
        nullable: false,
        #[cfg(feature = "model")]
        stored_type: crate::attribute::StoredType::unknown,
    };

    /// Returns all names under which the value may be stored, the current one first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}
