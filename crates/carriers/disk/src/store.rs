//! What a header and data are written to: a file, or in tests something that remembers the order of what was written.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes at any offset, which are durable after a barrier.
pub(crate) trait Store: Sync {
    /// Fills the buffer.
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
    /// Writes all bytes. Until the next barrier any of them may be lost.
    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Returns when all that was written before is durable.
    fn barrier(&self) -> io::Result<()>;
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
}
