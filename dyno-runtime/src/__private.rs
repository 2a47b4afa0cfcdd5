//! The items that generated code uses besides the public API. They are for generated code only, and change without notice.

#[cfg(feature = "__tests")]
pub mod evaluated;
mod features;
#[cfg(feature = "__tests")]
pub mod lanes;
mod type_checks;
mod vector_index;

pub use crate::attribute::Rest;
pub use crate::attribute::checked::*;
pub use crate::attribute::depth::within;
#[cfg(feature = "serde")]
pub use crate::attribute::serde;
pub use crate::attribute::{Characters, Members, RawItem, RawValue, Shape, encode_in_form};
pub use crate::capacity::{CountWindow, TimeWindow, check_count_window, check_time_window};
pub use crate::command::AnySort;
pub use crate::entity::{CheckedEntity, Gather, add_one_of, add_only, check_projection, gather, read_projection};
pub use crate::field::{Codec, RawChanges, decode_key, decode_stored_key};
pub use crate::key::{check_templates, insert_templates as encode_templates};
pub use crate::rule::{GroupToken, Tied, inspect, respell, shape};
pub use crate::schema::sharing::check_shared;
pub use crate::schema::{
    EntityType, Fence, Guards, History, Idempotency, Index as SchemaIndex, KeyAttribute, KeyForm, KeyTypes, Keys,
    Layout, Metric, Mode, Projected, Ratchet, Schema, SchemaVersion, Segment, Store, StoredAttribute, Tables,
    TimeAttribute, Token, Tombstone, Ttl, Unique, Upgrade, VectorAttribute, VectorIndex as SchemaVectorIndex, Version,
    WriteId, guards, key_types,
};
pub use aws_sdk_dynamodb::types::AttributeValue;
#[cfg(not(feature = "serde"))]
pub use no_serde as serde;
pub use type_checks::{cloned, item, key_field, takes_attributes, takes_rules};
pub use vector_index::{embedded, search_filter, search_partition, vector};

use crate::attribute::kind::{KeyKind, SharedSortKind, TextKind, UniqueKind, WholeKind};
use crate::attribute::time::EpochMillis;
use crate::attribute::{
    Attribute, AttributeKind, Expiry, FenceNumber, Form, Item, KeyPart, Rfc3339, TextTime, Tiebreak, TimeToken, Value,
    VersionNumber, WriteTime,
};
pub use crate::attribute::{Parents, StoredMember, StoredType};
use crate::error::{DecodeError, EncodeError, Error, descriptor};
use crate::exchange::Repository;
use crate::field::{Document, Field};
use crate::{attribute, key, read};
use aws_sdk_dynamodb::types::ScalarAttributeType;
use std::any::TypeId;
use std::fmt::Display;

/// Adds the key attributes of an index that are templates to an item. A field that is `None` is absent.
pub fn encode_index_keys(
    schema: &'static Schema,
    index: usize,
    parts: &[Option<&dyn KeyPart>],
    item: &mut Item,
) -> Result<(), EncodeError> {
    key::insert_index_keys(schema, &schema.indexes[index], parts, item)
}

/// Returns the value of a key's field, or `None` if it is absent.
pub fn key_part<T: Attribute<Present: KeyPart>>(field: &T) -> Option<&dyn KeyPart> {
    field.__present().map(|part| part as &dyn KeyPart)
}

/// Takes the attributes that the entity does not declare out of an item. The key and the attributes of rules stay.
pub fn take_rest<T: Rest>(schema: &Schema, item: &mut Members<'_>) -> T {
    T::__of(item.as_map().extract_if(|name, _| !schema.declares(name)).collect())
}

/// Adds attributes that the entity does not declare to an item.
pub fn put_rest<T: 'static>(schema: &Schema, rest: &T, item: &mut Item) -> Result<(), EncodeError> {
    attribute::put_rest(|name| schema.declares(name), rest, item)
}

/// Takes the members that a document does not declare out of its map.
pub fn take_rest_of_members<T: Rest>(declared: &[&str], members: &mut Members<'_>) -> T {
    let mut rest = std::mem::take(members.as_map());
    rest.retain(|name, _| !declared.contains(&&**name));
    T::__of(rest)
}

