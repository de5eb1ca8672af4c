//! The TCP-AO study on a capture: its segments decide what is timed and what is counted.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use fieldtest_measure::record::Record;
use fieldtest_study::Part as _;
use fieldtest_tcp_ao::SocketPair;
use fieldtest_tcp_ao::capture::{LinkType, Writer};
use fieldtest_tcp_ao::sample::{self, Head};
use fieldtest_testing::section::leaves_nothing;
use fieldtest_testing::study::{assert_refused, assert_words_of_schema, has, study, without_measuring};
use fieldtest_workbench_tcp_ao::{STUDY_SECTION, TcpAoPart};
use tempfile::TempDir;

const SYN: u8 = 2;
const ACK: u8 = 0x10;
/// What the answering end takes of a segment, options apart.
const MSS: u16 = 536;

fn pair(local: &str, remote: &str) -> SocketPair {
    let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
    SocketPair::new(address(local), address(remote)).expect("of one family")
}

/// A connection over IPv4: both SYNs with MSS, SACK permitted, timestamps and window scale; an acknowledgement alone; one with two SACK
/// blocks beside timestamps; two segments as long as the other end takes; and one segment over IPv6 of another connection.
fn packets() -> Vec<Vec<u8>> {
    let [high, low] = MSS.to_be_bytes();
    let opening = [&[2, 4, high, low, 4, 2, 8, 10][..], &[0; 8], &[1, 3, 3, 7]].concat();
    let timestamps = sample::timestamps(1, 2);
    let sack = [&timestamps[..], &[1, 1, 5, 18], &[9; 16]].concat();
    let opener = pair("192.0.2.1:50000", "192.0.2.2:179");
    let make = |pair: &SocketPair, sequence, flags, options: &[u8], payload: usize| {
        let head = Head { sequence, acknowledgment: 1, flags, options };
        sample::packet(pair, &head, &vec![7; payload])
    };
    let full = usize::from(MSS) - timestamps.len();
    vec![
        make(&opener, 10, SYN, &opening, 0),
        make(&opener.reversed(), 20, SYN | ACK, &opening, 0),
        make(&opener, 11, ACK, &[], 0),
        make(&opener, 11, ACK, &sack, 0),
        make(&opener, 11, sample::DATA, &timestamps, full),
        make(&opener, 11, sample::DATA, &timestamps, full),
        make(&pair("[2001:db8::1]:50000", "[2001:db8::2]:179"), 5, sample::DATA, &timestamps, 100),
    ]
}

/// A capture of IP packets without link headers.
fn pcap(packets: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = Writer::pcap(Vec::new(), LinkType::RAW).expect("memory");
    for packet in packets {
        writer.write(0, packet).expect("memory");
    }
    writer.finish().expect("memory")
}

fn part(capture: &Path, algorithms: &[&str]) -> TcpAoPart {
    TcpAoPart {
        capture: Some(capture.to_owned()),
        batch: 8,
        algorithms: algorithms.iter().map(|name| name.to_string()).collect(),
        ..TcpAoPart::default()
    }
}

fn written(scratch: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = scratch.path().join(name);
    fs::write(&path, bytes).expect("a file for the test");
    path
}

fn bgp() -> (TempDir, PathBuf) {
    let scratch = TempDir::new().expect("a directory");
    let path = written(&scratch, "bgp.pcap", &pcap(&packets()));
    (scratch, path)
}

