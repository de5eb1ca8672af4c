//! On which processors the calling thread may run.

use crate::sys;

/// The processors that the calling thread may run on, ascending.
///
/// # Errors
/// The system's error where it does not tell.
pub fn allowed() -> std::io::Result<Vec<usize>> {
    sys::allowed_processors()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_running_thread_has_a_processor() {
        let allowed = allowed().expect("told");
        assert!(!allowed.is_empty() && allowed.is_sorted());
    }
}
