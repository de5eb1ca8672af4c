//! The file formats: every variant that is read, what is wrong with files, and that rewriting keeps the rest.

use fieldtest_tcp_ao::capture::{CaptureError, Fault, Item, LinkType, Problem, Reader, Rewriter, Writer};
use proptest::prelude::*;

/// What a reader says of a file, owned.
#[derive(Debug, PartialEq)]
pub(crate) enum Read {
    Packet { time: Option<u64>, link: u32, original: u32, bytes: Vec<u8> },
    Problem(Problem),
    Other,
}

pub(crate) fn read(file: &[u8]) -> Vec<Read> {
    let mut reader = Reader::new(file).expect("a capture");
    let mut items = Vec::new();
    while let Some(item) = reader.next().expect("memory") {
        items.push(match item {
            Item::Packet(packet) => Read::Packet {
                time: packet.time,
                link: packet.link.0,
                original: packet.original,
                bytes: packet.bytes.to_vec(),
            },
            Item::Problem(problem) => Read::Problem(problem),
            Item::Other(_) => Read::Other,
        });
    }
    items
}

/// Copies a file item by item, with `more` bytes added to every packet.
fn rewritten(file: &[u8], more: usize) -> Vec<u8> {
    let mut reader = Reader::new(file).expect("a capture");
    let mut writer = Rewriter::new(Vec::new());
    if more == 0 {
        writer = writer.with_snapshot_lengths_kept();
    }
    while let Some(item) = reader.next().expect("memory") {
        match item {
            Item::Packet(packet) if more == 0 => writer.copy(&packet),
            Item::Packet(packet) => writer.replace(&packet, &[packet.bytes, &vec![9; more]].concat()),
            Item::Other(other) => writer.copy_other(&other),
            Item::Problem(problem) => panic!("{problem}"),
        }
        .expect("memory");
    }
    writer.finish().expect("memory")
}

#[derive(Clone, Copy)]
pub(crate) struct Order(pub(crate) bool);

impl Order {
    pub(crate) const BOTH: [Self; 2] = [Self(false), Self(true)];

    pub(crate) fn long(self, value: u32) -> [u8; 4] {
        if self.0 { value.to_be_bytes() } else { value.to_le_bytes() }
    }
    pub(crate) fn short(self, value: u16) -> [u8; 2] {
        if self.0 { value.to_be_bytes() } else { value.to_le_bytes() }
    }
    pub(crate) fn longs(self, values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| self.long(*value)).collect()
    }
    pub(crate) fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
        let body_len = body.len().next_multiple_of(4);
        let length = self.long(body_len as u32 + 12);
        [&self.long(kind)[..], &length, body, &vec![0; body_len - body.len()], &length].concat()
    }
    pub(crate) fn section(self) -> Vec<u8> {
        self.block(0x0a0d_0d0a, &self.longs(&[0x1a2b_3c4d, self.version(), u32::MAX, u32::MAX]))
    }
    fn version(self) -> u32 {
        if self.0 { 1 << 16 } else { 1 }
    }
    pub(crate) fn interface(self, link: u16, snapshot: u32, options: &[u8]) -> Vec<u8> {
        self.block(1, &[&self.short(link)[..], &[0; 2], &self.long(snapshot), options].concat())
    }
    pub(crate) fn pcap(self, magic: u32) -> Vec<u8> {
        let versions = if self.0 { 2 << 16 | 4 } else { 4 << 16 | 2 };
        self.longs(&[magic, versions, 0, 0, 65535, 101])
    }
}

#[test]
fn pcap_in_both_orders_and_resolutions() {
    for order in Order::BOTH {
        for (magic, time) in [(0xa1b2_c3d4, 5_000_007_000), (0xa1b2_3c4d, 5_000_000_007)] {
            let mut file = order.pcap(magic);
            file.extend(order.longs(&[5, 7, 3, 9]));
            file.extend(b"abc");
            let packet = Read::Packet { time: Some(time), link: 101, original: 9, bytes: b"abc".to_vec() };
            assert_eq!(read(&file), [Read::Other, packet]);
            let copy = rewritten(&file, 2);
            let packet =
                Read::Packet { time: Some(time), link: 101, original: 11, bytes: b"abc\x09\x09".to_vec() };
            assert_eq!(read(&copy), [Read::Other, packet]);
            assert_eq!(copy[16..20], order.long(65575));
        }
    }
}

