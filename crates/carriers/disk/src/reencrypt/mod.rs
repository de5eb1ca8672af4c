//! Another cipher and another key for data that is there, which may be interrupted at any write and goes on.
//!
//! It is what `cryptsetup reencrypt` does, in the same metadata (LUKS2 On-Disk Format Specification 1.1.0, sections 3.2.3,
//! 3.3.1 and 4.3), so that either finishes what the other began: forward, from one key to another, without moving data.
//!
//! 1. [`Container::begin_reencryption`] puts the new key into a key slot and says in the header what is to be done.
//! 2. [`Container::reencryption_keys`] opens both keys with the passphrase.
//! 3. [`Container::reencrypt`] does it, or goes on.

#[cfg(test)]
mod cryptsetup;
mod space;
mod state;
#[cfg(test)]
mod tests;
mod verification;
mod zones;

use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};

use crate::container::{Container, Unlocked};
use crate::digest;
use crate::error::{Error, Result};
use crate::file;
use crate::hash::Hash;
use crate::header;
use crate::header::json::{self, Segment};
use crate::keyslot::{self, KeyslotParameters, Room, Sealed};
use crate::secret::{VolumeKey, wipe_stack};
use crate::segment::{Numbering, SectorCipher};
use crate::spec::{CipherSpec, Ciphers};
use crate::storage;
use crate::store::Store;
pub use space::Space;
use state::State;
pub use zones::Options;
use zones::{Keys, Places};

/// How a zone of the data is protected while it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resilience {
    /// Not at all: an interruption other than [`Options::interrupted`] loses data.
    None,
    /// By checksums of its pieces, which tell old from new ones. The medium must write a piece, which has the size of the
    /// larger sector, whole or not at all.
    Checksum(Hash),
    /// By a copy of it: everything is written twice, and nothing is expected of the medium.
    Journal,
}

impl Resilience {
    /// As the header has it.
    pub fn name(self) -> &'static str {
        match self {
            Resilience::None => "none",
            Resilience::Checksum(_) => "checksum",
            Resilience::Journal => "journal",
        }
    }
}

/// What shall become of the data.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The new cipher.
    pub encryption: CipherSpec,
    /// Bytes of a sector; those that it has if none are given.
    pub sector_size: Option<u32>,
    /// How zones are protected.
    pub resilience: Resilience,
    /// The new key's key slot.
    pub keyslot: KeyslotParameters,
    /// Of the new digests; as many as take an eighth of a second if none are given.
    pub digest_iterations: Option<u32>,
}

/// Both keys of a re-encryption.
#[derive(Debug)]
pub struct BothKeys {
    /// Of what is to be done. Nothing where all is done, the key has gone, and only the header does not say so.
    pub old: Option<VolumeKey>,
    /// Of what is done.
    pub new: VolumeKey,
}

/// How far one is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The cipher that the data had.
    pub from: String,
    /// The cipher that it will have.
    pub to: String,
    /// Bytes from the beginning on that have it; nothing if all have.
    pub done: Option<u64>,
    /// How zones are protected.
    pub resilience: Resilience,
}

impl Container {
    /// The re-encryption that is under way, if one is.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for one that is not gone on with here; [`Error::Requirement`] for what else the header requires;
    /// [`Error::Metadata`].
    pub fn reencryption(&self) -> Result<Option<Standing>> {
        match self.header().metadata.requirements() {
            [] => return Ok(None),
            [name] if name == state::REQUIREMENT => {}
            _ => self.usable()?,
        }
        let state = State::read(&self.header().metadata)?;
        let cipher = |segment: &Value| segment["encryption"].as_str().unwrap_or_default().to_owned();
        Ok(Some(Standing {
            from: cipher(&state.previous),
            to: cipher(&state.last),
            done: state.done,
            resilience: state.resilience,
        }))
    }

    fn is_reencrypted(&self) -> bool {
        self.header().metadata.requirements() == [state::REQUIREMENT]
    }

    /// Whether what is under way is gone on with here.
    pub(crate) fn is_resumed(&self) -> bool {
        self.is_reencrypted() && State::read(&self.header().metadata).is_ok()
    }

    /// The data that a re-encryption is of, if there can be one. This needs no key.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for data in several segments, with tags, or in LUKS1.
    pub fn may_be_reencrypted(&self) -> Result<&Segment> {
        let unsupported = |what: &str| Error::Unsupported {
            what: format!("the re-encryption of {what}"),
            remedy: "copy the data into a new container",
        };
        if self.luks1().is_some() {
            return Err(unsupported("LUKS1"));
        }
        let segments = self.header().metadata.segments();
        let (Some(segment), 1) = (segments.get(&0), segments.len()) else {
            return Err(unsupported("several segments"));
        };
        if segment.kind != "crypt" || segment.integrity.is_some() || !segment.flags.is_empty() {
            return Err(unsupported("data with tags or without a cipher"));
        }
        match segment.size {
            Some(_) => Err(unsupported("data of a size that the header fixes")),
            None => Ok(segment),
        }
    }

