//! Commits that change a few files, and all objects that come of it.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;

use libdeflater::{CompressionLvl, Compressor};

use super::text::Text;
use crate::pack::delta_write::DeltaWriter;
use crate::pack::write::{PackWriter, Packed};
use crate::{Error, Format, ObjectId, ObjectType};

/// The files and directories of the root, of each of its directories, and of each directory in these.
const FILES: [usize; 3] = [20, 12, 16];
const FOLDERS: [usize; 3] = [10, 2, 0];
/// Bytes of a file at first: these, doubled up to so many times.
const SMALLEST: usize = 512;
const DOUBLINGS: usize = 8;
/// Files that a commit changes, at most.
const CHANGED: usize = 4;
/// Deltas on top of each other, at most: as many as `git repack` makes.
const LONGEST_CHAIN: u32 = 50;
/// Commits from one tag to the next.
const TAGGED: u32 = 100;
const PERSON: &str = "A Sample <sample@example.org>";

/// A history that goes on, and its objects.
pub(super) struct History<'a> {
    format: &'a Format,
    text: Text,
    deflate: Compressor,
    /// Files and directories, each behind the directory that it is in; the root comes first.
    nodes: Vec<Node>,
    commits: u32,
    head: Option<ObjectId>,
    tags: Vec<ObjectId>,
    entries: Vec<Entry>,
}

struct Node {
    folder: Option<usize>,
    /// Mode, name and zero byte, as in the entries of trees.
    head: Vec<u8>,
    /// What is in it, in Git's order; of a file nothing.
    inside: Vec<usize>,
    is_folder: bool,
    content: Vec<u8>,
    object: Option<Object>,
}

#[derive(Clone, Copy)]
struct Object {
    id: ObjectId,
    /// Its place among the entries.
    entry: usize,
    /// Deltas below it.
    chain: u32,
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

/// Some bytes of what was there before, and then others.
struct Piece {
    copied: Range<usize>,
    inserted: Vec<u8>,
}

impl<'a> History<'a> {
    pub(super) fn begin(format: &'a Format, seed: u64) -> Result<History<'a>, Error> {
        let mut history = History {
            format,
            text: Text::new(seed),
            deflate: Compressor::new(CompressionLvl::default()),
            nodes: Vec::new(),
            commits: 0,
            head: None,
            tags: Vec::new(),
            entries: Vec::new(),
        };
        history.folder(None, String::new(), 0);
        for file in 0..history.nodes.len() {
            if !history.is_folder(file) {
                history.add_version(file, &[])?;
            }
        }
        history.record((0..history.nodes.len()).filter(|&node| history.is_folder(node)).collect())?;
        Ok(history)
    }

    fn folder(&mut self, parent: Option<usize>, name: String, depth: usize) {
        let folder = self.node(parent, "40000", name);
        let [files, folders] = [FILES, FOLDERS].map(|counts| counts.get(depth).copied().unwrap_or(0));
        let mut names = BTreeSet::new();
        while names.len() < files + folders {
            names.insert(self.text.random.word());
        }
        // The order of such words is Git's order of entries, too, which has a slash behind the name of a directory.
        for (nth, name) in names.into_iter().enumerate() {
            if nth * folders % (files + folders) < folders {
                self.folder(Some(folder), name, depth + 1);
                continue;
            }
            let file = self.node(Some(folder), "100644", format!("{name}.txt"));
            let size = SMALLEST << self.text.random.below(DOUBLINGS);
            if let Some(file) = self.nodes.get_mut(file) {
                while file.content.len() < size {
                    self.text.line(&mut file.content);
                }
            }
        }
        if let Some(folder) = self.nodes.get_mut(folder) {
            folder.is_folder = true;
        }
    }

    fn node(&mut self, folder: Option<usize>, mode: &str, name: String) -> usize {
        let node = self.nodes.len();
        if let Some(folder) = folder.and_then(|folder| self.nodes.get_mut(folder)) {
            folder.inside.push(node);
        }
        let head = format!("{mode} {name}\0").into_bytes();
        let (inside, content) = (Vec::new(), Vec::new());
        self.nodes.push(Node { folder, head, inside, is_folder: false, content, object: None });
        node
    }

    fn is_folder(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|node| node.is_folder)
    }

