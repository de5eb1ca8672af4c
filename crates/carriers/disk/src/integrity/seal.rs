//! A sector and its tag: encrypted and authenticated as dm-crypt does it (Linux, `drivers/md/dm-crypt.c`,
//! `crypt_convert_block_aead`).
//!
//! Authenticated beside the ciphertext are the sector's number, 64 bits little endian in units of 512 bytes, and its
//! vector. A vector that is drawn at random is kept behind the tag.

use std::sync::Arc;

use fieldtest_cpu::constant_time_eq;
use fieldtest_kinds::aead::{Aead, AeadKey};
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};

use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::secret::{Secret, lock, random};
use crate::spec::{CipherSpec, Ciphers, Iv, Prepare};

/// What makes the tags of sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Integrity {
    /// `aead`: the cipher itself, in GCM.
    Aead,
    /// `hmac(sha256)`: HMAC of the ciphertext, with a key of its own behind that of the cipher.
    Hmac(Hash),
}

/// Bytes of the tag of GCM.
const AEAD_TAG: usize = 16;

/// Bytes of the vector of GCM.
const AEAD_NONCE: usize = 12;

/// Bytes of a tweak.
const TWEAK: usize = 16;

impl Integrity {
    /// Reads what a header calls it, or what cryptsetup's command line does (`hmac-sha256`).
    ///
    /// # Errors
    /// [`Error::Unsupported`] for any other.
    pub fn from_name(name: &str) -> Result<Self> {
        let hash = name.strip_prefix("hmac-").or_else(|| name.strip_prefix("hmac(")?.strip_suffix(')'));
        match (name, hash) {
            ("aead", _) => Ok(Integrity::Aead),
            // Those for which cryptsetup has a key's length.
            (_, Some("sha1")) => Ok(Integrity::Hmac(Hash::Sha1)),
            (_, Some("sha256")) => Ok(Integrity::Hmac(Hash::Sha256)),
            (_, Some("sha512")) => Ok(Integrity::Hmac(Hash::Sha512)),
            _ => Err(Error::Unsupported {
                what: format!("the integrity algorithm '{name}'"),
                remedy: "use one of aead, hmac-sha1, hmac-sha256, hmac-sha512",
            }),
        }
    }

    /// As the header writes it.
    pub fn name(self) -> String {
        match self {
            Integrity::Aead => "aead".to_owned(),
            Integrity::Hmac(hash) => format!("hmac({})", hash.name()),
        }
    }

    /// Bytes of the volume key that are not the cipher's.
    pub fn key_len(self) -> usize {
        match self {
            Integrity::Aead => 0,
            Integrity::Hmac(hash) => hash.length(),
        }
    }
}

/// A cipher with tags, without a key.
pub(crate) struct Sealer {
    code: Code,
    vector: Vector,
    integrity: Integrity,
    key_len: usize,
}

