//! How a process gets a lane: a free lane of its own, an abandoned lane, or a new one.

use super::{EPOCH, LONG, head, lane, lane_of, lanes, parts, with_lanes, write};
use dyno::__private::lanes::take;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::{ErrorKind, Repository};
use dyno_tests::faults::Rates;
use dyno_tests::{World, n, pause};
use futures_util::future::join_all;
use std::sync::Arc;

/// Another process.
fn process(world: &World) -> Repository {
    Repository::new(world.client(RetryConfig::standard())).with_clock(Arc::clone(&world.clock))
}

#[tokio::test]
async fn each_attempt_has_the_next_number_and_new_random_bits() {
    pause();
    let world = with_lanes().await;
    let mut own = take(&world.repository).await.expect("a lane");
    // One read of all lanes, and one write.
    assert_eq!(world.repository.usage().requests, 2);
    let first = own.next_transaction_id().expect("a ticket");
    own.committed(&first);
    assert_eq!(own.previous(), 1);
    // This ticket is given up, and leaves no trace in the head of the lane.
    let second = own.next_transaction_id().expect("a ticket");
    own.give_back();
    let mut own = take(&world.repository).await.expect("the same lane");
    let third = own.next_transaction_id().expect("a ticket");
    assert_eq!((own.previous(), world.repository.usage().requests), (1, 2));
    let tickets = [&first, &second, &third].map(|ticket| parts(ticket));
    assert_eq!(tickets.each_ref().map(|(lane, _, number, _)| (lane.as_str(), *number)), [("1", 1), ("1", 2), ("1", 3)]);
    assert!(tickets.iter().all(|(_, born, ..)| *born == tickets[0].1));
    assert!(tickets[0].3 != tickets[1].3 && tickets[1].3 != tickets[2].3 && tickets[0].3 != tickets[2].3);
}

#[tokio::test]
async fn a_lane_table_has_no_more_lanes_than_were_in_use_at_once() {
    pause();
    let world = with_lanes().await;
    let mut own = Vec::new();
    for _ in 0..3 {
        own.push(take(&world.repository).await.expect("a lane"));
    }
    assert_eq!(lanes(&world).await, ["1", "2", "3"]);
    for lane in own {
        lane.give_back();
    }
    for _ in 0..5 {
        take(&world.repository).await.expect("a lane").give_back();
    }
    // One process after another takes two lanes and ends without returning them. Which lanes it takes over is random.
    world.faults.seed(1, Rates::NONE);
    for _ in 0..50 {
        world.clock.advance(LONG);
        let process = process(&world);
        let own = [take(&process).await.expect("a lane"), take(&process).await.expect("a lane")];
        for mut lane in own {
            lane.next_transaction_id().expect("a ticket");
        }
    }
    assert_eq!(lanes(&world).await, ["1", "2", "3"]);
}

#[tokio::test]
async fn concurrent_processes_get_a_lane_each() {
    pause();
    let world = with_lanes().await;
    let processes: Vec<Repository> = (0..8).map(|_| process(&world)).collect();
    let all = processes.iter().flat_map(|process| (0..5).map(|_| take(process)));
    let all = join_all(all).await;
    let mut names: Vec<u32> = Vec::new();
    for own in all {
        let mut own = own.expect("a lane");
        names.push(parts(&own.next_transaction_id().expect("a ticket")).0.parse().expect("a name"));
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 40);
    assert_eq!(lanes(&world).await.len(), 40);
}

