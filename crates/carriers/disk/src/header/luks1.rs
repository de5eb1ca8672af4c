//! The header of LUKS1: one copy of 592 bytes, eight key slots whose areas have their places from the beginning.
//!
//! The layout is that of the LUKS On-Disk Format Specification 1.2.3, section 2.2, big-endian:
//!
//! | at | bytes | |
//! |---|---|---|
//! | 0 | 6 | magic, `LUKS\xba\xbe` |
//! | 6 | 2 | version, 1 |
//! | 8 | 32 | cipher |
//! | 40 | 32 | its mode with the vector |
//! | 72 | 32 | hash function of everything: PBKDF2, the splitter, the digest |
//! | 104 | 4 | where the data begins, in sectors of 512 bytes; 0 where it lies in another file |
//! | 108 | 4 | bytes of the volume key |
//! | 112 | 20 | digest of the volume key |
//! | 132 | 32 | salt of the digest |
//! | 164 | 4 | iterations of the digest |
//! | 168 | 40 | UUID |
//! | 208 | 8 × 48 | key slots: state, iterations (4 bytes each), salt (32), first sector of the area, stripes |
//!
//! All that happens with keys and data is said in the words of LUKS2, as a conversion by cryptsetup would:
//! [`metadata`](Luks1::metadata).

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::binary::{self, BinaryHeader, Kind, Place};
use super::json::{AntiForensic, Area, Config, Digest, Kdf, Keyslot, Metadata, Segment};
use crate::error::{Error, Result};
use crate::hash::Hash;

/// Bytes of the header.
const LENGTH: usize = 592;
pub(crate) const KEYSLOTS: usize = 8;
/// Bytes of a salt.
const SALT: usize = 32;
/// Bytes of the digest, whatever the hash function.
pub(crate) const DIGEST: usize = 20;
/// The only number of stripes that cryptsetup takes.
pub(crate) const STRIPES: u32 = 4000;
const SECTOR: u64 = 512;
/// Areas of new containers begin at multiples of this many sectors, 4096 bytes.
const AREA_SECTORS: u64 = 8;
/// Data of new containers begins at a multiple of this many sectors, 1 MiB.
const DATA_SECTORS: u64 = 2048;

const ACTIVE: u32 = 0x00ac_71f3;
const INACTIVE: u32 = 0x0000_dead;

/// What a header of LUKS1 says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Luks1 {
    /// The cipher and its mode as one specification.
    pub encryption: String,
    /// Of everything, as it is written there.
    pub hash: String,
    /// The first sector of the data; 0 in a detached header.
    pub payload: u32,
    /// Bytes of the volume key.
    pub key_bytes: u32,
    /// Of the volume key.
    pub digest: [u8; DIGEST],
    /// Of the digest.
    pub digest_salt: [u8; SALT],
    /// Of the digest.
    pub digest_iterations: u32,
    /// In its textual form.
    pub uuid: Vec<u8>,
    /// All places for keys.
    pub slots: [Slot; KEYSLOTS],
}

/// A place for a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Slot {
    /// Whether it holds one.
    pub active: bool,
    /// Of PBKDF2.
    pub iterations: u32,
    /// Of PBKDF2.
    pub salt: [u8; SALT],
    /// The first sector of its area.
    pub area: u32,
}

impl Luks1 {
    /// Lays a header out as cryptsetup does, without keys. `detached` data begins at byte 0 of another file.
    pub(crate) fn compose(
        encryption: String,
        hash: Hash,
        key_bytes: u32,
        uuid: Vec<u8>,
        detached: bool,
    ) -> Self {
        let wide = area_sectors(key_bytes).next_multiple_of(AREA_SECTORS);
        let mut slots = [Slot::default(); KEYSLOTS];
        for (slot, at) in slots.iter_mut().zip((AREA_SECTORS..).step_by(usize::try_from(wide).unwrap_or(1))) {
            slot.area = u32::try_from(at).unwrap_or(u32::MAX);
        }
        let payload = if detached { 0 } else { data_offset(key_bytes) / SECTOR };
        Luks1 {
            encryption,
            hash: hash.name().to_owned(),
            payload: u32::try_from(payload).unwrap_or(u32::MAX),
            key_bytes,
            digest: [0; DIGEST],
            digest_salt: [0; SALT],
            digest_iterations: 0,
            uuid,
            slots,
        }
    }