    pub(super) fn commit(&mut self) -> Result<(), Error> {
        let files: Vec<usize> = (0..self.nodes.len()).filter(|&node| !self.is_folder(node)).collect();
        let folder_of =
            |history: &History<'_>, file: usize| history.nodes.get(file).and_then(|file| file.folder);
        let home = self.pick(&files).and_then(|file| folder_of(self, file));
        let at_home: Vec<usize> =
            files.iter().copied().filter(|&file| folder_of(self, file) == home).collect();
        let (mut changed, mut folders) = (BTreeSet::new(), BTreeSet::new());
        for _ in 0..=self.text.random.below(CHANGED) {
            let elsewhere = self.text.random.below(4) == 0;
            changed.extend(self.pick(if elsewhere { &files } else { &at_home }));
        }
        for file in changed {
            let pieces = self.edit(file);
            self.add_version(file, &pieces)?;
            let mut folder = folder_of(self, file);
            while let Some(node) = folder {
                folders.insert(node);
                folder = folder_of(self, node);
            }
        }
        self.record(folders)
    }

    /// One of some files: rather a large one, as in reality those are changed more often.
    fn pick(&mut self, files: &[usize]) -> Option<usize> {
        let size = |file: &usize| self.nodes.get(*file).map_or(0, |file| file.content.len());
        let random = &mut self.text.random;
        [random.of(files), random.of(files)].into_iter().flatten().max_by_key(|file| size(file)).copied()
    }

    /// Replaces some lines at one to three places of a file.
    fn edit(&mut self, file: usize) -> Vec<Piece> {
        let content = self.nodes.get(file).map_or(&[][..], |file| &file.content);
        let line_end = |from: usize| {
            let rest = content.get(from..).unwrap_or_default();
            rest.iter().position(|byte| *byte == b'\n').map_or(content.len(), |end| from + end + 1)
        };
        let count = 1 + self.text.random.below(3);
        let mut places: Vec<usize> = (0..count).map(|_| self.text.random.below(content.len())).collect();
        places.sort_unstable();
        let mut pieces = Vec::new();
        let mut at = 0;
        for place in places {
            let begin = line_end(place).max(at);
            let mut end = begin;
            for _ in 0..self.text.random.below(8) {
                end = line_end(end);
            }
            let count = 1 + self.text.random.below(14);
            pieces.push(Piece { copied: at..begin, inserted: self.text.lines(count) });
            at = end;
        }
        pieces.push(Piece { copied: at..content.len(), inserted: Vec::new() });
        pieces
    }

    /// Writes the trees of these directories, and a commit.
    fn record(&mut self, folders: BTreeSet<usize>) -> Result<(), Error> {
        for folder in folders.into_iter().rev() {
            let pieces = self.list(folder);
            self.add_version(folder, &pieces)?;
        }
        let Some(tree) = self.nodes.first().and_then(|root| root.object) else { return Ok(()) };
        let time = 1_700_000_000 + 3_600 * u64::from(self.commits);
        let parent = self.head.map_or(String::new(), |head| format!("parent {head}\n"));
        let head = format!(
            "tree {}\n{parent}author {PERSON} {time} +0000\ncommitter {PERSON} {time} +0000\n\n",
            tree.id
        );
        let count = 2 + self.text.random.below(12);
        let commit = [head.as_bytes(), &self.text.lines(count)].concat();
        let commit = self.add(ObjectType::Commit, &commit, None)?.id;
        self.head = Some(commit);
        self.commits += 1;
        if self.commits.is_multiple_of(TAGGED) {
            let name = self.tags.len() + 1;
            let head = format!("object {commit}\ntype commit\ntag v{name}\ntagger {PERSON} {time} +0000\n\n");
            let tag = [head.as_bytes(), &self.text.lines(3)].concat();
            let tag = self.add(ObjectType::Tag, &tag, None)?.id;
            self.tags.push(tag);
        }
        Ok(())
    }

