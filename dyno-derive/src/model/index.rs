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
    /// The attributes of its partition key; numbers are indices of `parts`.
    pub(crate) partition: Vec<KeyAttribute>,
    pub(crate) sort: Vec<KeyAttribute>,
    /// The fields the key is made of, by their index: those of the partition key first.
    pub(crate) parts: Vec<usize>,
    /// How many of them are the partition key's.
    pub(crate) partition_parts: usize,
    /// The stored names of what it holds besides the keys; `None` for whole items.
    pub(crate) projection: Option<Vec<Word>>,
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
