//! C-DNS (RFC 8618): queries with their answers, in blocks whose tables hold once what many of them share.
//!
//! Replayed are the queries of items whose name and type were kept, block by block, and in a block by time: items stand there as
//! answers came. As with dnstap, what a server asked itself is passed over where the file says whose query it was.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::super::{ReadError, shown};
use super::cbor::{Items, Left};
use super::{Choice, Notes, Recording, Seen, address};
use crate::left_out::Why;
use crate::query::{Edns, Flags, Question, Transport};

/// The file type (section 7.3), and that of DNS-STATS before there was an RFC.
const TYPE: &[u8] = b"C-DNS";
const EARLIER: &[u8] = b"DNS-STAT";
/// Octets of a block, or of what stands before the first one, that are read. Compactors end a block after some thousand items.
const LARGEST: usize = 64 << 20;
/// Octets of the longest text that is read, and of the longest options of EDNS.
const LONGEST_NAME: usize = 255;
const LONGEST_OPTIONS: usize = 4_096;
/// What a file that does not say has in a second (section 7.3.1.1.1 asks for it).
const TICKS: u64 = 1_000_000;
/// The EDNS size of clients of whom it was not kept: that of the flag day of 2020.
const SIZE: u16 = 1232;

/// Whether a file begins as this format does: an array of three, or of what comes, and the text of its type.
pub(super) fn is_one(head: &[u8]) -> bool {
    let Some(([0x83 | 0x9f, text], rest)) = head.split_first_chunk::<2>() else { return false };
    [TYPE, EARLIER].iter().any(|kind| *text == 0x60 | kind.len() as u8 && rest.starts_with(kind))
}

pub(super) struct CDns<R: Read> {
    items: Items<R>,
    /// Ticks in a second, by the number of block parameters.
    ticks: Vec<u64>,
    blocks: Left,
    /// How many were begun.
    block: u64,
    /// The queries of the block that was read last, the latest first.
    waiting: Vec<Seen>,
    ended: bool,
}

impl<R: Read> CDns<R> {
    pub(super) fn new(source: R, path: &Path) -> Result<CDns<R>, ReadError> {
        let mut items = Items::new(source);
        items.grant(LARGEST);
        let path = path.to_path_buf();
        let wrong = |what: String| ReadError::Format { path: path.clone(), what };
        let mut begin = || -> io::Result<Result<(Vec<u64>, Left), String>> {
            items.begin_array()?;
            let kind = items.text(LONGEST_NAME)?;
            if kind != TYPE {
                let what = format!("it is of the type {} before RFC 8618; convert it", shown(&kind));
                return Ok(Err(what));
            }
            let (version, ticks) = preamble(&mut items)?;
            if version.0 != 1 {
                let (major, minor) = version;
                let what = format!(
                    "it is C-DNS {major}.{minor}, but only 1.0 (RFC 8618) is supported; convert it to pcap, as `inspector` of DNS-STATS does"
                );
                return Ok(Err(what));
            }
            Ok(Ok((ticks, items.begin_array()?)))
        };
        let (ticks, blocks) = match begin() {
            Ok(Ok(begun)) => begun,
            Ok(Err(what)) => return Err(wrong(what)),
            Err(error) if is_of_file(&error) => {
                return Err(wrong(format!("it has no C-DNS preamble: {error}")));
            }
            Err(source) => return Err(ReadError::Io { path, source }),
        };
        Ok(CDns { items, ticks, blocks, block: 0, waiting: Vec::new(), ended: false })
    }

    /// The queries of the next block; false at the end.
    fn read_block(&mut self, notes: &mut Notes) -> io::Result<bool> {
        self.items.grant(LARGEST);
        if !self.items.follows(&mut self.blocks)? {
            return Ok(false);
        }
        self.block += 1;
        let block = Block::read(&mut self.items)?;
        let ticks = self.ticks.get(block.parameters).copied().unwrap_or(TICKS).max(1);
        for item in &block.asked {
            match block.seen(item, ticks, &notes.choice) {
                Ok(seen) => self.waiting.push(seen),
                Err(why) => notes.left_out.count(why),
            }
        }
        self.waiting.sort_by_key(|seen| std::cmp::Reverse(seen.time));
        Ok(true)
    }
}

