//! The keys of a container: tried, added, changed and removed.

use serde_json::Value;

use super::{Container, Form, Unlocked};
use crate::digest;
use crate::error::{Error, Result};
use crate::header::json::{Area, Keyslot};
use crate::header::{self, Luks1, Metadata, luks1};
use crate::keyslot::{self, KeyslotParameters, Priority, Replacement, Room, Sealed};
use crate::secret::{VolumeKey, random, wipe_stack};
use crate::spec::Ciphers;

impl Container {
    /// Tries a passphrase, or the content of a key file, on one key slot or on all, those of high priority first.
    /// Key slots of priority 0, and those whose key belongs to no data, are tried only if they are named.
    ///
    /// # Errors
    /// [`Error::WrongPassphrase`]; [`Error::NoSlotTried`]; [`Error::NoSuchSlot`]; [`Error::Requirement`]; [`Error::Labels`]; what hindered the
    /// last one if none could be tried.
    pub fn unlock(&self, passphrase: &[u8], slot: Option<u32>, ciphers: &dyn Ciphers) -> Result<Unlocked> {
        let unlocked = self.try_slots(passphrase, slot, ciphers);
        wipe_stack();
        unlocked
    }

    // What it leaves on the stack must lie below its caller, who wipes that.
    #[inline(never)]
    fn try_slots(&self, passphrase: &[u8], slot: Option<u32>, ciphers: &dyn Ciphers) -> Result<Unlocked> {
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
        self.try_candidates(candidates, passphrase, ciphers)
    }

    /// Tries a passphrase on all key slots that hold the key of the data but one, of whatever priority: whether somebody could
    /// still open the container without that one.
    ///
    /// # Errors
    /// As [`unlock`](Self::unlock).
    pub fn unlock_beside(&self, passphrase: &[u8], number: u32, ciphers: &dyn Ciphers) -> Result<Unlocked> {
        let slots = self.header.metadata.keyslots().iter();
        let others = slots.filter(|(other, _)| **other != number && self.holds_data_key(**other));
        let unlocked =
            self.try_candidates(others.map(|(other, slot)| (*other, slot)).collect(), passphrase, ciphers);
        wipe_stack();
        unlocked
    }