    /// Puts a new volume key under the passphrase and writes down what is to be done; the data stays as it is. From now on
    /// the container opens when the re-encryption is finished, and then with this passphrase alone: all key slots of the
    /// old key go. Tokens of the key slot that the passphrase opened are those of the new one too.
    ///
    /// # Errors
    /// [`Error::ReadOnly`]; [`Error::Requirement`]; [`Error::WrongVolumeKey`]; [`Error::Unsupported`] for data in several
    /// segments, with tags, or in LUKS1; [`Error::Unfit`] if the sectors or the room for key slots do not fit;
    /// [`Error::NoCipher`]; [`Error::Io`].
    pub fn begin_reencryption(
        &mut self,
        unlocked: &Unlocked,
        new: &VolumeKey,
        passphrase: &[u8],
        plan: &Plan,
        data: Option<&Path>,
        ciphers: &dyn Ciphers,
    ) -> Result<()> {
        let old = &unlocked.key;
        self.usable()?;
        self.writable()?;
        let segment = self.may_be_reencrypted()?;
        plan.keyslot.check()?;
        let metadata = &self.header().metadata;
        let old_digest = self.digest_of(old)?;
        // What is not there, or cannot be written to, is missed before anything is written.
        let held = self.data_apart(data)?;
        let (other, path) = (held.as_deref(), data.unwrap_or(self.path()));
        let sector_size = plan.sector_size.or(segment.sector_size).unwrap_or(512);
        let (before, after) = (sectors(segment)?, sector_size);
        numbered(&plan.encryption, new, after, segment.iv_tweak, ciphers)?.with_key(new.bytes())?;
        let encryption = segment.encryption.as_deref().unwrap_or_default().parse()?;
        numbered(&encryption, old, before, 0, ciphers)?.with_key_to_read(old.bytes())?;
        let total = self.data_length(other, path, segment.offset, before)?;
        if !total.is_multiple_of(after.into()) {
            return Err(Error::Unfit(format!(
                "the size of its data, {total} bytes, is not a multiple of the sector size of {after} bytes; choose smaller sectors"
            )));
        }
        let document = metadata.document();
        let (previous, last) =
            State::backups(&document["segments"]["0"], plan.encryption.as_str(), sector_size);
        let digest = digest::make(new, Hash::Sha256, plan.digest_iterations, vec![2])?;
        let new_digest = free(metadata.digests().keys());
        let room = Room::find(metadata, new.bytes().len(), plan.keyslot.number)?;
        let Sealed { number, slot, area } = keyslot::seal(room, new, passphrase, &plan.keyslot, ciphers)?;
        let with_key = metadata.edited(|document| {
            document["keyslots"][number.to_string()] = json!(slot);
            document["digests"][new_digest.to_string()] =
                json!(json::Digest { keyslots: vec![number], segments: Vec::new(), ..digest });
            if let Some(slot) = unlocked.slot {
                state::share_tokens(document, slot, number);
            }
        })?;
        let Some(gap) = keyslot::largest_gap(&with_key) else {
            return Err(Error::Unfit(
                "there is no space to protect the re-encryption; remove a keyslot that is not needed, or copy the data into a \
                 new container"
                    .into(),
            ));
        };
        let own = free(with_key.keyslots().keys());
        let block = u64::from(before.max(after));
        let own_slot = State::slot(plan.resilience, gap, block);
        let bytes = verification::bytes(old, new, &own_slot, &previous, &last)?;
        let own_digest = digest::make(&bytes, Hash::Sha256, plan.digest_iterations, Vec::new())?;
        let own_digest_number = free(with_key.digests().keys());
        let begun = with_key.edited(|document| {
            document["keyslots"][own.to_string()] = own_slot;
            document["segments"]["1"] = previous;
            document["segments"]["2"] = last;
            document["digests"][old_digest.to_string()]["segments"] = json!(["0", "1"]);
            document["digests"][new_digest.to_string()]["segments"] = json!(["2"]);
            document["digests"][own_digest_number.to_string()] =
                json!(json::Digest { keyslots: vec![own], ..own_digest });
            document["config"]["requirements"] = json!({"mandatory": [state::REQUIREMENT]});
        })?;
        self.write_area(&area, slot.area.offset)?;
        self.replace(|_| Ok(begun), |_| {})
    }

