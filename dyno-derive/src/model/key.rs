//! Keys: of the table, and of its indexes.

use crate::given::Word;

/// An entity's key.
pub(crate) struct Key {
    pub(crate) partition: KeyAttribute,
    pub(crate) sort: Option<KeyAttribute>,
    /// The fields that the key consists of, by their index: those of the partition key, then those of the sort key alone.
    pub(crate) parts: Vec<usize>,
    /// How many of them belong to the partition key.
    pub(crate) partition_parts: usize,
}

impl Key {
    /// Returns the partition key, and the sort key if there is one.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// Returns whether the sort key has fields that the partition key does not have.
    pub(crate) fn has_sort_fields(&self) -> bool {
        self.parts.len() > self.partition_parts
    }

    /// Returns whether an attribute of this name is part of the key.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes().any(|key| *key.name == *name)
    }

    /// Counts the key attributes that are templates.
    pub(crate) fn templates(&self) -> usize {
        self.attributes().filter(|key| matches!(key.form, KeyForm::Template(_))).count()
    }
}

/// A partition or sort key.
#[derive(Clone)]
pub(crate) struct KeyAttribute {
    pub(crate) name: Word,
    pub(crate) form: KeyForm,
}

impl KeyAttribute {
    /// Returns whether the texts around the holes are the same.
    pub(crate) fn has_text_of(&self, other: &Self) -> bool {
        match (&self.form, &other.form) {
            (KeyForm::Template(one), KeyForm::Template(other)) => {
                one.iter().map(Segment::shape).eq(other.iter().map(Segment::shape))
            }
            _ => false,
        }
    }
}

/// The source of a key's value; numbers are indices into the key's `parts`.
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
    /// Returns the segment's text or width, without its field.
    fn shape(&self) -> (Option<&str>, usize) {
        match self {
            Self::Literal(literal) => (Some(literal), 0),
            Self::Hole { width, .. } => (None, *width),
        }
    }
}
