//! Work that is shared among threads.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does the same on several threads, of which the caller's is one and whose result comes first. Where the system starts no more of
/// them, those that are there do it.
pub(crate) fn on_threads<T: Send>(threads: NonZeroUsize, work: &(impl Fn() -> T + Sync)) -> Vec<T> {
    thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads.get()).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mut results = vec![work()];
        results.extend(
            others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic))),
        );
        results
    })
}

/// A list of which every thread takes the next few items until none are left.
pub(crate) struct Portions<'w, T> {
    portions: slice::Chunks<'w, T>,
    next: AtomicUsize,
}

impl<'w, T: Sync> Portions<'w, T> {
    pub(crate) fn new(all: &'w [T], size: usize) -> Portions<'w, T> {
        Portions { portions: all.chunks(size), next: AtomicUsize::new(0) }
    }

    /// The next portion, and how many were taken before it.
    pub(crate) fn take(&self) -> Option<(usize, &'w [T])> {
        let nth = self.next.fetch_add(1, Ordering::Relaxed);
        Some((nth, self.portions.clone().nth(nth)?))
    }

    /// [`on_threads`], but on no more of them than there are portions.
    pub(crate) fn on_threads<R: Send>(&self, most: NonZeroUsize, work: &(impl Fn() -> R + Sync)) -> Vec<R> {
        on_threads(
            NonZeroUsize::new(self.portions.len()).map_or(NonZeroUsize::MIN, |count| most.min(count)),
            work,
        )
    }
}
