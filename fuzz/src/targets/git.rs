//! Objects, entries of packs and deltas, indexes, maps.

use fieldtest_git::convert::{Converter, Names, UnknownHeaders, for_each_reference};
use fieldtest_git::map::tsv;
use fieldtest_git::pack::delta::Delta;
use fieldtest_git::pack::entry;
use fieldtest_git::pack::index::Index;
use fieldtest_git::pack::index_write::{IndexEntry, write_index};
use fieldtest_git::pack::inflate::Inflater;
use fieldtest_git::pack::stream::Inflating;
use fieldtest_git::{Format, ObjectId, ObjectType, loose};

use super::{Target, texts};
use crate::{fakes, scratch};

pub(super) const TARGETS: &[Target] = &[
    Target { name: "git-object", run: object, seeds: objects },
    Target { name: "git-loose", run: loose_object, seeds: loose_objects },
    Target { name: "git-delta", run: delta, seeds: deltas },
    Target { name: "git-entry", run: entry, seeds: entries },
    Target { name: "git-index", run: index, seeds: indexes },
    Target { name: "git-maps", run: maps, seeds: map_files },
];

const TYPES: [ObjectType; 4] = [ObjectType::Commit, ObjectType::Tree, ObjectType::Blob, ObjectType::Tag];

fn formats() -> [Format; 2] {
    let format = |name: &str, hash| Format { name: name.to_owned(), hash };
    [format("sha1", fakes::sha1()), format("sha256", fakes::sha256())]
}

/// Every object has a name: its old one with twelve bytes before it, or without them.
struct Padded;

impl Names for Padded {
    fn object(&self, old: &[u8]) -> Option<ObjectId> {
        match old {
            [_, _, _, _, _, _, _, _, _, _, _, _, short @ ..] if short.len() == 20 => {
                ObjectId::from_bytes(short)
            }
            short => ObjectId::from_bytes(&[&[0xee; 12], short].concat()),
        }
    }

    fn submodule(&self, old: &[u8]) -> Option<ObjectId> {
        self.object(old)
    }
}

