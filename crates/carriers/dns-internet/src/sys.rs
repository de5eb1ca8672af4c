//! The system calls that have no safe form in the standard library.
#![allow(unsafe_code)] // unshare(2), ioctl(2), prctl(2), packet(7) and kill(2); each with its reason.

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

/// What a call that gives a negative number for an error said.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Gives this thread, and those that it starts, a network namespace of its own; `with_users` also a user namespace, in which it
/// is root, as long as the process has one thread.
pub(crate) fn unshare_network(with_users: bool) -> io::Result<()> {
    let flags = libc::CLONE_NEWNET | if with_users { libc::CLONE_NEWUSER } else { 0 };
    // SAFETY: unshare(2) takes an integer. File descriptors and memory stay shared, as neither flag parts them.
    checked(unsafe { libc::unshare(flags) }).map(drop)
}

/// Whether `work` succeeds in a process of its own, which ends afterwards. For a process that has one thread: what it holds locked stays so
/// in the other.
pub(crate) fn try_apart(work: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> io::Result<()> {
    let mut command = Command::new("true");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: the child is a copy of a process with one thread, so that no lock of the allocator is held there by another.
    unsafe { command.pre_exec(work) };
    command.status().map(drop)
}

pub(crate) fn ids() -> (u32, u32) {
    // SAFETY: both calls take nothing, touch no memory and cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Brings the loopback interface of this thread's namespace up, with frames of so many octets, and with one more address.
pub(crate) fn loopback_up(mtu: libc::c_int, address: Ipv4Addr) -> io::Result<()> {
    // SAFETY: socket(2) takes integers; the descriptor that it gives is nobody else's.
    let socket = checked(unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) })
        .map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })?;
    // SAFETY: all-zero bytes are a valid `ifreq`: it consists of integers and of unions of integers and pointers.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_mtu = mtu;
    // SAFETY: SIOCSIFMTU reads one `ifreq`, which lives until the call returns.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFMTU as _, &raw mut request) })?;
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: as above, of SIOCSIFFLAGS.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw mut request) })?;
    // `lo:0` is a second address of the same interface (netdevice(7), "Alias interfaces"). Port, then address, in a `sockaddr_in`.
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo:0") {
        *to = *from as libc::c_char;
    }
    let mut place = libc::sockaddr { sa_family: libc::AF_INET as libc::sa_family_t, sa_data: [0; 14] };
    for (to, from) in place.sa_data[2..].iter_mut().zip(address.octets()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_addr = place;
    // SAFETY: as above, of SIOCSIFADDR.
    checked(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFADDR as _, &raw mut request) }).map(drop)
}

/// Whether a child of this process has ended. It can be waited for afterwards all the same.
pub(crate) fn has_ended(child: u32) -> bool {
    // SAFETY: all-zero bytes are a valid `siginfo_t`; waitid(2) writes one there and keeps nothing of it.
    unsafe {
        let mut found: libc::siginfo_t = std::mem::zeroed();
        let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // Where nothing changed, it leaves zero for the process (waitid(2)). A child that was waited for already is an error.
        libc::waitid(libc::P_PID, child, &raw mut found, how) != 0 || found.si_pid() != 0
    }
}

/// Makes what the command starts end when the thread that starts it does, and puts it into a process group of its own, so that
/// Ctrl-C is for this program alone.
pub(crate) fn tie(command: &mut Command) {
    let own = std::process::id();
    command.process_group(0);
    // SAFETY: between fork and exec only prctl(2), getppid(2) and _exit(2) are called, which are async-signal-safe and allocate nothing.
    unsafe {
        command.pre_exec(move || {
            checked(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong))?;
            // It may have ended before the line above.
            if libc::getppid() as u32 != own {
                libc::_exit(1);
            }
            Ok(())
        });
    }
}

/// Sends a signal to a process group; whether there was one.
pub(crate) fn signal_group(group: u32, signal: libc::c_int) -> bool {
    // SAFETY: kill(2) takes two integers.
    i32::try_from(group).is_ok_and(|group| group > 1 && unsafe { libc::kill(-group, signal) } == 0)
}

/// Sends SIGHUP to a process, and to none of its children.
pub(crate) fn hang_up(process: u32) {
    if let Some(process) = i32::try_from(process).ok().filter(|process| *process > 1) {
        // SAFETY: kill(2) takes two integers.
        unsafe { libc::kill(process, libc::SIGHUP) };
    }
}

/// A socket that gets a copy of every IP packet on the interfaces of this thread's namespace when it arrives.
pub(crate) fn packet_socket() -> io::Result<OwnedFd> {
    let protocol = (libc::ETH_P_IP as u16).to_be();
    let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC;
    // SAFETY: socket(2) takes integers; the descriptor that it gives is nobody else's.
    let socket = checked(unsafe { libc::socket(libc::AF_PACKET, kind, protocol.into()) })
        .map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })?;
    /// linux/if_packet.h: without it each packet of the loopback interface is there twice.
    const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
    set(&socket, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)?;
    // As large as it may be.
    let _ = set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, 16 << 20)
        .or_else(|_| set(&socket, libc::SOL_SOCKET, libc::SO_RCVBUF, 16 << 20));
    let wait = libc::timeval { tv_sec: 0, tv_usec: 20_000 };
    // SAFETY: SO_RCVTIMEO reads one `timeval`, which lives until the call returns.
    checked(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_RCVTIMEO,
            (&raw const wait).cast(),
            size_of::<libc::timeval>() as libc::socklen_t,
        )
    })?;
    Ok(socket)
}

fn set(socket: &OwnedFd, level: libc::c_int, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    // SAFETY: these options read one `int`, which lives until the call returns.
    checked(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            option,
            (&raw const value).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    })
    .map(drop)
}

/// The beginning of the next packet; `None` if none came for a while.
pub(crate) fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    // SAFETY: recv(2) writes at most as many octets as the buffer has, which is borrowed for the call.
    let length = unsafe { libc::recv(socket.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
    match length {
        0.. => Ok(Some(length as usize)),
        _ => match io::Error::last_os_error() {
            error if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(None)
            }
            error => Err(error),
        },
    }
}

/// How many packets the socket lost for want of room since this was asked last.
pub(crate) fn lost(socket: &OwnedFd) -> io::Result<u32> {
    // SAFETY: all-zero bytes are a valid `tpacket_stats`: two integers.
    let mut found: libc::tpacket_stats = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tpacket_stats>() as libc::socklen_t;
    // SAFETY: PACKET_STATISTICS writes at most `length` octets into a value of that size, which lives until the call returns.
    checked(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            (&raw mut found).cast(),
            &raw mut length,
        )
    })?;
    Ok(found.tp_drops)
}
