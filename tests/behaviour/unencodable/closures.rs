//! Puts in the closures of transactions, native and client-side.

use super::{FINE, Visit, assert_kept, at, foreign, row, stored};
use dyno::Transaction;
use dyno_tests::s;

#[tokio::test]
async fn a_put_of_what_a_closure_has_read_keeps_what_cannot_be_written() {
    for client_side in [false, true] {
        let world = foreign().await;
        world.create_lanes().await;
        let put = Transaction::interactive(|tx| async move {
            let mut visit = tx.get(Visit::get("1")).await?.ok_or("no such visit")?;
            visit.notes += 1;
            tx.put(visit.put());
            Ok(tx.get(Visit::get("1")).await?.ok_or("no such visit")?)
        });
        let put = if client_side { put.client_side() } else { put.native() };
        let seen = applied!(put, &world.repository);
        assert_eq!((seen.at, seen.notes), (at(FINE), 2));
        assert_kept(&world, 2).await;
    }
}

/// The put keeps what an earlier write of the closure has left.
#[tokio::test]
async fn a_put_after_an_update_in_a_closure_keeps_what_the_update_left() {
    let world = foreign().await;
    let put = Transaction::interactive(|tx| async move {
        tx.update(Visit::update("1").unchecked().with(Visit::fields().notes.add(4)));
        let mut visit = tx.get(Visit::get("1")).await?.ok_or("no such visit")?;
        visit.notes += 1;
        tx.put(visit.put());
        Ok(())
    });
    applied!(put, &world.repository);
    assert_kept(&world, 6).await;
}

#[tokio::test]
async fn a_put_of_another_time_in_a_closure_is_an_error() {
    let world = foreign().await;
    let elsewhere = Visit::get("1").send(&world.other()).await.expect("a get").expect("a visit");
    for unread in [false, true] {
        let elsewhere = elsewhere.clone();
        let put = Transaction::interactive(|tx| {
            let elsewhere = elsewhere.clone();
            async move {
                let mut visit =
                    if unread { elsewhere } else { tx.get(Visit::get("1")).await?.ok_or("no such visit")? };
                if !unread {
                    visit.at = at("2024-07-23T21:11:00.1205Z");
                }
                tx.put(visit.put());
                Ok(())
            }
        });
        let error = put.send(&world.repository).await.expect_err("finer than its format");
        assert!(error.is_invalid_input() && error.to_string().contains("`at`: the time is more precise"), "{error}");
        assert_eq!(stored(&world).await, row());
    }
}

/// In a native transaction of values, `over` says what was read.
#[tokio::test]
async fn a_put_over_what_was_loaded_keeps_it_in_a_transaction_too() {
    let world = foreign().await;
    let mut read =
        Visit::get("1").consistent().loaded().send(&world.repository).await.expect("a get").expect("a visit");
    read.entity.notes = 2;
    read.entity.day = "tue".to_owned();
    applied!(Transaction::new().put(read.entity.put().over(&read)), &world.repository);
    let item = stored(&world).await;
    assert_eq!((&item["at"], &item["day_key"]), (&s(FINE), &s("DAY#tue")));
}
