//! A repository made up for measuring: text that grows by small changes, in folders, with the sizes and the deltas that
//! real repositories have. The same seed gives the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use libdeflater::{CompressionLvl, Compressor};

use crate::pack::index_write::write_index;
use crate::pack::write::PackWriter;
use crate::{Error, Format, Header, ObjectId, ObjectType};

/// Folders, each with so many folders, each with so many files: wide roots and narrow branches.
const FOLDERS: [u64; 2] = [12, 4];
const FILES: u64 = 3;
/// Bytes of a file at first: this, doubled up to so many times. The middle one is what most files of git.git have.
const SMALLEST: u64 = 2 << 10;
const DOUBLINGS: u64 = 7;
/// Files that a commit changes, at most.
const CHANGED: u64 = 4;
/// Deltas on top of each other, at most: as many as `git repack` makes.
const LONGEST_CHAIN: u32 = 50;

/// Makes a bare repository of so many commits at `path`, which must not exist. `format` is one of Git's own.
///
/// # Errors
/// [`Error::Io`] for what cannot be written; [`Error::Hash`] if the hash function fails.
pub fn write(path: &Path, format: &Format, commits: u32, seed: u64) -> Result<(), Error> {
    let mut history = History::new(format, seed);
    let mut head = None;
    for number in 0..commits.max(1) {
        head = Some(history.commit(number, head)?);
    }
    let head = head.map(|id| id.to_string()).unwrap_or_default();
    store(path, format, &history.entries, &head)
        .map_err(|source| Error::Io { path: path.to_path_buf(), source })
}

fn store(path: &Path, format: &Format, entries: &[Entry], head: &str) -> io::Result<()> {
    let packs = path.join("objects/pack");
    fs::create_dir_all(&packs)?;
    fs::create_dir_all(path.join("refs/heads"))?;
    let config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = ";
    fs::write(path.join("config"), format!("{config}{}\n", format.name))?;
    fs::write(path.join("HEAD"), "ref: refs/heads/main\n")?;
    fs::write(path.join("refs/heads/main"), format!("{head}\n"))?;

    let unnamed = packs.join("new.pack");
    let out = BufWriter::with_capacity(1 << 18, fs::File::create(&unnamed)?);
    let mut pack = PackWriter::new(out, entries.len() as u32, format.id_len())?;
    let mut offsets: Vec<u64> = Vec::with_capacity(entries.len());
    for entry in entries {
        let offset = match entry.base.and_then(|base| offsets.get(base)) {
            Some(base) => pack.delta(entry.id, *base, entry.size, &entry.deflated)?,
            None => pack.object(entry.id, entry.kind, entry.size, &entry.deflated)?,
        };
        offsets.push(offset);
    }
    let mut packed = pack.finish()?;
    packed.out.flush()?;
    let name = |extension: &str| packs.join(format!("pack-{}.{extension}", packed.trailer));
    let index = BufWriter::new(fs::File::create(name("idx"))?);
    write_index(&mut packed.entries, &packed.trailer, index)?;
    fs::rename(&unnamed, name("pack"))
}

/// An object as the pack will have it.
struct Entry {
    id: ObjectId,
    kind: ObjectType,
    /// The place of the object that this is a delta on.
    base: Option<usize>,
    /// Bytes before compression: of the content, or of the delta.
    size: u64,
    deflated: Vec<u8>,
}

/// What a path has at present.
#[derive(Clone, Default)]
struct Version {
    content: Vec<u8>,
    id: Option<ObjectId>,
    /// Its place among the entries.
    entry: Option<usize>,
    /// Deltas below it.
    chain: u32,
}

struct History<'a> {
    format: &'a Format,
    random: Random,
    deflate: Compressor,
    entries: Vec<Entry>,
    /// By path; folders end with a slash, and the root is empty.
    files: BTreeMap<String, Version>,
    folders: BTreeMap<String, Version>,
}

