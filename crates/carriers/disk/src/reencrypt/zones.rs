//! The data, zone by zone: protected, decrypted, encrypted, written, told to the header.
//!
//! Of each zone four things happen, each durable before the next: what a resumption needs goes to the area of the
//! re-encryption's key slot; the header says that the zone may be either; the zone is written; the header says that it is
//! done. Whichever of these writes is the last one that came to the disk, whole or in part, the header leads on.

use std::sync::atomic::{AtomicBool, Ordering};

use fieldtest_cpu::constant_time_eq;

use super::Resilience;
use super::state::State;
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::header::{self, Header};
use crate::secret::Secret;
use crate::segment::SectorKey;
use crate::store::Store;

/// Bytes of a zone at most, which are in memory at once.
const LARGEST_ZONE: u64 = 32 << 20;

/// Bytes of an unfinished zone that are in memory at once, where blocks are not larger.
const RECOVERED: u64 = 1 << 20;

/// Bytes that checksums are made of if a header does not say it.
const BLOCK: u64 = 512;

/// How a re-encryption goes on.
#[derive(Default)]
pub struct Options<'a> {
    /// Bytes of a zone at most; as many as the key slot protects, and no more than 32 MiB, if none are given.
    pub zone: Option<u64>,
    /// Set to end it behind a zone; it can be resumed.
    pub interrupted: Option<&'a AtomicBool>,
    /// Told how many bytes of how many are done.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("zone", &self.zone).finish_non_exhaustive()
    }
}

pub(super) struct Places<'a> {
    /// Of the header and its key slots.
    pub(super) header: &'a dyn Store,
    /// Of the data, which may be the same.
    pub(super) data: &'a dyn Store,
    pub(super) path: &'a std::path::Path,
}

/// The data's ciphers, of which each counts sectors from the beginning of the data.
pub(super) struct Keys {
    pub(super) old: SectorKey,
    pub(super) new: SectorKey,
}

/// Goes on with a re-encryption to its end, which the header says then.
pub(super) fn run(
    places: &Places<'_>,
    header: &mut Header,
    state: &State,
    keys: &Keys,
    total: u64,
    options: &Options<'_>,
) -> Result<()> {
    let unit = (keys.old.sector_size().max(keys.new.sector_size()) as u64).max(state.block);
    let longest = options.zone.unwrap_or(LARGEST_ZONE).min(state.protects());
    let longest = longest - longest % unit;
    if longest == 0 {
        return Err(Error::Unfit(match options.zone.filter(|zone| *zone < unit) {
            Some(zone) => format!("a zone of {zone} bytes is smaller than one step of {unit} bytes"),
            None => {
                "the keyslots area is too small to protect a zone; copy the data into a new container".into()
            }
        }));
    }
    let mut done = state.done.unwrap_or(total);
    if !total.is_multiple_of(unit) {
        return Err(Error::Unfit(format!(
            "the size of its data, {total} bytes, is not a multiple of the re-encryption's steps of {unit} bytes; restore the \
             original size of the file or device"
        )));
    }
    if done > total || state.hot.is_some_and(|hot| hot > total - done) || !done.is_multiple_of(unit) {
        return Err(Error::Metadata("its re-encryption has passed the end of its data".into()));
    }
    let durable = state.resilience != Resilience::None;
    if let Some(length) = state.hot {
        if !durable {
            return Err(Error::Unprotected(places.path.to_owned()));
        }
        recover(places, state, keys, done, length)?;
        done += length;
        if done < total {
            replace(places, header, |it| state.post(it, done))?;
        }
    }
    // Whether it ended in order is asked when it goes on: what has the new key already must not be encrypted again.
    if !durable && done < total {
        replace(places, header, |it| state.hot(it, done, total - done, total))?;
    }
    while done < total {
        options.progress.inspect(|progress| progress(done, total));
        let length = longest.min(total - done);
        let zone = match options.interrupted.is_some_and(|asked| asked.load(Ordering::Relaxed)) {
            true => Err(Error::Interrupted { done, total }),
            false => untouched(places, state.data + done, length),
        };
        let mut zone = match zone {
            Ok(zone) => zone,
            Err(stopped) => {
                leave(places, header, state, done)?;
                return Err(stopped);
            }
        };
        if durable {
            protect(places, state, &zone)?;
            replace(places, header, |it| state.hot(it, done, length, total))?;
        }
        keys.translate(done, &mut zone)?;
        if let Err(failed) = write(places, state.data + done, &zone) {
            // Of this zone something may be lost; of those before it, nothing. Why it ends says the first error.
            let _ = leave(places, header, state, done);
            return Err(failed);
        }
        done += length;
        if durable {
            barrier(places)?;
            // That all is done is said with everything that ends the re-encryption.
            if done < total {
                replace(places, header, |it| state.post(it, done))?;
            }
        }
    }
    barrier(places)?;
    options.progress.inspect(|progress| progress(total, total));
    finish(places, header, state)
}

