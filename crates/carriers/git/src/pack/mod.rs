//! Packs: many objects in one file, most of them as differences from others (gitformat-pack(5)).

pub mod delta;
pub(crate) mod delta_write;
pub mod entry;
pub mod index;
pub mod index_write;
pub mod inflate;
pub mod stream;
pub mod write;

use std::path::Path;

use crate::mapped::Mapped;
use crate::problem::Problem;
use crate::trailer::Trailer;
use crate::{Error, ObjectId, ObjectType};
use delta::Delta;
use entry::{Header, Kind};
use index::Index;
use inflate::Inflater;

const REMEDY: &str = "restore it from another copy of the repository";

/// A pack with its index.
pub struct Pack {
    file: Mapped,
    index: Index,
    id_len: usize,
    /// Where each entry begins and which object of the index it is, in the order of the pack.
    entries: Vec<(u64, u32)>,
}

impl Pack {
    /// Opens the pack at `path`, whose index lies beside it.
    ///
    /// Damage to the pack itself is passed to `damaged`, and what can be read of it is read if that returns `Ok`.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Repository`] if there is no index, [`Error::File`] of the index; what `damaged` returns.
    pub fn open(
        path: &Path,
        id_len: usize,
        damaged: &mut dyn FnMut(Error) -> Result<(), Error>,
    ) -> Result<Pack, Error> {
        let index_path = path.with_extension("idx");
        let file = Mapped::open(path)?;
        if !index_path.exists() {
            return Err(Error::Repository {
                path: path.to_path_buf(),
                problem: "this pack has no index".to_owned(),
                remedy: "make it with `git index-pack`",
            });
        }
        let index = Index::open(&index_path, id_len)?;
        for (offset, problem) in contradictions(file.bytes(), &index, id_len) {
            damaged(Error::File { path: path.to_path_buf(), offset, problem, remedy: REMEDY })?;
        }
        let mut entries = Vec::with_capacity(index.len());
        for at in 0..index.len() {
            match (index.offset(at), u32::try_from(at)) {
                (Some(offset), Ok(at)) => entries.push((offset, at)),
                _ => damaged(Error::File {
                    path: index_path.clone(),
                    offset: 0,
                    problem: format!("the offset of ID {at} is not in the index"),
                    remedy: index::REMEDY,
                })?,
            }
        }
        entries.sort_unstable();
        Ok(Pack { file, index, id_len, entries })
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// Its index.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Where each entry begins in the file and which object of the index it is, in the order of the file.
    pub fn entries(&self) -> &[(u64, u32)] {
        &self.entries
    }

    /// Bytes from the beginning of an entry to that of the next one.
    pub fn entry_len(&self, nth: usize) -> u64 {
        let Some((begin, _)) = self.entries.get(nth) else { return 0 };
        // Two names of one entry are damage, but must not make it empty.
        let behind = self.entries.get(nth + 1..).unwrap_or_default();
        let next = behind.iter().map(|(next, _)| *next).find(|next| next > begin);
        next.unwrap_or(self.entries_end()).saturating_sub(*begin)
    }

    /// The bytes of an entry, as far as the file has them.
    pub fn entry(&self, offset: u64, len: u64) -> &[u8] {
        let end = usize::try_from(offset.saturating_add(len).min(self.entries_end())).unwrap_or_default();
        let begin = usize::try_from(offset).unwrap_or(usize::MAX);
        self.file.bytes().get(begin..end).unwrap_or_default()
    }

    /// The content of an entry, through the chain of deltas that it has in this pack. `known` may have that of some offsets.
    pub(crate) fn content(
        &self,
        offset: u64,
        inflater: &mut Inflater,
        known: impl Fn(u64) -> Option<(ObjectType, Vec<u8>)>,
    ) -> Result<(ObjectType, Vec<u8>), Problem> {
        let (mut chain, mut at) = (Vec::new(), offset);
        let (kind, mut content) = loop {
            if let Some(known) = known(at) {
                break known;
            }
            let nth = self.entries.binary_search_by_key(&at, |(begin, _)| *begin);
            let nth = nth.map_err(|_| Problem::BaseOffset(at))?;
            let bytes = self.entry(at, self.entry_len(nth));
            let header = Header::parse(bytes, at, self.id_len)?;
            let deflated = bytes.get(header.len..).unwrap_or_default();
            let mut inflated = Vec::new();
            inflater.inflate_all(deflated, header.inflated_size, &mut inflated)?;
            at = match header.kind {
                Kind::Whole(kind) => break (kind, inflated),
                Kind::OffsetDelta(base) => base,
                Kind::NameDelta(id) => self.index.find(id.as_bytes()).ok_or(Problem::ForeignBase(id))?,
            };
            chain.push(inflated);
            if chain.len() > self.entries.len() {
                return Err(Problem::Loop);
            }
        };
        let mut result = Vec::new();
        while let Some(delta) = chain.pop() {
            Delta::parse(&delta)?.apply(&content, &mut result)?;
            std::mem::swap(&mut content, &mut result);
        }
        Ok((kind, content))
    }

    /// Checks the pack's checksum, that of each entry, and the index. All that is wrong is passed to `damaged`. Ends
    /// early when `wanted` says that the result is not wanted any more.
    pub fn verify(&self, wanted: &dyn Fn() -> bool, damaged: &mut dyn FnMut(Error)) {
        self.index.verify(&mut *damaged);
        for (nth, (offset, at)) in self.entries.iter().enumerate() {
            let at = *at as usize;
            let Some(wanted) = self.index.checksum(at) else { break };
            let Some(id) = self.index.id(at).and_then(ObjectId::from_bytes) else { continue };
            let bytes = self.entry(*offset, self.entry_len(nth));
            if libdeflater::crc32(bytes) != wanted {
                let problem = if bytes.is_empty() { Problem::Truncated } else { Problem::Checksum };
                damaged(Error::Object { id, path: self.path().to_path_buf(), offset: *offset, problem });
            }
        }
        let bytes = self.file.bytes();
        let mut trailer = Trailer::new(self.id_len);
        for piece in bytes.get(..self.entries_end() as usize).unwrap_or_default().chunks(1 << 20) {
            if !wanted() {
                return;
            }
            trailer.update(piece);
        }
        let found = bytes.get(self.entries_end() as usize..).unwrap_or_default();
        if trailer.finish().is_none_or(|sum| sum.as_bytes() != found) {
            damaged(Error::File {
                path: self.path().to_path_buf(),
                offset: self.entries_end(),
                problem: "the checksum of the pack is wrong".to_owned(),
                remedy: REMEDY,
            });
        }
    }

    /// Where the checksum at the end begins.
    fn entries_end(&self) -> u64 {
        self.file.bytes().len().saturating_sub(self.id_len) as u64
    }
}

/// What shows at a glance that a pack is none, or is not the one that its index is of.
fn contradictions(bytes: &[u8], index: &Index, id_len: usize) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let word =
        |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_be_bytes(*word));
    if !bytes.starts_with(b"PACK") {
        found.push((0, "not a pack: it does not begin with PACK".to_owned()));
    }
    if let Some(version) = word(4).filter(|version| !matches!(version, 2 | 3)) {
        found.push((4, format!("the version of this pack is {version}, not 2 or 3")));
    }
    if let Some(count) = word(8).filter(|count| *count as usize != index.len()) {
        found.push((8, format!("the pack has {count} entries, but its index {}", index.len())));
    }
    let end = bytes.len().saturating_sub(id_len);
    if bytes.get(end..) != Some(index.pack_trailer()) {
        let problem = "the pack does not end with the checksum in its index: it is cut off or changed, or the index belongs to another pack";
        found.push((end as u64, problem.to_owned()));
    }
    found
}
