//! From a captured frame to the TCP/IP packet in it, through link headers, fragments and tunnels.
//!
//! A packet that is passed over unread could hold forged data, so whatever can carry TCP is followed, or named:
//! fragments are put together again (`Reassembly`), tunnels are looked into, and what cannot be read (encrypted,
//! compressed) is an [`Opaque`], never “not TCP”.

mod framing;
mod ip;
mod reassembly;
mod tunnel;

use std::borrow::Cow;

use thiserror::Error;

use crate::capture::{Captured, LinkType, Unframed, network_layer};
use crate::ip::Packet;

pub(crate) use framing::{Framing, framing, grow};
use ip::Network;
pub(crate) use ip::{Unstated, unstated};
pub use reassembly::Lost;
use reassembly::{Arrival, Reassembly};
use tunnel::Step;

/// Headers that are followed one inside the other. Real paths have fewer than ten.
const DEEPEST: usize = 24;

/// What a captured frame holds.
#[derive(Debug)]
#[non_exhaustive]
pub enum Content<'a> {
    /// An IP packet with a TCP segment, the innermost. It is owned where it was put together.
    Tcp(Cow<'a, [u8]>),
    /// Nothing that is or could carry TCP.
    Other,
    /// A fragment; what becomes of it is told with the one that completes the packet, or by [`Layers::lost`].
    Fragment,
    /// A fragment of a packet that was put together before.
    Repeated,
    /// A fragment of a packet whose fragments contradict each other.
    Overlap,
    /// Headers that are damaged.
    Damaged,
    /// The capture cut off what would be needed.
    Snapped,
    /// A link type that is not known.
    UnknownLink(LinkType),
    /// Something that may carry TCP and cannot be read.
    Opaque(Opaque),
}

/// What may carry TCP and cannot be looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum Opaque {
    /// IPsec's encapsulating security payload (RFC 4303), also inside UDP (RFC 3948).
    #[error("ESP, which is encrypted")]
    Esp,
    /// IP payload compression (RFC 3173).
    #[error("compressed IP")]
    IpComp,
    /// MACsec (IEEE 802.1AE).
    #[error("MACsec")]
    MacSec,
    /// The layer two tunneling protocol (RFC 2661, RFC 3931).
    #[error("L2TP")]
    L2tp,
    /// Compressed or encrypted PPP (RFC 1962, RFC 1968).
    #[error("compressed or encrypted PPP")]
    Ppp,
    /// An MPLS payload that is neither IP nor Ethernet.
    #[error("an MPLS payload of an unknown kind")]
    Mpls,
    /// Generic routing encapsulation of a kind that is not known.
    #[error("GRE of an unknown kind")]
    Gre,
    /// Several TCP segments with an authentication in one packet, which the network card was to cut.
    #[error(
        "more than 65,535 bytes without a length, several segments that the network card would have split"
    )]
    Several,
    /// More headers one inside the other than are followed.
    #[error("too many nested headers")]
    Deep,
}

/// Takes frames apart, and keeps the fragments that wait for others.
#[derive(Debug, Default)]
pub struct Layers {
    reassembly: Reassembly,
    /// The fragments that the packet of the latest frame was put together from, by their numbers in the capture.
    joined: Vec<u64>,
}

impl Layers {
    /// Looks for the TCP segment in a frame.
    pub fn open<'a>(&mut self, captured: &Captured<'a>) -> Content<'a> {
        self.joined.clear();
        let start = match network_layer(captured.link, captured.bytes) {
            Ok(at) => {
                let bytes = captured.bytes.get(at..).unwrap_or_default();
                // Nearly every packet of a capture is this.
                if let Ok(Some(_)) = Packet::parse(bytes) {
                    return Content::Tcp(Cow::Borrowed(bytes));
                }
                Step::Network(bytes)
            }
            Err(Unframed::UnknownLink(link)) => match tunnel::link(link, captured.bytes) {
                Some(step) => step,
                None => return Content::UnknownLink(link),
            },
            Err(_) => tunnel::frame(captured.link, captured.bytes),
        };
        self.walk(start, captured, DEEPEST)
    }

    fn walk<'a>(&mut self, mut step: Step<'a>, captured: &Captured<'_>, mut depth: usize) -> Content<'a> {
        let damaged = || if captured.is_snapped() { Content::Snapped } else { Content::Damaged };
        loop {
            let Some(left) = depth.checked_sub(1) else { return Content::Opaque(Opaque::Deep) };
            depth = left;
            step = match step {
                Step::End => return Content::Other,
                Step::Short => return damaged(),
                Step::Opaque(what) => return Content::Opaque(what),
                Step::Network(bytes) => match ip::look(bytes) {
                    // A packet that does not say its length has that of the record, if that is whole.
                    Network::Tcp(Cow::Owned(_)) if captured.is_snapped() && unstated(bytes).is_some() => {
                        return Content::Snapped;
                    }
                    Network::Tcp(packet) => return Content::Tcp(packet),
                    Network::Several => return Content::Opaque(Opaque::Several),
                    Network::Damaged => return damaged(),
                    Network::Upper { protocol, payload, whole } => {
                        match tunnel::upper(protocol, payload, whole) {
                            // What is cut off is missed only where something could be in it.
                            Step::Short if !whole => return Content::Snapped,
                            next => next,
                        }
                    }
                    Network::Fragment(fragment) => {
                        match self.reassembly.add(captured.number, captured.time, &fragment, &mut self.joined)
                        {
                            Arrival::Irrelevant => return Content::Other,
                            Arrival::Waits => return Content::Fragment,
                            Arrival::Repeated => return Content::Repeated,
                            Arrival::Contradicts => return Content::Overlap,
                            Arrival::Cut => return damaged(),
                            Arrival::Whole(packet) => return self.assembled(packet, captured, depth),
                        }
                    }
                },
                step => tunnel::follow(step),
            };
        }
    }

    /// What is in a packet that was put together; it may have fragments of its own inside.
    fn assembled(&mut self, packet: Vec<u8>, captured: &Captured<'_>, depth: usize) -> Content<'static> {
        match self.walk(Step::Network(&packet), captured, depth) {
            Content::Tcp(bytes) => Content::Tcp(Cow::Owned(bytes.into_owned())),
            Content::Other => Content::Other,
            Content::Fragment => Content::Fragment,
            Content::Repeated => Content::Repeated,
            Content::Overlap => Content::Overlap,
            Content::Damaged => Content::Damaged,
            Content::Snapped => Content::Snapped,
            Content::UnknownLink(link) => Content::UnknownLink(link),
            Content::Opaque(what) => Content::Opaque(what),
        }
    }

    /// Whether there is anything to be asked of [`Layers::joined`] and [`Layers::lost`].
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        !self.joined.is_empty() || self.reassembly.has_lost()
    }

    /// The fragments that the packet of the latest frame was put together from, apart from that frame itself.
    pub fn joined(&self) -> &[u64] {
        &self.joined
    }

    /// Takes the fragments that were given up since the last call, because their packets were not completed.
    pub fn lost(&mut self) -> Vec<Lost> {
        self.reassembly.lost()
    }

    /// Gives up all fragments that still wait.
    pub fn give_up(&mut self) {
        self.reassembly.give_up();
    }
}