    /// Opens both keys of a re-encryption that is under way with the passphrase of both.
    ///
    /// # Errors
    /// [`Error::WrongPassphrase`] if it opens neither, [`Error::OneKey`] if it opens one; [`Error::ForeignReencryption`] if
    /// the metadata is not what the owner of both keys began.
    pub fn reencryption_keys(&self, passphrase: &[u8], ciphers: &dyn Ciphers) -> Result<BothKeys> {
        let keys = self.both_keys(passphrase, ciphers);
        wipe_stack();
        keys
    }

    // What it leaves on the stack must lie below its caller, who wipes that.
    #[inline(never)]
    fn both_keys(&self, passphrase: &[u8], ciphers: &dyn Ciphers) -> Result<BothKeys> {
        self.unambiguous()?;
        let metadata = &self.header().metadata;
        let state = State::read(metadata)?;
        let (mut opened, mut tried) = ([None, None], Vec::new());
        for (wanted, key) in [state.old_digest, state.new_digest].into_iter().zip(&mut opened) {
            let slots = metadata.digests().get(&wanted).map_or(&[][..], |digest| &digest.keyslots);
            for number in slots {
                let Some(slot) = metadata.keyslots().get(number) else { continue };
                *key = self.try_slot(*number, slot, passphrase, ciphers)?;
                if key.is_some() {
                    break;
                }
                tried.push(*number);
            }
        }
        let keys = match opened {
            [None, None] => return Err(Error::WrongPassphrase { tried: tried.len() }),
            // cryptsetup destroys the old key's slots before the header says that all is done (2.6.1 to 2.8.7,
            // `reencrypt_teardown_ok`), and finds no way on if it was ended in between.
            [None, Some(new)] if state.is_all_done(metadata) => BothKeys { old: None, new },
            [Some(old), Some(new)] => BothKeys { old: Some(old), new },
            [None, Some(_)] | [Some(_), None] => return Err(Error::OneKey { closed: tried }),
        };
        self.verified(&state, keys)
    }

    /// Keys that fit to what the header says. Where the old one has gone, what is left to be said is said by the header in
    /// whole: all data has the new key.
    fn verified(&self, state: &State, keys: BothKeys) -> Result<BothKeys> {
        let metadata = &self.header().metadata;
        let digest = |number| metadata.digests().get(&number).ok_or(Error::ForeignReencryption);
        let new = digest(state.new_digest)?;
        let Some(old) = &keys.old else {
            return match state.is_all_done(metadata) && digest::matches(metadata, new, &keys.new)? {
                true => Ok(keys),
                false => Err(Error::ForeignReencryption),
            };
        };
        digest::has_length(metadata, digest(state.old_digest)?, old)?;
        digest::has_length(metadata, new, &keys.new)?;
        let slot = &metadata.document()["keyslots"][state.slot.to_string()];
        let bytes = verification::bytes(old, &keys.new, slot, &state.previous, &state.last)?;
        match digest::computes(digest(state.own_digest)?, &bytes)? {
            true => Ok(keys),
            false => Err(Error::ForeignReencryption),
        }
    }

    /// Goes on with a re-encryption until it is finished; the old key slots are destroyed then.
    ///
    /// `data` is the file of the data of a detached header.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if that was asked for; [`Error::ReadOnly`], [`Error::Metadata`], [`Error::NoCipher`],
    /// [`Error::DetachedHeader`], [`Error::SameStorage`], [`Error::OwnHeader`], [`Error::OtherData`], [`Error::Io`]; it can be
    /// gone on with then. [`Error::Unprotected`] for one without protection that was not ended in order.
    pub fn reencrypt(
        &mut self,
        keys: BothKeys,
        data: Option<&Path>,
        ciphers: &dyn Ciphers,
        options: &Options<'_>,
    ) -> Result<()> {
        self.writable()?;
        self.unambiguous()?;
        if !self.is_reencrypted() {
            return Err(Error::Metadata("no supported re-encryption is under way".into()));
        }
        let other = self.data_apart(data)?;
        let header: &dyn Store = self.file();
        let places = Places {
            header,
            data: other.as_deref().map_or(header, |file| file),
            path: data.unwrap_or(self.path()),
        };
        let changed = self.reencrypt_in(&places, keys, other.as_deref(), ciphers, options)?;
        self.set_header(changed);
        Ok(())
    }

