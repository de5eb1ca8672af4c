//! Key files: every byte counts, a newline at the end too.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;

use crate::error::{Error, Result};
use crate::secret::Secret;

/// The longest key file that cryptsetup reads whole unless told otherwise: 8 MiB.
pub const LONGEST_KEY_FILE: usize = 8 << 20;

/// Bytes that are read at first, more than almost every key has.
const FIRST: usize = 4096;

/// Reads a key file. `-` is no special name here.
///
/// `offset` bytes are passed over; with `length` exactly so many are taken, else all that follow. An empty file is an empty key, as in
/// cryptsetup: whoever makes a container refuses it, and whoever opens one must not be kept out.
///
/// # Errors
/// [`Error::KeyFileTooShort`], [`Error::KeyFileTooLong`], [`Error::Io`].
pub fn read_key_file(path: &Path, offset: u64, length: Option<usize>) -> Result<Secret> {
    let mut file = File::open(path).map_err(Error::io(path, "open the key file"))?;
    let found = file.metadata().map_err(Error::io(path, "inspect the key file"))?.len();
    if length.is_some_and(|length| length > LONGEST_KEY_FILE) {
        return Err(Error::KeyFileTooLong(path.to_owned()));
    }
    if offset > 0 {
        file.seek(SeekFrom::Start(offset)).map_err(Error::io(path, "read the key file"))?;
    }
    let most = length.unwrap_or(LONGEST_KEY_FILE);
    let key = read_secret(most, length.is_none(), |buffer| match (&file).read(buffer) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        result => result.map(Some).map_err(Error::io(path, "read the key file")),
    })?;
    match key {
        None => Err(Error::KeyFileTooLong(path.to_owned())),
        Some(key) if key.len() < length.unwrap_or(usize::from(offset > 0)) => Err(Error::KeyFileTooShort {
            path: path.to_owned(),
            offset,
            wanted: length.map(|length| length as u64),
            found,
        }),
        Some(key) => Ok(key),
    }
}

/// Reads a secret piece by piece. `read` fills a buffer and says how far; 0 is the end, and nothing means to try again.
/// If there is more than `most`, the result is none when all of it was wanted.
///
/// # Errors
/// Those of `read`; [`Error::KeyDerivation`] if there is no memory.
pub fn read_secret<E: From<Error>>(
    most: usize,
    all: bool,
    mut read: impl FnMut(&mut [u8]) -> std::result::Result<Option<usize>, E>,
) -> std::result::Result<Option<Secret>, E> {
    // One byte more tells that there is more.
    let limit = most + usize::from(all);
    let mut secret = Secret::zeroed(limit.min(FIRST))?;
    let mut filled = 0;
    while filled < limit {
        if filled == secret.len() {
            let mut larger = Secret::zeroed((2 * filled).min(limit))?;
            larger.iter_mut().zip(secret.iter()).for_each(|(to, from)| *to = *from);
            secret = larger;
        }
        match read(secret.get_mut(filled..).unwrap_or_default())? {
            Some(0) => break,
            Some(more) => filled += more,
            None => {}
        }
    }
    secret.truncate(filled);
    Ok((filled <= most).then_some(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_read_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        std::fs::write(&path, b"secret\n").unwrap();
        assert_eq!(&*read_key_file(&path, 0, None).unwrap(), b"secret\n");
        assert_eq!(&*read_key_file(&path, 2, Some(3)).unwrap(), b"cre");
        let short = |offset, length| match read_key_file(&path, offset, length) {
            Err(Error::KeyFileTooShort { offset, wanted, found, .. }) => (offset, wanted, found),
            other => panic!("{other:?}"),
        };
        assert_eq!(short(2, Some(6)), (2, Some(6), 7));
        assert!(matches!(read_key_file(&path, 7, None), Err(Error::KeyFileTooShort { .. })));
        File::create(&path).unwrap();
        assert!(read_key_file(&path, 0, None).unwrap().is_empty());
        assert_eq!(short(0, Some(1)), (0, Some(1), 0));
        File::create(&path).unwrap().set_len(LONGEST_KEY_FILE as u64 + 1).unwrap();
        assert!(matches!(read_key_file(&path, 0, None), Err(Error::KeyFileTooLong(_))));
        File::create(&path).unwrap().set_len(LONGEST_KEY_FILE as u64).unwrap();
        assert_eq!(read_key_file(&path, 0, None).unwrap().len(), LONGEST_KEY_FILE);
    }

    #[test]
    fn long_keys_come_in_pieces() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let key: Vec<u8> = (0..20_001_u32).map(|number| (number % 251) as u8).collect();
        std::fs::write(&path, &key).unwrap();
        assert_eq!(&*read_key_file(&path, 0, None).unwrap(), key);
        assert_eq!(&*read_key_file(&path, 1, Some(9000)).unwrap(), &key[1..9001]);
    }
}
