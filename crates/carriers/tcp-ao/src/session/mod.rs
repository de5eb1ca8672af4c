//! One connection under TCP-AO, seen from one of its ends (RFC 5925, sections 3.3, 5 to 7).
//!
//! A [`Session`] learns the initial sequence numbers from the SYN and SYN-ACK segments that it signs and verifies,
//! whichever end opens, or both at once. What it *signs* comes from a TCP of one's own and is believed: a new SYN or
//! SYN-ACK begins the connection anew. What it *verifies* may be a replay, and so a received SYN never disturbs a
//! connection that is established. A new session for every connection is the cleaner way: one that is used again keeps
//! the keys that were current in the connection before.

mod error;
mod keys;
mod sign;
mod verify;

use std::fmt;
use std::sync::Arc;

pub use error::{Refusal, SessionError, SignError};
use fieldtest_kinds::Error;
use keys::Keys;
pub(crate) use sign::Head;
pub use sign::Signed;
pub use verify::Accepted;

use crate::mkt::Mkt;
use crate::pair::SocketPair;
use crate::sne::Sne;

/// One connection: its traffic keys, which of them are in use, and its sequence number extensions.
pub struct Session {
    pair: SocketPair,
    incoming: SocketPair,
    keys: Vec<Keys>,
    /// The key that this end signs with (current_key), as an index.
    current: usize,
    /// The key that the other end is asked to sign with (rnext_key), as an index.
    rnext: usize,
    local_isn: Option<u32>,
    remote_isn: Option<u32>,
    send: Sne,
    receive: Sne,
    /// Counts changes of the keys, so that a batch sees that what it assembled is stale.
    generation: u32,
    /// The MAC input of the segment at hand; kept, so that nothing is allocated per segment.
    message: Vec<u8>,
}

impl Session {
    /// A connection whose SYN is still to come, from this end or from the other. `mkts` are the tuples that are for it
    /// ([`MktSet::matching`](crate::MktSet::matching)); the first signs until the other end or management says
    /// otherwise.
    ///
    /// # Errors
    /// [`SessionError::NoKeys`] without tuples, [`SessionError::Mkt`] where two have the same SendID or RecvID.
    pub fn new(pair: SocketPair, mkts: impl IntoIterator<Item = Arc<Mkt>>) -> Result<Session, SessionError> {
        let mut session = Session {
            pair,
            incoming: pair.reversed(),
            keys: Vec::new(),
            current: 0,
            rnext: 0,
            local_isn: None,
            remote_isn: None,
            send: Sne::new(0),
            receive: Sne::new(0),
            generation: 0,
            message: Vec::new(),
        };
        for mkt in mkts {
            session.add(mkt)?;
        }
        if session.keys.is_empty() { Err(SessionError::NoKeys) } else { Ok(session) }
    }

    /// A connection whose handshake is over. Its sequence number extensions begin at 0 with the initial sequence
    /// numbers; where 2 GiB may have passed since, [`Session::set_sequences`] says how far it is.
    ///
    /// # Errors
    /// As [`Session::new`], and [`SessionError::Key`].
    pub fn established(
        pair: SocketPair,
        mkts: impl IntoIterator<Item = Arc<Mkt>>,
        local_isn: u32,
        remote_isn: u32,
    ) -> Result<Session, SessionError> {
        let mut session = Session::new(pair, mkts)?;
        session.establish(local_isn, remote_isn)?;
        Ok(session)
    }

    /// Says how far a connection joined in mid-stream is: recent extended sequence numbers of both directions, as
    /// `extension << 32 | sequence`.
    pub fn set_sequences(&mut self, sent: u64, received: u64) {
        self.send = Sne::at(sent);
        self.receive = Sne::at(received);
    }

    /// The connection, seen from this end.
    pub fn pair(&self) -> &SocketPair {
        &self.pair
    }

    /// This end's initial sequence number, once it is known.
    pub fn local_isn(&self) -> Option<u32> {
        self.local_isn
    }

    /// The other end's initial sequence number, once it is known and authenticated.
    pub fn remote_isn(&self) -> Option<u32> {
        self.remote_isn
    }

    /// Whether both initial sequence numbers, and so all keys, are known.
    pub fn is_established(&self) -> bool {
        self.local_isn.is_some() && self.remote_isn.is_some()
    }

    /// The extended sequence numbers that were sent.
    pub fn send_sequences(&self) -> Sne {
        self.send
    }

    /// The extended sequence numbers that were received and found authentic.
    pub fn receive_sequences(&self) -> Sne {
        self.receive
    }

    /// The tuple that this end signs with (current_key).
    pub fn current_key(&self) -> &Arc<Mkt> {
        &self.keys[self.current].mkt
    }

    /// The tuple that the other end is asked to sign with (rnext_key).
    pub fn rnext_key(&self) -> &Arc<Mkt> {
        &self.keys[self.rnext].mkt
    }

