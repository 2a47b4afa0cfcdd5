//! Heartbeats of the lane, beside the steps of an attempt.

use crate::exchange::{Caller, Repository, sleep};
use crate::transaction::lanes::Lane;
use aws_sdk_dynamodb::config::AsyncSleep as _;

/// Renews the lane again and again, until another process owns it.
pub(crate) async fn keep_alive(repository: &Repository, caller: Caller<'_>, lane: &mut Option<Lane>) {
    let Some((lane, sleep)) = lane.as_mut().zip(sleep(repository)) else { return std::future::pending().await };
    let between = repository.patience() / 3;
    // The pauses count across the steps of an attempt, because waiting processes count from the last heartbeat.
    let mut pause = between.saturating_sub(lane.silence());
    loop {
        sleep.sleep(pause).await;
        // If there is no answer, the next heartbeat will tell.
        if let Ok(false) = lane.renew(repository, caller).await {
            return;
        }
        pause = between;
    }
}
