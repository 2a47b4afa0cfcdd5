//! A lane that nobody uses any more gets another owner.
//!
//! Its epoch ends with that (M21): whatever its former owner had not committed is void, and what it goes on to do is refused. So it
//! is safe to adopt a lane at any time. That its owner has been silent for a while only keeps those from being robbed that
//! live.

use super::finish_committed::{Finished, finish};
use crate::error::Error;
use crate::exchange::{Answer, Caller, ItemRef, Repository};
use crate::transaction::record::{Head, adopt as adoption, adopted, head_key, lane, mark};
use crate::transaction::resolve::{of_lanes, row, send, trace_events};
use std::time::Duration;

/// After which silence an owner is taken for dead.
pub(crate) const SILENCE: Duration = Duration::from_mins(1);

/// How often a lane is tried that moves meanwhile.
const TRIES: usize = 3;

/// Whose a lane may be, for it to be adopted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From<'a> {
    /// One who has been silent for long.
    Anybody,
    /// This one, who has left it behind; else as above.
    Left(&'a str),
}

/// What has become of a lane that was to be adopted.
#[derive(Debug)]
pub(crate) enum Adopted {
    /// It has this owner now.
    Done(Head),
    /// Its owner lives, or another was faster; or there is no such lane.
    Others,
    /// What it has committed could not be seen to its end. So it stays as it is.
    Unfinished(Error),
}

/// Whether the owner of a lane is taken for dead, by the clock of who asks.
pub(crate) fn is_abandoned(repository: &Repository, head: &Head) -> bool {
    let silence = repository.now().get().saturating_sub(head.beat.get());
    i64::try_from(SILENCE.as_millis()).is_ok_and(|longest| silence > longest)
}

/// Adopts a lane, once all that it has committed has been seen done.
pub(crate) async fn adopt(
    repository: &Repository,
    caller: Caller<'_>,
    name: &str,
    from: From<'_>,
) -> Result<Adopted, Error> {
    let table = repository.lane_table()?;
    let at = ItemRef { table: table.clone(), key: head_key(name) };
    let Some(mut item) = row(repository, caller, &at).await.map_err(of_lanes)? else { return Ok(Adopted::Others) };
    for _ in 0..TRIES {
        let head = match Head::read(&item) {
            Ok(head) => head,
            Err(error) => return Ok(Adopted::Unfinished(error)),
        };
        let is_left = matches!(from, From::Left(owner) if owner == head.owner);
        if !is_left && !is_abandoned(repository, &head) {
            return Ok(Adopted::Others);
        }
        match finish(repository, caller, &head).await.map(Finished::unfinished) {
            Ok(None) => {}
            Ok(Some(error)) | Err(error) => return Ok(Adopted::Unfinished(error)),
        }
        let (owner, now) = (mark()?, repository.now());
        match send(repository, caller, adoption(&table, &head, &owner, now)?).await.map_err(of_lanes)? {
            Answer::Done(_) => {
                trace_events::taken_over(name, head.committed.number);
                return Ok(Adopted::Done(adopted(&head, &owner, now)));
            }
            Answer::Denied(None) => return Ok(Adopted::Others),
            // An answer was lost, and this is the second attempt: nobody else has this owner's mark.
            Answer::Denied(Some(there)) if there.get(lane::OWNER).and_then(|of| of.as_s().ok()) == Some(&owner) => {
                trace_events::taken_over(name, head.committed.number);
                return Ok(Head::read(&there).map_or_else(Adopted::Unfinished, Adopted::Done));
            }
            Answer::Denied(Some(there)) => item = there,
        }
    }
    Ok(Adopted::Others)
}
