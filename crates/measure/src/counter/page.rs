//! The page that the kernel shares for each perf event, and how a count is put together from it.
//!
//! The layout and the protocol are those of `struct perf_event_mmap_page` in perf_event_open(2). The kernel writes
//! the page only while it runs on the same core as the thread that the event belongs to (when it schedules, programs
//! or rotates the event), so the reader needs compiler barriers and a retry, but no fences between cores.

use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU32, AtomicU64, Ordering, compiler_fence};

/// The head of `struct perf_event_mmap_page`: the fields that reading a counter needs, all written by the kernel.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Page {
    version: AtomicU32,
    compat_version: AtomicU32,
    /// Counts the kernel's updates; a reader that sees it change has read a mixture.
    lock: AtomicU32,
    /// One more than the number to give to `rdpmc`; 0 while the event is not on a hardware counter.
    index: AtomicU32,
    /// What to add to the hardware counter's value.
    offset: AtomicI64,
    time_enabled: AtomicU64,
    time_running: AtomicU64,
    /// Bit 2, `cap_user_rdpmc`: this process may execute `rdpmc` (elsewise the instruction faults).
    capabilities: AtomicU64,
    /// Meaningful bits of the hardware counter.
    pmc_width: AtomicU16,
}

// Offsets from perf_event_open(2), "MMAP layout".
const _: () = {
    assert!(std::mem::offset_of!(Page, lock) == 8);
    assert!(std::mem::offset_of!(Page, index) == 12);
    assert!(std::mem::offset_of!(Page, offset) == 16);
    assert!(std::mem::offset_of!(Page, capabilities) == 40);
    assert!(std::mem::offset_of!(Page, pmc_width) == 48);
};

const CAP_USER_RDPMC: u64 = 1 << 2;

/// How often a read is repeated when the kernel keeps changing the page; then the system call is asked. One retry
/// is already rare.
const ATTEMPTS: usize = 64;

impl Page {
    #[inline]
    pub(super) fn allows_rdpmc(&self) -> bool {
        self.capabilities.load(Ordering::Relaxed) & CAP_USER_RDPMC != 0
    }

    /// The event's count, with `rdpmc` reading the hardware counter of the given number. `None` where the count
    /// must be asked from the kernel: the event is not on a counter, or `rdpmc` is not allowed.
    #[inline(always)]
    pub(super) fn read(&self, rdpmc: impl Fn(u32) -> u64) -> Option<u64> {
        for _ in 0..ATTEMPTS {
            let before = self.lock.load(Ordering::Acquire);
            compiler_fence(Ordering::SeqCst);
            let index = self.index.load(Ordering::Relaxed);
            let offset = self.offset.load(Ordering::Relaxed);
            let width = self.pmc_width.load(Ordering::Relaxed);
            let count = match index.checked_sub(1) {
                Some(number) if self.allows_rdpmc() => combine(offset, rdpmc(number), width),
                _ => None,
            };
            compiler_fence(Ordering::SeqCst);
            if self.lock.load(Ordering::Acquire) == before {
                return count;
            }
        }
        None
    }
}

/// Offset plus hardware value: the value has `width` meaningful bits and is signed, because the kernel starts
/// counters below zero so that they overflow when it wants to be told. `None` for a width that no counter has.
#[inline(always)]
fn combine(offset: i64, raw: u64, width: u16) -> Option<u64> {
    if !(1..=64).contains(&width) {
        return None;
    }
    let shift = 64 - u32::from(width);
    let signed = ((raw << shift) as i64) >> shift;
    Some(offset.wrapping_add(signed) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn page(index: u32, offset: i64, width: u16, capabilities: u64) -> Page {
        Page {
            index: index.into(),
            offset: offset.into(),
            pmc_width: width.into(),
            capabilities: capabilities.into(),
            ..Page::default()
        }
    }

    #[test]
    fn a_value_is_added_as_a_signed_number_of_its_width() {
        for (offset, value, width, expected) in [
            (1000, 234, 48, Some(1234)),
            (0, 0, 48, Some(0)),
            (5, u64::MAX >> 17, 48, Some(5 + (1 << 47) - 1)),
            // A 48-bit counter that stands 100 below overflow, and an offset that accounts for it.
            (100, (1 << 48) - 100, 48, Some(0)),
            // The kernel's usual start: -2^47.
            (1 << 47, 1 << 47, 48, Some(0)),
            (1 << 39, (1 << 39) + 7, 40, Some(7)),
            // Bits above the width do not count; the only one is a sign bit.
            (0, (0xabcd << 48) | 42, 48, Some(42)),
            (0, u64::MAX - 1, 64, Some(u64::MAX - 1)),
            (3, 1, 1, Some(2)),
            (0, 1, 0, None),
            (0, 1, 65, None),
        ] {
            assert_eq!(combine(offset, value, width), expected, "{value:#x} of {width} bits");
        }
    }

    #[test]
    fn a_scheduled_event_is_read_by_its_number() {
        let fixed_counter = (1 << 30) + 2;
        let page = page(fixed_counter, 1 << 47, 48, CAP_USER_RDPMC);
        let count = page.read(|number| {
            assert_eq!(number, fixed_counter - 1);
            (1 << 47) + 99
        });
        assert_eq!(count, Some(99));
    }

    #[test]
    fn rdpmc_is_not_executed_without_counter_or_leave() {
        let never = |_| -> u64 { panic!("rdpmc would have faulted") };
        assert_eq!(page(0, 7, 48, CAP_USER_RDPMC).read(never), None);
        assert_eq!(page(3, 7, 48, 0).read(never), None);
    }

    #[test]
    fn a_change_during_the_read_repeats_it() {
        let page = page(1, 1000, 48, CAP_USER_RDPMC);
        let reads = Cell::new(0);
        let count = page.read(|_| {
            reads.set(reads.get() + 1);
            if reads.get() == 1 {
                // The kernel moves the event while the first attempt is under way.
                page.lock.fetch_add(2, Ordering::Relaxed);
                page.offset.store(5000, Ordering::Relaxed);
                return 700;
            }
            3
        });
        assert_eq!((count, reads.get()), (Some(5003), 2));
    }

    #[test]
    fn a_page_that_never_rests_is_given_up() {
        let page = page(1, 0, 48, CAP_USER_RDPMC);
        let count = page.read(|_| {
            page.lock.fetch_add(1, Ordering::Relaxed);
            1
        });
        assert_eq!(count, None);
    }
}
