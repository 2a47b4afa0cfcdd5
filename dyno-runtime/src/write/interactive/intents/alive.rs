//! What goes on beside the steps of a try: its lane is kept alive, and its pages are written.

use super::leg::Leg;
use super::place::places;
use crate::error::Error;
use crate::exchange::{Repository, RowWrite, sleep};
use crate::intent::{Lane, Meeting, Ticket, of_lanes, pages, send};
use aws_sdk_dynamodb::config::AsyncSleep as _;

pub(super) fn page_rows(repository: &Repository, ticket: &Ticket, legs: &[Leg]) -> Result<Vec<RowWrite>, Error> {
    Ok(pages(&repository.lane_table()?, ticket, &places(legs), repository.now()))
}

pub(super) async fn write_pages(
    repository: &Repository,
    meeting: Meeting<'_>,
    rows: Result<Vec<RowWrite>, Error>,
) -> Result<(), Error> {
    for row in rows? {
        send(repository, meeting, row).await.map_err(of_lanes)?;
    }
    Ok(())
}

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
