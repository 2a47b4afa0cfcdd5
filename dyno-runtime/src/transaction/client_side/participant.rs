//! A participant: an item that an attempt writes, as it is and as it will be.

use super::claim::Claim;
use super::evaluate_action::Made;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, Priority, Repository};
use crate::key::{check_bytes, check_size, check_value, distinct, item_size};
use crate::rule::Expected;
use crate::schema::names::INTENT;
use crate::transaction::closure::{EntityRef, Row};
use crate::transaction::native::{Action, named};
use crate::transaction::record::{Base, Intent, RevisionRow, TransactionId, image_pages, intended, parked, standing};
use crate::transaction::resolve::{IndexKey, check_index_keys, index_keys};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;
use std::sync::Arc;

/// The levels of nesting that an intent takes from the values in it: both engines accept 31 without it, and 29 with it.
const LEVELS: usize = 3;

/// The operation, as errors and events call it.
pub(crate) const OPERATION: &str = "transaction";

#[derive(Clone)]
pub(crate) struct Participant {
    /// The number of its action.
    pub(crate) index: usize,
    /// The index of its row.
    pub(crate) row: usize,
    pub(crate) action: Action,
    pub(crate) of: EntityRef,
    pub(crate) at: ItemRef,
    /// The item that is there, or is assumed to be there.
    pub(crate) base: Option<Item>,
    /// Whether the item was read. If not, the participant assumes that there is none.
    pub(crate) is_read: bool,
    /// The item after the transaction.
    pub(crate) made: Item,
    pub(crate) version: Option<u64>,
    /// The version that the action expects.
    pub(crate) expected: Option<Expected>,
    /// The table of its history, if it has one, and the revision that goes with the change.
    pub(crate) history: Option<String>,
    pub(crate) revision_row: Option<RevisionRow>,
    /// How often the new item was evaluated, and whether the pages of this edition are written.
    edition: u32,
    pub(crate) is_paged: bool,
    /// The intent to prewrite.
    pub(crate) intent: Option<Intent>,
    /// The claim on its row, and the row's name in it.
    pub(crate) claimed: Option<(TransactionId, String)>,
}

impl Participant {
    pub(crate) fn new(index: usize, at: usize, row: &Row, action: Action, made: Made) -> Self {
        let of = row.of;
        let mut participant = Self {
            index,
            row: at,
            action,
            of,
            at: ItemRef { table: row.tables.main.clone(), key: row.key.clone() },
            base: row.read.clone().flatten(),
            is_read: row.read.is_some(),
            made: Item::new(),
            version: None,
            expected: None,
            history: row.tables.history.clone(),
            revision_row: None,
            edition: 0,
            is_paged: false,
            intent: None,
            claimed: None,
        };
        participant.become_this(made);
        participant
    }

    /// Takes the new item.
    pub(crate) fn become_this(&mut self, Made { item, expected, revision }: Made) {
        self.version = self.of.schema.version.as_ref().and_then(|version| version.of(&item));
        self.expected = expected;
        self.revision_row = revision.map(|revision| RevisionRow::new(self.of.schema, *revision));
        if self.made != item {
            self.made = item;
            (self.edition, self.is_paged) = (self.edition + 1, false);
        }
    }

    /// Notes the claim on its row, if there is one.
    pub(crate) fn claim(&mut self, claim: &Claim) -> Result<(), Error> {
        let name = distinct(&self.at.table, self.of.schema, &self.at.key)?;
        self.claimed = claim.has(&name).then(|| (claim.transaction_id.clone(), name));
        Ok(())
    }

    pub(crate) fn caller<'a>(&self, priority: &'a Priority) -> Caller<'a> {
        Caller { operation: OPERATION, entity: self.of.schema.entity, priority: Some(priority) }
    }

    pub(crate) fn base(&self) -> Base<'_> {
        match (&self.claimed, self.base.as_ref()) {
            (Some((claim, _)), base) => Base::Claimed(base, claim),
            (None, None) => Base::Nothing,
            (None, Some(item)) => Base::Row(item),
        }
    }

    /// Makes the intent of this attempt. The transaction ID becomes the write id of the item.
    pub(crate) fn intend(&mut self, transaction_id: &TransactionId, priority: &Priority) -> &Intent {
        let schema = self.of.schema;
        if let Some(write_id) = &schema.write_id {
            self.made.insert(write_id.attribute.to_owned(), AttributeValue::S(transaction_id.to_string()));
        }
        let base = self.base.as_ref();
        let intent = Intent {
            transaction_id: transaction_id.clone(),
            since: priority.since,
            change: intended(schema, &self.at.key, base, &self.made),
            is_new: base.is_none(),
            parked: parked(schema, base),
            pages: None,
            revision_row: self.revision_row.clone(),
        };
        let is_too_large = check_bytes(item_size(&self.with(&intent))).is_err();
        let pages = || format!("{}.{}", self.index, self.edition);
        let intent = if is_too_large { intent.in_pages(pages()) } else { intent };
        self.intent.insert(intent)
    }

    /// Refuses a change that no request could prewrite or roll forward (M12).
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Some(intent) = &self.intent else { return Ok(()) };
        let named = |error: Error| named(error, self.index, &self.action);
        for (name, value) in &intent.change.set {
            let value = check_value(value, LEVELS).map_err(|error| error.at_name(name.clone()));
            value.map_err(|error| named(Error::from(error).of("within what the transaction intends")))?;
        }
        // The transaction ID can be longer than the write id that was there when the item was evaluated.
        check_size(&self.made).map_err(named)?;
        for page in image_pages("", intent, intent.since) {
            let size = page.item().map(check_size).transpose();
            size.map_err(|error| named(error.of("a page of what the transaction intends")))?;
        }
        if let Some(revision_row) = &intent.revision_row {
            let image =
                if revision_row.is_superseded { self.base.clone().unwrap_or_default() } else { self.made.clone() };
            check_size(&revision_row.holding(image)).map_err(|error| named(error.of("the revision in the history")))?;
            // The new item must also fit into the history, or it could never be changed or deleted.
            let later = revision_row.is_superseded.then(|| check_size(&revision_row.holding(self.made.clone())));
            later.transpose().map_err(|error| named(error.of("the revision in the history")))?;
        }
        debug_assert_eq!(intent.change, intended(self.of.schema, &self.at.key, self.base.as_ref(), &self.made));
        let size = check_size(&self.row());
        size.map_err(|error| named(error.of("with what the transaction intends beside what is there"))).map(|_| ())
    }

    /// Returns the row with its intent.
    pub(crate) fn row(&self) -> Item {
        match &self.intent {
            Some(intent) => self.with(intent),
            None => standing(self.of.schema, &self.at.key, self.base.as_ref()),
        }
    }

    fn with(&self, intent: &Intent) -> Item {
        let mut row = standing(self.of.schema, &self.at.key, self.base.as_ref());
        row.insert(INTENT.to_owned(), intent.value());
        row
    }
}

/// Refuses an item that an index of its table would not take, also an index that the entity does not declare: after the commit,
/// nobody could roll the change forward (M12).
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
        check_index_keys(keys, &participant.made)
            .map_err(|error| named(error, participant.index, &participant.action))?;
    }
    Ok(())
}