/// Says in the header that all is done, with everything that ends the re-encryption.
pub(super) fn finish(places: &Places<'_>, header: &mut Header, state: &State) -> Result<()> {
    replace(places, header, |it| state.finished(it))
}

impl State {
    fn protects(&self) -> u64 {
        match self.resilience {
            Resilience::None => LARGEST_ZONE,
            Resilience::Journal => self.area.1,
            Resilience::Checksum(hash) => (self.area.1 / hash.length() as u64).saturating_mul(self.block()),
        }
    }

    fn block(&self) -> u64 {
        if self.block == 0 { BLOCK } else { self.block }
    }
}

impl Keys {
    /// From the old key to the new one, of data that begins so many bytes behind the beginning.
    fn translate(&self, done: u64, data: &mut [u8]) -> Result<()> {
        self.old.decrypt(done / self.old.sector_size() as u64, data)?;
        self.new.encrypt(done / self.new.sector_size() as u64, data)
    }

    /// From the new key to the old one.
    fn translate_back(&self, done: u64, data: &mut [u8]) -> Result<()> {
        self.new.decrypt(done / self.new.sector_size() as u64, data)?;
        self.old.encrypt(done / self.old.sector_size() as u64, data)
    }
}

/// Says how far it came, where the header does not say it already.
fn leave(places: &Places<'_>, header: &mut Header, state: &State, done: u64) -> Result<()> {
    if state.resilience != Resilience::None {
        return Ok(());
    }
    barrier(places)?;
    replace(places, header, |it| state.post(it, done))
}

/// A zone as it was, which there is room to write.
fn untouched(places: &Places<'_>, at: u64, length: u64) -> Result<Secret> {
    let room = places.data.reserve(at, length);
    room.map_err(Error::io_at(places.path, "allocate a zone's space in", at))?;
    let mut zone = buffer(length)?;
    places.data.read(&mut zone, at).map_err(Error::io_at(places.path, "read", at))?;
    Ok(zone)
}

/// Writes down what a resumption needs to tell old from new, or all of the old.
fn protect(places: &Places<'_>, state: &State, zone: &[u8]) -> Result<()> {
    let sums;
    let kept = match state.resilience {
        Resilience::None => return Ok(()),
        Resilience::Journal => zone,
        Resilience::Checksum(hash) => {
            sums = checksums(hash, state.block(), zone);
            &sums
        }
    };
    let at = state.area.0;
    places.header.write(kept, at).map_err(Error::io_at(places.path, "protect a zone of", at))?;
    places.header.barrier().map_err(Error::io(places.path, "flush a zone's protection in"))
}

fn checksums(hash: Hash, block: u64, zone: &[u8]) -> Vec<u8> {
    let block = usize::try_from(block).unwrap_or(usize::MAX);
    zone.chunks(block).flat_map(|block| hash.digest(&[block], <[u8]>::to_vec)).collect()
}

/// Brings a zone to its end of which any piece may be old or new. Who made it may have had more memory, so it goes piece by
/// piece.
fn recover(places: &Places<'_>, state: &State, keys: &Keys, done: u64, length: u64) -> Result<()> {
    if length > state.protects() {
        return Err(Error::Metadata("its re-encryption's zone is larger than its protection".into()));
    }
    if !is_known(places, state, keys, done, length)? {
        return Err(Error::OtherData(places.path.to_owned()));
    }
    for (within, piece) in pieces(state, length) {
        let mut bytes = buffer(piece)?;
        recover_piece(places, state, keys, done, within, &mut bytes)?;
    }
    barrier(places)
}

/// Bytes of an unfinished zone that a medium is expected to write whole, most of them at least.
const SECTOR: usize = 512;

/// Sectors of a zone that cannot all be torn.
const TORN: u64 = 8;