    fn reencrypt_in(
        &self,
        places: &Places<'_>,
        keys: BothKeys,
        other: Option<&File>,
        ciphers: &dyn Ciphers,
        options: &Options<'_>,
    ) -> Result<crate::header::Header> {
        let mut header = self.header().clone();
        let state = State::read(&header.metadata)?;
        let keys = self.verified(&state, keys)?;
        let before = header.metadata.clone();
        let prepared = match &keys.old {
            None => None,
            Some(old) => Some(Keys {
                // A key that the standard forbids is a reason for a re-encryption.
                old: prepared(&state.previous, old, ciphers)?.with_key_to_read(old.bytes())?,
                new: prepared(&state.last, &keys.new, ciphers)?.with_key(keys.new.bytes())?,
            }),
        };
        drop(keys);
        wipe_stack();
        // Of an old copy, a zone's protection may be of another zone by now.
        let mend =
            |header: &header::Header| header::mend(places.header, places.path, header, self.condition());
        match prepared {
            None => {
                mend(&header)?;
                zones::finish(places, &mut header, &state)?;
            }
            Some(prepared) => {
                let sector = prepared.old.sector_size() as u32;
                let total = self.data_length(other, places.path, state.data, sector)?;
                mend(&header)?;
                zones::run(places, &mut header, &state, &prepared, total, options)?;
            }
        }
        // The header speaks of none of these any more, so nothing depends on whether this is reached.
        let gone = before.keyslots().iter().filter(|(it, _)| !header.metadata.keyslots().contains_key(it));
        for (_, slot) in gone {
            let noise = crate::secret::random(usize::try_from(slot.area.size).unwrap_or(0))?;
            let written = places.header.write(&noise, slot.area.offset);
            written.map_err(Error::io_at(places.path, "destroy an old keyslot of", slot.area.offset))?;
        }
        places.header.barrier().map_err(Error::io(places.path, "destroy an old keyslot of"))?;
        Ok(header)
    }

    /// The data of a detached header, to be written to; none where it lies behind the header.
    fn data_apart(&self, data: Option<&Path>) -> Result<Option<file::Locked>> {
        match data {
            None if self.is_detached() => Err(Error::DetachedHeader(self.path().to_owned())),
            None => Ok(None),
            Some(path) if storage::shared(self.path(), path) => {
                Err(Error::SameStorage { one: self.path().to_owned(), other: path.to_owned() })
            }
            Some(path) => {
                let file = file::open(path, file::Access::Write)?;
                // What is encrypted from its first byte on begins with no magic.
                let begins = self.header().metadata.segments().values().any(|segment| segment.offset == 0);
                match begins && header::is_at_the_beginning(&file, path)? {
                    true => Err(Error::OwnHeader(path.to_owned())),
                    false => Ok(Some(file)),
                }
            }
        }
    }

    /// Bytes of the data in this file, or behind the header, a whole number of sectors.
    fn data_length(&self, other: Option<&File>, path: &Path, offset: u64, sector: u32) -> Result<u64> {
        let found = file::size(other.unwrap_or(self.file()), path)?;
        let length = found.saturating_sub(offset);
        match length - length % u64::from(sector) {
            0 => {
                let needed = offset + u64::from(sector);
                Err(Error::Truncated { path: path.to_owned(), found, needed, header_only: found <= offset })
            }
            length => Ok(length),
        }
    }
}

/// The first number that is not taken.
fn free<'a>(taken: impl Iterator<Item = &'a u32>) -> u32 {
    let taken: Vec<u32> = taken.copied().collect();
    (0..).find(|number| !taken.contains(number)).unwrap_or(u32::MAX)
}

fn sectors(segment: &Segment) -> Result<u32> {
    match segment.sector_size.unwrap_or(512) {
        size @ (512 | 1024 | 2048 | 4096) => Ok(size),
        size => {
            Err(Error::Unfit(format!("invalid sector size {size}: expected 512, 1024, 2048 or 4096 bytes")))
        }
    }
}

fn numbered(
    spec: &CipherSpec,
    key: &VolumeKey,
    sector_size: u32,
    iv_tweak: u64,
    ciphers: &dyn Ciphers,
) -> Result<SectorCipher> {
    let numbering = Numbering { sector_size: sector_size as usize, iv_tweak, large_sectors: false };
    SectorCipher::find_numbered(spec, key.bytes().len(), numbering, ciphers)
}

fn prepared(segment: &Value, key: &VolumeKey, ciphers: &dyn Ciphers) -> Result<SectorCipher> {
    let segment: Segment = serde_json::from_value(segment.clone())
        .map_err(|error| Error::Metadata(format!("cannot parse a segment's backup: {error}")))?;
    let spec = segment.encryption.as_deref().unwrap_or_default().parse()?;
    numbered(&spec, key, sectors(&segment)?, segment.iv_tweak, ciphers)
}
