//! How a disk command ends that does not come to its end: errors with the remedy that this program has.

use std::io::ErrorKind;
use std::path::Path;

use fieldtest_disk::Error;
use rustix::process::{Resource, getrlimit};

use crate::ended::Ended;
use crate::outcome::{coded, named, usage};

/// How far an image came that did not come whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    /// Bytes from its beginning on that are all there.
    pub(super) whole: u64,
    /// Behind the last byte that may be there.
    pub(super) reached: u64,
    /// What has to be done before it is tried again, with a comma behind it.
    pub(super) first: &'static str,
}

/// What ended a copy, with what that leaves; any error that leaves nothing of it as it is.
pub(super) fn stopped(error: anyhow::Error, left: impl FnOnce(Begun) -> String) -> anyhow::Error {
    match error.downcast() {
        Ok(Error::Interrupted { done, .. }) => {
            let left = left(Begun { whole: done, reached: done, first: "" });
            Ended::interrupted(format!("interrupted; {left}")).into()
        }
        Ok(Error::Incomplete { source, whole, reached }) => {
            let first = if is_full(&source) { "free some space, then " } else { "fix that, then " };
            let left = left(Begun { whole, reached, first });
            anyhow::anyhow!("{}; {left}", in_words(*source))
        }
        Ok(error) => error.into(),
        Err(error) => error,
    }
}

/// Whether the file system, or what this user may have of it, is full.
pub(super) fn is_full(error: &Error) -> bool {
    match error {
        Error::Io { source, .. } => {
            matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
        }
        _ => false,
    }
}

/// The same with the name of the container before those that do not say which it is.
pub(super) fn explained_of(container: &Path) -> impl Fn(Error) -> anyhow::Error + use<'_> {
    move |error| {
        let (name, code) = (container.display(), named(&error));
        let words = match error {
            // What is wrong is no new container.
            Error::Parameters(what) => usage(format!("{name}: {what}")),
            Error::NoSuchSlot(_) => anyhow::anyhow!("{name}: {error}: fieldtest disk dump {name}"),
            Error::WrongPassphrase { .. }
            | Error::NoSlotTried(_)
            | Error::LastSlot(_)
            | Error::NoRoomBeside(_)
            | Error::WrongVolumeKey
            | Error::KeyLength { .. }
            | Error::OneKey { .. }
            | Error::Unfit(_)
            | Error::Unsupported { .. }
            | Error::Metadata(_)
            | Error::ForeignReencryption
            | Error::KeyDerivation(_) => anyhow::anyhow!("{name}: {error}"),
            other => return explained(other),
        };
        coded(code, words)
    }
}

/// The carrier's errors in the words of the command line.
pub(super) fn explained(error: Error) -> anyhow::Error {
    match remedy(&error) {
        Some(remedy) => coded(named(&error), anyhow::anyhow!("{}; {remedy}, then retry", in_words(error))),
        None => in_words(error),
    }
}

/// What helps where the system does not let it be written.
pub(super) fn remedy(error: &Error) -> Option<&'static str> {
    let Error::Io { source, .. } = error else { return None };
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some("free some space"),
        ErrorKind::FileTooLarge => Some(match getrlimit(Resource::Fsize).current {
            Some(_) => "allow larger files (ulimit -f)",
            None => "give a smaller size: the file system does not allow files of this one",
        }),
        ErrorKind::ReadOnlyFilesystem => Some("mount the file system for writing"),
        // What nobody may write to, whoever asks; all else is EACCES.
        _ if source.raw_os_error() == Some(EPERM) => Some(
            "make it writable (blockdev shows whether a device is read-only, lsattr whether a file is immutable)",
        ),
        _ => None,
    }
}

/// “Operation not permitted”, which has its kind in common with `EACCES`.
const EPERM: i32 = 1;

/// An error with the remedy that this program has, and no other.
pub(super) fn in_words(error: Error) -> anyhow::Error {
    let code = named(&error);
    let words = match error {
        Error::Exists(path) => exists(&path),
        Error::RefusedSpec { reason, remedy, .. } => anyhow::anyhow!(
            "rejected for a container: {}; {remedy}; for experiments only: --force",
            reason.trim_end_matches('.')
        ),
        Error::Labels { ref path, .. } => anyhow::anyhow!(
            "{error}; or overwrite them with repaired headers: fieldtest disk repair --force {}",
            path.display()
        ),
        Error::DetachedHeader(path) => anyhow::anyhow!(
            "{0} is a detached header, so writing data here would destroy it; name the file of the data, and add \
             --header {0}",
            path.display()
        ),
        Error::NotLuks(path) => anyhow::anyhow!(
            "{} is not a LUKS container: both headers are missing; give the file or device that has them",
            path.display()
        ),
        Error::Requirement { path, is_resumed: true, .. } => anyhow::anyhow!(
            "a re-encryption is under way; finish it before you open the container, with: fieldtest disk reencrypt \
             --resume {}",
            path.display()
        ),
        Error::EqualHalves(ref path) => {
            anyhow::anyhow!(
                "{error}: fieldtest disk reencrypt, or fieldtest disk copy {} IMAGE",
                path.display()
            )
        }
        Error::NoSuchSlot(_) => anyhow::anyhow!("{error}: fieldtest disk dump"),
        Error::Interrupted { .. } => return Ended::interrupted(error.to_string()).into(),
        Error::Parameters(_) => usage(error),
        other => return other.into(),
    };
    coded(code, words)
}

/// Something has the name already.
pub(super) fn exists(path: &std::path::Path) -> anyhow::Error {
    coded(
        "exists",
        anyhow::anyhow!(
            "{} already exists; choose another name, or overwrite it with --overwrite",
            path.display()
        ),
    )
}
