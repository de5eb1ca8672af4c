//! What a new container is like, and whether it can be so.

use std::path::Path;

use crate::container::Container;
use crate::error::{Error, Result};
use crate::file::{Access, Locked};
use crate::hash::Hash;
use crate::header::binary::SIZES;
use crate::header::{self, luks1};
use crate::integrity::{self, Extent, Integrity, Place, Sealer};
use crate::judge::{self, Use, Verdict};
use crate::kdf::Cost;
use crate::keyslot::{self, KeyslotParameters};
use crate::secret::VolumeKey;
use crate::segment::{Numbering, SectorCipher, has_equal_halves};
use crate::spec::{CipherSpec, Ciphers};

/// Which of the two formats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Version {
    /// LUKS1, which GRUB and QEMU read: one header, PBKDF2, sectors of 512 bytes.
    Luks1,
    /// LUKS2.
    #[default]
    Luks2,
}

/// What a new container is like.
#[derive(Debug, Clone)]
pub struct Parameters {
    /// The format. LUKS1 has no label, subsystem and sizes of areas, its key slots have the data's cipher, and
    /// [`digest_hash`](Self::digest_hash) is the one hash function, which the key slot has to have too.
    pub version: Version,
    /// Whether the data lies in another file, from byte 0 on: what is made is the header alone.
    pub detached: bool,
    /// The cipher of the data.
    pub encryption: CipherSpec,
    /// Bytes of the volume key, of XTS both halves together, and with them those of [`integrity`](Self::integrity).
    pub key_len: usize,
    /// What makes the tags of sectors, if there are to be any.
    pub integrity: Option<Integrity>,
    /// Bytes of a sector: 512, 1024, 2048 or 4096.
    pub sector_size: u32,
    /// The key slot of the first passphrase.
    pub keyslot: KeyslotParameters,
    /// Bytes of one copy of the header, one of [`SIZES`].
    pub header_size: u64,
    /// Bytes for all key slots, a multiple of 4096.
    pub keyslots_size: u64,
    /// At most 47 bytes, or empty.
    pub label: String,
    /// At most 47 bytes, or empty.
    pub subsystem: String,
    /// A random one if none is given.
    pub uuid: Option<String>,
    /// The digest's hash function.
    pub digest_hash: Hash,
    /// The digest's iterations; as many as take an eighth of a second if none are given.
    pub digest_iterations: Option<u32>,
    /// Takes a cipher that [`judge`] refuses, for an experiment; for the key slot too.
    pub accept_refused: bool,
}

impl Parameters {
    /// cryptsetup's defaults with another cipher, and sectors of 4096 bytes.
    pub fn new(encryption: CipherSpec, key_len: usize) -> Self {
        Parameters {
            version: Version::Luks2,
            detached: false,
            encryption,
            key_len,
            integrity: None,
            sector_size: 4096,
            keyslot: KeyslotParameters::new(Cost::default()),
            header_size: 16 << 10,
            keyslots_size: (16 << 20) - (32 << 10),
            label: String::new(),
            subsystem: String::new(),
            uuid: None,
            digest_hash: Hash::Sha256,
            digest_iterations: None,
            accept_refused: false,
        }
    }

    /// Where the data begins.
    pub fn data_offset(&self) -> u64 {
        if self.detached { 0 } else { self.header_length() }
    }

    /// Bytes of headers and key slots.
    pub fn header_length(&self) -> u64 {
        match self.version {
            Version::Luks1 => luks1::data_offset(u32::try_from(self.key_len).unwrap_or(u32::MAX)),
            Version::Luks2 => self.header_size.saturating_mul(2).saturating_add(self.keyslots_size),
        }
    }

    /// Bytes of the volume key that are the cipher's.
    fn cipher_key_len(&self) -> usize {
        self.key_len.saturating_sub(self.integrity.map_or(0, Integrity::key_len))
    }

    /// Bytes behind the header in its file: of the data, with its tags and their journal if it has any.
    ///
    /// # Errors
    /// As [`NewContainer::create`](crate::NewContainer::create).
    pub fn space(&self, data_size: u64, ciphers: &dyn Ciphers) -> Result<u64> {
        match self.integrity {
            _ if self.detached => Ok(0),
            None => Ok(data_size),
            Some(integrity) => {
                let sealer = Sealer::find(&self.encryption, integrity, self.key_len, ciphers)?;
                integrity::space(self.sector_size as usize, sealer.tag_len(), data_size)
            }
        }
    }

