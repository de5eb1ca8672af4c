//! A volume as a network block device.
//!
//! The protocol is NBD with the fixed newstyle negotiation, and structured replies for who asks for them
//! (NetworkBlockDevice/nbd, `doc/proto.md`). The crate `nbd` 0.3.1 serves one client, one request after the
//! other.
//! What clients need to work at full speed is there: flush, forced unit access, writing zeros, and several connections
//! at once, which share one volume and so see each other's writes. There is no TLS: a server listens on a Unix socket
//! that only its owner can reach, or on a loopback address; `ssh -L` carries either to another machine.

mod connection;
mod connection_limit;
mod handshake;
mod listener;
mod protocol;
mod transmission;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use connection_limit::{Activity, Crowd};
use listener::Stream;
pub use listener::{Address, Server};

use crate::error::Result;
use crate::secret::wipe_stack;
use crate::volume::Volume;

/// How often a server that waits looks whether it shall end.
const PATIENCE: Duration = Duration::from_millis(100);

/// How the volume is offered.
#[derive(Debug, Clone, Default)]
pub struct Export {
    /// The name that clients ask for; the empty one is always answered too.
    pub name: String,
    /// Refuses writes even if the volume was opened for them.
    pub read_only: bool,
    /// Passes on which parts are not needed any more: the storage gets holes there, which show to who reads it.
    pub discard: bool,
}

/// Why a server cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum ListenError {
    /// The address is in use, or not to be had.
    #[error("cannot listen on {address}: {source}")]
    Io { address: Address, source: io::Error },
    /// Another server answers there.
    #[error("{0} is in use by another server; stop it, or choose another path")]
    Busy(PathBuf),
    /// A file that is no socket has the name.
    #[error("{0} exists and is not a socket; choose another path")]
    NoSocket(PathBuf),
    /// A link has the name. A socket that took its place would not be where the link leads.
    #[error(
        "cannot create a socket through the link {path}; listen on its target {target}, or remove the link"
    )]
    Link { path: PathBuf, target: PathBuf },
    #[error(
        "cannot listen on {0}: other machines can reach it, and the data is sent unencrypted; use 127.0.0.1 or ::1"
    )]
    NotLoopback(SocketAddr),
}

/// What was served.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Served {
    /// Connections that reached the transmission phase.
    pub connections: usize,
}

impl Server {
    /// Serves a volume until `stop` is raised, then lets requests that have begun come to their end and makes
    /// everything durable.
    ///
    /// Memory is bounded by 256 connections with 256 KiB each.
    ///
    /// # Errors
    /// What the last flush failed with. What goes wrong with one connection ends that connection.
    pub fn run(&self, volume: &Volume, export: &Export, stop: &AtomicBool) -> Result<Served> {
        let (crowd, served) = (Crowd::default(), AtomicUsize::new(0));
        thread::scope(|scope| {
            while !stop.load(Ordering::Relaxed) {
                if !crowd.has_room() {
                    thread::sleep(PATIENCE / 10);
                    continue;
                }
                let stream = match self.accept(PATIENCE) {
                    Ok(Some(stream)) => Arc::new(stream),
                    Ok(None) => continue,
                    // Without file descriptors, say, it would fail again at once.
                    Err(_) => {
                        thread::sleep(PATIENCE);
                        continue;
                    }
                };
                let activity = crowd.enter(&stream);
                let (crowd_here, stream_here, served) = (&crowd, Arc::clone(&stream), &served);
                let spawned = thread::Builder::new().spawn_scoped(scope, move || {
                    // An error here is the end of this connection and of no interest to others.
                    let _ = converse(&stream_here, volume, export, stop, &activity, served);
                    wipe_stack();
                    crowd_here.leave(&stream_here);
                });
                if spawned.is_err() {
                    crowd.leave(&stream);
                }
            }
        });
        if volume.is_writable() {
            volume.flush()?;
        }
        Ok(Served { connections: served.into_inner() })
    }
}

fn converse(
    stream: &Stream,
    volume: &Volume,
    export: &Export,
    stop: &AtomicBool,
    activity: &Activity,
    served: &AtomicUsize,
) -> io::Result<()> {
    let mut connection = connection::Connection::new(stream, stop, activity);
    let device = protocol::Device::of(volume, export);
    if let Some(replies) = handshake::negotiate(&mut connection, &device)? {
        served.fetch_add(1, Ordering::Relaxed);
        connection.is_in_use();
        transmission::serve(&mut connection, volume, &device, replies)?;
    }
    Ok(())
}
