//! Key slots: a volume key, split, encrypted under a passphrase (LUKS2 On-Disk Format Specification 1.1.0,
//! sections 3.2 and 4).

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::antiforensic;
use crate::error::{Error, Result};
use crate::file;
use crate::hash::Hash;
use crate::header::json::{AntiForensic, Area, Keyslot, LONGEST_KEY};
use crate::header::{Luks1, MOST_KEYSLOTS, Metadata, luks1};
use crate::kdf::{self, Cost};
use crate::secret::{Secret, VolumeKey, wipe_stack};
use crate::segment::SectorCipher;
use crate::spec::{CipherSpec, Ciphers};

/// Areas are encrypted in sectors of 512 bytes, numbered from 0 in each.
const SECTOR: usize = 512;

/// Areas begin and end at multiples of this.
const ALIGNMENT: u64 = 4096;

/// The number of stripes, whatever a header says: cryptsetup uses no other.
const STRIPES: u32 = luks1::STRIPES;

/// How a new key slot is made.
#[derive(Debug, Clone)]
pub struct KeyslotParameters {
    /// How costly it is to try a passphrase.
    pub cost: Cost,
    /// The cipher of its area. What every cryptsetup can open is the default, `aes-xts-plain64`.
    pub encryption: CipherSpec,
    /// Bytes of the key for that; 64 by default.
    pub key_len: u32,
    /// The splitter's hash function; SHA-256 by default. LUKS1 has one in all of its header.
    pub hash: Hash,
    /// Which key slot it shall be; the first free one if none is named.
    pub number: Option<u32>,
    /// When it is tried; `Normal` by default.
    pub priority: Priority,
}

/// When a key slot is tried by those who name none (LUKS2 On-Disk Format Specification 1.1.0, section 3.2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Only if it is named.
    Ignore,
    /// Behind those that are preferred.
    #[default]
    Normal,
    /// Before all others.
    Prefer,
}

impl Priority {
    /// As the header has it; the normal one stands nowhere.
    pub(crate) fn number(self) -> Option<i64> {
        match self {
            Priority::Ignore => Some(0),
            Priority::Normal => None,
            Priority::Prefer => Some(2),
        }
    }

    /// As it is read, where every number that is not known means not to be tried.
    pub fn of(slot: &Keyslot) -> Self {
        match slot.priority {
            None | Some(1) => Priority::Normal,
            Some(2) => Priority::Prefer,
            Some(_) => Priority::Ignore,
        }
    }
}

impl KeyslotParameters {
    /// The defaults with a cost.
    pub fn new(cost: Cost) -> Self {
        let encryption = CipherSpec::default();
        KeyslotParameters {
            cost,
            encryption,
            key_len: 64,
            hash: Hash::Sha256,
            number: None,
            priority: Priority::Normal,
        }
    }

    /// Whether a key slot of LUKS2 may be made so. One that somebody else made so opens all the same.
    ///
    /// # Errors
    /// [`Error::Parameters`] for ECB.
    pub fn check(&self) -> Result<()> {
        match self.encryption.mode() {
            "ecb" => Err(Error::Parameters(format!(
                "cannot encrypt keyslots with '{}': ECB shows which blocks of the split key are equal; choose another cipher, \
                 such as {}",
                self.encryption,
                CipherSpec::default()
            ))),
            _ => Ok(()),
        }
    }
}

/// A new key slot with the content of its area, which has not been written yet.
pub(crate) struct Sealed {
    pub(crate) number: u32,
    pub(crate) slot: Keyslot,
    pub(crate) area: Secret,
}

/// A place for a new key slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) number: u32,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl Room {
    /// The first free place of a LUKS2 header for a key of so many bytes, or that of the number that is wanted.
    pub(crate) fn find(metadata: &Metadata, key_size: usize, wanted: Option<u32>) -> Result<Self> {
        let free = |number: &u32| !metadata.keyslots().contains_key(number);
        let number = free_number(wanted, MOST_KEYSLOTS, free)?;
        let size = area_size(key_size);
        let offset = free_area(metadata, size).ok_or_else(full)?;
        Ok(Room { number, offset, size })
    }

    /// The same in a header of LUKS1, whose places are all there.
    pub(crate) fn of_luks1(header: &Luks1, wanted: Option<u32>) -> Result<Self> {
        let free = |number: &u32| header.slots.get(*number as usize).is_some_and(|slot| !slot.active);
        let number = free_number(wanted, luks1::KEYSLOTS as u32, free)?;
        let (offset, size) = header.area(number).ok_or_else(full)?;
        Ok(Room { number, offset, size })
    }
}

/// How another key slot takes the place of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replacement {
    /// It is made beside it, under another number, so that one of both opens at any time.
    Beside,
    /// There is room for its area, but no number is free: one change of the header leads from the old area to the new one.
    Moved(Room),
    /// There is no room: the area is written over where it lies, and opens nothing until the header says so.
    InPlace(Room),
}

