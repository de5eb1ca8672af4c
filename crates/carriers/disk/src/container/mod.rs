//! An existing container: its header, its keys, its data.

mod keys;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::file::{self, Access, Locked};
use crate::header::{self, Condition, Header, Luks1, luks1};
use crate::integrity;
use crate::labels;
use crate::secret::{VolumeKey, wipe_stack};
use crate::segment;
use crate::spec::Ciphers;
use crate::storage;
use crate::volume::Volume;

/// A container of which the header was read, and which is locked against others as long as this lives.
#[derive(Debug)]
pub struct Container {
    file: Locked,
    path: PathBuf,
    access: Access,
    form: Form,
    header: Header,
    condition: Condition,
    labels: Vec<&'static str>,
}

/// How the header lies in its file.
#[derive(Debug)]
enum Form {
    /// [`Container::header`] is what this says in other words.
    Luks1(Box<Luks1>),
    Luks2,
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
    /// [`Error::InUse`], [`Error::Attached`], [`Error::NotLuks`], [`Error::Luks1Damaged`], [`Error::Version`],
    /// [`Error::BothHeadersDamaged`], [`Error::Io`]
    pub fn open(path: &Path, access: Access) -> Result<Self> {
        let file = file::open(path, access)?;
        Self::from_file(file, path, access)
    }

    pub(crate) fn from_file(file: Locked, path: &Path, access: Access) -> Result<Self> {
        if let Some(luks1) = luks1::read(&file, path)? {
            let header = Header { binary: luks1.binary(), metadata: luks1.metadata()? };
            let condition = Condition::GOOD;
            let (path, form) = (path.to_owned(), Form::Luks1(Box::new(luks1)));
            return Ok(Container { file, path, access, form, header, condition, labels: Vec::new() });
        }
        let (header, condition) = header::read(&file, path)?;
        // A header that is whole in both copies is nobody's leftover.
        let labels = if condition.is_good() { Vec::new() } else { labels::find(&file, path)? };
        Ok(Container { file, path: path.to_owned(), access, form: Form::Luks2, header, condition, labels })
    }

