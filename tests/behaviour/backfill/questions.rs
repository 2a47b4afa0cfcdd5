//! `modify_each` and `delete_each` on queries and indexes: what no longer answers is left alone.

use super::counts;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{Checkpoint, Entity, ErrorKind, Pace, Progress, Repository};
use dyno_tests::faults::Fault;
use dyno_tests::{World, item, n, pause, s, world};
use std::sync::{Arc, Mutex};

/// An entity without rules. The index has only keys.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(table = "orders")]
#[index(name = "by_status", partition = status, sort = due, projection = "keys")]
struct Order {
    #[partition_key]
    customer: String,
    #[sort_key]
    number: u32,
    status: String,
    due: u32,
    #[attribute(default)]
    reminded: u32,
}

fn order(customer: &str, number: u32) -> Order {
    Order { customer: customer.to_owned(), number, status: "open".to_owned(), due: number, reminded: 0 }
}

type Change = fn(&mut Order);

fn remind(order: &mut Order) {
    order.reminded = order.reminded.max(1);
}

async fn orders(world: &World, numbers: u32) {
    for number in 1..=numbers {
        order("ada", number).put().send(&world.repository).await.expect("a put");
    }
}

async fn stored(world: &World) -> Vec<Order> {
    let mut orders = Order::scan().consistent().stream(&world.other()).try_collect().await.expect("orders");
    orders.sort_by_key(|order| order.number);
    orders
}

async fn set(repository: &Repository, number: u32, to: impl FnOnce(&mut Order)) {
    let mut order = Order::get(("ada", number)).send(repository).await.expect("a get").expect("an order");
    to(&mut order);
    order.put().send(repository).await.expect("a put");
}

#[tokio::test]
async fn a_query_is_one_segment() {
    let world = world::<Order>().await;
    orders(&world, 4).await;
    order("bob", 9).put().send(&world.repository).await.expect("a put");
    let metered = world.repository.metered();
    let query = Order::query("ada").sort_ge(2_u32).descending().filter(Order::fields().due.ne(3));
    let done = query.modify_each(remind).send(&metered).await.expect("sent").completed().expect("no failure");
    assert_eq!((counts(&done), metered.usage().requests), ([2, 0, 0, 0, 0], 3));
    let reminded: Vec<u32> = stored(&world).await.iter().map(|order| order.reminded).collect();
    assert_eq!(reminded, [0, 1, 0, 1, 0]);
    let deleted = Order::query("ada").sort_lt(3_u32).delete_each().send(&metered).await.expect("sent");
    assert_eq!((counts(&deleted), metered.usage().requests), ([2, 0, 0, 0, 0], 6));
    let left: Vec<u32> = stored(&world).await.iter().map(|order| order.number).collect();
    assert_eq!(left, [3, 4, 9]);
}

#[tokio::test]
async fn items_of_an_index_are_loaded_before_they_are_changed() {
    let world = world::<Order>().await;
    orders(&world, 3).await;
    let metered = world.repository.metered();
    let stale = |order: &mut Order| order.status = "stale".to_owned();
    let done = Order::by_status("open").sort_le(2_u32).modify_each(stale).send(&metered).await.expect("sent");
    // A query, and a get and an update for each item.
    assert_eq!((counts(&done), metered.usage().requests), ([2, 0, 0, 0, 0], 5));
    let statuses: Vec<String> = stored(&world).await.into_iter().map(|order| order.status).collect();
    assert_eq!(statuses, ["stale", "stale", "open"]);
    let scan = Order::scan().index::<OrderByStatus>().modify_each(remind).send(&metered).await.expect("sent");
    assert_eq!(counts(&scan), [3, 0, 0, 0, 0]);
    let deleted = Order::by_status("stale").delete_each().send(&metered).await.expect("sent");
    assert_eq!(counts(&deleted), [2, 0, 0, 0, 0]);
    assert_eq!(stored(&world).await, [Order { reminded: 1, ..order("ada", 3) }]);
}

