//! Typed handles of stored attributes, and of places within them. The derive generates one for each field. This file has the
//! handle with its codec, and the other files have its conditions and its changes.

pub(crate) mod absent_fields;
mod change;
mod changes;
mod codec;
mod comparisons;
mod condition;
mod conditions;
mod document;
mod embedding;
mod formats;
mod keys;
mod raw_changes;
mod raw_conditions;

pub use change::{Change, IntoChanges, RawChanges};
#[doc(hidden)]
pub use codec::Codec;
pub use condition::Condition;
pub use conditions::Size;
pub use document::Document;
pub use keys::{IntoFields, Joint, KeyField};
#[doc(hidden)]
pub use keys::{decode_key, decode_stored_key};

#[cfg(not(feature = "model"))]
use crate::attribute::StoredType;
use crate::attribute::{Attribute, AttributeKind, DescribeType, Members, Parents, StoredMember};
use crate::entity::Entity;
use crate::error::{DecodeError, Step};
use crate::expression::Path;
use crate::schema::StoredAttribute;
use codec::{Decode, Encode};
use std::fmt;
use std::marker::PhantomData;

/// The operations that a field allows: the third parameter of [`Field`].
pub mod access {
    pub use super::formats::{Formatted, OwnForm, SameForm, StoredAs};
    use std::marker::PhantomData;

    /// An ordinary field: conditions, filters, changes.
    #[derive(Debug)]
    pub enum Plain {}
    /// A key field: conditions only.
    #[derive(Debug)]
    pub enum Key {}
    /// A ratchet's token, or a field that the ratchet guards: conditions and filters; changed with its group.
    #[derive(Debug)]
    pub enum Guarded {}
    /// The version: conditions and filters; every write raises it.
    #[derive(Debug)]
    pub enum Counted {}
    /// The fence: conditions and filters; set by `.fenced(…)`.
    #[derive(Debug)]
    pub enum Fenced {}
    /// A field that is unique, or part of an index's key: it can be set or cleared, which claims the value, or rewrites the key.
    #[derive(Debug)]
    pub enum Indexed {}
    /// A field that is unique, or part of an index's key, with other fields: they are set together.
    #[derive(Debug)]
    pub enum Joint {}
    /// The vector of an index: it can be set as a whole.
    #[derive(Debug)]
    pub enum Vector {}
    /// The vector of an index, made of other fields: it is set together with them, or by `embed`; it can be cleared.
    #[derive(Debug)]
    pub enum Embedding {}
    /// An immutable field: it can be set where an item has no value yet.
    #[derive(Debug)]
    pub enum Immutable {}
    /// A field that no update changes: conditions and filters.
    #[derive(Debug)]
    pub enum Kept {}
    /// A field with a codec of its own, and otherwise with the access `A`.
    #[derive(Debug)]
    pub struct Coded<A = Plain>(PhantomData<A>);
}

/// Fields that an update can change one by one.
#[diagnostic::on_unimplemented(
    message = "this field cannot be changed on its own",
    label = "no change of this field alone",
    note = "a key field never changes: delete the item and create one under the new key",
    note = "a ratchet's token, and the fields it guards, change together: start from the update's method of the ratchet's name",
    note = "a version is raised by every write: say with `.version(…)` which one the update changes",
    note = "a fence is set by the write that is fenced: `.fenced(&held)`",
    note = "an immutable field is set once: `set_if_absent`, or the put of a whole item",
    note = "a text and its embedding are set together, `fields.text_and_embedding.set((…, …))`, or the embedding later: `embed`",
    note = "the time of a write, `#[created]` or `#[updated]`, is set by the write",
    note = "fields that are unique together, or stand in the key of an index together, are set together, so that the value is known: `fields.one_and_other.set((…, …))`"
)]
pub trait Settable {}

impl Settable for access::Plain {}
impl Settable for access::Indexed {}
impl Settable for access::Vector {}
impl<A: Settable> Settable for access::Coded<A> {}

/// Fields that an update can remove: those of [`Settable`], and a vector that is made of other fields.
#[diagnostic::on_unimplemented(
    message = "this field cannot be removed on its own",
    label = "no change of this field alone",
    note = "a key field never changes; tokens, versions, fences and the times of writes are set by the write itself",
    note = "fields that are unique together, stand in the key of an index together, or are guarded by one ratchet, change together",
    note = "an immutable field keeps its value"
)]
pub trait Clearable {}

impl<A: Settable> Clearable for A {}
impl Clearable for access::Embedding {}

/// Fields that an update can set where an item has no value: those of [`Settable`], and immutable ones as a whole.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set on its own",
    label = "no change of this field alone",
    note = "a key field never changes; tokens, versions, fences and the times of writes are set by the write itself",
    note = "an immutable document is set once, as a whole, and an immutable field in the key of an index by the put of a whole item"
)]
pub trait SettableOnce<P> {}