/// Whether anything of an unfinished zone is as it was or as it was to be. Of other data than what the re-encryption was
/// begun with, nothing is.
fn is_known(places: &Places<'_>, state: &State, keys: &Keys, done: u64, length: u64) -> Result<bool> {
    if state.resilience == Resilience::Journal && length < TORN * SECTOR as u64 {
        return Ok(true);
    }
    for (within, piece) in pieces(state, length) {
        if is_piece_known(places, state, keys, done, within, piece)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Where each piece of an unfinished zone begins in it, and its bytes.
fn pieces(state: &State, length: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
    let piece = RECOVERED.max(state.block());
    let step = usize::try_from(piece).unwrap_or(usize::MAX);
    (0..length).step_by(step).map(move |within| (within, piece.min(length - within)))
}

/// The same of some bytes that begin so many behind the zone's beginning.
fn is_piece_known(
    places: &Places<'_>,
    state: &State,
    keys: &Keys,
    done: u64,
    within: u64,
    length: u64,
) -> Result<bool> {
    let at = done + within;
    let mut found = buffer(length)?;
    reading(places, places.data, &mut found, state.data + at)?;
    match state.resilience {
        Resilience::Journal => {
            let mut before = buffer(length)?;
            reading(places, places.header, &mut before, state.area.0 + within)?;
            let same = |one: &[u8], other: &[u8]| {
                one.chunks(SECTOR).zip(other.chunks(SECTOR)).any(|(one, other)| one == other)
            };
            if same(&found, &before) {
                return Ok(true);
            }
            keys.translate(at, &mut before)?;
            Ok(same(&found, &before))
        }
        Resilience::Checksum(hash) => {
            let sums = kept_sums(places, state, hash, within, found.len())?;
            let block = usize::try_from(state.block()).unwrap_or(usize::MAX);
            let blocks = (at..).step_by(block).zip(found.chunks_mut(block));
            for ((from, block), sum) in blocks.zip(sums.chunks_exact(hash.length())) {
                let fits = |block: &[u8]| hash.digest(&[block], |found| constant_time_eq(found, sum));
                if fits(block) {
                    return Ok(true);
                }
                keys.translate_back(from, block)?;
                if fits(block) {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Resilience::None => Ok(true),
    }
}

fn reading(places: &Places<'_>, store: &dyn Store, to: &mut [u8], from: u64) -> Result<()> {
    store.read(to, from).map_err(Error::io_at(places.path, "read an unfinished zone of", from))
}

/// The checksums of so many bytes that begin so many behind the zone's beginning.
fn kept_sums(places: &Places<'_>, state: &State, hash: Hash, within: u64, length: usize) -> Result<Vec<u8>> {
    let block = usize::try_from(state.block()).unwrap_or(usize::MAX);
    let mut kept = vec![0; length.div_ceil(block) * hash.length()];
    let from = state.area.0 + within / state.block() * hash.length() as u64;
    reading(places, places.header, &mut kept, from)?;
    Ok(kept)
}

/// The same of some bytes that begin so many behind the zone's beginning.
fn recover_piece(
    places: &Places<'_>,
    state: &State,
    keys: &Keys,
    done: u64,
    within: u64,
    bytes: &mut [u8],
) -> Result<()> {
    let (at, area) = (done + within, state.area.0);
    match state.resilience {
        Resilience::Journal => {
            reading(places, places.header, bytes, area + within)?;
            keys.translate(at, bytes)?;
            write(places, state.data + at, bytes)
        }
        Resilience::Checksum(hash) => {
            reading(places, places.data, bytes, state.data + at)?;
            let block = usize::try_from(state.block()).unwrap_or(usize::MAX);
            let kept = kept_sums(places, state, hash, within, bytes.len())?;
            let blocks = (at..).step_by(block).zip(bytes.chunks_mut(block));
            for ((from, block), sum) in blocks.zip(kept.chunks_exact(hash.length())) {
                if hash.digest(&[block], |found| constant_time_eq(found, sum)) {
                    keys.translate(from, block)?;
                    write(places, state.data + from, block)?;
                }
            }
            Ok(())
        }
        Resilience::None => Err(Error::Metadata("a zone is unfinished and unprotected".into())),
    }
}

fn buffer(length: u64) -> Result<Secret> {
    Secret::zeroed(usize::try_from(length).unwrap_or(usize::MAX))
}

fn write(places: &Places<'_>, at: u64, bytes: &[u8]) -> Result<()> {
    places.data.write(bytes, at).map_err(Error::io_at(places.path, "write", at))
}

fn barrier(places: &Places<'_>) -> Result<()> {
    places.data.barrier().map_err(Error::io(places.path, "flush the data of"))
}

fn replace(
    places: &Places<'_>,
    header: &mut Header,
    change: impl FnOnce(&header::Metadata) -> Result<header::Metadata>,
) -> Result<()> {
    header.metadata = change(&header.metadata)?;
    header.binary.sequence = header.binary.sequence.saturating_add(1);
    header::write(places.header, places.path, header)
}
