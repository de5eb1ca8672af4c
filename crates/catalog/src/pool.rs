//! Prepared state that only one thread may use at a time.

use std::sync::{Mutex, PoisonError};

use fieldtest_kinds::Error;

/// What no thread is using at the moment. Threads that work at the same time prepare more of it.
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool(Mutex::default())
    }
}

impl<T> Pool<T> {
    /// Lends an idle item, or a new one, to `work`; it comes back only if it was used successfully or refused a
    /// signature or a tag, so that one in doubt is dropped.
    pub(crate) fn with<R>(
        &self,
        prepare: impl FnOnce() -> Result<T, Error>,
        work: impl FnOnce(&mut T) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let idle = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut item = idle.map_or_else(prepare, Ok)?;
        let outcome = work(&mut item);
        if matches!(outcome, Ok(_) | Err(Error::InvalidSignature | Error::InvalidTag)) {
            self.put(item);
        }
        outcome
    }

    pub(crate) fn put(&self, item: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(item);
    }
}
