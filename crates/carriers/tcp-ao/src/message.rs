//! What a segment's MAC is computed over (RFC 5925, section 5.1; for TCP-MD5, RFC 2385, section 2).

use crate::ip::{Addresses, Packet, TCP};
use crate::option::{AoOption, HEAD, Place};
use crate::tcp::{CHECKSUM, Segment};

/// Which options the MAC covers: a flag of the MKT (RFC 5925, section 3.1) on which both ends must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coverage {
    /// All of them, the default of the RFC.
    #[default]
    AllOptions,
    /// The TCP-AO option alone, for paths that change the others.
    AoOnly,
}

/// Appends the MAC input of a segment to `out`: sequence number extension, pseudo-header, TCP header with the
/// checksum and the MAC zeroed, payload. `ao` is the packet's own option, as [`find`](crate::option::find) gave it.
///
/// Nothing is allocated where `out` has room for 44 bytes more than the segment has.
pub fn append(packet: &Packet<'_>, ao: &AoOption<'_>, sne: u32, coverage: Coverage, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + room(packet), 0);
    let mut free = out.get_mut(start..).unwrap_or_default();
    let (addresses, segment) = (packet.addresses(), packet.segment());
    let place = Place { start: ao.place, mac_len: ao.mac.len() };
    let message = write(addresses, segment, place, sne, coverage, &mut free);
    let written = message.map_or(0, |message| message.bytes.len());
    out.truncate(start + written);
}

/// Bytes that [`write`] may need for this packet.
#[inline(always)]
pub(crate) fn room(packet: &Packet<'_>) -> usize {
    LONGEST_HEAD + packet.segment().bytes().len()
}

pub(crate) struct Message<'f> {
    pub(crate) bytes: &'f mut [u8],
    /// Where the TCP-AO option begins.
    option: usize,
}

impl<'f> Message<'f> {
    /// The input with other key identifiers in its option than the packet has.
    #[inline(always)]
    pub(crate) fn named(self, key_id: u8, rnext_key_id: u8) -> Option<&'f mut [u8]> {
        *self.bytes.get_mut(self.option + 2..)?.first_chunk_mut()? = [key_id, rnext_key_id];
        Some(self.bytes)
    }
}

/// As [`append`], but writes at the beginning of `free`, and takes what it has written off it. `None` where `free` has
/// less than [`room`].
#[inline(always)]
pub(crate) fn write<'f>(
    addresses: Addresses<'_>,
    segment: &Segment<'_>,
    place: Place,
    sne: u32,
    coverage: Coverage,
    free: &mut &'f mut [u8],
) -> Option<Message<'f>> {
    let length = segment.bytes().len();
    match (coverage, addresses) {
        (Coverage::AllOptions, Addresses::V4(both)) => {
            write_all(&head_v4(sne, both, length), segment, place, free)
        }
        (Coverage::AllOptions, Addresses::V6(both)) => {
            write_all(&head_v6(sne, both, length), segment, place, free)
        }
        (Coverage::AoOnly, Addresses::V4(both)) => {
            write_ao_only(&head_v4(sne, both, length), segment, place, free)
        }
        (Coverage::AoOnly, Addresses::V6(both)) => {
            write_ao_only(&head_v6(sne, both, length), segment, place, free)
        }
    }
}

/// As [`write`], into a buffer that is kept for the next message and grows where it must.
#[inline(always)]
pub(crate) fn write_over<'b>(
    packet: &Packet<'_>,
    place: Place,
    sne: u32,
    coverage: Coverage,
    buffer: &'b mut Vec<u8>,
) -> Option<Message<'b>> {
    let room = room(packet);
    if buffer.len() < room {
        buffer.resize(room, 0);
    }
    write(packet.addresses(), packet.segment(), place, sne, coverage, &mut buffer.as_mut_slice())
}

/// Writes `head` and the whole segment. The head's length is known to the compiler, and so is that of most other
/// pieces: all but one copy are a few stores.
#[inline(always)]
fn write_all<'f, const HEAD_LEN: usize>(
    head: &[u8; HEAD_LEN],
    segment: &Segment<'_>,
    place: Place,
    free: &mut &'f mut [u8],
) -> Option<Message<'f>> {
    let bytes = free.split_off_mut(..HEAD_LEN + segment.bytes().len())?;
    let (to_head, to_segment) = bytes.split_first_chunk_mut()?;
    copy(segment.bytes(), to_segment);
    *to_head = *head;
    *to_segment.get_mut(CHECKSUM..)?.first_chunk_mut()? = [0; 2];
    clear(to_segment.get_mut(place.start + HEAD..)?, place.mac_len)?;
    Some(Message { bytes, option: HEAD_LEN + place.start })
}