impl<A: Settable, P> SettableOnce<P> for A {}
impl SettableOnce<Top> for access::Immutable {}
impl SettableOnce<Top> for access::Coded<access::Immutable> {}

/// Fields that can be changed without knowing the new value.
#[diagnostic::on_unimplemented(
    message = "this field is unique, stands in the key of an index, or is its vector, and changes as a whole",
    label = "`set` it to a value that is known here, or `clear` it",
    note = "the update cannot know the value that DynamoDB computes, and so neither the unique value nor the key: load the item, and `set` the new value"
)]
pub trait ServerComputed {}

impl ServerComputed for access::Plain {}
impl ServerComputed for access::Key {}
impl ServerComputed for access::Guarded {}
impl ServerComputed for access::Counted {}
impl ServerComputed for access::Fenced {}
impl ServerComputed for access::Joint {}
impl ServerComputed for access::Immutable {}
impl ServerComputed for access::Kept {}
impl<A: ServerComputed> ServerComputed for access::Coded<A> {}

/// Fields that are stored as their type says, so that DynamoDB's own operations on that type make sense.
#[diagnostic::on_unimplemented(
    message = "this field has a codec of its own, which alone knows how it is stored",
    label = "not for a field with `#[attribute(serde)]`, `with = …` or `format = \"java\"`",
    note = "`set`, `clear`, `eq`, `ne`, `is_in` and `exists` go through the codec"
)]
pub trait StoredNatively {}

impl StoredNatively for access::Plain {}
impl StoredNatively for access::Key {}
impl StoredNatively for access::Guarded {}
impl StoredNatively for access::Counted {}
impl StoredNatively for access::Fenced {}
impl StoredNatively for access::Indexed {}
impl StoredNatively for access::Joint {}
impl StoredNatively for access::Immutable {}
impl StoredNatively for access::Kept {}
impl StoredNatively for access::Vector {}
impl StoredNatively for access::Embedding {}

/// Types that have a value for "absent": options and sets.
#[diagnostic::on_unimplemented(
    message = "an item cannot do without a `{Self}`",
    label = "this attribute is required",
    note = "make the field an `Option` to be able to remove it"
)]
pub trait Optional {}

impl<T> Optional for Option<T> {}
impl<T> Optional for std::collections::BTreeSet<T> {}
impl<T, S> Optional for std::collections::HashSet<T, S> {}

/// The place of the value of a [`Field`]: [`Top`] or [`Nested`].
pub trait Place {
    /// Returns the path to it.
    #[doc(hidden)]
    fn __path(&self) -> Path;
}

/// The place of an attribute.
#[derive(Clone, Copy, Debug)]
pub struct Top(&'static str);

/// A place within an attribute: a member of a document, an entry of a map.
#[derive(Clone, Debug)]
pub struct Nested(Path);

impl Place for Top {
    fn __path(&self) -> Path {
        self.0.into()
    }
}

impl Place for Nested {
    fn __path(&self) -> Path {
        self.0.clone()
    }
}

/// Places of whole attributes.
#[diagnostic::on_unimplemented(
    message = "only a set that is an attribute can be changed by elements",
    label = "this set is a member of a document, or an entry of a map",
    note = "DynamoDB's ADD and DELETE take top-level attributes (API reference, UpdateItem): `set` the whole set here"
)]
pub trait TopLevel: Place {}

impl TopLevel for Top {}

/// The handle of one stored attribute of `E`, or of a place within one, of type `T`: its place and its codec.
///
/// You make conditions and changes from it: see `E::fields()`. A condition borrows the handle and a change takes it. DynamoDB
/// does not accept two changes of one place in an update, and so they do not compile:
///
/// ```compile_fail,E0382
/// # use dyno::Entity;
/// # #[derive(Entity)] struct Post { #[partition_key] id: String, likes: u64 }
/// let f = Post::fields();
/// let update = Post::update("1").with([f.likes.add(1), f.likes.set(0)]); // used after a move
/// ```
///
/// If a condition and a change are about the same field, the condition comes first:
///
/// ```
/// # use dyno::Entity;
/// # #[derive(Entity)] struct Post { #[partition_key] id: String, likes: u64 }
/// let f = Post::fields();
/// let update = Post::update("1").condition(f.likes.lt(10)).with(f.likes.add(1));
/// ```
pub struct Field<E, T, A = access::Plain, P = Top> {
    /// The codec that encodes and decodes the value.
    #[doc(hidden)]
    pub __codec: Codec<T, P>,
    owner: PhantomData<fn() -> (E, A)>,
}

