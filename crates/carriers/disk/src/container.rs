//! An existing container: its header, its keys, its data.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::digest;
use crate::error::{Error, Result};
use crate::file::{self, Access};
use crate::header::binary::Place;
use crate::header::json::Keyslot;
use crate::header::{self, Condition, CopyState, Header, Metadata};
use crate::keyslot::{self, KeyslotParameters, Sealed};
use crate::secret::{VolumeKey, random};
use crate::segment;
use crate::spec::Ciphers;
use crate::volume::Volume;

/// A container of which the header was read, and which is locked against others as long as this lives.
#[derive(Debug)]
pub struct Container {
    file: File,
    path: PathBuf,
    access: Access,
    header: Header,
    condition: Condition,
}

/// What a passphrase opened.
#[derive(Debug)]
pub struct Unlocked {
    /// The key slot that it fits; nothing if the volume key itself was given.
    pub slot: Option<u32>,
    /// The key that the data is encrypted under.
    pub key: VolumeKey,
}

impl Container {
    /// Opens a container, or a detached header. Either copy of the header will do; [`condition`](Self::condition)
    /// says how they were found, and [`repair`](Self::repair) mends them.
    ///
    /// # Errors
    /// [`Error::InUse`], [`Error::NotLuks`], [`Error::Luks1`], [`Error::Version`], [`Error::BothHeadersDamaged`],
    /// [`Error::Io`]
    pub fn open(path: &Path, access: Access) -> Result<Self> {
        let file = file::open(path, access)?;
        Self::from_file(file, path, access)
    }

