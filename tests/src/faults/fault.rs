//! What a request can meet.

/// What happens to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It never arrives.
    RequestLost,
    /// It is served, and the answer is lost.
    AnswerLost,
    /// It is served again so many milliseconds later.
    Duplicated(u64),
    /// It is not served, by a 400 that says to slow down.
    Throttled,
    /// It is answered by a 500; whether it was served.
    Failed(bool),
    /// It is not served, by a 400 that says that a transaction holds the item.
    Conflicted,
    /// It is not served, as was asked for.
    Refused,
    /// It is served, and the body of the answer cut.
    Garbled,
    /// It is answered by a page of a proxy's with this status; whether it was served.
    Intercepted(u16, bool),
    /// It is not served, by a 400 with this code.
    Denied(&'static str),
    /// It is not served: the connection is refused.
    Disconnected,
    /// It is not answered, and served so many milliseconds later.
    Late(u64),
    /// It is served twice at once; the first answer counts.
    Twice,
    /// It is served, and kept: once more by [`Faults::deliver`](super::Faults::deliver).
    Kept,
    /// It is not served, and the connection times out at once, so that the SDK may send it again. It is served first by
    /// [`Faults::deliver`](super::Faults::deliver).
    Postponed,
    /// The process dies before it is sent.
    DiesBefore,
    /// It is served, and the process dies before the answer.
    DiesAfter,
    /// The process dies while it is on its way: it is served first by [`Faults::deliver`](super::Faults::deliver).
    DiesPostponed,
}

impl Fault {
    /// Whether the process dies of it.
    pub(super) fn is_deadly(self) -> bool {
        matches!(self, Self::DiesBefore | Self::DiesAfter | Self::DiesPostponed)
    }
}

/// What happens to a transaction that an engine cannot be made to do.
#[derive(Clone, Debug)]
pub enum TransactionFault {
    /// It is cancelled for these reasons, one for each action.
    Cancelled(Vec<&'static str>),
    /// An attempt with its token is still under way.
    InProgress,
    /// It never arrives.
    Lost,
}
