//! The lane of a try is kept alive, beside its steps.

use crate::exchange::{Repository, sleep};
use crate::intent::{Lane, Meeting};
use aws_sdk_dynamodb::config::AsyncSleep as _;

/// Renews the lane again and again, until it is another's.
pub(super) async fn keep_alive(repository: &Repository, meeting: Meeting<'_>, lane: &mut Option<Lane>) {
    let Some((lane, sleep)) = lane.as_mut().zip(sleep(repository)) else { return std::future::pending().await };
    loop {
        sleep.sleep(repository.patience() / 3).await;
        // Without an answer, the next one will tell.
        if let Ok(false) = lane.renew(repository, meeting).await {
            return;
        }
    }
}
