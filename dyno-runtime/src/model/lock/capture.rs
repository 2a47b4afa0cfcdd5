//! From schemas and plans of tables to the structure of the lock file.

use super::file::{
    Attribute, Entity, FORMAT, History, Idempotency, Index, LockFile, Nested, RAW, Ratchet, SchemaVersion, Table,
    Tombstone, Type, TypeName, VectorIndex,
};
use crate::attribute::{AttributeKind, Characters, StoredMember, StoredType};
use crate::error::Error;
use crate::model::PlannedTable;
use crate::model::option_names::{metric, mode};
use crate::schema::{
    self, KeyAttribute, KeyForm, Keys, Layout, Projected, Schema, Segment, Store, StoredAttribute, Tables,
};
use std::collections::{BTreeMap, BTreeSet};

/// Returns what the file has to say of these tables and entities.
///
/// # Errors
/// Two entities of a table have one name.
pub(super) fn capture(tables: &[PlannedTable], entities: &[(&'static Schema, Tables)]) -> Result<LockFile, Error> {
    let mut captured: BTreeMap<String, Table> = BTreeMap::new();
    for (schema, names) in entities {
        let table = captured.entry(names.main.clone()).or_default();
        if table.entities.insert(schema.entity.to_owned(), entity(schema, names)).is_some() {
            return Err(Error::invalid(format!(
                "two entities of the table `{}` have the name `{}`, by which the lock file tells them apart: rename one of the structs",
                names.main, schema.entity
            )));
        }
    }
    for PlannedTable { plan, .. } in tables {
        if let Some(table) = captured.get_mut(&plan.name) {
            for index in &plan.indexes {
                table.indexes.insert(index.index.name.to_owned(), self::index(index.index, index.projected()));
            }
            for vector in &plan.vector_indexes {
                table.vector_indexes.insert(vector.index.name.to_owned(), vector_index(vector.index));
            }
        }
    }
    Ok(LockFile { format: FORMAT, accepted: Vec::new(), tables: captured })
}

fn owned<'a>(names: impl IntoIterator<Item = &'a &'static str>) -> BTreeSet<String> {
    names.into_iter().map(|name| (*name).to_owned()).collect()
}

fn list(names: &[&'static str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns a key's name and type.
fn named(key: &KeyAttribute) -> String {
    format!("{} ({})", key.name, key.key_type.as_str())
}

/// Returns a key's name, its type and its template. The template has the fields' types and not their names, because the name of a
/// Rust field is not stored.
fn key(key: &KeyAttribute) -> String {
    template(key).map_or_else(|| named(key), |template| format!("{} = {template}", named(key)))
}

fn template(key: &KeyAttribute) -> Option<String> {
    let KeyForm::Template(segments) = key.form else { return None };
    let segments = segments.iter().map(|segment| match *segment {
        Segment::Literal(text) => text.replace('{', "{{"),
        Segment::Hole { width: 0, characters, .. } => format!("{{{}}}", name(characters)),
        Segment::Hole { width, characters, .. } => format!("{{{}:0{width}}}", name(characters)),
    });
    Some(segments.collect())
}

fn name(characters: Characters) -> &'static str {
    match characters {
        Characters::Any => "text",
        Characters::Number => "number",
        Characters::Alphanumeric => "alphanumeric",
        Characters::Hexadecimal => "hexadecimal",
    }
}

fn index(index: &schema::Index, projected: Option<&[&'static str]>) -> Index {
    let keys = |keys: &[KeyAttribute]| keys.iter().map(named).collect();
    Index {
        local: index.is_local,
        partition_key: keys(index.partition),
        sort_key: keys(index.sort),
        projection: projected.map(owned),
    }
}

fn vector_index(index: &schema::VectorIndex) -> VectorIndex {
    VectorIndex {
        vector: index.vector.name.to_owned(),
        dimensions: index.vector.dimensions,
        metric: metric(index.metric).to_owned(),
        partition_key: index.partition.iter().map(named).collect(),
        filters: index.filters.iter().map(named).collect(),
        projection: match index.projection {
            Projected::All => None,
            Projected::Only(names) => Some(owned(names)),
        },
    }
}

fn entity(schema: &Schema, tables: &Tables) -> Entity {
    let text = |name: &'static str| name.to_owned();
    Entity {
        partition_key: key(&schema.partition),
        sort_key: schema.sort.as_ref().map(key),
        key_fields: if schema.keys().any(|key| template(key).is_some()) { list(schema.key_fields) } else { Vec::new() },
        key_types: schema.key_types.iter().map(|describe| stored_type(describe(&mut Vec::new()))).collect(),
        attributes: schema.attributes.iter().map(|stored| (stored.name.to_owned(), attribute(stored))).collect(),
        rest: schema.has_rest,
        type_name: schema
            .entity_type
            .as_ref()
            .map(|mark| TypeName { attribute: text(mark.attribute), name: text(mark.name) }),
        schema_version: schema
            .schema_version
            .as_ref()
            .map(|version| SchemaVersion { attribute: text(version.attribute), current: version.current }),
        ratchets: schema.ratchets.iter().map(ratchet).collect(),
        fence: schema.fence.as_ref().map(|fence| text(fence.attribute)),
        version: schema.version.as_ref().map(|version| text(version.attribute)),
        write_id: schema.write_id.as_ref().map(|write_id| text(write_id.attribute)),
        created: schema.created.as_ref().map(|created| text(created.attribute)),
        updated: schema.updated.as_ref().map(|updated| text(updated.attribute)),
        immutable: owned(schema.immutable),
        tombstone: schema.tombstone.as_ref().map(|tombstone| Tombstone {
            deleted: text(tombstone.deleted),
            ttl: text(tombstone.ttl),
            ttl_days: tombstone.ttl_days,
            unmarked: schema.entity_type.is_some() && !tombstone.mark,
        }),
        ttl: schema.ttl.as_ref().map(|ttl| text(ttl.attribute)).filter(|_| schema.expires()),
        history: schema.history.as_ref().map(|history| self::history(schema, history, tables)),
        idempotency: schema.idempotency.as_ref().map(|idempotency| self::idempotency(idempotency, tables)),
        unique: schema
            .unique
            .iter()
            .map(|unique| (text(unique.name), unique.attributes.iter().map(|name| text(name)).collect()))
            .collect(),
        transactional: schema.is_transactional,
        index_templates: schema.indexes.iter().filter_map(templates).collect(),
        index_fields: schema
            .indexes
            .iter()
            .filter(|index| templates(index).is_some())
            .map(|index| (text(index.name), list(index.key_fields)))
            .collect(),
        vectors_of: schema.vector_indexes.iter().map(|index| (text(index.name), owned(index.of))).collect(),
    }
}

fn attribute(attribute: &StoredAttribute) -> Attribute {
    Attribute {
        stored_type: stored_type((attribute.stored_type)(&mut Vec::new())),
        required: attribute.required,
        default: attribute.has_default,
        aliases: owned(attribute.aliases),
    }
}

fn stored_type(described: StoredType) -> Type {
    let boxed = |described: Box<StoredType>| Box::new(stored_type(*described));
    Type::Nested(match described {
        StoredType::Plain(kind) => return Type::Plain(kind.name().to_owned()),
        StoredType::Form(kind, form) => return Type::Plain(format!("{} as {form}", kind.name())),
        StoredType::Unit(unit) => return Type::Plain(format!("N in {unit}")),
        StoredType::Integer(min, max) => return Type::Plain(integer(min, max)),
        StoredType::Recursive(distance) => return Type::Plain(format!("M, as {distance} levels further out")),
        StoredType::Bytes(length) => return Type::Plain(format!("B of {length} bytes")),
        StoredType::List(element) => Nested::List(boxed(element)),
        StoredType::Array(element, length) => Nested::Array { length, of: boxed(element) },
        StoredType::Optional(element) => Nested::Optional(boxed(element)),
        StoredType::Set(element) => Nested::Set(boxed(element)),
        StoredType::Map(key, value) if *key == StoredType::Plain(AttributeKind::S) => Nested::Map(boxed(value)),
        StoredType::Map(key, value) => Nested::KeyedMap { keys: boxed(key), values: boxed(value) },
        StoredType::Document(members) => Nested::Document(members.into_iter().map(member).collect()),
        StoredType::Enum { tag, variants } => Nested::Enum {
            tag: tag.map(str::to_owned),
            variants: variants.into_iter().map(|(name, value)| (name.to_owned(), value.map(stored_type))).collect(),
        },
    })
}

/// Returns the name of an integer type: that of the Rust type with this range, if there is one.
fn integer(min: i128, max: i128) -> String {
    macro_rules! named {
        ($($name:ident)*) => {
            [$((i128::from($name::MIN), i128::from($name::MAX), stringify!($name))),*]
        };
    }
    let types = named!(u8 u16 u32 u64 i8 i16 i32 i64);
    let found = types.iter().find(|(of_min, of_max, _)| (*of_min, *of_max) == (min, max));
    found.map_or_else(|| format!("N from {min} to {max}"), |(_, _, name)| format!("N as {name}"))
}

fn member(member: StoredMember) -> (String, Attribute) {
    let StoredMember { name, stored_type: described, required, has_default } = member;
    let attribute =
        Attribute { stored_type: stored_type(described), required, default: has_default, aliases: BTreeSet::new() };
    (name.to_owned(), attribute)
}

fn ratchet(ratchet: &schema::Ratchet) -> (String, Ratchet) {
    let locked = Ratchet {
        strict: ratchet.strict,
        tiebreak: ratchet.tiebreak.map(str::to_owned),
        guards: owned(ratchet.guards),
        max_ahead: ratchet.max_ahead_secs,
        example: ratchet.shape.map(|shape| shape.example.to_owned()),
    };
    (ratchet.attribute.to_owned(), locked)
}

/// Returns the templated keys of an index, if it has any.
fn templates(index: &schema::Index) -> Option<(String, Vec<String>)> {
    let templates = index.keys().filter(|key| template(key).is_some()).map(key).collect::<Vec<_>>();
    (!templates.is_empty()).then(|| (index.name.to_owned(), templates))
}

fn history(schema: &Schema, history: &schema::History, tables: &Tables) -> History {
    let table = match history.layout {
        Layout::SameTable => None,
        Layout::Table(_) => tables.history.clone(),
    };
    let ttl = history.ttl_days.map(|_| history.ttl(schema).to_owned());
    History { mode: mode(history.mode).to_owned(), table, ttl_days: history.ttl_days, ttl }
}

fn idempotency(idempotency: &schema::Idempotency, tables: &Tables) -> Idempotency {
    let (store, kept) = match &idempotency.store {
        Store::Time { window, .. } => ("time", u64::from(window.window_secs)),
        Store::Count { keys, .. } => ("count", u64::from(*keys)),
        Store::Row { keep_secs, .. } => ("row", u64::from(*keep_secs)),
    };
    let place = match (&idempotency.store, idempotency.attributes()) {
        (Store::Row { .. }, _) => tables.keys.clone().unwrap_or_default(),
        (_, [first, .., last]) => format!("{first} to {last}"),
        (_, attributes) => attributes.concat(),
    };
    let max_skew = match &idempotency.store {
        Store::Time { window, .. } => u64::from(window.max_skew_secs),
        _ => 0,
    };
    let keys = match idempotency.keys {
        Keys::Hashed(bytes) => format!("hash of {bytes} bytes"),
        Keys::Raw(bytes) => format!("{RAW} of up to {bytes} bytes"),
    };
    Idempotency { place, store: store.to_owned(), kept, max_skew, keys }
}