#[test]
fn its_segments_are_what_is_measured() {
    let (_scratch, path) = bgp();
    let names = ["aes-128-cmac-96", "hmac-sha256-128", "tcp-md5"];
    let records = study(false, &part(&path, &names));
    assert_words_of_schema(&records);
    let of = |algorithm: &str, operation: &str, subject: &str| -> &Record {
        let found = records.iter().find(|it| {
            (it.algorithm.as_str(), it.operation.as_str(), it.subject.as_str())
                == (algorithm, operation, subject)
        });
        found.unwrap_or_else(|| panic!("no {operation} {subject} of {algorithm}"))
    };
    for algorithm in names {
        for time in ["wall", "cpu"] {
            let (all, each) = (of(algorithm, "capture", time), of(algorithm, "capture-segment", time));
            assert!((each.value / all.value / 1e9 * 7.0 - 1.0).abs() < 1e-6, "{all:?} {each:?}");
            assert!((1.0..1e6).contains(&each.value) && each.unit == "ns", "{each:?}");
            let input = all.input.as_ref().expect("an input");
            let bytes = packets().iter().map(Vec::len).sum::<usize>() as u64;
            assert_eq!((input.items, input.bytes), (7, bytes));
            assert!(input.name.ends_with("bgp.pcap") && all.proof.is_some());
        }
        // Options of 16 or 20 bytes: both fill up the SYNs' 40 bytes at most; neither leaves room for two SACK blocks, and a
        // segment that was full is too long.
        let option = if algorithm == "aes-128-cmac-96" { 16.0 } else { 20.0 };
        let options = |effect| of(algorithm, "capture-options", effect).value;
        assert_eq!(options("no room"), 0.0);
        assert_eq!(options("SACK blocks lost"), 1.0);
        assert_eq!(options("over the MSS"), 2.0);
        // Of the segment with SACK blocks, one or both make room: 12 of timestamps, 12 or none of SACK, and the option.
        let with_sack = if option < 20.0 { 40.0 - 32.0 } else { 0.0 };
        let added = 6.0 * option + with_sack;
        assert!((options("added") - added).abs() <= 4.0, "{} {added}", options("added"));
    }
    // The shortest is an acknowledgement alone, which is as long as the longest tag allows at least; then a SYN's length and a full
    // segment's; and the one over IPv6.
    let mut lengths: Vec<&str> = records
        .iter()
        .filter(|it| it.operation == "segment" && it.algorithm == "tcp-md5")
        .filter_map(|it| it.subject.strip_suffix(" single"))
        .collect();
    lengths.dedup();
    lengths.sort_by_key(|length| length.parse::<u32>().expect("a length"));
    lengths.dedup();
    // 16 before TCP, 20 of header, 28 of option; a SYN: 16 + 20 + 20 + 16; 16 + 32 + 524 + 16; 44 + 32 + 100 + 16.
    assert_eq!(lengths, ["64", "72", "192", "588"], "{lengths:?}");
    leaves_nothing(&[&STUDY_SECTION], "tcp-ao", records);
}

#[test]
fn what_follows_from_sizes_is_told_without_measuring() {
    let (_scratch, path) = bgp();
    let lines = without_measuring(&part(&path, &["aes-128-cmac-96"]));
    let text = format!("{lines:?}");
    assert!(text.contains("SACK blocks lost") && !text.contains("\"capture\""), "{text}");
}

#[test]
fn what_is_signed_already_is_measured_as_if_it_were_not() {
    use fieldtest_tcp_ao::{Packet, option};
    let scratch = TempDir::new().expect("a directory");
    let signed = |packet: &Vec<u8>| {
        let mut out = Vec::new();
        let packet = Packet::parse(packet).expect("a packet").expect("of TCP");
        option::insert(&packet, 1, 2, 12, &mut out).map(|_| out)
    };
    let plain: Vec<Vec<u8>> =
        packets().into_iter().enumerate().filter(|(at, _)| *at != 3).map(|(_, it)| it).collect();
    let signed: Vec<Vec<u8>> = plain.iter().map(signed).collect::<Result<_, _>>().expect("room");
    let input = |name: &str, packets: &[Vec<u8>]| {
        let path = written(&scratch, name, &pcap(packets));
        let lines = without_measuring(&part(&path, &["aes-128-cmac-96"]));
        let inputs = lines.into_iter().filter_map(|line| match line {
            fieldtest_measure::record::Line::Record(record) => record.input,
            _ => None,
        });
        let input = inputs.into_iter().next().expect("an input");
        (input.items, input.bytes)
    };
    assert_eq!(input("plain.pcap", &plain), input("signed.pcap", &signed));
}

#[test]
fn what_is_no_capture_is_refused() {
    let scratch = TempDir::new().expect("a directory");
    let refused = |path: &Path, words: &[&str]| assert_refused(part(path, &["aes-128-cmac-96"]), words);
    refused(scratch.path(), &["a directory", "pcapng"]);
    refused(Path::new("/dev/zero"), &["/dev/zero", "a device"]);
    refused(&scratch.path().join("none"), &["the capture", "none"]);
    refused(&written(&scratch, "empty", b""), &["empty", "not a capture"]);
    refused(&written(&scratch, "text", b"no capture at all"), &["text", "not a capture"]);
    refused(&written(&scratch, "nothing.pcap", &pcap(&[])), &["nothing.pcap"]);
    let mut udp = packets().remove(2);
    udp[9] = 17;
    refused(&written(&scratch, "udp.pcap", &pcap(&[udp])), &["1 not TCP"]);
    // Its results are not written over it.
    let path = written(&scratch, "own.pcap", &pcap(&packets()));
    let error = part(&path, &[]).check_outputs(&[&path]).expect_err("accepted").to_string();
    assert!(error.contains("own.pcap"), "{error}");
}

#[test]
fn an_interrupted_study_enters_nothing_of_it() {
    let (_scratch, path) = bgp();
    let records = study(true, &part(&path, &["aes-128-cmac-96"]));
    assert!(!has(&records, "aes-128-cmac-96", "capture", "wall"));
}
