//! An existing container: its header, its keys, its data.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::digest;
use crate::error::{Error, Result};
use crate::file::{self, Access, Locked};
use crate::header::binary::Place;
use crate::header::json::{Area, Keyslot};
use crate::header::rules::is_backup;
use crate::header::{self, Condition, CopyState, Header, Luks1, Metadata, luks1};
use crate::keyslot::{self, KeyslotParameters, Priority, Room, Sealed};
use crate::labels;
use crate::secret::{VolumeKey, random, wipe_stack};
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
            let condition = Condition { first: CopyState::Good, second: CopyState::Good };
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

    /// Bytes of the key of the data, by the first key slot that holds it.
    pub fn key_size(&self) -> Option<u32> {
        let slots = self.header.metadata.keyslots();
        slots.iter().find(|(number, _)| self.holds_data_key(**number)).map(|(_, slot)| slot.key_size)
    }

    /// Whether a key slot holds the key of the data, rather than one that belongs to none.
    pub fn holds_data_key(&self, slot: u32) -> bool {
        let metadata = &self.header.metadata;
        let data =
            metadata.segments().iter().find(|(_, segment)| !is_backup(segment)).map(|(number, _)| *number);
        let holds = |digest: &header::json::Digest| {
            digest.keyslots.contains(&slot) && data.is_some_and(|data| digest.segments.contains(&data))
        };
        metadata.digests().values().any(holds)
    }

    /// Tries a passphrase, or the content of a key file, on one key slot or on all, those of high priority first.
    /// Key slots of priority 0, and those whose key belongs to no data, are tried only if they are named.
    ///
    /// # Errors
    /// [`Error::WrongPassphrase`]; [`Error::NoSuchSlot`]; [`Error::Requirement`]; [`Error::Labels`]; what hindered the
    /// last one if none could be tried.
    pub fn unlock(&self, passphrase: &[u8], slot: Option<u32>, ciphers: &dyn Ciphers) -> Result<Unlocked> {
        let unlocked = self.try_slots(passphrase, slot, ciphers);
        wipe_stack();
        unlocked
    }

    // What it leaves on the stack must lie below its caller, who wipes that.
    #[inline(never)]
    fn try_slots(&self, passphrase: &[u8], slot: Option<u32>, ciphers: &dyn Ciphers) -> Result<Unlocked> {
        self.usable()?;
        self.reaches(self.areas_end())?;
        let slots = self.header.metadata.keyslots();
        let mut candidates: Vec<(u32, &Keyslot)> = match slot {
            Some(number) => vec![(number, slots.get(&number).ok_or(Error::NoSuchSlot(number))?)],
            None => slots
                .iter()
                .filter(|(number, slot)| {
                    Priority::of(slot) != Priority::Ignore && self.holds_data_key(**number)
                })
                .map(|(number, slot)| (*number, slot))
                .collect(),
        };
        candidates.sort_by_key(|(_, slot)| std::cmp::Reverse(Priority::of(slot)));
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
                "it has no key slot that a passphrase can be tried on without naming the key slot".into(),
            )),
            _ => Err(Error::WrongPassphrase { tried }),
        }
    }

    pub(crate) fn try_slot(
        &self,
        number: u32,
        slot: &Keyslot,
        passphrase: &[u8],
        ciphers: &dyn Ciphers,
    ) -> Result<Option<VolumeKey>> {
        let key = keyslot::unseal(&self.file, &self.path, slot, passphrase, ciphers)?;
        for digest in self.header.metadata.digests().values().filter(|d| d.keyslots.contains(&number)) {
            if digest::matches(digest, &key)? {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Whether a volume key is one of this container.
    ///
    /// # Errors
    /// [`Error::WrongVolumeKey`]; [`Error::Unsupported`] if the only digests are of unknown hash functions.
    pub fn recognises(&self, key: &VolumeKey) -> Result<()> {
        digest::recognise(&self.header.metadata, key).map(drop)
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
        let digest = digest::recognise(&self.header.metadata, key)?;
        let size = file::size(file, path)?;
        let prepared = segment::prepare(&self.header.metadata, digest, key, size, path, ciphers);
        wipe_stack();
        prepared
    }

    /// Whether this is a header whose data lies in another file, from byte 0 on or where headers and key slots are here.
    pub fn is_detached(&self) -> bool {
        let end = self.areas_end();
        let data = self.header.metadata.segments().values().filter(|segment| !is_backup(segment));
        data.into_iter().any(|segment| segment.offset < end)
    }

    /// Where the last byte of headers and key slots lies, and one more. The rules of the format bound both.
    fn areas_end(&self) -> u64 {
        match &self.form {
            Form::Luks1(header) => header.areas_end(),
            Form::Luks2 => 2 * self.header.binary.header_size + self.header.metadata.config().keyslots_size,
        }
    }

    fn reaches(&self, needed: u64) -> Result<()> {
        match file::size(&self.file, &self.path)? {
            found if found < needed => {
                Err(Error::Truncated { path: self.path.clone(), found, needed, header_only: false })
            }
            _ => Ok(()),
        }
    }

    /// Puts the volume key under another passphrase and says in which key slot.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::WrongVolumeKey`], [`Error::Parameters`] if no room is left, the key slot that is wanted
    /// is taken, or LUKS1 has no such key slots; [`Error::KeyDerivation`], [`Error::Io`]
    pub fn add_key(
        &mut self,
        key: &VolumeKey,
        passphrase: &[u8],
        parameters: &KeyslotParameters,
        ciphers: &dyn Ciphers,
    ) -> Result<u32> {
        self.usable()?;
        self.writable()?;
        let digest = digest::recognise(&self.header.metadata, key)?;
        let size = self.header.binary.header_size;
        let sealed = match &self.form {
            Form::Luks1(header) => {
                let room = Room::of_luks1(header, parameters.number)?;
                let parameters = keyslot::for_luks1(header, parameters)?;
                keyslot::seal(room, key, passphrase, &parameters, ciphers)?
            }
            Form::Luks2 => {
                let length = key.bytes().len();
                let room = Room::find(&self.header.metadata, size, length, parameters.number)?;
                keyslot::seal(room, key, passphrase, parameters, ciphers)?
            }
        };
        let Sealed { number, slot, area } = sealed;
        // The area first: a header must not speak of a key slot that is not there yet.
        self.write_area(&area, slot.area.offset)?;
        self.replace(
            |it| it.with_keyslot(number, &slot, digest, size),
            |it| it.set_slot(number, Some(&slot)),
        )?;
        Ok(number)
    }

    /// Puts the key of a key slot under another passphrase or key derivation, and says in which key slot it is then: the
    /// same in LUKS2, another one in LUKS1. The new one is there and durable before the old one is destroyed, so that
    /// one of them opens whenever this ends.
    ///
    /// # Errors
    /// As [`add_key`](Self::add_key); [`Error::NoSuchSlot`].
    pub fn change_key(
        &mut self,
        old: u32,
        key: &VolumeKey,
        passphrase: &[u8],
        parameters: &KeyslotParameters,
        ciphers: &dyn Ciphers,
    ) -> Result<u32> {
        let before = self.header.metadata.keyslots().get(&old).ok_or(Error::NoSuchSlot(old))?.area.clone();
        let new = self.add_key(key, passphrase, parameters, ciphers)?;
        self.destroy_area(&before)?;
        let size = self.header.binary.header_size;
        self.replace(|it| it.with_keyslot_moved(new, old, size), |it| it.set_slot(old, None))?;
        Ok(if self.luks1().is_some() { new } else { old })
    }

    /// Removes a key slot and overwrites its area with random bytes, as far as the medium obeys.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::NoSuchSlot`], [`Error::LastSlot`], [`Error::Io`]
    pub fn remove_key(&mut self, number: u32) -> Result<()> {
        self.usable()?;
        self.writable()?;
        let slots = self.header.metadata.keyslots();
        let area = slots.get(&number).ok_or(Error::NoSuchSlot(number))?.area.clone();
        let others = slots.keys().any(|&other| other != number && self.holds_data_key(other));
        if slots.len() == 1 || (self.holds_data_key(number) && !others) {
            return Err(Error::LastSlot(number));
        }
        self.destroy_area(&area)?;
        let size = self.header.binary.header_size;
        self.replace(|it| it.without_keyslot(number, size), |it| it.set_slot(number, None))
    }

    /// Says when a key slot is tried.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::NoSuchSlot`], [`Error::Parameters`] for LUKS1, [`Error::Io`]
    pub fn set_priority(&mut self, number: u32, priority: Priority) -> Result<()> {
        self.usable()?;
        self.writable()?;
        if !self.header.metadata.keyslots().contains_key(&number) {
            return Err(Error::NoSuchSlot(number));
        }
        if self.luks1().is_some() {
            return Err(keyslot::no_priorities());
        }
        let size = self.header.binary.header_size;
        self.replace(|it| it.with_priority(number, priority.number(), size), |_| {})
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
        for (state, place) in [(&self.condition.first, Place::First), (&self.condition.second, Place::Second)]
        {
            if *state != CopyState::Good {
                header::write_copy(self.file(), &self.path, &self.header, place)?;
            }
        }
        self.condition = Condition { first: CopyState::Good, second: CopyState::Good };
        self.labels.clear();
        Ok(())
    }

    /// Changes the header, in memory once it is so in the file.
    pub(crate) fn replace(
        &mut self,
        luks2: impl FnOnce(&Metadata) -> Result<Metadata>,
        luks1: impl FnOnce(&mut Luks1),
    ) -> Result<()> {
        let mut changed = self.header.clone();
        match &mut self.form {
            Form::Luks1(header) => {
                let mut new = header.clone();
                luks1(&mut new);
                changed.metadata = new.metadata()?;
                luks1::write(&self.file, &self.path, &new)?;
                *header = new;
            }
            Form::Luks2 => {
                changed.metadata = luks2(&self.header.metadata)?;
                changed.binary.sequence = changed.binary.sequence.saturating_add(1);
                header::write(self.file(), &self.path, &changed)?;
            }
        }
        self.header = changed;
        self.condition = Condition { first: CopyState::Good, second: CopyState::Good };
        Ok(())
    }

    /// Takes a header over that was written already.
    pub(crate) fn set_header(&mut self, header: Header) {
        self.header = header;
        self.condition = Condition { first: CopyState::Good, second: CopyState::Good };
    }

    /// The file of the header.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Overwrites all that a key slot has of its key: of the splitter's stripes each one is needed.
    fn destroy_area(&self, area: &Area) -> Result<()> {
        // The rules of the format bound an area to 128 MiB.
        let noise = random(usize::try_from(area.size).unwrap_or(0))?;
        self.write_area(&noise, area.offset)
    }

    pub(crate) fn write_area(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file.write_all_at(bytes, offset).map_err(Error::io(&self.path, "writing a key slot"))?;
        self.file.sync_data().map_err(Error::io(&self.path, "making a key slot durable"))
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
    pub(crate) fn usable(&self) -> Result<()> {
        self.unambiguous()?;
        match self.header.metadata.requirements().first() {
            Some(name) => Err(Error::Requirement(name.clone())),
            None => Ok(()),
        }
    }
}
