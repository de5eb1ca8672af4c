//! What a gateway changes among the TCP options, so that TCP-AO finds room beside them.
//!
//! A host that knows nothing of TCP-AO fills the 40 bytes of options as it likes. What does not fit beside the TCP-AO
//! option of the connection's longest MAC is taken out of the SYN **in both directions**, since an option that either
//! end does not offer is not used: a feature disappears cleanly, before it is negotiated, and never halfway.
//!
//! The order in which options go, until the rest fits:
//! 1. Multipath TCP (RFC 8684), always: its own options on data segments would not fit beside TCP-AO;
//! 2. options that are none of those below, such as a Fast Open cookie;
//! 3. timestamps (10 bytes), which a SYN with all usual options keeps beside a MAC of up to 16 bytes;
//! 4. SACK permitted, then window scale. The maximum segment size always stays.
//!
//! On other segments, SACK blocks give way first (by [`insert`](crate::option::insert)), then options unknown here.

use crate::ip::Packet;
use crate::option::write_tcp_checksum;
use crate::tcp::{FIXED_HEADER, MAX_OPTIONS, kind};

const MPTCP: u8 = 30;

/// Writes `packet` into `out` with those of its options that leave `room` bytes for TCP-AO; `false`, and nothing
/// useful in `out`, if it can stay as it is or its options are damaged (which signing will report).
pub(super) fn make_room(packet: &Packet<'_>, room: usize, out: &mut Vec<u8>) -> bool {
    let segment = packet.segment();
    let syn = segment.flags().syn();
    // Nearly every segment: nothing to be looked at.
    if !syn && segment.option_bytes().len() + room <= MAX_OPTIONS {
        return false;
    }
    let mut kept = [(0_u8, [].as_slice()); MAX_OPTIONS / 2];
    let mut number = 0;
    for option in segment.options() {
        let Ok(option) = option else { return false };
        let Some(place) = kept.get_mut(number) else { return false };
        *place = (option.kind, option.bytes);
        number += 1;
    }
    let kept = &mut kept[..number];
    let mut dropped = false;
    let mut drop = |kept: &mut [(u8, &[u8])], unwanted: &dyn Fn(u8) -> bool| {
        for (_, bytes) in kept.iter_mut().filter(|(kind, bytes)| !bytes.is_empty() && unwanted(*kind)) {
            *bytes = &[];
            dropped = true;
        }
    };
    // SACK blocks shrink when the option is inserted; what counts is whether the others fit.
    let fits = |kept: &[(u8, &[u8])]| {
        let bytes: usize =
            kept.iter().filter(|(kind, _)| *kind != kind::SACK).map(|(_, bytes)| bytes.len()).sum();
        bytes.next_multiple_of(4) + room <= MAX_OPTIONS
    };
    if syn {
        drop(kept, &|kind| kind == MPTCP);
    }
    let usual = [kind::MSS, kind::WINDOW_SCALE, kind::SACK_PERMITTED, kind::SACK, kind::TIMESTAMPS];
    let order: [&dyn Fn(u8) -> bool; 4] = [
        &|kind| !usual.contains(&kind) && kind != kind::AO && kind != kind::MD5,
        &|kind| kind == kind::TIMESTAMPS,
        &|kind| kind == kind::SACK_PERMITTED,
        &|kind| kind == kind::WINDOW_SCALE,
    ];
    for unwanted in order {
        if fits(kept) {
            break;
        }
        drop(kept, unwanted);
    }
    let loose = syn && segment.option_bytes().len() + room > MAX_OPTIONS;
    if !dropped && !loose {
        return false;
    }
    let options: Vec<u8> = kept.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
    write_with_options(packet, &options, out);
    true
}

/// Writes `packet` into `out` with `options`, which are at most as long as its own, in place of its own.
fn write_with_options(packet: &Packet<'_>, options: &[u8], out: &mut Vec<u8>) {
    let network = packet.network_header();
    let padded = options.len().next_multiple_of(4);
    out.clear();
    out.extend_from_slice(network);
    out.extend_from_slice(packet.segment().fixed_header());
    out.extend_from_slice(options);
    out.resize(network.len() + FIXED_HEADER + padded, kind::END);
    out.extend_from_slice(packet.segment().payload());
    if let Some(offset) = out.get_mut(network.len() + 12) {
        *offset = ((FIXED_HEADER + padded) as u8 / 4) << 4 | *offset & 0x0f;
    }
    let (place, stated) = if packet.is_v6() { (4, out.len() - 40) } else { (2, out.len()) };
    if let Some(length) = out.get_mut(place..place + 2) {
        length.copy_from_slice(&(stated as u16).to_be_bytes());
    }
    if !packet.is_v6() {
        super::network::write_header_checksum(out);
    }
    write_tcp_checksum(out, network.len());
}

/// Lowers the maximum segment size that a SYN offers by `room`, for a host that will not reckon with TCP-AO: RFC 6691
/// has the sender subtract the options that it sends, and this sender does not know of them. The other direction needs
/// nothing, since the end that knows TCP-AO subtracts it itself.
///
/// An offer that is missing means 536 bytes (1220 for IPv6), which the least MTU carries with TCP-AO on all real paths.
pub(super) fn lower_mss(bytes: &mut [u8], room: usize) {
    let Ok(Some(packet)) = Packet::parse(bytes) else { return };
    let network = packet.network_header().len();
    let mut options = packet.segment().options();
    let Some(Ok(option)) = options.find(|option| option.is_ok_and(|option| option.kind == kind::MSS)) else {
        return;
    };
    let &[_, _, high, low] = option.bytes else { return };
    let lowered = u16::from_be_bytes([high, low]).saturating_sub(room as u16).max(1);
    let place = network + option.place + 2;
    if let Some(size) = bytes.get_mut(place..place + 2) {
        size.copy_from_slice(&lowered.to_be_bytes());
    }
    write_tcp_checksum(bytes, network);
}