impl<'a> History<'a> {
    fn new(format: &'a Format, seed: u64) -> History<'a> {
        let mut random = Random(seed);
        let mut files = BTreeMap::new();
        for outer in 0..FOLDERS[0] {
            for inner in 0..FOLDERS[1] {
                for file in 0..FILES {
                    let name = format!("part-{outer:02}/area-{inner:02}/{}-{file}.txt", random.word());
                    let size = SMALLEST << random.below(DOUBLINGS);
                    let mut content = Vec::new();
                    while (content.len() as u64) < size {
                        random.line(&mut content);
                    }
                    files.insert(name, Version { content, ..Version::default() });
                }
            }
        }
        let deflate = Compressor::new(CompressionLvl::fastest());
        History { format, random, deflate, entries: Vec::new(), files, folders: BTreeMap::new() }
    }

    /// Changes some files, writes what changed, and returns the commit.
    fn commit(&mut self, number: u32, parent: Option<ObjectId>) -> Result<ObjectId, Error> {
        let names: Vec<String> = self.files.keys().cloned().collect();
        let changed: Vec<String> = if parent.is_none() {
            names
        } else {
            let count = 1 + self.random.below(CHANGED);
            (0..count).filter_map(|_| names.get(self.random.below(names.len() as u64) as usize).cloned()).collect()
        };
        let mut touched = BTreeMap::new();
        for name in changed {
            let Some(version) = self.files.get(&name).cloned() else { continue };
            let content = if parent.is_none() { version.content.clone() } else { self.edited(&version.content) };
            let version = self.add(ObjectType::Blob, content, &version)?;
            for (at, _) in name.match_indices('/') {
                touched.insert(name.get(..=at).unwrap_or_default().to_owned(), ());
            }
            self.files.insert(name, version);
        }
        touched.insert(String::new(), ());
        // The deepest first: of two paths the longer one is below the other, or beside it.
        let mut folders: Vec<String> = touched.into_keys().collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.matches('/').count()));
        for folder in folders {
            let content = self.tree(&folder);
            let before = self.folders.get(&folder).cloned().unwrap_or_default();
            let version = self.add(ObjectType::Tree, content, &before)?;
            self.folders.insert(folder, version);
        }
        let Some(root) = self.folders.get("").and_then(|root| root.id) else { return Err(Error::NoSuchNumber(0)) };
        let time = 1_700_000_000 + 3_600 * u64::from(number);
        let mut text = format!("tree {root}\n");
        if let Some(parent) = parent {
            text.push_str(&format!("parent {parent}\n"));
        }
        let person = "A Sample <sample@example.org>";
        text.push_str(&format!("author {person} {time} +0000\ncommitter {person} {time} +0000\n\n"));
        let mut content = text.into_bytes();
        for _ in 0..=self.random.below(6) {
            self.random.line(&mut content);
        }
        let version = self.add(ObjectType::Commit, content, &Version::default())?;
        version.id.ok_or(Error::NoSuchNumber(0))
    }

    /// A line replaced, and one added behind it.
    fn edited(&mut self, content: &[u8]) -> Vec<u8> {
        let at = self.random.below(content.len().max(1) as u64) as usize;
        let line_end = |from: usize| {
            let rest = content.get(from..).unwrap_or_default();
            rest.iter().position(|byte| *byte == b'\n').map_or(content.len(), |end| from + end + 1)
        };
        let (begin, end) = (line_end(at), line_end(line_end(at)));
        let mut edited = content.get(..begin).unwrap_or_default().to_vec();
        self.random.line(&mut edited);
        self.random.line(&mut edited);
        edited.extend_from_slice(content.get(end..).unwrap_or_default());
        edited
    }

    /// What is directly in a folder, as a tree.
    fn tree(&self, folder: &str) -> Vec<u8> {
        let inside = |path: &str| path.strip_prefix(folder).map(str::to_owned).filter(|name| !name.is_empty());
        let files = self.files.iter().filter_map(|(path, version)| {
            let name = inside(path).filter(|name| !name.contains('/'))?;
            Some((name, "100644", version.id?))
        });
        let folders = self.folders.iter().filter_map(|(path, version)| {
            let name = inside(path)?.strip_suffix('/')?.to_owned();
            Some((name, "40000", version.id?)).filter(|(name, ..)| !name.contains('/'))
        });
        let mut entries: Vec<_> = files.chain(folders).collect();
        entries.sort();
        let mut tree = Vec::new();
        for (name, mode, id) in entries {
            tree.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            tree.extend_from_slice(id.as_bytes());
        }
        tree
    }

    /// Adds an object, as a delta on the one that it follows if there is one.
    fn add(&mut self, kind: ObjectType, content: Vec<u8>, before: &Version) -> Result<Version, Error> {
        let mut digest = [0; ObjectId::LONGEST];
        let digest = digest.get_mut(..self.format.id_len()).unwrap_or_default();
        let header = Header::new(kind, content.len() as u64);
        let hashed = self.format.hash.digest(header.as_bytes(), &content, digest);
        let Some(id) = ObjectId::from_bytes(digest) else { return Err(Error::NoSuchNumber(0)) };
        hashed.map_err(|source| Error::Hash { id, source })?;
        if before.id == Some(id) {
            return Ok(before.clone());
        }
        let base = before.entry.filter(|_| before.chain < LONGEST_CHAIN);
        let stored = base.map_or_else(|| content.clone(), |_| delta(&before.content, &content));
        let mut deflated = vec![0; self.deflate.zlib_compress_bound(stored.len())];
        // The room is as much as it can take.
        let len = self.deflate.zlib_compress(&stored, &mut deflated).unwrap_or(0);
        deflated.truncate(len);
        self.entries.push(Entry { id, kind, base, size: stored.len() as u64, deflated });
        let chain = if base.is_some() { before.chain + 1 } else { 0 };
        Ok(Version { content, id: Some(id), entry: Some(self.entries.len() - 1), chain })
    }
}

