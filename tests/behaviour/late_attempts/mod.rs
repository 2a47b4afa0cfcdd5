//! A first attempt that arrives late: the SDK sends the write again, the second attempt is refused, the cause of the refusal
//! disappears, and then the first attempt arrives.

mod clones;
#[cfg(feature = "all")]
mod closures;
mod histories;
mod native_transactions;
mod single_writes;

use dyno::Error;
use dyno_tests::World;
use dyno_tests::faults::Fault;

/// Keeps the next request under way, and the SDK sends it again.
fn postpone(world: &World) {
    world.faults.next([Fault::Postponed]);
}

/// Delivers the request that is under way. Returns whether DynamoDB applied it.
async fn arrives(world: &World) -> bool {
    let delivered = world.faults.deliver().await.expect("a request is on its way");
    delivered.status == 200
}

/// Checks that an error says that the write may be applied, and how the last attempt was answered.
fn check_doubt(error: &Error, reason: &str, hint: &str) {
    assert!(error.may_be_applied(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("the last attempt was refused: ") && text.contains(reason), "{text}");
    assert!(text.ends_with(hint), "{text}");
}
