//! Mistakes of a scenario: each is an error that says which.

use crate::{Checked, PlainSeat, Seat, failure_of, open, seat, sell, sell_plain};
use dyno::local::explore::{Explore, World};
use std::cell::Cell;
use std::time::Duration;

/// The message of a scenario's failure.
fn message_of(explore: &Explore, scenario: impl AsyncFn(World) -> Checked) -> String {
    failure_of(explore, scenario).to_string()
}

#[test]
fn a_scenario_without_requests_is_refused() {
    let message = message_of(&Explore::new(), async |world| {
        world.run(world.process("ada", async |_| ())).await;
        Ok(())
    });
    assert_eq!(message, "the processes of the scenario send no request, so there is no order to explore");
}

#[test]
fn a_scenario_that_does_not_end_is_stopped() {
    let message = message_of(&Explore::new(), async |world| {
        open(&world, 1).await?;
        let poll = world.process(
            "ada",
            async move |repository| {
                while seat(&repository, 1).await.is_ok_and(|seat| seat.buyer.is_none()) {}
            },
        );
        world.run(poll).await;
        Ok(())
    });
    assert!(message.starts_with("the scenario does not end: 2000 requests were served\n"), "{message}");
    assert!(message.contains("… the same 1999 more times"), "{message}");
}

#[test]
fn a_process_that_waits_for_ever_is_named() {
    let message = message_of(&Explore::new(), async |world| {
        open(&world, 1).await?;
        let ada = world.process("ada", async |repository| {
            let _seat = seat(&repository, 1).await;
            std::future::pending::<()>().await;
        });
        let bob = world.process("bob", async |repository| sell(&repository, 1, "bob").await);
        world.run((ada, bob)).await;
        Ok(())
    });
    assert!(
        message.starts_with("\"ada\" waits for ever: it has no request under way, and no timer is due within 30 days."),
        "{message}"
    );
}

#[test]
fn a_task_that_outlives_its_process_is_named() {
    let message = message_of(&Explore::new(), async |world| {
        open(&world, 1).await?;
        let ada = world.process("ada", async |repository| {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let _sold = sell(&repository, 1, "ada").await;
            });
        });
        let bob = world.process("bob", async |repository| {
            tokio::time::sleep(Duration::from_secs(5)).await;
            sell(&repository, 1, "bob").await
        });
        world.run((ada, bob)).await;
        Ok(())
    });
    let expected =
        "the process \"ada\" has ended, and a task that it spawned sends GetItem: let the process wait for its tasks";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_process_that_waits_for_its_tasks_is_served() {
    let report = Explore::new().check(async |world| {
        let repository = open(&world, 2).await?;
        let both = world.process("ada", async |repository| {
            let one = tokio::spawn({
                let repository = repository.clone();
                async move { sell(&repository, 1, "ada").await }
            });
            let two = tokio::spawn(async move { sell(&repository, 2, "ada").await });
            (one.await.expect("no panic"), two.await.expect("no panic"))
        });
        if let Some((Ok(one), Ok(two))) = world.run(both).await {
            assert_eq!((one, two), (true, true));
            assert_eq!(seat(&repository, 2).await?.buyer.as_deref(), Some("ada"));
        }
        Ok(())
    });
    assert!(report.is_complete() && report.runs > 10, "{report}");
}

#[test]
fn a_scenario_that_does_not_repeat_itself_is_refused() {
    let runs = Cell::new(0);
    let message = message_of(&Explore::new(), async |world| {
        runs.set(runs.get() + 1);
        open(&world, 2).await?;
        let is_first = runs.get() == 1;
        let ada = world.process("ada", async move |repository| {
            if is_first {
                sell(&repository, 1, "ada").await
            } else {
                let seat = Seat { row: "Up".into(), number: 3, buyer: None, version: 0 };
                seat.create().send(&repository).await.map(|_| true)
            }
        });
        world.run(ada).await;
        Err("wrong".into())
    });
    assert!(
        message.starts_with(
            "the scenario is not repeatable: request 1 was GetItem seats and is PutItem seats. Under the same choices"
        ),
        "{message}"
    );
    let runs = Cell::new(0);
    let message = message_of(&Explore::new(), async |world| {
        runs.set(runs.get() + 1);
        open(&world, 1).await?;
        world.run(world.process("ada", async |repository| sell(&repository, 1, "ada").await)).await;
        Err(format!("run {}", runs.get()).into())
    });
    assert!(
        message.starts_with(
            "the scenario is not repeatable: a run failed with \"run 1\", and under the same schedule with \"run 2\"."
        ),
        "{message}"
    );
}

#[test]
fn a_panic_is_a_failure_with_a_chart() {
    let failure = failure_of(&Explore::new(), async |world| {
        open(&world, 1).await?;
        let ada = world.process("ada", async |repository| {
            let seat = seat(&repository, 1).await.expect("a seat");
            assert!(seat.buyer.is_some(), "the seat is free");
        });
        world.run(ada).await;
        Ok(())
    });
    assert_eq!((&*failure.message, failure.run), ("the seat is free", 1));
    assert_eq!(failure.chart.lines().count(), 1, "{failure}");
    assert_eq!(failure.schedule, "default");
}

#[test]
#[should_panic(expected = "an exploration of 0 runs shows nothing")]
fn a_bound_of_no_runs_is_refused() {
    let _ = Explore::new().runs(0);
}

#[tokio::test]
async fn an_exploration_inside_a_runtime_is_refused() {
    let message = message_of(&Explore::new(), async |_| Ok(()));
    assert_eq!(message, "an exploration has runtimes of its own: call it in a `#[test]`, not in a `#[tokio::test]`");
}

#[test]
fn a_name_that_no_schedule_can_have_is_refused() {
    for (name, expected) in [
        ("", "a schedule cannot name the process \"\""),
        ("a.b", "a schedule cannot name the process \"a.b\""),
        ("time", "a schedule cannot name the process \"time\""),
    ] {
        let message = message_of(&Explore::new(), async |world| {
            let _ada = world.process(name, async |_| ());
            Ok(())
        });
        assert!(message.starts_with(expected), "{message}");
    }
    let message = message_of(&Explore::new(), async |world| {
        let _ada = (world.process("ada", async |_| ()), world.process("ada", async |_| ()));
        Ok(())
    });
    assert!(message.starts_with("two processes of a scenario have the name \"ada\""), "{message}");
}

#[test]
fn an_always_check_fails_at_the_request_that_breaks_it() {
    let failure = failure_of(&Explore::new().faults(0), async |world| {
        let repository = world.repository();
        repository.create_table::<PlainSeat>().await?;
        PlainSeat { row: "Up".to_owned(), number: 1, buyer: None }.put().send(&repository).await?;
        world.always(async |repository| {
            let seat = PlainSeat::get(("Up", 1u32)).consistent().send(&repository).await?.expect("a seat");
            if seat.buyer.as_deref() == Some("bob") { Err("bob has the seat".into()) } else { Ok(()) }
        });
        let ada = world.process("ada", async |repository| sell_plain(&repository, "ada").await);
        let bob = world.process("bob", async |repository| sell_plain(&repository, "bob").await);
        world.run((ada, bob)).await;
        Ok(())
    });
    assert_eq!(failure.message, "bob has the seat");
    assert_eq!(failure.chart.lines().count(), 2, "{failure}");
    assert_eq!(failure.schedule, "bob");
}
