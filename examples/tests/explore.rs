//! The scenarios of `docs/explore.md`: handlers against each other, under every order of their requests and every fault.

use dyno::local::explore::{Explore, Failure, Fault, World};
use dyno::{Entity, Error, Repository};
use dyno_examples::recipes::nightly_job::{Job, Run, run};
use dyno_examples::recipes::outbox::{Message, Shipment, change, relay};
use dyno_examples::sign_up::{Answer, Email, User, sign_in, sign_up};
use dyno_examples::ticket_shop::{Payment, Seat, book, open, sell};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

type Checked = Result<(), Box<dyn std::error::Error>>;

/// Two guests want one seat. Whoever gets an error asks again.
async fn one_seat(world: World) -> Checked {
    let repository = world.repository();
    repository.create_table::<Seat>().await?;
    open(&repository, "hamlet", 1).await?;

    let ada = world.process("ada", async |repository| sell(&repository, "hamlet", 1, "ada").await);
    let bob = world.process("bob", async |repository| sell(&repository, "hamlet", 1, "bob").await);
    let (ada, bob) = world.run((ada, bob)).await;

    let seat = Seat::get(("hamlet", 1)).consistent().send(&repository).await?.expect("a seat");
    for (guest, outcome) in [("ada", ada), ("bob", bob)] {
        match outcome {
            Some(Ok(is_sold)) => assert_eq!(is_sold, seat.guest.as_deref() == Some(guest), "{guest}"),
            // An error, or the process has died: the guest does not know yet, and asks again.
            Some(Err(_)) | None => {
                let is_sold = sell(&repository, "hamlet", 1, guest).await?;
                let seat = Seat::get(("hamlet", 1)).consistent().send(&repository).await?.expect("a seat");
                assert_eq!(is_sold, seat.guest.as_deref() == Some(guest), "{guest}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_seat_is_sold_once() {
    let report = Explore::new().check(one_seat);
    assert!(report.is_complete(), "{report}");
    let report = Explore::new().with([Fault::StaleRead, Fault::Throttled, Fault::Conflict]).check(one_seat);
    assert!(report.is_complete(), "{report}");
}

/// A seat without a version, as many programs have it.
#[derive(Entity, Clone, Debug)]
#[entity(table = "seats")]
struct PlainSeat {
    #[partition_key]
    show: String,
    #[sort_key]
    number: u32,
    guest: Option<String>,
}

async fn sell_plain(repository: &Repository, guest: &str) -> Result<bool, Error> {
    let seat = PlainSeat::get(("hamlet", 1)).consistent().send(repository).await?.expect("a seat");
    if seat.guest.is_some() {
        return Ok(false);
    }
    PlainSeat { guest: Some(guest.to_owned()), ..seat }.put().send(repository).await?;
    Ok(true)
}

#[test]
fn a_plain_put_sells_a_seat_twice() {
    let failure = failure_of(&Explore::new(), async |world| {
        let repository = world.repository();
        repository.create_table::<PlainSeat>().await?;
        PlainSeat { show: "hamlet".to_owned(), number: 1, guest: None }.put().send(&repository).await?;
        let ada = world.process("ada", async |repository| sell_plain(&repository, "ada").await);
        let bob = world.process("bob", async |repository| sell_plain(&repository, "bob").await);
        let (ada, bob) = world.run((ada, bob)).await;
        let is_sold = |outcome| matches!(outcome, Some(Ok(true)));
        if is_sold(ada) && is_sold(bob) { Err("the seat was sold twice".into()) } else { Ok(()) }
    });
    assert_eq!(failure.message, "the seat was sold twice");
    assert_eq!(failure.chart.lines().count(), 4, "{failure}");
}

/// A payment service reports a payment twice at the same time, and once more to a program that has died.
#[test]
fn a_payment_is_booked_once() {
    let payment = || Payment { id: "p1".into(), show: "hamlet".into(), number: 1, guest: "ada".into(), cents: 4200 };
    let report = Explore::new().check(async |world| {
        let repository = world.repository();
        repository.create_table::<Seat>().await?;
        repository.create_table::<Payment>().await?;
        open(&repository, "hamlet", 1).await?;
        assert!(sell(&repository, "hamlet", 1, "ada").await?);
        let payment = payment();
        let webhook = |name| {
            let payment = payment.clone();
            world.process(name, async move |repository| book(&repository, &payment).await)
        };
        let answers = <[_; 2]>::from(world.run((webhook("first"), webhook("second"))).await);
        let new = answers.iter().filter(|answer| matches!(answer, Some(Ok(true)))).count();
        assert!(new <= 1, "booked twice: {answers:?}");
        // The service repeats the report until it is answered.
        let again = book(&repository, &payment).await?;
        assert!(!(again && new == 1), "booked again");
        let seat = Seat::get(("hamlet", 1)).consistent().send(&repository).await?.expect("a seat");
        assert!(seat.paid);
        Ok(())
    });
    assert!(report.is_complete(), "{report}");
}

/// A shipment is changed while the relay publishes.
#[test]
fn each_change_of_a_shipment_is_published() {
    let report = Explore::new().check(async |world| {
        let repository = world.repository();
        repository.create_table::<Shipment>().await?;
        repository.create_table::<Message>().await?;
        let published = Rc::new(RefCell::new(Vec::new()));
        let publish = |name| {
            let published = Rc::clone(&published);
            world.process(name, async move |repository| {
                relay(&repository, async |message| {
                    published.borrow_mut().push((message.number, message.text.clone()));
                    Ok::<_, Error>(())
                })
                .await
            })
        };
        let shipment = Shipment { id: "a".into(), state: "packed".into(), version: 0 };
        assert!(change(&repository, &shipment).await?);
        let sent = Shipment { id: "a".into(), state: "sent".into(), version: 1 };
        let changes = world.process("shop", async move |repository| change(&repository, &sent).await);
        world.run((changes, publish("relay"))).await;
        world.run(publish("relay-2")).await;
        let stored = Shipment::get("a").consistent().send(&repository).await?.expect("a shipment");
        // A process that died may have left a message. The last relay publishes it.
        relay(&repository, async |message| {
            published.borrow_mut().push((message.number, message.text.clone()));
            Ok::<_, Error>(())
        })
        .await?;
        let mut seen: Vec<_> = published.take();
        seen.dedup();
        for number in 1..=stored.version {
            assert!(seen.iter().any(|(seen, _)| *seen == number), "change {number} was not published: {seen:?}");
        }
        assert!(seen.iter().all(|(number, _)| *number <= stored.version), "published without a change: {seen:?}");
        Ok(())
    });
    assert!(report.is_complete(), "{report}");
}

/// What the job writes: a report, fenced by the job's token.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "night_reports")]
struct NightReport {
    #[partition_key]
    night: String,
    writer: String,
    #[fence]
    epoch: u64,
}

/// Two hosts start the job of one night. One of them stops beyond its lease, or dies.
#[test]
fn a_job_that_stops_beyond_its_lease_does_not_overwrite_the_next() {
    let faults =
        [Fault::Stop(Duration::from_mins(1)), Fault::Crash, Fault::AnswerLost, Fault::RequestLost, Fault::Late];
    let report = Explore::new().preemptions(1).with(faults).check(async |world| {
        let repository = world.repository();
        dyno::lock::Lock::create_table(&repository).await?;
        repository.create_table::<Job>().await?;
        repository.create_table::<NightReport>().await?;
        let written = Rc::new(RefCell::new(Vec::new()));
        let host = |name: &'static str| {
            let written = Rc::clone(&written);
            world.process(name, async move |repository| {
                // Cron starts the job every few minutes.
                for _ in 0..4 {
                    let outcome = run(&repository, "2026-11-26", async |fence| {
                        let report = NightReport { night: "2026-11-26".into(), writer: name.into(), epoch: 0 };
                        let outcome = report.put().fenced(fence).send(&repository).await?;
                        if outcome.is_applied() {
                            written.borrow_mut().push(fence);
                        }
                        outcome.applied()
                    });
                    if matches!(outcome.await, Ok(Run::Done | Run::DoneBefore)) {
                        break;
                    }
                    tokio::time::sleep(Duration::from_secs(30)).await;
                }
            })
        };
        world.run((host("ada"), host("bob"))).await;
        let fences = written.take();
        assert!(fences.is_sorted(), "an older fence wrote after a newer one: {fences:?}");
        let job = Job::get("nightly").consistent().send(&repository).await?;
        assert!(job.is_some_and(|job| job.night == "2026-11-26"), "the job was not done");
        Ok(())
    });
    assert!(report.is_complete(), "{report}");
}

/// One person signs up in two browsers, with one address.
#[test]
fn an_address_has_one_user() {
    let report = Explore::new().check(async |world| {
        let repository = world.repository();
        repository.create_table::<User>().await?;
        let browser = |name: &'static str| {
            world.process(name, async move |repository| {
                sign_up(name, Email::new("ada@example.com"), "Ada", &repository).await
            })
        };
        let answers = <[_; 2]>::from(world.run((browser("left"), browser("right"))).await);
        let done = |answer: &_| matches!(answer, Some(Ok(Answer::Done(_))));
        assert!(answers.iter().filter(|answer| done(answer)).count() <= 1, "two users have the address: {answers:?}");
        let stored = sign_in(Email::new("ada@example.com"), &repository).await?;
        assert!(stored.is_some() || !answers.iter().any(done), "the user cannot sign in");
        let all = User::scan().consistent().send(&repository).await?;
        assert!(all.items.len() <= 1, "{:?}", all.items);
        Ok(())
    });
    assert!(report.is_complete(), "{report}");
}

/// The same without what dyno declares: in each, one run fails, and it is short.
mod plain {
    use super::*;

    /// What a show has earned, and the payments that are counted in it.
    #[derive(Entity, Clone, Debug)]
    #[entity(table = "shows")]
    struct Show {
        #[partition_key]
        show: String,
        cents: u64,
    }

    /// Stores a payment that is not known, and then counts it.
    async fn book_plain(repository: &Repository, payment: &Payment) -> Result<(), Error> {
        if Payment::get(&*payment.id).consistent().send(repository).await?.is_none() {
            Show::update(&*payment.show)
                .with(Show::fields().cents.add(payment.cents))
                .send(repository)
                .await?
                .applied()?;
            payment.put().send(repository).await?;
        }
        Ok(())
    }

    #[test]
    fn a_payment_is_counted_twice() {
        let failure = failure_of(&Explore::new(), async |world| {
            let repository = world.repository();
            repository.create_table::<Show>().await?;
            repository.create_table::<Payment>().await?;
            Show { show: "hamlet".into(), cents: 0 }.put().send(&repository).await?;
            let webhook = |name| {
                world.process(name, async |repository| {
                    let payment =
                        Payment { id: "p1".into(), show: "hamlet".into(), number: 1, guest: "ada".into(), cents: 4200 };
                    book_plain(&repository, &payment).await
                })
            };
            world.run((webhook("first"), webhook("second"))).await;
            let show = Show::get("hamlet").consistent().send(&repository).await?.expect("a show");
            if show.cents > 4200 { Err(format!("{} cents", show.cents).into()) } else { Ok(()) }
        });
        assert_eq!((&*failure.message, &*failure.schedule), ("8400 cents", "first.second"), "{failure}");
    }

    /// The state of a shipment, and the text of a message, of a program without transactions.
    #[derive(Entity, Clone, Debug)]
    #[entity(table = "parcels")]
    struct Parcel {
        #[partition_key]
        id: String,
        state: String,
        is_told: bool,
    }

    /// Stores a state, and then the message about it.
    async fn change_plain(repository: &Repository, id: &str) -> Result<(), Error> {
        Parcel { id: id.to_owned(), state: "sent".into(), is_told: false }.put().send(repository).await?;
        Parcel { id: format!("message about {id}"), state: "sent".into(), is_told: true }.put().send(repository).await
    }

    #[test]
    fn a_change_has_no_message() {
        let failure = failure_of(&Explore::new(), async |world| {
            let repository = world.repository();
            repository.create_table::<Parcel>().await?;
            world.run(world.process("shop", async |repository| change_plain(&repository, "a").await)).await;
            let is_sent = Parcel::get("a").consistent().send(&repository).await?.is_some();
            let is_told = Parcel::get("message about a").consistent().send(&repository).await?.is_some();
            if is_sent && !is_told { Err("nobody hears of the change".into()) } else { Ok(()) }
        });
        assert_eq!(
            (&*failure.message, &*failure.schedule),
            ("nobody hears of the change", "shop:dies-after"),
            "{failure}"
        );
    }

    /// A report that a job writes under a lock, without a fence.
    #[derive(Entity, Clone, Debug)]
    #[entity(table = "reports")]
    struct Report {
        #[partition_key]
        night: String,
        writer: u64,
    }

    #[test]
    fn a_host_that_stopped_overwrites_the_next() {
        let explore = Explore::new().preemptions(1).with([Fault::Stop(Duration::from_mins(1))]);
        let failure = failure_of(&explore, async |world| {
            let repository = world.repository();
            dyno::lock::Lock::create_table(&repository).await?;
            repository.create_table::<Report>().await?;
            let written = Rc::new(RefCell::new(Vec::new()));
            let host = |name: &'static str| {
                let written = Rc::clone(&written);
                world.process(name, async move |repository| {
                    let held = dyno::lock::Lock::new("nightly").acquire(&repository).await?;
                    let report = Report { night: "2026-11-26".into(), writer: held.fence() };
                    let work = async {
                        report.put().send(&repository).await?;
                        written.borrow_mut().push(report.writer);
                        Ok::<_, Error>(())
                    };
                    held.during(work).await??;
                    held.release().await
                })
            };
            world.run((host("ada"), host("bob"))).await;
            let report = Report::get("2026-11-26").consistent().send(&repository).await?;
            let newest = written.take().into_iter().max().unwrap_or_default();
            match report {
                Some(report) if report.writer < newest => Err("an old holder has overwritten a new one".into()),
                _ => Ok(()),
            }
        });
        assert_eq!(failure.message, "an old holder has overwritten a new one");
        assert_eq!(failure.schedule, "ada.ada.ada:stops-before-60000ms", "{failure}");
    }

    /// A user whose address no rule keeps unique.
    #[derive(Entity, Clone, Debug)]
    #[entity(table = "people")]
    struct Person {
        #[partition_key]
        id: String,
        email: String,
    }

    async fn sign_up_plain(repository: &Repository, id: &str, email: &str) -> Result<bool, Error> {
        let people = Person::scan().consistent().send(repository).await?;
        if people.items.iter().any(|person| person.email == email) {
            return Ok(false);
        }
        Person { id: id.to_owned(), email: email.to_owned() }.put().send(repository).await?;
        Ok(true)
    }

    #[test]
    fn two_users_have_one_address() {
        let failure = failure_of(&Explore::new(), async |world| {
            let repository = world.repository();
            repository.create_table::<Person>().await?;
            let browser = |name: &'static str| {
                world.process(name, async move |repository| sign_up_plain(&repository, name, "ada@example.com").await)
            };
            world.run((browser("left"), browser("right"))).await;
            let people = Person::scan().consistent().send(&repository).await?;
            if people.items.len() > 1 { Err("two users have one address".into()) } else { Ok(()) }
        });
        assert_eq!((&*failure.message, &*failure.schedule), ("two users have one address", "left.right"), "{failure}");
    }
}

/// Explores a scenario that fails. Returns the failure.
fn failure_of(explore: &Explore, scenario: impl AsyncFn(World) -> Checked) -> Failure {
    match explore.run(scenario) {
        Ok(report) => panic!("nothing has failed: {report}"),
        Err(failure) => *failure,
    }
}
