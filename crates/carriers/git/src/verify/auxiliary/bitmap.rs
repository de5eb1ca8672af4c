//! Bitmaps of reachability: for some commits of a pack, or of several, which objects they lead to (gitformat-bitmap(5)).

use std::collections::BTreeSet;

use super::Bench;
use super::chunks::word;
use super::closure::Closure;
use super::ewah::{self, Words};
use super::judge::Judge;
use crate::ObjectType;

pub(super) const REMEDY: &str =
    "make it again with `git repack -adb`, or `git multi-pack-index write --bitmap`";

const FULL_DAG: u16 = 0x1;
const HASH_CACHE: u16 = 0x4;
const LOOKUP_TABLE: u16 = 0x10;
const PSEUDO_MERGES: u16 = 0x20;

/// What a bitmap file is about.
pub(super) struct Subject<'a> {
    /// The objects, by their numbers in the repository, in the order of the bits; none of what is not in it.
    pub(super) bits: &'a [Option<u32>],
    /// The bit of each object in the order of their IDs.
    pub(super) by_id: &'a [u32],
    /// The checksum of the pack or of the multi-pack index.
    pub(super) owner: &'a [u8],
}

/// An entry that was decoded.
struct Entry {
    commit: u32,
    words: Words,
}

/// Judges a file. What was not checked of it is put into `unchecked`; returns nothing where the file ends the check.
pub(super) fn check(
    bench: &Bench<'_>,
    subject: &Subject<'_>,
    judge: &mut Judge<'_>,
    unchecked: &mut BTreeSet<&'static str>,
) -> Option<()> {
    let file = judge.open()?;
    let bytes = file.bytes();
    let id_len = bench.id_len();
    judge.seal(bytes, id_len);
    let header = 12 + id_len;
    let (Some(b"BITM"), Some(start)) = (bytes.get(..4), bytes.get(4..header)) else {
        judge.wrong(0, "this is no bitmap");
        return None;
    };
    let short = |at: usize| start.get(at..at + 2).map_or(0, |two| u16::from_be_bytes([two[0], two[1]]));
    let (version, flags) = (short(0), short(2));
    if version != 1 {
        judge.wrong(4, format!("its version is {version}, not 1"));
        return None;
    }
    if flags & FULL_DAG == 0 || flags & !(FULL_DAG | HASH_CACHE | LOOKUP_TABLE | PSEUDO_MERGES) != 0 {
        judge.wrong(6, format!("its flags are {flags:#x}, some of which are unknown or missing"));
        return None;
    }
    let count = word(bytes, 2).unwrap_or(0) as usize;
    if bytes.get(12..header) != Some(subject.owner) {
        judge.wrong(12, "it belongs to another file");
        return None;
    }
    let mut reader = Reader { bytes, at: header, bits: subject.bits.len() };
    types(bench, subject, &mut reader, judge)?;
    let (entries, starts) = entries(subject, count, &mut reader, judge)?;
    let end = behind_entries(bytes, id_len, subject.bits.len(), count, flags, &starts, judge)?;
    if reader.at != end {
        judge.wrong(reader.at, "there are bytes that belong to nothing");
        return None;
    }
    if flags & PSEUDO_MERGES != 0 {
        unchecked.insert("bitmaps of pseudo-merges");
    }
    if flags & HASH_CACHE != 0 {
        // They are of any path that an object once had, and only help to find bases for deltas.
        unchecked.insert("hashes of names in bitmaps");
    }
    if judge.is_content() && !bench.is_damaged {
        unchecked.extend(reachability(bench, subject, &entries, header, judge));
    }
    Some(())
}

/// A bitmap's commit by its place in the order of IDs, where it begins, and the place of the commit of which the bitmap is
/// what it is a difference from.
type Start = (u32, usize, Option<u32>);

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    bits: usize,
}

impl Reader<'_> {
    fn bitmap(&mut self, judge: &mut Judge<'_>) -> Option<Words> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let read = ewah::read(rest, self.bits).map_err(|problem| (self.at, problem.to_owned()));
        let (words, len) = judge.take(read)?;
        self.at += len;
        Some(words)
    }
}

/// The four bitmaps of types: each object is in that of its type alone.
fn types(
    bench: &Bench<'_>,
    subject: &Subject<'_>,
    reader: &mut Reader<'_>,
    judge: &mut Judge<'_>,
) -> Option<()> {
    const ORDER: [ObjectType; 4] = [ObjectType::Commit, ObjectType::Tree, ObjectType::Blob, ObjectType::Tag];
    for kind in ORDER {
        let at = reader.at;
        let words = reader.bitmap(judge)?;
        for (bit, number) in (0..).zip(subject.bits) {
            let Some(number) = number else { continue };
            if ewah::has(&words, bit) != (bench.objects.kind(*number) == kind) && !bench.is_damaged {
                judge
                    .wrong(at, format!("the bitmap of all objects of the type {kind} is wrong at bit {bit}"));
                break;
            }
        }
    }
    Some(())
}

