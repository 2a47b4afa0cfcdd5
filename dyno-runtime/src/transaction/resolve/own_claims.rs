//! The claims whose closures this thread polls. A command inside such a closure that waits for the claim waits for itself.
//!
//! Only the poll of the closure's own future counts: another task of the process waits for a claim as any other writer does.

use crate::transaction::record::Ticket;
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;

thread_local! {
    /// The tickets of these claims, the outermost first.
    static CLAIMS: RefCell<Vec<Ticket>> = const { RefCell::new(Vec::new()) };
}

/// Polls the future of a closure for which this ticket keeps others out.
pub(crate) async fn inside<T>(claim: &Ticket, mut closure: impl Future<Output = T> + Unpin) -> T {
    poll_fn(|context| {
        let _entered = Entered::into(claim);
        Pin::new(&mut closure).poll(context)
    })
    .await
}

/// Whether the caller runs inside a closure for which this ticket keeps others out.
pub(crate) fn is_inside(ticket: &Ticket) -> bool {
    CLAIMS.try_with(|claims| claims.borrow().contains(ticket)).unwrap_or(false)
}

/// A poll that is under way. Dropped, also by a panic, it has ended.
struct Entered;

impl Entered {
    fn into(claim: &Ticket) -> Self {
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

    fn ticket(number: u64) -> Ticket {
        Ticket { lane: "1".into(), born: "b".into(), number, nonce: "n".into() }
    }

    #[test]
    fn a_closure_is_inside_its_claims_only_while_it_is_polled() {
        let [outer, inner] = [1, 2].map(ticket);
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
    fn a_closure_that_panics_is_left() {
        let claim = ticket(1);
        let panics = inside(&claim, Box::pin(async { panic!("the closure's own") }));
        let caught: Result<Option<()>, _> = std::panic::catch_unwind(AssertUnwindSafe(|| panics.now_or_never()));
        assert!(caught.is_err() && !is_inside(&claim));
    }
}
