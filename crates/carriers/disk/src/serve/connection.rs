//! Messages over a stream, so that a server that shall end does end.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::connection_limit::Activity;
use super::listener::Stream;

/// A stream whose reads and writes end when the server shall end: at once between messages, and within a few seconds
/// if the client is in the middle of one, or never pauses.
pub(super) struct Connection<'s> {
    stream: &'s Stream,
    stop: &'s AtomicBool,
    activity: &'s Activity,
    /// When it was first seen that the server shall end.
    ending: Option<Instant>,
    /// When the handshake has to be over.
    handshake: Option<Instant>,
}

/// How long a client may go on when the server shall end.
const GRACE: Duration = Duration::from_secs(3);

const HANDSHAKE: Duration = Duration::from_secs(10);

impl<'s> Connection<'s> {
    pub(super) fn new(stream: &'s Stream, stop: &'s AtomicBool, activity: &'s Activity) -> Self {
        let handshake = Some(Instant::now() + HANDSHAKE);
        Connection { stream, stop, activity, ending: None, handshake }
    }

    /// The handshake is over, and the client has as long as it likes between requests.
    pub(super) fn is_in_use(&mut self) {
        self.handshake = None;
    }

    pub(super) fn request(&self, begins: bool) {
        self.activity.request(begins);
    }

    pub(super) fn is_ending(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn receive(&mut self, data: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while let Some(rest) = data.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.stream.read_for_a_while(rest)? {
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(read) => {
                    filled += read;
                    self.activity.moved();
                    // One that sends a byte now and then does not go on for ever either.
                    self.go_on()?;
                }
                None => self.go_on()?,
            }
        }
        Ok(())
    }

    /// Reads an array of bytes.
    pub(super) fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut array = [0; N];
        self.receive(&mut array)?;
        Ok(array)
    }

    /// The same between messages, where the client may leave and the server may end. If nothing comes for a while, what
    /// the last message needed is given up by `idle`.
    pub(super) fn array_or_end<const N: usize>(
        &mut self,
        mut idle: impl FnMut(),
    ) -> io::Result<Option<[u8; N]>> {
        let mut array = [0; N];
        // A client that never pauses must not keep the server from ending.
        self.go_on()?;
        let read = loop {
            match self.stream.read_for_a_while(&mut array)? {
                Some(0) => return Ok(None),
                Some(read) => break read,
                None if self.is_ending() => return Ok(None),
                None => idle(),
            }
        };
        self.activity.moved();
        self.receive(array.get_mut(read..).unwrap_or_default())?;
        Ok(Some(array))
    }

    pub(super) fn pass_over(&mut self, mut length: u64) -> io::Result<()> {
        let mut buffer = [0; 4096];
        while length > 0 {
            let now = usize::try_from(length).unwrap_or(usize::MAX).min(buffer.len());
            self.receive(buffer.get_mut(..now).unwrap_or_default())?;
            length -= now as u64;
        }
        Ok(())
    }

    pub(super) fn send(&mut self, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            match self.stream.write(data) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    data = data.get(written..).unwrap_or_default();
                    self.activity.moved();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.go_on()?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Goes on unless the handshake takes too long, or the server has been ending for longer than the grace.
    fn go_on(&mut self) -> io::Result<()> {
        if self.handshake.is_some_and(|end| Instant::now() > end) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        if self.is_ending() && self.ending.get_or_insert_with(Instant::now).elapsed() > GRACE {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }
}
