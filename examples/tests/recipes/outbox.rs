use super::database;
use dyno::Error;
use dyno::local::{Fault, Rates, SentRequest};
use dyno_examples::recipes::outbox::{Message, Shipment, change, relay};

/// Moves a shipment through its states.
async fn ship(repository: &dyno::Repository, id: &str) -> Result<(), Error> {
    for (version, state) in (0..).zip(["packed", "sent", "delivered"]) {
        let shipment = Shipment { id: id.into(), state: state.into(), version };
        assert!(change(repository, &shipment).await?);
    }
    Ok(())
}

async fn tables(repository: &dyno::Repository) -> Result<(), Error> {
    repository.create_table::<Shipment>().await?;
    repository.create_table::<Message>().await
}

#[tokio::test]
async fn messages_are_published_in_order_and_a_failure_holds_back_its_shipment_only() -> Result<(), Error> {
    let (repository, _) = database()?;
    tables(&repository).await?;
    ship(&repository, "a").await?;
    ship(&repository, "b").await?;

    let mut texts = Vec::new();
    let run = relay(&repository, async |message| {
        if message.shipment == "a" && message.number == 2 {
            return Err(());
        }
        texts.push(format!("{} {}", message.shipment, message.text));
        Ok(())
    });
    assert_eq!(run.await?, 4);
    assert_eq!(texts, ["a packed", "b packed", "b sent", "b delivered"]);

    let mut texts = Vec::new();
    let run = relay(&repository, async |message| {
        texts.push(message.text.clone());
        Ok::<_, ()>(())
    });
    assert_eq!(run.await?, 2);
    assert_eq!(texts, ["sent", "delivered"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn each_change_is_published_whichever_answers_are_lost() -> Result<(), Error> {
    for seed in 0..20 {
        let (repository, faults) = database()?;
        tables(&repository).await?;
        faults.random(seed, Rates::ALL);
        let mut version = 0;
        for state in ["packed", "sent", "delivered"] {
            let shipment = Shipment { id: "a".into(), state: state.into(), version };
            match change(&repository, &shipment).await {
                Ok(true) => version += 1,
                Ok(false) | Err(_) => break, // an error or a refusal: what is stored counts
            }
        }
        // What is still on its way may arrive while the relay runs.
        let mut numbers = Vec::new();
        let mut publish = async |message: &Message| {
            numbers.push(message.number);
            Ok::<_, ()>(())
        };
        for _ in 0..5 {
            let _result = relay(&repository, &mut publish).await;
        }
        faults.calm();
        faults.settled().await;
        relay(&repository, &mut publish).await?;
        let stored = Shipment::get("a").consistent().send(&repository).await?;
        // A message may be published again, because the answer to its removal was lost.
        numbers.dedup();
        let expected: Vec<u64> = (1..=stored.map_or(0, |shipment| shipment.version)).collect();
        assert_eq!(numbers, expected, "seed {seed}");
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_relay_that_dies_after_a_message_publishes_it_again() -> Result<(), Error> {
    let (repository, faults) = database()?;
    tables(&repository).await?;
    ship(&repository, "a").await?;
    faults.on_request(2, SentRequest::is_any, Fault::DiesBefore);
    let mut numbers = Vec::new();
    let mut publish = async |message: &Message| {
        numbers.push(message.number);
        Ok::<_, ()>(())
    };
    tokio::select! {
        biased;
        () = faults.stopped() => {}
        _ = relay(&repository, &mut publish) => panic!("it should have died"),
    }
    faults.go_on();
    faults.calm();
    assert_eq!(relay(&repository, &mut publish).await?, 3);
    assert_eq!(numbers, [1, 1, 2, 3]);
    Ok(())
}
