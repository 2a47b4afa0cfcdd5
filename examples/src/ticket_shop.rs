//! The ticket shop of the tutorial (`docs/tutorial.md`), whose code blocks are from this file, from `tests/ticket_shop.rs` and from
//! `ticket_shop_on_aws.rs`.

#![expect(missing_docs, reason = "the tutorial explains the fields")]

use dyno::{Entity, Error, Outcome, Repository};

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

/// Sells a seat to a guest. Returns whether the seat is the guest's. After an error, call it
/// again: it does not sell the seat twice.
pub async fn sell(repository: &Repository, show: &str, number: u32, guest: &str) -> Result<bool, Error> {
    let seat = Seat::get((show, number)).consistent().send(repository).await?;
    let Some(mut seat) = seat else { return Ok(false) };
    if let Some(owner) = &seat.guest {
        return Ok(owner == guest);
    }
    seat.guest = Some(guest.into());
    match seat.put().send(repository).await? {
        Outcome::Applied(_) => Ok(true),
        // Somebody else was faster, or an earlier call of this guest.
        Outcome::Refused(refusal) => {
            let now = refusal.live()?;
            Ok(now.is_some_and(|seat| seat.guest.as_deref() == Some(guest)))
        }
    }
}

use dyno::{Transaction, TransactionOutcome};

/// A payment, as the payment service reports it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "payments")]
pub struct Payment {
    #[partition_key]
    pub id: String,
    pub show: String,
    pub number: u32,
    pub guest: String,
    pub cents: u64,
}

/// Books a payment: stores it, and marks the guest's seat as paid. The payment service reports
/// each payment at least once, so a payment that is booked already changes nothing. Returns
/// whether it was new.
pub async fn book(repository: &Repository, payment: &Payment) -> Result<bool, Error> {
    let seat = Seat::fields();
    let paid = Seat::update((payment.show.as_str(), payment.number))
        .unchecked()
        .condition(seat.guest.eq(payment.guest.as_str()) & seat.paid.eq(false))
        .with(seat.paid.set(true));
    let booking = Transaction::new().put(payment.create()).update(paid);
    match booking.send(repository).await? {
        TransactionOutcome::Applied(_) => Ok(true),
        TransactionOutcome::Refused(refusal) if refusal.refusal_of::<Payment>(0).is_some() => Ok(false),
        // The seat is not this guest's, or it is paid already.
        TransactionOutcome::Refused(refusal) => Err(refusal.into()),
    }
}

use dyno::{Cursor, Page};

/// Returns a page of the seats of a show, and the cursor of the next page.
pub async fn seats(repository: &Repository, show: &str, cursor: Option<&str>) -> Result<Page<Seat>, Error> {
    let mut query = Seat::query(show).limit(2);
    if let Some(cursor) = cursor {
        query = query.after(cursor.parse::<Cursor>()?);
    }
    query.send(repository).await
}

use dyno::EpochMillis;

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
