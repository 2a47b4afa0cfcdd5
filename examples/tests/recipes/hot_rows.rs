use super::database;
use dyno::local::Rates;
use dyno_examples::recipes::hot_rows::{Likes, like, likes};

#[tokio::test(start_paused = true)]
async fn each_event_counts_once_in_all_shards_together() -> Result<(), dyno::Error> {
    let (repository, faults) = database()?;
    repository.create_table::<Likes>().await?;
    faults.random(1, Rates::ALL);
    for event in 0..100 {
        let event = format!("event-{event}");
        // A queue delivers an event until it is acknowledged, and once more.
        while like(&repository, "post", &event).await.is_err() {}
        let _ = like(&repository, "post", &event).await;
    }
    faults.calm();
    faults.settled().await;
    assert_eq!(likes(&repository, "post").await?, 100);
    Ok(())
}
