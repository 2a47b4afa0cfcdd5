//! The stored form of types, in depth: the members of documents, the variants of enums, the elements of lists. The schema lock
//! compares it between releases.

use super::AttributeKind;
use std::any::type_name;

/// The stored form of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredType {
    /// A value of this type. It has no parts, or parts that are not known.
    Plain(AttributeKind),
    /// A number with a unit.
    Unit(&'static str),
    /// A value of this type in a form of its own: a string that is a UUID, a number that is an `f32`.
    Form(AttributeKind, &'static str),
    /// An integer from the first to the second.
    Integer(i128, i128),
    /// A list of any length.
    List(Box<Self>),
    /// A list of this length.
    Array(Box<Self>, usize),
    /// This number of bytes.
    Bytes(usize),
    /// A set.
    Set(Box<Self>),
    /// An element of a list that can be NULL.
    Optional(Box<Self>),
    /// A map with any names of the first type, and values of the second one.
    Map(Box<Self>, Box<Self>),
    /// A map of declared members.
    Document(Vec<StoredMember>),
    /// One of several variants, each with its value, if it has one. The tag is the member with the variant's name.
    Enum {
        /// The tag, if the enum has one.
        tag: Option<&'static str>,
        /// The variants by their names.
        variants: Vec<(&'static str, Option<Self>)>,
    },
    /// A document or enum that contains this place, so many documents and enums further out; 1 is the nearest.
    Recursive(usize),
}

/// A declared member of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMember {
    /// The stored name.
    pub name: &'static str,
    /// The type of the value.
    pub stored_type: StoredType,
    /// True if a document without it cannot be decoded.
    pub required: bool,
    /// True if a document without it is read with a default.
    pub has_default: bool,
}

/// The names of the types that contain a place, from the outermost.
pub type Parents = Vec<&'static str>;

/// A function that returns the stored form of a type.
pub(crate) type DescribeType = fn(&mut Parents) -> StoredType;

impl StoredType {
    /// Returns the form of values of a kind, if nothing more is known.
    #[must_use]
    pub const fn of(kind: AttributeKind, range: Option<(i128, i128)>) -> Self {
        match (kind, range) {
            (AttributeKind::N, Some((min, max))) => Self::Integer(min, max),
            _ => Self::Plain(kind),
        }
    }

    /// Returns the form of values with a codec of their own.
    #[must_use]
    pub const fn unknown(_: &mut Parents) -> Self {
        Self::Plain(AttributeKind::Any)
    }

    /// Returns the form of a document or an enum of type `T`. A type that contains itself ends with [`Recursive`](Self::Recursive).
    pub fn nested<T>(parents: &mut Parents, describe: impl FnOnce(&mut Parents) -> Self) -> Self {
        let name = type_name::<T>();
        if let Some(distance) = parents.iter().rev().position(|parent| *parent == name) {
            return Self::Recursive(distance + 1);
        }
        parents.push(name);
        let described = describe(parents);
        parents.pop();
        described
    }
}
