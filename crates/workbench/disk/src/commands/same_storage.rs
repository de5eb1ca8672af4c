//! What is read must not be written over: whoever names the same storage twice, by whatever names, loses one of them.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use fieldtest_disk::{Error, lies_on, shared};

use super::remedies::explained;
use crate::args::DiskKey;
use crate::outcome::coded;

/// Refuses a destination that lies on the storage of the source.
pub(super) fn apart(source: &Path, destination: &Path) -> Result<()> {
    match shared(source, destination) {
        true => Err(explained(Error::SameStorage { one: source.to_owned(), other: destination.to_owned() })),
        false => Ok(()),
    }
}

/// Refuses to write over the key file, without which nothing could be opened any more, whether it is named or is what
/// standard input reads (`<key`), and over the volume key's.
pub(super) fn apart_from_key(key: &DiskKey, volume_key: Option<&Path>, destination: &Path) -> Result<()> {
    let of_volume = volume_key.is_some_and(|file| shared(file, destination));
    match of_volume || is_read_from(key.key_file.as_deref(), destination)? {
        true => bail!(coded(
            "is-key-file",
            anyhow!(
                "cannot overwrite {}: it is a key file, without which the container cannot be unlocked; choose another name",
                destination.display()
            )
        )),
        false => Ok(()),
    }
}

/// Refuses a key of a key slot, by its key file or from standard input, that lies in one of the places that are written to: what is
/// read there the next time is another one.
pub(super) fn key_apart(key: Option<&Path>, written: &[&Path]) -> Result<()> {
    for place in written {
        if is_read_from(key, place)? {
            bail!(coded(
                "key-within",
                anyhow!(
                    "cannot write to {}: the key is stored in it, so the container could not be unlocked again; copy the key \
                 to a separate file",
                    place.display()
                )
            ));
        }
    }
    Ok(())
}

/// Whether a key comes from this storage: by the name of its file, or as what standard input reads.
fn is_read_from(key: Option<&Path>, storage: &Path) -> Result<bool> {
    Ok(match key.filter(|file| *file != Path::new("-")) {
        Some(file) => shared(file, storage),
        None => {
            let input = io::stdin();
            // Whoever is asked on a terminal has no file to lose.
            !input.is_terminal() && lies_on(&File::from(input.as_fd().try_clone_to_owned()?), storage)
        }
    })
}
