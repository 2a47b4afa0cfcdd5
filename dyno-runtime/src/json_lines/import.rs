//! The command that writes a row as it is in a line.

use super::line::{Line, refuse_held};
use super::table::{Described, about};
use crate::attribute::{Item, equal_items};
use crate::command::{Input, Prepared, sealed};
use crate::error::{Error, ErrorKind};
use crate::exchange::{Answer, Ask, Attempts, Repeat, Repository, RowWrite, write_row};
use crate::key::Identity;
use std::fmt;
use std::sync::Arc;

/// Writes a row as it is in a line: see [`Table::import`](super::Table::import).
#[derive(Clone)]
#[must_use = "a command does nothing until it is sent"]
pub struct Import {
    table: Arc<Described>,
    row: Arc<Result<Row, Error>>,
}

/// A row, and its key.
struct Row {
    key: Item,
    row: Item,
}

impl Import {
    pub(super) fn new(table: Arc<Described>, line: &str) -> Self {
        let row = line.parse().and_then(|line: Line| {
            let row = line.into_item();
            refuse_held(&row)?;
            Ok(Row { key: table.key_of(&row)?, row })
        });
        Self { table, row: Arc::new(row) }
    }

    /// Sends a `PutItem` that is refused if a row has the key. An equal row is accepted, so you can import a line again. It costs the
    /// write units of the row's size.
    ///
    /// If you drop the future, the row may be written or not: import the line again.
    ///
    /// # Errors
    /// The line is garbled, or has not the table's key ([`Error::is_invalid_input`]). A client-side transaction held the row when it was
    /// exported ([`Error::is_contended`]). Another row has the key ([`Error::is_refused`]): it stays as it is. Or those of the service.
    pub async fn send(self, repository: &Repository) -> Result<(), Error> {
        let table = &self.table.name;
        let Row { row, .. } = self.row.as_ref().as_ref().map_err(Error::share)?;
        let attempts = Attempts::default();
        let ask = Ask::write(about("import", table), &attempts, Repeat::Freely);
        let put = RowWrite::put_new(table, row.clone(), self.table.partition().to_owned());
        match write_row(repository, ask, put).await {
            Ok(Answer::Done(_)) => Ok(()),
            Ok(Answer::Denied(Some(stored))) if equal_items(&stored, row) => Ok(()),
            Ok(Answer::Denied(_)) => {
                let message = format!(
                    "the table `{table}` has another row with the key of the line, and the import leaves it unchanged"
                );
                // An attempt whose answer was lost may have written the row, and another writer changed it since.
                let refused = Error::new(ErrorKind::Refused, message);
                Err(attempts.mark_in_doubt(refused, "load the row and decide"))
            }
            Err(error) => Err(attempts.mark_in_doubt(error, "import the line again")),
        }
    }
}

impl sealed::Sealed for Import {}

impl Input for Import {
    type Output = ();

    fn __prepare(self, repository: &Repository) -> Prepared<()> {
        let key = self.row.as_ref().as_ref().ok().map(|row| Identity::of_key(0, &row.key));
        let repository = repository.clone();
        Prepared::new(key, Box::pin(async move { self.send(&repository).await }))
    }
}

impl fmt::Debug for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Import").field("table", &self.table.name).finish_non_exhaustive()
    }
}
