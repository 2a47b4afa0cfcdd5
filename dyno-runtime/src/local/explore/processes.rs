//! The processes that a world runs together, and their results.

use super::world::{Flag, Process};
use futures_util::future::LocalBoxFuture;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Processes that run together: a [`Process`], a tuple of up to six, an array, or a vector.
pub trait Processes: Sized {
    /// Their results, in the same form: `None` of a process that has died.
    type Results;
    #[doc(hidden)]
    type Slots;

    #[doc(hidden)]
    fn start(self, works: &mut Works) -> Self::Slots;

    #[doc(hidden)]
    fn results(slots: Self::Slots) -> Self::Results;
}

/// The work of the processes.
#[derive(Default)]
pub struct Works(pub(super) Vec<Work>);

/// The work of a process, which leaves its result in a slot.
pub(super) struct Work {
    pub(super) index: usize,
    /// `None` if the process has ended or died.
    pub(super) future: Option<LocalBoxFuture<'static, ()>>,
    pub(super) flag: Arc<Flag>,
}

impl<T: 'static> Processes for Process<T> {
    type Results = Option<T>;
    type Slots = Rc<RefCell<Option<T>>>;

    fn start(self, works: &mut Works) -> Self::Slots {
        let slot = Rc::new(RefCell::new(None));
        let result = Rc::clone(&slot);
        let future = Box::pin(async move { *result.borrow_mut() = Some(self.work.await) });
        works.0.push(Work { index: self.index, future: Some(future), flag: Arc::default() });
        slot
    }

    fn results(slots: Self::Slots) -> Self::Results {
        slots.take()
    }
}

impl<P: Processes> Processes for Vec<P> {
    type Results = Vec<P::Results>;
    type Slots = Vec<P::Slots>;

    fn start(self, works: &mut Works) -> Self::Slots {
        self.into_iter().map(|process| process.start(works)).collect()
    }

    fn results(slots: Self::Slots) -> Self::Results {
        slots.into_iter().map(P::results).collect()
    }
}

impl<P: Processes, const N: usize> Processes for [P; N] {
    type Results = [P::Results; N];
    type Slots = [P::Slots; N];

    fn start(self, works: &mut Works) -> Self::Slots {
        self.map(|process| process.start(works))
    }

    fn results(slots: Self::Slots) -> Self::Results {
        slots.map(P::results)
    }
}

macro_rules! tuples {
    ($($process:ident)+) => {
        impl<$($process: Processes),+> Processes for ($($process,)+) {
            type Results = ($($process::Results,)+);
            type Slots = ($($process::Slots,)+);

            #[expect(non_snake_case, reason = "a process has the name of its type")]
            fn start(self, works: &mut Works) -> Self::Slots {
                let ($($process,)+) = self;
                ($($process.start(works),)+)
            }

            #[expect(non_snake_case, reason = "a process has the name of its type")]
            fn results(slots: Self::Slots) -> Self::Results {
                let ($($process,)+) = slots;
                ($($process::results($process),)+)
            }
        }
    };
}

tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
