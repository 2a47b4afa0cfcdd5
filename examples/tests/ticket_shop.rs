//! The tests of the tutorial's ticket shop.

use dyno::local::{Engine, Fault, Faults, Rates, SentRequest};
use dyno::{EpochMillis, Repository};
use dyno_examples::ticket_shop::{Payment, Price, Seat, book, open, seats, sell, set_price};

/// A show with three seats, and the network to its database.
async fn show() -> Result<(Repository, Faults), dyno::Error> {
    let faults = Faults::new();
    let repository = Repository::new(Engine::in_memory()?.client_with(&faults));
    repository.create_table::<Seat>().await?;
    repository.create_table::<Payment>().await?;
    repository.create_table::<Price>().await?;
    open(&repository, "hamlet", 3).await?;
    Ok((repository, faults))
}

async fn seat(repository: &Repository, number: u32) -> Result<Seat, dyno::Error> {
    let seat = Seat::get(("hamlet", number)).consistent().send(repository).await?;
    Ok(seat.expect("a seat of the show"))
}

#[tokio::test]
async fn a_seat_is_sold_once() -> Result<(), dyno::Error> {
    let (repository, _) = show().await?;
    assert!(sell(&repository, "hamlet", 1, "ada").await?);
    assert!(!sell(&repository, "hamlet", 1, "bob").await?);
    assert_eq!(seat(&repository, 1).await?.guest.as_deref(), Some("ada"));
    assert!(!sell(&repository, "hamlet", 99, "ada").await?, "there is no such seat");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_sale_whose_answer_is_lost_is_a_sale() -> Result<(), dyno::Error> {
    let (repository, faults) = show().await?;
    faults.nth(1, SentRequest::is_write, Fault::AnswerLost);
    assert!(sell(&repository, "hamlet", 1, "ada").await?);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn no_seat_has_two_guests_under_any_fault() -> Result<(), dyno::Error> {
    for seed in 0..50 {
        let (repository, faults) = show().await?;
        faults.random(seed, Rates::ALL);
        let (ada, bob) = tokio::join!(sell(&repository, "hamlet", 1, "ada"), sell(&repository, "hamlet", 1, "bob"),);
        faults.calm();
        faults.settled().await;
        let guest = seat(&repository, 1).await?.guest;
        for (name, sold) in [("ada", ada), ("bob", bob)] {
            match sold {
                Ok(sold) => {
                    assert_eq!(sold, guest.as_deref() == Some(name), "seed {seed}: {name}");
                }
                // After too many faults, nobody knows.
                Err(error) if error.may_be_applied() => {}
                Err(_) => assert_ne!(guest.as_deref(), Some(name), "seed {seed}"),
            }
        }
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_payment_that_is_reported_twice_is_booked_once() -> Result<(), dyno::Error> {
    let (repository, faults) = show().await?;
    let payment = Payment { id: "p-1".into(), show: "hamlet".into(), number: 1, cents: 4_500 };
    assert!(book(&repository, &payment).await.is_err(), "nobody has bought the seat");
    sell(&repository, "hamlet", 1, "ada").await?;
    faults.nth(1, SentRequest::is_write, Fault::AnswerLost);
    assert!(book(&repository, &payment).await?);
    assert!(!book(&repository, &payment).await?);
    assert!(seat(&repository, 1).await?.paid);
    Ok(())
}

#[tokio::test]
async fn all_seats_are_shown_page_by_page() -> Result<(), dyno::Error> {
    let (repository, _) = show().await?;
    let first = seats(&repository, "hamlet", None).await?;
    // The browser gets this text.
    let cursor = first.cursor.expect("another page").to_string();
    let second = seats(&repository, "hamlet", Some(&cursor)).await?;
    let shown = first.items.iter().chain(&second.items).map(|seat| seat.number);
    assert_eq!(shown.collect::<Vec<_>>(), [1, 2, 3]);
    Ok(())
}

#[tokio::test]
async fn a_late_price_does_not_overwrite_a_newer_one() -> Result<(), dyno::Error> {
    let (repository, _) = show().await?;
    let price = |cents, at| Price { show: "hamlet".into(), cents, set_at: at };
    set_price(&repository, &price(5_000, EpochMillis::new(2_000))).await?;
    set_price(&repository, &price(4_500, EpochMillis::new(1_000))).await?; // late
    let stored = Price::get("hamlet").consistent().send(&repository).await?.expect("a price");
    assert_eq!(stored.cents, 5_000);
    Ok(())
}
