//! Sockets: listening and accepting.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout, set_tcp_nodelay};
use rustix::net::{AddressFamily, SendFlags, Shutdown, SocketAddrUnix, SocketFlags, SocketType};

use super::{ListenError, PATIENCE};

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// A socket in the file system, for its owner alone.
    Unix(PathBuf),
    /// A loopback address; port 0 lets the system choose.
    Tcp(SocketAddr),
}

impl fmt::Display for Address {
    /// As an NBD URI, which clients take. Of a path, all is escaped that means something in a URI (RFC 3986, section 3.4).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Unix(path) => {
                f.write_str("nbd+unix:///?socket=")?;
                path.as_os_str().as_bytes().iter().try_for_each(|&byte| match byte {
                    b'/' | b'-' | b'.' | b'_' | b'~' => write!(f, "{}", char::from(byte)),
                    _ if byte.is_ascii_alphanumeric() => write!(f, "{}", char::from(byte)),
                    _ => write!(f, "%{byte:02X}"),
                })
            }
            Address::Tcp(address) => write!(f, "nbd://{address}"),
        }
    }
}

/// A socket that listens. Its name in the file system goes with it.
#[derive(Debug)]
pub struct Server {
    listener: OwnedFd,
    address: Address,
    /// Of a socket's name: its file system and its number there.
    name: Option<(u64, u64)>,
}

pub(super) struct Stream(OwnedFd);

impl Server {
    /// Begins to listen. A socket that was left behind by a server that is gone is replaced.
    ///
    /// # Errors
    /// [`ListenError`]
    pub fn listen(address: &Address) -> Result<Self, ListenError> {
        let failed = |source| ListenError::Io { address: address.clone(), source };
        match address {
            Address::Unix(path) => {
                if is_stale(path)? {
                    std::fs::remove_file(path).map_err(failed)?;
                }
                let listener = listen_unix(path).map_err(failed)?;
                Ok(Server { listener, address: address.clone(), name: number(path) })
            }
            Address::Tcp(tcp) => {
                Server::check(address)?;
                let listener = TcpListener::bind(tcp).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                let address = Address::Tcp(listener.local_addr().map_err(failed)?);
                Ok(Server { listener: listener.into(), address, name: None })
            }
        }
    }

    /// Refuses an address before a container is opened for it, which takes long.
    ///
    /// # Errors
    /// As [`listen`](Self::listen)
    pub fn check(address: &Address) -> Result<(), ListenError> {
        match address {
            Address::Unix(path) => is_stale(path).map(drop),
            Address::Tcp(tcp) if !tcp.ip().is_loopback() => Err(ListenError::NotLoopback(*tcp)),
            Address::Tcp(_) => Ok(()),
        }
    }

    /// Where it listens, with the port that the system chose.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Waits for a connection, up to a time.
    pub(super) fn accept(&self, patience: Duration) -> io::Result<Option<Stream>> {
        if !readable(&self.listener, patience)? {
            return Ok(None);
        }
        let socket = rustix::net::accept_with(&self.listener, SocketFlags::CLOEXEC)?;
        if let Address::Tcp(_) = self.address {
            // Replies are small and waited for.
            set_tcp_nodelay(&socket, true)?;
        }
        // Neither reads nor writes wait for longer than a while, so that whoever waits can see that the server shall end.
        for timeout in [Timeout::Recv, Timeout::Send] {
            set_socket_timeout(&socket, timeout, Some(PATIENCE))?;
        }
        Ok(Some(Stream(socket)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Address::Unix(path) = &self.address
            // Somebody else may have taken the name in the meantime.
            && self.name == number(path)
        {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn number(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()))
}

/// Binds and sets the mode before anyone can connect.
fn listen_unix(path: &Path) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    rustix::fs::chmod(path, Mode::RUSR | Mode::WUSR)?;
    rustix::net::listen(&socket, 64)?;
    Ok(socket)
}

/// Whether a socket that no server answers on has the name.
fn is_stale(path: &Path) -> Result<bool, ListenError> {
    let Ok(found) = path.symlink_metadata() else { return Ok(false) };
    if found.is_symlink() {
        let leads_to = std::fs::read_link(path).unwrap_or_default();
        // Relative ones count from where the link lies.
        let target = path.parent().map_or_else(|| leads_to.clone(), |folder| folder.join(&leads_to));
        return Err(ListenError::Link { path: path.to_owned(), target });
    }
    if !found.file_type().is_socket() {
        return Err(ListenError::NoSocket(path.to_owned()));
    }
    if is_answered(path) {
        return Err(ListenError::Busy(path.to_owned()));
    }
    Ok(true)
}

/// Whether somebody may listen: it is known of none only where the system says so. One whom too many want to reach would let
/// a connection wait; one whom this user may not reach, or who takes messages in place of connections, is somebody too.
fn is_answered(path: &Path) -> bool {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let connected = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
        .and_then(|socket| rustix::net::connect(&socket, &SocketAddrUnix::new(path)?));
    !matches!(connected, Err(Errno::CONNREFUSED))
}

fn readable(descriptor: &OwnedFd, patience: Duration) -> io::Result<bool> {
    let timeout = Timespec::try_from(patience).map_err(|_| io::ErrorKind::InvalidInput)?;
    match poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&timeout)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl Stream {
    pub(super) fn shutdown(&self) -> io::Result<()> {
        Ok(rustix::net::shutdown(&self.0, Shutdown::Both)?)
    }

    /// Reads once, or says that nothing came.
    pub(super) fn read_for_a_while(&self, data: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(&self.0, data) {
            Ok(read) => Ok(Some(read)),
            Err(Errno::INTR | Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn write(&self, data: &[u8]) -> io::Result<usize> {
        Ok(rustix::net::send(&self.0, data, SendFlags::NOSIGNAL)?)
    }
}
