//! Documents: structs and enums that are values inside an item.

use super::{Container, Field};
use crate::given::Word;
use proc_macro2::Span;
use syn::{Ident, Type};

/// A document.
pub(crate) struct Document {
    pub(crate) container: Container,
    pub(crate) shape: Shape,
    /// The name under which an enum stores its variant's name.
    pub(crate) tag: Option<Word>,
    /// The place where the user declared that the variants are in the order of their stored names, if anywhere.
    pub(crate) ordered: Option<Span>,
}

/// How a document is stored.
pub(crate) enum Shape {
    /// M: a struct with named fields.
    Struct(Vec<Field>),
    /// The form of its only field.
    Newtype(Box<Type>),
    /// An enum. Without a tag: S for a variant without fields, M of the variant's name for others. With a tag: M that
    /// contains the variant's name.
    Enum(Vec<Variant>),
}

/// A variant of an enum.
pub(crate) struct Variant {
    pub(crate) ident: Ident,
    pub(crate) name: Word,
    pub(crate) shape: VariantShape,
}

pub(crate) enum VariantShape {
    Unit,
    Newtype(Box<Type>),
    Struct(Vec<Field>),
}
