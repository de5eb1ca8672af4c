//! The CPU time of the calling thread.
#![allow(unsafe_code)] // The standard library has no per-thread CPU clock: one system call.

/// CPU time of the calling thread since it began, user and kernel, in nanoseconds; `None` where the system has no
/// such clock. Time in which another thread or another machine's work had the core is not in it, except what a
/// hypervisor takes without telling its guest.
#[inline]
pub(super) fn thread_cpu_ns() -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid, exclusively borrowed timespec for the duration of the call.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    if status != 0 {
        return None;
    }
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u64::try_from(time.tv_nsec).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_runs_forwards() {
        let first = super::thread_cpu_ns().expect("a thread clock");
        let second = super::thread_cpu_ns().expect("a thread clock");
        assert!(second >= first);
    }
}
