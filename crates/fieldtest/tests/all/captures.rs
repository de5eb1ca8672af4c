//! Captures to work on, made of whole cloth: a BGP session as tcpdump would have seen it.

use fieldtest_tcp_ao::SocketPair;
use fieldtest_tcp_ao::capture::{LinkType, Writer};
use fieldtest_tcp_ao::sample::{self, DATA, Head};

/// Initial sequence numbers of the session: the end that opens it, the end that answers.
const ISNS: (u32, u32) = (1000, 2000);
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
/// A BGP KEEPALIVE (RFC 4271, section 4.4).
const KEEPALIVE: [u8; 19] =
    [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 19, 4];
/// Bytes of a pcap file's header, and of that of a record.
const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;

/// What `--isns` takes for the session.
pub(crate) const TYPED_ISNS: &str = "192.0.2.1:50000=1000,192.0.2.2:179=0x7d0";

/// The session's packets: handshake, a KEEPALIVE from either end, and what acknowledges the last.
pub(crate) fn session() -> Vec<Vec<u8>> {
    let end = |address: &str| address.parse().expect("an address");
    let opener = SocketPair::new(end("192.0.2.1:50000"), end("192.0.2.2:179")).expect("two ends");
    let answerer = opener.reversed();
    // MSS 1460, SACK permitted, timestamps, window scale 7.
    let syn = [&[2, 4, 5, 180, 4, 2][..], &sample::timestamps(1, 0)[2..], &[1, 3, 3, 7]].concat();
    let data = sample::timestamps(2, 1);
    let packet = |pair, flags, (sequence, acknowledgment), options, payload| {
        sample::packet(pair, &Head { sequence, acknowledgment, flags, options }, payload)
    };
    let (ours, theirs) = (ISNS.0 + 1, ISNS.1 + 1);
    let (after, answered) = (ours + KEEPALIVE.len() as u32, theirs + KEEPALIVE.len() as u32);
    vec![
        packet(&opener, SYN, (ISNS.0, 0), &syn, &[]),
        packet(&answerer, SYN | ACK, (ISNS.1, ours), &syn, &[]),
        packet(&opener, ACK, (ours, theirs), &data, &[]),
        packet(&opener, DATA, (ours, theirs), &data, &KEEPALIVE),
        packet(&answerer, DATA, (theirs, after), &data, &KEEPALIVE),
        packet(&opener, ACK, (after, answered), &data, &[]),
    ]
}

pub(crate) fn pcap(packets: &[Vec<u8>]) -> Vec<u8> {
    written(Writer::pcap(Vec::new(), LinkType::RAW).expect("memory"), packets)
}

pub(crate) fn pcapng(packets: &[Vec<u8>]) -> Vec<u8> {
    written(Writer::pcapng(Vec::new(), LinkType::RAW).expect("memory"), packets)
}

fn written(mut writer: Writer<Vec<u8>>, packets: &[Vec<u8>]) -> Vec<u8> {
    for (time, packet) in (1_700_000_000_000_000_000..).step_by(1_000_000).zip(packets) {
        writer.write(time, packet).expect("memory");
    }
    writer.finish().expect("memory")
}

/// Takes `bytes` from the end of a pcap file's last packet, as a capture with a snapshot length would.
pub(crate) fn snap(pcap: &mut Vec<u8>, bytes: usize) {
    let captured = |pcap: &[u8], record: usize| {
        let field = pcap[record + 8..].first_chunk().expect("a record");
        u32::from_le_bytes(*field) as usize
    };
    let mut last = FILE_HEADER;
    loop {
        let next = last + RECORD_HEADER + captured(pcap, last);
        if next >= pcap.len() {
            break;
        }
        last = next;
    }
    let left = (captured(pcap, last) - bytes) as u32;
    pcap[last + 8..last + 12].copy_from_slice(&left.to_le_bytes());
    pcap.truncate(pcap.len() - bytes);
}
