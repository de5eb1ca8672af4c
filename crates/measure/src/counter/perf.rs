//! User-mode core cycles of the calling thread, from the kernel's perf events, without root.
#![allow(unsafe_code)] // perf_event_open, mmap and the rdpmc instruction have no safe interface.

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::Cycles;
#[cfg(target_os = "linux")]
pub(super) use linux::Cycles;

#[cfg(target_os = "linux")]
mod linux {
    use super::super::{Fallback, page::Page};
    use std::{
        io,
        os::fd::{AsRawFd, FromRawFd, OwnedFd},
        ptr::NonNull,
    };

    /// `struct perf_event_attr` as far as its first published version (64 bytes), which every kernel accepts.
    #[derive(Debug, Default)]
    #[repr(C)]
    struct Attributes {
        kind: u32,
        size: u32,
        config: u64,
        sample_period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup_events: u32,
        breakpoint_type: u32,
        config1: u64,
    }

    const PERF_TYPE_HARDWARE: u32 = 0;
    const PERF_COUNT_HW_CPU_CYCLES: u64 = 0;
    /// Bits of the attributes' flags, in the order of the bit field in perf_event_open(2).
    const PINNED: u64 = 1 << 2;
    const EXCLUDE_KERNEL: u64 = 1 << 5;
    const EXCLUDE_HV: u64 = 1 << 6;
    const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 1 << 3;

    /// An open event that counts the user-mode core cycles of the thread that opened it.
    #[derive(Debug)]
    pub(crate) struct Cycles {
        event: OwnedFd,
        page: Option<Mapping>,
    }

    impl Cycles {
        /// Opens the event for the calling thread on whichever core it runs, and sees it count.
        pub(crate) fn open() -> Result<Self, Fallback> {
            let event = open_event().map_err(|error| explain(&error))?;
            let page = Mapping::of(&event).ok();
            let cycles = Self { event, page };
            let start = cycles.read();
            let mut x = 1u64;
            for i in 0..10_000u64 {
                x = std::hint::black_box(x.rotate_left(7) ^ i);
            }
            match (start, cycles.read()) {
                (Some(start), Some(end)) if end > start => Ok(cycles),
                _ => Err(Fallback {
                    reason: "the kernel opened a cycle counter that does not count".to_owned(),
                    remedy:
                        "stop other users of the performance counters (perf, a profiler); on a processor with \
                             two kinds of core, keep the program on the cores listed in \
                             /sys/devices/cpu_core/cpus, for instance with taskset"
                            .to_owned(),
                }),
            }
        }

        /// Whether readings come from the `rdpmc` instruction.
        pub(crate) fn reads_in_user_mode(&self) -> bool {
            cfg!(target_arch = "x86_64")
                && self.page.as_ref().is_some_and(|mapping| mapping.page().allows_rdpmc())
        }

        /// Cycles so far; `None` when the event was put off the hardware for another one.
        #[inline]
        pub(crate) fn read(&self) -> Option<u64> {
            #[cfg(target_arch = "x86_64")]
            if let Some(mapping) = &self.page
                && let Some(count) = mapping.page().read(rdpmc)
            {
                return Some(count);
            }
            self.ask_kernel()
        }

        /// The count by read(2). A pinned event that lost its counter reads as end of file, which is 0 bytes.
        #[cold]
        fn ask_kernel(&self) -> Option<u64> {
            let mut count = 0u64;
            // SAFETY: the descriptor is open for as long as `self`, and `count` is 8 writable bytes.
            let got =
                unsafe { libc::read(self.event.as_raw_fd(), (&raw mut count).cast(), size_of::<u64>()) };
            (got == size_of::<u64>() as isize).then_some(count)
        }
    }

    /// The event's shared page, unmapped when dropped.
    #[derive(Debug)]
    struct Mapping {
        page: NonNull<Page>,
        length: usize,
    }