/// Copies a segment to a place of the same length. One of 64 to 128 bytes, as are most that carry a message of a
/// routing protocol, is copied as its first and its last half, which overlap: a few moves in place of a call.
#[inline(always)]
fn copy(segment: &[u8], to: &mut [u8]) {
    match (segment.first_chunk::<64>(), segment.last_chunk::<64>()) {
        (Some(first), Some(last)) if segment.len() <= 128 && to.len() == segment.len() => {
            if let Some(to) = to.first_chunk_mut() {
                *to = *first;
            }
            if let Some(to) = to.last_chunk_mut() {
                *to = *last;
            }
        }
        _ => to.copy_from_slice(segment),
    }
}

/// Writes `head` and the segment with the TCP-AO option alone.
#[inline(never)]
fn write_ao_only<'f>(
    head: &[u8],
    segment: &Segment<'_>,
    place: Place,
    free: &mut &'f mut [u8],
) -> Option<Message<'f>> {
    let (fixed, ao_len, payload) = (segment.fixed_header(), HEAD + place.mac_len, segment.payload());
    let option = segment.bytes().get(place.start..place.start + ao_len)?;
    let bytes = free.split_off_mut(..head.len() + fixed.len() + ao_len + payload.len())?;
    let (to_head, behind) = bytes.split_at_mut_checked(head.len())?;
    let (to_fixed, behind) = behind.split_first_chunk_mut()?;
    let (to_option, to_payload) = behind.split_at_mut_checked(ao_len)?;
    to_head.copy_from_slice(head);
    *to_fixed = *fixed;
    [to_fixed[CHECKSUM], to_fixed[CHECKSUM + 1]] = [0; 2];
    to_option.copy_from_slice(option);
    clear(to_option.get_mut(HEAD..)?, place.mac_len)?;
    to_payload.copy_from_slice(payload);
    Some(Message { bytes, option: head.len() + fixed.len() })
}

/// Zeroes the MAC that `bytes` begin with.
#[inline(always)]
fn clear(bytes: &mut [u8], mac_len: usize) -> Option<()> {
    match bytes.first_chunk_mut::<12>() {
        // The length that RFC 5926 has is two stores.
        Some(rfc_5926) if mac_len == 12 => *rfc_5926 = [0; 12],
        _ => clear_any(bytes.get_mut(..mac_len)?),
    }
    Some(())
}

/// Apart, because the compiler makes one call of both cases if it sees them side by side.
#[inline(never)]
fn clear_any(mac: &mut [u8]) {
    mac.fill(0);
}

/// Bytes of the sequence number extension and the pseudo-header.
const HEAD_V4: usize = 16;
const HEAD_V6: usize = 44;
pub(crate) const LONGEST_HEAD: usize = HEAD_V6;

/// The sequence number extension and the pseudo-header of the TCP checksum for IPv4 (RFC 9293, section 3.1).
#[inline(always)]
fn head_v4(sne: u32, both: &[u8; 8], length: usize) -> [u8; HEAD_V4] {
    let mut head = [0; HEAD_V4];
    head[..4].copy_from_slice(&sne.to_be_bytes());
    head[4..12].copy_from_slice(both);
    head[13] = TCP;
    head[14..].copy_from_slice(&(length as u16).to_be_bytes());
    head
}

/// The sequence number extension and the pseudo-header of the TCP checksum for IPv6 (RFC 8200, section 8.1).
#[inline(always)]
fn head_v6(sne: u32, both: &[u8; 32], length: usize) -> [u8; HEAD_V6] {
    let mut head = [0; HEAD_V6];
    head[..4].copy_from_slice(&sne.to_be_bytes());
    head[4..36].copy_from_slice(both);
    head[36..40].copy_from_slice(&(length as u32).to_be_bytes());
    head[43] = TCP;
    head
}

/// Appends what TCP-MD5 hashes before the key: pseudo-header, TCP header without options and with the checksum zeroed,
/// payload.
pub fn append_md5(packet: &Packet<'_>, out: &mut Vec<u8>) {
    let segment = packet.segment();
    let length = segment.bytes().len();
    // TCP-MD5 knows no sequence number extension.
    match packet.addresses() {
        Addresses::V4(both) => out.extend_from_slice(&head_v4(0, both, length)[4..]),
        Addresses::V6(both) => out.extend_from_slice(&head_v6(0, both, length)[4..]),
    }
    let mut fixed = *segment.fixed_header();
    fixed[CHECKSUM] = 0;
    fixed[CHECKSUM + 1] = 0;
    out.extend_from_slice(&fixed);
    out.extend_from_slice(segment.payload());
}
