//! The take-over of an abandoned lane: the new owner first applies all commits of the lane, and then begins the next epoch.

use super::{
    Account, EPOCH, LONG, account, applied, committed, head, held, lane, lanes, named, parts, stored, with_lanes, write,
};
use dyno::__private::lanes::take;
use dyno::aws_sdk_dynamodb::config::retry::RetryConfig;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Item, Sweep};
use dyno_tests::faults::Fault;
use dyno_tests::{NOW, World, item, n, pause, s};

/// Commits a ticket with the same request as the lane's owner. Returns whether the condition held.
async fn commit(world: &World, ticket: &str, previous: u64, ids: &[&str]) -> bool {
    let (lane, born, number, nonce) = parts(ticket);
    let other = world.other();
    let update = other.client().update_item().table_name("dyno-lanes").key("lane", s(&lane)).key("part", s("#"));
    let update = update
        .update_expression("SET #committed = :t, #try = :try, #of = :t, participants = :p")
        .condition_expression("born = :born AND #committed = :previous AND #void < :t")
        .expression_attribute_names("#committed", "committed")
        .expression_attribute_names("#try", "try")
        .expression_attribute_names("#void", "void")
        .expression_attribute_names("#of", "of")
        .expression_attribute_values(":t", n(number))
        .expression_attribute_values(":try", s(&nonce))
        .expression_attribute_values(":born", s(&born))
        .expression_attribute_values(":previous", n(previous))
        .expression_attribute_values(":p", named(ids));
    match update.send().await {
        Ok(_) => true,
        Err(error) => {
            let error = error.into_service_error();
            assert!(error.is_conditional_check_failed_exception(), "{error:?}");
            false
        }
    }
}

/// The last commit of an epoch, as its lane remembers it: the number and the try.
fn epoch(head: &Item, epoch: u64) -> Option<Item> {
    let epochs = head["epochs"].as_m().expect("a map");
    epochs.get(&epoch.to_string()).map(|ended| ended.as_m().expect("a map").clone())
}

#[tokio::test]
async fn a_dropped_lane_is_taken_over_by_its_own_process() {
    pause();
    let world = with_lanes().await;
    let mut own = take(&world.repository).await.expect("a lane");
    let ticket = own.next_transaction_id().expect("a ticket");
    write(&world, "accounts", [held("1", &ticket, 7), held("2", &ticket, 8), account("3", 5)]).await;
    assert!(commit(&world, &ticket, 0, &["1", "2", "3"]).await);
    // A commit of this ticket is still under way when the lane is dropped.
    let late = own.next_transaction_id().expect("a ticket");
    drop(own);
    let mut own = take(&world.repository).await.expect("the same lane");
    assert_eq!([stored(&world, "1").await, stored(&world, "2").await], [applied("1", 7), applied("2", 8)]);
    let next = parts(&own.next_transaction_id().expect("a ticket"));
    assert_eq!((next.0.as_str(), next.2, own.previous()), ("1", EPOCH + 1, 1));
    assert_eq!(lanes(&world).await, ["1"]);
    // A late commit of an earlier epoch is refused.
    assert!(!commit(&world, &late, 1, &["3"]).await);
    let head = lane(&world, 1).await;
    assert!(!["participants", "pages", "of"].iter().any(|name| head.contains_key(*name)), "{head:?}");
    assert_eq!((&head["void"], &head["committed"]), (&n(EPOCH), &n(1)));
    assert_eq!(epoch(&head, 0), Some(item([("committed", n(1)), ("try", s(&parts(&ticket).3))])));
}

/// Commits of the dead process are applied, whichever tables they touch.
#[tokio::test]
async fn a_take_over_of_a_silent_lane_applies_its_commits() {
    pause();
    let world = with_lanes().await;
    let rows = [held("1", "1/born/4/try", 7), held("2", "1/born/4/other", 8), held("3", "1/born/3/try", 9)];
    write(&world, "accounts", rows.clone()).await;
    let ids = ["1", "2", "3", "4"];
    write(&world, "dyno-lanes", [committed(1, 4, LONG, &ids), committed(2, 4, 60_000, &["1"])]).await;
    let mut own = take(&world.repository).await.expect("a lane");
    // The intent of the committed ticket is applied. Intents of other tickets are left alone.
    assert_eq!(stored(&world, "1").await, applied("1", 7));
    assert_eq!([stored(&world, "2").await, stored(&world, "3").await], [rows[1].clone(), rows[2].clone()]);
    let next = parts(&own.next_transaction_id().expect("a ticket"));
    assert_eq!((next.0.as_str(), next.2, own.previous()), ("1", EPOCH + 1, 4));
    // The owner of lane 2 has sent a heartbeat within the last minute.
    let mut own = take(&world.repository).await.expect("a lane");
    assert_eq!(parts(&own.next_transaction_id().expect("a ticket")).0, "3");
}

