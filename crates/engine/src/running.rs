//! The engines that run, and what they take of the processor.

// The clock of another process is a call of the C library without a safe interface.
#![allow(unsafe_code)]

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// Those that run, and the CPU time of those that did.
#[derive(Debug)]
struct Running {
    groups: Vec<Pid>,
    spent: Duration,
}

static RUNNING: Mutex<Running> = Mutex::new(Running { groups: Vec::new(), spent: Duration::ZERO });

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

static UNWANTED: OnceLock<fn() -> bool> = OnceLock::new();

/// Has nobody wait for an engine any longer once this says that the user ends the program. The first call counts.
pub fn end_when(asked: fn() -> bool) {
    let _ = UNWANTED.set(asked);
}

/// Whether the user ends the program.
pub(crate) fn is_unwanted() -> bool {
    UNWANTED.get().is_some_and(|asked| asked())
}

pub(crate) fn add(group: Pid) {
    running().groups.push(group);
}

/// The group, not the process: an engine may be a script, and what it started would go on computing.
pub(crate) fn end(group: Pid) {
    let mut running = running();
    if let Some(at) = running.groups.iter().position(|it| *it == group) {
        running.groups.swap_remove(at);
        running.spent += of(group);
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// A group is another process's.
pub(crate) fn forget(group: Pid) {
    running().groups.retain(|it| *it != group);
}

/// CPU time of all engines so far, without what they started themselves.
pub fn cpu_time() -> Duration {
    let running = running();
    running.groups.iter().map(|group| of(*group)).sum::<Duration>() + running.spent
}

/// CPU time of a process so far; none where the system does not tell.
fn of(process: Pid) -> Duration {
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both write what they are given, and take it of any number.
    let told = unsafe {
        libc::clock_getcpuclockid(process.as_raw_nonzero().get(), &raw mut clock) == 0
            && libc::clock_gettime(clock, &raw mut time) == 0
    };
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    match (told, seconds, nanoseconds) {
        (true, Ok(seconds), Ok(nanoseconds)) => Duration::new(seconds, nanoseconds),
        _ => Duration::ZERO,
    }
}
