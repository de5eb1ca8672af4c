//! The other system calls of this crate: resource usage, affinity, file system type.
#![allow(unsafe_code)] // None of these has an interface in the standard library.

use std::{io, path::Path};

/// Whose resource usage.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Who {
    Process,
    Children,
    Thread,
}

/// getrusage(2); `None` where the system does not tell.
pub(crate) fn usage(who: Who) -> Option<libc::rusage> {
    let who = match who {
        Who::Process => libc::RUSAGE_SELF,
        Who::Children => libc::RUSAGE_CHILDREN,
        #[cfg(any(target_os = "linux", target_os = "freebsd"))]
        Who::Thread => libc::RUSAGE_THREAD,
        #[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
        Who::Thread => return None,
    };
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel fills the structure we own; it is plain data, for which all zeros is a value too.
    let (status, usage) = unsafe { (libc::getrusage(who, usage.as_mut_ptr()), usage.assume_init()) };
    (status == 0).then_some(usage)
}

/// How often the calling thread lost its core to another, so far.
#[inline]
pub(crate) fn involuntary_switches() -> Option<libc::c_long> {
    let switches = usage(Who::Thread).map(|usage| usage.ru_nivcsw);
    #[cfg(test)]
    let switches = switches.map(|told| told.wrapping_add(tests::LOST.get()));
    switches
}

/// The processors that the calling thread may run on.
#[cfg(target_os = "linux")]
pub(crate) fn allowed_processors() -> io::Result<Vec<usize>> {
    let mut set = std::mem::MaybeUninit::<libc::cpu_set_t>::zeroed();
    // SAFETY: the kernel writes at most the size we give into the set we own; all zeros is the empty set.
    let (status, set) = unsafe {
        (libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), set.as_mut_ptr()), set.assume_init())
    };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: every index is below the number of bits in the set.
    Ok((0..8 * size_of::<libc::cpu_set_t>()).filter(|&cpu| unsafe { libc::CPU_ISSET(cpu, &set) }).collect())
}

/// Keeps the calling thread on one processor, sched_setaffinity(2).
#[cfg(target_os = "linux")]
pub(crate) fn stay_on(processor: usize) -> io::Result<()> {
    let mut set = std::mem::MaybeUninit::<libc::cpu_set_t>::zeroed();
    if processor >= 8 * size_of::<libc::cpu_set_t>() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: all zeros is the empty set, the index is below the number of its bits, and the kernel only reads it.
    let status = unsafe {
        libc::CPU_SET(processor, set.assume_init_mut());
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), set.as_ptr())
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn stay_on(_processor: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The magic number of the file system that holds `path`, statfs(2).
#[cfg(target_os = "linux")]
pub(crate) fn file_system_magic(path: &Path) -> io::Result<u32> {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    let mut info = std::mem::MaybeUninit::<libc::statfs>::zeroed();
    // SAFETY: the name ends in a zero byte, the kernel fills the structure we own, and all zeros is a value of it.
    let (status, info) = unsafe { (libc::statfs(name.as_ptr(), info.as_mut_ptr()), info.assume_init()) };
    // The field's type differs between architectures; the numbers themselves have 32 bits.
    if status == 0 { Ok(info.f_type as u32) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn allowed_processors() -> io::Result<Vec<usize>> {
    Ok((0..std::thread::available_parallelism()?.get()).collect())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn file_system_magic(_path: &Path) -> io::Result<u32> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    thread_local! {
        /// How often the thread lost its core besides, as tests have it.
        pub(crate) static LOST: std::cell::Cell<libc::c_long> = const { std::cell::Cell::new(0) };
    }

    #[test]
    fn usage_is_told() {
        for who in [Who::Process, Who::Children, Who::Thread] {
            assert!(usage(who).is_some(), "{who:?}");
        }
        assert!(involuntary_switches().is_some());
    }

    #[test]
    fn a_path_with_a_zero_byte_is_an_error() {
        assert!(file_system_magic(Path::new("a\0b")).is_err());
        assert!(file_system_magic(Path::new("/does/not/exist")).is_err());
    }
}