impl Replacement {
    /// In a header of LUKS2, of a key slot that is there, by one for a key of so many bytes.
    pub(crate) fn find(metadata: &Metadata, key_size: usize, number: u32) -> Result<Self> {
        let size = area_size(key_size);
        let slots = metadata.keyslots();
        let is_numbered = (0..MOST_KEYSLOTS).any(|number| !slots.contains_key(&number));
        match free_area(metadata, size) {
            Some(_) if is_numbered => Ok(Replacement::Beside),
            Some(offset) => Ok(Replacement::Moved(Room { number, offset, size })),
            None => match slots.get(&number).map(|slot| &slot.area) {
                Some(area) if area.kind == "raw" && area.size >= size => {
                    Ok(Replacement::InPlace(Room { number, offset: area.offset, size: area.size }))
                }
                _ => Err(full()),
            },
        }
    }

    /// In a header of LUKS1, where each number has its area.
    pub(crate) fn of_luks1(header: &Luks1, number: u32) -> Result<Self> {
        match header.slots.iter().all(|slot| slot.active) {
            false => Ok(Replacement::Beside),
            true => {
                let (offset, size) = header.area(number).ok_or_else(full)?;
                Ok(Replacement::InPlace(Room { number, offset, size }))
            }
        }
    }
}

fn area_size(key_size: usize) -> u64 {
    (key_size as u64 * u64::from(STRIPES)).next_multiple_of(ALIGNMENT)
}

fn full() -> Error {
    Error::Unfit("there is no space for another keyslot; remove one that is not needed".into())
}

fn free_number(wanted: Option<u32>, most: u32, free: impl Fn(&u32) -> bool) -> Result<u32> {
    match wanted {
        None => (0..most).find(free).ok_or_else(full),
        Some(number) if number >= most => {
            Err(Error::Parameters(format!("keyslots are numbered from 0 to {}", most - 1)))
        }
        Some(number) if free(&number) => Ok(number),
        Some(number) => Err(Error::Unfit(format!(
            "keyslot {number} already holds a key; remove it first, or give another number"
        ))),
    }
}

/// Puts a volume key under a passphrase.
pub(crate) fn seal(
    room: Room,
    key: &VolumeKey,
    passphrase: &[u8],
    parameters: &KeyslotParameters,
    ciphers: &dyn Ciphers,
) -> Result<Sealed> {
    let key_size = u32::try_from(key.bytes().len()).unwrap_or(u32::MAX);
    let Room { number, offset, size } = room;
    // The cipher is asked for first: that it is missing should not come out after seconds of key derivation.
    let key_len = parameters.key_len;
    let cipher = area_cipher(&parameters.encryption, key_len, ciphers)?;
    let kdf = parameters.cost.settle()?;
    let area_key = kdf::derive(&kdf, passphrase, key_len as usize)?;
    let split = antiforensic::split(key.bytes(), STRIPES, parameters.hash)?;
    let mut area = Secret::zeroed(split.len().next_multiple_of(SECTOR))?;
    area.iter_mut().zip(split.iter()).for_each(|(to, from)| *to = *from);
    cipher.with_key(&area_key)?.encrypt(0, &mut area)?;
    wipe_stack();
    let slot = Keyslot {
        kind: "luks2".into(),
        key_size,
        af: Some(AntiForensic {
            kind: "luks1".into(),
            stripes: STRIPES,
            hash: parameters.hash.name().into(),
        }),
        area: Area {
            kind: "raw".into(),
            offset,
            size,
            encryption: Some(parameters.encryption.to_string()),
            key_size: Some(key_len),
        },
        kdf: Some(kdf),
        priority: parameters.priority.number(),
    };
    Ok(Sealed { number, slot, area })
}

/// Refuses key slots of LUKS1 with another hash function than this one, the header's, which is that of all of them.
pub(crate) fn check_luks1_hash(hash: Hash, wanted: &KeyslotParameters) -> Result<()> {
    let of_cost = match wanted.cost {
        Cost::Pbkdf2 { hash, .. } | Cost::Pbkdf2For { hash, .. } => Some(hash),
        Cost::Argon2 { .. } | Cost::Argon2idFor { .. } => None,
    };
    match [Some(wanted.hash), of_cost].into_iter().flatten().find(|asked| *asked != hash) {
        Some(asked) => Err(Error::Parameters(format!(
            "all LUKS1 keyslots use {}, so none can use {}; each LUKS2 keyslot has its own cipher and hash function",
            hash.name(),
            asked.name()
        ))),
        None => Ok(()),
    }
}

