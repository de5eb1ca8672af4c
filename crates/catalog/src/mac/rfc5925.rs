//! What TCP-AO authenticates of a segment (RFC 5925, sections 5.1 and 5.2), as far as known answers need it: one IP
//! packet without IP options or extension headers, and a sequence number extension of 0.

pub(super) struct Segment {
    /// The context of the key derivation: both addresses, ports and initial sequence numbers.
    pub(super) context: Vec<u8>,
    /// The input of the MAC.
    pub(super) message: Vec<u8>,
    pub(super) mac: Vec<u8>,
}

const TCP: u8 = 6;
/// Bytes of a TCP header without options.
const HEADER: usize = 20;
/// Kinds of TCP options: no operation, and TCP-AO.
const NO_OPERATION: u8 = 1;
const TCP_AO: u8 = 29;
/// Bytes of the TCP-AO option before the MAC: kind, length and two key identifiers.
const BEFORE_MAC: usize = 4;

/// Takes a packet apart; nothing if it is not TCP over IPv4 or IPv6 with TCP-AO.
pub(super) fn segment(
    packet: &[u8],
    source_isn: &[u8],
    destination_isn: &[u8],
    covers_options: bool,
) -> Option<Segment> {
    let (addresses, tcp) = match packet.first()? >> 4 {
        4 => (packet.get(12..20)?, packet.get(20..)?),
        6 => (packet.get(8..40)?, packet.get(40..)?),
        _ => return None,
    };
    let context = [addresses, tcp.get(..4)?, source_isn, destination_isn].concat();
    let (header, payload) = tcp.split_at_checked(4 * usize::from(tcp.get(12)? >> 4))?;
    let mut header = header.to_vec();
    header.get_mut(16..18)?.fill(0);

    let at = position(&header, TCP_AO)?;
    let end = at + usize::from(*header.get(at + 1)?);
    let option = header.get_mut(at..end)?;
    let (_, mac) = option.split_at_mut_checked(BEFORE_MAC)?;
    let carried = mac.to_vec();
    mac.fill(0);
    if !covers_options {
        let option = option.to_vec();
        header.truncate(HEADER);
        header.extend(option);
    }

    let length = u16::try_from(tcp.len()).ok()?.to_be_bytes();
    let pseudo_header = match addresses.len() {
        8 => [addresses, &[0, TCP], &length].concat(),
        _ => [addresses, &[0, 0], &length, &[0, 0, 0, TCP]].concat(),
    };
    let message = [&[0; 4], &pseudo_header[..], &header, payload].concat();
    Some(Segment { context, message, mac: carried })
}

fn position(header: &[u8], kind: u8) -> Option<usize> {
    let mut at = HEADER;
    loop {
        match *header.get(at)? {
            found if found == kind => return Some(at),
            NO_OPERATION => at += 1,
            _ => at += usize::from(*header.get(at + 1)?).max(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::segment;

    /// The first packet of RFC 9235, section 4.1.1.
    const SYN: &str = "45e0004cdd0f4000ff06bf6b0a0b0c0dac1b1c1de9d700b3fbfbab5a00000000e002ffffcac40000020405b4010303080402080a00155ab7000000001d103d542ee437c6f8ede6d7c4d602e7";

    #[test]
    fn takes_a_packet_apart() {
        let packet = crate::adapt::hex(SYN);
        let (source, destination) = (&[0xfb, 0xfb, 0xab, 0x5a], &[0; 4]);
        let covers = segment(&packet, source, destination, true).expect("a segment");
        assert_eq!(covers.mac, packet[64..]);
        assert_eq!(covers.message.len(), 4 + 12 + 56);
        assert!(covers.message.ends_with(&[[29, 16, 61, 84].as_slice(), &[0; 12]].concat()));
        let omits = segment(&packet, source, destination, false).expect("a segment");
        assert_eq!((omits.context, omits.message.len()), (covers.context, 4 + 12 + 20 + 16));
    }

    #[test]
    fn damaged_packets_are_refused() {
        let packet = crate::adapt::hex(SYN);
        for length in 0..packet.len() {
            assert!(segment(&packet[..length], &[0; 4], &[0; 4], true).is_none(), "{length} bytes");
        }
        for at in 0..packet.len() {
            for bit in 0..8 {
                let mut damaged = packet.clone();
                damaged[at] ^= 1 << bit;
                let _ = segment(&damaged, &[0; 4], &[0; 4], false);
            }
        }
    }
}
