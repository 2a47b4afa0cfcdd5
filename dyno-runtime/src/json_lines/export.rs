//! The command that reads all rows of a table.

use super::line::{Line, is_known, refuse_held};
use super::table::{Described, about};
use crate::attribute::Item;
use crate::command::IntoPlace;
use crate::error::{Error, ErrorKind};
use crate::exchange::{Repository, scan_page, set_some};
use crate::key::{Asked, Fingerprint};
use crate::read::{Cursor, Paged, Place, check_segment, rows};
use futures_core::Stream;
use futures_util::stream::{BoxStream, StreamExt as _, empty};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Reads all rows of a table, in no order: see [`Table::export`](super::Table::export).
#[derive(Clone)]
#[must_use = "a command does nothing until it is sent"]
pub struct Export {
    table: Arc<Described>,
    segment: Option<(u32, u32)>,
    after: Option<Cursor>,
}

impl Export {
    pub(super) fn new(table: Arc<Described>) -> Self {
        Self { table, segment: None, after: None }
    }

    /// Reads only this one of `of` segments, counted from 0: to spread one export over several tasks, each with a file of its own.
    pub fn segment(mut self, segment: u32, of: u32) -> Self {
        self.segment = Some((segment, of));
        self
    }

    /// Continues behind an earlier line; `None` starts at the beginning. The table and the segment must be the same.
    pub fn after(mut self, cursor: impl IntoPlace<Cursor>) -> Self {
        self.after = cursor.into_place();
        self
    }

    /// Reads row by row, by consistent `Scan` requests, each of up to 1 MB: a read unit for each 4 KB. To spend a limited number of
    /// units a second, read with [`Repository::paced`].
    pub fn stream(self, repository: &Repository) -> Lines {
        let (asked, table) = (self.asked(), Arc::clone(&self.table));
        Lines { rows: rows(self.pages(repository)), repository: repository.clone(), table, asked, last: None }
    }

    fn pages(self, repository: &Repository) -> Result<Pages, Error> {
        let (asked, segment) = (self.asked(), check_segment(self.segment)?);
        let start = self.after.map(|cursor| {
            let key = cursor.open(asked, repository.seal())?.into_item();
            self.table.key_of(&key)
        });
        let start = start.transpose()?;
        Ok(Pages { repository: repository.clone(), table: self.table, segment, start, is_finished: false })
    }

    /// Returns the fingerprint of the export, for its cursors.
    fn asked(&self) -> Asked {
        let mut asked = Fingerprint::new();
        asked.text("export");
        asked.text(&self.table.name);
        let (segment, of) = self.segment.unwrap_or((0, 1));
        asked.number(segment.into());
        asked.number(of.into());
        asked.finish()
    }
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export")
            .field("table", &self.table.name)
            .field("segment", &self.segment)
            .finish_non_exhaustive()
    }
}

/// The pages of an export.
struct Pages {
    repository: Repository,
    table: Arc<Described>,
    segment: Option<(u32, u32)>,
    start: Option<Item>,
    is_finished: bool,
}

impl Paged for Pages {
    type Row = Item;

    async fn next_page(&mut self) -> Result<Option<Vec<Item>>, Error> {
        if self.is_finished {
            return Ok(None);
        }
        let (repository, table) = (&self.repository, &self.table.name);
        let mut scan = repository.sender().scan().table_name(table).consistent_read(true);
        set_some!(scan, set_segment: self.segment.and_then(|(segment, _)| i32::try_from(segment).ok()));
        set_some!(scan, set_total_segments: self.segment.and_then(|(_, of)| i32::try_from(of).ok()));
        let limit = repository.items_of_page("Scan", table).map(|items| i32::try_from(items).unwrap_or(i32::MAX));
        set_some!(scan, set_limit: limit);
        let (rows, next) = scan_page(repository, about("export", table), scan, self.start.take()).await?;
        self.is_finished = next.is_none();
        self.start = next;
        Ok(Some(rows))
    }
}

/// The rows of an [`Export`], one by one: a [`Stream`], which also has [`next`](Self::next), so that you need no stream library.
///
/// A row that a client-side transaction holds is an error ([`Error::is_contended`]), because a copy of it would mean nothing without the
/// transaction: settle it with a [`Sweep`](crate::Sweep), and continue after the cursor. An error ends the stream.
#[must_use = "a stream does nothing until it is read"]
pub struct Lines {
    rows: BoxStream<'static, Result<Item, Error>>,
    repository: Repository,
    table: Arc<Described>,
    asked: Asked,
    /// The place after the last line, if there was one.
    last: Option<Place>,
}

impl Lines {
    /// Returns the next line; `None` when there are no more.
    pub async fn next(&mut self) -> Option<Result<Line, Error>> {
        futures_util::stream::StreamExt::next(self).await
    }

    /// Returns the cursor after the last line returned, to continue from there another time; `None` before the first line.
    ///
    /// # Errors
    /// As for [`Items::cursor`](crate::command::Items::cursor).
    pub fn cursor(&self) -> Result<Option<Cursor>, Error> {
        let cursor = |place| Cursor::new(self.asked, place, self.repository.seal());
        self.last.clone().map(cursor).transpose()
    }

    fn advance(&mut self, row: Result<Item, Error>) -> Result<Line, Error> {
        let row = row?;
        let key = self.table.key_of(&row)?;
        refuse_held(&row).map_err(|error| error.of(&format!("the table `{}`", self.table.name)))?;
        if !row.values().all(is_known) {
            let message =
                format!("a row of the table `{}` has a value of a type that this SDK does not know", self.table.name);
            return Err(Error::new(ErrorKind::Decode, message));
        }
        self.last = Some(Place::reached(key));
        Ok(row.into())
    }
}

impl Stream for Lines {
    type Item = Result<Line, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let row = self.rows.poll_next_unpin(context);
        row.map(|row| {
            let line = self.advance(row?);
            if line.is_err() {
                // Behind a row that is left out, the cursor would pass over it.
                self.rows = empty().boxed();
            }
            Some(line)
        })
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("table", &self.table.name).field("last", &self.last).finish_non_exhaustive()
    }
}