    impl Mapping {
        fn of(event: &OwnedFd) -> io::Result<Self> {
            // SAFETY: sysconf has no preconditions.
            let length = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
            // SAFETY: a new read-only mapping at an address of the kernel's choice touches no memory of ours.
            let start = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    length,
                    libc::PROT_READ,
                    libc::MAP_SHARED,
                    event.as_raw_fd(),
                    0,
                )
            };
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let page = NonNull::new(start.cast::<Page>()).ok_or(io::ErrorKind::AddrNotAvailable)?;
            Ok(Self { page, length })
        }

        #[inline(always)]
        fn page(&self) -> &Page {
            // SAFETY: the mapping is page-aligned, at least a page long, and lives as long as `self`. All fields are
            // atomics that we only load, so the kernel may write them at any time.
            unsafe { self.page.as_ref() }
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: start and length are those of our own mapping, and no reference to it outlives `self`.
            // A failure would leave a page mapped, which harms nothing.
            unsafe { libc::munmap(self.page.as_ptr().cast(), self.length) };
        }
    }

    /// Reads the hardware counter of the given number. The fences keep the window's instructions inside the window:
    /// `rdpmc` itself does not wait for what stands before it, nor hold back what stands after.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn rdpmc(number: u32) -> u64 {
        let (low, high): (u32, u32);
        // SAFETY: `Page::read` calls this only after the kernel said in the page that this process may execute rdpmc
        // and that the number is that of a counter; the instruction reads registers only. The asm block is not
        // `nomem`, so the compiler moves no memory access across it.
        unsafe {
            std::arch::asm!(
                "lfence",
                "rdpmc",
                "lfence",
                in("ecx") number,
                out("eax") low,
                out("edx") high,
                options(nostack, preserves_flags),
            );
        }
        (u64::from(high) << 32) | u64::from(low)
    }

    fn open_event() -> io::Result<OwnedFd> {
        let attributes = Attributes {
            kind: PERF_TYPE_HARDWARE,
            size: size_of::<Attributes>() as u32,
            config: PERF_COUNT_HW_CPU_CYCLES,
            // Pinned: the kernel may not share the counter out in blocks, which would make counts quietly too low;
            // it fails instead, and the run says so.
            flags: PINNED | EXCLUDE_KERNEL | EXCLUDE_HV,
            ..Attributes::default()
        };
        let (this_thread, any_core, no_group): (libc::pid_t, libc::c_int, libc::c_int) = (0, -1, -1);
        // SAFETY: the attributes are initialised, their size stands in them, and the kernel only reads them.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                this_thread,
                any_core,
                no_group,
                PERF_FLAG_FD_CLOEXEC,
            )
        };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        let descriptor = libc::c_int::try_from(descriptor).map_err(|_| io::ErrorKind::InvalidData)?;
        // SAFETY: the kernel has just given us this descriptor and nobody else owns it.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    /// What a failure of perf_event_open(2) means for a user.
    fn explain(error: &io::Error) -> Fallback {
        let (reason, remedy) = match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => (
                "this user may not open performance counters",
                "set the sysctl kernel.perf_event_paranoid to 2 or lower; in a container, allow the system call \
                 perf_event_open",
            ),
            Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => (
                "this machine shows no cycle counter",
                "measure on bare metal, or give the virtual machine a performance monitoring unit",
            ),
            Some(libc::ENOSYS) => (
                "this kernel has no performance events",
                "use a kernel built with CONFIG_PERF_EVENTS, or a container runtime that passes the call on",
            ),
            Some(libc::EMFILE | libc::ENFILE) => {
                ("too many files are open", "raise the limit on open files (ulimit -n)")
            }
            _ => ("cannot open the performance counter", "see perf_event_open(2) for the error's meaning"),
        };
        // Without the usual remedy: the one here knows the system call.
        let said = fieldtest_text::system(&error.to_string()).into_owned();
        Fallback {
            reason: format!("{reason} (perf_event_open: {})", said.split(';').next().unwrap_or_default()),
            remedy: remedy.to_owned(),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn attributes_have_the_first_published_size() {
            assert_eq!(size_of::<Attributes>(), 64);
        }

        #[test]
        fn each_failure_has_its_remedy() {
            let said = |errno| explain(&io::Error::from_raw_os_error(errno));
            assert!(said(libc::EACCES).remedy.contains("perf_event_paranoid"));
            assert!(said(libc::ENOENT).remedy.contains("bare metal"));
            assert!(said(libc::ENOSYS).reason.contains("no performance events"));
            assert!(said(libc::EINVAL).remedy.contains("perf_event_open(2)"));
        }

        /// On a machine with counters: they grow with the work, and rdpmc and read(2) tell the same count. On one
        /// without: the failure is explained. Which of the two was tested is not hidden: see `fieldtest doctor`.
        #[test]
        fn cycles_grow_with_work_or_are_explained() {
            let cycles = match Cycles::open() {
                Ok(cycles) => cycles,
                Err(fallback) => {
                    assert!(!fallback.reason.is_empty() && !fallback.remedy.is_empty());
                    return;
                }
            };
            let work = |n: u64| {
                let start = cycles.read().expect("a count");
                let mut x = 1u64;
                for i in 0..n {
                    x = std::hint::black_box(x.wrapping_mul(3) ^ i);
                }
                cycles.read().expect("a count") - start
            };
            work(100_000);
            let (one, ten) = (work(100_000), work(1_000_000));
            assert!((5 * one..20 * one).contains(&ten), "{one} then {ten}");
            let (first, asked, last) = (cycles.read(), cycles.ask_kernel(), cycles.read());
            assert!(first <= asked && asked <= last, "{first:?} {asked:?} {last:?}");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::super::Fallback;

    /// There is no counter to open: perf events are Linux's.
    #[derive(Debug)]
    pub(crate) enum Cycles {}

    impl Cycles {
        pub(crate) fn open() -> Result<Self, Fallback> {
            Err(Fallback {
                reason: format!(
                    "cycle counters are read on Linux only, and this is {}",
                    std::env::consts::OS
                ),
                remedy: "measure on Linux, or use the nanoseconds".to_owned(),
            })
        }

        pub(crate) fn reads_in_user_mode(&self) -> bool {
            match *self {}
        }

        pub(crate) fn read(&self) -> Option<u64> {
            match *self {}
        }
    }
}