/// Adds members that a document does not declare to its map.
pub fn put_rest_of_members<T: 'static>(declared: &[&str], rest: &T, members: &mut Item) -> Result<(), EncodeError> {
    attribute::put_rest(|name| declared.contains(&name), rest, members)
}

/// Marks an item as the entity's.
pub fn mark(schema: &Schema, item: &mut Item) {
    if let Some(entity_type) = &schema.entity_type {
        item.insert(entity_type.attribute.to_owned(), text(entity_type.name));
    }
}

/// Returns the names of the tables of the entity type `T`. It has no bound, so that a type that is no entity is not one error more.
pub fn tables<T: 'static>(repository: &Repository, schema: &'static Schema) -> Result<Tables, Error> {
    repository.tables_of(TypeId::of::<T>(), schema)
}

/// Returns the value. If it has another type than `T`, the compiler's error points at the type.
pub fn same<T>(value: T) -> T {
    value
}

/// Adds the current schema version to an item.
pub fn encode_schema_version(schema: &Schema, item: &mut Item) {
    if let Some(version) = &schema.schema_version {
        version.set(item);
    }
}

/// Upgrades an item of an older schema version, and refuses an item of a version that the entity does not know.
pub fn upgrade(schema: &Schema, item: &mut Members<'_>) -> Result<(), DecodeError> {
    match read::outdated(schema, item)? {
        None => Ok(()),
        Some(_) => read::upgrade(schema, item.as_map()),
    }
}

/// Calls the user's upgrade function, and converts its error into text.
pub fn upgrade_by<X: Display>(
    item: &mut Item,
    from: u32,
    upgrade: impl FnOnce(&mut Item, u32) -> Result<(), X>,
) -> Result<(), String> {
    upgrade(item, from).map_err(|error| error.to_string())
}

/// Returns the type of a key attribute that is a field of type `T`.
#[must_use]
pub const fn key_type<T: Value<Kind: KeyKind>>() -> ScalarAttributeType {
    <T::Kind as KeyKind>::TYPE
}

