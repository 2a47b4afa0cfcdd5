//! The embedded engine answers in the same poll, so only its pauses let other tasks go on.

use dyno::{Entity, Repository};

#[derive(Entity)]
#[entity(table = "notes")]
struct Note {
    #[partition_key]
    id: u64,
}

/// Sends gets, and returns whether a timer that is over has run meanwhile.
async fn is_timer_run() -> bool {
    let repository = Repository::local().await.expect("an engine");
    repository.create_table::<Note>().await.expect("a table");
    let timer = tokio::spawn(tokio::time::sleep(std::time::Duration::ZERO));
    for _ in 0..300 {
        assert!(Note::get(1_u64).send(&repository).await.expect("sent").is_none());
    }
    timer.is_finished()
}

#[tokio::test]
async fn a_task_that_only_sends_requests_lets_other_tasks_and_timers_run() {
    assert!(is_timer_run().await);
    assert!(tokio::spawn(is_timer_run()).await.expect("no panic"));
}
