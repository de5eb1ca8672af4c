//! Why a segment is not signed, not accepted, or a session not made.

use fieldtest_kinds::Error;

use crate::ip::Malformed;
use crate::mkt::MktError;
use crate::option::OptionError;

/// Why a session cannot be made or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// Nothing to sign with.
    #[error("no master key tuple matches this connection; give at least one")]
    NoKeys,
    /// Two tuples of the connection have an identifier in common.
    #[error(transparent)]
    Mkt(#[from] MktError),
    /// No tuple has this identifier.
    #[error("no master key tuple of this connection has the {which} {id}; add it first")]
    UnknownId {
        /// “SendID” or “RecvID”.
        which: &'static str,
        /// The identifier.
        id: u8,
    },
    /// The tuple signs, or is what the other end is asked to sign with.
    #[error(
        "the master key tuple with the SendID {0} is in use; set another current key and another next key first"
    )]
    InUse(u8),
    /// A key could not be derived or prepared.
    #[error("cannot derive a traffic key: {0}")]
    Key(#[from] Error),
}

/// Why a segment was not signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The packet's headers are damaged.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Another protocol, or a fragment.
    #[error("the packet does not contain a whole TCP segment, which TCP-AO needs")]
    NotTcp,
    /// Addresses and ports are not this session's, or it is a packet from the other end.
    #[error(
        "the packet is not one that this end of the connection sends; give it to the session it belongs to"
    )]
    OtherConnection,
    /// The options leave no room, are damaged, or hold an authentication already.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The segment to be completed has no TCP-AO option.
    #[error(
        "the segment has no TCP-AO option to write the MAC into; insert one, or sign the segment instead"
    )]
    NoOption,
    /// The option to be completed does not have the length of the key's MAC.
    #[error("the TCP-AO option has space for a MAC of {found} bytes, but the current key makes {wanted}")]
    MacLength {
        /// Bytes of the current key's MAC.
        wanted: usize,
        /// Bytes that the option has for it.
        found: usize,
    },
    /// Not a SYN, and the initial sequence numbers are unknown.
    #[error(
        "the initial sequence numbers are unknown, but the traffic keys depend on them; begin with the SYN, or make \
         the session with known numbers"
    )]
    IsnsUnknown,
    /// The implementation failed.
    #[error("cannot compute the MAC: {0}")]
    Mac(#[from] Error),
}

/// Why a segment was not accepted. The session is as it was before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum Refusal {
    /// The packet's headers are damaged.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Another protocol, or a fragment.
    #[error("the packet does not contain a whole TCP segment; reassemble it first")]
    NotTcp,
    /// Addresses and ports are not this session's, or it is a packet that this end sends.
    #[error(
        "the packet is not one that this end of the connection receives; give it to the session it belongs to"
    )]
    OtherConnection,
    #[error(
        "the segment has no TCP-AO option; the other end does not sign, or something on the path removes options"
    )]
    NoOption,
    /// RFC 5925, section 2.2, wants the segment discarded.
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(
        "no master key tuple of this connection has the RecvID {0}; add it, or check that SendID and RecvID are not \
         exchanged between the ends"
    )]
    UnknownKeyId(u8),
    /// Both ends must agree on the length.
    #[error(
        "the MAC has {found} bytes, but the key with the RecvID {key_id} has MACs of {wanted}; set one length at both ends"
    )]
    MacLength { key_id: u8, wanted: usize, found: usize },
    #[error(
        "the initial sequence numbers are unknown, but the traffic keys depend on them; the handshake was not captured"
    )]
    IsnsUnknown,
    #[error(
        "the MAC does not match the key with the RecvID {0}: the master keys, the algorithms or the \
         options that they cover differ between the ends, the segment was changed on the path, or it is a forgery"
    )]
    MacDiffers(u8),
    /// The implementation failed.
    #[error("cannot compute the MAC: {0}")]
    Mac(#[from] Error),
}
