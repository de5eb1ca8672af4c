//! Algorithms that were attached, until the catalog is built: between those who attach them and those who list them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Algorithm;
use crate::kind::Kind;

/// Those of one kind; nothing any more once they were taken.
pub(crate) struct Waiting<K: Kind>(Mutex<Option<Vec<Algorithm<K>>>>);

impl<K: Kind> Waiting<K> {
    pub(crate) const fn none() -> Waiting<K> {
        Waiting(Mutex::new(Some(Vec::new())))
    }

    pub(crate) fn attached(&self) -> MutexGuard<'_, Option<Vec<Algorithm<K>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the catalog, which is built once.
    pub(crate) fn taken(&self) -> Vec<Algorithm<K>> {
        self.attached().take().unwrap_or_default()
    }
}

/// Where the attached algorithms of a kind are. Those of ciphers that authenticate are none so far.
pub(crate) trait Awaited: Kind {
    fn waiting() -> &'static Waiting<Self>;
}
