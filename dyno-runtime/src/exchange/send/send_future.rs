//! The type of a future without the bounds of an entity.

use crate::error::Error;
use std::pin::Pin;

/// The future of a command: its output is a `T` or an [`Error`].
///
/// If a method has a bound on an entity or projection, the future of an `async fn` has that bound in its type as well. Then the
/// compiler reports a missing derive three times: at the method, at its future, and at `.await`. This type has no bound.
///
/// If the command is not generic, the body of its future is compiled in this crate, and not in each crate that awaits it.
pub type Sending<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;
