//! The error types of a closure, and how `send` returns an error of each.

use crate::error::{Error, ErrorKind};
use std::any::Any;
use std::convert::Infallible;
use std::error::Error as StdError;
use std::fmt;
use std::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// How the error of a closure becomes the error of [`Interactive::send`](super::Interactive::send): [`AnyError`] or
/// [`OwnError`].
pub trait ClosureError: sealed::Sealed {
    /// The error that the closure returns.
    type OfClosure;
    /// The error that `send` returns.
    type OfSend: From<Error> + 'static;

    #[doc(hidden)]
    fn __of_send(error: Self::OfClosure) -> Self::OfSend;
}

/// The error types of [`Transaction::interactive`](crate::Transaction::interactive): the closure returns any error, and `send` an
/// [`Error`](crate::Error).
#[derive(Clone, Copy, Debug)]
pub struct AnyError(Infallible);

/// The error types of [`Transaction::try_interactive`](crate::Transaction::try_interactive): both the closure and `send` return
/// `E`.
pub struct OwnError<E>(Infallible, PhantomData<fn() -> E>);

impl<E> fmt::Debug for OwnError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnError")
    }
}

impl sealed::Sealed for AnyError {}

impl ClosureError for AnyError {
    type OfClosure = Box<dyn StdError + Send + Sync>;
    type OfSend = Error;

    fn __of_send(error: Self::OfClosure) -> Error {
        Error::of_closure(error)
    }
}

impl<E> sealed::Sealed for OwnError<E> {}

impl<E: From<Error> + 'static> ClosureError for OwnError<E> {
    type OfClosure = E;
    type OfSend = E;

    fn __of_send(error: E) -> E {
        error
    }
}

/// The error of a transaction that ended without an outcome.
#[derive(Debug)]
pub(super) enum Failure<E> {
    /// The error that the closure returned.
    Closure(E),
    Dyno(Error),
}

impl<E> From<Error> for Failure<E> {
    fn from(error: Error) -> Self {
        Self::Dyno(error)
    }
}

impl<E: From<Error> + 'static> Failure<E> {
    /// Returns the error of this library, even if the closure has passed it on.
    pub(super) fn dyno(&self) -> Option<&Error> {
        match self {
            Self::Closure(error) => (error as &dyn Any).downcast_ref(),
            Self::Dyno(error) => Some(error),
        }
    }

    /// Returns `true` if the closure has ended the transaction by an error of its own.
    pub(super) fn is_abort(&self) -> bool {
        self.dyno().is_none_or(|error| error.kind() == ErrorKind::Aborted)
    }

    pub(super) fn into_error(self) -> E {
        match self {
            Self::Closure(error) => error,
            Self::Dyno(error) => error.into(),
        }
    }
}
