//! Reads the rows of a table that other programs have written, and finds what the commands of an entity do not expect.

use super::inspect_row::{StoreAgain, inspect_row};
use super::inspection::{Inspection, Tally};
use crate::attribute::{Members, with_stand_ins};
use crate::entity::Entity;
use crate::error::{Context, DecodeError, Error};
use crate::exchange::{About, Repository, Sending, scan_page, set_some};
use crate::schema::Schema;

const OPERATION: &str = "inspect_table";

impl Repository {
    /// Reads up to so many rows of `E`'s table, which other programs may have written, and reports what the commands of the entity
    /// do not expect in them: what works at once, what needs `modify_each`, what a put would lose, and which rows cannot be read.
    /// `usize::MAX` stands for all rows.
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
            let store_again = |item| {
                let entity = E::__decode(&mut Members::map(item))?;
                with_stand_ins(|| entity.__encode())
                    .map(|encoded| encoded.item)
                    .map_err(|error| DecodeError::new("values that can be stored", error.to_string()))
            };
            let inspected = inspect(self, E::SCHEMA, table?, most_rows, store_again).await;
            inspected.map_err(|error| {
                error.with_context(|| Context { operation: OPERATION, entity: E::SCHEMA.entity, key: None })
            })
        })
    }
}

/// Inspects a table.
async fn inspect(
    repository: &Repository,
    schema: &'static Schema,
    table: String,
    most_rows: usize,
    store_again: StoreAgain,
) -> Result<Inspection, Error> {
    let mut tally = Tally::default();
    let (mut left, mut start) = (most_rows, None);
    while left > 0 {
        let mut scan = repository.sender().scan().table_name(&table);
        let limit = repository.items_of_page("Scan", &table).map_or(left, |paced| paced.min(left));
        set_some!(scan, set_limit: i32::try_from(limit).ok());
        let about = About::new(OPERATION, schema.entity, &table);
        let (items, next) = scan_page(repository, about, scan, start.take()).await?;
        for item in items {
            left = left.saturating_sub(1);
            inspect_row(repository.now(), schema, &item, store_again, &mut tally);
        }
        if next.is_none() {
            tally.inspection.is_complete = true;
            break;
        }
        start = next;
    }
    Ok(tally.finish())
}
