//! Packets with an option more or less: what stands in the headers about lengths and checksums changes with it.

use std::ops::Range;

use super::{HEAD, MAX_MAC, OptionError, find};
use crate::checksum::Sum;
use crate::ip::{Packet, jumbo};
use crate::tcp::{CHECKSUM, FIXED_HEADER, MAX_OPTIONS, Segment, kind};

/// What [`insert`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inserted {
    /// Where the option begins, counted from the start of the TCP header.
    pub place: usize,
    /// Where the MAC stands, counted from the start of the packet.
    pub mac: Range<usize>,
    /// Blocks of selective acknowledgement that had to go, the oldest first, because 40 bytes do not hold everything.
    pub sack_blocks_dropped: usize,
}

/// Writes `packet` into `out`, which is overwritten, with a TCP-AO option behind its other options. The MAC of
/// `mac_len` bytes is zero; lengths, data offset and both checksums are right for the packet as it stands.
///
/// # Errors
/// [`OptionError`] where the options are damaged, hold an authentication already, or leave no room. `out` then holds
/// nothing useful.
pub fn insert(
    packet: &Packet<'_>,
    key_id: u8,
    rnext_key_id: u8,
    mac_len: usize,
    out: &mut Vec<u8>,
) -> Result<Inserted, OptionError> {
    out.clear();
    let inserted = append_unsummed(packet, key_id, rnext_key_id, mac_len, out)?;
    write_tcp_checksum(out, packet.network_header().len());
    Ok(inserted)
}

/// As [`insert`], behind what `out` holds, places counted from where the packet begins; the TCP checksum is left for
/// after the MAC ([`write_tcp_checksum`]). An error leaves `out` as it was.
///
/// # Errors
/// As [`insert`].
pub fn append_unsummed(
    packet: &Packet<'_>,
    key_id: u8,
    rnext_key_id: u8,
    mac_len: usize,
    out: &mut Vec<u8>,
) -> Result<Inserted, OptionError> {
    if mac_len > MAX_MAC {
        return Err(OptionError::NoRoom { needed: mac_len.saturating_add(HEAD), left: MAX_OPTIONS });
    }
    let options = packet.segment().option_bytes();
    let present = survey(packet.segment())?;
    let length = HEAD + mac_len;
    let padding = padding(length);
    let trimmed;
    let (kept, end, sack_blocks_dropped) = if options.len() + length + padding <= MAX_OPTIONS {
        (options, present.end, 0)
    } else {
        trimmed = OtherOptions::with_room_for(length + padding, options, &present);
        (trimmed.as_slice(), trimmed.len, trimmed.sack_blocks_dropped)
    };
    if kept.len() + length > MAX_OPTIONS {
        let left = MAX_OPTIONS.saturating_sub(kept.len());
        return Err(OptionError::NoRoom { needed: length, left });
    }
    let (before, behind) = kept.split_at_checked(end).unwrap_or((kept, &[]));
    let options_len = (kept.len() + length + padding).next_multiple_of(4).min(MAX_OPTIONS);

    let start = out.len();
    append_headers(packet, options_len, out)?;
    let network = packet.network_header().len();
    let place = FIXED_HEADER + before.len();
    out.extend_from_slice(before);
    out.extend_from_slice(&[kind::AO, length as u8, key_id, rnext_key_id]);
    out.resize(out.len() + mac_len, 0);
    let header_end = start + network + FIXED_HEADER + options_len;
    let room = header_end.saturating_sub(out.len() + behind.len());
    out.resize(out.len() + room, kind::NOP);
    out.extend_from_slice(behind);
    out.extend_from_slice(packet.segment().payload());
    let mac = network + place + HEAD..network + place + length;
    Ok(Inserted { place, mac, sack_blocks_dropped })
}

/// Writes `packet` into `out`, which is overwritten, without its TCP-AO option and the padding that the option
/// needed; lengths, data offset and both checksums are right. Without such an option the packet is copied.
///
/// # Errors
/// As [`find`].
pub fn strip(packet: &Packet<'_>, out: &mut Vec<u8>) -> Result<(), OptionError> {
    find(packet.segment())?;
    strip_kind(packet, kind::AO, out)
}

