//! Faults and requests that are still to come.

use super::fault::Fault;
use super::sent_request::SentRequest;
use aws_smithy_runtime_api::client::http::SharedHttpConnector;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;

/// The fault of one request, which is known by its position.
pub(super) struct PlannedFault {
    /// How many requests are still to come, with this one.
    pub(super) left: usize,
    pub(super) of: Box<dyn Fn(&SentRequest) -> bool + Send>,
    pub(super) fault: Fault,
}

/// A request whose client does not wait for it.
pub(super) struct KeptRequest {
    pub(super) connector: SharedHttpConnector,
    pub(super) request: HttpRequest,
    pub(super) sent: SentRequest,
}
