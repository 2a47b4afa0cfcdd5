//! Heartbeats of a lane, which show other processes that the coordinator is alive.

use super::attempt_requests::NO_ENTITY;
use crate::exchange::{Repository, sleep};
use crate::transaction::lanes::Lane;
use aws_sdk_dynamodb::config::AsyncSleep as _;
use futures_util::future::{BoxFuture, Either, select};
use std::pin::pin;

/// Awaits `work`, and renews the lane meanwhile. Returns `None` as soon as another process owns the lane. The caller may still
/// await the rest of `work` then.
pub(crate) async fn while_alive<T>(
    repository: &Repository,
    lane: &mut Option<Lane>,
    work: impl Future<Output = T>,
) -> Option<T> {
    match select(pin!(work), pin!(keep_alive(repository, lane))).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(((), _)) => None,
    }
}

/// Renews the lane again and again, until another process owns it. Without a lane, or a way to sleep, it never ends.
fn keep_alive<'a>(repository: &'a Repository, lane: &'a mut Option<Lane>) -> BoxFuture<'a, ()> {
    Box::pin(async move {
        let Some((lane, sleep)) = lane.as_mut().zip(sleep(repository)) else { return std::future::pending().await };
        let repository = &repository.without_delay();
        let between = repository.lock_timeout() / 3;
        // The first pause may have begun in an earlier step of the attempt, because other processes wait from the last heartbeat.
        let mut pause = between.saturating_sub(lane.silence());
        loop {
            sleep.sleep(pause).await;
            // A heartbeat without an answer says nothing about the owner. The next heartbeat may.
            if let Ok(false) = lane.renew(repository, NO_ENTITY).await {
                return;
            }
            pause = between;
        }
    })
}
