//! Commit graphs: trees, parents, dates and generation numbers of commits in one table, or in a chain of them
//! (gitformat-commit-graph(5)).
//!
//! What they say must be what the commits say, and what `git commit-graph verify` asks of generation numbers must hold:
//! each is more than those of the parents. Bloom filters are checked in their form alone.

use std::path::{Path, PathBuf};

use super::Bench;
use super::chunks::{Chunks, Names, long, word};
use super::commit::Commit;
use super::judge::Judge;
use crate::mapped::Mapped;
use crate::{Error, ObjectId, ObjectType};

const REMEDY: &str = "make it again with `git commit-graph write --reachable`";

/// In the place of a parent that a commit does not have.
const NO_PARENT: u32 = 0x7000_0000;
/// The highest topological level; what comes after has it, too.
const HIGHEST_LEVEL: u32 = (1 << 30) - 1;
const HIGH_BIT: u32 = 1 << 31;

/// The generation numbers of commits, by their positions in a chain.
#[derive(Default)]
struct Known {
    ids: Vec<ObjectId>,
    levels: Vec<u32>,
    /// None from the first file on that has none.
    corrected: Option<Vec<u64>>,
}

/// The file that stands alone.
pub(super) fn alone(bench: &Bench<'_>, path: &Path, damaged: &mut Vec<Error>) {
    let mut known = Known { corrected: Some(Vec::new()), ..Known::default() };
    file(bench, path, &[], &mut known, &mut Judge::new(path, REMEDY, damaged));
}

/// A chain: the names of its files, the lowest first, in `list`.
///
/// Returns how many files it has.
pub(super) fn chain(bench: &Bench<'_>, list: &Path, damaged: &mut Vec<Error>) -> u64 {
    let Some(names) = read_chain(bench.id_len(), &mut Judge::new(list, REMEDY, damaged)) else { return 0 };
    let mut known = Known { corrected: Some(Vec::new()), ..Known::default() };
    for (nth, name) in names.iter().enumerate() {
        let path = find(bench, list, &format!("graph-{name}.graph"), "info/commit-graphs");
        let mut judge = Judge::new(&path, REMEDY, damaged);
        file(bench, &path, names.get(..nth).unwrap_or_default(), &mut known, &mut judge);
    }
    names.len() as u64
}

/// The IDs in a list of files, one on each line.
pub(super) fn read_chain(id_len: usize, judge: &mut Judge<'_>) -> Option<Vec<ObjectId>> {
    let file: Mapped = judge.open()?;
    let mut names = Vec::new();
    let mut offset = 0;
    for line in file.bytes().split_inclusive(|&byte| byte == b'\n') {
        match ObjectId::from_hex(line.trim_ascii_end()).filter(|id| id.as_bytes().len() == id_len) {
            Some(id) => names.push(id),
            None => judge.wrong(offset, "this line is no checksum of a file"),
        }
        offset += line.len();
    }
    Some(names)
}

/// A file of a chain lies beside its list, or in the same folder of an alternate.
fn find(bench: &Bench<'_>, list: &Path, name: &str, folder: &str) -> PathBuf {
    let beside = list.with_file_name(name);
    let others = bench.repository.object_dirs().iter().map(|dir| dir.join(folder).join(name));
    std::iter::once(beside.clone()).chain(others).find(|path| path.exists()).unwrap_or(beside)
}