#[test]
fn pcapng_with_its_packet_blocks_sections_and_interfaces() {
    // A Simple Packet Block that is whole, and one that was cut off, whose packet cannot be replaced.
    for simple in [4, 9] {
        pcapng_with_a_simple_block(simple);
    }
}

fn pcapng_with_a_simple_block(simple: u32) {
    let mut file = Vec::new();
    let mut expected = Vec::new();
    for order in Order::BOTH {
        let nanoseconds = [&order.short(9)[..], &order.short(1), &[9, 0, 0, 0]].concat();
        let binary = [&order.short(9)[..], &order.short(1), &[0x80 | 10, 0, 0, 0]].concat();
        let offset: [u8; 8] = if order.0 { 100i64.to_be_bytes() } else { 100i64.to_le_bytes() };
        let offset = [&order.short(14)[..], &order.short(8), &offset, &[0; 4]].concat();
        file.extend(order.section());
        file.extend(order.interface(1, 4, &[]));
        file.extend(order.interface(101, 0, &[nanoseconds, offset].concat()));
        file.extend(order.interface(113, 0, &binary));
        file.extend(order.block(0x0bad_cafe, b"unknown"));
        // A hash option (3), which is wrong once the packet changes, and a comment (1), which is not.
        let hash = [&order.short(3)[..], &order.short(5), &[2, 1, 1, 1, 1, 0, 0, 0]].concat();
        let comment = [&order.short(1)[..], &order.short(2), b"hi\0\0", &[0; 4]].concat();
        let enhanced = [order.longs(&[1, 0, 42, 3, 3]), b"abc\0".to_vec(), hash, comment].concat();
        file.extend(order.block(6, &enhanced));
        file.extend(order.block(6, &[order.longs(&[2, 0, 2048, 2, 7]), b"de".to_vec()].concat()));
        file.extend(order.block(3, &[order.longs(&[simple]), b"wxyz".to_vec()].concat()));
        let obsolete = [&order.short(0)[..], &[0; 2], &order.longs(&[0, 6, 1, 1]), b"q"].concat();
        file.extend(order.block(2, &obsolete));
        let packet =
            |time, link, original, bytes: &[u8]| Read::Packet { time, link, original, bytes: bytes.to_vec() };
        expected.extend((0..5).map(|_| Read::Other));
        expected.push(packet(Some(100_000_000_042), 101, 3, b"abc"));
        expected.push(packet(Some(2_000_000_000), 113, 7, b"de"));
        expected.push(packet(None, 1, simple, b"wxyz"));
        expected.push(packet(Some(6000), 1, 1, b"q"));
    }
    assert_eq!(read(&file), expected);
    assert_eq!(read(&rewritten(&file, 0)), expected);
    if simple > 4 {
        return;
    }
    let bigger = rewritten(&file, 3);
    let hash_is_gone = |file: &[u8]| !file.windows(5).any(|window| window == [2, 1, 1, 1, 1]);
    assert!(!hash_is_gone(&file) && hash_is_gone(&bigger));
    for (item, before) in read(&bigger).iter().zip(&expected) {
        match (item, before) {
            (Read::Packet { bytes, time, .. }, Read::Packet { bytes: old, time: then, .. }) => {
                assert_eq!((bytes, time), (&[old.as_slice(), &[9; 3]].concat(), then));
            }
            _ => assert_eq!(item, before),
        }
    }
}

