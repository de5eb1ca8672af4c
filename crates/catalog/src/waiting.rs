//! Algorithms that were attached, until the catalog is built: between those who attach them and those who list them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::Algorithm;
use crate::kind::{Cipher, Hash, Kind, Mac, Signature};

/// Those of one kind; nothing any more once they were taken.
pub(crate) struct Waiting<K: Kind>(Mutex<Option<Vec<Algorithm<K>>>>);

impl<K: Kind> Waiting<K> {
    const fn none() -> Waiting<K> {
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

/// A kind of which algorithms can be attached.
pub(crate) trait Awaited: Kind {
    /// Where they wait.
    fn waiting() -> &'static Waiting<Self>;
}

macro_rules! awaited {
    ($($kind:ident),*) => {
        $(impl Awaited for $kind {
            fn waiting() -> &'static Waiting<$kind> {
                static WAITING: Waiting<$kind> = Waiting::none();
                &WAITING
            }
        })*
    };
}
awaited![Signature, Mac, Hash, Cipher];
