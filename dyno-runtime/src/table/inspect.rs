//! Reads the rows of a table that other programs have written, and finds what the commands of an entity do not expect.

use super::inspection::{Inspection, RowFinding, Tally};
use crate::attribute::{Item, equal};
use crate::entity::Entity;
use crate::error::{Context, Error};
use crate::exchange::{About, Repository, Sending, read, set_some};
use crate::key::key_text;
use crate::read::{Owner, Shape, see};
use crate::rule::State;
use crate::schema::{KeyForm, Schema};
use aws_sdk_dynamodb::types::ReturnConsumedCapacity;

const OPERATION: &str = "inspect_table";

impl Repository {
    /// Reads up to so many rows of `E`'s table, which other programs may have written, and reports what the commands of the entity
    /// do not expect in them: what works at once, what needs `modify_each`, and which rows cannot be read. `usize::MAX` stands for
    /// all rows.
    ///
    /// Changes nothing: a `Scan` for each MB, not consistent. DynamoDB charges for the rows that it reads, half a unit for each
    /// 4 KB. DynamoDB scans in the order of its hashes, so the first rows are a sample.
    ///
    /// ```no_run
    /// # use dyno::{Entity, Repository};
    /// # #[derive(Entity)] #[entity(table = "ratings")] struct Rating { #[partition_key] id: String }
    /// # async fn example(repository: Repository) -> Result<(), dyno::Error> {
    /// println!("{}", repository.inspect_table::<Rating>(10_000).await?);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of the service. A row that cannot be read is not an error but a finding.
    #[must_use = "nothing is sent until it is awaited"]
    pub fn inspect_table<E: Entity>(&self, most_rows: usize) -> Sending<'_, Inspection> {
        let table = self.table_name::<E>();
        Box::pin(async move {
            let inspected = inspect(self, E::SCHEMA, table?, most_rows, |item| E::from_item(item)?.to_item()).await;
            inspected.map_err(|error| {
                error.with_context(|| Context { operation: OPERATION, entity: E::SCHEMA.entity, key: None })
            })
        })
    }
}

/// Inspects a table. `store_again` decodes an item, and returns it as dyno would store it.
async fn inspect(
    repository: &Repository,
    schema: &'static Schema,
    table: String,
    most_rows: usize,
    store_again: fn(Item) -> Result<Item, Error>,
) -> Result<Inspection, Error> {
    let mut tally = Tally::default();
    let (mut left, mut start) = (most_rows, None);
    while left > 0 {
        let scan = repository.sender().scan().table_name(&table);
        let mut scan = scan.return_consumed_capacity(ReturnConsumedCapacity::Total);
        set_some!(scan, set_limit: i32::try_from(left).ok());
        set_some!(scan, set_exclusive_start_key: start.take());
        let page = read(repository, About::new(OPERATION, schema.entity, &table), scan, None).await?;
        let (items, last_key) = page.into_maps();
        for item in items {
            left = left.saturating_sub(1);
            inspect_row(repository, schema, &item, store_again, &mut tally);
        }
        match last_key.filter(|key| !key.is_empty()) {
            Some(key) => start = Some(key),
            None => break,
        }
    }
    Ok(tally.finish())
}

fn inspect_row(
    repository: &Repository,
    schema: &'static Schema,
    item: &Item,
    store_again: fn(Item) -> Result<Item, Error>,
    tally: &mut Tally,
) {
    let key = || key_text(item, schema).unwrap_or_else(|| "a row without the key".to_owned());
    tally.inspection.rows += 1;
    let view = see(&[schema], repository.now(), item);
    match (view.owner, &view.state) {
        (Owner::Revision, _) => {
            tally.inspection.revisions += 1;
            return;
        }
        (Owner::Nobody, _) => return tally.add(RowFinding::OtherEntity, key),
        (Owner::Entity(_), State::Deleted | State::Absent) => {
            tally.inspection.deleted += 1;
            return;
        }
        (Owner::Entity(_), State::Expired) => {
            tally.inspection.expired += 1;
            return;
        }
        (Owner::Entity(_), State::Live) => tally.inspection.live += 1,
    }
    if let Shape::Older(version) = view.shape {
        tally.add(RowFinding::OlderShape(version), key);
    }
    let stored = match store_again(item.clone()) {
        Ok(stored) => stored,
        Err(error) => return tally.add(RowFinding::Unreadable(error.message().to_owned()), key),
    };
    if let Some(version) = schema.version.as_ref().filter(|version| !item.contains_key(version.attribute)) {
        tally.add(RowFinding::NoVersion(version.attribute), key);
    }
    if let Some(mark) = schema.entity_type.as_ref().filter(|mark| !item.contains_key(mark.attribute)) {
        tally.add(RowFinding::NoMark(mark.attribute), key);
    }
    for ratchet in schema.ratchets.iter().filter(|ratchet| !item.contains_key(ratchet.attribute)) {
        tally.add(RowFinding::NoToken(ratchet.attribute), key);
    }
    for index in schema.indexes {
        let templated = index.keys().filter(|key| matches!(key.form, KeyForm::Template(_)));
        for part in templated.filter(|part| stored.contains_key(part.name) && !item.contains_key(part.name)) {
            tally.add(RowFinding::NotInIndex { index: index.name, attribute: part.name }, key);
        }
    }
    // An item of an older shape has what `upgrade` removes, and stores the rest in other forms.
    if view.shape != Shape::Current {
        return;
    }
    for (name, value) in item {
        match stored.get(name) {
            Some(own) if !equal(own, value) && !schema.is_bookkeeping(name) => {
                tally.add(RowFinding::OtherForm(name.clone()), key);
            }
            None if !schema.declares(name) => tally.add(RowFinding::Undeclared(name.clone()), key),
            _ => {}
        }
    }
}
