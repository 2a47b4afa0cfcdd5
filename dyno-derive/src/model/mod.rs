//! What a derive input means: names resolved, defaults filled in, references by index. Nothing in here is an `Option`
//! that stands for a default; `expand` turns it into tokens and cannot fail.

mod case;
mod check;
pub(crate) use check::{is_option, is_uncountable};
mod document;
mod entities;
mod index;
mod lints;
mod lower;
mod projection;
mod template;

pub(crate) use case::Case;
pub(crate) use document::{Document, Order, Shape, Variant, VariantShape, lower_document};
pub(crate) use entities::{Aggregate, Entities, Number, Part, lower_aggregate, lower_entities};
pub(crate) use lower::{krate, lower_entity};
pub(crate) use projection::{Projection, lower_projection};

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::{Attribute, Generics, Ident, Path, Type, Visibility};

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
    pub(crate) table: Option<String>,
    /// The attribute that says which entity an item is, and what it says.
    pub(crate) entity_type: Option<(String, String)>,
    pub(crate) key: Key,
    pub(crate) fields: Vec<Field>,
    pub(crate) schema_version: Option<SchemaVersion>,
    pub(crate) ratchets: Vec<Ratchet>,
    pub(crate) tombstone: Option<Tombstone>,
    /// The field marked `#[ttl]`.
    pub(crate) ttl_field: Option<usize>,
    pub(crate) version: Option<Version>,
    pub(crate) history: Option<History>,
    pub(crate) idempotency: Option<Idempotency>,
    pub(crate) indexes: Vec<Index>,
    /// Fields that stand in keys of indexes together, so that an update sets all of them or none.
    pub(crate) joint: Vec<Vec<usize>>,
}

/// A field of an entity or document.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    /// Without `r#`.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) storage: Storage,
    /// Older names, under which the value may still be.
    pub(crate) aliases: Vec<String>,
    pub(crate) codec: Codec,
    pub(crate) default: DefaultValue,
    pub(crate) access: Access,
    /// What says that it is deprecated.
    pub(crate) deprecated: Option<Attribute>,
}

/// Where a field is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// In an attribute of this name.
    Attribute(String),
    /// In an attribute of this name, and in a key template: the key is what is read.
    AttributeAndTemplate(String),
    /// In a key attribute of this name, as it is.
    Key(String),
    /// In a key template only.
    Template,
    /// It holds the attributes that no other field is stored in.
    Rest,
    /// Nowhere.
    Skipped,
}

impl Storage {
    /// The name under which the field is stored as it is.
    pub(crate) fn attribute(&self) -> Option<&str> {
        match self {
            Self::Attribute(name) | Self::AttributeAndTemplate(name) | Self::Key(name) => Some(name),
            Self::Template | Self::Rest | Self::Skipped => None,
        }
    }
}

/// How a field is encoded.
pub(crate) enum Codec {
    /// By its type's `Attribute`.
    Type,
    /// By functions `encode` and `decode` in a module, applied to what is in the `Option` if the field is one.
    Functions { path: Path, optional: bool },
    /// By serde, in the same way.
    Serde { optional: bool },
    /// As its type's text of a time, in this form.
    Form(Form),
}

/// A form of times as text: the runtime's type of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Seconds,
    Millis,
    Micros,
    Nanos,
    Python,
    Java,
}

impl Form {
    /// Whether its texts sort as the times do.
    pub(crate) fn sorts(self) -> bool {
        self != Self::Java
    }

    /// The name of the runtime's type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Seconds => "Seconds",
            Self::Millis => "Millis",
            Self::Micros => "Micros",
            Self::Nanos => "Nanos",
            Self::Python => "Python",
            Self::Java => "Java",
        }
    }
}

/// What an absent attribute is read as.
pub(crate) enum DefaultValue {
    /// What its type says: `None`, the empty set, or an error.
    Type,
    /// `Default::default()`
    Trait,
    /// What this function returns.
    Function(Path),
}

