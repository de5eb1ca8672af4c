//! An engine as a cipher of storage.

use fieldtest_kinds::Error;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};
use zeroize::Zeroizing;

use crate::Connection;
use crate::batch::batches;
use crate::protocol::Operation;

/// Octets of a sector: from the block that all modes need to the largest that a disk has.
pub const SECTORS: std::ops::RangeInclusive<usize> = 16..=1 << 20;

/// A cipher that is a program.
#[derive(Debug, Clone)]
pub struct Engine {
    connection: Connection,
    key: usize,
}

impl Engine {
    /// One whose keys have so many octets.
    pub fn new(connection: Connection, key: usize) -> Engine {
        Engine { connection, key }
    }
}

impl Cipher for Engine {
    fn key_len(&self) -> usize {
        self.key
    }

    fn prepare(&self, key: &[u8]) -> Result<Box<dyn CipherKey>, Error> {
        if key.len() != self.key {
            return Err(Error::MalformedKey(format!(
                "a key has {} bytes, but this one has {}",
                self.key,
                key.len()
            )));
        }
        Ok(Box::new(Key { connection: self.connection.clone(), key: Zeroizing::new(key.to_vec()) }))
    }
}

struct Key {
    connection: Connection,
    key: Zeroizing<Vec<u8>>,
}

impl Key {
    fn all(&self, operation: Operation, tweaks: Tweaks, size: usize, data: &mut [u8]) -> Result<(), Error> {
        if !SECTORS.contains(&size) {
            let (least, most) = (SECTORS.start(), SECTORS.end());
            return Err(Error::Library(format!(
                "sectors of {size} bytes; this cipher supports {least} to {most}"
            )));
        }
        if !data.len().is_multiple_of(size) {
            return Err(Error::Library(format!(
                "{} bytes are not a multiple of the sector size of {size} bytes; pass whole sectors",
                data.len()
            )));
        }
        for batch in batches((0..data.len() / size).map(|_| size + 16)) {
            let tweaks: Vec<u8> = batch.clone().flat_map(|sector| tweaks.of(sector as u64)).collect();
            let data = &mut data[batch.start * size..batch.end * size];
            let found = self.connection.ask(operation, &[&self.key, &tweaks, data], 1)?.swap_remove(0);
            self.connection.length("sectors", &found, data.len())?;
            data.copy_from_slice(&found);
        }
        Ok(())
    }
}

impl CipherKey for Key {
    fn encrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.all(Operation::Encrypt, tweaks, sector_size, data)
    }

    fn decrypt(&self, tweaks: Tweaks, sector_size: usize, data: &mut [u8]) -> Result<(), Error> {
        self.all(Operation::Decrypt, tweaks, sector_size, data)
    }
}