    /// Reads and judges a header as cryptsetup does.
    ///
    /// # Errors
    /// A sentence on what is wrong with it.
    pub fn decode(bytes: &[u8]) -> std::result::Result<Self, String> {
        let bytes: &[u8; LENGTH] =
            bytes.get(..LENGTH).and_then(|it| it.try_into().ok()).ok_or("it is cut off")?;
        if binary::kind(bytes, Place::First) != Kind::Luks(1) {
            return Err("its magic bytes are missing".to_owned());
        }
        let [cipher, mode, hash] = [8, 40, 72].map(|at| text(bytes, at, 32));
        let hash = hash?;
        Hash::from_name(&hash).map_err(|error| error.to_string())?;
        let mut slots = [Slot::default(); KEYSLOTS];
        for (number, slot) in slots.iter_mut().enumerate() {
            let at = 208 + 48 * number;
            slot.active = match word(bytes, at) {
                ACTIVE => true,
                INACTIVE => false,
                _ => return Err(format!("keyslot {number} is neither in use nor free")),
            };
            slot.iterations = word(bytes, at + 4);
            slot.salt = array(bytes, at + 8);
            slot.area = word(bytes, at + 40);
            if word(bytes, at + 44) != STRIPES {
                return Err(format!("keyslot {number} does not have {STRIPES} stripes"));
            }
        }
        let header = Luks1 {
            encryption: [cipher?, mode?].join("-"),
            hash,
            payload: word(bytes, 104),
            key_bytes: word(bytes, 108),
            digest: array(bytes, 112),
            digest_salt: array(bytes, 132),
            digest_iterations: word(bytes, 164),
            uuid: text(bytes, 168, 40)?.into_bytes(),
            slots,
        };
        header.check()?;
        Ok(header)
    }

    fn check(&self) -> std::result::Result<(), String> {
        if self.key_bytes == 0 || self.key_bytes > super::json::LONGEST_KEY {
            return Err(format!("no cipher has keys of {} bytes", self.key_bytes));
        }
        let wide = area_sectors(self.key_bytes);
        let mut areas: Vec<(u64, usize)> = self.slots.iter().map(|slot| slot.area.into()).zip(0..).collect();
        for &(at, number) in &areas {
            if at * SECTOR < LENGTH as u64 {
                return Err(format!("the area of keyslot {number} overlaps the header"));
            }
            // A detached header has no data of its own.
            if self.payload != 0 && at + wide > u64::from(self.payload) {
                return Err(format!("the area of keyslot {number} overlaps the data"));
            }
        }
        areas.sort_unstable();
        let overlap = areas.iter().zip(areas.iter().skip(1)).find(|((one, _), (next, _))| one + wide > *next);
        match overlap {
            Some(((_, one), (_, other))) => Err(format!("the areas of keyslots {one} and {other} overlap")),
            None => Ok(()),
        }
    }

