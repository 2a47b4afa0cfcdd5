//! What a unique value costs.

use super::{Member, member};
use dyno::Repository;
use dyno_tests::world;

/// Returns the requests, the read units and the write units.
fn costs(repository: &Repository) -> (u64, f64, f64) {
    let usage = repository.usage();
    (usage.requests, usage.read_units, usage.write_units)
}

#[tokio::test]
async fn a_claim_costs_the_item_twice_and_two_units_for_the_guard() {
    let world = world::<Member>().await;
    let sent = async |what: &str,
                      expected: (u64, f64, f64),
                      send: &dyn Fn(Repository) -> futures_util::future::BoxFuture<'static, bool>| {
        let metered = world.repository.metered();
        send(metered.clone()).await;
        assert_eq!(costs(&metered), expected, "{what}");
    };
    sent("a first claim", (1, 0.0, 4.0), &|repository| {
        Box::pin(async move { member(1, "a@x").create().send(&repository).await.expect("sent").is_applied() })
    })
    .await;
    sent("a refusal: the guard's, and the holder's", (2, 0.0, 10.0), &|repository| {
        Box::pin(async move { member(2, "a@x").create().send(&repository).await.expect("sent").is_applied() })
    })
    .await;
    sent("an update of another attribute", (1, 0.0, 1.0), &|repository| {
        let update = Member::update(1u64).version(1u64).with(Member::fields().visits.increment(1));
        Box::pin(async move { update.send(&repository).await.expect("sent").is_applied() })
    })
    .await;
    sent("an update of the value", (1, 0.0, 4.0), &|repository| {
        let update = Member::update(1u64).version(2u64).with(Member::fields().email.set("b@x"));
        Box::pin(async move { update.send(&repository).await.expect("sent").is_applied() })
    })
    .await;
    sent("a claim that takes a guard over", (2, 0.0, 10.0), &|repository| {
        Box::pin(async move { member(2, "a@x").create().send(&repository).await.expect("sent").is_applied() })
    })
    .await;
    sent("a delete", (1, 0.0, 1.0), &|repository| {
        Box::pin(async move { Member::delete(2u64, 1u64).send(&repository).await.expect("sent").is_applied() })
    })
    .await;
    sent("a read by the value", (2, 2.0, 0.0), &|repository| {
        Box::pin(async move { Member::get_by_email("b@x").send(&repository).await.expect("a read").is_some() })
    })
    .await;
}
