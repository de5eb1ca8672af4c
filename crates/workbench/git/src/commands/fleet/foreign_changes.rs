//! What tells a repository in its place from one in which somebody did anything since.
//!
//! Its references and every file in it are compared, and all its objects must be ours. Only what Git makes of these again, or stores otherwise
//! in its own housekeeping, is left out: so `git gc` changes nothing, and what is not known here is somebody's.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fieldtest_frame::job::{digest, files};
use fieldtest_frame::text::{self, names};
use fieldtest_git::pack::index::Index;
use fieldtest_git::refs::Listing;
use fieldtest_git::{ObjectId, Repository, loose};

use super::seen::{is_among, told};
use crate::commands::locate;
use crate::output;

/// What would be lost where another one took the place.
pub(super) const LOST: &str = "refs, objects, settings or other files of another program";

/// Files up to this length are told apart by what they hold; longer ones are none of ours.
const READ: u64 = 1 << 16;

/// The names of objects that runs left in a place, sorted, one behind the other: a file in the job's directory. Beside it is a list of the
/// other files, so that the first is named that is none of ours.
pub(super) struct Ours {
    file: PathBuf,
    ids: Vec<u8>,
    /// As [`Files::listed`] has them.
    files: HashSet<String>,
}

impl Ours {
    /// Those in a file, which need not be there.
    pub(super) fn of(file: PathBuf) -> Ours {
        let ids = files::read(&file).unwrap_or_default();
        let listed = files::read(&listing(&file)).ok().and_then(|text| String::from_utf8(text).ok());
        let files = listed.unwrap_or_default().lines().map(str::to_owned).collect();
        Ours { file, ids, files }
    }

    /// The state of a repository in whose place there are no other objects. Fewer may be there: `git gc` takes away what nothing
    /// leads to.
    ///
    /// # Errors
    ///
    /// There are others; something cannot be read.
    pub(super) fn state(&self, place: &Path) -> Result<String> {
        let repository = locate::exactly(place)?;
        let all = ids(&repository)?;
        let other = all.chunks_exact(repository.id_len()).find(|id| !is_among(&self.ids, id));
        if let Some(other) = other.and_then(ObjectId::from_bytes) {
            bail!("the object {other} was not left there by a run");
        }
        let (state, listed) = state(&repository, place)?;
        let is_other = |line: &&String| !self.files.contains(*line);
        if let Some((_, name)) = listed.iter().find(is_other).and_then(|line| line.split_once(' ')) {
            bail!("{} was not left like this by a run", text::path(&place.join(names::path(name))));
        }
        Ok(state)
    }

    /// Notes that a repository is about to take the place of what was found there, and returns its state.
    ///
    /// # Errors
    ///
    /// The note cannot be written; something cannot be read.
    pub(super) fn expect(&self, found: Option<&Path>, fresh: &Path) -> Result<String> {
        let repository = locate::exactly(fresh)?;
        let mut all = ids(&repository)?;
        let (fresh, mut listed) = state(&repository, fresh)?;
        if let Some(found) = found {
            // Whoever is killed now leaves either of them.
            let repository = locate::exactly(found)?;
            all.extend(ids(&repository)?);
            all = sorted(all.chunks_exact(repository.id_len()));
            listed.extend(state(&repository, found)?.1);
        }
        output::own_file(&self.file, &all)?;
        output::own_file(&listing(&self.file), listed.join("\n").as_bytes())?;
        Ok(fresh)
    }
}

/// Where the list of files is that goes with the names of objects in a file.
fn listing(ids: &Path) -> PathBuf {
    ids.with_extension("files")
}

/// A digest of what leads into a repository, and of all that is in it beside objects; and these files, each in a line.
fn state(repository: &Repository, place: &Path) -> Result<(String, Vec<String>)> {
    let snapshot = repository.snapshot()?;
    let Listing { references, unreadable } = &snapshot.listing;
    let unreadable = unreadable.iter().map(|(name, _)| name.as_slice());
    let references = references.iter().map(|reference| reference.name.as_slice()).chain(unreadable);
    let mut files = Files { place, references: references.collect(), parts: Vec::new() };
    files.add_folder(Path::new(""))?;
    let names = told(repository.object_format(), &snapshot);
    let parts: Vec<&[u8]> = iter::once(&names).chain(&files.parts).map(Vec::as_slice).collect();
    Ok((digest(&parts), files.listed()))
}

/// The names of all objects in a repository's own directory, whether loose or packed, sorted, one behind the other.
fn ids(repository: &Repository) -> Result<Vec<u8>> {
    let (folder, id_len) = (repository.common_dir().join("objects"), repository.id_len());
    let loose = loose::list(&folder, id_len)?;
    let mut indexes = Vec::new();
    for entry in fs::read_dir(folder.join("pack"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == "idx") {
            indexes.push(Index::open(&path, id_len)?);
        }
    }
    let packed = indexes.iter().flat_map(|index| (0..index.len()).filter_map(|at| index.id(at)));
    Ok(sorted(loose.iter().map(|id| id.as_bytes()).chain(packed)))
}

/// Names of objects as [`Ours`] keeps them, each once.
fn sorted<'i>(ids: impl Iterator<Item = &'i [u8]>) -> Vec<u8> {
    let mut ids: Vec<&[u8]> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids.concat()
}

