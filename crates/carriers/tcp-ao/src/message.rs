//! What a segment's MAC is computed over (RFC 5925, section 5.1; for TCP-MD5, RFC 2385, section 2).

use crate::ip::{Addresses, Packet, TCP};
use crate::option::{AoOption, HEAD};
use crate::tcp::{CHECKSUM, FIXED_HEADER, Segment};

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
    let written = write(packet, ao, sne, coverage, &mut free).map_or(0, |message| message.len());
    out.truncate(start + written);
}

/// Bytes that [`write`] may need for this packet.
#[inline(always)]
pub(crate) fn room(packet: &Packet<'_>) -> usize {
    LONGEST_HEAD + packet.segment().bytes().len()
}

/// As [`append`], but writes at the beginning of `free`, and takes what it has written off it. `None` where `free` has
/// less than [`room`].
#[inline(always)]
pub(crate) fn write<'f>(
    packet: &Packet<'_>,
    ao: &AoOption<'_>,
    sne: u32,
    coverage: Coverage,
    free: &mut &'f mut [u8],
) -> Option<&'f mut [u8]> {
    let length = packet.segment().bytes().len();
    match packet.addresses() {
        Addresses::V4(both) => write_behind(&head_v4(sne, both, length), packet.segment(), ao, coverage, free),
        Addresses::V6(both) => write_behind(&head_v6(sne, both, length), packet.segment(), ao, coverage, free),
    }
}

/// Writes a message that begins with `head`. The head's length is known to the compiler, and so is that of most other
/// pieces: all but the copy of the payload are a few stores.
#[inline(always)]
fn write_behind<'f, const HEAD_LEN: usize>(
    head: &[u8; HEAD_LEN],
    segment: &Segment<'_>,
    ao: &AoOption<'_>,
    coverage: Coverage,
    free: &mut &'f mut [u8],
) -> Option<&'f mut [u8]> {
    let (message, mac) = match coverage {
        Coverage::AllOptions => {
            let message = free.split_off_mut(..HEAD_LEN + segment.bytes().len())?;
            message.get_mut(HEAD_LEN..)?.copy_from_slice(segment.bytes());
            (message, HEAD_LEN + ao.place + HEAD)
        }
        Coverage::AoOnly => {
            let ao_len = HEAD + ao.mac.len();
            let option = segment.bytes().get(ao.place..ao.place + ao_len)?;
            let payload = segment.payload();
            let message = free.split_off_mut(..HEAD_LEN + FIXED_HEADER + ao_len + payload.len())?;
            let behind = message.get_mut(HEAD_LEN + FIXED_HEADER..)?;
            let (to_option, to_payload) = behind.split_at_mut_checked(ao_len)?;
            to_option.copy_from_slice(option);
            to_payload.copy_from_slice(payload);
            (message, HEAD_LEN + FIXED_HEADER + HEAD)
        }
    };
    *message.first_chunk_mut()? = *head;
    let mut fixed = *segment.fixed_header();
    fixed[CHECKSUM] = 0;
    fixed[CHECKSUM + 1] = 0;
    *message.get_mut(HEAD_LEN..)?.first_chunk_mut()? = fixed;
    // The length that RFC 5926 has, known to the compiler, is a store or two instead of a call.
    match message.get_mut(mac..mac + ao.mac.len())? {
        rfc_5926 if rfc_5926.len() == 12 => *rfc_5926.first_chunk_mut()? = [0; 12],
        other => other.fill(0),
    }
    Some(message)
}

/// Bytes of the sequence number extension and the pseudo-header.
const HEAD_V4: usize = 16;
const HEAD_V6: usize = 44;
const LONGEST_HEAD: usize = HEAD_V6;

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
