//! References: names of objects that people use (gitrepository-layout(5), git-pack-refs(1)).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use crate::file::{self, read_if_there};
use crate::{Error, ObjectId};

/// What a reference stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An object.
    Id(ObjectId),
    /// Another reference, by its name.
    Symbolic(Vec<u8>),
}

/// A name for an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Such as `refs/heads/main` or `HEAD`.
    pub name: Vec<u8>,
    /// What it stands for.
    pub target: Target,
}

impl Reference {
    /// Whether it has to lead to a commit (`HEAD`, and all below `refs/heads`).
    pub(crate) fn is_branch(&self) -> bool {
        self.name == b"HEAD" || self.name.starts_with(b"refs/heads/")
    }
}

/// The references of a repository, as far as they can be read.
#[derive(Debug, Default)]
pub struct Listing {
    /// Those that can be read, sorted by name.
    pub references: Vec<Reference>,
    /// The names of those that cannot, and why.
    pub unreadable: Vec<(Vec<u8>, Error)>,
}

/// What a repository's names led to at one moment. Whoever reads it before the objects finds all that these names lead
/// to, whatever is committed meanwhile: Git stores an object before anything names it.
#[derive(Debug)]
pub struct Snapshot {
    /// `HEAD`, which was read before the others: the branch that it stands for is among them.
    pub head: Reference,
    /// All below `refs/`.
    pub listing: Listing,
}

/// Below this Git looks for objects that take the place of others, by the names of the latter (git-replace(1)).
const REPLACE: &[u8] = b"refs/replace/";

/// The object that a reference `refs/replace/ID` replaces; none of other references.
pub fn replaced(name: &[u8]) -> Option<ObjectId> {
    name.strip_prefix(REPLACE).and_then(ObjectId::from_hex)
}

/// The name of the reference that replaces an object.
pub(crate) fn replacing(id: &ObjectId) -> Vec<u8> {
    [REPLACE, id.to_string().as_bytes()].concat()
}

/// Whether Git allows a name for a reference, other than `HEAD` (git-check-ref-format(1)). Such names stay within the
/// folder `refs`, and within a line of `packed-refs`.
pub fn is_valid_name(name: &[u8]) -> bool {
    name.starts_with(b"refs/") && has_valid_form(name)
}

/// The same, also of names without folders, such as `HEAD`: what Git follows where a reference stands for it, and what it
/// believes to be a reference in `packed-refs`.
pub(crate) fn has_valid_form(name: &[u8]) -> bool {
    let odd = |byte: &u8| byte.is_ascii_control() || b" ~^:?*[\\".contains(byte);
    let part_is_valid =
        |part: &[u8]| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock");
    let has = |pair: &[u8; 2]| name.windows(2).any(|found| found == pair);
    name != b"@"
        && !name.iter().any(odd)
        && name.split(|byte| *byte == b'/').all(part_is_valid)
        && !name.ends_with(b".")
        && !has(b"..")
        && !has(b"@{")
}

const REMEDY: &str = "correct it with `git update-ref`, or restore it from another copy of the repository";

/// As Git reads none of a `packed-refs` in which it does not know a line.
const REMEDY_OF_PACKED: &str = "correct it with an editor, or restore it from another copy of the repository";

/// How the first line of a `packed-refs` begins, if it is no reference.
const HEADER: &[u8] = b"# pack-refs with:";

/// What is found in files, by name.
type Found = BTreeMap<Vec<u8>, Result<Target, Error>>;

/// Where references are that each working tree has for itself (gitrepository-layout(5), “refs”).
const OWN: [&str; 3] = ["refs/bisect", "refs/rewritten", "refs/worktree"];

/// Whether each working tree has a reference of this name for itself, such as `HEAD`.
pub(crate) fn is_of_one_working_tree(name: &[u8]) -> bool {
    let is_below = |own: &&str| name.strip_prefix(own.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"));
    !name.starts_with(b"refs/") || OWN.iter().any(is_below)
}

/// All references of a repository.
///
/// # Errors
/// [`Error::File`] of `packed-refs`, of which nobody can tell what is lost; [`Error::Io`] of folders that cannot be listed.
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

/// The reference in one file.
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
        problem: "this is no reference: neither `ref: ` and a name nor an object ID".to_owned(),
        remedy: REMEDY,
    })?;
    Ok(Reference { name, target })
}

