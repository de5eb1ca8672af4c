//! Multi-pack indexes: which pack has which object, alone or in a chain (gitformat-pack(5), “multi-pack-index”).

use std::path::Path;

use super::bitmap::{self, Subject};
use super::chunks::{Chunks, Names, long, word};
use super::commit_graph::read_chain;
use super::judge::Judge;
use super::{Bench, Checked};
use crate::pack::Pack;
use crate::{Error, ObjectId};

const REMEDY: &str = "make it again with `git multi-pack-index write`";
const HIGH_BIT: u32 = 1 << 31;

/// The index that stands alone, with its bitmap and reverse index.
pub(super) fn alone(bench: &Bench<'_>, path: &Path, checked: &mut Checked, damaged: &mut Vec<Error>) {
    let Some(index) = file(bench, path, Below::default(), &mut Judge::new(path, REMEDY, damaged)) else {
        return;
    };
    let beside =
        |extension: &str| path.with_file_name(format!("multi-pack-index-{}.{extension}", index.checksum));
    let reverse = beside("rev");
    if reverse.exists() {
        checked.reverse_indexes += 1;
        let mut judge = Judge::new(&reverse, REMEDY, damaged);
        if let Some(file) = judge.open() {
            super::reverse::reverse(file.bytes(), &index.order, index.checksum.as_bytes(), &mut judge);
        }
    }
    let bits = beside("bitmap");
    if bits.exists() {
        checked.bitmaps += 1;
        let subject = index.order.iter().map(|&at| index.numbers.get(at as usize).copied().flatten());
        let subject: Vec<Option<u32>> = subject.collect();
        let mut by_id = vec![u32::MAX; index.order.len()];
        for (bit, at) in (0..).zip(&index.order) {
            if let Some(slot) = by_id.get_mut(*at as usize) {
                *slot = bit;
            }
        }
        let subject = Subject { bits: &subject, by_id: &by_id, owner: index.checksum.as_bytes() };
        let mut judge = Judge::new(&bits, bitmap::REMEDY, damaged);
        bitmap::check(bench, &subject, &mut judge, &mut checked.unchecked);
    }
}

/// A chain: the names of its files, the lowest first, in `list`. Returns how many there are.
pub(super) fn chain(bench: &Bench<'_>, list: &Path, checked: &mut Checked, damaged: &mut Vec<Error>) -> u64 {
    let Some(names) = read_chain(bench.id_len(), &mut Judge::new(list, REMEDY, damaged)) else { return 0 };
    let mut below = Below::default();
    for (nth, name) in names.iter().enumerate() {
        let path = list.with_file_name(format!("multi-pack-index-{name}.midx"));
        let mut judge = Judge::new(&path, REMEDY, damaged);
        let index = file(bench, &path, below, &mut judge);
        let objects = index.as_ref().map_or(0, |index| index.order.len());
        below = Below { files: nth + 1, objects: below.objects.saturating_add(objects as u32) };
        if index.is_some_and(|index| index.checksum != *name) {
            judge.wrong(0, "it does not end with the checksum that its name says");
        }
        for (extension, what) in [
            ("bitmap", "bitmaps of chained multi-pack indexes, but for their checksums"),
            ("rev", "reverse indexes of chained multi-pack indexes, but for their checksums"),
        ] {
            let path = path.with_extension(extension);
            if path.exists() {
                let mut judge = Judge::new(&path, REMEDY, damaged);
                if let Some(file) = judge.open() {
                    judge.seal(file.bytes(), bench.id_len());
                }
                checked.unchecked.insert(what);
            }
        }
    }
    names.len() as u64
}

/// What is below a file of a chain: its objects have places behind all of these.
#[derive(Debug, Clone, Copy, Default)]
struct Below {
    files: usize,
    objects: u32,
}

/// What the files beside an index are about.
struct Index {
    checksum: ObjectId,
    /// The objects' numbers in the repository, in the order of their IDs.
    numbers: Vec<Option<u32>>,
    /// The objects' places in the order of their IDs, in that of their packs.
    order: Vec<u32>,
}

