//! How the known answers of hash functions are worked through.

use fieldtest_kinds::hash::{Hash, Job};

use crate::KatError;
use crate::kat::{KnownAnswers, Mismatch, equal, nist, table};

/// A message and its digest, or the digest's beginning.
pub(super) struct Vector {
    pub(super) message: Vec<u8>,
    pub(super) digest: Vec<u8>,
}

/// Hashes every message in each of the three ways that a carrier does: alone, with its beginning as the head; in
/// pieces; and all of them in one batch.
pub(super) fn digests(
    set: &mut KnownAnswers,
    hash: &dyn Hash,
    vectors: impl IntoIterator<Item = Vector>,
) -> Result<(), KatError> {
    let vectors: Vec<Vector> = vectors.into_iter().collect();
    let mut batch = vec![vec![0; hash.digest_len()]; vectors.len()];
    let mut jobs: Vec<Job<'_>> = vectors
        .iter()
        .zip(&mut batch)
        .enumerate()
        .map(|(number, (vector, digest))| {
            let (head, body) = split(&vector.message, number);
            Job { head, body, digest }
        })
        .collect();
    hash.digest_many(&mut jobs).map_err(|error| set.failure("all in one batch", error))?;
    for (number, (vector, in_batch)) in vectors.iter().zip(&batch).enumerate() {
        set.case(number + 1, || {
            let (head, body) = split(&vector.message, number);
            let mut alone = vec![0; hash.digest_len()];
            hash.digest(head, body, &mut alone)?;
            beginning("digest", &vector.digest, &alone)?;
            beginning("digest in pieces", &vector.digest, &in_pieces(hash, &vector.message)?)?;
            beginning("digest in a batch", &vector.digest, in_batch)
        })?;
    }
    Ok(())
}

/// A head of another length for each case; of most messages it is the smaller part, as in Git.
fn split(message: &[u8], number: usize) -> (&[u8], &[u8]) {
    message.split_at(message.len().min(number % 23))
}

fn in_pieces(hash: &dyn Hash, message: &[u8]) -> Result<Vec<u8>, Mismatch> {
    let mut digest = vec![0; hash.digest_len()];
    let mut stream = hash.start();
    // Pieces that keep no relation to any block.
    for piece in message.chunks(message.len() / 3 + 1) {
        stream.update(piece);
    }
    stream.finish(&mut digest)?;
    Ok(digest)
}

/// `found` must begin with the published bytes.
fn beginning(what: &str, expected: &[u8], found: &[u8]) -> Result<(), Mismatch> {
    equal(what, expected, found.get(..expected.len()).unwrap_or(found))
}

/// The rows of a CAVP table under `vectors/hash/`: length, message, digest.
pub(super) fn cavp(text: &'static str) -> impl Iterator<Item = Vector> {
    table::rows(text).map(|row| Vector {
        message: if row.count(0) == 0 { Vec::new() } else { row.bytes(1) },
        digest: row.bytes(2),
    })
}

/// A Monte Carlo test of NIST's CAVP: 100 checkpoints, 1000 digests apart.
pub(super) struct MonteCarlo {
    pub(super) file: &'static str,
    /// How many of the latest digests, one after another, are the next message: 3 in the SHA-1 and SHA-2 files, 1 in
    /// those of SHA-3.
    pub(super) digests_per_message: usize,
    /// The table under `vectors/hash/`: the seed, then every checkpoint.
    pub(super) seed_and_checkpoints: &'static str,
}

impl MonteCarlo {
    pub(super) fn prove(&self, hash: &dyn Hash) -> Result<KnownAnswers, KatError> {
        let mut set = KnownAnswers::from(format!("NIST CAVP {}", self.file));
        let mut rows = table::rows(self.seed_and_checkpoints).map(|row| row.bytes(0));
        let mut digest = rows.next().unwrap_or_default();
        for (count, checkpoint) in rows.enumerate() {
            set.case(format!("COUNT {count}"), || {
                let mut message = digest.repeat(self.digests_per_message);
                for _ in 0..1000 {
                    let (head, body) = message.split_at(digest.len() / 2);
                    hash.digest(head, body, &mut digest)?;
                    message.drain(..digest.len());
                    message.extend_from_slice(&digest);
                }
                equal("digest", &checkpoint, &digest)
            })?;
        }
        Ok(set)
    }
}

/// Bytes 0, 1, …, 250, 0, 1, …: the input of BLAKE3's and KangarooTwelve's vectors.
pub(super) fn counting(length: usize) -> Vec<u8> {
    (0..=250).cycle().take(length).collect()
}

/// SHA-256 over the digests of many messages, each hashed alone, as one case: known answers by the file, agreement with
/// another library over a range of lengths.
pub(super) fn digest_of_digests(
    hash: &dyn Hash,
    messages: impl Iterator<Item = Vec<u8>>,
) -> Result<Vec<u8>, Mismatch> {
    let mut all = Vec::new();
    let mut digest = vec![0; hash.digest_len()];
    for (number, message) in messages.enumerate() {
        let (head, body) = split(&message, number);
        hash.digest(head, body, &mut digest)?;
        all.extend_from_slice(&digest);
    }
    Ok(nist::sha256(&all))
}