/// The `HEAD` of each working tree beside the first, but for those that are being made or removed.
pub(crate) fn worktree_heads(common_dir: &Path, id_len: usize) -> Result<Vec<Reference>, Error> {
    let mut heads = Vec::new();
    for folder in entries(&common_dir.join("worktrees"))? {
        let head = folder.join("HEAD");
        let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
        let read = || read_one(&head, [b"worktrees/", name, b"/HEAD"].concat(), id_len);
        let mut found = read();
        let is_unfinished = match &found {
            Ok(Reference { target: Target::Id(id), .. }) => id.as_bytes().iter().all(|&byte| byte == 0),
            found => found.is_err(),
        };
        if is_unfinished {
            if is_being_made(&folder) {
                continue;
            }
            // It may have got its `HEAD` between the two looks.
            found = read();
        }
        if found.is_ok() || head.symlink_metadata().is_ok() {
            heads.push(found?);
        } else if is_left_without_head(&folder) {
            return Err(Error::Repository {
                path: head,
                problem: "this file is missing, and Git takes the folder for that of a working tree"
                    .to_owned(),
                remedy: "write the ID of a commit into it, or remove the folder",
            });
        }
    }
    Ok(heads)
}

/// The folder of each working tree beside the first, as Git lists them: `gitdir` there names one, which need not be there.
pub(crate) fn working_trees(common_dir: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut folders = entries(&common_dir.join("worktrees"))?;
    folders.retain(|folder| names_working_tree(folder));
    Ok(folders)
}

fn names_working_tree(folder: &Path) -> bool {
    folder.join("gitdir").metadata().is_ok_and(|file| file.is_file() && file.len() > 0)
}

/// Longer than it takes to make a working tree, or to remove one.
const LONGEST: Duration = Duration::from_secs(60);

fn is_old(file: &fs::Metadata) -> bool {
    file.modified().is_ok_and(|written| written.elapsed().is_ok_and(|age| age > LONGEST))
}

/// Whether a folder without `HEAD` is that of a working tree to Git (it is if `gitdir` names one), and neither has become
/// so by `git worktree remove` a moment ago.
fn is_left_without_head(folder: &Path) -> bool {
    names_working_tree(folder) && folder.metadata().is_ok_and(|folder| is_old(&folder))
}

/// Whether `git worktree add` may be at work in this folder: it locks it, writes an ID of zeros to `HEAD`, and only then
/// what it stands for. Where that is long ago, it was killed, or somebody else locked it.
fn is_being_made(folder: &Path) -> bool {
    let written = folder.join("HEAD").symlink_metadata().or_else(|_| folder.metadata());
    folder.join("locked").exists() && !written.is_ok_and(|written| is_old(&written))
}

fn parse_loose(text: &[u8], id_len: usize) -> Option<Target> {
    if let Some(name) = text.strip_prefix(b"ref:") {
        let name = name.trim_ascii();
        return (!name.is_empty()).then(|| Target::Symbolic(name.to_vec()));
    }
    let hex = text.get(..2 * id_len)?;
    let ends = text.get(2 * id_len).is_none_or(u8::is_ascii_whitespace);
    ObjectId::from_hex(hex).filter(|_| ends).map(Target::Id)
}

/// A name and what it stands for.
type Named = (Vec<u8>, ObjectId);

/// The references of a `packed-refs`, or at which byte what is wrong. What tags lead to (`^` lines) is checked to be
/// an ID and not kept, since it stands in the tags themselves. A line that Git does not know makes it end, wherever that
/// is: there are no comments but the header. Where that says that names are sorted, Git looks for them in halves, and
/// does not find all if they are not.
fn parse_packed(text: &[u8], id_len: usize) -> Result<Vec<Named>, (usize, &'static str)> {
    let mut found: Vec<Named> = Vec::new();
    let mut offset = 0;
    // Whether a `^` may follow.
    let mut of_tag = false;
    let mut is_sorted = false;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let begin = offset;
        offset += line.len();
        let line = line.strip_suffix(b"\n").ok_or((begin, "the file is cut off in this line"))?;
        let id_of = |hex: &[u8]| ObjectId::from_hex(hex).filter(|id| id.as_bytes().len() == id_len);
        if line.starts_with(b"#") {
            match begin == 0 && line.starts_with(HEADER) {
                true => {
                    is_sorted = line.split(|byte| *byte == b' ').any(|word| word == b"sorted");
                    continue;
                }
                false => {
                    return Err((
                        begin,
                        "this line is a comment, of which Git knows none but its own header",
                    ));
                }
            }
        }
        if let Some(peeled) = line.strip_prefix(b"^") {
            if !std::mem::take(&mut of_tag) || id_of(peeled).is_none() {
                return Err((begin, "this line is not ^ and an object ID after a tag"));
            }
            continue;
        }
        of_tag = true;
        let parts = line.split_at_checked(2 * id_len);
        let parts = parts.and_then(|(hex, rest)| match rest {
            // Git writes a space, and reads what it calls one.
            [b' ' | b'\t' | b'\r', name @ ..] => Some((id_of(hex)?, name)),
            _ => None,
        });
        match parts {
            Some((_, name)) if is_sorted && found.last().is_some_and(|(last, _)| last.as_slice() > name) => {
                return Err((begin, "this name comes before the last one, and the header says `sorted`"));
            }
            Some((id, name)) if !name.is_empty() => found.push((name.to_vec(), id)),
            _ => return Err((begin, "this line is not an object ID, a space and a name")),
        }
    }
    Ok(found)
}