#[tokio::test]
async fn a_lost_take_over_answer_does_not_cost_the_lane() {
    pause();
    let world = with_lanes().await;
    write(&world, "dyno-lanes", [head(1, LONG)]).await;
    let mut all = Vec::new();
    // The first time, the requests read all lanes, read one, and take it over. The second time, they read all lanes and
    // create one.
    for lost in [2, 1] {
        world.faults.next(std::iter::repeat_n(Fault::Served, lost).chain([Fault::AnswerLost]));
        let mut own = take(&world.repository).await.expect("a lane");
        let ticket = own.next_transaction_id().expect("a ticket");
        assert!(commit(&world, &ticket, 0, &[]).await, "{ticket}");
        own.committed(&ticket);
        world.faults.lose_answers(1);
        assert!(own.renew(&world.repository).await.expect("an answer"));
        all.push(own);
    }
    assert_eq!(lanes(&world).await, ["1", "2"]);
}

#[tokio::test]
async fn the_last_eight_epochs_are_remembered() {
    pause();
    let world = with_lanes().await;
    let mut tickets = Vec::new();
    for at in 0..10 {
        let mut own = take(&world.repository).await.expect("the lane");
        if at % 3 != 1 {
            let ticket = own.next_transaction_id().expect("a ticket");
            assert!(commit(&world, &ticket, own.previous(), &[]).await, "{ticket}");
            tickets.push(ticket);
        }
        // An epoch without a commit ends with the last commit before it.
        drop(own);
    }
    drop(take(&world.repository).await.expect("the lane"));
    let head = lane(&world, 1).await;
    assert_eq!(head["void"], n(10 * EPOCH));
    let remembered: Vec<bool> = (0..11).map(|at| epoch(&head, at).is_some()).collect();
    assert_eq!(remembered, [false, false, true, true, true, true, true, true, true, true, false]);
    let (last, before) = (parts(&tickets[6]), parts(&tickets[5]));
    assert_eq!(epoch(&head, 9), Some(item([("committed", n(last.2)), ("try", s(&last.3))])));
    assert_eq!((last.2, before.2), (9 * EPOCH + 1, 8 * EPOCH + 1));
    assert_eq!(epoch(&head, 7).map(|ended| ended["committed"].clone()), Some(n(parts(&tickets[4]).2)));
}

/// If a commit of the lane cannot be applied, the lane is left as it is, and another one is taken.
#[tokio::test]
async fn a_lane_whose_commit_cannot_be_applied_is_not_taken_over() {
    pause();
    let world = with_lanes().await;
    let mut elsewhere = committed(1, 4, LONG, &["1"]);
    let AttributeValue::L(tables) = elsewhere["participants"].clone() else { panic!("a list") };
    let mut table = tables[0].as_m().expect("a map").clone();
    table.insert("table".to_owned(), s("gone"));
    elsewhere.insert("participants".to_owned(), AttributeValue::L(vec![AttributeValue::M(table)]));
    // The intent sets the key of its item, which is not allowed.
    let mut corrupt = held("2", "2/born/4/try", 7);
    let mut intent = corrupt["_x"].as_m().expect("a map").clone();
    intent.insert("set".to_owned(), AttributeValue::M(item([("id", s("3"))])));
    corrupt.insert("_x".to_owned(), AttributeValue::M(intent));
    let mut unread = head(3, LONG);
    unread.remove("epochs");
    let mut other = committed(4, 4, LONG, &[]);
    other.insert("of".to_owned(), n(3));
    let mut paged = committed(5, 4, LONG, &[]);
    paged.remove("participants");
    paged.insert("pages".to_owned(), n(1));
    let heads = [elsewhere, committed(2, 4, LONG, &["2"]), unread, other, paged];
    write(&world, "accounts", [corrupt.clone()]).await;
    write(&world, "dyno-lanes", heads.clone()).await;
    let mut all = Vec::new();
    for expected in ["6", "7"] {
        let mut own = take(&world.repository).await.expect("a new lane");
        assert_eq!(parts(&own.next_transaction_id().expect("a ticket")).0, expected);
        all.push(own);
    }
    // If no other lane is free, the error says why.
    let few = world.repository.clone().with_lanes(5);
    let error = take(&few).await.expect_err("none").to_string();
    assert!(error.contains("all 5 lanes") && error.contains("(one that is not could not be used: "), "{error}");
    for (at, head) in (1..).zip(&heads) {
        assert_eq!(lane(&world, at).await, *head);
    }
    assert_eq!(stored(&world, "2").await, corrupt);
    // A sweep lists each of these lanes.
    let report = Sweep::new().of::<Account>().send(&world.repository).await.expect("swept");
    let unresolved: Vec<String> = report.unresolved().iter().map(ToString::to_string).collect();
    assert_eq!((report.failed(), unresolved.len()), (5, 5), "{unresolved:#?}");
    for expected in [
        "the item id = \"1\" of the table `gone`: ",
        "the item id = \"2\" of the table `accounts`: the item's `_x` is not a pending change",
        "lane = \"3\", part = \"#\" of the table `dyno-lanes`: ",
        "lane = \"4\", part = \"#\" of the table `dyno-lanes`: ",
        "lane = \"5\", part = \"#\" of the table `dyno-lanes`: the lane `5` lists the items of a committed transaction in pages",
    ] {
        assert_eq!(unresolved.iter().filter(|text| text.contains(expected)).count(), 1, "{expected} {unresolved:#?}");
    }
    assert_eq!((report.rolled_forward(), report.rolled_back(), report.cleared()), (0, 0, 0));
}

