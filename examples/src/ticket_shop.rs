//! The ticket shop of the tutorial (`docs/tutorial.md`), whose code blocks are from this file and from `tests/ticket_shop.rs`.

#![expect(missing_docs, reason = "the tutorial explains the fields")]

use dyno::{Cursor, Entity, EpochMillis, Error, Outcome, Page, Repository, Transaction, TransactionOutcome};

/// A seat of a show.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "seats")]
pub struct Seat {
    #[partition_key]
    pub show: String,
    #[sort_key]
    pub number: u32,
    /// Who has bought the seat.
    pub guest: Option<String>,
    /// Whether the seat is paid.
    pub paid: bool,
    #[version]
    pub version: u64,
}

/// Puts the seats of a new show on sale.
pub async fn open(repository: &Repository, show: &str, seats: u32) -> Result<(), Error> {
    for number in 1..=seats {
        let seat = Seat { show: show.into(), number, guest: None, paid: false, version: 0 };
        seat.create().send(repository).await?.applied()?;
    }
    Ok(())
}

/// Sells a seat to a guest. Returns false if somebody else has it, or if there is no such seat.
pub async fn sell(repository: &Repository, show: &str, number: u32, guest: &str) -> Result<bool, Error> {
    let seat = Seat::get((show, number)).consistent().send(repository).await?;
    let Some(mut seat) = seat.filter(|seat| seat.guest.is_none()) else { return Ok(false) };
    seat.guest = Some(guest.into());
    match seat.put().send(repository).await? {
        Outcome::Applied(_) => Ok(true),
        Outcome::Refused(_) => Ok(false), // somebody else was faster
    }
}

/// A payment, as the payment service reports it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "payments")]
pub struct Payment {
    #[partition_key]
    pub id: String,
    pub show: String,
    pub number: u32,
    pub cents: u64,
}

/// Books a payment: stores it, and marks the seat as paid. The payment service reports each payment at least once, so a payment
/// that is booked already changes nothing. Returns whether it was new.
pub async fn book(repository: &Repository, payment: &Payment) -> Result<bool, Error> {
    let seat = Seat::fields();
    let paid = Seat::update((&*payment.show, payment.number))
        .unchecked()
        .with(seat.paid.set(true))
        .condition(seat.guest.exists());
    let booking = Transaction::new().put(payment.create()).update(paid);
    match booking.send(repository).await? {
        TransactionOutcome::Applied(_) => Ok(true),
        TransactionOutcome::Refused(refusal) if refusal.refusal_of::<Payment>(0).is_some() => Ok(false),
        // Nobody has bought the seat.
        TransactionOutcome::Refused(refusal) => Err(refusal.into()),
    }
}

/// Returns a page of the seats of a show, and the cursor of the next page.
pub async fn seats(repository: &Repository, show: &str, cursor: Option<&str>) -> Result<Page<Seat>, Error> {
    let mut query = Seat::query(show).limit(2);
    if let Some(cursor) = cursor {
        query = query.after(cursor.parse::<Cursor>()?);
    }
    query.send(repository).await
}

/// The price of a show. Prices arrive from another system, late and out of order.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "prices")]
pub struct Price {
    #[partition_key]
    pub show: String,
    pub cents: u64,
    #[ratchet]
    pub set_at: EpochMillis,
}

/// Stores a price, unless a newer one is stored.
pub async fn set_price(repository: &Repository, price: &Price) -> Result<(), Error> {
    match price.put().send(repository).await? {
        Outcome::Refused(refusal) if !refusal.is_stale() => Err(refusal.into()),
        _ => Ok(()),
    }
}
