use super::database;
use dyno::aws_sdk_dynamodb::types::AttributeValue;
use dyno::{Entity as _, Error, Item, Repository};
use dyno_examples::recipes::foreign_times::Visit;

fn row(id: &str, began: &str, ended: Option<&str>) -> Item {
    let texts = [("id", Some(id)), ("began", Some(began)), ("ended", ended)];
    texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), AttributeValue::S(text?.to_owned())))).collect()
}

async fn stored(repository: &Repository, id: &str) -> Option<Item> {
    let key = AttributeValue::S(id.to_owned());
    let get = repository.client().get_item().table_name("visits").key("id", key).consistent_read(true);
    get.send().await.expect("an answer").item
}

#[tokio::test]
async fn rows_of_another_program_are_written_back_as_they_were() -> Result<(), Error> {
    let (repository, _) = database()?;
    repository.create_table::<Visit>().await?;
    for row in [
        row("1", "2024-07-23 21:11:00", Some("2024-07-23T21:40:05+0000")),
        row("2", "2024-02-29 00:00:00", Some("2024-02-29T05:30:00+0530")),
        row("3", "1969-12-31 23:59:59", Some("2024-10-27T02:30:00-0300")),
        row("4", "2024-07-23 21:11:00", None),
    ] {
        let put = repository.client().put_item().table_name("visits").set_item(Some(row.clone()));
        put.send().await.expect("a row of another program");
        let id = row["id"].as_s().expect("a text");
        let visit = Visit::get(id).send(&repository).await?.expect("a visit");
        repository.client().delete_item().table_name("visits").key("id", row["id"].clone()).send().await.expect("gone");
        visit.put().send(&repository).await?;
        assert_eq!(stored(&repository, id).await, Some(row));
    }
    Ok(())
}

#[tokio::test]
async fn the_texts_mean_the_times_that_the_other_program_means() -> Result<(), Error> {
    let visit = Visit::from_item(row("1", "2024-07-23 21:11:00", Some("2024-07-23T23:40:05+0200")))?;
    assert_eq!(visit.began.to_rfc3339(), "2024-07-23T21:11:00+00:00");
    let ended = visit.ended.expect("a time");
    assert_eq!((ended - visit.began.fixed_offset()).num_seconds(), 29 * 60 + 5);
    Ok(())
}

#[tokio::test]
async fn other_texts_are_an_error_that_says_what_was_expected() {
    for (began, ended, message) in [
        ("2024-07-23T21:11:00Z", None, "expected YYYY-MM-DD hh:mm:ss"),
        ("2024-07-23 21:11:00.5", None, "expected YYYY-MM-DD hh:mm:ss"),
        ("2024-02-30 21:11:00", None, "expected YYYY-MM-DD hh:mm:ss"),
        ("2024-07-23 21:11:00", Some("2024-07-23T21:11:00"), "expected YYYY-MM-DDThh:mm:ss+hhmm"),
        ("2024-07-23 21:11:00", Some("2024-07-23T21:11:00 UTC"), "expected YYYY-MM-DDThh:mm:ss+hhmm"),
    ] {
        let error = Visit::from_item(row("1", began, ended)).expect_err(began).to_string();
        assert!(error.contains(message) && !error.contains("2024"), "{error}");
    }
}

#[tokio::test]
async fn a_fraction_of_a_second_is_refused_before_the_request() -> Result<(), Error> {
    let (repository, faults) = database()?;
    let mut visit = Visit::from_item(row("1", "2024-07-23 21:11:00", None))?;
    visit.began += std::time::Duration::from_millis(500);
    let error = visit.put().send(&repository).await.expect_err("a fraction");
    assert!(error.is_invalid_input() && error.to_string().contains("a fraction of a second"), "{error}");
    assert!(faults.requests().is_empty());
    Ok(())
}
