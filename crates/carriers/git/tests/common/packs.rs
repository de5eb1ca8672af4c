//! Packs and loose objects made by hand, sound and damaged ones.
#![allow(dead_code)] // no test needs all of it

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use fieldtest_git::trailer::Trailer;
use fieldtest_git::{Header, ObjectId, ObjectType};
use sha1::{Digest, Sha1};

pub(crate) fn empty_repository(path: &Path) {
    fs::create_dir_all(path.join("objects/pack")).unwrap();
    fs::create_dir_all(path.join("refs")).unwrap();
    fs::write(path.join("HEAD"), "ref: refs/heads/main\n").unwrap();
}

/// The SHA-1 name of an object.
pub(crate) fn name(kind: ObjectType, content: &[u8]) -> ObjectId {
    let header = Header::new(kind, content.len() as u64);
    let digest = Sha1::new().chain_update(header.as_bytes()).chain_update(content).finalize();
    ObjectId::from_bytes(&digest).unwrap()
}

pub(crate) fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn write_loose_file(repository: &Path, id: ObjectId, bytes: &[u8]) -> PathBuf {
    let path = fieldtest_git::loose::path(&repository.join("objects"), id.as_bytes());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

pub(crate) fn write_loose(repository: &Path, kind: ObjectType, content: &[u8]) -> ObjectId {
    let id = name(kind, content);
    let header = Header::new(kind, content.len() as u64);
    write_loose_file(repository, id, &deflated(&[header.as_bytes(), content].concat()));
    id
}

/// A delta that copies the first bytes of its base and appends others.
pub(crate) fn delta(base_len: usize, copied: usize, appended: &[u8]) -> Vec<u8> {
    let mut delta = Vec::new();
    for mut size in [base_len, copied + appended.len()] {
        while size > 0x7f {
            delta.push(size as u8 | 0x80);
            size >>= 7;
        }
        delta.push(size as u8);
    }
    if copied > 0 {
        assert!(copied <= 0xffff);
        delta.extend([0xb0, copied as u8, (copied >> 8) as u8]);
    }
    for piece in appended.chunks(127) {
        delta.push(piece.len() as u8);
        delta.extend(piece);
    }
    delta
}

/// A pack that is being made, of SHA-1.
pub(crate) struct Builder {
    pub(crate) bytes: Vec<u8>,
    /// ID, offset.
    pub(crate) entries: Vec<(ObjectId, u64)>,
}

impl Builder {
    pub(crate) fn new() -> Builder {
        Builder { bytes: b"PACK\0\0\0\x02\0\0\0\0".to_vec(), entries: Vec::new() }
    }

    /// An entry under any name, of any type, with any bytes between header and deflated bytes.
    pub(crate) fn entry(&mut self, id: ObjectId, kind: u8, base: &[u8], inflated: &[u8]) -> u64 {
        let offset = self.bytes.len() as u64;
        let mut size = inflated.len();
        let mut byte = kind << 4 | (size & 15) as u8;
        size >>= 4;
        while size > 0 {
            self.bytes.push(byte | 0x80);
            byte = size as u8 & 0x7f;
            size >>= 7;
        }
        self.bytes.push(byte);
        self.bytes.extend(base);
        self.bytes.extend(deflated(inflated));
        self.entries.push((id, offset));
        offset
    }

    pub(crate) fn whole(&mut self, kind: ObjectType, content: &[u8]) -> ObjectId {
        let id = name(kind, content);
        self.entry(id, kind.pack_number(), &[], content);
        id
    }

    pub(crate) fn offset_delta(&mut self, id: ObjectId, base: u64, delta: &[u8]) -> u64 {
        let mut distance = self.bytes.len() as u64 - base;
        let mut bytes = vec![distance as u8 & 0x7f];
        while distance > 0x7f {
            distance = (distance >> 7) - 1;
            bytes.push(distance as u8 & 0x7f | 0x80);
        }
        bytes.reverse();
        self.entry(id, 6, &bytes, delta)
    }

    pub(crate) fn name_delta(&mut self, id: ObjectId, base: ObjectId, delta: &[u8]) -> u64 {
        self.entry(id, 7, base.as_bytes(), delta)
    }

    /// The pack and its index.
    pub(crate) fn finish(&self) -> (Vec<u8>, Vec<u8>) {
        let mut pack = self.bytes.clone();
        pack[8..12].copy_from_slice(&(self.entries.len() as u32).to_be_bytes());
        seal(&mut pack);

        let mut ends: Vec<u64> = self.entries.iter().map(|entry| entry.1).skip(1).collect();
        ends.push(self.bytes.len() as u64);
        let mut entries: Vec<_> = self.entries.iter().copied().zip(ends).collect();
        entries.sort_unstable();
        let mut index = b"\xfftOc\0\0\0\x02".to_vec();
        for first in 0..=255 {
            let count = entries.iter().filter(|((id, _), _)| id.as_bytes()[0] <= first).count();
            index.extend((count as u32).to_be_bytes());
        }
        entries.iter().for_each(|((id, _), _)| index.extend(id.as_bytes()));
        for ((_, offset), end) in &entries {
            index.extend(libdeflater::crc32(&self.bytes[*offset as usize..*end as usize]).to_be_bytes());
        }
        entries.iter().for_each(|((_, offset), _)| index.extend((*offset as u32).to_be_bytes()));
        index.extend(&pack[pack.len() - 20..]);
        seal(&mut index);
        (pack, index)
    }

    pub(crate) fn write(&self, repository: &Path) -> PathBuf {
        self.write_as(repository, "made")
    }

    /// The same under another name; packs are read in the order of these.
    pub(crate) fn write_as(&self, repository: &Path, name: &str) -> PathBuf {
        let (pack, index) = self.finish();
        let path = repository.join(format!("objects/pack/pack-{name}.pack"));
        fs::write(&path, pack).unwrap();
        fs::write(path.with_extension("idx"), index).unwrap();
        path
    }
}

/// Appends the checksum of all that is there.
pub(crate) fn seal(bytes: &mut Vec<u8>) {
    let mut trailer = Trailer::new(20);
    trailer.update(bytes);
    bytes.extend(trailer.finish().unwrap().as_bytes());
}
