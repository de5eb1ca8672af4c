//! New containers, laid out as cryptsetup lays them out.
//!
//! With the defaults: two headers of 16 KiB, key slots up to 16 MiB, then the data in one segment that reaches to the
//! end of the file.

mod parameters;

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub use parameters::{Parameters, Version};
use tempfile::NamedTempFile;

use crate::container::Container;
use crate::digest;
use crate::error::{Error, Result};
use crate::file::{self, Access};
use crate::hash::Hash;
use crate::header::binary::LENGTH;
use crate::header::json::{Config, Digest, Segment};
use crate::header::{self, BinaryHeader, Header, Luks1, Metadata, luks1};
use crate::integrity::Extent;
use crate::keyslot::{self, Room, Sealed};
use crate::labels;
use crate::secret::{VolumeKey, random};
use crate::spec::Ciphers;
use crate::volume::Volume;

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
    file.set_len(size).map_err(Error::io(path, "set the size of"))?;
    Contents::compose(passphrase, key, parameters, ciphers)?.write(file, path)?;
    let again = || file.try_clone().map_err(Error::io(path, "open"));
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
            "a detached header must be in a separate file, not where the data begins".into(),
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
        file.read_exact_at(&mut block, at).map_err(Error::io_at(path, "inspect", at))?;
        if block.iter().any(|&byte| byte != 0) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Old key slots must not survive in a new container.
fn wipe(file: &File, path: &Path, length: u64) -> Result<()> {
    for at in (0..length).step_by(4096) {
        file.write_all_at(&[0; 4096], at).map_err(Error::io_at(path, "wipe the old header of", at))?;
    }
    file.sync_data().map_err(Error::io(path, "wipe the old header of"))
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
        parameters.check_key(key)?;
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
        let room = Room::of_luks1(&header, parameters.keyslot.number).map_err(of_new)?;
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
        let room = Room::find(&empty, parameters.key_len, parameters.keyslot.number).map_err(of_new)?;
        let sealed = keyslot::seal(room, key, passphrase, &parameters.keyslot, ciphers)?;
        let metadata = empty.with_keyslot(sealed.number, &sealed.slot, 0)?;
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
        let at = slot.area.offset;
        file.write_all_at(area, at).map_err(Error::io_at(path, "write a keyslot of", at))?;
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

/// What a container that is there could not have is no parameter of a new one.
fn of_new(error: Error) -> Error {
    match error {
        Error::Unfit(what) => Error::Parameters(what),
        other => other,
    }
}
