//! An engine as a MAC with its key derivation.

use std::any::Any;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Job, Mac, MacKey};
use zeroize::{Zeroize as _, Zeroizing};

use crate::Connection;
use crate::batch::batches;
use crate::protocol::Operation;

/// Octets of keys and tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Of a traffic key.
    pub traffic_key: usize,
    /// Of a tag.
    pub tag: usize,
}

/// A MAC that is a program.
#[derive(Debug, Clone)]
pub struct Engine {
    connection: Connection,
    sizes: Sizes,
}

impl Engine {
    /// One of these sizes.
    pub fn new(connection: Connection, sizes: Sizes) -> Engine {
        Engine { connection, sizes }
    }

    /// Tags by one request: a key and a message each.
    fn tags(&self, pairs: &[[&[u8]; 2]]) -> Result<Vec<Vec<u8>>, Error> {
        let tags = self.connection.ask(Operation::Tag, pairs.as_flattened(), pairs.len())?;
        tags.iter().try_for_each(|tag| self.connection.length("a tag", tag, self.sizes.tag))?;
        Ok(tags)
    }

    /// Key and message, where the key is one of this engine's.
    fn own<'a>(&self, job: &Job<'a>) -> Option<[&'a [u8]; 2]> {
        let key: &'a dyn Any = job.key;
        let key: &'a Key = key.downcast_ref()?;
        key.engine.connection.is(&self.connection).then_some([key.key.as_slice(), job.message])
    }

    fn room(&self, tag: &[u8]) -> Result<(), Error> {
        match tag.len() <= self.sizes.tag {
            true => Ok(()),
            false => Err(Error::Library(format!(
                "a tag has at most {} bytes, but {} are requested",
                self.sizes.tag,
                tag.len()
            ))),
        }
    }
}

impl Mac for Engine {
    fn derive(&self, master_key: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        if master_key.is_empty() {
            return Err(Error::MalformedKey(
                "a master key has at least one byte, but this one is empty".to_owned(),
            ));
        }
        traffic_key.zeroize();
        let found = self.connection.ask(Operation::Derive, &[master_key, context], 1)?.swap_remove(0);
        self.connection.length("a traffic key", &found, self.sizes.traffic_key)?;
        *traffic_key = found;
        Ok(())
    }

    fn prepare(&self, traffic_key: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        let length = self.sizes.traffic_key;
        if traffic_key.len() != length {
            return Err(Error::MalformedKey(format!(
                "a traffic key has {length} bytes, but this one has {}",
                traffic_key.len()
            )));
        }
        Ok(Box::new(Key { engine: self.clone(), key: Zeroizing::new(traffic_key.to_vec()) }))
    }

    fn longest_tag(&self) -> usize {
        self.sizes.tag
    }

    fn tag_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        for batch in batches(jobs.iter().map(|job| self.sizes.traffic_key + job.message.len())) {
            let jobs = &mut jobs[batch];
            let Some(pairs) = jobs.iter().map(|job| self.own(job)).collect::<Option<Vec<_>>>() else {
                jobs.iter_mut().try_for_each(|job| job.key.tag(job.message, job.tag))?;
                continue;
            };
            jobs.iter().try_for_each(|job| self.room(job.tag))?;
            let tags = self.tags(&pairs)?;
            for (job, tag) in jobs.iter_mut().zip(tags) {
                job.tag.copy_from_slice(&tag[..job.tag.len()]);
            }
        }
        Ok(())
    }
}

struct Key {
    engine: Engine,
    key: Zeroizing<Vec<u8>>,
}

impl MacKey for Key {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        self.engine.room(tag)?;
        let found = self.engine.tags(&[[&self.key, message]])?.swap_remove(0);
        tag.copy_from_slice(&found[..tag.len()]);
        Ok(())
    }
}