/// A Simple Packet Block has no length of its own: the snapshot length says how much of the packet is there, and grows in
/// a copy unless it is kept. What would be read otherwise is refused.
#[test]
fn simple_packet_blocks_are_copied_as_they_are_or_refused() {
    let order = Order(false);
    for limit in [0, 1, 4, 5, u32::MAX] {
        for original in [1, 4, 5] {
            let whole = limit == 0 || original <= limit;
            let block = order.block(3, &[order.longs(&[original]), vec![0x45; 8]].concat());
            let file = [order.section(), order.interface(101, limit, &[]), block].concat();
            let written = |kept: bool, length: Option<usize>| {
                let mut writer = Rewriter::new(Vec::new());
                if kept {
                    writer = writer.with_snapshot_lengths_kept();
                }
                let mut reader = Reader::new(&file[..]).unwrap();
                while let Some(item) = reader.next().unwrap() {
                    match (item, length) {
                        (Item::Packet(packet), None) => writer.copy(&packet),
                        (Item::Packet(packet), Some(length)) => writer.replace(&packet, &vec![7; length]),
                        (Item::Other(other), _) => writer.copy_other(&other),
                        (Item::Problem(problem), _) => panic!("{problem}"),
                    }?;
                }
                writer.finish()
            };
            assert_eq!(read(&written(true, None).unwrap()), read(&file), "{limit} {original}");
            match written(false, None) {
                Ok(copy) => assert_eq!((read(&copy), whole), (read(&file), true), "{limit} {original}"),
                Err(error) => assert_eq!((error.kind(), whole), (std::io::ErrorKind::InvalidInput, false)),
            }
            for (kept, length) in [(true, 3), (true, 6), (false, 6), (false, 46)] {
                let room = if kept { limit } else { limit.saturating_add(40) };
                let fits = limit == 0 || whole && length <= room as usize;
                let read = written(kept, Some(length)).map(|copy| read(&copy).pop());
                match read {
                    Ok(Some(Read::Packet { bytes, .. })) => {
                        assert_eq!((bytes, fits), (vec![7; length], true), "{limit} {original} {length}");
                    }
                    Ok(other) => panic!("{other:?}"),
                    Err(error) => {
                        assert_eq!((error.kind(), fits), (std::io::ErrorKind::InvalidInput, false));
                    }
                }
            }
        }
    }
}