/// Where an object is: the pack's number and the offset in it.
type Place = (u32, u64);

fn file(bench: &Bench<'_>, path: &Path, below: Below, judge: &mut Judge<'_>) -> Option<Index> {
    let file = judge.open()?;
    let (bytes, id_len) = (file.bytes(), bench.id_len());
    judge.seal(bytes, id_len);
    let function = if id_len == 32 { 2 } else { 1 };
    let count = match bytes.get(..8) {
        Some([b'M', b'I', b'D', b'X', 1, found, count, bases]) if *found == function => {
            // A file that stands alone has none below it, and writers of chains leave the number at 0 as well.
            if usize::from(*bases) > below.files {
                judge.wrong(
                    7,
                    format!("it is on {bases} files and its place in the chain on {}", below.files),
                );
            }
            *count
        }
        Some([b'M', b'I', b'D', b'X', version, ..]) if *version != 1 => {
            judge.wrong(4, format!("its version is {version}, not 1"));
            return None;
        }
        Some([b'M', b'I', b'D', b'X', ..]) => {
            judge.wrong(5, "it is of another hash function");
            return None;
        }
        _ => {
            judge.wrong(0, "this is no multi-pack index");
            return None;
        }
    };
    let chunks = judge.take(Chunks::read(bytes, 12, usize::from(count), id_len))?;
    let packs = packs(bench, path, &chunks, word(bytes, 2).unwrap_or(0), judge)?;
    let names = Names::read(&chunks, id_len, &mut |offset, problem| judge.wrong(offset, problem));
    let names = judge.take(names)?;
    let (places, begin) = judge.take(chunks.sized(b"OOFF", 8 * names.len()))?;
    let wide = chunks.find(b"LOFF").map_or(&[][..], |(wide, _)| wide);
    let mut found: Vec<Place> = Vec::with_capacity(names.len());
    for at in 0..names.len() {
        let pack = word(places, 2 * at).unwrap_or(0);
        let narrow = word(places, 2 * at + 1).unwrap_or(0);
        // Offsets of 4 bytes may use all bits where no offset needs more.
        let offset = match narrow & HIGH_BIT != 0 && !wide.is_empty() {
            true => long(wide, (narrow & !HIGH_BIT) as usize),
            false => Some(u64::from(narrow)),
        };
        let Some(id) = names.get(at).and_then(ObjectId::from_bytes) else { break };
        let here = begin + 8 * at;
        // Those of a chain are numbered from the lowest file on, and only those of the lowest one are looked up.
        let known = packs.get(pack as usize).filter(|_| below.files == 0);
        match (known, offset) {
            (_, None) => judge.wrong(here, format!("the offset of {id} lies outside of the file")),
            (None, _) if below.files == 0 => {
                judge.wrong(here, format!("{id} is in pack {pack}, which does not exist"))
            }
            (Some(Some(pack)), Some(offset)) if pack.index().find(id.as_bytes()) != Some(offset) => {
                judge.wrong(
                    here,
                    format!("{id} does not begin at byte {offset} of {}", pack.path().display()),
                );
            }
            _ => {}
        }
        found.push((pack, offset.unwrap_or(0)));
    }
    let numbers = (0..names.len()).map(|at| bench.objects.find(names.get(at)?)).collect();
    let checksum = bytes.get(bytes.len().saturating_sub(id_len)..).and_then(ObjectId::from_bytes)?;
    // Before the index held the order itself, a file beside it did.
    let reverse = crate::file::read(&path.with_file_name(format!("multi-pack-index-{checksum}.rev"))).ok();
    let first = reverse.and_then(|reverse| word(&reverse, 3));
    let order = order(&chunks, &found, first, below, judge);
    bitmapped(&chunks, &found, &order, below, judge);
    Some(Index { checksum, numbers, order })
}

