//! Recordings of queries: packets, dnstap and C-DNS.

use fieldtest_dns_load::read::capture::{Choice, Replay};
use fieldtest_tcp_ao::capture::{LinkType, Writer};

use super::Target;

pub(super) const TARGETS: &[Target] = &[Target { name: "recording", run: recording, seeds: recordings }];

/// What is read can be asked: in order, and of clients that are numbered as they appear.
fn recording(input: &[u8]) {
    let Ok(mut replay) = Replay::new(input, "input".as_ref(), &Choice::default()) else { return };
    let (mut last, mut clients, mut message) = (0, 0, Vec::new());
    for query in replay.by_ref().map_while(Result::ok) {
        assert!(query.at >= last, "{} after {last}", query.at);
        assert!(query.client <= clients, "client {} of {clients}", query.client);
        last = query.at;
        clients = clients.max(query.client + 1);
        message.clear();
        query.write(1, &mut message);
        let options = query.edns.map_or(0, |edns| edns.options.len());
        assert!(
            message.len() <= 12 + 255 + 4 + 11 + options && message.len() < 1 << 16,
            "{} octets",
            message.len()
        );
    }
    let _ = replay.problem().map(str::len);
    let left_out = replay.left_out();
    assert!(
        left_out.lost().sum() <= left_out.sum() && left_out.is_empty() == left_out.to_string().is_empty()
    );
}

/// A query for `. NS`.
const QUERY: &[u8] = &[0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1];

fn recordings() -> Vec<Vec<u8>> {
    let udp = [&[0xc0, 0, 0, 53, 0, 8 + QUERY.len() as u8, 0, 0], QUERY].concat();
    let length = 20 + udp.len() as u8;
    let header = [0x45, 0, 0, length, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 53];
    let mut packets = Vec::new();
    let mut writer = Writer::pcap(&mut packets, LinkType::RAW).expect("a header");
    writer.write(1_700_000_000_000_000_000, &[&header[..], &udp].concat()).expect("a packet");

    let content = b"protobuf:dnstap.Dnstap";
    let start = [&[0, 0, 0, 0, 0, 0, 0, 34, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 22][..], content].concat();
    let fields = [0x08, 5, 0x10, 1, 0x18, 1, 0x22, 4, 192, 0, 2, 1, 0x40, 9, 0x4d, 0, 0, 0, 0, 0x52];
    let message = [&fields[..], &[QUERY.len() as u8], QUERY].concat();
    let data = [&[0x72, message.len() as u8], &message[..], &[0x78, 1]].concat();
    let stop = [0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3];
    let dnstap = [&start, &[0, 0, 0, data.len() as u8][..], &data, &stop].concat();

    let beginning = b"\x83\x65C-DNS\xa3\x00\x01\x01\x00\x03\x81\xa1\x00\xa1\x00\x19\x03\xe8\x81\xa3\x00\xa1\x00\x82\x09\x00";
    let tables = b"\x02\xa4\x00\x81\x44\xc0\x00\x02\x01\x01\x81\xa2\x00\x02\x01\x01\x02\x81\x41\x00\x03\x81\xa2\x04\x01\x08\x00";
    let items = b"\x03\x81\xa4\x00\x00\x01\x00\x04\x00\x07\x00";
    let cdns = [&beginning[..], tables, items].concat();
    vec![packets, dnstap, cdns]
}
