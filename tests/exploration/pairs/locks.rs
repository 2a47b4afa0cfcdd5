//! Two processes that work under one lock, and one of which stops beyond its lease, dies, or loses requests.

use dyno::local::explore::{Explore, Fault};
use dyno::lock::Lock;
use dyno::{Entity, Error, Repository};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "reports")]
struct Minutes {
    #[partition_key]
    id: String,
    lines: u64,
    #[fence]
    epoch: u64,
}

/// What the processes have done, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Acquired(u64),
    Wrote(u64),
    /// It is about to release the lock.
    Ended(u64),
}

/// Adds a line under the lock.
async fn work(repository: &Repository, events: &RefCell<Vec<Event>>) -> Result<(), Error> {
    let lock = Lock::new("reports").lease(Duration::from_secs(10));
    lock.run(repository, async |held| {
        let fence = held.fence();
        events.borrow_mut().push(Event::Acquired(fence));
        // A late request can arrive while the worker waits.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let report = Minutes::get("1").consistent().send(repository).await?;
        let lines = report.map_or(0, |report| report.lines) + 1;
        let report = Minutes { id: "1".into(), lines, epoch: 0 };
        if report.put().fenced(held).send(repository).await?.is_applied() {
            events.borrow_mut().push(Event::Wrote(fence));
        }
        events.borrow_mut().push(Event::Ended(fence));
        Ok::<_, Error>(())
    })
    .await
}

/// Explores two workers. `is_exclusive`: whether no fault of these makes a worker lose the lock.
fn explore(explore: &Explore, is_exclusive: bool) -> (usize, usize) {
    let explored = super::explored(explore, super::Depth::chosen(), async |world| {
        let repository = world.repository();
        Lock::create_table(&repository).await?;
        repository.create_table::<Minutes>().await?;
        if is_exclusive {
            // The others begin without a row of the lock.
            let held = Lock::new("reports").lease(Duration::from_secs(10)).acquire(&repository).await?;
            let _free = held.release().await?;
        }
        let events = Rc::new(RefCell::new(Vec::new()));
        if is_exclusive {
            let events = Rc::clone(&events);
            world.always(async move |repository| {
                let Some(Event::Acquired(fence) | Event::Wrote(fence)) = events.borrow().last().cloned() else {
                    return Ok(());
                };
                let row = Lock::new("reports").inspect(&repository).await?;
                let names_it = row.is_some_and(|row| row.fence == fence && row.is_held);
                names_it.then_some(()).ok_or_else(|| "the row of the lock does not name its holder".into())
            });
        }
        let worker = |name| {
            let events = Rc::clone(&events);
            world.process(name, async move |repository| work(&repository, &events).await)
        };
        let [ada, bob] = world.run([worker("ada"), worker("bob")]).await;
        let events = events.take();
        let fences = |of: fn(&Event) -> Option<u64>| events.iter().filter_map(of).collect::<Vec<_>>();
        let acquired = fences(|event| if let Event::Acquired(fence) = event { Some(*fence) } else { None });
        let wrote = fences(|event| if let Event::Wrote(fence) = event { Some(*fence) } else { None });
        assert!(acquired.windows(2).all(|pair| pair[0] < pair[1]), "a fence went back: {events:?}");
        assert!(wrote.windows(2).all(|pair| pair[0] < pair[1]), "an older holder wrote after a newer one: {events:?}");
        if is_exclusive {
            let is_whole = |part: &[Event]| matches!(part, [Event::Acquired(one), Event::Wrote(two), Event::Ended(three)] if one == two && two == three);
            assert!(events.chunks(3).all(is_whole), "two workers held the lock: {events:?}");
            assert!(matches!((ada, bob), (Some(Ok(())), Some(Ok(())))), "both have worked: {events:?}");
        }
        let report = Minutes::get("1").consistent().send(&repository).await?;
        let lines = report.as_ref().map_or(0, |report| report.lines);
        assert!(lines >= wrote.len() as u64, "a line was lost: {report:?} {events:?}");
        // Nobody keeps the lock for ever.
        let next = Lock::new("reports").lease(Duration::from_secs(10)).acquire(&repository).await?;
        assert!(acquired.iter().all(|fence| *fence < next.fence()), "{events:?}");
        Ok(())
    });
    explored.unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn workers() {
    let sure =
        [Fault::AnswerLost, Fault::RequestLost, Fault::Late, Fault::Duplicated, Fault::Throttled, Fault::Conflict];
    let unsure = [Fault::Crash, Fault::Stop(Duration::from_secs(30)), Fault::Slow(Duration::from_secs(30))];
    let (sure, unsure) = (explore(&Explore::new().with(sure), true), explore(&Explore::new().with(unsure), false));
    let (runs, requests) = (sure.0 + unsure.0, sure.1.max(unsure.1));
    super::record(&format!("locks: 1 pairs, {runs} runs, {requests} requests in the longest, complete"));
}
