//! Invalid locks, and what `inspect` reports about a lock.

use super::{acquired, lease, locks, nightly};
use dyno::aws_sdk_dynamodb::Client;
use dyno::aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use dyno::lock::Lock;
use dyno::{Document, Repository};
use dyno_tests::{item, pause, s};
use std::time::Duration;

#[tokio::test]
async fn an_invalid_lock_is_refused_before_any_request() {
    pause();
    let (world, repository) = locks().await;
    let seconds = Duration::from_secs;
    let long = "x".repeat(2049);
    for (lock, message) in [
        (Lock::new(""), "empty"),
        (Lock::new(long), "2048"),
        (
            Lock::new("a").lease(Duration::from_millis(999)),
            "a lease of 999ms is not possible: take 1 second to 24 hours",
        ),
        (Lock::new("a").lease(seconds(86_401)), "a lease of 86401s is not possible: take 1 second to 24 hours"),
        (Lock::new("a").data(&f64::NAN), "the data of the lock `a`: "),
    ] {
        let before = repository.usage().requests;
        for error in [
            lock.acquire(&repository).await.map(drop).expect_err(message),
            lock.try_acquire(&repository).await.map(drop).expect_err(message),
            Lock::many([lock.clone(), nightly()]).acquire(&repository).await.map(drop).expect_err(message),
        ] {
            assert!(error.is_invalid_input() && error.to_string().contains(message), "{error}");
        }
        assert_eq!(repository.usage().requests, before, "{message}");
    }
    // The timeout of this client is too long for a lease of 10 seconds.
    let timeouts = TimeoutConfig::builder().operation_attempt_timeout(seconds(6)).build();
    let config = world.client(dyno::aws_sdk_dynamodb::config::retry::RetryConfig::standard()).config().to_builder();
    let patient = Repository::new(Client::from_conf(config.timeout_config(timeouts).build()));
    let error = Lock::new("a").lease(seconds(10)).acquire(&patient).await.expect_err("too patient");
    let message = "the lock `a`: a lease of 10s is too short: between its heartbeat, after a third, and its end for the holder, after nine tenths, 5.666666667s pass, but the client waits 6s for one answer, which leaves no time for a second attempt: take a lease of more than 10.588235294s, or a shorter timeout";
    assert_eq!(error.to_string(), message);
    // The shortest timeout of a client counts.
    let timeouts = TimeoutConfig::builder().operation_attempt_timeout(seconds(6)).operation_timeout(seconds(2)).build();
    let config = patient.client().config().to_builder().timeout_config(timeouts);
    let hurried = Repository::new(Client::from_conf(config.build()));
    assert!(Lock::new("a").lease(seconds(10)).try_acquire(&hurried).await.expect("free").is_some());
}

#[tokio::test]
async fn a_row_that_is_not_a_lock_is_left_unchanged() {
    pause();
    let (world, repository) = locks().await;
    let theirs = item([("name", s("reports/nightly")), ("what", s("not a lock"))]);
    let other = world.other();
    let put = other.client().put_item().table_name("dyno-locks").set_item(Some(theirs.clone()));
    put.send().await.expect("a put");
    let lock = nightly();
    let errors = [
        lock.acquire(&repository).await.map(drop),
        lock.try_acquire(&repository).await.map(drop),
        lock.inspect(&repository).await.map(drop),
    ];
    for error in errors.map(|result| result.expect_err("no lock")) {
        assert!(error.is_decode() && error.to_string().starts_with("the lock `reports/nightly` was not "), "{error}");
    }
    let get = other.client().get_item().table_name("dyno-locks").key("name", s("reports/nightly"));
    assert_eq!(get.send().await.expect("a get").item, Some(theirs));
}

#[derive(Document, Clone, Debug, PartialEq)]
struct Run {
    host: String,
    attempt: u32,
}

#[tokio::test]
async fn inspect_reports_the_owner_the_reason_and_the_data() {
    pause();
    let (_world, repository) = locks().await;
    assert_eq!(nightly().inspect(&repository).await.expect("read"), None);
    let run = Run { host: "a".to_owned(), attempt: 2 };
    let lock = nightly().owner("worker 3").reason("the report of May").data(&run);
    let held = acquired(&lock, &repository).await;
    let seen = nightly().inspect(&repository).await.expect("read").expect("a row");
    assert_eq!((seen.name.as_str(), seen.fence, seen.is_held, seen.lease), ("reports/nightly", 1, true, lease()));
    assert_eq!((seen.owner.as_deref(), seen.reason.as_deref()), (Some("worker 3"), Some("the report of May")));
    let data = dyno::Value::decode(seen.data.expect("data").into());
    assert_eq!(data, Ok(run));
    let _released = held.release().await.expect("released");
    let seen = nightly().inspect(&repository).await.expect("read").expect("a row");
    assert_eq!((seen.is_held, seen.fence, seen.owner, seen.reason, seen.data), (false, 1, None, None, None));
}

#[tokio::test]
async fn the_lock_table_has_the_prefix_or_its_configured_name() {
    pause();
    let (world, repository) = locks().await;
    assert_eq!(Lock::verify_table(&repository).await.expect("looked at"), []);
    for (repository, name) in [
        (world.other().with_table_prefix("staging-"), "staging-dyno-locks"),
        (world.other().with_lock_table("the-locks"), "the-locks"),
    ] {
        let missing = Lock::verify_table(&repository).await.expect("looked at");
        assert_eq!(
            missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [format!("the table `{name}` does not exist")]
        );
        Lock::create_table(&repository).await.expect("a table");
        let described = repository.client().describe_table().table_name(name).send().await;
        assert!(described.is_ok(), "{name}");
    }
}
