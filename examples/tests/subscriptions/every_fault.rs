//! Each task under each fault of each of its requests, also if the process dies there. The task is started again until it is done:
//! then the tables are as if nothing had failed.

use super::{Version, World, assert_same, customer, lock, meter, payment, rows};
use dyno::local::{Fault, SentRequest};
use dyno::{Error, Repository};
use dyno_examples::subscriptions::{Closing, Customer, Progress, report};
use std::time::Duration;

const FAULTS: [Fault; 14] = [
    Fault::RequestLost,
    Fault::AnswerLost,
    Fault::ConnectionRefused,
    Fault::Throttled,
    Fault::ServerError { served: true },
    Fault::ServerError { served: false },
    Fault::ErrorCode("AccessDeniedException"),
    Fault::Unreadable,
    Fault::ServedTwice,
    Fault::Duplicated(Duration::from_mins(1)),
    Fault::Late(Duration::from_mins(1)),
    Fault::DiesBefore,
    Fault::DiesAfter,
    Fault::DiesPostponed,
];

/// Runs a task without faults, and then under each fault of each request. Returns how many requests it sends without faults.
async fn under_each_fault(
    prepare: impl AsyncFn(&Repository) -> Result<(), Error>,
    task: impl AsyncFn(&Repository, &mut Progress) -> Result<(), Error>,
) -> Result<usize, Error> {
    let world = World::new().await?;
    prepare(&world.calm).await?;
    let mut progress = Progress::default();
    task(&world.repository, &mut progress).await?;
    let (expected, refused) = (rows(&world).await, progress.refused);
    let requests = world.faults.requests().len();

    for fault in FAULTS {
        for position in 1..=requests {
            let world = World::new().await?;
            prepare(&world.calm).await?;
            world.faults.on_request(position, SentRequest::is_any, fault);
            let mut progress = Progress::default();
            let mut runs = 0;
            loop {
                runs += 1;
                tokio::select! {
                    done = task(&world.repository, &mut progress) => if done.is_ok() { break },
                    () = world.faults.stopped() => world.faults.go_on(),
                }
                assert!(runs < 3, "{fault:?} at request {position} of {requests}");
            }
            let case = format!("{fault:?} at request {position} of {requests}");
            world.faults.settled().await;
            while world.faults.deliver().await.is_some() {}
            assert_eq!(world.faults.unmet(), 0, "{case}");
            assert_same(&rows(&world).await, &expected, &case);
            assert_eq!(progress.refused, refused, "{case}");
        }
    }
    Ok(requests)
}

#[tokio::test(start_paused = true)]
async fn each_row_of_an_import_is_created_once() -> Result<(), Error> {
    let mut file: Vec<Customer> = ["ada", "bob", "eve", "ada", "ada", "sam"].map(customer).to_vec();
    file[2].email = "taken@example.com".into();
    file[4].cents_per_call = 3;
    let other = Customer { email: "taken@example.com".into(), ..customer("other") };
    let prepare = async |calm: &Repository| other.create().send(calm).await?.applied().map(drop);
    for version in Version::BOTH {
        under_each_fault(prepare, async |repository, progress| version.import(repository, &file, progress).await)
            .await?;
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_payment_is_booked_once() -> Result<(), Error> {
    for version in Version::BOTH {
        under_each_fault(
            async |_| Ok(()),
            async |repository, _| {
                assert!(version.book(repository, &payment("p1", 500)).await?);
                assert!(!version.book(repository, &payment("p1", 600)).await?);
                Ok(())
            },
        )
        .await?;
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_customer_is_restored_once() -> Result<(), Error> {
    let prepare = async |calm: &Repository| {
        customer("ada").create().send(calm).await?.applied()?;
        Customer::delete("ada", 1u64).send(calm).await?.applied().map(drop)
    };
    for version in Version::BOTH {
        let restore = async |repository: &Repository, _: &mut Progress| {
            let restored = version.restore(repository, "ada").await?;
            assert_eq!(restored, Some(Customer { version: 3, ..customer("ada") }));
            Ok(())
        };
        under_each_fault(prepare, restore).await?;
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn each_customer_gets_one_invoice() -> Result<(), Error> {
    let prepare = async |calm: &Repository| {
        for id in ["ada", "bob"] {
            customer(id).create().send(calm).await?.applied()?;
            report(calm, &meter(id, 10, 1)).await?;
        }
        Ok(())
    };
    for version in Version::BOTH {
        let close = async |repository: &Repository, _: &mut Progress| {
            version.close(repository, "2026-11").await?;
            let closing = Closing::get("2026-11").consistent().send(repository).await?;
            assert!(closing.is_some_and(|closing| closing.is_done));
            // The lock is free, or it is free one lease later.
            if lock().inspect(repository).await?.is_some_and(|row| row.is_held) {
                let _held = lock().wait(Duration::from_secs(11)).acquire(repository).await?;
            }
            Ok(())
        };
        under_each_fault(prepare, close).await?;
    }
    Ok(())
}