/// As [`strip`], for the TCP-MD5 option (RFC 2385).
///
/// # Errors
/// As [`find`].
pub fn strip_md5(packet: &Packet<'_>, out: &mut Vec<u8>) -> Result<(), OptionError> {
    find(packet.segment())?;
    strip_kind(packet, kind::MD5, out)
}

fn strip_kind(packet: &Packet<'_>, kind: u8, out: &mut Vec<u8>) -> Result<(), OptionError> {
    out.clear();
    let mut found = None;
    let mut end = FIXED_HEADER;
    for option in packet.segment().options() {
        let option = option?;
        if option.kind == kind {
            found = Some((option.place - FIXED_HEADER, option.bytes.len(), option.place - end));
        }
        end = option.place + option.bytes.len();
    }
    // What lies between two options is no-operations; a byte that only looks like one may belong to an option.
    let Some((place, length, mut nops_before)) = found else {
        out.extend_from_slice(packet.bytes());
        return Ok(());
    };
    let options = packet.segment().option_bytes();
    let (mut before, mut behind) =
        (options.get(..place).unwrap_or_default(), options.get(place + length..).unwrap_or_default());
    for _ in 0..padding(length) {
        if let [kind::NOP, rest @ ..] = behind {
            behind = rest;
        } else if let ([rest @ .., _], 1..) = (before, nops_before) {
            before = rest;
            nops_before -= 1;
        }
    }
    let options_len = (before.len() + behind.len()).next_multiple_of(4).min(MAX_OPTIONS);
    append_headers(packet, options_len, out)?;
    out.extend_from_slice(before);
    out.extend_from_slice(behind);
    out.resize(packet.network_header().len() + FIXED_HEADER + options_len, kind::END);
    out.extend_from_slice(packet.segment().payload());
    write_tcp_checksum(out, packet.network_header().len());
    Ok(())
}

/// Writes the right TCP checksum into a packet whose TCP header begins at `network`. What is not such a packet stays
/// as it is.
///
/// A checksum of 0 is written as 0xffff, which is the same number in ones' complement and right for every receiver.
/// Linux (seen in 7.3.4, `tcp_ao_hash_pseudoheader`) takes a received segment with a checksum of 0 for one that it is
/// about to send, exchanges the addresses, and refuses the MAC: one segment in 65,536, and each time again where the
/// retransmission is the same, byte for byte.
pub fn write_tcp_checksum(bytes: &mut [u8], network: usize) {
    let Ok(Some(packet)) = Packet::parse(bytes) else { return };
    let checksum = match packet.tcp_checksum() {
        0 => 0xffff,
        checksum => checksum,
    };
    put(bytes, network + CHECKSUM, checksum.to_be_bytes());
}

const SACK_BLOCK: usize = 8;

/// No-operations that fill an option up to a multiple of four.
fn padding(length: usize) -> usize {
    length.next_multiple_of(4) - length
}

/// What must be known of the options before another is put among them.
struct Present {
    /// Where the list ends, counted from the first option: the place of an end-of-list byte, or all of it.
    end: usize,
    sack: Option<Sack>,
}

/// Where a SACK option stands, counted from the first option, how long it is, and how many no-operations align it.
#[derive(Clone, Copy)]
struct Sack {
    place: usize,
    length: usize,
    nops_before: usize,
}

fn survey(segment: &Segment<'_>) -> Result<Present, OptionError> {
    let mut sack = None;
    let mut end = FIXED_HEADER;
    let mut options = segment.options();
    for option in options.by_ref() {
        let option = option?;
        match option.kind {
            kind::AO | kind::MD5 => return Err(OptionError::AlreadySigned(option.kind)),
            kind::SACK => {
                let nops_before = (option.place - end).min(2);
                sack = Some(Sack {
                    place: option.place - FIXED_HEADER,
                    length: option.bytes.len(),
                    nops_before,
                });
            }
            _ => {}
        }
        end = option.place + option.bytes.len();
    }
    Ok(Present { end: options.place() - FIXED_HEADER, sack })
}

