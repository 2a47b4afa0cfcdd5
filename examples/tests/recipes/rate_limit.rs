use super::database;
use dyno::local::{Fault, Rates};
use dyno::{EpochMillis, Error, ManualClock, Repository};
use dyno_examples::recipes::rate_limit::{Limit, Window, allow, allow_sliding};
use std::sync::Arc;

/// The first second of a window, in the year 2100.
const START: i64 = 4_102_444_800;
const LIMIT: Limit = Limit { requests: 10, seconds: 60 };

/// A host whose clock shows this many seconds since the start of the window.
fn host(repository: &Repository, seconds: i64) -> Repository {
    repository.clone().with_clock(Arc::new(ManualClock::new(EpochMillis::new((START + seconds) * 1000))))
}

async fn counted(repository: &Repository, window: i64) -> Result<u64, Error> {
    let window = Window::get(("ada", 60, START + 60 * window)).consistent().send(repository).await?;
    Ok(window.map_or(0, |window| window.requests))
}

#[tokio::test]
async fn of_requests_at_the_same_time_the_limit_is_allowed() -> Result<(), Error> {
    let (repository, _) = database()?;
    repository.create_table::<Window>().await?;
    let (one, other) = (host(&repository, 5), host(&repository, 50));
    let mut allowed = 0;
    for _ in 0..10 {
        let (first, second) = tokio::join!(allow(&one, "ada", LIMIT), allow(&other, "ada", LIMIT));
        allowed += u32::from(first?) + u32::from(second?);
    }
    assert_eq!((allowed, counted(&one, 0).await?), (10, 10));
    assert!(allow(&one, "ben", LIMIT).await?, "another caller");
    assert!(allow(&one, "ada", Limit { requests: 100, seconds: 3600 }).await?, "another limit of this caller");
    assert!(allow(&host(&repository, 60), "ada", LIMIT).await?, "another window");
    assert!(!allow(&one, "ada", Limit { requests: 0, seconds: 7 }).await?, "no request at all");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn no_more_than_the_limit_is_allowed_whichever_answers_are_lost() -> Result<(), Error> {
    for seed in 0..20 {
        let (repository, faults) = database()?;
        repository.create_table::<Window>().await?;
        let host = host(&repository, 5);
        faults.random(seed, Rates::ALL);
        let (mut allowed, mut failed) = (0, 0);
        for _ in 0..40 {
            match allow(&host, "ada", LIMIT).await {
                Ok(is_allowed) => allowed += u64::from(is_allowed),
                Err(_) => failed += 1,
            }
        }
        faults.calm();
        faults.settled().await;
        let counted = counted(&host, 0).await?;
        assert!(allowed <= counted && counted <= 10 && counted <= allowed + failed, "{seed}: {allowed} of {counted}");
    }
    Ok(())
}

#[tokio::test]
async fn a_request_whose_answer_was_lost_counts_once_and_is_not_allowed() -> Result<(), Error> {
    let (repository, faults) = database()?;
    repository.create_table::<Window>().await?;
    let host = host(&repository, 5);
    faults.next([Fault::AnswerLost]);
    let error = allow(&host, "ada", LIMIT).await.expect_err("no answer");
    assert!(error.is_outcome_unknown(), "{error}");
    assert_eq!(counted(&host, 0).await?, 1);
    faults.next(vec![Fault::Throttled; 9]);
    let error = allow(&host, "ada", LIMIT).await.expect_err("throttled");
    assert!(error.is_throttled() && !error.may_be_applied(), "{error}");
    faults.calm();
    assert_eq!(counted(&host, 0).await?, 1);
    Ok(())
}

/// DynamoDB removes an expired row days later. Until then, each window has a row of its own.
#[tokio::test]
async fn the_rows_of_earlier_windows_do_not_count() -> Result<(), Error> {
    let (repository, _) = database()?;
    repository.create_table::<Window>().await?;
    for window in [0, 1, 2, 3000] {
        let host = host(&repository, 60 * window);
        for request in 0..12 {
            assert_eq!(allow(&host, "ada", LIMIT).await?, request < 10, "{window}");
        }
    }
    // A host whose clock is behind counts in the window that its clock shows.
    assert!(!allow(&host(&repository, 30), "ada", LIMIT).await?);
    Ok(())
}

#[tokio::test]
async fn a_sliding_window_counts_a_part_of_the_window_before() -> Result<(), Error> {
    let (repository, _) = database()?;
    repository.create_table::<Window>().await?;
    let allowed_at = async |seconds: i64| {
        let host = host(&repository, seconds);
        let mut allowed = 0;
        while allow_sliding(&host, "ada", LIMIT).await? {
            allowed += 1;
        }
        Ok::<_, Error>(allowed)
    };
    assert_eq!(allowed_at(55).await?, 10);
    assert_eq!(allowed_at(60).await?, 0, "all of the window before counts");
    assert_eq!(allowed_at(66).await?, 1, "nine tenths of it, which is 9");
    assert_eq!(allowed_at(90).await?, 4, "half of it, and the one of this window");
    assert_eq!(allowed_at(119).await?, 4, "a sixtieth of it, rounded up, and the five of this window");
    assert_eq!(allowed_at(240).await?, 10);
    Ok(())
}