/// Whether an error is the file's and not the system's.
fn is_of_file(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData)
}

impl<R: Read> Recording for CDns<R> {
    fn next(&mut self, notes: &mut Notes) -> Result<Option<Seen>, ReadError> {
        loop {
            if let Some(seen) = self.waiting.pop() {
                return Ok(Some(seen));
            }
            if self.ended {
                return Ok(None);
            }
            match self.read_block(notes) {
                Ok(more) => self.ended = !more,
                // Nothing behind a block that cannot be read can be found.
                Err(error) if is_of_file(&error) => {
                    self.ended = true;
                    let what = match error.kind() {
                        ErrorKind::UnexpectedEof => format!("the file ends at byte {}", self.items.offset()),
                        _ => error.to_string(),
                    };
                    notes.left_out.count(Why::Unreadable);
                    notes.problem.get_or_insert_with(|| format!("block {}: {what}", self.block));
                }
                Err(source) => return Err(ReadError::Io { path: notes.path.clone(), source }),
            }
        }
    }
}

/// The version, and the ticks of each set of block parameters (section 7.3.1).
fn preamble(items: &mut Items<impl Read>) -> io::Result<((u64, u64), Vec<u64>)> {
    let (mut version, mut ticks) = ((None, 0), Vec::new());
    let read = items.map(|items, key| match key {
        0 => items.unsigned().map(|major| version.0 = Some(major)),
        1 => items.unsigned().map(|minor| version.1 = minor),
        3 => items.array(|items| {
            let mut own = TICKS;
            items.map(|items, key| match key {
                // The storage parameters; the others are of the collection.
                0 => items.map(|items, key| match key {
                    0 => items.unsigned().map(|in_second| own = in_second),
                    _ => items.skip(),
                }),
                _ => items.skip(),
            })?;
            ticks.push(own);
            Ok(())
        }),
        _ => items.skip(),
    });
    match version {
        // Other versions have other things there, and what matters of them is which they are.
        (Some(major), minor) if major != 1 => Ok(((major, minor), ticks)),
        (major, minor) => read.map(|()| ((major.unwrap_or(0), minor), ticks)),
    }
}

/// What is read of a block (section 7.3.2).
#[derive(Default)]
struct Block {
    parameters: usize,
    /// The time from which its offsets count: seconds, and ticks.
    earliest: (u64, u64),
    addresses: Vec<Vec<u8>>,
    types: Vec<(u16, u16)>,
    /// And what else is data of records.
    names: Vec<Vec<u8>>,
    signatures: Vec<Signature>,
    asked: Vec<Item>,
}

/// What queries have in common (section 7.3.2.3.2), as far as it is replayed.
#[derive(Default)]
struct Signature {
    server: Option<usize>,
    port: Option<u64>,
    transport: u64,
    kind: Option<u64>,
    has: Option<u64>,
    opcode: u64,
    flags: u64,
    rcode: u64,
    classtype: Option<usize>,
    questions: Option<u64>,
    edns_version: u64,
    udp_size: Option<u64>,
    options: Option<usize>,
}

/// A query and its answer (section 7.3.2.4).
#[derive(Default)]
struct Item {
    offset: u64,
    client: Option<usize>,
    signature: Option<usize>,
    name: Option<usize>,
}

/// Of `qr-type`: those of clients, and to authorities.
const QUERIES: [u64; 2] = [1, 3];
/// Of `qr-sig-flags`.
const HAS_QUERY: u64 = 1;
const QUERY_HAS_OPT: u64 = 1 << 2;
const QUERY_HAS_NO_QUESTION: u64 = 1 << 4;
/// Of `qr-dns-flags`.
const CD: u64 = 1;
const AD: u64 = 1 << 1;
const RD: u64 = 1 << 4;
const DO: u64 = 1 << 7;
/// Z, RA, TC and AA of a query.
const OTHERS: u64 = 0b0110_1100;

