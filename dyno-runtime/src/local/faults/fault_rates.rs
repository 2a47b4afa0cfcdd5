//! How often each fault comes.

use std::time::Duration;

/// How often each fault comes: the fraction of all requests, from 0 to 1. At most one fault of [`Fault`](super::Fault) comes to a
/// request. Write `..Rates::NONE` behind the rates that you set: later versions have more of them.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// [`Fault::RequestLost`](super::Fault::RequestLost)
    pub lose_request: f64,
    /// [`Fault::AnswerLost`](super::Fault::AnswerLost)
    pub lose_answer: f64,
    /// [`Fault::Duplicated`](super::Fault::Duplicated), by up to four seconds
    pub duplicate: f64,
    /// The fraction of requests, and separately of answers, that take 10 to 400 ms. The others take 1 ms, unless this is 0.
    pub delay: f64,
    /// [`Fault::Throttled`](super::Fault::Throttled)
    pub throttle: f64,
    /// [`Fault::ServerError`](super::Fault::ServerError), served or not
    pub fail: f64,
    /// [`Fault::Conflict`](super::Fault::Conflict), of writes
    pub conflict: f64,
    /// [`Fault::Unreadable`](super::Fault::Unreadable)
    pub unreadable: f64,
    /// [`Fault::Proxy`](super::Fault::Proxy), served or not
    pub proxy: f64,
    /// [`Fault::ErrorCode`](super::Fault::ErrorCode), as `AccessDeniedException`
    pub refuse: f64,
    /// [`Fault::ConnectionRefused`](super::Fault::ConnectionRefused)
    pub refuse_connection: f64,
    /// [`Fault::Late`](super::Fault::Late), by up to four seconds
    pub late: f64,
    /// Of requests whose future is dropped while they are on their way, which are served all the same, up to
    /// [`late_when_dropped_by`](Self::late_when_dropped_by) later.
    pub late_when_dropped: f64,
    /// How late they are, at most.
    pub late_when_dropped_by: Duration,
    /// The fraction of eventually consistent reads that are answered from an old state: of each partition, one that is at most
    /// [`stale_by`](Self::stale_by) old. See [`Faults::replica_lag`](super::Faults::replica_lag), which takes precedence.
    pub stale: f64,
    /// How old that state is, at most.
    pub stale_by: Duration,
}

impl Default for Rates {
    fn default() -> Self {
        Self::NONE
    }
}

impl Rates {
    /// No faults.
    pub const NONE: Self = Self {
        lose_request: 0.0,
        lose_answer: 0.0,
        duplicate: 0.0,
        delay: 0.0,
        throttle: 0.0,
        fail: 0.0,
        conflict: 0.0,
        unreadable: 0.0,
        proxy: 0.0,
        refuse: 0.0,
        refuse_connection: 0.0,
        late: 0.0,
        late_when_dropped: 0.0,
        late_when_dropped_by: Duration::from_secs(4),
        stale: 0.0,
        stale_by: Duration::from_secs(1),
    };

    /// The common faults, which about every third request meets, and stale reads.
    pub const MANY: Self = Self {
        lose_request: 0.05,
        lose_answer: 0.08,
        duplicate: 0.07,
        delay: 0.3,
        throttle: 0.04,
        fail: 0.05,
        conflict: 0.04,
        stale: 0.3,
        ..Self::NONE
    };

    /// Those, and the rarer faults between a client and DynamoDB.
    pub const ALL: Self =
        Self { unreadable: 0.03, proxy: 0.03, refuse: 0.02, refuse_connection: 0.03, late: 0.04, ..Self::MANY };
}
