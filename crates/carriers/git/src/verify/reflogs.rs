//! What reflogs name: where references led to before (git-reflog(1); gitrepository-layout(5), “logs”). Git keeps these
//! objects, and `git fsck` asks for each of them.
//!
//! What Git does not read of them is passed over here, too, and said to be so: reading more would miss objects that Git
//! never meant to keep.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Missing, NamedBy};
use crate::file::read_if_there;
use crate::refs::{
    entries, has_valid_form, is_in_another_working_tree, is_of_one_working_tree, read_one, working_trees,
};
use crate::{Error, ObjectId, Objects, Repository};

/// What Git passes over as well.
const NOT_READ: &str = "reflogs that Git ignores, or lines of them";

/// The reflogs of all references and working trees, as far as they can be read.
#[derive(Default)]
pub(super) struct Reflogs {
    names: Vec<Vec<u8>>,
    /// All that is named, with the place of the reflog among `names` that was the first to do so.
    named: HashMap<ObjectId, usize>,
    pub(super) unreadable: Vec<Error>,
    /// What was not looked at, in words.
    pub(super) unchecked: Option<&'static str>,
}

impl Reflogs {
    /// Reads all reflogs. To be done before the objects are, which Git stores before it names them.
    pub(super) fn read(repository: &Repository) -> Reflogs {
        let mut reflogs = Reflogs::default();
        let (git_dir, common_dir) = (repository.git_dir(), repository.common_dir());
        let id_len = repository.id_len();
        let in_first = git_dir == common_dir;
        // The names by which `git fsck` speaks of them, and `git reflog show` finds them.
        reflogs.read_folder(common_dir.join("logs"), id_len, |name| match name {
            name if is_in_another_working_tree(&name) || is_no_reference(common_dir, &name, id_len) => None,
            name if !in_first && is_of_one_working_tree(&name) => Some([b"main-worktree/", &*name].concat()),
            name => Some(name),
        });
        // Git reads nothing else there: the reflogs of what all working trees share are with the others.
        let own = |name: Vec<u8>| is_of_one_working_tree(&name).then_some(name);
        if !in_first {
            reflogs.read_folder(git_dir.join("logs"), id_len, own);
        }
        let here = git_dir.canonicalize().ok();
        let folders = working_trees(common_dir).unwrap_or_else(|error| {
            reflogs.unreadable.push(error);
            Vec::new()
        });
        for folder in folders.into_iter().filter(|folder| in_first || folder.canonicalize().ok() != here) {
            let id = folder.file_name().unwrap_or_default().as_encoded_bytes();
            let prefix = [b"worktrees/", id, b"/"].concat();
            let full = |name: Vec<u8>| Some([&*prefix, &own(name)?].concat());
            reflogs.read_folder(folder.join("logs"), id_len, full);
        }
        reflogs
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = ObjectId> {
        self.named.keys().copied()
    }

    /// What is named and not there, in the order of the reflogs.
    pub(super) fn missing(&self, repository: &Repository, objects: &Objects) -> Vec<Missing> {
        let absent = self.named.iter().filter(|(id, _)| objects.find(id.as_bytes()).is_none());
        let mut absent: Vec<(usize, ObjectId)> = absent.map(|(id, log)| (*log, *id)).collect();
        if absent.is_empty() {
            return Vec::new();
        }
        // `git gc` may have dropped old entries since, and then what they alone named.
        let now = Reflogs::read(repository);
        absent.retain(|(_, id)| now.named.contains_key(id) || !now.unreadable.is_empty());
        absent.sort_unstable();
        let of = |log: usize| self.names.get(log).cloned().unwrap_or_default();
        let missing = absent.into_iter();
        missing.map(|(log, id)| Missing { id, named_by: NamedBy::Reflog(of(log)) }).collect()
    }

    /// Reads the reflogs in a directory. `full_name` makes the name of a reference of the path there, none of what Git does
    /// not read.
    fn read_folder(
        &mut self,
        folder: PathBuf,
        id_len: usize,
        full_name: impl Fn(Vec<u8>) -> Option<Vec<u8>>,
    ) {
        let is_link =
            |path: &PathBuf| path.symlink_metadata().is_ok_and(|metadata| metadata.file_type().is_symlink());
        if is_link(&folder) {
            self.unchecked = Some(NOT_READ);
            return;
        }
        let mut folders = vec![(folder, Vec::new())];
        while let Some((folder, prefix)) = folders.pop() {
            let paths = entries(&folder).unwrap_or_else(|error| {
                self.unreadable.push(error);
                Vec::new()
            });
            for path in paths {
                let last = path.file_name().unwrap_or_default().as_encoded_bytes();
                let name = [&prefix, last].concat();
                if is_link(&path) {
                    self.unchecked = Some(NOT_READ);
                } else if path.is_dir() {
                    folders.push((path, [&*name, b"/"].concat()));
                } else if last.starts_with(b".") || last.ends_with(b".lock") {
                    // What `git reflog expire` is writing, or somebody else's.
                } else if !has_valid_form(&name) {
                    self.unchecked = Some(NOT_READ);
                } else {
                    match (full_name(name), read_if_there(&path)) {
                        (Some(name), Ok(Some(text))) => self.add(name, &text, id_len),
                        (None, _) => self.unchecked = Some(NOT_READ),
                        // It was removed meanwhile, with its reference.
                        (_, Ok(None)) => {}
                        (_, Err(error)) => self.unreadable.push(error),
                    }
                }
            }
        }
    }

    fn add(&mut self, name: Vec<u8>, text: &[u8], id_len: usize) {
        let place = self.names.len();
        self.names.push(name);
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match parse_line(line, id_len) {
                Some(ids) => {
                    for id in ids.into_iter().filter(|id| id.as_bytes().iter().any(|byte| *byte != 0)) {
                        self.named.entry(id).or_insert(place);
                    }
                }
                None => self.unchecked = Some(NOT_READ),
            }
        }
    }
}

