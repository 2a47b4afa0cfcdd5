//! The comparison that the macros of this suite make of each command.

use super::Plain;
use dyno::{Repository, Usage};
use dyno_tests::costs::Probe;
use dyno_tests::costs::by_type::Costly as _;
use dyno_tests::{is_remote, item, s, world};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns `true` if a test fails whose put has consumed this.
fn fails(repository: &Repository, usage: Usage) -> bool {
    let put = Plain { id: "1".into(), text: String::new() }.put();
    let sent = Probe(&put).sent(repository);
    catch_unwind(AssertUnwindSafe(|| sent.applied(usage))).is_err()
}

#[tokio::test]
async fn a_command_that_consumes_more_than_its_cost_fails_its_test() {
    let world = world::<Plain>().await;
    let metered = world.repository.metered();
    let put = Plain { id: "1".into(), text: String::new() }.put();
    put.send(&metered).await.expect("sent");
    let (told, mut more) = (metered.usage(), metered.usage());
    more.write_units = 2.0;
    let fail = [told, more].map(|usage| fails(&world.repository, usage));
    assert_eq!(fail, [false, !is_remote()]);
    // A program without dyno may have written the item.
    world.write_foreign::<Plain>(item([("id", s("2")), ("text", s(""))])).await;
    assert!(!fails(&world.repository, more));
}
