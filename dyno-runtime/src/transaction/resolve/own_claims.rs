//! Detects a command that waits for a claim and is sent by the very closure that the claim protects. It would wait for its own
//! closure, because the claim stands until the closure returns or the claim's time limit is over.
//!
//! A thread knows the claims of the closures that it polls. Only the poll of the closure's own future counts. Another task of the
//! process waits for a claim as any other writer does.

use crate::transaction::record::TransactionId;
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;

thread_local! {
    /// The transaction IDs of the claims whose closures the thread polls, the outermost first.
    static CLAIMS: RefCell<Vec<TransactionId>> = const { RefCell::new(Vec::new()) };
}

/// Awaits a closure that holds this claim.
pub(crate) async fn inside<T>(claim: &TransactionId, mut closure: impl Future<Output = T> + Unpin) -> T {
    poll_fn(|context| {
        let _entered = Entered::into(claim);
        Pin::new(&mut closure).poll(context)
    })
    .await
}

/// Whether the caller is polled by a closure that holds this claim.
pub(crate) fn is_inside(transaction_id: &TransactionId) -> bool {
    CLAIMS.try_with(|claims| claims.borrow().contains(transaction_id)).unwrap_or(false)
}

/// A poll of a closure. It ends when this is dropped, also by a panic.
struct Entered;

impl Entered {
    fn into(claim: &TransactionId) -> Self {
        CLAIMS.with_borrow_mut(|claims| claims.push(claim.clone()));
        Self
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CLAIMS.with_borrow_mut(Vec::pop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use std::panic::AssertUnwindSafe;

    fn transaction_id(number: u64) -> TransactionId {
        TransactionId { lane: "1".into(), born: "b".into(), number, nonce: "n".into() }
    }

    #[test]
    fn a_closure_is_inside_its_claims_only_while_it_is_polled() {
        let [outer, inner] = [1, 2].map(transaction_id);
        let are_inside = || [is_inside(&outer), is_inside(&inner)];
        let nested = async {
            assert_eq!(are_inside(), [true, false]);
            inside(&inner, Box::pin(async { assert_eq!(are_inside(), [true, true]) })).await;
            assert_eq!(are_inside(), [true, false]);
            std::future::pending::<()>().await;
        };
        assert!(inside(&outer, Box::pin(nested)).now_or_never().is_none());
        assert_eq!(are_inside(), [false, false]);
    }

    #[test]
    fn a_closure_that_panicked_is_no_longer_inside_its_claim() {
        let claim = transaction_id(1);
        let panics = inside(&claim, Box::pin(async { panic!("the closure's own") }));
        let caught: Result<Option<()>, _> = std::panic::catch_unwind(AssertUnwindSafe(|| panics.now_or_never()));
        assert!(caught.is_err() && !is_inside(&claim));
    }
}
