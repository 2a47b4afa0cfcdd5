//! The type of a future that names no entity.

use crate::error::Error;
use std::pin::Pin;

/// The future of a request: it ends in a `T`, or in an [`Error`].
///
/// Where a method has a bound on an entity or projection, an `async fn` repeats the bound in the type of its future, and a
/// compiler would report a missing derive three times: at the method, at its future, and at `.await`. This type has no bound.
pub type Sending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;
