use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::parse::{parse_loose, parse_packed};
use super::{Listing, OWN, Reference, Target, is_of_one_working_tree, is_valid_name};
use crate::Error;
use crate::file::{self, read_if_there};

/// Git's own commands do not write over what they cannot read.
const REMEDY: &str = "write `ref: ` and a reference's name into it, or an object's ID, or restore it from another copy of the \
                      repository";

/// As Git reads none of a `packed-refs` in which it does not know a line.
const REMEDY_OF_PACKED: &str = "correct it with an editor, or restore it from another copy of the repository";

/// What is found in files, by name.
type Found = BTreeMap<Vec<u8>, Result<Target, Error>>;

/// All references of a repository.
///
/// # Errors
/// [`Error::File`] of `packed-refs`, of which nobody can tell what is lost; [`Error::Io`] of directories that cannot be listed.
pub(crate) fn read_all(git_dir: &Path, common_dir: &Path, id_len: usize) -> Result<Listing, Error> {
    let is_shared = |name: &[u8]| git_dir == common_dir || !is_of_one_working_tree(name);
    // Loose ones first, as Git does: one that `git pack-refs` moves meanwhile is found in one place or in both.
    let (mut found, mut links) = (Found::new(), Vec::new());
    read_folder(common_dir.join("refs"), b"refs", id_len, &mut found, &mut links)?;
    if git_dir != common_dir {
        found.retain(|name, _| is_shared(name));
        for name in OWN {
            read_folder(git_dir.join(name), name.as_bytes(), id_len, &mut found, &mut links)?;
        }
    }
    let packed = common_dir.join("packed-refs");
    if let Some(text) = read_if_there(&packed)? {
        let parsed = parse_packed(&text, id_len).map_err(|(offset, problem)| Error::File {
            path: packed,
            offset: offset as u64,
            problem: problem.to_owned(),
            remedy: REMEDY_OF_PACKED,
        })?;
        let mut of_packed = Found::new();
        let shared = parsed.into_iter().filter(|(name, _)| is_shared(name));
        of_packed.extend(shared.map(|(name, id)| (name, Ok(Target::Id(id)))));
        of_packed.append(&mut found);
        found = of_packed;
    }
    for link in links {
        if let Some(Ok(Target::Symbolic(name))) = found.get(&link)
            && (*name == link || !found.contains_key(name))
        {
            found.remove(&link);
        }
    }
    let mut listing = Listing::default();
    for (name, target) in found {
        match target {
            Ok(target) => listing.references.push(Reference { name, target }),
            Err(error) => listing.unreadable.push((name, error)),
        }
    }
    Ok(listing)
}

pub(crate) fn read_one(path: &Path, name: Vec<u8>, id_len: usize) -> Result<Reference, Error> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    // Git of 2005 wrote symbolic references as symbolic links.
    if path.symlink_metadata().map_err(io)?.is_symlink() {
        let link = fs::read_link(path).map_err(io)?;
        let link = link.as_os_str().as_encoded_bytes();
        // Of another one it reads the file that the link leads to.
        if is_valid_name(link) {
            return Ok(Reference { name, target: Target::Symbolic(link.to_vec()) });
        }
    }
    let text = file::read(path)?;
    let target = parse_loose(&text, id_len).ok_or_else(|| Error::File {
        path: path.to_path_buf(),
        offset: 0,
        problem: "not a valid ref: expected `ref: ` and a name, or an object ID".to_owned(),
        remedy: REMEDY,
    })?;
    Ok(Reference { name, target })
}

/// All references in a directory. `of_2005` are those of them that are links as Git wrote them then, which lead to files
/// from another directory: Git sees them only if the reference is there whose name they hold.
fn read_folder(
    folder: PathBuf,
    prefix: &[u8],
    id_len: usize,
    found: &mut Found,
    of_2005: &mut Vec<Vec<u8>>,
) -> Result<(), Error> {
    /// Git follows links to directories, too. Those in a circle would go on until the system has enough.
    const MOST_LINKS: usize = 5;
    let mut folders = vec![(folder, prefix.to_vec(), 0)];
    while let Some((folder, prefix, links)) = folders.pop() {
        for path in entries(&folder)? {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            // No name of a reference; Git passes over them, such as `.gitkeep`.
            if name.starts_with(b".") || name.ends_with(b".lock") {
                continue;
            }
            let name = [&prefix, &b"/"[..], name].concat();
            let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
            if path.is_dir() {
                let links = links + usize::from(is_link);
                // What is above it is read anyway.
                let leads_up =
                    || Some(fs::canonicalize(&folder).ok()?.starts_with(fs::canonicalize(&path).ok()?));
                if !is_link || links <= MOST_LINKS && leads_up() != Some(true) {
                    folders.push((path, name, links));
                }
            } else {
                let target = read_one(&path, name.clone(), id_len).map(|reference| reference.target);
                let is_broken =
                    || path.metadata().is_err_and(|error| error.kind() != io::ErrorKind::PermissionDenied);
                if is_link && is_broken() {
                    // Git passes over links that lead to no file.
                    match target {
                        Ok(Target::Symbolic(_)) => of_2005.push(name.clone()),
                        _ => continue,
                    }
                }
                // One that is gone was removed meanwhile, or is in `packed-refs` by now.
                if target.is_ok() || path.symlink_metadata().is_ok() {
                    found.insert(name, target);
                }
            }
        }
    }
    Ok(())
}

/// What is in a directory, sorted; nothing if there is no directory.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let io = |source| Error::Io { path: folder.to_path_buf(), source };
    let found = match fs::read_dir(folder) {
        Ok(found) => found,
        // What is no directory has nothing in it; Git passes over a file where a directory of loose objects might be.
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        Err(source) => return Err(io(source)),
    };
    let mut paths = found.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(io)?;
    paths.sort_unstable();
    Ok(paths)
}
