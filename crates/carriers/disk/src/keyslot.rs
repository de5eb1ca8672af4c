//! Key slots: a volume key, split, encrypted under a passphrase (LUKS2 On-Disk Format Specification 1.1.0,
//! sections 3.2 and 4).

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::antiforensic;
use crate::error::{Error, Result};
use crate::file;
use crate::hash::Hash;
use crate::header::json::{AntiForensic, Area, Keyslot};
use crate::header::{MOST_KEYSLOTS, Metadata};
use crate::kdf::{self, Cost};
use crate::secret::{Secret, VolumeKey, wipe_stack};
use crate::segment::SectorCipher;
use crate::spec::{CipherSpec, Ciphers};

/// Areas are encrypted in sectors of 512 bytes, numbered from 0 in each.
const SECTOR: usize = 512;

/// Areas begin and end at multiples of this.
const ALIGNMENT: u64 = 4096;

/// The number of stripes, whatever a header says: cryptsetup uses no other.
const STRIPES: u32 = 4000;

/// The longest key that is believed of a header; no cipher of dm-crypt has nearly as long ones.
const LONGEST_KEY: u32 = 512;

/// How a new key slot is made.
#[derive(Debug, Clone)]
pub struct KeyslotParameters {
    /// How costly it is to try a passphrase.
    pub cost: Cost,
    /// The cipher of its area. What every cryptsetup can open is the default, `aes-xts-plain64`.
    pub encryption: CipherSpec,
    /// Bytes of the key for that; 64 by default.
    pub key_len: u32,
    /// The splitter's hash function; SHA-256 by default.
    pub hash: Hash,
}

impl KeyslotParameters {
    /// The defaults with a cost.
    pub fn new(cost: Cost) -> Self {
        let encryption = CipherSpec::default_of_cryptsetup();
        KeyslotParameters { cost, encryption, key_len: 64, hash: Hash::Sha256 }
    }
}

/// A new key slot with the content of its area, which has not been written yet.
pub(crate) struct Sealed {
    pub(crate) number: u32,
    pub(crate) slot: Keyslot,
    pub(crate) area: Secret,
}

/// Puts a volume key under a passphrase into the first free place.
pub(crate) fn seal(
    metadata: &Metadata,
    header_size: u64,
    key: &VolumeKey,
    passphrase: &[u8],
    parameters: &KeyslotParameters,
    ciphers: &dyn Ciphers,
) -> Result<Sealed> {
    let key_size = u32::try_from(key.bytes().len()).unwrap_or(u32::MAX);
    let number = (0..MOST_KEYSLOTS).find(|number| !metadata.keyslots().contains_key(number));
    let full =
        || Error::Parameters("there is no room for another key slot; remove one that is not needed".into());
    let number = number.ok_or_else(full)?;
    let size = (u64::from(key_size) * u64::from(STRIPES)).next_multiple_of(ALIGNMENT);
    let offset = free_area(metadata, header_size, size).ok_or_else(full)?;
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
        priority: None,
    };
    Ok(Sealed { number, slot, area })
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
        return Err(unsupported(format!("a key slot of the type “{}”", slot.kind)));
    };
    if af.kind != "luks1" || slot.area.kind != "raw" {
        return Err(unsupported(format!("a key slot with “{}” in an area of “{}”", af.kind, slot.area.kind)));
    }
    let (Some(encryption), Some(key_len)) = (&slot.area.encryption, slot.area.key_size) else {
        return Err(Error::Metadata("a key slot's area has no cipher".into()));
    };
    let length = u64::from(slot.key_size) * u64::from(STRIPES);
    if slot.key_size == 0 || slot.key_size > LONGEST_KEY || key_len > LONGEST_KEY {
        return Err(Error::Metadata(format!(
            "no cipher has keys of {} bytes, or areas are encrypted with keys of {key_len} bytes",
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
    file.read_exact_at(&mut material, slot.area.offset).map_err(Error::io(path, "reading a key slot"))?;
    cipher.with_key(&area_key)?.decrypt(0, &mut material)?;
    let material = material.get(..length).unwrap_or_default();
    Ok(VolumeKey::new(antiforensic::merge(material, slot.key_size as usize, hash)?))
}

fn area_cipher(spec: &CipherSpec, key_len: u32, ciphers: &dyn Ciphers) -> Result<SectorCipher> {
    SectorCipher::find(spec, key_len as usize, SECTOR, ciphers)
}

/// The first gap between the areas that is wide enough.
fn free_area(metadata: &Metadata, header_size: u64, size: u64) -> Option<u64> {
    let start = 2 * header_size;
    let end = start + metadata.config().keyslots_size;
    let mut taken: Vec<(u64, u64)> =
        metadata.keyslots().values().map(|slot| (slot.area.offset, slot.area.size)).collect();
    taken.sort_unstable();
    taken.push((end, 0));
    let mut free = start;
    for (offset, length) in taken {
        if free.checked_add(size)? <= offset {
            return Some(free);
        }
        free = free.max(offset.checked_add(length)?.checked_next_multiple_of(ALIGNMENT)?);
    }
    None
}