    pub(crate) fn from_file(file: File, path: &Path, access: Access) -> Result<Self> {
        let (header, condition) = header::read(&file, path)?;
        Ok(Container { file, path: path.to_owned(), access, header, condition })
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How the two copies of the header were found.
    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Tries a passphrase, or the content of a key file, on one key slot or on all, those of high priority first.
    /// Key slots of priority 0 are tried only if they are named.
    ///
    /// # Errors
    /// [`Error::WrongPassphrase`]; [`Error::NoSuchSlot`]; [`Error::Requirement`]; what hindered the last one if none
    /// could be tried.
    pub fn unlock(&self, passphrase: &[u8], slot: Option<u32>, ciphers: &dyn Ciphers) -> Result<Unlocked> {
        self.meets_requirements()?;
        let slots = self.header.metadata.keyslots();
        let mut candidates: Vec<(u32, &Keyslot)> = match slot {
            Some(number) => vec![(number, slots.get(&number).ok_or(Error::NoSuchSlot(number))?)],
            None => slots.iter().filter(|(_, slot)| slot.priority != Some(0)).map(|(n, s)| (*n, s)).collect(),
        };
        candidates.sort_by_key(|(_, slot)| std::cmp::Reverse(slot.priority.unwrap_or(1)));
        let mut tried = 0;
        let mut hindrance = None;
        for (number, slot) in candidates {
            match self.try_slot(number, slot, passphrase, ciphers) {
                Ok(Some(key)) => return Ok(Unlocked { slot: Some(number), key }),
                Ok(None) => tried += 1,
                Err(error) => hindrance = Some(error),
            }
        }
        match hindrance {
            Some(error) if tried == 0 => Err(error),
            None if tried == 0 => Err(Error::Metadata(
                "it has no key slot that a passphrase can be tried on; only the volume key opens it".into(),
            )),
            _ => Err(Error::WrongPassphrase { tried }),
        }
    }

    fn try_slot(
        &self,
        number: u32,
        slot: &Keyslot,
        passphrase: &[u8],
        ciphers: &dyn Ciphers,
    ) -> Result<Option<VolumeKey>> {
        let (found, needed) = (file::size(&self.file, &self.path)?, slot.area.offset + slot.area.size);
        if found < needed {
            return Err(Error::Truncated { path: self.path.clone(), found, needed });
        }
        let key = keyslot::unseal(&self.file, &self.path, slot, passphrase, ciphers)?;
        for digest in self.header.metadata.digests().values().filter(|d| d.keyslots.contains(&number)) {
            if digest::matches(digest, &key)? {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Makes the data readable and, if the container was opened for writing, writable.
    ///
    /// # Errors
    /// [`Error::WrongVolumeKey`], [`Error::Requirement`], [`Error::Truncated`], [`Error::NoCipher`],
    /// [`Error::Unsupported`]
    pub fn into_volume(self, key: &VolumeKey, ciphers: &dyn Ciphers) -> Result<Volume> {
        let segments = self.segments(key, &self.file, &self.path, ciphers)?;
        Ok(Volume::new(self.file, self.path, segments, self.access))
    }

    /// The same where this is a detached header and the data lies in another file.
    ///
    /// # Errors
    /// As [`into_volume`](Self::into_volume), and [`Error::InUse`] for the other file.
    pub fn into_volume_on(self, data: &Path, key: &VolumeKey, ciphers: &dyn Ciphers) -> Result<Volume> {
        let file = file::open(data, self.access)?;
        let segments = self.segments(key, &file, data, ciphers)?;
        Ok(Volume::new(file, data.to_owned(), segments, self.access))
    }

    fn segments(
        &self,
        key: &VolumeKey,
        file: &File,
        path: &Path,
        ciphers: &dyn Ciphers,
    ) -> Result<Vec<segment::Segment>> {
        self.meets_requirements()?;
        let digest = digest::recognise(&self.header.metadata, key)?;
        segment::prepare(&self.header.metadata, digest, key, file::size(file, path)?, path, ciphers)
    }

    /// Puts the volume key under another passphrase and says in which key slot.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::WrongVolumeKey`], [`Error::Parameters`] if no room is left,
    /// [`Error::KeyDerivation`], [`Error::Io`]
    pub fn add_key(
        &mut self,
        key: &VolumeKey,
        passphrase: &[u8],
        parameters: &KeyslotParameters,
        ciphers: &dyn Ciphers,
    ) -> Result<u32> {
        self.meets_requirements()?;
        self.writable()?;
        let digest = digest::recognise(&self.header.metadata, key)?;
        let size = self.header.binary.header_size;
        let sealed = keyslot::seal(&self.header.metadata, size, key, passphrase, parameters, ciphers)?;
        let Sealed { number, slot, area } = sealed;
        let metadata = self.header.metadata.with_keyslot(number, &slot, digest, size)?;
        // The area first: a header must not speak of a key slot that is not there yet.
        self.write_area(&area, slot.area.offset)?;
        self.replace(metadata)?;
        Ok(number)
    }

    /// Removes a key slot and overwrites its area with random bytes, as far as the medium obeys.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::NoSuchSlot`], [`Error::LastSlot`], [`Error::Io`]
    pub fn remove_key(&mut self, number: u32) -> Result<()> {
        self.meets_requirements()?;
        self.writable()?;
        let slots = self.header.metadata.keyslots();
        let area = slots.get(&number).ok_or(Error::NoSuchSlot(number))?.area.clone();
        if slots.len() == 1 {
            return Err(Error::LastSlot(number));
        }
        let metadata = self.header.metadata.without_keyslot(number, self.header.binary.header_size)?;
        // The rules of the format bound an area to 128 MiB.
        let noise = random(usize::try_from(area.size).unwrap_or(0))?;
        self.write_area(&noise, area.offset)?;
        self.replace(metadata)
    }

    /// Writes the good copy of the header over one that is damaged or old.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Io`]
    pub fn repair(&mut self) -> Result<()> {
        self.writable()?;
        for (state, place) in [(&self.condition.first, Place::First), (&self.condition.second, Place::Second)]
        {
            if *state != CopyState::Good {
                header::write_copy(&self.file, &self.path, &self.header, place)?;
            }
        }
        self.condition = Condition { first: CopyState::Good, second: CopyState::Good };
        Ok(())
    }

    fn replace(&mut self, metadata: Metadata) -> Result<()> {
        self.header.metadata = metadata;
        self.header.binary.sequence = self.header.binary.sequence.saturating_add(1);
        header::write(&self.file, &self.path, &self.header)?;
        self.condition = Condition { first: CopyState::Good, second: CopyState::Good };
        Ok(())
    }

    fn write_area(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file.write_all_at(bytes, offset).map_err(Error::io(&self.path, "writing a key slot"))?;
        self.file.sync_data().map_err(Error::io(&self.path, "making a key slot durable"))
    }

    fn writable(&self) -> Result<()> {
        if self.access == Access::Write { Ok(()) } else { Err(Error::ReadOnly) }
    }

    fn meets_requirements(&self) -> Result<()> {
        match self.header.metadata.requirements().first() {
            Some(name) => Err(Error::Requirement(name.clone())),
            None => Ok(()),
        }
    }
}