    /// What is in a directory now, beside what the directory's tree was before. Entries are the same but for their IDs.
    fn list(&self, folder: usize) -> Vec<Piece> {
        let Some(folder) = self.nodes.get(folder) else { return Vec::new() };
        let mut at = 0;
        let inside = folder.inside.iter().filter_map(|&node| self.nodes.get(node));
        let pieces = inside.filter_map(|node| {
            let id = node.object?.id;
            let (begin, middle) = (at, at + node.head.len());
            at = middle + id.as_bytes().len();
            Some(match folder.content.get(middle..at) {
                None => Piece { copied: 0..0, inserted: [&node.head, id.as_bytes()].concat() },
                Some(before) if before == id.as_bytes() => Piece { copied: begin..at, inserted: Vec::new() },
                Some(_) => Piece { copied: begin..middle, inserted: id.as_bytes().to_vec() },
            })
        });
        pieces.collect()
    }

    /// Changes a file or a tree, unless there are no pieces, and adds its object, as a delta on the one before.
    fn add_version(&mut self, node: usize, pieces: &[Piece]) -> Result<(), Error> {
        let Some(Node { content, object, is_folder, .. }) = self.nodes.get_mut(node) else { return Ok(()) };
        let before = std::mem::take(content);
        let kind = if *is_folder { ObjectType::Tree } else { ObjectType::Blob };
        let base = object.filter(|object| object.chain < LONGEST_CHAIN);
        let mut changed = if pieces.is_empty() { before.clone() } else { Vec::with_capacity(before.len()) };
        for Piece { copied, inserted } in pieces {
            changed.extend_from_slice(before.get(copied.clone()).unwrap_or_default());
            changed.extend_from_slice(inserted);
        }
        let base = base.map(|base| {
            let mut delta = Vec::new();
            let mut writer = DeltaWriter::new(before.len(), changed.len(), &mut delta);
            for Piece { copied, inserted } in pieces {
                writer.copy(copied.start, copied.len());
                writer.insert(inserted);
            }
            writer.finish();
            (base, delta)
        });
        let added = self.add(kind, &changed, base)?;
        if let Some(node) = self.nodes.get_mut(node) {
            (node.content, node.object) = (changed, Some(added));
        }
        Ok(())
    }

    /// Adds an object, which may be a delta on another.
    fn add(
        &mut self,
        kind: ObjectType,
        content: &[u8],
        delta: Option<(Object, Vec<u8>)>,
    ) -> Result<Object, Error> {
        let id = self.format.id_of(kind, content).map_err(|source| Error::Unnamed { kind, source })?;
        let (base, stored) = match &delta {
            Some((base, delta)) => (Some(base), delta.as_slice()),
            None => (None, content),
        };
        let mut deflated = vec![0; self.deflate.zlib_compress_bound(stored.len())];
        // The bound leaves no room for the only error there is, too little space.
        let len = self.deflate.zlib_compress(stored, &mut deflated).unwrap_or(0);
        deflated.truncate(len);
        let object = Object { id, entry: self.entries.len(), chain: base.map_or(0, |base| base.chain + 1) };
        let base = base.map(|base| base.entry);
        self.entries.push(Entry { id, kind, base, size: stored.len() as u64, deflated });
        Ok(object)
    }

    pub(super) fn pack<W: Write>(&self, out: W) -> io::Result<Packed<W>> {
        let mut pack = PackWriter::new(out, self.entries.len() as u32, self.format.id_len())?;
        let mut offsets: Vec<u64> = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let offset = match entry.base.and_then(|base| offsets.get(base)) {
                Some(base) => pack.delta(entry.id, *base, entry.size, &entry.deflated)?,
                None => pack.object(entry.id, entry.kind, entry.size, &entry.deflated)?,
            };
            offsets.push(offset);
        }
        pack.finish()
    }

    /// The lines of `packed-refs`.
    pub(super) fn references(&self) -> String {
        let head = self.head.iter().map(|head| format!("{head} refs/heads/main\n"));
        let tags = (1..).zip(&self.tags).map(|(name, tag)| format!("{tag} refs/tags/v{name}\n"));
        head.chain(tags).collect()
    }
}
