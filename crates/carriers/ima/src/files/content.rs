//! Reading a file's content once, for all digests that are wanted of it.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{self, FileType, Stat};
use rustix::io::Errno;

use super::report::ReadFailure;
use crate::digest::PIECE;
use crate::file_hasher::{FileHasher, Wanted};
use crate::file_id::FileDigest;
use crate::xattr::LONGEST_VALUE;

/// What a thread keeps from file to file.
pub(crate) struct Buffers {
    pub piece: Vec<u8>,
    pub value: Vec<u8>,
}

impl Buffers {
    pub(crate) fn new() -> Self {
        Buffers { piece: vec![0; PIECE], value: vec![0; LONGEST_VALUE] }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The caller's flag was raised.
    Interrupted,
    Failed(ReadFailure),
}

impl From<Errno> for Unread {
    fn from(error: Errno) -> Self {
        Unread::Failed(error.into())
    }
}

pub(crate) struct Content<'a> {
    pub file: OwnedFd,
    pub before: Stat,
    pub interrupted: &'a AtomicBool,
}

impl<'a> Content<'a> {
    pub(crate) fn new(file: OwnedFd, interrupted: &'a AtomicBool) -> Result<Self, Unread> {
        let before = fs::fstat(&file)?;
        match FileType::from_raw_mode(before.st_mode) {
            FileType::RegularFile => Ok(Content { file, before, interrupted }),
            _ => Err(Unread::Failed(ReadFailure::Replaced)),
        }
    }

    /// Reads from the start to the end; the number of bytes.
    pub(crate) fn read(&self, buffer: &mut [u8], mut each: impl FnMut(&[u8])) -> Result<u64, Unread> {
        let mut offset = 0;
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(Unread::Interrupted);
            }
            match rustix::io::pread(self.file.as_fd(), &mut *buffer, offset) {
                Ok(0) => break,
                Ok(length) => {
                    each(buffer.get(..length).unwrap_or_default());
                    offset += length as u64;
                    // A file that grows as fast as it is read has no end.
                    if offset > self.size() {
                        self.unchanged()?;
                    }
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.unchanged()?;
        Ok(offset)
    }

    fn size(&self) -> u64 {
        u64::try_from(self.before.st_size).unwrap_or(0)
    }

    /// Whether nobody wrote to it since it was opened, as far as size and time tell, and it has a name still: what another
    /// file replaced would be signed where nobody finds it.
    fn unchanged(&self) -> Result<(), Unread> {
        let after = fs::fstat(&self.file)?;
        if after.st_nlink == 0 && self.before.st_nlink > 0 {
            return Err(Unread::Failed(ReadFailure::Replaced));
        }
        let times = |stat: &Stat| (stat.st_size, stat.st_mtime, stat.st_mtime_nsec);
        if times(&self.before) == times(&after) { Ok(()) } else { Err(Unread::Failed(ReadFailure::Changing)) }
    }

    /// All digests that are wanted, of one reading, and the number of bytes.
    pub(crate) fn digests(
        &self,
        wanted: &[Wanted],
        buffer: &mut [u8],
    ) -> Result<(Vec<FileDigest>, u64), Unread> {
        let mut hashers: Vec<FileHasher> = wanted.iter().map(|wanted| wanted.hasher()).collect();
        let bytes = self.read(buffer, |piece| hashers.iter_mut().for_each(|hasher| hasher.update(piece)))?;
        Ok((hashers.into_iter().map(FileHasher::finish).collect(), bytes))
    }

    /// One digest, and the number of bytes.
    pub(crate) fn digest(&self, wanted: Wanted, buffer: &mut [u8]) -> Result<(FileDigest, u64), Unread> {
        let mut hasher = wanted.hasher();
        let bytes = self.read(buffer, |piece| hasher.update(piece))?;
        Ok((hasher.finish(), bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_of_a_file_while_it_is_read_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let never = AtomicBool::new(false);
        let read = |meanwhile: &dyn Fn()| {
            std::fs::write(at("file"), vec![1; PIECE + 1]).unwrap();
            let content = Content::new(std::fs::File::open(at("file")).unwrap().into(), &never).unwrap();
            let mut pieces = 0;
            let read = content.read(&mut vec![0; PIECE], |_| {
                pieces += 1;
                if pieces == 1 {
                    meanwhile();
                }
            });
            assert_eq!(pieces, 2);
            read
        };
        assert_eq!(read(&|| ()), Ok(PIECE as u64 + 1));
        let replaced = Err(Unread::Failed(ReadFailure::Replaced));
        let replace = || {
            std::fs::write(at("new"), "another file").unwrap();
            std::fs::rename(at("new"), at("file")).unwrap();
        };
        assert_eq!(read(&replace), replaced);
        assert_eq!(read(&|| std::fs::remove_file(at("file")).unwrap()), replaced);
        // Only its name is another.
        assert_eq!(read(&|| std::fs::rename(at("file"), at("moved")).unwrap()), Ok(PIECE as u64 + 1));
        let append = || {
            let file = std::fs::OpenOptions::new().write(true).open(at("file")).unwrap();
            file.set_len(PIECE as u64 + 2).unwrap();
        };
        std::fs::remove_file(at("moved")).unwrap();
        // The last piece is read to its end, which is another than it was.
        assert_eq!(read(&append), Err(Unread::Failed(ReadFailure::Changing)));
    }
}