    /// Whether a volume key fits. It is asked before anything is written.
    ///
    /// # Errors
    /// [`Error::Parameters`] for another length, or for two equal halves of XTS.
    pub fn check_key(&self, key: &VolumeKey) -> Result<()> {
        let found = key.bytes().len();
        if found != self.key_len {
            return Err(Error::Parameters(format!(
                "the volume key has {found} bytes, but the parameters say {}",
                self.key_len
            )));
        }
        let own = key.bytes().get(..self.cipher_key_len()).unwrap_or_default();
        match has_equal_halves(&self.encryption, own) {
            true => Err(Error::Parameters(
                "the two halves of the volume key are equal, which FIPS 140-3 forbids for XTS (implementation guidance C.I); use \
                 a key whose halves are generated independently"
                    .to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// Makes what tags need, and writes zeros, since no sector can be read before it has one.
    pub(super) fn authenticate(
        &self,
        file: Locked,
        path: &Path,
        extent: Extent,
        key: &VolumeKey,
        ciphers: &dyn Ciphers,
    ) -> Result<()> {
        let Some(integrity) = self.integrity else { return Ok(()) };
        let tag = Sealer::find(&self.encryption, integrity, self.key_len, ciphers)?.tag_len();
        let place = Place { store: &*file, path };
        integrity::format(place, self.data_offset(), self.sector_size as usize, tag, extent)?;
        let volume = Container::from_file(file, path, Access::Write)?.into_volume(key, ciphers)?;
        volume.write_zeros(0, volume.size())?;
        volume.flush()
    }

    pub(super) fn check(&self, data_size: u64, ciphers: &dyn Ciphers) -> Result<()> {
        let fail = |what: String| Err(Error::Parameters(what));
        if !SIZES.contains(&self.header_size) {
            return fail(format!("invalid header size {}: the usual size is 16384 bytes", self.header_size));
        }
        if self.keyslots_size == 0
            || !self.keyslots_size.is_multiple_of(4096)
            || self.keyslots_size > header::rules::LARGEST_KEYSLOTS
        {
            return fail(format!(
                "invalid keyslots size {}: expected a multiple of 4096 bytes, at most 128 MiB",
                self.keyslots_size
            ));
        }
        for (what, text) in [("label", &self.label), ("subsystem", &self.subsystem)] {
            if text.len() >= header::binary::LABEL {
                return fail(format!(
                    "invalid {what} '{text}': expected at most {} bytes",
                    header::binary::LABEL - 1
                ));
            }
        }
        if self.version == Version::Luks1 {
            if self.sector_size != 512 {
                return fail(format!(
                    "invalid sector size {} of LUKS1: expected 512 bytes",
                    self.sector_size
                ));
            }
            keyslot::check_luks1_hash(self.digest_hash, &self.keyslot)?;
            if !self.label.is_empty() || !self.subsystem.is_empty() {
                return fail("LUKS1 has neither labels nor subsystems; LUKS2 has".to_owned());
            }
        }
        if self.version == Version::Luks2 && !self.accept_refused {
            self.keyslot.check()?;
        }
        let numbering =
            Numbering { sector_size: self.sector_size as usize, iv_tweak: 0, large_sectors: false };
        match self.integrity {
            None => drop(SectorCipher::find_numbered(&self.encryption, self.key_len, numbering, ciphers)?),
            Some(_) if self.detached || self.version == Version::Luks1 => {
                return fail(
                    "integrity needs LUKS2 with the header before its data; choose that, or no integrity"
                        .to_owned(),
                );
            }
            Some(integrity) => drop(Sealer::find(&self.encryption, integrity, self.key_len, ciphers)?),
        }
        if data_size == 0 || !data_size.is_multiple_of(u64::from(self.sector_size)) {
            return fail(format!(
                "the data size of {data_size} bytes is not a multiple of the sector size of {} bytes; round it up",
                self.sector_size
            ));
        }
        let intended = Use {
            key_bits: u32::try_from(self.cipher_key_len() * 8).ok(),
            sector_size: Some(self.sector_size),
            device_size: Some(data_size),
            integrity: self.integrity,
            ..Use::default()
        };
        let refusal = judge::judge(self.encryption.as_str(), &intended);
        match refusal.findings.into_iter().find(|finding| finding.verdict == Verdict::Refused) {
            Some(finding) if !self.accept_refused => Err(Error::RefusedSpec {
                spec: self.encryption.to_string(),
                reason: finding.reason,
                remedy: finding.remedy,
            }),
            _ => Ok(()),
        }
    }
}
