//! Secondary indexes.

use super::{Case, Key, KeyAttribute, KeyForm, Segment};
use crate::given::Word;
use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt as _;

/// A secondary index.
pub(crate) struct Index {
    pub(crate) name: Word,
    /// The function that queries it.
    pub(crate) query: Ident,
    pub(crate) is_local: bool,
    /// The attributes of its partition key; their numbers are indices into `parts`.
    pub(crate) partition: Vec<KeyAttribute>,
    pub(crate) sort: Vec<KeyAttribute>,
    /// The fields that the key consists of, by their index: those of the partition key first.
    pub(crate) parts: Vec<usize>,
    /// How many of them belong to the partition key.
    pub(crate) partition_parts: usize,
    /// The stored names of the attributes it holds besides the keys; `None` for whole items.
    pub(crate) projection: Option<Vec<Word>>,
    pub(crate) span: Span,
}

impl Index {
    /// Returns the suffix of the name of the index's type.
    pub(crate) fn marker(&self) -> String {
        Case::Pascal.field(&self.query.unraw().to_string())
    }

    /// Returns the attributes of its key.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// Returns the attributes of its key that are templates, with the fields in each. It leaves out those that belong to the
    /// table's key.
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