/// Instructions that make `target` of `base` (gitformat-pack(5), "Deltified representation"): what both begin and end
/// with is copied, what is between is inserted.
fn delta(base: &[u8], target: &[u8]) -> Vec<u8> {
    let shorter = base.len().min(target.len());
    let begin = base.iter().zip(target).take_while(|(a, b)| a == b).count();
    let end = base.iter().rev().zip(target.iter().rev()).take(shorter - begin).take_while(|(a, b)| a == b).count();
    let mut delta = Vec::new();
    for size in [base.len(), target.len()] {
        let mut rest = size;
        while rest >= 0x80 {
            delta.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        delta.push(rest as u8);
    }
    copy(0, begin, &mut delta);
    for piece in target.get(begin..target.len() - end).unwrap_or_default().chunks(127) {
        delta.push(piece.len() as u8);
        delta.extend_from_slice(piece);
    }
    copy(base.len() - end, end, &mut delta);
    delta
}

/// Copies in pieces of 65535 bytes: offset and size in all their bytes, which is longer than need be and always right.
fn copy(mut from: usize, mut len: usize, delta: &mut Vec<u8>) {
    while len > 0 {
        let piece = len.min(0xffff);
        delta.push(0x80 | 0x0f | 0x30);
        delta.extend_from_slice(&(from as u32).to_le_bytes());
        delta.extend_from_slice(&(piece as u16).to_le_bytes());
        from += piece;
        len -= piece;
    }
}

/// SplitMix64 (Steele, Lea, Flood, 2014): quick, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// At random, but below a bound that is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Two to eleven letters.
    fn word(&mut self) -> String {
        let len = 2 + self.below(10);
        (0..len).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }

    /// A line of words that come again and again, so that it compresses as source code does.
    fn line(&mut self, text: &mut Vec<u8>) {
        const WORDS: [&str; 24] = [
            "let", "mut", "fn", "return", "if", "else", "match", "object", "tree", "commit", "index", "offset", "length", "self",
            "buffer", "error", "result", "->", "=", "==", "(&self)", "{", "}", ";",
        ];
        text.extend(std::iter::repeat_n(b' ', 4 * self.below(5) as usize));
        for _ in 0..2 + self.below(9) {
            match WORDS.get(self.below(40) as usize) {
                Some(word) => text.extend_from_slice(word.as_bytes()),
                None => text.extend_from_slice(self.word().as_bytes()),
            }
            text.push(b' ');
        }
        text.push(b'\n');
    }
}
