//! Files that appear complete or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file beside `path` and renames it when it is complete, replacing what was there.
///
/// On any error, from `write` or from the file system, what was written is removed and `path` stays as it was.
pub fn write_beside<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let mut beside = path.as_os_str().to_owned();
    // Neither two processes nor two threads share a name.
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    beside.push(format!(".partial-{}-{number}", std::process::id()));
    let beside = Partial(PathBuf::from(beside));
    let mut out = BufWriter::with_capacity(1 << 18, File::create(&beside.0)?);
    let outcome = write(&mut out)?;
    out.flush()?;
    drop(out);
    fs::rename(&beside.0, path)?;
    // Nothing of that name is left to remove.
    std::mem::forget(beside);
    Ok(outcome)
}

/// Removes the file when it is dropped.
struct Partial(PathBuf);

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_a_whole_file_or_none() {
        let directory = std::env::temp_dir().join(format!("fieldtest-write-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("zone");
        write_beside(&path, |out| out.write_all(b"whole")).unwrap();
        let failed = write_beside(&path, |out| {
            out.write_all(b"half")?;
            Err::<(), _>(io::Error::from(io::ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
        fs::remove_dir_all(&directory).unwrap();
    }
}