    /// All tuples of the connection.
    pub fn mkts(&self) -> impl Iterator<Item = &Arc<Mkt>> {
        self.keys.iter().map(|keys| &keys.mkt)
    }

    /// Adds a tuple; nothing uses it until [`Session::set_rnext_key`] or the other end asks for it.
    ///
    /// # Errors
    /// [`SessionError::Mkt`] where another has the same SendID or RecvID, [`SessionError::Key`].
    pub fn add(&mut self, mkt: Arc<Mkt>) -> Result<(), SessionError> {
        if let Some(clash) = self.keys.iter().find_map(|keys| mkt.clash(&keys.mkt)) {
            return Err(clash.into());
        }
        let mut keys = Keys::new(mkt);
        if let (Some(local), Some(remote)) = (self.local_isn, self.remote_isn) {
            keys.other = Some(keys.derive_other(&self.pair, local, remote)?);
        }
        self.keys.push(keys);
        self.generation = self.generation.wrapping_add(1);
        Ok(())
    }

    /// Removes the tuple with this SendID. What the other end still has on the way under it is refused from now on.
    ///
    /// # Errors
    /// [`SessionError::UnknownId`]; [`SessionError::InUse`] for the current and the next key.
    pub fn remove(&mut self, send_id: u8) -> Result<Arc<Mkt>, SessionError> {
        let index = self.index_of_send_id(send_id)?;
        if index == self.current || index == self.rnext {
            return Err(SessionError::InUse(send_id));
        }
        self.current -= usize::from(self.current > index);
        self.rnext -= usize::from(self.rnext > index);
        self.generation = self.generation.wrapping_add(1);
        Ok(self.keys.remove(index).mkt)
    }

    /// Signs with the tuple of this SendID from now on.
    ///
    /// # Errors
    /// [`SessionError::UnknownId`].
    pub fn set_current_key(&mut self, send_id: u8) -> Result<(), SessionError> {
        self.current = self.index_of_send_id(send_id)?;
        Ok(())
    }

    /// Asks the other end, with every segment from now on, to sign with the tuple of this RecvID. This is how a key is
    /// rolled over (RFC 5925, section 6.1); only management does it.
    ///
    /// # Errors
    /// [`SessionError::UnknownId`].
    pub fn set_rnext_key(&mut self, receive_id: u8) -> Result<(), SessionError> {
        self.rnext = self
            .index_of_receive_id(receive_id)
            .ok_or(SessionError::UnknownId { which: "RecvID", id: receive_id })?;
        Ok(())
    }

    fn index_of_send_id(&self, id: u8) -> Result<usize, SessionError> {
        let index = self.keys.iter().position(|keys| keys.send_id == id);
        index.ok_or(SessionError::UnknownId { which: "SendID", id })
    }

    #[inline]
    fn index_of_receive_id(&self, id: u8) -> Option<usize> {
        self.keys.iter().position(|keys| keys.receive_id == id)
    }

    /// Takes both initial sequence numbers as they now are, and derives the keys that depend on them. A retransmitted
    /// SYN-ACK changes nothing.
    fn establish(&mut self, local: u32, remote: u32) -> Result<(), Error> {
        if (self.local_isn, self.remote_isn) == (Some(local), Some(remote)) {
            return Ok(());
        }
        // All or nothing: the session stays as it was if one cannot be derived.
        let derived = self.keys.iter().map(|keys| keys.derive_other(&self.pair, local, remote));
        let derived = derived.collect::<Result<Vec<_>, _>>()?;
        for (keys, other) in self.keys.iter_mut().zip(derived) {
            keys.other = Some(other);
        }
        (self.local_isn, self.remote_isn) = (Some(local), Some(remote));
        (self.send, self.receive) = (Sne::new(local), Sne::new(remote));
        self.generation = self.generation.wrapping_add(1);
        Ok(())
    }

    /// Begins a connection from this end: nothing is known of the other.
    fn begin(&mut self, local: u32) {
        if self.local_isn == Some(local) {
            return;
        }
        (self.local_isn, self.remote_isn) = (Some(local), None);
        self.send = Sne::new(local);
        for keys in &mut self.keys {
            keys.other = None;
        }
        self.generation = self.generation.wrapping_add(1);
    }

    #[inline]
    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }
}

/// So that whatever holds a session can be given to [`Batch`](crate::batch::Batch).
impl AsRef<Session> for Session {
    #[inline]
    fn as_ref(&self) -> &Session {
        self
    }
}

impl AsMut<Session> for Session {
    #[inline]
    fn as_mut(&mut self) -> &mut Session {
        self
    }
}

/// Keys stay out.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("pair", &self.pair)
            .field("current_key", self.current_key())
            .field("rnext_key", self.rnext_key())
            .field("local_isn", &self.local_isn)
            .field("remote_isn", &self.remote_isn)
            .field("send", &self.send)
            .field("receive", &self.receive)
            .finish_non_exhaustive()
    }
}
