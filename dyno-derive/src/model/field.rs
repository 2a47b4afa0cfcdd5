//! Fields of entities and documents.

use crate::given::{Given, Said, Word};
use syn::{Attribute, Ident, Path, Type};

/// A field of an entity or document.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    /// Without `r#`.
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) storage: Storage,
    /// The name of its attribute, where it has one of its own.
    pub(crate) stored: Word,
    /// Older names, under which the value may still be.
    pub(crate) aliases: Vec<Word>,
    pub(crate) codec: Codec,
    pub(crate) default: DefaultValue,
    pub(crate) access: Access,
    /// What says that it is deprecated.
    pub(crate) deprecated: Option<Attribute>,
    pub(crate) said: Said,
}

impl Field {
    /// The name under which the field is stored as it is.
    pub(crate) fn attribute(&self) -> Option<&Word> {
        match self.storage {
            Storage::Attribute | Storage::AttributeAndTemplate | Storage::Key => Some(&self.stored),
            Storage::Template | Storage::Rest | Storage::Skipped => None,
        }
    }
}

/// Where a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// In an attribute.
    Attribute,
    /// In an attribute, and in a key template: the key is what is read.
    AttributeAndTemplate,
    /// In a key attribute, as it is.
    Key,
    /// In a key template only.
    Template,
    /// It holds the attributes that no other field is stored in.
    Rest,
    /// Nowhere.
    Skipped,
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
    Form(Given<Form>),
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
    Fence,
    /// It stands in keys of indexes, alone or beside fields of the table's key.
    Indexed,
    /// It stands in keys of indexes, beside others.
    Joint,
}

/// Whether a type is written as an `Option`.
pub(crate) fn is_option(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Option"),
        // What a `macro_rules!` macro has put in.
        Type::Group(group) => is_option(&group.elem),
        Type::Paren(paren) => is_option(&paren.elem),
        _ => false,
    }
}

/// Whether a type is one of the language's own that cannot count versions. (What only types can tell of others, the
/// runtime's traits say.)
pub(crate) fn is_uncountable(ty: &Type) -> bool {
    const UNCOUNTABLE: [&str; 12] =
        ["i8", "i16", "i32", "i64", "i128", "isize", "u128", "f32", "f64", "bool", "char", "String"];
    match ty {
        Type::Path(path) => path.path.get_ident().is_some_and(|ident| UNCOUNTABLE.iter().any(|name| ident == name)),
        _ => false,
    }
}
