//! CPU time and peak memory of whole jobs, from getrusage(2).
//!
//! Rounds are for operations that can be repeated; a job (a zone signed by many threads, a tree hashed) is described
//! by the CPU seconds that all its threads used and by the memory it reached.

use crate::sys::{self, Who};
use std::sync::OnceLock;
use std::time::Duration;

/// CPU time so far and the largest resident memory so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTime {
    /// Time in user mode, all threads.
    pub user: Duration,
    /// Time in the kernel, all threads.
    pub system: Duration,
    /// The largest resident set since the process began, in bytes. It never falls, so it belongs to the process's
    /// whole life and not to a span; for children, it is that of the largest.
    pub peak_memory: u64,
}

/// What [`count_also`] was given.
static ALSO: OnceLock<fn() -> Duration> = OnceLock::new();

/// Counts what child processes do that run as long as this one and work for it as its own code would: `time` is theirs so far. To be
/// called once.
pub fn count_also(time: fn() -> Duration) {
    let _ = ALSO.set(time);
}

impl CpuTime {
    /// Of this process, all its threads, and of what it [counts also](count_also). `None` where the system does not tell.
    pub fn of_process() -> Option<Self> {
        let own = Self::of(Who::Process)?;
        Some(Self { user: own.user + ALSO.get().map(|time| time()).unwrap_or_default(), ..own })
    }

    /// Of the child processes that have ended and were waited for, for jobs that other programs do.
    pub fn of_children() -> Option<Self> {
        Self::of(Who::Children)
    }

    fn of(who: Who) -> Option<Self> {
        let usage = sys::usage(who)?;
        Some(Self {
            user: duration(usage.ru_utime),
            system: duration(usage.ru_stime),
            peak_memory: octets(usage.ru_maxrss),
        })
    }

    /// User and kernel time together.
    pub fn total(&self) -> Duration {
        self.user + self.system
    }

    /// The CPU time between `earlier` and this; the peak is this one's.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            peak_memory: self.peak_memory,
        }
    }
}

/// Memory as getrusage(2) tells it: Linux and the BSDs count in KiB, Apple's systems in bytes.
fn octets(told: libc::c_long) -> u64 {
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    u64::try_from(told).unwrap_or(0).saturating_mul(unit)
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn work_and_memory_show() {
        let before = CpuTime::of_process().expect("told");
        let memory = black_box(vec![1u8; 64 << 20]);
        let mut x = 0u64;
        // Some hundred rounds; a bound, so that a time that does not grow fails below.
        for _ in 0..5000 {
            if CpuTime::of_process().expect("told").since(&before).total() >= Duration::from_millis(30) {
                break;
            }
            for &byte in memory.iter().step_by(4096) {
                x = black_box(x.rotate_left(1) ^ u64::from(byte));
            }
        }
        let after = CpuTime::of_process().expect("told");
        assert!(after.since(&before).total() >= Duration::from_millis(30));
        assert!(after.peak_memory >= 64 << 20, "{}", after.peak_memory);
        assert_eq!(before.since(&after).total(), Duration::ZERO, "never negative");
    }

    #[test]
    fn times_add_up_and_are_taken_from_each_other() {
        let time = |user: u64, system: u64, peak_memory| {
            let [user, system] = [user, system].map(Duration::from_millis);
            CpuTime { user, system, peak_memory }
        };
        assert_eq!(time(70, 5, 9).since(&time(30, 1, 12)), time(40, 4, 9));
        assert_eq!(time(70, 5, 9).since(&time(80, 1, 9)), time(0, 4, 9));
        assert_eq!(time(70, 5, 9).total(), Duration::from_millis(75));
        assert_eq!(duration(libc::timeval { tv_sec: 3, tv_usec: 250_000 }), Duration::from_millis(3250));
        assert_eq!(octets(3), if cfg!(target_vendor = "apple") { 3 } else { 3072 });
    }

    #[test]
    fn what_others_do_for_this_process_counts_also() {
        // No more than other tests of this process bear.
        const ALSO: Duration = Duration::from_millis(1);
        let user = |of: Option<CpuTime>| of.expect("told").user;
        count_also(|| ALSO);
        let before = user(CpuTime::of(Who::Process));
        let found = user(CpuTime::of_process());
        assert!(
            before + ALSO <= found && found <= user(CpuTime::of(Who::Process)) + ALSO,
            "{before:?} {found:?}"
        );
    }

    #[test]
    fn children_count_when_they_have_ended() {
        assert!(CpuTime::of_children().is_some());
    }
}