/// One file with those below it; what is wrong is told to the judge.
fn file(bench: &Bench<'_>, path: &Path, below: &[ObjectId], known: &mut Known, judge: &mut Judge<'_>) {
    let Some(file) = judge.open() else { return };
    let (bytes, id_len) = (file.bytes(), bench.id_len());
    judge.seal(bytes, id_len);
    let function = if id_len == 32 { 2 } else { 1 };
    let count = match bytes.get(..8) {
        Some([b'C', b'G', b'P', b'H', 1, found, count, bases]) if *found == function => {
            if usize::from(*bases) != below.len() {
                judge.wrong(
                    7,
                    format!("it is on {bases} files and its place in the chain on {}", below.len()),
                );
            }
            *count
        }
        Some([b'C', b'G', b'P', b'H', version, ..]) if *version != 1 => {
            return judge.wrong(4, format!("its version is {version}, not 1"));
        }
        Some([b'C', b'G', b'P', b'H', ..]) => return judge.wrong(5, "it is of another hash function"),
        _ => return judge.wrong(0, "this is no commit graph"),
    };
    let chunks = Chunks::read(bytes, 8, usize::from(count), id_len);
    let Some(chunks) = judge.take(chunks) else { return };
    if !below.is_empty() {
        let base: Vec<u8> = below.iter().flat_map(|id| id.as_bytes().to_vec()).collect();
        if chunks.find(b"BASE").is_none_or(|(found, _)| found != base) {
            judge.wrong(8, "the files that it says it is on are not those before it in the chain");
        }
        let own = bytes.get(bytes.len().saturating_sub(id_len)..).and_then(ObjectId::from_bytes);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if own.is_some_and(|own| name != format!("graph-{own}.graph")) {
            judge.wrong(bytes.len() - id_len, "it does not end with the checksum that its name says");
        }
    }
    let names = Names::read(&chunks, id_len, &mut |offset, problem| judge.wrong(offset, problem));
    let Some(names) = judge.take(names) else { return };
    let data = chunks.sized(b"CDAT", names.len() * (id_len + 16));
    let Some((data, begin)) = judge.take(data) else { return };
    let edges = chunks.find(b"EDGE").map_or(&[][..], |(edges, _)| edges);
    bloom(&chunks, names.len(), judge);
    let first = known.ids.len();
    known.ids.extend((0..names.len()).filter_map(|at| ObjectId::from_bytes(names.get(at)?)));
    let rows: Vec<Row<'_>> = data.chunks_exact(id_len + 16).map(|row| Row { row, id_len }).collect();
    known.levels.extend(rows.iter().map(Row::level));
    corrections(&chunks, &rows, known, judge);
    let levels = known.levels.get(first..).unwrap_or_default();
    if levels.contains(&0) && levels.iter().any(|&level| level != 0) {
        judge.wrong(begin, "some commits have generation numbers and others have none");
    }
    for (at, row) in rows.iter().enumerate() {
        let offset = begin + at * (id_len + 16);
        let Some(id) = known.ids.get(first + at).copied() else { break };
        commit(bench, &Place { at: first + at, id, offset }, row, edges, known, judge);
    }
}

/// A commit's row: the tree, two parents, the level and the date.
struct Row<'b> {
    row: &'b [u8],
    id_len: usize,
}

impl Row<'_> {
    fn number(&self, at: usize) -> u32 {
        word(self.row.get(self.id_len..).unwrap_or_default(), at).unwrap_or(0)
    }

    fn level(&self) -> u32 {
        self.number(2) >> 2
    }

    fn date(&self) -> u64 {
        u64::from(self.number(2) & 3) << 32 | u64::from(self.number(3))
    }

    /// The positions of the parents; none if they lead out of the table of further parents.
    fn parents(&self, edges: &[u8]) -> Option<Vec<u32>> {
        let [first, second] = [self.number(0), self.number(1)];
        let mut parents: Vec<u32> = [first].into_iter().filter(|&parent| parent != NO_PARENT).collect();
        match second {
            NO_PARENT => {}
            second if second & HIGH_BIT == 0 => parents.push(second),
            second => {
                for at in (second & !HIGH_BIT) as usize.. {
                    let next = word(edges, at)?;
                    parents.push(next & !HIGH_BIT);
                    if next & HIGH_BIT != 0 {
                        break;
                    }
                }
            }
        }
        Some(parents)
    }
}

struct Place {
    /// In the chain.
    at: usize,
    id: ObjectId,
    /// Of its row in the file.
    offset: usize,
}

