//! A web service for orders: pages of them over HTTP, and the webhook of a payment service.

use axum::Router;
use axum::extract::{Json, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use dyno::{Cursor, Entity, Error, ErrorKind, Repository, Transaction, TransactionOutcome};
use serde::{Deserialize, Serialize};

#[derive(Entity, Serialize, Clone, Debug)]
#[entity(table = "orders")]
pub struct Order {
    #[partition_key]
    pub customer: String,
    #[sort_key]
    pub number: u32,
    pub cents: u64,
    pub paid: bool,
}

/// A payment, as the payment service sends it. It sends each payment at least once.
#[derive(Entity, Deserialize, Clone, Debug)]
#[entity(table = "payments")]
pub struct Payment {
    /// The payment service's id of the payment.
    #[partition_key]
    pub id: String,
    pub customer: String,
    pub order: u32,
    pub cents: u64,
}

/// The service. Use a repository with sealed cursors: the browser cannot read or change them.
pub fn service(repository: Repository) -> Router {
    Router::new()
        .route("/customers/{customer}/orders", get(orders))
        .route("/webhooks/payments", post(payment))
        .with_state(repository)
}

#[derive(Deserialize)]
struct After {
    after: Option<String>,
}

#[derive(Serialize)]
struct Orders {
    orders: Vec<Order>,
    /// The browser sends it back as `?after=` to get the next page.
    next: Option<String>,
}

/// A page of the orders of a customer, the newest first.
async fn orders(
    State(repository): State<Repository>,
    Path(customer): Path<String>,
    Query(After { after }): Query<After>,
) -> Result<Json<Orders>, Failure> {
    let mut query = Order::query(customer).descending().limit(20);
    if let Some(after) = after {
        let Ok(cursor) = after.parse::<Cursor>() else { return Err(Failure::BadRequest) };
        query = query.after(cursor);
    }
    let page = query.send(&repository).await?;
    let next = page.cursor.map(|cursor| cursor.to_string());
    Ok(Json(Orders { orders: page.items, next }))
}

/// Books a payment. The payment service repeats a webhook until it gets a status of 2xx.
async fn payment(State(repository): State<Repository>, Json(payment): Json<Payment>) -> Result<StatusCode, Failure> {
    let order = Order::fields();
    let paid = Order::update((&*payment.customer, payment.order))
        .condition(order.cents.eq(payment.cents))
        .with(order.paid.set(true));
    let booking = Transaction::new().put(payment.create()).update(paid);
    match booking.send(&repository).await? {
        TransactionOutcome::Applied(_) => Ok(StatusCode::CREATED),
        // Booked already: the webhook was sent again.
        TransactionOutcome::Refused(refusal) if refusal.refusal_of::<Payment>(0).is_some() => Ok(StatusCode::OK),
        // There is no such order, or it has another price.
        TransactionOutcome::Refused(_) => Ok(StatusCode::CONFLICT),
    }
}

/// A request that failed.
enum Failure {
    BadRequest,
    Database(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidInput => Self::BadRequest, // such as the cursor of another query
            _ => Self::Database(error),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::BadRequest => StatusCode::BAD_REQUEST.into_response(),
            // The client may repeat the request: each of them is safe to repeat.
            Self::Database(error) if error.is_throttled() || error.is_contended() => {
                StatusCode::SERVICE_UNAVAILABLE.into_response()
            }
            Self::Database(error) => {
                tracing::error!(%error, request_id = error.request_id());
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }
}
