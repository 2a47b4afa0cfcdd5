//! An item that a try writes: what is there, and what it will be.

use super::claim::Claim;
use super::evaluate_action::Made;
use crate::attribute::Item;
use crate::error::Error;
use crate::exchange::{Caller, ItemRef, Priority, Repository};
use crate::key::{check_bytes, check_size, check_value, distinct, item_size};
use crate::rule::Expected;
use crate::schema::names::INTENT;
use crate::transaction::closure::{Of, Row};
use crate::transaction::native::{Action, named};
use crate::transaction::record::{Base, Intent, Record, Ticket, image_pages, intended, parked, standing};
use crate::transaction::resolve::{IndexKey, check_index_keys, index_keys};
use aws_sdk_dynamodb::types::AttributeValue;
use std::collections::HashMap;
use std::sync::Arc;

/// How many levels of nesting an intent takes from the values in it: both engines take 31 without it, and 29 with it.
const LEVELS: usize = 3;

/// As commands call it.
pub(crate) const OPERATION: &str = "transaction";

#[derive(Clone)]
pub(crate) struct Leg {
    /// Which action of the transaction it is.
    pub(crate) index: usize,
    /// The place of its row among all.
    pub(crate) row: usize,
    pub(crate) action: Action,
    pub(crate) of: Of,
    pub(crate) at: ItemRef,
    /// What is there, or taken to be there.
    pub(crate) base: Option<Item>,
    /// Whether it was read, and not only taken to be so.
    pub(crate) is_read: bool,
    /// What it is to be.
    pub(crate) made: Item,
    pub(crate) version: Option<u64>,
    /// What is expected of the version that is there.
    pub(crate) expected: Option<Expected>,
    /// Its history's table, if it has one, and the row that goes with what is made.
    pub(crate) history: Option<String>,
    pub(crate) record: Option<Record>,
    /// How often what it is to be was made, and whether the pages of that are there, if there are any.
    edition: u32,
    pub(crate) is_paged: bool,
    /// What is placed.
    pub(crate) intent: Option<Intent>,
    /// The claim that stands there already, and the row's name in it.
    pub(crate) claimed: Option<(Ticket, String)>,
}

impl Leg {
    pub(crate) fn new(index: usize, at: usize, row: &Row, action: Action, made: Made) -> Self {
        let of = row.of;
        let mut leg = Self {
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
            record: None,
            edition: 0,
            is_paged: false,
            intent: None,
            claimed: None,
        };
        leg.become_this(made);
        leg
    }

    /// Takes up what it is to be.
    pub(crate) fn become_this(&mut self, Made { item, expected }: Made) {
        self.version = self.of.schema.version.as_ref().and_then(|version| version.of(&item));
        (self.made, self.expected, self.record) = (item, expected, None);
        (self.edition, self.is_paged) = (self.edition + 1, false);
    }

    /// Takes note of the claim on its row, if there is one.
    pub(crate) fn claim(&mut self, claim: &Claim) -> Result<(), Error> {
        let name = distinct(&self.at.table, self.of.schema, &self.at.key)?;
        self.claimed = claim.has(&name).then(|| (claim.ticket.clone(), name));
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

    /// Its intent under a ticket, whose name goes into the item as that of the write.
    pub(crate) fn intend(&mut self, ticket: &Ticket, priority: &Priority) -> &Intent {
        let schema = self.of.schema;
        if let Some(write_id) = &schema.write_id {
            self.made.insert(write_id.attribute.to_owned(), AttributeValue::S(ticket.to_string()));
        }
        let base = self.base.as_ref();
        let intent = Intent {
            ticket: ticket.clone(),
            since: priority.since,
            change: intended(schema, &self.at.key, base, &self.made),
            is_new: base.is_none(),
            parked: parked(schema, base),
            pages: None,
            record: self.record.clone(),
        };
        let is_too_large = check_bytes(item_size(&self.with(&intent))).is_err();
        let pages = || format!("{}.{}", self.index, self.edition);
        let intent = if is_too_large { intent.in_pages(pages()) } else { intent };
        self.intent.insert(intent)
    }

    /// Refuses what could be placed by no request, or applied by none (M12).
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Some(intent) = &self.intent else { return Ok(()) };
        let named = |error: Error| named(error, self.index, &self.action);
        for (name, value) in &intent.change.set {
            let value = check_value(value, LEVELS).map_err(|error| error.at_name(name.clone()));
            value.map_err(|error| named(Error::from(error).of("within what the transaction intends")))?;
        }
        // With the name of this write, it can be longer than it was made.
        check_size(&self.made).map_err(named)?;
        for page in image_pages("", intent, intent.since) {
            let size = page.item().map(check_size).transpose();
            size.map_err(|error| named(error.of("a page of what the transaction intends")))?;
        }
        if let Some(record) = &intent.record {
            let image = if record.is_superseded { self.base.clone().unwrap_or_default() } else { self.made.clone() };
            check_size(&record.holding(image)).map_err(|error| named(error.of("the revision in the history")))?;
            // It will have to fit into the history, too, to be changed or deleted again.
            let later = record.is_superseded.then(|| check_size(&record.holding(self.made.clone())));
            later.transpose().map_err(|error| named(error.of("the revision in the history")))?;
        }
        debug_assert_eq!(intent.change, intended(self.of.schema, &self.at.key, self.base.as_ref(), &self.made));
        let size = check_size(&self.row());
        size.map_err(|error| named(error.of("with what the transaction intends beside what is there"))).map(|_| ())
    }

    /// The row as it is with the intent.
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

/// Refuses what an index of its table would not take, also one that the entity does not declare: committed, it could be applied by
/// nobody (M12).
pub(crate) async fn check_indexes(repository: &Repository, caller: Caller<'_>, legs: &[Leg]) -> Result<(), Error> {
    let mut known: HashMap<&str, Arc<[IndexKey]>> = HashMap::new();
    for leg in legs {
        let table = &*leg.at.table;
        if !known.contains_key(table) {
            known.insert(table, index_keys(repository, caller, table).await);
        }
        let keys = known.get(table).map(|keys| &**keys).unwrap_or_default();
        check_index_keys(keys, &leg.made).map_err(|error| named(error, leg.index, &leg.action))?;
    }
    Ok(())
}
