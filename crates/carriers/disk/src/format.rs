//! New containers, laid out as cryptsetup lays them out.
//!
//! With the defaults: two headers of 16 KiB, key slots up to 16 MiB, then the data in one segment that reaches to the
//! end of the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::container::Container;
use crate::error::{Error, Result};
use crate::file::{self, Access, Locked};
use crate::hash::Hash;
use crate::header::binary::{LENGTH, SIZES};
use crate::header::json::{Config, Digest, Segment};
use crate::header::{self, BinaryHeader, Header, Luks1, Metadata, luks1};
use crate::integrity::{self, Extent, Integrity, Place, Sealer};
use crate::judge::{self, Use, Verdict};
use crate::keyslot::{self, KeyslotParameters, Room, Sealed};
use crate::labels;
use crate::secret::{VolumeKey, random};
use crate::segment::{Numbering, SectorCipher};
use crate::spec::{CipherSpec, Ciphers};
use crate::volume::Volume;
use crate::{digest, kdf::Cost};

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
    /// [`digest_hash`](Self::digest_hash) is the one hash function.
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
    /// Takes a cipher that [`judge`] refuses, for an experiment.
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
    /// As [`NewContainer::create`].
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

    /// Makes what tags need, and writes zeros, since no sector can be read before it has one.
    fn authenticate(
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

    fn check(&self, data_size: u64, ciphers: &dyn Ciphers) -> Result<()> {
        let fail = |what: String| Err(Error::Parameters(what));
        if !SIZES.contains(&self.header_size) {
            return fail(format!("a header cannot have {} bytes; 16384 are usual", self.header_size));
        }
        if self.keyslots_size == 0
            || !self.keyslots_size.is_multiple_of(4096)
            || self.keyslots_size > header::rules::LARGEST_KEYSLOTS
        {
            return fail(format!(
                "key slots cannot have {} bytes; give a multiple of 4096 up to 128 MiB",
                self.keyslots_size
            ));
        }
        if self.version == Version::Luks1 {
            if self.sector_size != 512 {
                return fail(format!("sectors of LUKS1 have 512 bytes, not {}", self.sector_size));
            }
            if !self.label.is_empty() || !self.subsystem.is_empty() {
                return fail("LUKS1 has neither labels nor subsystems; LUKS2 has".to_owned());
            }
        }
        let numbering =
            Numbering { sector_size: self.sector_size as usize, iv_tweak: 0, large_sectors: false };
        match self.integrity {
            None => drop(SectorCipher::find_numbered(&self.encryption, self.key_len, numbering, ciphers)?),
            Some(_) if self.detached || self.version == Version::Luks1 => {
                return fail("integrity is of LUKS2 whose header stands before the data".to_owned());
            }
            Some(integrity) => drop(Sealer::find(&self.encryption, integrity, self.key_len, ciphers)?),
        }
        if data_size == 0 || !data_size.is_multiple_of(u64::from(self.sector_size)) {
            return fail(format!(
                "the data of {data_size} bytes is no whole number of sectors of {} bytes; round its size up",
                self.sector_size
            ));
        }
        let intended = Use {
            key_bits: u32::try_from(self.cipher_key_len() * 8).ok(),
            sector_size: Some(self.sector_size),
            device_size: Some(data_size),
            integrity: self.integrity.is_some(),
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

/// A container that is complete and has not its own name yet, so that data can be brought in before anyone sees it. It
/// vanishes unless it is [kept](Self::keep); if the process is killed, it stays under the other name. Give
/// [`format_into`] a file without a name where that matters.
#[derive(Debug)]
pub struct NewContainer {
    file: NamedTempFile,
    path: PathBuf,
    key: VolumeKey,
}

impl NewContainer {
    /// Makes a container for `data_size` bytes that is to become `path`, readable by its owner alone.
    ///
    /// Where nothing is written, its data is what zeros decrypt to; see [`crate::copy`] for bringing an image in.
    ///
    /// # Errors
    /// [`Error::Parameters`], [`Error::RefusedSpec`], [`Error::NoCipher`], [`Error::Unsupported`],
    /// [`Error::KeyDerivation`], [`Error::Io`]
    pub fn create(
        path: &Path,
        data_size: u64,
        passphrase: &[u8],
        key: VolumeKey,
        parameters: &Parameters,
        ciphers: &dyn Ciphers,
    ) -> Result<Self> {
        // What is refused is refused before anything is made.
        parameters.check(data_size, ciphers)?;
        let file = file::beside(path)?;
        format_into(file.as_file(), path, data_size, passphrase, &key, parameters, ciphers)?;
        Ok(NewContainer { file, path: path.to_owned(), key })
    }

    /// Its data, to be filled.
    ///
    /// # Errors
    /// As [`Container::into_volume`].
    pub fn volume(&self, ciphers: &dyn Ciphers) -> Result<Volume> {
        let file = file::open(self.file.path(), Access::Write)?;
        Container::from_file(file, &self.path, Access::Write)?.into_volume(&self.key, ciphers)
    }

    /// The key that its data is encrypted under.
    pub fn key(&self) -> &VolumeKey {
        &self.key
    }

    /// Makes it durable and gives it its name.
    ///
    /// # Errors
    /// [`Error::Exists`] unless what has the name may be overwritten; [`Error::InUse`] or [`Error::Attached`] if it may and
    /// is in use, see [`hold`](crate::hold); [`Error::Io`].
    pub fn keep(self, overwrite: bool) -> Result<VolumeKey> {
        file::keep(self.file, &self.path, overwrite)?;
        Ok(self.key)
    }
}

/// Makes a container for `data_size` bytes, or the detached header of one, of an empty regular file that the caller has made, and gives a name
/// afterwards; `path` is what it is called in errors. Nothing is synchronised to the disk yet.
///
/// # Errors
/// As [`NewContainer::create`].
pub fn format_into(
    file: &File,
    path: &Path,
    data_size: u64,
    passphrase: &[u8],
    key: &VolumeKey,
    parameters: &Parameters,
    ciphers: &dyn Ciphers,
) -> Result<Container> {
    parameters.check(data_size, ciphers)?;
    let size = parameters.space(data_size, ciphers)?.checked_add(parameters.header_length());
    let size = size.ok_or_else(|| Error::Parameters(format!("{data_size} bytes are too many")))?;
    file.set_len(size).map_err(Error::io(path, "setting the size"))?;
    Contents::compose(passphrase, key, parameters, ciphers)?.write(file, path)?;
    let again = || file.try_clone().map_err(Error::io(path, "opening"));
    parameters.authenticate(again()?.into(), path, Extent::Data(data_size), key, ciphers)?;
    Container::from_file(again()?.into(), path, Access::Write)
}

/// Makes a container of an existing file or block device, whose size it keeps.
///
/// Without `overwrite` nothing but zeros may be where the header goes, and no label of another format anywhere, such as
/// the backup of a GPT at the end. With it, a container that is there is lost once
/// the new key slot has been computed.
///
/// # Errors
/// [`Error::InUse`], [`Error::Attached`], [`Error::Exists`], [`Error::Truncated`] if the file is too short for a header and
/// a sector, and as [`NewContainer::create`].
pub fn format_in_place(
    path: &Path,
    passphrase: &[u8],
    key: &VolumeKey,
    parameters: &Parameters,
    overwrite: bool,
    ciphers: &dyn Ciphers,
) -> Result<()> {
    if parameters.detached {
        return Err(Error::Parameters(
            "a detached header is a file of its own, not in the place of data".into(),
        ));
    }
    let file = file::open(path, Access::Write)?;
    let (found, offset) = (file::size(&file, path)?, parameters.data_offset());
    let needed = offset.saturating_add(u64::from(parameters.sector_size));
    if found < needed {
        return Err(Error::Truncated { path: path.to_owned(), found, needed, header_only: false });
    }
    let usable = (found - offset) - (found - offset) % u64::from(parameters.sector_size.max(1));
    parameters.check(usable, ciphers)?;
    if !overwrite {
        let is_free = is_blank(&file, path, offset)? && labels::find(&file, path)?.is_empty();
        if !is_free {
            return Err(Error::Exists(path.to_owned()));
        }
    }
    let contents = Contents::compose(passphrase, key, parameters, ciphers)?;
    if overwrite {
        wipe(&file, path, offset)?;
    }
    contents.write(&file, path)?;
    parameters.authenticate(file, path, Extent::Within(found - offset), key, ciphers)
}

/// Whether a file begins with nothing but zeros.
fn is_blank(file: &File, path: &Path, length: u64) -> Result<bool> {
    let mut block = [0; 4096];
    for at in (0..length).step_by(block.len()) {
        file.read_exact_at(&mut block, at).map_err(Error::io(path, "looking at what is there"))?;
        if block.iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Old key slots must not survive in a new container.
fn wipe(file: &File, path: &Path, length: u64) -> Result<()> {
    for at in (0..length).step_by(4096) {
        file.write_all_at(&[0; 4096], at).map_err(Error::io(path, "wiping the old header"))?;
    }
    file.sync_data().map_err(Error::io(path, "wiping the old header"))
}

/// All that a new container has in front of its data.
struct Contents {
    header: Form,
    keyslot: Sealed,
}

enum Form {
    Luks1(Luks1),
    Luks2(Header),
}

impl Contents {
    fn compose(
        passphrase: &[u8],
        key: &VolumeKey,
        parameters: &Parameters,
        ciphers: &dyn Ciphers,
    ) -> Result<Self> {
        if key.bytes().len() != parameters.key_len {
            return Err(Error::Parameters(format!(
                "the volume key has {} bytes, and the parameters say {}",
                key.bytes().len(),
                parameters.key_len
            )));
        }
        let uuid = match &parameters.uuid {
            Some(uuid) => uuid.clone(),
            None => random_uuid()?,
        };
        let digest = digest::make(key, parameters.digest_hash, parameters.digest_iterations, vec![0])?;
        match parameters.version {
            Version::Luks1 => Self::luks1(passphrase, key, parameters, &uuid, &digest, ciphers),
            Version::Luks2 => Self::luks2(passphrase, key, parameters, uuid, digest, ciphers),
        }
    }

    fn luks1(
        passphrase: &[u8],
        key: &VolumeKey,
        parameters: &Parameters,
        uuid: &str,
        digest: &Digest,
        ciphers: &dyn Ciphers,
    ) -> Result<Self> {
        let encryption = parameters.encryption.to_string();
        let key_len = u32::try_from(parameters.key_len).unwrap_or(u32::MAX);
        let hash = parameters.digest_hash;
        let uuid = uuid.as_bytes().to_vec();
        let mut header = Luks1::compose(encryption, hash, key_len, uuid, parameters.detached);
        header.set_digest(digest);
        let room = Room::of_luks1(&header, parameters.keyslot.number)?;
        let sealed = keyslot::seal(
            room,
            key,
            passphrase,
            &keyslot::for_luks1(&header, &parameters.keyslot)?,
            ciphers,
        )?;
        header.set_slot(sealed.number, Some(&sealed.slot));
        Ok(Contents { header: Form::Luks1(header), keyslot: sealed })
    }

    fn luks2(
        passphrase: &[u8],
        key: &VolumeKey,
        parameters: &Parameters,
        uuid: String,
        digest: Digest,
        ciphers: &dyn Ciphers,
    ) -> Result<Self> {
        let segment = Segment {
            kind: "crypt".into(),
            offset: parameters.data_offset(),
            size: None,
            iv_tweak: 0,
            encryption: Some(parameters.encryption.to_string()),
            sector_size: Some(parameters.sector_size),
            integrity: parameters.integrity.map(|integrity| {
                serde_json::json!({
                    "type": integrity.name(), "journal_encryption": "none", "journal_integrity": "none"
                })
            }),
            flags: Vec::new(),
        };
        let config = Config {
            json_size: parameters.header_size - LENGTH as u64,
            keyslots_size: parameters.keyslots_size,
            flags: Vec::new(),
            requirements: None,
        };
        let size = parameters.header_size;
        let empty = Metadata::compose(
            &BTreeMap::from([(0, segment)]),
            &BTreeMap::from([(0, digest)]),
            &config,
            size,
        )?;
        let room = Room::find(&empty, size, parameters.key_len, parameters.keyslot.number)?;
        let sealed = keyslot::seal(room, key, passphrase, &parameters.keyslot, ciphers)?;
        let metadata = empty.with_keyslot(sealed.number, &sealed.slot, 0, size)?;
        let binary = BinaryHeader {
            header_size: size,
            sequence: 1,
            label: parameters.label.clone().into_bytes(),
            checksum: Hash::Sha256,
            salt: [0; 64],
            uuid: uuid.into_bytes(),
            subsystem: parameters.subsystem.clone().into_bytes(),
        };
        Ok(Contents { header: Form::Luks2(Header { binary, metadata }), keyslot: sealed })
    }

    /// The key slot first: a header must not speak of what is not there yet.
    fn write(&self, file: &File, path: &Path) -> Result<()> {
        let Sealed { slot, area, .. } = &self.keyslot;
        file.write_all_at(area, slot.area.offset).map_err(Error::io(path, "writing a key slot"))?;
        match &self.header {
            Form::Luks1(header) => luks1::write(file, path, header),
            Form::Luks2(header) => header::write(file, path, header),
        }
    }
}

/// A UUID of version 4 (RFC 9562, section 5.4).
fn random_uuid() -> Result<String> {
    let mut bytes = random(16)?;
    if let Some(version) = bytes.get_mut(6) {
        *version = *version & 0x0f | 0x40;
    }
    if let Some(variant) = bytes.get_mut(8) {
        *variant = *variant & 0x3f | 0x80;
    }
    let hex = data_encoding::HEXLOWER.encode(&bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    Ok(parts.into_iter().filter_map(|part| hex.get(part)).collect::<Vec<_>>().join("-"))
}
