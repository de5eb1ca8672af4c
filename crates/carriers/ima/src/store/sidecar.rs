//! Signatures in files beside what they sign, as `evmctl ima_sign --sigfile` writes and `evmctl ima_verify --sigfile`
//! reads them: the value of the xattr, and nothing else, in `NAME.sig`.

use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::tree::Refusal;
use crate::tree::root::Root;

use super::attribute::is_full;

/// The suffix that evmctl uses.
pub const SUFFIX: &str = ".sig";

/// The suffix of a sidecar that is being written. One that a killed run left behind is overwritten by the next.
pub(crate) fn unfinished(suffix: &str) -> String {
    format!("{suffix}.part")
}

/// A file's folder and its name with a suffix.
fn beside<'a>(path: &'a Path, suffix: &str) -> Result<(&'a Path, OsString), Errno> {
    let mut name: OsString = path.file_name().ok_or(Errno::INVAL)?.to_owned();
    name.push(suffix);
    Ok((path.parent().unwrap_or(Path::new("")), name))
}

/// The sidecar's bytes, in `buffer`; none where there is none. One that is longer than any xattr is cut, which no
/// value survives.
pub(crate) fn get<'a>(
    root: &Root,
    path: &Path,
    suffix: &str,
    buffer: &'a mut [u8],
) -> Result<Option<&'a [u8]>, Errno> {
    let (folder, name) = beside(path, suffix)?;
    let file = match root.open_file(&folder.join(name)) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match rustix::io::read(&file, rest) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(buffer.get(..length))
}

/// Writes a sidecar under another name and renames it, so that there is the old one, the new one or none.
pub(crate) fn set(root: &Root, path: &Path, suffix: &str, value: &[u8]) -> Result<(), Refusal> {
    let never_full = |error| Refusal::of(error, || false);
    let (folder, name) = beside(path, suffix).map_err(never_full)?;
    let (_, part) = beside(path, &unfinished(suffix)).map_err(never_full)?;
    let folder = root.open_folder(folder).map_err(never_full)?;
    write(&folder, &part, value).and_then(|()| fs::renameat(&folder, &part, &folder, &name)).map_err(
        |error| {
            let refusal = Refusal::of(error, || is_full(&folder));
            // The error that led here says more than one of removing the rest would.
            let _ = fs::unlinkat(&folder, &part, AtFlags::empty());
            refusal
        },
    )
}

fn write(folder: impl AsFd, name: &OsStr, mut value: &[u8]) -> Result<(), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = fs::openat(folder, name, flags, Mode::from_raw_mode(0o644))?;
    while !value.is_empty() {
        match rustix::io::write(&file, value) {
            Ok(written) => value = value.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