impl<E, T, A, P: Place> fmt::Debug for Field<E, T, A, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Field").field(&self.path().to_string()).finish()
    }
}

/// The constructors and accessors that generated code uses.
#[doc(hidden)]
impl<E, T, A> Field<E, T, A> {
    /// Creates a field with this codec.
    #[must_use]
    pub const fn __coded(name: &'static str, encode: Encode<T>, decode: Decode<T>, required: bool) -> Self {
        Self::of(Codec::new(Top(name), encode, decode, required))
    }

    /// Declares whether NULL stands for an absent attribute, because it is not a value of the type.
    #[must_use]
    pub const fn __null_is_absent(mut self, null_is_absent: bool) -> Self {
        self.__codec.null_is_absent = null_is_absent;
        self
    }

    /// Declares the type of the stored value, and the same in depth.
    #[must_use]
    pub const fn __of_type(mut self, kind: AttributeKind, stored_type: DescribeType) -> Self {
        self.__codec.kind = kind;
        #[cfg(feature = "model")]
        {
            self.__codec.stored_type = stored_type;
        }
        #[cfg(not(feature = "model"))]
        let _ = stored_type;
        self
    }

    /// Returns the entry of a document's member in the stored form of its document.
    #[must_use]
    pub fn __described(&self, parents: &mut Parents) -> StoredMember {
        let Codec { place: Top(name), required, default, kind, .. } = self.__codec;
        #[cfg(feature = "model")]
        let (_, stored_type) = (kind, (self.__codec.stored_type)(parents));
        #[cfg(not(feature = "model"))]
        let (_, stored_type) = (parents, StoredType::Plain(kind));
        StoredMember { name, stored_type, required, has_default: default.is_some() }
    }

    /// Adds older names, under which the value may still be stored.
    #[must_use]
    pub const fn __also(mut self, aliases: &'static [&'static str]) -> Self {
        self.__codec.aliases = aliases;
        self
    }

    /// Adds a default for items that lack the attribute.
    #[must_use]
    pub const fn __or(mut self, default: fn() -> T) -> Self {
        self.__codec.default = Some(default);
        self.__codec.required = false;
        self
    }

    /// Returns the attribute's entry in the schema.
    #[must_use]
    pub const fn __stored(self, field: &'static str) -> StoredAttribute {
        let Codec { place: Top(name), default, required, aliases, kind, .. } = self.__codec;
        StoredAttribute {
            name,
            aliases,
            field,
            kind,
            required,
            has_default: default.is_some(),
            nullable: self.__codec.is_nullable(),
            #[cfg(feature = "model")]
            stored_type: self.__codec.stored_type,
        }
    }

    /// Returns the attribute's name, for projections.
    #[must_use]
    pub const fn __attribute(&self) -> &'static str {
        self.name()
    }

    /// Takes the field's value out of an item. The value of a key stays in the item, so that errors can name the item.
    pub fn __project(self, item: &mut Members<'_>) -> Result<T, DecodeError>
    where
        E: Entity,
    {
        self.__codec.project(E::SCHEMA, item)
    }

    /// Sets a field that changes only together with its group.
    pub fn __set(self, value: &T) -> Change<E> {
        self.change(value)
    }

    /// Returns the handle of a member within the document at `place`.
    #[must_use]
    pub fn __within<F, B>(self, place: &Nested) -> Field<F, T, B, Nested> {
        let Codec { place: Top(name), encode, decode, default, required, null_is_absent, kind, .. } = self.__codec;
        let place = Nested(place.0.then(Step::Name(name.into())));
        Field::of(Codec {
            place,
            encode,
            decode,
            default,
            required,
            null_is_absent,
            aliases: &[],
            kind,
            #[cfg(feature = "model")]
            stored_type: self.__codec.stored_type,
        })
    }
}

impl<E, T, A> Field<E, T, A> {
    /// Returns the attribute's stored name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.__codec.place.0
    }
}

impl<E, T, A, P> Field<E, T, A, P> {
    const fn of(codec: Codec<T, P>) -> Self {
        Self { __codec: codec, owner: PhantomData }
    }
}

impl<E, T, A, P: Place> Field<E, T, A, P> {
    fn path(&self) -> Path {
        self.__codec.place.__path()
    }

    /// Returns the handles of a document's members, for conditions and changes.
    ///
    /// If the document is absent, its members cannot be changed: a change of one is refused with
    /// [`Reason::Absent`](crate::Reason::Absent).
    #[must_use]
    pub fn fields<F>(self) -> F
    where
        A: StoredNatively,
        T: Attribute,
        // `F` is a parameter, because an associated type in the return type would not report an error of this bound.
        T::Present: Document<Fields<E, A> = F>,
    {
        <T::Present as Document>::__fields::<E, A>(Nested(self.path()))
    }
}
