//! The file of a schema lock: its structure, and its text.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The version of the file's structure. Version 1 lacked parts of types, the types of keys, and the groups of ratchets: see
/// [`reduce`](LockFile::reduce).
pub(super) const FORMAT: u64 = 2;

/// The version of the forms of the rows and attributes that dyno itself stores: see the guide's page "What dyno stores". A file of a later
/// version says it, as `stored_forms`. The first version is not written.
pub(super) const STORED_FORMS: u64 = 1;

/// The form of idempotency keys that are stored as they are.
pub(super) const RAW: &str = "raw";

/// Returns the name of a key's attribute: `PK` of `PK (S) = Film#{text}`.
pub(super) fn key_name(key: &str) -> &str {
    key.split(" (").next().unwrap_or_default()
}

/// Returns true for a value that the file leaves out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// All that a lock file has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LockFile {
    pub(super) format: u64,
    /// The conditional changes that were accepted, the latest last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) accepted: Vec<Accepted>,
    pub(super) tables: BTreeMap<String, Table>,
}

/// A conditional change that somebody has accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Accepted {
    pub(super) change: String,
    pub(super) reason: String,
}

/// A table of entities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Table {
    #[serde(skip_serializing_if = "is_default")]
    pub(super) indexes: BTreeMap<String, Index>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) vector_indexes: BTreeMap<String, VectorIndex>,
    pub(super) entities: BTreeMap<String, Entity>,
}

/// A secondary index. A key is written as its name and its type: `status (S)`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Index {
    #[serde(skip_serializing_if = "is_default")]
    pub(super) local: bool,
    pub(super) partition_key: Vec<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) sort_key: Vec<String>,
    /// The attributes besides the keys; all if there is no list.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) projection: Option<BTreeSet<String>>,
}

/// A vector index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct VectorIndex {
    pub(super) vector: String,
    pub(super) dimensions: usize,
    pub(super) metric: String,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) partition_key: Vec<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) filters: BTreeSet<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) projection: Option<BTreeSet<String>>,
}

/// The stored form of an entity, and its rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Entity {
    /// The partition key: its name, its type, and its template with the types of the fields: `PK (S) = Customer#{any}`.
    pub(super) partition_key: String,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) sort_key: Option<String>,
    /// The fields that templates are made of, in the order of the key.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) key_fields: Vec<String>,
    /// The types of the key's fields, in their order.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) key_types: Vec<Type>,
    pub(super) attributes: BTreeMap<String, Attribute>,
    /// True if the entity keeps undeclared attributes.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) rest: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) type_name: Option<TypeName>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) schema_version: Option<SchemaVersion>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) ratchets: BTreeMap<String, Ratchet>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) fence: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) version: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) write_id: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) created: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) updated: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) immutable: BTreeSet<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) tombstone: Option<Tombstone>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) ttl: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) history: Option<History>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) idempotency: Option<Idempotency>,
    /// The attributes of each unique value, by the name of the constraint.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) unique: BTreeMap<String, Vec<String>>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) transactional: bool,
    /// The templates of index keys, by the name of the index.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) index_templates: BTreeMap<String, Vec<String>>,
    /// The fields that these templates are made of, in the order of the index's key.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) index_fields: BTreeMap<String, Vec<String>>,
    /// The attributes that the vector of an index is made of, by the name of the index.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) vectors_of: BTreeMap<String, BTreeSet<String>>,
}

/// An attribute that is not a key.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attribute {
    #[serde(rename = "type")]
    pub(super) stored_type: Type,
    /// Absent for an attribute that an item can lack.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) required: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) default: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) aliases: BTreeSet<String>,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Type {
    /// A type without parts: DynamoDB's name of it, and what is known besides, such as the range of an integer.
    Plain(String),
    Nested(Nested),
}

impl Default for Type {
    fn default() -> Self {
        Self::Plain(String::new())
    }
}

impl Type {
    /// See [`LockFile::reduce`].
    fn reduce(&mut self) {
        let plain = |name: &str| Self::Plain(name.to_owned());
        match self {
            Self::Plain(name) => match name.split_once(" of ").or_else(|| name.split_once(" as ")) {
                Some(("B", length)) => {
                    let length = length.split(' ').next().and_then(|length| length.parse().ok()).unwrap_or_default();
                    *self = Self::Nested(Nested::Array { length, of: Box::new(plain("N as u8")) });
                }
                Some(("N", "f32" | "f64" | "decimal")) => *self = plain("N"),
                Some(("S", form)) if form.starts_with("RFC 3339") => *self = plain("S as RFC 3339 time"),
                _ => {}
            },
            Self::Nested(Nested::Set(of)) => {
                // A set of variants is one of texts.
                let kind = if let Self::Plain(name) = &**of { name.chars().next() } else { None };
                *self = Self::Plain(format!("{}S", kind.unwrap_or('S')));
            }
            Self::Nested(Nested::KeyedMap { values, .. }) => {
                values.reduce();
                *self = Self::Nested(Nested::Map(values.clone()));
            }
            Self::Nested(Nested::List(of) | Nested::Array { of, .. } | Nested::Optional(of) | Nested::Map(of)) => {
                of.reduce();
            }
            Self::Nested(Nested::Document(members)) => {
                for member in members.values_mut() {
                    member.stored_type.reduce();
                }
            }
            Self::Nested(Nested::Enum { variants, .. }) => variants.values_mut().flatten().for_each(Self::reduce),
        }
    }
}

