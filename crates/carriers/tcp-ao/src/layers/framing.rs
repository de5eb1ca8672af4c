//! What stands before an IP packet that can be replaced by a longer one: headers that say nothing of its length, or say it
//! in a field that is known. Tunnels, which have lengths and checksums of their own, are none of these.

use super::DEEPEST;
use super::tunnel::{self, PPP_ETHER, Step, ethertype};
use crate::capture::{Captured, Unframed, network_layer};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Framing {
    pub(crate) at: usize,
    /// Where 16-bit lengths stand that grow with it.
    pub(crate) lengths: Vec<usize>,
}

/// The way to the IP packet of a frame, if there is one that is in no tunnel.
#[inline]
pub(crate) fn framing(captured: &Captured<'_>) -> Option<Framing> {
    match network_layer(captured.link, captured.bytes) {
        Ok(at) => Some(Framing { at, lengths: Vec::new() }),
        Err(Unframed::UnknownLink(link)) => follow(tunnel::link(link, captured.bytes)?, captured),
        Err(_) => follow(tunnel::frame(captured.link, captured.bytes), captured),
    }
}

fn follow(mut step: Step<'_>, captured: &Captured<'_>) -> Option<Framing> {
    /// Where the length stands in a PPPoE header (RFC 2516, section 4).
    const PPPOE_LENGTH: usize = 4;
    let place = |rest: &[u8]| captured.bytes.len().checked_sub(rest.len());
    let mut lengths = Vec::new();
    if captured.link == PPP_ETHER {
        lengths.push(PPPOE_LENGTH);
    }
    for _ in 0..DEEPEST {
        step = match step {
            Step::Network(packet) => return Some(Framing { at: place(packet)?, lengths }),
            Step::Typed(ethertype::PPPOE, payload) => {
                lengths.push(place(payload)? + PPPOE_LENGTH);
                tunnel::follow(step)
            }
            Step::Typed(0..=ethertype::LONGEST_LENGTH, payload) => {
                lengths.push(place(payload)?.checked_sub(2)?);
                tunnel::follow(step)
            }
            // A pseudowire is a tunnel, and its control word may have a length (RFC 4385, section 3).
            Step::Mpls(_) => match tunnel::follow(step) {
                Step::Ethernet(_) => return None,
                next => next,
            },
            Step::Ethernet(frame) => {
                let (kind, payload) = tunnel::ethernet_type(frame)?;
                Step::Typed(kind, payload)
            }
            Step::Typed(..) | Step::Ppp(_) => tunnel::follow(step),
            Step::End | Step::Short | Step::Opaque(_) => return None,
        };
    }
    None
}

/// Adds what a packet has grown by to the lengths before it; false if one of them cannot hold it.
pub(crate) fn grow(frame: &mut [u8], lengths: &[usize], growth: isize) -> bool {
    lengths.iter().all(|&at| {
        let Some(field) = frame.get_mut(at..at + 2).and_then(|field| field.first_chunk_mut::<2>()) else {
            return false;
        };
        let before = u16::from_be_bytes(*field);
        let after = isize::try_from(before).ok().and_then(|before| u16::try_from(before + growth).ok());
        // What is a length of IEEE 802.3 must not become a type.
        let fits = |after: &u16| before > ethertype::LONGEST_LENGTH || *after <= ethertype::LONGEST_LENGTH;
        after.filter(fits).map(|after| *field = after.to_be_bytes()).is_some()
    })
}