#[tokio::test]
async fn a_lane_idle_for_over_30_seconds_is_renewed_or_dropped() {
    pause();
    let world = with_lanes().await;
    take(&world.repository).await.expect("a lane").give_back();
    world.clock.advance(30_000);
    take(&world.repository).await.expect("the same").give_back();
    assert_eq!(world.repository.usage().requests, 2);
    world.clock.advance(1);
    take(&world.repository).await.expect("the same").give_back();
    assert_eq!(world.repository.usage().requests, 3);
    assert_eq!(lane(&world, 1).await["beat"], n(dyno_tests::NOW + 30_001));
    // Another process takes the lane over.
    world.clock.advance(LONG);
    let mut other = take(&process(&world)).await.expect("the lane");
    assert_eq!(parts(&other.next_transaction_id().expect("a ticket")).2, EPOCH + 1);
    let mut own = take(&world.repository).await.expect("another lane");
    assert_eq!(parts(&own.next_transaction_id().expect("a ticket")).0, "2");
    assert!(own.renew(&world.repository).await.expect("an answer"));
}

#[tokio::test]
async fn a_lane_taken_over_by_another_process_is_not_renewed() {
    pause();
    let world = with_lanes().await;
    let mut own = take(&world.repository).await.expect("a lane");
    world.clock.advance(LONG);
    let mut other = take(&process(&world)).await.expect("the lane");
    assert!(!own.renew(&world.repository).await.expect("an answer"));
    assert!(other.renew(&world.repository).await.expect("an answer"));
    drop(own);
    // The lane was dropped, but belongs to another live process now.
    let mut own = take(&world.repository).await.expect("another lane");
    assert_eq!(parts(&own.next_transaction_id().expect("a ticket")).0, "2");
}

#[tokio::test]
async fn each_lane_table_has_its_own_lanes() {
    pause();
    let world = with_lanes().await;
    let elsewhere = world.repository.clone().with_lane_table("lanes-elsewhere");
    elsewhere.create_lane_table().await.expect("a table");
    let mut here = take(&world.repository).await.expect("a lane");
    let mut there = take(&elsewhere).await.expect("a lane");
    let tickets =
        [here.next_transaction_id(), there.next_transaction_id()].map(|ticket| parts(&ticket.expect("a ticket")));
    assert_eq!((&tickets[0].0, tickets[0].2), (&tickets[1].0, tickets[1].2));
    assert_ne!(tickets[0].1, tickets[1].1);
    here.give_back();
    there.give_back();
    let mut again = take(&elsewhere).await.expect("a lane");
    assert_eq!(parts(&again.next_transaction_id().expect("a ticket")).1, tickets[1].1);
    let head = lane_of(&world.other(), "lanes-elsewhere", 1).await;
    assert_eq!(head["born"].as_s().expect("a text"), &tickets[1].1);
}

#[tokio::test]
async fn taking_a_lane_fails_while_all_are_in_use() {
    pause();
    let world = with_lanes().await;
    let few = world.repository.clone().with_lanes(2);
    let own = [take(&few).await.expect("a lane"), take(&few).await.expect("a lane")];
    let error = take(&few).await.expect_err("no lane");
    assert_eq!(error.kind(), ErrorKind::Contended);
    let text = error.to_string();
    assert!(text.contains("all 2 lanes of the table `dyno-lanes` are in use") && text.contains("with_lanes"), "{text}");
    // A clone with a higher limit gets a third lane. After its return, a clone with a limit of 2 does not take that lane.
    let more = take(&world.repository).await.expect("a lane");
    more.give_back();
    assert_eq!(take(&few).await.expect_err("no lane").kind(), ErrorKind::Contended);
    for lane in own {
        lane.give_back();
    }
    take(&few).await.expect("a lane").give_back();
    assert!(take(&few.with_lanes(0)).await.expect_err("no lane").is_invalid_input());
}

#[tokio::test]
async fn a_silent_lane_is_found_among_160_lanes() {
    pause();
    let world = with_lanes().await;
    let (living, silent) = ((1..=160).map(|lane| head(lane, 0)), head(140, LONG));
    write(&world, "dyno-lanes", living.chain([silent])).await;
    let mut own = take(&world.repository).await.expect("a lane");
    assert_eq!(parts(&own.next_transaction_id().expect("a ticket")).0, "140");
    let mut own = take(&world.repository).await.expect("a lane");
    assert_eq!(parts(&own.next_transaction_id().expect("a ticket")).0, "161");
}
