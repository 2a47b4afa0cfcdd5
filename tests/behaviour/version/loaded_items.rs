//! Writes over a loaded item: if the item was deleted and another one has its version numbers again, they write nothing.

use super::{Cart, Fenced, cart, fenced, stored_cart};
use dyno::{Error, Loaded, Outcome, Reason, Repository, Transaction};
use dyno_tests::{World, pause, reasons, world};
use std::pin::Pin;

type Sent = Pin<Box<dyn Future<Output = Result<Outcome<Cart, u64>, Error>> + Send>>;
/// A write of the cart that was loaded.
type Write = fn(Repository, Loaded<Cart>) -> Sent;

/// The writes that can be made over a loaded item.
fn writes() -> [(&'static str, Write); 4] {
    fn boxed<O: Send + 'static>(
        sending: impl Future<Output = Result<Outcome<Cart, O>, Error>> + Send + 'static,
        version: fn(O) -> u64,
    ) -> Sent {
        Box::pin(async move {
            Ok(match sending.await? {
                Outcome::Applied(returned) => Outcome::Applied(version(returned)),
                Outcome::Refused(refusal) => Outcome::Refused(refusal),
            })
        })
    }
    [
        ("put", |repository, loaded| {
            let put = cart(9, loaded.entity.version).put().over(&loaded);
            boxed(async move { put.send(&repository).await }, |version| version)
        }),
        ("replace", |repository, loaded| {
            let replace = cart(9, loaded.entity.version).replace().over(&loaded);
            boxed(async move { replace.send(&repository).await }, |version| version)
        }),
        ("update", |repository, loaded| {
            let update = Cart::update("1").over(&loaded).with(Cart::fields().lines.set(9));
            boxed(async move { update.send(&repository).await }, |version| version)
        }),
        ("delete", |repository, loaded| {
            let delete = Cart::delete("1", loaded.entity.version).over(&loaded);
            boxed(async move { delete.send(&repository).await }, |_| 2)
        }),
    ]
}

async fn loaded(repository: &Repository) -> Loaded<Cart> {
    Cart::get("1").consistent().loaded().send(repository).await.expect("a get").expect("there")
}

/// Another program deletes the cart, if there is one, and creates another cart.
async fn begun_again(world: &World) {
    let other = world.other();
    if let Some(there) = stored_cart(&other).await {
        applied!(Cart::delete("1", there.version), &other);
    }
    applied!(cart(5, 0).create(), &other);
}

#[tokio::test]
async fn a_write_over_a_loaded_item_does_not_overwrite_another_of_its_version() {
    let world = world::<Cart>().await;
    for (name, write) in writes() {
        begun_again(&world).await;
        let loaded = loaded(&world.repository).await;
        begun_again(&world).await;
        let metered = world.repository.metered();
        let outcome = write(metered.clone(), loaded).await.expect("sent");
        assert_eq!(reasons(&outcome), [Reason::Changed], "{name}");
        assert_eq!(stored_cart(&world.repository).await, Some(cart(5, 1)), "{name}");
        // A write over the current item is applied, with a single request.
        let loaded = self::loaded(&world.repository).await;
        assert_eq!(write(metered.clone(), loaded).await.expect("sent").applied().expect("applied"), 2, "{name}");
        assert_eq!(metered.usage().requests, 2, "{name}");
    }
}

/// The first attempt is applied, and its answer is lost. Then another program replaces the item.
#[tokio::test]
async fn a_write_over_a_loaded_item_is_not_repeated_on_another_item() {
    pause();
    let world = world::<Cart>().await;
    for (name, write) in writes() {
        begun_again(&world).await;
        let loaded = loaded(&world.repository).await;
        let sending = write(world.repository.clone(), loaded);
        let sent = world.meanwhile(sending, begun_again(&world)).await;
        assert!(sent.expect_err("unknown").is_outcome_unknown(), "{name}");
        assert_eq!(stored_cart(&world.repository).await, Some(cart(5, 1)), "{name}");
    }
}

#[tokio::test]
async fn a_transaction_over_a_loaded_item_does_not_overwrite_another() {
    let world = world::<Cart>().await;
    begun_again(&world).await;
    let loaded = loaded(&world.repository).await;
    begun_again(&world).await;
    let change = Cart::update("1").over(&loaded).with(Cart::fields().lines.set(7));
    for transaction in [
        Transaction::new().delete(Cart::delete("1", 1u64).over(&loaded)),
        Transaction::new().put(cart(7, 1).put().over(&loaded)),
        Transaction::new().update(change),
    ] {
        let outcome = transaction.send(&world.repository).await.expect("an answer");
        let refusal = outcome.refusal().and_then(|refusal| refusal.refusal_of::<Cart>(0)).expect("a refusal");
        assert_eq!(refusal.reasons(), [Reason::Changed]);
    }
    assert_eq!(stored_cart(&world.repository).await, Some(cart(5, 1)));
}

/// A put of version 0 creates an item, so it does not compare the item that was loaded.
#[tokio::test]
async fn a_put_of_version_0_ignores_the_loaded_item() {
    let world = world::<Fenced>().await;
    let repository = &world.repository;
    applied!(fenced(1, 0).create(), repository);
    let loaded = Fenced::get("1").loaded().send(repository).await.expect("a get").expect("there");
    applied!(Fenced::delete("1", 2u64, 1u64), repository);
    assert_eq!(applied!(fenced(3, 0).put().over(&loaded), repository), 3);
}
