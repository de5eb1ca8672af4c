//! Where else a repository's objects are (gitrepository-layout(5), “objects/info/alternates”).

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::file::read_if_there;

/// Alternates one behind the other that Git reads: it passes over what the last one names.
const DEEPEST: usize = 6;

/// The directory of a repository's own objects and those of its alternates, each followed by its own; each once, so that
/// alternates that lead back end there.
pub(crate) fn object_dirs(own: &Path) -> Result<Vec<PathBuf>, Error> {
    let own = canonical(own)?;
    let mut found =
        Found { known: HashSet::from([own.clone()]), dirs: vec![own.clone()], ..Found::default() };
    found.add_alternates(&own, 0)?;
    // What others name as well, Git finds by these.
    match found.too_deep.into_iter().find(|(_, alternate)| !found.known.contains(alternate)) {
        None => Ok(found.dirs),
        Some((path, alternate)) => Err(Error::Repository {
            path,
            problem: format!(
                "Git does not read the alternate {}, since it is nested {DEEPEST} levels deep",
                alternate.display()
            ),
            remedy: "list it in the alternates of the repository itself",
        }),
    }
}

#[derive(Default)]
struct Found {
    dirs: Vec<PathBuf>,
    known: HashSet<PathBuf>,
    /// Those that are named where Git does not look, with the file that does.
    too_deep: Vec<(PathBuf, PathBuf)>,
}

impl Found {
    /// Adds what a directory at this depth names, in Git's order: so each has the depth that Git reads it at.
    fn add_alternates(&mut self, dir: &Path, depth: usize) -> Result<(), Error> {
        let file = dir.join("info/alternates");
        let Some(text) = read_if_there(&file)? else { return Ok(()) };
        for line in text.split(|byte| *byte == b'\n') {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let alternate = dir.join(path(&unquoted(line)));
            if !alternate.is_dir() {
                return Err(Error::Repository {
                    path: file,
                    problem: format!("the alternate {} does not exist", alternate.display()),
                    remedy: "restore it, or correct its path",
                });
            }
            let alternate = canonical(&alternate)?;
            if depth >= DEEPEST {
                self.too_deep.push((file.clone(), alternate));
            } else if self.known.insert(alternate.clone()) {
                self.dirs.push(alternate.clone());
                self.add_alternates(&alternate, depth + 1)?;
            }
        }
        Ok(())
    }
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(|source| Error::Io { path: path.to_path_buf(), source })
}

/// A path that has quotation marks is written as C writes strings.
fn unquoted(line: &[u8]) -> Vec<u8> {
    let Some(quoted) = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return line.to_vec();
    };
    let mut path = Vec::new();
    let mut rest = quoted.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            path.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'a') => path.push(7),
            Some(b'b') => path.push(8),
            Some(b't') => path.push(b'\t'),
            Some(b'n') => path.push(b'\n'),
            Some(b'v') => path.push(11),
            Some(b'f') => path.push(12),
            Some(b'r') => path.push(b'\r'),
            Some(digit @ b'0'..=b'3') => {
                let mut value = digit - b'0';
                for _ in 0..2 {
                    if let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value << 3 | (digit - b'0');
                    }
                }
                path.push(value);
            }
            other => path.extend(other),
        }
    }
    path
}

#[cfg(unix)]
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_paths() {
        assert_eq!(unquoted(b"/a\\b"), b"/a\\b");
        assert_eq!(unquoted(b"\"/a \\\"b\\\\ \\303\\244\\t\""), "/a \"b\\ ä\t".as_bytes());
        assert_eq!(unquoted(b"\"\\"), b"\"\\");
    }

    #[test]
    fn alternates_that_lead_back_end_there() {
        let folder = tempfile::tempdir().unwrap();
        for (own, other) in [("a", "../b"), ("b", "../a"), ("b2", "../b")] {
            let info = folder.path().join(own).join("info");
            fs::create_dir_all(&info).unwrap();
            fs::write(info.join("alternates"), format!("# comment\n{other}\n\n")).unwrap();
        }
        let dirs = object_dirs(&folder.path().join("b2")).unwrap();
        let names: Vec<_> = dirs.iter().map(|dir| dir.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["b2", "b", "a"]);
        fs::remove_dir_all(folder.path().join("a")).unwrap();
        assert!(matches!(object_dirs(&folder.path().join("b")), Err(Error::Repository { .. })));
    }

    /// Alternates 0 to `last`, each of which names the next one.
    fn chain(folder: &Path, last: usize) {
        for nth in 0..=last {
            let info = folder.join(nth.to_string()).join("info");
            fs::create_dir_all(&info).unwrap();
            if nth < last {
                fs::write(info.join("alternates"), format!("../{}\n", nth + 1)).unwrap();
            }
        }
    }

    #[test]
    fn as_deep_as_git_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        chain(folder.path(), 6);
        assert_eq!(object_dirs(&folder.path().join("0")).unwrap().len(), 7);
        chain(folder.path(), 7);
        let error = object_dirs(&folder.path().join("0")).unwrap_err().to_string();
        assert!(error.contains("6/info/alternates") && error.contains("does not read"), "{error}");
        // Whoever names it beside the first one finds it.
        let own = folder.path().join("0/info/alternates");
        for text in ["../7\n../1\n", "../1\n../7\n"] {
            fs::write(&own, text).unwrap();
            assert_eq!(object_dirs(&folder.path().join("0")).unwrap().len(), 8);
        }
    }
}