/// What an update may do to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Plain,
    Key,
    Guarded,
    Version,
    /// It stands in keys of indexes, alone or beside fields of the table's key.
    Indexed,
    /// It stands in keys of indexes, beside others.
    Joint,
}

/// An entity's key.
pub(crate) struct Key {
    pub(crate) partition: KeyAttribute,
    pub(crate) sort: Option<KeyAttribute>,
    /// The fields the key is made of, by their index: those of the partition key, then those of the sort key alone.
    pub(crate) parts: Vec<usize>,
    /// How many of them are the partition key's.
    pub(crate) partition_parts: usize,
}

impl Key {
    /// Whether an attribute of this name is part of it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.partition.name == name || self.sort.as_ref().is_some_and(|sort| sort.name == name)
    }

    /// How many of the key attributes are templates.
    pub(crate) fn templates(&self) -> usize {
        let keys = std::iter::once(&self.partition).chain(&self.sort);
        keys.filter(|key| matches!(key.form, KeyForm::Template(_))).count()
    }
}

/// A partition or sort key.
#[derive(Clone)]
pub(crate) struct KeyAttribute {
    pub(crate) name: String,
    pub(crate) form: KeyForm,
}

impl KeyAttribute {
    /// Whether the texts around the holes are the same.
    pub(crate) fn has_text_of(&self, other: &Self) -> bool {
        match (&self.form, &other.form) {
            (KeyForm::Template(one), KeyForm::Template(other)) => {
                one.iter().map(Segment::shape).eq(other.iter().map(Segment::shape))
            }
            _ => false,
        }
    }
}

/// Where a key's value comes from; numbers are indices of the key's `parts`.
#[derive(Clone)]
pub(crate) enum KeyForm {
    Field(usize),
    Template(Vec<Segment>),
}

/// A piece of a key template.
#[derive(Clone)]
pub(crate) enum Segment {
    Literal(String),
    Hole { part: usize, width: usize },
}

impl Segment {
    /// What it is, whichever field it is of.
    fn shape(&self) -> (Option<&str>, usize) {
        match self {
            Self::Literal(literal) => (Some(literal), 0),
            Self::Hole { width, .. } => (None, *width),
        }
    }
}

/// A secondary index.
pub(crate) struct Index {
    pub(crate) name: String,
    /// The function that queries it.
    pub(crate) query: Ident,
    pub(crate) is_local: bool,
    /// The attributes of its partition key; numbers are indices of `parts`.
    pub(crate) partition: Vec<KeyAttribute>,
    pub(crate) sort: Vec<KeyAttribute>,
    /// The fields the key is made of, by their index: those of the partition key first.
    pub(crate) parts: Vec<usize>,
    /// How many of them are the partition key's.
    pub(crate) partition_parts: usize,
    /// The stored names of what it holds besides the keys; `None` for whole items.
    pub(crate) projection: Option<Vec<String>>,
    pub(crate) span: Span,
}

impl Index {
    /// What the name of the type that stands for it ends in.
    pub(crate) fn marker(&self) -> String {
        Case::Pascal.field(&self.query.unraw().to_string())
    }

    /// The attributes of its key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// The attributes of its key that are templates, with the fields that stand in each; but for those that are the
    /// table's.
    pub(crate) fn templates<'a>(&'a self, table: &'a Key) -> impl Iterator<Item = (&'a KeyAttribute, Vec<usize>)> {
        let own = self.keys().filter(|key| !table.has(&key.name));
        own.filter_map(|key| match &key.form {
            KeyForm::Field(_) => None,
            KeyForm::Template(segments) => {
                let holes = segments.iter().filter_map(|segment| match segment {
                    Segment::Hole { part, .. } => Some(self.parts[*part]),
                    Segment::Literal(_) => None,
                });
                Some((key, holes.collect()))
            }
        })
    }
}

/// A ratchet: fields by their index.
pub(crate) struct Ratchet {
    pub(crate) field: usize,
    pub(crate) strict: bool,
    pub(crate) tiebreak: Option<usize>,
    pub(crate) max_ahead_secs: Option<u32>,
    /// The fields it guards; none means the whole item.
    pub(crate) guards: Vec<usize>,
}

