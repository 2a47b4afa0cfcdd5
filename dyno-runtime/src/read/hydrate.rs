//! The whole items behind what an index returned.

use super::query::ReadCommand;
use super::query_pages::{Paged, Pages, RawPage};
use super::question::Question;
use super::read_batch::{BatchGetCommand, batch_get};
use super::read_level::Level;
use crate::attribute::RawItem;
use crate::error::Error;
use crate::exchange::{CONCURRENCY, Repository};
use crate::key::key_of;

/// The most items that are read at once: those of one `BatchGetItem`. The keys of a page of 1 MB would lead to gigabytes of items.
const ITEMS: usize = 100;

/// A query or scan of an index, with the place behind which it goes on.
pub(crate) struct HydratedPages {
    repository: Repository,
    table: String,
    command: ReadCommand,
    question: Question,
    /// The number of items that may still be returned, if there is a limit.
    remaining: Option<usize>,
    is_finished: bool,
}

impl HydratedPages {
    pub(crate) fn new(repository: Repository, table: String, command: ReadCommand) -> Result<Self, Error> {
        let pages = Pages::new(repository.clone(), table.clone(), command.clone())?;
        let (question, remaining) = (pages.question(command.filter.clone()), command.options.limit);
        Ok(Self { repository, table, command, question, remaining, is_finished: false })
    }

    /// Reads up to the limit; or without a limit, the items of one request.
    pub(crate) async fn page(mut self) -> Result<RawPage, Error> {
        let mut items = Vec::new();
        while let Some(more) = self.next_page().await? {
            items.extend(more);
            if self.remaining.is_none() {
                break;
            }
        }
        Ok(RawPage { items, cursor: self.command.after })
    }
}

impl Paged for HydratedPages {
    type Row = RawItem;

    /// Reads keys in the index, and the items at these keys.
    async fn next_page(&mut self) -> Result<Option<Vec<RawItem>>, Error> {
        if self.is_finished {
            return Ok(None);
        }
        self.command.options.limit = Some(self.remaining.map_or(ITEMS, |remaining| remaining.min(ITEMS)));
        let Self { repository, table, command, question, .. } = self;
        let page = Pages::new(repository.clone(), table.clone(), command.clone())?.page().await?;
        let keys = page.items.into_iter().map(|hit| Ok(key_of(command.schema, &hit.into_item()))).collect();
        let batch = BatchGetCommand {
            hedge: command.options.hedge,
            ..BatchGetCommand::new(command.schema, keys, Level::default().consistent())
        };
        let read = batch_get(repository, vec![(batch, Ok(table.clone()))], CONCURRENCY).await?;
        let now = repository.now();
        let mut items = Vec::new();
        for item in read.into_iter().flatten() {
            let item = item?.map(RawItem::into_item);
            items.extend(item.filter(|item| question.is_answered_by(now, item)).map(RawItem::from));
        }
        command.after = page.cursor;
        self.remaining = self.remaining.map(|remaining| remaining.saturating_sub(items.len()));
        self.is_finished = self.command.after.is_none() || self.remaining == Some(0);
        Ok(Some(items))
    }
}
