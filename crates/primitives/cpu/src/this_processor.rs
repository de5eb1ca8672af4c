//! The set of this processor.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::Extensions;

/// Bit 31 is never one of a set, so that a processor that has none of them differs from one that was not asked.
const ASKED: u32 = 1 << 31;

impl Extensions {
    /// Those of this processor. It is asked once, since in a virtual machine that takes long.
    #[inline]
    #[must_use]
    pub fn of_this_processor() -> Self {
        match FOUND.load(Ordering::Relaxed) {
            0 => ask(),
            found => Self(found),
        }
    }
}

static FOUND: AtomicU32 = AtomicU32::new(0);

#[cold]
fn ask() -> Extensions {
    #[cfg(target_arch = "x86_64")]
    let found = crate::x86_64::ask();
    #[cfg(not(target_arch = "x86_64"))]
    let found = Extensions::NONE;
    FOUND.store(found.0 | ASKED, Ordering::Relaxed);
    found
}