enum Code {
    Aead(Arc<dyn Aead>),
    Cipher(Arc<dyn Cipher>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vector {
    /// Drawn for each write, and kept: so many bytes.
    Random(usize),
    /// The sector's number.
    Plain64,
}

pub(crate) struct Seal {
    code: PreparedCode,
    vector: Vector,
    sector: usize,
    iv_tweak: u64,
    /// Given up after the keys are.
    _locked: Option<region::LockGuard>,
}

enum PreparedCode {
    Aead(Box<dyn AeadKey>),
    Cipher { key: Box<dyn CipherKey>, hash: Hash, mac_key: Secret },
}

impl Sealer {
    /// Looks a specification up, for a volume key of so many bytes in all.
    ///
    /// # Errors
    /// [`Error::NoCipher`]; [`Error::Unsupported`] for vectors and modes that are not offered here.
    pub(crate) fn find(
        spec: &CipherSpec,
        integrity: Integrity,
        key_len: usize,
        ciphers: &dyn Ciphers,
    ) -> Result<Self> {
        let own = key_len.checked_sub(integrity.key_len()).filter(|len| *len > 0);
        let missing = || Error::NoCipher { spec: spec.clone(), key_len };
        let own = own.ok_or_else(missing)?;
        let vector = match (integrity, spec.mode(), spec.iv()) {
            (Integrity::Aead, "gcm", Iv::Random) => Some(Vector::Random(AEAD_NONCE)),
            (Integrity::Hmac(_), "xts", Iv::Random) => Some(Vector::Random(TWEAK)),
            (Integrity::Hmac(_), "xts", Iv::Plain64) => Some(Vector::Plain64),
            _ => None,
        };
        let vector = vector.ok_or_else(|| Error::Unsupported {
            what: format!("'{spec}' with integrity by {}", integrity.name()),
            remedy: "use gcm-random with aead, or xts-random or xts-plain64 with an HMAC such as hmac-sha256",
        })?;
        let code = match integrity {
            Integrity::Aead => ciphers.find_aead(spec, own).filter(|it| it.key_len() == own).map(Code::Aead),
            Integrity::Hmac(_) => ciphers.find(spec, own).filter(|it| it.key_len() == own).map(Code::Cipher),
        };
        Ok(Sealer { code: code.ok_or_else(missing)?, vector, integrity, key_len: own })
    }

    /// Bytes that are kept beside a sector: the tag, and the vector where that is drawn.
    pub(crate) fn tag_len(&self) -> usize {
        let vector = if let Vector::Random(length) = self.vector { length } else { 0 };
        let tag = match self.integrity {
            Integrity::Aead => AEAD_TAG,
            Integrity::Hmac(hash) => hash.length(),
        };
        tag + vector
    }

    /// Prepares a key for sectors of a length.
    ///
    /// # Errors
    /// [`Error::Cipher`] if the cipher refuses it.
    pub(crate) fn with_key(&self, key: &[u8], sector: usize, iv_tweak: u64) -> Result<Seal> {
        self.keyed(key, sector, iv_tweak, |cipher, key| cipher.prepare(key))
    }

    /// The same to open what others sealed, also under a key that the standard forbids.
    pub(crate) fn with_key_to_read(&self, key: &[u8], sector: usize, iv_tweak: u64) -> Result<Seal> {
        self.keyed(key, sector, iv_tweak, |cipher, key| cipher.prepare_to_read(key))
    }

    /// Bytes of the volume key that are the cipher's.
    pub(crate) fn key_len(&self) -> usize {
        self.key_len
    }

    fn keyed(&self, key: &[u8], sector: usize, iv_tweak: u64, prepare: Prepare) -> Result<Seal> {
        let (own, mac_key) = key.split_at_checked(self.key_len).unwrap_or_default();
        let failed = Error::cipher("a key");
        let code = match (&self.code, self.integrity) {
            (Code::Cipher(code), Integrity::Hmac(hash)) => PreparedCode::Cipher {
                key: prepare(&**code, own).map_err(failed)?,
                hash,
                mac_key: Secret::copy(mac_key)?,
            },
            (Code::Aead(code), _) => PreparedCode::Aead(code.prepare(own).map_err(failed)?),
            (Code::Cipher(_), Integrity::Aead) => {
                return Err(Error::NoCipher { spec: CipherSpec::default(), key_len: own.len() });
            }
        };
        let locked = match &code {
            PreparedCode::Aead(key) => lock(&**key),
            PreparedCode::Cipher { key, .. } => lock(&**key),
        };
        Ok(Seal { code, vector: self.vector, sector, iv_tweak, _locked: locked })
    }
}

impl Seal {
    /// The number that dm-crypt counts with.
    fn number(&self, sector: u64) -> u64 {
        sector.wrapping_mul(self.sector as u64 / 512)
    }

    /// The vector of a sector, of which what is kept of it is given.
    fn vector(&self, sector: u64, kept: &[u8]) -> Vec<u8> {
        match self.vector {
            Vector::Random(_) => kept.to_vec(),
            Vector::Plain64 => {
                u128::from(self.number(sector).wrapping_add(self.iv_tweak)).to_le_bytes().to_vec()
            }
        }
    }

    fn associated(&self, sector: u64, vector: &[u8]) -> Vec<u8> {
        [&self.number(sector).to_le_bytes(), vector].concat()
    }

    /// What a tag has in front of the vector that is kept.
    fn split<'t>(&self, tag: &'t [u8]) -> (&'t [u8], &'t [u8]) {
        let kept = if let Vector::Random(length) = self.vector { length } else { 0 };
        tag.split_at_checked(tag.len().saturating_sub(kept)).unwrap_or_default()
    }

    /// Decrypts a sector where it lies, if its tag is right; else gives `false`, and the sector is anything.
    pub(crate) fn open(&self, sector: u64, data: &mut [u8], tag: &[u8]) -> Result<bool> {
        let (tag, kept) = self.split(tag);
        let vector = self.vector(sector, kept);
        let associated = self.associated(sector, &vector);
        match &self.code {
            PreparedCode::Aead(key) => match key.open(&vector, &associated, data, tag) {
                Ok(()) => Ok(true),
                Err(fieldtest_kinds::Error::InvalidTag) => Ok(false),
                Err(error) => Err(Error::cipher("sectors")(error)),
            },
            PreparedCode::Cipher { key, hash, mac_key } => {
                if !hash.hmac(mac_key, &[&associated, data], |found| constant_time_eq(found, tag))? {
                    return Ok(false);
                }
                key.decrypt(tweak(&vector), self.sector, data).map_err(Error::cipher("sectors"))?;
                Ok(true)
            }
        }
    }

    /// Encrypts sectors where they lie, the first of which is number `sector`, and gives the tag of each.
    pub(crate) fn seal(&self, sector: u64, data: &mut [u8], tag_len: usize) -> Result<Vec<Vec<u8>>> {
        let kept = if let Vector::Random(length) = self.vector { length } else { 0 };
        let sectors = data.len() / self.sector;
        let drawn = random(kept * sectors)?;
        let mut tags = Vec::with_capacity(sectors);
        for (at, data) in data.chunks_mut(self.sector).enumerate() {
            let sector = sector + at as u64;
            let kept = drawn.get(at * kept..(at + 1) * kept).unwrap_or_default();
            let vector = self.vector(sector, kept);
            let associated = self.associated(sector, &vector);
            let mut tag = vec![0; tag_len - kept.len()];
            match &self.code {
                PreparedCode::Aead(key) => {
                    key.seal(&vector, &associated, data, &mut tag).map_err(Error::cipher("sectors"))?;
                }
                PreparedCode::Cipher { key, hash, mac_key } => {
                    key.encrypt(tweak(&vector), self.sector, data).map_err(Error::cipher("sectors"))?;
                    hash.hmac(mac_key, &[&associated, data], |made| {
                        tag.iter_mut().zip(made).for_each(|(to, from)| *to = *from);
                    })?;
                }
            }
            tag.extend_from_slice(kept);
            tags.push(tag);
        }
        Ok(tags)
    }
}

fn tweak(vector: &[u8]) -> Tweaks {
    let mut bytes = [0; TWEAK];
    bytes.iter_mut().zip(vector).for_each(|(to, from)| *to = *from);
    Tweaks { first: u128::from_le_bytes(bytes), step: 0 }
}
