//! Secrets: passphrases, key files, volume keys, and randomness.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// The longest key file that cryptsetup reads whole unless told otherwise: 8 MiB.
const LONGEST_KEY_FILE: usize = 8 << 20;

/// The key that the data is encrypted under. It is wiped when it is dropped, and shows nothing of itself.
pub struct VolumeKey(Zeroizing<Vec<u8>>);

impl VolumeKey {
    /// A key that the caller has.
    pub fn new(bytes: Zeroizing<Vec<u8>>) -> Self {
        VolumeKey(bytes)
    }

    /// A new key of the operating system's randomness.
    ///
    /// # Errors
    /// [`Error::Randomness`]
    pub fn generate(length: usize) -> Result<Self> {
        Ok(VolumeKey(random(length)?))
    }

    /// The key itself.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for VolumeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VolumeKey({} bytes)", self.0.len())
    }
}

/// Bytes of the operating system's randomness.
pub(crate) fn random(length: usize) -> Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(vec![0; length]);
    getrandom::fill(&mut bytes).map_err(Error::Randomness)?;
    Ok(bytes)
}

/// Compares two byte strings in a time that depends on their lengths alone.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    let difference = a.iter().zip(b).fold(0, |difference, (a, b)| std::hint::black_box(difference | (a ^ b)));
    a.len() == b.len() && difference == 0
}

/// Reads a key file: every byte of it counts, a newline at its end too. `-` is no special name here.
///
/// `offset` bytes are passed over; with `length` exactly so many are taken, else all that follow.
///
/// # Errors
/// [`Error::KeyFileTooShort`], [`Error::KeyFileTooLong`] (only without a length), [`Error::Io`].
pub fn read_key_file(path: &Path, offset: u64, length: Option<usize>) -> Result<Zeroizing<Vec<u8>>> {
    let mut file = File::open(path).map_err(Error::io(path, "opening the key file"))?;
    let size = file.metadata().map_err(Error::io(path, "looking at the key file"))?.len();
    if let Some(length) = length {
        if length > LONGEST_KEY_FILE {
            return Err(Error::KeyFileTooLong(path.to_owned()));
        }
        let mut key = Zeroizing::new(vec![0; length]);
        return match file.read_exact_at(&mut key, offset) {
            Ok(()) => Ok(key),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(Error::KeyFileTooShort {
                path: path.to_owned(),
                offset,
                wanted: length as u64,
                found: size,
            }),
            Err(error) => Err(Error::io(path, "reading the key file")(error)),
        };
    }
    // A buffer that grows would leave copies of the secret behind in freed memory.
    let mut key = Zeroizing::new(vec![0; LONGEST_KEY_FILE + 1]);
    let mut filled = 0;
    if offset > 0 {
        use std::io::Seek as _;
        file.seek(std::io::SeekFrom::Start(offset)).map_err(Error::io(path, "reading the key file"))?;
    }
    loop {
        let Some(rest) = key.get_mut(filled..).filter(|rest| !rest.is_empty()) else {
            return Err(Error::KeyFileTooLong(path.to_owned()));
        };
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(path, "reading the key file")(error)),
        }
    }
    if filled == 0 {
        return Err(Error::KeyFileTooShort { path: path.to_owned(), offset, wanted: 1, found: size });
    }
    key.truncate(filled);
    Ok(key)
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
        let error = read_key_file(&path, 2, Some(6)).unwrap_err().to_string();
        assert!(error.contains("has 7 bytes, and the key is 6 bytes at offset 2"), "{error}");
        assert!(matches!(read_key_file(&path, 7, None), Err(Error::KeyFileTooShort { .. })));
        File::create(&path).unwrap().set_len(LONGEST_KEY_FILE as u64 + 1).unwrap();
        assert!(matches!(read_key_file(&path, 0, None), Err(Error::KeyFileTooLong(_))));
    }

    #[test]
    fn comparison_sees_every_byte() {
        assert!(equal(b"", b"") && equal(b"abc", b"abc"));
        assert!(!equal(b"abc", b"abd") && !equal(b"xbc", b"abc") && !equal(b"ab", b"abc"));
    }
}