/// Returns the name of a unique attribute, and checks its type `T`.
#[must_use]
pub const fn unique_attribute<T: Value<Kind: UniqueKind>>(name: &'static str) -> &'static str {
    name
}

/// Returns the template hole of a field of type `T`.
#[must_use]
pub const fn hole<T: Value<Kind: TextKind>>(field: usize) -> Segment {
    let characters = if T::Kind::IS_NUMBER { Characters::Number } else { T::__CHARACTERS };
    Segment::Hole { field, width: 0, characters }
}

/// Returns the template hole of a number that is padded with zeros.
#[must_use]
pub const fn padded_hole<T: Value<Kind: WholeKind>>(field: usize, width: usize) -> Segment {
    Segment::Hole { field, width, characters: Characters::Number }
}

/// Returns the name of a tiebreak's attribute, and checks its type `T`.
#[must_use]
pub const fn tiebreak<T: Tiebreak>(name: &'static str) -> &'static str {
    name
}

/// Returns the TTL attribute of a field of type `T`.
#[must_use]
pub const fn ttl<T: Expiry>(attribute: &'static str) -> Ttl {
    Ttl { attribute }
}

/// Returns the version in a field of type `T`.
#[must_use]
pub const fn version<T: VersionNumber>(attribute: &'static str) -> Version {
    Version { attribute, max: T::MAX_VERSION }
}

/// Returns the fence in a field of type `T`.
#[must_use]
pub const fn fence<T: FenceNumber>(attribute: &'static str) -> Fence {
    Fence { attribute }
}

/// Returns the attribute of a time that writes set, in a field of type `T`.
#[must_use]
pub const fn time<T: Attribute<Present: WriteTime>>(attribute: &'static str) -> TimeAttribute {
    TimeAttribute { attribute, encode: |time| T::Present::at(time)?.encode() }
}

/// Returns the attribute of a time that writes set, in a field of type `T` with this form.
#[must_use]
pub const fn time_in_form<T: Attribute<Present: WriteTime + Rfc3339>, F: Form>(
    attribute: &'static str,
) -> TimeAttribute {
    TimeAttribute { attribute, encode: |time| TextTime::<T::Present, F>::at(time)?.encode() }
}

/// Returns the layout of revisions in the entity's own table, and checks the type `T` of its sort key: the sort keys of revisions
/// are text.
#[must_use]
pub const fn shared_sort<T: Value<Kind: SharedSortKind>>() -> Layout {
    Layout::SameTable
}

/// [`inspect`] for tokens that are times.
pub fn inspect_time<T: TimeToken>(token: &AttributeValue) -> Result<Option<EpochMillis>, EncodeError> {
    inspect::<T>(token)
}

/// Returns the handle of a field with the codec of its type.
#[must_use]
pub const fn attribute<T: Attribute, E, A>(name: &'static str) -> Field<E, T, A> {
    Field::__coded(name, T::encode_attribute, T::decode_attribute, T::REQUIRED)
        .__null_is_absent(T::__NULL_IS_ABSENT)
        .__of_type(T::__STORED, T::__stored_type)
}

/// Returns the handle of a field of times that are written in the format `F` and read in any format.
#[must_use]
pub const fn attribute_in_form<T: Attribute<Present: Rfc3339>, F: Form, E, A>(name: &'static str) -> Field<E, T, A> {
    Field::__coded(name, encode_in_form::<T, F>, T::decode_attribute, T::REQUIRED)
        .__of_type(AttributeKind::S, <TextTime<T::Present, F> as Value>::__stored_type)
}

/// Returns the handle of a document's field.
#[must_use]
pub const fn member<T>(handle: Field<(), T>) -> Field<(), T> {
    handle
}

/// Encodes a field with a function of the user's.
pub fn encode_with<T, E: Display>(
    value: &T,
    encode: impl FnOnce(&T) -> Result<AttributeValue, E>,
) -> Result<Option<AttributeValue>, EncodeError> {
    encode(value).map(Some).map_err(|error| EncodeError::new(error.to_string()))
}

/// Encodes the value of an optional field with a function of the user's.
pub fn encode_option_with<T, E: Display>(
    value: &Option<T>,
    encode: impl FnOnce(&T) -> Result<AttributeValue, E>,
) -> Result<Option<AttributeValue>, EncodeError> {
    value.as_ref().map_or(Ok(None), |value| encode_with(value, encode))
}

/// Decodes a field with a function of the user's.
pub fn decode_with<T, E: Display>(
    value: Option<RawValue<'_>>,
    decode: impl FnOnce(AttributeValue) -> Result<T, E>,
) -> Result<T, DecodeError> {
    let value = value.ok_or_else(|| DecodeError::new("an attribute", "no attribute"))?;
    decode_present_with(value.into_attribute_value(), decode)
}

/// Decodes the value of an optional field with a function of the user's.
pub fn decode_option_with<T, E: Display>(
    value: Option<RawValue<'_>>,
    decode: impl FnOnce(AttributeValue) -> Result<T, E>,
) -> Result<Option<T>, DecodeError> {
    let value = value.filter(|value| !value.is_null());
    value.map(|value| decode_present_with(value.into_attribute_value(), decode)).transpose()
}

fn decode_present_with<T, E: Display>(
    value: AttributeValue,
    decode: impl FnOnce(AttributeValue) -> Result<T, E>,
) -> Result<T, DecodeError> {
    let found = descriptor(&value);
    decode(value).map_err(|error| DecodeError::new(format!("a value that the field's codec accepts ({error})"), found))
}

/// Encodes a document as a map.
pub fn encode_document<T: Document>(document: &T) -> Result<AttributeValue, EncodeError> {
    within(|| {
        let mut members = Item::with_capacity(T::__MEMBERS);
        document.__encode_members(&mut members)?;
        Ok(AttributeValue::M(members))
    })
}

/// Returns the stored form of a document of type `T`.
pub fn document_type<T>(parents: &mut Parents, members: impl FnOnce(&mut Parents) -> Vec<StoredMember>) -> StoredType {
    StoredType::nested::<T>(parents, |parents| StoredType::Document(members(parents)))
}

/// Returns the stored form of the fields of a variant.
pub fn members_type(parents: &mut Parents, members: impl FnOnce(&mut Parents) -> Vec<StoredMember>) -> StoredType {
    StoredType::Document(members(parents))
}

/// Returns the stored form of an enum of type `T`.
pub fn enum_type<T>(
    parents: &mut Parents,
    tag: Option<&'static str>,
    variants: impl FnOnce(&mut Parents) -> Vec<(&'static str, Option<StoredType>)>,
) -> StoredType {
    StoredType::nested::<T>(parents, |parents| StoredType::Enum { tag, variants: variants(parents) })
}

/// Decodes a document from its map.
pub fn decode_document<T: Document>(value: RawValue<'_>) -> Result<T, DecodeError> {
    let mut members = value.into_members("a map (M)")?;
    within(|| T::__decode_members(&mut members))
}

/// Encodes a variant without fields as its name.
#[must_use]
pub fn text(name: &'static str) -> AttributeValue {
    AttributeValue::S(name.to_owned())
}

/// Encodes a variant as a map with its name as the only member.
#[must_use]
pub fn named(name: &'static str, value: AttributeValue) -> AttributeValue {
    AttributeValue::M(Item::from([(name.to_owned(), value)]))
}

/// Encodes a variant as the map of its fields, with its name in the member `tag`.
pub fn tagged(tag: &'static str, name: &'static str, mut members: Item) -> Result<AttributeValue, EncodeError> {
    if members.insert(tag.to_owned(), text(name)).is_some() {
        return Err(EncodeError::new(format!(
            "the variant {name:?} has a member with the tag's name, which the tag would overwrite: choose another tag"
        ))
        .at_name(tag));
    }
    Ok(AttributeValue::M(members))
}

/// Returns the name of a variant and the value that is stored under it: NULL for a variant without fields.
pub fn unname(value: RawValue<'_>) -> Result<(String, RawValue<'_>), DecodeError> {
    const EXPECTED: &str = "a variant's name (S), or a map of it (M)";
    if value.descriptor() == "S" {
        return Ok((value.into_text(EXPECTED)?, AttributeValue::Null(true).into()));
    }
    let members = value.into_members(EXPECTED)?;
    let count = members.len();
    match members.into_entries().next() {
        Some(member) if count == 1 => Ok(member),
        _ => Err(DecodeError::new(EXPECTED, format!("a map of {count} members"))),
    }
}

/// Returns the name of a tagged variant and the map of its fields.
pub fn untag<'a>(value: RawValue<'a>, tag: &'static str) -> Result<(String, Members<'a>), DecodeError> {
    const EXPECTED: &str = "a variant's name (S)";
    let mut members = value.into_members("a map (M)")?;
    let name = members.take_out(tag).ok_or_else(|| DecodeError::new(EXPECTED, "no attribute"));
    let name = name.and_then(|name| name.into_text(EXPECTED)).map_err(|error| error.at_name(tag))?;
    Ok((name, members))
}

/// Returns the map that is stored under the name of a variant.
pub fn members<'a>(value: RawValue<'a>, name: &'static str) -> Result<Members<'a>, DecodeError> {
    value.into_members("a map (M)").map_err(|error| error.at_name(name))
}

/// Returns the error for a name that no variant has.
#[must_use]
pub fn unknown_variant(known: &[&str]) -> DecodeError {
    let known: Vec<String> = known.iter().map(|name| format!("{name:?}")).collect();
    DecodeError::new(format!("one of {}", known.join(", ")), "another name")
}

/// The codec of `#[attribute(serde)]` if the feature is off: an error that says so.
#[cfg(not(feature = "serde"))]
pub mod no_serde {
    use super::{AttributeValue, DecodeError, EncodeError};

    #[diagnostic::on_unimplemented(
        message = "`#[attribute(serde)]` needs the feature `serde` of dyno-runtime",
        label = "the feature is off",
        note = "in Cargo.toml: `features = [\"serde\"]` for dyno-runtime"
    )]
    pub trait SerdeFeature {}

    /// Not available.
    pub fn encode<T: SerdeFeature>(_: &T) -> Result<AttributeValue, EncodeError> {
        Err(EncodeError::new("the feature `serde` is off"))
    }

    /// Not available.
    pub fn decode<T: SerdeFeature>(_: AttributeValue) -> Result<T, DecodeError> {
        Err(DecodeError::new("the feature `serde`", "no such feature"))
    }
}

/// Returns the command of a function for which an entity lacks a capability. No call of it compiles.
#[must_use]
pub fn absent<C>() -> C {
    unreachable!("the compiler refuses each call")
}

/// The schema of an entity with errors, which the derive has reported.
pub const STUB: &Schema = &Schema::PLAIN;
