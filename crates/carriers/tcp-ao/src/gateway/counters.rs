use std::fmt;

use fieldtest_text::words;

use crate::session::{Refusal, SignError};

words! {
    /// Why a packet did not go on, in the order in which it is printed. The words are names for counters: lower case, no spaces.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Reason {
        /// From outside, for a connection that has a key: without TCP-AO.
        Unsigned = "unsigned",
        /// From outside: no key of the connection has this KeyID.
        UnknownKeyId = "unknown-key-id",
        /// From outside: the MAC is not the key's, or not as long.
        BadMac = "bad-mac",
        /// The headers or options are damaged, or break a rule of RFC 5925, section 2.2.
        Malformed = "malformed",
        /// A piece of a packet for which there may be a key: it cannot be signed or verified.
        Fragment = "fragment",
        /// Behind an IP authentication header, of a connection that has a key: that header covers what TCP-AO would change.
        Authenticated = "ip-authentication",
        /// No key is for this connection, and the policy requires one.
        NoKey = "no-key",
        /// There is a key, but the handshake was not seen, so that the initial sequence numbers are unknown.
        UnknownConnection = "unknown-connection",
        /// The table of connections is full.
        TableFull = "table-full",
        /// From inside: the options leave no room for TCP-AO, hold TCP-AO or TCP-MD5 already, or the packet grows too long.
        NoRoom = "no-room",
        /// From outside: an ICMP error that would end a protected connection or shrink its segments without a reason.
        Icmp = "icmp",
        /// The time to live or the hop limit is used up.
        HopLimit = "hop-limit",
        /// The MAC's implementation failed.
        Failed = "failed",
    }
}

impl From<&Refusal> for Reason {
    fn from(refusal: &Refusal) -> Reason {
        match refusal {
            Refusal::NoOption => Reason::Unsigned,
            Refusal::UnknownKeyId(_) => Reason::UnknownKeyId,
            Refusal::MacDiffers(_) | Refusal::MacLength { .. } => Reason::BadMac,
            Refusal::IsnsUnknown | Refusal::OtherConnection => Reason::UnknownConnection,
            Refusal::Malformed(_) | Refusal::Option(_) | Refusal::NotTcp => Reason::Malformed,
            Refusal::Mac(_) => Reason::Failed,
        }
    }
}

impl From<&SignError> for Reason {
    fn from(error: &SignError) -> Reason {
        match error {
            SignError::Malformed(_) | SignError::NotTcp => Reason::Malformed,
            SignError::OtherConnection | SignError::IsnsUnknown => Reason::UnknownConnection,
            SignError::Option(_) | SignError::NoOption | SignError::MacLength { .. } => Reason::NoRoom,
            SignError::Mac(_) => Reason::Failed,
        }
    }
}

/// What went through a gateway and what did not, since it began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments from inside that went on with TCP-AO.
    pub signed: u64,
    /// Segments from outside that were authentic and went on without TCP-AO.
    pub verified: u64,
    /// Packets in both directions that TCP-AO does not concern and that went on as they were.
    pub passed: u64,
    /// Blocks of selective acknowledgement that had to go for lack of option space.
    pub sack_blocks_dropped: u64,
    /// SYNs that lost an option for lack of option space.
    pub options_dropped: u64,
    /// Times that the other end asked for another key and got it.
    pub rollovers: u64,
    /// Resets that the gateway sent inside, for connections whose handshake it had not seen.
    pub resets: u64,
    dropped: [u64; Reason::ALL.len()],
}

impl Counters {
    /// Packets that did not go on for this reason.
    pub fn dropped(&self, reason: Reason) -> u64 {
        self.dropped.get(reason as usize).copied().unwrap_or(0)
    }

    /// Packets that did not go on.
    pub fn all_dropped(&self) -> u64 {
        self.dropped.iter().sum()
    }

    pub(super) fn drop(&mut self, reason: Reason) {
        if let Some(count) = self.dropped.get_mut(reason as usize) {
            *count += 1;
        }
    }
}

/// One line: `signed 3 verified 2 passed 0 … dropped 1 (bad-mac 1)`.
impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "signed {} verified {} passed {} sack-blocks-dropped {} options-dropped {} rollovers {} resets {} dropped {}",
            self.signed,
            self.verified,
            self.passed,
            self.sack_blocks_dropped,
            self.options_dropped,
            self.rollovers,
            self.resets,
            self.all_dropped()
        )?;
        let reasons = Reason::ALL.iter().filter(|reason| self.dropped(**reason) > 0);
        for (place, reason) in reasons.enumerate() {
            write!(f, "{}{reason} {}", if place == 0 { " (" } else { ", " }, self.dropped(*reason))?;
        }
        if self.all_dropped() > 0 { f.write_str(")") } else { Ok(()) }
    }
}
