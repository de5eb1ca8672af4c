//! Ctrl-C, SIGTERM and SIGHUP: they end a command at once as long as it has nothing to bring into order, and else soon.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit code of a program that its user ended.
const INTERRUPTED: i32 = 130;

/// What becomes of the signals while a command runs.
pub(super) struct Signals {
    at_once: Arc<AtomicBool>,
    asked: Arc<AtomicBool>,
}

impl Signals {
    /// From here on these signals end the program at once, except [within](Self::in_order).
    pub(super) fn handle() -> Result<Signals> {
        let signals = Signals { at_once: Arc::new(AtomicBool::new(true)), asked: Arc::default() };
        // Under `nohup` the terminal's end is nothing to the program.
        let handled = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
        for signal in handled {
            flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&signals.at_once))
                .and_then(|_| flag::register(signal, Arc::clone(&signals.asked)))
                .context("cannot handle signals")?;
        }
        Ok(signals)
    }

    /// Does what must not end half-way: the signals only raise the flag, which the work looks at.
    pub(super) fn in_order<T>(&self, work: impl FnOnce(&AtomicBool) -> T) -> T {
        self.at_once.store(false, Ordering::SeqCst);
        let done = work(&self.asked);
        self.at_once.store(true, Ordering::SeqCst);
        done
    }
}

/// Whether a signal was ignored when the program began: a bit of `SigIgn` in `/proc/self/status` (proc(5)).
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    signal != SIGINT && mask >> (signal - 1) & 1 == 1
}
