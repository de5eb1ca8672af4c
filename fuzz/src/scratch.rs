//! A directory in memory for parsers that take files, gone with the program where it ends in peace; `run.sh` removes the
//! rest.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let new = || {
        let memory = Path::new("/dev/shm");
        let base = match std::env::var_os("FIELDTEST_FUZZ_SCRATCH") {
            Some(base) => PathBuf::from(base),
            None if memory.is_dir() => memory.to_path_buf(),
            None => std::env::temp_dir(),
        };
        TempDir::with_prefix_in("fieldtest-fuzz-", base).expect("a directory for files")
    };
    FOLDER.get_or_init(new).path()
}

/// Writes a file of that name, and returns its path.
pub(crate) fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, content).expect("room for a file");
    path
}