    /// The header of LUKS1, if it is one; [`header`](Self::header) says the same in the words of LUKS2.
    pub fn luks1(&self) -> Option<&Luks1> {
        match &self.form {
            Form::Luks1(header) => Some(header),
            Form::Luks2 => None,
        }
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How the two copies of the header were found.
    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// The formats, as `blkid` calls them, that left their labels on the storage of a container of which one header is
    /// not whole. As long as there are any, the container may be what is left of one that was given up: its data is not
    /// opened, and [`repair`](Self::repair) refuses.
    pub fn labels(&self) -> &[&'static str] {
        &self.labels
    }

    /// Bytes of the key of the data, by the first key slot that holds it, or the header of LUKS1.
    pub fn key_size(&self) -> Option<u32> {
        let slots = self.header.metadata.keyslots();
        let of_slot =
            slots.iter().find(|(number, _)| self.holds_data_key(**number)).map(|(_, slot)| slot.key_size);
        of_slot.or_else(|| self.luks1().map(|header| header.key_bytes))
    }

    /// Whether a key slot holds the key of the data, rather than one that belongs to none.
    pub fn holds_data_key(&self, slot: u32) -> bool {
        let metadata = &self.header.metadata;
        let data =
            metadata.segments().iter().find(|(_, segment)| !segment.is_backup()).map(|(number, _)| *number);
        let holds = |digest: &header::json::Digest| {
            digest.keyslots.contains(&slot) && data.is_some_and(|data| digest.segments.contains(&data))
        };
        metadata.digests().values().any(holds)
    }

    /// Makes the data readable and, if the container was opened for writing, writable.
    ///
    /// # Errors
    /// [`Error::WrongVolumeKey`], [`Error::Requirement`], [`Error::Truncated`], [`Error::NoCipher`],
    /// [`Error::Unsupported`], [`Error::DetachedHeader`], [`Error::Labels`]
    pub fn into_volume(self, key: &VolumeKey, ciphers: &dyn Ciphers) -> Result<Volume> {
        if self.is_detached() {
            return Err(Error::DetachedHeader(self.path));
        }
        self.reaches(self.areas_end())?;
        let segments = self.segments(key, &self.file, &self.path, ciphers)?;
        Ok(Volume::new(self.file, self.path, segments, self.access))
    }

    /// The same where this is a detached header and the data lies in another file.
    ///
    /// # Errors
    /// As [`into_volume`](Self::into_volume), and [`Error::InUse`] and [`Error::Attached`] for the other file. [`Error::SameStorage`] if it is
    /// no other file.
    pub fn into_volume_on(self, data: &Path, key: &VolumeKey, ciphers: &dyn Ciphers) -> Result<Volume> {
        if storage::shared(&self.path, data) {
            return Err(Error::SameStorage { one: self.path, other: data.to_owned() });
        }
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
        self.usable()?;
        let digest = self.digest_of(key)?;
        let size = file::size(file, path)?;
        let place = integrity::Place { store: file, path };
        let prepared =
            segment::prepare(&self.header.metadata, digest, key, place, size, self.access, ciphers);
        wipe_stack();
        prepared
    }

    /// Whether this is a header whose data lies in another file, from byte 0 on or where headers and key slots are here.
    pub fn is_detached(&self) -> bool {
        let end = self.areas_end();
        let data = self.header.metadata.segments().values().filter(|segment| !segment.is_backup());
        data.into_iter().any(|segment| segment.offset < end)
    }

    /// Where the last byte of headers and key slots lies, and one more. The rules of the format bound both.
    fn areas_end(&self) -> u64 {
        match &self.form {
            Form::Luks1(header) => header.areas_end(),
            Form::Luks2 => 2 * self.header.binary.header_size + self.header.metadata.config().keyslots_size,
        }
    }

    /// Checks that the file goes on to where its data should end, if it has data at all: what ends where its data should begin,
    /// or where its key slots end, is a whole header.
    ///
    /// # Errors
    /// [`Error::Truncated`], [`Error::Io`]
    pub fn check_length(&self) -> Result<()> {
        let found = file::size(&self.file, &self.path)?;
        let data = self.header.metadata.segments().values().filter(|segment| !segment.is_backup());
        data.into_iter().try_for_each(|segment| match segment.offset {
            offset if [offset, self.areas_end()].contains(&found) || self.is_detached() => Ok(()),
            offset => self.reaches(offset.saturating_add(segment.size.unwrap_or(1))),
        })
    }

    /// Bytes behind the last whole sector of data that goes on to the end of the file: there are none unless it was cut off.
    ///
    /// # Errors
    /// [`Error::Io`]
    pub fn odd_bytes(&self) -> Result<u64> {
        let found = file::size(&self.file, &self.path)?;
        let data = self.header.metadata.segments().values().filter(|segment| !segment.is_backup());
        let open = data
            .into_iter()
            .filter(|segment| segment.size.is_none() && matches!(segment.authenticated_by(), Ok(None)));
        let odd = open.map(|segment| {
            found.saturating_sub(segment.offset) % u64::from(segment.sector_size.unwrap_or(512))
        });
        Ok(odd.max().unwrap_or(0))
    }

    fn reaches(&self, needed: u64) -> Result<()> {
        match file::size(&self.file, &self.path)? {
            found if found < needed => {
                Err(Error::Truncated { path: self.path.clone(), found, needed, header_only: false })
            }
            _ => Ok(()),
        }
    }

    /// Writes the good copy of the header over one that is damaged or old.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Labels`], [`Error::Io`]
    pub fn repair(&mut self) -> Result<()> {
        self.unambiguous()?;
        self.repair_over_labels()
    }

    /// The same where the storage bears the [labels](Self::labels) of other formats, which are lost as far as they lie
    /// where the headers go.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Io`]
    pub fn repair_over_labels(&mut self) -> Result<()> {
        self.writable()?;
        self.mend()?;
        self.labels.clear();
        Ok(())
    }

    /// Makes both copies of the header whole and the same, which they have to be before anything is
    /// changed. A power failure in the change after one that was cut off left a header that spoke of what
    /// was gone: wrong plaintext of a re-encryption, or a container that nothing opened.
    pub(crate) fn mend(&mut self) -> Result<()> {
        header::mend(self.file(), &self.path, &self.header, &self.condition)?;
        self.condition = Condition::GOOD;
        Ok(())
    }

    /// Takes a header over that was written already.
    pub(crate) fn set_header(&mut self, header: Header) {
        self.header = header;
        self.condition = Condition::GOOD;
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn write_area(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        self.mend()?;
        self.file.write_all_at(bytes, offset).map_err(Error::io_at(
            &self.path,
            "write a keyslot of",
            offset,
        ))?;
        self.file.sync_data().map_err(Error::io(&self.path, "flush a keyslot of"))
    }

    pub(crate) fn writable(&self) -> Result<()> {
        if self.access == Access::Write { Ok(()) } else { Err(Error::ReadOnly) }
    }

    pub(crate) fn unambiguous(&self) -> Result<()> {
        match self.labels.is_empty() {
            true => Ok(()),
            false => Err(Error::Labels { path: self.path.clone(), labels: self.labels.clone() }),
        }
    }

    /// Whether the data or the keys may be touched.
    ///
    /// # Errors
    /// [`Error::Labels`], [`Error::Requirement`]
    pub fn usable(&self) -> Result<()> {
        self.unambiguous()?;
        match self.header.metadata.requirements().first() {
            Some(name) => Err(Error::Requirement {
                path: self.path.clone(),
                name: name.clone(),
                is_resumed: self.is_resumed(),
            }),
            None => Ok(()),
        }
    }
}
