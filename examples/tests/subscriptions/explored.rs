//! The tasks in two processes at once, under every order of their requests and with one fault. A process that gets an error, or
//! dies, starts its task again.

use super::{Version, customer, lock, payment};
use dyno::local::explore::{Explore, Fault, World};
use dyno::lock::Lock;
use dyno::{Error, Repository};
use dyno_examples::subscriptions::{Account, Closing, Customer, Invoice, Meter, Payment, Series, invoice};
use std::time::Duration;

type Checked = Result<(), Box<dyn std::error::Error>>;

/// Returns the bounds for a version: with one preemption less by hand, to save time.
fn bounds(version: Version) -> Explore {
    Explore::new().preemptions(if version == Version::Commands { 2 } else { 1 })
}

/// Explores a scenario, and prints what was explored.
fn explore(name: &str, explore: Explore, scenario: impl AsyncFn(World) -> Checked) {
    let explored = explore.check(scenario);
    eprintln!("{name}: {explored}");
    assert!(explored.is_complete(), "{name}: {explored}");
}

/// Returns the answer of a process; if it has none, that of the task started again.
async fn again<T>(answer: Option<Result<T, Error>>, task: impl AsyncFnOnce() -> Result<T, Error>) -> Result<T, Error> {
    match answer {
        Some(Ok(answer)) => Ok(answer),
        Some(Err(_)) | None => task().await,
    }
}

/// The webhook comes twice at once.
#[test]
fn a_payment_that_comes_twice_is_booked_once() {
    for version in Version::BOTH {
        explore(&format!("one payment twice, {version:?}"), Explore::new(), async |world| {
            let calm = world.repository();
            calm.create_table::<Payment>().await?;
            let webhook = |name| {
                world.process(name, async move |repository| version.book(&repository, &payment("p1", 500)).await)
            };
            let answers = <[_; 2]>::from(world.run((webhook("first"), webhook("second"))).await);
            for answer in answers {
                assert!(again(answer, async || version.book(&calm, &payment("p1", 500)).await).await?);
            }
            assert!(!version.book(&calm, &payment("p1", 600)).await?);
            Ok(())
        });
    }
}

/// Two payments have one id: a mistake of the payment service. One of them is booked, and the webhook of the other is told so.
#[test]
fn of_two_payments_with_one_id_one_is_booked() {
    for version in Version::BOTH {
        explore(&format!("two payments, {version:?}"), Explore::new(), async |world| {
            let calm = world.repository();
            calm.create_table::<Payment>().await?;
            let webhook = |name, cents| {
                world.process(name, async move |repository| version.book(&repository, &payment("p1", cents)).await)
            };
            let (first, second) = world.run((webhook("first", 500), webhook("second", 600))).await;
            let first = again(first, async || version.book(&calm, &payment("p1", 500)).await).await?;
            let second = again(second, async || version.book(&calm, &payment("p1", 600)).await).await?;
            let stored = Payment::get("p1").consistent().send(&calm).await?.expect("a payment");
            assert_eq!((first, second), (stored.cents == 500, stored.cents == 600));
            Ok(())
        });
    }
}

async fn deleted(calm: &Repository) -> Result<(), Error> {
    calm.create_table::<Customer>().await?;
    customer("ada").create().send(calm).await?.applied()?;
    Customer::delete("ada", 1u64).send(calm).await?.applied().map(drop)
}

/// Two operators restore a customer at once.
#[test]
fn a_customer_is_restored_once() {
    for version in Version::BOTH {
        explore(&format!("two restores, {version:?}"), bounds(version), async |world| {
            let calm = world.repository();
            deleted(&calm).await?;
            let operator =
                |name| world.process(name, async move |repository| version.restore(&repository, "ada").await);
            let answers = <[_; 2]>::from(world.run((operator("one"), operator("other"))).await);
            let back = Some(Customer { version: 3, ..customer("ada") });
            for answer in answers {
                assert_eq!(again(answer, async || version.restore(&calm, "ada").await).await?, back);
            }
            assert_eq!(Customer::get("ada").consistent().send(&calm).await?, back);
            let revisions = Customer::revisions("ada").send(&calm).await?;
            assert!(revisions.items.iter().map(dyno::Revision::version).eq([3, 2, 1]));
            Ok(())
        });
    }
}

/// A customer is restored while somebody else signs up with the address.
#[test]
fn a_restored_customer_does_not_share_the_address() {
    for version in Version::BOTH {
        explore(&format!("a restore and a sign-up, {version:?}"), Explore::new().preemptions(1), async |world| {
            let calm = world.repository();
            deleted(&calm).await?;
            let eve = || Customer { email: customer("ada").email, ..customer("eve") };
            let sign_up = async move |repository: &Repository| {
                Ok::<_, Error>(eve().create().accept_equal().send(repository).await?.is_applied())
            };
            let restore = async move |repository: &Repository| match version.restore(repository, "ada").await {
                Ok(restored) => Ok(restored.is_some()),
                Err(error) if error.refusal::<Customer>().is_some_and(dyno::Refusal::is_taken) => Ok(false),
                Err(error) => Err(error),
            };
            let operator = world.process("operator", async move |repository| restore(&repository).await);
            let browser = world.process("browser", async move |repository| sign_up(&repository).await);
            let (restored, signed_up) = world.run((operator, browser)).await;
            let restored = again(restored, async || restore(&calm).await).await?;
            let signed_up = again(signed_up, async || sign_up(&calm).await).await?;
            let owner = Customer::get_by_email(eve().email).send(&calm).await?.expect("a customer");
            assert_eq!((restored, signed_up), (owner.id == "ada", owner.id == "eve"));
            assert_eq!(Customer::scan().consistent().send(&calm).await?.items, [owner]);
            Ok(())
        });
    }
}

