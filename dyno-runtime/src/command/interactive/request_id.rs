//! A row named after a request: created together with what serves the request, so that the same request, when it comes again to
//! another run of the program, learns that it was served.

use super::request_row::RequestRow;
use super::{Interactive, Tx};
use crate::Entity;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::command::Create;
use crate::command::actions::action;
use crate::entity::TransactionRefusal;
use crate::error::{Context, Error};
use crate::exchange::Repository;
use crate::rule::{Moot, Reason, Refused, days_from};
use crate::transaction::native::RefusedTransaction;
use futures_util::future::BoxFuture;
use std::any::TypeId;
use std::sync::Arc;

/// For how long the row is kept at least.
const KEPT_DAYS: u32 = 7;

/// A request that was served.
///
/// It stays until DynamoDB removes it by its TTL. Nobody writes it a second time, so that it can have one although it is
/// transactional: no transaction is as old as that.
#[derive(Entity, Clone, Debug)]
#[entity(table = "dyno-requests")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(crate) struct RequestId {
    #[partition_key]
    id: String,
    /// When the transaction was begun.
    at: EpochMillis,
    #[version]
    version: u64,
}

/// The name of a request.
struct Named {
    id: String,
}

impl RequestRow for Named {
    fn enlist(&self, tx: &Tx, now: EpochMillis) {
        let mut create = Create::new(&RequestId { id: self.id.clone(), at: now, version: 0 });
        if let (Ok(item), Some(ttl)) = (&mut create.command.item, &RequestId::SCHEMA.ttl) {
            item.insert(ttl.attribute.to_owned(), days_from(now, KEPT_DAYS));
        }
        tx.enlist(action::<RequestId>(*create.command));
    }

    fn served<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<Option<TransactionRefusal>, Error>> {
        Box::pin(async move {
            let row = RequestId::get(&self.id).consistent().loaded().send(repository).await?;
            Ok(row.map(|row| self.duplicate(repository, row.item().clone())))
        })
    }
}

impl Named {
    fn duplicate(&self, repository: &Repository, row: Item) -> TransactionRefusal {
        let context = Context { operation: "request_id", entity: "Transaction", key: Some(self.id.clone()) };
        let refused = Refused {
            reasons: vec![Reason::Duplicate],
            moot: Moot::default(),
            item: Some(row),
            now: repository.now(),
            context,
            in_doubt: false,
        };
        TransactionRefusal::new(RefusedTransaction::of_one(0, TypeId::of::<RequestId>(), refused))
    }
}

impl<F, T, X> Interactive<F, T, X> {
    /// Names the request that the transaction serves, so that it is served once, whoever runs it: a handler that is called
    /// again after a lost answer, a second delivery of a message, another process.
    ///
    /// The transaction then creates a row of this name besides, in the table `dyno-requests`, which
    /// [`create_request_table`](Repository::create_request_table) makes. Where that row exists already, the transaction ends in
    /// a refusal that [`accept_duplicate`](crate::TransactionOutcome::accept_duplicate) takes for `None`; so it does where the
    /// closure returns an error, or a write is refused, since both can be the doing of the first run. What the first closure
    /// returned is not kept: read it, by names that the request gives.
    ///
    /// ```
    /// # use dyno::{Entity, Repository, Transaction};
    /// # #[derive(Entity)] #[entity(table = "seats")] #[tombstone(ttl_days = 7)] #[transactional]
    /// # struct Seat { #[partition_key] id: String, holder: Option<String>, #[version] version: u64 }
    /// async fn book(repository: &Repository, order: &str, seat: &str) -> Result<(), dyno::Error> {
    ///     let book = Transaction::interactive(|tx| async move {
    ///         let mut seat = tx.get(Seat::get(seat)).await?.ok_or("no such seat")?;
    ///         if seat.holder.is_some() {
    ///             return Err("it is taken".into());
    ///         }
    ///         seat.holder = Some(order.to_owned());
    ///         tx.put(seat.put());
    ///         Ok(())
    ///     });
    ///     // Called twice with one order, it books once: the second call does not meet the first.
    ///     let booked = book.request_id(format!("book#{order}")).send(repository).await?;
    ///     booked.accept_duplicate()?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// It costs one item more in the transaction, and a `GetItem` where the closure returns an error or a write is refused. The
    /// row is kept for 7 days, and then removed by its TTL. A transaction that writes nothing creates no row. The name is of 1
    /// to 2,048 bytes, and of one kind of request: prefix it.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.request = Some(Arc::new(Named { id: id.into() }));
        self
    }
}