/// Whether a file of this name is there and no reference, such as `config`.
fn is_no_reference(common_dir: &Path, name: &[u8], id_len: usize) -> bool {
    let path = common_dir.join(OsStr::from_bytes(name));
    !name.starts_with(b"refs/") && path.is_file() && read_one(&path, name.to_vec(), id_len).is_err()
}

/// The IDs in a line `OLD NEW NAME <MAIL> SECONDS ZONE`, with a tab and a text behind it or not. None of a line that Git
/// passes over, such as one that is still being written and has no end.
fn parse_line(line: &[u8], id_len: usize) -> Option<[ObjectId; 2]> {
    let line = line.strip_suffix(b"\n")?;
    // Text ends there for Git.
    let line = line.split(|byte| *byte == 0).next()?;
    let (old, rest) = line.split_at_checked(2 * id_len)?;
    let (new, rest) = rest.strip_prefix(b" ")?.split_at_checked(2 * id_len)?;
    let rest = rest.strip_prefix(b" ")?;
    let end_of_mail = rest.iter().position(|byte| *byte == b'>')?;
    let (_, time) = rest.split_at_checked(end_of_mail + 1)?;
    // As strtoumax(3) reads a number; 0 is none to Git.
    let time = time.strip_prefix(b" ")?.trim_ascii_start();
    let time = time.strip_prefix(b"+").or_else(|| time.strip_prefix(b"-")).unwrap_or(time);
    let len = time.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (seconds, zone) = time.split_at_checked(len)?;
    let is_zone = matches!(zone, [b' ', b'+' | b'-', digits @ ..]
        if digits.len() >= 4 && digits.iter().take(4).all(u8::is_ascii_digit));
    let is_time = seconds.iter().any(|digit| *digit != b'0');
    (is_time && is_zone).then_some([ObjectId::from_hex(old)?, ObjectId::from_hex(new)?])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OLD: &str = "165e5ad3169d0fd26637da3383a4514f1a9d1e72";
    const NEW: &str = "0bbf741030a758db45206e865ab58b9886f15dc8";

    #[test]
    fn lines_that_git_reads_and_passes_over() {
        let parsed = |text: &str| parse_line(text.as_bytes(), 20);
        for rest in [
            " A <a@e> 1700000000 +0000\tcommit: x\n",
            " A <a@e> 1700000000 -1234\n",
            " <> 1 +00000\n",
            " A <a@e>  -5 +0000\r\n",
            " A <a@e> 99999999999999999999999 +0000\tx\0y\n",
        ] {
            let ids = [OLD, NEW].map(|id| id.parse().unwrap());
            assert_eq!(parsed(&format!("{OLD} {NEW}{rest}")), Some(ids), "{rest:?}");
            assert_eq!(parsed(&format!("{OLD}  {NEW}{rest}")), None, "{rest:?}");
            assert_eq!(parsed(&format!("{OLD} {}{rest}", &NEW[1..])), None, "{rest:?}");
            assert_eq!(parsed(&format!("{OLD} {}g{rest}", &NEW[1..])), None, "{rest:?}");
        }
        for rest in [
            " A <a@e> 1700000000 +0000\tcommit: x",
            "\n",
            " \n",
            " A a@e 5 +0000\n",
            " A ><> 5 +0000\n",
            " A <a@e>5 +0000\n",
            " A <a@e> 0 +0000\n",
            " A <a@e> +0000\n",
            " A <a@e> 5 0000\n",
            " A <a@e> 5 +000\n",
            " A\0 <a@e> 5 +0000\n",
            "\tA <a@e> 5 +0000\n",
        ] {
            assert_eq!(parsed(&format!("{OLD} {NEW}{rest}")), None, "{rest:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "[0-9a-f <>+\\-\\n]{0,120}") {
            for input in [&bytes, text.as_bytes()] {
                let _ = (parse_line(input, 20), parse_line(input, 1));
                Reflogs::default().add(Vec::new(), input, 1);
            }
        }
    }
}
