//! On which processors the calling thread may run.

use crate::sys;

/// The processors that the calling thread may run on, ascending.
///
/// # Errors
/// The system's error where it does not tell.
pub fn allowed() -> std::io::Result<Vec<usize>> {
    sys::allowed_processors()
}

/// Keeps the calling thread, and those that it starts from now on, on one processor.
///
/// # Errors
/// The system's error where it does not allow that.
pub fn stay_on(processor: usize) -> std::io::Result<()> {
    sys::stay_on(processor)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::doctor::condition::count;
    use crate::tree::{Tree, field};

    #[test]
    fn the_kernel_lists_as_many() {
        let allowed = allowed().expect("told");
        assert!(!allowed.is_empty() && allowed.is_sorted());
        let status = Tree::default().read("/proc/thread-self/status").expect("a Linux");
        assert_eq!(count(field(&status, "Cpus_allowed_list").expect("listed")), Some(allowed.len()));
    }

    #[test]
    fn a_thread_stays_where_it_is_told() {
        let first = *allowed().expect("told").first().expect("one at least");
        std::thread::spawn(move || {
            stay_on(first).expect("allowed");
            assert_eq!(allowed().expect("told"), [first]);
        })
        .join()
        .expect("no panic");
        assert!(stay_on(1 << 20).is_err());
    }
}
