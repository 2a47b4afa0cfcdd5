use super::database;
use aws_lambda_events::event::dynamodb::Event;
use dyno::Repository;
use dyno::local::{Fault, Faults, SentRequest};
use dyno_examples::recipes::lambda::{Card, handle};

const EVENT: &str = include_str!("../../data/products-stream-event.json");

fn event() -> Event {
    serde_json::from_str(EVENT).expect("an event")
}

async fn cards() -> Result<(Repository, Faults), dyno::Error> {
    let (repository, faults) = database()?;
    repository.create_table::<Card>().await?;
    Ok((repository, faults))
}

async fn titles(repository: &Repository) -> Result<Vec<String>, dyno::Error> {
    let cards = Card::batch_get(["ink", "pad", "pen"]).consistent().send(repository).await?;
    Ok(cards.into_iter().flatten().map(|card| card.title).collect())
}

/// The response as Lambda reads it: the sequence numbers that must come again.
fn again(response: &impl serde::Serialize) -> Vec<String> {
    let response = serde_json::to_value(response).expect("a response");
    let failures = response["batchItemFailures"].as_array().expect("failures");
    let numbers = failures.iter().filter_map(|failure| failure["itemIdentifier"].as_str());
    numbers.map(|number| number.trim_start_matches("4000000000000000000").to_owned()).collect()
}

#[tokio::test]
async fn the_records_of_an_event_are_applied() -> Result<(), dyno::Error> {
    let (repository, _) = cards().await?;
    assert!(again(&handle(&repository, event()).await).is_empty());
    assert_eq!(titles(&repository).await?, ["Fountain pen for 12.00"]);
    Ok(())
}

#[tokio::test]
async fn an_event_that_comes_again_changes_nothing() -> Result<(), dyno::Error> {
    let (repository, _) = cards().await?;
    handle(&repository, event()).await;
    // Lambda begins again at the lowest record of the response, so records that were applied come again.
    for skipped in 0..7 {
        let mut rest = event();
        rest.records.drain(..skipped);
        assert!(again(&handle(&repository, rest).await).is_empty());
        assert_eq!(titles(&repository).await?, ["Fountain pen for 12.00"], "from record {skipped} on");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_failed_record_comes_again_with_the_later_ones_of_its_item() -> Result<(), dyno::Error> {
    let (repository, faults) = cards().await?;
    faults.on_request(3, SentRequest::is_write, Fault::ErrorCode("AccessDeniedException"));
    // The third record is of the pen, and so is the fifth.
    assert_eq!(again(&handle(&repository, event()).await), ["03", "05"]);
    assert_eq!(titles(&repository).await?, ["Pen for 3.00"]);
    let mut rest = event();
    rest.records.drain(..2);
    assert!(again(&handle(&repository, rest).await).is_empty());
    assert_eq!(titles(&repository).await?, ["Fountain pen for 12.00"]);
    Ok(())
}

#[tokio::test]
async fn a_record_that_is_no_product_fails_alone() -> Result<(), dyno::Error> {
    let (repository, _) = cards().await?;
    let text = EVENT.replacen(r#""cents": {"N": "500"}"#, r#""cents": {"S": "a lot"}"#, 1);
    assert_ne!(text, EVENT);
    let response = handle(&repository, serde_json::from_str(&text).expect("an event")).await;
    assert_eq!(again(&response), ["04", "07"]);
    assert_eq!(titles(&repository).await?, ["Fountain pen for 12.00"]);
    Ok(())
}
