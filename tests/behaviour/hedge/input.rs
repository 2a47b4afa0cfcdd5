//! Invalid hedges are refused before any request.

use super::DELAY;
use crate::entities::{Bill, Cart, Plain, cart};
use dyno::Hedge;
use dyno_tests::{pause, world};
use std::time::Duration;

#[tokio::test]
async fn invalid_delays_percentiles_and_budgets_are_refused_before_any_request() {
    pause();
    let world = world::<Plain>().await;
    let after = || Hedge::after(DELAY);
    for (hedge, words) in [
        (Hedge::after(Duration::ZERO), "would send every request twice"),
        (Hedge::percentile(0.0), "the percentile of a hedge is 0"),
        (Hedge::percentile(1.0), "the percentile of a hedge is 1"),
        (Hedge::percentile(f64::NAN), "the percentile of a hedge is NaN"),
        (after().budget(0.0), "the budget of hedges is 0"),
        (after().budget(1.01), "the budget of hedges is 1.01"),
        (after().budget(f64::NAN), "the budget of hedges is NaN"),
    ] {
        let repository = world.repository.clone().hedged(hedge).metered();
        let error = Plain::get("1").send(&repository).await.expect_err(words);
        assert!(error.is_invalid_input() && error.to_string().contains(words), "{error}");
        assert_eq!(repository.usage().requests, 0, "{words}");
        // A command that is not hedged is sent as usual.
        Plain::delete("1").send(&repository).await.expect("deleted");
    }
    let metered = world.repository.metered();
    let error = Plain::get("1").hedge(Duration::ZERO).send(&metered).await.expect_err("no time");
    assert!(error.is_invalid_input() && error.to_string().contains("give it a delay"), "{error}");
    assert_eq!(metered.usage().requests, 0);
}

#[tokio::test]
async fn a_hedge_of_a_write_that_could_apply_twice_is_refused() {
    pause();
    let bills = world::<Bill>().await;
    let metered = bills.repository.metered();
    let without_a_key = Bill::update("1").with(Bill::fields().total.increment(1)).hedge(DELAY);
    let error = without_a_key.send(&metered).await.expect_err("without a key");
    assert!(error.is_invalid_input() && error.to_string().contains("or an idempotency key"), "{error}");
    assert_eq!(metered.usage().requests, 0);
    let carts = world::<Cart>().await;
    let metered = carts.repository.metered();
    let unchecked = Cart::update("1").unchecked().with(Cart::fields().lines.set(2)).hedge(DELAY);
    let error = unchecked.send(&metered).await.expect_err("unchecked");
    assert!(error.is_invalid_input() && error.to_string().contains("give an update a version"), "{error}");
    let with_the_old = cart(1, 0).put().hedge(DELAY).return_old();
    let error = with_the_old.send(&metered).await.expect_err("what was there before");
    assert!(error.is_invalid_input() && error.to_string().contains("do not return the old item"), "{error}");
    assert_eq!(metered.usage().requests, 0);
}
