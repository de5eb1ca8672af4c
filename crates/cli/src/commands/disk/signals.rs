//! Ctrl-C and SIGTERM: they end a command at once as long as it has nothing to bring into order, and else soon.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit code of a program that its user ended.
const INTERRUPTED: i32 = 130;

/// What becomes of the signals while a command runs.
pub(super) struct Signals {
    at_once: Arc<AtomicBool>,
    asked: Arc<AtomicBool>,
}

impl Signals {
    /// From here on the two signals end the program at once, except [within](Self::in_order).
    pub(super) fn handle() -> Result<Signals> {
        let signals = Signals { at_once: Arc::new(AtomicBool::new(true)), asked: Arc::default() };
        for signal in [SIGINT, SIGTERM] {
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
