//! The lane of a try is kept alive, beside its steps.

use crate::exchange::{Caller, Repository, sleep};
use crate::transaction::lanes::Lane;
use aws_sdk_dynamodb::config::AsyncSleep as _;

/// Renews the lane again and again, until it is another's.
pub(crate) async fn keep_alive(repository: &Repository, caller: Caller<'_>, lane: &mut Option<Lane>) {
    let Some((lane, sleep)) = lane.as_mut().zip(sleep(repository)) else { return std::future::pending().await };
    let between = repository.patience() / 3;
    // Counted across the steps of a try: who waits counts from the last sign of life.
    let mut pause = between.saturating_sub(lane.silence());
    loop {
        sleep.sleep(pause).await;
        // Without an answer, the next one will tell.
        if let Ok(false) = lane.renew(repository, caller).await {
            return;
        }
        pause = between;
    }
}
