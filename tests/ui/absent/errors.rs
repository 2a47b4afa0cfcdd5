//! What a refusal has is asked of an error, or of an outcome.

use dyno::{Entity, Error, Outcome};

#[derive(Entity)]
#[entity(table = "carts")]
struct Cart {
    #[partition_key]
    id: String,
    #[version]
    version: u64,
}

fn errors(error: &Error) {
    let _ = error.is_stale();
    let _ = error.is_conflict();
    let _ = error.is_refusal();
    let _ = error.is_condition_failed();
    let _ = error.is_already_exists();
    let _ = error.reasons();
    let _ = error.current();
    let _ = error.accept_stale();
    let _ = error.is_not_found();
    let _ = error.is_retryable();
    let _ = error.code();
}

fn outcomes(outcome: Outcome<Cart, u64>) {
    let _ = outcome.is_ok();
    let _ = outcome.is_err();
    let _ = outcome.unwrap();
    let _ = outcome.reasons();
    let _ = outcome.is_conflict();
    let _ = outcome.is_refused();
}

fn main() {}