#[test]
fn new_files_are_read_back() {
    for link in [LinkType::ETHERNET, LinkType::LINUX_SLL2] {
        let mut pcap = Writer::pcap(Vec::new(), link).unwrap();
        let mut pcapng = Writer::pcapng(Vec::new(), link).unwrap();
        for writer in [&mut pcap, &mut pcapng] {
            writer.write(1_700_000_000_123_456_789, b"12345").unwrap();
        }
        for file in [pcap.finish().unwrap(), pcapng.finish().unwrap()] {
            let bytes = b"12345".to_vec();
            let packet =
                Read::Packet { time: Some(1_700_000_000_123_456_789), link: link.0, original: 5, bytes };
            assert_eq!(read(&file).last(), Some(&packet));
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_passed_by() {
    let order = Order(false);
    let good = [order.longs(&[0, 0, 1, 1]), vec![7]].concat();
    let pcap = |records: &[&[u8]]| [&order.pcap(0xa1b2_c3d4)[..], &records.concat()].concat();
    let problems = |file: &[u8]| -> Vec<Problem> {
        let problem = |item| if let Read::Problem(problem) = item { Some(problem) } else { None };
        read(file).into_iter().filter_map(problem).collect()
    };
    // More captured than there was: libpcap reads it, so that it must be judged.
    let lies = [order.longs(&[0, 0, 2, 1]), vec![7, 7]].concat();
    let file = pcap(&[&good, &lies, &good]);
    assert_eq!(problems(&file), []);
    assert_eq!(read(&file).len(), 4);
    assert_eq!(rewritten(&file, 0)[24..], file[24..]);
    let bigger = rewritten(&file, 3);
    assert_eq!(bigger[24 + 20 + 8..24 + 20 + 16], *order.longs(&[5, 4]), "{bigger:?}");
    let huge = order.longs(&[0, 0, u32::MAX, u32::MAX]);
    assert_eq!(
        problems(&pcap(&[&good, &huge, &good])),
        [Problem { number: 2, offset: 41, fault: Fault::Ends }]
    );
    assert_eq!(
        problems(&pcap(&[&good, &good[..5]])),
        [Problem { number: 2, offset: 41, fault: Fault::Ends }]
    );
    let large = [order.longs(&[0, 0, 1 << 21, 1 << 21]), vec![0; 1 << 21]].concat();
    let fault = Fault::TooLarge { length: 1 << 21 };
    let file = pcap(&[&large, &good]);
    assert_eq!(problems(&file), [Problem { number: 1, offset: 24, fault }]);
    assert_eq!(read(&file).len(), 3);

    let section = order.section();
    let start = section.len() as u64;
    let first = |blocks: &[&[u8]]| {
        problems(&[&section[..], &blocks.concat()].concat())
            .first()
            .map(|problem| (problem.offset, problem.fault))
    };
    let packet = order.block(6, &order.longs(&[0, 0, 0, 0, 0]));
    assert_eq!(first(&[&packet]), Some((start, Fault::NoInterface { interface: 0 })));
    let interface = order.interface(1, 0, &[]);
    let overfull = order.block(6, &order.longs(&[0, 0, 0, 5, 5, 0]));
    let behind = start + interface.len() as u64;
    assert_eq!(first(&[&interface, &overfull]), Some((behind, Fault::DoesNotFit { captured: 5 })));
    assert_eq!(first(&[&interface, &order.block(6, &[])]), Some((behind, Fault::ShortBlock { kind: 6 })));
    let mut differ = order.block(5, &[0; 4]);
    differ[12] = 20;
    assert_eq!(first(&[&differ]), Some((start, Fault::LengthsDiffer { front: 16, behind: 20 })));
    assert_eq!(first(&[&order.longs(&[5, 15, 0, 15])]), Some((start, Fault::BlockLength { length: 15 })));
    assert_eq!(first(&[&order.longs(&[0x0a0d_0d0a, 16, 0, 16])]), Some((start, Fault::NoByteOrder)));
    assert_eq!(first(&[&interface[..9]]), Some((start, Fault::Ends)));
}

#[test]
fn what_is_no_capture_is_refused() {
    assert!(matches!(Reader::new(&b"abc"[..]), Err(CaptureError::Short(3))));
    assert!(matches!(Reader::new(&b"\x7fELF"[..]), Err(CaptureError::NotACapture(_))));
}

proptest! {
    #[test]
    fn any_packets_survive_writing_and_rewriting(
        packets in prop::collection::vec(
            (0..u64::from(u32::MAX) * 1_000_000_000, prop::collection::vec(any::<u8>(), 0..200)),
            0..20,
        ),
        pcapng: bool,
    ) {
        let link = LinkType::ETHERNET;
        let mut writer =
            if pcapng { Writer::pcapng(Vec::new(), link) } else { Writer::pcap(Vec::new(), link) }.unwrap();
        for (time, bytes) in &packets {
            writer.write(*time, bytes).unwrap();
        }
        let file = writer.finish().unwrap();
        for more in [0, 5] {
            let found: Vec<_> = read(&rewritten(&file, more))
                .into_iter()
                .filter_map(|item| match item {
                    Read::Packet { time, mut bytes, .. } => {
                        bytes.truncate(bytes.len() - more);
                        Some((time.unwrap(), bytes))
                    }
                    _ => None,
                })
                .collect();
            prop_assert_eq!(&found, &packets);
        }
    }

    #[test]
    fn mutated_files_are_read_to_an_end(at in 0usize..400, value: u8, cut in 0usize..400) {
        let order = Order(false);
        let packet = [order.longs(&[0, 0, 42, 3, 3]), b"abc".to_vec()].concat();
        let blocks = [order.section(), order.interface(1, 0, &[]), order.block(6, &packet)].concat();
        for mut file in [blocks, [order.pcap(0xa1b2_c3d4), order.longs(&[0, 0, 4, 4, 0])].concat()] {
            let (at, cut) = (at % file.len(), cut % file.len());
            file[at] = value;
            for file in [&file[..], &file[..cut]] {
                let Ok(mut reader) = Reader::new(file) else { continue };
                let mut items = 0;
                while reader.next().unwrap().is_some() {
                    items += 1;
                    prop_assert!(items <= file.len());
                }
            }
        }
    }
}
