//! Captures with damaged blocks: nothing is judged by what stood elsewhere, and what is signed can be read.

use fieldtest_tcp_ao::capture::{CaptureError, Fault, Reader};
use fieldtest_tcp_ao::sign::{Plan, SignError, Summary, Unsigned, sign};
use fieldtest_tcp_ao::verify::{Report, verify};

use super::formats::{Order, Read, read};
use super::traffic::{conversation, pair, plan, verifier};

const RAW: u16 = 101;
const ETHERNET: u16 = 1;

fn enhanced(order: Order, interface: u32, packet: &[u8]) -> Vec<u8> {
    let length = packet.len() as u32;
    order.block(6, &[order.longs(&[interface, 0, 7, length, length]), packet.to_vec()].concat())
}

/// A block whose length behind is another.
fn torn(mut block: Vec<u8>) -> Vec<u8> {
    let last = block.len() - 1;
    block[last - 3..].copy_from_slice(&[0x99; 4]);
    block
}

fn packets_of(order: Order, interface: u32) -> Vec<u8> {
    conversation(&pair(), 2, 10).iter().flat_map(|packet| enhanced(order, interface, packet)).collect()
}

fn signed(file: &[u8], plan: &Plan) -> Result<(Vec<u8>, Summary), SignError> {
    sign(&mut Reader::new(file).expect("a capture"), Vec::new(), plan, &[])
}

fn judged(file: &[u8]) -> Report {
    verify(&mut Reader::new(file).expect("a capture"), verifier(), |_| {}).expect("verifies")
}

fn faults(file: &[u8]) -> Vec<Fault> {
    let fault = |item| if let Read::Problem(problem) = item { Some(problem.fault) } else { None };
    read(file).into_iter().filter_map(fault).collect()
}

/// A section whose header is damaged must not be read on as the one before: its byte order and interfaces are its own.
#[test]
fn a_section_that_cannot_be_read_is_passed_over_as_a_whole() {
    for before in Order::BOTH {
        for order in Order::BOTH {
            let version_9 = [order.long(0x1a2b_3c4d), order.long(9), [0xff; 4], [0xff; 4]].concat();
            let version_9 = match order.0 {
                true => order.block(0x0a0d_0d0a, &[&version_9[..4], &[0, 9, 0, 0], &version_9[8..]].concat()),
                false => order.block(0x0a0d_0d0a, &version_9),
            };
            let headers = [
                (torn(order.section()), Fault::LengthsDiffer { front: 28, behind: 0x9999_9999 }),
                (order.block(0x0a0d_0d0a, &order.long(0x1a2b_3c4d)), Fault::ShortBlock { kind: 0x0a0d_0d0a }),
                (version_9, Fault::Version { major: 9, minor: 0 }),
            ];
            for (header, fault) in headers {
                let first = [before.section(), before.interface(RAW, 0, &[]), packets_of(before, 0)].concat();
                // Its link type is another, so that read with the first section's interface it would be “not TCP”.
                let second = [header, order.interface(ETHERNET, 0, &[]), packets_of(order, 0)].concat();
                let third = [order.section(), order.interface(RAW, 0, &[]), packets_of(order, 0)].concat();
                let file = [&first[..], &second, &third].concat();
                let expected = [&[fault][..], &[Fault::UnreadSection; 8]].concat();
                assert_eq!(faults(&file), expected);
                let (out, summary) = signed(&file, &plan()).unwrap();
                assert_eq!((summary.signed, summary.unsigned, summary.problem_count), (14, 0, 9));
                assert_eq!(summary.not_tcp, 0);
                assert_eq!(faults(&out), []);
                let report = judged(&out);
                assert!(report.is_good(), "{}", report.counts);
                assert_eq!(report.counts.verified, 14);
                assert!(!judged(&file).is_good());
            }
        }
    }
}

/// Otherwise the packets of those behind it would be read as those of others.
#[test]
fn an_interface_that_cannot_be_read_counts() {
    for order in Order::BOTH {
        let large = order.block(1, &vec![0; 1 << 21]);
        for damaged in [torn(order.interface(ETHERNET, 0, &[])), order.block(1, &[1, 0, 0, 0]), large] {
            let file = [
                order.section(),
                damaged,
                order.interface(RAW, 0, &[]),
                packets_of(order, 1),
                enhanced(order, 0, b"of the first"),
            ]
            .concat();
            let found = faults(&file);
            assert_eq!(found.len(), 2, "{found:?}");
            assert_eq!(found[1], Fault::UnreadInterface { interface: 0 });
            let (out, summary) = signed(&file, &plan()).unwrap();
            assert_eq!((summary.signed, summary.problem_count), (7, 2));
            assert_eq!(faults(&out), []);
            assert!(judged(&out).is_good());
        }
    }
}

