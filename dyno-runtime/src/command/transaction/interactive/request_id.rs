//! A row that is named after a request. The transaction that serves the request creates it, so if the same request comes again,
//! even to another process, the row shows that the request was served.

use super::request_row::RequestRow;
use super::{Interactive, Tx};
use crate::Entity;
use crate::attribute::Item;
use crate::attribute::time::EpochMillis;
use crate::command::Create;
use crate::command::transaction::actions::action;
use crate::entity::TransactionRefusal;
use crate::error::{Context, Error};
use crate::exchange::Repository;
use crate::rule::{Moot, Reason, Refused, days_from};
use crate::transaction::native::RefusedTransaction;
use futures_util::future::BoxFuture;
use std::any::TypeId;
use std::sync::Arc;

/// The least number of days for which the row is kept.
const KEPT_DAYS: u32 = 7;

/// A request that was served.
///
/// DynamoDB deletes the row by its TTL. Other live items of transactional entities have no TTL, because no version may occur
/// twice (M5). This row may have one, because it is created once and never changed, and no transaction lasts 7 days.
#[derive(Entity, Clone, Debug)]
#[entity(table = "dyno-requests")]
#[tombstone(ttl_days = 7)]
#[transactional]
pub(crate) struct RequestId {
    #[partition_key]
    id: String,
    /// The time at which the run of the closure began.
    at: EpochMillis,
    #[version]
    version: u64,
}

/// A request that has a name.
struct NamedRequest {
    id: String,
}

impl RequestRow for NamedRequest {
    fn enlist(&self, tx: &Tx, now: EpochMillis) {
        let mut create = Create::new(&RequestId { id: self.id.clone(), at: now, version: 0 });
        if let (Ok(item), Some(ttl)) = (&mut create.command.item, &RequestId::SCHEMA.ttl) {
            item.insert(ttl.attribute.to_owned(), days_from(now, KEPT_DAYS));
        }
        tx.enlist(action::<RequestId>(*create.command));
    }

    fn duplicate<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Result<Option<TransactionRefusal>, Error>> {
        Box::pin(async move {
            let row = RequestId::get(&self.id).consistent().loaded().send(repository).await?;
            Ok(row.map(|row| self.refusal(repository, row.item().clone())))
        })
    }
}

impl NamedRequest {
    fn refusal(&self, repository: &Repository, row: Item) -> TransactionRefusal {
        let context = Context { operation: "request_id", entity: "Transaction", key: Some(self.id.clone()) };
        let refused = Refused {
            reasons: vec![Reason::Duplicate],
            moot: Moot::default(),
            item: Some(row),
            now: repository.now(),
            context,
            condition: None,
            in_doubt: false,
        };
        TransactionRefusal::new(RefusedTransaction::of_one(0, TypeId::of::<RequestId>(), refused))
    }
}

impl<F, T, X> Interactive<F, T, X> {
    /// Names the request that the transaction serves, so that the request is served only once: even if a handler is called again
    /// after a lost answer, a message is delivered twice, or another process runs the transaction.
    ///
    /// The transaction also creates a row of this name in the table `dyno-requests`, which
    /// [`create_request_table`](Repository::create_request_table) makes. If the row exists already, the transaction ends in a
    /// refusal, for which [`accept_duplicate`](crate::TransactionOutcome::accept_duplicate) returns `None`. If the closure
    /// returns an error or a write is refused, `send` reads the row, too, because the first run can have caused that; and if the
    /// row exists, the outcome is the same refusal. The value of the first closure is not kept. If you need it, read it from the
    /// items that the first run wrote: give them keys that the request determines.
    ///
    /// An error of the closure, or a refusal for another reason, says that no call has served the request so far. It does not end
    /// an earlier call that is in doubt ([`Error::may_be_applied`]), of this process or of another one: a request of that call
    /// can still reach DynamoDB within 15 minutes and serve the request. If you answer such a caller, send the request again
    /// after that time.
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
    ///     // Called twice with one order, it books once: the second call is refused as a duplicate.
    ///     let booked = book.request_id(format!("book#{order}")).send(repository).await?;
    ///     booked.accept_duplicate()?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// It costs one more item in the transaction, and a `GetItem` if the closure returns an error or a write is refused. The row
    /// is kept for 7 days; then its TTL deletes it. A transaction that writes nothing creates no row. The name has 1 to 2,048
    /// bytes. All requests share the table, so begin the name with a prefix for the kind of request.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.request = Some(Arc::new(NamedRequest { id: id.into() }));
        self
    }
}