/// A deleted customer signs up again while an operator restores the old one. Neither overwrites the other.
#[test]
fn a_restore_does_not_overwrite_a_new_customer_of_the_id() {
    for version in Version::BOTH {
        explore(&format!("a restore and a new sign-up, {version:?}"), Explore::new().preemptions(1), async |world| {
            let calm = world.repository();
            deleted(&calm).await?;
            let sign_up = async move |repository: &Repository| {
                let new = Customer { monthly_fee_cents: 2_000, ..customer("ada") };
                Ok::<_, Error>(new.create().accept_equal().send(repository).await?.is_applied())
            };
            let operator = world.process("operator", async move |repository| version.restore(&repository, "ada").await);
            let browser = world.process("browser", async move |repository| sign_up(&repository).await);
            let (restored, signed_up) = world.run((operator, browser)).await;
            let restored = again(restored, async || version.restore(&calm, "ada").await).await?;
            let signed_up = again(signed_up, async || sign_up(&calm).await).await?;
            let stored = Customer::get("ada").consistent().send(&calm).await?;
            assert_eq!(restored, stored);
            assert_eq!(stored.map(|ada| (ada.version, ada.monthly_fee_cents == 2_000)), Some((3, signed_up)));
            Ok(())
        });
    }
}

/// Two hosts close a month. With two customers, the next host continues behind a customer that is done; with one, the hosts also
/// interrupt each other.
#[test]
fn two_hosts_make_one_invoice_for_each_customer() {
    let at_once = Explore::new().preemptions(1).with([Fault::Crash]);
    let in_turn = Explore::new().preemptions(0);
    for (version, customers, bounds) in [
        (Version::Commands, &["ada"] as &[&str], at_once),
        (Version::Commands, &["ada", "bob"], in_turn.clone()),
        (Version::ByHand, &["ada", "bob"], in_turn),
    ] {
        let name = format!("two closings for {customers:?}, {version:?}");
        explore(&name, bounds, async |world| {
            let calm = world.repository();
            create_invoice_tables(&calm).await?;
            calm.create_table::<Customer>().await?;
            calm.create_table::<Closing>().await?;
            Lock::create_table(&calm).await?;
            for id in customers {
                customer(id).create().send(&calm).await?.applied()?;
            }
            let host = |name| world.process(name, async move |repository| version.close(&repository, "2026-11").await);
            let answers = <[_; 2]>::from(world.run((host("one"), host("other"))).await);
            for answer in answers {
                again(answer, async || version.close(&calm, "2026-11").await).await?;
            }
            let closing = Closing::get("2026-11").consistent().send(&calm).await?;
            assert!(closing.is_some_and(|closing| closing.is_done));
            assert_one_invoice_each(&calm, customers).await?;
            // The lock can be taken: it is free, or its lease runs out.
            let _held = lock().wait(Duration::from_secs(11)).acquire(&calm).await?;
            Ok(())
        });
    }
}

/// The invoices alone, without the lock.
#[test]
fn the_lock_only_saves_work() {
    explore("two hosts without the lock", Explore::new().preemptions(1), async |world| {
        let calm = world.repository();
        create_invoice_tables(&calm).await?;
        let host = |name, customers: [&'static str; 2]| {
            world.process(name, async move |repository| {
                for id in customers {
                    invoice(&repository, &customer(id), "2026-11").await?;
                }
                Ok::<_, Error>(())
            })
        };
        world.run((host("one", ["ada", "bob"]), host("other", ["bob", "ada"]))).await;
        for id in ["ada", "bob"] {
            invoice(&calm, &customer(id), "2026-11").await?;
        }
        assert_one_invoice_each(&calm, &["ada", "bob"]).await
    });
}

async fn create_invoice_tables(calm: &Repository) -> Result<(), Error> {
    calm.create_table::<Meter>().await?;
    calm.create_table::<Invoice>().await?;
    calm.create_table::<Series>().await?;
    calm.create_table::<Account>().await
}

async fn assert_one_invoice_each(calm: &Repository, customers: &[&str]) -> Checked {
    let mut invoices = Invoice::scan().consistent().send(calm).await?.items;
    invoices.sort_by_key(|invoice| invoice.number);
    let last = customers.len() as u64;
    assert!(invoices.iter().map(|invoice| invoice.number).eq(1..=last), "{invoices:?}");
    invoices.sort_by(|one, other| one.customer.cmp(&other.customer));
    assert!(invoices.iter().map(|invoice| &*invoice.customer).eq(customers.iter().copied()), "{invoices:?}");
    assert_eq!(Series::get("invoices").consistent().send(calm).await?.map(|series| series.last), Some(last));
    for id in customers {
        let account = Account::get(*id).consistent().send(calm).await?;
        assert_eq!(account.map(|account| account.month).as_deref(), Some("2026-11"));
    }
    Ok(())
}
