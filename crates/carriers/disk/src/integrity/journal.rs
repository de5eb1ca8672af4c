//! dm-integrity's journal: what was written is there before it is where it belongs (`replay_journal` of Linux,
//! `drivers/md/dm-integrity.c`).
//!
//! The journal is a ring of sections. Each begins with entries, in eight sectors of 512 bytes, and goes on with the data of
//! these entries; the last eight bytes of every sector are its *commit number*, one of four turns exclusive-ored with its
//! place, and what data has there stands in its entry. A section is whole if all its commit numbers are of one turn.

use super::layout::{ENTRY_SECTORS, Layout, SECTOR_DATA};
use crate::store::Store;

const TURNS: u8 = 4;
const UNIT: usize = 512;
/// In the upper half of an entry's sector: it holds nothing.
const UNUSED: u32 = u32::MAX;

/// Where the next section goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    section: u32,
    turn: u8,
}

/// A sector as it is to be written: its number, its ciphertext and its tag.
pub(super) struct Entry {
    pub(super) sector: u64,
    pub(super) data: Vec<u8>,
    pub(super) tag: Vec<u8>,
}

pub(super) struct Found {
    /// The oldest first.
    pub(super) entries: Vec<Entry>,
    /// Where the next section goes; nothing if the journal was torn and has to be made anew, from this turn on.
    pub(super) next: Result<Position, u8>,
}

fn commit_number(section: u32, sector: usize, turn: u8) -> u64 {
    (0x1111_1111_1111_1111 * u64::from(turn + 1)) ^ (u64::from(section) << 32) ^ sector as u64
}

/// The turn of a sector of the journal, if it is in its place.
fn turn(section: u32, sector: usize, bytes: &[u8]) -> Option<u8> {
    let number = number(bytes, SECTOR_DATA);
    (0..TURNS).find(|turn| commit_number(section, sector, *turn) == number)
}