/// The shape that rows are written in.
pub(crate) struct SchemaVersion {
    pub(crate) current: u32,
    pub(crate) attribute: String,
    /// What brings older rows up to date; none in the first version.
    pub(crate) upgrade: Option<Path>,
}

/// The tombstone.
pub(crate) struct Tombstone {
    pub(crate) ttl_days: u32,
    /// Whether it is marked as the entity's, where items are.
    pub(crate) mark: bool,
    pub(crate) deleted: String,
    pub(crate) ttl: String,
}

/// The version: its field by its index.
pub(crate) struct Version {
    pub(crate) field: usize,
    /// The name of the attribute with the write id, unless there is to be none.
    pub(crate) write_id: Option<String>,
}

/// The history.
pub(crate) struct History {
    pub(crate) mode: Mode,
    pub(crate) layout: Layout,
    /// `None` keeps revisions for ever.
    pub(crate) ttl_days: Option<u32>,
}

/// How a history is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Atomic,
    Ordered,
}

/// Where a history is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// In a table of this name; `None` follows the name that the entity's table has when the program runs.
    Table(Option<String>),
    SameTable,
}

/// How it is remembered which updates were made.
pub(crate) struct Idempotency {
    pub(crate) store: KeyStore,
    /// Whether keys are kept as they are, and not hashed.
    pub(crate) raw: bool,
    pub(crate) key_bytes: u32,
    /// The bytes of the rest of the item.
    pub(crate) body_bytes: u32,
    /// The rate that the item is to carry, where one was declared.
    pub(crate) max_rps: Option<u32>,
    pub(crate) span: Span,
}

/// Where idempotency keys are.
pub(crate) enum KeyStore {
    /// In sets of the item, of these names.
    Time { window_secs: u32, max_skew_secs: u32, attributes: Vec<String> },
    /// In a list of the item.
    Count { keys: u32, attribute: String },
    /// In rows of another table; `None` follows the name that the entity's table has when the program runs.
    Row { table: Option<String>, keep_secs: u32 },
}

impl Idempotency {
    /// The stored names of the attributes that the item has for it.
    pub(crate) fn attributes(&self) -> &[String] {
        match &self.store {
            KeyStore::Time { attributes, .. } => attributes,
            KeyStore::Count { attribute, .. } => std::slice::from_ref(attribute),
            KeyStore::Row { .. } => &[],
        }
    }
}

/// A stored name and where it was given: to find two that are the same.
struct Named<'a> {
    name: &'a str,
    span: Span,
    owner: String,
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

    /// Whether an item can be put over another: not where the other holds what the new one does not know.
    pub(crate) fn is_overwritable(&self) -> bool {
        self.idempotency.as_ref().is_none_or(|idempotency| idempotency.attributes().is_empty())
    }

    /// The field that holds what no other is stored in.
    pub(crate) fn rest(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.storage == Storage::Rest)
    }

    /// Whether writes have no rules, so that a batch can have them.
    pub(crate) fn is_batchable(&self) -> bool {
        let is_plain = self.version.is_none() && self.history.is_none() && self.idempotency.is_none();
        is_plain && self.ratchets.is_empty() && self.tombstone.is_none()
    }

    /// Whether `delete` exists.
    pub(crate) fn is_deletable(&self) -> bool {
        self.ratchets.is_empty() || self.tombstone.is_some()
    }

    /// The name of the table's TTL attribute, if it has one.
    pub(crate) fn ttl(&self) -> Option<&str> {
        let own = self.ttl_field.and_then(|field| self.fields[field].storage.attribute());
        own.or_else(|| self.tombstone.as_ref().map(|tombstone| tombstone.ttl.as_str()))
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
    pub(crate) fn form(&self, field: usize) -> Option<Form> {
        match self.fields[field].codec {
            Codec::Form(form) => Some(form),
            _ => None,
        }
    }

    /// The stored name of a field that has one.
    pub(crate) fn stored(&self, field: usize) -> &str {
        self.fields[field].storage.attribute().unwrap_or_default()
    }
}
