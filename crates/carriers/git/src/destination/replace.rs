//! A repository in the place of another one.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::Error;

/// Gives a repository that [`write()`](super::write()) has written the name of an earlier one, or one that nothing has, on the same file system. Where the
/// system can exchange names (`RENAME_EXCHANGE`, rename(2)), there is a whole repository of that name at any time. What had the name
/// before is removed.
///
/// # Errors
/// [`Error::Io`].
pub fn replace(new: &Path, path: &Path) -> Result<(), Error> {
    let at = |source| Error::Io { path: path.to_path_buf(), source };
    if path.symlink_metadata().is_err() {
        fs::rename(new, path).map_err(at)?;
    } else if exchange(new, path).map_err(at)? {
        fs::remove_dir_all(new).map_err(at)?;
    } else {
        fs::remove_dir_all(path).map_err(at)?;
        fs::rename(new, path).map_err(at)?;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(at)
}

/// Exchanges two names, and says whether the system can do that.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(_one: &Path, _other: &Path) -> io::Result<bool> {
    Ok(false)
}
