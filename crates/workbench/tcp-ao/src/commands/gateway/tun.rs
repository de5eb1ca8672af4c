//! TUN interfaces of Linux: whole IP packets, read and written one at a time.
//!
//! This is the command's one module with system calls of its own; the crates for TUN interfaces bring an
//! asynchronous runtime or configure the host's network, and neither is wanted here.
#![allow(unsafe_code)] // ioctl(2), poll(2) and setns(2) have no safe form in the standard library.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

/// `TUNSETIFF` of linux/if_tun.h: `_IOW('T', 202, int)`.
const TUNSETIFF: libc::c_ulong = 0x4004_54ca;

/// One TUN interface, closed with the value. An interface that was made by opening it disappears then.
#[derive(Debug)]
pub(super) struct Tun {
    device: File,
}

impl Tun {
    /// Attaches to the interface `name` of at most 15 bytes, or makes it where there is none. With `namespace` (such as
    /// `/run/netns/bgp`) the interface is the one of that network namespace; this thread stays in its own.
    ///
    /// # Errors
    /// What the system says; without the right to administer the network, `PermissionDenied`.
    pub(super) fn open(name: &str, namespace: Option<&File>) -> io::Result<Tun> {
        match namespace {
            None => Tun::open_here(name),
            Some(namespace) => {
                let home = File::open("/proc/thread-self/ns/net")?;
                enter(namespace.as_fd())?;
                let tun = Tun::open_here(name);
                enter(home.as_fd())?;
                tun
            }
        }
    }

    fn open_here(name: &str) -> io::Result<Tun> {
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
            .open("/dev/net/tun")?;
        // SAFETY: all-zero bytes are a valid `ifreq`: it consists of integers and of unions of integers and pointers.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: TUNSETIFF reads and writes one `ifreq`, which lives until the call returns.
        if unsafe { libc::ioctl(device.as_raw_fd(), TUNSETIFF, &raw mut request) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Tun { device })
    }

    /// Reads one packet; `None` if none is waiting. What does not fit into `buffer` is cut off.
    ///
    /// # Errors
    /// What the system says: among others, that the interface was deleted or is down.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.device).read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes one packet; says whether the interface took it. A router's queue may be full or its interface down: the
    /// packet is lost then as on any wire.
    pub(super) fn write(&self, packet: &[u8]) -> bool {
        (&self.device).write(packet).is_ok()
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

/// Waits until one of `sources` can be read, a signal comes, or `timeout` is over.
///
/// # Errors
/// What poll(2) says, except that it was interrupted by a signal.
pub(super) fn wait(sources: &[BorrowedFd<'_>], timeout: Duration) -> io::Result<()> {
    let mut entries: Vec<libc::pollfd> = sources
        .iter()
        .map(|source| libc::pollfd { fd: source.as_raw_fd(), events: libc::POLLIN, revents: 0 })
        .collect();
    let milliseconds = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: the pointer and the number of entries are those of a vector that lives until the call returns, and the
    // descriptors are borrowed for as long.
    let result = unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, milliseconds) };
    match result {
        0.. => Ok(()),
        _ => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        },
    }
}

/// Moves this thread into a network namespace.
fn enter(namespace: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: setns(2) takes two integers and touches no memory of ours; the descriptor is borrowed for the call.
    match unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
