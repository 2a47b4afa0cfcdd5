//! Queries that are not possible in a transaction.

use super::{Booking, booking, process, room};
use dyno::{ErrorKind, Transaction};

#[tokio::test]
async fn a_closure_that_queries_and_writes_cannot_be_native() {
    let world = room([]).await;
    let repository = process(&world).repository.metered();
    let writing = Transaction::interactive(|tx| async move {
        tx.query(Booking::query("blue")).await?;
        tx.put(booking(1, 2).create());
        Ok(())
    });
    let error = writing.native().send(&repository).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("leave `native` out"), "{error}");
    let reading = Transaction::interactive(|tx| async move { Ok(tx.query(Booking::query("blue")).await?.len()) });
    let read = reading.native().send(&repository).await.expect("sent").applied().expect("applied");
    assert_eq!(read, 0);
}

#[tokio::test]
async fn an_invalid_query_in_a_closure_is_refused_before_any_request() {
    let world = room([]).await;
    let repository = process(&world).repository.metered();
    for (query, problem) in [
        (Booking::query("blue").uncommitted(), "a transaction reads committed items"),
        (Booking::query("blue").limit(0), "limit"),
        (Booking::query(""), "empty"),
    ] {
        let query = &query;
        let reading = Transaction::interactive(|tx| async move { Ok(tx.query(query.clone()).await?.len()) });
        let error = reading.send(&repository).await.expect_err("refused");
        assert!(error.to_string().contains(problem), "{error}");
    }
    assert_eq!(repository.usage().requests, 0);
}
