//! Signatures in files beside what they sign, as `evmctl ima_sign --sigfile` writes and `evmctl ima_verify --sigfile`
//! reads them: the value of the xattr, and nothing else, in `NAME.sig`.

use std::ffi::OsString;
use std::path::Path;

use rustix::fs::{FileType, fstat};
use rustix::io::Errno;

use super::unnamed::Unnamed;
use crate::files::report::Refusal;
use crate::files::root::Root;
use crate::xattr::{LONGEST_VALUE, Xattr};

/// The suffix that evmctl uses.
pub const SUFFIX: &str = ".sig";

/// A file's directory and its name with a suffix.
fn beside<'a>(path: &'a Path, suffix: &str) -> Result<(&'a Path, OsString), Errno> {
    let mut name: OsString = path.file_name().ok_or(Errno::INVAL)?.to_owned();
    name.push(suffix);
    Ok((path.parent().unwrap_or(Path::new("")), name))
}

/// The sidecar's bytes, in `buffer`; none where there is none, and `LOOP` where it is no regular file. One that is longer
/// than any xattr is cut, which no value survives.
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
        // A socket.
        Err(Errno::NXIO) => return Err(Errno::LOOP),
        Err(error) => return Err(error),
    };
    if !FileType::from_raw_mode(fstat(&file)?.st_mode).is_file() {
        return Err(Errno::LOOP);
    }
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

/// Whether these are the bytes of a signature, so that a sidecar with them may be replaced by another. `NAME.sig` is what
/// others call their signatures too, OpenPGP's for one.
pub(crate) fn is_signature(value: &[u8]) -> bool {
    matches!(Xattr::parse(value), Ok(Xattr::Signature(_) | Xattr::SignatureV1(_)))
}

pub(crate) enum NotSet {
    Refused(Refusal),
    /// Another process was faster; its value.
    Overtaken(Vec<u8>),
}

impl From<Refusal> for NotSet {
    fn from(refusal: Refusal) -> Self {
        NotSet::Refused(refusal)
    }
}

/// Writes a sidecar without a name and gives it its own, so that there is the old one, the new one or none, and nothing
/// of a run that is killed. `replaces` says that a signature has the name and may be replaced. What else has it stays.
pub(crate) fn set(
    root: &Root,
    path: &Path,
    suffix: &str,
    value: &[u8],
    replaces: bool,
) -> Result<(), NotSet> {
    // What a file lacks room for is in the file system or nowhere.
    let refused = |error| Refusal::of(error, || true);
    let (folder, name) = beside(path, suffix).map_err(refused)?;
    let folder = root.open_folder(folder).map_err(refused)?;
    let file = Unnamed::write(&folder, &name, value).map_err(refused)?;
    if replaces {
        return Ok(file.replace(&name).map_err(refused)?);
    }
    match file.name(&name) {
        Err(Errno::EXIST) => {}
        named => return Ok(named.map_err(refused)?),
    }
    let mut buffer = vec![0; LONGEST_VALUE];
    match get(root, path, suffix, &mut buffer) {
        Ok(Some(found)) if is_signature(found) => Err(NotSet::Overtaken(found.to_vec())),
        _ => Err(Refusal::SidecarTaken.into()),
    }
}
