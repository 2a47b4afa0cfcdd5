//! The tests of the tutorial's ticket shop.

use dyno_examples::ticket_shop;

use dyno::local::{Engine, Faults};
use dyno::{Error, Repository};
use std::time::Duration;
use ticket_shop::{Seat, open, sell};

/// A show with three seats, in a database of its own, and the network to that database.
async fn show() -> Result<(Repository, Faults), Error> {
    let faults = Faults::new();
    let repository = Repository::new(Engine::in_memory()?.client_with(&faults));
    repository.create_table::<Seat>().await?;
    open(&repository, "hamlet", 3).await?;
    Ok((repository, faults))
}

#[tokio::test(start_paused = true)]
async fn of_two_buyers_one_gets_the_seat() -> Result<(), Error> {
    let (repository, faults) = show().await?;
    faults.latency(Duration::from_millis(1), Duration::from_millis(1));
    let (ada, bob) = tokio::join!(sell(&repository, "hamlet", 1, "ada"), sell(&repository, "hamlet", 1, "bob"),);
    assert_ne!(ada?, bob?);
    assert!(!sell(&repository, "hamlet", 99, "ada").await?, "there is no such seat");
    Ok(())
}

use dyno::local::{Fault, SentRequest};

#[tokio::test(start_paused = true)]
async fn a_sale_whose_answer_is_lost_is_a_sale() -> Result<(), Error> {
    let (repository, faults) = show().await?;
    faults.on_request(1, SentRequest::is_write, Fault::AnswerLost);
    assert!(sell(&repository, "hamlet", 1, "ada").await?);
    assert_eq!(faults.unmet(), 0, "the answer was lost");
    Ok(())
}

use dyno::local::explore::Explore;

async fn seat(repository: &Repository, number: u32) -> Result<Seat, Error> {
    let seat = Seat::get(("hamlet", number)).consistent().send(repository).await?;
    Ok(seat.expect("a seat of the show"))
}

#[test]
fn a_seat_has_one_guest_under_any_order_and_fault() {
    let report = Explore::new().check(async |world| {
        let repository = world.repository();
        repository.create_table::<Seat>().await?;
        open(&repository, "hamlet", 1).await?;

        let ada = async |repository: Repository| sell(&repository, "hamlet", 1, "ada").await;
        let bob = async |repository: Repository| sell(&repository, "hamlet", 1, "bob").await;
        let (ada, bob) = (world.process("ada", ada), world.process("bob", bob));
        let (ada, bob) = world.run((ada, bob)).await;

        let mut guests = Vec::new();
        for (guest, answer) in [("ada", ada), ("bob", bob)] {
            let is_sold = match answer {
                Some(Ok(is_sold)) => is_sold,
                // An error, or the process has died: ask again.
                Some(Err(_)) | None => sell(&repository, "hamlet", 1, guest).await?,
            };
            guests.extend(is_sold.then_some(guest));
        }
        assert_eq!(guests.len(), 1, "{guests:?}");
        assert_eq!(seat(&repository, 1).await?.guest.as_deref(), guests.pop());
        Ok(())
    });
    assert!(report.is_complete(), "{report}");
}

use ticket_shop::{Payment, book};

#[tokio::test(start_paused = true)]
async fn a_payment_that_is_reported_twice_is_booked_once() -> Result<(), Error> {
    let (repository, faults) = show().await?;
    repository.create_table::<Payment>().await?;
    let payment = Payment { id: "p-1".into(), show: "hamlet".into(), number: 1, guest: "ada".into(), cents: 4_500 };
    assert!(book(&repository, &payment).await.is_err(), "ada has not bought the seat");
    assert!(sell(&repository, "hamlet", 1, "ada").await?);
    faults.on_request(1, SentRequest::is_write, Fault::AnswerLost); // a transaction, too
    assert!(book(&repository, &payment).await?);
    assert!(!book(&repository, &payment).await?);
    assert!(seat(&repository, 1).await?.paid);
    let again = Payment { id: "p-2".into(), ..payment };
    assert!(book(&repository, &again).await.is_err(), "the seat is paid");
    Ok(())
}

use ticket_shop::seats;

#[tokio::test]
async fn all_seats_are_shown_page_by_page() -> Result<(), Error> {
    let (repository, _) = show().await?;
    let first = seats(&repository, "hamlet", None).await?;
    // The browser gets this text.
    let cursor = first.cursor.expect("another page").to_string();
    let second = seats(&repository, "hamlet", Some(&cursor)).await?;
    let shown = first.items.iter().chain(&second.items).map(|seat| seat.number);
    assert_eq!(shown.collect::<Vec<_>>(), [1, 2, 3]);
    Ok(())
}

use dyno::EpochMillis;
use ticket_shop::{Price, set_price};

#[tokio::test]
async fn a_late_price_does_not_overwrite_a_newer_one() -> Result<(), Error> {
    let (repository, _) = show().await?;
    repository.create_table::<Price>().await?;
    let price = |cents, at| Price { show: "hamlet".into(), cents, set_at: at };
    set_price(&repository, &price(5_000, EpochMillis::new(2_000))).await?;
    set_price(&repository, &price(4_500, EpochMillis::new(1_000))).await?; // late
    let stored = Price::get("hamlet").consistent().send(&repository).await?.expect("a price");
    assert_eq!(stored.cents, 5_000);
    Ok(())
}