fn number(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn before(turn: u8) -> u8 {
    (turn + TURNS - 1) % TURNS
}

fn after(turn: u8) -> u8 {
    (turn + 1) % TURNS
}

/// Where an entry stands in its section: they go round the sectors.
fn entry_at(layout: &Layout, number: usize) -> usize {
    number % ENTRY_SECTORS * UNIT + number / ENTRY_SECTORS * layout.entry()
}

/// Where an entry's data begins in its section.
fn data_at(layout: &Layout, number: usize) -> usize {
    ENTRY_SECTORS * UNIT + number * layout.sector()
}

/// Reads the journal. `at` is where the superblock lies.
///
/// # Errors
/// The store's; none with what is wrong with the journal.
pub(super) fn read(store: &dyn Store, at: u64, layout: &Layout) -> std::io::Result<Result<Found, String>> {
    let mut section = vec![0; layout.section()];
    // Of each turn, the last section that has it.
    let mut last = [None; TURNS as usize];
    let mut used = false;
    for number in 0..layout.sections {
        store.read(&mut section, at + layout.section_at(number))?;
        for (sector, bytes) in section.chunks(UNIT).enumerate() {
            let Some(seen) = turn(number, sector, bytes).and_then(|turn| last.get_mut(usize::from(turn)))
            else {
                return Ok(Err(format!(
                    "sector {sector} of its section {number} does not belong to the journal"
                )));
            };
            *seen = Some(number);
        }
        used =
            used || (0..layout.section_sectors()).any(|entry| sector_of(layout, &section, entry).is_some());
    }
    let is_used = |turn: u8| last.get(usize::from(turn)).is_some_and(Option::is_some);
    let free = match is_used(TURNS - 1) {
        false => (0..TURNS).rev().find(|turn| *turn == 0 || is_used(turn - 1)),
        true => (0..TURNS).find(|turn| !is_used(*turn)),
    };
    let Some(free) = free else {
        return Ok(Err("it has sections of four generations".to_owned()));
    };
    let newest = before(free);
    let mut wanted = before(newest);
    let used = used && (is_used(wanted) || !is_used(before(wanted)));
    let mut number = last.get(usize::from(newest)).copied().flatten().map_or(0, |last| last + 1);
    if number >= layout.sections {
        (number, wanted) = (0, after(wanted));
    }
    let mut entries = Vec::new();
    for _ in 0..layout.sections {
        store.read(&mut section, at + layout.section_at(number))?;
        let whole =
            section.chunks(UNIT).enumerate().all(|(at, bytes)| turn(number, at, bytes) == Some(wanted));
        if !whole {
            // The system ended while it was written, so nobody was told that it is.
            return Ok(Ok(Found { entries, next: Err(before(before(newest))) }));
        }
        if used {
            entries.extend(
                (0..layout.section_sectors()).filter_map(|entry| self::entry(layout, &section, entry)),
            );
        }
        number += 1;
        if number == layout.sections {
            (number, wanted) = (0, after(wanted));
        }
    }
    Ok(Ok(Found { entries, next: Ok(Position { section: number, turn: wanted }) }))
}

fn sector_of(layout: &Layout, section: &[u8], entry: usize) -> Option<u64> {
    let number = number(section, entry_at(layout, entry));
    (number >> 32 != u64::from(UNUSED)).then_some(number)
}

fn entry(layout: &Layout, section: &[u8], entry: usize) -> Option<Entry> {
    let units = layout.units() as u64;
    // As dm-integrity takes what cannot be.
    let sector = sector_of(layout, section, entry)? / units;
    if sector >= layout.sectors() {
        return None;
    }
    let head = section.get(entry_at(layout, entry) + 8..)?;
    let (last, head) = head.split_at_checked(8 * layout.units())?;
    let tag = head.get(..layout.tag)?.to_vec();
    let at = data_at(layout, entry);
    let mut data = section.get(at..at + layout.sector())?.to_vec();
    for (unit, last) in data.chunks_mut(UNIT).zip(last.chunks(8)) {
        unit.iter_mut().skip(SECTOR_DATA).zip(last).for_each(|(to, from)| *to = *from);
    }
    Some(Entry { sector, data, tag })
}

fn section(layout: &Layout, Position { section: number, turn }: Position, entries: &[Entry]) -> Vec<u8> {
    let mut section = vec![0; layout.section()];
    for number in 0..layout.section_sectors() {
        let Some(entry) = entries.get(number) else {
            put(&mut section, entry_at(layout, number) + 4, &UNUSED.to_le_bytes());
            continue;
        };
        let head = entry_at(layout, number);
        put(&mut section, head, &(entry.sector * layout.units() as u64).to_le_bytes());
        for (unit, bytes) in entry.data.chunks(UNIT).enumerate() {
            put(&mut section, head + 8 + 8 * unit, bytes.get(SECTOR_DATA..).unwrap_or_default());
        }
        put(&mut section, head + 8 + 8 * layout.units(), &entry.tag);
        put(&mut section, data_at(layout, number), &entry.data);
    }
    for (sector, bytes) in section.chunks_mut(UNIT).enumerate() {
        put(bytes, SECTOR_DATA, &commit_number(number, sector, turn).to_le_bytes());
    }
    section
}

fn put(bytes: &mut [u8], at: usize, what: &[u8]) {
    bytes.iter_mut().skip(at).zip(what).for_each(|(to, from)| *to = *from);
}

/// Makes a journal without entries, durable where it returns, and says where its first section goes.
pub(super) fn clear(store: &dyn Store, at: u64, layout: &Layout, turn: u8) -> std::io::Result<Position> {
    for number in 0..layout.sections {
        let empty = section(layout, Position { section: number, turn }, &[]);
        store.write(&empty, at + layout.section_at(number))?;
    }
    store.barrier()?;
    Ok(Position { section: 0, turn: after(turn) })
}

/// Writes entries, of which there are as many as go into the sections up to the ring's end or fewer, durable where it
/// returns. Gives where the next section goes.
pub(super) fn write(
    store: &dyn Store,
    at: u64,
    layout: &Layout,
    mut next: Position,
    entries: &[Entry],
) -> std::io::Result<Position> {
    for entries in entries.chunks(layout.section_sectors()) {
        store.write(&section(layout, next, entries), at + layout.section_at(next.section))?;
        next.section += 1;
    }
    if next.section >= layout.sections {
        next = Position { section: 0, turn: after(next.turn) };
    }
    store.barrier()?;
    Ok(next)
}

/// Entries that go into the sections up to the ring's end.
pub(super) fn room(layout: &Layout, next: Position) -> usize {
    layout.sections.saturating_sub(next.section) as usize * layout.section_sectors()
}
