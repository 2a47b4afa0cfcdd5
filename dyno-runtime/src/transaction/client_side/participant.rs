//! A participant: an item that an attempt writes.

use super::attempt_requests::caller;
use super::claim::Claim;
use super::evaluate_action::NewItem;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, Priority, Repository};
use crate::key::{check_certain_size, check_value, distinct};
use crate::schema::Schema;
use crate::schema::names::INTENT;
use crate::transaction::attempt::Row;
use crate::transaction::native::{Action, named};
use crate::transaction::record::{Intent, TransactionId, change_to, image_pages, parked_ttl, row_beside_intent};
use crate::transaction::resolve::{IndexKey, check_index_keys, index_keys};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;
use std::sync::Arc;

/// The depth at which the check of a value in an intent starts: the intent and its member `set` are two maps around it.
const LEVELS: usize = 2;

/// An item that an attempt writes.
#[derive(Clone)]
pub(crate) struct Participant {
    /// The number of its action.
    pub(crate) index: usize,
    /// The index of its row.
    pub(crate) row: usize,
    pub(crate) action: Action,
    pub(crate) at: ItemRef,
    /// The item before the transaction, as far as the attempt knows.
    pub(crate) base: Option<Item>,
    /// Whether the run read the item. If not, the participant assumes that there is none.
    pub(crate) is_read: bool,
    /// The item after the transaction.
    pub(crate) new: NewItem,
    /// The count of evaluations that changed the new item. The keys of its pages contain it.
    edition: u32,
    /// Whether the pages of this edition are written.
    pub(crate) is_paged: bool,
    /// The intent that the attempt prewrites. There is none before the attempt has its transaction ID.
    pub(crate) intent: Option<Intent>,
    /// The claim on its row, and the row's key in the claim.
    pub(crate) claimed: Option<(TransactionId, String)>,
}

impl Participant {
    pub(crate) fn new(index: usize, at: usize, row: &Row, action: Action, new: NewItem) -> Self {
        Self {
            index,
            row: at,
            action,
            at: ItemRef { table: row.tables.main.clone(), key: row.key.clone() },
            base: row.read.clone().flatten(),
            is_read: row.read.is_some(),
            new,
            edition: 1,
            is_paged: false,
            intent: None,
            claimed: None,
        }
    }

    pub(crate) fn schema(&self) -> &'static Schema {
        self.action.command.schema
    }

    /// The version that the transaction stores.
    pub(crate) fn version(&self) -> Option<u64> {
        self.schema().version.as_ref()?.of(&self.new.item)
    }

    /// Replaces the new item, after the action was evaluated again.
    pub(crate) fn replace(&mut self, new: NewItem) {
        if self.new.item != new.item {
            (self.edition, self.is_paged) = (self.edition + 1, false);
        }
        self.new = new;
    }

    /// Notes that the claim covers its row, if it does.
    pub(crate) fn note_claim(&mut self, claim: &Claim) -> Result<(), Error> {
        let name = distinct(&self.at.table, self.schema(), &self.at.key)?;
        self.claimed = claim.covers(&name).then(|| (claim.transaction_id.clone(), name));
        Ok(())
    }

    pub(crate) fn caller<'a>(&self, priority: &'a Priority) -> Caller<'a> {
        caller(self.schema().entity, priority)
    }

    /// Adds to an error which action of the transaction caused it.
    pub(crate) fn named<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| named(error, self.index, &self.action))
    }

    /// Sets the intent of this attempt. The transaction ID becomes the write id of the new item. A change that no request could
    /// prewrite or roll forward is an error (M12).
    pub(crate) fn intend(&mut self, transaction_id: &TransactionId, priority: &Priority) -> Result<&Intent, Error> {
        let schema = self.schema();
        if let Some(write_id) = &schema.write_id {
            self.new.item.insert(write_id.attribute.to_owned(), AttributeValue::S(transaction_id.to_string()));
        }
        let base = self.base.as_ref();
        let intent = Intent {
            transaction_id: transaction_id.clone(),
            since: priority.since,
            change: change_to(schema, &self.at.key, base, &self.new.item),
            is_new: base.is_none(),
            parked: parked_ttl(schema, base),
            pages: None,
            revision_row: self.new.revision_row.clone(),
        };
        let is_too_large = check_certain_size(&self.row_with(&intent)).is_err();
        let pages = || format!("{}.{}", self.index, self.edition);
        let intent = if is_too_large { intent.in_pages(pages()) } else { intent };
        self.named(self.check(&intent))?;
        Ok(self.intent.insert(intent))
    }

    fn check(&self, intent: &Intent) -> Result<(), Error> {
        for (name, value) in &intent.change.set {
            let value = check_value(value, LEVELS).map_err(|error| error.at_name(name.clone()));
            value.map_err(|error| Error::from(error).of("in the transaction's pending change"))?;
        }
        // The transaction ID can be longer than the write id that the evaluation gave to the item.
        check_certain_size(&self.new.item)?;
        for page in image_pages("", intent, intent.since) {
            let size = page.item().map(check_certain_size).transpose();
            size.map_err(|error| error.of("a page of the transaction's pending change"))?;
        }
        if let Some(revision_row) = &intent.revision_row {
            let check = |image: Item| {
                let size = check_certain_size(&revision_row.with_image(image));
                size.map_err(|error| error.of("the revision in the history"))
            };
            if revision_row.is_superseded {
                check(self.base.clone().unwrap_or_default())?;
            }
            // If the history keeps the superseded item, the new item must fit as well, or it could never be changed or deleted.
            check(self.new.item.clone())?;
        }
        let size = check_certain_size(&self.row_with(intent));
        size.map_err(|error| error.of("the stored item with the transaction's pending change"))
    }

    /// Returns the row with its intent.
    pub(crate) fn row_with(&self, intent: &Intent) -> Item {
        let mut row = row_beside_intent(self.schema(), &self.at.key, self.base.as_ref());
        row.insert(INTENT.to_owned(), intent.value());
        row
    }
}

/// Refuses a new item with an invalid value for the key of an index, also of an index that the entity does not declare: after the
/// commit, no process could roll the change forward (M12).
pub(crate) async fn check_indexes(
    repository: &Repository,
    caller: Caller<'_>,
    participants: &[Participant],
) -> Result<(), Error> {
    let mut known: HashMap<&str, Arc<[IndexKey]>> = HashMap::new();
    for participant in participants {
        let table = &*participant.at.table;
        if !known.contains_key(table) {
            known.insert(table, index_keys(repository, caller, table).await);
        }
        let keys = known.get(table).map(|keys| &**keys).unwrap_or_default();
        participant.named(check_index_keys(keys, &participant.new.item))?;
    }
    Ok(())
}