    /// The bytes of the header.
    ///
    /// # Errors
    /// [`Error::Parameters`] if a text is longer than its field.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.extend_from_slice(b"LUKS\xba\xbe\0\x01");
        let (cipher, mode) = self.encryption.split_once('-').unwrap_or((&self.encryption, ""));
        binary::put(&mut bytes, "cipher", cipher.as_bytes(), 32)?;
        binary::put(&mut bytes, "mode", mode.as_bytes(), 32)?;
        binary::put(&mut bytes, "hash", self.hash.as_bytes(), 32)?;
        bytes.extend_from_slice(&self.payload.to_be_bytes());
        bytes.extend_from_slice(&self.key_bytes.to_be_bytes());
        bytes.extend_from_slice(&self.digest);
        bytes.extend_from_slice(&self.digest_salt);
        bytes.extend_from_slice(&self.digest_iterations.to_be_bytes());
        binary::put(&mut bytes, "UUID", &self.uuid, 40)?;
        for slot in &self.slots {
            bytes.extend_from_slice(&if slot.active { ACTIVE } else { INACTIVE }.to_be_bytes());
            bytes.extend_from_slice(&slot.iterations.to_be_bytes());
            bytes.extend_from_slice(&slot.salt);
            bytes.extend_from_slice(&slot.area.to_be_bytes());
            bytes.extend_from_slice(&STRIPES.to_be_bytes());
        }
        Ok(bytes)
    }

    /// Where the last area ends, in bytes, whether it is used or not.
    pub(crate) fn areas_end(&self) -> u64 {
        let last = self.slots.iter().map(|slot| slot.area).max().unwrap_or(0);
        (u64::from(last) + area_sectors(self.key_bytes)) * SECTOR
    }

    /// The first byte of a key slot's area and its bytes.
    pub(crate) fn area(&self, number: u32) -> Option<(u64, u64)> {
        let slot = self.slots.get(number as usize)?;
        Some((u64::from(slot.area) * SECTOR, area_sectors(self.key_bytes) * SECTOR))
    }

    /// Puts the digest of a key there, which has been made for LUKS2 and counts as far as LUKS1 has room.
    pub(crate) fn set_digest(&mut self, digest: &Digest) {
        self.digest_iterations = digest.iterations;
        self.digest.iter_mut().zip(&digest.digest).for_each(|(to, from)| *to = *from);
        self.digest_salt.iter_mut().zip(&digest.salt).for_each(|(to, from)| *to = *from);
    }

    /// Puts a key slot there, or frees it. What was sealed for LUKS1 is by PBKDF2.
    pub(crate) fn set_slot(&mut self, number: u32, slot: Option<&Keyslot>) {
        let Some(to) = self.slots.get_mut(number as usize) else { return };
        *to = Slot { area: to.area, ..Slot::default() };
        if let Some(Kdf::Pbkdf2 { iterations, salt, .. }) = slot.and_then(|slot| slot.kdf.as_ref()) {
            to.active = true;
            to.iterations = *iterations;
            to.salt.iter_mut().zip(salt).for_each(|(to, from)| *to = *from);
        }
    }

    /// The same in the words of LUKS2.
    ///
    /// # Errors
    /// [`Error::Metadata`] if it cannot be said so.
    pub fn metadata(&self) -> Result<Metadata> {
        let used = (0..).zip(&self.slots).filter(|(_, slot)| slot.active);
        let keyslots: BTreeMap<u32, Keyslot> =
            used.map(|(number, slot)| (number, self.keyslot(number, slot))).collect();
        let digest = Digest {
            kind: "pbkdf2".into(),
            keyslots: keyslots.keys().copied().collect(),
            segments: vec![0],
            hash: self.hash.clone(),
            iterations: self.digest_iterations,
            salt: self.digest_salt.to_vec(),
            digest: self.digest.to_vec(),
        };
        let segment = Segment {
            kind: "crypt".into(),
            offset: u64::from(self.payload) * SECTOR,
            size: None,
            iv_tweak: 0,
            encryption: Some(self.encryption.clone()),
            sector_size: Some(512),
            integrity: None,
            flags: Vec::new(),
        };
        let config =
            Config { json_size: 0, keyslots_size: self.areas_end(), flags: Vec::new(), requirements: None };
        Metadata::translated(
            &keyslots,
            &BTreeMap::from([(0, segment)]),
            &BTreeMap::from([(0, digest)]),
            &config,
        )
    }

    fn keyslot(&self, number: u32, slot: &Slot) -> Keyslot {
        let (offset, size) = self.area(number).unwrap_or_default();
        Keyslot {
            kind: "luks2".into(),
            key_size: self.key_bytes,
            af: Some(AntiForensic { kind: "luks1".into(), stripes: STRIPES, hash: self.hash.clone() }),
            area: Area {
                kind: "raw".into(),
                offset,
                size,
                encryption: Some(self.encryption.clone()),
                key_size: Some(self.key_bytes),
            },
            kdf: Some(Kdf::Pbkdf2 {
                hash: self.hash.clone(),
                iterations: slot.iterations,
                salt: slot.salt.to_vec(),
            }),
            priority: None,
        }
    }

    /// What of the binary header of LUKS2 there is here.
    pub(crate) fn binary(&self) -> BinaryHeader {
        BinaryHeader {
            header_size: LENGTH as u64,
            sequence: 0,
            label: Vec::new(),
            checksum: Hash::Sha1,
            salt: [0; 64],
            uuid: self.uuid.clone(),
            subsystem: Vec::new(),
        }
    }
}