/// The first byte chooses the type. What is converted comes back the same, but for two things that Git's rules do not
/// give back, and that the round trip of a repository reports: capital letters in the IDs of commits and tags, which
/// become small ones, and what only looks like a signature, which changes its place.
fn object(input: &[u8]) {
    let Some((kind, content)) = input.split_first() else { return };
    let kind = TYPES[usize::from(*kind) % 4];
    for id_len in [20, 32] {
        // Commits and tags say themselves how long an ID is.
        for_each_reference(kind, content, id_len, &mut |id| {
            assert!(id.len() <= ObjectId::LONGEST && (id.len() == id_len || kind != ObjectType::Tree));
        });
    }
    let [from, to] = formats();
    for headers in [UnknownHeaders::Refuse, UnknownHeaders::Keep] {
        let converter = Converter::new(&from, &to, headers);
        let mut new = Vec::new();
        if let Err(refusal) = converter.convert(kind, content, &Padded, &mut new) {
            let _ = refusal.to_string();
            continue;
        }
        // Nested objects may refuse on the way back; they must not differ.
        let mut old = Vec::new();
        let signed = [&b"-----BEGIN "[..], b"gpgsig"].iter().any(|sign| contains(content, sign));
        if converter.inverse().convert(kind, &new, &Padded, &mut old).is_ok() && !signed {
            let same = match kind {
                ObjectType::Commit | ObjectType::Tag => old.eq_ignore_ascii_case(content),
                ObjectType::Tree | ObjectType::Blob => old == content,
            };
            assert!(same, "another object comes back: {}", String::from_utf8_lossy(&old));
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn loose_object(input: &[u8]) {
    let mut content = Vec::new();
    let head = loose::header(input);
    match loose::read(input, &mut Inflater::new(), &mut content) {
        Ok(kind) => {
            let (expected, size, _) = head.expect("the header of what was read");
            assert_eq!((kind, content.len() as u64), (expected, size));
        }
        Err(problem) => drop(problem.to_string()),
    }
    let _ = loose::parse_header(input);
}

/// The first byte is the length of the base.
fn delta(input: &[u8]) {
    let Some((length, rest)) = input.split_first() else { return };
    let (base, delta) = rest.split_at(usize::from(*length).min(rest.len()));
    match Delta::parse(delta) {
        Ok(parsed) if parsed.result_size < 1 << 20 => {
            let (size, mut result) = (parsed.result_size, Vec::new());
            if parsed.apply(base, &mut result).is_ok() {
                assert_eq!(result.len() as u64, size);
            }
        }
        Ok(_) => {}
        Err(problem) => drop(problem.to_string()),
    }
}

/// An entry's header, and its content by both ways of inflating, which agree.
fn entry(input: &[u8]) {
    for id_len in [20, 32] {
        let Ok(header) = entry::Header::parse(input, 1 << 20, id_len) else { continue };
        let deflated = input.get(header.len..).expect("a header within the entry");
        let mut whole = Vec::new();
        let at_once = Inflater::new().inflate(deflated, header.inflated_size, &mut whole);
        if header.inflated_size > 1 << 20 {
            continue;
        }
        let mut pieces = vec![0; header.inflated_size as usize + 1];
        let mut stream = Inflating::new(deflated, header.inflated_size);
        let filled = stream.fill(&mut pieces);
        let in_pieces = filled.is_ok() && stream.finish().is_ok();
        // At once says where the stream ended, and the other wants nothing behind it.
        if in_pieces {
            assert_eq!(at_once.ok(), Some(deflated.len()), "a stream that only one of them reads");
            assert_eq!(whole, pieces[..whole.len()]);
        }
    }
}

fn index(input: &[u8]) {
    let path = scratch::file("fuzz.idx", input);
    for id_len in [20, 32] {
        match Index::open(&path, id_len) {
            Ok(index) => {
                for at in 0..=index.len().min(1000) {
                    let _ = (index.id(at).map(<[u8]>::len), index.offset(at), index.checksum(at));
                }
                let _ = index.pack_trailer().len();
                index.verify(|error| drop(error.to_string()));
            }
            Err(error) => drop(error.to_string()),
        }
    }
}

fn maps(input: &[u8]) {
    let [from, to] = formats();
    match tsv::read(&from, &to, input) {
        Ok(map) => {
            let mut written = Vec::new();
            tsv::write(&map, &mut written).expect("room");
            let again = tsv::read(&from, &to, &written[..]).expect("what was written");
            let mut twice = Vec::new();
            tsv::write(&again, &mut twice).expect("room");
            assert!(written == twice, "another map");
        }
        Err(error) => drop(error.to_string()),
    }
}

const ID: &str = "0123456789abcdef0123456789abcdef01234567";

fn objects() -> Vec<Vec<u8>> {
    let people = "author A <a@x> 1 +0000\ncommitter C <c@x> 2 -0130\n";
    let mut seeds = vec![
        format!("\0tree {ID}\nparent {ID}\nparent {ID}\n{people}encoding x\n\nmessage\n").into_bytes(),
        format!("\0tree {ID}\n{people}gpgsig -----BEGIN-----\n a\n \n b\n -----END-----\nHG:extra b\n\nm").into_bytes(),
        format!("\0tree {ID}\n{people}mergetag object {ID}\n type commit\n tag t\n tagger T <t@x> 3 +0000\n \n m\n\nm").into_bytes(),
        format!("\0tree {ID}\n{people}gpgsig-sha256 a\n b\nchange-id abc\njj:trees {ID}\n\nm").into_bytes(),
        format!("\x03object {ID}\ntype commit\ntag v1\ntagger T <t@x> 3 +0000\n\nm\n-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n").into_bytes(),
        format!("\x03object {ID}\ntype tree\ntag v1\n\nm\n").into_bytes(),
        b"\x02blob".to_vec(),
    ];
    let entry = |mode: &str, name: &str| [format!("{mode} {name}\0").as_bytes(), &[7; 20]].concat();
    seeds.push(
        [&[1][..], &entry("100644", "a"), &entry("40000", "b"), &entry("120000", "c"), &entry("160000", "d")]
            .concat(),
    );
    seeds
}

/// Deflated without compression, so that the fuzzer sees through (RFC 1950, RFC 1951, section 3.2.4).
pub(super) fn stored(content: &[u8]) -> Vec<u8> {
    let length = content.len() as u16;
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in content {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let head = [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
    [&head[..], content, &(b << 16 | a).to_be_bytes()].concat()
}

fn loose_objects() -> Vec<Vec<u8>> {
    ["blob 4\0blob", "tree 0\0", "commit 5\0a", "tag 18446744073709551616\0", "blob 004\0blob"]
        .map(|content| stored(content.as_bytes()))
        .to_vec()
}

fn deltas() -> Vec<Vec<u8>> {
    vec![
        [&[4][..], b"base", &[4, 6, 0x90, 4, 2, b'x', b'y']].concat(),
        [&[4][..], b"base", &[4, 3, 0x91, 1, 3]].concat(),
        [&[4][..], b"base", &[4, 0x80, 0x80, 4, 0x80]].concat(),
        [&[0][..], &[0, 1, 1, b'x']].concat(),
        [&[1][..], b"b", &[1, 1, 0]].concat(),
    ]
}

fn entries() -> Vec<Vec<u8>> {
    let deflated = stored(b"blob");
    vec![
        [&[0x34][..], &deflated].concat(),
        [&[0xb4, 0][..], &deflated].concat(),
        [&[0x64, 0x81, 0][..], &deflated].concat(),
        [&[0x74][..], &[9; 20], &deflated].concat(),
        [&[0x74][..], &[9; 32], &deflated].concat(),
        vec![0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
    ]
}

fn indexes() -> Vec<Vec<u8>> {
    let id = |byte: u8, length: usize| ObjectId::from_bytes(&vec![byte; length]).expect("an ID");
    let written = |length, offsets: &[u64]| {
        let mut entries: Vec<IndexEntry> = (1..)
            .zip(offsets)
            .map(|(byte, offset)| IndexEntry { id: id(byte, length), offset: *offset, crc: 7 })
            .collect();
        let mut out = Vec::new();
        write_index(&mut entries, &id(9, length), &mut out).expect("room");
        out
    };
    let mut old = vec![0; 1024];
    old[1020..].copy_from_slice(&1_u32.to_be_bytes());
    old.iter_mut().skip(3).step_by(4).take(255).for_each(|byte| *byte = 1);
    old.extend([&[0, 0, 0, 12][..], &[0; 20], &[9; 20], &[8; 20]].concat());
    vec![written(20, &[12, 40]), written(32, &[12, 1 << 33, 1 << 40]), written(20, &[]), old]
}

fn map_files() -> Vec<Vec<u8>> {
    let line = format!("{ID}\t{ID}{}\n", &ID[..24]);
    texts(&[&line, &format!("# comment\n{line}{line}"), "a\tb\n", ""])
}
