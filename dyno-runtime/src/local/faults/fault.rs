//! The faults that a request can meet.

use std::time::Duration;

/// The fault that one attempt of a request meets.
///
/// "Served" means that the engine gets the request and executes it. Whether the client gets the answer is said separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The request is served, and the client gets the answer.
    Served,
    /// The request is not served. The client's attempt ends in a timeout at once.
    RequestLost,
    /// The request is served, and the answer is lost. The client's attempt ends in a timeout at once.
    AnswerLost,
    /// The request is not served: the connection is refused.
    ConnectionRefused,
    /// The request is not served: DynamoDB throttles it.
    Throttled,
    /// The client gets status 500.
    ServerError {
        /// Whether the request is served first.
        served: bool,
    },
    /// The request, a write or a transaction, is not served: another transaction holds an item.
    Conflict,
    /// The request, a transaction, is not served: it is cancelled for these reasons, one for each action, such as
    /// `ConditionalCheckFailed` or `None`.
    Cancelled(&'static [&'static str]),
    /// The request is not served: the client gets this error code, such as `AccessDeniedException`. The status is 400; of
    /// `InternalServerError` and `InternalFailure` it is 500, and of `ServiceUnavailable` 503, as DynamoDB's.
    ErrorCode(&'static str),
    /// The request is served, and the client cannot read the answer.
    Unreadable,
    /// The client gets an HTML page, as from a proxy.
    Proxy {
        /// The status of the page, from 100 to 999.
        status: u16,
        /// Whether the request is served first.
        served: bool,
    },
    /// The request is served, and once more after this time, as if the network had duplicated it. The duplicate of a write that was
    /// refused comes at once: later it could be applied, and no client can know of it.
    Duplicated(Duration),
    /// The request is served twice, one right after the other. The client gets the first answer.
    ServedTwice,
    /// The request is served, and kept: [`Faults::deliver`](super::Faults::deliver) serves it once more.
    DuplicateKept,
    /// The request is served after this time. The client's attempt ends in a timeout at once.
    Late(Duration),
    /// The request is kept: [`Faults::deliver`](super::Faults::deliver) serves it. The client's attempt ends in a timeout at once.
    Postponed,
    /// The client's process dies before it sends the request: neither this request nor a later one is served or answered.
    DiesBefore,
    /// The request is served, and the client's process dies before the answer arrives.
    DiesAfter,
    /// The client's process dies, and the request is kept: [`Faults::deliver`](super::Faults::deliver) serves it.
    DiesPostponed,
}

impl Fault {
    /// Returns whether the client's process dies of it.
    pub(super) fn is_deadly(self) -> bool {
        matches!(self, Self::DiesBefore | Self::DiesAfter | Self::DiesPostponed)
    }
}
