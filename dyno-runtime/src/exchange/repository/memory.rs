//! State that the clones of a repository share, one value for each type: for example the lanes that this process owns.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The shared state of a repository, by type.
#[derive(Default)]
pub(crate) struct Memories(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl fmt::Debug for Memories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memories").finish_non_exhaustive()
    }
}

impl Memories {
    /// Returns the value of this type. The first call creates it.
    pub(crate) fn of<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut memories = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = memories.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(memory).downcast().unwrap_or_default()
    }

    /// Returns the same state with another value of this type.
    #[cfg(feature = "__tests")]
    pub(crate) fn with<T: Any + Send + Sync>(&self, memory: T) -> Self {
        let mut memories = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        memories.insert(TypeId::of::<T>(), Arc::new(memory));
        Self(Mutex::new(memories))
    }
}