impl Block {
    fn read(items: &mut Items<impl Read>) -> io::Result<Block> {
        let mut block = Block::default();
        items.map(|items, key| match key {
            0 => items.map(|items, key| match key {
                0 => {
                    let mut parts = Vec::new();
                    items.array(|items| items.unsigned().map(|part| parts.push(part)))?;
                    block.earliest =
                        (parts.first().copied().unwrap_or(0), parts.get(1).copied().unwrap_or(0));
                    Ok(())
                }
                1 => items.index().map(|number| block.parameters = number),
                _ => items.skip(),
            }),
            2 => block.read_tables(items),
            3 => items.array(|items| Item::read(items).map(|item| block.asked.push(item))),
            _ => items.skip(),
        })?;
        Ok(block)
    }

    fn read_tables(&mut self, items: &mut Items<impl Read>) -> io::Result<()> {
        items.map(|items, key| match key {
            0 => items.array(|items| items.octets(16).map(|address| self.addresses.push(address))),
            1 => items.array(|items| {
                let mut found = (0, 0);
                items.map(|items, key| match key {
                    0 => items.unsigned().map(|rtype| found.0 = rtype as u16),
                    1 => items.unsigned().map(|class| found.1 = class as u16),
                    _ => items.skip(),
                })?;
                self.types.push(found);
                Ok(())
            }),
            // Names and record data stand in one table; what is longer than a name or options is neither.
            2 => items.array(|items| items.octets(LONGEST_OPTIONS + 1).map(|name| self.names.push(name))),
            3 => items.array(|items| Signature::read(items).map(|it| self.signatures.push(it))),
            _ => items.skip(),
        })
    }

    /// A query that can be replayed, or why not.
    fn seen(&self, item: &Item, ticks: u64, choice: &Choice) -> Result<Seen, Why> {
        let it = item.signature.and_then(|at| self.signatures.get(at)).ok_or(Why::NotKept)?;
        let has = it.has.unwrap_or(HAS_QUERY);
        if has & HAS_QUERY == 0 {
            return Err(Why::Answer);
        }
        if it.kind.is_some_and(|kind| !QUERIES.contains(&kind)) {
            return Err(Why::Own);
        }
        if it.opcode != 0 {
            return Err(Why::Opcode(it.opcode.min(u64::from(u8::MAX)) as u8));
        }
        if has & QUERY_HAS_NO_QUESTION != 0 || it.questions.unwrap_or(1) != 1 {
            return Err(Why::Questions);
        }
        let question = || {
            let (rtype, class) = self.types.get(it.classtype?)?;
            let name = self.names.get(item.name?)?;
            let wire = [name, &rtype.to_be_bytes()[..], &class.to_be_bytes()].concat();
            Question::from_wire(&wire).filter(|question| question.as_wire() == wire)
        };
        let question = question().ok_or(Why::NotKept)?;
        let has_edns = it.udp_size.is_some() || has & QUERY_HAS_OPT != 0;
        let options = match it.options {
            Some(at) => {
                self.names.get(at).filter(|it| it.len() <= LONGEST_OPTIONS).ok_or(Why::NotKept)?.as_slice()
            }
            None => &[],
        };
        let edns = Edns {
            size: it.udp_size.map_or(SIZE, |size| size.min(u64::from(u16::MAX)) as u16),
            version: it.edns_version.min(u64::from(u8::MAX)) as u8,
            dnssec_ok: it.flags & DO != 0,
            other_flags: 0,
            options: options.into(),
        };
        let flags = Flags {
            recursion_desired: it.flags & RD != 0,
            authentic_data: it.flags & AD != 0,
            checking_disabled: it.flags & CD != 0,
        };
        let passed = u128::from(self.earliest.1) + u128::from(item.offset);
        let passed = u64::try_from(passed * 1_000_000_000 / u128::from(ticks)).ok();
        let time = passed.and_then(|passed| self.earliest.0.checked_mul(1_000_000_000)?.checked_add(passed));
        let of = |at: Option<usize>| address(self.addresses.get(at?)?, it.transport & 1 != 0);
        let server = of(it.server);
        choice.check(server, it.port.and_then(|port| port.try_into().ok()), None)?;
        Ok(Seen {
            time: time.ok_or(Why::NoMoment)?,
            client: of(item.client),
            server,
            // UDP is 0, DTLS 3; TCP, TLS and HTTPS are streams.
            transport: if matches!(it.transport >> 1 & 0xf, 0 | 3) { Transport::Udp } else { Transport::Tcp },
            asked: (question, has_edns.then_some(edns), flags, it.rcode == 0 && it.flags & OTHERS == 0),
        })
    }
}

