//! A rate limiter that all hosts share: a row for each caller and window of time counts the requests.

use dyno::{Entity, EpochSeconds, Error, Repository};

/// The requests that a caller may make in a window of time.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub requests: u64,
    /// The length of a window.
    pub seconds: i64,
}

/// The requests of a caller in one window.
#[derive(Entity, Clone, Debug)]
#[entity(table = "request-counts")]
#[sort_key(name = "SK", template = "{seconds}#{start}")]
pub struct Window {
    #[partition_key]
    pub caller: String,
    /// The length of the window, so that a caller can have several limits, and a new release another one.
    pub seconds: i64,
    /// The first second of the window.
    pub start: i64,
    pub requests: u64,
    /// The time from which DynamoDB may remove the row.
    #[ttl]
    pub expires: EpochSeconds,
}

/// The time for which a row is kept after its window, in seconds: longer than a clock is ever wrong.
const KEPT: i64 = 86_400;

/// Counts a request, unless the caller has made `limit.requests` in this window. Returns true if it is allowed.
pub async fn allow(repository: &Repository, caller: &str, limit: Limit) -> Result<bool, Error> {
    count(repository, caller, limit, repository.now().to_seconds_floor().get()).await
}

async fn count(repository: &Repository, caller: &str, limit: Limit, now: i64) -> Result<bool, Error> {
    if limit.requests == 0 {
        return Ok(false); // the condition below allows the first request
    }
    let start = now - now % limit.seconds;
    let window = Window::fields();
    let is_below = window.requests.not_exists() | window.requests.lt(limit.requests);
    let expires = EpochSeconds::new(start + limit.seconds + KEPT);
    let update = Window::update((caller, limit.seconds, start))
        .condition(is_below)
        .with((window.requests.add(1), window.expires.set(expires)));
    Ok(update.upsert().send(repository).await?.is_applied())
}

/// Works as `allow`, but for the last `limit.seconds` instead of the time since the start of the window. It assumes that the
/// requests of the window before were spread evenly.
pub async fn allow_sliding(repository: &Repository, caller: &str, limit: Limit) -> Result<bool, Error> {
    let now = repository.now().to_seconds_floor().get();
    let elapsed = now % limit.seconds;
    let before = (caller, limit.seconds, now - elapsed - limit.seconds);
    let before = Window::get(before).send(repository).await?;
    let before = before.map_or(0, |window| window.requests);
    // The part of the window before that lies in the last `limit.seconds`.
    let left = (limit.seconds - elapsed).unsigned_abs();
    let carried = (before * left).div_ceil(limit.seconds.unsigned_abs());
    let limit = Limit { requests: limit.requests.saturating_sub(carried), ..limit };
    count(repository, caller, limit, now).await
}