/// Holds a commit's row against the commit, and its generation against its parents'.
fn commit(
    bench: &Bench<'_>,
    place: &Place,
    row: &Row<'_>,
    edges: &[u8],
    known: &Known,
    judge: &mut Judge<'_>,
) {
    let Place { at, id, offset } = *place;
    let number = bench.objects.find(id.as_bytes());
    let content = number.and_then(|number| bench.graph()?.content(number));
    let Some((ObjectType::Commit, content)) = content else {
        if number.is_none() {
            judge.wrong(offset, format!("the commit {id} is not in the repository"));
        } else if content.is_some() || !bench.is_damaged {
            judge.wrong(offset, format!("{id} is no commit"));
        }
        return;
    };
    let said = Commit::parse(content);
    if said.tree.is_some_and(|tree| Some(tree.as_bytes()) != row.row.get(..row.id_len)) {
        judge.wrong(offset, format!("the tree of the commit {id} is another"));
    }
    let Some(parents) = row.parents(edges) else {
        return judge.wrong(offset, format!("the parents of the commit {id} lie outside of the file"));
    };
    let ids: Option<Vec<ObjectId>> =
        parents.iter().map(|&parent| known.ids.get(parent as usize).copied()).collect();
    if ids.is_none_or(|ids| ids != said.parents) {
        return judge.wrong(offset, format!("the parents of the commit {id} are others"));
    }
    if !said.dates.contains(&row.date()) {
        let [date, _] = said.dates;
        match date >> 34 {
            0 => judge.wrong(offset, format!("the date of the commit {id} is another")),
            // Git writes what fits, and believes that.
            _ => judge.wrong_without(
                offset,
                format!("the date of the commit {id} is {date} for Git, and has no room in a commit graph"),
                "remove it, and set core.commitGraph to false so that Git reads the commits themselves",
            ),
        }
    }
    let level = known.levels.get(at).copied().unwrap_or(0);
    let highest = parents.iter().filter_map(|&parent| known.levels.get(parent as usize)).max();
    let least = highest.map_or(1, |&highest| (highest + 1).min(HIGHEST_LEVEL));
    if level != 0 && level < least {
        judge.wrong(
            offset,
            format!("the generation number of the commit {id} is {level}, and not {least} or more"),
        );
    }
    if let Some(corrected) = &known.corrected {
        let own = corrected.get(at).copied().unwrap_or(0);
        let latest = parents.iter().filter_map(|&parent| corrected.get(parent as usize)).max();
        if latest.is_some_and(|&latest| own <= latest) {
            judge.wrong(offset, format!("the corrected date of the commit {id} is not after its parents'"));
        }
    }
}

/// Reads the corrected dates, if all files so far have them.
fn corrections(chunks: &Chunks<'_>, rows: &[Row<'_>], known: &mut Known, judge: &mut Judge<'_>) {
    let Some((data, begin)) = chunks.find(b"GDA2") else {
        known.corrected = None;
        return;
    };
    if data.len() != 4 * rows.len() {
        judge.wrong(begin, "the chunk GDA2 has another length than its commits need");
        known.corrected = None;
        return;
    }
    let wide = chunks.find(b"GDO2").map_or(&[][..], |(wide, _)| wide);
    let Some(corrected) = &mut known.corrected else { return };
    for (at, row) in rows.iter().enumerate() {
        let offset = word(data, at).unwrap_or(0);
        let offset = match offset & HIGH_BIT {
            0 => Some(u64::from(offset)),
            _ => long(wide, (offset & !HIGH_BIT) as usize),
        };
        if offset.is_none() {
            judge.wrong(begin + 4 * at, "a corrected date lies outside of the file");
        }
        corrected.push(row.date().saturating_add(offset.unwrap_or(0)));
    }
}

/// The form of Bloom filters: an end for each commit, none before the last one.
fn bloom(chunks: &Chunks<'_>, commits: usize, judge: &mut Judge<'_>) {
    let (Some((ends, begin)), Some((data, data_begin))) = (chunks.find(b"BIDX"), chunks.find(b"BDAT")) else {
        return;
    };
    const HEADER: usize = 12;
    if ends.len() != 4 * commits {
        return judge.wrong(begin, "the chunk BIDX has another length than its commits need");
    }
    if data.len() < HEADER || !matches!(word(data, 0), Some(1 | 2)) {
        return judge.wrong(data_begin, "the Bloom filters are of no known version");
    }
    let mut before = 0;
    for at in 0..commits {
        let end = word(ends, at).unwrap_or(0);
        if end < before || end as usize > data.len() - HEADER {
            return judge.wrong(begin + 4 * at, "a Bloom filter does not lie within its chunk");
        }
        before = end;
    }
    if before as usize != data.len() - HEADER {
        judge.wrong(data_begin, "there is more than Bloom filters in their chunk");
    }
}
