//! The bytes of a member, in memory or in a file that has no name.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

pub(super) enum Data {
    Memory(Vec<u8>),
    Spooled(File, u64),
}

impl Data {
    pub(super) fn length(&self) -> u64 {
        match self {
            Data::Memory(bytes) => bytes.len() as u64,
            Data::Spooled(_, length) => *length,
        }
    }

    /// Its first bytes, so many of them if there are.
    pub(super) fn start(&mut self, most: usize) -> io::Result<Vec<u8>> {
        match self {
            Data::Memory(bytes) => Ok(bytes.get(..most).unwrap_or(bytes).to_vec()),
            Data::Spooled(file, _) => {
                let mut bytes = Vec::new();
                file.seek(SeekFrom::Start(0))?;
                file.take(most as u64).read_to_end(&mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// Passes all bytes on.
    pub(super) fn for_each(
        &mut self,
        buffer: &mut [u8],
        mut each: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let file = match self {
            Data::Memory(bytes) => return each(bytes),
            Data::Spooled(file, _) => file,
        };
        file.seek(SeekFrom::Start(0))?;
        loop {
            match file.read(buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => each(buffer.get(..length).unwrap_or_default())?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
