//! What a header and data are written to: a file, or in tests something that remembers the order of what was written.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

/// Bytes at any offset, which are durable after a barrier.
pub(crate) trait Store: Sync {
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
    /// Writes all bytes. Until the next barrier any of them may be lost.
    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Returns when all that was written before is durable.
    fn barrier(&self) -> io::Result<()>;
    /// Has room made for bytes that will be written, where there are holes, so that it is missing before anything is written.
    fn reserve(&self, _offset: u64, _length: u64) -> io::Result<()> {
        Ok(())
    }
}

impl Store for File {
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.read_exact_at(buffer, offset)
    }

    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn barrier(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn reserve(&self, offset: u64, length: u64) -> io::Result<()> {
        match fallocate(self, FallocateFlags::KEEP_SIZE, offset, length) {
            Err(error @ (Errno::NOSPC | Errno::DQUOT)) => Err(error.into()),
            // Not every file system can, and devices need not.
            _ => Ok(()),
        }
    }
}
