//! An engine as a hash function.

use fieldtest_kinds::Error;
use fieldtest_kinds::hash::{Hash, Job, Stream};

use crate::Connection;
use crate::batch::batches;
use crate::protocol::Operation;

/// A hash function that is a program.
#[derive(Debug, Clone)]
pub struct Engine {
    connection: Connection,
    digest: usize,
}

impl Engine {
    /// One whose digests have so many octets.
    pub fn new(connection: Connection, digest: usize) -> Engine {
        Engine { connection, digest }
    }

    /// The digests of whole messages, by one request.
    fn digests(&self, messages: &[&[u8]]) -> Result<Vec<Vec<u8>>, Error> {
        let digests = self.connection.ask(Operation::Digest, messages, messages.len())?;
        digests.iter().try_for_each(|digest| self.connection.length("a digest", digest, self.digest))?;
        Ok(digests)
    }
}

impl Hash for Engine {
    fn digest_len(&self) -> usize {
        self.digest
    }

    fn digest(&self, head: &[u8], body: &[u8], digest: &mut [u8]) -> Result<(), Error> {
        self.digest_many(&mut [Job { head, body, digest }])
    }

    fn digest_many(&self, jobs: &mut [Job<'_>]) -> Result<(), Error> {
        if let Some(job) = jobs.iter().find(|job| job.digest.len() != self.digest) {
            return Err(Error::Library(format!(
                "a digest has {} bytes, but the buffer has {}; pass one of the exact size",
                self.digest,
                job.digest.len()
            )));
        }
        for batch in batches(jobs.iter().map(|job| job.head.len() + job.body.len())) {
            let jobs = &mut jobs[batch];
            let joined: Vec<Vec<u8>> = jobs.iter().map(|job| [job.head, job.body].concat()).collect();
            let messages: Vec<&[u8]> = joined.iter().map(Vec::as_slice).collect();
            for (job, digest) in jobs.iter_mut().zip(self.digests(&messages)?) {
                job.digest.copy_from_slice(&digest);
            }
        }
        Ok(())
    }

    fn hashes_several_at_once(&self) -> bool {
        true
    }

    fn start(&self) -> Box<dyn Stream> {
        Box::new(Pieces { engine: self.clone(), message: Vec::new() })
    }
}

/// A message that comes in pieces is kept until it is whole. The protocol has no state between requests, so
/// that an engine that was started again needs none.
struct Pieces {
    engine: Engine,
    message: Vec<u8>,
}

impl Stream for Pieces {
    fn update(&mut self, piece: &[u8]) {
        self.message.extend_from_slice(piece);
    }

    fn finish(self: Box<Self>, digest: &mut [u8]) -> Result<(), Error> {
        self.engine.digest(&self.message, &[], digest)
    }
}