/// Another writer changes the item after the query of the index, or between the load of the item and its write.
#[tokio::test]
async fn an_item_that_has_left_its_place_in_the_index_is_gone() {
    let changes: [(Change, bool); 3] = [
        (|order| order.status = "paid".to_owned(), false),
        // The range excludes its bound.
        (|order| order.due = 5, false),
        (|order| order.due = 4, true),
    ];
    for (requests, deletes) in [(1, false), (2, false), (1, true), (2, true)] {
        for (change, answers) in changes {
            let world = world::<Order>().await;
            orders(&world, 1).await;
            world.faults.hold_after(requests);
            let repository = world.repository.clone();
            let run = tokio::spawn(async move {
                let query = Order::by_status("open").sort_lt(5_u32);
                if deletes {
                    query.delete_each().send(&repository).await
                } else {
                    query.modify_each(remind).send(&repository).await
                }
            });
            world.faults.held().await;
            set(&world.other(), 1, change).await;
            world.faults.release();
            let done = run.await.expect("no panic").expect("sent").completed().expect("no failure");
            let mut current = order("ada", 1);
            change(&mut current);
            let retried = u64::from(requests == 2 && answers);
            assert_eq!(counts(&done), [u64::from(answers), 0, u64::from(!answers), 0, retried], "{requests} {deletes}");
            let expected = match (answers, deletes) {
                (true, true) => vec![],
                (true, false) => vec![Order { reminded: 1, ..current }],
                (false, _) => vec![current],
            };
            assert_eq!(stored(&world).await, expected);
        }
    }
}

/// With a pace, the pages are small. Each change moves its item behind the others.
#[tokio::test]
async fn an_item_that_moves_forward_in_an_index_is_changed_once() {
    pause();
    let world = world::<Order>().await;
    orders(&world, 6).await;
    let paced = world.repository.paced(Pace::new().read_units(2.0));
    let mut calls = 0;
    let postpone = |order: &mut Order| {
        calls += 1;
        order.due += 10;
    };
    let done = Order::by_status("open").modify_each(postpone).send(&paced).await.expect("sent");
    assert_eq!(counts(&done), [6, 0, 0, 0, 0]);
    assert_eq!(calls, 6);
    let due: Vec<u32> = stored(&world).await.iter().map(|order| order.due).collect();
    assert_eq!(due, [11, 12, 13, 14, 15, 16]);
}