/// What a key slot of LUKS1 can be like: the cipher is that of the header, which has the one hash function too, and PBKDF2
/// is the only key derivation. Where just a time is given, it is PBKDF2's.
pub(crate) fn for_luks1(header: &Luks1, wanted: &KeyslotParameters) -> Result<KeyslotParameters> {
    let hash = Hash::from_name(&header.hash)?;
    check_luks1_hash(hash, wanted)?;
    let cost = match wanted.cost {
        Cost::Argon2idFor { time, .. } | Cost::Pbkdf2For { time, .. } => Cost::Pbkdf2For { hash, time },
        Cost::Pbkdf2 { iterations, .. } => Cost::Pbkdf2 { hash, iterations },
        Cost::Argon2 { .. } => {
            return Err(Error::Parameters("LUKS1 does not support Argon2; choose PBKDF2, or LUKS2".into()));
        }
    };
    if wanted.priority != Priority::Normal {
        return Err(no_priorities());
    }
    Ok(KeyslotParameters {
        cost,
        encryption: header.encryption.parse()?,
        key_len: header.key_bytes,
        hash,
        number: wanted.number,
        priority: Priority::Normal,
    })
}

pub(crate) fn no_priorities() -> Error {
    Error::Unfit("LUKS1 keyslots have no priorities, only LUKS2 keyslots do".into())
}

/// Tries a passphrase on a key slot. What comes out is a key only if a digest recognises it.
pub(crate) fn unseal(
    file: &File,
    path: &Path,
    slot: &Keyslot,
    passphrase: &[u8],
    ciphers: &dyn Ciphers,
) -> Result<VolumeKey> {
    let unsupported =
        |what: String| Error::Unsupported { what, remedy: "open the container with cryptsetup" };
    let (Some(af), Some(kdf), "luks2") = (&slot.af, &slot.kdf, &*slot.kind) else {
        return Err(unsupported(format!("the keyslot type '{}'", slot.kind)));
    };
    if af.kind != "luks1" || slot.area.kind != "raw" {
        return Err(unsupported(format!(
            "a keyslot with '{}' in an area of type '{}'",
            af.kind, slot.area.kind
        )));
    }
    let (Some(encryption), Some(key_len)) = (&slot.area.encryption, slot.area.key_size) else {
        return Err(Error::Metadata("a keyslot's area has no cipher".into()));
    };
    let length = u64::from(slot.key_size) * u64::from(STRIPES);
    if slot.key_size == 0 || slot.key_size > LONGEST_KEY || key_len > LONGEST_KEY {
        return Err(Error::Metadata(format!(
            "no cipher has keys of {} bytes, or areas encrypted with keys of {key_len} bytes",
            slot.key_size
        )));
    }
    // What the area's size says matters to those who look for room; the key is as long as it is.
    let (found, needed) = (file::size(file, path)?, slot.area.offset.saturating_add(length));
    if found < needed {
        return Err(Error::Truncated { path: path.to_owned(), found, needed, header_only: false });
    }
    let hash = Hash::from_name(&af.hash)?;
    let cipher = area_cipher(&encryption.parse()?, key_len, ciphers)?;
    let area_key = kdf::derive(kdf, passphrase, key_len as usize)?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut material = Secret::zeroed(length.next_multiple_of(SECTOR))?;
    let at = slot.area.offset;
    file.read_exact_at(&mut material, at).map_err(Error::io_at(path, "read a keyslot of", at))?;
    cipher.with_key(&area_key)?.decrypt(0, &mut material)?;
    let material = material.get(..length).unwrap_or_default();
    Ok(VolumeKey::new(antiforensic::merge(material, slot.key_size as usize, hash)?))
}

fn area_cipher(spec: &CipherSpec, key_len: u32, ciphers: &dyn Ciphers) -> Result<SectorCipher> {
    SectorCipher::find(spec, key_len as usize, SECTOR, ciphers)
}

/// The widest gap between the areas: where it begins, and its bytes.
pub(crate) fn largest_gap(metadata: &Metadata) -> Option<(u64, u64)> {
    let wide = gaps(metadata)?.into_iter().max_by_key(|(_, size)| *size);
    wide.map(|(offset, size)| (offset, size - size % ALIGNMENT)).filter(|(_, size)| *size > 0)
}

/// The first gap between the areas that is wide enough.
fn free_area(metadata: &Metadata, size: u64) -> Option<u64> {
    gaps(metadata)?.into_iter().find(|(_, wide)| *wide >= size).map(|(offset, _)| offset)
}

/// What is free between the areas, in rising order: where each gap begins, and its bytes.
fn gaps(metadata: &Metadata) -> Option<Vec<(u64, u64)>> {
    let start = 2 * metadata.header_size();
    let end = start + metadata.config().keyslots_size;
    let mut taken: Vec<(u64, u64)> =
        metadata.keyslots().values().map(|slot| (slot.area.offset, slot.area.size)).collect();
    taken.sort_unstable();
    taken.push((end, 0));
    let mut free = start;
    let mut gaps = Vec::with_capacity(taken.len());
    for (offset, length) in taken {
        gaps.push((free, offset.saturating_sub(free)));
        free = free.max(offset.checked_add(length)?.checked_next_multiple_of(ALIGNMENT)?);
    }
    Some(gaps)
}