/// The options other than TCP-AO, where they have to shrink.
struct OtherOptions {
    bytes: [u8; MAX_OPTIONS],
    len: usize,
    sack_blocks_dropped: usize,
}

impl OtherOptions {
    /// The options without their trailing padding, and without as many SACK blocks as must go, so that `needed` bytes
    /// have room if that is possible. RFC 2018 has the newest block in front.
    #[cold]
    fn with_room_for(needed: usize, options: &[u8], present: &Present) -> OtherOptions {
        let mut others = OtherOptions {
            bytes: [0; MAX_OPTIONS],
            len: present.end.min(MAX_OPTIONS),
            sack_blocks_dropped: 0,
        };
        for (to, from) in others.bytes.iter_mut().zip(options) {
            *to = *from;
        }
        let Some(mut sack) = present.sack else { return others };
        let blocks = sack.length.saturating_sub(2) / SACK_BLOCK;
        while others.len.next_multiple_of(4) + needed > MAX_OPTIONS && others.sack_blocks_dropped < blocks {
            others.sack_blocks_dropped += 1;
            sack.length -= SACK_BLOCK;
            others.shorten(sack);
        }
        others
    }

    fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Takes the last block out of the SACK option, which is `sack.length` bytes long afterwards. With the last of
    /// them the option goes, and the no-operations that aligned it.
    fn shorten(&mut self, sack: Sack) {
        let from = sack.place + sack.length + SACK_BLOCK;
        let to = if sack.length > 2 {
            if let Some(stated) = self.bytes.get_mut(sack.place + 1) {
                *stated = sack.length as u8;
            }
            sack.place + sack.length
        } else {
            sack.place - sack.nops_before
        };
        if from <= self.len {
            self.bytes.copy_within(from..self.len, to);
            self.len -= from - to;
        }
    }
}

/// Appends the IP header and the fixed TCP header of `packet` as they are with `options_len` bytes of options. The
/// TCP checksum is left zero.
#[inline]
fn append_headers(packet: &Packet<'_>, options_len: usize, out: &mut Vec<u8>) -> Result<(), OptionError> {
    let network = packet.network_header();
    let segment = packet.segment();
    let total = network.len() + FIXED_HEADER + options_len + segment.payload().len();
    // IPv4 counts its header in the length, IPv6 does not count its first 40 bytes.
    let (place, stated) = if packet.is_v6() { (4, total - 40) } else { (2, total) };
    let start = out.len();
    out.reserve(total);
    out.extend_from_slice(network);
    if !(packet.is_jumbogram() && jumbo::put_length(out.get_mut(start..).unwrap_or_default(), stated)) {
        let Ok(stated) = u16::try_from(stated) else {
            out.truncate(start);
            return Err(OptionError::LongPacket(total));
        };
        put(out, start + place, stated.to_be_bytes());
        if !packet.is_v6() {
            let checksum = ipv4_checksum(network, stated);
            put(out, start + 10, checksum.to_be_bytes());
        }
    }
    let mut fixed = *segment.fixed_header();
    let words = (FIXED_HEADER + options_len) / 4;
    fixed[12] = ((words as u8) << 4) | (fixed[12] & 0x0f);
    fixed[CHECKSUM] = 0;
    fixed[CHECKSUM + 1] = 0;
    out.extend_from_slice(&fixed);
    Ok(())
}

/// The header checksum with `total` as the total length: the old length and checksum are taken out of the sum by adding
/// their complements.
#[inline]
fn ipv4_checksum(header: &[u8], total: u16) -> u16 {
    let mut sum = Sum::of(header);
    if let &[_, _, a, b, _, _, _, _, _, _, c, d, ..] = header {
        sum.add_word(!u16::from_be_bytes([a, b]));
        sum.add_word(!u16::from_be_bytes([c, d]));
    }
    sum.add_word(total);
    sum.finish()
}

#[inline]
fn put(bytes: &mut [u8], place: usize, value: [u8; 2]) {
    if let Some(to) = bytes.get_mut(place..place + 2) {
        to.copy_from_slice(&value);
    }
}