#[test]
fn nothing_that_can_be_read_is_nothing_to_write() {
    let order = Order(false);
    let file = [torn(order.section()), order.interface(RAW, 0, &[]), packets_of(order, 0)].concat();
    assert!(matches!(signed(&file, &plan()), Err(SignError::Nothing(_))));
    let report = judged(&file);
    assert!(!report.is_good());
    assert_eq!((report.counts.verified, report.problem_count), (0, 9));
}

/// The section's length is not that of the longer packets, and readers may skip by it.
#[test]
fn the_length_of_a_section_becomes_unknown() {
    for order in Order::BOTH {
        let body = [order.interface(RAW, 0, &[]), packets_of(order, 0)].concat();
        let mut section = order.section();
        let length = body.len() as u64;
        section[16..24].copy_from_slice(&if order.0 { length.to_be_bytes() } else { length.to_le_bytes() });
        let (out, _) = signed(&[section, body].concat(), &plan()).unwrap();
        assert_eq!(out[16..24], [0xff; 8]);
    }
}

#[test]
fn versions_of_pcap() {
    let packets = conversation(&pair(), 2, 10);
    for order in Order::BOTH {
        for (major, minor, swapped) in
            [(2, 4, false), (2, 3, false), (2, 3, true), (2, 2, true), (2, 0, true), (543, 0, true)]
        {
            let mut file = order.pcap(0xa1b2_c3d4);
            file[4..6].copy_from_slice(&order.short(major));
            file[6..8].copy_from_slice(&order.short(minor));
            for packet in &packets {
                let length = packet.len() as u32;
                let lengths = if swapped { [length + 100, length] } else { [length, length + 100] };
                // Padding behind the packet on the wire, which the capture did not keep.
                file.extend(order.longs(&[5, 7, lengths[0], lengths[1]]));
                file.extend(packet);
            }
            let items = read(&file);
            assert_eq!(items.len(), 8, "{major}.{minor} {swapped}: {items:?}");
            for (item, packet) in items[1..].iter().zip(&packets) {
                let Read::Packet { bytes, original, .. } = item else { panic!("{item:?}") };
                assert_eq!((bytes, *original as usize), (packet, packet.len() + 100));
            }
            let (out, summary) = signed(&file, &plan()).unwrap();
            assert_eq!(summary.signed, 7);
            for item in &read(&out)[1..] {
                let Read::Packet { bytes, original, .. } = item else { panic!("{item:?}") };
                assert_eq!(*original as usize, bytes.len() + 100);
            }
            assert!(judged(&out).is_good());
        }
        for (major, minor) in [(1, 0), (2, 5), (3, 0), (543, 1)] {
            let mut file = order.pcap(0xa1b2_c3d4);
            file[4..6].copy_from_slice(&order.short(major));
            file[6..8].copy_from_slice(&order.short(minor));
            let error = Reader::new(&file[..]).err();
            assert!(
                matches!(error, Some(CaptureError::Version(a, b)) if (a, b) == (major, minor)),
                "{error:?}"
            );
        }
    }
}

/// The captured length of a Simple Packet Block is the smaller of its own and the snapshot length: once that grows, a
/// block that was cut off cannot be read any more.
#[test]
fn simple_packet_blocks_that_were_cut_off_keep_every_byte() {
    for order in Order::BOTH {
        let packets = conversation(&pair(), 2, 300);
        let simple = |packet: &[u8]| {
            let kept = packet.get(..200).unwrap_or(packet);
            order.block(3, &[&order.long(packet.len() as u32)[..], kept].concat())
        };
        let blocks: Vec<Vec<u8>> = packets.iter().map(|packet| simple(packet)).collect();
        let head = [order.section(), order.interface(RAW, 200, &[])].concat();
        let file = [&head[..], &blocks.concat()].concat();
        assert!(matches!(signed(&file, &plan()), Err(SignError::CutSimpleBlock(4))));
        let kept = Plan { keep_snapshot_lengths: true, ..plan() };
        let (out, summary) = signed(&file, &kept).unwrap();
        assert_eq!((summary.signed, summary.unsigned), (5, 2));
        assert_eq!(summary.reasons, [(4, Unsigned::Snapped), (6, Unsigned::Snapped)]);
        for block in [&blocks[3], &blocks[5]] {
            assert!(out.windows(block.len()).any(|window| window == &block[..]));
        }
        assert_eq!(out[..16], file[..16]);
        assert_eq!(out[28..48], file[28..48], "the interface");
        assert_eq!(faults(&out), []);
        // What would not fit into the snapshot length stays as it is.
        let tight = [&order.section()[..], &order.interface(RAW, 60, &[]), &blocks.concat()].concat();
        let (_, summary) = signed(&tight, &kept).unwrap();
        assert!(summary.reasons.iter().any(|(_, why)| *why == Unsigned::SnapshotLength), "{summary:?}");
    }
}