    #[inline(never)]
    fn try_candidates(
        &self,
        candidates: Vec<(u32, &Keyslot)>,
        passphrase: &[u8],
        ciphers: &dyn Ciphers,
    ) -> Result<Unlocked> {
        self.usable()?;
        self.reaches(self.areas_end())?;
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
            None if tried == 0 => {
                Err(Error::NoSlotTried(self.header.metadata.keyslots().keys().copied().collect()))
            }
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
        let metadata = &self.header.metadata;
        let digests = || metadata.digests().values().filter(|digest| digest.keyslots.contains(&number));
        // Seconds of key derivation tell nothing where the header contradicts itself.
        digests().try_for_each(|digest| digest::one_length(metadata, digest).map(drop))?;
        let key = keyslot::unseal(&self.file, &self.path, slot, passphrase, ciphers)?;
        for digest in digests() {
            if digest::matches(metadata, digest, &key)? {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Whether a volume key is one of this container.
    ///
    /// # Errors
    /// [`Error::KeyLength`]; [`Error::WrongVolumeKey`]; [`Error::Unsupported`] if the only digests are of unknown hash
    /// functions; [`Error::Metadata`] if the header contradicts itself.
    pub fn recognises(&self, key: &VolumeKey) -> Result<()> {
        self.digest_of(key).map(drop)
    }

    pub(crate) fn digest_of(&self, key: &VolumeKey) -> Result<u32> {
        match self.luks1().map(|header| header.key_bytes as usize) {
            Some(length) if length != key.bytes().len() => {
                Err(Error::key_length(key.bytes().len(), vec![length]))
            }
            _ => digest::recognise(&self.header.metadata, key),
        }
    }

    /// Puts the volume key under another passphrase and says in which key slot.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::WrongVolumeKey`], [`Error::Unfit`] if no room is left or the key slot that is wanted
    /// is taken; [`Error::Parameters`] if there are no such key slots; [`Error::KeyDerivation`], [`Error::Io`]
    pub fn add_key(
        &mut self,
        key: &VolumeKey,
        passphrase: &[u8],
        parameters: &KeyslotParameters,
        ciphers: &dyn Ciphers,
    ) -> Result<u32> {
        self.usable()?;
        self.writable()?;
        let digest = self.digest_of(key)?;
        let room = match &self.form {
            Form::Luks1(header) => Room::of_luks1(header, parameters.number)?,
            Form::Luks2 => Room::find(&self.header.metadata, key.bytes().len(), parameters.number)?,
        };
        self.put(room, digest, key, passphrase, parameters, ciphers)
    }

    /// Makes a key slot in a place of this container, and says which it is.
    fn put(
        &mut self,
        room: Room,
        digest: u32,
        key: &VolumeKey,
        passphrase: &[u8],
        parameters: &KeyslotParameters,
        ciphers: &dyn Ciphers,
    ) -> Result<u32> {
        let Sealed { number, slot, area } = match &self.form {
            Form::Luks1(header) => {
                let parameters = keyslot::for_luks1(header, parameters)?;
                keyslot::seal(room, key, passphrase, &parameters, ciphers)?
            }
            Form::Luks2 => {
                parameters.check()?;
                keyslot::seal(room, key, passphrase, parameters, ciphers)?
            }
        };
        // The area first: a header must not speak of a key slot that is not there yet.
        self.write_area(&area, slot.area.offset)?;
        self.replace(|it| it.with_keyslot(number, &slot, digest), |it| it.set_slot(number, Some(&slot)))?;
        Ok(number)
    }

    /// Whether a key slot can be [changed](Self::change_key) only by writing over it where it lies, since there is no room
    /// for another one: a power failure meanwhile loses it.
    ///
    /// # Errors
    /// [`Error::NoSuchSlot`]; [`Error::NoRoomBeside`] if the data would be lost with it; [`Error::Unfit`] if there is no
    /// room even so.
    pub fn is_changed_in_place(&self, number: u32, key: &VolumeKey) -> Result<bool> {
        Ok(matches!(self.replacement(number, key)?, Replacement::InPlace(_)))
    }

    fn replacement(&self, number: u32, key: &VolumeKey) -> Result<Replacement> {
        if !self.header.metadata.keyslots().contains_key(&number) {
            return Err(Error::NoSuchSlot(number));
        }
        let found = match &self.form {
            Form::Luks1(header) => Replacement::of_luks1(header, number)?,
            Form::Luks2 => Replacement::find(&self.header.metadata, key.bytes().len(), number)?,
        };
        match found {
            Replacement::InPlace(_) if self.alone_holds_data_key(number) => Err(Error::NoRoomBeside(number)),
            found => Ok(found),
        }
    }

    /// Puts the key of a key slot under another passphrase or key derivation, and says in which key slot it is then: the
    /// same in LUKS2, another one in LUKS1 where one is free. The new one is there and durable before the old one is
    /// destroyed, so that one of them opens whenever this ends; but for a key slot that is
    /// [changed in place](Self::is_changed_in_place).
    ///
    /// # Errors
    /// As [`add_key`](Self::add_key); [`Error::NoSuchSlot`], [`Error::NoRoomBeside`].
    pub fn change_key(
        &mut self,
        old: u32,
        key: &VolumeKey,
        passphrase: &[u8],
        parameters: &KeyslotParameters,
        ciphers: &dyn Ciphers,
    ) -> Result<u32> {
        let before = self.header.metadata.keyslots().get(&old).ok_or(Error::NoSuchSlot(old))?.area.clone();
        if let Replacement::Moved(room) | Replacement::InPlace(room) = self.replacement(old, key)? {
            return self.change_number(&before, room, key, passphrase, parameters, ciphers);
        }
        let new = self.add_key(key, passphrase, parameters, ciphers)?;
        self.destroy_area(&before)?;
        self.replace(|it| it.with_keyslot_moved(new, old), |it| it.set_slot(old, None))?;
        Ok(if self.luks1().is_some() { new } else { old })
    }

    /// The same where no other number is free. What is written first is the area: until the header says how it opens, the old
    /// one does, unless it is the same.
    fn change_number(
        &mut self,
        before: &Area,
        room: Room,
        key: &VolumeKey,
        passphrase: &[u8],
        parameters: &KeyslotParameters,
        ciphers: &dyn Ciphers,
    ) -> Result<u32> {
        self.usable()?;
        self.writable()?;
        let digest = self.digest_of(key)?;
        let holds = self.header.metadata.digests().get(&digest).map(|digest| &digest.keyslots);
        if !holds.is_some_and(|slots| slots.contains(&room.number)) {
            return Err(Error::WrongVolumeKey);
        }
        let number = self.put(room, digest, key, passphrase, parameters, ciphers)?;
        if before.offset != room.offset {
            self.destroy_area(before)?;
        }
        Ok(number)
    }

    /// Whether a key slot may be removed.
    ///
    /// # Errors
    /// [`Error::Requirement`], [`Error::NoSuchSlot`], [`Error::LastSlot`].
    pub fn may_remove(&self, number: u32) -> Result<()> {
        self.usable()?;
        let slots = self.header.metadata.keyslots();
        match slots.contains_key(&number) {
            false => Err(Error::NoSuchSlot(number)),
            true if slots.len() == 1 || self.alone_holds_data_key(number) => Err(Error::LastSlot(number)),
            true => Ok(()),
        }
    }

    /// Whether the data would be lost with this key slot.
    fn alone_holds_data_key(&self, number: u32) -> bool {
        let mut others = self.header.metadata.keyslots().keys().filter(|other| **other != number);
        self.holds_data_key(number) && !others.any(|other| self.holds_data_key(*other))
    }

    /// The numbers and types of the tokens that nobody can use any more without these key slots.
    pub fn tokens_of(&self, gone: &[u32]) -> Vec<(&str, &str)> {
        let gone: Vec<String> = gone.iter().map(u32::to_string).collect();
        let tokens = self.header.metadata.tokens().iter();
        let of_those = tokens.filter(|(_, token)| {
            let mut slots =
                token["keyslots"].as_array().into_iter().flatten().filter_map(Value::as_str).peekable();
            slots.peek().is_some() && slots.all(|slot| gone.iter().any(|gone| gone == slot))
        });
        of_those
            .map(|(number, token)| (number.as_str(), token["type"].as_str().unwrap_or_default()))
            .collect()
    }

    /// Removes a key slot and overwrites its area with random bytes, as far as the medium obeys.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::NoSuchSlot`], [`Error::LastSlot`], [`Error::Io`]
    pub fn remove_key(&mut self, number: u32) -> Result<()> {
        self.may_remove(number)?;
        self.writable()?;
        let slots = self.header.metadata.keyslots();
        let area = slots.get(&number).ok_or(Error::NoSuchSlot(number))?.area.clone();
        self.destroy_area(&area)?;
        self.replace(|it| it.without_keyslot(number), |it| it.set_slot(number, None))
    }

    /// Says when a key slot is tried.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::NoSuchSlot`], [`Error::Unfit`] for LUKS1, [`Error::Io`]
    pub fn set_priority(&mut self, number: u32, priority: Priority) -> Result<()> {
        self.usable()?;
        self.writable()?;
        if !self.header.metadata.keyslots().contains_key(&number) {
            return Err(Error::NoSuchSlot(number));
        }
        if self.luks1().is_some() {
            return Err(keyslot::no_priorities());
        }
        self.replace(|it| it.with_priority(number, priority.number()), |_| {})
    }

    /// Changes the header, in memory once it is so in the file.
    pub(crate) fn replace(
        &mut self,
        luks2: impl FnOnce(&Metadata) -> Result<Metadata>,
        luks1: impl FnOnce(&mut Luks1),
    ) -> Result<()> {
        self.mend()?;
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
        Ok(())
    }

    /// Overwrites all that a key slot has of its key: of the splitter's stripes each one is needed.
    fn destroy_area(&mut self, area: &Area) -> Result<()> {
        // The rules of the format bound an area to 128 MiB.
        let noise = random(usize::try_from(area.size).unwrap_or(0))?;
        self.write_area(&noise, area.offset)
    }
}