impl Signature {
    fn read(items: &mut Items<impl Read>) -> io::Result<Signature> {
        let mut it = Signature::default();
        items.map(|items, key| match key {
            0 => items.index().map(|number| it.server = Some(number)),
            1 => items.unsigned().map(|port| it.port = Some(port)),
            2 => items.unsigned().map(|flags| it.transport = flags),
            3 => items.unsigned().map(|kind| it.kind = Some(kind)),
            4 => items.unsigned().map(|flags| it.has = Some(flags)),
            5 => items.unsigned().map(|opcode| it.opcode = opcode),
            6 => items.unsigned().map(|flags| it.flags = flags),
            7 => items.unsigned().map(|rcode| it.rcode = rcode),
            8 => items.index().map(|number| it.classtype = Some(number)),
            9 => items.unsigned().map(|number| it.questions = Some(number)),
            13 => items.unsigned().map(|version| it.edns_version = version),
            14 => items.unsigned().map(|size| it.udp_size = Some(size)),
            15 => items.index().map(|number| it.options = Some(number)),
            _ => items.skip(),
        })?;
        Ok(it)
    }
}

impl Item {
    fn read(items: &mut Items<impl Read>) -> io::Result<Item> {
        let mut item = Item::default();
        items.map(|items, key| match key {
            0 => items.unsigned().map(|ticks| item.offset = ticks),
            1 => items.index().map(|number| item.client = Some(number)),
            4 => items.index().map(|number| item.signature = Some(number)),
            7 => items.index().map(|number| item.name = Some(number)),
            _ => items.skip(),
        })?;
        Ok(item)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{read, read_damaged, replayed};
    use super::*;

    /// File type, preamble of version 1.0 with a thousand ticks in a second, and the beginning of as many blocks as come.
    const BEGINNING: &[u8] = b"\x83\x65C-DNS\xa3\x00\x01\x01\x00\x03\x81\xa1\x00\xa1\x00\x19\x03\xe8\x9f";

    fn block() -> Vec<u8> {
        [
            &b"\xa4\x00\xa1\x00\x82\x1a\x65\x53\xf1\x00\x00"[..], // from 1700000000 s on
            b"\x20\x81\xf6",                                      // an extension of an implementation
            b"\x02\xa4",
            b"\x00\x83\x44\xc0\x00\x02\x01\x43\x20\x01\x0d", // 192.0.2.1 and the beginning of an IPv6 address
            b"\x44\xc0\x00\x02\x35",                         // 192.0.2.53
            b"\x01\x81\xa2\x00\x18\x1c\x01\x01",             // AAAA, IN
            b"\x02\x83\x4b\x01a\x07example\x00\x42\x05x",    // a name, and what is none
            b"\x44\x00\x03\x00\x00",                         // NSID
            b"\x03\x84",
            b"\xa8\x00\x02\x01\x18\x35\x02\x00\x04\x05\x06\x18\x91", // 192.0.2.53, port 53; UDP; CD, RD, DO
            b"\x08\x00\x0e\x19\x10\x00\x0f\x02",                     // 4,096 octets, and options
            b"\xa3\x02\x03\x04\x01\x08\x00",                         // TCP over IPv6
            b"\xa2\x04\x02\x08\x00",                                 // an answer alone
            b"\xa3\x03\x02\x04\x01\x08\x00",                         // of a resolver
            b"\x03\x85",
            b"\xa4\x00\x18\x1e\x01\x01\x04\x01\x07\x00", // the later one stands first
            b"\xa4\x00\x00\x01\x00\x04\x00\x07\x00",
            b"\xa3\x00\x05\x04\x02\x07\x00",
            b"\xa3\x00\x05\x04\x03\x07\x00",
            b"\xa3\x00\x05\x04\x00\x07\x01",
        ]
        .concat()
    }

    #[test]
    fn queries_by_time_with_all_that_was_kept() -> Result<(), ReadError> {
        let queries = read(&[BEGINNING, &block(), b"\xff"].concat())?;
        let seen: Vec<_> =
            queries.iter().map(|it| (it.at, it.client, it.transport, it.edns.clone())).collect();
        let edns = Some(Edns { options: Box::new([0, 3, 0, 0]), ..Edns::new(4096, true) });
        assert_eq!(seen, [(0, 0, Transport::Udp, edns), (30_000_000, 1, Transport::Tcp, None)]);
        let flags = queries[0].flags;
        assert!(flags.recursion_desired && flags.checking_disabled && !flags.authentic_data);
        assert!(queries.iter().all(|it| it.question.as_wire() == b"\x01a\x07example\x00\x00\x1c\x00\x01"));
        // Of the other one the server was not kept.
        let choice = Choice { servers: vec!["192.0.2.53".parse().expect("an address")], ..Choice::default() };
        let file = [BEGINNING, &block(), b"\xff"].concat();
        let (queries, replay) = replayed(&file, &choice)?;
        assert_eq!(queries.len(), 1);
        assert!(replay.left_out().lost().by_reason().eq([(Why::NotKept, 2)]));
        Ok(())
    }

    #[test]
    fn what_is_not_read() {
        let mut later = BEGINNING.to_vec();
        later[9] = 2;
        let error = read(&later).expect_err("another version").to_string();
        assert!(error.contains(" 2.0") && error.contains("RFC 8618"), "{error}");
        // Drafts have a map where there is an array now.
        let error = read(b"\x83\x65C-DNS\xa3\x00\x00\x01\x05\x03\xa0").expect_err("a draft").to_string();
        assert!(error.contains(" 0.5") && error.contains("RFC 8618"), "{error}");
        let error = read(b"\x83\x68DNS-STAT\x80\x80").expect_err("an earlier format").to_string();
        assert!(error.contains("'DNS-STAT' before RFC 8618"), "{error}");
        let error = read(&BEGINNING[..12]).expect_err("cut off").to_string();
        assert!(error.contains("preamble"), "{error}");
        let cut = [BEGINNING, &block(), &block()].concat();
        let (queries, replay) = replayed(&cut[..cut.len() - 9], &Choice::default()).expect("a file");
        assert_eq!(queries.len(), 2, "those of the first block");
        assert!(replay.problem().is_some_and(|it| it.starts_with("block 2: the file ends")));
        let endless = [BEGINNING, b"\xa1\x05\x7b\xff\xff\xff\xff\xff\xff\xff\xff"].concat();
        assert!(read(&endless).is_err(), "a length that is not there");
        let deep = [BEGINNING, b"\xa1\x05", &[0x81; 100_000]].concat();
        assert!(matches!(read(&deep), Err(ReadError::Damaged { .. })));
    }

    proptest! {
        #[test]
        fn damage_does_no_harm(at in 0_usize..200, to: u8, cut in 0_usize..240) {
            read_damaged([BEGINNING, &block(), b"\xff"].concat(), at, to, cut);
        }
    }
}
