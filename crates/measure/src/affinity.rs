//! On which processors the calling thread may run, and how to keep it on one.

use crate::sys;

/// The processors that the calling thread may run on, ascending.
///
/// # Errors
/// The system's error where it does not tell.
pub fn allowed() -> std::io::Result<Vec<usize>> {
    sys::allowed_processors()
}

/// Keeps the calling thread, and threads it starts from now on, on one processor. On a quiet machine this avoids
/// cold caches after a move; on a busy one it forgoes the scheduler's help, so nothing here does it unasked.
///
/// # Errors
/// The system's error: the processor does not exist, is not in the thread's cpuset, or the system cannot pin.
pub fn pin(processor: usize) -> std::io::Result<()> {
    sys::pin_to(processor)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_has_one_processor() {
        std::thread::spawn(|| {
            let last = *allowed().expect("told").last().expect("at least one");
            pin(last).expect("an allowed processor");
            assert_eq!(allowed().expect("told"), [last]);
            assert!(pin(usize::MAX).is_err());
        })
        .join()
        .expect("no panic");
    }
}
