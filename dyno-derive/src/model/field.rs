//! Fields of entities and documents.

use crate::given::{Given, Said, Word};
use syn::{Attribute, Ident, Path, Type};

/// A field of an entity or document.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    /// The name without `r#`.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) storage: Storage,
    /// The name of its attribute, if it has an attribute of its own.
    pub(crate) stored: Word,
    /// Older names, under which the value may still be.
    pub(crate) aliases: Vec<Word>,
    pub(crate) codec: Codec,
    pub(crate) default: DefaultValue,
    pub(crate) access: Access,
    /// Whether a live item keeps the value that it got first.
    pub(crate) is_immutable: bool,
    /// Its documentation, and the attribute that deprecates it, for its handle.
    pub(crate) described: Vec<Attribute>,
    pub(crate) said: Said,
}

impl Field {
    /// Returns whether NULL stands for an absent value.
    pub(crate) fn is_nullable(&self) -> bool {
        let has_default = !matches!(self.default, DefaultValue::Type);
        is_option(&self.ty) || is_set(&self.ty) || has_default && matches!(self.codec, Codec::Type | Codec::Form(_))
    }

    /// Returns the name under which the field itself is stored.
    pub(crate) fn attribute(&self) -> Option<&Word> {
        match self.storage {
            Storage::Attribute | Storage::AttributeAndTemplate | Storage::Key => Some(&self.stored),
            Storage::Template | Storage::Rest | Storage::Skipped => None,
        }
    }
}

/// The place where a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// In an attribute.
    Attribute,
    /// In an attribute, and in a key template: reads take it from the key.
    AttributeAndTemplate,
    /// In a key attribute, unchanged.
    Key,
    /// In a key template only.
    Template,
    /// The field holds the attributes that no other field stores.
    Rest,
    /// Nowhere.
    Skipped,
}

/// The way in which a field is encoded.
pub(crate) enum Codec {
    /// By its type's `Attribute`.
    Type,
    /// By functions `encode` and `decode` in a module. If the field is an `Option`, they get the value inside it.
    Functions { path: Path, optional: bool },
    /// By serde. If the field is an `Option`, serde gets the value inside it.
    Serde { optional: bool },
    /// As the text that its type, a time, has in this form.
    Form(Given<Form>),
}

/// A form of times as text, named after the runtime's type.
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
    /// Returns whether its texts sort as the times do.
    pub(crate) fn sorts(self) -> bool {
        self != Self::Java
    }

    /// Returns the name of the runtime's type.
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

/// The value that an absent attribute is read as.
pub(crate) enum DefaultValue {
    /// The one that its type declares: `None`, the empty set, or an error.
    Type,
    /// `Default::default()`
    Trait,
    /// The result of this function.
    Function(Path),
}

/// The ways in which an update may change a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Plain,
    Key,
    Guarded,
    Version,
    Fence,
    /// The field is part of index keys, alone or beside fields of the table's key.
    Indexed,
    /// The field is part of index keys, beside other fields.
    Joint,
    /// The field is the vector of an index.
    Vector,
    /// The field is the vector of an index, and is made of other fields.
    Embedding,
    /// The field gets its value once.
    Immutable,
    /// No update sets the field.
    Kept,
}

/// Returns whether a type is written as an `Option`.
pub(crate) fn is_option(ty: &Type) -> bool {
    is_written_as(ty, &["Option"])
}

/// Returns whether a type is written as a set.
fn is_set(ty: &Type) -> bool {
    is_written_as(ty, &["BTreeSet", "HashSet"])
}

fn is_written_as(ty: &Type, names: &[&str]) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name)),
        // A `macro_rules!` macro has inserted the type.
        Type::Group(group) => is_written_as(&group.elem, names),
        Type::Paren(paren) => is_written_as(&paren.elem, names),
        _ => false,
    }
}

/// Returns whether a type is one of the language's own that cannot count versions. For other types, only the runtime's traits
/// can tell.
pub(crate) fn is_uncountable(ty: &Type) -> bool {
    const UNCOUNTABLE: [&str; 12] =
        ["i8", "i16", "i32", "i64", "i128", "isize", "u128", "f32", "f64", "bool", "char", "String"];
    match ty {
        Type::Path(path) => path.path.get_ident().is_some_and(|ident| UNCOUNTABLE.iter().any(|name| ident == name)),
        _ => false,
    }
}