/// The owner renews its lane between the read and the take-over.
#[tokio::test]
async fn a_lane_renewed_during_a_take_over_stays_with_its_owner() {
    pause();
    let world = with_lanes().await;
    write(&world, "dyno-lanes", [committed(1, 4, LONG, &[])]).await;
    let repository = world.repository.clone();
    // The read of all lanes, and the read of this one.
    world.faults.hold_after(2);
    let taken = tokio::spawn(async move { take(&repository).await });
    world.faults.held().await;
    let mut renewed = committed(1, 4, 0, &[]);
    renewed.insert("beat".to_owned(), n(NOW));
    write(&world, "dyno-lanes", [renewed.clone()]).await;
    world.faults.release();
    let mut own = taken.await.expect("no panic").expect("a lane");
    assert_eq!(parts(&own.next_transaction_id().expect("a ticket")).0, "2");
    assert_eq!(lane(&world, 1).await, renewed);
}

/// The owner commits between the read and the take-over, with an unchanged heartbeat. The commit is applied all the same.
#[tokio::test]
async fn a_commit_during_a_take_over_is_applied() {
    pause();
    let world = with_lanes().await;
    write(&world, "dyno-lanes", [committed(1, 4, LONG, &[])]).await;
    let repository = world.repository.clone();
    // The read of all lanes, and the read of this one.
    world.faults.hold_after(2);
    let taken = tokio::spawn(async move { take(&repository).await });
    world.faults.held().await;
    write(&world, "dyno-lanes", [committed(1, 5, LONG, &["1"])]).await;
    write(&world, "accounts", [held("1", "1/born/5/try", 7)]).await;
    world.faults.release();
    let mut own = taken.await.expect("no panic").expect("the lane");
    let next = parts(&own.next_transaction_id().expect("a ticket"));
    assert_eq!((next.0.as_str(), next.2, own.previous()), ("1", EPOCH + 1, 5));
    assert_eq!(stored(&world, "1").await, applied("1", 7));
}

/// Two processes have read that the owner is silent.
#[tokio::test]
async fn only_one_of_two_processes_takes_over_a_lane() {
    pause();
    let world = with_lanes().await;
    write(&world, "dyno-lanes", [head(1, LONG)]).await;
    let other = world.process(RetryConfig::standard());
    let repository = world.repository.clone();
    // The read of all lanes, and the read of this one.
    world.faults.hold_after(2);
    let taken = tokio::spawn(async move { take(&repository).await });
    world.faults.held().await;
    let mut first = take(&other.repository).await.expect("the lane");
    world.faults.release();
    let mut second = taken.await.expect("no panic").expect("another lane");
    let names = [&mut first, &mut second].map(|own| parts(&own.next_transaction_id().expect("a ticket")).0);
    assert_eq!(names, ["1", "2"]);
}
