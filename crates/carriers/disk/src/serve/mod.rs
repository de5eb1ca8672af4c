//! A volume as a network block device.
//!
//! The protocol is NBD with the fixed newstyle negotiation and simple replies (NetworkBlockDevice/nbd, `doc/proto.md`).
//! What clients need to work at full speed is there: flush, forced unit access, writing zeros, and several connections
//! at once, which share one volume and so see each other's writes. There is no TLS: a server listens on a Unix socket
//! that only its owner can reach, or on a loopback address.

mod connection;
mod handshake;
mod listener;
mod protocol;
mod transmission;

use std::io;
use std::net::{Shutdown, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use listener::Stream;
pub use listener::{Address, Server};

use crate::error::Result;
use crate::volume::Volume;

/// Connections at once. A client such as the kernel's, nbdfuse or nbdcopy opens up to as many as there are cores.
const MOST_CONNECTIONS: usize = 16;

/// How often a server that waits looks whether it shall end.
const PATIENCE: Duration = Duration::from_millis(100);

/// How the volume is offered.
#[derive(Debug, Clone, Default)]
pub struct Export {
    /// The name that clients ask for; the empty one is always answered too.
    pub name: String,
    /// Refuses writes even if the volume was opened for them.
    pub read_only: bool,
}

/// Why a server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address is in use, or not to be had.
    #[error("cannot listen on {address}: {source}")]
    Io {
        /// As it was given.
        address: Address,
        /// Why.
        source: io::Error,
    },
    /// Another server answers there.
    #[error("{0} is in use by another server; end it, or choose another path")]
    Busy(PathBuf),
    /// A file that is no socket has the name.
    #[error("{0} exists and is no socket; choose another path")]
    NoSocket(PathBuf),
    /// Not a loopback address.
    #[error(
        "{0} can be reached from other machines, and the data would travel in the clear; use 127.0.0.1 or ::1"
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
    /// Memory is bounded by 16 connections with one request of at most 32 MiB each.
    ///
    /// # Errors
    /// What the last flush failed with. What goes wrong with one connection ends that connection.
    pub fn run(&self, volume: &Volume, export: &Export, stop: &AtomicBool) -> Result<Served> {
        let (open, served) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            while !stop.load(Ordering::Relaxed) {
                if open.load(Ordering::Acquire) >= MOST_CONNECTIONS {
                    thread::sleep(PATIENCE);
                    continue;
                }
                let stream = match self.accept(PATIENCE) {
                    Ok(Some(stream)) => stream,
                    Ok(None) => continue,
                    // Without file descriptors, say, it would fail again at once.
                    Err(_) => {
                        thread::sleep(PATIENCE);
                        continue;
                    }
                };
                open.fetch_add(1, Ordering::AcqRel);
                let (open_here, served) = (&open, &served);
                let spawned = thread::Builder::new().spawn_scoped(scope, move || {
                    // An error here is the end of this connection and of no interest to others.
                    let _ = converse(&stream, volume, export, stop, served);
                    let _ = stream.shutdown(Shutdown::Both);
                    open_here.fetch_sub(1, Ordering::AcqRel);
                });
                if spawned.is_err() {
                    open.fetch_sub(1, Ordering::AcqRel);
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
    served: &AtomicUsize,
) -> io::Result<()> {
    let mut connection = connection::Connection::new(stream, stop);
    let device = protocol::Device::of(volume, export);
    if handshake::negotiate(&mut connection, &device)? {
        served.fetch_add(1, Ordering::Relaxed);
        transmission::serve(&mut connection, volume, &device)?;
    }
    Ok(())
}