/// Each run dies at one of its requests, before or after the request is served.
#[tokio::test]
async fn a_run_over_an_index_resumes_from_its_checkpoint() {
    for (deletes, served) in [(false, false), (false, true), (true, false), (true, true)] {
        let world = world::<Order>().await;
        orders(&world, 5).await;
        let mut saved: Option<String> = None;
        for requests in 1..=4 {
            let kept = Arc::new(Mutex::new(None));
            let save = Arc::clone(&kept);
            let save = move |progress: &Progress| {
                *save.lock().expect("no panic") = Some(progress.checkpoint().to_string());
            };
            let after: Option<Checkpoint> = saved.as_ref().map(|text| text.parse().expect("a checkpoint"));
            world.faults.dies_of(requests, served);
            let repository = world.repository.clone();
            let run = tokio::spawn(async move {
                let open = Order::by_status("open");
                if deletes {
                    open.delete_each().after(after).on_progress(save).send(&repository).await
                } else {
                    open.modify_each(remind).after(after).on_progress(save).send(&repository).await
                }
            });
            world.faults.stopped().await;
            run.abort();
            let _aborted = run.await;
            world.faults.go_on();
            saved = kept.lock().expect("no panic").take().or(saved);
        }
        let after: Checkpoint = saved.expect("some way").parse().expect("a checkpoint");
        let open = Order::by_status("open");
        let done = if deletes {
            open.delete_each().after(after).send(&world.repository).await
        } else {
            open.modify_each(remind).after(after).send(&world.repository).await
        };
        let done = done.expect("sent").completed().expect("no failure");
        // A deleted item leaves the index, so a run that did not see the answer never meets it again.
        assert!(if deletes { done.done_items() <= 5 } else { done.done_items() == 5 });
        let expected = if deletes { vec![] } else { vec![1; 5] };
        assert_eq!(stored(&world).await.iter().map(|order| order.reminded).collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn a_checkpoint_of_another_question_is_refused() {
    let world = world::<Order>().await;
    let repository = &world.repository;
    orders(&world, 1).await;
    let checkpoints = [
        Order::scan().modify_each(remind).send(repository).await,
        Order::scan().delete_each().send(repository).await,
        Order::query("ada").modify_each(remind).send(repository).await,
        Order::query("ada").descending().modify_each(remind).send(repository).await,
        Order::by_status("open").modify_each(remind).send(repository).await,
        Order::scan().index::<OrderByStatus>().modify_each(remind).send(repository).await,
    ];
    let checkpoints = checkpoints.map(|done| done.expect("sent").checkpoint().clone());
    for (at, checkpoint) in checkpoints.iter().enumerate() {
        let runs = [
            Order::scan().modify_each(remind).after(checkpoint.clone()).send(repository).await,
            Order::scan().delete_each().after(checkpoint.clone()).send(repository).await,
            Order::query("ada").modify_each(remind).after(checkpoint.clone()).send(repository).await,
            Order::query("ada").descending().modify_each(remind).after(checkpoint.clone()).send(repository).await,
            Order::by_status("open").modify_each(remind).after(checkpoint.clone()).send(repository).await,
            Order::scan().index::<OrderByStatus>().modify_each(remind).after(checkpoint.clone()).send(repository).await,
        ];
        for (run, result) in runs.into_iter().enumerate() {
            match result {
                Ok(_) => assert_eq!(run, at),
                Err(error) => {
                    assert!(run != at && error.is_invalid_input());
                    let message = "the checkpoint belongs to another command, entity, table, index or filter: continue with the same, or items would be skipped";
                    assert!(error.to_string().ends_with(message), "{error}");
                }
            }
        }
    }
}

/// The key of a failed item is the table's, whatever was read.
#[tokio::test]
async fn a_failed_item_of_an_index_is_retried_from_the_checkpoint() {
    let world = world::<Order>().await;
    orders(&world, 2).await;
    let mut shapeless = order("ada", 1).to_item().expect("an item");
    shapeless.insert("reminded".to_owned(), s("x"));
    world.write_foreign::<Order>(shapeless).await;
    let run = async |after: Option<Checkpoint>| {
        Order::by_status("open").modify_each(remind).after(after).send(&world.repository).await.expect("sent")
    };
    let failed = run(None).await;
    assert_eq!(counts(&failed), [1, 0, 0, 1, 0]);
    assert_eq!(failed.failures()[0].key(), Some(&item([("customer", s("ada")), ("number", n(1))])));
    let checkpoint: Checkpoint = failed.checkpoint().to_string().parse().expect("a checkpoint");
    // The item can be read again, or has left the index.
    for (status, expected) in [("open", [2, 0, 0, 0, 0]), ("paid", [1, 0, 1, 0, 0])] {
        let now = Order { status: status.to_owned(), ..order("ada", 1) };
        now.put().send(&world.repository).await.expect("a put");
        assert_eq!(counts(&run(Some(checkpoint.clone())).await.completed().expect("no failure")), expected);
    }
}

/// The answer of each request is lost in turn. A change that takes the item out of the index is told apart from another writer's.
#[tokio::test]
async fn a_lost_answer_leaves_no_item_undone() {
    pause();
    for (number, deletes) in [(0, true), (1, true), (2, true), (0, false), (1, false), (2, false)] {
        let world = world::<Order>().await;
        orders(&world, 1).await;
        world.faults.next(std::iter::repeat_n(Fault::Served, number).chain([Fault::AnswerLost]));
        let open = Order::by_status("open");
        let done = if deletes {
            open.delete_each().send(&world.repository).await
        } else {
            open.modify_each(|order| order.status = "stale".to_owned()).send(&world.repository).await
        };
        let done = done.expect("sent").completed().expect("no failure");
        assert_eq!(done.done_items(), 1);
        let stale = Order { status: "stale".to_owned(), ..order("ada", 1) };
        assert_eq!(stored(&world).await, if deletes { vec![] } else { vec![stale] });
        assert_eq!(done.changed(), u64::from(!deletes || number < 2));
    }
}

/// A delete fails, and the item is still there: the delete is sent again, or with one attempt the segment stops in doubt.
#[tokio::test]
async fn a_delete_in_doubt_is_not_reported_as_refused() {
    pause();
    for (attempts, expected) in [(1, [0, 0, 0, 0, 0]), (2, [1, 0, 0, 0, 1])] {
        let world = world::<Order>().await;
        orders(&world, 1).await;
        let repository = Repository::new(world.client(RetryConfig::disabled()));
        world.faults.next([Fault::Served, Fault::ServerError { served: false }]);
        let done = Order::query("ada").delete_each().attempts(attempts).send(&repository).await.expect("sent");
        assert_eq!((counts(&done), done.is_finished()), (expected, attempts == 2));
        assert_eq!(stored(&world).await.len(), usize::from(attempts == 1));
        if attempts == 1 {
            assert_eq!(done.completed().expect_err("in doubt").kind(), ErrorKind::OutcomeUnknown);
        }
    }
}