/// The packs that the index names; none in the place of one that could not be read.
fn packs<'b>(
    bench: &Bench<'b>,
    path: &Path,
    chunks: &Chunks<'_>,
    count: u32,
    judge: &mut Judge<'_>,
) -> Option<Vec<Option<&'b Pack>>> {
    let Some((names, begin)) = chunks.find(b"PNAM") else {
        judge.wrong(0, "the chunk PNAM is missing");
        return None;
    };
    let mut found = Vec::new();
    let (mut before, mut at): (&[u8], usize) = (&[], 0);
    for _ in 0..count {
        let rest = names.get(at..).unwrap_or_default();
        let Some(len) = rest.iter().position(|&byte| byte == 0).filter(|&len| len > 0) else {
            judge.wrong(begin + at, "the names of packs are cut off");
            return None;
        };
        let name = rest.get(..len).unwrap_or_default();
        if name <= before {
            judge.wrong(begin + at, "the names of packs are not in order");
        }
        let folder = path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "pack"));
        let index = folder.unwrap_or(path).join(crate::repository::path(name));
        let pack = bench.objects.packs().iter().find(|pack| pack.path().with_extension("idx") == index);
        if pack.is_none() && !index.exists() {
            judge.wrong(begin + at, format!("the pack of {} is missing", index.display()));
        }
        found.push(pack);
        before = name;
        at += len + 1;
    }
    Some(found)
}

/// The order of packs: all objects of the preferred pack, then those of the others as they are numbered, each by offset.
/// Where the index holds this order itself, that is checked.
fn order(
    chunks: &Chunks<'_>,
    places: &[Place],
    first: Option<u32>,
    below: Below,
    judge: &mut Judge<'_>,
) -> Vec<u32> {
    let preferred = |first: Option<u32>| move |place: &Place| (Some(place.0) != first, place.0, place.1);
    let all = 0..places.len() as u32;
    let at = |number: u32| places.get(number as usize).copied().unwrap_or_default();
    let Some((table, begin)) = chunks.find(b"RIDX") else {
        let mut order: Vec<u32> = all.collect();
        order.sort_by_key(|&number| preferred(first.map(|first| at(first).0))(&at(number)));
        return order;
    };
    let place = |nth| word(table, nth).map(|number| number.wrapping_sub(below.objects));
    let first = place(0).map(|number| at(number).0);
    let mut order: Vec<u32> = all.collect();
    order.sort_by_key(|&number| preferred(first)(&at(number)));
    if table.len() != 4 * places.len() {
        judge.wrong(begin, "the chunk RIDX has another length than its objects need");
        return order;
    }
    for (nth, wanted) in order.iter().enumerate() {
        if place(nth) != Some(*wanted) {
            judge.wrong(begin + 4 * nth, format!("the object at place {nth} of all packs is another"));
        }
    }
    order
}

/// Where the objects of each pack are in the order of packs, and how many (chunk `BTMP`).
fn bitmapped(chunks: &Chunks<'_>, places: &[Place], order: &[u32], below: Below, judge: &mut Judge<'_>) {
    let Some((table, begin)) = chunks.find(b"BTMP") else { return };
    let pack_at =
        |nth: u32| order.get(nth as usize).and_then(|&at| places.get(at as usize)).map(|place| place.0);
    for pack in 0..table.len() / 8 {
        let (first, count) = (word(table, 2 * pack).unwrap_or(0), word(table, 2 * pack + 1).unwrap_or(0));
        let first = first.wrapping_sub(below.objects);
        let end = first.checked_add(count).filter(|&end| end as usize <= order.len());
        let is_its = |nth: u32| pack_at(nth) == u32::try_from(pack).ok();
        let fits = end.is_some_and(|end| (first..end).all(is_its) && (count == 0 || !is_its(end)));
        if !fits {
            judge.wrong(
                begin + 8 * pack,
                format!("the objects of pack {pack} lie elsewhere in the order of packs"),
            );
        }
    }
}