/// Where the data of a new container with a key of so many bytes begins.
pub(crate) fn data_offset(key_bytes: u32) -> u64 {
    let wide = area_sectors(key_bytes).next_multiple_of(AREA_SECTORS);
    (AREA_SECTORS + KEYSLOTS as u64 * wide).next_multiple_of(DATA_SECTORS) * SECTOR
}

fn area_sectors(key_bytes: u32) -> u64 {
    (u64::from(key_bytes) * u64::from(STRIPES)).div_ceil(SECTOR)
}

pub(crate) fn read(file: &File, path: &Path) -> Result<Option<Luks1>> {
    let mut bytes = [0; LENGTH];
    let length = super::copies::read_up_to(file, &mut bytes, 0).map_err(Error::io_at(
        path,
        "read the header of",
        0,
    ))?;
    let bytes = bytes.get(..length).unwrap_or_default();
    if binary::kind(bytes, Place::First) != Kind::Luks(1) {
        return Ok(None);
    }
    Luks1::decode(bytes).map(Some).map_err(|reason| Error::Luks1Damaged { path: path.to_owned(), reason })
}

/// Writes the header and makes it durable. It lies in two sectors of 512 bytes, and every change is within one.
pub(crate) fn write(file: &File, path: &Path, header: &Luks1) -> Result<()> {
    file.write_all_at(&header.encode()?, 0).map_err(Error::io_at(path, "write the header of", 0))?;
    file.sync_data().map_err(Error::io(path, "flush the header of"))
}

fn array<const N: usize>(bytes: &[u8; LENGTH], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|field| field.try_into().ok()).unwrap_or([0; N])
}

fn word(bytes: &[u8; LENGTH], at: usize) -> u32 {
    u32::from_be_bytes(array(bytes, at))
}

fn text(bytes: &[u8; LENGTH], at: usize, length: usize) -> std::result::Result<String, String> {
    let field = binary::text(bytes, at, length)?;
    String::from_utf8(field).map_err(|_| format!("its text at byte {at} is invalid"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Luks1 {
        let uuid = b"11111111-2222-4333-8444-555555555555".to_vec();
        Luks1::compose("aes-cbc-essiv:sha256".into(), Hash::Sha1, 32, uuid, false)
    }

    /// Places as `cryptsetup luksDump` 2.6.1 shows them after `luksFormat --type luks1` with 256 and 512 bits.
    #[test]
    fn places_are_those_of_cryptsetup() {
        let places = |key| sample_of(key).slots.map(|slot| slot.area);
        assert_eq!(places(32), [8, 264, 520, 776, 1032, 1288, 1544, 1800]);
        assert_eq!(places(64), [8, 512, 1016, 1520, 2024, 2528, 3032, 3536]);
        assert_eq!((sample_of(32).payload, sample_of(64).payload), (4096, 4096));
    }

    fn sample_of(key_bytes: u32) -> Luks1 {
        Luks1::compose("aes-xts-plain64".into(), Hash::Sha256, key_bytes, Vec::new(), false)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut header = sample();
        header.slots[3] = Slot { active: true, iterations: 7, salt: [3; 32], area: header.slots[3].area };
        let bytes = header.encode().unwrap();
        assert_eq!(Luks1::decode(&bytes), Ok(header));
        assert!(Luks1::decode(&bytes[..LENGTH - 1]).is_err());
    }

    #[test]
    fn areas_keep_their_places() {
        let broken = |change: fn(&mut Luks1)| {
            let mut header = sample();
            change(&mut header);
            Luks1::decode(&header.encode().unwrap()).unwrap_err()
        };
        assert!(broken(|it| it.slots[1].area = it.slots[0].area + 249).contains("0 and 1 overlap"));
        assert!(broken(|it| it.slots[7].area = 1).contains("the header"));
        assert!(broken(|it| it.slots[7].area = it.payload).contains("the data"));
        assert!(broken(|it| it.key_bytes = 0).contains("0 bytes"));
        assert!(broken(|it| it.hash = "tiger".into()).contains("tiger"));
    }

    proptest! {
        #[test]
        fn nothing_panics(at in 8..LENGTH, bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let mut header = sample().encode().unwrap();
            header.iter_mut().skip(at).zip(bytes).for_each(|(to, from)| *to = from);
            if let Ok(read) = Luks1::decode(&header) {
                read.metadata().unwrap();
            }
        }
    }
}
