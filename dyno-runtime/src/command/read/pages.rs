//! Code that is shared by the commands which read many items page by page.

use crate::error::Error;
use crate::exchange::Repository;
use crate::read::{Pages, RawPage, ReadCommand, Returns};
use futures_util::future::BoxFuture;
use std::any::TypeId;

/// Reads a page of a command's items.
pub(in crate::command) fn page(
    command: ReadCommand,
    repository: &Repository,
    entity: TypeId,
) -> BoxFuture<'_, Result<RawPage, Error>> {
    Box::pin(async move {
        let table = repository.table_name_of(entity, command.schema)?;
        Pages::new(repository.clone(), table, command)?.page().await
    })
}

/// Counts a command's items.
pub(in crate::command) fn count(
    mut command: ReadCommand,
    repository: &Repository,
    entity: TypeId,
) -> BoxFuture<'_, Result<u64, Error>> {
    Box::pin(async move {
        if command.options.limit.is_some() {
            let error = Error::invalid("`count` counts all items: leave `limit` out");
            return Err(error.with_context(|| command.context()));
        }
        command.options.returns = Returns::Count;
        // If DynamoDB cannot count, the attributes that tell the item's entity and whether it is live are enough.
        command.options.projection = Some(&[]);
        let table = repository.table_name_of(entity, command.schema)?;
        Pages::new(repository.clone(), table, command)?.count().await
    })
}

/// The start of a read or a `modify_each`: a [`Cursor`](crate::Cursor) or a [`Checkpoint`](crate::Checkpoint), or an `Option` of
/// one, in which `None` is the beginning.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `{C}`",
    label = "expected a `{C}`, or an `Option` of it",
    note = "a text is parsed first: `text.parse::<{C}>()?`; of a page, clone it: `page.cursor.clone()`"
)]
pub trait IntoPlace<C> {
    /// Returns the place to start at, if there is one.
    fn into_place(self) -> Option<C>;
}

impl<C> IntoPlace<C> for C {
    fn into_place(self) -> Option<C> {
        Some(self)
    }
}

impl<C> IntoPlace<C> for Option<C> {
    fn into_place(self) -> Self {
        self
    }
}

/// The methods by which a command limits and continues its result.
macro_rules! paging {
    () => {
        /// Returns at most this many items; 0 is refused. Items that are passed over do not count: the command reads on until it
        /// has this many or there are no more.
        pub fn limit(mut self, items: usize) -> Self {
            self.command.options.limit = Some(items);
            self
        }

        /// Sends a second, equal request if that of a page has not been answered after this time, and takes the first answer: see
        /// [`Repository::hedged`](crate::Repository::hedged).
        pub fn hedge(mut self, after: std::time::Duration) -> Self {
            self.command.options.hedge = Some(after);
            self
        }

        /// Continues after an earlier page or stream; `None` starts at the beginning. The command must ask for the same as then,
        /// in the sense that [`Cursor`] describes, or the cursor is refused.
        pub fn after(mut self, cursor: impl IntoPlace<Cursor>) -> Self {
            self.command.after = cursor.into_place();
            self
        }
    };
}

pub(in crate::command) use paging;

/// The documentation of a command that reads a page: its requests.
macro_rules! page_doc {
    ($operation:literal) => {
        concat!(
            "Reads a page. With a limit, this sends as many `",
            $operation,
            "` requests as it takes to reach the limit; without one, a single request, which reads up to 1 MB. Unless cursors are \
             sealed, a cursor holds the key of the last item returned. So if a request returns no item, and cursors are not \
             sealed, further requests follow.",
        )
    };
}

pub(in crate::command) use page_doc;
