//! Finds the item that has a unique value.
//!
//! The guard names the item that claimed the value last, and the item says whether it still has the value. The two are read one
//! after the other, and the value can move from one item to another in between, in one transaction. So an item without the value
//! proves nothing alone: then the guard and its holder are read once more, at one point in time.

use super::get_item::GetCommand;
use super::transact_get_items::{Snapshot, TransactGetCommand};
use super::upgrade::normalize;
use crate::attribute::Item;
use crate::error::{EncodeError, Error, ErrorKind};
use crate::exchange::{Repository, read_row};
use crate::key::key_text;
use crate::rule::{Claim, holder, is_of_another};
use crate::schema::{Schema, Tables, Unique};
use aws_sdk_dynamodb::types::{AttributeValue, Get};
use futures_util::future::BoxFuture;

/// The number of holders that are looked at, because the value moves on each time.
const HOLDERS: u32 = 8;

/// A read by a unique value, without its types.
#[derive(Clone, Debug)]
pub(crate) struct FindUniqueCommand {
    pub(crate) schema: &'static Schema,
    pub(crate) unique: &'static Unique,
    /// The values of the attributes, in their order.
    pub(crate) values: Result<Vec<AttributeValue>, EncodeError>,
}

impl FindUniqueCommand {
    /// Returns the item that has the value, even if it counts as absent.
    pub(crate) fn send<'a>(
        self,
        repository: &'a Repository,
        tables: &'a Tables,
    ) -> BoxFuture<'a, Result<Option<Item>, Error>> {
        Box::pin(async move {
            let (schema, values) = (self.schema, self.values?);
            let value_of = |name| {
                let at = self.unique.attributes.iter().position(|attribute| *attribute == name)?;
                values.get(at).cloned()
            };
            let (Some(claim), Some(guards)) = (Claim::of(self.unique, value_of)?, &tables.guards) else {
                return Ok(None);
            };
            let find = Find { schema, claim, repository, main: &tables.main, guards };
            let row = read_row(repository, ("get", schema.entity), guards, find.claim.guard_key()).await?;
            find.from(row).await
        })
    }
}

/// A search that is under way.
struct Find<'a> {
    schema: &'static Schema,
    claim: Claim,
    repository: &'a Repository,
    main: &'a str,
    guards: &'a str,
}

impl Find<'_> {
    /// Follows the guard's row to the item.
    async fn from(&self, guard: Option<Item>) -> Result<Option<Item>, Error> {
        let Some(mut holder) = self.holder(guard)? else { return Ok(None) };
        for _ in 0..HOLDERS {
            let found = self.get(&holder).send(self.repository, self.main.to_owned()).await?;
            if let Some(item) = self.with_value(found)? {
                return Ok(Some(item));
            }
            let (item, guard) = self.snapshot(&holder).await?;
            match self.holder(guard)? {
                None => return Ok(None),
                Some(same) if same == holder => return self.with_value(item),
                Some(other) => holder = other,
            }
        }
        Err(Error::new(ErrorKind::Contended, "the unique value moved to another item during each attempt"))
    }

    /// Returns the key of the item that holds the guard.
    fn holder(&self, guard: Option<Item>) -> Result<Option<Item>, Error> {
        let holder = guard.as_ref().map(|row| holder(self.schema, row)).transpose();
        holder.map_err(|reason| {
            let text = format!("the guard of the unique value `{}` cannot be used: {reason}", self.claim.unique.name);
            Error::new(ErrorKind::Decode, text)
        })
    }

    fn get(&self, holder: &Item) -> GetCommand {
        GetCommand::consistent(self.schema, Ok(holder.clone()))
    }

    /// Returns the holder's item and the guard's row, as they are at one point in time.
    async fn snapshot(&self, holder: &Item) -> Result<(Option<Item>, Option<Item>), Error> {
        let guard = Get::builder().table_name(self.guards).set_key(Some(self.claim.guard_key())).build();
        let guard = guard.map_err(|error| Error::invalid(error.to_string()))?;
        let command = TransactGetCommand { gets: vec![(self.get(holder), self.main.to_owned())], hedge: None };
        let Snapshot { mut items, mut others } = command.send_with(self.repository, vec![guard]).await?;
        Ok((items.pop().flatten(), others.pop().flatten()))
    }

    /// Returns the item, if it has the value.
    fn with_value(&self, item: Option<Item>) -> Result<Option<Item>, Error> {
        let Some(item) = item else { return Ok(None) };
        if is_of_another(self.schema, &item) {
            return Err(Error::new(ErrorKind::Decode, self.claim.taken(self.schema, &item).to_string()));
        }
        let is_had = self.claim.is_had(self.schema);
        if is_had.holds(&item) {
            return Ok(Some(item));
        }
        let mut current = item.clone();
        normalize(self.schema, &mut current).map_err(|error| {
            let key = key_text(&item, self.schema).unwrap_or_default();
            Error::new(ErrorKind::Decode, error.to_string()).of(&format!("the item with {key}"))
        })?;
        Ok(is_had.holds(&current).then_some(item))
    }
}
