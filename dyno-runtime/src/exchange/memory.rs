//! Memories that the clones of a repository share, one for each type: a room keeps there what it has learned.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The memories of a repository.
#[derive(Default)]
pub(crate) struct Memories(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl fmt::Debug for Memories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memories").finish_non_exhaustive()
    }
}

impl Memories {
    /// Returns the memory of this type; the first call makes it.
    pub(crate) fn of<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut memories = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = memories.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(memory).downcast().unwrap_or_default()
    }

    /// Returns these memories with another one of this type.
    #[cfg(feature = "__tests")]
    pub(crate) fn with<T: Any + Send + Sync>(&self, memory: T) -> Self {
        let mut memories = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        memories.insert(TypeId::of::<T>(), Arc::new(memory));
        Self(Mutex::new(memories))
    }
}