/// All references in a folder. `of_2005` are those of them that are links as Git wrote them then, which lead to files
/// from another folder: Git sees them only if the reference is there whose name they hold.
fn read_folder(
    folder: PathBuf,
    prefix: &[u8],
    id_len: usize,
    found: &mut Found,
    of_2005: &mut Vec<Vec<u8>>,
) -> Result<(), Error> {
    /// Git follows links to folders, too. Those in a circle would go on until the system has enough.
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

/// What is in a folder, sorted; nothing if there is no folder.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let io = |source| Error::Io { path: folder.to_path_buf(), source };
    let found = match fs::read_dir(folder) {
        Ok(found) => found,
        // What is no folder has nothing in it; Git passes over a file where a folder of loose objects might be.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ONE: &str = "165e5ad3169d0fd26637da3383a4514f1a9d1e72";
    const TWO: &str = "0bbf741030a758db45206e865ab58b9886f15dc8";

    #[test]
    fn packed_references() {
        let text = format!(
            "# pack-refs with: peeled fully-peeled sorted \n{ONE} refs/tags/a b\n^{TWO}\n{TWO} refs/x\n"
        );
        let found = parse_packed(text.as_bytes(), 20).unwrap();
        let wanted =
            [(b"refs/tags/a b".to_vec(), ONE.parse().unwrap()), (b"refs/x".to_vec(), TWO.parse().unwrap())];
        assert_eq!(found, wanted);
        for text in [
            format!("^{ONE}\n"),
            format!("{ONE} refs/x"),
            format!("{ONE}\n"),
            format!("{ONE} \n"),
            "x\n".into(),
            "# hello\n".into(),
            "#pack-refs with:\n".into(),
            format!("{ONE} refs/x\n# pack-refs with: \n"),
            format!("{ONE} refs/x\n^{TWO}\n^{TWO}\n"),
        ] {
            assert!(parse_packed(text.as_bytes(), 20).is_err(), "{text:?}");
        }
        assert_eq!(parse_packed(format!("{ONE} refs/x\n{TWO}\n").as_bytes(), 20).unwrap_err().0, 48);
    }

    #[test]
    fn names_that_git_allows() {
        for name in
            [&b"refs/heads/main"[..], b"refs/a", b"refs/heads/latin-\xe9", b"refs/heads/a.b", b"refs/x@y"]
        {
            assert!(is_valid_name(name), "{name:?}");
        }
        for name in [
            &b""[..],
            b"HEAD",
            b"refs/",
            b"refs//a",
            b"refs/a/",
            b"refs/../a",
            b"refs/a..b",
            b"refs/.a",
            b"refs/a.lock",
            b"refs/a.lock/b",
            b"refs/a.",
            b"refs/a b",
            b"refs/a\nb",
            b"refs/a\x7f",
            b"refs/a@{b",
            b"../../etc/passwd",
        ] {
            assert!(!is_valid_name(name), "{name:?}");
        }
        assert!(has_valid_form(b"HEAD") && has_valid_form(b"worktrees/x/HEAD") && has_valid_form(b"refs/@"));
        assert!(!has_valid_form(b"@") && !has_valid_form(b"") && !has_valid_form(b"../HEAD"));
        assert_eq!(replaced(format!("refs/replace/{ONE}").as_bytes()), Some(ONE.parse().unwrap()));
        assert_eq!(replaced(b"refs/replace/x"), None);
        assert_eq!(replacing(&ONE.parse().unwrap()), format!("refs/replace/{ONE}").as_bytes());
    }

    #[test]
    fn loose_references() {
        assert_eq!(parse_loose(format!("{ONE}\n").as_bytes(), 20), Some(Target::Id(ONE.parse().unwrap())));
        assert_eq!(parse_loose(b"ref: refs/heads/x\n", 20), Some(Target::Symbolic(b"refs/heads/x".to_vec())));
        for text in [&b""[..], b"ref: \n", &ONE.as_bytes()[1..], format!("{ONE}00\n").as_bytes()] {
            assert_eq!(parse_loose(text, 20), None);
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..120), text in "[0-9a-f#^ \\nr]{0,120}") {
            for input in [&bytes, text.as_bytes()] {
                let _ = (parse_packed(input, 20), parse_packed(input, 1), parse_loose(input, 20));
            }
        }
    }
}
