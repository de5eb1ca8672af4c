//! Algorithms that were attached, until the catalog is built: between those who attach them and those who list them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Algorithm;
use crate::kind::Signature;

/// Nothing any more once they were taken.
static ATTACHED: Mutex<Option<Vec<Algorithm<Signature>>>> = Mutex::new(Some(Vec::new()));

pub(crate) fn attached() -> MutexGuard<'static, Option<Vec<Algorithm<Signature>>>> {
    ATTACHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For the catalog, which is built once.
pub(crate) fn taken() -> Vec<Algorithm<Signature>> {
    attached().take().unwrap_or_default()
}