/// All entries with their bits, and where each begins.
fn entries(
    subject: &Subject<'_>,
    count: usize,
    reader: &mut Reader<'_>,
    judge: &mut Judge<'_>,
) -> Option<(Vec<Entry>, Vec<Start>)> {
    /// Entries before one that it may be a difference from.
    const FARTHEST: usize = 160;
    let (mut entries, mut starts) = (Vec::<Entry>::new(), Vec::<Start>::new());
    for nth in 0..count {
        let start = reader.at;
        let Some(&[a, b, c, d, distance, _flags]) = reader.bytes.get(start..start + 6) else {
            judge.wrong(start, "the bitmaps of commits are cut off");
            return None;
        };
        let place = u32::from_be_bytes([a, b, c, d]);
        let Some(&commit) = subject.by_id.get(place as usize) else {
            judge.wrong(start, format!("bitmap {nth} is of an object that does not exist"));
            return None;
        };
        reader.at += 6;
        let mut words = reader.bitmap(judge)?;
        let distance = usize::from(distance);
        let mut base_place = None;
        if distance > 0 {
            let base = nth.checked_sub(distance).filter(|_| distance <= FARTHEST);
            let Some((base, (base_start, ..))) =
                base.and_then(|at| Some((entries.get(at)?, starts.get(at)?)))
            else {
                judge.wrong(start + 4, format!("bitmap {nth} is a difference from one that does not exist"));
                return None;
            };
            words.iter_mut().zip(&base.words).for_each(|(word, base)| *word ^= base);
            base_place = Some(*base_start);
        }
        entries.push(Entry { commit, words });
        starts.push((place, start, base_place));
    }
    Some((entries, starts))
}

/// Where the entries end, told from the end of the file: what lies behind them is of known length.
fn behind_entries(
    bytes: &[u8],
    id_len: usize,
    objects: usize,
    count: usize,
    flags: u16,
    starts: &[Start],
    judge: &mut Judge<'_>,
) -> Option<usize> {
    let mut end = bytes.len() - id_len;
    if flags & HASH_CACHE != 0 {
        end = end.checked_sub(4 * objects).or_else(|| {
            judge.wrong(bytes.len(), "the hashes of names are cut off");
            None
        })?;
    }
    if flags & LOOKUP_TABLE != 0 {
        end = end.checked_sub(ROW * count).or_else(|| {
            judge.wrong(bytes.len(), "the table of bitmaps is cut off");
            None
        })?;
        lookup_table(bytes.get(end..end + ROW * count).unwrap_or_default(), end, starts, judge);
    }
    if flags & PSEUDO_MERGES != 0 {
        let size = end.checked_sub(8).and_then(|at| bytes.get(at..)?.first_chunk());
        let size = size.and_then(|bytes| usize::try_from(u64::from_be_bytes(*bytes)).ok());
        end = size.and_then(|size| end.checked_sub(size)).or_else(|| {
            judge.wrong(end, "the pseudo-merges are cut off");
            None
        })?;
    }
    Some(end)
}

/// Bytes of a row of the table of bitmaps: the commit, the place of its bitmap, the row of the one that it is a difference
/// from.
const ROW: usize = 16;

/// Holds the table of bitmaps, which begins at `offset`, against where they are.
fn lookup_table(table: &[u8], offset: usize, starts: &[Start], judge: &mut Judge<'_>) {
    /// The row of what is no difference.
    const NO_ROW: u32 = u32::MAX;
    let mut wanted: Vec<Start> = starts.to_vec();
    wanted.sort_unstable();
    for (nth, (row, (place, start, base))) in table.chunks_exact(ROW).zip(&wanted).enumerate() {
        let found = row.get(4..).and_then(|rest| rest.first_chunk()).map(|bytes| u64::from_be_bytes(*bytes));
        if word(row, 0) != Some(*place) || found != Some(*start as u64) {
            judge.wrong(
                offset + ROW * nth,
                format!("the table of bitmaps does not say where that of commit {place} is"),
            );
            break;
        }
        let base = base.map(|base| wanted.partition_point(|(place, ..)| *place < base) as u32);
        if word(row, 3) != Some(base.unwrap_or(NO_ROW)) {
            judge.wrong(
                offset + ROW * nth + 12,
                format!("the table of bitmaps does not say what that of commit {place} is a difference from"),
            );
            break;
        }
    }
}

/// Walks from each commit and compares. Returns what is too much to be done.
fn reachability(
    bench: &Bench<'_>,
    subject: &Subject<'_>,
    entries: &[Entry],
    offset: usize,
    judge: &mut Judge<'_>,
) -> Option<&'static str> {
    /// Bytes of bitmaps that are kept at once.
    const MOST: usize = 1 << 30;
    if entries.len().saturating_mul(subject.bits.len() / 8) > MOST {
        return Some("what commits lead to by large bitmaps");
    }
    if bench.repository.common_dir().join("info/grafts").exists() {
        return Some("what commits lead to by bitmaps, since there are grafts");
    }
    let mut closure = Closure::new(bench, subject.bits)?;
    let mut by_commit: std::collections::HashMap<u32, &Entry> = std::collections::HashMap::new();
    for entry in entries {
        if let Some(Some(number)) = subject.bits.get(entry.commit as usize) {
            by_commit.insert(*number, entry);
        }
    }
    for number in closure.commits_in_order() {
        if bench.options.interrupt.load(std::sync::atomic::Ordering::Relaxed) {
            return None;
        }
        let Some(entry) = by_commit.get(&number) else { continue };
        let id = crate::ObjectId::from_bytes(bench.objects.id(number));
        let id = id.map(|id| id.to_string()).unwrap_or_default();
        match closure.of(number) {
            Ok(words) if *words == entry.words => {}
            Ok(_) => judge
                .wrong(offset, format!("the bitmap of the commit {id} says other objects than it leads to")),
            Err(missing) => {
                judge.wrong(
                    offset,
                    format!("the commit {id} leads to {missing}, which has no bit in the bitmap"),
                );
            }
        }
    }
    if by_commit.keys().any(|&number| bench.objects.kind(number) != ObjectType::Commit) {
        judge.wrong(offset, "a bitmap is of an object that is no commit");
    }
    None
}