/// What is in a repository beside references and objects.
struct Files<'n> {
    place: &'n Path,
    references: HashSet<&'n [u8]>,
    parts: Vec<Vec<u8>>,
}

impl Files<'_> {
    /// Adds what is in a directory. The directory itself is none of it: where it is empty, nothing is lost.
    fn add_folder(&mut self, below: &Path) -> io::Result<()> {
        let mut entries = fs::read_dir(self.place.join(below))?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_unstable_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (below, found) = (below.join(entry.file_name()), entry.file_type()?);
            if found.is_dir() {
                self.add_folder(&below)?;
                continue;
            }
            let path = entry.path();
            let content = match () {
                () if found.is_symlink() => {
                    [b"link ", fs::read_link(&path)?.as_os_str().as_encoded_bytes()].concat()
                }
                () if !found.is_file() => b"neither file nor link".to_vec(),
                () if self.is_compared(&below) => continue,
                () => match entry.metadata()?.len() {
                    len @ ..=READ => [format!("file {len} ").as_bytes(), &fs::read(&path)?].concat(),
                    len => format!("file {len}").into_bytes(),
                },
            };
            self.parts.push(below.as_os_str().as_encoded_bytes().to_vec());
            self.parts.push(content);
        }
        Ok(())
    }

    /// What was added, each file as a digest and its name.
    fn listed(&self) -> Vec<String> {
        let line =
            |part: &[Vec<u8>; 2]| format!("{} {}", &digest(&[&part[1]])[..16], names::encode(&part[0]));
        self.parts.as_chunks::<2>().0.iter().map(line).collect()
    }

    /// Whether all that a file says is compared otherwise, or is what Git makes of that again (gitrepository-layout(5)).
    fn is_compared(&self, below: &Path) -> bool {
        if below.starts_with("refs") {
            // Not so a lock, or what has no name that a reference may have.
            return self.references.contains(below.as_os_str().as_encoded_bytes());
        }
        let Some(parts) = below.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>() else {
            return false;
        };
        match parts[..] {
            ["HEAD" | "packed-refs"] | ["info", "refs"] | ["objects", "info", "packs" | "commit-graph"] => {
                true
            }
            ["objects", "info", "commit-graphs", name] => {
                name == "commit-graph-chain" || is_of_digest(name, "graph-", &["graph"])
            }
            ["objects", "pack", "multi-pack-index"] => true,
            ["objects", "pack", "multi-pack-index.d", name] => {
                name == "multi-pack-index-chain"
                    || is_of_digest(name, "multi-pack-index-", &["midx", "bitmap", "rev"])
            }
            ["objects", "pack", name] => {
                // What is in a pack is known by its index alone. `git maintenance` has names of its own for some.
                let is_known = || self.place.join(below).with_extension("idx").is_file();
                ["pack-", "loose-"].iter().any(|prefix| {
                    is_of_digest(name, prefix, &["idx", "rev", "bitmap", "mtimes"])
                        || is_of_digest(name, prefix, &["pack"]) && is_known()
                }) || is_of_digest(name, "multi-pack-index-", &["bitmap", "rev"])
            }
            ["objects", first, rest] => {
                first.len() == 2 && is_digest(first) && matches!(rest.len(), 38 | 62) && is_digest(rest)
            }
            _ => false,
        }
    }
}

/// Whether a name is one that Git gives files by what they hold.
fn is_of_digest(name: &str, prefix: &str, endings: &[&str]) -> bool {
    let parts = name.strip_prefix(prefix).and_then(|rest| rest.split_once('.'));
    parts.is_some_and(|(found, ending)| {
        matches!(found.len(), 40 | 64) && is_digest(found) && endings.contains(&ending)
    })
}

fn is_digest(text: &str) -> bool {
    text.bytes().all(|octet| matches!(octet, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_git_makes_again_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let pack = format!("objects/pack/pack-{}", "0a".repeat(32));
        let files = Files {
            place: folder.path(),
            references: HashSet::from([&b"refs/heads/x"[..]]),
            parts: Vec::new(),
        };
        let is_compared = |below: &str| files.is_compared(Path::new(below));
        assert!(!is_compared(&format!("{pack}.pack")), "a pack without its index");
        fs::create_dir_all(folder.path().join("objects/pack")).unwrap();
        fs::write(folder.path().join(format!("{pack}.idx")), "").unwrap();
        let loose = format!("objects/0a/{}", "0a".repeat(31));
        let graph = format!("objects/info/commit-graphs/graph-{}.graph", "0a".repeat(32));
        let known = ["HEAD", "packed-refs", "refs/heads/x", "objects/info/commit-graph", &loose, &graph];
        for known in known
            .map(str::to_owned)
            .into_iter()
            .chain(["pack", "idx", "rev"].map(|end| format!("{pack}.{end}")))
        {
            assert!(is_compared(&known), "{known}");
        }
        for other in [
            "MERGE_HEAD",
            "HEAD.lock",
            "logs/HEAD",
            "refs/heads/x.lock",
            "objects/pack/mine.pack",
            "objects/info/alternates",
            "objects/0a/tmp_obj_x",
            "lfs/objects/a",
            "worktrees/x/HEAD",
            &format!("{pack}.keep"),
        ] {
            assert!(!is_compared(other), "{other}");
        }
    }
}
