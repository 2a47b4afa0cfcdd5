//! Input for which there is no cost.

use super::{Balance, Member, Plain};
use dyno::{ErrorKind, Transaction};
use dyno_tests::world;

#[tokio::test]
async fn a_size_that_no_item_has_is_an_error() {
    let world = world::<Plain>().await;
    let (repository, most) = (&world.repository, 400 * 1024);
    let plain = Plain { id: "1".into(), text: String::new() };
    let told = plain.put().cost(repository, most).expect("a cost");
    assert_eq!(told.to_string(), "applied: 1 request, 0 read units, 1 to 400 write units");
    for too_large in [most + 1, usize::MAX] {
        for error in [
            plain.put().cost(repository, too_large).expect_err("too large"),
            Plain::get("1").cost(repository, too_large).expect_err("too large"),
            Plain::query_of(too_large, repository),
            Transaction::new().put(plain.put()).cost(repository, too_large).expect_err("too large"),
        ] {
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
            assert!(error.to_string().contains("`cost`"), "{error}");
        }
    }
}

impl Plain {
    fn query_of(bytes: usize, repository: &dyno::Repository) -> dyno::Error {
        Self::scan().cost(repository, usize::MAX, bytes).expect_err("too large")
    }
}

#[tokio::test]
async fn nothing_stored_is_a_size() {
    let world = world::<Plain>().await;
    let (repository, f) = (&world.repository, Plain::fields());
    let plain = Plain { id: "1".into(), text: "x".repeat(3000) };
    let text = |cost: Result<dyno::model::Cost, dyno::Error>| cost.expect("a cost").to_string();
    assert_eq!(text(plain.put().cost(repository, 0)), "applied: 1 request, 0 read units, 3 write units");
    let one = "1 request, 0 read units, 1 write unit";
    let update = Plain::update("1").with(f.text.set(""));
    assert_eq!(text(update.cost(repository, 0)), format!("applied: {one}; refused: {one}"));
    assert_eq!(text(Plain::delete("1").cost(repository, 0)), format!("applied: {one}"));
    assert_eq!(text(Plain::scan().cost(repository, 0, 0)), "applied: 1 request, 0.5 read units, 0 write units");
    let page = "applied: 1 request, 0.5 to 128 read units, 0 write units";
    assert_eq!(text(Plain::scan().cost(repository, usize::MAX, 400 * 1024)), page);
}

#[tokio::test]
async fn a_command_that_send_refuses_has_its_error_instead_of_a_cost() {
    let world = world::<Plain>().await;
    let repository = &world.repository;
    let large = Plain { id: "1".into(), text: "x".repeat(500_000) };
    let (told, sent) = (large.put().cost(repository, 0), large.put().send(repository).await);
    assert_eq!(told.expect_err("too large").to_string(), sent.expect_err("too large").to_string());
    let no_key = Plain { id: String::new(), text: String::new() };
    let (told, sent) = (no_key.put().cost(repository, 0), no_key.put().send(repository).await);
    assert_eq!(told.expect_err("no key").to_string(), sent.expect_err("no key").to_string());
    let returning = Member::update("1").version(1u64).with(Member::fields().email.set("a")).return_new();
    let (told, sent) = (returning.cost(repository, 0), returning.send(repository).await);
    assert_eq!(told.expect_err("a transaction").to_string(), sent.expect_err("a transaction").to_string());
    assert!(Transaction::new().cost(repository, 0).expect_err("empty").is_invalid_input());
    let balance = Balance { id: "1".into(), amount: 1, version: 0 };
    let twice = Transaction::new().put([balance.put(), balance.put()]);
    let (told, sent) = (twice.cost(repository, 0), twice.send(repository).await);
    assert_eq!(told.expect_err("one item").to_string(), sent.expect_err("one item").to_string());
    let client_side = Transaction::new().client_side().put(balance.put());
    assert!(client_side.cost(repository, 0).expect_err("many requests").is_invalid_input());
}

/// 51 puts with revisions are 102 actions.
#[tokio::test]
async fn a_transaction_that_does_not_fit_has_no_cost() {
    use super::{Atomic, Ordered};
    let world = world::<Atomic>().await;
    let repository = &world.repository;
    let puts = |version| (0..51).map(move |id| Atomic { id: id.to_string(), text: String::new(), version }.put());
    let ordered = |id: u32| Ordered { id: id.to_string(), text: String::new(), version: 1 }.put();
    let transactions = [
        Transaction::new().put(puts(1).collect::<Vec<_>>()),
        Transaction::new().put((0..51).map(ordered).collect::<Vec<_>>()),
    ];
    for transaction in transactions {
        let error = transaction.cost(repository, 0).expect_err("102 actions").to_string();
        assert!(error.contains("51 actions, and 51 rows"), "{error}");
    }
}
