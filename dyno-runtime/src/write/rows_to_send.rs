//! The rows of one request, kept so that the same request can be sent again.

use super::unique_values::ClaimRows;
use crate::attribute::Item;
use crate::exchange::{KeptRow, RowWrite};
use crate::key::key_text;
use crate::schema::Schema;

/// The rows of the request of one write.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) companion: Option<RowWrite>,
    pub(crate) main: RowWrite,
    /// The rows of its unique values.
    pub(crate) claims: ClaimRows,
    /// The copy of `main`, once that has moved into the request. It also has the key for errors.
    kept: Option<KeptRow>,
}

impl Rows {
    pub(crate) fn new(companion: Option<RowWrite>, main: RowWrite) -> Self {
        Self { companion, main, claims: ClaimRows::default(), kept: None }
    }

    /// Adds the rows of the unique values.
    pub(crate) fn with_claims(self, claims: ClaimRows) -> Self {
        Self { claims, ..self }
    }

    /// Returns `true` if the write is a request of its own, and not a transaction of several rows.
    pub(crate) fn is_single(&self) -> bool {
        self.companion.is_none() && self.claims.is_empty()
    }

    /// Takes the write's own row out for a request, and keeps a copy.
    pub(crate) fn take_main(&mut self) -> RowWrite {
        self.kept = Some(KeptRow::new(&self.main));
        self.main.take()
    }

    /// Returns the row that was taken out, once more. `table` is its table.
    pub(crate) fn again(&self, table: &str) -> Option<RowWrite> {
        self.kept.as_ref()?.again(table)
    }

    /// Returns the key of the item as text.
    pub(crate) fn key_text(&self, schema: &Schema) -> Option<String> {
        let key_text = |item: &Item| key_text(item, schema);
        match &self.kept {
            Some(kept) => key_text(&kept.item_or_key()?),
            None => key_text(self.main.item_or_key()),
        }
    }
}