/// A type with parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Nested {
    List(Box<Type>),
    Array {
        length: usize,
        of: Box<Type>,
    },
    /// An element of a list that can be NULL.
    Optional(Box<Type>),
    Set(Box<Type>),
    /// A map whose names are any text.
    Map(Box<Type>),
    /// A map whose names have a type of their own.
    KeyedMap {
        keys: Box<Type>,
        values: Box<Type>,
    },
    /// A map of declared members.
    Document(BTreeMap<String, Attribute>),
    /// The values of the variants by their names; null for a variant without a value.
    Enum {
        #[serde(default, skip_serializing_if = "is_default")]
        tag: Option<String>,
        variants: BTreeMap<String, Option<Type>>,
    },
}

/// The mark of an entity's items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TypeName {
    pub(super) attribute: String,
    pub(super) name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaVersion {
    pub(super) attribute: String,
    pub(super) current: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ratchet {
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) strict: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) tiebreak: Option<String>,
    /// The attributes that it guards; the whole item if absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) guards: BTreeSet<String>,
    /// The greatest number of seconds by which a token may be ahead of the clock.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) max_ahead: Option<u32>,
    /// An example of a token that is stored as text, with a 9 for each digit.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) example: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tombstone {
    pub(super) deleted: String,
    pub(super) ttl: String,
    pub(super) ttl_days: u32,
    /// True if tombstones lack the type name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) unmarked: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct History {
    pub(super) mode: String,
    /// The table; the entity's own if absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) table: Option<String>,
    /// For ever if absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) ttl_days: Option<u32>,
    /// The TTL attribute of revisions that expire.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) ttl: Option<String>,
}

/// The memory of applied updates. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Idempotency {
    /// The place of the keys: attributes or a table.
    pub(super) place: String,
    /// The store: `time`, `count` or `row`.
    pub(super) store: String,
    /// How long keys are kept, or how many.
    pub(super) kept: u64,
    /// The skew that the slices of a window allow for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) max_skew: u64,
    /// The form of the keys, such as `hash of 12 bytes`.
    pub(super) keys: String,
}

impl LockFile {
    /// Removes the parts that format 1 does not have, so that the entities can be compared with a file of this format.
    pub(super) fn reduce(&mut self) {
        for entity in self.tables.values_mut().flat_map(|table| table.entities.values_mut()) {
            entity.key_types.clear();
            entity.ratchets.values_mut().for_each(|ratchet| ratchet.guards.clear());
            entity.attributes.values_mut().for_each(|attribute| attribute.stored_type.reduce());
        }
    }

    /// Returns the text of the file, with members in alphabetical order.
    pub(super) fn text(&self) -> String {
        // A structure of texts, numbers and maps with text keys is always JSON.
        let mut value = serde_json::to_value(self).unwrap_or_default();
        // The order of the members must not depend on the features with which a program builds serde_json.
        value.sort_all_objects();
        let mut text = String::new();
        write(&mut text, &value, Some(0));
        text.push('\n');
        text
    }
}

/// The longest value that is written in one line.
const LINE: usize = 100;

/// Writes JSON with an indentation of two spaces. A short value without nested objects is one line, so that a difference shows whole
/// attributes. Without an indentation, all is one line.
fn write(text: &mut String, value: &Value, indent: Option<usize>) {
    let (open, close, members): (_, _, Vec<(String, &Value)>) = match value {
        Value::Array(elements) => ("[", "]", elements.iter().map(|element| (String::new(), element)).collect()),
        Value::Object(members) => {
            let named = |name: &String| format!("{}: ", Value::from(name.as_str()));
            ("{", "}", members.iter().map(|(name, member)| (named(name), member)).collect())
        }
        _ => return text.push_str(&value.to_string()),
    };
    let is_short = members.iter().all(|(_, member)| !member.is_object()) && value.to_string().len() <= LINE;
    let indent = indent.filter(|_| !is_short);
    text.push_str(open);
    for (position, (name, member)) in members.iter().enumerate() {
        text.push_str(if position == 0 { "" } else { "," });
        match indent {
            Some(indent) => new_line(text, indent + 2),
            None if position > 0 => text.push(' '),
            None => {}
        }
        text.push_str(name);
        write(text, member, indent.map(|indent| indent + 2));
    }
    if let Some(indent) = indent {
        new_line(text, indent);
    }
    text.push_str(close);
}

fn new_line(text: &mut String, indent: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', indent));
}
